-- nn/criterion/CosineEmbeddingCriterion.lua - pairs of vectors that should point in one direction, or not.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local pair, two = shared.pair, shared.two

--- 1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; margin 0 by default. Of a batch the
-- mean (sizeAverage = false: the sum).
-- nn.CosineEmbeddingCriterion():forward({torch.Tensor{1, 0}, torch.Tensor{0, 1}}, 1) --> 1
local CosineEmbeddingCriterion, Criterion = torch.class('nn.CosineEmbeddingCriterion', 'nn.Criterion')
CosineEmbeddingCriterion.__arguments = 'margin:number?'

function CosineEmbeddingCriterion:__init(margin)
   Criterion.__init(self)
   self.margin = margin or 0
   self.sizeAverage = true
end

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

return CosineEmbeddingCriterion
