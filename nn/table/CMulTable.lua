-- nn/table/CMulTable.lua - the product of the tensors of a table.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local checkTypes, grads = operands.checkTypes, operands.grads

--- The product of the tensors.
-- nn.CMulTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}} --> {3, 8}
local CMulTable, Module = torch.class('nn.CMulTable', 'nn.Module')

function CMulTable:__init()
   Module.__init(self)
   self.gradInput = {}
end

function CMulTable:updateOutput(input)
   checkTypes(self, input, 1)
   self.output:resizeAs(input[1]):copy(input[1])
   for i = 2, #input do self.output:cmul(input[i]) end
   return self.output
end

-- Products of the other tensors. output / input would be undefined where an input is 0.
function CMulTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   for i = 1, #input do
      g[i]:resizeAs(input[i]):copy(gradOutput)
      for k = 1, #input do
         if k ~= i then g[i]:cmul(input[k]) end
      end
   end
   return g
end

--- nn.CMulTable:updateGradInput_efficient(input, gradOutput): updateGradInput; under this name Torch7 has a faster, less exact
-- method.
CMulTable.updateGradInput_efficient = CMulTable.updateGradInput

return CMulTable
