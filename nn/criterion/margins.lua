-- nn/criterion/margins.lua - criterions of margins between classes, pairs and signs.
local torch = require 'torch'
local utils = require 'nn.utils'

-- A criterion with a margin (a number with a default) that averages.
local function class(name, margin)
   local Class, Criterion = torch.class('nn.' .. name, 'nn.Criterion')
   --- @param margin  see the class
   function Class:__init(m)
      Criterion.__init(self)
      self.margin = m or margin
      self.sizeAverage = true
   end
   return Class, Criterion
end

local function same(self, input, target)
   self:needTensor(input, target, true)
   if not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

-- Two tensors of one shape in a table.
local function pair(self, input)
   local a, b
   if type(input) == 'table' then a, b = input[1], input[2] end
   if not torch.isTensor(a) or not torch.isTensor(b) or not a:isSameSizeAs(b) then
      self:refuse('input', 'be a table of two tensors of one shape', self.shapes(a, b))
   end
   return a, b
end

-- self.gradInput as a table of two tensors of x's type.
local function two(self, x)
   local g = self.gradInput
   if type(g) ~= 'table' or torch.isTensor(g) or not torch.isTensor(g[1]) or g[1]:type() ~= x:type() then
      g = {x.new(), x.new()}
      self.gradInput = g
   end
   return g
end

--- max(0, margin - t x) for targets t of -1 and 1, averaged (sizeAverage = false: summed). Margin 1 by default.
local MarginCriterion = class('MarginCriterion', 1)

function MarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target):mul(-1):add(self.margin)
   local sum = z:cmax(0):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function MarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target)
   local g = self.gradInput:resize(input:size()):copy(target):mul(self.sizeAverage and -1 / input:nElement() or -1)
   return g:maskedFill(z:ge(self.margin), 0)
end

--- log(1 + exp(-t x)) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
local SoftMarginCriterion = class('SoftMarginCriterion')

function SoftMarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target)
   local sum = -torch.logsigmoid(self:scratch('_log', input:type()), z):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function SoftMarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local z = torch.cmul(self:scratch('_z', input:type()), input, target):mul(-1)
   local g = torch.sigmoid(self.gradInput, z):cmul(target)
   return g:mul(self.sizeAverage and -1 / input:nElement() or -1)
end

--- x where the target is 1, max(0, margin - x) where it is -1, averaged (sizeAverage = false: summed). Margin 1.
local HingeEmbeddingCriterion = class('HingeEmbeddingCriterion', 1)

-- The target as a tensor like x.
local function signs(self, input, target)
   self:needTensor(input)
   if type(target) == 'number' then return self:scratch('_y', input:type()):resize(input:size()):fill(target) end
   same(self, input, target)
   return target
end

function HingeEmbeddingCriterion:updateOutput(input, target)
   local y = signs(self, input, target)
   local z = self:scratch('_z', input:type()):resize(input:size()):copy(input)
   local below = z:mul(-1):add(self.margin):cmax(0)
   local sum = below:maskedFill(y:eq(1), 0):sum() + z:copy(input):maskedFill(y:ne(1), 0):sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function HingeEmbeddingCriterion:updateGradInput(input, target)
   local y = signs(self, input, target)
   local g = self.gradInput:resize(input:size()):copy(y)
   g:maskedFill(y:ne(1):cmul(input:ge(self.margin)), 0)
   return self.sizeAverage and g:div(input:nElement()) or g
end

--- The same for the L1 distance of a pair of vectors: {a, b} with a target of 1 or -1.
local L1HingeEmbeddingCriterion = class('L1HingeEmbeddingCriterion', 1)

local function sign(self, target)
   local y = torch.isTensor(target) and target:nElement() == 1 and target:sum() or target
   if type(y) ~= 'number' then self:refuse('target', 'be 1 or -1', target) end
   return y
end

function L1HingeEmbeddingCriterion:updateOutput(input, target)
   local a, b = pair(self, input)
   local distance = torch.csub(self:scratch('_z', a:type()), a, b):abs():sum()
   self.output = sign(self, target) == 1 and distance or math.max(0, self.margin - distance)
   return self.output
end

