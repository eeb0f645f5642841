-- lua/image/named.lua - arguments in order, or by name in one table.
local torch = require 'torch'
local arg = require 'torch.arg'

local function fits(kind, v)
   if kind == 'any' then return true end
   if kind == 'tensor' then return torch.isTensor(v) end
   return type(v) == kind
end

--- Reads the arguments of `who`. A single table without items in order holds them by name.
-- @param fields  a list of { name, kind, default }; kind is a type of Lua, 'tensor' or 'any'
-- @return a table of the values by name
local function named(who, fields, ...)
   local first, given, values = ..., {}, {}
   if select('#', ...) == 1 and type(first) == 'table' and #first == 0 and not torch.typename(first) then
      given = first
   else
      for i, field in ipairs(fields) do given[field[1]] = select(i, ...) end
   end
   for _, field in ipairs(fields) do
      local name, kind, default = unpack(field)
      local v = given[name]
      if v == nil then v = default end
      if v ~= nil and not fits(kind, v) then
         error(('%s: %s must be a %s, got %s'):format(who, name, kind, arg.describe(v)), 3)
      end
      values[name] = v
   end
   return values
end

return named
