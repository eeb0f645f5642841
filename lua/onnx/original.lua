-- lua/onnx/original.lua - the net that onnx.save wrote a file from: its modules lie in the
-- metadata, and net() returns them.
--
-- The metadata have the key 'cresset.net'. Its value is the version of this form, a digest, the
-- packages of the classes, and in base64 a .t7 file of a table:
--    net      the net. A table stands in place of each tensor whose numbers need not be written:
--             { of = a storage, offset, size, stride }
--    tensors  a set of these tables, and of those for storages: { kind = name of the tensor type,
--             n = elements, parts }. Elements are zeros but for the parts: { from = name of an
--             initializer, at = its first element, offset, size, stride }
-- The digest is that of the graph, and of the initializers that no part is from. So another graph,
-- as tools make that change a file, has no such net. Changed weights have.
local ffi = require 'ffi'
local torch = require 'torch'
local base64 = require 'torch.base64'
local format = require 'torch.format'
local protobuf = require 'torch.protobuf'
local sha256 = require 'torch.sha256'
local decode = require 'onnx.decode'
local messages = require 'onnx.messages'
local types = require 'onnx.types'

local M = {}

M.KEY, M.VERSION = 'cresset.net', '1'

-- Packages that a net may need, by the first part of the names of their classes.
M.packages = { nn = 'nn', nngraph = 'nngraph', graph = 'nngraph', cudnn = 'cudnn', fbnn = 'fbnn',
   fbcunn = 'fbcunn', cunn = 'cunn' }

--- What f(...) returns, or nil after an error; Ctrl-C is passed on.
function M.attempt(f, ...)
   local ok, value = pcall(f, ...)
   if ok then return value end
   if tostring(value):find 'interrupted$' then error(value, 0) end
   return nil
end

-- ---- the digest ---------------------------------------------------------------------------------

local float = ffi.new 'float[1]'
local function single(x)
   float[0] = x
   return ('%.9g'):format(float[0])
end

local function same(x) return x end
local words = { f = single, i = tostring, s = same, floats = single, ints = tostring,
   strings = same }