function L1HingeEmbeddingCriterion:updateGradInput(input, target)
   local a, b = pair(self, input)
   local g, y = two(self, a), sign(self, target)
   torch.csub(g[1], a, b)
   local factor = 1
   if y ~= 1 then factor = g[1]:norm(1) > self.margin and 0 or -1 end
   g[1]:sign():mul(factor)
   torch.mul(g[2], g[1], -1)
   return g
end

--- 1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; margin 0 by default. Of a batch the
--- mean (sizeAverage = false: the sum).
local CosineEmbeddingCriterion = class('CosineEmbeddingCriterion', 0)

local TINY = 1e-12                                   -- keeps the norm of a zero vector away from 0

-- Rows of both, the target of each row as a vector, and the parts of their cosines as columns.
local function cosines(self, input, target)
   local a, b = pair(self, input)
   if a:dim() == 1 then a, b = a:contiguous():view(1, -1), b:contiguous():view(1, -1) end
   local y = target
   if type(y) == 'number' then y = self:scratch('_y', a:type()):resize(1):fill(y) end
   if not torch.isTensor(y) or y:nElement() ~= a:size(1) then
      self:refuse('target', ('be 1 or -1 for each of %d samples'):format(a:size(1)), target)
   end
   local dot = torch.cmul(a, b):sum(2)
   local aa, bb = torch.cmul(a, a):sum(2):add(TINY), torch.cmul(b, b):sum(2):add(TINY)
   local norms = torch.cmul(aa, bb):sqrt()
   return a, b, y:contiguous():view(-1, 1), torch.cdiv(dot, norms), norms, aa, bb
end

function CosineEmbeddingCriterion:updateOutput(input, target)
   local a, _, y, cos = cosines(self, input, target)
   local alike = torch.mul(cos, -1):add(1):maskedFill(y:ne(1), 0)
   local unlike = torch.add(cos, -self.margin):cmax(0):maskedFill(y:eq(1), 0)
   local sum = alike:sum() + unlike:sum()
   self.output = self.sizeAverage and sum / a:size(1) or sum
   return self.output
end

-- d cos / da = b / (|a||b|) - cos a / |a|^2
function CosineEmbeddingCriterion:updateGradInput(input, target)
   local a, b, y, cos, norms, aa, bb = cosines(self, input, target)
   local g = two(self, a)
   local factor = cos.new(cos:size()):fill(1):maskedFill(y:eq(1), -1)
   factor:maskedFill(y:ne(1):cmul(cos:le(self.margin)), 0)
   if self.sizeAverage then factor:div(a:size(1)) end
   for i, row in ipairs{{a, b, aa}, {b, a, bb}} do
      local own, other, square = row[1], row[2], row[3]
      g[i]:resize(own:size()):copy(other):cdiv(norms:expandAs(own))
      g[i]:add(-1, torch.cmul(own, torch.cdiv(cos, square):expandAs(own)))
      g[i]:cmul(factor:expandAs(own))
      g[i]:resize(input[i]:size())
   end
   return g
end

--- max(0, margin - t (a - b)) for {a, b} and targets t of -1 and 1; margin 1 by default. Of a batch the mean
--- (sizeAverage = false: the sum).
local MarginRankingCriterion = class('MarginRankingCriterion', 1)

local function ranks(self, input, target)
   local a, b = pair(self, input)
   local y = signs(self, a, target)
   return a, y, torch.csub(self:scratch('_z', a:type()), a, b):cmul(y):mul(-1):add(self.margin)
end

function MarginRankingCriterion:updateOutput(input, target)
   local a, _, z = ranks(self, input, target)
   local sum = z:cmax(0):sum()
   self.output = self.sizeAverage and sum / a:nElement() or sum
   return self.output
end

function MarginRankingCriterion:updateGradInput(input, target)
   local a, y, z = ranks(self, input, target)
   local g = two(self, a)
   g[1]:resize(a:size()):copy(y):mul(self.sizeAverage and -1 / a:nElement() or -1):maskedFill(z:lt(0), 0)
   torch.mul(g[2], g[1], -1)
   return g
end

-- Rows of scores.
local function rows(self, input)
   if not torch.isTensor(input) or input:dim() < 1 or input:dim() > 2 then
      self:refuse('input', 'be a vector or a matrix of scores', input)
   end
   return input:dim() == 1 and input:contiguous():view(1, -1) or input
end

