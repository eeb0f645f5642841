-- lua/image/pnm.lua - reads PBM, PGM and PPM images, P1 to P6; writes PGM and PPM.
local ffi = require 'ffi'
local torch = require 'torch'
local limit = require 'feed.pixels'

local M = {}

local CHANNELS = { 1, 1, 3, 1, 1, 3 }       -- of P1..P6
local HASH = 35

--- The beginning of a PNM file.
function M.is(bytes) return bytes:find '^P[1-6]%s' ~= nil or bytes:find '^P[1-6]#' ~= nil end

-- The number at a position, after spaces and comments, and the position after it.
local function number(bytes, at)
   at = bytes:match('^%s*()', at)
   while bytes:byte(at) == HASH do
      at = bytes:find('\n', at, true) or #bytes + 1
      at = bytes:match('^%s*()', at)
   end
   local digits, after = bytes:match('^(%d+)()', at)
   if not digits or #digits > 9 then error('its header is damaged', 0) end
   return tonumber(digits), after
end

-- The kind (1 to 6), width, height, maximum, and the position of the pixels.
local function header(bytes)
   if not M.is(bytes) then error('it is no PBM, PGM or PPM image', 0) end
   local kind, maximum = tonumber(bytes:sub(2, 2)), 1
   local width, at = number(bytes, 3)
   local height
   height, at = number(bytes, at)
   if kind % 3 ~= 1 then maximum, at = number(bytes, at) end
   if width == 0 or height == 0 then error(('its size is %d x %d'):format(width, height), 0) end
   if maximum < 1 or maximum > 65535 then error(('its maximum is %d, not in 1..65535'):format(maximum), 0) end
   return kind, width, height, maximum, at + 1
end

-- Sizes are checked against the number of bytes, and the limit, before memory is allocated.
local function need(bytes, at, wanted, width, height)
   if wanted > #bytes - at + 1 then
      local left = math.max(#bytes - at + 1, 0)
      error(('%d x %d pixels need %.0f bytes, but only %d are left'):format(width, height, wanted, left), 0)
   end
   limit.check(width, height)
end

local function copied(bytes, at, n)
   local x = torch.ByteTensor(n)
   ffi.copy(x:data(), ffi.cast('const char *', bytes) + at - 1, n)
   return x
end

-- Values written as text into an IntTensor.
local function text_values(bytes, at, n, pattern)
   local x, k = torch.IntTensor(n), 0
   local data, text = x:data(), bytes:sub(at):gsub('#[^\n]*', '')
   for digits in text:gmatch(pattern) do
      data[k], k = #digits < 9 and tonumber(digits) or 65536, k + 1
      if k == n then return x end
   end
   error(('it ends after %d of %d values'):format(k, n), 0)
end

-- P4: eight pixels a byte, rows begin with a byte.
local function bits(bytes, at, width, height)
   local row = math.ceil(width / 8)
   need(bytes, at, row * height, width, height)
   local x = torch.IntTensor(height, width)
   local data, from = x:data(), ffi.cast('const uint8_t *', bytes) + at - 1
   for i = 0, height - 1 do
      for j = 0, width - 1 do
         data[i * width + j] = bit.band(bit.rshift(from[i * row + bit.rshift(j, 3)], 7 - bit.band(j, 7)), 1)
      end
   end
   return x
end

-- P5 and P6 as a tensor of one dimension: bytes, or 16 bits with the high byte first.
local function binary(bytes, at, n, maximum, width, height)
   need(bytes, at, maximum > 255 and 2 * n or n, width, height)
   if maximum <= 255 then return copied(bytes, at, n) end
   local x = copied(bytes, at, 2 * n):view(n, 2)
   return x:select(2, 1):int():mul(256):add(x:select(2, 2):int())
end

-- Values 0..maximum become 0..255, or 0..65535 where eight bits do not hold them.
local function scaled(x, maximum)
   if x:max() > maximum then error(('it has a value above its maximum, %d'):format(maximum), 0) end
   if maximum <= 255 then return maximum == 255 and x:byte() or x:int():mul(255):div(maximum):byte() end
   return maximum == 65535 and x or x:long():mul(65535):div(maximum):int()
end

--- The pixels in the bytes of a PNM file, a string: height x width x 1 or 3. A ByteTensor, or an IntTensor of values up to 65535
-- where the file has more than 8 bits.
function M.read(bytes)
   local kind, width, height, maximum, at = header(bytes)
   local n = width * height * CHANNELS[kind]
   local x
   if kind == 4 then x = bits(bytes, at, width, height)
   elseif kind > 4 then x = binary(bytes, at, n, maximum, width, height)
   else
      need(bytes, at, kind == 1 and n or 2 * n - 1, width, height)          -- a digit each, and the bytes between them
      x = text_values(bytes, at, n, kind == 1 and '[01]' or '%d+')
   end
   if kind % 3 == 1 then x = x:mul(-1):add(1) end                            -- a bitmap's 1 is black
   return scaled(x, maximum):view(height, width, CHANNELS[kind])
end

--- Channels, height and width of the PNM image in these bytes.
function M.size(bytes)
   local kind, width, height = header(bytes)
   return CHANNELS[kind], height, width
end

--- The bytes of a PGM or PPM file, P5 or P6, a string. `x` is a contiguous ByteTensor, height x width x 1 or 3.
function M.write(x)
   return ('P%d\n%d %d\n255\n'):format(x:size(3) == 1 and 5 or 6, x:size(2), x:size(1)) .. ffi.string(x:data(), x:nElement())
end

return M
