-- test/counts.lua - counts specs, ops, examples and other figures for doc/testing.md.
--    th test/counts.lua            prints the table
--    th test/counts.lua -write     writes it into doc/testing.md, as ./dev docs does
--    th test/counts.lua -keep      copies the counts of runs since then: test/runs.lua
local C = require 'torch.lib'.C
local runs = require 'test.runs'

local counts = { page = 'doc/testing.md', begins = '<!-- counts -->\n', ends = '<!-- end of counts -->\n' }

local function lines_of(command)
   local p, list = assert(io.popen(command)), {}
   for line in p:lines() do list[#list + 1] = line end
   p:close()
   return list
end

local function files(folders, pattern)
   return lines_of(("find %s -name '%s' -not -path '*/build*' | LC_ALL=C sort"):format(folders, pattern))
end

local function lines_in(list)
   local n = 0
   for _, name in ipairs(list) do for _ in io.lines(name) do n = n + 1 end end
   return n
end

local function ops()
   local n = 0
   while C.th_op_at(n) ~= nil do n = n + 1 end
   return n
end

local function with_gradient()
   local n = 0
   for i = 0, ops() - 1 do if C.th_op_at(i).grad ~= nil then n = n + 1 end end
   return n
end

-- Public names, those of them that are classes of nn, and the examples in their help texts.
local function names()
   local torch, doc = require 'torch', require 'torch.doc'
   local all, of_nn, examples = doc.names(), 0, 0
   for _, key in ipairs(all) do
      examples = examples + #(doc.entry(key).examples or {})
      if key:find '^nn%.%w+$' and torch.getmetatable(key) then of_nn = of_nn + 1 end
   end
   return #all, of_nn, examples
end

--- What is counted in the checkout: a list of { what, number }.
function counts.of_files()
   local c, specs = files('lib lua', '*.[ch]'), files('test', '*_spec.lua')
   local cuda = files('cunn', '*.cu*')
   local public, of_nn, examples = names()
   return {
      { 'files of specs', #specs },
      { 'lines of specs and of what helps them', lines_in(files('test', '*.lua')) },
      { 'ops in the registry', ops() },
      { 'ops with a rule for their gradient', with_gradient() },
      { 'modules and criterions of nn', of_nn },
      { 'public names with a help text', public },
      { 'examples in help texts', examples },
      { 'files of C and headers', #c },
      { 'lines in them', lines_in(c) },
      { 'files of CUDA kernels and headers', #cuda },
      { 'targets of fuzzers', #files('test/fuzz', '*.c') },
      { 'campaigns of the attack', #lines_of(("'%s' test/attack.lua -list"):format(arg and arg[-1] or 'build/bin/th')) },
      { 'activities of the soak', #files('test/soak', '*.lua') },
   }
end

local function grouped(n)
   local s = tostring(n):reverse():gsub('(%d%d%d)', '%1,'):reverse()
   return (s:gsub('^,', ''))
end

--- The tables of the page, as text.
function counts.text()
   local out = { '| what | how many |\n|---|---|\n' }
   for _, row in ipairs(counts.of_files()) do out[#out + 1] = ('| %s | %s |\n'):format(row[1], grouped(row[2])) end
   out[#out + 1] = '\n| the last long run of | counted | date | commit | machine |\n|---|---|---|---|---|\n'
   for _, note in ipairs(runs.read(runs.kept)) do
      out[#out + 1] = ('| `%s` | %s | %s | %s | %s |\n'):format(note.name, note.text, note.date, note.commit, note.machine)
   end
   return table.concat(out)
end

--- The page, its parts before, between and behind the marks.
function counts.parts()
   local f = assert(io.open(counts.page))
   local text = f:read '*a'
   f:close()
   local _, from = text:find(counts.begins, 1, true)
   local till = text:find(counts.ends, 1, true)
   if not from or not till then error(counts.page .. ' has lost its marks of counts', 2) end
   return text:sub(1, from), text:sub(from + 1, till - 1), text:sub(till)
end

local function write()
   local before, _, after = counts.parts()
   local text = before .. counts.text() .. after           -- made first: opening the page empties it
   local f = assert(io.open(counts.page, 'w'))
   f:write(text)
   f:close()
end

if arg and arg[0] and arg[0]:find 'test/counts%.lua$' then
   if arg[1] == '-write' then
      write()
   elseif arg[1] == '-keep' then
      local came = runs.keep()
      print(#came == 0 and 'no run has ended since' or 'kept: ' .. table.concat(came, ', '))
   elseif arg[1] then
      error('usage: th test/counts.lua [-write | -keep]', 0)
   else
      io.write(counts.text())
   end
end

return counts