--- sum_i max(0, margin - x[t] + x[i])^p / classes over the other classes i.
--- @param p        1 (default) or 2
--- @param weights  one for each class: of the right one
--- @param margin   default 1
local MultiMarginCriterion, Criterion = torch.class('nn.MultiMarginCriterion', 'nn.Criterion')

function MultiMarginCriterion:__init(p, weights, margin)
   Criterion.__init(self)
   if p and p ~= 1 and p ~= 2 then
      error('nn.MultiMarginCriterion: p must be 1 or 2, got ' .. tostring(p), 3)
   end
   self.p = p or 1
   self.margin = margin or 1
   self.sizeAverage = true
   self.weights = weights
end

-- Scores, the classes as a column, and margin - x[t] + x[i], 0 at the class itself and below 0.
local function excess(self, input, target)
   local x = rows(self, input)
   local y = self:classNumbers(target):contiguous():view(-1, 1)
   if y:size(1) ~= x:size(1) then
      self:refuse('target', ('be a class for each of %d samples'):format(x:size(1)), target)
   end
   local z = x:clone():add(self.margin)
   z:add(-1, x:gather(2, y):expandAs(x))
   z:scatter(2, y, 0)
   return x, y, z:cmax(0)
end

-- Everything is divided by this.
local function divisor(self, x) return x:size(2) * (self.sizeAverage and x:size(1) or 1) end

function MultiMarginCriterion:updateOutput(input, target)
   local x, y, z = excess(self, input, target)
   if self.p == 2 then z:cmul(z) end
   if self.weights then z:cmul(self.weights:index(1, y:view(-1)):view(-1, 1):expandAs(z)) end
   self.output = z:sum() / divisor(self, x)
   return self.output
end

function MultiMarginCriterion:updateGradInput(input, target)
   local x, y, z = excess(self, input, target)
   local g = self.p == 2 and z:mul(2) or z:sign()
   if self.weights then g:cmul(self.weights:index(1, y:view(-1)):view(-1, 1):expandAs(g)) end
   local total = g:sum(2):mul(-1)
   g:scatter(2, y, total):div(divisor(self, x))
   return self.gradInput:resize(input:size()):copy(g)
end

--- sum over targets t and other classes i of max(0, 1 - x[t] + x[i]) / classes. A target is a row of class numbers as
--- long as the input, that ends at the first 0.
local MultiLabelMarginCriterion = class('MultiLabelMarginCriterion')

-- Calls f(row, x of the row, list of its targets, isTarget) for each sample.
local function samples(self, input, target, f)
   local x = rows(self, input)
   local t = torch.isTensor(target) and target:dim() == 1 and target:contiguous():view(1, -1) or target
   if not torch.isTensor(t) or t:dim() ~= 2 or t:size(1) ~= x:size(1) or t:size(2) ~= x:size(2) then
      self:refuse('target', 'have the shape of the input', target)
   end
   local n = x:size(2)
   for r = 1, x:size(1) do
      local list, is = {}, {}
      for k = 1, n do
         local label = tonumber(t[r][k])
         if label == 0 then break end
         if label < 1 or label > n or label % 1 ~= 0 then
            self:refuse('target', ('hold classes of 1..%d, or 0'):format(n), tostring(label))
         end
         list[#list + 1], is[label] = label, true
      end
      f(r, x:select(1, r), list, is)
   end
   return x
end

function MultiLabelMarginCriterion:updateOutput(input, target)
   local sum = 0
   local x = samples(self, input, target, function(_, x, list, is)
      for _, t in ipairs(list) do
         for i = 1, x:size(1) do
            if not is[i] then sum = sum + math.max(0, 1 - x[t] + x[i]) end
         end
      end
   end)
   self.output = sum / divisor(self, x)
   return self.output
end

function MultiLabelMarginCriterion:updateGradInput(input, target)
   local g = input.new(rows(self, input):size()):zero()
   local x = samples(self, input, target, function(r, x, list, is)
      local row = g:select(1, r)
      for _, t in ipairs(list) do
         for i = 1, x:size(1) do
            if not is[i] and 1 - x[t] + x[i] > 0 then
               row[t], row[i] = row[t] - 1, row[i] + 1
            end
         end
      end
   end)
   return self.gradInput:resize(input:size()):copy(g:div(divisor(self, x)))
end
