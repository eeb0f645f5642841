-- nn/pooling/unpooling.lua - SpatialMaxUnpooling and VolumetricMaxUnpooling: put values back where a max pooling found them.
local torch = require 'torch'
local images = require 'nn.support.images'
local volumes = require 'nn.support.volumes'

-- A tensor of planes as samples x planes x positions; a sample has `dims` dimensions.
local function flattened(x, dims)
   local n = x:dim()
   return x:view(n > dims and x:size(1) or 1, x:size(n - dims + 1), -1)
end

-- Defines a class, for the pooling `pooling` of samples of `dims` dimensions. check(module, input) refuses wrong
-- inputs; `sizes` names the fields of the pooling that hold the sizes of its input.
local function unpooling(Unpooling, pooling, dims, check, sizes)
   local Module = getmetatable(Unpooling)

   function Unpooling:__init(poolingModule)
      Module.__init(self)
      if not torch.isTypeOf(poolingModule, pooling) then
         error(('%s: expected a %s, got %s'):format(Unpooling.__typename, pooling, torch.type(poolingModule)), 3)
      end
      self.pooling = poolingModule
   end

   --- Gets the positions from the pooling.
   function Unpooling:setParams()
      local indices = self.pooling.indices
      if not indices or indices:nElement() == 0 then
         error(tostring(self) .. ': the pooling must run before it', 3)
      end
      self.indices = indices
   end

   function Unpooling:updateOutput(input)
      check(self, input)
      self:setParams()
      if not self.indices:isSameSizeAs(input) then
         self:refuse('input', 'have the shape that the pooling gave, ' .. require 'nn.utils'.shape(self.indices), input)
      end
      local size, n = input:size(), input:dim() - #sizes
      for d, field in ipairs(sizes) do size[n + d] = self.pooling[field] end
      self.output:resize(size):zero()
      flattened(self.output, dims):scatter(3, flattened(self.indices, dims), flattened(input:contiguous(), dims))
      return self.output
   end

   function Unpooling:updateGradInput(input, gradOutput)
      local g = flattened(gradOutput:contiguous(), dims):gather(3, flattened(self.indices, dims))
      return self.gradInput:resizeAs(input):copy(g)
   end

   --- clearState under an older name.
   function Unpooling:empty() self:clearState() end

   function Unpooling:__tostring__()
      return ('%s associated to %s'):format(torch.type(self), tostring(self.pooling))
   end
end

--- nn.SpatialMaxUnpooling(poolingModule): Puts values back where a max pooling found them; everything else is 0.
-- @param poolingModule  a nn.SpatialMaxPooling; its last forward determines the positions
-- p = nn.SpatialMaxPooling(2, 2); p:forward(torch.range(1, 4):view(1, 2, 2)); nn.SpatialMaxUnpooling(p):forward(torch.ones(1, 1, 1)) --> {{{0, 0}, {0, 1}}}

--- nn.VolumetricMaxUnpooling(poolingModule): The same after a nn.VolumetricMaxPooling.
-- p = nn.VolumetricMaxPooling(2, 2, 2); p:forward(torch.ones(1, 2, 2, 2)); nn.VolumetricMaxUnpooling(p):forward(torch.ones(1, 1, 1, 1)):sum() --> 1
unpooling((torch.class('nn.SpatialMaxUnpooling', 'nn.Module')), 'nn.SpatialMaxPooling', 3, images.check, { 'iheight', 'iwidth' })
unpooling((torch.class('nn.VolumetricMaxUnpooling', 'nn.Module')), 'nn.VolumetricMaxPooling', 4, volumes.batch,
   { 'itime', 'iheight', 'iwidth' })
