-- nn/container/ConcatTable.lua - every module gets the same input; the output is the table of their outputs.
local torch = require 'torch'
local nn = require 'nn'

--- The table of its modules' outputs for one input, which may be a table.
-- nn.ConcatTable():add(nn.Abs()):add(nn.Square()):forward(torch.Tensor{-2}) --> {{2}, {4}}
local ConcatTable, Container = torch.class('nn.ConcatTable', 'nn.Container')

function ConcatTable:__init()
   Container.__init(self)
   self.output = {}
end

function ConcatTable:updateOutput(input)
   if type(self.output) ~= 'table' then self.output = {} end
   for i = 1, #self.modules do
      self.output[i] = self:rethrowErrors(self.modules[i], i, 'updateOutput', input)
   end
   for i = #self.output, #self.modules + 1, -1 do self.output[i] = nil end
   return self.output
end

local ownGradInput = nn.Identity.updateGradInput

-- Whether both gradients can be added at once: the first one stays as it is while an nn.Identity
-- gives the second.
local function adds(self, first, after, second)
   if after == nil or after.updateGradInput ~= ownGradInput then return false end
   local own = self.gradInput
   return torch.isTensor(first) and torch.isTensor(second) and torch.isTensor(own)
      and own:type() == first:type() and second:type() == first:type()
      and second:isSameSizeAs(first)
end

local function each(self, name, input, gradOutput, arg, gradients)
   local held, empty = nil, true                     -- held: a gradient that waits for the next one
   for i, module in ipairs(self.modules) do
      local g = self:rethrowErrors(module, i, name, input, gradOutput[i], arg)
      if held then
         torch.add(self.gradInput, held, g)
         held = nil
      elseif gradients and g ~= nil then             -- a module may return none
         if empty and adds(self, g, self.modules[i + 1], gradOutput[i + 1]) then held = g
         else self.gradInput = self:gather(self.gradInput, g, empty) end
         empty = false
      end
   end
   return self.gradInput
end

function ConcatTable:updateGradInput(input, gradOutput)
   return each(self, 'updateGradInput', input, gradOutput, nil, true)
end

function ConcatTable:accGradParameters(input, gradOutput, scale)
   each(self, 'accGradParameters', input, gradOutput, scale or 1)
end

function ConcatTable:backward(input, gradOutput, scale)
   return each(self, 'backward', input, gradOutput, scale or 1, true)
end

function ConcatTable:accUpdateGradParameters(input, gradOutput, lr)
   each(self, 'accUpdateGradParameters', input, gradOutput, lr)
end

function ConcatTable:__tostring__() return self:branches(torch.type(self)) end

return ConcatTable
