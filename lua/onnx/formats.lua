-- lua/onnx/formats.lua - small number formats: floats of 8 and 4 bits, integers of 4 and 2 bits, from and to their codes.
--
-- A float format has a sign bit, exponent bits and mantissa bits. Its values fit a float exactly, so a table of all codes
-- decodes it.
local types = require 'onnx.types'

local M = {}

-- exponent bits, mantissa bits, bias; nan: 'ieee' has infinities, 'all' one NaN pattern per sign, 'zero' NaN as minus zero.
local floats = {
   float8e4m3fn = { 4, 3, 7, 'all' }, float8e4m3fnuz = { 4, 3, 8, 'zero' },
   float8e5m2 = { 5, 2, 15, 'ieee' }, float8e5m2fnuz = { 5, 2, 16, 'zero' }, float4e2m1 = { 2, 1, 1, 'none' },
}
M.floats = floats

local function value_of(code, e_bits, m_bits, bias, nan)
   local all = 2 ^ (e_bits + m_bits)
   local sign, rest = code >= all and -1 or 1, code % all
   local e, m = math.floor(rest / 2 ^ m_bits), rest % 2 ^ m_bits
   if nan == 'zero' and sign < 0 and rest == 0 then return 0 / 0 end
   if nan == 'all' and rest == all - 1 then return 0 / 0 end
   if nan == 'ieee' and e == 2 ^ e_bits - 1 then return m == 0 and sign / 0 or 0 / 0 end
   if e == 0 then return sign * m * 2 ^ (1 - bias - m_bits) end
   return sign * (1 + m / 2 ^ m_bits) * 2 ^ (e - bias)
end

local tables = {}

--- The values of all codes of a format of floats: a table from 0.
function M.values(name)
   local t = tables[name]
   if t then return t end
   t = {}
   if name == 'float8e8m0' then
      for code = 0, 254 do t[code] = 2 ^ (code - 127) end
      t[255] = 0 / 0
   else
      local f = floats[name]
      for code = 0, 2 ^ (1 + f[1] + f[2]) - 1 do t[code] = value_of(code, f[1], f[2], f[3], f[4]) end
   end
   tables[name] = t
   return t
end

--- Writes n elements from their codes, a pointer to uint8_t, to the tensor t.
function M.decode(name, t, codes, n)
   local p = t:data()
   if types.is_float(name) then
      local values = M.values(name)
      for i = 0, n - 1 do p[i] = values[codes[i]] end
   elseif name == 'int4' then
      for i = 0, n - 1 do p[i] = codes[i] >= 8 and codes[i] - 16 or codes[i] end
   elseif name == 'int2' then
      for i = 0, n - 1 do p[i] = codes[i] >= 2 and codes[i] - 4 or codes[i] end
   else
      for i = 0, n - 1 do p[i] = codes[i] end
   end
end


-- ---- rounding ------------------------------------------------------------------------------------------------------

local floor, abs, log2 = math.floor, math.abs, math.log(2)

-- The exponent of a positive number: 2^e <= v < 2^(e + 1).
local function exponent(v)
   local e = floor(math.log(v) / log2)
   if 2 ^ e > v then e = e - 1 elseif 2 ^ (e + 1) <= v then e = e + 1 end
   return e
end

-- The nearest whole number; halves become even.
local function half_even(v)
   local r = floor(v)
   local rest = v - r
   if rest > 0.5 or rest == 0.5 and r % 2 == 1 then r = r + 1 end
   return r
end
M.half_even = half_even

local function largest(name)
   local most = 0
   for _, v in pairs(M.values(name)) do if v == v and v < math.huge and v > most then most = v end end
   return most
end

local limits = {}

-- A function that rounds a number to a format of floats.
local function rounder(name, saturate)
   local e_bits, m_bits, bias, nan = unpack(floats[name])
   limits[name] = limits[name] or largest(name)
   local most, lowest = limits[name], 1 - bias
   local beyond = nan == 'ieee' and math.huge or 0 / 0
   if nan == 'none' then saturate = true end
   return function(v)
      if v ~= v then return nan == 'none' and -0.0 or v end
      if v == 0 then return nan == 'zero' and 0 or v end
      local sign, size = v < 0 and -1 or 1, abs(v)
      if size < math.huge then
         local step = 2 ^ (math.max(exponent(size), lowest) - m_bits)
         size = half_even(size / step) * step
      end
      if size > most then size = saturate and most or beyond end
      if size == 0 and nan == 'zero' then return 0 end
      return sign * size
   end, e_bits
end

-- Powers of two from 2^-127 to 2^127.
local function power_rounder(saturate, mode)
   return function(v)
      if v ~= v then return v end
      if v <= 0 then return saturate and 2 ^ -127 or 0 / 0 end
      if v == math.huge then return saturate and 2 ^ 127 or 0 / 0 end
      local e = exponent(v)
      local low = 2 ^ e
      if v ~= low and (mode == 'up' or mode == 'nearest' and v / low >= 1.5) then e = e + 1 end
      if e > 127 then return saturate and 2 ^ 127 or 0 / 0 end
      if e < -127 then return saturate and 2 ^ -127 or 0 / 0 end
      return 2 ^ e
   end
end

local wraps = { int4 = { 16, 8 }, int2 = { 4, 2 }, uint4 = { 16, 16 }, uint2 = { 4, 4 } }

-- Whole numbers of few bits: fractions are cut off, higher bits dropped.
local function wrapper(name)
   local range, top = wraps[name][1], wraps[name][2]
   return function(v)
      if v ~= v or abs(v) == math.huge then return 0 end
      v = (v < 0 and -floor(-v) or floor(v)) % range
      return v >= top and v - range or v
   end
end

--- Whether a type is one of this file.
function M.is_small(name) return floats[name] ~= nil or wraps[name] ~= nil or name == 'float8e8m0' end

--- Rounds the numbers of a tensor, in place, to those of a format.
-- @param saturate  whether numbers beyond its range become the largest one
-- @param mode      of float8e8m0: 'up', 'down' or 'nearest'
function M.round(t, name, saturate, mode)
   local f
   if name == 'float8e8m0' then f = power_rounder(saturate, mode or 'up')
   elseif floats[name] then f = rounder(name, saturate)
   else f = wrapper(name) end
   local p = types.plain(t):data()
   for i = 0, t:nElement() - 1 do p[i] = f(tonumber(p[i])) end
   return t
end

return M
