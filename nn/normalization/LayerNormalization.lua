-- nn/normalization/LayerNormalization.lua - each row with mean 0 and variance 1, then a learned factor and summand.
local torch = require 'torch'
local nn = require 'nn'
local whole = require 'nn.support.constants'.whole
local utils = require 'nn.utils'
local original = require 'torch.arg'.original

--- Each row with mean 0 and variance 1, then a learned factor and summand for each element. Ba et al., "Layer
-- normalization" (2016). Inputs are vectors, matrices, or samples x steps x nOutput: the rows are the last dimension.
-- The modules inside define the computation, hold the parameters, and are the contents of Torch7's files. One op computes all
-- of them, so their outputs stay empty.
-- A module of floats also takes halves: its output and gradInput are halves then, factor and
-- summand stay floats.
-- @param bias    the summand at the start, default 0
-- @param eps     default 1e-10
-- @param affine  false: without factor and summand
-- nn.LayerNormalization(4):forward(torch.ones(3, 4)):size() --> {3, 4}
-- nn.LayerNormalization(2):forward(torch.Tensor{{{1, 3}}, {{7, 5}}}) --> {{{-1, 1}}, {{1, -1}}}
local LayerNormalization, Sequential = torch.class('nn.LayerNormalization', 'nn.Sequential')
LayerNormalization.__arguments = 'nOutput:count bias:number? eps:number?'
LayerNormalization.bufferNames = {'_mean', '_invstd'}

function LayerNormalization:__init(nOutput, bias, eps, affine)
   Sequential.__init(self)
   whole('nn.LayerNormalization', 'nOutput', nOutput)
   self:add(nn.ConcatTable():add(nn.Identity())
      :add(nn.Sequential():add(nn.Mean(-1)):add(nn.Replicate(nOutput, -1))))
   self:add(nn.CSubTable())
   self:add(nn.Normalize(2, eps or 1e-10))
   self:add(nn.MulConstant(math.sqrt(nOutput)))
   if affine ~= false then
      local factor = nn.CMul(nOutput)
      factor.weight:fill(1)
      local summand = nn.Add(nOutput)
      summand.bias:fill(bias or 0)
      self:add(factor)
      self:add(summand)
   end
end

-- The rows of x, a matrix at least, and their length.
local function rows_of(self, x, name)
   local n = math.floor(self.modules[4].constant_scalar ^ 2 + 0.5)
   if not torch.isTensor(x) or x:nElement() == 0 or x:size(x:dim()) ~= n then
      self:refuse(name, ('have rows of %d elements'):format(n), x)
   end
   return x:dim() == 1 and x:contiguous():view(1, n) or x, n
end

function LayerNormalization:updateOutput(input)
   local x, n = rows_of(self, input, 'input')
   local factor, summand = self.modules[5], self.modules[6]
   local kind = factor and factor.weight:type() or x:type()
   self.output = self:resultFor('output', x)
   torch.layernorm(self.output, self:scratch('_mean', kind), self:scratch('_invstd', kind), x,
      self.modules[3].eps / n,
      factor and factor.weight, summand and summand.bias)                   -- there eps joins the sum of the squares
   return self.output:resizeAs(input)
end

-- Both as rows, after a forward pass.
local function pass(self, input, gradOutput)
   if not self._mean or self._mean:nElement() == 0 then
      error(torch.type(self) .. ': backward needs the forward before it', 4)
   end
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   local x, g = rows_of(self, input, 'input'), rows_of(self, gradOutput, 'gradOutput')
   return x, g
end

function LayerNormalization:updateGradInput(input, gradOutput)
   local x, g = pass(self, input, gradOutput)
   local factor = self.modules[5]
   self.gradInput = self:resultFor('gradInput', x)
   torch.layernorm_grad(self.gradInput, x, g, factor and factor.weight, self._mean, self._invstd)
   return self.gradInput:resizeAs(input)
end

local ownGradInput = LayerNormalization.updateGradInput

--- backward, which writes base plus gradInput to sum in the same pass; nil if it cannot. Both have
-- the type and size of the input.
function LayerNormalization:backwardOnto(input, gradOutput, scale, base, sum)
   local replaced = original(self.updateGradInput) ~= ownGradInput
   if replaced or not torch.isTensor(input) or input:dim() < 2 or input:type() ~= base:type() then
      return nil
   end
   local x, g = pass(self, input, gradOutput)
   local factor = self.modules[5]
   self.gradInput = self:resultFor('gradInput', x)
   torch.layernorm_grad_sum(self.gradInput, sum, x, g, factor and factor.weight, self._mean,
      self._invstd, base)
   self:accGradParameters(input, gradOutput, scale)
   return self.gradInput
end

function LayerNormalization:accGradParameters(input, gradOutput, scale)
   local factor, summand = self.modules[5], self.modules[6]
   if not factor then return end
   local x, g = pass(self, input, gradOutput)
   torch.layernorm_grad_weight(factor.gradWeight, summand.gradBias, x, g, self._mean, self._invstd, scale or 1)
end

utils.passOver(LayerNormalization, nn.Module, { 'forward', 'backward', 'backwardUpdate' })
function LayerNormalization:accUpdateGradParameters(input, gradOutput, lr)
   return nn.Module.sharedAccUpdateGradParameters(self, input, gradOutput, lr)
end

return LayerNormalization
