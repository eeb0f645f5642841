-- nn/container/Parallel.lua - module i gets slice i of the input; the outputs are joined.
local torch = require 'torch'

--- Module i gets input:select(inputDimension, i); the outputs are joined along outputDimension.
-- nn.Parallel(1, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(2, 3)):size() --> {6}
local Parallel, Container = torch.class('nn.Parallel', 'nn.Container')
Parallel.__arguments = 'inputDimension:place? outputDimension:place?'

function Parallel:__init(inputDimension, outputDimension)
   Container.__init(self)
   self.inputDimension = inputDimension
   self.outputDimension = outputDimension
end

function Parallel:updateOutput(input)
   self:needTensor(input)
   if not self.inputDimension or not self.outputDimension then
      self:refuse('inputDimension and outputDimension', 'be given to the constructor', 'nil')
   end
   local dim, total, outs = self.outputDimension, 0, {}
   local n = input:size(self.inputDimension)
   if n > #self.modules or n == 0 then
      self:refuse('input', ('have 1..%d slices along dimension %d'):format(#self.modules, self.inputDimension), input)
   end
   for i = 1, n do
      outs[i] = self:rethrowErrors(self.modules[i], i, 'updateOutput', input:select(self.inputDimension, i))
      total = total + outs[i]:size(dim)
   end
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

local function each(self, name, input, gradOutput, arg, gradients)
   local at = 1
   for i = 1, input:size(self.inputDimension) do
      local module = self.modules[i]
      local n = module.output:size(self.outputDimension)
      local part = gradOutput:narrow(self.outputDimension, at, n)
      local g = self:rethrowErrors(module, i, name, input:select(self.inputDimension, i), part, arg)
      if gradients then self.gradInput:select(self.inputDimension, i):copy(g) end
      at = at + n
   end
   return self.gradInput
end

function Parallel:updateGradInput(input, gradOutput)
   self.gradInput:resizeAs(input)
   return each(self, 'updateGradInput', input, gradOutput, nil, true)
end

function Parallel:accGradParameters(input, gradOutput, scale)
   each(self, 'accGradParameters', input, gradOutput, scale or 1)
end

function Parallel:accUpdateGradParameters(input, gradOutput, lr)
   each(self, 'accUpdateGradParameters', input, gradOutput, lr)
end

function Parallel:__tostring__() return self:branches(torch.type(self)) end

return Parallel
