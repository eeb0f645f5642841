-- nn/table/CDivTable.lua - the first tensor divided by the second.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local check, grads = operands.check, operands.grads

--- The first tensor divided by the second.
-- nn.CDivTable():forward{torch.Tensor{1, 2}, torch.Tensor{4, 4}} --> {0.25, 0.5}
local CDivTable, Module = torch.class('nn.CDivTable', 'nn.Module')

function CDivTable:__init()
   Module.__init(self)
   self.gradInput = {}
end

function CDivTable:updateOutput(input)
   check(self, input, 2, 2)
   return torch.cdiv(self.output, input[1], input[2])
end

function CDivTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   torch.cdiv(g[1], gradOutput, input[2])
   torch.cmul(g[2], g[1], input[1]):cdiv(input[2]):mul(-1)
   return g
end

return CDivTable
