-- nn/constants.lua - how constructors check numbers.

local function need(class, number)
   if type(number) ~= 'number' then
      error(('nn.%s: the constant must be a number, got %s'):format(class, type(number)), 4)
   end
   return number
end

-- A whole number of at least `least` (default 1); blamed on the line that makes the layer.
local function whole(class, name, v, least)
   if type(v) ~= 'number' or v < (least or 1) or v % 1 ~= 0 then
      error(('%s: %s must be a whole number of at least %d, got %s'):format(class, name, least or 1, tostring(v)), 4)
   end
   return v
end

-- A finite number; `default` where there is none.
local function finite(class, name, v, default)
   if v == nil then return default end
   if type(v) ~= 'number' or v - v ~= 0 then
      error(('%s: %s must be a finite number, got %s'):format(class, name, tostring(v)), 4)
   end
   return v
end

return { need = need, whole = whole, finite = finite }
