-- nn/table_class.lua - what layers on tables share: a class with tables for results, zeros of a nested form.
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

return { needTable = needTable, zeros = zeros, class = class }
