-- nn/support/nested.lua - shared code of layers on tables: the check of their input, zeros in a nested form.
local torch = require 'torch'
local utils = require 'nn.utils'

local function needTable(self, input)
   if type(input) ~= 'table' or torch.isTensor(input) then self:refuse('input', 'be a table', input) end
end

-- Tensors like those of a nested table, all zero; `kept` is the result of the last call.
local function zeros(kept, like)
   return utils.recursiveFill((utils.recursiveResizeAs(kept, like)), 0)
end

return { needTable = needTable, zeros = zeros }