-- The text of an attribute; nil for kinds that onnx.save does not write.
local function attribute_text(a)
   local field = messages.attributes[a.type or 0]
   local word, v = words[field], a[field]
   if not word or v == nil then return nil end
   local list = { a.name, field }
   for _, x in ipairs(type(v) == 'table' and v or { v }) do
      if type(x) == 'table' then return nil end
      list[#list + 1] = word(x)
   end
   return table.concat(list, '\0')
end

local function value_text(v)
   local t = v.type and v.type.tensor_type
   if not t then return nil end
   local list = { v.name, tostring(t.elem_type) }
   for _, dim in ipairs(t.shape and t.shape.dim or {}) do
      list[#list + 1] = tostring(dim.dim_value or dim.dim_param)
   end
   return table.concat(list, '\0')
end

-- The numbers of a contiguous tensor as a string.
local function bytes(t)
   local p, n = format.bytes(t)
   return n > 0 and ffi.string(p, n) or ''
end

--- The digest of a model.
-- @param m          a message ModelProto
-- @param is_part    set of the names of initializers whose numbers may change
-- @param tensor_of  function(name of an initializer): its tensor, contiguous
-- @return a text, or nil for models that onnx.save does not write
function M.digest(m, is_part, tensor_of)
   local list = {}
   local function add(...)
      for i = 1, select('#', ...) do list[#list + 1] = (select(i, ...)) end
   end
   for _, set in ipairs(m.opset_import or {}) do
      add('opset', set.domain or '', tostring(set.version))
   end
   for _, node in ipairs(m.graph.node or {}) do
      add('node', node.domain or '', node.op_type or '', table.concat(node.input or {}, '\0'),
         table.concat(node.output or {}, '\0'))
      for _, a in ipairs(node.attribute or {}) do
         local text = attribute_text(a)
         if not text then return nil end
         add(text)
      end
   end
   for _, way in ipairs { 'input', 'output' } do
      for _, v in ipairs(m.graph[way] or {}) do
         local text = value_text(v)
         if not text then return nil end
         add(way, text)
      end
   end
   for _, t in ipairs(m.graph.initializer or {}) do
      add('initializer', t.name, tostring(t.data_type), table.concat(t.dims or {}, ' '))
      if not is_part[t.name] then add(bytes(tensor_of(t.name))) end
   end
   return sha256.hex(sha256.sha256(table.concat(list, '\1')))
end

-- ---- storages -----------------------------------------------------------------------------------

local function bad(text, ...) error(('the net in its metadata: ' .. text):format(...), 0) end

local function is_count(v, least)
   return type(v) == 'number' and v % 1 == 0 and v >= least and v < 2 ^ 53
end

-- Whether a view { offset, size, stride } lies within n elements.
local function fits(view, n)
   if type(view.size) ~= 'table' or type(view.stride) ~= 'table' then return false end
   if not is_count(view.offset, 0) then return false end
   local last = view.offset
   for d, size in ipairs(view.size) do
      if not is_count(size, 1) or not is_count(view.stride[d], 0) then return false end
      last = last + (size - 1) * view.stride[d]
   end
   return #view.size > 0 and #view.size == #view.stride and last < n
end

-- A tensor of the class `make` on a storage.
local function view_of(make, storage, view)
   return make():set(storage, view.offset + 1, torch.LongStorage(view.size),
      torch.LongStorage(view.stride))
end

-- The numbers of a contiguous tensor `from` to their places in a storage. Of equal ones, for a
-- dimension of stride 0, the first.
local function put(make, storage, part, from)
   from = from:view(-1):narrow(1, part.at + 1, types.count(part.size))
   from = from:view(torch.LongStorage(part.size))
   local size = {}
   for d, n in ipairs(part.size) do
      size[d] = n
      if part.stride[d] == 0 and n > 1 then from, size[d] = from:narrow(d, 1, 1), 1 end
   end
   view_of(make, storage, { offset = part.offset, size = size, stride = part.stride }):copy(from)
end

--- The storage for an entry { kind, n, parts }. An error tells what does not fit.
-- @param tensor_of  function(name of an initializer): its tensor, or nil
function M.storage(entry, tensor_of)
   local kind = entry.kind
   local is_kind = type(kind) == 'string' and kind:find '^%u%w*Tensor$' and not kind:find 'Cuda'
   local make = is_kind and torch[kind]
   if not make or not is_count(entry.n, 0) or type(entry.parts) ~= 'table' then
      bad 'a storage is garbage'
   end
   local all = make(entry.n):zero()
   for _, part in ipairs(entry.parts) do
      local from = type(part) == 'table' and tensor_of(part.from)
      if not from or from:type() ~= all:type() or not fits(part, entry.n)
         or not is_count(part.at, 0)
         or part.at + types.count(part.size) > from:nElement() then
         bad('its weights do not fit the initializers')
      end
      put(make, all:storage(), part, from)
   end
   return all:storage(), make
end

-- ---- reading ------------------------------------------------------------------------------------

-- Bytes that a net may have: beside a multiple of the initializers' for weights, gradients, and
-- what optimizers keep.
local ZEROS, MULTIPLE = 2 ^ 20, 8

--- The most bytes of storages that a model may ask for.
-- @param bytes  of its initializers
function M.most(bytes) return ZEROS + MULTIPLE * bytes end

local function is_view(entry) return entry.of ~= nil end

-- What each entry of a set of them stands for, by entry.
local function values_of(entries, tensor_of, most)
   local values, makes, bytes = {}, {}, 0
   for entry in pairs(entries) do
      if type(entry) ~= 'table' then bad 'an entry is no table' end
      if not is_view(entry) then
         bytes = bytes + (is_count(entry.n, 0) and entry.n or 0) * 8
         if bytes > most then bad 'it has more numbers than the model' end
         values[entry], makes[entry] = M.storage(entry, tensor_of)
      end
   end
   for entry in pairs(entries) do
      if is_view(entry) then
         local storage = values[entry.of]
         if not storage or not makes[entry.of] or not fits(entry, entry.of.n) then
            bad 'a tensor is garbage'
         end
         values[entry] = view_of(makes[entry.of], storage, entry)
      end
   end
   return values
end

--- Puts values in place of others in all tables that an object refers to.
-- @param change  function(v): what replaces v, or nil
function M.replace(object, change)
   local stack, seen = { object }, { [object] = true }
   local function visit(v)
      if type(v) == 'table' and not seen[v] then
         seen[v] = true
         stack[#stack + 1] = v
      end
   end
   while #stack > 0 do
      local t = table.remove(stack)
      for k, v in next, t do
         local new = change(v)
         if new ~= nil then
            rawset(t, k, new)
         else
            visit(k)
            visit(v)
         end
      end
   end
end

local function text_of(m, fetch)
   for _, entry in ipairs(m.metadata_props or {}) do
      if entry.key == M.KEY then return protobuf.text(entry.value, fetch) end
   end
end

local function read(m, fetch, external)
   local text = text_of(m, fetch)
   if not text then return nil end
   local version, digest, packages, coded = text:match '^(%d+) (%x+) ([%w,]*) ([%w+/=]+)$'
   local bytes = version == M.VERSION and base64.decode(coded)
   if not bytes then return nil end
   for name in packages:gmatch '[^,]+' do
      if M.packages[name] then require(M.packages[name]) end
   end
   local object = torch.deserialize(bytes, { unsafe = false })
   local initializers, tensors, is_part, size = {}, {}, {}, 0
   for _, t in ipairs(m.graph.initializer or {}) do
      initializers[t.name or ''] = t
      size = size + 8 * types.count(t.dims or {})
   end
   for entry in pairs(object.tensors) do
      for _, part in ipairs(not is_view(entry) and entry.parts or {}) do
         is_part[part.from] = true
      end
   end
   local function tensor_of(name)
      if not tensors[name] and initializers[name] then
         tensors[name] = decode.tensor(initializers[name], fetch, external)
      end
      return tensors[name]
   end
   if digest ~= M.digest(m, is_part, tensor_of) then return nil end
   local values = values_of(object.tensors, tensor_of, M.most(size))
   M.replace(object, function(v) return values[v] end)
   return torch.isTypeOf(object.net, 'nn.Module') and object.net or nil
end

--- The net that a model was written from, or nil: the file has none, or its graph is another one,
-- or a class is unknown here.
-- @param m  a message ModelProto, read by `fetch` and `external`
function M.read(m, fetch, external)
   if not text_of(m, fetch) then return nil end
   return M.attempt(read, m, fetch, external)
end

return M
