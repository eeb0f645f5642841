-- nn/linear/PartialLinear.lua - nn.Linear that computes chosen outputs only.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

--- nn.Linear that computes chosen outputs only. The weight is that of a LookupTable within the field network, as in files
-- of Torch7: network:get(1):get(2).weight.
-- @param bias  false leaves b out
-- nn.PartialLinear(4, 5):forward(torch.ones(2, 4)):size() --> {2, 5}
local PartialLinear, Module = torch.class('nn.PartialLinear', 'nn.Module')
PartialLinear.__arguments = 'inputsize:size outputsize:size'

function PartialLinear:__init(inputsize, outputsize, bias)
   Module.__init(self)
   self.inputsize, self.outputsize = inputsize, outputsize
   local table_ = nn.LookupTable(outputsize, inputsize)
   self.network = nn.Sequential():add(nn.ParallelTable():add(nn.Identity()):add(table_)):add(nn.MM(false, true))
   if bias == nil or bias then self:parameter('bias', 1, outputsize):zero() end
   self:resetPartition()
end

-- The module that holds the weight. In files of early versions it is the weight itself.
local function owner(self)
   return self.network and self.network:get(1):get(2) or self
end

--- Weights from a normal distribution with deviation stdv (default 1), biases 0.
function PartialLinear:reset(stdv)
   owner(self).weight:normal(0, stdv or 1)
   if self.bias then self.bias:zero() end
end

function PartialLinear:parameters()
   local own = owner(self)
   return {own.weight, self.bias}, {own.gradWeight, self.gradBias}
end

--- Chooses the outputs: a vector of numbers.
function PartialLinear:setPartition(indices)
   local bad = not torch.isTensor(indices) or indices:dim() ~= 1 or indices:min() < 1 or indices:max() > self.outputsize
   if bad then
      error(('nn.PartialLinear:setPartition: expected a vector of numbers of 1..%d, got %s'):format(self.outputsize,
         utils.shape(indices)), 2)
   end
   self.partition = indices:type 'torch.LongTensor'
end

--- Chooses all outputs again.
function PartialLinear:resetPartition() self.partition = nil end

local function check(self, input)
   local dim = torch.isTensor(input) and input:dim()
   local n = self.inputsize
   if not ((dim == 2 or dim == 1) and input:size(dim) == n) then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(n, n), input)
   end
   return dim == 2 and input or input:contiguous():view(1, -1)
end

-- The numbers of the chosen outputs, on the device of a parameter.
local function places(self, w) return utils.beside(self.partition:type 'torch.LongTensor', w) end

-- The rows of a parameter for the chosen outputs, or all.
local function chosen(self, w, dim)
   return self.partition and w:index(dim, places(self, w)) or w
end

function PartialLinear:updateOutput(input)
   local x = check(self, input)
   torch.mm(self.output, x, chosen(self, owner(self).weight, 1):t())
   if self.bias then self.output:add(chosen(self, self.bias, 2):expandAs(self.output)) end
   return input:dim() == 1 and self.output:resize(self.output:nElement()) or self.output
end

function PartialLinear:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   check(self, input)
   local w = chosen(self, owner(self).weight, 1)
   if input:dim() == 1 then return torch.mv(self.gradInput, w:t(), gradOutput) end
   return torch.mm(self.gradInput, gradOutput, w)
end

-- Adds scale times the gradients to these tensors.
local function collect(self, gradWeight, gradBias, input, gradOutput, scale)
   local x = check(self, input)
   local g = gradOutput:contiguous():view(x:size(1), -1)
   local gw = torch.mm(g:t(), x):mul(scale)
   local gb = gradBias and g:sum(1):mul(scale)
   if self.partition then
      local at = places(self, gw)
      gradWeight:indexAdd(1, at, gw)
      if gb then gradBias:indexAdd(2, at, gb) end
   else
      gradWeight:add(gw)
      if gb then gradBias:add(gb) end
   end
end

function PartialLinear:accGradParameters(input, gradOutput, scale)
   collect(self, owner(self).gradWeight, self.gradBias, input, gradOutput, scale or 1)
end

function PartialLinear:accUpdateGradParameters(input, gradOutput, lr)
   collect(self, owner(self).weight, self.bias, input, gradOutput, -lr)
end

PartialLinear.sharedAccUpdateGradParameters = PartialLinear.accUpdateGradParameters

function PartialLinear:share(mlp, ...)
   if self.network and mlp.network then self.network:share(mlp.network, ...) end
   return Module.share(self, mlp, ...)
end

-- The partition is a list of numbers, whatever the type of the module.
function PartialLinear:type(kind, cache)
   local partition = self.partition
   self.partition = nil
   local result = Module.type(self, kind, cache)
   self.partition = partition
   return result
end

function PartialLinear:clearState()
   if self.network then self.network:clearState() end
   return Module.clearState(self)
end

function PartialLinear:__tostring__()
   return ('%s(%d -> %d)%s'):format(torch.type(self), self.inputsize, self.outputsize, self.bias and '' or ' without bias')
end

return PartialLinear
