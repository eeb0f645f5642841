-- torch.json - a strict reader and a writer of JSON (RFC 8259) with bounds.
local json = {}

local DEEPEST = 100                          -- nesting that the reader and the writer accept
local byte, find, sub, char, floor = string.byte, string.find, string.sub, string.char, math.floor

--- The value null, in both directions.
json.null = setmetatable({}, { __tostring = function() return 'null' end })

local LIST = {}                              -- the metatable of lists, which keeps [] and {} apart

--- A table that is written as a list, even if it is empty.
function json.list(t) return setmetatable(t or {}, LIST) end

-- ---- strings ------------------------------------------------------------------------------------

local function fail(place, why, ...) error(('byte %d: ' .. why):format(place, ...), 0) end

local function skip(s, i) return find(s, '[^ \n\r\t]', i) or #s + 1 end

local escapes = {
   ['"'] = '"', ['\\'] = '\\', ['/'] = '/', b = '\b', f = '\f', n = '\n', r = '\r', t = '\t',
}

--- A code point in UTF-8.
local function utf8(c)
   if c < 0x80 then return char(c) end
   if c < 0x800 then return char(0xC0 + floor(c / 64), 0x80 + c % 64) end
   if c < 0x10000 then
      return char(0xE0 + floor(c / 4096), 0x80 + floor(c / 64) % 64, 0x80 + c % 64)
   end
   return char(0xF0 + floor(c / 262144), 0x80 + floor(c / 4096) % 64, 0x80 + floor(c / 64) % 64,
      0x80 + c % 64)
end
json.utf8 = utf8

local function hex(s, i)
   local digits = sub(s, i, i + 3)
   if not find(digits, '^%x%x%x%x$') then fail(i, '\\u needs four digits') end
   return tonumber(digits, 16)
end

-- \uXXXX at i, which points behind the u: the character and the next place.
local function unicode(s, i)
   local c = hex(s, i)
   if c >= 0xDC00 and c <= 0xDFFF then fail(i, 'half of a character') end
   if c < 0xD800 or c > 0xDBFF then return utf8(c), i + 4 end
   if sub(s, i + 4, i + 5) ~= '\\u' then fail(i, 'half of a character') end
   local low = hex(s, i + 6)
   if low < 0xDC00 or low > 0xDFFF then fail(i + 6, 'half of a character') end
   return utf8(0x10000 + (c - 0xD800) * 1024 + low - 0xDC00), i + 10
end

-- The string whose quote is at i, and the place behind it.
local function read_string(s, i)
   local stop = find(s, '["\\%c]', i + 1)
   if stop and byte(s, stop) == 34 then return sub(s, i + 1, stop - 1), stop + 1 end
   local parts, n, from = {}, 0, i + 1
   while true do
      stop = find(s, '["\\%z\1-\31]', from)
      if not stop then fail(i, 'a string does not end') end
      local c = byte(s, stop)
      n = n + 1
      parts[n] = sub(s, from, stop - 1)
      if c == 34 then return table.concat(parts), stop + 1 end
      if c ~= 92 then fail(stop, 'a string holds the control character %d', c) end
      local e = sub(s, stop + 1, stop + 1)
      n = n + 1
      if e == 'u' then parts[n], from = unicode(s, stop + 2)
      else
         if not escapes[e] then fail(stop, 'there is no escape \\%s', e) end
         parts[n], from = escapes[e], stop + 2
      end
   end
end

-- ---- reading ------------------------------------------------------------------------------------

local read_value

local words = { t = { 'true', true }, f = { 'false', false }, n = { 'null', json.null } }

local function read_number(s, i)
   local _, stop = find(s, '^-?[1-9]%d*', i)
   if not stop then _, stop = find(s, '^-?0', i) end
   if not stop then fail(i, 'a value is expected') end
   local _, more = find(s, '^%.%d+', stop + 1)
   stop = more or stop
   _, more = find(s, '^[eE][+-]?%d+', stop + 1)
   stop = more or stop
   return tonumber(sub(s, i, stop)), stop + 1
end

local function read_list(s, i, depth)
   local list, n = setmetatable({}, LIST), 0
   i = skip(s, i + 1)
   if byte(s, i) == 93 then return list, i + 1 end
   while true do
      n = n + 1
      list[n], i = read_value(s, i, depth)
      i = skip(s, i)
      local c = byte(s, i)
      if c == 93 then return list, i + 1 end
      if c ~= 44 then fail(i, "',' or ']' is expected") end
      i = skip(s, i + 1)
   end
