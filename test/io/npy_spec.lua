-- test/io/npy_spec.lua - NumPy's .npy and .npz files: reading, writing, files of NumPy, damaged files.
-- runs once: files are read and written by code that has no CPU levels
local torch = require 'torch'
local temporary = require 'test.support.temporary'
local format = require 'torch.format'
local ffi = require 'ffi'

local NAMES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' }

local put, get, load, le = temporary.put, temporary.get, temporary.load, format.le
local saved, refused = temporary.saved, temporary.refused

local function header(text, version)
   return '\147NUMPY' .. string.char(version or 1) .. '\0' .. le((version or 1) == 1 and 2 or 4, #text) .. text
end
local function dict(descr, order, shape)
   return ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr, order, shape)
end
local function npy(descr, shape, data, order, version) return header(dict(descr, order or 'False', shape), version) .. data end

after_each(temporary.remove)

describe('.npy', function()
   it('is written as NumPy writes it', function()
      local x = torch.FloatTensor { { 1, 2, 3 }, { 4, 5, 6 } }
      local text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
      text = text .. (' '):rep(117 - #text) .. '\n'
      assert.equal('\147NUMPY\1\0v\0' .. text .. ffi.string(x:data(), 24), saved(x, '.npy'))
      assert.matches("'shape': %(3,%), ", saved(torch.ByteTensor { 1, 2, 3 }, '.npy'))
   end)

   it('brings every type back', function()
      for _, name in ipairs(NAMES) do
         local x = torch[name .. 'Tensor'] { { 1, 2, 100 }, { 0, 5, 7 } }
         local y = load(saved(x, '.npy'))
         assert.equal('torch.' .. name .. 'Tensor', torch.typename(y))
         assert.same({ 2, 3 }, y:size():totable())
         assert.same(x:totable(), y:totable())
      end
   end)

   it('brings strided, empty and single ones back', function()
      local x = torch.range(1, 24):resize(2, 3, 4)
      for _, view in ipairs { x:transpose(1, 3), x:select(2, 2), x:narrow(3, 2, 2), x[1]:t(), x[2][3] } do
         assert.same(view:totable(), load(saved(view, '.npy')):totable())
      end
      assert.equal(0, load(saved(torch.IntTensor(), '.npy')):nElement())
      local one = load(saved(torch.tensor(2.5), '.npy'))
      assert.equal(0, #one:size())
      assert.equal(1, one:nElement())
      assert.equal(2.5, one:sum())
      assert.same({ 2, 0, 3 }, load(npy('<f4', '(2, 0, 3)', '')):size():totable())
   end)

   it('comes in both byte orders, versions 1 to 3, in columns, from either Python', function()
      assert.same({ 258, -2 }, load(npy('>i2', '(2,)', '\1\2\255\254')):totable())
      assert.same({ 513, -257 }, load(npy('<i2', '(2,)', '\1\2\255\254')):totable())
      assert.same({ 1 }, load(npy('>f8', '(1,)', '\63\240\0\0\0\0\0\0')):totable())
      assert.same({ 1 }, load(npy('>f4', '(1,)', '\63\128\0\0')):totable())
      assert.same({ 7 }, load(npy('|i1', '(1L,)', '\7')):totable())
      assert.same({ 7 }, load(npy('<u1', '(1,)', '\7', 'False', 2)):totable())
      assert.same({ 7 }, load(npy('|u1', '(1,)', '\7', 'False', 3)):totable())
      assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, load(npy('|u1', '(2, 3)', '\1\2\3\4\5\6', 'True')):totable())
      assert.same({ 0, 1, 1 }, load(npy('|b1', '(3,)', '\0\1\7')):totable())
      local text = '{"shape":(1,),"fortran_order":False,"descr":"|u1"}\n'
      assert.same({ 9 }, load(header(text) .. '\9'):totable())
   end)

   it('keeps bits that LuaJIT uses for itself out of variables', function()
      local x = load(npy('<f8', '(2,)', ('\255'):rep(16)))
      assert.is_true(x[1] ~= x[1])
      assert.equal('number', type(x[2]))
   end)

   it('refuses what it cannot be', function()
      refused('are 32 bytes, but 31 are left', npy('<f8', '(4,)', ('x'):rep(31)))
      refused('more than can be counted', npy('<f8', '(4194305, 4194305, 211106198978564)', ''))
      refused('no list of sizes', npy('<f8', '(99999999999999999999999,)', ''))
      refused('no list of sizes', npy('<f8', '(-1,)', ''))
      refused('at most 16 dimensions', npy('<f8', '(' .. ('1,'):rep(17) .. ')', ('x'):rep(8)))
      refused("type '<u2' have no type here", npy('<u2', '(1,)', 'xx'))
      refused("type '|O' have no type here", npy('|O', '(1,)', 'cos\nsystem\n'))
      refused('no type of numbers', header "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")
      refused('True or False', npy('<f4', '(1,)', 'xxxx', '0'))
      refused("lacks 'shape'", header "{'descr': '<f4', 'fortran_order': False}")
      refused("key 'shape' twice", header "{'shape': (), 'shape': ()}")
      refused("key 'more'", header "{'more': ()}")
      refused('after its end', header(dict('<f4', 'False', '(0,)') .. 'x'))
      refused('at most 10000 bytes', header(dict('<f4', 'False', '(0,)') .. (' '):rep(10000)))
      refused('version 4%.0', npy('<f4', '(0,)', '', 'False', 4))
      refused('within its header', ('\147NUMPY\1\0\200\0{'))
   end)

   it('is refused by name and argument when it cannot be written; the old file stays', function()
      local name = put('old', '.npy')
      local function why(object)
         local ok, text = pcall(torch.save, name, object)
         assert.is_false(ok)
         assert.equal('old', get(name))
         return text
      end
      assert.matches('torch.save: object must be a tensor for a .npy file, got a table', why {})
      assert.matches('NumPy has no type for a torch.BFloat16Tensor of size 2; convert it with :float%(%)',
         why(torch.BFloat16Tensor(2)))
      torch.save(name, { 1 }, 'binary')
      assert.same({ 1 }, torch.load(name))
   end)

   it('stays a value or an error under three thousand corruptions', function()
      local good = saved(torch.ShortTensor { { 1, 2, 3 }, { 4, 5, 6 } }, '.npy')
      local values, errors = temporary.corrupt(3000, function(seed)
         local g = (seed * 7919) % #good + 1
         local byte = (seed * 104729 + math.floor(seed / 256)) % 256
         local bad = good:sub(1, g - 1) .. string.char(byte) .. good:sub(seed % 11 == 0 and g + 2 or g + 1)
         return seed % 13 == 0 and bad:sub(1, (seed * 31) % #bad) or bad
      end, function(x, bad)
         if torch.isTensor(x) then assert.is_true(x:nElement() * x:elementSize() <= #bad) end
      end)
      assert.is_true(values > 100 and errors > 100)
   end)
end)

-- An archive as zipfile.py and NumPy write it: { name, content [, changes to the directory's record] }.
-- ending(size of the members, of the directory) gives what stands before the end record of an
-- archive beyond 32 bits.
local C = require 'torch.lib'.C
local function zip(members, limit, ending)
   local s, directory = '', ''
   for _, m in ipairs(members) do
      local content, size, method = m.packed or m[2], m.size or #m[2], m.method or 0
      local crc = m.crc or C.th_zip_crc(0, m[2], #m[2])
      local common = le(2, 20) .. le(2, m.flags or 0) .. le(2, method) .. le(4, 0) .. le(4, tonumber(crc)) .. le(4, #content)
         .. le(4, size) .. le(2, #m[1])
      if m.extra then common = common:sub(1, 14) .. ('\255'):rep(8) .. le(2, #m[1]) end
      local place = m.place or #s
      s = s .. 'PK\3\4' .. common .. le(2, 0) .. m[1] .. content
      directory = directory .. 'PK\1\2' .. le(2, 20) .. common .. le(2, #(m.extra or ''))
         .. ('\0'):rep(10) .. le(4, m.extra and 2 ^ 32 - 1 or place) .. m[1] .. (m.extra or '')
   end
   local n = limit or #members
   if ending then
      directory = directory .. ending(#s, #directory)
      return s .. directory .. 'PK\5\6' .. le(4, 0) .. ('\255'):rep(12) .. le(2, 0)
   end
   return s .. directory .. 'PK\5\6' .. le(4, 0) .. le(2, n) .. le(2, n) .. le(4, #directory) .. le(4, #s) .. le(2, 0)
end

local one = npy('|u1', '(3,)', '\1\2\3')
-- The same bytes in deflate's stored blocks, so that it is known what they hold.
local function blocks(s) return '\1' .. le(2, #s) .. le(2, 65535 - #s) .. s end

describe('.npz', function()
   for _, mode in ipairs { 'stored', 'deflate' } do
      it('brings tensors of every type back, ' .. mode, function()
         local tensors = { [''] = torch.tensor(1), ['a/b c'] = torch.FloatTensor(2, 0) }
         for _, name in ipairs(NAMES) do tensors[name] = torch[name .. 'Tensor'] { { 1, 2 }, { 3, 4 }, { 5, 99 } }:t() end
         tensors.long = torch.range(1, 300000)
         local r = load(saved(tensors, '.npz', mode == 'deflate' and mode or nil))
         local n = 0
         for name, t in pairs(r) do
            n = n + 1
            assert.equal(torch.typename(tensors[name]), torch.typename(t))
            assert.same(tensors[name]:size():totable(), t:size():totable())
            if t:nElement() > 0 then assert.is_true(torch.equal(tensors[name]:contiguous(), t)) end
         end
         assert.equal(11, n)
      end)
   end

   it('packs with deflate, and has the same bytes for the same tensors', function()
      local t = { b = torch.zeros(1000), a = torch.ones(1000) }
      assert.is_true(#saved(t, '.npz', 'deflate') < 2000)
      assert.is_true(#saved(t, '.npz') > 16000)
      assert.equal(saved(t, '.npz', 'deflate'), saved(t, '.npz', 'deflate'))
   end)

   it('is read as others write it', function()
      local r = load(zip { { 'x.npy', one }, { 'y.npy', one, packed = blocks(one), method = 8 } })
      assert.same({ 1, 2, 3 }, r.x:totable())
      assert.same({ 1, 2, 3 }, r.y:totable())
      assert.same({}, load(zip {}))
   end)

   -- The fields that archives beyond 32 bits have: sizes and place of a member, and the two records
   -- of the end.
   local function large_field(size, packed, place)
      return le(2, 7) .. le(2, 1) .. 'x' .. le(2, 1) .. le(2, 24) .. le(8, size) .. le(8, packed)
         .. le(8, place)
   end
   local function large_end(count, change)
      return function(s, directory)
         local place = s + directory
         if change == 'behind' then place = place + 100 end
         if change == 'huge' then place = 2 ^ 63 end
         local first = change == 'outside' and 2 ^ 40 or s
         return (change == 'word' and 'PK\6\8' or 'PK\6\6') .. le(8, 44) .. le(2, 45) .. le(2, 45)
            .. le(8, 0) .. le(8, count) .. le(8, count) .. le(8, directory) .. le(8, first)
            .. (change == 'locator' and 'PK\6\9' or 'PK\6\7') .. le(4, 0) .. le(8, place)
            .. le(4, 1)
      end
   end

   it('is read where archives have the fields of those beyond 32 bits', function()
      local member = { 'x.npy', one, extra = large_field(#one, #one, 0) }
      assert.same({ 1, 2, 3 }, load(zip({ member }, nil, large_end(1))).x:totable())
      assert.same({ 1, 2, 3 }, load(zip { member }).x:totable())
      refused('its directory cannot be found', zip({ member }, nil, function() return '' end))
      for _, change in ipairs { 'word', 'locator', 'behind', 'huge' } do
         refused('its directory cannot be found', zip({ member }, nil, large_end(1, change)))
      end
      refused('its directory lies outside', zip({ member }, nil, large_end(1, 'outside')))
      refused('its directory is too short', zip({ member }, nil, large_end(2 ^ 62)))
      for _, extra in ipairs { large_field(2 ^ 40, 2 ^ 40, 0), large_field(#one, #one, 2 ^ 62),
         large_field(2 ^ 63, 2 ^ 63, 0), '' } do
         refused('a member lies outside', zip { { 'x.npy', one, extra = extra } })
      end
      member.extra = le(2, 1) .. le(2, 8) .. le(8, #one)
      refused('the sizes of a member are missing', zip { member })
   end)

   it('refuses damaged archives', function()
      refused('checksum', zip { { 'x.npy', one, crc = 5 } })
      refused('checksum', zip { { 'x.npy', one, packed = blocks(one), method = 8, crc = 5 } })
      refused('cannot have the size it says', zip { { 'x.npy', one, size = #one + 1 } })
      refused('cannot have the size it says', zip { { 'x.npy', one, packed = blocks(one), method = 8, size = 2 ^ 31 } })
      refused('longer than it says', zip { { 'x.npy', one, packed = blocks(one .. 'x'), method = 8 } })
      refused('shorter than it says', zip { { 'x.npy', one, packed = blocks(one:sub(1, -2)), method = 8 } })
      refused('is cut', zip { { 'x.npy', one, packed = blocks(one):sub(1, -2), method = 8 } })
      refused('damaged', zip { { 'x.npy', one, packed = '\7' .. one, method = 8 } })
      refused('method 12', zip { { 'x.npy', one, method = 12 } })
      refused('encrypted', zip { { 'x.npy', one, flags = 1 } })
      refused('lies outside', zip { { 'x.npy', one, place = 1e6 } })
      refused('lies outside', zip { { 'x.npy', one, place = 1 } })
      refused("two members 'x.npy'", zip { { 'x.npy', one }, { 'x.npy', one } })
      refused('disagree', zip { { 'x.npy', one }, { 'y.npy', one, place = 0 } })
      refused("member 'archive/x.txt' is no .npy file", zip { { 'archive/x.txt', 'hello' } })
      refused('the elements have 3 bytes, but 4 follow', zip { { 'x.npy', one .. 'x' } })
      refused('directory is too short', zip({ { 'x.npy', one } }, 2))
      refused('no end record', zip({ { 'x.npy', one } }) .. 'x')
      refused('this is no .npy file', zip { { 'x.npy', 'hello, world' } })
      refused('this is no .npy file', zip { { 'x.npy', '' } })
   end)

   it('refuses bombs before they take memory, unless they are allowed', function()
      local bomb = saved({ x = torch.ByteTensor(80 * 2 ^ 20) }, '.npz', 'deflate')
      assert.is_true(#bomb < 2 ^ 20)
      collectgarbage()
      collectgarbage()
      local before = torch.memory().bytes
      refused('unpacks to %d+, %d+ are allowed: load it with {most = %d+} if you trust it', bomb)
      assert.is_true(torch.memory().bytes - before <= #bomb)
      assert.equal(80 * 2 ^ 20, load(bomb, { most = 2 ^ 27 }).x:nElement())
   end)

   it('refuses what it cannot hold', function()
      local function why(object) return select(2, pcall(saved, object, '.npz')) end
      assert.matches('object must be a table of tensors for a .npz file, got a torch.DoubleTensor', why(torch.ones(2)))
      assert.matches('keys of object must be strings for a .npz file, got a number %(1%)', why { torch.ones(2) })
      assert.matches("object%['a'%] must be a tensor for a .npz file, got a boolean", why { a = true })
      assert.matches("NumPy has no type for a torch.BFloat16Tensor", why { a = torch.BFloat16Tensor(1) })
      assert.matches('0 byte', why { ['a\0b'] = torch.ones(1) })
   end)

   it('stays a value or an error under four thousand corruptions', function()
      local values, errors = 0, 0
      for _, mode in ipairs { 'deflate', 'stored' } do
         local good = saved({ a = torch.range(1, 20), b = torch.IntTensor { { 1, 2 }, { 3, 4 } } }, '.npz',
            mode == 'deflate' and mode or nil)
         local v, e = temporary.corrupt(2000, function(seed)
            local g = (seed * 7919) % #good + 1
            if seed % 2 == 0 then g = #good - (seed * 31) % 160 end           -- the directory, twice as often
            local bad = good:sub(1, g - 1) .. string.char((seed * 104729 + math.floor(seed / 256)) % 256) .. good:sub(g + 1)
            return seed % 17 == 0 and bad:sub(1, (seed * 31) % #bad) or bad
         end)
         values, errors = values + v, errors + e
      end
      assert.is_true(values > 10 and errors > 1000)
   end)
end)
