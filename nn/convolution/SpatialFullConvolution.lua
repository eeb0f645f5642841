-- nn/convolution/SpatialFullConvolution.lua - the transpose of a convolution: each pixel puts a filter into a larger image.
local torch = require 'torch'
local images = require 'nn.support.images'

--- An output has (size - 1) * d - 2 * pad + k + adj rows and columns. Also called deconvolution.
-- @param dW,dH      steps (default 1)
-- @param padW,padH  rows and columns cut off at every side (default 0)
-- @param adjW,adjH  extra rows and columns at the far sides (default 0), less than the step
-- nn.SpatialFullConvolution(2, 3, 3, 2, 2, 2):forward(torch.ones(2, 3, 3)):size() --> {3, 6, 7}
local SpatialFullConvolution, Module = torch.class('nn.SpatialFullConvolution', 'nn.Module')
SpatialFullConvolution.__arguments = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? '
   .. 'padH:whole? adjW:size? adjH:size?'
SpatialFullConvolution.bufferNames = {'finput', 'fgradInput', '_zeros', '_shape'}

function SpatialFullConvolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kW, self.kH = kW, kH
   self.dW, self.dH = dW or 1, dH or 1
   self.padW, self.padH = padW or 0, padH or 0
   self.adjW, self.adjH = adjW or 0, adjH or 0
   if self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
      error(('nn.SpatialFullConvolution: adjW and adjH must be less than the steps, got %d, %d'):format(self.adjW,
         self.adjH), 3)
   end
   self:parameter('weight', nInputPlane, nOutputPlane, kH, kW)
   self:parameter('bias', nOutputPlane)
   self:reset()
end

function SpatialFullConvolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.nInputPlane * self.kH * self.kW)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- Removes the bias. Returns self.
function SpatialFullConvolution:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

--- Files of early versions have fewer fields.
function SpatialFullConvolution:backCompatibility()
   self.padW, self.padH = self.padW or 0, self.padH or 0
   self.adjW, self.adjH = self.adjW or 0, self.adjH or 0
end

-- {images, reference}: the last sizes of the reference, a tensor of at least 2 dimensions, determine adjW and adjH.
local function parts(self, input)
   if type(input) == 'table' and not torch.isTensor(input) then
      local x, like = input[1], input[2]
      images.check(self, x, self.nInputPlane)
      if not torch.isTensor(like) or like:dim() < 2 then self:refuse('the reference', 'have at least 2 dimensions', like) end
      local n, m = x:dim(), like:dim()
      local adjH = (like:size(m - 1) + 2 * self.padH - self.kH) % self.dH
      local adjW = (like:size(m) + 2 * self.padW - self.kW) % self.dW
      return x, tonumber(adjH), tonumber(adjW), n
   end
   images.check(self, input, self.nInputPlane)
   return input, self.adjH, self.adjW, input:dim()
end

function SpatialFullConvolution:updateOutput(input)
   self:backCompatibility()
   local x, adjH, adjW, n = parts(self, input)
   local size = x:size()
   size[n - 2] = self.nOutputPlane
   size[n - 1] = (x:size(n - 1) - 1) * self.dH - 2 * self.padH + self.kH + adjH
   size[n] = (x:size(n) - 1) * self.dW - 2 * self.padW + self.kW + adjW
   if size[n - 1] < 1 or size[n] < 1 then self:refuse('input', 'be large enough for its padding', x) end
   local shape = self:scratch('_shape', x:type()):resize(1):expand(size)          -- tells the op the size of y
   torch.conv2d_grad_input(self.output, shape, x, self.weight, self.dH, self.dW, self.padH, self.padW)
   if self.bias then self.output:add(self.bias:view(-1, 1, 1):expandAs(self.output)) end
   return self.output
end

function SpatialFullConvolution:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x = parts(self, input)
   local zeros = self:scratch('_zeros', x:type())
   if zeros:nElement() ~= self.nInputPlane then zeros:resize(self.nInputPlane):zero() end
   if x == input then
      if not torch.isTensor(self.gradInput) then self.gradInput = x.new() end
      return torch.conv2d(self.gradInput, gradOutput, self.weight, zeros, self.dH, self.dW, self.padH, self.padW)
   end
   if torch.isTensor(self.gradInput) then self.gradInput = {x.new(), x.new()} end
   torch.conv2d(self.gradInput[1], gradOutput, self.weight, zeros, self.dH, self.dW, self.padH, self.padW)
   self.gradInput[2]:resize(input[2]:size()):zero()
   return self.gradInput
end

function SpatialFullConvolution:accGradParameters(input, gradOutput, scale)
   local x = parts(self, input)
   torch.conv2d_grad_weight(self.gradWeight, nil, gradOutput, x, scale or 1, self.dH, self.dW, self.padH, self.padW)
   if self.gradBias then
      local n = gradOutput:dim()
      local sum = gradOutput:sum(n):sum(n - 1)
      self.gradBias:add(scale or 1, (n == 4 and sum:sum(1) or sum):contiguous():view(-1))
   end
end

function SpatialFullConvolution:__tostring__()
   self:backCompatibility()
   local text = ('%s(%d -> %d, %dx%d'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kW, self.kH)
   local adj = self.adjW ~= 0 or self.adjH ~= 0
   local pad = adj or self.padW ~= 0 or self.padH ~= 0
   if pad or self.dW ~= 1 or self.dH ~= 1 then text = text .. (', %d,%d'):format(self.dW, self.dH) end
   if pad then text = text .. (', %d,%d'):format(self.padW, self.padH) end
   if adj then text = text .. (', %d,%d'):format(self.adjW, self.adjH) end
   return text .. ')' .. (self.bias and '' or ' without bias')
end

return SpatialFullConvolution
