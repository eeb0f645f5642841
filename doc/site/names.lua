-- doc/site/names.lua - the pages of the reference: by topic, from doc.reference, and by letter.
local class = require 'torch.class'
local doc = require 'torch.doc'
local html = require 'doc.site.html'
local inline = require 'doc.site.inline'
local reference = require 'doc.reference'

local M = {}

--- Short titles of sections, for the navigation.
local SHORT = {
   torch = 'torch', tensor = 'Tensors, storages', classes = 'Classes of torch', files = 'Files', nn = 'Modules of nn',
   criterions = 'Criterions of nn', optim = 'Optimizers', packages = 'Packages', cutorch = 'cutorch, cunn',
}

-- The lines of an entry's text, without a first line that the next one repeats, and without an empty last one.
local function lines_of(entry)
   local lines = {}
   for i, line in ipairs(entry.text) do
      local again = i == 1 and entry.text[2] and entry.text[2]:lower():sub(1, #line - 1) == line:lower():sub(1, -2)
      if not again and (line ~= '' or i < #entry.text) then lines[#lines + 1] = line end
   end
   return lines
end

--- The first sentence of an entry's text.
function M.sentence(entry)
   local text = table.concat(lines_of(entry), ' '):gsub('%s+', ' ')
   local first = text:match '^(.-[%.:;]) %u' or text:match '^(.-%.)$' or text
   first = first:gsub('[:;]$', '')
   if #first > 160 then first = first:sub(1, 157):gsub('[%w\128-\255]*$', '') .. '...' end
   return first
end

-- ---- where each name is -----------------------------------------------------------------------------------------

-- The name under which an ancestor documents a method that a class defines anew.
local function ancestor(key, urls)
   local owner, method = key:match '^(.*):([%w_]+)$'
   local mt = owner and class.find(owner)
   while mt do
      local name = class.name(mt)
      local other = name and name .. ':' .. method
      if other and other ~= key and urls[other] then return other end
      mt = getmetatable(mt)
   end
end

-- A section's pages: one for each topic, or one where it has one topic only.
local function pages_of(section)
   local base = 'reference/' .. section.name
   local top = { address = base .. '.html', theme = 'reference', title = section.title, short = SHORT[section.name],
      section = section }
   if #section.topics == 1 then
      top.topic = section.topics[1]
      return { top }
   end
   local slug, list = html.slugs(), { top }
   for _, topic in ipairs(section.topics) do
      local title = section.name == 'packages' and topic.heading or topic.title
      list[#list + 1] = { address = ('%s-%s.html'):format(base, slug(title):gsub('%-+', '-')), theme = 'reference', title = title,
         short = title, topic = topic, section = section, parent = top }
   end
   return list
end

--- The pages, without their HTML, and the address of every public name.
-- @return a list of { address, theme, title, short, parent, section, topic }; a table from name to address with anchor;
--  a table from the name of a class to the methods that it has from others
function M.plan()
   local pages, urls, also = {}, {}, {}
   for _, section in ipairs(reference.sections()) do
      local count = 0
      for _, topic in ipairs(section.topics) do count = count + #topic.entries end
      for i, page in ipairs(pages_of(section)) do
         if i == 1 then page.summary = ('%d names'):format(count) end
         pages[#pages + 1] = page
         for _, entry in ipairs(page.topic and page.topic.entries or {}) do urls[entry.key] = page.address .. '#' .. entry.key end
      end
   end
   for _, key in ipairs(doc.names()) do
      local owner = not urls[key] and key:match '^(.*):[%w_]+$'
      if owner and urls[owner] and not urls[owner .. ':'] then
         also[owner] = also[owner] or {}
         table.insert(also[owner], key)
      end
   end
   for owner, keys in pairs(also) do
      for i, key in ipairs(keys) do keys[i] = { key = key, from = ancestor(key, urls) } end
      local address = urls[owner]:match '^[^#]*'
      for _, item in ipairs(keys) do urls[item.key] = address .. '#' .. item.key end
   end
   return pages, urls, also
end

-- ---- one entry --------------------------------------------------------------------------------------------------

local ALL = 'Byte Char Short Int Long Half BFloat16 Float Double'
local GROUPS = { [ALL] = 'all', ['Half BFloat16 Float Double'] = 'floats', ['Byte Char Short Int Long'] = 'whole numbers' }

local function link(key, page) return ('<a href="%s"><code>%s</code></a>'):format(page.url_of(key), html.escape(key)) end

-- The paragraphs of a text: empty lines divide them.
local function paragraphs(out, lines, hooks)
   local own = {}
   local function close()
      if #own > 0 then out[#out + 1] = '<p>' .. inline.comment(table.concat(own, '\n'), hooks) .. '</p>' end
      own = {}
   end
   for _, line in ipairs(lines) do
      if line:match '^%s*$' then close() else own[#own + 1] = line end
   end
   close()
end

local function arguments(out, entry, hooks)
   if #entry.params + #entry.returns == 0 then return end
   out[#out + 1] = '<dl>'
   for _, p in ipairs(entry.params) do
      out[#out + 1] = ('<dt><code>%s</code></dt><dd>%s</dd>'):format(html.escape(p.name), inline.comment(p.text, hooks))
   end
   for _, r in ipairs(entry.returns) do
      out[#out + 1] = ('<dt>returns</dt><dd>%s</dd>'):format(inline.comment(r.text, hooks))
   end
   out[#out + 1] = '</dl>'
end

local function facts(out, entry, page)
   local list = {}
   if entry.op then
      if entry.defaults ~= '' then list[#list + 1] = 'Defaults: <code>' .. html.escape(entry.defaults) .. '</code>' end
      list[#list + 1] = 'Types: ' .. (GROUPS[entry.types] or html.escape(entry.types))
      if entry.gradients ~= '' then list[#list + 1] = 'Gradients: <code>' .. html.escape(entry.gradients) .. '</code>' end
   end
   local mt = class.find(entry.key)
   local parent = mt and getmetatable(mt)
   local name = type(parent) == 'table' and class.name(parent)
   if name and page.url_of(name) then list[#list + 1] = 'Inherits from ' .. link(name, page) end
   if #list > 0 then out[#out + 1] = '<p class="facts">' .. table.concat(list, ' <span class="dot">·</span> ') .. '</p>' end
end

local function examples(out, entry, hooks)
   if #entry.examples == 0 then return end
   local lines = {}
   for i, e in ipairs(entry.examples) do lines[i] = ('%s   --> %s'):format(e.code, e.result) end
   out[#out + 1] = hooks.block(table.concat(lines, '\n'), 'lua')
end

-- The methods that a class has from others: each has an anchor here, and leads to the text.
local function inherited(out, list, page)
   if not list then return end
   local parts = {}
   for i, item in ipairs(list) do
      local url = item.from and page.url_of(item.from) or '#' .. item.key
      local method = item.key:match '[%w_]+$'
      parts[i] = ('<a id="%s" href="%s"><code>%s</code></a>'):format(html.escape(item.key), html.escape(url), method)
   end
   out[#out + 1] = '<p class="also"><span>Documented in its parent:</span> ' .. table.concat(parts, ' ') .. '</p>'
end

local function entry_html(out, entry, level, page, also)
   local key, hooks = html.escape(entry.key), page.hooks
   out[#out + 1] = '<section class="entry">'
   out[#out + 1] = ('<h%d id="%s">%s<a class="anchor" href="#%s" aria-label="Link to %s">#</a></h%d>')
      :format(level, key, key, key, key, level)
   out[#out + 1] = '<pre class="usage"><code>' .. html.escape(table.concat(entry.usage, '\n')) .. '</code></pre>'
   paragraphs(out, lines_of(entry), hooks)
   arguments(out, entry, hooks)
   facts(out, entry, page)
   examples(out, entry, hooks)
   inherited(out, also[entry.key], page)
   out[#out + 1] = '</section>'
   table.insert(page.toc, { level = level, id = entry.key, text = level == 3 and entry.key:match ':.*' or entry.key })
end

-- ---- pages ------------------------------------------------------------------------------------------------------

local function topic_html(out, page, also)
   local seen = {}
   for _, entry in ipairs(page.topic.entries) do
      local owner = entry.key:match '^(.*):'
      entry_html(out, entry, owner and seen[owner] and 3 or 2, page, also)
      seen[entry.key] = true
   end
end

local function topics_html(out, page)
   for _, other in ipairs(page.children) do
      local slug = html.slug(other.title)
      local address = page.relative(other.address)
      out[#out + 1] = ('<h2 id="%s"><a href="%s">%s</a></h2>'):format(slug, address, html.escape(other.title))
      table.insert(page.toc, { level = 2, id = slug, text = other.title })
      out[#out + 1] = '<ul class="names">'
      for _, entry in ipairs(other.topic.entries) do
         if not entry.key:find ':' or entry.key:find '^Tensor:' or entry.key:find '^Storage:' then
            local sentence = inline.comment(M.sentence(entry), page.plain)
            out[#out + 1] = ('<li>%s <span>%s</span></li>'):format(link(entry.key, page), sentence)
         end
      end
      out[#out + 1] = '</ul>'
   end
end

--- The HTML of a page of the reference.
-- @param page  one of plan(), with hooks, plain (hooks without links), url_of(name), relative(address), children and an empty toc
-- @param also  of plan()
function M.html(page, also)
   local out = { '<h1>' .. html.escape(page.title) .. '</h1>' }
   if page.topic == nil or page.parent == nil then
      local markup = inline.render(page.section.intro, page.hooks)
      out[#out + 1] = '<p class="lead">' .. markup .. '</p>'
   end
   if page.topic then topic_html(out, page, also) else topics_html(out, page) end
   return table.concat(out, '\n') .. '\n'
end

local MANY = 4                              -- a word with so many owners is written once, with its owners behind it

local function word_html(out, page, word, keys)
   if #keys < MANY then
      for _, key in ipairs(keys) do
         local before, last = key:match '^(.-)([%w_]+)$'
         out[#out + 1] = ('<li><a href="%s"><span>%s</span>%s</a></li>'):format(page.url_of(key), html.escape(before), last)
      end
      return
   end
   local parts = {}
   for i, key in ipairs(keys) do
      local before = key:match '^(.-)[%.:]?[%w_]+$'
      parts[i] = ('<a href="%s"><span>%s</span></a>'):format(page.url_of(key), html.escape(before))
   end
   out[#out + 1] = ('<li class="many">%s: %s</li>'):format(word, table.concat(parts, ', '))
end

-- letter -> { word -> its names }, the letters and the words in order.
local function by_letter(urls)
   local letters, names = { order = {} }, {}
   for key in pairs(urls) do names[#names + 1] = key end
   table.sort(names, function(a, b)
      local x, y = a:match '[%w_]+$', b:match '[%w_]+$'
      if x:lower() ~= y:lower() then return x:lower() < y:lower() end
      if x ~= y then return x < y end
      return a < b
   end)
   for _, key in ipairs(names) do
      local word = key:match '[%w_]+$'
      local letter = word:sub(1, 1):upper()
      if not letters[letter] then
         letters[letter] = { order = {} }
         table.insert(letters.order, letter)
      end
      local words = letters[letter]
      if not words[word] then
         words[word] = {}
         table.insert(words.order, word)
      end
      table.insert(words[word], key)
   end
   return letters
end

--- The page of all names by letter: that of what follows the last '.' or ':'.
function M.letters(page, urls)
   local letters = by_letter(urls)
   local out = { '<h1>All names</h1>',
      '<p class="lead">Every function, class and method, by the letter that its last word begins with.</p>',
      '<nav class="letters" aria-label="Letters">' }
   for _, letter in ipairs(letters.order) do out[#out + 1] = ('<a href="#letter-%s">%s</a>'):format(letter:lower(), letter) end
   out[#out + 1] = '</nav>'
   for _, letter in ipairs(letters.order) do
      out[#out + 1] = ('<h2 id="letter-%s">%s</h2>\n<ul class="columns-of-names">'):format(letter:lower(), letter)
      for _, word in ipairs(letters[letter].order) do word_html(out, page, word, letters[letter][word]) end
      out[#out + 1] = '</ul>'
   end
   return table.concat(out, '\n') .. '\n'
end

return M
