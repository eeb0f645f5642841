-- nn/container/DepthConcat.lua - Concat of images that differ in size: the smaller ones lie in the middle, 0 around them.
local torch = require 'torch'

--- As nn.Concat, but sizes may differ in the other dimensions too. Szegedy et al., "Going deeper with convolutions"
-- (2014).
local DepthConcat = torch.class('nn.DepthConcat', 'nn.Concat')

--- The part of `output` that is as large as `part`, in the middle, from `offset` on along the joined dimension.
function DepthConcat:windowNarrow(output, part, offset)
   local window = output:narrow(self.dimension, offset, part:size(self.dimension))
   for d = 1, part:dim() do
      local room = tonumber(output:size(d) - part:size(d))
      if d ~= self.dimension and room ~= 0 then
         window = window:narrow(d, math.floor(room / 2) + 1, part:size(d))
      end
   end
   return window
end

function DepthConcat:updateOutput(input)
   local outs, size = {}, nil
   for i, module in ipairs(self.modules) do
      local y = self:rethrowErrors(module, i, 'updateOutput', input)
      outs[i] = y
      if not size then
         size = y:size()
      else
         for d = 1, y:dim() do
            size[d] = d == self.dimension and size[d] + y:size(d) or math.max(tonumber(size[d]), tonumber(y:size(d)))
         end
      end
   end
   if not size then self:refuse('the module', 'hold at least one module', 'none') end
   self.output:resize(size):zero()
   local at = 1
   for _, y in ipairs(outs) do
      self:windowNarrow(self.output, y, at):copy(y)
      at = at + y:size(self.dimension)
   end
   return self.output
end

local function each(self, name, input, gradOutput, arg, gradients)
   local at = 1
   for i, module in ipairs(self.modules) do
      local part = self:windowNarrow(gradOutput, module.output, at)
      local g = self:rethrowErrors(module, i, name, input, part, arg)
      if gradients then self.gradInput = self:gather(self.gradInput, g, i == 1) end
      at = at + module.output:size(self.dimension)
   end
   return self.gradInput
end

function DepthConcat:updateGradInput(input, gradOutput)
   return each(self, 'updateGradInput', input, gradOutput, nil, true)
end

function DepthConcat:accGradParameters(input, gradOutput, scale)
   each(self, 'accGradParameters', input, gradOutput, scale or 1)
end

function DepthConcat:backward(input, gradOutput, scale)
   return each(self, 'backward', input, gradOutput, scale or 1, true)
end

function DepthConcat:accUpdateGradParameters(input, gradOutput, lr)
   each(self, 'accUpdateGradParameters', input, gradOutput, lr)
end

return DepthConcat
