-- lua/onnx/export/graph.lua - the nodes and initializers of a graph that is written, with short ways to common ones.
local torch = require 'torch'
local Value = require 'onnx.export.value'

local Graph = {}
Graph.__index = Graph

-- Attributes with numbers of floating point; all others are whole numbers, strings or tensors.
local FLOATS = { alpha = true, beta = true, epsilon = true, gamma = true, bias = true, lambd = true }
local KINDS = { f = 1, i = 2, s = 3, t = 4, floats = 6, ints = 7, strings = 8 }

--- @param opset  version of the operators
-- @param float   type of the elements: 'float', 'double' or 'float16'
function Graph.new(opset, float)
   return setmetatable({ opset = opset, float = float, nodes = {}, initializers = {}, used = {}, defined = {}, constants = {},
      pieces = {}, where = '' }, Graph)
end

--- A name that no other value of the graph has, made from `base`.
function Graph:unique(base)
   local n = (self.used[base] or 0) + 1
   self.used[base] = n
   if n == 1 then return base end
   return self:unique(('%s_%d'):format(base, n))
end

local function attribute(name, v)
   local kind = type(v)
   if kind == 'number' then
      if FLOATS[name] then return { name = name, type = KINDS.f, f = v } end
      return { name = name, type = KINDS.i, i = v }
   elseif kind == 'string' then
      return { name = name, type = KINDS.s, s = v }
   elseif type(v[1]) == 'string' then
      return { name = name, type = KINDS.strings, strings = v }
   elseif FLOATS[name] then
      return { name = name, type = KINDS.floats, floats = v }
   end
   return { name = name, type = KINDS.ints, ints = v }
end

