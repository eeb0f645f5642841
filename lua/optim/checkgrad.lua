-- lua/optim/checkgrad.lua - compares a gradient with central differences.
local optim = require 'optim'
local need = require 'optim.need'

--- Compares the gradient that opfunc returns at x with central differences.
-- @param eps  half the distance of the differences, default 1e-7
-- @return |gradient - estimate| / |gradient + estimate|, the gradient, the estimate
-- @example optim.checkgrad(function(x) return x:dot(x), x * 2 end, torch.Tensor{1, 2}) < 1e-6   --> true
function optim.checkgrad(opfunc, x, eps)
   need.all('optim.checkgrad', opfunc, x)
   eps = eps or 1e-7
   need.number('optim.checkgrad', 'eps', eps)
   local _, gradient = need.evaluate('optim.checkgrad', opfunc, x)
   gradient = gradient:clone()
   local estimate = x.new(x:nElement())
   local place = x:clone()                            -- x itself stays as it is
   local values = place:view(-1)
   for i = 1, values:nElement() do
      local kept = values[i]
      values[i] = kept + eps
      local up = opfunc(place)
      values[i] = kept - eps
      local down = opfunc(place)
      values[i] = kept
      estimate[i] = (up - down) / (2 * eps)
   end
   estimate:resize(gradient:size())
   return (gradient - estimate):norm() / (gradient + estimate):norm(), gradient, estimate
end
