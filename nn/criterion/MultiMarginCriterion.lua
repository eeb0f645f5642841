-- nn/criterion/MultiMarginCriterion.lua - the right class with a margin to all others.
local torch = require 'torch'
local margin = require 'nn.criterion.margin'

local rows, divisor = margin.rows, margin.divisor

--- sum_i max(0, margin - x[t] + x[i])^p / classes over the other classes i.
-- @param p        1 (default) or 2
-- @param weights  one for each class: of the right one
-- @param margin   default 1
-- nn.MultiMarginCriterion():forward(torch.Tensor{1, 2, 3}, 1) --> 1.6667
local MultiMarginCriterion, Criterion = torch.class('nn.MultiMarginCriterion', 'nn.Criterion')
MultiMarginCriterion.__arguments = 'p:number? weights:tensor? margin:number?'

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
   local y = self:classNumbers(target, nil, input):contiguous():view(-1, 1)
   if y:size(1) ~= x:size(1) then
      self:refuse('target', ('be a class for each of %d samples'):format(x:size(1)), target)
   end
   local z = x:clone():add(self.margin)
   z:add(-1, x:gather(2, y):expandAs(x))
   z:scatter(2, y, 0)
   return x, y, z:cmax(0)
end

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

return MultiMarginCriterion
