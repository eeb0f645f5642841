-- test/onnx/load_spec.lua - onnx.load: tensors of all types, functions, external data, and models that attack their reader.
-- runs once: nothing here depends on the level
local bytes = require 'test.support.onnx_bytes'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local onnx = require 'onnx'

teardown(temporary.remove)

local info, node, tensor = bytes.info, bytes.node, bytes.tensor

local function load(m) return onnx.load(bytes.write(temporary.name '.onnx', m)) end

-- A model that gives the value of a tensor.
local function constant(t, kind)
   t.name = 'c'
   return bytes.model({ node('Identity', { 'c' }, { 'y' }) }, {}, { info('y', kind) }, { t })
end

local function value_of(t, kind)
   local m = load(constant(t, kind))
   return m:forward(), m.outputs[1].type
end

-- ---- tensors -------------------------------------------------------------------------------------------------------

-- Type -> C type of raw_data, field, numbers, what they are here.
local forms = {
   float = { 'float', 'float_data' }, double = { 'double', 'double_data' }, int64 = { 'int64_t', 'int64_data' },
   int32 = { 'int32_t', 'int32_data' }, int16 = { 'int16_t', 'int32_data' }, int8 = { 'int8_t', 'int32_data' },
   uint8 = { 'uint8_t', 'int32_data', { 0, 200, 255 } }, uint16 = { 'uint16_t', 'int32_data', { 0, 40000, 65535 } },
   uint32 = { 'uint32_t', 'uint64_data', { 0, 3000000000, 2 ^ 32 - 1 } }, uint64 = { 'uint64_t', 'uint64_data', { 0, 5,
      2 ^ 53 } },
   bool = { 'uint8_t', 'int32_data', { 0, 1, 1 } }, float16 = { 'uint16_t', 'int32_data', { 0x3c00, 0xc000, 0x3800 }, { 1, -2,
      0.5 } },
   bfloat16 = { 'uint16_t', 'int32_data', { 0x3f80, 0xc000, 0x3f00 }, { 1, -2, 0.5 } },
   float8e4m3fn = { 'uint8_t', 'int32_data', { 0x38, 0xc0, 0x7e }, { 1, -2, 448 } },
   float8e5m2 = { 'uint8_t', 'int32_data', { 0x3c, 0xc0, 0x7b }, { 1, -2, 57344 } },
}

