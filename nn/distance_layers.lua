-- nn/distance_layers.lua - Euclidean, WeightedEuclidean and Cosine: how near the input is to learned vectors; Bilinear.
local torch = require 'torch'

-- The input as rows.
local function rows(self, input, n)
   local dim = torch.isTensor(input) and input:dim()
   if not ((dim == 1 or dim == 2) and input:size(dim) == n) then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(n, n), input)
   end
   return dim == 2 and input or input:contiguous():view(1, -1)
end

-- A result of rows in the form of the input.
local function like(input, result, to)
   to:resize(result:size()):copy(result)
   return input:dim() == 1 and to:resize(result:nElement()) or to
end

local TINY = 1e-7                                    -- keeps distances of 0 out of the divisors

--- The Euclidean distances to outputSize learned vectors (the columns of weight).
local Euclidean, Module = torch.class('nn.Euclidean', 'nn.Module')

function Euclidean:__init(inputSize, outputSize)
   Module.__init(self)
   self:parameter('weight', inputSize, outputSize)
   self:reset()
end

function Euclidean:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(1))
   self.weight:uniform(-a, a)
   if self.diagCov then self.diagCov:fill(1) end
end

-- samples x inputs x outputs: x - w, for every pair; and the factors of a weighted distance, or nil.
local function differences(self, input)
   local x = rows(self, input, self.weight:size(1))
   local n, m, k = x:size(1), self.weight:size(1), self.weight:size(2)
   local d = x:contiguous():view(n, m, 1):expand(n, m, k):clone():add(-1, self.weight:view(1, m, k):expand(n, m, k))
   return d, self.diagCov and self.diagCov:view(1, m, k):expand(n, m, k)
end

function Euclidean:updateOutput(input)
   local d, cov = differences(self, input)
   if cov then d:cmul(cov) end
   return like(input, d:cmul(d):sum(2):sqrt():select(2, 1), self.output)
end

-- dL/dx for every pair: g * (x - w) * cov^2 / distance; d is x - w afterwards.
local function gradients(self, input, gradOutput)
   local d, cov = differences(self, input)
   local y = self.output:contiguous():view(d:size(1), 1, -1)
   local ratio = torch.cdiv(gradOutput:contiguous():view(d:size(1), 1, -1), torch.add(y, TINY)):expandAs(d)
   local part = torch.cmul(d, ratio)
   if cov then part:cmul(cov):cmul(cov) end
   return part, d, cov, ratio
end

function Euclidean:updateGradInput(input, gradOutput)
   return like(input, gradients(self, input, gradOutput):sum(3):select(3, 1), self.gradInput)
end

function Euclidean:accGradParameters(input, gradOutput, scale)
   local part, d, cov, ratio = gradients(self, input, gradOutput)
   self.gradWeight:add(-(scale or 1), part:sum(1):select(1, 1))
   if cov then
      self.gradDiagCov:add(scale or 1, d:cmul(d):cmul(ratio):cmul(cov):sum(1):select(1, 1))
   end
end

--- The same with a learned factor (diagCov) for each difference.
local WeightedEuclidean = torch.class('nn.WeightedEuclidean', 'nn.Euclidean')
WeightedEuclidean.parameterNames = {'weight', 'diagCov'}

function WeightedEuclidean:__init(inputSize, outputSize)
   Module.__init(self)
   self:parameter('weight', inputSize, outputSize)
   self:parameter('diagCov', inputSize, outputSize)
   self:reset()
end

--- The cosines of the angles to outputSize learned vectors (the rows of weight).
local Cosine = torch.class('nn.Cosine', 'nn.Module')
Cosine.bufferNames = {'_input', '_weight', '_output', '_gradOutput', '_sum', '_weightNorm', '_inputNorm'}

function Cosine:__init(inputSize, outputSize)
   Module.__init(self)
   self:parameter('weight', outputSize, inputSize)
   self:reset()
end

function Cosine:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(1))
   self.weight:uniform(-a, a)
end

-- Rows, the norms of the rows as a column, the norms of the weights as a row.
local function norms(self, input)
   local x = rows(self, input, self.weight:size(2))
   return x, x:norm(2, 2):add(1e-12), self.weight:norm(2, 2):add(1e-12):t()
end

function Cosine:updateOutput(input)
   local x, xn, wn = norms(self, input)
   local y = torch.mm(x, self.weight:t())
   y:cdiv(xn:expandAs(y)):cdiv(wn:expandAs(y))
   return like(input, y, self.output)
end

-- g / |w| and sum(g y), from which both gradients come.
local function scaled(self, input, gradOutput)
   local x, xn, wn = norms(self, input)
   local g = gradOutput:contiguous():view(x:size(1), -1)
   local y = self.output:contiguous():view(x:size(1), -1)
   return x, xn, wn, g, torch.cmul(g, y)
end

function Cosine:updateGradInput(input, gradOutput)
   local x, xn, wn, g, gy = scaled(self, input, gradOutput)
   local gx = torch.mm(torch.cdiv(g, wn:expandAs(g)), self.weight)
   gx:cdiv(xn:expandAs(gx))
   gx:add(-1, torch.cmul(x, gy:sum(2):cdiv(xn):cdiv(xn):expandAs(x)))
   return like(input, gx, self.gradInput)
end

function Cosine:accGradParameters(input, gradOutput, scale)
   local x, xn, wn, g, gy = scaled(self, input, gradOutput)
   local gw = torch.mm(torch.cdiv(g, xn:expandAs(g)):t(), x)
   local column = wn:t()
   gw:cdiv(column:expandAs(gw))
   gw:add(-1, torch.cmul(self.weight, gy:sum(1):t():contiguous():cdiv(column):cdiv(column):expandAs(gw)))
   self.gradWeight:add(scale or 1, gw)
end

--- x1' W_k x2 + b_k for the rows of two matrices.
--- @param bias  false leaves b out
local Bilinear = torch.class('nn.Bilinear', 'nn.Module')
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
