-- test/support/onnx_bytes.lua - bytes of ONNX models for specs, from tables of the form of lua/onnx/messages.lua.
local ffi = require 'ffi'
local messages = require 'onnx.messages'

local M = {}

--- A varint of a number from -2^53 to 2^53.
function M.varint(n)
   local v, s = ffi.cast('uint64_t', ffi.cast('int64_t', n)), {}
   repeat
      local low = tonumber(v % 128)
      v = v / 128
      s[#s + 1] = string.char(v > 0 and low + 128 or low)
   until v == 0
   return table.concat(s)
end

--- The bytes of numbers in a C type.
function M.raw(ctype, list)
   local p = ffi.new(ctype .. '[?]', math.max(#list, 1), list)
   return ffi.string(p, ffi.sizeof(ctype) * #list)
end

--- n numbers between -1/4 and 1/4, others for each seed.
function M.numbers(n, seed)
   local list = {}
   for i = 1, n do list[i] = ((i * 7919 + seed * 104729) % 1009 - 504) / 2016 end
   return list
end

--- A field with a length.
function M.bytes(number, text) return M.varint(8 * number + 2) .. M.varint(#text) .. text end

local wires = { float = 5, double = 1 }

local function number(kind, v)
   return wires[kind] and M.raw(kind, { v }) or M.varint(v)
end

local function field(id, f, v)
   local kind, many = f[2], f[3]
   if many == 'packed' then
      local parts = {}
      for i, x in ipairs(v) do parts[i] = number(kind, x) end
      return M.bytes(id, table.concat(parts))
   end
   local parts = {}
   for i, x in ipairs(many and v or { v }) do
      if messages[kind] then parts[i] = M.bytes(id, M.encode(kind, x))
      elseif kind == 'string' or kind == 'bytes' then parts[i] = M.bytes(id, x)
      else parts[i] = M.varint(8 * id + (wires[kind] or 0)) .. number(kind, x) end
   end
   return table.concat(parts)
end

--- The bytes of a message.
function M.encode(name, t)
   local ids, parts = {}, {}
   for id in pairs(messages[name]) do ids[#ids + 1] = id end
   table.sort(ids)
   for _, id in ipairs(ids) do
      local f = messages[name][id]
      if t[f[1]] ~= nil then parts[#parts + 1] = field(id, f, t[f[1]]) end
   end
   return table.concat(parts)
end

-- ---- short forms ---------------------------------------------------------------------------------------------------

--- A value of a graph: info('x', 'float', { 2, 'n' }).
function M.info(name, kind, shape)
   local dims = {}
   for d, size in ipairs(shape or {}) do dims[d] = type(size) == 'number' and { dim_value = size } or { dim_param = size } end
   return { name = name, type = { tensor_type = { elem_type = messages.type_numbers[kind or 'float'], shape = shape
      and { dim = dims } } } }
end

local kinds = { number = { 'i', 2 }, string = { 's', 3 } }

--- An attribute: whole numbers, texts, { f = 0.5 } for floats, { ints = ... } and other fields by their name.
function M.attribute(name, v)
   if type(v) == 'table' then
      local key, value = next(v)
      for i, field_name in ipairs(messages.attributes) do
         if field_name == key then return { name = name, type = i, [key] = value } end
      end
   end
   return { name = name, type = kinds[type(v)][2], [kinds[type(v)][1]] = v }
end

--- A node: node('Add', { 'x', 'y' }, { 'z' }, { axis = 1 }).
function M.node(op, inputs, outputs, attributes, name)
   local list, names = {}, {}
   for key in pairs(attributes or {}) do names[#names + 1] = key end
   table.sort(names)
   for i, key in ipairs(names) do list[i] = M.attribute(key, attributes[key]) end
   return { op_type = op, input = inputs, output = outputs, attribute = list, name = name or outputs[1] }
end

--- A tensor of floats or int64: tensor('w', 'float', { 2, 2 }, { 1, 2, 3, 4 }).
function M.tensor(name, kind, shape, list)
   return { name = name, data_type = messages.type_numbers[kind], dims = shape,
      raw_data = M.raw(({ float = 'float', double = 'double', int64 = 'int64_t', int32 = 'int32_t', uint8 = 'uint8_t',
         bool = 'uint8_t' })[kind],
         list) }
end

--- A model: model({ nodes }, { inputs }, { outputs }, { initializers }, more fields).
function M.model(nodes, inputs, outputs, initializers, more)
   local m = { ir_version = 8, opset_import = { { version = 17 } },
      graph = { name = 'g', node = nodes, input = inputs, output = outputs, initializer = initializers } }
   for key, value in pairs(more or {}) do m[key] = value end
   return m
end

--- Writes a model to a file.
function M.write(path, m)
   local f = assert(io.open(path, 'wb'))
   f:write(type(m) == 'string' and m or M.encode('ModelProto', m))
   f:close()
   return path
end

return M
