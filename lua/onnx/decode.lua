-- lua/onnx/decode.lua - values from the messages TensorProto, SparseTensorProto, SequenceProto, OptionalProto and TypeProto.
local ffi = require 'ffi'
local interpret = require 'torch.interpret'
local protobuf = require 'torch.protobuf'
local source = require 'feed.source'
local types = require 'onnx.types'
local messages = require 'onnx.messages'
local formats = require 'onnx.formats'

local M = {}

-- Messages of files beside a model: test data hold them.
messages.SequenceProto = { [1] = { 'name', 'string' }, [2] = { 'elem_type', 'enum' }, [3] = { 'tensor_values', 'TensorProto',
   'repeated' },
   [4] = { 'sparse_tensor_values', 'SparseTensorProto', 'repeated' }, [5] = { 'sequence_values', 'SequenceProto', 'repeated' },
   [6] = { 'map_values', 'MapProto', 'repeated' }, [7] = { 'optional_values', 'OptionalProto', 'repeated' } }
messages.MapProto = { [1] = { 'name', 'string' }, [2] = { 'key_type', 'int32' }, [3] = { 'keys', 'int64', 'repeated' },
   [4] = { 'string_keys', 'bytes', 'repeated' }, [5] = { 'values', 'SequenceProto' } }
messages.OptionalProto = { [1] = { 'name', 'string' }, [2] = { 'elem_type', 'enum' }, [3] = { 'tensor_value', 'TensorProto' },
   [4] = { 'sparse_tensor_value', 'SparseTensorProto' }, [5] = { 'sequence_value', 'SequenceProto' }, [6] = { 'map_value',
      'MapProto' },
   [7] = { 'optional_value', 'OptionalProto' } }

local function fail(m, text, ...) error(("tensor '%s': " .. text):format(m.name or '', ...), 0) end

-- ---- shapes and bytes ----------------------------------------------------------------------------------------------

