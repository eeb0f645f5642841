-- test/feed/loader_spec.lua - batches of a dataset, and errors.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local texts, threads, threads_become = shared.texts, shared.threads, shared.threads_become

teardown(temporary.remove)

describe('batches', function()
   local function only(samples, more)
      local options = { dataset = feed.list(samples), batch = 9 }
      for k, v in pairs(more or {}) do options[k] = v end
      return feed.loader(options):epoch()()
   end
   it('are stacked tensors, tensors of numbers, lists of strings, and tables of these', function()
      local b = only { { x = torch.IntTensor { 1, 2 }, y = 1, z = 'a', [1] = { true } }, { x = torch.IntTensor { 3, 4 }, y = 2, z = 'b', [1] = { false } } }
      assert.equal('torch.IntTensor', b.x:type())
      assert.same({ { 1, 2 }, { 3, 4 } }, b.x:totable())
      assert.same({ 1, 2 }, b.y:totable())
      assert.same({ 'a', 'b' }, b.z)
      assert.same({ { true, false } }, b[1])
   end)
   it('of tensors do not share their elements with the dataset', function()
      local x = torch.ones(4)
      feed.loader { dataset = feed.tensors(x), batch = 4 }:epoch()():fill(7)
      assert.equal(4, x:sum())
   end)
   it('are what collate makes of a list and its numbers', function()
      for _, workers in ipairs { 0, 1 } do
         local b = only({ 'x', 'y' }, { workers = workers, collate = function(s, n) return { table.concat(s), n[2] } end })
         assert.same({ 'xy', 2 }, b)
      end
   end)
   it('are refused where samples differ, and the samples are named', function()
      local hint = ': that makes no batch; the option collate takes a function that makes one'
      refuses('feed.loader: sample 2 has a string, sample 1 a number (1)' .. hint, only, { 1, 'x' })
      refuses('sample 3 has a torch.DoubleTensor of size 3, sample 1 a torch.DoubleTensor of size 2' .. hint, only,
         { torch.ones(2), torch.ones(2), torch.ones(3) })
      refuses('sample 2 has a torch.FloatTensor of size 2, sample 1', only, { torch.ones(2), torch.ones(2):float() })
      refuses('sample 2 has a string at .y, sample 1 a number (1)', only, { { y = 1 }, { y = 'x' } })
      refuses('sample 2 has .z, sample 1 does not' .. hint, only, { { y = 1 }, { z = 1 } })
      refuses('sample 2 has .x.z, sample 1 does not', only, { { x = { y = 1 } }, { x = { y = 1, z = 1 } } })
      refuses('sample 1 has .z, sample 2 does not', only, { { y = 1, z = 1 }, { y = 1 } })
   end)
   it('made by a collate that fails name their samples', function()
      refuses('collate, for the samples 1 ... 2: ', only, { 1, 2 }, { collate = function() error 'no' end })
      refuses('collate, for the samples 1 ... 2, returned nil', only, { 1, 2 }, { collate = function() end })
   end)
end)

describe('batches with reuse', function()
   -- A dataset of each kind that makes whole batches.
   local name = temporary.name '.pack'
   feed.pack(name, feed.tensors(torch.range(1, 2 * 61):view(61, 2)))
   local npy = temporary.name '.npy'
   torch.save(npy, torch.range(1, 2 * 61):view(61, 2))
   local kinds = {
      feed.records(name), feed.npy(npy), feed.tensors(torch.range(1, 2 * 61):view(61, 2)),
      feed.subset(feed.records(name), torch.range(61, 1, -1):long()),
   }

   it('are the same while each has its turn', function()
      for _, set in ipairs(kinds) do
         for _, how in ipairs { { 0 }, { 1, 1 }, { 1, 3 }, { 3, 1 }, { 2, 2 } } do
            local plain = feed.loader { dataset = feed.zip { x = set }, batch = 4, shuffle = true }
            local again = feed.loader { dataset = feed.zip { x = set }, batch = 4, shuffle = true, reuse = true, workers = how[1], prefetch = how[2] }
            for _ = 1, 3 do
               local step = again:epoch()
               for wanted in plain:epoch() do
                  local timer, batch = torch.Timer(), step()
                  if how[1] > 0 then while timer:time().real < 2e-4 do end end        -- threads get ahead
                  assert.same(wanted.x:totable(), batch.x:totable())
               end
               assert.is_nil(step())
            end
            again:close()
         end
      end
   end)
   it('lie in few places', function()
      for _, set in ipairs(kinds) do
         for workers = 0, 2 do
            local places, count = {}, 0
            for batch in feed.loader { dataset = set, batch = 6, dropLast = true, workers = workers, reuse = true }:epoch() do
               local at = tostring(batch:data())
               if not places[at] then count = count + 1 end
               places[at] = true
            end
            assert(count == 1 or workers > 0 and count <= 3 * workers, count)
         end
      end
   end)
end)

