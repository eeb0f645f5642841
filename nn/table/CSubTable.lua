-- nn/table/CSubTable.lua - the first tensor minus the second.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local check, grads = operands.check, operands.grads

--- The first tensor minus the second.
-- nn.CSubTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}} --> {-2, -3}
local CSubTable, Module = torch.class('nn.CSubTable', 'nn.Module')

function CSubTable:__init()
   Module.__init(self)
   self.gradInput = {}
end

function CSubTable:updateOutput(input)
   check(self, input, 2, 2)
   return torch.csub(self.output, input[1], input[2])
end

function CSubTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   g[1]:resize(input[1]:size()):copy(gradOutput)
   torch.mul(g[2], gradOutput, -1):resize(input[2]:size())
   return g
end

return CSubTable