describe('a tensor of an ONNX file', function()
   for kind, form in pairs(forms) do
      local numbers = form[3] or { 1, -2, 3 }
      local wanted = form[4] or numbers
      it('has its ' .. kind .. ' elements from raw_data and from ' .. form[2], function()
         local t = { data_type = messages.type_numbers[kind], dims = { 3 } }
         t.raw_data = bytes.raw(form[1], numbers)
         local y, name = value_of(t, kind)
         assert.equal(kind, name)
         assert.equal(types.class(kind), y:type())
         assert.same(wanted, types.numbers(y))
         t.raw_data, t[form[2]] = nil, numbers
         assert.same(wanted, types.numbers((value_of(t, kind))))
      end)
   end

   it('of 4 and 2 bits is unpacked', function()
      local y = value_of({ data_type = messages.type_numbers.int4, dims = { 3 }, raw_data = '\x8f\x07' }, 'int4')
      assert.same({ -1, -8, 7 }, types.numbers(y))
      y = value_of({ data_type = messages.type_numbers.uint2, dims = { 5 }, raw_data = '\xe4\x03' }, 'uint2')
      assert.same({ 0, 1, 2, 3, 3 }, types.numbers(y))
   end)

   it('keeps shapes of single numbers and of no elements', function()
      local y = value_of({ data_type = 1, raw_data = bytes.raw('float', { 4 }) })
      assert.same({}, types.shape(y))
      assert.equal(4, types.number(y))
      y = value_of { data_type = 1, dims = { 2, 0, 3 } }
      assert.same({ 2, 0, 3 }, types.shape(y))
   end)

   it('of strings is a list with a shape', function()
      local y, name = value_of({ data_type = 8, dims = { 2, 1 }, string_data = { 'a', '' } }, 'string')
      assert.equal('string', name)
      assert.same({ 'a', '', shape = { 2, 1 } }, y)
   end)

   it('must have as many elements as its sizes say', function()
      local function refused(text, t) refuses(text, load, constant(t)) end
      refused('3 elements of float take 12 bytes, got 4', { data_type = 1, dims = { 3 }, raw_data = 'abcd' })
      refused('3 elements of float are needed in float_data, got 1', { data_type = 1, dims = { 3 }, float_data = { 1 } })
      refused('1099511627776 elements of float are needed', { data_type = 1, dims = { 2 ^ 40 }, float_data = { 1 } })
      refused('its 2 sizes give too many elements', { data_type = 1, dims = { 2 ^ 39, 2 ^ 39 } })
      refused('size 1 must lie in 0..2^40, got -1', { data_type = 1, dims = { -1 } })
      refused('it has more than 14 dimensions: 20', { data_type = 1, dims = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
         1, 1, 1 } })
      refused('there is no element type 77', { data_type = 77, dims = { 1 } })
      refused('2 strings are needed, got 1', { data_type = 8, dims = { 2 }, string_data = { 'a' } })
   end)

   it('may be sparse', function()
      local m = bytes.model({ node('Identity', { 's' }, { 'y' }) }, {}, { info('y') })
      m.graph.sparse_initializer = { { values = tensor('s', 'float', { 2 }, { 5, 7 }), indices = tensor('', 'int64', { 2, 2 },
         { 0, 1, 1, 0 }), dims = { 2, 3 } } }
      assert.same({ { 0, 5, 0 }, { 7, 0, 0 } }, load(m):forward():totable())
      m.graph.sparse_initializer[1].indices = tensor('', 'int64', { 2 }, { 0, 6 })
      refuses('index 6 is outside of the tensor', load, m)
   end)
end)

-- ---- graphs --------------------------------------------------------------------------------------------------------

local x, y = { info('x', 'float', { 2 }) }, { info('y', 'float') }

