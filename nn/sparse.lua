-- nn/sparse.lua - PartialLinear, SparseLinear and IndexLinear: affine maps of which only a part is computed.
local torch = require 'torch'
local utils = require 'nn.utils'

--- nn.Linear of which only chosen outputs are computed.
--- @param bias  false leaves b out
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

-- The rows of a parameter that count, or all.
local function chosen(self, w, dim)
   return self.partition and w:index(dim, self.partition:type 'torch.LongTensor') or w
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
      local places = self.partition:type 'torch.LongTensor'
      self.gradWeight:indexAdd(1, places, gw)
      if gb then self.gradBias:indexAdd(2, places, gb) end
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

--- nn.Linear of sparse vectors. An input is a list of n x 2 matrices, (index, value) rows, one for each sample, or a
--- tensor of samples x n x 2; indices of 0 mean nothing.
--- @param doGradInput  true: gradInput is a list of inputSize x 2 matrices
local SparseLinear = torch.class('nn.SparseLinear', 'nn.Module')

function SparseLinear:__init(inputSize, outputSize, doGradInput)
   Module.__init(self)
   self.doGradInput = doGradInput or false
   self:parameter('weight', outputSize, inputSize)
   self:parameter('bias', outputSize)
   self.gradInput = {}
   self:reset()
end

function SparseLinear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a):mul(0.000001)
end

--- The input as a list of n x 2 matrices.
function SparseLinear:reshapeInput(input)
   local list = input
   if torch.isTensor(input) then
      list = {}
      if input:dim() == 2 then
         list[1] = input
      elseif input:dim() == 3 then
         for i = 1, input:size(1) do list[i] = input[i] end
      end
   end
   local bad = type(list) ~= 'table' or #list == 0
   for i = 1, bad and 0 or #list do
      bad = bad or not torch.isTensor(list[i]) or list[i]:dim() ~= 2 or list[i]:size(2) ~= 2
   end
   if bad then self:refuse('input', 'be a list of matrices of (index, value) rows, or samples x n x 2', input) end
   return list
end

-- Calls f(sample, index, value) for each pair that means something.
local function each(self, list, f)
   local n = self.weight:size(2)
   for s, pairs in ipairs(list) do
      for k = 1, pairs:size(1) do
         local index, value = pairs[k][1], pairs[k][2]
         if index ~= 0 then
            if index < 1 or index > n or index % 1 ~= 0 then
               self:refuse('input', ('have indices of 1..%d'):format(n), tostring(index))
            end
            f(s, index, value)
         end
      end
   end
end

