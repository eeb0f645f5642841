-- lua/nngraph/nesting.lua - tensors in nested tables: clone, fill, resize, copy, add. The tables may have any keys.
local torch = require 'torch'

--- require 'nngraph.nesting': Functions on a tensor, or a table of tensors and such tables.
local nesting = {}

-- Refuses values that are neither a tensor nor a plain table of them.
local function need(name, x)
   if type(x) ~= 'table' or torch.typename(x) then
      error(('nngraph.nesting.%s: expected tensors or tables of tensors, got %s'):format(name, torch.type(x)), 3)
   end
end

-- An entry of a table; an error if it is missing.
local function entry(name, x, key)
   if x[key] == nil then error(('nngraph.nesting.%s: both must have an entry %s'):format(name, tostring(key)), 3) end
   return x[key]
end

--- A copy of a nested table and of all tensors in it.
function nesting.cloneNested(x)
   if torch.isTensor(x) then return x:clone() end
   need('cloneNested', x)
   local copy = {}
   for key, value in pairs(x) do copy[key] = nesting.cloneNested(value) end
   return copy
end

--- Fills all tensors with a number.
function nesting.fillNested(x, value)
   if torch.isTensor(x) then
      x:fill(value)
      return
   end
   need('fillNested', x)
   for _, part in pairs(x) do nesting.fillNested(part, value) end
end

--- Gives `to` the form of `from`: tensors are resized, missing entries are copied, surplus ones removed.
function nesting.resizeNestedAs(to, from)
   if torch.isTensor(to) then
      to:resizeAs(from)
      return
   end
   need('resizeNestedAs', to)
   need('resizeNestedAs', from)
   for key, value in pairs(from) do
      if to[key] == nil then
         to[key] = nesting.cloneNested(value)
      else
         nesting.resizeNestedAs(to[key], value)
      end
   end
   for key in pairs(to) do
      if from[key] == nil then to[key] = nil end
   end
end

--- Copies the tensors of `from` into those of `to`, which has the same entries.
function nesting.copyNested(to, from)
   if torch.isTensor(to) then
      to:copy(from)
      return
   end
   need('copyNested', to)
   need('copyNested', from)
   for key, value in pairs(from) do nesting.copyNested(entry('copyNested', to, key), value) end
   for key in pairs(to) do entry('copyNested', from, key) end
end

--- Adds the tensors of `from` to those of `to`, which has all entries of `from`.
function nesting.addNestedTo(to, from)
   if torch.isTensor(to) then
      to:add(from)
      return
   end
   need('addNestedTo', to)
   need('addNestedTo', from)
   for key, value in pairs(from) do nesting.addNestedTo(entry('addNestedTo', to, key), value) end
end

return nesting
