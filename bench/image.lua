-- bench/image.lua - scale and warp of a picture of 512x512x3, beside OpenCV and Pillow.
--    th bench/image.lua [-threads 2] [-peer opencv] [-rounds 9]
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local image = require 'image'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local SIDE, CALLS = 512, 10
local options = measure.options(arg or {})
torch.setnumthreads(options.threads)
torch.manualSeed(1)

local other, why
if options.peer ~= '' then
   other, why = peer.pytorch('image', tostring(options.threads))
   if not other then print('note: no comparison with OpenCV and Pillow: ' .. why) end
end

local pictures = { Byte = torch.ByteTensor(3, SIDE, SIDE):random(0, 255) }
pictures.Float = pictures.Byte:float():div(255)
local rows = torch.range(0, SIDE - 1):float():view(SIDE, 1):expand(SIDE, SIDE)
local field = torch.FloatTensor(2, SIDE, SIDE)
field[1]:copy(rows:t()):div(40):sin():mul(8)
field[2]:copy(rows):div(40):cos():mul(8)

local function row(what, line, f)
   local function calls() for _ = 1, CALLS do f() end end
   calls()
   local functions = { function() return measure.time(calls) / CALLS end }
   if other then functions[2] = function() return other.ask(line) end end
   local medians, ratio = measure.interleaved(options.rounds, functions, 10)
   measure.row(('%s, %d threads'):format(what, options.threads), '<= 1.00 of the peer', ('%.2f ms'):format(medians[1] * 1e3),
      other and ('%.2f ms'):format(medians[2] * 1e3), other and ratio, other and ratio <= 1)
end

for _, kind in ipairs { 'Byte', 'Float' } do
   local x = pictures[kind]
   for _, side in ipairs { 64, 224, 256, 400, 768, 1024 } do
      local y = x.new(3, side, side)
      row(('scale %s to %d'):format(kind, side), ('scale %s %d'):format(kind, side), function() image.scale(y, x) end)
   end
   for _, mode in ipairs { 'simple', 'bilinear', 'bicubic' } do
      local y = x.new(3, SIDE, SIDE)
      local line = ('warp %s %s'):format(kind, mode)
      row(line, line, function() torch.image_warp(y, x, field, mode) end)
   end
end
if other then
   measure.note('peer: %s', other.version)
   other.close()
end
