-- lua/optim/LossScaler.lua - scales losses, so that low-precision gradients neither vanish nor overflow.
local torch = require 'torch'
local arg = require 'torch.arg'

--- Scales the gradient of the loss, so that gradients in half precision do not vanish. Multiply the
-- criterion's gradient with scaleGradient, and step only if unscale returns true, for finite
-- gradients. Otherwise it halves the scale; after `interval` good steps it doubles the scale.
-- Micikevicius et al., "Mixed precision training" (2018).
-- @param config.scale     at the start; default 65536
-- @param config.interval  good steps before the scale grows; default 2000
-- s = optim.LossScaler{scale = 8}; g = s:scaleGradient(torch.Tensor{1}); s:unscale(g), g --> true, {1}
local LossScaler = torch.class('optim.LossScaler')

function LossScaler:__init(config)
   arg.object('optim.LossScaler', self)
   config = config == nil and {} or config
   if type(config) ~= 'table' then arg.refuse('optim.LossScaler', 'config', 'a table', config, 3) end
   for name, default in pairs{scale = 2 ^ 16, interval = 2000} do
      local v = config[name]
      if v == nil then v = default end
      if type(v) ~= 'number' or not (v > 0 and v < math.huge) then
         arg.refuse('optim.LossScaler', 'config.' .. name, 'a positive number', v, 3)
      end
      self[name] = v
   end
   self.good = 0
end

-- Calls f for every tensor of a tensor or a nested table of them.
local function each(who, x, f)
   if torch.isTensor(x) then return f(x) end
   if type(x) ~= 'table' then arg.refuse(who, 'the gradient', 'a tensor or a table of them', x, 3) end
   for _, v in pairs(x) do each(who, v, f) end
end

--- Multiplies the gradient of the loss (a tensor or a nested table of them) by the scale, in place. Returns it.
function LossScaler:scaleGradient(gradient)
   each('optim.LossScaler:scaleGradient', gradient, function(g) g:mul(self.scale) end)
   return gradient
end

--- Divides the gradients of the parameters by the scale, in place, and adapts it.
-- @return whether all were finite; if not, skip this step
function LossScaler:unscale(grads)
   local finite = true
   each('optim.LossScaler:unscale', grads, function(g)
      g:div(self.scale)
      if g:nElement() > 0 and torch.isfinite(g):min() ~= 1 then finite = false end
   end)
   if not finite then
      self.scale, self.good = math.max(self.scale / 2, 2 ^ -24), 0
   else
      self.good = self.good + 1
      if self.good >= self.interval then self.scale, self.good = math.min(self.scale * 2, 2 ^ 24), 0 end
   end
   return finite
end

return LossScaler
