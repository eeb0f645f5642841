-- test/tools/counts_spec.lua - records of long runs, and the counts in doc/testing.md.
-- runs once
local counts = require 'test.counts'
local runs = require 'test.runs'
local temporary = require 'test.support.temporary'

local log, kept = runs.log, runs.kept
before_each(function() runs.log, runs.kept = temporary.put '', temporary.put '' end)
after_each(function() runs.log, runs.kept = log, kept end)
teardown(temporary.remove)

describe('a note of a run', function()
   it('has its name, a date, a commit, an amount, the machine and a text, on one line', function()
      runs.note('a run', 12.5, 'two\twords\nand more')
      local list = runs.read(runs.log)
      assert.equal(1, #list)
      local note = list[1]
      assert.same({ 'a run', 12.5, 'two words and more' }, { note.name, note.amount, note.text })
      assert.truthy(note.date:find '^%d%d%d%d%-%d%d%-%d%d$')
      assert.truthy(note.commit:find '^%x+%+?$' or note.commit == 'unknown')
      assert.truthy(note.machine:find '^%d+ cores? of .')
   end)
   it('is not made where there is no folder for it', function()
      runs.log = '/no/such/folder/runs.tsv'
      runs.note('a run', 1, 'text')
      assert.same({}, runs.read(runs.log))
   end)
   it('is refused where it is damaged', function()
      assert.has_error(function() runs.read(temporary.put 'soak\t2026\n') end)
      assert.has_error(function() runs.read(temporary.put 'soak\td\tc\tmany\tm\ttext\n') end)
   end)
end)

describe('runs.keep', function()
   it('takes over the largest note of each name, and leaves names that did not run', function()
      runs.note('soak', 60, 'an old one')
      runs.note('fuzz', 7, 'left alone')
      assert.same({ 'fuzz', 'soak' }, runs.keep())
      assert.same({}, runs.read(runs.log))
      runs.note('soak', 1, 'short')
      runs.note('soak', 30, 'long')
      runs.note('soak', 2, 'short again')
      assert.same({ 'soak' }, runs.keep())
      local texts = {}
      for _, note in ipairs(runs.read(runs.kept)) do texts[note.name] = note.text end
      assert.same({ soak = 'long', fuzz = 'left alone' }, texts)
      assert.same({}, runs.keep())
   end)
end)

describe('doc/testing.md', function()
   local function number(text) return tonumber((text:gsub(',', ''))) end
   it('has the counts of this checkout, up to a tenth: ./dev docs writes them', function()
      local _, table_of_page = counts.parts()
      for _, row in ipairs(counts.of_files()) do
         local shown = table_of_page:match('| ' .. row[1]:gsub('%p', '%%%0') .. ' | ([%d,]+) |')
         assert.truthy(shown, row[1] .. ' is missing')
         local near = row[2] > 0 and math.abs(number(shown) - row[2]) <= 0.1 * row[2]
         assert.is_true(near, ('%s: %s, counted %d'):format(row[1], shown, row[2]))
      end
   end)
   it('shows every run that is kept', function()
      local _, table_of_page = counts.parts()
      for _, note in ipairs(runs.read(kept)) do
         assert.truthy(table_of_page:find(('| `%s` | %s |'):format(note.name, note.text), 1, true), note.name)
      end
   end)
   it('names only specs and programs that exist', function()
      local f = assert(io.open(counts.page))
      local text = f:read '*a'
      f:close()
      local n = 0
      for path in text:gmatch '`(test/[%w_%-%./]+)`' do
         local file = io.open(path)
         assert.truthy(file, path .. ' does not exist')
         file:close()
         n = n + 1
      end
      assert.is_true(n > 20)
   end)
end)
