-- nn/table/CAddTable.lua - the sum of the tensors of a table.
local torch = require 'torch'
local original = require 'torch.arg'.original
local operands = require 'nn.support.operands'
local rollback = require 'nn.support.rollback'

local checkTypes, grads = operands.checkTypes, operands.grads

--- The sum of the tensors; with `inplace` the first input holds it.
-- nn.CAddTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}} --> {4, 6}
local CAddTable, Module = torch.class('nn.CAddTable', 'nn.Module')

function CAddTable:__init(inplace)
   Module.__init(self)
   self.inplace = inplace
   self.gradInput = {}
end

function CAddTable:updateOutput(input)
   checkTypes(self, input, 1)
   local first, second, done = input[1], input[2], 1
   if self.inplace then
      self.output:set(first)
   elseif second and first._dtype == self.output._dtype and first:isSameSizeAs(second) then
      torch.add(self.output, first, second)
      done = 2
   else
      self.output:resizeAs(first):copy(first)
   end
   for i = done + 1, #input do self.output:add(input[i]) end
   return self.output
end

local ownOutput = CAddTable.updateOutput

--- Whether updateOutputWith computes this module and `after`, which follows it in a Sequential: the
-- sum of two tensors, and an nn.ReLU in place.
function CAddTable:joins(after, input)
   if original(self.updateOutput) ~= ownOutput or not after.isReLUInPlace
      or not after:isReLUInPlace() or type(input) ~= 'table' or #input ~= 2 then
      return false
   end
   local first, second = input[1], input[2]
   return torch.isTensor(first) and torch.isTensor(second) and first:isSameSizeAs(second)
      and first:type() == second:type() and first:type() == after._type
      and first:type() == self.output:type()
end

--- The output of `after` behind this module.
function CAddTable:updateOutputWith(after, input)
   if self.inplace then self.output:set(input[1]) end
   after.output:set(torch.addrelu(self.output, input[1], input[2]))
   rollback.note(self, input)
   return after.output
end

function CAddTable:updateGradInput(input, gradOutput)
   local g = grads(self, input)
   for i = 1, #input do
      if self.inplace then
         g[i]:set(gradOutput)
      else
         g[i]:resizeAs(input[i]):copy(gradOutput)
      end
   end
   return g
end

return CAddTable
