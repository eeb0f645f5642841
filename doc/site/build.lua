-- doc/site/build.lua [-to FOLDER] - writes the pages of doc/ and the reference as HTML that works from the file system.
--
-- ./dev docs runs it. FOLDER is build/site by default. The same sources give the same bytes.
local paths = require 'paths'
local colour = require 'doc.site.colour'
local html = require 'doc.site.html'
local layout = require 'doc.site.layout'
local markdown = require 'doc.site.markdown'
local inline = require 'doc.site.inline'
local names = require 'doc.site.names'
local pages = require 'doc.site.pages'
local search = require 'doc.site.search'
local output = require 'doc.site.output'

local M = {}

--- The version that CMakeLists.txt states.
function M.version()
   local version = pages.read 'CMakeLists.txt':match 'project%(Cresset VERSION ([%d%.]+)'
   return version or error('site: CMakeLists.txt must state a version', 0)
end

local function exists(path)
   local f = io.open(path)
   if f then f:close() end
   return f ~= nil
end

-- ---- what links lead to -----------------------------------------------------------------------------------------

-- The page of a file or a folder of the tree; a text file that is no page becomes one, so that links to it work.
local function page_of(site, path)
   if path == '' then return nil end
   path = path:gsub('/$', '')
   local page = site.by_path[path]
   if page then return page end
   local folder = paths.dirp(path)
   if not folder and not exists(path) then return nil end
   page = { path = path, address = 'source/' .. path .. '.html', title = path, short = path, source = true, folder = folder }
   site.by_path[path] = page
   site.pages[#site.pages + 1] = page
   return page
end

local function link_target(site, page, target)
   if target:match '^%a+:' then return target, true end
   local path, anchor = target:match '^([^#]*)(.*)$'
   if path == '' then return anchor end
   local resolved = pages.resolve(page.path, path)
   local other = resolved and page_of(site, resolved)
   if not other then error(('site: %s leads to %s, which does not exist'):format(page.path, target), 0) end
   return layout.relative(page.address, other.address) .. anchor, false, other
end

-- Width and height of a PNG file, so that pages keep their places while pictures load.
local function png_size(text)
   if text:sub(1, 8) ~= '\137PNG\r\n\26\n' or #text < 24 then return '' end
   local function number(at)
      local a, b, c, d = text:byte(at, at + 3)
      return ((a * 256 + b) * 256 + c) * 256 + d
   end
   return (' width="%d" height="%d"'):format(number(17), number(21))
end

-- 'torch.save(file, x)' and 'nn.Linear' lead to the reference, 'doc/feed.md' to the page.
local function target_of_code(site, page, text)
   local name = text:match '^([%w_]+[%.:][%w_%.:]*[%w_])%f[%(%z]' or text
   if site.urls[name] then return page.url_of(name) end
   local other = text:match '^[%w_%-/]+%.md$' and site.by_path[text]
   return other and layout.relative(page.address, other.address)
end

-- ---- hooks: what a page makes of the parts of its Markdown ------------------------------------------------------

local function without_links(markup) return (markup:gsub('</?a[^>]*>', '')) end

local function add_hooks(site, page)
   local slug, hooks = html.slugs(), {}
   page.toc, page.hooks = {}, hooks
   page.relative = function(address) return layout.relative(page.address, address) end
   page.url_of = function(name)
      local url = site.urls[name]
      return url and html.escape(page.relative(url))
   end
   function hooks.code(text)
      local code = '<code>' .. html.escape(text) .. '</code>'
      local target = target_of_code(site, page, text)
      return target and ('<a class="name" href="%s">%s</a>'):format(target, code) or code
   end
   function hooks.link(target, markup)
      local address, outside, other = link_target(site, page, target)
      local text = without_links(markup)
      local is_file_name = text:match '^[%w_%./%-]+%.md$' ~= nil
      if is_file_name and other and other.blocks then text = html.escape(other.short) end
      return ('<a%s href="%s">%s</a>'):format(outside and ' class="outside" rel="noopener"' or '', html.escape(address), text)
   end
   function hooks.picture(target, label)
      local path = pages.resolve(page.path, target)
      local bytes = pages.read(path)
      local address = 'pictures/' .. path:match '[^/]+$'
      site.files[address] = bytes
      return ('<img src="%s" alt="%s"%s loading="lazy">'):format(page.relative(address), html.escape(label), png_size(bytes))
   end
   function hooks.heading(level, markup)
      if level == 1 and not page.has_title then
         page.has_title = true
         return '<h1>' .. markup .. '</h1>'
      end
      level = math.max(level, 2)
      local text = html.text_of(markup)
      local id = slug(text)
      table.insert(page.toc, { level = level, id = id, text = text })
      return ('<h%d id="%s">%s<a class="anchor" href="#%s" aria-label="Link to this section">#</a></h%d>')
         :format(level, id, markup, id, level)
   end
   function hooks.block(text, language)
      local kind = language and language:match '^%S+' or not language and colour.guess(text) or nil
      return ('<pre class="code" tabindex="0"><code>%s</code></pre>'):format(colour.html(text, kind, page.url_of))
   end
   page.plain = { code = function(text) return '<code>' .. html.escape(text) .. '</code>' end }
end

-- ---- pages that no file holds -----------------------------------------------------------------------------------

local LANGUAGES = { lua = 'lua', c = 'c', h = 'c', cc = 'c', cu = 'c', cuh = 'c', sh = 'shell', cmake = 'shell' }

local function source_html(site, page)
   local out = { '<h1><code>' .. html.escape(page.path) .. '</code></h1>' }
   if page.folder then
      local list = {}
      for name in paths.files(page.path) do
         if not name:match '^%.' then list[#list + 1] = name end
      end
      table.sort(list)
      out[#out + 1] = '<ul>'
      for _, name in ipairs(list) do
         local other = site.by_path[page.path .. '/' .. name]
         out[#out + 1] = other and ('<li><a href="%s">%s</a></li>'):format(page.relative(other.address), html.escape(other.title))
            or '<li><code>' .. html.escape(name) .. '</code></li>'
      end
      out[#out + 1] = '</ul>'
   else
      local code = colour.html(pages.read(page.path), LANGUAGES[page.path:match '%.(%w+)$' or ''], page.url_of)
      out[#out + 1] = '<pre class="code" tabindex="0"><code>' .. code .. '</code></pre>'
   end
   return table.concat(out, '\n') .. '\n'
end

-- The first page: the first paragraph of README.md and its first lines to type, and what each theme has.
local function index_html(site, page)
   local out = { '<h1>Cresset</h1>' }
   local lead, code
   for _, block in ipairs(site.by_path['README.md'].blocks) do
      if block.kind == 'paragraph' and not lead then lead = table.concat(block, '\n') end
      if block.kind == 'code' and not code then code = table.concat(block.lines, '\n') end
   end
   page.path = 'README.md'
   out[#out + 1] = '<p class="lead">' .. inline.render(lead, page.hooks) .. '</p>'
   out[#out + 1] = page.hooks.block(code, 'shell')
   out[#out + 1] = '<div class="cards">'
   for _, theme in ipairs(site.themes) do
      out[#out + 1] = ('<section><h2 id="%s">%s</h2><ul>'):format(theme.name, theme.title)
      for _, other in ipairs(theme.pages) do
         if not other.parent and other ~= page then
            local summary = other.summary and ('<span>%s</span>'):format(inline.render(other.summary, page.hooks)) or ''
            local address, short = page.relative(other.address), html.escape(other.short)
            out[#out + 1] = ('<li><a href="%s">%s</a>%s</li>'):format(address, short, summary)
         end
      end
      out[#out + 1] = '</ul></section>'
   end
   out[#out + 1] = '</div>'
   return table.concat(out, '\n') .. '\n'
end

-- ---- the site ---------------------------------------------------------------------------------------------------

local function themes_of(list)
   local themes = {}
   for i, theme in ipairs(pages.themes) do
      themes[i] = { name = theme.name, title = theme.title, pages = {} }
      for _, page in ipairs(list) do
         if page.theme == theme.name then table.insert(themes[i].pages, page) end
      end
   end
   return themes
end

local function link_neighbours(themes)
   local last
   for _, theme in ipairs(themes) do
      for _, page in ipairs(theme.pages) do
         page.previous = last
         if last then last.next = page end
         last = page
      end
   end
end

-- All pages with their places: those written by hand, the reference, the first page and the one of all names.
local function plan()
   local site = { pages = pages.all(), by_path = {}, files = {} }
   for _, page in ipairs(site.pages) do site.by_path[page.path] = page end
   local generated, also
   generated, site.urls, also = names.plan()
   for _, page in ipairs(generated) do
      if page.parent then
         page.parent.children = page.parent.children or {}
         table.insert(page.parent.children, page)
      else site.by_path['doc/reference/' .. page.section.name .. '.md'] = page end
      site.pages[#site.pages + 1] = page
   end
   site.letters = { address = 'reference/names.html', theme = 'reference', title = 'All names', short = 'All names, A to Z',
      wide = true }
   site.pages[#site.pages + 1] = site.letters
   site.also = also
   site.themes = themes_of(site.pages)
   link_neighbours(site.themes)
   return site
end

local function path_for_links(page) return page.path or page.section and 'doc/reference/' .. page.section.name .. '.md' end

-- The list grows while it is read: links add pages of sources.
local function render_pages(site)
   local i = 1
   while site.pages[i] do
      local page = site.pages[i]
      page.path = path_for_links(page)
      add_hooks(site, page)
      if page.source then page.html, page.wide = source_html(site, page), true
      elseif page == site.letters then page.html = names.letters(page, site.urls)
      elseif page.section then page.html = names.html(page, site.also)
      else page.html = markdown.html(page.blocks, page.hooks) end
      i = i + 1
   end
end

-- Rows of the search for names: those with a text, in alphabetical order.
local function rows_of_names(site)
   local text, rows = {}, {}
   for _, page in ipairs(site.pages) do
      for _, entry in ipairs(page.topic and page.topic.entries or {}) do text[entry.key] = html.text_of(names.sentence(entry)) end
   end
   for key, url in pairs(site.urls) do rows[#rows + 1] = { key, url, text[key] or '' } end
   table.sort(rows, function(a, b) return a[1] < b[1] end)
   return rows
end

local function written_by_hand(site)
   local list = {}
   for _, page in ipairs(site.pages) do if page.blocks and page.theme then list[#list + 1] = page end end
   return list
end

--- All files of the site: a table from address to bytes, and the plan with its pages.
-- @param say  function(text), which reports progress (optional)
function M.files(say)
   say = say or function() end
   local site = plan()
   say(('%d pages by hand, %d of the reference'):format(#written_by_hand(site), #site.pages - #written_by_hand(site)))
   render_pages(site)
   local index = { address = 'index.html', title = 'Cresset', short = 'Cresset' }
   add_hooks(site, index)
   index.html = index_html(site, index)
   index.toc, index.wide = {}, true
   site.pages[#site.pages + 1] = index
   local version = M.version()
   for _, page in ipairs(site.pages) do site.files[page.address] = layout.page(page, site.themes, version) end
   local rows = rows_of_names(site)
   say(('the search finds %d names'):format(#rows))
   site.files['search.js'] = search.script(rows, written_by_hand(site))
   for _, name in ipairs { 'style.css', 'site.js' } do site.files[name] = pages.read('doc/site/' .. name) end
   return site.files, site
end

local function options(given)
   local to, i = 'build/site', 1
   while given[i] do
      if given[i] ~= '-to' then error(("site: there is no option '%s', only -to FOLDER"):format(given[i]), 0) end
      to = given[i + 1]
      if not to or to == '' then error('site: -to must have a folder behind it, got nothing', 0) end
      i = i + 2
   end
   return to
end

--- Builds the site: what the command line does.
-- @param given  its arguments
function M.main(given)
   local to = options(given)
   local function say(text) io.write('site: ', text, '\n') end
   output.check(to)
   local files = M.files(say)
   local count, bytes = output.write(to, files)
   say(('%d files of %.1f MB in %s; open %s/index.html'):format(count, bytes / 1e6, to, to))
end

if rawget(_G, 'arg') and (arg[0] or ''):match 'doc/site/build%.lua$' then
   local ok, why = pcall(M.main, arg)
   if not ok then
      io.stderr:write(tostring(why), '\n')
      os.exit(1)
   end
end

return M
