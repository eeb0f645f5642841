-- nn/activation/softmax.lua - SoftMax, LogSoftMax, SoftMin and their spatial names, over the dimension of the classes.
local torch = require 'torch'

-- The dimension of the classes: 1 of a vector or of planes x height x width, 2 of a batch of those.
local function classes(self, input)
   local n = torch.isTensor(input) and input:dim() or 0
   if n < 1 or n > 4 then
      self:refuse('input', 'be a vector, a matrix of rows, or planes x height x width with or without samples', input)
   end
   return (n == 1 or n == 3) and 1 or 2
end

-- class, op, whether the input is negated first
--- nn.SoftMax(): exp(x) / sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
-- nn.SoftMax():forward(torch.Tensor{0, math.log(3)}) --> {0.25, 0.75}

--- nn.LogSoftMax(): x - log of the sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
-- nn.LogSoftMax():forward(torch.Tensor{0, 0}) --> {-0.69315, -0.69315}

--- nn.SoftMin(): nn.SoftMax of -x.
-- nn.SoftMin():forward(torch.Tensor{0, math.log(3)}) --> {0.75, 0.25}

--- nn.SpatialSoftMax(): nn.SoftMax over the planes of an image, for each pixel.
-- nn.SpatialSoftMax():forward(torch.zeros(2, 1, 1)) --> {{{0.5}}, {{0.5}}}

--- nn.SpatialLogSoftMax(): nn.LogSoftMax over the planes of an image, for each pixel.
-- nn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1)) --> {{{-0.69315}}, {{-0.69315}}}
for _, row in ipairs{
   {torch.class('nn.SoftMax', 'nn.Module'), 'softmax'}, {torch.class('nn.LogSoftMax', 'nn.Module'), 'logsoftmax'},
   {torch.class('nn.SpatialSoftMax', 'nn.Module'), 'softmax'}, {torch.class('nn.SpatialLogSoftMax', 'nn.Module'), 'logsoftmax'},
   {torch.class('nn.SoftMin', 'nn.Module'), 'softmax', true},
} do
   local Class, forward, backward, negate = row[1], row[2], row[2] .. '_grad', row[3]
   Class.bufferNames, Class.anyGradShape, Class.refusesFirst = {'mininput'}, true, true

   function Class:updateOutput(input)
      local dim = classes(self, input)
      if negate then input = torch.mul(self:scratch('mininput', input:type()), input, -1) end
      return torch[forward](self.output, input, dim)
   end

   function Class:updateGradInput(input, gradOutput)
      torch[backward](self.gradInput, self.output, gradOutput, classes(self, input))
      if negate then self.gradInput:mul(-1) end
      return self.gradInput
   end
end