describe('a graph of an ONNX file', function()
   it('may have its nodes in any order', function()
      local m = load(bytes.model({ node('Neg', { 'a' }, { 'y' }), node('Exp', { 'x' }, { 'a' }) }, x, y))
      assert.same({ -1, -1 }, m:forward(torch.FloatTensor { 0, 0 }):totable())
   end)

   it('names all ops that are not here at once, and their nodes', function()
      local m = bytes.model({ node('Foo', { 'x' }, { 'a' }, nil, 'first'), node('Bar', { 'a' }, { 'b' }), node('Foo', { 'b' },
         { 'y' }, nil, 'last') }, x, y)
      m.graph.node[2].domain = 'com.example'
      refuses("these ops are not here: Foo (2 nodes: 'first', 'last'); com.example.Bar (1 node: 'b')", load, m)
   end)

   it('is refused where its nodes wait for each other', function()
      local m = bytes.model({ node('Add', { 'x', 'b' }, { 'a' }), node('Neg', { 'a' }, { 'b' }), node('Exp', { 'b' },
         { 'y' }) }, x, y)
      refuses("nodes depend on each other in a circle: 'a' (Add), 'b' (Neg), 'y' (Exp)", load, m)
   end)

   it('is refused where a value is defined twice or nowhere', function()
      refuses("value 'a' has two definitions", load, bytes.model({ node('Neg', { 'x' }, { 'a' }), node('Exp', { 'x' }, { 'a' }),
         node('Exp', { 'a' }, { 'y' }) }, x, y))
      refuses("node 'y' (Neg): input 'q' is defined nowhere", load, bytes.model({ node('Neg', { 'q' }, { 'y' }) }, x, y))
      refuses("output 'y' is defined nowhere", load, bytes.model({ node('Neg', { 'x' }, { 'z' }) }, x, y))
   end)

   it('is refused where an attribute comes twice or has a type without a meaning', function()
      local m = bytes.model({ node('LeakyRelu', { 'x' }, { 'y' }, { alpha = { f = 0.5 } }) }, x, y)
      table.insert(m.graph.node[1].attribute, m.graph.node[1].attribute[1])
      refuses("attribute 'alpha' is given twice", load, m)
   end)

   it('replaces calls of its functions by their nodes', function()
      local m = bytes.model({ node('Twice', { 'x' }, { 'a' }, { slope = { f = 0.5 } }), node('Twice', { 'a' }, { 'y' },
         { slope = { f = 0.25 } }) }, x, y)
      for _, n in ipairs(m.graph.node) do n.domain = 'own' end
      m.functions = { { name = 'Twice', domain = 'own', input = { 'u' }, output = { 'v' }, attribute = { 'slope' },
         opset_import = { { version = 17 } }, node = {
         { op_type = 'LeakyRelu', input = { 'u' }, output = { 'w' }, attribute = { { name = 'alpha', ref_attr_name = 'slope',
            type = 1 } } },
         node('Add', { 'w', 'w' }, { 'v' }) } } }
      assert.same({ -0.5, 4 }, load(m):forward(torch.FloatTensor { -1, 1 }):totable())
   end)

   it('is refused where functions call each other without an end, or too often', function()
      local m = bytes.model({ node('F', { 'x' }, { 'y' }) }, x, y)
      m.graph.node[1].domain = 'own'
      local call = node('F', { 'u' }, { 'v' })
      call.domain = 'own'
      m.functions = { { name = 'F', domain = 'own', input = { 'u' }, output = { 'v' }, node = { call } } }
      refuses("function 'F' calls functions more than 64 deep", load, m)
      m.functions = {}
      for i = 0, 30 do                                        -- 2^30 nodes
         local a, b = node('F' .. i + 1, { 'u' }, { 'w' }), node('F' .. i + 1, { 'w' }, { 'v' })
         a.domain, b.domain = 'own', 'own'
         m.functions[i + 1] = { name = 'F' .. i, domain = 'own', input = { 'u' }, output = { 'v' }, node = { a, b } }
      end
      m.functions[32] = { name = 'F31', domain = 'own', input = { 'u' }, output = { 'v' }, node = { node('Neg', { 'u' },
         { 'v' }) } }
      m.graph.node[1].op_type = 'F0'
      refuses('its functions give more than', load, m)
   end)
end)

describe('onnx.load', function()
   it('refuses what is no name, no file and no model', function()
      refuses('onnx.load: path must be the name of a file, got a number (3)', onnx.load, 3)
      refuses('onnx.load: ', onnx.load, '/nowhere/m.onnx')
      refuses('it is empty', load, '')
      refuses('it has no graph', load, bytes.encode('ModelProto', { ir_version = 8 }))
      refuses('byte ', load, 'no model')
   end)

   it('refuses a file that is cut off anywhere, with its name', function()
      local whole = bytes.encode('ModelProto', bytes.model({ node('Add', { 'x', 'w' }, { 'y' }) }, x, y, { tensor('w', 'float',
         { 2 }, { 1, 2 }) }))
      for n = 1, #whole - 1 do
         local path = bytes.write(temporary.name '.onnx', whole:sub(1, n))
         local ok, why = pcall(onnx.load, path)
         if not ok then assert.truthy(why:find('onnx.load: ' .. path, 1, true), why) end
      end
   end)
end)

-- ---- external data -------------------------------------------------------------------------------------------------

