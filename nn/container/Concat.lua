-- nn/container/Concat.lua - every module gets the same input; the outputs are joined along one dimension.
local torch = require 'torch'

--- Joins the outputs of its modules along `dimension`.
-- @example nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(5, 3)):size()   --> {5, 6}
local Concat, Container = torch.class('nn.Concat', 'nn.Container')
Concat.__arguments = 'dimension:place?'

function Concat:__init(dimension)
   Container.__init(self)
   self.dimension = dimension or 1
end

--- The part of `output` for the tensor `part`, from `offset` on along the joined dimension.
function Concat:windowNarrow(output, part, offset)
   return output:narrow(self.dimension, offset, part:size(self.dimension))
end

-- Refuses outputs that cannot be joined.
function Concat:_needFitting(outs)
   local slice = outs[1]:nElement() / outs[1]:size(self.dimension)
   for i = 2, #outs do
      if outs[i]:nElement() ~= slice * outs[i]:size(self.dimension) then
         self:refuse(('the output of module %d'):format(i),
            ('have the sizes of the first but for dimension %d'):format(self.dimension), outs[i])
      end
   end
end

--- Resizes the output for the joined outputs.
function Concat:makeRoom(outs)
   local size = outs[1]:size()
   for i = 2, #outs do size[self.dimension] = size[self.dimension] + outs[i]:size(self.dimension) end
   self.output:resize(size)
end

function Concat:updateOutput(input)
   local outs = {}
   for i, module in ipairs(self.modules) do outs[i] = self:rethrowErrors(module, i, 'updateOutput', input) end
   if #outs == 0 then self:refuse('the module', 'hold at least one module', 'none') end
   self:_needFitting(outs)
   self:makeRoom(outs)
   local at = 1
   for _, out in ipairs(outs) do
      self:windowNarrow(self.output, out, at):copy(out)
      at = at + out:size(self.dimension)
   end
   return self.output
end

-- Calls each module's `name` with its part of gradOutput; with `gradients` their sum is gradInput.
local function each(self, name, input, gradOutput, arg, gradients)
   local first = true
   local at = 1
   for i, module in ipairs(self.modules) do
      local part = self:windowNarrow(gradOutput, module.output, at)
      local g = self:rethrowErrors(module, i, name, input, part, arg)
      if gradients and g ~= nil then                 -- a module may return none
         self.gradInput = self:gather(self.gradInput, g, first)
         first = false
      end
      at = at + module.output:size(self.dimension)
   end
   return self.gradInput
end

function Concat:updateGradInput(input, gradOutput)
   return each(self, 'updateGradInput', input, gradOutput, nil, true)
end

function Concat:accGradParameters(input, gradOutput, scale)
   each(self, 'accGradParameters', input, gradOutput, scale or 1)
end

function Concat:backward(input, gradOutput, scale)
   return each(self, 'backward', input, gradOutput, scale or 1, true)
end

function Concat:accUpdateGradParameters(input, gradOutput, lr)
   each(self, 'accUpdateGradParameters', input, gradOutput, lr)
end

function Concat:__tostring__() return self:branches(torch.type(self)) end

return Concat
