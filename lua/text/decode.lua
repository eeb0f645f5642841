-- text.decode - from tokens back to a text: functions from a list of strings to a list of strings.
local pattern = require 'text.pattern'

local decode = {}

-- GPT-2's alphabet: character -> byte.
local bytes = {}
do
   local hidden = 0x100
   local function utf8(c) return c < 0x80 and string.char(c) or string.char(0xC0 + math.floor(c / 64), 0x80 + c % 64) end
   for b = 0, 255 do
      local visible = b >= 33 and b <= 126 or b >= 161 and b ~= 173
      bytes[utf8(visible and b or hidden)] = string.char(b)
      if not visible then hidden = hidden + 1 end
   end
end

--- The bytes that a token in GPT-2's alphabet stands for; other tokens stay.
function decode.alphabet(token)
   local made, known = {}, true
   for c in token:gmatch '[%z\1-\127\192-\255][\128-\191]*' do
      made[#made + 1] = bytes[c]
      known = known and bytes[c] ~= nil
   end
   return known and table.concat(made) or token
end

local function each(f)
   return function(list)
      local made = {}
      for i, token in ipairs(list) do made[i] = f(token, i) end
      return made
   end
end

function decode.byte_level() return each(decode.alphabet) end

--- The byte that '<0x41>' names, or nil.
function decode.byte_of(token)
   local digits = #token == 6 and token:match '^<0x(%x%x)>$'
   return digits and tonumber(digits, 16)
end

--- '<0x41>' becomes its byte.
function decode.byte_fallback()
   return each(function(token)
      local byte = decode.byte_of(token)
      return byte and string.char(byte) or token
   end)
end

function decode.fuse() return function(list) return { table.concat(list) } end end

local function plain(text) return (text:gsub('%p', '%%%0')) end

-- Replaces a literal text in a string.
local function replace(s, from, to)
   if from == '' then return s end
   return (s:gsub(plain(from), (to:gsub('%%', '%%%%'))))
end

function decode.replace(from, to) return each(function(token) return replace(token, from, to) end) end

--- The same for a regular expression.
function decode.replace_pattern(expression, to)
   local p = pattern.new(expression)
   return each(function(token)
      local made, place = {}, 1
      while true do
         local first, last = pattern.find(p, token, place)
         if not first then return table.concat(made) .. token:sub(place) end
         made[#made + 1] = token:sub(place, first - 1) .. to
         place = last + 1
      end
   end)
end

--- Removes up to `start` copies of a character from the begin of each token, and up to `stop` from its end.
function decode.strip(content, start, stop)
   return each(function(token)
      if content == '' then return token end
      for _ = 1, start do
         if token:sub(1, #content) ~= content then break end
         token = token:sub(#content + 1)
      end
      for _ = 1, stop do
         if #token < #content or token:sub(-#content) ~= content then break end
         token = token:sub(1, -#content - 1)
      end
      return token
   end)
end

local tidy = { { ' .', '.' }, { ' ?', '?' }, { ' !', '!' }, { ' ,', ',' }, { " ' ", "'" }, { " n't", "n't" }, { " 'm", "'m" },
   { ' do not', " don't" }, { " 's", "'s" }, { " 've", "'ve" }, { " 're", "'re" } }

local function tidied(s)
   for _, pair in ipairs(tidy) do s = replace(s, pair[1], pair[2]) end
   return s
end

--- Words of WordPiece: a space before each token without prefix.
function decode.wordpiece(prefix, cleanup)
   return each(function(token, i)
      if i > 1 then
         if prefix ~= '' and token:sub(1, #prefix) == prefix then token = token:sub(#prefix + 1) else token = ' ' .. token end
      end
      return cleanup and tidied(token) or token
   end)
end

--- A visible character for spaces becomes spaces; `strip`: the first token loses the one at its begin.
function decode.metaspace(replacement, strip)
   return each(function(token, i)
      if strip and i == 1 and token:sub(1, #replacement) == replacement then token = token:sub(#replacement + 1) end
      return replace(token, replacement, ' ')
   end)
end

--- A suffix that ends words becomes a space, except at the end.
function decode.suffix(suffix)
   return function(list)
      local made = {}
      for i, token in ipairs(list) do made[i] = replace(token, suffix, i < #list and ' ' or '') end
      return made
   end
end

--- The output of a network trained by CTC: repeats are one, blanks vanish.
function decode.ctc(pad, delimiter, cleanup)
   return function(list)
      local made, last = {}, nil
      for _, token in ipairs(list) do
         if token ~= last and token ~= pad then
            token = replace(token, pad, '')
            if cleanup then token = replace(tidied(token), delimiter, ' ') end
            made[#made + 1] = token
         end
         last = token
      end
      return made
   end
end

return decode
