-- cudnn.pointwise - activations and softmax under cudnn's names.
local torch = require 'torch'
local accepted = require 'cudnn.accepted'

--- nn.ReLU under cudnn's name.
-- @param inplace  true: works in the memory of the input and of the gradient
-- cudnn.ReLU():forward(torch.Tensor{-1, 2}) --> {0, 2}
local ReLU = torch.class('cudnn.ReLU', 'nn.ReLU')
ReLU.clearDesc = accepted.clearDesc

--- nn.ClippedReLU under cudnn's name.
-- @param ceiling  the largest value of the output
-- @param inplace  true: works in the memory of the input and of the gradient
-- cudnn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8}) --> {0, 0.5, 2}
local Clipped, ClippedReLU = torch.class('cudnn.ClippedReLU', 'nn.ClippedReLU')
Clipped.clearDesc = accepted.clearDesc

function Clipped:__init(ceiling, inplace)
   if type(ceiling) ~= 'number' then
      error('cudnn.ClippedReLU: ceiling must be a number, got ' .. require 'torch.arg'.describe(ceiling), 3)
   end
   ClippedReLU.__init(self, ceiling, inplace)
   self.ceiling = ceiling
end

-- In files the field is named ceiling.
function Clipped:read(file)
   ClippedReLU.read(self, file)
   self.clip = self.clip or self.ceiling
end

require 'nn'.utils.keepsFields(Clipped)

--- cudnn.Tanh(inplace): nn.Tanh under cudnn's name; inplace true works in the memory of the input and of the gradient.
-- cudnn.Tanh():forward(torch.Tensor{0, 1}) --> {0, 0.76159}

--- cudnn.Sigmoid(inplace): nn.Sigmoid under cudnn's name; inplace true works in the memory of the input and of the gradient.
-- cudnn.Sigmoid():forward(torch.Tensor{0, 2}) --> {0.5, 0.8808}
for _, name in ipairs { 'Tanh', 'Sigmoid' } do
   local Class, parent = torch.class('cudnn.' .. name, 'nn.' .. name)
   Class.clearDesc = accepted.clearDesc

   function Class:__init(inplace)
      parent.__init(self)
      self.inplace = inplace or false                         -- read by all activations
   end
end

-- ---- softmax ----------------------------------------------------------------------------------------------------------

--- cudnn.SoftMax(fast): nn.SoftMax under cudnn's name. fast is accepted for old scripts, without effect.
-- cudnn.SoftMax():forward(torch.Tensor{0, math.log(3)}) --> {0.25, 0.75}

--- cudnn.LogSoftMax(fast): nn.LogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
-- cudnn.LogSoftMax():forward(torch.Tensor{0, 0}) --> {-0.69315, -0.69315}

--- cudnn.SpatialSoftMax(fast): nn.SpatialSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
-- cudnn.SpatialSoftMax():forward(torch.zeros(2, 1, 1)) --> {{{0.5}}, {{0.5}}}

--- cudnn.SpatialLogSoftMax(fast): nn.SpatialLogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
-- cudnn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1)) --> {{{-0.69315}}, {{-0.69315}}}
for _, name in ipairs { 'SoftMax', 'LogSoftMax', 'SpatialSoftMax', 'SpatialLogSoftMax' } do
   local Class, parent = torch.class('cudnn.' .. name, 'nn.' .. name)
   Class.clearDesc = accepted.clearDesc

   function Class:__init(fast)
      parent.__init(self)
      self.fast = fast or false
   end
end

--- cudnn.VolumetricSoftMax(fast): nn.SoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
-- cudnn.VolumetricSoftMax():forward(torch.zeros(2, 1, 1, 1)) --> {{{{0.5}}}, {{{0.5}}}}

--- cudnn.VolumetricLogSoftMax(fast): nn.LogSoftMax over the planes of a volume, for each voxel. fast is accepted, without
-- effect.
-- cudnn.VolumetricLogSoftMax():forward(torch.zeros(2, 1, 1, 1)) --> {{{{-0.69315}}}, {{{-0.69315}}}}
for _, row in ipairs { { 'VolumetricSoftMax', 'softmax' }, { 'VolumetricLogSoftMax', 'logsoftmax' } } do
   local name, forward, backward = row[1], row[2], row[2] .. '_grad'
   local Class, Module = torch.class('cudnn.' .. name, 'nn.Module')
   Class.clearDesc = accepted.clearDesc

   function Class:__init(fast)
      Module.__init(self)
      self.fast = fast or false
   end

   local function planes(self, input)
      local n = torch.isTensor(input) and input:dim()
      if n ~= 4 and n ~= 5 then
         self:refuse('input', 'be planes x time x height x width or samples x planes x time x height x width', input)
      end
      return n - 3
   end

   function Class:updateOutput(input) return torch[forward](self.output, input, planes(self, input)) end

   function Class:updateGradInput(input, gradOutput)
      return torch[backward](self.gradInput, self.output, gradOutput, planes(self, input))
   end
end
