-- nn/pooling/SpatialLPPooling.lua - the p-norm of each window of an image.
local torch = require 'torch'
local nn = require 'nn'

--- (sum of |x|^p over each window)^(1/p).
-- nn.SpatialLPPooling(1, 2, 2, 2):forward(torch.ones(1, 2, 2)) --> {{{2}}}
local LPPooling, Sequential = torch.class('nn.SpatialLPPooling', 'nn.Sequential')
LPPooling.__arguments = 'nInputPlane:size? pnorm:number kW:count kH:count dW:count? dH:count?'

function LPPooling:__init(nInputPlane, pnorm, kW, kH, dW, dH)
   Sequential.__init(self)
   dW, dH = dW or kW, dH or kH
   self.kW, self.kH, self.dW, self.dH, self.nInputPlane, self.pnorm = kW, kH, dW, dH, nInputPlane, pnorm
   self:add(pnorm == 2 and nn.Square() or nn.Power(pnorm))
   self:add(nn.SpatialAveragePooling(kW, kH, dW, dH))
   self:add(nn.MulConstant(kW * kH))
   self:add(pnorm == 2 and nn.Sqrt() or nn.Power(1 / pnorm))
end

-- It has no parameters to learn or reset.
function LPPooling:reset() end

function LPPooling:accGradParameters() end

function LPPooling:accUpdateGradParameters() end

function LPPooling:zeroGradParameters() end

function LPPooling:updateParameters() end

return LPPooling
