-- lua/onnx/export/value.lua - values of a graph that is written: a name, the sizes, and which of the sizes depend on the batch.
--
-- A value holds what a module gave for the example, and what it gave for an example with one sample more. A size that
-- differs between the two is symbolic in the file.
local torch = require 'torch'
local arg = require 'torch.arg'

local Value = {}
Value.__index = Value

local ints = { Long = 'int64', Int = 'int32', Short = 'int16', Char = 'int8', Byte = 'uint8' }

--- The element type in a file of a tensor: its own for whole numbers, `float` for all others.
function Value.type_of(t, float)
   local name = t:type():match '^torch%.(%a+%d*)Tensor$' or ''
   return ints[(name:gsub('^Cuda', ''))] or float
end

--- A value for the tensors t (of the example) and u (of the larger example, or nil).
function Value.new(name, t, u, type)
   local v = setmetatable({ name = name, t = t, u = u, type = type, sizes = {}, varies = {} }, Value)
   for d = 1, t:dim() do
      v.sizes[d] = tonumber(t:size(d))
      v.varies[d] = u ~= nil and tonumber(u:size(d)) ~= v.sizes[d]
   end
   return v
end

function Value.is(x) return type(x) == 'table' and getmetatable(x) == Value end

function Value:dim() return #self.sizes end

--- Whether a size depends on the batch, or how many do.
function Value:count_varying()
   local n = 0
   for d = 1, #self.sizes do n = n + (self.varies[d] and 1 or 0) end
   return n
end

--- The same value under another name.
function Value:named(name, type)
   local v = setmetatable({}, Value)
   for k, x in pairs(self) do v[k] = x end
   v.name, v.type = name, type or self.type
   return v
end

--- Calls f(value) for each value in nested tables, in order, and returns a table of the same form with its results.
function Value.map(x, f)
   if Value.is(x) then return f(x) end
   local y = {}
   for i, v in ipairs(x) do y[i] = Value.map(v, f) end
   return y
end

--- The tensors t, or u, of nested values, as a module takes them.
function Value.tensors(x, field, copy)
   return Value.map(x, function(v) return copy and v[field]:clone() or v[field] end)
end

--- Values without a name for the results of a module for both examples; nil and the reason where their forms differ.
function Value.pair(t, u, float)
   if arg.is_tensor(t) then
      if u ~= nil and not (arg.is_tensor(u) and u:dim() == t:dim()) then return nil, 'results of different forms' end
      return Value.new(nil, t:clone(), u and u:clone(), Value.type_of(t, float))
   end
   if type(t) ~= 'table' or torch.typename(t) then return nil, ('a result that is %s'):format(arg.describe(t)) end
   if u ~= nil and (type(u) ~= 'table' or #u ~= #t) then return nil, 'results of different forms' end
   local y = {}
   for i, v in ipairs(t) do
      local part, why = Value.pair(v, u and u[i], float)
      if not part then return nil, why end
      y[i] = part
   end
   return y
end

return Value
