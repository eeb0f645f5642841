-- test/feed/sets_spec.lua - datasets in tensors, and datasets made of datasets.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local all, bounded = shared.all, shared.bounded

teardown(temporary.remove)

describe('feed.tensors', function()
   local x, y = torch.range(1, 6):view(3, 2), torch.IntTensor { 7, 8, 9 }
   it('gives rows, and batches of the same type', function()
      assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, all(feed.tensors(x)))
      assert.same({ 7, 8, 9 }, all(feed.tensors(y)))
      local d = feed.tensors { input = x, target = y }
      assert.same({ 3, 4 }, d:get(2).input:totable())
      assert.equal(8, d:get(2).target)
      assert.same({ 9, 7 }, d:batch(torch.LongTensor { 3, 1 }).target:totable())
      assert.equal('torch.IntTensor', feed.tensors(x, y):batch(torch.LongTensor { 3, 1 })[2]:type())
   end)
   it('refuses what has no samples', function()
      refuses('feed.tensors: argument 1 must be a tensor, got nil', feed.tensors)
      refuses('feed.tensors: argument 2 must be a tensor, got a number (3)', feed.tensors, x, 3)
      refuses('feed.tensors: expected a tensor, got none', feed.tensors, {})
      refuses('feed.tensors: argument y must be a tensor, got a string', feed.tensors, { y = 'x' })
      refuses('must be a tensor on the CPU with samples along its first dimension, got a torch.DoubleTensor of size empty', feed.tensors, torch.Tensor())
      refuses('feed.tensors: all tensors must have as many samples, got 3 and 2', feed.tensors, x, torch.ones(2))
      bounded('feed.tensors', feed.tensors(x))
      refuses('feed.tensors: the numbers of the samples must be a torch.LongTensor of one dimension', function() feed.tensors(x):batch { 1 } end)
      refuses('feed.tensors: samples have the numbers 1..3, got 0..2', function() feed.tensors(x):batch(torch.LongTensor { 0, 2 }) end)
   end)
end)

