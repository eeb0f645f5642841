-- nn/distance/CosineDistance.lua - the cosine of the angle between two vectors.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local check, grads, rows = operands.check, operands.grads, operands.rows

--- The cosine of the angle between two vectors, or between the rows of two matrices.
-- nn.CosineDistance():forward{torch.Tensor{1, 0}, torch.Tensor{1, 1}} --> {0.70711}
local CosineDistance, Module = torch.class('nn.CosineDistance', 'nn.Module')
CosineDistance.bufferNames = {'buffer', 'w1', 'w22', 'w', 'w32', 'ones', '_buffer'}

function CosineDistance:__init()
   Module.__init(self)
   self.gradInput = {}
end

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
      g[i]:resizeAs(x):copy(x)
      local share = torch.cdiv(w1, own):mul(-1)
      g[i]:cmul(share:expandAs(x)):add(other)
      g[i]:cdiv(norms:expandAs(x)):cmul(scale:expandAs(x))
      g[i]:resizeAs(input[i])
   end
   return g
end

return CosineDistance
