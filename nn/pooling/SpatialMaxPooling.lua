-- nn/pooling/SpatialMaxPooling.lua - the largest value of each window of an image.
local torch = require 'torch'
local images = require 'nn.support.images'

--- Takes the maximum over windows of kW x kH.
-- @param dW,dH      steps (default: the window's size, so that windows do not overlap)
-- @param padW,padH  border that is never the largest (default 0), at most half of the window
-- nn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1] --> {{6, 8}, {14, 16}}
local SpatialMaxPooling, Module = torch.class('nn.SpatialMaxPooling', 'nn.Module')
SpatialMaxPooling.__arguments = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size?'
SpatialMaxPooling.bufferNames = {'indices'}
SpatialMaxPooling.refusesFirst = true

function SpatialMaxPooling:__init(kW, kH, dW, dH, padW, padH)
   Module.__init(self)
   self.kW, self.kH = kW, kH
   self.dW, self.dH = dW or kW, dH or kH
   self.padW, self.padH = padW or 0, padH or 0
   self.ceil_mode = false
   self:scratch('indices', 'torch.LongTensor')
end

--- Keeps the windows that extend beyond the far edges. Returns self.
function SpatialMaxPooling:ceil()
   self.ceil_mode = true
   return self
end

--- Drops the windows that extend beyond the far edges (the default). Returns self.
function SpatialMaxPooling:floor()
   self.ceil_mode = false
   return self
end

function SpatialMaxPooling:updateOutput(input)
   images.check(self, input)
   self.padW, self.padH = self.padW or 0, self.padH or 0
   local dilationW, dilationH = self.dilationW or 1, self.dilationH or 1
   if not self.ceil_mode then
      images.fits(self, input, dilationH * (self.kH - 1) + 1, dilationW * (self.kW - 1) + 1, self.padH, self.padW)
   end
   self.iheight, self.iwidth = tonumber(input:size(input:dim() - 1)), tonumber(input:size(input:dim()))
   torch.maxpool2d(self.output, self:scratch('indices', 'torch.LongTensor'), input, self.kH, self.kW, self.dH, self.dW,
      self.padH, self.padW, dilationH, dilationW, self.ceil_mode or false)
   return self.output
end

function SpatialMaxPooling:updateGradInput(input, gradOutput)
   return torch.maxpool2d_grad(self.gradInput, input, self.indices, gradOutput)
end

--- Frees the memory of the results. Returns nothing.
function SpatialMaxPooling:empty() self:clearState() end

function SpatialMaxPooling:__tostring__()
   local pads = ''
   if (self.padW or 0) ~= 0 or (self.padH or 0) ~= 0 then pads = (', %d,%d'):format(self.padW, self.padH) end
   return ('%s(%dx%d, %d,%d%s)'):format(torch.type(self), self.kW, self.kH, self.dW, self.dH, pads)
end

return SpatialMaxPooling
