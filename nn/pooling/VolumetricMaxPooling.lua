-- nn/pooling/VolumetricMaxPooling.lua - the largest value of each window of a volume.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'
local volumes = require 'nn.support.volumes'

local batch, like, fits, geometry = volumes.batch, volumes.like, volumes.fits, volumes.geometry

--- The largest value of each window of kT x kW x kH.
-- @param dT,dW,dH        steps, default: the window's sizes
-- @param padT,padW,padH  border that is never the largest, default 0, at most half of the window
-- nn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size() --> {1, 2, 2, 2}
local MaxPooling, Module = torch.class('nn.VolumetricMaxPooling', 'nn.Module')
MaxPooling.__arguments = 'kT:count kW:count kH:count dT:count? dW:count? dH:count? padT:size? padW:size? padH:size?'
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

--- Keeps the windows that extend beyond the far sides. Returns self.
function MaxPooling:ceil()
   self.ceil_mode = true
   return self
end

--- Drops the windows that extend beyond the far sides (the default). Returns self.
function MaxPooling:floor()
   self.ceil_mode = false
   return self
end

-- How many windows a dimension of size n has.
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
   if not self.ceil_mode then fits(self, x, g) end
   local n, c, t = x:size(1), x:size(2), tonumber(x:size(3))
   local flat = x:contiguous():view(n, c * t, x:size(4), x:size(5))
   local y, at = x.new(), utils.beside({}, x)
   torch.maxpool2d(y, at, flat, g.kH, g.kW, g.dH, g.dW, g.padH, g.padW, g.dilationH, g.dilationW, self.ceil_mode or false)
   y, at = y:view(n, c, t, y:size(3), y:size(4)), at:view(n, c, t, at:size(3), at:size(4))
   local oT = count(t, g.kT, g.dT, g.padT, g.dilationT, self.ceil_mode)
   if oT < 1 then self:refuse('input', 'have more frames for its windows', input) end
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

--- clearState under an older name.
function MaxPooling:empty() self:clearState() end

-- Files of early versions have fewer fields.
function MaxPooling:read(file)
   Module.read(self, file)
   self.ceil_mode = self.ceil_mode or false
   self.padT, self.padH, self.padW = self.padT or 0, self.padH or 0, self.padW or 0
end

nn.utils.keepsFields(MaxPooling)

function MaxPooling:__tostring__()
   local pads = ''
   if self.padT ~= 0 or self.padW ~= 0 or self.padH ~= 0 then
      pads = (', %d,%d,%d'):format(self.padT, self.padW, self.padH)
   end
   return ('%s(%dx%dx%d, %d,%d,%d%s)'):format(torch.type(self), self.kT, self.kW, self.kH, self.dT, self.dW, self.dH, pads)
end

return MaxPooling