describe('datasets made of datasets', function()
   local d = feed.tensors(torch.range(1, 10))
   it('are maps, zips, concatenations, subsets and parts', function()
      assert.same({ 2, 4, 6 }, { unpack(all(feed.map(d, function(x) return 2 * x end)), 1, 3) })
      assert.same({ 3, 30 }, feed.zip(d, feed.map(d, function(x) return 10 * x end)):get(3))
      assert.same({ a = 3 }, feed.zip { a = d }:get(3))
      assert.same({ 9, 8, 9, 7 }, all(feed.concat(feed.subset(d, { 9, 8, 9 }), feed.list {}, feed.subset(d, torch.LongTensor { 7 }))))
      local a, b, c = feed.split(d, { 0.55, 0.35, 0.1 })
      assert.same({ { 1, 2, 3, 4, 5, 6 }, { 7, 8, 9 }, { 10 } }, { all(a), all(b), all(c) })
      a, b = feed.split(d, { 0.5, 0.5 }, 3)
      local both = all(feed.concat(a, b))
      assert.not_same(all(d), both)
      table.sort(both)
      assert.same(all(d), both)
      assert.same(all(a), all((feed.split(d, { 0.5, 0.5 }, 3))))
      assert.equal(0, feed.split(feed.list {}, { 1 }):size())
   end)
   it('are as they were made, and their samples are copies', function()
      local chosen = torch.LongTensor { 3, 4 }
      local s = feed.subset(d, chosen)
      chosen:fill(99)
      assert.same({ 3, 4 }, all(s))
      local x = torch.ones(2, 2)
      local doubled = feed.map(feed.tensors(x), function(v) return v:mul(2) end)
      for _ = 1, 2 do assert.same({ 2, 2 }, doubled:get(1):totable()) end
      assert.equal(4, x:sum())
   end)
   it('give the number of the sample and the generator on', function()
      local seen
      local m = feed.map(feed.concat(d, feed.map(d, function(x, random) return x + torch.uniform(random) end)), function(x, _, i)
         seen = i
         return x
      end)
      local a = m:get(12)
      assert.equal(12, seen)
      assert.equal(2, math.floor(a))
      assert.equal(a, m:get(12))
   end)
   it('have every sample once, whatever the type of tensors is', function()
      local set = { size = function() return 3001 end, get = function(_, i) return i end }
      torch.setdefaulttensortype 'torch.HalfTensor'
      local ok, a, b = pcall(feed.split, set, { 0.5, 0.5 })
      torch.setdefaulttensortype 'torch.DoubleTensor'
      assert(ok, a)
      assert.same(torch.range(1, 3001):totable(), all(feed.concat(a, b)))
   end)
   it('refuse what is no dataset', function()
      local what = ' must be a dataset, a table with the functions size and get, got a number (3)'
      refuses('feed.map: dataset' .. what, feed.map, 3)
      refuses('feed.map: f must be a function, got nil', feed.map, d)
      refuses('feed.zip: argument 2' .. what, feed.zip, d, 3)
      refuses('feed.zip: expected a dataset, got none', feed.zip)
      refuses('feed.zip: all datasets must have as many samples, got 10 and 1', feed.zip, d, feed.list { 1 })
      refuses('feed.zip: argument 2 must be a dataset, a table with the functions size and get, got nil', feed.zip, d, nil)
      refuses('feed.zip: argument 1 must be a dataset, a table with the functions size and get, got nil', feed.zip, nil, d)
      refuses('feed.zip: the size of the dataset must be a whole number', feed.zip, { size = function() return 0.5 end, get = print })
      refuses('feed.concat: argument 1' .. what, feed.concat, 3)
      refuses('feed.concat: argument 1 must be a dataset, a table with the functions size and get, got nil', feed.concat, nil, d)
      local vast = { size = function() return 2 ^ 53 end, get = print }
      refuses('feed.concat: 18014398509481984 samples are too many', feed.concat, vast, vast)
      refuses('feed.subset: numbers must be a list without holes, got a table', feed.subset, d, { 1, nil, 99 })
      refuses('feed.subset: numbers must be a list without holes, got a table', feed.subset, d, { a = 1 })
      refuses('feed.concat: expected a dataset, got none', feed.concat)
      refuses('feed.subset: dataset' .. what, feed.subset, 3)
      refuses('feed.subset: numbers[2] must be a whole number in 1..10, got a number (11)', feed.subset, d, { 1, 11 })
      refuses('feed.subset: numbers must be a torch.LongTensor of one dimension, or a list of numbers, got nil', feed.subset, d)
      refuses('feed.subset: samples have the numbers 1..10, got 0..1', feed.subset, d, torch.LongTensor { 0, 1 })
      refuses('feed.split: dataset' .. what, feed.split, 3)
      refuses('feed.split: parts must be a list of fractions, got nil', feed.split, d)
      refuses('feed.split: parts[1] must be a number in 0..1, got a number (-1)', feed.split, d, { -1 })
      refuses('feed.split: the parts must have the sum 1, got 0.9', feed.split, d, { 0.5, 0.4 })
      refuses('feed.split: seed must be a whole number in 0..9007199254740992, got a string', feed.split, d, { 1 }, 'x')
      refuses('feed.list: samples must be a list without holes, got nil', feed.list)
      for _, t in ipairs { { a = 1 }, { 1, 2, a = 3 }, { 1, nil, nil, 4 } } do refuses('feed.list: samples must be a list without holes, got a table', feed.list, t) end
      bounded('feed.list', feed.list { 1, 2 })
      bounded('feed.zip', feed.zip(d))
      bounded('feed.concat', feed.concat(d))
      bounded('feed.subset', feed.subset(d, { 1 }))
   end)
end)

