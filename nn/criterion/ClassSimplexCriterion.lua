-- nn/criterion/ClassSimplexCriterion.lua - distance to the corner of a simplex that represents the class.
local torch = require 'torch'

--- MSECriterion against the corner of a regular simplex that represents the class. Mroueh et al., "Multiclass learning
-- with simplex coding" (2012). Inputs have nClasses elements, the last always near 0.
-- nn.ClassSimplexCriterion(3):forward(torch.zeros(1, 3), torch.LongTensor{1}) > 0 --> true
local ClassSimplexCriterion, MSECriterion = torch.class('nn.ClassSimplexCriterion', 'nn.MSECriterion')

-- n corners in n - 1 dimensions, at distance 1 from their centre 0, all pairs at one angle.
local function simplex(n)
   local corners = torch.zeros(n, n)
   for k = 1, n - 1 do
      -- The rest of a length of 1 after the first k - 1 coordinates, which are those of corner k.
      local rest = 1
      for j = 1, k - 1 do rest = rest - corners[k][j] ^ 2 end
      corners[k][k] = math.sqrt(rest)
      for i = k + 1, n do
         local dot = 0
         for j = 1, k - 1 do dot = dot + corners[i][j] * corners[k][j] end
         corners[i][k] = (-1 / (n - 1) - dot) / corners[k][k]
      end
   end
   return corners
end

function ClassSimplexCriterion:__init(nClasses)
   MSECriterion.__init(self)
   if type(nClasses) ~= 'number' or nClasses < 2 or nClasses % 1 ~= 0 then
      error('nn.ClassSimplexCriterion: nClasses must be a whole number of at least 2, got ' .. tostring(nClasses), 3)
   end
   self.nClasses = nClasses
   self.simplex = simplex(nClasses)
   self._target = torch.Tensor(nClasses)
end

-- The corners of the classes.
local function corners(self, input, target)
   self:needTensor(input)
   local classes = self:classNumbers(target, '_classes', input):contiguous():view(-1)
   local t = self.simplex:index(1, classes)
   return input:dim() == 1 and t:view(-1) or t
end

function ClassSimplexCriterion:updateOutput(input, target)
   return MSECriterion.updateOutput(self, input, corners(self, input, target))
end

function ClassSimplexCriterion:updateGradInput(input, target)
   return MSECriterion.updateGradInput(self, input, corners(self, input, target))
end

--- The dot products of inputs with all corners: scores of the classes.
function ClassSimplexCriterion:getPredictions(input)
   if input:dim() == 1 then return torch.mv(self.simplex, input) end
   return torch.mm(input, self.simplex:t())
end

--- The class of the nearest corner, of one input or of each row.
function ClassSimplexCriterion:getTopPrediction(input)
   local scores = self:getPredictions(input)
   local _, at = scores:max(scores:dim())
   return at:view(-1)
end

return ClassSimplexCriterion