end

local function read_object(s, i, depth)
   local t = {}
   i = skip(s, i + 1)
   if byte(s, i) == 125 then return t, i + 1 end
   while true do
      if byte(s, i) ~= 34 then fail(i, 'a name in quotes is expected') end
      local key
      key, i = read_string(s, i)
      i = skip(s, i)
      if byte(s, i) ~= 58 then fail(i, "':' is expected") end
      t[key], i = read_value(s, skip(s, i + 1), depth)
      i = skip(s, i)
      local c = byte(s, i)
      if c == 125 then return t, i + 1 end
      if c ~= 44 then fail(i, "',' or '}' is expected") end
      i = skip(s, i + 1)
   end
end

function read_value(s, i, depth)
   local c = byte(s, i)
   if c == 34 then return read_string(s, i) end
   if c == 123 or c == 91 then
      if depth >= DEEPEST then fail(i, 'values are nested more than %d deep', DEEPEST) end
      if c == 123 then return read_object(s, i, depth + 1) end
      return read_list(s, i, depth + 1)
   end
   local word = c and words[char(c)]
   if word then
      if sub(s, i, i + #word[1] - 1) ~= word[1] then fail(i, 'a value is expected') end
      return word[2], i + #word[1]
   end
   if not c then fail(i, 'a value is expected, the text ends') end
   return read_number(s, i)
end

--- The value that a text spells: an object is a table, null is json.null. Of two equal names in an
-- object, the later one counts. Errors begin with the place: 'byte 5: a value is expected'.
function json.read(s)
   local v, i = read_value(s, skip(s, 1), 0)
   i = skip(s, i)
   if i <= #s then fail(i, 'something follows the value') end
   return v
end

-- ---- UTF-8 --------------------------------------------------------------------------------------

-- The length of the well-formed character at i; nil if there is none; 'cut' if the text ends in it.
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

--- The text with U+FFFD in the place of each byte that is not UTF-8, and the bytes at its end that
-- begin a character.
-- @param last  whether such bytes at the end are wrong too
function json.repair(s, last)
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

-- ---- writing ------------------------------------------------------------------------------------

local short = { ['"'] = '\\"', ['\\'] = '\\\\' }
for letter, c in pairs(escapes) do
   if find(letter, '%l') then short[c] = '\\' .. letter end
end

local function quoted(s)
   s = json.repair(s, true)
   return '"' .. s:gsub('[%z\1-\31"\\\127]', function(c)
      return short[c] or ('\\u%04x'):format(byte(c))
   end) .. '"'
end

local function number(x)
   if x ~= x or math.abs(x) == math.huge then error('JSON has no number ' .. tostring(x), 0) end
   if x == floor(x) and math.abs(x) < 2 ^ 53 then return ('%d'):format(x) end
   for digits = 15, 17 do
      local text = ('%.' .. digits .. 'g'):format(x)
      if tonumber(text) == x then return text end
   end
end

local write

local function write_list(out, t, depth)
   out[#out + 1] = '['
   for i = 1, #t do
      if i > 1 then out[#out + 1] = ',' end
      write(out, t[i], depth)
   end
   out[#out + 1] = ']'
end

local function write_object(out, t, depth)
   local names = {}
   for k in next, t do
      if type(k) ~= 'string' then
         error('JSON: the names of an object must be strings, got a ' .. type(k), 0)
      end
      names[#names + 1] = k
   end
   table.sort(names)
   out[#out + 1] = '{'
   for i, k in ipairs(names) do
      out[#out + 1] = (i > 1 and ',' or '') .. quoted(k) .. ':'
      write(out, t[k], depth)
   end
   out[#out + 1] = '}'
end

function write(out, v, depth)
   local kind = type(v)
   if kind == 'string' then out[#out + 1] = quoted(v)
   elseif kind == 'number' then out[#out + 1] = number(v)
   elseif kind == 'boolean' then out[#out + 1] = tostring(v)
   elseif v == json.null then out[#out + 1] = 'null'
   elseif kind ~= 'table' then error('JSON has no ' .. kind, 0)
   elseif depth >= DEEPEST then
      error(('JSON: values are nested more than %d deep'):format(DEEPEST), 0)
   else
      local is_list = getmetatable(v) == LIST or #v > 0
      return (is_list and write_list or write_object)(out, v, depth + 1)
   end
end

--- The text of a value. Names are sorted; an empty table is an object unless json.list made it.
function json.write(v)
   local out = {}
   write(out, v, 0)
   return table.concat(out)
end

return json
