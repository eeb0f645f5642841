-- nn/support/constants.lua - checks of numbers for constructors. A string stands for the number that it spells.
local arg = require 'torch.arg'

local function need(class, number)
   return arg.number_of(number) or error(('nn.%s: the constant must be a number, got %s'):format(class, type(number)), 4)
end

-- A whole number of at least `least` (default 1), fractions cut off; errors point to the line that makes the layer.
local function whole(class, name, v, least)
   local n = arg.whole_of(v)
   if not n or n < (least or 1) then
      error(('%s: %s must be a whole number of at least %d, got %s'):format(class, name, least or 1, tostring(v)), 4)
   end
   return n
end

-- A finite number; `default` where it is nil.
local function finite(class, name, v, default)
   if v == nil then return default end
   local n = arg.number_of(v)
   if not n or n - n ~= 0 then
      error(('%s: %s must be a finite number, got %s'):format(class, name, tostring(v)), 4)
   end
   return n
end

return { need = need, whole = whole, finite = finite }
