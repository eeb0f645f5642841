-- nn/linear/Linear.lua - y = x W' + b, one sample per row of x.
local torch = require 'torch'
local affine = require 'nn.support.affine'

local Linear, Module = torch.class('nn.Linear', 'nn.Module')
Linear.__arguments = 'inputSize:size outputSize:size'
Linear.bufferNames = {'addBuffer'}
Linear.refusesFirst = true

--- An affine map of vectors, or of the rows of a matrix.
-- @param bias  false leaves b out
-- @example nn.Linear(3, 2):forward(torch.ones(4, 3)):size()   --> {4, 2}
function Linear:__init(inputSize, outputSize, bias)
   Module.__init(self)
   self:parameter('weight', outputSize, inputSize)
   if bias ~= false then self:parameter('bias', outputSize) end
   self:reset()
end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(inputSize) without an argument.
function Linear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
   return self
end

--- Removes the bias. Returns self.
function Linear:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

--- Kept for subclasses: a vector of ones, one for each sample of the input.
function Linear:updateAddBuffer(input)
   local ones, n = self:scratch('addBuffer'), input:dim() == 2 and input:size(1) or 1
   if ones:nElement() ~= n then ones:resize(n):fill(1) end
   return ones
end

local function check(self, input)
   local dim = torch.isTensor(input) and input:dim()
   local columns = self.weight:size(2)
   if not ((dim == 2 and input:size(2) == columns) or (dim == 1 and input:size(1) == columns)) then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(columns, columns), input)
   end
   return dim
end

function Linear:updateOutput(input)
   local dim = check(self, input)
   if dim == 2 and input._device ~= 0 then
      return affine(self.output, input, self.weight, self.bias)
   end
   if dim == 1 then
      torch.mv(self.output, self.weight, input)
   else
      torch.mm(self.output, input, self.weight:t())
   end
   if self.bias then self.output:add(self.bias) end
   return self.output
end

-- accGradParameters would refuse these only after gradInput has changed. The check reads fields, which is free in compiled
-- code.
local function needFitting(self, input, gradOutput)
   if not torch.isTensor(gradOutput) or gradOutput._dtype ~= input._dtype
      or (input._ndim == 2 and gradOutput._size[0] ~= input._size[0]) then
      self:refuse('gradOutput', 'have the type of the input, and as many rows', gradOutput)
   end
   if input._ndim > 2 or input._size[input._ndim - 1] ~= self.weight._size[1] then check(self, input) end
end

function Linear:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   needFitting(self, input, gradOutput)
   if input:dim() == 1 then
      return torch.mv(self.gradInput, self.weight:t(), gradOutput)
   end
   return torch.mm(self.gradInput, gradOutput, self.weight)
end

function Linear:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   if input:dim() == 1 then
      self.gradWeight:addr(scale, gradOutput, input)
      if self.bias then self.gradBias:add(scale, gradOutput) end
   else
      local gradT = gradOutput:t()
      self.gradWeight:addmm(scale, gradT, input)
      if self.bias then self.gradBias:addmv(scale, gradT, self:updateAddBuffer(input)) end
   end
end

-- The step may also go straight into shared parameters, because each module that shares them adds its part.
Linear.sharedAccUpdateGradParameters = Module.defaultAccUpdateGradParameters

function Linear:__tostring__()
   return ('%s(%d -> %d)%s'):format(torch.type(self), self.weight:size(2), self.weight:size(1),
      self.bias and '' or ' without bias')
end

return Linear
