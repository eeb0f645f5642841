-- nn/criterion/MarginRankingCriterion.lua - pairs of numbers, of which a given one should be larger.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local pair, two, signs = shared.pair, shared.two, shared.signs

--- max(0, margin - t (a - b)) for {a, b} and targets t of -1 and 1; margin 1 by default. Of a batch the mean
-- (sizeAverage = false: the sum).
-- nn.MarginRankingCriterion(1):forward({torch.Tensor{1, 2}, torch.Tensor{3, 1.5}}, torch.Tensor{1, 1}) --> 1.75
local MarginRankingCriterion, Criterion = torch.class('nn.MarginRankingCriterion', 'nn.Criterion')
MarginRankingCriterion.__arguments = 'margin:number?'

function MarginRankingCriterion:__init(margin)
   Criterion.__init(self)
   self.margin = margin or 1
   self.sizeAverage = true
end

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

return MarginRankingCriterion
