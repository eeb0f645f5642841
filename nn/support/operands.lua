-- nn/support/operands.lua - shared code of layers that combine the tensors of a table element by element.
local torch = require 'torch'

-- Refuses anything but a table of at least `least` tensors of one shape. As in Torch7, an equal number of elements is enough.
local function check(self, input, least, most)
   if type(input) ~= 'table' or torch.isTensor(input) or #input < least or (most and #input > most) then
      self:refuse('input', ('be a table of %s%d tensors'):format(most and '' or 'at least ', least),
         type(input) == 'table' and not torch.isTensor(input) and ('a table of %d'):format(#input) or input)
   end
   for i = 1, #input do
      if not torch.isTensor(input[i]) or input[i]:nElement() ~= input[1]:nElement() then
         self:refuse(('input %d'):format(i), 'be a tensor of the shape of the first', input[i])
      end
   end
end

-- The same, and refuses tensors after the first that have another type, because the output could not hold them.
local function checkTypes(self, input, least)
   check(self, input, least)
   local kind = self.inplace and input[1]._dtype or self.output._dtype
   for i = 2, #input do
      if input[i]._dtype ~= kind then
         local first = self.inplace and input[1] or self.output
         self:refuse(('input %d'):format(i), 'be a ' .. first:type(), 'a ' .. input[i]:type())
      end
   end
end

-- self.gradInput as a table of n tensors.
local function grads(self, input)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   for i = 1, #input do
      local g = self.gradInput[i]
      if not torch.isTensor(g) or g:type() ~= input[i]:type() then
         g = input[i].new()
         self.gradInput[i] = g
      end
   end
   for i = #self.gradInput, #input + 1, -1 do self.gradInput[i] = nil end
   return self.gradInput
end

-- Vectors as matrices of one row.
local function rows(x) return x:dim() == 1 and x:contiguous():view(1, -1) or x end

return { check = check, checkTypes = checkTypes, grads = grads, rows = rows }
