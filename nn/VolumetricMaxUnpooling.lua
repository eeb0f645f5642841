-- nn/VolumetricMaxUnpooling.lua - puts values back where a max pooling found them.
local torch = require 'torch'
local volumes = require 'nn.volumes'

local batch, like = volumes.batch, volumes.like

--- Puts values back where a max pooling found them; everything else is 0.
-- @param poolingModule  a nn.VolumetricMaxPooling; its last forward says where
local MaxUnpooling, Module = torch.class('nn.VolumetricMaxUnpooling', 'nn.Module')

function MaxUnpooling:__init(poolingModule)
   Module.__init(self)
   if not torch.isTypeOf(poolingModule, 'nn.VolumetricMaxPooling') then
      error('nn.VolumetricMaxUnpooling: expected a nn.VolumetricMaxPooling, got ' .. torch.type(poolingModule), 3)
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

function MaxUnpooling:updateOutput(input)
   local x = batch(self, input)
   self:setParams()
   if not self.indices:isSameSizeAs(input) then
      self:refuse('input', 'have the shape that the pooling gave, ' .. require 'nn.utils'.shape(self.indices), input)
   end
   local p = self.pooling
   local y = x.new(x:size(1), x:size(2), p.itime * p.iheight * p.iwidth):zero()
   y:scatter(3, self.indices:view(x:size(1), x:size(2), -1), x:contiguous():view(x:size(1), x:size(2), -1))
   return like(input, y:view(x:size(1), x:size(2), p.itime, p.iheight, p.iwidth), self.output)
end

function MaxUnpooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   local from = g:contiguous():view(x:size(1), x:size(2), -1)
   return like(input, from:gather(3, self.indices:view(x:size(1), x:size(2), -1)):view(x:size()), self.gradInput)
end

--- clearState under an older name.
function MaxUnpooling:empty() self:clearState() end

function MaxUnpooling:__tostring__()
   return ('%s associated to %s'):format(torch.type(self), tostring(self.pooling))
end

return MaxUnpooling
