-- lua/onnx/unicode.lua - UTF-8 as lists of characters, and upper and lower case letters of Latin, Greek, Cyrillic and Armenian.
local bit = require 'bit'

local M = {}

-- ---- UTF-8 ---------------------------------------------------------------------------------------------------------

local REPLACEMENT = 0xFFFD

--- The characters of a string; each byte that is no UTF-8 becomes U+FFFD.
function M.decode(text)
   local list, i, n = {}, 1, #text
   while i <= n do
      local a = text:byte(i)
      local more = a < 0x80 and 0 or a >= 0xC2 and a < 0xE0 and 1 or a >= 0xE0 and a < 0xF0 and 2 or a >= 0xF0 and a < 0xF5 and 3
      local c = more == 0 and a or more and a % 2 ^ (6 - more)
      for k = 1, more or 0 do
         local b = text:byte(i + k)
         if not b or b < 0x80 or b >= 0xC0 then more = nil break end
         c = c * 64 + b - 0x80
      end
      if more and (more == 2 and c < 0x800 or more == 3 and c < 0x10000 or c > 0x10FFFF or c >= 0xD800 and c < 0xE000) then more = nil end
      list[#list + 1] = more and c or REPLACEMENT
      i = i + (more or 0) + 1
   end
   return list
end

local function one(c)
   if c < 0x80 then return string.char(c)
   elseif c < 0x800 then return string.char(0xC0 + bit.rshift(c, 6), 0x80 + c % 64)
   elseif c < 0x10000 then return string.char(0xE0 + bit.rshift(c, 12), 0x80 + bit.rshift(c, 6) % 64, 0x80 + c % 64) end
   return string.char(0xF0 + bit.rshift(c, 18), 0x80 + bit.rshift(c, 12) % 64, 0x80 + bit.rshift(c, 6) % 64, 0x80 + c % 64)
end

--- The string of the characters first to last of a list (default: all).
function M.encode(list, first, last)
   local parts = {}
   for i = first or 1, math.min(last or #list, #list) do parts[#parts + 1] = one(list[i]) end
   return table.concat(parts)
end

-- ---- cases ---------------------------------------------------------------------------------------------------------

local lower, upper = {}, {}

local function pair(big, small) lower[big], upper[small] = small, big end

-- Ranges of capitals whose small letters lie at a distance.
for _, r in ipairs { { 0x41, 0x5A, 32 }, { 0xC0, 0xD6, 32 }, { 0xD8, 0xDE, 32 }, { 0x391, 0x3A1, 32 }, { 0x3A3, 0x3AB, 32 },
   { 0x388, 0x38A, 37 }, { 0x410, 0x42F, 32 }, { 0x400, 0x40F, 80 }, { 0x531, 0x556, 48 }, { 0xFF21, 0xFF3A, 32 } } do
   for c = r[1], r[2] do pair(c, c + r[3]) end
end
-- Ranges in which each capital precedes its small letter.
for _, r in ipairs { { 0x100, 0x12E }, { 0x132, 0x136 }, { 0x139, 0x147 }, { 0x14A, 0x176 }, { 0x179, 0x17D }, { 0x460, 0x480 },
   { 0x48A, 0x4BE }, { 0x4C1, 0x4CD }, { 0x4D0, 0x52E }, { 0x1E00, 0x1E94 }, { 0x1EA0, 0x1EFE } } do
   for c = r[1], r[2], 2 do pair(c, c + 1) end
end
for big, small in pairs { [0x178] = 0xFF, [0x386] = 0x3AC, [0x38C] = 0x3CC, [0x38E] = 0x3CD, [0x38F] = 0x3CE, [0x4C0] = 0x4CF } do
   pair(big, small)
end
upper[0x3C2] = 0x3A3                                          -- the sigma at the end of words

--- The small letter of a character, or the character itself.
function M.lower(c) return lower[c] or c end

--- The capital of a character, or the character itself.
function M.upper(c) return upper[c] or c end

--- A string with all letters in one case. way: 'lower' or 'upper'
function M.cased(text, way)
   if not text:find '[\128-\255]' then return text[way](text) end
   local list, of = M.decode(text), way == 'lower' and lower or upper
   for i, c in ipairs(list) do list[i] = of[c] or c end
   return M.encode(list)
end

return M
