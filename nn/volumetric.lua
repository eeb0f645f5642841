-- nn/volumetric.lua - layers on volumes: planes x time x height x width, or a batch of those.
--
-- A volume's windows of kT frames become planes of images, so that the ops on images do the work: N x C x T x H x W is
-- read as (N * oT) x (C * kT) x H x W.
local torch = require 'torch'
local windows = require 'nn.windows'

-- The input as a batch.
local function batch(self, input, planes)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 4 and n ~= 5) or (planes and input:size(n - 3) ~= planes) then
      local form = ('%s x time x height x width'):format(planes or 'planes')
      self:refuse('input', ('be %s or samples x %s'):format(form, form), input)
   end
   return n == 5 and input or input:contiguous():view(1, unpack(input:size():totable()))
end

-- y of a batch into `to`, in the form of the input.
local function like(input, y, to)
   to:resize(y:size()):copy(y)
   return input:dim() == 4 and to:resize(y:size(2), y:size(3), y:size(4), y:size(5)) or to
end

local function fits(self, x, g)
   local room = {x:size(3) + 2 * g.padT, x:size(4) + 2 * g.padH, x:size(5) + 2 * g.padW}
   local need = {(g.kT - 1) * g.dilationT + 1, (g.kH - 1) * g.dilationH + 1, (g.kW - 1) * g.dilationW + 1}
   for i = 1, 3 do
      if room[i] < need[i] then
         self:refuse('input', ('be at least %dx%dx%d with its padding'):format(need[1], need[2], need[3]), x)
      end
   end
end

-- How many windows of time there are.
local function times(x, g)
   return math.floor((tonumber(x:size(3)) + 2 * g.padT - (g.kT - 1) * g.dilationT - 1) / g.dT) + 1
end

-- The frames that window o has, o = 1, 2, ..., one window after the other, counted in the padded volume.
local function frames(n, g)
   local list = {}
   for o = 0, n - 1 do
      for k = 0, g.kT - 1 do list[#list + 1] = o * g.dT + k * g.dilationT + 1 end
   end
   return torch.LongTensor(list)
end

-- Images of all windows: (N * oT) x (C * kT) x H x W.
local function toImages(x, g, n)
   local padded = windows.pad(x, 3, g.padT, g.padT)
   local all = padded:index(3, frames(n, g)):view(x:size(1), x:size(2), n, g.kT, x:size(4), x:size(5))
   return all:permute(1, 3, 2, 4, 5, 6):contiguous():view(x:size(1) * n, x:size(2) * g.kT, x:size(4), x:size(5))
end

-- The sums of such images as a volume of the given sizes.
local function fromImages(y, size, g, n)
   local all = y:view(size[1], n, size[2], g.kT, size[4], size[5]):permute(1, 3, 2, 4, 5, 6):contiguous()
   local padded = y.new(size[1], size[2], size[3] + 2 * g.padT, size[4], size[5]):zero()
   padded:indexAdd(3, frames(n, g), all:view(size[1], size[2], n * g.kT, size[4], size[5]))
   return windows.unpad(padded, 3, g.padT, g.padT)
end

-- Results of images, (N * oT) x C x oH x oW, as a volume; and back.
local function stack(y, samples)
   return y:view(samples, -1, y:size(2), y:size(3), y:size(4)):transpose(2, 3):contiguous()
end
local function unstack(g)
   return g:transpose(2, 3):contiguous():view(-1, g:size(2), g:size(4), g:size(5))
end

-- out x in x kT x kH x kW as filters of images
local function filters(w) return w:view(w:size(1), w:size(2) * w:size(3), w:size(4), w:size(5)) end

local function numbers(g) return g.dH, g.dW, g.padH, g.padW, g.dilationH, g.dilationW end

-- The three passes of a convolution of batches.
local function forward(x, w, bias, g)
   local n = times(x, g)
   local y = torch.conv2d(x.new(), toImages(x, g, n), filters(w), bias or x.new(w:size(1)):zero(), numbers(g))
   return stack(y, x:size(1))
end

local function backward(size, gradOutput, w, g)
   local n = tonumber(gradOutput:size(3))
   local shape = gradOutput.new(1):zero():expand(size[1] * n, size[2] * g.kT, size[4], size[5])
   local y = torch.conv2d_grad_input(gradOutput.new(), shape, unstack(gradOutput), filters(w), numbers(g))
   return fromImages(y, size, g, n)
end

local function gradients(gw, gb, x, gradOutput, scale, g)
   local n = tonumber(gradOutput:size(3))
   torch.conv2d_grad_weight(filters(gw), gb, toImages(x, g, n), unstack(gradOutput), scale, numbers(g))
end

-- The numbers of a layer; those that files of early versions lack have their defaults.
local function geometry(self)
   return {kT = self.kT, kH = self.kH, kW = self.kW, dT = self.dT, dH = self.dH, dW = self.dW, padT = self.padT or 0,
      padH = self.padH or 0, padW = self.padW or 0, dilationT = self.dilationT or 1, dilationH = self.dilationH or 1,
      dilationW = self.dilationW or 1}
end

-- ", 2,2,2, 1,1,1": what follows the sizes of the kernel.
local function steps(self)
   local text, g = '', geometry(self)
   local padded = g.padT ~= 0 or g.padW ~= 0 or g.padH ~= 0
   if padded or g.dT ~= 1 or g.dW ~= 1 or g.dH ~= 1 then text = (', %d,%d,%d'):format(g.dT, g.dW, g.dH) end
   if padded then text = text .. (', %d,%d,%d'):format(g.padT, g.padW, g.padH) end
   return text
end

--- Slides nOutputPlane filters of kT x kW x kH over volumes.
--- @param dT,dW,dH        steps, default 1
--- @param padT,padW,padH  zeros around the volume, default 0
local Convolution, Module = torch.class('nn.VolumetricConvolution', 'nn.Module')
Convolution.bufferNames = {'finput', 'fgradInput', '_gradOutput', '_input'}

function Convolution:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kT, self.kW, self.kH = kT, kW, kH
   self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
   self.padT = padT or 0
   self.padW = padW or self.padT
   self.padH = padH or self.padW
   self:parameter('weight', nOutputPlane, nInputPlane, kT, kH, kW)
   self:parameter('bias', nOutputPlane)
   self:reset()
end

function Convolution:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kT * self.kW * self.kH * self.nInputPlane)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

