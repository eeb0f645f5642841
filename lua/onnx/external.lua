-- lua/onnx/external.lua - data of tensors in other files, which must lie in the folder of the model.
local source = require 'feed.source'

local M = {}

local MOST_FILES = 64

local function number(entry, name, what)
   local text = entry[name]
   if text == nil then return nil end
   local v = text:find '^%d+$' and #text <= 15 and tonumber(text)
   if not v then error(("%s: %s must be a whole number, got '%s'"):format(what, name, text), 0) end
   return v
end

--- A function for decode.tensor that reads external data of a model in `folder`: from a message and the bytes that its tensor has
-- it returns a function that copies parts of the file, the position and the size.
function M.reader(folder)
   local files, count = {}, 0
   return function(m, bytes)
      local what, entry = ("tensor '%s'"):format(m.name or ''), {}
      for _, pair in ipairs(m.external_data or {}) do entry[pair.key or ''] = pair.value or '' end
      local location = entry.location
      if not location or location == '' then error(what .. ': its external data have no location', 0) end
      local s = files[location]
      if s then
         source.unchanged(s)                                   -- net() reads tensors again
      else
         if count == MOST_FILES then error(('its tensors lie in more than %d files'):format(MOST_FILES), 0) end
         local ok, opened = pcall(source.below, folder, location)
         if not ok then error(('%s: external data: %s'):format(what, opened), 0) end
         s, count = opened, count + 1
         files[location] = s
      end
      local size, offset = source.size(s), number(entry, 'offset', what) or 0
      local length = number(entry, 'length', what) or math.max(0, size - offset)
      if offset + length > size then
         error(("%s: %.0f bytes from byte %.0f on are needed of file '%s', which has %.0f"):format(what, length, offset,
            location, size), 0)
      end
      if length < bytes then
         error(("%s: it takes %.0f bytes, file '%s' has %.0f for it"):format(what, bytes, location, length), 0)
      end
      return source.fetch(s), offset, bytes
   end
end

return M
