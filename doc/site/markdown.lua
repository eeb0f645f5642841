-- doc/site/markdown.lua - Markdown to HTML, as far as the pages of this tree use it: headings, paragraphs, lists, tables, code
-- between ``` and indented code, rules, quotes and comments; doc.site.inline does what is inside a line.
local inline = require 'doc.site.inline'

local M = {}

local MAX_DEPTH = 16                        -- of lists and quotes in each other

local function indent_of(line) return #line:match '^ *' end

-- The mark of a list item: its width with the blanks behind it, the number of an ordered one, and the text.
local function item_of(line)
   local blanks, mark, gap, text = line:match '^( ? ? ?)([%-%*%+])( +)(%S.*)$'
   if mark then return #blanks + 1 + #gap, nil, text end
   blanks, mark, gap, text = line:match '^( ? ? ?)(%d+)[%.%)]( +)(%S.*)$'
   if mark then return #blanks + #mark + 1 + #gap, tonumber(mark), text end
end

local function fence_of(line)
   local blanks, fence, info = line:match '^( ? ? ?)(```+)%s*([^`]*)$'
   return fence, info and info:match '^(.-)%s*$', blanks and #blanks
end

local function is_rule(line) return line:match '^ ? ? ?%-%-%-+%s*$' ~= nil or line:match '^ ? ? ?%*%*%*+%s*$' ~= nil end

-- The cells of a row: '|' inside code or behind '\' divides nothing.
local function cells_of(line)
   local text, cells, cell, code = line:match '^%s*|?(.-)|?%s*$', {}, {}, false
   local at = 1
   while at <= #text do
      local c = text:sub(at, at)
      if c == '\\' and text:sub(at + 1, at + 1) == '|' then
         cell[#cell + 1], at = '|', at + 1
      elseif c == '|' and not code then
         cells[#cells + 1], cell = table.concat(cell), {}
      else
         if c == '`' then code = not code end
         cell[#cell + 1] = c
      end
      at = at + 1
   end
   cells[#cells + 1] = table.concat(cell)
   for i, text_of in ipairs(cells) do cells[i] = text_of:match '^%s*(.-)%s*$' end
   return cells
end

-- The alignments of the row below a table's head, or nil.
local function alignments_of(line)
   if not line or not line:find '|' or not line:match '^[%s|:%-]+$' or not line:find '%-' then return nil end
   local list = cells_of(line)
   for i, cell in ipairs(list) do
      if not cell:match '^:?%-+:?$' then return nil end
      list[i] = cell:match '^:.*:$' and 'center' or cell:match ':$' and 'right' or false
   end
   return list
end

-- ---- blocks -----------------------------------------------------------------------------------------------------

local parse

-- Each reader gets the lines and the number of the first one, and returns a block and the number of the line behind it.
local function read_fence(lines, i)
   local fence, info, blanks = fence_of(lines[i])
   local block = { kind = 'code', language = info, lines = {} }
   i = i + 1
   while lines[i] and not lines[i]:match('^ *' .. fence .. '`*%s*$') do
      block.lines[#block.lines + 1] = lines[i]:gsub('^' .. (' ?'):rep(blanks), '')
      i = i + 1
   end
   return block, i + 1
end

local function read_indented(lines, i)
   local block = { kind = 'code', language = nil, lines = {} }
   while lines[i] and (indent_of(lines[i]) >= 4 or lines[i] == '') do
      block.lines[#block.lines + 1] = lines[i]:sub(5)
      i = i + 1
   end
   while block.lines[#block.lines] == '' do table.remove(block.lines) end
   return block, i
end

local function read_table(lines, i)
   local block = { kind = 'table', head = cells_of(lines[i]), align = alignments_of(lines[i + 1]), rows = {} }
   i = i + 2
   while lines[i] and lines[i]:find('|', 1, true) do
      block.rows[#block.rows + 1] = cells_of(lines[i])
      i = i + 1
   end
   return block, i
end

-- Does this line begin a block that ends a paragraph above it?
local function interrupts(lines, i)
   local line = lines[i]
   local _, number, text = item_of(line)
   return line == '' or line:match '^#+ ' or fence_of(line) or is_rule(line) or line:match '^ ? ? ?>' or line:match '^<!%-%-'
      or text and (number == nil or number == 1) or line:find('|', 1, true) and alignments_of(lines[i + 1])
end

local function read_paragraph(lines, i)
   local block = { kind = 'paragraph' }
   repeat
      block[#block + 1] = lines[i]:match '^%s*(.-)%s*$'
      i = i + 1
   until not lines[i] or interrupts(lines, i)
   return block, i
end

-- Items are read as long as their marks are of one kind. A line that is indented as far as the item's text belongs to it, and so
-- does one that continues its last paragraph.
local function read_list(lines, i, depth)
   local _, first = item_of(lines[i])
   local block = { kind = 'list', ordered = first ~= nil, first = first, loose = false, items = {} }
   while lines[i] do
      local width, number, text = item_of(lines[i])
      if not width or (number ~= nil) ~= block.ordered or is_rule(lines[i]) then break end
      local own = { text }
      i = i + 1
      while lines[i] do
         local line, last = lines[i], own[#own]
         if line == '' then
            if not (lines[i + 1] and lines[i + 1] ~= '' and indent_of(lines[i + 1]) >= width) then break end
            own[#own + 1], block.loose = '', true
         elseif indent_of(line) >= width then own[#own + 1] = line:sub(width + 1)
         elseif last ~= '' and not interrupts(lines, i) and not item_of(line) then own[#own + 1] = line:match '^%s*(.*)$'
         else break end
         i = i + 1
      end
      block.items[#block.items + 1] = parse(own, depth + 1)
      if lines[i] == '' and lines[i + 1] and item_of(lines[i + 1]) then i, block.loose = i + 1, true end
   end
   return block, i
end

local function read_quote(lines, i, depth)
   local own = {}
   while lines[i] and lines[i]:match '^ ? ? ?>' do
      own[#own + 1] = lines[i]:match '^ *> ?(.*)$'
      i = i + 1
   end
   return { kind = 'quote', blocks = parse(own, depth + 1) }, i
end

local function read_heading(lines, i)
   local marks, text = lines[i]:match '^(#+)%s+(.-)%s*#*$'
   return { kind = 'heading', level = math.min(#marks, 6), text = text }, i + 1
end

local function reader_of(lines, i)
   local line = lines[i]
   if line:match '^#+ ' then return read_heading
   elseif fence_of(line) then return read_fence
   elseif indent_of(line) >= 4 then return read_indented
   elseif is_rule(line) then return function(_, at) return { kind = 'rule' }, at + 1 end
   elseif line:match '^ ? ? ?>' then return read_quote
   elseif item_of(line) then return read_list
   elseif line:find('|', 1, true) and alignments_of(lines[i + 1]) then return read_table end
   return read_paragraph
end

function parse(lines, depth)
   local blocks, i = {}, 1
   if depth > MAX_DEPTH then error(('markdown: lists must not be nested deeper than %d'):format(MAX_DEPTH), 0) end
   while lines[i] do
      if lines[i] == '' then i = i + 1
      elseif lines[i]:match '^<!%-%-' then
         while lines[i] and not lines[i]:find('-->', 1, true) do i = i + 1 end
         i = i + 1
      else blocks[#blocks + 1], i = reader_of(lines, i)(lines, i, depth) end
   end
   return blocks
end

--- The blocks of a page.
-- @return a list of tables with `kind`: heading (level, text), paragraph (its lines), code (language, lines), list (ordered,
--  first, loose, items: lists of blocks), table (head, align, rows), quote (blocks), rule
function M.blocks(text)
   if type(text) ~= 'string' then error('markdown.blocks: text must be a string, got ' .. type(text), 2) end
   local lines = {}
   for line in (text:gsub('\r', ''):gsub('\n*$', '\n')):gmatch '([^\n]-)[ \t]*\n' do lines[#lines + 1] = line end
   return parse(lines, 0)
end

-- ---- HTML -------------------------------------------------------------------------------------------------------

local write = {}

local function write_all(out, blocks, hooks)
   for _, block in ipairs(blocks) do write[block.kind](out, block, hooks) end
end

function write.heading(out, block, hooks)
   local markup = inline.render(block.text, hooks)
   out[#out + 1] = hooks.heading(block.level, markup)
end

function write.paragraph(out, block, hooks)
   out[#out + 1] = '<p>' .. inline.render(table.concat(block, '\n'), hooks) .. '</p>'
end

function write.code(out, block, hooks) out[#out + 1] = hooks.block(table.concat(block.lines, '\n'), block.language) end

function write.rule(out) out[#out + 1] = '<hr>' end

function write.quote(out, block, hooks)
   out[#out + 1] = '<blockquote>'
   write_all(out, block.blocks, hooks)
   out[#out + 1] = '</blockquote>'
end

function write.list(out, block, hooks)
   local first = block.first and block.first ~= 1 and (' start="%d"'):format(block.first) or ''
   out[#out + 1] = block.ordered and '<ol' .. first .. '>' or '<ul>'
   for _, item in ipairs(block.items) do
      if not block.loose and item[1] and item[1].kind == 'paragraph' then
         out[#out + 1] = '<li>' .. inline.render(table.concat(item[1], '\n'), hooks)
         write_all(out, { unpack(item, 2) }, hooks)
      else
         out[#out + 1] = '<li>'
         write_all(out, item, hooks)
      end
      out[#out + 1] = '</li>'
   end
   out[#out + 1] = block.ordered and '</ol>' or '</ul>'
end

-- A table scrolls by itself where the screen is too narrow, by keys too.
function write.table(out, block, hooks)
   local function row(cells, tag)
      local parts = { '<tr>' }
      for i = 1, #block.head do
         local align = block.align[i] and (' class="%s"'):format(block.align[i]) or ''
         parts[#parts + 1] = ('<%s%s>%s</%s>'):format(tag, align, inline.render(cells[i] or '', hooks), tag)
      end
      parts[#parts + 1] = '</tr>'
      return table.concat(parts)
   end
   out[#out + 1] = '<div class="table" tabindex="0" role="region" aria-label="Table"><table>'
   local head = table.concat(block.head)
   if head ~= '' then out[#out + 1] = '<thead>' .. row(block.head, 'th') .. '</thead>' end
   out[#out + 1] = '<tbody>'
   for _, cells in ipairs(block.rows) do out[#out + 1] = row(cells, 'td') end
   out[#out + 1] = '</tbody></table></div>'
end

--- HTML of blocks.
-- @param hooks  as for inline.render, and heading(level, markup) and block(code, language)
function M.html(blocks, hooks)
   local out = {}
   write_all(out, blocks, hooks)
   return table.concat(out, '\n') .. '\n'
end

return M
