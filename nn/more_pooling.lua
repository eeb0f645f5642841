-- nn/more_pooling.lua - subsampling, LP, adaptive and fractional pooling of images, and the way back from maxima.
local torch = require 'torch'
local images = require 'nn.images'
local nn = require 'nn'

--- weight * (sum over each window) + bias, a weight and bias for each plane.
--- @param dW,dH  steps, default 1
local SubSampling, Module = torch.class('nn.SpatialSubSampling', 'nn.Module')
SubSampling.bufferNames = {'_sums', '_grad'}

function SubSampling:__init(nInputPlane, kW, kH, dW, dH)
   Module.__init(self)
   self.nInputPlane, self.kW, self.kH, self.dW, self.dH = nInputPlane, kW, kH, dW or 1, dH or 1
   self:parameter('weight', nInputPlane)
   self:parameter('bias', nInputPlane)
   self:reset()
end

function SubSampling:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

-- A vector with a number for each plane, stretched over x.
local function planes(v, x) return v:view(-1, 1, 1):expandAs(x) end

local function sums(self, input)
   images.check(self, input, self.nInputPlane)
   images.fits(self, input, self.kH, self.kW, 0, 0)
   return torch.avgpool2d(self:scratch('_sums', input:type()), input, self.kH, self.kW, self.dH, self.dW)
      :mul(self.kW * self.kH)
end

function SubSampling:updateOutput(input)
   local s = sums(self, input)
   torch.cmul(self.output, s, planes(self.weight, s))
   return self.output:add(planes(self.bias, s))
end

function SubSampling:updateGradInput(input, gradOutput)
   local g = torch.cmul(self:scratch('_grad', input:type()), gradOutput, planes(self.weight, gradOutput))
   torch.avgpool2d_grad(self.gradInput, input, g, self.kH, self.kW, self.dH, self.dW)
   return self.gradInput:mul(self.kW * self.kH)
end

-- The sum over everything but the planes.
local function byPlane(x)
   local n = x:dim()
   local s = x:sum(n):sum(n - 1)
   return (n == 4 and s:sum(1) or s):contiguous():view(-1)
end

function SubSampling:accGradParameters(input, gradOutput, scale)
   self.gradWeight:add(scale or 1, byPlane(torch.cmul(sums(self, input), gradOutput)))
   self.gradBias:add(scale or 1, byPlane(gradOutput))
end

--- (sum of |x|^p over each window)^(1/p).
local LPPooling, Sequential = torch.class('nn.SpatialLPPooling', 'nn.Sequential')

function LPPooling:__init(nInputPlane, pnorm, kW, kH, dW, dH)
   Sequential.__init(self)
   dW, dH = dW or kW, dH or kH
   self.kW, self.kH, self.dW, self.dH, self.nInputPlane, self.pnorm = kW, kH, dW, dH, nInputPlane, pnorm
   self:add(pnorm == 2 and nn.Square() or nn.Power(pnorm))
   self:add(nn.SpatialAveragePooling(kW, kH, dW, dH))
   self:add(nn.MulConstant(kW * kH))
   self:add(pnorm == 2 and nn.Sqrt() or nn.Power(1 / pnorm))
end

-- There is nothing to learn or reset in it.
function LPPooling:reset() end
function LPPooling:accGradParameters() end
function LPPooling:accUpdateGradParameters() end
function LPPooling:zeroGradParameters() end
function LPPooling:updateParameters() end

-- Windows that cut n places into `to` parts of nearly one size: first and length of part i.
local function part(n, to, i)
   local first = math.floor((i - 1) * n / to)
   return first + 1, math.ceil(i * n / to) - first
end

-- Calls f(window of x, place in y, ...) for each output pixel.
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

for name, isMax in pairs{Max = true, Average = false} do
   --- Pools images of any size to W x H.
   local Class = torch.class('nn.SpatialAdaptive' .. name .. 'Pooling', 'nn.Module')
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
         at:apply(function(k)                        -- from the place in the window to the place in the plane
            local row, column = math.floor((k - 1) / columns), (k - 1) % columns
            return (top + row - 1) * width + left + column
         end)
         pixel(indices, oh, ow):copy(at)
      end)
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      if isMax then return torch.maxpool2d_grad(self.gradInput, input, self.indices, gradOutput) end
      self.gradInput:resize(input:size()):zero()
      eachWindow(self, self.gradInput, function(window, oh, ow)
         local n = window:size(window:dim()) * window:size(window:dim() - 1)
         local g = pixel(gradOutput, oh, ow)
         g = g:contiguous():view(g:dim() == 2 and g:size(1) or 1, -1, 1, 1)
         if window:dim() == 3 then g = g:select(1, 1) end
         window:add(1 / n, g:expandAs(window))
      end)
      return self.gradInput
   end

   function Class:empty() self:clearState() end
end

--- Puts values back where a max pooling found them; everything else is 0.
--- @param poolingModule  a nn.SpatialMaxPooling; its last forward says where
local MaxUnpooling = torch.class('nn.SpatialMaxUnpooling', 'nn.Module')

function MaxUnpooling:__init(poolingModule)
   Module.__init(self)
   if not torch.isTypeOf(poolingModule, 'nn.SpatialMaxPooling') then
      error('nn.SpatialMaxUnpooling: expected a nn.SpatialMaxPooling, got ' .. torch.type(poolingModule), 3)
   end
   self.pooling = poolingModule
end

-- Takes the places over from the pooling.
function MaxUnpooling:setParams()
   local indices = self.pooling.indices
   if not indices or indices:nElement() == 0 then
      error(tostring(self) .. ': the pooling must run before it', 3)
   end
   self.indices = indices
end

-- A tensor of planes as samples x planes x pixels.
local function flat(x)
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
   flat(self.output):scatter(3, flat(self.indices), flat(input:contiguous()))
   return self.output
end

function MaxUnpooling:updateGradInput(input, gradOutput)
   local g = flat(gradOutput:contiguous()):gather(3, flat(self.indices))
   return self.gradInput:resize(input:size()):copy(g)
end

function MaxUnpooling:empty() self:clearState() end

function MaxUnpooling:__tostring__()
   return ('%s associated to %s'):format(torch.type(self), tostring(self.pooling))
end
