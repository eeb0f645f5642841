-- nn/embedding/LookupTable.lua - a learned vector for each number of 1..n.
local torch = require 'torch'

--- Replaces each number of a vector or matrix (a LongTensor, or any other) by a row of `weight`.
-- @param paddingValue  the row of this number never changes (default 0: none)
-- @param maxNorm       rows in use are first scaled down to this norm (default: never)
-- @param normType      p of that norm, default 2
-- nn.LookupTable(5, 3):forward(torch.LongTensor{2, 5}):size() --> {2, 3}
local LookupTable, Module = torch.class('nn.LookupTable', 'nn.Module')
LookupTable.__arguments = 'nIndex:size nOutput:size paddingValue:number? maxNorm:number? normType:number?'
LookupTable.bufferNames = {'_input', '_count', '_sorted', '_indices', '_gradOutput', '_index', '_float'}
LookupTable.refusesFirst = true

function LookupTable:__init(nIndex, nOutput, paddingValue, maxNorm, normType)
   Module.__init(self)
   self.paddingValue = paddingValue or 0
   self.maxNorm = maxNorm
   self.normType = normType
   self:parameter('weight', nIndex, nOutput)
   self:reset()
end

--- Draws the rows from a normal distribution with deviation stdv (default 1).
function LookupTable:reset(stdv) self.weight:normal(0, stdv or 1) end

--- Divides the gradient of a row by how often its number occurred. Returns self.
function LookupTable:scaleGradByFreq()
   self.shouldScaleGradByFreq = true
   return self
end

--- Sets the number whose row never changes. Returns self.
function LookupTable:setPadding(paddingValue)
   self.paddingValue = paddingValue
   return self
end

--- Sets the largest norm of a row in use. Returns self.
function LookupTable:setMaxNorm(maxNorm)
   self.maxNorm = maxNorm
   return self
end

--- Sets the p of that norm. Returns self.
function LookupTable:setNormType(normType)
   self.normType = normType
   return self
end

--- Removes the weight's gradient, which saves its memory: only backwardUpdate and accUpdateGradParameters change the weight.
-- The lists of `parameters` leave it out. Returns self.
function LookupTable:accUpdateOnly()
   self.gradWeight = nil
   return self
end

function LookupTable:parameters()
   if self.gradWeight then return Module.parameters(self) end
end

--- Gives an object from a file of an early version the fields that it lacks.
function LookupTable:backCompatibility()
   self.paddingValue = self.paddingValue or 0
   self.normType = self.normType or 2
end

--- The input itself if its elements lie one after the other, else a contiguous copy, kept in a buffer.
function LookupTable:makeInputContiguous(input)
   return self:packed('_input', input)
end

-- The largest whole number up to which a type is exact.
local EXACT = { Half = 2 ^ 11, BFloat16 = 2 ^ 8, Float = 2 ^ 24 }

--- Refuses an input whose type cannot represent all row numbers of so long a table.
function LookupTable:needExact(input)
   local type_, rows = input:type():match '^torch%.(%a+%d*)Tensor$':gsub('^Cuda', ''), self.weight:size(1)
   local exact = EXACT[type_ == '' and 'Float' or type_]
   if exact and rows > exact then
      self:refuse('input', ('be a LongTensor: the table has %d rows, and %s holds whole numbers up to %d'):format(rows, input:type(),
         exact), input)
   end
end

-- The input as a contiguous LongTensor.
local function indices(self, input)
   if not torch.isTensor(input) or input:dim() < 1 or input:dim() > 2 then
      self:refuse('input', 'be a vector or a matrix of numbers', input)
   end
   if input:type() == 'torch.LongTensor' then return self:makeInputContiguous(input) end
   self:needExact(input)
   return self:scratch('_index', 'torch.LongTensor'):resize(input:size()):copy(input)
end

--- Scales the rows that `input` uses down to maxNorm.
function LookupTable:renorm(input)
   if not self.maxNorm then return end
   self:backCompatibility()
   local seen = {}
   local flat = self:makeInputContiguous(input):view(-1)
   for i = 1, flat:size(1) do seen[tonumber(flat[i])] = true end
   for k in pairs(seen) do
      if k < 1 or k > self.weight:size(1) then
         self:refuse('input', ('hold numbers of 1..%d'):format(self.weight:size(1)), tostring(k))
      end
      local row = self.weight:select(1, k)
      local norm = row:norm(self.normType)
      if norm > self.maxNorm then row:mul(self.maxNorm / (norm + 1e-7)) end
   end
end

function LookupTable:updateOutput(input)
   self:backCompatibility()
   local index = indices(self, input)
   self:renorm(index)
   return torch.embedding(self.output, self.weight, index)
end

--- The gradient by the input, which holds numbers of rows, is zero.
function LookupTable:updateGradInput(input)
   local g = self.gradInput
   if g and g:type() ~= input:type() then
      self:needTensor(input)
      g = torch.Tensor():type(input:type())
      self.gradInput = g
   end
   if g and not g:isSameSizeAs(input) then g:resizeAs(input):zero() end
   return g
end

function LookupTable:accGradParameters(input, gradOutput, scale)
   self:backCompatibility()
   if not self.gradWeight then
      error('nn.LookupTable: there is no gradient after accUpdateOnly: use backwardUpdate', 2)
   end
   local index = indices(self, input)
   if not self.shouldScaleGradByFreq then
      torch.embedding_grad(self.gradWeight, index, gradOutput, scale or 1, self.paddingValue)
      return
   end
   local flat, count = index:view(-1), {}
   for i = 1, flat:size(1) do
      local k = tonumber(flat[i])
      count[k] = (count[k] or 0) + 1
   end
   local g = self:scratch('_gradOutput', gradOutput:type()):resize(gradOutput:size()):copy(gradOutput)
   local rows = g:view(flat:size(1), -1)
   for i = 1, flat:size(1) do rows:select(1, i):div(count[tonumber(flat[i])]) end
   torch.embedding_grad(self.gradWeight, flat, rows, scale or 1, self.paddingValue)
end

-- Only the rows in use change, so the step goes through a gradient of these rows alone.
-- gradInput is not used by any caller. It changes only after the indices have been checked.
function LookupTable:backward(input, gradOutput, scale)
   self:accGradParameters(input, gradOutput, scale)
   return self:updateGradInput(input, gradOutput)
end

function LookupTable:accUpdateGradParameters(input, gradOutput, lr)
   self:defaultAccUpdateGradParameters(input, gradOutput, lr)
end

LookupTable.sharedAccUpdateGradParameters = LookupTable.accUpdateGradParameters

return LookupTable
