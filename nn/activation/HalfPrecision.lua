-- nn/activation/HalfPrecision.lua - rounds outputs and gradients to half precision.
local torch = require 'torch'

--- Rounds its input, and the gradients of the backward pass, to the nearest numbers of half
-- precision (IEEE 754 binary16). So it shows how a model would behave in it. Beyond 65504 they
-- become infinite. As fbcunn's.
-- nn.HalfPrecision():forward(torch.Tensor{1 / 3, 2049, 1e6}) --> {0.33325, 2048, inf}
local HalfPrecision, Module = torch.class('nn.HalfPrecision', 'nn.Module')
HalfPrecision.bufferNames = {'_half'}

function HalfPrecision:__init() Module.__init(self) end

local function round(self, y, x)
   local half = self._half                                     -- a HalfTensor, whatever the type of the module
   if not half or half:type() ~= 'torch.HalfTensor' then
      half = torch.HalfTensor()
      self._half = half
   end
   half:resize(x:size()):copy(x)
   return y:resize(x:size()):copy(half)
end

function HalfPrecision:updateOutput(input)
   self:needType(input)
   return round(self, self.output, input)
end

function HalfPrecision:updateGradInput(_, gradOutput)
   self:needType(gradOutput)
   return round(self, self.gradInput, gradOutput)
end

return HalfPrecision
