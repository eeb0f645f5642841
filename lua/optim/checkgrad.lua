-- lua/optim/checkgrad.lua - compares a gradient with central differences.
local optim = require 'optim'
local need = require 'optim.need'

-- Calls visit(i, set) for each element of x. set(v) writes v there; after visit the element gets its old
-- value.
local function each_element(x, visit)
   local flat = x:isContiguous() and x:view(-1) or x:contiguous():view(-1)
   for i = 1, flat:nElement() do
      local kept = flat[i]
      local function set(v)
         flat[i] = v
         if not x:isContiguous() then x:copy(flat:view(x:size())) end
      end
      local ok, why = pcall(visit, i, kept, set)
      set(kept)
      if not ok then error(why, 0) end
   end
end

--- Compares the gradient that opfunc returns at x with central differences. The elements of x
-- itself change during the calls, because the function of a training script often reads its
-- parameters there. Then they get their old values.
-- @param eps  half the distance of the differences, default 1e-7
-- @return |gradient - estimate| / |gradient + estimate|, the gradient, the estimate
-- @example optim.checkgrad(function(x) return x:dot(x), x * 2 end, torch.Tensor{1, 2}) < 1e-6   --> true
function optim.checkgrad(opfunc, x, eps)
   need.all('optim.checkgrad', opfunc, x)
   eps = eps == nil and 1e-7 or tonumber(eps) or eps
   need.number('optim.checkgrad', 'eps', eps)
   local _, gradient = need.evaluate('optim.checkgrad', opfunc, x)
   gradient = gradient:clone()
   local estimate = x.new(x:nElement())
   each_element(x, function(i, kept, set)
      set(kept + eps)
      local up = need.value('optim.checkgrad', (opfunc(x)))
      set(kept - eps)
      estimate[i] = (up - need.value('optim.checkgrad', (opfunc(x)))) / (2 * eps)
   end)
   estimate:resize(gradient:size())
   return (gradient - estimate):norm() / (gradient + estimate):norm(), gradient, estimate
end
