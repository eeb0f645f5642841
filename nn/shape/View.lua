-- nn/shape/View.lua - the same elements in another shape, without a copy.
local torch = require 'torch'

--- Gives its input these sizes; one of them may be -1. An input of more elements is a batch, whose first dimension
-- stays. setNumInputDims sets how many dimensions one sample has, which decides where the sizes do not.
-- @example nn.View(-1):setNumInputDims(3):forward(torch.ones(5, 2, 3, 4)):size()   --> {5, 24}
local View, Module = torch.class('nn.View', 'nn.Module')
View.bufferNames = {'_input', '_gradOutput'}
View.refusesFirst = true

function View:__init(...)
   Module.__init(self)
   self:resetSize(...)
end

--- Sets the sizes: numbers, or a LongStorage. Returns self.
function View:resetSize(...)
   local sizes = ...
   sizes = torch.isStorage(sizes) and sizes:totable() or {...}
   self.size = torch.LongStorage(sizes)
   self.numElements = 1
   local inferred = false
   for _, n in ipairs(self.size:totable()) do
      if n >= 0 then
         self.numElements = self.numElements * n
      elseif n == -1 and not inferred then
         inferred = true
      else
         error(('nn.View: sizes must be at least 0, one of them may be -1, got %s'):format(table.concat(sizes, ', ')), 3)
      end
   end
   return self
end

--- How many dimensions one sample has. Returns self.
function View:setNumInputDims(n)
   self.numInputDims = n
   return self
end

-- How many samples the input holds; nil if it is one sample.
local function batch(self, input)
   self:needTensor(input)
   local n = input:dim()
   local dims = math.min(self.numInputDims or n, n)
   local inner, outer = 1, 1
   for i = 1, n do
      if i > n - dims then inner = inner * input:size(i) else outer = outer * input:size(i) end
   end
   inner, outer = tonumber(inner), tonumber(outer)
   local inferred = false
   for i = 1, #self.size do inferred = inferred or self.size[i] == -1 end
   if (self.numElements == 0 and inner ~= 0) or (self.numElements > 0 and inner % self.numElements ~= 0) then
      self:refuse('input', ('have a multiple of %d elements'):format(self.numElements), input)
   end
   local samples = outer
   if not inferred and self.numElements > 0 then samples = outer * inner / self.numElements end
   if samples == 1 and (not self.numInputDims or n <= self.numInputDims) then return nil end
   return samples
end

function View:updateOutput(input)
   local samples = batch(self, input)
   input = self:packed('_input', input)
   if samples then
      self.output:view(input, samples, unpack(self.size:totable()))
   else
      self.output:view(input, self.size)
   end
   return self.output
end

function View:updateGradInput(input, gradOutput)
   return self.gradInput:view(self:packed('_gradOutput', gradOutput), input:size())
end

function View:__tostring__()
   return ('%s(%s)'):format(torch.type(self), table.concat(self.size:totable(), ', '))
end

return View
