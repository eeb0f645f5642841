-- bench/fuse.lua - inference by models without and with nn.fuse.
--    th bench/fuse.lua [-threads 2] [-rounds 9] [-only ResNet]
--    -only  a Lua pattern that the names must match
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local nn = require 'nn'
local measure = require 'bench.lib.measure'
local nets = require 'bench.lib.nets'

local options = measure.options(arg or {}, { only = '' })
torch.setnumthreads(options.threads)
torch.manualSeed(1)

-- Convolution, normalisation and ReLU, as in VGG's first layers.
local function vgg()
   local net, from = nn.Sequential(), 3
   for i, to in ipairs { 64, 64, 128, 128, 256, 256 } do
      net:add(nn.SpatialConvolution(from, to, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(to)):add(nn.ReLU())
      if i % 2 == 0 then net:add(nn.SpatialMaxPooling(2, 2)) end
      from = to
   end
   return net
end

-- name, model, planes, size of the images, batch, steps of a turn
local ROWS = {
   { 'ResNet-20, batch 1', nets.resnet20, 3, 32, 1, 10 }, { 'ResNet-20, batch 32', nets.resnet20, 3, 32, 32, 2 },
   { 'VGG-like, batch 1', vgg, 3, 112, 1, 2 }, { 'VGG-like, batch 4', vgg, 3, 112, 4, 1 },
}

for _, row in ipairs(ROWS) do
   local name, make, planes, size, batch, steps = unpack(row)
   if name:find(options.only) then
      local plain, x = make():float():evaluate(), torch.FloatTensor(batch, planes, size, size):uniform()
      local fused = nn.fuse(plain)
      for _ = 1, 3 do
         plain:forward(x)
         fused:forward(x)
      end
      local function time(net) return function() return measure.time(function() net:forward(x) end, steps) end end
      local medians, ratio = measure.interleaved(options.rounds, { time(fused), time(plain) })
      measure.row(name, '< 1.00 of the model as it is', ('%.2f ms'):format(medians[1] * 1e3), ('%.2f ms'):format(medians[2] * 1e3),
                  ratio, ratio < 1)
   end
end
measure.note('peer: the same model without nn.fuse')
