-- nn/linear/IndexLinear.lua - nn.Linear of sparse vectors of whole numbers.
local torch = require 'torch'
local utils = require 'nn.utils'

--- nn.Linear of sparse vectors of whole numbers. The input is {keys, values}, both lists of
-- vectors, one for each sample. Or it is {keys, values, sizes} with one vector each. sizes is how
-- many keys each sample has: a tensor, or a number for one sample. The weight is inputSize x
-- outputSize. Parameters begin at zero.
-- @param doGradInput   true: computes gradients by the values
-- @param keysOffset    added to every key
-- @param weight,bias   tensors to use
-- @param normalize     not nil or false: values are divided by the largest |value| of their key so far
-- nn.IndexLinear(8, 3):forward{torch.LongTensor{1, 4}, torch.Tensor{0.5, 2}}:nElement() --> 3
local IndexLinear, Module = torch.class('nn.IndexLinear', 'nn.Module')
IndexLinear.__arguments = 'inputSize:size outputSize:size doGradInput keysOffset:number? weight:tensor? bias:tensor?'

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
   if not weight then self.weight:zero() end
   if not bias then self.bias:zero() end
   self.gradInput = {}
end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(outputSize) without an argument.
function IndexLinear:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(2))
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- The type of the keys.
function IndexLinear:longTensor(...) return torch.LongTensor(...) end

--- The input as a list of keys and a list of values, and whether there was only one sample.
function IndexLinear:reshapeInput(input)
   local keys, values, sizes
   if type(input) == 'table' then keys, values, sizes = input[1], input[2], input[3] end
   if torch.isTensor(keys) and torch.isTensor(values) then
      if not sizes then return {keys}, {values}, true end
      if type(sizes) == 'number' then sizes = torch.LongTensor{sizes} end
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

-- Calls f(sample, row of the weight, value, index) for each pair.
local function pairsOf(self, keys, values, f)
   for s = 1, #keys do                                        -- nothing has been computed yet
      local n = keys[s]:dim() == 1 and keys[s]:nElement() or self:refuse('keys', 'be vectors', keys[s])
      if values[s]:nElement() ~= n then self:refuse('values', ('be as many as the keys, %d'):format(n), values[s]) end
      local low, high = tonumber(keys[s]:min()) + self.offset, tonumber(keys[s]:max()) + self.offset
      if low < 1 or high > self.inputSize then
         self:refuse('input', ('have keys of 1..%d'):format(self.inputSize), tostring(low < 1 and low or high))
      end
   end
   for s = 1, #keys do
      for k = 1, keys[s]:size(1) do
         local key = tonumber(keys[s][k]) + self.offset
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
   local y = self.bias:view(1, -1):expand(#keys, self.outputSize):clone()
   pairsOf(self, keys, values, function(s, key, value) y[s]:add(value, self.weight[key]) end)
   if single then y:resize(self.outputSize) end
   return self.output:resizeAs(y):copy(y)
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
   local touched = self.touched or {}
   pairsOf(self, keys, values, function(s, key, value)
      self.gradWeight[key]:add(scale * value, g[s])
      touched[key] = true
   end)
   self.touched = touched
   self.gradBias:add(scale, g:sum(1):view(-1))
end

function IndexLinear:zeroGradParameters()
   self.touched = nil
   Module.zeroGradParameters(self)
end

--- Takes a step. With a field weightDecay, the rows of the keys since zeroGradParameters decay first.
function IndexLinear:updateParameters(learningRate)
   local decay = self.weightDecay or 0
   for key in pairs(decay ~= 0 and self.touched or {}) do self.weight[key]:mul(1 - learningRate * decay) end
   Module.updateParameters(self, learningRate)
end

function IndexLinear:clearState()
   utils.clear(self, 'output')
   self.gradInput, self.touched = {}, nil
   return self
end

return IndexLinear
