-- nn/activation/PReLU.lua - ReLU whose slope below 0 is learned.
local torch = require 'torch'

--- x where it is positive, else weight * x. He et al., "Delving deep into rectifiers" (2015).
-- @param nOutputPlane  one slope for each plane (feature) of the input, dimension 2 of a batch; nil or 0: one for all
-- nn.PReLU():forward(torch.Tensor{-1, 2}) --> {-0.25, 2}
local PReLU, Module = torch.class('nn.PReLU', 'nn.Module')
PReLU.__arguments = 'nOutputPlane:size?'
PReLU.bufferNames = {'gradWeightBuf', 'gradWeightBuf2', '_negative'}
PReLU.anyGradShape = true

function PReLU:__init(nOutputPlane)
   Module.__init(self)
   self.nOutputPlane = nOutputPlane or 0
   self:parameter('weight', math.max(1, self.nOutputPlane))
   self.weight:fill(0.25)
end

-- The slopes, broadcast over the input.
local function slopes(self, input, weight)
   if (self.nOutputPlane or 0) == 0 then
      local size = {}
      for i = 1, input:dim() do size[i] = 1 end
      return weight:view(torch.LongStorage(size))
   end
   local n = input:dim()
   local dim = n == 1 and 1 or 2
   if n == 3 and input:size(2) ~= self.nOutputPlane then dim = 1 end           -- one image
   if n < 1 or n > 5 or input:size(dim) ~= self.nOutputPlane then
      self:refuse('input', ('have %d planes'):format(self.nOutputPlane), input)
   end
   local size = {}
   for i = 1, n do size[i] = i == dim and self.nOutputPlane or 1 end
   return weight:view(torch.LongStorage(size))
end

function PReLU:updateOutput(input)
   self:needTensor(input)
   local w = slopes(self, input, self.weight)
   local negative = torch.cmin(self:scratch('_negative', input:type()), input, 0)
   torch.cmax(self.output, input, 0)
   return self.output:add(negative:cmul(w:expandAs(input)))
end

function PReLU:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local w = slopes(self, input, self.weight):expandAs(input)
   local factor = self:scratch('_negative', input:type()):resize(input:size())
   factor:copy(w):maskedFill(input:gt(0), 1)
   return torch.cmul(self.gradInput, factor, gradOutput)
end

function PReLU:accGradParameters(input, gradOutput, scale)
   local part = torch.cmin(self:scratch('_negative', input:type()), input, 0):cmul(gradOutput)
   local shape = slopes(self, input, self.gradWeight)
   for i = 1, part:dim() do
      if shape:size(i) == 1 and part:size(i) > 1 then part = part:sum(i) end
   end
   self.gradWeight:add(scale or 1, part:view(-1))
end

return PReLU
