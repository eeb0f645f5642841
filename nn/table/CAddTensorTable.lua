-- nn/table/CAddTensorTable.lua - adds one tensor to every tensor of a table.
local torch = require 'torch'

--- {x, {y1, y2, ...}} becomes {y1 + x, y2 + x, ...}.
-- nn.CAddTensorTable():forward{torch.Tensor{1, 2}, {torch.Tensor{3, 4}, torch.Tensor{5, 6}}} --> {{4, 6}, {6, 8}}
local CAddTensorTable, Module = torch.class('nn.CAddTensorTable', 'nn.Module')

function CAddTensorTable:__init()
   Module.__init(self)
   self.gradInput = {}
end

local function checkPair(self, input)
   if type(input) ~= 'table' or not torch.isTensor(input[1]) or type(input[2]) ~= 'table' then
      self:refuse('input', 'be a tensor and a table of tensors', input)
   end
end

function CAddTensorTable:updateOutput(input)
   checkPair(self, input)
   local sums = {}
   for i, y in ipairs(input[2]) do sums[i] = torch.add(y, input[1]) end
   if type(self.output) ~= 'table' then self.output = {} end
   for i, y in ipairs(sums) do
      local out = self.output[i]
      if not torch.isTensor(out) or out:type() ~= y:type() then out = y.new() end
      self.output[i] = out:resizeAs(y):copy(y)
   end
   for i = #self.output, #input[2] + 1, -1 do self.output[i] = nil end
   return self.output
end

function CAddTensorTable:updateGradInput(input, gradOutput)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   local sum = self.gradInput[1]
   if not torch.isTensor(sum) or sum:type() ~= input[1]:type() then sum = input[1].new() end
   sum:resizeAs(input[1]):copy(gradOutput[1])
   for i = 2, #gradOutput do sum:add(gradOutput[i]) end
   self.gradInput[1], self.gradInput[2] = sum, gradOutput
   return self.gradInput
end

return CAddTensorTable
