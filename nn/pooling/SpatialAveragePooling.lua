-- nn/pooling/SpatialAveragePooling.lua - the mean of each window of an image.
local torch = require 'torch'
local images = require 'nn.support.images'

--- Takes the mean over windows of kW x kH.
-- @param dW,dH      steps (default 1)
-- @param padW,padH  zeros around the image (default 0), at most half of the window
-- nn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1][1] --> {3.5, 4.5, 5.5}
local SpatialAveragePooling, Module = torch.class('nn.SpatialAveragePooling', 'nn.Module')
SpatialAveragePooling.__arguments = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size?'
SpatialAveragePooling.refusesFirst = true

function SpatialAveragePooling:__init(kW, kH, dW, dH, padW, padH)
   Module.__init(self)
   self.kW, self.kH = kW, kH
   self.dW, self.dH = dW or 1, dH or 1
   self.padW, self.padH = padW or 0, padH or 0
   self.ceil_mode = false
   self.count_include_pad = true
   self.divide = true
end

--- Keeps the windows that extend beyond the far edges. Returns self.
function SpatialAveragePooling:ceil()
   self.ceil_mode = true
   return self
end

--- Drops the windows that extend beyond the far edges (the default). Returns self.
function SpatialAveragePooling:floor()
   self.ceil_mode = false
   return self
end

--- Divides by the whole window, its padding included (the default). Returns self.
function SpatialAveragePooling:setCountIncludePad()
   self.count_include_pad = true
   return self
end

--- Divides by the number of pixels of the image in the window. Returns self.
function SpatialAveragePooling:setCountExcludePad()
   self.count_include_pad = false
   return self
end

-- Files of early versions lack the later fields.
local function numbers(self)
   return self.kH, self.kW, self.dH, self.dW, self.padH or 0, self.padW or 0, self.ceil_mode or false,
      self.count_include_pad ~= false
end

function SpatialAveragePooling:updateOutput(input)
   images.check(self, input)
   if not self.ceil_mode then images.fits(self, input, self.kH, self.kW, self.padH or 0, self.padW or 0) end
   torch.avgpool2d(self.output, input, numbers(self))
   if self.divide == false then self.output:mul(self.kW * self.kH) end
   return self.output
end

function SpatialAveragePooling:updateGradInput(input, gradOutput)
   torch.avgpool2d_grad(self.gradInput, input, gradOutput, numbers(self))
   if self.divide == false then self.gradInput:mul(self.kW * self.kH) end
   return self.gradInput
end

function SpatialAveragePooling:__tostring__()
   local pads = ''
   if (self.padW or 0) ~= 0 or (self.padH or 0) ~= 0 then pads = (', %d,%d'):format(self.padW, self.padH) end
   return ('%s(%dx%d, %d,%d%s)'):format(torch.type(self), self.kW, self.kH, self.dW, self.dH, pads)
end

return SpatialAveragePooling
