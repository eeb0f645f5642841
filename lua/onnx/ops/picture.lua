-- lua/onnx/ops/picture.lua - ImageDecoder.
local ffi = require 'ffi'
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local raster = require 'onnx.raster'

-- Pixels (height x width x channels) as bytes of red, green and blue.
local function coloured(x)
   if x:type() == 'torch.IntTensor' then x = x:div(256):byte() end
   local channels = x:size(3)
   if channels == 1 or channels == 2 then return x:narrow(3, 1, 1):expand(x:size(1), x:size(2), 3):contiguous() end
   return x:narrow(3, 1, 3):contiguous()
end

-- Luma by ITU-R BT.601: 0.299 red, 0.587 green, 0.114 blue, in 16 bits.
local function grey(x)
   local wide = x:int()
   local y = torch.mul(wide:select(3, 1), 19595):add(38470, wide:select(3, 2)):add(7471, wide:select(3, 3)):add(32768)
   return torch.floor(torch.div(y:double(), 65536)):byte():view(x:size(1), x:size(2), 1)
end

local function reader_of(bytes)
   if raster.bmp.is(bytes) then return raster.bmp end
   if raster.tiff.is(bytes) then return raster.tiff end
   if bytes:sub(5, 8) == 'jP  ' or bytes:sub(1, 4) == '\255\79\255\81' then error('JPEG 2000 images are not read', 0) end
   local codec = require 'image.codec'
   local kind = codec.kind(bytes)
   return kind and require(codec.modules[kind])
end

-- Where a stream is no image, the op gives an empty one. Kinds that are not read, and missing libraries, are errors.
local function decode(bytes)
   local reader = reader_of(bytes)
   if not reader then return nil end
   local ok, x = pcall(reader.read, bytes)
   if ok then return x end
   local why = tostring(x)
   if why:find 'not read' or why:find 'not installed' or why:find 'limit' or why:find 'memory' then error(why, 0) end
   return nil
end

registry.add('ImageDecoder', { types = 'uint8', run = function(n, stream)
   local format = n.attr.pixel_format or 'RGB'
   if format ~= 'RGB' and format ~= 'BGR' and format ~= 'Grayscale' then error(("there is no pixel_format '%s'"):format(format), 0) end
   local count = stream:nElement()
   stream = stream:contiguous()
   local x = count > 0 and decode(ffi.string(stream:data(), count))
   if not x then return types.empty('uint8', { 0, 0, format == 'Grayscale' and 1 or 3 }) end
   x = coloured(x)
   if format == 'Grayscale' then return grey(x) end
   return format == 'BGR' and torch.flip(x, 3) or x
end })
