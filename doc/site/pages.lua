-- doc/site/pages.lua - which files of the tree are pages of the site, their themes, order and titles.
--
-- doc/README.md is the table of contents: it leads to every page, and its links give the order, the short titles and what follows
-- a link is the page's summary. A page without a link follows at the end of its theme.
local paths = require 'paths'
local markdown = require 'doc.site.markdown'

local M = {}

--- The themes of the navigation, in their order.
M.themes = {
   { name = 'start', title = 'Start' }, { name = 'guides', title = 'Guides' }, { name = 'reference', title = 'Reference' },
   { name = 'internals', title = 'Internals' }, { name = 'contributing', title = 'Contributing' },
}

-- The theme of a page: that of the longest beginning of its path. Other pages of doc/ are guides.
local THEMES = {
   ['README.md'] = 'start', ['doc/examples.md'] = 'start', ['doc/migration.md'] = 'start', ['doc/editors.md'] = 'start',
   ['CHANGELOG.md'] = 'start', ['SECURITY.md'] = 'guides', ['CONTRIBUTING.md'] = 'contributing',
   ['doc/'] = 'guides', ['doc/internals/'] = 'internals', ['doc/design.md'] = 'internals', ['doc/architecture.md'] = 'internals',
   ['doc/add/'] = 'contributing', ['doc/add-an-op.md'] = 'contributing', ['doc/style.md'] = 'contributing',
   ['doc/glossary.md'] = 'contributing', ['doc/testing.md'] = 'contributing', ['doc/coverage.md'] = 'contributing',
   ['doc/bench.md'] = 'contributing',
}

-- Pages outside of doc/, which doc/README.md need not name: place in the order, short title.
local OTHERS = {
   ['README.md'] = { -1, 'First steps' }, ['CHANGELOG.md'] = { 900, 'Changes' }, ['SECURITY.md'] = { 901, 'Security' },
   ['CONTRIBUTING.md'] = { -1, 'How to contribute' },
}

local function theme_of(path)
   local best
   for start in pairs(THEMES) do
      if path:sub(1, #start) == start and (not best or #start > #best) then best = start end
   end
   return best and THEMES[best]
end

--- The whole text of a file; an error where it cannot be read.
function M.read(path)
   local f, why = io.open(path, 'rb')
   if not f then error('site: cannot read ' .. why, 0) end
   local text = f:read '*a'
   f:close()
   if not text then error('site: cannot read ' .. path, 0) end
   return text
end

--- The path that a link names, seen from a file: 'doc/add/module.md' and '../feed.md' give 'doc/feed.md'. nil above the tree.
function M.resolve(from, target)
   local parts = {}
   for part in (from:match '^(.*/)' or ''):gmatch '[^/]+' do parts[#parts + 1] = part end
   for part in target:gmatch '[^/]+' do
      if part == '..' then
         if #parts == 0 then return nil end
         parts[#parts] = nil
      elseif part ~= '.' then parts[#parts + 1] = part end
   end
   return table.concat(parts, '/')
end

-- Folders in the table of contents have their order from it: path -> { place, title, summary }.
local function contents()
   local rows, place = {}, 0
   for line in M.read 'doc/README.md':gmatch '[^\n]+' do
      for title, target, after in line:gmatch '%[([^%]]+)%]%(([^)#]+)[^)]*%)([^%[]*)' do
         place = place + 1
         local path = M.resolve('doc/README.md', target)
         local summary = path and line:match '^%- ' and after:match '^: (.-),?%s*$'
         if path and not rows[path] then rows[path] = { place, title, summary } end
      end
   end
   return rows
end

local function list(folder)
   local names = {}
   for name in paths.files(folder) do
      if name:match '%.md$' then names[#names + 1] = folder == '.' and name or folder .. '/' .. name end
   end
   table.sort(names)
   return names
end

--- The address of a page of the tree: doc/add/module.md is add/module.html.
function M.address(path)
   local short = path:gsub('^doc/', ''):gsub('%.md$', '')
   if path == 'README.md' then short = 'first-steps'
   elseif path == 'doc/README.md' then short = 'contents' end
   return short:lower() .. '.html'
end

--- The text of the first heading.
function M.title_of(blocks)
   for _, block in ipairs(blocks) do if block.kind == 'heading' then return (block.text:gsub('`', '')) end end
end

local function new_page(path, theme, row)
   local blocks = markdown.blocks(M.read(path))
   local title = M.title_of(blocks) or path
   -- 'a module' continues 'Adding an op' before it, and is no title.
   local short = row and not row[2]:match '^an? ' and row[2]:gsub('^%l', string.upper)
   return { path = path, address = M.address(path), theme = theme, title = title, short = short or title, blocks = blocks,
      summary = row and row[3], place = row and row[1] or 500 }
end

--- The pages that are written by hand, in the order of the navigation; the generated ones of doc/reference are not among them.
-- @return a list of { path, address, theme, title, short, summary, blocks }; `theme` is nil for pages that only links lead to
function M.all()
   local rows, all = contents(), {}
   for path, row in pairs(OTHERS) do rows[path] = row end
   for _, folder in ipairs { '.', 'doc', 'doc/add', 'doc/internals', 'bench/results' } do
      for _, path in ipairs(list(folder)) do
         all[#all + 1] = new_page(path, path ~= 'doc/README.md' and theme_of(path) or nil, rows[path])
      end
   end
   local numbers = {}
   for i, theme in ipairs(M.themes) do numbers[theme.name] = i end
   table.sort(all, function(a, b)
      local x, y = numbers[a.theme] or 9, numbers[b.theme] or 9
      if x ~= y then return x < y end
      if a.place ~= b.place then return a.place < b.place end
      return a.path < b.path
   end)
   return all
end

return M