describe('batches of feed.concat', function()
   local function long(...) return torch.LongTensor { ... } end
   local a, b = torch.range(1, 8):view(4, 2):float(), torch.range(11, 16):view(3, 2):float()
   local function packed(t)
      local name = temporary.name '.pack'
      feed.pack(name, feed.tensors(t))
      return feed.records(name)
   end

   it('are made by its parts, in one call each, in the requested order', function()
      local asked = {}
      local function counted(k, set)
         local function batch(_, numbers, out)
            asked[#asked + 1] = k .. ': ' .. table.concat(numbers:totable(), ' ')
            return set:batch(numbers, out)
         end
         return { size = function() return set:size() end, get = function() error 'one by one' end, batch = batch }
      end
      local d = feed.concat(counted('a', feed.tensors(a)), feed.list {}, counted('b', feed.tensors(b)))
      assert.same({ { 11, 12 }, { 7, 8 }, { 15, 16 }, { 1, 2 }, { 7, 8 } }, d:batch(long(5, 4, 7, 1, 4)):totable())
      assert.same({ 'a: 1', 'b: 1', 'b: 1 3', 'a: 4 1 4' }, asked)            -- first a look at what they make
      asked = {}
      local numbers = long(6, 5)
      assert.same({ { 13, 14 }, { 11, 12 } }, d:batch(numbers):totable())
      assert.same({ 'b: 2 1' }, asked)
      assert.same({ 6, 5 }, numbers:totable())
      assert.equal('torch.FloatTensor', d:batch(long(5, 4)):type())
   end)
   it('are those that samples one by one make: of tensors, records, files and tables of these, in threads too', function()
      local npy = temporary.name '.npy'
      torch.save(npy, a)
      local labels = feed.tensors(torch.IntTensor { 1, 2, 3, 4 })
      local function named(x, y) return feed.zip { x = feed.zip(x, y), y = labels } end
      local pairs_of = { { feed.tensors(a), packed(b) }, { feed.npy(npy), feed.subset(packed(b), { 3, 1 }) },
         { feed.concat(packed(a), feed.tensors(b)), packed(b) },
         { named(packed(a), feed.npy(npy)), named(packed(a), packed(a)) } }
      local function plain(v)
         if torch.isTensor(v) then return v:totable() end
         return { x = { plain(v.x[1]), plain(v.x[2]) }, y = v.y:totable() }
      end
      for _, parts in ipairs(pairs_of) do
         local d = feed.concat(unpack(parts))
         local single = { size = function() return d:size() end, get = function(_, i) return d:get(i) end }
         for _, how in ipairs { { 0, false }, { 0, true }, { 2, true } } do
            local one = feed.loader { dataset = single, batch = 3, shuffle = true }
            local l = feed.loader { dataset = d, batch = 3, shuffle = true, workers = how[1], reuse = how[2] }
            for _ = 1, 3 do
               local step = l:epoch()
               for wanted in one:epoch() do assert.same(plain(wanted), plain(step())) end
               assert.is_nil(step())
            end
            l:close()
         end
         assert.truthy(d:batch(long(1, d:size())))
      end
   end)
   it('are made one by one where the types of its parts differ, so that all batches have the same', function()
      local d = feed.concat(feed.tensors(torch.IntTensor { 1, 2 }), feed.tensors(torch.ByteTensor { 3 }))
      for _, numbers in ipairs { long(1, 2), long(3), long(1, 3) } do assert.is_nil(d:batch(numbers)) end
      for batch in feed.loader { dataset = d, batch = 2 }:epoch() do assert.equal('torch.DoubleTensor', batch:type()) end
      local mapped = feed.map(feed.tensors(a), function(x) return x end)
      for _, other in ipairs { feed.list { a[1] }, mapped, feed.zip(feed.tensors(a)) } do
         assert.is_nil(feed.concat(feed.tensors(a), other):batch(long(1, 2)))
      end
   end)
   it('whose samples differ are refused as ever, and the samples are named', function()
      local d = feed.concat(feed.tensors(a), feed.tensors(torch.FloatTensor(2, 3)))
      assert.is_nil(d:batch(long(4, 5)))
      local step = feed.loader { dataset = d, batch = 3 }:epoch()
      assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, step():totable())
      refuses('sample 5 has a torch.FloatTensor of size 3, sample 4 a torch.FloatTensor of size 2', step)
      refuses('feed.concat: samples have the numbers 1..6, got 0..2', d.batch, d, long(0, 2))
      refuses('feed.concat: the numbers of the samples must be a torch.LongTensor of one dimension', d.batch, d, { 1 })
   end)
   it('raise the errors of the samples that are in them, and no others', function()
      local name = temporary.name '.pack'
      feed.pack(name, feed.tensors(b))
      local bytes = temporary.get(name)
      local broken = feed.records(temporary.put(bytes:sub(1, 54) .. 'X' .. bytes:sub(56)))
      refuses('sample 1 is damaged', broken.get, broken, 1)
      local d = feed.concat(feed.tensors(a), broken)
      local l = feed.loader { dataset = feed.subset(d, { 1, 2, 6, 5 }), batch = 3 }
      local step = l:epoch()
      assert.same({ { 1, 2 }, { 3, 4 }, { 13, 14 } }, step():totable())
      refuses('sample 4: feed.records: ', step)
   end)
   it('are interrupted by Ctrl-C while the parts are looked at, and made the next time', function()
      local boom = true
      local part = { size = function() return 2 end, get = print, batch = function(_, numbers)
         if boom then error('interrupted', 0) end
         return numbers:float():view(-1, 1)
      end }
      local d = feed.concat(part, part)
      refuses('interrupted', d.batch, d, long(1))
      boom = false
      assert.same({ { 2 }, { 1 } }, d:batch(long(4, 1)):totable())
   end)
end)
