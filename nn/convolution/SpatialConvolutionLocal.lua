-- nn/convolution/SpatialConvolutionLocal.lua - a convolution with separate filters for each position.
local torch = require 'torch'
local images = require 'nn.support.images'
local windows = require 'nn.support.windows'

--- A convolution with separate filters for each position, for images of one size.
-- @param iW,iH  the size of the images
-- @param dW,dH,padW,padH  as of nn.SpatialConvolution
-- nn.SpatialConvolutionLocal(2, 3, 5, 4, 3, 2):forward(torch.ones(2, 4, 5)):size() --> {3, 3, 3}
local Local, Module = torch.class('nn.SpatialConvolutionLocal', 'nn.Module')
Local.__arguments = 'nInputPlane:size nOutputPlane:size iW:count iH:count kW:count kH:count dW:count? dH:count? '
   .. 'padW:size? padH:size?'
Local.bufferNames = {'finput', 'fgradInput', '_input', '_gradOutput'}

function Local:__init(nInputPlane, nOutputPlane, iW, iH, kW, kH, dW, dH, padW, padH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kW, self.kH, self.iW, self.iH = kW, kH, iW, iH
   self.dW, self.dH = dW or 1, dH or 1
   self.padW = padW or 0
   self.padH = padH or self.padW
   self.oW = math.floor((2 * self.padW + iW - kW) / self.dW) + 1
   self.oH = math.floor((2 * self.padH + iH - kH) / self.dH) + 1
   if self.oW < 1 or self.oH < 1 then
      error(('nn.SpatialConvolutionLocal: images of %dx%d are too small for filters of %dx%d'):format(iW, iH, kW, kH), 3)
   end
   self:parameter('weight', self.oH, self.oW, nOutputPlane, nInputPlane, kH, kW)
   self:parameter('bias', nOutputPlane, self.oH, self.oW)
   self:reset()
end

function Local:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH * self.nInputPlane)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

-- The input as a padded batch.
local function padded(self, input)
   images.check(self, input, self.nInputPlane)
   local n = input:dim()
   if input:size(n - 1) ~= self.iH or input:size(n) ~= self.iW then
      self:refuse('input', ('have images of %dx%d'):format(self.iH, self.iW), input)
   end
   local x = n == 4 and input or input:contiguous():view(1, input:size(1), input:size(2), input:size(3))
   return windows.pad(windows.pad(x, 3, self.padH, self.padH), 4, self.padW, self.padW)
end

-- positions x (planes * kH * kW) x samples
local function patches(self, x)
   local all = x:unfold(3, self.kH, self.dH):unfold(4, self.kW, self.dW)      -- n, c, oH, oW, kH, kW
   return all:permute(3, 4, 2, 5, 6, 1):contiguous():view(self.oH * self.oW, -1, x:size(1))
end

-- samples x planes x oH x oW as positions x planes x samples
local function byPlace(self, g)
   g = g:contiguous():view(-1, self.nOutputPlane, self.oH * self.oW)
   return g:permute(3, 2, 1):contiguous()
end

local function filters(self, w) return w:view(self.oH * self.oW, self.nOutputPlane, -1) end

function Local:updateOutput(input)
   local x = padded(self, input)
   local y = torch.bmm(filters(self, self.weight), patches(self, x))           -- positions x planes x samples
   y = y:permute(3, 2, 1):contiguous():view(x:size(1), self.nOutputPlane, self.oH, self.oW)
   y:add(self.bias:view(1, self.nOutputPlane, self.oH, self.oW):expandAs(y))
   self.output:resizeAs(y):copy(y)
   if input:dim() == 3 then self.output:resize(self.nOutputPlane, self.oH, self.oW) end
   return self.output
end

function Local:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x = padded(self, input)
   local g = torch.bmm(filters(self, self.weight):transpose(2, 3), byPlace(self, gradOutput))
   g = g:view(self.oH, self.oW, self.nInputPlane, self.kH, self.kW, x:size(1)):permute(6, 3, 1, 2, 4, 5)
   local all = x.new(x:size()):zero()
   local view = all:unfold(3, self.kH, self.dH):unfold(4, self.kW, self.dW)
   for h = 1, self.kH do                            -- for one element of the filters nothing overlaps
      for w = 1, self.kW do view:select(6, w):select(5, h):add(g:select(6, w):select(5, h)) end
   end
   all = windows.unpad(windows.unpad(all, 3, self.padH, self.padH), 4, self.padW, self.padW)
   return self.gradInput:resizeAs(input):copy(all)
end

function Local:accGradParameters(input, gradOutput, scale)
   local x = padded(self, input)
   local g = torch.bmm(byPlace(self, gradOutput), patches(self, x):transpose(2, 3))
   self.gradWeight:add(scale or 1, g:viewAs(self.gradWeight))
   self.gradBias:add(scale or 1, gradOutput:contiguous():view(-1, self.nOutputPlane, self.oH, self.oW):sum(1)
      :viewAs(self.gradBias))
end

function Local:__tostring__()
   return ('%s(%d -> %d, %dx%d, %dx%d%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.iW,
      self.iH, self.kW, self.kH, images.steps(self.dW, self.dH, self.padW, self.padH))
end

return Local
