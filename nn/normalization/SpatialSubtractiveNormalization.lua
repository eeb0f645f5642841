-- nn/normalization/SpatialSubtractiveNormalization.lua - subtracts the mean of the neighbourhood.
local torch = require 'torch'
local neighbourhood = require 'nn.normalization.neighbourhood'

local filter, batch, mean = neighbourhood.filter, neighbourhood.batch, neighbourhood.mean
local meanGrad, coefficients, init = neighbourhood.meanGrad, neighbourhood.coefficients, neighbourhood.init

--- Subtracts the weighted mean over all planes of the neighbourhood; at borders over its part inside the image.
-- @param nInputPlane  default 1
-- @param kernel       weights: a matrix, or a vector for rows and columns; odd sizes; default 9x9 ones
-- nn.SpatialSubtractiveNormalization(1, torch.ones(3)):forward(torch.ones(1, 4, 5)):abs():max() < 1e-6 --> true
local Subtractive = torch.class('nn.SpatialSubtractiveNormalization', 'nn.Module')
Subtractive.__arguments = 'nInputPlane:count? kernel:tensor?'

function Subtractive:__init(nInputPlane, kernel)
   init(self, 'SpatialSubtractiveNormalization', nInputPlane, kernel)
end

function Subtractive:updateOutput(input)
   self:needType(input)
   local x = batch(self, input)
   local w = filter(self, x)
   local m = mean(x, w)
   m:cdiv(coefficients(x, w):expandAs(m))
   self.output:resizeAs(x):copy(x)
   self.output:add(-1, m:expandAs(x))
   return self.output:resizeAs(input)
end

function Subtractive:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   local w = filter(self, x)
   local sum = g:sum(2)
   sum:cdiv(coefficients(x, w):expandAs(sum))
   self.gradInput:resizeAs(x):copy(g)
   self.gradInput:add(-1, meanGrad(x, sum, w))
   return self.gradInput:resizeAs(input)
end

return Subtractive
