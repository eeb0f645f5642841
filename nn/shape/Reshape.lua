-- nn/shape/Reshape.lua - the same elements in another shape.
local torch = require 'torch'
local arg = require 'torch.arg'

--- Gives its input (batchMode false), or every sample of its input (true), these sizes. Without batchMode an input
-- of just as many elements is one sample, unless its first size is 1. One size may be -1: the rest.
-- @example nn.Reshape(2, 6):forward(torch.ones(5, 3, 4)):size()   --> {5, 2, 6}
local Reshape, Module = torch.class('nn.Reshape', 'nn.Module')
Reshape.bufferNames = {'_input', '_gradOutput'}

function Reshape:__init(...)
   Module.__init(self)
   local args = {...}
   local n = select('#', ...)
   if type(args[n]) == 'boolean' then
      self.batchMode = args[n]
      args[n] = nil
   end
   local sizes = torch.isStorage(args[1]) and args[1]:totable() or args
   self.nelement = 1
   for i, given in ipairs(sizes) do
      local size = arg.whole_of(given)
      if not size or (size < 0 and (size ~= -1 or self.nelement < 0)) then
         error(('nn.Reshape: size %d must be a whole number of at least 0, or -1 once, got %s'):format(i, tostring(given)), 3)
      end
      self.nelement = self.nelement * size                 -- negative with -1: the rest
   end
   self.size = torch.LongStorage(sizes)
   local batch = {1, unpack(sizes)}
   self.batchsize = torch.LongStorage(batch)
end

function Reshape:updateOutput(input)
   self:needTensor(input)
   local n = tonumber(input:nElement())
   local single = self.batchMode == false or (self.batchMode == nil and n == self.nelement and input:size(1) ~= 1)
   local size = self.size
   if not single then
      self.batchsize[1] = input:size(1)
      size = self.batchsize
   end
   local wanted = single and self.nelement or self.nelement * tonumber(input:size(1))
   local fits = n == wanted or (wanted < 0 and n % wanted == 0)
   if not fits then
      self:refuse('input', ('have %s%d elements%s'):format(wanted < 0 and 'a multiple of ' or '', math.abs(self.nelement), single and '' or ' in each sample'), input)
   end
   input = self:packed('_input', input)
   self.output:view(input, size)
   return self.output
end

function Reshape:updateGradInput(input, gradOutput)
   return self.gradInput:view(self:packed('_gradOutput', gradOutput), input:size())
end

function Reshape:__tostring__()
   return ('%s(%s)'):format(torch.type(self), table.concat(self.size:totable(), 'x'))
end

return Reshape
