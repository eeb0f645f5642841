-- text.json - a strict reader of JSON (RFC 8259) with bounds: objects become tables, arrays lists.
local json = {}

local DEEPEST = 100                          -- nesting
local byte, find, sub, char = string.byte, string.find, string.sub, string.char

--- What null becomes.
json.null = setmetatable({}, { __tostring = function() return 'null' end })

local function fail(place, why, ...) error(('byte %d: ' .. why):format(place, ...), 0) end

local function skip(s, i) return find(s, '[^ \n\r\t]', i) or #s + 1 end

-- ---- strings -------------------------------------------------------------------------------------------------------

local escapes = { ['"'] = '"', ['\\'] = '\\', ['/'] = '/', b = '\b', f = '\f', n = '\n', r = '\r', t = '\t' }

--- A code point in UTF-8.
local function utf8(c)
   if c < 0x80 then return char(c) end
   if c < 0x800 then return char(0xC0 + math.floor(c / 64), 0x80 + c % 64) end
   if c < 0x10000 then return char(0xE0 + math.floor(c / 4096), 0x80 + math.floor(c / 64) % 64, 0x80 + c % 64) end
   return char(0xF0 + math.floor(c / 262144), 0x80 + math.floor(c / 4096) % 64, 0x80 + math.floor(c / 64) % 64, 0x80 + c % 64)
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

-- ---- values --------------------------------------------------------------------------------------------------------

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
   local list, n = {}, 0
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

--- The value that a text spells. Of two equal names in an object, the later one counts. Errors begin with the place.
function json.read(s)
   local v, i = read_value(s, skip(s, 1), 0)
   i = skip(s, i)
   if i <= #s then fail(i, 'something follows the value') end
   return v
end

return json
