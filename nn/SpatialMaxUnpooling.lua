-- nn/SpatialMaxUnpooling.lua - puts values back where a max pooling found them.
local torch = require 'torch'
local images = require 'nn.images'

--- Puts values back where a max pooling found them; everything else is 0.
-- @param poolingModule  a nn.SpatialMaxPooling; its last forward says where
local MaxUnpooling, Module = torch.class('nn.SpatialMaxUnpooling', 'nn.Module')

function MaxUnpooling:__init(poolingModule)
   Module.__init(self)
   if not torch.isTypeOf(poolingModule, 'nn.SpatialMaxPooling') then
      error('nn.SpatialMaxUnpooling: expected a nn.SpatialMaxPooling, got ' .. torch.type(poolingModule), 3)
   end
   self.pooling = poolingModule
end

--- Takes the places over from the pooling.
function MaxUnpooling:setParams()
   local indices = self.pooling.indices
   if not indices or indices:nElement() == 0 then
      error(tostring(self) .. ': the pooling must run before it', 3)
   end
   self.indices = indices
end

-- A tensor of planes as samples x planes x pixels.
local function flattened(x)
   local n = x:dim()
   return x:view(n == 4 and x:size(1) or 1, x:size(n - 2), -1)
end

function MaxUnpooling:updateOutput(input)
   images.check(self, input)
   self:setParams()
   if not self.indices:isSameSizeAs(input) then
      self:refuse('input', 'have the shape that the pooling gave, ' .. require 'nn.utils'.shape(self.indices), input)
   end
   local size, n = input:size(), input:dim()
   size[n - 1], size[n] = self.pooling.iheight, self.pooling.iwidth
   self.output:resize(size):zero()
   flattened(self.output):scatter(3, flattened(self.indices), flattened(input:contiguous()))
   return self.output
end

function MaxUnpooling:updateGradInput(input, gradOutput)
   local g = flattened(gradOutput:contiguous()):gather(3, flattened(self.indices))
   return self.gradInput:resize(input:size()):copy(g)
end

--- clearState under an older name.
function MaxUnpooling:empty() self:clearState() end

function MaxUnpooling:__tostring__()
   return ('%s associated to %s'):format(torch.type(self), tostring(self.pooling))
end

return MaxUnpooling
