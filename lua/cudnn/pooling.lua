-- cudnn.pooling - max and average pooling under cudnn's names: windows do not overlap unless steps are given.
local torch = require 'torch'
local whole = require 'nn.support.constants'.whole
local windows = require 'nn.support.windows'
local accepted = require 'cudnn.accepted'

--- nn.SpatialMaxPooling under cudnn's name.
-- cudnn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1] --> {{6, 8}, {14, 16}}
local Max = torch.class('cudnn.SpatialMaxPooling', 'nn.SpatialMaxPooling')
Max.clearDesc = accepted.clearDesc

--- nn.SpatialAveragePooling under cudnn's name.
-- @param dW,dH      steps (default: the window's size; nn's are 1)
-- @param padW,padH  zeros around the image, which count (default 0)
-- cudnn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1] --> {{3.5, 5.5}, {11.5, 13.5}}
local Average, AveragePooling = torch.class('cudnn.SpatialAveragePooling', 'nn.SpatialAveragePooling')
Average.clearDesc = accepted.clearDesc

function Average:__init(kW, kH, dW, dH, padW, padH)
   AveragePooling.__init(self, kW, kH, dW or kW, dH or kH, padW, padH)
end

--- nn.VolumetricMaxPooling under cudnn's name.
-- cudnn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size() --> {1, 2, 2, 2}
local VolumetricMax = torch.class('cudnn.VolumetricMaxPooling', 'nn.VolumetricMaxPooling')
VolumetricMax.clearDesc = accepted.clearDesc

--- nn.VolumetricAveragePooling that may pad. Windows that extend beyond the far sides are always dropped.
-- @param padT,padW,padH  zeros around the volume, which count (default 0)
-- cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size() --> {1, 3, 3, 3}
local VolumetricAverage, VolumetricPooling = torch.class('cudnn.VolumetricAveragePooling', 'nn.VolumetricAveragePooling')
VolumetricAverage.clearDesc = accepted.clearDesc

local SIDES = { 'T', 'H', 'W' }                 -- of a volume: its last three dimensions

function VolumetricAverage:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
   VolumetricPooling.__init(self, kT, kW, kH, dT, dW, dH)
   self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
   for _, side in ipairs(SIDES) do
      local pad = whole('cudnn.VolumetricAveragePooling', 'pad' .. side, self['pad' .. side], 0)
      if pad > self['k' .. side] / 2 then
         error(('cudnn.VolumetricAveragePooling: pad%s must be at most half of the window, got %d'):format(side, pad), 3)
      end
   end
end

-- The volume with zeros around it, or with its border cut off; the parent refuses anything but a volume.
local function turned(self, x, how)
   local n = torch.isTensor(x) and x:dim()
   if n ~= 4 and n ~= 5 then return x end
   for i, side in ipairs(SIDES) do
      local pad = self['pad' .. side] or 0
      if pad > 0 then x = how(x, n - 3 + i, pad, pad) end
   end
   return x
end

function VolumetricAverage:updateOutput(input)
   if self.ceil_mode then self:refuse('ceil_mode', 'be false: windows that stick out are always dropped', tostring(self.ceil_mode)) end
   return VolumetricPooling.updateOutput(self, turned(self, input, windows.pad))
end

function VolumetricAverage:updateGradInput(input, gradOutput)
   VolumetricPooling.updateGradInput(self, turned(self, input, windows.pad), gradOutput)
   local inner = turned(self, self.gradInput, windows.unpad)
   if inner ~= self.gradInput then self.gradInput:set(inner) end
   return self.gradInput
end
