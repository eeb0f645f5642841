-- test/support/html.lua - reads HTML as strictly as XML, to check generated pages: tags nest, attributes have quotes, ids are unique.
local M = {}

local VOID = { meta = true, link = true, img = true, input = true, hr = true, br = true, path = true }
local BLOCKS = { p = true, div = true, ul = true, ol = true, dl = true, table = true, pre = true, section = true, nav = true, h1 = true,
   h2 = true, h3 = true, h4 = true, blockquote = true, article = true, aside = true, main = true }

local function attributes_of(text, complain)
   local found, at = {}, 1
   while at <= #text do
      local name, value, after = text:match('^%s+([%a][%w%-]*)="([^"]*)"()', at)
      if not name then
         name, after = text:match('^%s+([%a][%w%-]*)()%f[^%w%-=]', at)
         value = ''
      end
      if not name then
         if text:match('^%s*/?$', at) then break end
         complain('attributes must have the form name="value", got ' .. text)
         break
      end
      if found[name] then complain('an element has the attribute ' .. name .. ' twice') end
      if value:find('[<>]') and not value:find '^data:' then complain('an attribute must not hold < or >: ' .. value) end
      found[name], at = value, after
   end
   return found
end

local function check_text(text, complain)
   if text:find('>', 1, true) then complain('a text holds >: ' .. text:sub(1, 60)) end
   for entity in text:gmatch '&[^;%s]*;?' do
      if not entity:match '^&#?%w+;$' then complain('& must begin an entity, got ' .. entity) end
   end
end

-- An element that must not be inside of another one.
local function check_place(name, stack, complain)
   for _, other in ipairs(stack) do
      if other == name and (name == 'a' or name == 'p' or name == 'button' or name == 'pre') then complain(name .. ' inside of ' .. name) end
      if other == 'p' and BLOCKS[name] then complain(name .. ' inside of p') end
   end
end

--- Reads a page.
-- @return a table: faults, a list of texts; ids, a set; links, a list of href; pictures, a list of src
function M.read(text)
   local page = { faults = {}, ids = {}, links = {}, pictures = {}, sources = {} }
   local function complain(what) page.faults[#page.faults + 1] = what end
   local stack = {}
   local kind, after = text:match '^(<!doctype html>)\n()'
   if not kind then complain 'a page must begin with <!doctype html>' end
   local at = after or 1
   while at <= #text do
      local before, slash, name, rest, stop = text:match('^([^<]*)<(/?)(%a[%w]*)([^<>]*)>()', at)
      if not before then
         if text:find('%S', at) then check_text(text:sub(at), complain) end
         if text:find('<', at, true) then complain('a text holds <: ' .. text:sub(at, at + 60)) end
         break
      end
      check_text(before, complain)
      at = stop
      if slash == '/' then
         if stack[#stack] ~= name then complain(('</%s> closes <%s>'):format(name, tostring(stack[#stack]))) end
         stack[#stack] = nil
      else
         local found = attributes_of(rest, complain)
         check_place(name, stack, complain)
         if found.id then
            if page.ids[found.id] then complain('the id ' .. found.id .. ' occurs twice') end
            page.ids[found.id] = true
         end
         if name == 'a' and found.href then page.links[#page.links + 1] = found.href end
         if name == 'link' or name == 'script' then page.sources[#page.sources + 1] = found.href or found.src end
         if name == 'img' then
            if not found.alt then complain 'img must have alt' end
            page.pictures[#page.pictures + 1] = found.src
         end
         if name == 'script' and not found.src then at = text:match('</script>()', at) or #text + 1
         elseif not VOID[name] then stack[#stack + 1] = name end
      end
   end
   if #stack > 0 then complain('open at the end: ' .. table.concat(stack, ' ')) end
   return page
end

return M