describe('onnx.load of a convolution', function()
   local kernel = tensor('w', 'float', { 1, 1, 1, 1 }, { 3 })
   local function model(op)
      return bytes.model({ node('Conv', { 'x', 'w' }, { 'a' }), node(op, { 'a' }, { 'y' }) },
         { info('x', 'float', { 1, 1, 2, 2 }) }, { info('y', 'float') }, { kernel })
   end

   -- Another thread opens oneDNN meanwhile.
   it('fails where another op is not here, and works then', function()
      for _ = 1, 2 do refuses('these ops are not here: Nothing', load, model 'Nothing') end
      local x = torch.FloatTensor { { { { 1, 2 }, { 3, 4 } } } }
      assert.same({ 3, 6, 9, 12 }, types.numbers(load(model 'Identity'):forward(x)))
   end)
end)

describe('external data of a model', function()
   local folder

   setup(function()
      folder = os.tmpname()
      os.remove(folder)
      assert(os.execute(("mkdir -p '%s/m/sub' '%s/other'"):format(folder, folder)))
      local function put(name) bytes.write(folder .. '/' .. name, bytes.raw('float', { 9, 9, 1, 2, 3 })) end
      put 'm/w.bin' put 'm/sub/w.bin' put 'secret.bin' put 'other/hard.bin'
      assert(os.execute(("cd '%s/m' && ln -s ../secret.bin soft.bin && ln ../other/hard.bin hard.bin && ln -s ../other up && ln -s w.bin near.bin && mkdir folder"):format(folder)))
   end)
   teardown(function() os.execute(("rm -rf '%s'"):format(folder)) end)

   local function load_with(entries)
      local list = {}
      for key, value in pairs(entries) do list[#list + 1] = { key = key, value = value } end
      local m = bytes.model({ node('Identity', { 'w' }, { 'y' }) }, {}, y, { { name = 'w', data_type = 1, dims = { 3 },
         data_location = 1, external_data = list } })
      return onnx.load(bytes.write(folder .. '/m/model.onnx', m))
   end

   it('is read from the folder of the model, at its offset', function()
      assert.same({ 1, 2, 3 }, load_with { location = 'w.bin', offset = '8', length = '12' }:forward():totable())
      assert.same({ 9, 9, 1 }, load_with { location = 'sub/w.bin', length = '12' }:forward():totable())
   end)

   it('is refused outside of that folder: absolute paths, .., symbolic links, hard links', function()
      local function refused(text, location) refuses(text, load_with, { location = location, length = '12' }) end
      refused('the path is absolute', folder .. '/secret.bin')
      refused('the path has an empty part, . or ..', '../secret.bin')
      refused('the path has an empty part, . or ..', 'sub/../../secret.bin')
      refused('the path has an empty part, . or ..', 'sub//w.bin')
      refused('the path has an empty part, . or ..', './w.bin')
      refused('it is a symbolic link', 'soft.bin')
      refused('it is a symbolic link', 'up/hard.bin')
      refused('it is a symbolic link', 'near.bin')
      refused('hard links', 'hard.bin')
      refused('it is no plain file', 'folder')
      refused('cannot open nowhere.bin', 'nowhere.bin')
      refused('a name has a zero byte', 'w.bin\0.txt')
      refused('have no location', '')
   end)

   it('is refused where it does not lie in the file', function()
      refuses('16 bytes from byte 8 on are needed of file', load_with, { location = 'w.bin', offset = '8', length = '16' })
      refuses('it takes 12 bytes', load_with, { location = 'w.bin', offset = '8', length = '8' })
      refuses('it takes 12 bytes', load_with, { location = 'w.bin', offset = '16' })
      refuses("offset must be a whole number, got '-8'", load_with, { location = 'w.bin', offset = '-8', length = '12' })
      refuses('offset must be a whole number', load_with, { location = 'w.bin', offset = '99999999999999999999', length = '12' })
      refuses("length must be a whole number, got '1e3'", load_with, { location = 'w.bin', length = '1e3' })
   end)
end)
