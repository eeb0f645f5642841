-- test/io/safetensors_spec.lua - .safetensors files: reading, writing, damaged files.
local torch = require 'torch'
local temporary = require 'test.support.temporary'
local format = require 'torch.format'
local ffi = require 'ffi'

local NAMES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

local put, get, load = temporary.put, temporary.get, temporary.load
local function saved(object) return temporary.saved(object, '.safetensors') end

local function file(json, data) return format.le(8, #json) .. json .. (data or '') end
local function one(shape, offsets, dtype)
   return ('{"x":{"dtype":"%s","shape":%s,"data_offsets":%s}}'):format(dtype or 'U8', shape, offsets)
end

local function refused(pattern, json, data) temporary.refused(pattern, file(json, data)) end

after_each(temporary.remove)

describe('.safetensors', function()
   it('brings every type back, strided, empty and single ones too', function()
      local tensors = { empty = torch.FloatTensor(2, 0, 3), single = torch.tensor(2.5), none = torch.IntTensor(),
         ['a "b"\\\n\195\188'] = torch.ones(1) }
      for _, name in ipairs(NAMES) do tensors[name] = torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 100 } }:t() end
      local r, notes = load(saved(tensors))
      assert.is_nil(notes)
      local n = 0
      for name, t in pairs(r) do
         n = n + 1
         assert.equal(torch.typename(tensors[name]), torch.typename(t))
         assert.same(tensors[name]:size():totable(), t:size():totable())
         if t:nElement() > 0 then assert.is_true(torch.equal(tensors[name]:contiguous(), t)) end
      end
      assert.equal(13, n)
      assert.same({}, (load(saved {})))
   end)

   it('is written with elements aligned and sorted, the header a multiple of 8', function()
      local x, y = torch.ByteTensor { 7, 8 }, torch.FloatTensor { 1 }
      local json = '{"y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}'
      json = json .. (' '):rep(-#json % 8)
      assert.equal(file(json, ffi.string(y:data(), 4) .. '\7\8'), saved { x = x, y = y })
   end)

   it('is read as others write it, metadata included', function()
      local r, notes = load(file('{"__metadata__":{"format":"pt","u":"\\u00fc\\ud83d\\ude00"},\n'
         .. ' "a.b" : {"shape":[2], "dtype":"I16" , "data_offsets":[1,5]},'
         .. '"t":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}  ', '\5\1\0\2\1'))
      assert.same({ 1, 258 }, r['a.b']:totable())
      assert.equal(1, r.t:sum())
      assert.same({ format = 'pt', u = '\195\188\240\159\152\128' }, notes)
   end)

   it('keeps bits that LuaJIT uses for itself out of variables', function()
      local r = load(file(one('[1]', '[0,8]', 'F64'), ('\255'):rep(8)))
      assert.equal('number', type(r.x[1]))
   end)

   it('refuses sizes and places that cannot be', function()
      refused('more than can be counted', one('[4194305,4194305,211106198978564]', '[0,4]', 'F32'), 'xxxx')
      refused('lies at bytes 0 to 5, but the file has 4', one('[5]', '[0,5]'), 'xxxx')
      refused('lies at bytes 3 to 2', one('[1]', '[3,2]'), 'xxxx')
      refused('needs 3 bytes, but the file gives it 4', one('[3]', '[0,4]'), 'xxxx')
      refused('beyond 64 bits', one('[9223372036854775808]', '[0,4]'), 'xxxx')
      refused('the tensors have 3 bytes, but 4 are in the file', one('[3]', '[0,3]'), 'xxxx')
      refused("'x' begins at byte 1 of the elements, not right behind", one('[3]', '[1,4]'), 'xxxx')
      refused('within the tensor before it', '{"x":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},'
         .. '"y":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}', 'xxxx')
      refused("two tensors 'x'", '{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},'
         .. '"x":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}', 'xxxx')
      refused("type 'F8_E4M3' have no type here", one('[4]', '[0,4]', 'F8_E4M3'), 'xxxx')
      refused('at most 16 dimensions', one('[' .. ('1,'):rep(16) .. '1]', '[0,1]'), 'x')
   end)

   it('refuses headers that are not JSON of its form', function()
      local good = one('[1]', '[0,1]')
      assert.equal(120, load(file(good, 'x')).x[1])
      for _, bad in ipairs { '{"x"}', '{"x":1}', '{"x":{}}', '{"x":[]}', good:sub(1, -2), good .. '}', good:gsub('1', '01', 1),
         good:gsub('%[1%]', '[1.0]'), good:gsub('%[1%]', '[-1]'), good:gsub('%[1%]', '[1,]'), good:gsub('%[1%]', '[[1]]'),
         good:gsub('}}', ',}}'), good:gsub('}}', '},}'), good:gsub('"x"', '"\\x"'), good:gsub('"x"', '"\\ud800"'),
         good:gsub('"x"', '"\1"'), good:gsub('"x"', '"\255"'), good:gsub('"x"', '"\237\160\128"'), good:gsub('shape', 'sharp'),
         good:gsub('"shape":%[1%]', '"dtype":"U8"'), '{"__metadata__":{"a":1}}', '{"__metadata__":{"a":"b"},"__metadata__":{}}',
         '{"__metadata__":{"a":"b","a":"c"}}', '{"x":' .. ('['):rep(50000), '{"x":' .. ('{"a":'):rep(50000) } do
         local ok, why = pcall(load, file(bad, bad:find '^{"__' and '' or 'x'))
         assert.is_false(ok, bad:sub(1, 80))
         assert.matches('torch%.load: ', why)
      end
   end)

   it('refuses more tensors than it keeps account of', function()
      local parts = {}
      for i = 1, 65537 do parts[i] = ('"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'):format(i) end
      refused('at most 65536 tensors', '{' .. table.concat(parts, ',') .. '}')
   end)

   it('refuses what it cannot hold; the old file stays', function()
      local name = put('old', '.safetensors')
      local function why(object)
         local ok, text = pcall(torch.save, name, object)
         assert.is_false(ok)
         assert.equal('old', get(name))
         return text
      end
      assert.matches('torch.save: object must be a table of tensors for a .safetensors file, got a torch.DoubleTensor',
         why(torch.ones(2)))
      assert.matches("object%['a'%] must be a tensor for a .safetensors file, got a table", why { a = {} })
      assert.matches("'__metadata__' cannot be the name", why { __metadata__ = torch.ones(1) })
      assert.matches('must be UTF%-8', why { ['\255'] = torch.ones(1) })
   end)

   it('stays a value or an error under four thousand corruptions', function()
      local good = saved { a = torch.range(1, 4), b = torch.ByteTensor { { 1, 2 }, { 3, 4 } }, c = torch.tensor(3) }
      local values, errors = temporary.corrupt(4000, function(seed)
         local g = (seed * 7919) % #good + 1
         local byte = string.char((seed * 104729 + math.floor(seed / 256)) % 256)
         if seed % 3 == 0 then byte = ('0123456789,:"{}[]\\'):sub(seed / 3 % 18 + 1, seed / 3 % 18 + 1) end
         local bad = good:sub(1, g - 1) .. byte .. good:sub(seed % 11 == 0 and g or g + 1)
         return seed % 17 == 0 and bad:sub(1, (seed * 31) % #bad) or bad
      end)
      assert.is_true(values > 100 and errors > 1000)
   end)
end)
