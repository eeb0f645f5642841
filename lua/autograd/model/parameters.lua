-- lua/autograd/model/parameters.lua - finds a model's parameters in a list that several models share.
local parameters = {}

--- Appends the tables of one model to a list, or to a new one.
-- @return a function that finds the model's i-th table (default 1) in the argument of a call: the whole list, a list of the
--  model's tables only, or, for a model with one table, the table itself; and the list
function parameters.append(list, ...)
   list = list or {}
   local first, n = #list, select('#', ...)
   for i = 1, n do list[first + i] = select(i, ...) end
   return function(given, i)
      i = i or 1
      if n == 1 and given[1] == nil then return given end
      return given[first + n] ~= nil and given[first + i] or given[i]
   end, list
end

return parameters
