-- lua/jupyter/json.lua - a strict reader and a writer of JSON (RFC 8259) for the messages of a kernel.
local M = {}

local DEEPEST = 100                         -- nesting that the reader and the writer accept
local find, sub, byte, char, floor = string.find, string.sub, string.byte, string.char, math.floor

--- The value null, in both directions.
M.null = setmetatable({}, { __tostring = function() return 'null' end })

local LIST = {}                             -- the metatable of tables that are lists even if they are empty

--- A table that is written as a list, even if it is empty.
function M.list(t) return setmetatable(t or {}, LIST) end

-- ---- reading -------------------------------------------------------------------------------------------------------

local function fail(at, why, ...) error(('JSON, byte %d: ' .. why):format(at, ...), 0) end

-- A code point in UTF-8.
local function utf8(c)
   if c < 0x80 then return char(c) end
   if c < 0x800 then return char(0xC0 + floor(c / 64), 0x80 + c % 64) end
   if c < 0x10000 then return char(0xE0 + floor(c / 4096), 0x80 + floor(c / 64) % 64, 0x80 + c % 64) end
   return char(0xF0 + floor(c / 262144), 0x80 + floor(c / 4096) % 64, 0x80 + floor(c / 64) % 64, 0x80 + c % 64)
end

local letters = { ['"'] = '"', ['\\'] = '\\', ['/'] = '/', b = '\b', f = '\f', n = '\n', r = '\r', t = '\t' }

local function unit(s, i)
   local digits = s:match('^\\u(%x%x%x%x)', i)
   if not digits then fail(i, 'an escape \\u with four digits is expected') end
   return tonumber(digits, 16)
end

-- The character of the escape at i, and the place behind it.
local function escape(s, i)
   local c = sub(s, i + 1, i + 1)
   if letters[c] then return letters[c], i + 2 end
   local first = unit(s, i)
   if first < 0xD800 or first > 0xDFFF then return utf8(first), i + 6 end
   if first > 0xDBFF then fail(i, 'a low surrogate without a high one') end
   local second = unit(s, i + 6)
   if second < 0xDC00 or second > 0xDFFF then fail(i + 6, 'a low surrogate is expected') end
   return utf8(0x10000 + (first - 0xD800) * 1024 + second - 0xDC00), i + 12
end

