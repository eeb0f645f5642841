-- nn/normalization/SpatialDivisiveNormalization.lua - divides by the deviation in the neighbourhood.
local torch = require 'torch'
local neighbourhood = require 'nn.normalization.neighbourhood'

local filter, batch, mean = neighbourhood.filter, neighbourhood.batch, neighbourhood.mean
local meanGrad, coefficients, init = neighbourhood.meanGrad, neighbourhood.coefficients, neighbourhood.init

--- Divides by the weighted standard deviation (around 0) over all planes of the neighbourhood.
-- @param threshold,thresval  deviations not above threshold are taken for thresval; default 1e-4
-- nn.SpatialDivisiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 4, 5)):size() --> {1, 4, 5}
local Divisive = torch.class('nn.SpatialDivisiveNormalization', 'nn.Module')
Divisive.__arguments = 'nInputPlane:count? kernel:tensor? threshold:number? thresval:number?'

function Divisive:__init(nInputPlane, kernel, threshold, thresval)
   init(self, 'SpatialDivisiveNormalization', nInputPlane, kernel)
   self.threshold = threshold or 1e-4
   self.thresval = thresval or self.threshold
end

-- The input as a batch, the filter, the coefficients, and the deviations (not limited yet).
local function deviations(self, input)
   local x = batch(self, input)
   local w = filter(self, x)
   local coef = coefficients(x, w)
   local square = mean(torch.cmul(x, x), w)
   local std = square:sqrt()
   return x, w, coef:expandAs(std), std
end

function Divisive:updateOutput(input)
   self:needType(input)
   local x, _, coef, std = deviations(self, input)
   local adjusted = torch.cdiv(std, coef)
   adjusted = torch.threshold(adjusted, self.threshold, self.thresval)
   self.output:resizeAs(x):copy(x)
   self.output:cdiv(adjusted:expandAs(x))
   return self.output:resizeAs(input)
end

-- y = x / d, d = sqrt(mean(x^2)) / coef where it is above the threshold: dx = g / d - mean'(sum(g x) / d^2 / coef / (2 std)) 2x
function Divisive:updateGradInput(input, gradOutput)
   local x, w, coef, std = deviations(self, input)
   local g = batch(self, gradOutput)
   local adjusted = torch.cdiv(std, coef)
   local active = adjusted:gt(self.threshold)
   adjusted = torch.threshold(adjusted, self.threshold, self.thresval)
   local by = torch.cmul(g, x):sum(2):cdiv(adjusted):cdiv(adjusted):cdiv(coef)
   by:cdiv(std:maskedFill(std:eq(0), 1)):maskedFill(active:eq(0), 0)
   self.gradInput:resizeAs(x):copy(g)
   self.gradInput:cdiv(adjusted:expandAs(x))
   self.gradInput:add(-1, meanGrad(x, by, w):cmul(x))
   return self.gradInput:resizeAs(input)
end

return Divisive
