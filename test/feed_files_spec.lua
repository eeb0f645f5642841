-- test/feed_files_spec.lua - datasets in files and tensors: what they read back, and files that are not what they say.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local encode = require 'feed.encode'
local ffi = require 'ffi'
local refuses = require 'test.refuses'
local temporary = require 'test.temporary'

local TH = os.getenv 'TH' or 'build/bin/th'

teardown(temporary.remove)

local function all(d)
   local list = {}
   for i = 1, d:size() do
      local v = d:get(i)
      list[i] = torch.isTensor(v) and v:totable() or v
   end
   return list
end

-- Numbers outside of a dataset are refused by it.
local function bounded(name, d)
   local n = d:size()
   refuses(('%s: samples have the numbers 1..%d, got 0'):format(name, n), d.get, d, 0)
   refuses(('%s: samples have the numbers 1..%d, got %d'):format(name, n, n + 1), d.get, d, n + 1)
   refuses(('%s: samples have the numbers 1..%d, got 1.5'):format(name, n), d.get, d, 1.5)
   refuses(('%s: samples have the numbers 1..%d, got nan'):format(name, n), d.get, d, 0 / 0)
   refuses(('%s: the number of a sample must be a number, got nil'):format(name), d.get, d)
end

-- A file that is not there, a folder, no name at all.
local function needs_a_file(name)
   refuses(name .. ': cannot open /no/such/file: No such file or directory', feed[name:match '%w+$'], '/no/such/file')
   refuses(name .. ': cannot open /: Is a directory', feed[name:match '%w+$'], '/')
   refuses(name .. ': cannot open /dev/null: it is no plain file', feed[name:match '%w+$'], '/dev/null')
   for _, v in ipairs { '', 3, {}, 'a\0b' } do refuses(name .. ': file must be the name of a file, got', feed[name:match '%w+$'], v) end
end

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
      refuses('feed.tensors: a tensor is wanted, got none', feed.tensors, {})
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
      refuses('feed.zip: a dataset is wanted, got none', feed.zip)
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
      refuses('feed.concat: a dataset is wanted, got none', feed.concat)
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

-- ---- records ----------------------------------------------------------------------------------------------------------------

