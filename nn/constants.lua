-- nn/constants.lua - what layers with one fixed number share.


local function need(class, number)
   if type(number) ~= 'number' then
      error(('nn.%s: the constant must be a number, got %s'):format(class, type(number)), 4)
   end
   return number
end

return { need = need }
