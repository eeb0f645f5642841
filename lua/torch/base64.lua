-- torch.base64 - bytes as text in base64 (RFC 4648), and back.
local bit = require 'bit'
local ffi = require 'ffi'
local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift

local M = {}

local ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
local PAD = ('='):byte()
local NONE = 255                             -- of a byte that is no letter of the alphabet

local letters = ffi.new('uint8_t[64]', { ALPHABET:byte(1, 64) })
local values = ffi.new('uint8_t[256]')
ffi.fill(values, 256, NONE)
for i = 0, 63 do values[letters[i]] = i end

--- The text for a string of bytes, without line breaks.
function M.encode(bytes)
   local n = #bytes
   local p, k = ffi.cast('const uint8_t *', bytes), 0
   local out = ffi.new('uint8_t[?]', 4 * math.ceil(n / 3) + 1)
   for i = 0, n - 1, 3 do
      local second, third = i + 1 < n, i + 2 < n
      local v = bor(lshift(p[i], 16), second and lshift(p[i + 1], 8) or 0, third and p[i + 2] or 0)
      out[k], out[k + 1] = letters[rshift(v, 18)], letters[band(rshift(v, 12), 63)]
      out[k + 2] = second and letters[band(rshift(v, 6), 63)] or PAD
      out[k + 3] = third and letters[band(v, 63)] or PAD
      k = k + 4
   end
   return ffi.string(out, k)
end

--- The bytes of a text, whose padding may be missing; nil if it is no base64.
function M.decode(text)
   text = text:gsub('==?$', '')
   local n = #text
   if n % 4 == 1 then return nil end
   local p, k = ffi.cast('const uint8_t *', text), 0
   local out = ffi.new('uint8_t[?]', 3 * math.ceil(n / 4) + 1)
   for i = 0, n - 1, 4 do
      local v = 0
      for j = i, i + 3 do
         local letter = j < n and values[p[j]] or 0
         if letter == NONE then return nil end
         v = bor(lshift(v, 6), letter)
      end
      out[k], out[k + 1], out[k + 2] = rshift(v, 16), band(rshift(v, 8), 255), band(v, 255)
      k = k + 3
   end
   return ffi.string(out, math.floor(n * 3 / 4))
end

return M
