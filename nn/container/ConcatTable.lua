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

local function same_memory(a, b)
   local first, second = a:storage(), b:storage()
   return first ~= nil and second ~= nil and torch.pointer(first) == torch.pointer(second)
end

local function alike(a, b)
   return torch.isTensor(a) and torch.isTensor(b) and a:type() == b:type() and a:isSameSizeAs(b)
end

-- Whether the gradient g of module i can wait for that of the next one, so that one pass adds both.
-- Nothing may write to it meanwhile: the next one is an nn.Identity; or module i is one, and the
-- other branch works in other memory.
local function waits(self, i, g, gradOutput, name)
   local after, own, g2 = self.modules[i + 1], self.gradInput, gradOutput[i + 1]
   if not after or not torch.isTensor(own) or not alike(g, g2) or own:type() ~= g:type() then
      return false
   end
   if after.updateGradInput == ownGradInput then return true end
   if name ~= 'backward' or not after.backwardOnto then return false end
   return self.modules[i].updateGradInput == ownGradInput and not same_memory(g, g2)
      and not same_memory(g, own)
end

-- The gradient of module i; with `held`, self.gradInput becomes the sum of both.
local function add_to(self, held, i, name, input, gradOutput, arg)
   local module = self.modules[i]
   if name == 'backward' and module.backwardOnto then
      local sum = self.gradInput:resizeAs(held)
      if self:rethrowErrors(module, i, 'backwardOnto', input, gradOutput[i], arg, held, sum) then
         return
      end
   end
   local g = self:rethrowErrors(module, i, name, input, gradOutput[i], arg)
   if alike(held, g) then
      torch.add(self.gradInput, held, g)
   else
      self.gradInput = self:gather(self.gradInput, held, true)
      if g ~= nil then self.gradInput = self:gather(self.gradInput, g, false) end
   end
end

local function each(self, name, input, gradOutput, arg, gradients)
   local held, empty = nil, true                     -- held: a gradient that waits for the next one
   for i, module in ipairs(self.modules) do
      if held then
         add_to(self, held, i, name, input, gradOutput, arg)
         held = nil
      else
         local g = self:rethrowErrors(module, i, name, input, gradOutput[i], arg)
         if gradients and g ~= nil then              -- a module may return none
            if empty and waits(self, i, g, gradOutput, name) then held = g
            else self.gradInput = self:gather(self.gradInput, g, empty) end
            empty = false
         end
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
