-- lua/torch/differ.lua - compares two Lua values by content: nil, or the first difference as text.
local ffi = require 'ffi'
local class = require 'torch.class'
local arg_check = require 'torch.arg'

local M = {}

local function elements(n, at_a, at_b, tolerance)
   for i = 1, n do
      local x, y = at_a(i), at_b(i)
      -- equal infinities have no distance; nan equals nothing
      if not (x == y or math.abs(x - y) <= tolerance) then
         return ('element %d: %s ~= %s with tolerance %s'):format(i, tostring(x), tostring(y),
                                                                 tostring(tolerance))
      end
   end
end

local function types(a, b)
   if class.typename(a) ~= class.typename(b) then
      return ('type %s ~= %s'):format(class.typename(a), tostring(class.typename(b)))
   end
end

-- The same elements on the host, in one copy: reading elements of a device one by one would be a copy each.
local function on_host(x)
   local word = class.typename(x):match '^torch%.Cuda(%a*)Tensor$'
   return word and x:type(('torch.%sTensor'):format(word == '' and 'Float' or word)) or x
end

-- The elements of a tensor in row-major order, as a function of their number.
local function reader(x)
   local t = on_host(x):contiguous()
   local s, before = t:storage(), t:storageOffset() - 1
   return function(i) return s[before + i] end
end

--- Tensors of the same type and size. With `any_shape` only the number of elements counts.
function M.tensors(a, b, tolerance, any_shape)
   local why = types(a, b)
   if why then return why end
   if not arg_check.same_shape(a, b) and not (any_shape and a:nElement() == b:nElement()) then
      return ('size %s ~= %s'):format(arg_check.size_text(a), arg_check.size_text(b))
   end
   if a:nElement() == 0 then return nil end
   return elements(a:nElement(), reader(a), reader(b), tolerance)
end

--- Storages of the same type and length.
function M.storages(a, b, tolerance)
   local why = types(a, b)
   if why then return why end
   if #a ~= #b then return ('%d elements ~= %d'):format(#a, #b) end
   return elements(#a, function(i) return a[i] end, function(i) return b[i] end, tolerance)
end

local values

-- `seen[a]` is the b that a is being compared with, so that the comparison of a table which contains itself ends.
local function tables(a, b, tolerance, seen)
   if seen[a] == b then return nil end
   seen[a] = b
   for k, v in pairs(a) do
      local why = values(v, b[k], tolerance, seen)
      if why then return ('[%s] %s'):format(tostring(k), why) end
   end
   for k in pairs(b) do
      if a[k] == nil then return ('[%s] is missing'):format(tostring(k)) end
   end
end

local function short(v)
   local text = type(v) == 'string' and ('%q'):format(v) or tostring(v)
   return #text > 300 and text:sub(1, 300) .. ' ...' or text
end
M.short = short

-- Whether the metatable defines when two objects are equal.
local function compares(a)
   local mt = getmetatable(a)
   return type(mt) == 'table' and (rawget(mt, '__eq') and not class.typename(a) or mt.__eq__)
end

function values(a, b, tolerance, seen)
   if type(a) ~= type(b) then return ('type %s ~= %s'):format(type(a), type(b)) end
   if rawequal(a, b) and a == a then return nil end
   if type(a) == 'number' then
      if a == b or math.abs(a - b) <= tolerance then return nil end
      return ('%s ~= %s with tolerance %s'):format(tostring(a), tostring(b), tostring(tolerance))
   end
   if arg_check.is_tensor(a) then return types(a, b) or M.tensors(a, b, tolerance) end
   if arg_check.is_storage(a) then return types(a, b) or M.storages(a, b, tolerance) end
   if type(a) == 'table' then
      if not compares(a) then return tables(a, b, tolerance, seen) end
      if a == b then return nil end
      return 'they are not equal'
   end
   if type(a) == 'cdata' and ffi.typeof(a) == ffi.typeof(b) and a == b then return nil end
   if a == b then return nil end
   return ('%s ~= %s'):format(short(a), short(b))
end

--- Any two values: numbers and elements within the tolerance, tables by what they contain.
function M.values(a, b, tolerance) return values(a, b, tolerance, {}) end

--- Two tables by what they contain.
function M.tables(a, b, tolerance) return values(a, b, tolerance, {}) end

return M