function SparseLinear:updateOutput(input)
   local list = self:reshapeInput(input)
   each(self, list, function() end)
   self.output:resize(#list, self.weight:size(1)):copy(self.bias:view(1, -1):expand(#list, self.weight:size(1)))
   each(self, list, function(s, index, value) self.output[s]:add(value, self.weight:select(2, index)) end)
   return self.output
end

function SparseLinear:updateGradInput(input, gradOutput)
   if not self.doGradInput then return self.gradInput end
   local list = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#list, -1)
   local n = self.weight:size(2)
   self.gradInput = {}
   for s = 1, #list do
      local pairs = g.new(n, 2)
      pairs:select(2, 1):copy(torch.range(1, n))
      pairs:select(2, 2):copy(torch.mv(self.weight:t(), g[s]))
      self.gradInput[s] = pairs
   end
   return self.gradInput
end

function SparseLinear:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local list = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#list, -1)
   each(self, list, function(s, index, value) self.gradWeight:select(2, index):add(scale * value, g[s]) end)
   self.gradBias:add(scale, g:sum(1):view(-1))
end

function SparseLinear:clearState()
   utils.clear(self, 'output')
   self.gradInput = {}
   return self
end

--- nn.Linear of sparse vectors of whole numbers: {keys, values}, both lists of vectors, one for each sample; or
--- {keys, values, sizes} with one vector each, and how many keys each sample has. The weight is inputSize x outputSize.
--- @param doGradInput   true: computes gradients by the values
--- @param keysOffset    added to every key
--- @param weight,bias   tensors to use
--- @param normalize     not nil or false: values are divided by the largest |value| that their key ever had
local IndexLinear = torch.class('nn.IndexLinear', 'nn.Module')

function IndexLinear:__init(inputSize, outputSize, doGradInput, keysOffset, weight, bias, normalize)
   Module.__init(self)
   self.inputSize, self.outputSize = inputSize, outputSize
   self.offset = keysOffset or 0
   self.doGradInput = doGradInput or false
   self.normalize = normalize or false
   self:parameter('weight', inputSize, outputSize)
   self:parameter('bias', outputSize)
   if weight then self.weight = weight end
   if bias then self.bias = bias end
   if self.normalize then self.largest = torch.zeros(inputSize) end
   self.gradInput = {}
   if not weight and not bias then self:reset() end
end

function IndexLinear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

-- The type of the keys.
function IndexLinear:longTensor(...) return torch.LongTensor(...) end

--- The input as a list of keys and a list of values, and whether there was only one sample.
function IndexLinear:reshapeInput(input)
   local keys, values, sizes
   if type(input) == 'table' then keys, values, sizes = input[1], input[2], input[3] end
   if torch.isTensor(keys) and torch.isTensor(values) then
      if not sizes then return {keys}, {values}, true end
      local k, v, at = {}, {}, 1
      for i = 1, sizes:nElement() do
         local n = tonumber(sizes:view(-1)[i])
         k[i], v[i] = keys:narrow(1, at, n), values:narrow(1, at, n)
         at = at + n
      end
      return k, v, false
   end
   if type(keys) ~= 'table' or type(values) ~= 'table' or #keys ~= #values then
      self:refuse('input', 'be keys and values', input)
   end
   return keys, values, false
end

--- The keys, values and sizes of a list of samples as one vector each.
function IndexLinear:flattenInputs(input)
   local keys, values = self:reshapeInput(input)
   local sizes = {}
   for i = 1, #keys do sizes[i] = keys[i]:size(1) end
   return {torch.cat(keys, 1), torch.cat(values, 1), torch.LongTensor(sizes)}
end

-- Calls f(sample, row of the weight, value, place) for each pair.
local function pairsOf(self, keys, values, f)
   for s = 1, #keys do
      for k = 1, keys[s]:size(1) do
         local key = tonumber(keys[s][k]) + self.offset
         if key < 1 or key > self.inputSize then
            self:refuse('input', ('have keys of 1..%d'):format(self.inputSize), tostring(key))
         end
         local value = values[s][k]
         if self.normalize then
            local largest = math.max(self.largest[key], math.abs(value))
            self.largest[key] = largest
            value = largest > 0 and value / largest or 0
         end
         f(s, key, value, k)
      end
   end
end

function IndexLinear:updateOutput(input)
   local keys, values, single = self:reshapeInput(input)
   local y = self.output:resize(#keys, self.outputSize):copy(self.bias:view(1, -1):expand(#keys, self.outputSize))
   pairsOf(self, keys, values, function(s, key, value) y[s]:add(value, self.weight[key]) end)
   return single and y:resize(self.outputSize) or y
end

function IndexLinear:updateGradInput(input, gradOutput)
   if not self.doGradInput then return self.gradInput end
   local keys, values, single = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#keys, -1)
   local byValues = {}
   for s = 1, #keys do byValues[s] = values[s].new(values[s]:size()) end
   pairsOf(self, keys, values, function(s, key, _, k)
      byValues[s][k] = self.weight[key]:dot(g[s]) / (self.normalize and math.max(self.largest[key], 1e-30) or 1)
   end)
   self.gradInput = single and {keys[1], byValues[1]} or {keys, byValues}
   return self.gradInput
end

function IndexLinear:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local keys, values = self:reshapeInput(input)
   local g = gradOutput:contiguous():view(#keys, -1)
   pairsOf(self, keys, values, function(s, key, value) self.gradWeight[key]:add(scale * value, g[s]) end)
   self.gradBias:add(scale, g:sum(1):view(-1))
end

function IndexLinear:clearState()
   utils.clear(self, 'output')
   self.gradInput = {}
   return self
end
