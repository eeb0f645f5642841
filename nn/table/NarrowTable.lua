-- nn/table/NarrowTable.lua - consecutive elements of a table.
local torch = require 'torch'
local nested = require 'nn.support.nested'

local needTable, zeros = nested.needTable, nested.zeros
local SelectTable = require 'torch.class'.ours 'nn.SelectTable'

--- `length` elements (default 1) of a table from `offset` on, fewer where the table ends earlier.
-- nn.NarrowTable(2, 2):forward{torch.Tensor{1}, torch.Tensor{2}, torch.Tensor{3}} --> {{2}, {3}}
local NarrowTable, Module = torch.class('nn.NarrowTable', 'nn.Module')
NarrowTable.__arguments = 'offset:place? length:whole?'

function NarrowTable:__init(offset, length)
   Module.__init(self)
   self.offset = offset
   self.length = length
   self.output, self.gradInput = {}, {}
end

local function range(self, input)
   needTable(self, input)
   if not self.offset or self.offset < 1 then self:refuse('offset', 'be at least 1', tostring(self.offset)) end
   return math.max(0, math.min(self.length or 1, #input - self.offset + 1))
end

function NarrowTable:updateOutput(input)
   local n = range(self, input)
   self.output = {}
   for i = 1, n do self.output[i] = input[self.offset + i - 1] end
   return self.output
end

function NarrowTable:updateGradInput(input, gradOutput)
   local length = range(self, input)
   local old, g = type(self.gradInput) == 'table' and self.gradInput or {}, {}
   for i = 1, #input do
      local k = i - self.offset + 1
      if k >= 1 and k <= length then g[i] = gradOutput[k] else g[i] = zeros(old[i], input[i]) end
   end
   self.gradInput = g
   return g
end

NarrowTable.clearState = SelectTable.clearState

return NarrowTable
