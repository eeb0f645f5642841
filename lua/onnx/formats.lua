-- lua/onnx/formats.lua - small number formats: floats of 8 and 4 bits, integers of 4 and 2 bits, from and to their codes.
--
-- A float format has a sign bit, exponent bits and mantissa bits. Its values fit a float exactly, so a table of all codes decodes it.
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


return M
