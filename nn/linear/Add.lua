-- nn/linear/Add.lua - learned summands.
local torch = require 'torch'

--- A learned summand for each of inputSize elements, or one for all when `scalar` is true.
-- @param inputSize  a number of elements, or a LongStorage of the sizes of one sample
-- a = nn.Add(2); a.bias:fill(5); a:forward(torch.Tensor{1, 2}) --> {6, 7}
local Add, Module = torch.class('nn.Add', 'nn.Module')
Add.__arguments = 'inputSize:sizes?'
Add.bufferNames = {'_ones', '_sum'}

function Add:__init(inputSize, scalar)
   Module.__init(self)
   self.scalar = scalar
   if torch.isStorage(inputSize) then
      self:parameter('bias', unpack(inputSize:totable()))
   else
      self:parameter('bias', scalar and 1 or inputSize)
   end
   self:reset()
end

function Add:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.bias:size(1))
   self.bias:uniform(-a, a)
end

-- How many summands there are, after a check that x has a multiple of it.
local function width(self, x)
   local n = tonumber(self.bias:nElement())
   if x:nElement() % n ~= 0 or x:nElement() == 0 then
      self:refuse('input', ('have a multiple of %d elements'):format(n), x)
   end
   return n
end

function Add:updateOutput(input)
   self:needTensor(input)
   local n = not self.scalar and width(self, input)
   self.output:resizeAs(input):copy(input)
   if self.scalar then return self.output:add(self.bias[1]) end
   self.output:view(-1, n):add(self.bias:view(-1))
   return self.output
end

function Add:updateGradInput(_, gradOutput)
   if not self.gradInput then return end
   return self.gradInput:resizeAs(gradOutput):copy(gradOutput)
end

function Add:accGradParameters(_, gradOutput, scale)
   scale = scale or 1
   if self.scalar then
      self.gradBias[1] = self.gradBias[1] + scale * gradOutput:sum()
   else
      local rows = gradOutput:contiguous():view(-1, width(self, gradOutput))
      self.gradBias:view(-1):add(scale, torch.sum(self:scratch('_sum', gradOutput:type()), rows, 1))
   end
end

return Add
