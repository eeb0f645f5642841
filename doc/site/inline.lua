-- doc/site/inline.lua - the inline part of Markdown: code, links, pictures, emphasis.
--
-- The text becomes a list of nodes: finished HTML, or a run of '*' or '_' that may open or close emphasis. A second pass pairs
-- the runs. Emphasis pairs runs of one length only, which our pages need.
local html = require 'doc.site.html'

local M = {}

local MAX_DEPTH = 16                        -- of links and emphasis in each other

-- The place behind the bracket that closes the one at `at`, which code spans and escapes do not close.
local function closing(text, at, open, close)
   local depth, i = 0, at
   while i <= #text do
      local c = text:sub(i, i)
      if c == '\\' then i = i + 1
      elseif c == '`' then
         local run = text:match('^`+', i)
         local _, last = text:find('%f[`]' .. run .. '%f[^`]', i + #run)
         i = last or i + #run - 1
      elseif c == open then depth = depth + 1
      elseif c == close then
         depth = depth - 1
         if depth == 0 then return i end
      end
      i = i + 1
   end
end

-- A code span at `at`: its text and the place behind it.
local function code_span(text, at)
   local run = text:match('^`+', at)
   local first, last = text:find('%f[`]' .. run .. '%f[^`]', at + #run)
   if not first then return nil, at + #run, run end
   local inner = text:sub(at + #run, first - 1):gsub('\n', ' ')
   if inner:match '^ .*%S.* $' then inner = inner:sub(2, -2) end
   return inner, last + 1
end

-- A link or a picture whose '[' is at `at`: label, target and the place behind it; nil where there is none.
local function link_at(text, at)
   local close = closing(text, at, '[', ']')
   if not close or text:sub(close + 1, close + 1) ~= '(' then return nil end
   local stop = closing(text, close + 1, '(', ')')
   if not stop then return nil end
   local inner = text:sub(close + 2, stop - 1)
   local target = inner:match '^%s*<?(%S-)>?%s*$' or inner:match '^%s*(%S+)%s+".*"%s*$'
   if not target then return nil end
   return text:sub(at + 1, close - 1), target, stop + 1
end

local function is_word(c) return c:match '[%w\128-\255]' ~= nil end

-- A run of emphasis marks at `at`: a node that says whether it may open or close.
local function run_at(text, at)
   local run = text:match('^%*+', at) or text:match('^_+', at)
   local before, after = text:sub(at - 1, at - 1), text:sub(at + #run, at + #run)
   if at == 1 then before = '' end
   local opens = after ~= '' and not after:match '%s' and (not after:match '%p' or before == '' or before:match '[%s%p]' ~= nil)
   local closes = before ~= '' and not before:match '%s' and (not before:match '%p' or after == '' or after:match '[%s%p]' ~= nil)
   if run:sub(1, 1) == '_' then
      opens, closes = opens and not is_word(before), closes and not is_word(after)
   end
   return { run = run, opens = opens, closes = closes }, at + #run
end

-- Pairs the runs: the closing one with the nearest open one of the same marks.
local function emphasize(nodes)
   for i, node in ipairs(nodes) do
      if node.run and node.closes and #node.run <= 2 then
         for k = i - 1, 1, -1 do
            local open = nodes[k]
            if open.run == node.run and open.opens and not open.html then
               local tag = #node.run == 1 and 'em' or 'strong'
               open.html, node.html = '<' .. tag .. '>', '</' .. tag .. '>'
               for between = k + 1, i - 1 do nodes[between].opens = nil end   -- pairs do not cross
               break
            end
         end
      end
   end
   local out = {}
   for i, node in ipairs(nodes) do out[i] = node.html or html.escape(node.run) end
   return table.concat(out)
end

local render

-- What begins with a special character: HTML and the place behind it, or nil where the character stands for itself.
local special = {
   ['\\'] = function(text, at)
      local mark = text:match('^[%p]', at + 1)
      return mark and html.escape(mark), at + 2
   end,
   ['`'] = function(text, at, hooks)
      local inner, after, run = code_span(text, at)
      return inner and hooks.code(inner) or run, after
   end,
   ['!'] = function(text, at, hooks)
      if text:sub(at + 1, at + 1) ~= '[' then return nil end
      local label, target, after = link_at(text, at + 1)
      if label then return hooks.picture(target, html.text_of(label)), after end
   end,
   ['['] = function(text, at, hooks, depth)
      local label, target, after = link_at(text, at)
      if label then return hooks.link(target, render(label, hooks, depth + 1, true)), after end
   end,
   ['<'] = function(text, at, hooks)
      local target, after = text:match('^<(https?://[^%s<>]+)>()', at)
      if target then return hooks.link(target, html.escape(target)), after end
      after = text:match('^<!%-%-.-%-%->()', at)
      if after then return '', after end
   end,
   ['&'] = function(text, at)
      local name, after = text:match('^&(%a+);()', at)
      if name and html.character(name) then return '&' .. name .. ';', after end
   end,
   h = function(text, at, hooks, _, linked)
      if linked or text:sub(at - 1, at - 1):match '%w' and at > 1 then return nil end
      local target = text:match('^https?://[^%s<>`]+', at)
      if not target then return nil end
      target = target:gsub('[%.,;:%)!%?]+$', '')
      return hooks.link(target, html.escape(target)), at + #target
   end,
}

function render(text, hooks, depth, linked)
   if depth > MAX_DEPTH then return html.escape(text) end
   local nodes, at = {}, 1
   while at <= #text do
      local plain, stop = text:match('^([^\\`!%[<&h%*_]+)()', at)
      if plain then
         nodes[#nodes + 1] = { html = html.escape(plain) }
         at = stop
      elseif text:match('^[%*_]', at) then
         nodes[#nodes + 1], at = run_at(text, at)
      else
         local c = text:sub(at, at)
         local markup, after = special[c](text, at, hooks, depth, linked)
         nodes[#nodes + 1] = { html = markup or html.escape(c) }
         at = markup and after or at + 1
      end
   end
   return emphasize(nodes)
end

--- HTML of a text.
-- @param hooks  what the page makes of its parts: code(text), link(target, markup) and picture(target, label) return HTML
function M.render(text, hooks) return render(text, hooks, 0, false) end

--- HTML of a text in which only backticks mean something: the doc comments of the sources.
function M.comment(text, hooks)
   local out, at = {}, 1
   while at <= #text do
      local plain, stop = text:match('^([^`]+)()', at)
      if plain then out[#out + 1], at = html.escape(plain), stop
      else out[#out + 1], at = special['`'](text, at, hooks) end
   end
   return table.concat(out)
end

return M
