-- nn/shape/Convert.lua - a batch with its dimensions in another order, named by letters.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

--- Rearranges a batch: shapes are letters, b batch, c channel, h height, w width, f feature, t time. A shape without b means
-- one sample, and a batch is accepted too.
-- @param inputShape,outputShape  the same letters in another order; or `bf`: everything but the
--   batch merged; or `b`: one element for each sample. Without shapes, inputs keep their shape.
-- The output has the type of the module, and gradInput that of the input.
-- nn.Convert('bchw', 'bhwc'):forward(torch.ones(2, 3, 2, 4)):size() --> {2, 2, 4, 3}
local Convert, Container = torch.class('nn.Convert', 'nn.Container')
Convert.__arguments = 'inputShape:string? outputShape:string?'
Convert.bufferNames = {'_input', '_gradInput'}

function Convert:__init(inputShape, outputShape)
   Container.__init(self)
   if outputShape and not inputShape then utils.fail 'nn.Convert: an outputShape needs an inputShape before it' end
   if not inputShape then return end                             -- the type only
   outputShape = outputShape or inputShape
   self.inputShape = inputShape:find 'b' and inputShape or 'b' .. inputShape
   self.outputShape = outputShape:find 'b' and outputShape or 'b' .. outputShape
   inputShape, outputShape = self.inputShape, self.outputShape
   self.inputBatchDim, self.outputBatchDim = self:findAxis('b', inputShape), self:findAxis('b', outputShape)
end

local function refuse_shape(self, shape)
   error(('nn.Convert: cannot make %s of %s'):format(tostring(shape), self.inputShape), 3)
end

--- The position of a letter in a shape (default: the input's). A missing letter is an error, or nil when silent is true.
function Convert:findAxis(axis, shape, silent)
   shape = shape or self.inputShape
   local place = type(axis) == 'string' and shape:find(axis, 1, true) or nil
   if not place and not silent then
      error(('nn.Convert: %s has no dimension %s'):format(shape, tostring(axis)), 2)
   end
   return place
end

-- Whether two shapes have the same letters.
local function permutes(self, from, to)
   if #from ~= #to then return false end
   for i = 1, #to do
      if not self:findAxis(to:sub(i, i), from, true) then return false end
   end
   return true
end

--- A layer which rearranges inputShape to another order of its letters.
-- tostring(nn.Convert('bchw', 'bhwc'):transpose 'bhwc') --> nn.Transpose
function Convert:transpose(newShape)
   if type(newShape) ~= 'string' or not permutes(self, self.inputShape, newShape) then refuse_shape(self, newShape) end
   local swaps, now = {}, self.inputShape
   for i = 1, #newShape do
      local j = now:find(newShape:sub(i, i), i, true)
      if not j then refuse_shape(self, newShape) end
      if j ~= i then
         swaps[#swaps + 1] = {i, j}
         now = now:sub(1, i - 1) .. now:sub(j, j) .. now:sub(i + 1, j - 1) .. now:sub(i, i) .. now:sub(j + 1)
      end
   end
   return nn.Transpose(unpack(swaps))
end

--- nn.Convert:default(): The layer for an outputShape that no method is named after: its letters in another order.
function Convert:default() return self:transpose(self.outputShape) end

--- nn.Convert:bf([input]), nn.Convert:bt(): A layer which puts the batch first and merges everything else.
function Convert:bf()
   local n, b = #self.inputShape, self:findAxis 'b'
   local flat = n == 1 and nn.Unsqueeze(2) or nn.Collapse(n - 1)
   if b == 1 then return flat end
   return nn.Sequential():add(nn.Transpose({1, b})):add(flat)
end

function Convert:bt() return self:bf() end

--- nn.Convert:b([input]): A layer whose output has one element for each sample.
function Convert:b() return nn.Sequential():add(self:bf()):add(nn.Select(2, 1)) end

--- Makes self.converter, the layer that does the work: by the method with the name of outputShape (b, bf, bt), or by default.
-- Called with the first input; a derived class may have methods for further shapes.
function Convert:buildConverter(input)
   local make = self[self.outputShape]
   if type(make) ~= 'function' or permutes(self, self.inputShape, self.outputShape) then make = self.default end
   self.converter = make(self, input):type(self._type)
   self.modules = {self.converter}
end

-- The input in the type of the module.
local function cast(self, input)
   if input:type() == self._type then return input end
   return self:scratch('_input'):resize(input:size()):copy(input)
end

-- The same, one sample as a batch of one.
local function typed(self, input)
   input = cast(self, input)
   return input:dim() == #self.inputShape - 1 and torch.unsqueeze(input, self.inputBatchDim) or input
end

function Convert:updateOutput(input)
   self:needTensor(input)
   if not self.inputShape then
      self.output = cast(self, input)
      return self.output
   end
   local n = input:dim()
   if n ~= #self.inputShape and n ~= #self.inputShape - 1 or n == 0 then
      self:refuse('input', ('have the dimensions %s'):format(self.inputShape), input)
   end
   local x = typed(self, input)
   if self.outputShape == 'b' and x:nElement() ~= x:size(self.inputBatchDim) then
      self:refuse('input', 'have one element for each sample', input)
   end
   if not self.converter then self:buildConverter(x) end
   self.output = self.converter:updateOutput(x)
   if x:dim() > n then self.output = self.output:select(self.outputBatchDim, 1) end
   return self.output
end

local function backwards(self, input, gradOutput)
   if not self.inputShape then return gradOutput end
   local x = typed(self, input)
   if x:dim() == input:dim() then return self.converter:updateGradInput(x, gradOutput) end
   local g = self.converter:updateGradInput(x, torch.unsqueeze(gradOutput, self.outputBatchDim))
   return g:select(self.inputBatchDim, 1)
end

function Convert:updateGradInput(input, gradOutput)
   local g = backwards(self, input, gradOutput)
   if g:type() ~= input:type() then g = self:scratch('_gradInput', input:type()):resize(g:size()):copy(g) end
   self.gradInput = g
   return g
end

function Convert:__tostring__() return torch.type(self) end

return Convert