local function read_string(s, i)
   local parts, from = {}, i + 1
   while true do
      local stop = find(s, '[%z\1-\31"\\]', from)
      if not stop then fail(i, 'the string has no end') end
      parts[#parts + 1] = sub(s, from, stop - 1)
      local c = byte(s, stop)
      if c == 34 then return table.concat(parts), stop + 1 end
      if c ~= 92 then fail(stop, 'a string must not hold the control character %d', c) end
      parts[#parts + 1], from = escape(s, stop)
   end
end

local function read_number(s, i)
   local whole = s:match('^-?0()', i) or s:match('^-?[1-9]%d*()', i)
   if not whole then fail(i, 'a value is expected') end
   local stop = s:match('^%.%d+()', whole) or whole
   stop = s:match('^[eE][+-]?%d+()', stop) or stop
   return tonumber(sub(s, i, stop - 1)), stop
end

local function skip(s, i) return find(s, '[^ \t\r\n]', i) or #s + 1 end

local read_value

-- What stands between brackets: `one(i)` reads an entry and returns the place behind it.
local function entries(s, i, close, one)
   i = skip(s, i + 1)
   if sub(s, i, i) == close then return i + 1 end
   while true do
      i = skip(s, one(i))
      local c = sub(s, i, i)
      if c == close then return i + 1 end
      if c ~= ',' then fail(i, "',' or '%s' is expected", close) end
      i = skip(s, i + 1)
   end
end

local function read_list(s, i, depth)
   local list = M.list()
   return list, entries(s, i, ']', function(at)
      list[#list + 1], at = read_value(s, at, depth)
      return at
   end)
end

local function read_object(s, i, depth)
   local object = {}
   return object, entries(s, i, '}', function(at)
      if sub(s, at, at) ~= '"' then fail(at, 'a name in quotes is expected') end
      local name
      name, at = read_string(s, at)
      at = skip(s, at)
      if sub(s, at, at) ~= ':' then fail(at, "':' is expected") end
      object[name], at = read_value(s, skip(s, at + 1), depth)
      return at
   end)
end

function read_value(s, i, depth)
   local c = sub(s, i, i)
   if c == '"' then return read_string(s, i) end
   if c == '{' or c == '[' then
      if depth >= DEEPEST then fail(i, 'values are nested more than %d deep', DEEPEST) end
      return (c == '{' and read_object or read_list)(s, i, depth + 1)
   end
   if sub(s, i, i + 3) == 'true' then return true, i + 4 end
   if sub(s, i, i + 4) == 'false' then return false, i + 5 end
   if sub(s, i, i + 3) == 'null' then return M.null, i + 4 end
   return read_number(s, i)
end

--- The value that a text spells: objects and lists are tables, null is json.null. Raises an error at any other text.
function M.read(s)
   local value, i = read_value(s, skip(s, 1), 0)
   i = skip(s, i)
   if i <= #s then fail(i, 'the text must end behind the value') end
   return value
end

-- ---- UTF-8 ---------------------------------------------------------------------------------------------------------

-- The length of the well-formed character at i; nil if there is none; 'cut' if the text ends within one.
local function character(s, i)
   local c = byte(s, i)
   if c < 0x80 then return 1 end
   if c < 0xC2 or c > 0xF4 then return nil end
   local n = c < 0xE0 and 2 or c < 0xF0 and 3 or 4
   for k = 1, n - 1 do
      local d = byte(s, i + k)
      if not d then return 'cut' end
      local low = k == 1 and (c == 0xE0 and 0xA0 or c == 0xF0 and 0x90) or 0x80
      local high = k == 1 and (c == 0xED and 0x9F or c == 0xF4 and 0x8F) or 0xBF
      if d < low or d > high then return nil end
   end
   return n
end

--- The text with U+FFFD in the place of each byte that is not UTF-8, and the bytes at its end that begin a character.
-- @param last  whether such bytes at the end are wrong too
function M.repair(s, last)
   if not find(s, '[\128-\255]') then return s, '' end
   local out, i, from = {}, 1, 1
   while true do
      i = find(s, '[\128-\255]', i)
      if not i then break end
      local n = character(s, i)
      if n == 'cut' and not last then
         out[#out + 1] = sub(s, from, i - 1)
         return table.concat(out), sub(s, i)
      end
      if type(n) ~= 'number' then
         out[#out + 1] = sub(s, from, i - 1) .. '\239\191\189'
         from, n = i + 1, 1
      end
      i = i + n
   end
   out[#out + 1] = sub(s, from)
   return table.concat(out), ''
end

-- ---- writing -------------------------------------------------------------------------------------------------------

local short = { ['"'] = '\\"', ['\\'] = '\\\\', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

local function quoted(s)
   s = M.repair(s, true)
   return '"' .. s:gsub('[%z\1-\31"\\\127]', function(c) return short[c] or ('\\u%04x'):format(byte(c)) end) .. '"'
end

local function number(x)
   if x ~= x or x == math.huge or x == -math.huge then error('JSON has no number ' .. tostring(x), 0) end
   if x == floor(x) and math.abs(x) < 2 ^ 53 then return ('%d'):format(x) end
   for digits = 15, 17 do
      local text = ('%.' .. digits .. 'g'):format(x)
      if tonumber(text) == x then return text end
   end
end

local write

local function write_table(out, t, depth)
   if depth >= DEEPEST then error(('JSON: values are nested more than %d deep'):format(DEEPEST), 0) end
   local is_list = getmetatable(t) == LIST or #t > 0
   out[#out + 1] = is_list and '[' or '{'
   if is_list then
      for i = 1, #t do
         if i > 1 then out[#out + 1] = ',' end
         write(out, t[i], depth + 1)
      end
   else
      local names = {}
      for k in next, t do
         if type(k) ~= 'string' then error('JSON: the names of an object must be strings, got a ' .. type(k), 0) end
         names[#names + 1] = k
      end
      table.sort(names)
      for i, k in ipairs(names) do
         out[#out + 1] = (i > 1 and ',' or '') .. quoted(k) .. ':'
         write(out, t[k], depth + 1)
      end
   end
   out[#out + 1] = is_list and ']' or '}'
end

function write(out, v, depth)
   local kind = type(v)
   if kind == 'string' then out[#out + 1] = quoted(v)
   elseif kind == 'number' then out[#out + 1] = number(v)
   elseif kind == 'boolean' then out[#out + 1] = tostring(v)
   elseif v == M.null then out[#out + 1] = 'null'
   elseif kind == 'table' then write_table(out, v, depth)
   else error('JSON has no ' .. kind, 0) end
end

--- The text of a value. Names of objects are sorted; an empty table is an object unless json.list made it.
function M.write(v)
   local out = {}
   write(out, v, 0)
   return table.concat(out)
end

return M
