-- nn/table/FlattenTable.lua - a nested table as one list.
local torch = require 'torch'
local nested = require 'nn.support.nested'

local needTable = nested.needTable
local SelectTable = require 'torch.class'.ours 'nn.SelectTable'

--- A nested table as one list, depth first. The field input_map holds the numbers of the elements in the form of the last input.
-- nn.FlattenTable():forward{torch.Tensor{1}, {torch.Tensor{2}, {torch.Tensor{3}}}} --> {{1}, {2}, {3}}
local FlattenTable, Module = torch.class('nn.FlattenTable', 'nn.Module')

function FlattenTable:__init()
   Module.__init(self)
   self.output, self.gradInput, self.input_map = {}, {}, {}
end

-- Appends the elements of x to a list. Returns a table of the form of x, with their numbers in the list.
local function flatten(into, x)
   if type(x) ~= 'table' or torch.isTensor(x) then
      into[#into + 1] = x
      return #into
   end
   local map = {}
   for i, v in ipairs(x) do map[i] = flatten(into, v) end
   return map
end

-- Puts the list back into the form of x; returns the form and how many elements it took.
local function unflatten(list, x, at)
   if type(x) ~= 'table' or torch.isTensor(x) then return list[at], at + 1 end
   local form = {}
   for i, v in ipairs(x) do form[i], at = unflatten(list, v, at) end
   return form, at
end

-- Whether the numbers in `map` select exactly the elements of x from the list.
local function leads(map, list, x)
   if type(x) ~= 'table' or torch.isTensor(x) then return type(map) == 'number' and rawequal(list[map], x) end
   if type(map) ~= 'table' or #map ~= #x then return false end
   for i = 1, #x do
      if not leads(map[i], list, x[i]) then return false end
   end
   return true
end

-- The output is a new table only where the elements have changed.
function FlattenTable:updateOutput(input)
   needTable(self, input)
   if not self.input_map or not leads(self.input_map, self.output, input) then
      self.output = {}
      self.input_map = flatten(self.output, input)
   end
   return self.output
end

function FlattenTable:updateGradInput(input, gradOutput)
   self.gradInput = (unflatten(gradOutput, input, 1))
   return self.gradInput
end

function FlattenTable:clearState()
   self.input_map = {}
   return SelectTable.clearState(self)
end

return FlattenTable
