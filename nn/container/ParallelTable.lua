-- nn/container/ParallelTable.lua - module i gets element i of the input table.
local torch = require 'torch'

--- The table of the outputs of module i for input[i].
-- nn.ParallelTable():add(nn.Abs()):add(nn.Square()):forward{torch.Tensor{-1}, torch.Tensor{3}} --> {{1}, {9}}
local ParallelTable, Container = torch.class('nn.ParallelTable', 'nn.Container')

function ParallelTable:__init()
   Container.__init(self)
   self.output, self.gradInput = {}, {}
end

-- Calls `name` of each module with its elements; the results are written into the table `into`, if given.
local function each(self, into, name, input, gradOutput, arg)
   for i, module in ipairs(self.modules) do
      local result = self:rethrowErrors(module, i, name, input[i], gradOutput and gradOutput[i], arg)
      if into then into[i] = result end
   end
   return into
end

function ParallelTable:updateOutput(input)
   if torch.isTensor(input) then                      -- its slices
      if input:size(1) < #self.modules then self:refuse('input', ('have %d slices'):format(#self.modules), input) end
   elseif type(input) ~= 'table' or #input < #self.modules then
      self:refuse('input', ('be a table of %d'):format(#self.modules),
         type(input) == 'table' and ('a table of %d'):format(#input) or input)
   end
   if type(self.output) ~= 'table' then self.output = {} end
   return each(self, self.output, 'updateOutput', input)
end

function ParallelTable:updateGradInput(input, gradOutput)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   return each(self, self.gradInput, 'updateGradInput', input, gradOutput)
end

function ParallelTable:accGradParameters(input, gradOutput, scale)
   each(self, nil, 'accGradParameters', input, gradOutput, scale or 1)
end

function ParallelTable:accUpdateGradParameters(input, gradOutput, lr)
   each(self, nil, 'accUpdateGradParameters', input, gradOutput, lr)
end

function ParallelTable:__tostring__() return self:branches(torch.type(self)) end

return ParallelTable
