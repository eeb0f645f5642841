-- cmake/sentences.lua [-most WORDS] FILE... - reports sentences of Markdown of more than 25 words.
--
-- A sentence ends at . ! ? before a blank, and at the end of a paragraph, of a list item and of a
-- cell of a table. A colon or a semicolon ends none. Code blocks, headings, link targets, pictures
-- and HTML are left out. A code span counts as one word, and a link as the words of its text.
-- Prints FILE:LINE: N words: TEXT for each, and ends with status 1 if there is one.
local most = 25

local CODE, HIDDEN = '\1', '\2'      -- stand for each byte of a code span, and of what is left out

-- Words whose dot ends no sentence.
local ABBREVIATIONS = {
   ['e.g.'] = true, ['i.e.'] = true, ['al.'] = true, ['cf.'] = true, ['vs.'] = true,
}

-- ---- marks in lines ---------------------------------------------------------------------------

-- The text with code spans as CODE, and with HIDDEN for what is no word. Bytes keep their places.
local function hide(text)
   local parts, at = {}, 1
   while at <= #text do
      local first, last, ticks = text:find('(`+)', at)
      local close, close_last
      if first then
         close, close_last = last + 1, nil
         repeat
            local from, to, run = text:find('(`+)', close)
            close = to and to + 1
            if from and #run == #ticks then close_last = to end
         until not from or close_last
      end
      parts[#parts + 1] = text:sub(at, (first or #text + 1) - 1)
      if not first then break end
      if close_last then
         parts[#parts + 1] = CODE:rep(close_last - first + 1)
         at = close_last + 1
      else
         parts[#parts + 1] = ticks
         at = last + 1
      end
   end
   local function cover(s) return HIDDEN:rep(#s) end
   local covered = table.concat(parts):gsub('!%b[]%b()', cover):gsub('%]%b()', cover)
   return (covered:gsub('<!%-%-.-%-%->', cover):gsub('</?%a[^<>]*>', function(tag)
      if tag:find '^<%a+://' then return end      -- an address
      return cover(tag)
   end))
end

local function count(words)
   local n = 0
   for word in words:gsub(HIDDEN, ''):gmatch '%S+' do
      if word:find('[%w' .. CODE .. ']') then n = n + 1 end
   end
   return n
end

-- Whether the mark at this place of the text, before a blank, ends a sentence.
local function is_end(text, at)
   if text:sub(at, at) ~= '.' then return true end
   if text:sub(at - 1, at - 1) == '.' then return false end                -- an ellipsis
   local word = text:sub(1, at):match '[%a.]+$'
   return not ABBREVIATIONS[word]
end

-- Calls f(first, last) for each sentence of a text in which hide() has covered code.
local function each_sentence(text, f)
   local from, at = 1, 1
   while true do
      local first, last = text:find('[.!?][%)%]"\'*_' .. HIDDEN .. ']*%s', at)
      if not first then break end
      if is_end(text, first) then
         f(from, last - 1)
         from = last + 1
      end
      at = first + 1
   end
   f(from, #text)
end

-- ---- blocks of a page -------------------------------------------------------------------------

local faults = 0

-- A block is the text of a paragraph, an item or a cell: lines, and the number of the first.
local function judge(file, block)
   local raw = table.concat(block, '\n')
   local text = hide(raw)
   each_sentence(text, function(first, last)
      local n = count(text:sub(first, last))
      if n <= most then return end
      first = text:find('[^%s' .. HIDDEN .. ']', first)
      local _, above = raw:sub(1, first - 1):gsub('\n', '')
      faults = faults + 1
      local shown = raw:sub(first, last):gsub('%s+', ' '):gsub(' $', '')
      print(('%s:%d: %d words: %s'):format(file, block.line + above, n, shown))
   end)
end

-- The cells of a row of a table. A bar in code or behind a backslash divides no cells.
local function cells(row)
   local covered = hide(row):gsub('\\|', HIDDEN:rep(2))
   local list, from = {}, 1
   for at in (covered .. '|'):gmatch '()|' do
      list[#list + 1] = row:sub(from, at - 1)
      from = at + 1
   end
   return list
end

-- Calls f(block) for each paragraph, item and cell of a page.
local function each_block(page, f)
   local block, number, fence, comment = nil, 0, nil, false
   local content = 0                   -- the column where the text of the last item begins
   local function finish()
      if block then f(block) end
      block = nil
   end
   local function add(text)
      block = block or { line = number }
      block[#block + 1] = text
   end
   -- A heading, the target of links, or a rule.
   local function stands_apart(text)
      return text:find '^#+ ' or text:find '^%[[^%]]+%]: ' or text:find '^[-=*_ ]+$'
   end
   -- A line outside of code and comments.
   local function take(text, indent)
      local item = text:match '^[-*+] +' or text:match '^%d+[.)] +'
      local row, apart = text:find '^|', stands_apart(text)
      if row or item or apart then finish() end
      if not block then content = math.min(content, indent) end
      if row then
         for _, cell in ipairs(cells(text)) do f { line = number, cell } end
      elseif item then
         content = indent + #item
         add(text:sub(#item + 1))
      elseif not apart then
         add(text)
      end
   end
   for line in (page .. '\n'):gmatch '([^\n]*)\n' do
      number = number + 1
      line = line:gsub('^[> ]*>', function(quote) return (' '):rep(#quote) end):gsub('%s+$', '')
      local indent, text = #line:match '^ *', line:match '^ *(.*)$'
      local mark = text:match '^```+' or text:match '^~~~+'
      if fence then
         if text == mark and mark:sub(1, #fence) == fence then fence = nil end
      elseif comment then
         comment = not text:find('-->', 1, true)
      elseif text == '' then
         finish()
      elseif mark then
         finish()
         fence = mark
      elseif text:find '^<!%-%-' and not text:find('-->', 1, true) then
         finish()
         comment = true
      elseif block or indent < content + 4 then      -- else it is indented code
         take(text, indent)
      end
   end
   finish()
end

-- ---- the check --------------------------------------------------------------------------------

local function fail(...)
   io.stderr:write('sentences: ', string.format(...), '\n')
   os.exit(2)
end

local files = {}
local at = 1
while arg[at] do
   if arg[at] == '-most' then
      most = tonumber(arg[at + 1]) or fail('WORDS must be a number, got %s', tostring(arg[at + 1]))
      at = at + 2
   else
      files[#files + 1] = arg[at]
      at = at + 1
   end
end
if #files == 0 then fail 'FILE is missing' end

for _, file in ipairs(files) do
   local f, why = io.open(file)
   if not f then fail('%s', why) end
   local page = f:read '*a'
   f:close()
   each_block(page, function(block) judge(file, block) end)
end
os.exit(faults == 0 and 0 or 1)
