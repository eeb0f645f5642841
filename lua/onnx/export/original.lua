-- lua/onnx/export/original.lua - the net that is written as ONNX, as text for the metadata of its
-- file: onnx/original.lua.
local ffi = require 'ffi'
local torch = require 'torch'
local base64 = require 'torch.base64'
local original = require 'onnx.original'
local types = require 'onnx.types'

local M = {}

local MOST_VIEWS = 64                        -- of one initializer
local SMALL = 64                             -- elements up to which zeros are written
local MOST = 2 ^ 26                          -- bytes of the net without what initializers have

ffi.cdef 'int memcmp(const void *a, const void *b, size_t bytes);'

-- ---- where the elements of an initializer are from ----------------------------------------------

-- The longest regular pattern of n places in memory: their number, sizes and strides, the largest
-- ones first.
local function pattern_of(places, n)
   local size, stride, block = {}, {}, 1
   while block < n do
      local step, count = places[block] - places[0], 1
      local function follows()
         local at = count * block
         if at + block > n then return false end
         for i = 0, block - 1 do
            if places[at + i] ~= places[i] + count * step then return false end
         end
         return true
      end
      while step >= 0 and follows() do count = count + 1 end
      if count == 1 then break end
      table.insert(size, 1, count)
      table.insert(stride, 1, step)
      block = block * count
   end
   if block == 1 then return 1, { 1 }, { 1 } end
   return block, size, stride
end

-- The elements of the contiguous tensor p that an initializer has, as views of p. An empty list if
-- it computes others.
local function views_of(p, change)
   local n = tonumber(p:nElement())
   local whole = { { at = 0, offset = 0, size = { n }, stride = { 1 } } }
   if not change then return whole end
   local made = change(p)
   if made:nElement() == n and made:isContiguous() and made:data() == p:data() then return whole end
   local ok, order = pcall(change, torch.DoubleTensor():range(0, n - 1):view(p:size()))
   if not ok then return {} end
   order = order:contiguous()
   local places, count, at, views = order:data(), tonumber(order:nElement()), 0, {}
   while at < count do
      if #views == MOST_VIEWS then return {} end
      local length, size, stride = pattern_of(places + at, count - at)
      views[#views + 1] = { at = at, offset = places[at], size = size, stride = stride }
      at = at + length
   end
   return views
end

-- The parts of each storage of the net, by the address of its elements.
-- @param kind_of  function(name of an initializer): the type of its tensor, or nil
local function parts_of(pieces, kind_of)
   local parts = {}
   for _, piece in ipairs(pieces) do
      local p = piece.module[piece.field]
      local fits = torch.isTensor(p) and p:nElement() > 0 and p:isContiguous()
         and p:type() == kind_of(piece.name)
      for _, view in ipairs(fits and views_of(p, piece.change) or {}) do
         view.from, view.offset = piece.name, view.offset + tonumber(p:storageOffset()) - 1
         local key = torch.pointer(p:storage())
         parts[key] = parts[key] or {}
         table.insert(parts[key], view)
      end
   end
   return parts
end

-- ---- tensors as entries -------------------------------------------------------------------------

local Entries = {}
Entries.__index = Entries

local function equal(s, t)
   return #s == #t and ffi.C.memcmp(s:data(), t:data(), #s * s:elementSize()) == 0
end

-- The entry for a storage; false if its elements must be written.
function Entries:storage(s)
   local key = torch.pointer(s)
   if self.of_storage[key] ~= nil then return self.of_storage[key] end
   local entry = false
   local parts = self.parts[key] or {}
   if #parts > 0 or #s > SMALL then
      local kind = torch.typename(s):match '^torch%.(.*)Storage$' .. 'Tensor'
      entry = { kind = kind, n = #s, parts = parts }
      if not equal(s, (original.storage(entry, self.tensor_of))) then entry = false end
   end
   if entry then
      self.bytes = self.bytes + 8 * entry.n
      for _, part in ipairs(parts) do self.is_part[part.from] = true end
      self.set[entry] = true
   end
   self.of_storage[key] = entry
   return entry
end

function Entries:tensor(t)
   if t:nElement() == 0 or t:dim() == 0 then return nil end
   local of = self:storage(t:storage())
   if not of then return nil end
   local entry = { of = of, offset = tonumber(t:storageOffset()) - 1, size = {}, stride = {} }
   for d = 1, t:dim() do
      entry.size[d], entry.stride[d] = tonumber(t:size(d)), tonumber(t:stride(d))
   end
   self.set[entry] = true
   return entry
end

-- What is written in place of a value, or nil. Functions are code, which no file may bring.
function Entries:entry(v)
   if torch.isTensor(v) then
      self.of_tensor[v] = self.of_tensor[v] or self:tensor(v) or false
      return self.of_tensor[v] or nil
   elseif torch.isStorage(v) then
      return self:storage(v) or nil
   elseif type(v) == 'function' then
      error('it holds a function', 0)
   elseif type(v) == 'table' then
      local name = torch.typename(v)
      local package = name == 'nn.gModule' and 'nngraph' or name and name:match '^[^.]*'
      if package then self.packages[package] = true end
   end
end

-- ---- the text -----------------------------------------------------------------------------------

local function text_of(net, kind, pieces, message, tensor_of, kind_of)
   net:type(kind)
   net:clearState()
   net:zeroGradParameters()
   local size = 0
   for _, t in ipairs(message.graph.initializer) do size = size + 8 * types.count(t.dims) end
   local entries = setmetatable({ parts = parts_of(pieces, kind_of), tensor_of = tensor_of,
      set = {}, bytes = 0, is_part = {}, of_storage = {}, of_tensor = {}, packages = {} }, Entries)
   local object = { net = net }
   original.replace(object, function(v) return entries:entry(v) end)
   if entries.bytes > original.most(size) then return nil end
   object.tensors = entries.set
   local bytes = torch.serialize(object)
   local digest = #bytes <= MOST and original.digest(message, entries.is_part, tensor_of)
   if not digest then return nil end
   local packages = {}
   for name in pairs(entries.packages) do packages[#packages + 1] = original.packages[name] end
   table.sort(packages)
   return ('%s %s %s %s'):format(original.VERSION, digest, table.concat(packages, ','),
      base64.encode(bytes))
end

--- The text for a net, or nil: it holds functions, or is too large, or cannot be written as .t7.
-- @param net        a copy, which changes
-- @param kind       the type of its tensors in the file, for example 'torch.FloatTensor'
-- @param pieces     of the context: which initializers are from which fields of modules
-- @param message    the ModelProto
-- @param tensor_of  function(name of an initializer): its tensor, contiguous
-- @param kind_of    function(name of an initializer): the type of that; nil if there is none
function M.text(net, kind, pieces, message, tensor_of, kind_of)
   return original.attempt(text_of, net, kind, pieces, message, tensor_of, kind_of)
end

return M
