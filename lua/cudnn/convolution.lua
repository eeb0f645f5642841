-- cudnn.convolution - convolutions of sequences, images and volumes under cudnn's names.
local torch = require 'torch'
local whole = require 'nn.support.constants'.whole
local windows = require 'nn.support.windows'
local accepted = require 'cudnn.accepted'

--- nn.SpatialConvolution that may have groups.
-- @param groups  the planes of the input and of the output fall into so many parts (default 1). A
--  filter sees one part: it has nInputPlane / groups planes
-- cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2).weight:size() --> {6, 2, 3, 3}
local Convolution, parent = torch.class('cudnn.SpatialConvolution', 'nn.SpatialConvolution')
accepted.modes(Convolution)

function Convolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, groups)
   self.groups = whole('cudnn.SpatialConvolution', 'groups', groups or 1)
   for _, planes in ipairs { { 'nInputPlane', nInputPlane }, { 'nOutputPlane', nOutputPlane } } do
      local name, n = planes[1], planes[2]
      if whole('cudnn.SpatialConvolution', name, n) % self.groups ~= 0 then
         error(('cudnn.SpatialConvolution: %s must be a multiple of groups, %d, got %d'):format(name, self.groups, n), 3)
      end
   end
   parent.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
end

--- Makes weight and bias.
function Convolution:makeParameters()
   self:parameter('weight', self.nOutputPlane, self.nInputPlane / self.groups, self.kH, self.kW)
   self:parameter('bias', self.nOutputPlane)
end

--- nn.SpatialFullConvolution under cudnn's name.
-- cudnn.SpatialFullConvolution(2, 3, 2, 2, 2, 2):forward(torch.ones(2, 3, 3)):size() --> {3, 6, 6}
local Full = torch.class('cudnn.SpatialFullConvolution', 'nn.SpatialFullConvolution')
accepted.modes(Full)

--- nn.VolumetricConvolution under cudnn's name.
-- cudnn.VolumetricConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 3, 3, 3)):size() --> {2, 2, 2, 2}
local Volumetric = torch.class('cudnn.VolumetricConvolution', 'nn.VolumetricConvolution')
accepted.modes(Volumetric)

--- nn.VolumetricFullConvolution under cudnn's name.
-- cudnn.VolumetricFullConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 2, 2, 2)):size() --> {2, 3, 3, 3}
local VolumetricFull = torch.class('cudnn.VolumetricFullConvolution', 'nn.VolumetricFullConvolution')
accepted.modes(VolumetricFull)

--- nn.TemporalConvolution that may pad.
-- @param kH    frames of a filter
-- @param dH    step (default 1)
-- @param padH  frames of zeros before and behind the sequence (default 0)
-- cudnn.TemporalConvolution(3, 4, 3, 1, 1):forward(torch.ones(5, 3)):size() --> {5, 4}
local Temporal, TemporalConvolution = torch.class('cudnn.TemporalConvolution', 'nn.TemporalConvolution')
accepted.modes(Temporal)
Temporal.bufferNames = { '_gradPadded' }

function Temporal:__init(inputFrameSize, outputFrameSize, kH, dH, padH)
   whole('cudnn.TemporalConvolution', 'inputFrameSize', inputFrameSize)
   whole('cudnn.TemporalConvolution', 'outputFrameSize', outputFrameSize)
   whole('cudnn.TemporalConvolution', 'kH', kH)
   whole('cudnn.TemporalConvolution', 'dH', dH or 1)
   self.padH = whole('cudnn.TemporalConvolution', 'padH', padH or 0, 0)
   TemporalConvolution.__init(self, inputFrameSize, outputFrameSize, kH, dH)
end

-- The input with zeros around it; the parent refuses anything but a sequence.
local function padded(self, input)
   local n = torch.isTensor(input) and input:dim()
   if (self.padH or 0) == 0 or n ~= 2 and n ~= 3 or input:size(n) ~= self.inputFrameSize then return input end
   return windows.pad(input, n - 1, self.padH, self.padH)
end

function Temporal:updateOutput(input)
   return TemporalConvolution.updateOutput(self, padded(self, input))
end

function Temporal:updateGradInput(input, gradOutput)
   if padded(self, input) == input then return TemporalConvolution.updateGradInput(self, input, gradOutput) end
   local whole_gradient, dim = self:scratch '_gradPadded', input:dim() - 1
   self.gradInput, self._gradPadded = whole_gradient, self.gradInput
   local ok, why = pcall(TemporalConvolution.updateGradInput, self, padded(self, input), gradOutput)
   self.gradInput, self._gradPadded = self._gradPadded, self.gradInput
   if not ok then error(why, 0) end
   return self.gradInput:resize(input:size()):copy(self._gradPadded:narrow(dim, self.padH + 1, input:size(dim)))
end

function Temporal:accGradParameters(input, gradOutput, scale)
   TemporalConvolution.accGradParameters(self, padded(self, input), gradOutput, scale)
end

-- Files have the weight in cuDNN's form, outputs x 1 x frames x features: the same numbers in the same order.
function Temporal:read(file)
   TemporalConvolution.read(self, file)
   self.kW, self.dW = self.kW or self.kH, self.dW or self.dH
   for _, name in ipairs { 'weight', 'gradWeight' } do
      local w, rows = self[name], self.outputFrameSize
      if w ~= nil and not (torch.isTensor(w) and type(rows) == 'number' and rows > 0 and w:nElement() % rows == 0) then
         self:refuse(name .. ' in the file', 'be a tensor with a row for each output', w)
      end
      if w ~= nil and w:dim() ~= 2 then self[name] = w:contiguous():view(rows, -1) end
   end
end

require 'nn'.utils.keepsFields(Temporal)
