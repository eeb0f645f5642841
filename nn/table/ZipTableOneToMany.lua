-- nn/table/ZipTableOneToMany.lua - pairs one element with each of a table.
local torch = require 'torch'
local utils = require 'nn.utils'
local nested = require 'nn.support.nested'

local zeros = nested.zeros
local SelectTable = require 'torch.class'.ours 'nn.SelectTable'

--- {x, {y1, y2}} becomes {{x, y1}, {x, y2}}.
-- nn.ZipTableOneToMany():forward{torch.Tensor{1}, {torch.Tensor{3}, torch.Tensor{4}}} --> {{{1}, {3}}, {{1}, {4}}}
local ZipTableOneToMany, Module = torch.class('nn.ZipTableOneToMany', 'nn.Module')

function ZipTableOneToMany:__init()
   Module.__init(self)
   self.output, self.gradInput = {}, {}
end

function ZipTableOneToMany:updateOutput(input)
   if type(input) ~= 'table' or #input ~= 2 or type(input[2]) ~= 'table' then
      self:refuse('input', 'be an element and a table', input)
   end
   self.output = {}
   for i, y in ipairs(input[2]) do self.output[i] = {input[1], y} end
   return self.output
end

function ZipTableOneToMany:updateGradInput(input, gradOutput)
   local sum = zeros(self.gradInput[1], input[1])
   local ys = {}
   for i, pair in ipairs(gradOutput) do
      utils.recursiveAdd(sum, 1, pair[1])
      ys[i] = pair[2]
   end
   self.gradInput = {sum, ys}
   return self.gradInput
end

ZipTableOneToMany.clearState = SelectTable.clearState

return ZipTableOneToMany
