-- lua/loadcaffe/prototxt.lua - reads the text format of Protocol Buffers: a message as a table, name -> list of values.
--
-- A value is a number, a string, a word such as MAX or true (a string, too), or a message.
local M = {}

local MOST_DEPTH = 100
local MOST_BYTES = 2 ^ 24

local function fail(r, text, ...)
   local line = 1
   for _ in r.text:sub(1, r.place - 1):gmatch '\n' do line = line + 1 end
   error(('line %d: ' .. text):format(line, ...), 0)
end

local function skip_blanks(r)
   while true do
      local place = r.text:match('^%s+()', r.place) or r.text:match('^#[^\n]*()', r.place)
      if not place then return end
      r.place = place
   end
end

-- The next character if it is in `set`, a class of characters.
local function accept(r, set)
   skip_blanks(r)
   local c, place = r.text:match('^([' .. set .. '])()', r.place)
   if c then r.place = place end
   return c
end

local escapes = { n = '\n', t = '\t', r = '\r', a = '\a', b = '\b', f = '\f', v = '\v' }

-- The character for a backslash, the character behind it, and up to two hexadecimal digits behind that.
local function unescape_one(c, digits)
   if c:find '[0-7]' then
      local octal = c .. digits:match '^[0-7]*'
      return string.char(tonumber(octal, 8) % 256) .. digits:sub(#octal)
   end
   if c:lower() == 'x' and digits ~= '' then return string.char(tonumber(digits, 16)) end
   return (escapes[c] or c) .. digits
end

local function unescape(s) return (s:gsub('\\(.)(%x?%x?)', unescape_one)) end

-- A string in quotes.
local function quoted(r, quote)
   local place = r.place
   while true do
      local at, c = r.text:match('^[^\\\n' .. quote .. ']*()(.)', place)
      if not at or c == '\n' then fail(r, 'a string has no end') end
      if c == quote then
         local s = r.text:sub(r.place, at - 1)
         r.place = at + 1
         return unescape(s)
      end
      place = at + 2
   end
end

local read_fields

local function scalar(r)
   local quote = accept(r, '"\'')
   if quote then
      local parts = {}
      repeat                                                  -- consecutive strings are one
         parts[#parts + 1] = quoted(r, quote)
         quote = accept(r, '"\'')
      until not quote
      return table.concat(parts)
   end
   local word, place = r.text:match('^([%w_%.%+%-]+)()', r.place)
   if not word then fail(r, 'expected a value, got %q', r.text:sub(r.place, r.place + 9)) end
   r.place = place
   return tonumber((word:gsub('[fF]$', ''))) or word
end

local closing = { ['{'] = '}', ['<'] = '>' }

local function value(r, depth)
   local open = accept(r, '{<')
   if open then return read_fields(r, closing[open], depth + 1) end
   return scalar(r)
end

local function values(r, to, depth)
   if not accept(r, '%[') then
      to[#to + 1] = value(r, depth)
      return
   end
   if accept(r, '%]') then return end
   repeat to[#to + 1] = value(r, depth) until not accept(r, ',')
   if not accept(r, '%]') then fail(r, 'a list has no end') end
end

function read_fields(r, stop, depth)
   if depth > MOST_DEPTH then fail(r, 'messages are nested more than %d deep', MOST_DEPTH) end
   local t = {}
   while true do
      skip_blanks(r)
      if r.place > #r.text then
         if stop then fail(r, "the text ends before a '%s'", stop) end
         return t
      end
      if stop and accept(r, stop) then return t end
      local name, place = r.text:match('^([%a_][%w_]*)()', r.place)
      if not name then fail(r, 'expected the name of a field, got %q', r.text:sub(r.place, r.place + 9)) end
      r.place = place
      skip_blanks(r)
      local mark = r.text:sub(r.place, r.place)
      if not accept(r, ':') and mark ~= '{' and mark ~= '<' then fail(r, "expected ':' or '{' behind %s", name) end
      t[name] = t[name] or {}
      values(r, t[name], depth)
      accept(r, ',;')
   end
end

--- The message in a text. Errors begin with the line.
function M.read(text)
   if #text > MOST_BYTES then error(('a text of %d bytes is too long'):format(#text), 0) end
   return read_fields({ text = text, place = 1 }, nil, 1)
end

return M