--- Removes the bias. Returns self.
function Convolution:noBias()
   self.bias, self.gradBias = nil, nil
   return self
end

function Convolution:updateOutput(input)
   local x, g = batch(self, input, self.nInputPlane), geometry(self)
   fits(self, x, g)
   return like(input, forward(x, self.weight, self.bias, g), self.output)
end

function Convolution:updateGradInput(input, gradOutput)
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   return like(input, backward(x:size(), g, self.weight, geometry(self)), self.gradInput)
end

function Convolution:accGradParameters(input, gradOutput, scale)
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   gradients(self.gradWeight, self.gradBias, x, g, scale or 1, geometry(self))
end

function Convolution:__tostring__()
   return ('%s(%d -> %d, %dx%dx%d%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kT, self.kW,
      self.kH, steps(self))
end

--- VolumetricConvolution whose filters have gaps.
local Dilated = torch.class('nn.VolumetricDilatedConvolution', 'nn.VolumetricConvolution')

function Dilated:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
   Convolution.__init(self, nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
end

function Dilated:__tostring__()
   return ('%s, %d,%d,%d)'):format(Convolution.__tostring__(self):sub(1, -2), self.dilationT, self.dilationW, self.dilationH)
end

--- The transpose of a convolution: each voxel puts a filter into a larger volume.
--- @param adjT,adjW,adjH  places more at the far sides, less than the steps
local Full = torch.class('nn.VolumetricFullConvolution', 'nn.Module')
Full.bufferNames = {'finput', 'fgradInput', '_gradOutput', '_input'}

function Full:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, adjT, adjW, adjH)
   Module.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kT, self.kW, self.kH = kT, kW, kH
   self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
   self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
   self.adjT, self.adjW, self.adjH = adjT or 0, adjW or 0, adjH or 0
   if self.adjT > self.dT - 1 or self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
      error('nn.VolumetricFullConvolution: adjT, adjW and adjH must be less than the steps', 3)
   end
   self:parameter('weight', nInputPlane, nOutputPlane, kT, kH, kW)
   self:parameter('bias', nOutputPlane)
   self:reset()
end

function Full:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.nInputPlane * self.kT * self.kH * self.kW)
   self.weight:uniform(-a, a)
   if self.bias then self.bias:uniform(-a, a) end
end

Full.noBias = Convolution.noBias

-- Files of early versions have fewer fields.
function Full:backCompatibility()
   self.adjT, self.adjW, self.adjH = self.adjT or 0, self.adjW or 0, self.adjH or 0
end

function Full:updateOutput(input)
   self:backCompatibility()
   local x, g = batch(self, input, self.nInputPlane), geometry(self)
   local size = torch.LongStorage{x:size(1), self.nOutputPlane, (x:size(3) - 1) * g.dT - 2 * g.padT + g.kT + self.adjT,
      (x:size(4) - 1) * g.dH - 2 * g.padH + g.kH + self.adjH, (x:size(5) - 1) * g.dW - 2 * g.padW + g.kW + self.adjW}
   if size[3] < 1 or size[4] < 1 or size[5] < 1 then self:refuse('input', 'be large enough for its padding', input) end
   local y = backward(size, x, self.weight, g)
   if self.bias then y:add(self.bias:view(1, -1, 1, 1, 1):expandAs(y)) end
   return like(input, y, self.output)
