-- nn/table/ZipTable.lua - transposes a table of tables: {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}.
local torch = require 'torch'
local nested = require 'nn.support.nested'

local needTable, zeros = nested.needTable, nested.zeros
local SelectTable = require 'torch.class'.ours 'nn.SelectTable'

--- {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}; as many as the shortest has.
-- nn.ZipTable():forward{{torch.Tensor{1}, torch.Tensor{2}}, {torch.Tensor{3}, torch.Tensor{4}}} --> {{{1}, {3}}, {{2}, {4}}}
local ZipTable, Module = torch.class('nn.ZipTable', 'nn.Module')

function ZipTable:__init()
   Module.__init(self)
   self.output, self.gradInput = {}, {}
end

local function zip(self, x)
   needTable(self, x)
   local out, n = {}, math.huge
   for i = 1, #x do
      needTable(self, x[i])
      n = math.min(n, #x[i])
   end
   for k = 1, n < math.huge and n or 0 do
      out[k] = {}
      for i = 1, #x do out[k][i] = x[i][k] end
   end
   return out
end

function ZipTable:updateOutput(input)
   self.output = zip(self, input)
   return self.output
end

-- Elements without a partner did not count, so their gradient is zero.
function ZipTable:updateGradInput(input, gradOutput)
   local g = {}
   for i = 1, #input do
      g[i] = {}
      for k = 1, #input[i] do g[i][k] = gradOutput[k] and gradOutput[k][i] or zeros(nil, input[i][k]) end
   end
   self.gradInput = g
   return g
end

ZipTable.clearState = SelectTable.clearState

return ZipTable
