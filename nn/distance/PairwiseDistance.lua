-- nn/distance/PairwiseDistance.lua - the p-norm (default 2) of the difference of two vectors.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local check, grads, rows = operands.check, operands.grads, operands.rows

--- The p-norm (default 2) of the difference of two vectors, or of the rows of two matrices.
-- nn.PairwiseDistance(1):forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}} --> {5}
local PairwiseDistance, Module = torch.class('nn.PairwiseDistance', 'nn.Module')
PairwiseDistance.__arguments = 'p:number?'
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

return PairwiseDistance