end

function Full:updateGradInput(input, gradOutput)
   local g = batch(self, gradOutput, self.nOutputPlane)
   return like(input, forward(g, self.weight, nil, geometry(self)), self.gradInput)
end

function Full:accGradParameters(input, gradOutput, scale)
   local x, g = batch(self, input, self.nInputPlane), batch(self, gradOutput, self.nOutputPlane)
   gradients(self.gradWeight, nil, g, x, scale or 1, geometry(self))
   if self.gradBias then self.gradBias:add(scale or 1, g:sum(1):sum(3):sum(4):sum(5):view(-1)) end
end

function Full:__tostring__()
   self:backCompatibility()
   local adj = self.adjT ~= 0 or self.adjW ~= 0 or self.adjH ~= 0
   return ('%s(%d -> %d, %dx%dx%d%s%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.kT, self.kW,
      self.kH, steps(self), adj and (', %d,%d,%d'):format(self.adjT, self.adjW, self.adjH) or '')
end

--- The largest value of each window of kT x kW x kH.
--- @param dT,dW,dH        steps, default: the window's sizes
--- @param padT,padW,padH  border that never wins, default 0, at most half of the window
local MaxPooling = torch.class('nn.VolumetricMaxPooling', 'nn.Module')
MaxPooling.bufferNames = {'indices'}

function MaxPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
   Module.__init(self)
   self.kT, self.kH, self.kW = kT, kH, kW
   self.dT, self.dH, self.dW = dT or kT, dH or kH, dW or kW
   self.padT, self.padH, self.padW = padT or 0, padH or 0, padW or 0
   self.ceil_mode = false
   self:scratch('indices', 'torch.LongTensor')
   for _, side in ipairs{'T', 'W', 'H'} do
      if self['pad' .. side] > self['k' .. side] / 2 then
         error(('nn.VolumetricMaxPooling: pad%s must be at most half of the window, got %d'):format(side,
            self['pad' .. side]), 3)
      end
   end
end

--- Keeps the windows that stick out at the far sides. Returns self.
function MaxPooling:ceil()
   self.ceil_mode = true
   return self
end

--- Drops the windows that stick out (the default). Returns self.
function MaxPooling:floor()
   self.ceil_mode = false
   return self
end

-- How many windows along a dimension of n places.
local function count(n, k, d, pad, dilation, ceil)
   local o = (n + 2 * pad - dilation * (k - 1) - 1) / d
   o = (ceil and math.ceil(o) or math.floor(o)) + 1
   if pad > 0 and (o - 1) * d >= n + pad then o = o - 1 end           -- the last window must start in the volume
   if ceil and pad == 0 and (o - 1) * d >= n then o = o - 1 end
   return o
end

-- Pools each frame, then the frames of each window of time.
function MaxPooling:updateOutput(input)
   local x, g = batch(self, input), geometry(self)
   fits(self, x, g)
   local n, c, t = x:size(1), x:size(2), tonumber(x:size(3))
   local flat = x:contiguous():view(n, c * t, x:size(4), x:size(5))
   local y, at = x.new(), torch.LongTensor()
   torch.maxpool2d(y, at, flat, g.kH, g.kW, g.dH, g.dW, g.padH, g.padW, g.dilationH, g.dilationW, self.ceil_mode or false)
   y, at = y:view(n, c, t, y:size(3), y:size(4)), at:view(n, c, t, at:size(3), at:size(4))
   local oT = count(t, g.kT, g.dT, g.padT, g.dilationT, self.ceil_mode)
   local indices = self:scratch('indices', 'torch.LongTensor'):resize(n, c, oT, y:size(4), y:size(5))
   local out = x.new(n, c, oT, y:size(4), y:size(5))
   local plane = tonumber(x:size(4) * x:size(5))
   for o = 1, oT do
      local best, place = out:select(3, o), indices:select(3, o)
      local started = false
      for k = 0, g.kT - 1 do
         local frame = (o - 1) * g.dT - g.padT + k * g.dilationT + 1
         if frame >= 1 and frame <= t then
            local there = y:select(3, frame)
            local where = torch.add(at:select(3, frame), (frame - 1) * plane)
            if not started then
               best:copy(there)
               place:copy(where)
               started = true
            else
               local better = there:gt(best):add(there:ne(there)):gt(0)
               best:maskedCopy(better, there:maskedSelect(better))
               place:maskedCopy(better, where:maskedSelect(better))
            end
         end
      end
   end
   if input:dim() == 4 then indices:resize(c, oT, y:size(4), y:size(5)) end
   self.itime, self.iheight, self.iwidth = t, tonumber(x:size(4)), tonumber(x:size(5))
   return like(input, out, self.output)
