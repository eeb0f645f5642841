-- nn/container/Concat.lua - every module sees the same input; the outputs are joined along one dimension.
local torch = require 'torch'

--- Joins the outputs of its modules along `dimension`.
-- @example nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(5, 3)):size()   --> {5, 6}
local Concat, Container = torch.class('nn.Concat', 'nn.Container')

function Concat:__init(dimension)
   Container.__init(self)
   self.dimension = dimension or 1
end

function Concat:updateOutput(input)
   local dim, total, outs = self.dimension, 0, {}
   for i, module in ipairs(self.modules) do
      outs[i] = self:rethrowErrors(module, i, 'updateOutput', input)
      total = total + outs[i]:size(dim)
   end
   if #outs == 0 then self:refuse('the module', 'hold at least one module', 'none') end
   local size = outs[1]:size()
   size[dim] = total
   self.output:resize(size)
   local at = 1
   for _, out in ipairs(outs) do
      self.output:narrow(dim, at, out:size(dim)):copy(out)
      at = at + out:size(dim)
   end
   return self.output
end

-- Calls each module's `name` with its part of gradOutput; with `gradients` their sum is gradInput.
local function each(self, name, input, gradOutput, arg, gradients)
   local at = 1
   for i, module in ipairs(self.modules) do
      local n = module.output:size(self.dimension)
      local part = gradOutput:narrow(self.dimension, at, n)
      local g = self:rethrowErrors(module, i, name, input, part, arg)
      if gradients then self.gradInput = self:gather(self.gradInput, g, i == 1) end
      at = at + n
   end
   return self.gradInput
end

function Concat:updateGradInput(input, gradOutput)
   return each(self, 'updateGradInput', input, gradOutput, nil, true)
end

function Concat:accGradParameters(input, gradOutput, scale)
   each(self, 'accGradParameters', input, gradOutput, scale or 1)
end

function Concat:backward(input, gradOutput, scale)
   return each(self, 'backward', input, gradOutput, scale or 1, true)
end

function Concat:accUpdateGradParameters(input, gradOutput, lr)
   each(self, 'accUpdateGradParameters', input, gradOutput, lr)
end

function Concat:__tostring__() return self:branches(torch.type(self)) end

return Concat
