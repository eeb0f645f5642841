-- lua/torch/xml.lua - text for files of XML, such as SVG pictures.
local xml = {}

local ESCAPES = {['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;', ["'"] = '&#39;'}
local LEAST = {0x80, 0x800, 0x10000}                                -- code points with 1, 2, 3 bytes after the first

-- A character of UTF-8 as XML may hold it; '?' for bytes that are none.
local function character(bytes)
   local first, tail = bytes:byte(), #bytes - 1
   if first < 0x80 then
      return (ESCAPES[bytes:sub(1, 1)] or first < 32 and ' ' or first == 127 and ' ' or bytes:sub(1, 1)) .. ('?'):rep(tail)
   end
   local wanted = first >= 0xf0 and 3 or first >= 0xe0 and 2 or first >= 0xc2 and 1 or 0
   local code = first % 2 ^ (6 - wanted)
   for i = 2, #bytes do code = code * 64 + bytes:byte(i) % 64 end
   local fine = wanted == tail and tail > 0 and first <= 0xf4 and code >= LEAST[tail] and code <= 0x10ffff
      and not (code >= 0xd800 and code < 0xe000) and code % 0x10000 < 0xfffe
   return fine and bytes or ('?'):rep(#bytes)
end

--- The text with its markup escaped, so that any bytes are valid in a file of XML.
function xml.escape(text)
   text = tostring(text):gsub('^[\128-\191]+', function(s) return ('?'):rep(#s) end)
   return (text:gsub('[%z\1-\127\192-\255][\128-\191]*', character))
end

return xml
