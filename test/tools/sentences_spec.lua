-- test/tools/sentences_spec.lua - cmake/sentences.lua: sentences of Markdown over 25 words.
-- runs once
local temporary = require 'test.support.temporary'

local function sh(command)
   local p = io.popen(('{ %s\n} 2>&1 </dev/null; echo "status $?"'):format(command))
   local out, status = p:read('*a'):match '^(.*)status (%d+)\n$'
   p:close()
   return out, tonumber(status)
end

-- What the check prints about a page, with PAGE for the file's name, and its status.
local function check(page, options)
   local name = temporary.name '.md'
   local f = assert(io.open(name, 'w'))
   f:write(page)
   f:close()
   local out, status = sh(("luajit cmake/sentences.lua %s '%s'"):format(options or '', name))
   return out:gsub(name:gsub('%p', '%%%0'), 'PAGE'), status
end

-- A sentence of n words.
local function words(n)
   local list = {}
   for k = 1, n do list[k] = 'w' .. k end
   return table.concat(list, ' ') .. '.'
end

-- The numbers that the check prints: { line, words }, one for each sentence.
local function found(page, options)
   local list = {}
   for line, n in check(page, options):gmatch 'PAGE:(%d+): (%d+) words: ' do
      list[#list + 1] = { tonumber(line), tonumber(n) }
   end
   return list
end

describe('the check of sentences', function()
   teardown(temporary.remove)

   it('accepts 25 words and nothing to read', function()
      assert.same({ '', 0 }, { check(words(25)) })
      assert.same({ '', 0 }, { check '' })
   end)
   it('reports 26 words with the file, the line, their number and the text', function()
      assert.same({ 'PAGE:1: 26 words: ' .. words(26) .. '\n', 1 }, { check(words(26)) })
   end)
   it('reports the line where the sentence begins', function()
      local page = ('# Title\n\nShort.\nShort, too. %s\nShort.\n\n- a\n- %s'):format(
         words(26):gsub('w9 ', 'w9\n'), words(27))
      assert.same({ { 4, 26 }, { 9, 27 } }, found(page))
   end)
   it('ends a sentence at . ! and ? before a blank, also behind a bracket or a quote', function()
      for _, mark in ipairs { '.', '!', '?', '.)', '."', '.**' } do
         assert.same({}, found(words(20):gsub('%.$', mark .. ' ') .. words(20)), mark)
      end
      assert.same({ { 1, 26 } }, found('1.5 x.y ' .. words(24)))
   end)
   it('ends no sentence at a colon, a semicolon, an ellipsis or an abbreviation', function()
      for _, mark in ipairs { ':', ';', ' ...', ', e.g.', ' et al.' } do
         local text = words(20):gsub('%.$', mark .. ' ') .. words(20)
         assert.equal(1, #found(text), mark)
      end
   end)
   it('ends a sentence at a colon before a list or code', function()
      local text = words(20):gsub('%.$', ':')
      assert.same({}, found(text .. '\n- ' .. words(20) .. '\n- ' .. words(20)))
      assert.same({}, found(text .. '\n1. ' .. words(20) .. '\n2. ' .. words(20)))
      assert.same({}, found(text .. '\n```lua\n' .. words(30) .. '\n```\n' .. words(20)))
   end)
   it('does not count code, headings, pictures, comments and HTML', function()
      local long = words(30)
      assert.same({}, found('```lua\n' .. long .. '\n```\n~~~~\n```\n' .. long .. '\n~~~~\n'))
      assert.same({}, found('Text.\n\n    ' .. long .. '\n\n    ' .. long .. '\n'))
      assert.same({}, found('- item\n\n      ' .. long))
      assert.same({}, found('- item\n\n## Title\n\n    ' .. long))
      assert.same({}, found('## ' .. long .. '\n    ' .. long))
      assert.same({}, found('<!-- ' .. long .. ' -->\n\n<!--\n' .. long .. '\n-->\n'))
      assert.same({}, found('![' .. long .. '](a.png) <img alt="' .. long .. '">'))
      assert.same({}, found('[name]: ' .. long))
   end)
   it('reads the text of an item behind an empty line', function()
      assert.same({ { 3, 26 } }, found('- item\n\n  ' .. words(26)))
      assert.same({ { 3, 26 } }, found('1. item\n\n      ' .. words(26)))
   end)
   it('counts a span of code as one word, whatever is in it', function()
      assert.same({}, found('`a. b c | d` ' .. words(24)))
      assert.same({}, found('``a ` b``, ' .. words(24)))
      assert.same({ { 1, 26 } }, found('`a\nb` `c` ' .. words(24)))
      assert.same({ { 1, 26 } }, found('a ` b ' .. words(24)))
   end)
   it('counts the words of the text of a link', function()
      assert.same({}, found('[a b](x y z.md) ' .. words(23)))
      assert.same({ { 1, 26 } }, found('[a b](x y z.md) ' .. words(24)))
      assert.same({ { 1, 26 } }, found('<https://a.b/c> ' .. words(25)))
   end)
   it('counts no mark as a word', function()
      assert.same({}, found('- * = + / → ' .. words(25)))
   end)
   it('takes each cell of a table for itself', function()
      local row = ('| %s | `a|b` %s | a \\| %s |'):format(words(25), words(24), words(24))
      assert.same({}, found('| head | ' .. row .. '\n|---|---|\n' .. row))
      row = ('| %s | %s |'):format(words(9), words(26))
      assert.same({ { 3, 26 } }, found('| a | b |\n|---|---|\n' .. row))
   end)
   it('reads quotes', function()
      assert.same({ { 2, 26 } }, found('Text.\n> ' .. words(26)))
   end)
   it('takes another limit, and several files', function()
      assert.same({}, found(words(30), '-most 30'))
      assert.same({ { 1, 31 } }, found(words(31), '-most 30'))
      local _, status = check(words(26), 'README.md')
      assert.equal(1, status)
   end)
   it('refuses a file that is missing, no file, and a limit that is no number', function()
      assert.same({ 'sentences: FILE is missing\n', 2 }, { sh 'luajit cmake/sentences.lua' })
      assert.same({ 'sentences: WORDS must be a number, got x\n', 2 }, { check('', '-most x') })
      local out, status = sh 'luajit cmake/sentences.lua no/file.md'
      assert.equal(2, status)
      assert.matches('^sentences: no/file.md: No such file', out)
   end)
   it('holds in this checkout', function()
      if not io.open '.git' then return pending 'this is no checkout' end
      local pages = "README.md CONTRIBUTING.md SECURITY.md 'doc/*.md'"
      assert.same({ '', 0 }, { sh('luajit cmake/sentences.lua $(git ls-files ' .. pages .. ')') })
   end)
end)
