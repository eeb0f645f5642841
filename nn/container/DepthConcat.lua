-- nn/container/DepthConcat.lua - Concat of images of different sizes: the smaller ones are centred, with 0 around them.
local torch = require 'torch'

--- As nn.Concat, but sizes may differ in the other dimensions too. Szegedy et al., "Going deeper with convolutions"
-- (2014).
-- nn.DepthConcat(1):add(nn.SpatialConvolution(2, 1, 1, 1)):add(nn.SpatialConvolution(2, 2, 3, 3)):forward(torch.ones(2, 5, 5)):size() --> {3, 5, 5}
local DepthConcat = torch.class('nn.DepthConcat', 'nn.Concat')

--- The part of `output` that is as large as `part`, in the middle, from `offset` on along the joined dimension.
function DepthConcat:windowNarrow(output, part, offset)
   local window = output:narrow(self.dimension, offset, part:size(self.dimension))
   for d = 1, part:dim() do
      local room = tonumber(output:size(d) - part:size(d))
      if d ~= self.dimension and room ~= 0 then
         window = window:narrow(d, math.floor(room / 2) + 1, part:size(d))
      end
   end
   return window
end

-- Refuses outputs that differ in the number of dimensions.
function DepthConcat:_needFitting(outs)
   for i = 2, #outs do
      if outs[i]:dim() ~= outs[1]:dim() then
         self:refuse(('the output of module %d'):format(i), ('have %d dimensions as the first'):format(outs[1]:dim()), outs[i])
      end
   end
end

--- The size of the joined outputs, filled with 0, which surrounds the smaller ones.
function DepthConcat:makeRoom(outs)
   local size = outs[1]:size()
   for i = 2, #outs do
      for d = 1, #size do
         local n = outs[i]:size(d)
         size[d] = d == self.dimension and size[d] + n or math.max(tonumber(size[d]), n)
      end
   end
   self.output:resize(size):zero()
end

return DepthConcat
