-- doc/site/search.lua - the index of the search: every public name, and every section of the other pages.
--
-- It is a script, not JSON, because a browser refuses to fetch files of the file system. Texts are kept without markup.
local html = require 'doc.site.html'

local M = {}

--- The sections of a page's HTML: a list of { id, title, text }. What precedes the first anchor has the id ''.
function M.sections(markup, title)
   local list = { { '', title, '' } }
   markup = markup:gsub('<a class="anchor".-</a>', ''):gsub('<h1.-</h1>', '')
   local at = 1
   while true do
      local first, last, id, heading = markup:find('<h[23] id="([^"]*)">(.-)</h[23]>', at)
      local piece = html.text_of(markup:sub(at, (first or 0) - 1)):gsub('%s+', ' ')
      list[#list][3] = piece
      if not first then break end
      list[#list + 1] = { html.text_of(id), html.text_of(heading), '' }
      at = last + 1
   end
   return list
end

--- The text of the script.
-- @param names  a list of { name, address with anchor, first sentence }
-- @param pages  a list of { address, title, html }
function M.script(names, pages)
   local addresses, number = {}, {}
   local function number_of(address)
      if not number[address] then
         addresses[#addresses + 1] = address
         number[address] = #addresses - 1
      end
      return number[address]
   end
   local out = { 'window.searchIndex = {', 'names: [' }
   for _, row in ipairs(names) do
      out[#out + 1] = ('[%s,%d,%s],'):format(html.js(row[1]), number_of(row[2]:match '^[^#]*'), html.js(row[3]))
   end
   out[#out + 1] = '],\nsections: ['
   for _, page in ipairs(pages) do
      for _, s in ipairs(M.sections(page.html, page.title)) do
         if s[1] == '' or s[3] ~= '' then
            out[#out + 1] = ('[%d,%s,%s,%s,%s],')
               :format(number_of(page.address), html.js(s[1]), html.js(page.title), html.js(s[2]), html.js(s[3]))
         end
      end
   end
   out[#out + 1] = '],\npages: ['
   for _, address in ipairs(addresses) do out[#out + 1] = html.js(address) .. ',' end
   out[#out + 1] = ']};'
   return table.concat(out, '\n') .. '\n'
end

return M
