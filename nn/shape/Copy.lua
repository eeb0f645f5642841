-- nn/shape/Copy.lua - copies its input into another type.
local torch = require 'torch'

--- Copies its input into another type.
-- @param intype,outtype  default: the default type
-- @param forceCopy       true: copies even between equal types
-- @param dontCast        true: keeps its types when the network is converted
-- nn.Copy('torch.DoubleTensor', 'torch.FloatTensor'):forward(torch.Tensor{1}):type() --> torch.FloatTensor
local Copy, Module = torch.class('nn.Copy', 'nn.Module')
Copy.__arguments = 'intype:string? outtype:string?'

function Copy:__init(intype, outtype, forceCopy, dontCast)
   Module.__init(self)
   self.intype = intype or torch.getdefaulttensortype()
   self.outtype = outtype or torch.getdefaulttensortype()
   self.forceCopy, self.dontCast = forceCopy, dontCast
   self.gradInput = torch.Tensor():type(self.intype)
   self.output = torch.Tensor():type(self.outtype)
end

local function copied(self, to, kind, x)
   if x:type() == kind and not self.forceCopy then
      return to:set(x)
   end
   return to:resizeAs(x):copy(x)
end

-- Between equal types the input is passed on unchanged.
local function passes(self) return self.intype == self.outtype and not self.forceCopy end

function Copy:updateOutput(input)
   if passes(self) and not torch.isTensor(input) then
      self.output = input
      return input
   end
   self:needTensor(input)
   if not torch.isTensor(self.output) then self.output = torch.Tensor():type(self.outtype) end
   return copied(self, self.output, self.outtype, input)
end

function Copy:updateGradInput(_, gradOutput)
   if passes(self) and not torch.isTensor(gradOutput) then
      self.gradInput = gradOutput
      return gradOutput
   end
   if not torch.isTensor(self.gradInput) then self.gradInput = torch.Tensor():type(self.intype) end
   return copied(self, self.gradInput, self.intype, gradOutput)
end

function Copy:type(kind, cache)
   if kind and self.dontCast then return self end
   if kind then
      local intype, outtype = self.intype, self.outtype
      Module.type(self, kind, cache)
      if intype == outtype then self.intype, self.outtype = kind, kind end
      self.gradInput = torch.Tensor():type(self.intype)
      self.output = torch.Tensor():type(self.outtype)
      return self
   end
   return self._type
end

return Copy