end

function MaxPooling:updateGradInput(input, gradOutput)
   local x = batch(self, input)
   local g = x.new(x:size(1), x:size(2), x:size(3) * x:size(4) * x:size(5)):zero()
   local at = self.indices:view(x:size(1), x:size(2), -1)
   local from = gradOutput:contiguous():view(x:size(1), x:size(2), -1)
   for s = 1, x:size(1) do
      for c = 1, x:size(2) do g[s][c]:indexAdd(1, at[s][c], from[s][c]) end
   end
   return like(input, g:view(x:size()), self.gradInput)
end

function MaxPooling:empty() self:clearState() end

-- Files of early versions have fewer fields.
function MaxPooling:read(file)
   Module.read(self, file)
   self.ceil_mode = self.ceil_mode or false
   self.padT, self.padH, self.padW = self.padT or 0, self.padH or 0, self.padW or 0
end

function MaxPooling:__tostring__()
   local pads = ''
   if self.padT ~= 0 or self.padW ~= 0 or self.padH ~= 0 then
      pads = (', %d,%d,%d'):format(self.padT, self.padW, self.padH)
   end
   return ('%s(%dx%dx%d, %d,%d,%d%s)'):format(torch.type(self), self.kT, self.kW, self.kH, self.dT, self.dW, self.dH, pads)
end

--- VolumetricMaxPooling whose windows have gaps.
local DilatedPooling = torch.class('nn.VolumetricDilatedMaxPooling', 'nn.VolumetricMaxPooling')

function DilatedPooling:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
   MaxPooling.__init(self, kT, kW, kH, dT, dW, dH, padT, padW, padH)
   self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
end

function DilatedPooling:__tostring__()
   return ('%s, %d,%d,%d)'):format(MaxPooling.__tostring__(self):sub(1, -2), self.dilationT, self.dilationW, self.dilationH)
end

--- The mean of each window of kT x kW x kH.
--- @param dT,dW,dH  steps, default: the window's sizes
local AveragePooling = torch.class('nn.VolumetricAveragePooling', 'nn.Module')

function AveragePooling:__init(kT, kW, kH, dT, dW, dH)
   Module.__init(self)
   self.kT, self.kH, self.kW = kT, kH, kW
   self.dT, self.dH, self.dW = dT or kT, dH or kH, dW or kW
end

function AveragePooling:updateOutput(input)
   local x, g = batch(self, input), geometry(self)
   fits(self, x, g)
   local flat = x:contiguous():view(x:size(1), x:size(2) * x:size(3), x:size(4), x:size(5))
   local y = torch.avgpool2d(x.new(), flat, g.kH, g.kW, g.dH, g.dW)
   y = y:view(x:size(1), x:size(2), x:size(3), y:size(3), y:size(4))
   return like(input, y:unfold(3, g.kT, g.dT):mean(6):select(6, 1), self.output)
end

function AveragePooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), geometry(self)
   local from = batch(self, gradOutput)
   local byTime = x.new(x:size(1), x:size(2), x:size(3), from:size(4), from:size(5)):zero()
   local view = byTime:unfold(3, g.kT, g.dT)
   for k = 1, g.kT do view:select(6, k):add(1 / g.kT, from) end
   local flat = x:contiguous():view(x:size(1), x:size(2) * x:size(3), x:size(4), x:size(5))
   local y = torch.avgpool2d_grad(x.new(), flat, byTime:view(x:size(1), -1, from:size(4), from:size(5)), g.kH, g.kW, g.dH, g.dW)
   return like(input, y:view(x:size()), self.gradInput)
end

function AveragePooling:empty() self:clearState() end

function AveragePooling:__tostring__()
   return ('%s(%dx%dx%d, %d,%d,%d)'):format(torch.type(self), self.kT, self.kW, self.kH, self.dT, self.dW, self.dH)
end

--- Puts values back where a max pooling found them; everything else is 0.
--- @param poolingModule  a nn.VolumetricMaxPooling; its last forward says where
local MaxUnpooling = torch.class('nn.VolumetricMaxUnpooling', 'nn.Module')

function MaxUnpooling:__init(poolingModule)
   Module.__init(self)
   if not torch.isTypeOf(poolingModule, 'nn.VolumetricMaxPooling') then
      error('nn.VolumetricMaxUnpooling: expected a nn.VolumetricMaxPooling, got ' .. torch.type(poolingModule), 3)
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

function MaxUnpooling:empty() self:clearState() end

function MaxUnpooling:__tostring__()
   return ('%s associated to %s'):format(torch.type(self), tostring(self.pooling))
end