describe('an error of a dataset that makes batches', function()
   local function of(more)
      local set = { size = function() return 4 end, get = function(_, i) return i end }
      for k, v in pairs(more) do set[k] = v end
      return feed.loader { dataset = set, batch = 2 }
   end
   it('is raised: that of the sample, if one is to blame, else its own', function()
      local function fail() error('no batch', 0) end
      refuses('feed.loader: batch, for the samples 1 ... 2: no batch', of { batch = fail }:epoch())
      refuses('feed.loader: sample 2: no sample', of { batch = fail, get = function(_, i)
         if i == 2 then error('no sample', 0) end
         return i
      end }:epoch())
   end)
   it('that is Ctrl-C ends the loop', function()
      local asked = 0
      refuses('feed.loader: interrupted', of { batch = function() error('interrupted', 0) end, get = function() asked = asked + 1 end }:epoch())
      assert.equal(0, asked)
   end)
   it('cannot come from what is no function', function()
      refuses('feed.loader: dataset.batch must be a function, got a number (5)', of, { batch = 5 })
   end)
end)

describe('an error in a sample', function()
   local function failing(workers, what)
      return feed.loader { batch = 2, workers = workers, dataset = {
         size = function() return 9 end,
         get = function(_, i)
            if i == 6 then return what(i) end
            return i
         end } }
   end
   it('is raised in the reader behind the batches before it, with the number of the sample; the loader can be used again', function()
      local before = threads()
      for _, workers in ipairs { 0, 1, 3 } do
         local l = failing(workers, function() error('no such file', 0) end)
         local got = {}
         local ok, why = pcall(function() for b in l:epoch() do got[#got + 1] = b:sum() end end)
         assert.is_false(ok)
         assert.equal('feed.loader: sample 6: no such file', why)
         assert.same({ 3, 7 }, got)
         assert.equal(before, threads_become(before))
         refuses('sample 6: no such file', l:epoch())
         l:epoch(1)
         assert.equal(3, l:epoch()():sum())
         l:close()
      end
   end)
   it('that is no text says what it is', function()
      refuses('feed.loader: sample 6: an error that is a table', function() texts(failing(1, function() error {} end)) end)
   end)
   it('that is nil is one', function()
      for _, workers in ipairs { 0, 2 } do
         refuses('feed.loader: sample 6: the dataset returned nil', function() texts(failing(workers, function() return nil end)) end)
      end
   end)
   it('that ends the thread is one, and nothing hangs', function()
      local before = threads()
      local l = failing(2, function()
         local c = require 'ffi'
         c.cdef 'void pthread_exit(void *result);'
         c.C.pthread_exit(nil)
      end)
      refuses('feed.loader: its thread has ended', function() texts(l) end)
      assert.equal(before, threads_become(before))
   end)
   it('that cannot go to a thread says where it is', function()
      local file = io.tmpfile()
      local l = feed.loader { workers = 1, dataset = { size = function() return 1 end, get = function() return file end } }
      refuses('feed.loader: the variable file of the function at test/feed/loader_spec.lua:', l:epoch())
      l = feed.loader { workers = 1, dataset = { size = function() return 1 end, get = function() return 1 end, x = { file } } }
      refuses("feed.loader: the loader's dataset.x cannot go to another thread: it is a userdata", l:epoch())
      l = feed.loader { workers = 1, dataset = feed.list { 1 }, init = function() error('no device', 0) end }
      refuses('feed.loader: no device', l:epoch())
   end)
end)

describe('feed.loader', function()
   local function bad(text, options)
      options.dataset = options.dataset == nil and feed.list { 1 } or options.dataset
      refuses('feed.loader: ' .. text, feed.loader, options)
   end
   it('refuses bad options', function()
      refuses('feed.loader: options must be a table, got nil', feed.loader)
      bad('dataset must be a table, got a number (3)', { dataset = 3 })
      bad('dataset must be a dataset, a table with the functions size and get, got a table', { dataset = {} })
      bad('the size of the dataset must be a whole number from 0 on, got a string', { dataset = { size = function() return 'x' end, get = print } })
      bad('there is no option batchSize; there are augment, batch, bucket, chunk, collate, dataset, dropLast, init, lengths, pin, prefetch, rank, ranks, reuse, seed, shortestFirst, shuffle, window, workers',
         { batchSize = 3 })
      for _, v in ipairs { 0, -1, 1.5, 0 / 0, math.huge } do bad('batch must be a whole number in 1..2147483648, got', { batch = v }) end
      bad('workers must be a whole number in 0..1024, got a number (-1)', { workers = -1 })
      bad('prefetch must be a whole number in 1..16, got a number (17)', { prefetch = 17 })
      bad('seed must be a whole number in 0..9007199254740992, got a number (-1)', { seed = -1 })
      bad('chunk must be a whole number in 1', { chunk = 0 })
      bad('window must be a whole number in 1', { window = 0.5 })
      bad('shuffle must be a boolean, got a number (1)', { shuffle = 1 })
      bad('collate must be a function, got a number (1)', { collate = 1 })
      bad('rank and ranks are given both or not at all', { rank = 1 })
      bad('rank must be a whole number in 0..1, got a number (2)', { rank = 2, ranks = 2 })
      bad('ranks must be a whole number in 1', { rank = 0, ranks = 0 })
      if not package.loaded.cutorch then bad("pin needs cutorch: require 'cutorch' first", { pin = true }) end
   end)
end)
