-- nn/table/extremes.lua - CMaxTable and CMinTable: the largest, or smallest, of the tensors element by element.
local torch = require 'torch'
local operands = require 'nn.support.operands'

local checkTypes, grads = operands.checkTypes, operands.grads

--- nn.CMaxTable(): The largest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
-- nn.CMaxTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}} --> {3, 4}

--- nn.CMinTable(): The smallest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
-- nn.CMinTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}} --> {1, 2}
for _, row in ipairs{
   {torch.class('nn.CMaxTable', 'nn.Module'), 'cmax', 'gt'},
   {torch.class('nn.CMinTable', 'nn.Module'), 'cmin', 'lt'},
} do
   local Class, op, better = row[1], row[2], row[3]
   local Module = getmetatable(Class)
   Class.bufferNames = {'maxIdx', 'minIdx', '_mask', '_winner'}

   function Class:__init()
      Module.__init(self)
      self.gradInput = {}
   end

   function Class:updateOutput(input)
      checkTypes(self, input, 1)
      self.output:resizeAs(input[1]):copy(input[1])
      local winner = self:scratch('_winner', input[1]:type()):resize(input[1]:size()):fill(1)
      for i = 2, #input do
         local mask = input[i][better](input[i], self.output)
         winner:maskedFill(mask, i)
         self.output[op](self.output, input[i])
      end
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local g = grads(self, input)
      for i = 1, #input do
         g[i]:resizeAs(input[i]):copy(gradOutput):maskedFill(self._winner:ne(i), 0)
      end
      return g
   end
end