--- Adds a node. Returns the names of its outputs.
-- @param op          name of the operator
-- @param inputs      names and values; '' leaves one out
-- @param attributes  by name (optional)
-- @param n           how many outputs (default 1)
function Graph:op(op, inputs, attributes, n)
   local node = { op_type = op, input = {}, output = {}, attribute = {} }
   for i, x in ipairs(inputs) do node.input[i] = Value.is(x) and x.name or x end
   local names = {}
   for name in pairs(attributes or {}) do names[#names + 1] = name end
   table.sort(names)
   for i, name in ipairs(names) do node.attribute[i] = attribute(name, attributes[name]) end
   local base = (self.where ~= '' and self.where .. '.' or '') .. op
   node.name = self:unique(base)
   for i = 1, n or 1 do
      node.output[i] = i == 1 and node.name or self:unique(('%s.%d'):format(node.name, i))
      self.defined[node.output[i]] = true
   end
   self.nodes[#self.nodes + 1] = node
   return unpack(node.output)
end

-- ---- constants -----------------------------------------------------------------------------------------------------

local function add_initializer(self, name, tensor, type)
   self.initializers[#self.initializers + 1] = { name = name, tensor = tensor, type = type }
   self.defined[name] = true
   return name
end

--- The name of an initializer that holds a tensor; float tensors have the type of the graph.
-- @param hint  last part of the name
function Graph:constant(tensor, hint, type)
   local base = (self.where ~= '' and self.where .. '.' or '') .. (hint or 'constant')
   return add_initializer(self, self:unique(base), tensor, type or Value.type_of(tensor, self.float))
end

--- An initializer for the parameter m[field], the same for modules that share it. `change` makes another tensor of it; `form`
-- says which change that is.
-- @param hint  last part of the name (default: field)
function Graph:weight(m, field, form, change, hint)
   local p = m[field]
   local sizes = {}
   for d = 1, p:dim() do sizes[d] = ('%d/%d'):format(p:size(d), p:stride(d)) end
   local key = ('%s %d %s %s %s'):format(p:nElement() > 0 and tostring(torch.pointer(p:storage())) or p:type(),
      p:nElement() > 0 and p:storageOffset() or 0, table.concat(sizes, 'x'), form or '', self.float)
   if not self.constants[key] then
      self.constants[key] = self:constant(change and change(p) or p, hint or field)
      table.insert(self.pieces, { module = m, field = field, change = change,
         name = self.constants[key] })
   end
   return self.constants[key]
end

--- A number of floating point as a tensor without dimensions, or with `dims` of size 1.
function Graph:number(x, dims, type)
   type = type or self.float
   local key = ('number %.17g %s %s'):format(x, dims or 0, type)
   if not self.constants[key] then
      local t = torch.DoubleTensor(1):fill(x)
      local name = add_initializer(self, self:unique 'number', t, type)
      self.initializers[#self.initializers].dims = dims and { 1 } or {}
      self.constants[key] = name
   end
   return self.constants[key]
end

--- A vector of int64 numbers; a single number gives a tensor without dimensions.
function Graph:ints(list)
   local single = type(list) == 'number'
   local key = single and ('int %d'):format(list) or 'ints ' .. table.concat(list, ' ')
   if not self.constants[key] then
      local t = torch.LongTensor(single and { list } or list)
      if not single and #list == 0 then t = torch.LongTensor() end
      self.constants[key] = add_initializer(self, self:unique 'ints', t, 'int64')
      self.initializers[#self.initializers].dims = single and {} or { #list }
   end
   return self.constants[key]
end

-- ---- short ways ----------------------------------------------------------------------------------------------------

local NUMBERS = { float = 1, uint8 = 2, int8 = 3, int16 = 5, int32 = 6, int64 = 7, bool = 9, float16 = 10, double = 11, bfloat16 = 16 }
Graph.type_numbers = NUMBERS

function Graph:cast(x, type) return self:op('Cast', { x }, { to = NUMBERS[type] }) end

function Graph:unsqueeze(x, axes) return self:op('Unsqueeze', { x, self:ints(axes) }) end
function Graph:squeeze(x, axes) return self:op('Squeeze', { x, self:ints(axes) }) end

--- A part of x along an axis (from 0): first (from 0) to last, not included; step is 1 by default.
function Graph:slice(x, axis, first, last, step)
   return self:op('Slice', { x, self:ints { first }, self:ints { last }, self:ints { axis }, step and self:ints { step } or nil })
end

function Graph:transpose(x, perm) return self:op('Transpose', { x }, { perm = perm }) end

local AXES_IN = { ReduceMean = 18, ReduceMax = 18, ReduceMin = 18, ReduceL1 = 18, ReduceL2 = 18, ReduceSumSquare = 18, ReduceSum = 13 }

--- A reduction over axes (from 0), whose form depends on the opset.
function Graph:reduce(op, x, axes, keep)
   local kept = keep and 1 or 0
   if self.opset >= AXES_IN[op] then return self:op(op, { x, self:ints(axes) }, { keepdims = kept }) end
   return self:op(op, { x }, { axes = axes, keepdims = kept })
end

--- The sizes of x as a vector of int64, from the tensor that comes at run time.
function Graph:shape(x) return self:op('Shape', { x }) end

-- An entry for Reshape: a number, or the name of a vector of one number.
local function dimension(self, x, y, d)
   for i = 1, x:dim() do
      if x.sizes[i] == y.sizes[d] and x.u:size(i) == y.u:size(d) then
         return self:slice(self:shape(x), 0, i - 1, i)
      end
   end
   for i = 1, x:dim() do
      local k = y.sizes[d] / x.sizes[i]
      if x.varies[i] and k % 1 == 0 and x.u:size(i) * k == y.u:size(d) then
         return self:op('Mul', { self:slice(self:shape(x), 0, i - 1, i), self:ints { k } })
      end
   end
   self:need_fixed()
end

--- Refuses a batch of any size: the graph is written again for the size of the example.
function Graph:need_fixed() error(self.fixed_sizes or 'onnx.export: a size must be fixed', 0) end

--- The size of x along dimension d (from 1), which must not depend on the batch.
function Graph:fixed(x, d)
   if x.varies[d] then self:need_fixed() end
   return x.sizes[d]
end

--- x with the sizes of y, whose elements are the same in the same order. At most one size of y may be left to infer; others
-- that depend on the batch are those of x at the same place, or computed.
function Graph:reshape(x, y)
   local list, free, computed = {}, nil, false
   for d = 1, y:dim() do
      if not y.varies[d] then
         list[d] = y.sizes[d]
      elseif x.varies[d] and x.sizes[d] == y.sizes[d] and x.u:size(d) == y.u:size(d) then
         list[d] = 0
      elseif not free then
         free, list[d] = true, -1
      else
         list[d], computed = dimension(self, x, y, d), true
      end
   end
   if not computed then return self:op('Reshape', { x, self:ints(list) }) end
   local parts = {}
   for d, n in ipairs(list) do parts[d] = type(n) == 'number' and self:ints { n } or n end
   return self:op('Reshape', { x, self:op('Concat', parts, { axis = 0 }) })
end

--- x with these sizes, of which one may be -1, and 0 copies a size.
function Graph:reshape_to(x, list) return self:op('Reshape', { x, self:ints(list) }) end

return Graph
