-- nn/distance/Euclidean.lua - the Euclidean distances to outputSize learned vectors (the columns of weight).
local torch = require 'torch'
local row_wise = require 'nn.distance.row_wise'

local rows, like = row_wise.rows, row_wise.like

local TINY = 1e-7                                    -- keeps divisors above 0

--- The Euclidean distances to outputSize learned vectors (the columns of weight).
-- nn.Euclidean(4, 3):forward(torch.ones(2, 4)):size() --> {2, 3}
local Euclidean, Module = torch.class('nn.Euclidean', 'nn.Module')
Euclidean.__arguments = 'inputSize:size outputSize:size'

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
   if not self.gradInput then return end
   return like(input, gradients(self, input, gradOutput):sum(3):select(3, 1), self.gradInput)
end

function Euclidean:accGradParameters(input, gradOutput, scale)
   local part, d, cov, ratio = gradients(self, input, gradOutput)
   self.gradWeight:add(-(scale or 1), part:sum(1):select(1, 1))
   if cov then
      self.gradDiagCov:add(scale or 1, d:cmul(d):cmul(ratio):cmul(cov):sum(1):select(1, 1))
   end
end

return Euclidean
