-- doc/site/layout.lua - what surrounds the text of a page: head, bar, navigation, table of contents, neighbours.
local html = require 'doc.site.html'

local M = {}

-- A flame; a data address, since pages make no request outside of the site.
local ICON = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Cpath '
   .. 'fill=%22%23c2571a%22 d=%22M16 2c2 6 8 8 8 16a8 8 0 0 1-16 0c0-4 2-6 4-9 0 3 1 4 2 5 2-3 3-7 2-12z%22/%3E%3C/svg%3E'
local FLAME = '<svg aria-hidden="true" viewBox="0 0 32 32" width="20" height="20"><path d="M16 2c2 6 8 8 8 16a8 8 0 0 1-16 0'
   .. 'c0-4 2-6 4-9 0 3 1 4 2 5 2-3 3-7 2-12z"/></svg>'

-- Sets the chosen colours before the first picture is drawn.
local EARLY = "document.documentElement.className='js';try{var t=localStorage.getItem('theme');"
   .. "if(t)document.documentElement.setAttribute('data-theme',t)}catch(e){}"

--- The address `to` as a link on the page `from`.
function M.relative(from, to)
   local root = ('../'):rep(select(2, from:gsub('/', '')))
   local folder = from:match '^(.*/)'
   if folder and to:sub(1, #folder) == folder then return to:sub(#folder + 1) end
   return root .. to
end

local function top(page, root, version)
   return ([[
<a class="skip" href="#siteText">Skip to the text</a>
<header class="top">
<button type="button" class="menu" aria-expanded="false" aria-controls="siteNav">Menu</button>
<a class="brand" href="%sindex.html">%s<span>Cresset</span></a>
<div class="search" role="search">
<input id="siteSearch" type="search" placeholder="Search names and guides" autocomplete="off" spellcheck="false"
 role="combobox" aria-label="Search names and guides" aria-expanded="false" aria-controls="siteResults" aria-autocomplete="list">
<kbd aria-hidden="true">/</kbd>
<div id="siteResults" role="listbox" aria-label="Results" hidden></div>
</div>
<button type="button" class="theme" aria-label="Colours: as the system">Auto</button>
<a class="version" href="%s" title="Changes">%s</a>
</header>]]):format(root, FLAME, M.relative(page.address, 'changelog.html'), html.escape(version))
end

local function item(out, page, other, extra)
   local here = other == page and ' aria-current="page"' or ''
   local address = M.relative(page.address, other.address)
   out[#out + 1] = ('<li><a href="%s"%s>%s</a>%s</li>'):format(address, here, html.escape(other.short), extra or '')
end

-- The pages below a section are shown where the reader is in that section.
local function below(page, section)
   if #(section.children or {}) == 0 or not (page == section or page.parent == section) then return '' end
   local out = { '<ul>' }
   for _, other in ipairs(section.children) do item(out, page, other) end
   out[#out + 1] = '</ul>'
   return table.concat(out)
end

local function navigation(page, themes)
   local out = { '<nav id="siteNav" aria-label="Pages">' }
   for _, theme in ipairs(themes) do
      out[#out + 1] = '<h2>' .. theme.title .. '</h2><ul>'
      for _, other in ipairs(theme.pages) do
         if not other.parent then item(out, page, other, below(page, other)) end
      end
      out[#out + 1] = '</ul>'
   end
   out[#out + 1] = '</nav>'
   return table.concat(out, '\n')
end

local function contents(page)
   if #page.toc < 2 then return '<aside class="toc"></aside>' end
   local out = { '<aside class="toc" aria-label="On this page"><h2>On this page</h2><ul>' }
   for _, row in ipairs(page.toc) do
      if row.level <= 3 then
         local id, text = html.escape(row.id), html.escape(row.text)
         out[#out + 1] = ('<li class="l%d"><a href="#%s">%s</a></li>'):format(row.level, id, text)
      end
   end
   out[#out + 1] = '</ul></aside>'
   return table.concat(out, '\n')
end

local function neighbours(page)
   local out = { '<nav class="neighbours" aria-label="Neighbouring pages">' }
   for _, way in ipairs { { 'previous', 'prev', 'Previous' }, { 'next', 'next', 'Next' } } do
      local other = page[way[1]]
      if other then
         out[#out + 1] = ('<a class="%s" rel="%s" href="%s"><span>%s</span>%s</a>'):format(way[1], way[2],
            M.relative(page.address, other.address), way[3], html.escape(other.short))
      end
   end
   out[#out + 1] = '</nav>'
   return table.concat(out, '\n')
end

--- A whole page.
-- @param page     { address, title, html, toc, previous, next, wide }
-- @param themes   a list of { title, pages } of the navigation
-- @param version  for the corner
function M.page(page, themes, version)
   local root = M.relative(page.address, '')
   local title = page.address == 'index.html' and 'Cresset' or page.title .. ' - Cresset'
   return table.concat({
      '<!doctype html>', '<html lang="en">', '<head>', '<meta charset="utf-8">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<title>' .. html.escape(title) .. '</title>',
      '<link rel="icon" href="' .. ICON .. '">',
      '<link rel="stylesheet" href="' .. root .. 'style.css">',
      '<script>' .. EARLY .. '</script>',
      '<script src="' .. root .. 'site.js" defer></script>',
      '</head>', ('<body data-root="%s"%s>'):format(root, page.wide and ' class="wide"' or ''),
      top(page, root, version),
      '<div class="frame">', navigation(page, themes),
      '<main id="siteText" tabindex="-1">', '<article>', page.html .. '</article>', neighbours(page), '</main>',
      contents(page), '</div>', '</body>', '</html>', '',
   }, '\n')
end

return M
