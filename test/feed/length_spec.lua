-- test/feed/length_spec.lua - orders by the lengths of samples: shortest first, and batches of similar lengths.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'

local texts, noisy, sorted, range = shared.texts, shared.noisy, shared.sorted, shared.range

local N = 103
local LENGTHS = {}
for i = 1, N do LENGTHS[i] = i * 37 % 29 end

local function make(options)
   options.dataset = options.dataset or feed.tensors(torch.range(1, N))
   options.lengths = options.lengths or LENGTHS
   if options.shuffle == nil then options.shuffle = true end
   options.batch = options.batch or 4
   return feed.loader(options)
end

-- The batches of an epoch as lists of numbers.
local function batches(l)
   local list = {}
   for batch in l:epoch() do list[#list + 1] = batch:totable() end
   return list
end

local function flat(list)
   local all = {}
   for _, batch in ipairs(list) do for _, v in ipairs(batch) do all[#all + 1] = v end end
   return all
end

-- The mean of what the lengths in a batch differ by.
local function spread(list)
   local sum = 0
   for _, batch in ipairs(list) do
      local low, high = math.huge, -math.huge
      for _, i in ipairs(batch) do low, high = math.min(low, LENGTHS[i]), math.max(high, LENGTHS[i]) end
      sum = sum + high - low
   end
   return sum / #list
end

describe('shortestFirst', function()
   it('takes the samples of epoch 1 by length, and those of equal length in the order of the dataset', function()
      local wanted = range(N)
      table.sort(wanted, function(a, b) return LENGTHS[a] < LENGTHS[b] or LENGTHS[a] == LENGTHS[b] and a < b end)
      for _, bucket in ipairs { false, 3 } do
         assert.same(wanted, flat(batches(make { shortestFirst = true, bucket = bucket or nil })))
      end
   end)
   it('leaves the epochs after the first as they are without it', function()
      for _, bucket in ipairs { false, 3 } do
         local l, plain = make { shortestFirst = true, bucket = bucket or nil }, make { bucket = bucket or nil }
         l:epoch(2)
         plain:epoch(2)
         assert.same(texts(plain, 2), texts(l, 2))
      end
   end)
end)

describe('bucket', function()
   it('has every sample once an epoch, in another order in the next', function()
      for _, bucket in ipairs { 1, 3, 26, 1000 } do
         for _, chunk in ipairs { false, 5 } do
            local l = make { bucket = bucket, chunk = chunk or nil, window = 2 }
            local first, second = flat(batches(l)), flat(batches(l))
            assert.not_same(first, second)
            assert.same(range(N), sorted(first))
            assert.same(range(N), sorted(second))
         end
      end
   end)
   it('makes batches of similar lengths', function()
      local plain, few, all = spread(batches(make {})), spread(batches(make { bucket = 8 })), spread(batches(make { bucket = 1000 }))
      assert.is_true(few < plain / 3, ('%g of %g'):format(few, plain))
      assert.is_true(all < few, ('%g of %g'):format(all, few))
   end)
   it('sorts windows of so many steps of the order that it rearranges', function()
      local l, plain = batches(make { bucket = 5 }), batches(make {})
      for w = 0, 4 do
         local mine, base = {}, {}
         for k = 5 * w + 1, 5 * w + 5 do mine[#mine + 1], base[#base + 1] = l[k], plain[k] end
         assert.same(sorted(flat(base)), sorted(flat(mine)))
         assert.not_same(flat(base), flat(mine))
      end
   end)
   it('draws the order of the batches in a window', function()
      local l = make { bucket = 1000, dataset = feed.tensors(torch.range(1, 100)), lengths = range(100) }
      for _ = 1, 2 do
         local list, starts = batches(l), {}
         for k, batch in ipairs(list) do
            assert.same({ batch[1], batch[1] + 1, batch[1] + 2, batch[1] + 3 }, batch)
            starts[k] = batch[1]
         end
         local before = table.concat(starts, ' ')
         assert.not_equal(before, table.concat(sorted(starts), ' '))
      end
   end)
   it('draws which samples the last, short batch has, so that dropLast leaves out others in each epoch', function()
      local l, left = make { bucket = 1000, dropLast = true, lengths = range(N) }, {}
      for _ = 1, 20 do
         local there, missing = {}, {}
         for _, v in ipairs(flat(batches(l))) do there[v] = true end
         for i = 1, N do if not there[i] then missing[#missing + 1] = i end end
         assert.equal(3, #missing)
         assert.equal(2, missing[3] - missing[1])
         left[missing[1]] = true
      end
      local count = 0
      for _ in pairs(left) do count = count + 1 end
      assert.is_true(count > 10, count)
   end)
   it('sorts without drawing where the loader does not shuffle', function()
      local l = make { bucket = 2, shuffle = false, lengths = { 5, 4, 3, 2, 1, 9, 8, 9 }, batch = 2,
         dataset = feed.tensors(torch.range(1, 8)) }
      assert.same({ { 4, 3 }, { 2, 1 }, { 5, 7 }, { 6, 8 } }, batches(l))
   end)
   it('cuts a window for the batches of all ranks', function()
      local all = {}
      for rank = 0, 2 do all[rank] = batches(make { bucket = 1000, ranks = 3, rank = rank, batch = 4, lengths = range(N) }) end
      for k = 1, 8 do
         local step = flat { all[0][k], all[1][k], all[2][k] }
         for j = 2, 12 do assert.equal(step[1] + j - 1, step[j]) end
      end
      assert.same(range(N), sorted(flat { flat(all[0]), flat(all[1]), flat(all[2]) }))
   end)
end)

describe('an order by length', function()
   it('is equal for 0, 1 and 4 workers and any prefetch', function()
      local function run(workers, prefetch)
         local l = make { dataset = noisy(N), workers = workers, prefetch = prefetch, bucket = 4, shortestFirst = true }
         local list = texts(l, 3)
         l:close()
         return list
      end
      local wanted = run(0)
      assert.equal(78, #wanted)
      for _, how in ipairs { { 1, 1 }, { 4, 2 }, { 3, 5 } } do assert.same(wanted, run(how[1], how[2])) end
   end)
   it('depends on the seed', function()
      assert.same(texts(make { seed = 7, bucket = 4 }), texts(make { seed = 7, bucket = 4 }))
      assert.not_same(texts(make { seed = 7, bucket = 4 }), texts(make { seed = 8, bucket = 4 }))
   end)
   it('takes lengths as a tensor of any type, a list or a function', function()
      local wanted = texts(make { bucket = 4 })
      assert.same(wanted, texts(make { bucket = 4, lengths = torch.FloatTensor(LENGTHS) }))
      assert.same(wanted, texts(make { bucket = 4, lengths = torch.LongTensor(LENGTHS) }))
      assert.same(wanted, texts(make { bucket = 4, lengths = function(i) return LENGTHS[i] end }))
   end)
   it('is that of the epoch also where it could not be made at first', function()
      shared.orders_again(function() return make { bucket = 1000 } end, 2)
   end)
   it('has no batch for a dataset without samples', function()
      assert.same({}, texts(feed.loader { dataset = feed.list {}, lengths = {}, bucket = 2, shortestFirst = true, shuffle = true }, 2))
   end)
   it('refuses lengths that are none', function()
      local d = feed.tensors(torch.range(1, 3))
      local function try(lengths) return feed.loader { dataset = d, lengths = lengths, bucket = 2 } end
      refuses('feed.loader: bucket needs lengths', try)
      refuses('feed.loader: shortestFirst needs lengths', feed.loader, { dataset = d, shortestFirst = true })
      for _, v in ipairs { 3, 'x', torch.ones(3, 1), { 1, 2, n = 3 } } do
         refuses('feed.loader: lengths must be a tensor of one dimension, a list or a function, got', try, v)
      end
      refuses('feed.loader: lengths has 2 numbers, and the dataset 3 samples', try, { 1, 2 })
      refuses('feed.loader: lengths has 4 numbers, and the dataset 3 samples', try, torch.ones(4))
      refuses('feed.loader: the length of sample 2 must be a number, got a string', try, { 1, '2', 3 })
      refuses('feed.loader: the length of sample 3 must be a number, got a number (nan)', try, torch.Tensor { 1, 2, 0 / 0 })
      refuses('feed.loader: the length of sample 1 must be a number, got nil', try, function() end)
      refuses('feed.loader: bucket must be a whole number in 1..2147483648, got a number (0)', feed.loader,
         { dataset = d, lengths = { 1, 2, 3 }, bucket = 0 })
   end)
end)

describe('a state of a loader with lengths', function()
   local function options(more)
      local all = { bucket = 4, shortestFirst = true }
      for k, v in pairs(more or {}) do all[k] = v end
      return all
   end
   it('continues after any batch, in epochs by length and in others', function()
      local wanted = texts(make(options()), 3)
      for at = 1, #wanted - 1, 5 do
         local l, turn = make(options()), 0
         local step = l:epoch()
         while turn < at do
            if step() then turn = turn + 1 else step = l:epoch() end
         end
         local back = make(options()):restore(torch.deserialize(torch.serialize(l:state())))
         local got = {}
         while #got < #wanted - at do
            for _, v in ipairs(texts(back)) do got[#got + 1] = v end
         end
         for k = 1, #wanted - at do assert.equal(wanted[at + k], got[k]) end
      end
   end)
   it('keeps the cut of the windows: with another batch and other ranks no sample comes twice', function()
      local l, seen = make { bucket = 4 }, {}
      local step = l:epoch()
      for _ = 1, 7 do for _, v in ipairs(step():totable()) do seen[#seen + 1] = v end end
      for rank = 0, 1 do
         local back = make { bucket = 4, batch = 3, ranks = 2, rank = rank }:restore(l:state())
         assert.equal(4, back:state().run)
         for _, v in ipairs(flat(batches(back))) do seen[#seen + 1] = v end
      end
      assert.same(range(N), sorted(seen))
   end)
   it('of other lengths, of another bucket or without one is refused', function()
      local l = make(options())
      local state = l:state()
      refuses('loader:restore: bucket is 4 in the state, and 5 here', function() make(options { bucket = 5 }):restore(state) end)
      refuses('loader:restore: shortestFirst is true in the state, and nil here', function()
         make { bucket = 4 }:restore(state)
      end)
      refuses('loader:restore: lengths is ' .. state.lengths .. ' in the state, and', function()
         make(options { lengths = range(N) }):restore(state)
      end)
      refuses('loader:restore: shortestFirst is nil in the state, and true here', function()
         l:restore(make { lengths = LENGTHS }:state())
      end)
      state.run = 0
      refuses('loader:restore: state.run must be a whole number in 1..9007199254740992, got a number (0)', l.restore, l, state)
   end)
end)
