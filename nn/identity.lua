-- nn/identity.lua - layers that hand their input on: Identity, ZeroGrad, GradientReversal, PrintSize.
local torch = require 'torch'
local utils = require 'nn.utils'

--- Returns its input, a tensor or a table.
local Identity = torch.class('nn.Identity', 'nn.Module')

function Identity:updateOutput(input)
   self.output = input
   return input
end

function Identity:updateGradInput(_, gradOutput)
   self.gradInput = gradOutput
   return gradOutput
end

-- Output and gradInput are somebody else's tensors: they are let go, not emptied.
function Identity:clearState()
   self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return self
end

--- Returns its input; the gradient is zero.
local ZeroGrad = torch.class('nn.ZeroGrad', 'nn.Module')

function ZeroGrad:updateOutput(input)
   self:needTensor(input)
   self.output:set(input)
   return self.output
end

function ZeroGrad:updateGradInput(input)
   return self.gradInput:resize(input:size()):zero()
end

--- Returns its input; the gradient is multiplied by -lambda (default 1). Ganin and Lempitsky, "Unsupervised domain
--- adaptation by backpropagation" (2015).
local GradientReversal, Module = torch.class('nn.GradientReversal', 'nn.Module')

function GradientReversal:__init(lambda)
   Module.__init(self)
   self.lambda = lambda or 1
end

function GradientReversal:setLambda(lambda) self.lambda = lambda end

function GradientReversal:updateOutput(input)
   self:needTensor(input)
   self.output:set(input)
   return self.output
end

function GradientReversal:updateGradInput(_, gradOutput)
   return torch.mul(self.gradInput, gradOutput, -(self.lambda or 1))
end

--- Returns its input and prints its size, and that of the gradient, after `prefix`.
local PrintSize = torch.class('nn.PrintSize', 'nn.Module')

function PrintSize:__init(prefix)
   Module.__init(self)
   self.prefix = prefix or 'PrintSize'
end

local function show(prefix, what, x)
   local size = torch.isTensor(x) and x:size() or type(x) == 'table' and utils.map(x, function(t) return t:size() end) or x
   print(prefix .. ':' .. what .. '\n', size)
end

function PrintSize:updateOutput(input)
   self.output = input
   show(self.prefix, 'input', input)
   return input
end

function PrintSize:updateGradInput(_, gradOutput)
   show(self.prefix, 'gradOutput', gradOutput)
   self.gradInput = gradOutput
   return gradOutput
end

PrintSize.clearState = Identity.clearState
