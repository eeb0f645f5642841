-- torch.sha256 - SHA-256 (FIPS 180-4) of strings and files, and HMAC (RFC 2104).
local bit = require 'bit'
local ffi = require 'ffi'
local band, bnot, bxor, ror, rshift, tobit = bit.band, bit.bnot, bit.bxor, bit.ror, bit.rshift, bit.tobit

local M = {}

local BLOCK = 64                            -- bytes that one round of the hash takes

-- ---- constants ----------------------------------------------------------------------------------

-- The first n primes.
local function primes(n)
   local list, candidate = {}, 2
   while #list < n do
      local prime = true
      for _, p in ipairs(list) do prime = prime and candidate % p ~= 0 end
      if prime then list[#list + 1] = candidate end
      candidate = candidate + 1
   end
   return list
end

-- The first 32 bits of the fraction of p^(1/k). Newton's step in 64-bit integers corrects the last bits of the double.
local function fraction(p, k)
   local root = math.floor(p ^ (1 / k))
   -- The largest f below 2^32 with (root + f / 2^32)^k <= p, by bisection on two halves of 16 bits: all products are exact.
   local function at_most(high, low)
      local digits, product = { root, high, low }, { 1, 0, 0, 0, 0, 0, 0, 0, 0 }       -- base 2^16
      for _ = 1, k do
         local new = { 0, 0, 0, 0, 0, 0, 0, 0, 0 }
         for i = 1, 9 do
            for j = 1, 3 do
               if i + j - 1 <= 9 then new[i + j - 1] = new[i + j - 1] + product[i] * digits[j] end
            end
         end
         for i = 9, 2, -1 do
            local carry = math.floor(new[i] / 65536)
            new[i], new[i - 1] = new[i] - carry * 65536, new[i - 1] + carry
         end
         product = new
      end
      return product[1] < p
   end
   local high, low = 0, 0
   for b = 15, 0, -1 do
      if at_most(high + 2 ^ b, 0) then high = high + 2 ^ b end
   end
   for b = 15, 0, -1 do
      if at_most(high, low + 2 ^ b) then low = low + 2 ^ b end
   end
   return tobit(high * 65536 + low)
end

local K, START = ffi.new 'int32_t[64]', ffi.new 'int32_t[8]'
for i, p in ipairs(primes(64)) do
   K[i - 1] = fraction(p, 3)
   if i <= 8 then START[i - 1] = fraction(p, 2) end
end

-- ---- SHA-256 ------------------------------------------------------------------------------------

local w = ffi.new 'int32_t[64]'

-- Adds one block of 64 bytes to the state.
local function add_block(h, p)
   for i = 0, 15 do
      local q = p + 4 * i
      w[i] = bit.bor(bit.lshift(q[0], 24), bit.lshift(q[1], 16), bit.lshift(q[2], 8), q[3])
   end
   for i = 16, 63 do
      local x, y = w[i - 15], w[i - 2]
      local s0 = bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
      local s1 = bxor(ror(y, 17), ror(y, 19), rshift(y, 10))
      w[i] = tobit(w[i - 16] + s0 + w[i - 7] + s1)
   end
   local a, b, c, d, e, f, g, k = h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
   for i = 0, 63 do
      local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
      local t1 = tobit(k + s1 + bxor(band(e, f), band(bnot(e), g)) + K[i] + w[i])
      local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
      local t2 = tobit(s0 + bxor(band(a, b), band(a, c), band(b, c)))
      k, g, f, e, d, c, b, a = g, f, e, tobit(d + t1), c, b, a, tobit(t1 + t2)
   end
   h[0], h[1], h[2], h[3] = tobit(h[0] + a), tobit(h[1] + b), tobit(h[2] + c), tobit(h[3] + d)
   h[4], h[5], h[6], h[7] = tobit(h[4] + e), tobit(h[5] + f), tobit(h[6] + g), tobit(h[7] + k)
end

-- The bytes behind the text: a 1 bit, zeros, and the length in bits.
local function padding(length)
   local zeros = (BLOCK - 9 - length) % BLOCK
   local tail, bits = {}, length * 8
   for i = 8, 1, -1 do
      tail[i] = string.char(bits % 256)
      bits = math.floor(bits / 256)
   end
   return '\128' .. ('\0'):rep(zeros) .. table.concat(tail)
end

-- Adds the whole blocks of a text to the state; returns what is left of it.
local function add_blocks(h, text)
   local p, whole = ffi.cast('const uint8_t *', text), #text - #text % BLOCK
   for at = 0, whole - 1, BLOCK do add_block(h, p + at) end
   return text:sub(whole + 1)
end

local function start()
   local h = ffi.new 'int32_t[8]'
   ffi.copy(h, START, 32)
   return h
end

-- The hash, 32 bytes, after `rest`, the end of `length` bytes.
local function finish(h, rest, length)
   add_blocks(h, rest .. padding(length))
   local out = {}
   for i = 0, 7 do
      local x = h[i]
      out[i + 1] = string.char(band(rshift(x, 24), 255), band(rshift(x, 16), 255),
                               band(rshift(x, 8), 255), band(x, 255))
   end
   return table.concat(out)
end

--- The hash of a string: 32 bytes.
function M.sha256(text)
   local h = start()
   return finish(h, add_blocks(h, text), #text)
end

--- The hash of a file: 32 bytes, or nil and the reason.
function M.of_file(name)
   local f, why = io.open(name, 'rb')
   if not f then return nil, why end
   local h, length, rest = start(), 0, ''
   while true do
      local text, failed = f:read(2 ^ 20)
      if not text then
         f:close()
         if failed then return nil, failed end
         return finish(h, rest, length)
      end
      length = length + #text
      rest = add_blocks(h, rest .. text)
   end
end

--- Bytes as hexadecimal digits.
function M.hex(bytes) return (bytes:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end

local function xored(key, value) return (key:gsub('.', function(c) return string.char(bxor(c:byte(), value)) end)) end

--- The HMAC of a text: 32 bytes.
function M.hmac(key, text)
   if #key > BLOCK then key = M.sha256(key) end
   key = key .. ('\0'):rep(BLOCK - #key)
   return M.sha256(xored(key, 0x5c) .. M.sha256(xored(key, 0x36) .. text))
end

--- Whether two strings are equal. The time depends on their length only, so that it reveals no signature.
function M.equal(a, b)
   if #a ~= #b then return false end
   local different = 0
   for i = 1, #a do different = bit.bor(different, bxor(a:byte(i), b:byte(i))) end
   return different == 0
end

return M
