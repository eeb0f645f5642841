-- nn/criterion/L1HingeEmbeddingCriterion.lua - pairs of vectors: near in L1, or apart.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local pair, two = shared.pair, shared.two

--- nn.HingeEmbeddingCriterion for the L1 distance of a pair of vectors: {a, b} with a target of 1 or -1.
-- nn.L1HingeEmbeddingCriterion():forward({torch.Tensor{1, 2}, torch.Tensor{2, 0}}, 1) --> 3
local L1HingeEmbeddingCriterion, Criterion = torch.class('nn.L1HingeEmbeddingCriterion', 'nn.Criterion')
L1HingeEmbeddingCriterion.__arguments = 'margin:number?'

function L1HingeEmbeddingCriterion:__init(margin)
   Criterion.__init(self)
   self.margin = margin or 1
   self.sizeAverage = true
end

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

return L1HingeEmbeddingCriterion
