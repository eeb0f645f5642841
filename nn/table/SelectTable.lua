-- nn/table/SelectTable.lua - one element of a table.
local torch = require 'torch'
local utils = require 'nn.utils'
local nested = require 'nn.support.nested'

local needTable, zeros = nested.needTable, nested.zeros

--- Element `index` of a table (negative: from the end; or any key).
-- nn.SelectTable(2):forward{torch.Tensor{1}, torch.Tensor{2}} --> {2}
local SelectTable, Module = torch.class('nn.SelectTable', 'nn.Module')
SelectTable.__arguments = 'index:key'

function SelectTable:__init(index)
   Module.__init(self)
   self.index = index
   self.output, self.gradInput = {}, {}
end

local function place(self, input)
   needTable(self, input)
   local index = self.index
   if type(index) == 'number' and index < 0 then index = #input + index + 1 end
   if input[index] == nil then
      self:refuse('input', 'have an element ' .. tostring(self.index), ('a table of %d'):format(#input))
   end
   return index
end

function SelectTable:updateOutput(input)
   self.output = input[place(self, input)]
   return self.output
end

function SelectTable:updateGradInput(input, gradOutput)
   local index = place(self, input)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   local g = self.gradInput
   for k in pairs(g) do
      if input[k] == nil then g[k] = nil end
   end
   for k, v in pairs(input) do
      if k ~= index then g[k] = zeros(g[k], v) end
   end
   g[index] = utils.recursiveCopy(nil, gradOutput)
   return g
end

-- The output is a tensor of the caller, so it is dropped, not emptied.
function SelectTable:clearState()
   self.output, self.gradInput = {}, {}
   return self
end

function SelectTable:__tostring__() return ('%s(%s)'):format(torch.type(self), tostring(self.index)) end

return SelectTable
