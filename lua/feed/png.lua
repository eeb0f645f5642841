-- feed.png - reads and writes PNG images through lib/io/png.c, which opens libpng 1.6 on first use.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local format = require 'torch.format'
local limit = require 'feed.pixels'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_png.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_png.h has lost its FFI part')))
header:close()

local png = {}

--- Whether these bytes begin as a PNG file does.
function png.is(bytes) return bytes:sub(1, 4) == '\137PNG' end

-- f(handle, size) on the open image in these bytes.
local function with(bytes, f)
   local out, size = ffi.new 'th_png *[1]', ffi.new 'th_png_size'
   format.allocate(C.th_png_open, out, bytes, #bytes, size)
   local ok, x, y, z = pcall(f, out[0], size)
   C.th_png_close(out[0])
   if not ok then error(x, 0) end
   return x, y, z
end

local function pixels(handle, size)
   limit.check(tonumber(size.width), tonumber(size.height))
   local kind = size.depth == 16 and torch.IntTensor or torch.ByteTensor
   local x = kind(tonumber(size.height), tonumber(size.width), size.channels)
   format.check(C.th_png_read(handle, x:data()))
   return x
end

--- The pixels in the bytes of a PNG file, a string: height x width x channels. Channels are grey, grey and alpha, RGB or RGBA;
-- palettes become RGB, transparent colours alpha. A ByteTensor, or an IntTensor of values up to 65535 for 16 bits.
function png.read(bytes) return with(bytes, pixels) end

--- Channels, height and width of the PNG image in these bytes, as png.read returns it.
function png.size(bytes)
   return with(bytes, function(_, size) return size.channels, tonumber(size.height), tonumber(size.width) end)
end

--- The bytes of a PNG file, a string. `x` is a contiguous ByteTensor, height x width x channels (1, 3 or 4).
function png.write(x)
   local out, file = ffi.new 'th_storage *[1]', lib.storage_t()
   format.allocate(C.th_png_write, out, x:data(), x:size(2), x:size(1), x:size(3))
   file.s = out[0]                              -- from here on `file` owns it
   return ffi.string(file.s.data, tonumber(file.s.size))
end

return png
