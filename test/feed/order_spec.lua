-- test/feed/order_spec.lua - the order of batches, over epochs and ranks.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local loader, texts, noisy, sorted, range, TH = shared.loader, shared.texts, shared.noisy, shared.sorted, shared.range, shared.TH

teardown(temporary.remove)

local function numbers(l)
   local list = {}
   for batch in l:epoch() do for _, v in ipairs(batch:totable()) do list[#list + 1] = v end end
   return list
end

describe('the order', function()
   it('is that of the dataset without shuffle', function()
      assert.same({ '1: 1 2 3', '2: 4 5 6', '3: 7' }, texts(loader({ batch = 3 }, 7)))
      assert.same({ '1: 1 2 3', '2: 4 5 6' }, texts(loader({ batch = 3, dropLast = true }, 7)))
   end)
   it('has every sample once an epoch, and is another one in the next', function()
      for _, chunk in ipairs { false, 1, 4, 5, 23, 100 } do
         for _, window in ipairs { 1, 2, 16 } do
            local l = loader { batch = 4, shuffle = true, chunk = chunk or nil, window = window }
            local first, second = numbers(l), numbers(l)
            assert.not_same(first, second)
            assert.same(range(23), sorted(first))
            assert.same(range(23), sorted(second))
         end
      end
   end)
   it('depends on the seed alone', function()
      local function of(seed) return texts(loader { batch = 4, shuffle = true, seed = seed }, 2) end
      assert.same(of(7), of(7))
      assert.not_same(of(7), of(8))
      torch.manualSeed(3)
      local a = torch.random()
      torch.manualSeed(3)
      of(7)
      assert.equal(a, torch.random())
   end)
   it('takes samples of a window of chunks, which lie anywhere', function()
      local l = loader({ batch = 20, shuffle = true, chunk = 10, window = 2 }, 200)
      for batch in l:epoch() do                               -- two chunks, mixed
         local chunks = {}
         for _, v in ipairs(batch:totable()) do chunks[math.floor((v - 1) / 10)] = true end
         local count = 0
         for _ in pairs(chunks) do count = count + 1 end
         assert.equal(2, count)
         assert.not_same(sorted(batch:totable()), batch:totable())
      end
   end)
   it('is equal for 0, 1 and 4 workers and any prefetch, and so are random numbers in samples', function()
      local function run(workers, prefetch, chunk)
         local l = loader { dataset = noisy(101), batch = 4, shuffle = true, workers = workers, prefetch = prefetch, chunk = chunk }
         local list = texts(l, 2)
         l:close()
         return list
      end
      for _, chunk in ipairs { false, 7 } do
         local wanted = run(0, nil, chunk or nil)
         assert.equal(52, #wanted)
         for _, how in ipairs { { 1, 1 }, { 1, 16 }, { 4, 2 }, { 4, 1 }, { 3, 5 } } do
            assert.same(wanted, run(how[1], how[2], chunk or nil))
         end
      end
   end)
   it('gives a sample other random numbers in another epoch and with another seed', function()
      local function of(seed)
         local l = loader { dataset = noisy(3), batch = 3, seed = seed }
         return texts(l, 2)
      end
      local a, b = of(1), of(2)
      assert.not_equal(a[1], a[2])
      assert.not_equal(a[1], b[1])
   end)
   it('is that of the epoch also where it could not be made at first', function()
      for _, chunk in ipairs { false, 2 } do
         local options = { batch = 6, shuffle = true, chunk = chunk or nil, window = 2 }
         shared.orders_again(function() return loader(options, 20) end, chunk and 2 or 1)
      end
   end)
   it('has no batch for a dataset without samples', function()
      for _, shuffle in ipairs { true, false } do
         assert.same({}, texts(feed.loader { dataset = feed.list {}, shuffle = shuffle, workers = 1 }, 2))
      end
   end)
end)

describe('ranks', function()
   local function all(options, n)
      local lists = {}
      for rank = 0, options.ranks - 1 do
         options.rank = rank
         local l = loader(options, n)
         lists[rank + 1] = texts(l)
         assert.equal(l:batches(), #lists[rank + 1])
      end
      return lists
   end
   it('share each epoch out, with equal numbers of batches', function()
      assert.same({ { '1: 1 2', '2: 7' }, { '1: 3 4', '2: 8' }, { '1: 5 6', '2: 9' } }, all({ batch = 2, ranks = 3 }, 9))
      assert.same({ { '1: 1 2', '2: 7 8' }, { '1: 3 4', '2: 9' }, { '1: 5 6', '2: 10' } }, all({ batch = 2, ranks = 3 }, 10))
   end)
   it('repeat the first samples where fewer than ranks are left, or drop them', function()
      assert.same({ { '1: 1 2', '2: 7' }, { '1: 3 4', '2: 1' }, { '1: 5 6', '2: 2' } }, all({ batch = 2, ranks = 3 }, 7))
      assert.same({ { '1: 1 2' }, { '1: 3 4' }, { '1: 5 6' } }, all({ batch = 2, ranks = 3, dropLast = true }, 7))
      assert.same({ { '1: 1' }, { '1: 1' }, { '1: 1' } }, all({ batch = 2, ranks = 3 }, 1))
   end)
   it('are those of dist, where it has been started', function()
      local file = temporary.put([[
         local feed, dist = require 'feed', require 'dist'.init()
         local l = feed.loader{dataset = feed.tensors(torch.range(1, 8)), batch = 2}
         local sum = torch.DoubleTensor{0}
         for batch in l:epoch() do sum:add(batch:sum()) end
         local own = sum[1]
         dist.allreduce(sum)
         assert(own < 36 and sum[1] == 36 and l:batches() == 2)
         dist.barrier()
         if dist.rank() == 0 then print('fine') end
      ]], '.lua')
      local p = io.popen(("timeout 120 '%s' -n 2 '%s' 2>&1"):format((TH:gsub('th$', 'thrun')), file))
      local out = p:read '*a'
      p:close()
      assert(out:find 'fine', out)
   end)
end)

describe('loader:epoch', function()
   it('continues where a loop was left, and begins an epoch that is named', function()
      for _, workers in ipairs { 0, 2 } do
         local l = loader({ batch = 2, workers = workers }, 6)
         l:epoch()()
         assert.same({ '2: 3 4', '3: 5 6' }, texts(l))
         l:epoch()()
         l:epoch(1)
         assert.same({ '1: 1 2', '2: 3 4', '3: 5 6' }, texts(l))
         assert.equal(2, l:state().epoch)
         l:close()
      end
   end)
   it('ends the loops that were there', function()
      local l = loader({ batch = 2 }, 5)
      local outer, turns = l:epoch(), 0
      outer()
      for _ in l:epoch() do turns = turns + 1 end
      assert.equal(2, turns)
      refuses('feed.loader: this loop has ended, because the position of the loader was changed', outer)
      local ended = l:epoch()
      for _ = 1, 3 do assert.truthy(ended()) end
      assert.is_nil(ended())
      assert.is_nil(ended())
      assert.equal(3, l:state().epoch)
      local old = l:epoch()
      l:restore(l:state())
      refuses('this loop has ended', old)
   end)
   it('refuses what is no epoch', function()
      local l = loader {}
      refuses('loader:epoch: n must be a whole number in 1..9007199254740991, got a number (0)', l.epoch, l, 0)
      refuses('loader:epoch: n must be', l.epoch, l, 'x')
      refuses('loader:epoch: argument 1 must be a loader made by feed.loader, got a number (3)', l.epoch, 3)
   end)
end)
