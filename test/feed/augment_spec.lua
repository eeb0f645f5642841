-- test/feed/augment_spec.lua - the option augment of a loader: pictures of a batch by image.augment.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local image = require 'image'
local refuses = require 'test.support.refuses'

local RANDOM = {
   size = 8, area = { 0.2, 1 }, flip = 0.5, brightness = 0.4, contrast = 0.4, saturation = 0.4, mean = { 0.5, 0.5, 0.5 },
}

local function bits(x) return torch.serialize(x:clone()) end

-- Pictures of any sides, and their numbers.
local function pictures(n, key)
   local list = {}
   for k = 1, n do list[k] = { [key or 1] = torch.ByteTensor(3, 10 + k, 30 - k):random(0, 255), [key and 'n' or 2] = k } end
   return feed.list(list)
end

-- The pictures of two epochs by epoch and number, as bits.
local function run(options)
   options.batch = options.batch or 5
   options.shuffle = true
   local loader, seen = feed.loader(options), {}
   for epoch = 1, 2 do
      for batch in loader:epoch() do
         for k = 1, batch[1]:size(1) do seen[epoch .. ' ' .. batch[2][k]] = bits(batch[1][k]) end
      end
   end
   loader:close()
   return seen
end

describe('feed.loader with augment', function()
   setup(function() torch.manualSeed(11) end)

   it('makes a batch of pictures of any sides, and collates the rest of the samples', function()
      local set = pictures(7)
      local batch = feed.loader { dataset = set, batch = 7, augment = { size = { 6, 4 }, centre = true } }:epoch()()
      assert.same({ 7, 3, 6, 4 }, batch[1]:size():totable())
      assert.same({ 1, 2, 3, 4, 5, 6, 7 }, batch[2]:totable())
      for k = 1, 7 do assert.is_true(batch[1][k]:equal(image.crop(set:get(k)[1], 'c', 4, 6))) end
   end)

   it('takes the pictures from the field that key names, or samples that are pictures', function()
      local o = { size = 4, centre = true, key = 'input' }
      local batch = feed.loader { dataset = pictures(3, 'input'), batch = 3, augment = o }:epoch()()
      assert.same({ 3, 3, 4, 4 }, batch.input:size():totable())
      assert.same({ 1, 2, 3 }, batch.n:totable())
      local x = torch.ByteTensor(6, 3, 9, 9):random(0, 255)
      local whole = feed.loader { dataset = feed.tensors(x), batch = 6, augment = { size = 9 } }:epoch()()
      assert.is_true(whole:equal(x))
      local list = {}
      for k = 1, 6 do list[k] = x[k] end
      assert.is_true(feed.loader { dataset = feed.list(list), batch = 6, augment = { size = 9 } }:epoch()():equal(x))
   end)

   it('gives a picture the same bits in an epoch for any workers, batches, reuse and threads', function()
      local set = pictures(13)
      local want = run { dataset = set, augment = RANDOM }
      assert.same(want, run { dataset = set, augment = RANDOM, workers = 2 })
      assert.same(want, run { dataset = set, augment = RANDOM, workers = 1, reuse = true, batch = 3 })
      assert.same(want, run { dataset = set, augment = RANDOM, reuse = true, batch = 1 })
      local threads = torch.getnumthreads()
      torch.setnumthreads(threads == 1 and 3 or 1)
      assert.same(want, run { dataset = set, augment = RANDOM })
      torch.setnumthreads(threads)
      for k = 1, 13 do assert.not_equal(want['1 ' .. k], want['2 ' .. k]) end
      assert.not_same(want, run { dataset = set, augment = RANDOM, seed = 2 })
   end)

   it('gives the same bits of a tensor of pictures as of single ones', function()
      local x, y, list = torch.ByteTensor(9, 3, 12, 12):random(0, 255), torch.range(1, 9), {}
      for k = 1, 9 do list[k] = { x[k], k } end
      local want = run { dataset = feed.list(list), augment = RANDOM }
      assert.same(want, run { dataset = feed.tensors(x, y), augment = RANDOM })
      assert.same(want, run { dataset = feed.tensors(x, y), augment = RANDOM, workers = 2, reuse = true })
   end)

   it('uses the memory of a batch again with reuse, and not without', function()
      for reuse, count in pairs { [true] = 1, [false] = 3 } do
         local loader = feed.loader { dataset = pictures(6), batch = 2, reuse = reuse, augment = RANDOM }
         local seen, kept, n = {}, {}, 0
         for batch in loader:epoch() do
            kept[#kept + 1] = batch
            seen[torch.pointer(batch[1]:storage())] = true
         end
         for _ in pairs(seen) do n = n + 1 end
         assert.same({ 3, count }, { #kept, n })
      end
   end)

   it('continues from a state with the pictures that would have followed', function()
      local set = pictures(12)
      local function loader() return feed.loader { dataset = set, batch = 4, shuffle = true, augment = RANDOM } end
      local a = loader()
      local loop = a:epoch()
      loop()
      local state = a:state()
      local want = bits(loop()[1])
      assert.equal(want, bits(loader():restore(state):epoch()()[1]))
   end)

   it('refuses bad options when the loader is made', function()
      local set = pictures(2)
      local function no(text, o, more)
         local options = { dataset = set, augment = o }
         for k, v in pairs(more or {}) do options[k] = v end
         refuses(text, feed.loader, options)
      end
      no('feed.loader: augment: size must be', {})
      no('feed.loader: augment: there is no option sizes', { sizes = 3 })
      no('feed.loader: augment: key must be a number or a string, got a boolean (true)', { size = 3, key = true })
      no('feed.loader: augment must be a table, got a number (3)', 3)
      no('feed.loader: augment and collate exclude each other', { size = 3 }, { collate = function() end })
   end)

   it('names the samples of a batch that it cannot make, with and without workers', function()
      for workers = 0, 1 do
         local function no(text, set, o)
            local loader = feed.loader { dataset = set, batch = 4, augment = o, workers = workers }
            refuses(text, loader:epoch())
         end
         no('feed.loader: augment, for the samples 1 ... 3: image.augment: picture 1 has 11 x 29 pixels, fewer than the '
            .. '40 x 40 of size', pictures(3), { size = 40 })
         no('feed.loader: sample 2: augment finds no tensor at 1 in a number (5)', feed.list { { torch.ones(3, 3), 1 }, 5 },
            { size = 2 })
         no('feed.loader: sample 1: augment finds no tensor at x in a table', pictures(3), { size = 2, key = 'x' })
         no('feed.loader: augment: samples have no tensor at x', feed.tensors(torch.ones(3, 4, 4), torch.ones(3)),
            { size = 2, key = 'x' })
      end
   end)
end)
