-- nn/pooling/adaptive.lua - max and average pooling of images of any size to W x H.
local torch = require 'torch'
local images = require 'nn.support.images'

-- Windows that cut n indices into `to` parts of nearly one size: first and length of part i.
local function part(n, to, i)
   local first = math.floor((i - 1) * n / to)
   return first + 1, math.ceil(i * n / to) - first
end

-- Calls f(window of x, element of y, ...) for each output pixel.
local function eachWindow(self, x, f)
   local n = x:dim()
   local h, w = tonumber(x:size(n - 1)), tonumber(x:size(n))
   for oh = 1, self.H or h do
      local top, rows = part(h, self.H or h, oh)
      for ow = 1, self.W or w do
         local left, columns = part(w, self.W or w, ow)
         f(x:narrow(n - 1, top, rows):narrow(n, left, columns), oh, ow, top, left, columns)
      end
   end
end

-- The pixel (oh, ow) of each plane.
local function pixel(y, oh, ow) return y:select(y:dim() - 1, oh):select(y:dim() - 1, ow) end

local function outputLike(self, y, input)
   local size, n = input:size(), input:dim()
   size[n - 1], size[n] = self.H or input:size(n - 1), self.W or input:size(n)
   return y:resize(size)
end

--- nn.SpatialAdaptiveMaxPooling(W, H): Pools images of any size to W x H: the largest of each of these parts.
-- nn.SpatialAdaptiveMaxPooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4)) --> {{{6, 8}}}

--- nn.SpatialAdaptiveAveragePooling(W, H): Pools images of any size to W x H: the means of these parts.
-- nn.SpatialAdaptiveAveragePooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4)) --> {{{3.5, 5.5}}}
for _, row in ipairs{
   {torch.class('nn.SpatialAdaptiveMaxPooling', 'nn.Module'), true},
   {torch.class('nn.SpatialAdaptiveAveragePooling', 'nn.Module'), false},
} do
   local Class, isMax = row[1], row[2]
   local Module = getmetatable(Class)
   Class.__arguments = 'W:count H:count'
   Class.bufferNames = {'indices'}

   function Class:__init(W, H)
      Module.__init(self)
      self.W, self.H = W, H
   end

   function Class:updateOutput(input)
      images.check(self, input)
      local y, n = outputLike(self, self.output, input), input:dim()
      local indices = isMax and outputLike(self, self:scratch('indices', 'torch.LongTensor'), input)
      local width = tonumber(input:size(n))
      eachWindow(self, input, function(window, oh, ow, top, left, columns)
         local flat = window:contiguous():view(n == 4 and window:size(1) or 1, window:size(n - 2), -1)
         if not isMax then
            pixel(y, oh, ow):copy(flat:mean(3))
            return
         end
         local largest, at = flat:max(3)
         pixel(y, oh, ow):copy(largest)
         at:apply(function(k)                        -- from the index in the window to the index in the plane
            local line, column = math.floor((k - 1) / columns), (k - 1) % columns
            return (top + line - 1) * width + left + column
         end)
         pixel(indices, oh, ow):copy(at)
      end)
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      if isMax then return torch.maxpool2d_grad(self.gradInput, input, self.indices, gradOutput) end
      self.gradInput:resizeAs(input):zero()
      eachWindow(self, self.gradInput, function(window, oh, ow)
         local n = window:size(window:dim()) * window:size(window:dim() - 1)
         local g = pixel(gradOutput, oh, ow)
         g = g:contiguous():view(g:dim() == 2 and g:size(1) or 1, -1, 1, 1)
         if window:dim() == 3 then g = g:select(1, 1) end
         window:add(1 / n, g:expandAs(window))
      end)
      return self.gradInput
   end

   --- clearState under an older name.
   function Class:empty() self:clearState() end
end
