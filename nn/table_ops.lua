-- nn/table_ops.lua - layers that combine the tensors of a table element by element.
local torch = require 'torch'

-- Refuses anything but a table of at least `least` tensors of one shape; as everywhere in Torch7, as many elements will do.
local function check(self, input, least, most)
   if type(input) ~= 'table' or torch.isTensor(input) or #input < least or (most and #input > most) then
      self:refuse('input', ('be a table of %s%d tensors'):format(most and '' or 'at least ', least),
         type(input) == 'table' and not torch.isTensor(input) and ('a table of %d'):format(#input) or input)
   end
   for i = 1, #input do
      if not torch.isTensor(input[i]) or input[i]:nElement() ~= input[1]:nElement() then
         self:refuse(('input %d'):format(i), 'be a tensor of the shape of the first', input[i])
      end
   end
end

-- self.gradInput as a table of n tensors.
local function grads(self, input)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   for i = 1, #input do
      local g = self.gradInput[i]
      if not torch.isTensor(g) or g:type() ~= input[i]:type() then
         g = input[i].new()
         self.gradInput[i] = g
      end
   end
   for i = #self.gradInput, #input + 1, -1 do self.gradInput[i] = nil end
   return self.gradInput
end

-- A class whose gradInput is a table.
local function class(name)
   local Class, Module = torch.class('nn.' .. name, 'nn.Module')
   function Class:__init()
      Module.__init(self)
      self.gradInput = {}
   end
   return Class, Module
end

--- The sum of the tensors; with `inplace` the first input holds it.
local CAddTable, Module = class 'CAddTable'

function CAddTable:__init(inplace)
   Module.__init(self)
   self.inplace = inplace
   self.gradInput = {}
end

function CAddTable:updateOutput(input)
   check(self, input, 1)
   if self.inplace then
      self.output:set(input[1])
   else
      self.output:resize(input[1]:size()):copy(input[1])
   end
   for i = 2, #input do self.output:add(input[i]) end
   return self.output
end

function CAddTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   for i = 1, #input do
      if self.inplace then
         g[i]:set(gradOutput)
      else
         g[i]:resize(input[i]:size()):copy(gradOutput)
      end
   end
   return g
end

--- The first tensor minus the second.
local CSubTable = class 'CSubTable'

function CSubTable:updateOutput(input)
   check(self, input, 2, 2)
   return torch.csub(self.output, input[1], input[2])
end

function CSubTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   g[1]:resize(input[1]:size()):copy(gradOutput)
   torch.mul(g[2], gradOutput, -1):resize(input[2]:size())
   return g
end

--- The product of the tensors.
local CMulTable = class 'CMulTable'

function CMulTable:updateOutput(input)
   check(self, input, 1)
   self.output:resize(input[1]:size()):copy(input[1])
   for i = 2, #input do self.output:cmul(input[i]) end
   return self.output
end

-- Products of the others, not output / input: that has no value where an input is 0.
function CMulTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   for i = 1, #input do
      g[i]:resize(input[i]:size()):copy(gradOutput)
      for k = 1, #input do
         if k ~= i then g[i]:cmul(input[k]) end
      end
   end
   return g
end

-- The name under which Torch7 has a faster, less exact way.
CMulTable.updateGradInput_efficient = CMulTable.updateGradInput

--- The first tensor divided by the second.
local CDivTable = class 'CDivTable'

function CDivTable:updateOutput(input)
   check(self, input, 2, 2)
   return torch.cdiv(self.output, input[1], input[2])
end

function CDivTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   torch.cdiv(g[1], gradOutput, input[2])
   torch.cdiv(g[2], self.output, input[2]):cmul(gradOutput):mul(-1)
   return g
end

for name, row in pairs{CMaxTable = {'cmax', 'gt'}, CMinTable = {'cmin', 'lt'}} do
   local better = row[2]
   --- The largest (smallest) of the tensors; the gradient goes to the first of equal ones.
   local Class = class(name)
   Class.bufferNames = {'maxIdx', 'minIdx', '_mask', '_winner'}

   function Class:updateOutput(input)
      check(self, input, 1)
      self.output:resize(input[1]:size()):copy(input[1])
      local winner = self:scratch('_winner', input[1]:type()):resize(input[1]:size()):fill(1)
      for i = 2, #input do
         local mask = input[i][better](input[i], self.output)
         winner:maskedFill(mask, i)
         self.output[row[1]](self.output, input[i])
      end
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local g = grads(self, input)
      for i = 1, #input do
         g[i]:resize(input[i]:size()):copy(gradOutput):maskedFill(self._winner:ne(i), 0)
      end
      return g
   end
end

--- {x, {y1, y2, ...}} becomes {y1 + x, y2 + x, ...}.
local CAddTensorTable = class 'CAddTensorTable'

local function checkPair(self, input)
   if type(input) ~= 'table' or not torch.isTensor(input[1]) or type(input[2]) ~= 'table' then
      self:refuse('input', 'be a tensor and a table of tensors', input)
   end
end

function CAddTensorTable:updateOutput(input)
   checkPair(self, input)
   if type(self.output) ~= 'table' then self.output = {} end
   for i, y in ipairs(input[2]) do
      local out = self.output[i]
      if not torch.isTensor(out) or out:type() ~= y:type() then out = y.new() end
      self.output[i] = out:resize(y:size()):copy(y):add(input[1])
   end
   for i = #self.output, #input[2] + 1, -1 do self.output[i] = nil end
   return self.output
end

function CAddTensorTable:updateGradInput(input, gradOutput)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   local sum = self.gradInput[1]
   if not torch.isTensor(sum) or sum:type() ~= input[1]:type() then sum = input[1].new() end
   sum:resize(input[1]:size()):copy(gradOutput[1])
   for i = 2, #gradOutput do sum:add(gradOutput[i]) end
   self.gradInput[1], self.gradInput[2] = sum, gradOutput
   return self.gradInput
end

--- The dot product of two vectors, or of the rows of two matrices.
local DotProduct = class 'DotProduct'
DotProduct.bufferNames = {'buffer'}

-- Vectors as matrices of one row.
local function rows(x) return x:dim() == 1 and x:contiguous():view(1, -1) or x end

function DotProduct:updateOutput(input)
   check(self, input, 2, 2)
   local product = torch.cmul(self:scratch('buffer', input[1]:type()), input[1], input[2])
   torch.sum(self.output, rows(product), 2)
   return self.output:resize(self.output:nElement())
end

function DotProduct:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   local scale = gradOutput:contiguous():view(-1, 1):expandAs(rows(input[1]))
   for i = 1, 2 do
      g[i]:resize(input[i]:size())
      torch.cmul(rows(g[i]), rows(input[3 - i]), scale)
   end
   return g
end

--- The cosine of the angle between two vectors, or between the rows of two matrices.
local CosineDistance = class 'CosineDistance'
CosineDistance.bufferNames = {'buffer', 'w1', 'w22', 'w', 'w32', 'ones', '_buffer'}

local TINY = 1e-12                                   -- keeps the norm of a zero vector away from 0

-- x1.x2, |x1|^2 + TINY and |x2|^2 + TINY as columns.
local function products(self, input)
   local x1, x2 = rows(input[1]), rows(input[2])
   local kind = input[1]:type()
   local product = self:scratch('buffer', kind)
   local w1 = torch.sum(self:scratch('w1', kind), torch.cmul(product, x1, x2), 2)
   local w22 = torch.sum(self:scratch('w22', kind), torch.cmul(product, x1, x1), 2):add(TINY)
   local w32 = torch.sum(self:scratch('w32', kind), torch.cmul(product, x2, x2), 2):add(TINY)
   return x1, x2, w1, w22, w32
end

function CosineDistance:updateOutput(input)
   check(self, input, 2, 2)
   local _, _, w1, w22, w32 = products(self, input)
   local norms = torch.cmul(self:scratch('w', input[1]:type()), w22, w32):sqrt()
   torch.cdiv(self.output, w1, norms)
   return self.output:resize(self.output:nElement())
end

function CosineDistance:updateGradInput(input, gradOutput)
   local x1, x2, w1, w22, w32 = products(self, input)
   local norms = torch.cmul(self:scratch('w', input[1]:type()), w22, w32):sqrt()
   local g, scale = grads(self, input), gradOutput:contiguous():view(-1, 1)
   for i, own in ipairs{w22, w32} do
      local x, other = i == 1 and x1 or x2, i == 1 and x2 or x1
      g[i]:resize(x:size()):copy(x)
      local share = torch.cdiv(w1, own):mul(-1)
      g[i]:cmul(share:expandAs(x)):add(other)
      g[i]:cdiv(norms:expandAs(x)):cmul(scale:expandAs(x))
      g[i]:resize(input[i]:size())
   end
   return g
end

--- The p-norm (default 2) of the difference of two vectors, or of the rows of two matrices.
local PairwiseDistance = class 'PairwiseDistance'
PairwiseDistance.bufferNames = {'diff', 'outExpand', 'grad', 'ones', '_sum'}

function PairwiseDistance:__init(p)
   Module.__init(self)
   self.gradInput = {}
   self.norm = p or 2
end

function PairwiseDistance:updateOutput(input)
   check(self, input, 2, 2)
   local diff = torch.csub(self:scratch('diff', input[1]:type()), input[1], input[2])
   torch.norm(self.output, rows(diff), self.norm, 2)
   return self.output:resize(self.output:nElement())
end

function PairwiseDistance:updateGradInput(input, gradOutput)
   local g, p = grads(self, input), self.norm
   local diff = rows(torch.csub(self:scratch('diff', input[1]:type()), input[1], input[2]))
   local first = g[1]
   if p == 1 then
      torch.sign(first, diff)
   else
      torch.abs(first, diff):pow(p - 2):cmul(diff)
      first:maskedFill(diff:eq(0), 0)
      local norms = torch.add(self.output, 1e-6):view(-1, 1)              -- equal vectors have distance 0
      first:cdiv(norms:pow(p - 1):expandAs(diff))
   end
   first:cmul(gradOutput:contiguous():view(-1, 1):expandAs(diff))
   first:resize(input[1]:size())
   torch.mul(g[2], first, -1)
   return g
end
