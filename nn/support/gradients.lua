-- nn/support/gradients.lua - refuses gradients that do not fit before a module changes its state.
local torch = require 'torch'

local gradients = {}

--- Refuses g, called `what` in the error, unless it is a tensor with as many elements as t.
function gradients.need(self, g, t, what)
   if not torch.isTensor(g) or g:nElement() ~= t:nElement() then
      self:refuse(what or 'gradOutput', ('have as many elements as %s'):format(require 'nn.utils'.shape(t)), g)
   end
   return g
end

--- The part of g from `first` over n indices along dim; refuses a g that is too short.
function gradients.part(self, g, dim, first, n)
   if not torch.isTensor(g) or g:dim() < dim or g:size(dim) < first + n - 1 then
      self:refuse('gradOutput', ('have %d places along dimension %d'):format(first + n - 1, dim), g)
   end
   return g:narrow(dim, first, n)
end

return gradients
