-- nn/shape/Padding.lua - makes one dimension longer.
local torch = require 'torch'
local gradients = require 'nn.support.gradients'

--- Adds |pad| elements to dimension `dim`. A negative pad adds them before index `index` (from 1),
-- a positive one behind it, counted from the other end.
-- @param nInputDim  dimensions of one sample: with one more, `dim` counts after the batch's
-- @param value      of the new elements, default 0
-- @param index      default 1
-- nn.Padding(1, 2, 1, 9):forward(torch.Tensor{1, 2}) --> {1, 2, 9, 9}
local Padding, Module = torch.class('nn.Padding', 'nn.Module')
Padding.__arguments = 'dim:place pad:whole nInputDim:whole? value:number? index:whole?'

function Padding:__init(dim, pad, nInputDim, value, index)
   Module.__init(self)
   self.dim, self.pad, self.nInputDim = dim, pad, nInputDim
   self.value, self.index = value or 0, index or 1
   self.outputSize = torch.LongStorage()
end

-- The dimension, and how many elements precede the padding.
local function place(self, input)
   self:needTensor(input)
   local dim = self.dim
   if self.nInputDim and input:dim() ~= self.nInputDim then dim = dim + 1 end
   if dim < 1 or dim > input:dim() then self:refuse('input', ('have a dimension %d'):format(self.dim), input) end
   local n = tonumber(input:size(dim))
   local before = self.pad > 0 and n - self.index + 1 or self.index - 1
   if before < 0 or before > n then
      self:refuse('input', ('reach to index %d along dimension %d'):format(self.index, dim), input)
   end
   return dim, before, n - before, math.abs(self.pad)
end

function Padding:updateOutput(input)
   local dim, before, after, pad = place(self, input)
   local size = input:size()
   size[dim] = before + pad + after
   self.output:resize(size):fill(self.value)
   if before > 0 then self.output:narrow(dim, 1, before):copy(input:narrow(dim, 1, before)) end
   if after > 0 then
      self.output:narrow(dim, before + pad + 1, after):copy(input:narrow(dim, before + 1, after))
   end
   return self.output
end

function Padding:updateGradInput(input, gradOutput)
   local dim, before, after, pad = place(self, input)
   local function part(from, to, n)
      return n > 0 and gradients.need(self, gradients.part(self, gradOutput, dim, from, n), input:narrow(dim, to, n))
   end
   local first, last = part(1, 1, before), part(before + pad + 1, before + 1, after)
   self.gradInput:resizeAs(input)
   if first then self.gradInput:narrow(dim, 1, before):copy(first) end
   if last then self.gradInput:narrow(dim, before + 1, after):copy(last) end
   return self.gradInput
end

return Padding
