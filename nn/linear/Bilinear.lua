-- nn/linear/Bilinear.lua - x1' W_k x2 + b_k for the rows of two matrices.
local torch = require 'torch'

--- x1' W_k x2 + b_k for the rows of two matrices.
-- @param bias  false leaves b out
-- nn.Bilinear(3, 4, 2):forward{torch.ones(5, 3), torch.ones(5, 4)}:size() --> {5, 2}
local Bilinear, Module = torch.class('nn.Bilinear', 'nn.Module')
Bilinear.__arguments = 'inputSize1:size inputSize2:size outputSize:size'
Bilinear.bufferNames = {'buff2', 'buff1'}

function Bilinear:__init(inputSize1, inputSize2, outputSize, bias)
   Module.__init(self)
   self:parameter('weight', outputSize, inputSize1, inputSize2)
   if bias == nil or bias then self:parameter('bias', outputSize) end
   self.gradInput = {torch.Tensor(), torch.Tensor()}
   self:reset()
end

function Bilinear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
   return self
end

function Bilinear:__assertInput(input)
   local a, b
   if type(input) == 'table' then a, b = input[1], input[2] end
   if not torch.isTensor(a) or not torch.isTensor(b) or a:dim() ~= 2 or b:dim() ~= 2 or a:size(1) ~= b:size(1)
      or a:size(2) ~= self.weight:size(2) or b:size(2) ~= self.weight:size(3) then
      local shape = require 'nn.utils'.shape
      self:refuse('input', ('be matrices of as many rows, with %d and %d columns'):format(self.weight:size(2),
         self.weight:size(3)), shape(a) .. ' and ' .. shape(b))
   end
end

function Bilinear:__assertInputGradOutput(input, gradOutput)
   self:__assertInput(input)
   if not torch.isTensor(gradOutput) or gradOutput:dim() ~= 2 or gradOutput:size(1) ~= input[1]:size(1)
      or gradOutput:size(2) ~= self.weight:size(1) then
      self:refuse('gradOutput', ('be %dx%d'):format(input[1]:size(1), self.weight:size(1)), gradOutput)
   end
end

function Bilinear:updateOutput(input)
   self:__assertInput(input)
   local n, k = input[1]:size(1), self.weight:size(1)
   self.output:resize(n, k)
   for o = 1, k do
      local part = torch.mm(input[1], self.weight[o]):cmul(input[2])
      self.output:narrow(2, o, 1):copy(part:sum(2))
   end
   if self.bias then self.output:add(self.bias:view(1, -1):expandAs(self.output)) end
   return self.output
end

function Bilinear:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   self:__assertInputGradOutput(input, gradOutput)
   local g = self.gradInput
   if #g < 2 then
      g = {input[1].new(), input[2].new()}
      self.gradInput = g
   end
   g[1]:resize(input[1]:size()):zero()
   g[2]:resize(input[2]:size()):zero()
   for o = 1, self.weight:size(1) do
      local column = gradOutput:narrow(2, o, 1)
      g[1]:add(torch.mm(input[2], self.weight[o]:t()):cmul(column:expandAs(input[1])))
      g[2]:add(torch.mm(input[1], self.weight[o]):cmul(column:expandAs(input[2])))
   end
   return g
end

function Bilinear:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   self:__assertInputGradOutput(input, gradOutput)
   for o = 1, self.weight:size(1) do
      local column = gradOutput:narrow(2, o, 1)
      self.gradWeight[o]:addmm(scale, torch.cmul(input[1], column:expandAs(input[1])):t(), input[2])
   end
   if self.bias then self.gradBias:add(scale, gradOutput:sum(1):view(-1)) end
end

Bilinear.sharedAccUpdateGradParameters = Module.defaultAccUpdateGradParameters

function Bilinear:__tostring__()
   return ('%s(%dx%d -> %d) %s'):format(torch.type(self), self.weight:size(2), self.weight:size(3), self.weight:size(1),
      self.bias and '' or ' without bias')
end

return Bilinear
