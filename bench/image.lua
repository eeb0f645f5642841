-- bench/image.lua - scale and warp of 512x512x3 pixels, compared with OpenCV, Pillow and torchvision; JPEG with libjpeg-turbo.
--    th bench/image.lua [-threads 2] [-peer opencv] [-rounds 9]
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'
local jpeg = require 'feed.jpeg'
local load_library = require 'feed.library'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

ffi.cdef 'void *malloc(size_t n); void free(void *p);'

local SIDE, CALLS = 512, 10
local options = measure.options(arg or {})
torch.setnumthreads(options.threads)
torch.manualSeed(1)

local other, why
if options.peer ~= '' then
   other, why = peer.pytorch('image', tostring(options.threads))
   if not other then print('note: no comparison with OpenCV, Pillow and torchvision: ' .. why) end
end

local pictures = { Byte = torch.ByteTensor(3, SIDE, SIDE):random(0, 255) }
pictures.Float = pictures.Byte:float():div(255)
local rows = torch.range(0, SIDE - 1):float():view(SIDE, 1):expand(SIDE, SIDE)
local field = torch.FloatTensor(2, SIDE, SIDE)
field[1]:copy(rows:t()):div(40):sin():mul(8)
field[2]:copy(rows):div(40):cos():mul(8)

-- A function that returns the least seconds of single calls of f. Calls are short, so other processes disturb a mean more than a
-- minimum: a mean depends on how many threads waited for a core. The peer returns minima of as many calls.
local function timed(f)
   f()
   return function()
      local least = math.huge
      for _ = 1, CALLS do least = math.min(least, measure.time(f)) end
      return least
   end
end

-- The minima over all rounds of two functions in turn.
local function minima(ours, theirs)
   local least = { math.huge, math.huge }
   local function kept(k, f)
      return function()
         local seconds = f()
         least[k] = math.min(least[k], seconds)
         return seconds
      end
   end
   measure.interleaved(options.rounds, { kept(1, ours), theirs and kept(2, theirs) }, 10)
   return least[1], theirs and least[2]
end

local function row(what, line, f)
   local ours, theirs = minima(timed(f), other and function() return other.ask(line) end)
   local ratio = other and ours / theirs
   measure.row(('%s, %d threads'):format(what, options.threads), '<= 1.00 of the peer', ('%.3f ms'):format(ours * 1e3),
      other and ('%.3f ms'):format(theirs * 1e3), ratio, other and ratio <= 1)
end

for _, kind in ipairs { 'Byte', 'Float' } do
   local x = pictures[kind]
   for _, side in ipairs { 64, 224, 256, 400, 768, 1024 } do
      local y = x.new(3, side, side)
      row(('scale %s to %d'):format(kind, side), ('scale %s %d'):format(kind, side), function() image.scale(y, x) end)
   end
   for _, mode in ipairs { 'simple', 'bilinear', 'bicubic', 'lanczos' } do
      local y = x.new(3, SIDE, SIDE)
      local line = ('warp %s %s'):format(kind, mode)
      row(line, line, function() torch.image_warp(y, x, field, mode) end)
   end
end
if other then
   measure.note('peer: %s, whichever is the fastest; lanczos of OpenCV sums 8 x 8 pixels, ours 6 x 6', other.version)
   other.close()
end

-- A photograph is smooth, and has some noise.
local function photograph(side)
   local x = image.scale(torch.FloatTensor(3, side / 16, side / 16):uniform(0.1, 0.9), side, side, 'bicubic')
   return x:add(torch.FloatTensor(3, side, side):normal(0, 0.02)):clamp(0, 1):mul(255):byte():permute(2, 3, 1):contiguous()
end

-- The library as used from C: one handle for all calls. Returns a function that decodes to `to`.
local function direct(bytes)
   local turbo = load_library('TH_JPEG', 'libturbojpeg.so.0', 'turbojpeg', 'libturbojpeg is not installed')
   local handle, size = turbo.tjInitDecompress(), ffi.new 'int[4]'
   return function(to)
      turbo.tjDecompressHeader3(handle, bytes, #bytes, size, size + 1, size + 2, size + 3)
      local status = turbo.tjDecompress2(handle, bytes, #bytes, to, size[0], size[0] * 3, size[1], 0, 0)
      if status ~= 0 then error 'libjpeg-turbo failed' end
   end
end

local function jpeg_row(what, ours, theirs)
   ours, theirs = minima(ours, theirs)
   measure.row(what, '>= 0.90 of libjpeg-turbo', ('%.2f ms'):format(ours * 1e3), ('%.2f ms'):format(theirs * 1e3), theirs / ours,
      theirs / ours >= 0.9)
end

-- Programs that keep all images: each call writes to fresh memory, also in the C case.
do
   local bytes, images, blocks = jpeg.write(photograph(SIDE), 90), {}, {}
   local plain = direct(bytes)
   jpeg_row(('JPEG of %d x %d, all images kept'):format(SIDE, SIDE), timed(function() images[#images + 1] = jpeg.read(bytes) end),
      timed(function()
         local block = ffi.gc(ffi.C.malloc(SIDE * SIDE * 3), ffi.C.free)
         plain(block)
         blocks[#blocks + 1] = block
      end))
end

-- Programs that drop each image: the library writes to one block, and our results reuse collected memory. The collector first
-- runs when tensors hold COLLECTED bytes, which these calls reach before the measurement.
local COLLECTED = 128 * 2 ^ 20
for _, side in ipairs { SIDE, 4 * SIDE } do
   local bytes = jpeg.write(photograph(side), 90)
   local plain, pixels = direct(bytes), torch.ByteTensor(side, side, 3)
   plain(pixels:data())
   assert(pixels:equal(jpeg.read(bytes)), 'libjpeg-turbo gave other pixels')
   collectgarbage()
   for _ = 1, 2 * math.ceil(COLLECTED / pixels:nElement()) do jpeg.read(bytes) end
   jpeg_row(('JPEG of %d x %d'):format(side, side), timed(function() jpeg.read(bytes) end),
      timed(function() plain(pixels:data()) end))
end
