-- nn/PartialLinear.lua - nn.Linear of which only chosen outputs are computed.
local torch = require 'torch'
local utils = require 'nn.utils'

--- nn.Linear of which only chosen outputs are computed.
-- @param bias  false leaves b out
-- nn.PartialLinear(4, 5):forward(torch.ones(2, 4)):size() --> {2, 5}
local PartialLinear, Module = torch.class('nn.PartialLinear', 'nn.Module')

function PartialLinear:__init(inputsize, outputsize, bias)
   Module.__init(self)
   self.inputsize, self.outputsize = inputsize, outputsize
   self:parameter('weight', outputsize, inputsize)
   if bias == nil or bias then self:parameter('bias', 1, outputsize) end
   self:reset()
   self:resetPartition()
end

--- Weights from a normal distribution with deviation stdv (default 1), biases 0.
function PartialLinear:reset(stdv)
   self.weight:normal(0, stdv or 1)
   if self.bias then self.bias:zero() end
end

--- Chooses the outputs: a LongTensor of numbers.
function PartialLinear:setPartition(indices)
   local bad = not torch.isTensor(indices) or indices:dim() ~= 1 or indices:min() < 1 or indices:max() > self.outputsize
   if bad then
      error(('nn.PartialLinear:setPartition: expected a vector of numbers of 1..%d, got %s'):format(self.outputsize,
         utils.shape(indices)), 2)
   end
   self.partition = indices:type 'torch.LongTensor'
end

--- All outputs again.
function PartialLinear:resetPartition() self.partition = nil end

local function check(self, input)
   local dim = torch.isTensor(input) and input:dim()
   local n = self.weight:size(2)
   if not ((dim == 2 or dim == 1) and input:size(dim) == n) then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(n, n), input)
   end
   return dim == 2 and input or input:contiguous():view(1, -1)
end

-- The numbers of the outputs, where a parameter is.
local function places(self, w) return utils.beside(self.partition:type 'torch.LongTensor', w) end

-- The rows of a parameter that count, or all.
local function chosen(self, w, dim)
   return self.partition and w:index(dim, places(self, w)) or w
end

function PartialLinear:updateOutput(input)
   local x = check(self, input)
   torch.mm(self.output, x, chosen(self, self.weight, 1):t())
   if self.bias then self.output:add(chosen(self, self.bias, 2):expandAs(self.output)) end
   return input:dim() == 1 and self.output:resize(self.output:nElement()) or self.output
end

function PartialLinear:updateGradInput(input, gradOutput)
   check(self, input)
   local w = chosen(self, self.weight, 1)
   if input:dim() == 1 then return torch.mv(self.gradInput, w:t(), gradOutput) end
   return torch.mm(self.gradInput, gradOutput, w)
end

function PartialLinear:accGradParameters(input, gradOutput, scale)
   local x = check(self, input)
   local g = gradOutput:contiguous():view(x:size(1), -1)
   local gw = torch.mm(g:t(), x):mul(scale or 1)
   local gb = self.bias and g:sum(1):mul(scale or 1)
   if self.partition then
      local at = places(self, gw)
      self.gradWeight:indexAdd(1, at, gw)
      if gb then self.gradBias:indexAdd(2, at, gb) end
   else
      self.gradWeight:add(gw)
      if gb then self.gradBias:add(gb) end
   end
end

PartialLinear.sharedAccUpdateGradParameters = Module.defaultAccUpdateGradParameters

-- The partition is a list of numbers, whatever the type of the module.
function PartialLinear:type(kind, cache)
   local partition = self.partition
   self.partition = nil
   local result = Module.type(self, kind, cache)
   self.partition = partition
   return result
end

function PartialLinear:__tostring__()
   return ('%s(%d -> %d)%s'):format(torch.type(self), self.inputsize, self.outputsize, self.bias and '' or ' without bias')
end

return PartialLinear
