-- nn/pooling/VolumetricAveragePooling.lua - the mean of each window of a volume.
local torch = require 'torch'
local volumes = require 'nn.support.volumes'

local batch, like, fits, geometry = volumes.batch, volumes.like, volumes.fits, volumes.geometry

--- The mean of each window of kT x kW x kH.
-- @param dT,dW,dH  steps, default: the window's sizes
-- nn.VolumetricAveragePooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size() --> {1, 2, 2, 2}
local AveragePooling, Module = torch.class('nn.VolumetricAveragePooling', 'nn.Module')
AveragePooling.__arguments = 'kT:count kW:count kH:count dT:count? dW:count? dH:count?'

function AveragePooling:__init(kT, kW, kH, dT, dW, dH)
   Module.__init(self)
   self.kT, self.kH, self.kW = kT, kH, kW
   self.dT, self.dH, self.dW = dT or kT, dH or kH, dW or kW
end

function AveragePooling:updateOutput(input)
   local x, g = batch(self, input), geometry(self)
   fits(self, x, g)
   local flat = x:contiguous():view(x:size(1), x:size(2) * x:size(3), x:size(4), x:size(5))
   local y = torch.avgpool2d(x.new(), flat, g.kH, g.kW, g.dH, g.dW)
   y = y:view(x:size(1), x:size(2), x:size(3), y:size(3), y:size(4))
   return like(input, y:unfold(3, g.kT, g.dT):mean(6):select(6, 1), self.output)
end

function AveragePooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), geometry(self)
   local from = batch(self, gradOutput)
   local byTime = x.new(x:size(1), x:size(2), x:size(3), from:size(4), from:size(5)):zero()
   local view = byTime:unfold(3, g.kT, g.dT)
   for k = 1, g.kT do view:select(6, k):add(1 / g.kT, from) end
   local flat = x:contiguous():view(x:size(1), x:size(2) * x:size(3), x:size(4), x:size(5))
   local y = torch.avgpool2d_grad(x.new(), flat, byTime:view(x:size(1), -1, from:size(4), from:size(5)), g.kH, g.kW, g.dH, g.dW)
   return like(input, y:view(x:size()), self.gradInput)
end

--- clearState under an older name.
function AveragePooling:empty() self:clearState() end

function AveragePooling:__tostring__()
   return ('%s(%dx%dx%d, %d,%d,%d)'):format(torch.type(self), self.kT, self.kW, self.kH, self.dT, self.dW, self.dH)
end

return AveragePooling