local MOST = 2 ^ 40
local function shape_of(m)
   local shape, n = {}, 1
   for d, size in ipairs(m.dims or {}) do
      if size < 0 or size > MOST then fail(m, 'size %d must lie in 0..2^40, got %s', d, tostring(size)) end
      shape[d] = size
      n = n * math.max(size, 1)
      if n > MOST then fail(m, 'its %d sizes give too many elements', #m.dims) end
   end
   if #shape > 14 then fail(m, 'it has more than 14 dimensions: %d', #shape) end
   return shape, types.count(shape)
end

-- Bits of an element in raw_data.
local bits = { float = 32, double = 64, float16 = 16, bfloat16 = 16, int8 = 8, int16 = 16, int32 = 32, int64 = 64, uint8 = 8,
   uint16 = 16, uint32 = 32, uint64 = 64, bool = 8, complex64 = 64, complex128 = 128, float8e4m3fn = 8, float8e4m3fnuz = 8,
   float8e5m2 = 8, float8e5m2fnuz = 8, float8e8m0 = 8, int4 = 4, uint4 = 4, float4e2m1 = 4, int2 = 2, uint2 = 2 }

--- Bytes that n elements of a type take in raw_data.
function M.bytes(name, n) return math.ceil(n * bits[name] / 8) end

-- Types whose elements in memory have the same bits as in raw_data.
local direct = { float = true, double = true, float16 = true, bfloat16 = true, int8 = true, int16 = true, int32 = true,
   int64 = true,
   uint8 = true, uint64 = true, complex64 = true, complex128 = true }

-- Other types: elements from codes, whole numbers of `bits` bits each.
local function from_codes(name, t, codes, n)
   if n == 0 then return t end
   if name == 'bool' then
      local p = t:data()
      for i = 0, n - 1 do p[i] = codes[i] ~= 0 and 1 or 0 end
   elseif name == 'uint16' or name == 'uint32' then
      local p = t:data()
      for i = 0, n - 1 do p[i] = codes[i] end
   else
      formats.decode(name, t, codes, n)
   end
   return t
end

local code_types = { [8] = 'uint8_t', [16] = 'uint16_t', [32] = 'uint32_t' }

local function from_raw(m, name, t, n, fetch, place, size)
   local need = M.bytes(name, n)
   if size ~= need then fail(m, '%.0f elements of %s take %.0f bytes, got %.0f', n, name, need, size) end
   if n == 0 then return t end
   if direct[name] then
      fetch(ffi.cast('uint8_t *', t:data()), need, place)
      return t
   end
   local width = bits[name]
   local room = ffi.new('uint8_t[?]', need + 4)
   fetch(room, need, place)
   if width >= 8 then return from_codes(name, t, ffi.cast(code_types[width] .. ' *', room), n) end
   local codes, per = ffi.new('uint8_t[?]', n), 8 / width
   for i = 0, n - 1 do
      codes[i] = bit.band(bit.rshift(room[math.floor(i / per)], i % per * width), 2 ^ width - 1)
   end
   return from_codes(name, t, codes, n)
end

-- ---- typed fields --------------------------------------------------------------------------------------------------

local field_of = { float = 'float_data', complex64 = 'float_data', double = 'double_data', complex128 = 'double_data',
   int64 = 'int64_data', uint64 = 'uint64_data', uint32 = 'uint64_data' }

local function from_field(m, name, t, n)
   local field = field_of[name] or 'int32_data'
   local data = m[field]
   local width = bits[name]
   local want = name:sub(1, 7) == 'complex' and 2 * n or width < 8 and math.ceil(n * width / 8) or n
   local got = data and data:nElement() or 0
   if got ~= want then fail(m, '%.0f elements of %s are needed in %s, got %.0f', want, name, field, got) end
   if n == 0 then return t end
   if field ~= 'int32_data' and name ~= 'uint32' then
      ffi.copy(t:data(), data:data(), t:bytes())
   elseif name == 'uint32' then
      t:copy(data:view(t:size()))
   elseif name == 'int32' or name == 'int16' or name == 'int8' or name == 'uint8' then
      types.view(t, { n }):copy(data)
   else
      local p = data:data()
      local codes = ffi.new('uint8_t[?]', n)
      if width >= 8 then
         codes = ffi.new(code_types[width] .. '[?]', n)
         for i = 0, n - 1 do codes[i] = ffi.cast(code_types[width], p[i]) end
      else
         local per = 8 / width
         for i = 0, n - 1 do
            codes[i] = bit.band(bit.rshift(tonumber(p[math.floor(i / per)]), i % per * width), 2 ^ width - 1)
         end
      end
      if name == 'float16' or name == 'bfloat16' then
         ffi.copy(t:data(), codes, 2 * n)
      else
         from_codes(name, t, codes, n)
      end
   end
   return t
end

-- ---- tensors -------------------------------------------------------------------------------------------------------

--- The name of an element type; an error for numbers without one.
function M.type_name(number, what)
   local name = messages.types[number or 0]
   if not name or name == 'undefined' then error(('%s: there is no element type %s'):format(what, tostring(number)), 0) end
   return name
end

local function strings(m, shape, n, fetch)
   local data = m.string_data or {}
   if #data ~= n then fail(m, '%.0f strings are needed, got %d', n, #data) end
   local list = { shape = shape }
   for i = 1, n do list[i] = protobuf.text(data[i], fetch) end
   return list
end

-- Elements from which on loops over them are worth compiling.
local MANY = 4096
local function plain(f, ...) return f(...) end

--- Bytes from which on tensor() says where floats lie.
M.LARGE = 2 ^ 14

--- The value of a TensorProto, its type, and of many floats in a file { source, place }: where they
-- lie.
-- @param fetch     reads bytes of the file that holds the message: protobuf.read
-- @param external  function(message, bytes): returns fetch, place, size of external data (optional: refused)
-- @param later     whether many floats in a file are not read; { pending = the tensor } tells then
function M.tensor(m, fetch, external, later)
   local name = M.type_name(m.data_type, ("tensor '%s'"):format(m.name or ''))
   local shape, n = shape_of(m)
   if name == 'string' then return strings(m, shape, n, fetch), name end
   local from, place, size = fetch, nil, nil
   if m.data_location == 1 then
      if not external then fail(m, 'its data lie in another file, which is not read here') end
      from, place, size = external(m, M.bytes(name, n))
   elseif type(m.raw_data) == 'table' then
      place, size = m.raw_data.place, m.raw_data.size
   elseif m.raw_data then
      from, place, size = protobuf.of_text(m.raw_data), 0, #m.raw_data
   end
   if size and size ~= M.bytes(name, n) then
      fail(m, '%.0f elements of %s take %.0f bytes, got %.0f', n, name, M.bytes(name, n), size)
   end
   if not size then                                        -- compare before memory is allocated
      local data = m[field_of[name] or 'int32_data']
      if n > 0 and (not data or n > 8 * data:nElement()) then
         fail(m, '%.0f elements of %s are needed, got %.0f', n, name, data and data:nElement() or 0)
      end
   end
   if name:sub(1, 7) == 'complex' then shape[#shape + 1] = 2 end
   local t = types.empty(name, shape)
   local call = n > MANY and interpret.compile or plain
   if size then
      local file = name == 'float' and size >= M.LARGE and source.file_of(from)
      local origin = file and { source = file, place = place }
      if origin and later then
         origin.pending = t
         return t, name, origin
      end
      return call(from_raw, m, name, t, n, from, place, size), name, origin
   end
   return call(from_field, m, name, t, n), name
end

--- The value of a SparseTensorProto, as a tensor with all its elements.
function M.sparse(m, fetch, external)
   if not m.values or not m.indices then error('a sparse tensor needs values and indices', 0) end
   local values, name = M.tensor(m.values, fetch, external)
   local indices = M.tensor(m.indices, fetch, external)
   local shape, n = shape_of { name = m.values.name, dims = m.dims }
   if name == 'string' or name:sub(1, 7) == 'complex' then fail(m.values, 'a sparse tensor must hold numbers, got %s', name) end
   if n > 2 ^ 31 then fail(m.values, 'a sparse tensor of %.0f elements is too large', n) end
   local t = types.full(name, shape, 0)
   local count, flat, list, rank = values:nElement(), types.view(t, { n }), types.numbers(indices), #shape
   local linear = types.rank(indices) == 1
   if #list ~= count * (linear and 1 or rank) then fail(m.values, '%d values have %d indices', count, #list) end
   for i = 1, count do
      local at = 0
      if linear then at = list[i]
      else
         for d = 1, rank do
            local k = list[(i - 1) * rank + d]
            if k < 0 or k >= shape[d] then fail(m.values, 'index %s is outside of dimension %d', tostring(k), d) end
            at = at * shape[d] + k
         end
      end
      if at < 0 or at >= n then fail(m.values, 'index %s is outside of the tensor', tostring(at)) end
      flat:narrow(1, at + 1, 1):copy(values:narrow(1, i, 1))
   end
   return t, name
end

-- ---- sequences, maps, optionals ------------------------------------------------------------------------------------

local kinds = { 'tensor', 'sparse_tensor', 'sequence', 'map', 'optional' }

local function read_kind(m, kind, fetch)
   if kind == 'tensor' then return M.tensor(m, fetch)
   elseif kind == 'sparse_tensor' then return M.sparse(m, fetch)
   elseif kind == 'sequence' then return M.sequence(m, fetch)
   elseif kind == 'optional' then return M.optional(m, fetch) end
   return M.map(m, fetch)
end

--- The value of a SequenceProto, a list, and its type.
function M.sequence(m, fetch)
   local kind = kinds[m.elem_type or 1] or error(('a sequence has elements of kind %s'):format(tostring(m.elem_type)), 0)
   local list, inner = {}, 'float'
   for i, entry in ipairs(m[kind .. '_values'] or {}) do list[i], inner = read_kind(entry, kind, fetch) end
   return list, 'seq(' .. inner .. ')'
end

--- The value of a MapProto, a table, and its type.
function M.map(m, fetch)
   local values, inner = M.sequence(m.values or {}, fetch)
   local map, keys = {}, m.string_keys or m.keys or {}
   for i, key in ipairs(keys) do map[protobuf.text(key, fetch)] = values[i] end
   return map, ('map(%s,%s)'):format(m.string_keys and 'string' or 'int64', inner:match '^seq%((.*)%)$')
end

--- The value of an OptionalProto, which may be nil, and its type.
function M.optional(m, fetch)
   local kind = kinds[m.elem_type or 0]
   local entry = kind and m[kind .. '_value']
   if not entry then return nil, 'optional(float)' end
   local value, inner = read_kind(entry, kind, fetch)
   return value, 'optional(' .. inner .. ')'
end

--- The type and, of tensors, the shape of a TypeProto: sizes are numbers, symbolic names or '?'.
function M.type_of(m, what, depth)
   depth = depth or 1
   if depth > 8 then error(what .. ': its type is nested more than 8 deep', 0) end
   if not m then return nil end
   local tensor = m.tensor_type or m.sparse_tensor_type
   if tensor then
      local shape
      if tensor.shape then
         shape = {}
         for d, dim in ipairs(tensor.shape.dim or {}) do
            shape[d] = dim.dim_value or (dim.dim_param ~= '' and dim.dim_param) or '?'
         end
      end
      return M.type_name(tensor.elem_type, what), shape
   elseif m.sequence_type then
      return 'seq(' .. (M.type_of(m.sequence_type.elem_type, what, depth + 1) or 'float') .. ')'
   elseif m.optional_type then
      return 'optional(' .. (M.type_of(m.optional_type.elem_type, what, depth + 1) or 'float') .. ')'
   elseif m.map_type then
      return ('map(%s,%s)'):format(M.type_name(m.map_type.key_type, what), M.type_of(m.map_type.value_type, what, depth + 1)
         or 'float')
   end
end

--- The value in a file of a TensorProto, SequenceProto or OptionalProto, as test data have them, and its type.
function M.file(path, message)
   return source.with(path, function(s, size)
      local fetch = source.fetch(s)
      local m = protobuf.read(fetch, size, messages[message], messages)
      local way = message == 'TensorProto' and M.tensor or message == 'SequenceProto' and M.sequence or M.optional
      return way(m, fetch)
   end)
end


return M
