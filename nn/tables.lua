-- nn/tables.lua - layers that pick from tables and arrange them anew.
local torch = require 'torch'
local utils = require 'nn.utils'

local function needTable(self, input)
   if type(input) ~= 'table' or torch.isTensor(input) then self:refuse('input', 'be a table', input) end
end

-- Tensors like those of a nested table, all zero; `kept` is the one of the last call.
local function zeros(kept, like)
   return utils.recursiveFill((utils.recursiveResizeAs(kept, like)), 0)
end

-- A class that has tables for results.
local function class(name, ...)
   local Class, Module = torch.class('nn.' .. name, 'nn.Module')
   local fields = {...}
   function Class:__init(...)
      Module.__init(self)
      for i, field in ipairs(fields) do self[field] = (select(i, ...)) end
      self.output, self.gradInput = {}, {}
   end
   return Class
end

--- Element `index` of a table (negative: from the end; or any key).
local SelectTable = class('SelectTable', 'index')

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

-- The output is somebody else's tensor: it is let go, not emptied.
function SelectTable:clearState()
   self.output, self.gradInput = {}, {}
   return self
end

function SelectTable:__tostring__() return ('%s(%s)'):format(torch.type(self), tostring(self.index)) end

--- `length` elements of a table from `offset` on (default 1).
local NarrowTable = class('NarrowTable', 'offset', 'length')

local function range(self, input)
   needTable(self, input)
   local length = math.max(0, self.length or 1)
   if self.offset < 1 or self.offset + length - 1 > #input then
      self:refuse('input', ('reach from %d over %d'):format(self.offset, self.length or 1), ('a table of %d'):format(#input))
   end
   return length
end

function NarrowTable:updateOutput(input)
   self.output = {}
   for i = 1, range(self, input) do self.output[i] = input[self.offset + i - 1] end
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

--- A nested table as one list, depth first.
local FlattenTable = class 'FlattenTable'

local function flatten(into, x)
   if type(x) == 'table' and not torch.isTensor(x) then
      for _, v in ipairs(x) do flatten(into, v) end
   else
      into[#into + 1] = x
   end
   return into
end

-- The list put back into the form of x; returns the form and how many elements it took.
local function unflatten(list, x, at)
   if type(x) ~= 'table' or torch.isTensor(x) then return list[at], at + 1 end
   local form = {}
   for i, v in ipairs(x) do form[i], at = unflatten(list, v, at) end
   return form, at
end

function FlattenTable:updateOutput(input)
   needTable(self, input)
   self.output = flatten({}, input)
   return self.output
end

function FlattenTable:updateGradInput(input, gradOutput)
   self.gradInput = (unflatten(gradOutput, input, 1))
   return self.gradInput
end

FlattenTable.clearState = SelectTable.clearState

--- {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}; as many as the shortest has.
local ZipTable = class 'ZipTable'

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

-- Elements that no partner was found for did not count: their gradient is zero.
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

--- {x, {y1, y2}} becomes {{x, y1}, {x, y2}}.
local ZipTableOneToMany = class 'ZipTableOneToMany'

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
