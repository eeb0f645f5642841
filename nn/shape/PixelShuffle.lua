-- nn/shape/PixelShuffle.lua - r^2 planes become one that is r times as high and wide.
local torch = require 'torch'

--- r^2 planes become one that is r times as high and wide. Shi et al., "Real-time single image and video
-- super-resolution using an efficient sub-pixel convolutional neural network" (2016).
-- nn.PixelShuffle(2):forward(torch.ones(4, 2, 3)):size() --> {1, 4, 6}
local PixelShuffle, Module = torch.class('nn.PixelShuffle', 'nn.Module')
PixelShuffle.__arguments = 'upscaleFactor:count'
PixelShuffle.bufferNames = {'_intermediateShape', '_shuffleIn', '_shuffleOut'}

function PixelShuffle:__init(upscaleFactor)
   Module.__init(self)
   self.upscaleFactor = upscaleFactor
end

function PixelShuffle:updateOutput(input)
   local n, r = torch.isTensor(input) and input:dim() or 0, self.upscaleFactor
   if (n ~= 3 and n ~= 4) or input:size(n - 2) % (r * r) ~= 0 then
      self:refuse('input', ('have a multiple of %d planes'):format(r * r), input)
   end
   local c, h, w = input:size(n - 2) / (r * r), input:size(n - 1), input:size(n)
   local x = input:contiguous():view(-1, c, r, r, h, w):permute(1, 2, 5, 3, 6, 4)
   self.output:resizeAs(x):copy(x)
   if n == 3 then return self.output:resize(c, h * r, w * r) end
   return self.output:resize(input:size(1), c, h * r, w * r)
end

function PixelShuffle:updateGradInput(input, gradOutput)
   local n, r = input:dim(), self.upscaleFactor
   local c, h, w = input:size(n - 2) / (r * r), input:size(n - 1), input:size(n)
   local g = gradOutput:contiguous():view(-1, c, h, r, w, r):permute(1, 2, 4, 6, 3, 5)
   self.gradInput:resizeAs(g):copy(g)
   return self.gradInput:resizeAs(input)
end

return PixelShuffle
