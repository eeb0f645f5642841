-- nn/dropout/spatial.lua - SpatialDropout and VolumetricDropout: whole planes are dropped.
local torch = require 'torch'

-- class, dimensions of one sample
--- nn.SpatialDropout([p], [stochasticInference]), nn.VolumetricDropout([p], [stochasticInference]): Whole planes are 0 with probability
-- p (default 0.5) while training; in evaluation mode the input is multiplied by 1 - p. Tompson et al., "Efficient object
-- localization using convolutional networks" (2015).
-- @param stochasticInference  true: drops in evaluation mode too
-- d = nn.SpatialDropout(0.25); d:evaluate(); d:forward(torch.ones(1, 1, 2)) --> {{{0.75, 0.75}}}
for _, row in ipairs{
   {torch.class('nn.SpatialDropout', 'nn.Dropout'), 3}, {torch.class('nn.VolumetricDropout', 'nn.Dropout'), 4},
} do
   local Class, dims = row[1], row[2]
   local Dropout = getmetatable(Class)
   Class.__arguments = 'p:number?'

   function Class:__init(p, stochasticInference)
      Dropout.__init(self, p, false, false, stochasticInference)
      self.v2 = nil
   end

   local function planes(self, input)
      self:needTensor(input)
      local n = input:dim()
      if n ~= dims and n ~= dims + 1 then
         self:refuse('input', ('have %d dimensions, or one more for samples'):format(dims), input)
      end
      local size = input:size()
      for i = n - dims + 2, n do size[i] = 1 end
      return size
   end

   function Class:updateOutput(input)
      local size = planes(self, input)
      self.output:resizeAs(input):copy(input)
      if self.train or self.stochastic_inference then
         local noise = self:scratch('noise', self.output:type()):resize(size)
         noise:bernoulli(1 - self.p)
         return self.output:cmul(noise:expandAs(input))
      end
      return self.output:mul(1 - self.p)
   end

   function Class:updateGradInput(input, gradOutput)
      if not (self.train or self.stochastic_inference) then
         error(tostring(self) .. ': backward is defined while training only', 3)
      end
      return self.gradInput:resizeAs(gradOutput):copy(gradOutput):cmul(self.noise:expandAs(input))
   end
end
