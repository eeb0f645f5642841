-- doc/site/html.lua - text for HTML: escapes, plain text of markup, names of anchors.
local M = {}

local ESCAPES = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

--- Text for an element or an attribute.
function M.escape(text) return (text:gsub('[&<>"]', ESCAPES)) end

local CHARACTERS = { amp = '&', lt = '<', gt = '>', quot = '"', nbsp = '\194\160', times = '\195\151' }

--- The character of an entity's name, or nil.
function M.character(name) return CHARACTERS[name] end

--- The text of markup, without tags and entities.
function M.text_of(markup)
   return (markup:gsub('<[^>]*>', ''):gsub('&(%a+);', function(name) return CHARACTERS[name] end))
end

--- The anchor of a heading, by GitHub's rule: small letters, blanks become '-', other marks disappear.
function M.slug(text)
   return (text:lower():gsub('[^%w_%- \128-\255]', ''):gsub(' ', '-'))
end

--- Anchors that are unique on a page: a function from the text of a heading to its anchor.
function M.slugs()
   local seen = {}
   return function(text)
      local slug = M.slug(text)
      if slug == '' then slug = 'section' end
      local free, n = slug, 0
      while seen[free] do n, free = n + 1, ('%s-%d'):format(slug, n + 1) end
      seen[free] = true
      return free
   end
end

--- A string of JavaScript. '<' is escaped, so that no text can end a script element.
function M.js(text)
   return '"' .. text:gsub('[%c"\\<]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

return M