local function packed(values)
   local name = temporary.name '.pack'
   assert.equal(#values, feed.pack(name, feed.list(values)))
   return name
end

describe('feed.pack and feed.records', function()
   it('bring back all values', function()
      local values = { 1 / 3, -0, math.huge, 'a\0b', '', true, false, { 1, 2, x = { 'y', [2.5] = false } }, {} }
      assert.same(values, all(feed.records(packed(values))))
      local nan = feed.records(packed { 0 / 0 }):get(1)
      assert(nan ~= nan)
      for _, word in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
         local x = torch.range(1, 6):view(2, 3):type('torch.' .. word .. 'Tensor')
         local y = feed.records(packed { x:t() }):get(1)
         assert.equal(x:type(), y:type())
         assert.same(x:t():double():totable(), y:double():totable())
      end
      local r = feed.records(packed { torch.Tensor(), torch.ones(2, 0, 3), { image = torch.ones(1), label = 3 } })
      assert.equal(0, r:get(1):dim())
      assert.same({ 2, 0, 3 }, r:get(2):size():totable())
      assert.equal(3, r:get(3).label)
      bounded('feed.records', r)
   end)
   it('take what a function returns until it returns nil, also nothing', function()
      local name, k = temporary.name '.pack', 0
      assert.equal(5000, feed.pack(name, function()
         k = k + 1
         return k <= 5000 and { k, ('x'):rep(k % 7) } or nil
      end))
      local r = feed.records(name)
      assert.same({ 4321, 'xx' }, r:get(4321))
      assert.equal(0, feed.pack(name, function() end))
      assert.equal(0, feed.records(name):size())
   end)
   it('make the same batches whether samples are read at once or one by one', function()
      local name = packed { torch.ones(2, 2), torch.ones(2, 2) * 2, torch.ones(2, 2) * 3, torch.ones(4) }
      local r = feed.records(name)
      local b = r:batch(torch.LongTensor { 3, 1 })
      assert.same({ { { 3, 3 }, { 3, 3 } }, { { 1, 1 }, { 1, 1 } } }, b:totable())
      assert.is_nil(r:batch(torch.LongTensor { 1, 4 }))
      assert.is_nil(feed.records(packed { 'a' }):batch(torch.LongTensor { 1 }))
      local l = feed.loader { dataset = feed.subset(r, { 3, 1 }), batch = 2 }
      assert.same(b:totable(), l:epoch()():totable())
   end)
   it('make batches of other kinds in turn, into the memory of batches before too, and no record reaches into its neighbours', function()
      local values = {}
      for k = 1, 40 do values[k] = k <= 20 and torch.range(k, k + 6) or k <= 30 and torch.ByteTensor(3, 500):fill(k) or 'text' end
      local r, out = feed.records(packed(values)), nil
      local function check(...)
         local numbers = { ... }
         out = r:batch(torch.LongTensor(numbers), out)
         assert.equal(#numbers, out:size(1))
         for k, i in ipairs(numbers) do
            assert.equal(values[i]:type(), out[k]:type())
            assert.same(values[i]:totable(), out[k]:totable())
         end
      end
      for _ = 1, 2 do
         check(1, 20, 7, 7)
         check(3, 2, 1, 5)
         check(30, 21)
         check(22, 25)
         for _, mixed in ipairs { { 22, 4 }, { 4, 22 }, { 22, 31 }, { 31, 22 }, { 40 } } do assert.is_nil(r:batch(torch.LongTensor(mixed))) end
         check(24, 27)
      end
   end)
   it('are read by several threads', function()
      local values = {}
      for k = 1, 200 do values[k] = { k, torch.ones(3) * k } end
      local name = packed(values)
      local sum = 0
      for batch in feed.loader { dataset = feed.records(name), batch = 7, workers = 3, shuffle = true }:epoch() do
         sum = sum + batch[1]:sum() + batch[2]:sum()
      end
      assert.equal(4 * 200 * 201 / 2, sum)
   end)
   it('refuse what a record cannot hold, name the sample, and leave the file as it was', function()
      local name = packed { 1, 2 }
      local what = 'a record holds tensors, numbers, strings, booleans and tables of these, got '
      refuses(('feed.pack: %s: sample 2: %sa function'):format(name, what), feed.pack, name, feed.list { 1, print })
      refuses('sample 1: ' .. what .. 'a torch.Timer', feed.pack, name, feed.list { torch.Timer() })
      refuses('sample 1: keys of tables must be strings or numbers, got a boolean (true)', feed.pack, name, feed.list { { [true] = 1 } })
      local deep = {}
      deep[1] = deep
      refuses('sample 1: tables are inside of each other more than 32 deep', feed.pack, name, feed.list { deep })
      refuses('sample 3: no more', feed.pack, name, { size = function() return 5 end, get = function(_, i) if i == 3 then error('no more', 0) end return i end })
      refuses('sample 1: it is nil', feed.pack, name, { size = function() return 5 end, get = function() end })
      assert.same({ 1, 2 }, all(feed.records(name)))
   end)
   it('refuse bad arguments', function()
      for _, v in ipairs { '', 3, 'a\0b' } do refuses('feed.pack: file must be the name of a file, got', feed.pack, v) end
      refuses('feed.pack: argument 2 must be a dataset or a function, got nil', feed.pack, '/tmp/x')
      refuses('feed.pack: argument 2 must be a dataset, a table with', feed.pack, '/tmp/x', {})
      refuses('/no/such/folder', feed.pack, '/no/such/folder/x', feed.list { 1 })
      needs_a_file 'feed.records'
   end)
   it('say when the disk is full, and leave the file as it was', function()
      local name = packed { 1, 2 }
      local script = temporary.put([[
         print(pcall(require 'feed'.pack, arg[1], function() return torch.ones(1000) end))
      ]], '.lua')
      local p = io.popen(("trap '' XFSZ; ulimit -f 100; timeout 60 '%s' %s %s 2>&1"):format(TH, script, name))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find('false\tfeed.pack: cannot write ' .. name .. ': File too large after', 1, true), out)
      assert.truthy(out:find('the file that was there is as before', 1, true), out)
      assert.same({ 1, 2 }, all(feed.records(name)))
   end)
   it('notice a file that has changed since', function()
      local name = packed { 1, 2 }
      local r = feed.records(name)
      feed.pack(name, feed.list { 1, 2, 3 })
      refuses('has changed: it had', r.get, r, 1)
      r = feed.records(name)
      r:get(1)
      assert(os.execute(('truncate -s 45 %s'):format(name)) == 0)
      refuses('has changed: it had 111 bytes, now it has 45', r.get, r, 1)
   end)
   it('notice a file of the same size in the place of another, and one that has been written', function()
      local name, other = temporary.put 'a\nbc\n', temporary.put 'ab\nc\n'
      local open, new = feed.text(name), feed.text(name)
      assert.equal('a', open:get(1))
      assert(os.rename(other, name))
      refuses('feed.text: ' .. name .. ' has changed: it has been written since', new.get, new, 1)
      assert.equal('bc', open:get(2))                         -- has the file that was there
      local d = feed.text(name)
      assert.equal('ab', d:get(1))
      assert(os.execute(("touch -d 2001-01-01 '%s'"):format(name)) == 0)
      refuses('has changed: it has been written since', d.get, d, 1)
      refuses('has changed', feed.loader { dataset = d, workers = 1 }:epoch())
   end)
   it('are closed when they have been looked at', function()
      local name, list = packed { 1, 2 }, {}
      local function files()
         local names = require 'paths'.dir '/proc/self/fd'
         return #names
      end
      collectgarbage()
      collectgarbage()
      collectgarbage 'stop'
      local before = files()
      for k = 1, 20 do list[k] = feed.records(name) end
      local after = files()
      collectgarbage 'restart'
      assert.equal(before, after)
      assert.equal(20, #list)
   end)
end)

describe('a damaged file of feed.pack', function()
   local bytes = temporary.get(packed { 1, 'two', torch.ones(3), { x = 1 } })
   local function with(at, text) return bytes:sub(1, at) .. text .. bytes:sub(at + #text + 1) end
   local function opened(text, content)
      local name = temporary.put(content)
      assert.truthy(refuses(text, feed.records, name):find('feed.records: ' .. name .. ': ', 1, true))
   end

   it('is refused when its header or index is not whole', function()
      opened('it is no file of feed.pack, or its beginning is all that is left', '')
      opened('it is no file of feed.pack, or its beginning is all that is left', bytes:sub(1, 39))
      opened('it is no file of feed.pack', ('x'):rep(100))
      opened('version 2 of its format is not known', with(8, '\2'))
      opened('its header is damaged', with(16, '\5'))
      opened('its header is damaged', with(24, ('\255'):rep(8)))
      opened('4 records end at byte', bytes .. 'x')
      opened('its index is damaged', with(#bytes - 1, '\1'))
   end)
   it('is refused at every length', function()
      for n = 0, #bytes - 1 do opened('it', bytes:sub(1, n)) end
   end)
   it('is noticed wherever a bit has turned', function()
      for at = 0, #bytes - 1 do
         local name = temporary.put(with(at, string.char(bit.bxor(bytes:byte(at + 1), 2 ^ (at % 8)))))
         local ok, r = pcall(feed.records, name)
         local bad = ok and 0 or 1
         for i = 1, ok and 4 or 0 do
            local fine, why = pcall(r.get, r, i)
            if not fine then
               bad = bad + 1
               assert.truthy(why:find(('feed.records: %s: sample %d is damaged: its checksum is not that of its bytes'):format(name, i), 1, true), why)
            end
         end
         assert.equal(1, bad, 'byte ' .. at)
         os.remove(name)
      end
   end)
   it('whose checksums are right is still only data: every value is checked', function()
      local function unpacks(text, s)
         refuses(text, function() return encode.unpack(ffi.cast('const uint8_t *', s), #s) end)
      end
      local huge, most = '\255\255\255\255\255\255\255\15', '\255\255\255\255\255\255\255\255'
      unpacks('it ends within a value', '')
      unpacks('it ends within a value', 'n123')
      unpacks('it goes on behind its value', 'yy')
      unpacks('it has a value of the kind 120, which is none', 'x')
      unpacks('it has a length that no record has', 's' .. huge)
      unpacks('it has a length that no record has', 's' .. most)
      unpacks('it ends within a value', 's\9\0\0\0\0\0\0\0abc')
      unpacks('it has a tensor of the type 10, which is none', 't\10\1')
      unpacks('it has a tensor of the type 0, which is none', 't\0\1')
      unpacks('it has a tensor of 17 dimensions', 't\9\17')
      unpacks('it ends within a value', 't\9\2\1\0\0')
      unpacks('it has a tensor with more elements than bytes', 't\9\1\255\255\255\255\0\0\0\0')
      unpacks('it has a length that no record has', 't\9\1' .. most)
      unpacks('it ends within a value', '{\255\255\255\255\0\0\0\0')
      unpacks('a key of a table is no string and no number', '{\1\0\0\0\0\0\0\0yy')
      unpacks('a key of a table is no string and no number', '{\1\0\0\0\0\0\0\0n\0\0\0\0\0\0\248\127y')
      unpacks('tables are inside of each other more than 32 deep', ('{\1\0\0\0\0\0\0\0n\0\0\0\0\0\0\0\0'):rep(40) .. 'y')
   end)
   it('gives errors or values for any bytes in a record, and takes little memory', function()
      local before = torch.memory().peak
      local g = torch.Generator()
      torch.manualSeed(g, 5)
      local good = encode.pack { torch.ones(3), 'text', { x = 1, y = { true } } }
      for _ = 1, 3000 do
         local s = good
         for _ = 1, torch.random(g, 1, 4) do
            local at = torch.random(g, 1, #s)
            s = s:sub(1, at - 1) .. string.char(torch.random(g, 0, 255)) .. s:sub(at + 1)
         end
         pcall(function() return encode.unpack(ffi.cast('const uint8_t *', s), #s) end)
      end
      assert(torch.memory().peak - before < 2 ^ 22)
   end)
end)

describe('the checksum of records', function()
   it('is CRC-32C: the values of RFC 3720', function()
      local C = require 'torch.lib'.C
      assert.equal(0xe3069283, C.th_crc32c(0, '123456789', 9))
      assert.equal(0x8a9136aa, C.th_crc32c(0, ('\0'):rep(32), 32))
      assert.equal(0x62a8ab43, C.th_crc32c(0, ('\255'):rep(32), 32))
      assert.equal(0xe3069283, C.th_crc32c(C.th_crc32c(0, '1234', 4), '56789', 5))
   end)
   it('is the same for any length and wherever bytes are added to it', function()
      local C = require 'torch.lib'.C
      local bytes = torch.ByteTensor(6001):random(0, 255)
      local p, sum = bytes:data() + 1, 0
      for n = 0, 3000 do
         assert.equal(sum, C.th_crc32c(0, p, n))
         sum = C.th_crc32c(sum, p + n, 1)                      -- byte by byte
      end
      for n = 0, 3000, 37 do assert.equal(C.th_crc32c(7, p, 6000), C.th_crc32c(C.th_crc32c(7, p, n), p + n, 6000 - n)) end
   end)
end)

-- ---- formats of others ------------------------------------------------------------------------------------------------------

describe('feed.npy', function()
   it('reads rows of all types', function()
      local name = temporary.name '.npy'
      for _, word in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
         local x = torch.range(1, 12):view(3, 2, 2):type('torch.' .. word .. 'Tensor')
         torch.save(name, x)
         local d = feed.npy(name)
         assert.equal(3, d:size())
         assert.equal(x:type(), d:get(2):type())
         assert.same(x[2]:double():totable(), d:get(2):double():totable())
         assert.same({ x[3]:double():totable(), x[1]:double():totable(), x[2]:double():totable() },
            d:batch(torch.LongTensor { 3, 1, 2 }):double():totable())
      end
      torch.save(name, torch.range(5, 7))
      assert.same({ 5, 6, 7 }, all(feed.npy(name)))
      bounded('feed.npy', feed.npy(name))
   end)
   it('reads the other byte order', function()
      local head = "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 1), }\n"
      local d = feed.npy(temporary.put('\147NUMPY\1\0' .. string.char(#head) .. '\0' .. head .. '\1\2\3\4'))
      assert.same({ { 258 }, { 772 } }, all(d))
      assert.same({ { 772 }, { 258 } }, d:batch(torch.LongTensor { 2, 1 }):totable())
   end)
   it('refuses what has no rows, or is damaged', function()
      needs_a_file 'feed.npy'
      local function file(order, shape)
         local head = ("{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }\n"):format(order, shape)
         return temporary.put('\147NUMPY\1\0' .. string.char(#head) .. '\0' .. head .. ('\0'):rep(32))
      end
      refuses('it holds a single number, and no rows', feed.npy, file('False', '()'))
      refuses('its columns lie together (fortran_order), so it has no rows to read', feed.npy, file('True', '(2, 2)'))
      refuses('but 32 are left', feed.npy, file('False', '(5,)'))
      refuses('this is no .npy file', feed.npy, temporary.put 'abc')
   end)
end)

describe('feed.idx', function()
   it('reads the digits of the project', function()
      local d = feed.zip(feed.idx 'data/digits-images-idx3-ubyte', feed.idx 'data/digits-labels-idx1-ubyte')
      assert.equal(1797, d:size())
      local images, labels = require 'examples.lib.idx'.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
      for _, i in ipairs { 1, 100, 1797 } do
         assert.same(images[i]:totable(), d:get(i)[1]:totable())
         assert.equal(labels[i], d:get(i)[2])
      end
   end)
   it('reads every type', function()
      local function of(kind, bytes) return all(feed.idx(temporary.put('\0\0' .. kind .. '\1\0\0\0\2' .. bytes))) end
      assert.same({ 1, 255 }, of('\8', '\1\255'))
      assert.same({ 1, -1 }, of('\9', '\1\255'))
      assert.same({ 258, -1 }, of('\11', '\1\2\255\255'))
      assert.same({ 16909060, -1 }, of('\12', '\1\2\3\4\255\255\255\255'))
      assert.same({ 1, -2 }, of('\13', '\63\128\0\0\192\0\0\0'))
      assert.same({ 1, -2 }, of('\14', '\63\240\0\0\0\0\0\0\192\0\0\0\0\0\0\0'))
   end)
   it('refuses what is no IDX file, or is damaged', function()
      needs_a_file 'feed.idx'
      refuses('it is no IDX file', feed.idx, temporary.put '')
      refuses('it is no IDX file', feed.idx, temporary.put '\0\0\7\1')
      refuses('it is no IDX file', feed.idx, temporary.put '\0\0\8\0')
      refuses('it is gzipped: unpack it with gunzip', feed.idx, temporary.put '\31\139\8\0')
      refuses('it ends within its header of 12 bytes', feed.idx, temporary.put '\0\0\8\2\0\0\0\1')
      refuses('its header promises 2 bytes of elements, but 1 follow', feed.idx, temporary.put '\0\0\8\1\0\0\0\2\1')
      refuses('its header promises', feed.idx, temporary.put('\0\0\14\16' .. ('\255'):rep(64)))
      refuses('its rows have no elements', feed.idx, temporary.put('\0\0\8\2' .. ('\255'):rep(4) .. ('\0'):rep(4)))
      assert.equal(0, feed.idx(temporary.put('\0\0\8\2' .. ('\0'):rep(7) .. '\3')):size())
   end)
end)

describe('feed.text', function()
   it('reads lines, whatever their ends', function()
      assert.same({ 'a', '', 'b c', 'd' }, all(feed.text(temporary.put 'a\n\nb c\r\nd')))
      assert.same({ 'a' }, all(feed.text(temporary.put 'a\n')))
      assert.same({}, all(feed.text(temporary.put '')))
      bounded('feed.text', feed.text(temporary.put 'a\nb'))
      needs_a_file 'feed.text'
   end)
   it('reads files that are larger than a block, and long lines', function()
      local list = {}
      for k = 1, 30000 do list[k] = ('%d '):format(k):rep(k % 20) end
      list[500] = ('x'):rep(3000000)
      local d = feed.text(temporary.put(table.concat(list, '\n') .. '\n'))
      assert.equal(30000, d:size())
      for _, k in ipairs { 1, 499, 500, 501, 17777, 29999 } do assert.equal(list[k], d:get(k)) end
   end)
end)

describe('feed.csv', function()
   local function rows(text, options) return all(feed.csv(temporary.put(text), options)) end
   it('reads fields: numbers, words, and what stands in quotes as it is', function()
      assert.same({ { 1, -2.5, 1e3, 'x' }, { '', '0x1f', 'nan', '1 2' } }, rows '1,-2.5,1e3,x\r\n,0x1f,nan,1 2')
      assert.same({ { '1', 'a,b', 'say "no"', 'two\nlines', '' }, { 1, 2, 3, 4, 5 } },
         rows '"1","a,b","say ""no""","two\nlines",""\n1,2,3,4,5\n')
      assert.same({ { 1, '' }, { '', 2 } }, rows('1;\n;2\n', { separator = ';' }))
      assert.same({}, rows '')
   end)
   it('names fields by a header', function()
      assert.same({ { a = 1, b = 'x' } }, rows('a,b\n1,x\n', { header = true }))
      assert.same({}, rows('a,b\n', { header = true }))
   end)
   it('names fields as the header writes them', function()
      assert.same({ { ['007'] = 3, ['1e3'] = 4 } }, rows('007,1e3\n3,4\n', { header = true }))
      assert.same({ { a = 3, b = 4 } }, rows('\239\187\191"a",b\n3,4\n', { header = true }))
      assert.same({}, rows '\239\187\191')
   end)
   it('leaves what a double does not hold a string', function()
      local text = '1e400,-1e400,1e-400,9007199254740993,9007199254740992,9007199254740991,0e5,1e300,-0.0'
      assert.same({ { '1e400', '-1e400', '1e-400', '9007199254740993', '9007199254740992', 2 ^ 53 - 1, 0, 1e300, 0 } }, rows(text))
   end)
   it('makes tensors of numbers', function()
      local d = feed.csv(temporary.put 'a,b\n1,2\n3,4\n', { header = true, tensor = true })
      assert.same({ 3, 4 }, d:get(2):totable())
      assert.same({ { 1, 2 }, { 3, 4 } }, feed.loader { dataset = d, batch = 2, workers = 1 }:epoch()():totable())
   end)
   it('refuses rows that do not fit, and says which', function()
      needs_a_file 'feed.csv'
      local function bad(text, content, options)
         local name = temporary.put(content)
         assert.truthy(refuses(text, function() all(feed.csv(name, options)) end):find('feed.csv: ' .. name .. ': ', 1, true))
      end
      bad('row 2: it has 1 fields, the first row has 2', '1,2\n3\n')
      bad('row 3: field 2 is no number: \'x\'', 'a,b\n1,2\n3,x\n', { header = true, tensor = true })
      bad('row 1: field 1 goes on behind its closing quote', '"a"b,c')
      bad('a quote that opens has no end', 'a\n"b')
      bad('row 1: field 1 has a quote, but does not begin with one', '5" pipe,1\n6" pipe,2\n')
      bad('row 3: field 2 has a quote, but does not begin with one', 'a,b\n1,2\n3,6" pipe\n4,5\n', { header = true })
      bad("the header names '1' twice", '1,"1"\n2,3\n', { header = true })
      bad('it lacks the header', '', { header = true })
      bad("the header names 'a' twice", 'a,a', { header = true })
      refuses('feed.csv: separator must be one character other than a quote or a line end, got ", "', feed.csv, '/tmp', { separator = ', ' })
      refuses('feed.csv: there is no option sep; there are header, separator, tensor', feed.csv, '/tmp', { sep = ',' })
      refuses('feed.csv: header must be a boolean, got a number (1)', feed.csv, '/tmp', { header = 1 })
      refuses('feed.csv: options must be a table, got a number (1)', feed.csv, '/tmp', 1)
      bounded('feed.csv', feed.csv(temporary.put '1\n2'))
   end)
end)

describe('feed.t7', function()
   it('finds samples in tensors, tables of tensors and lists', function()
      local name = temporary.name '.t7'
      torch.save(name, torch.ones(3, 2))
      assert.equal(3, feed.t7(name):size())
      torch.save(name, { x = torch.ones(4, 2), y = torch.ones(4) })
      assert.equal(1, feed.t7(name):get(4).y)
      torch.save(name, { { 'a', 1 }, { 'b', 2 } })
      assert.same({ 'b', 2 }, feed.t7(name):get(2))
   end)
   it('refuses what holds none, and runs no code', function()
      local name = temporary.name '.t7'
      torch.save(name, 3)
      refuses('feed.t7: ' .. name .. ': samples lie in a tensor, a table of tensors or a list, got a number (3)', feed.t7, name)
      refuses('feed.t7: ', feed.t7, temporary.put 'damaged')
      refuses('feed.t7: file must be the name of a file, got nil', feed.t7)
   end)
end)

-- ---- images and databases ---------------------------------------------------------------------------------------------------

-- A PNG file of these rows of bytes, 8 bits a channel, stored without compression.
local function png(width, height, kind, rows)
   local C = require 'torch.lib'.C
   local function be(v) return string.char(math.floor(v / 2 ^ 24) % 256, math.floor(v / 65536) % 256, math.floor(v / 256) % 256, v % 256) end
   local function chunk(name, content) return be(#content) .. name .. content .. be(tonumber(C.th_zip_crc(0, name .. content, #content + 4))) end
   local raw = '\0' .. table.concat(rows, '\0')
   local a, b = 1, 0
   for k = 1, #raw do
      a = (a + raw:byte(k)) % 65521
      b = (b + a) % 65521
   end
   local le = require 'torch.format'.le
   local packed = '\120\1\1' .. le(2, #raw) .. le(2, 65535 - #raw) .. raw .. be(b * 65536 + a)
   return '\137PNG\r\n\26\n' .. chunk('IHDR', be(width) .. be(height) .. '\8' .. string.char(kind) .. '\0\0\0') .. chunk('IDAT', packed)
      .. chunk('IEND', '')
end

describe('feed.folder', function()
   local dir
   setup(function()
      dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir -p '%s/cat' '%s/ape' '%s/.git'"):format(dir, dir, dir)) == 0)
      local function put(name, bytes)
         local f = assert(io.open(dir .. '/' .. name, 'wb'))
         f:write(bytes)
         f:close()
      end
      put('cat/b.PNG', png(2, 1, 2, { '\1\2\3\4\5\6' }))                  -- two pixels with colours
      put('cat/a.png', png(1, 2, 0, { '\7', '\8' }))                        -- two grey ones
      put('cat/notes.txt', 'x')
      put('ape/z.png', png(2, 1, 6, { '\10\20\30\255\10\20\30\0' }))       -- the second is transparent
      put('ape/.hidden.png', 'x')
      put('readme.png', 'x')
   end)
   teardown(function() os.execute(("rm -r '%s'"):format(dir)) end)

   local function no_png() return not pcall(ffi.load, 'libpng16.so.16') end

   it('gives images and the numbers of their folders, sorted by name', function()
      if no_png() then return pending 'libpng is not installed' end
      local d = feed.folder(dir)
      assert.same({ 'ape', 'cat' }, d.classes)
      assert.same({ 'ape/z.png', 'cat/a.png', 'cat/b.PNG' }, d.names)
      assert.same({ { { { 10, 0 } }, { { 20, 0 } }, { { 30, 0 } } }, 1 }, { d:get(1)[1]:totable(), d:get(1)[2] })
      assert.same({ { { { 7 }, { 8 } } }, 2 }, { d:get(2)[1]:totable(), d:get(2)[2] })
      assert.same({ { { 1, 4 } }, { { 2, 5 } }, { { 3, 6 } } }, d:get(3)[1]:totable())
      assert.equal('torch.ByteTensor', d:get(3)[1]:type())
   end)
   it('takes a function that loads files of any kind, also in threads', function()
      local d = feed.folder(dir, function(path) return path:match '[^/]*$' end)
      local seen = {}
      for batch in feed.loader { dataset = d, batch = 3, workers = 2 }:epoch() do
         for k, name in ipairs(batch[1]) do seen[#seen + 1] = name .. batch[2][k] end
      end
      assert.same({ 'z.png1', 'a.png2', 'b.PNG2', 'notes.txt2' }, seen)
   end)
   it('refuses what is no folder, and images that are damaged', function()
      refuses('feed.folder: cannot read /no/such: No such file or directory', feed.folder, '/no/such')
      refuses('feed.folder: file must be the name of a file, got nil', feed.folder)
      refuses('feed.folder: load must be a function, got a number (3)', feed.folder, dir, 3)
      bounded('feed.folder', feed.folder(dir))
      if no_png() then return pending 'libpng is not installed' end
      local good = png(2, 1, 2, { '\1\2\3\4\5\6' })
      local function bad(text, bytes)
         local f = assert(io.open(dir .. '/ape/z.png', 'wb'))
         f:write(bytes)
         f:close()
         local d = feed.folder(dir)
         assert.truthy(refuses(text, d.get, d, 1):find('feed.folder: ' .. dir .. '/ape/z.png: ', 1, true))
      end
      bad('libpng: ', '')
      bad('libpng: ', 'GIF89a')
      for n = 9, 60 do bad('libpng: ', good:sub(1, n)) end
      bad('libpng: ', good:sub(1, 30) .. '\255' .. good:sub(32))
      bad('100000 x 100000 pixels do not fit into', png(100000, 100000, 2, { '\1' }))
   end)
end)

describe('feed.lmdb', function()
   local found, lib = pcall(ffi.load, 'liblmdb.so.0')
   local dir

   -- Writes a database with the library itself.
   local function write(path, pairs_of)
      pcall(ffi.cdef, 'int mdb_put(MDB_txn *txn, unsigned dbi, MDB_val *key, MDB_val *data, unsigned flags); int mdb_txn_commit(MDB_txn *txn);')
      local env, txn, dbi = ffi.new 'MDB_env *[1]', ffi.new 'MDB_txn *[1]', ffi.new 'unsigned[1]'
      assert(lib.mdb_env_create(env) == 0)
      assert(lib.mdb_env_open(env[0], path, 0, 438) == 0)
      assert(lib.mdb_txn_begin(env[0], nil, 0, txn) == 0)
      assert(lib.mdb_dbi_open(txn[0], nil, 0, dbi) == 0)
      for k, v in pairs(pairs_of) do
         local key, value = ffi.new('MDB_val', #k, ffi.cast('char *', k)), ffi.new('MDB_val', #v, ffi.cast('char *', v))
         assert(lib.mdb_put(txn[0], dbi[0], key, value, 0) == 0)
      end
      assert(lib.mdb_txn_commit(txn[0]) == 0)
      lib.mdb_env_close(env[0])
   end

   setup(function()
      dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir '%s'"):format(dir)) == 0)
   end)
   teardown(function() os.execute(("rm -r '%s'"):format(dir)) end)

   it('gives values in the order of their keys, in threads too', function()
      if not found then return pending 'liblmdb is not installed' end
      local values = {}
      for k = 1, 3000 do values[('%05d'):format(k)] = torch.serialize(k) end
      write(dir, values)
      local d = feed.lmdb(dir)
      assert.equal(3000, d:size())
      assert.equal(77, torch.deserialize(d:get(77)))
      assert.equal('00077', feed.lmdb(dir .. '/data.mdb', { keys = true }):get(77).key)
      local sum = 0
      for batch in feed.loader { dataset = feed.map(d, function(s) return torch.deserialize(s) end), batch = 100, workers = 2 }:epoch() do
         sum = sum + batch:sum()
      end
      assert.equal(3000 * 3001 / 2, sum)
      bounded('feed.lmdb', d)
   end)
   it('refuses what is no database, and one that was cut off', function()
      if not found then return pending 'liblmdb is not installed' end
      refuses('feed.lmdb: /no/such: No such file or directory', feed.lmdb, '/no/such')
      refuses('feed.lmdb: file must be the name of a file, got nil', feed.lmdb)
      refuses('feed.lmdb: there is no option key; there are keys', feed.lmdb, dir, { key = true })
      refuses('MDB_INVALID', feed.lmdb, temporary.put(('x'):rep(9000)))
      local copy = temporary.put(temporary.get(dir .. '/data.mdb'):sub(1, 40960))
      refuses('it has 40960 bytes, but its pages end at', feed.lmdb, copy)
   end)
   it('says that the library is not there', function()
      local file = temporary.put("print(pcall(require 'feed'.lmdb, '/tmp/x'))", '.lua')
      local p = io.popen(("TH_LMDB=/no/lib.so LD_LIBRARY_PATH= timeout 60 '%s' -e \"local f = require 'ffi'; local l = f.load; f.load = function(n, ...) if n:find 'lmdb' or n == '/no/lib.so' then error 'no' end return l(n, ...) end; dofile '%s'\" 2>&1"):format(TH, file))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find("false\tfeed.lmdb: /tmp/x: liblmdb is not installed (Debian: liblmdb0); TH_LMDB may name it", 1, true), out)
   end)
end)
