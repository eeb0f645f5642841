-- test/io/protobuf_spec.lua - torch.protobuf: what the reader takes, and what it refuses before
-- memory is allocated.
-- runs once: nothing here depends on the level
local bytes = require 'test.support.onnx_bytes'
local messages = require 'onnx.messages'
local protobuf = require 'torch.protobuf'
local refuses = require 'test.support.refuses'

-- The same message from memory and by a function that copies, which must not differ.
local function read_by(text, description, names)
   local ok, m = pcall(protobuf.read, text, nil, description, names)
   local also, copied = pcall(protobuf.read, protobuf.of_text(text), #text, description, names)
   assert.equal(ok, also)
   if not ok then
      assert.equal(m, copied)
      error(m, 0)
   end
   return m, copied
end

local function read(text, name) return (read_by(text, messages[name], messages)) end
local function key(number, kind) return bytes.varint(8 * number + kind) end

describe('torch.protobuf', function()
   it('gives numbers, texts, lists and inner messages by their names', function()
      local m = read(bytes.encode('ModelProto', { ir_version = 8, producer_name = 'p', opset_import = { { domain = '',
         version = 17 }, { domain = 'd', version = 1 } },
         graph = { name = 'g', node = { { op_type = 'Add', input = { 'x', 'y' }, output = { 'z' } } } } }), 'ModelProto')
      assert.equal(8, m.ir_version)
      assert.equal('p', m.producer_name)
      assert.same({ '', 'd' }, { m.opset_import[1].domain, m.opset_import[2].domain })
      assert.same({ 'x', 'y' }, m.graph.node[1].input)
   end)

   it('takes packed and unpacked numbers of both kinds of fields', function()
      local packed = read(bytes.bytes(8, bytes.varint(3) .. bytes.varint(-1)), 'AttributeProto')
      local single = read(key(8, 0) .. bytes.varint(3) .. key(8, 0) .. bytes.varint(-1), 'AttributeProto')
      assert.same({ 3, -1 }, packed.ints)
      assert.same(packed.ints, single.ints)
      local floats = read(bytes.bytes(4, bytes.raw('float', { 0.5, -2 })), 'TensorProto').float_data
      assert.same({ 0.5, -2 }, floats:totable())
      floats = read(key(4, 5) .. bytes.raw('float', { 0.5 }) .. key(4, 5) .. bytes.raw('float', { -2 }), 'TensorProto').float_data
      assert.same({ 0.5, -2 }, floats:totable())
      local longs = read(bytes.bytes(7, bytes.varint(-5)) .. key(7, 0) .. bytes.varint(7), 'TensorProto').int64_data
      assert.same({ -5, 7 }, longs:totable())
   end)

   it('gives floats with the bits of a NaN as numbers, whatever these bits are', function()
      for tag = 0, 13 do
         local word = bytes.raw('uint32_t', { 0xffffffff - tag * 0x40000 })
         local f = read(bytes.varint(8 * 2 + 5) .. word, 'AttributeProto').f
         assert.is_true(type(f) == 'number' and f ~= f)
      end
   end)

   it('skips fields that no message has, groups included', function()
      local unknown = key(99, 0) .. bytes.varint(7) .. key(98, 1) .. ('x'):rep(8) .. key(97, 5) .. 'abcd' .. bytes.bytes(96,
         'text')
         .. key(95, 3) .. key(1, 0) .. bytes.varint(1) .. key(2, 3) .. key(2, 4) .. key(95, 4)
      assert.equal(8, read(unknown .. key(1, 0) .. bytes.varint(8), 'ModelProto').ir_version)
   end)

   it('names the place of long bytes instead of copying them', function()
      local text = bytes.bytes(9, ('r'):rep(5000))
      local m = read(text, 'TensorProto')
      assert.same({ place = 3, size = 5000 }, m.raw_data)
      assert.equal(('r'):rep(5000), protobuf.text(m.raw_data, protobuf.of_text(text)))
   end)

   it('reads a text that is longer than its window', function()
      local long = ('t'):rep(200000)
      local m, copied = read_by(bytes.bytes(2, long), messages.GraphProto, messages)
      assert.equal(long, m.name)
      assert.equal(long, copied.name)
   end)

   it('takes descriptions that hold others', function()
      local inner = { [1] = { 'n', 'int64' } }
      inner[2] = { 'inner', inner }
      local all = { [1] = { 'n', 'int64' }, [4] = { 'x', 'float', 'packed' },
         [5] = { 'inner', inner } }
      local function n(v) return key(1, 0) .. bytes.varint(v) end
      local text = n(5) .. n(300) .. key(4, 5) .. bytes.raw('float', { 1.5 })
         .. bytes.bytes(4, bytes.raw('float', { 2, 3 }))
         .. bytes.bytes(5, n(9) .. bytes.bytes(2, n(8)))
      local m, copied = read_by(text, all)
      for _, t in ipairs { m, copied } do
         assert.equal(300, t.n)
         assert.same({ 1.5, 2, 3 }, t.x:totable())
         assert.same({ n = 9, inner = { n = 8 } }, t.inner)
      end
      assert.equal(-1, (read_by('\8' .. ('\255'):rep(9) .. '\1', all)).n)
      assert.equal(0, (read_by(bytes.bytes(4, ''), all)).x:nElement())
   end)

   it('refuses lengths that are larger than what is left', function()
      refuses('byte 4: 3 bytes are needed, 2 are left', read, key(7, 2) .. bytes.varint(4) .. bytes.varint(8 * 2 + 2)
         .. bytes.varint(3) .. 'ab'
         .. key(2, 2) .. bytes.varint(100) .. 'abc', 'ModelProto')
      refuses('bytes are needed, 0 are left', read, key(9, 2) .. bytes.varint(2 ^ 52), 'TensorProto')
      refuses('bytes are needed', read, key(9, 2) .. ('\255'):rep(9) .. '\1', 'TensorProto')
      refuses('18446744073709551616 bytes are needed', read, key(9, 2) .. ('\255'):rep(9) .. '\1',
         'TensorProto')
      refuses('are needed, 3 are left', read, key(2, 5) .. 'abc', 'AttributeProto')
   end)

   it('refuses an inner message that reaches beyond its outer one', function()
      local inner = key(2, 2) .. bytes.varint(10) .. 'ab'
      refuses('10 bytes are needed, 2 are left', read, bytes.bytes(7, inner) .. ('x'):rep(20), 'ModelProto')
   end)

   it('refuses damaged numbers, keys and types', function()
      refuses('a number has more than 10 bytes', read, key(1, 0) .. ('\255'):rep(11), 'ModelProto')
      refuses('a number is cut off', read, key(1, 0) .. '\255', 'ModelProto')
      refuses('there is no wire type 7', read, key(60, 7), 'ModelProto')
      refuses('there is no field 0', read, key(0, 0) .. '\1', 'ModelProto')
      refuses("field 'graph' has the wire type 0", read, key(7, 0) .. '\1', 'ModelProto')
      refuses('has 3 bytes of numbers of 4 bytes', read, bytes.bytes(4, 'abc'), 'TensorProto')
      refuses('the end of another group', read, key(60, 3) .. key(61, 4), 'ModelProto')
   end)

   it('limits how deep messages and groups are nested', function()
      local m = ''
      for _ = 1, 150 do m = bytes.bytes(4, bytes.bytes(1, m)) end           -- sequences of sequences
      refuses('messages are nested more than 100 deep', read, m, 'TypeProto')
      refuses('groups are nested more than 100 deep', read, key(60, 3):rep(1000), 'ModelProto')
   end)

   it('limits the number of values', function()
      refuses('it has more than 2097152 values', read, bytes.bytes(8, ('\0'):rep(2 ^ 21 + 1)), 'AttributeProto')
   end)
end)
