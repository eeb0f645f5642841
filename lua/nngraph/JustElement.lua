-- lua/nngraph/JustElement.lua - wraps a value in a table of one element, and unwraps it: JustElement, JustTable.
local torch = require 'torch'

--- Takes a table of one element and returns the element.
local JustElement, Module = torch.class('nngraph.JustElement', 'nn.Module')

function JustElement:__init()
   Module.__init(self)
   self.gradInput = {}
end

function JustElement:updateOutput(input)
   if type(input) ~= 'table' or torch.isTensor(input) or #input ~= 1 then
      self:refuse('input', 'be a table of one element', type(input) == 'table' and not torch.isTensor(input)
         and ('a table of %d'):format(#input) or input)
   end
   self.output = input[1]
   return self.output
end

function JustElement:updateGradInput(_, gradOutput)
   self.gradInput = {gradOutput}
   return self.gradInput
end

-- Output and gradInput are tensors of the caller, so they are dropped, not emptied.
function JustElement:clearState()
   self.output, self.gradInput = torch.Tensor():type(self._type), {}
   return self
end

--- Returns a table with its input as the only element.
local JustTable = torch.class('nngraph.JustTable', 'nn.Module')

function JustTable:__init()
   Module.__init(self)
   self.output = {}
end

function JustTable:updateOutput(input)
   self.output = {input}
   return self.output
end

function JustTable:updateGradInput(_, gradOutput)
   if type(gradOutput) ~= 'table' or torch.isTensor(gradOutput) then
      self:refuse('gradOutput', 'be a table of one element', gradOutput)
   end
   self.gradInput = gradOutput[1]
   return self.gradInput
end

function JustTable:clearState()
   self.output, self.gradInput = {}, torch.Tensor():type(self._type)
   return self
end
