-- nn/container/Bottle.lua - merges leading dimensions.
local torch = require 'torch'

--- Merges leading dimensions, so that a module for batches works on more of them. samples x time x
-- features becomes (samples * time) x features and back.
-- @param nInputDim   dimensions that the module expects, its batch included (default 2)
-- @param nOutputDim  dimensions of its output (default: as many)
-- nn.Bottle(nn.Linear(4, 3)):forward(torch.ones(2, 5, 4)):size() --> {2, 5, 3}
local Bottle, Decorator = torch.class('nn.Bottle', 'nn.Decorator')
Bottle.__arguments = 'module:module nInputDim:count? nOutputDim:count?'
Bottle.bufferNames = {'_input', '_gradOutput'}

function Bottle:__init(module, nInputDim, nOutputDim)
   Decorator.__init(self, module)
   self.nInputDim = nInputDim or 2
   self.nOutputDim = nOutputDim or self.nInputDim
   self.dimDelta = self.nInputDim - self.nOutputDim
end

-- x with its leading dimensions merged until `dims` remain, and the sizes of those.
local function merged(x, dims)
   local lead, size = {}, {1}
   for d = 1, x:dim() do
      if d <= x:dim() - dims + 1 then
         lead[d] = tonumber(x:size(d))
         size[1] = size[1] * lead[d]
      else
         size[#size + 1] = tonumber(x:size(d))
      end
   end
   return x:contiguous():view(torch.LongStorage(size)), lead
end

function Bottle:updateOutput(input)
   if not torch.isTensor(input) or input:dim() < self.nInputDim then
      self:refuse('input', ('have at least %d dimensions'):format(self.nInputDim), input)
   end
   local x, lead = merged(input, self.nInputDim)
   local y = self.modules[1]:updateOutput(x)
   if #lead < 2 then
      self.output:set(y)
      return self.output
   end
   for d = 2, y:dim() do lead[#lead + 1] = tonumber(y:size(d)) end
   self.output:set(y:contiguous():view(torch.LongStorage(lead)))
   return self.output
end

-- The input and gradOutput in the shape that the module gets.
local function inner(self, input, gradOutput)
   local x, lead = merged(input, self.nInputDim)
   return x, (merged(gradOutput, gradOutput:dim() - #lead + 1))
end

function Bottle:updateGradInput(input, gradOutput)
   local x, g = inner(self, input, gradOutput)
   self.gradInput:set(self.modules[1]:updateGradInput(x, g):contiguous():view(input:size()))
   return self.gradInput
end

function Bottle:accGradParameters(input, gradOutput, scale)
   local x, g = inner(self, input, gradOutput)
   self.modules[1]:accGradParameters(x, g, scale)
end

return Bottle
