-- test/feed/records_spec.lua - files of feed.pack: the values that they return, and detection of damage.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local encode = require 'feed.encode'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local all, bounded, needs_a_file, TH = shared.all, shared.bounded, shared.needs_a_file, shared.TH

teardown(temporary.remove)

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
   it('make the same batches whether samples are read together or one by one', function()
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
      assert.truthy(out:find('the old file is unchanged', 1, true), out)
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
      opened('it is no file of feed.pack, or it is cut off within its header', '')
      opened('it is no file of feed.pack, or it is cut off within its header', bytes:sub(1, 39))
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
      unpacks('bytes follow its value', 'yy')
      unpacks('it has a value of the unknown kind 120', 'x')
      unpacks('it has an impossible length', 's' .. huge)
      unpacks('it has an impossible length', 's' .. most)
      unpacks('it ends within a value', 's\9\0\0\0\0\0\0\0abc')
      unpacks('it has a tensor of the unknown type 10', 't\10\1')
      unpacks('it has a tensor of the unknown type 0', 't\0\1')
      unpacks('it has a tensor of 17 dimensions', 't\9\17')
      unpacks('it ends within a value', 't\9\2\1\0\0')
      unpacks('it has a tensor with more elements than bytes', 't\9\1\255\255\255\255\0\0\0\0')
      unpacks('it has an impossible length', 't\9\1' .. most)
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
