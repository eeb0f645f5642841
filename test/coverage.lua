-- test/coverage.lua FOLDER - which lines and branches of lib/ the programs of a build with gcov have run.
--
-- FOLDER holds the build. gcov reads the counts of each object file; this program merges them by source line, because a file of
-- lib/cpu is compiled once per CPU level and includes itself once per element type. A line counts as run if one of these copies
-- ran it, and a side of a branch as taken if one of them took it. Sides that only exceptions take do not count.
-- It prints a table of the folders of lib/. FOLDER/uncovered.txt lists each line that did not run and each side not taken.
local coverage = {}

local here = debug.getinfo(1, 'S').source:match '^@(.*)test/coverage%.lua$' or ''
package.path = here .. 'lua/?.lua;' .. package.path     -- a plain luajit runs this
local json = require 'torch.json'

-- ---- uniting the copies of a line -------------------------------------------------------------------

--- Adds what gcov says of one object file to `files`: { [path] = { [line] = { count =, ways = { [n] = { taken... } } } } }.
-- Copies of a line with equally many ways are united; `root` is cut off from paths, and files elsewhere do not count.
function coverage.add(files, report, root)
   for _, file in ipairs(report.files) do
      local path = file.file:sub(1, #root) == root and file.file:sub(#root + 1) or file.file
      if path:find '^lib/' then
         local lines = files[path] or {}
         files[path] = lines
         for _, l in ipairs(file.lines) do
            local line = lines[l.line_number] or { count = 0, ways = {} }
            lines[l.line_number] = line
            line.count = line.count + l.count
            local ways = {}
            for _, b in ipairs(l.branches) do if not b.throw then ways[#ways + 1] = b.count end end
            if #ways > 0 then
               local all = line.ways[#ways] or {}
               line.ways[#ways] = all
               for i, count in ipairs(ways) do all[i] = (all[i] or 0) + count end
            end
         end
      end
   end
end

--- Of one line: its ways, and how many of them were taken. Of copies with different numbers of ways, those with most ways
-- count: in the others the compiler knew a condition, such as the kind of the element type.
function coverage.ways(line)
   local most, taken = 0, 0
   for n in pairs(line.ways) do most = math.max(most, n) end
   for _, count in ipairs(line.ways[most] or {}) do if count > 0 then taken = taken + 1 end end
   return most, taken
end

--- Sums of folders: { { name =, files =, lines =, lines_run =, ways =, ways_taken = } ... }, the last one is the total.
function coverage.folders(files)
   local rows, by_name = {}, {}
   local total = { name = 'lib', files = 0, lines = 0, lines_run = 0, ways = 0, ways_taken = 0 }
   local paths = {}
   for path in pairs(files) do paths[#paths + 1] = path end
   table.sort(paths)
   for _, path in ipairs(paths) do
      local name = path:match '^lib/[^/]+'
      local row = by_name[name]
      if not row then
         row = { name = name, files = 0, lines = 0, lines_run = 0, ways = 0, ways_taken = 0 }
         rows[#rows + 1], by_name[name] = row, row
      end
      for _, r in ipairs { row, total } do
         r.files = r.files + 1
         for _, line in pairs(files[path]) do
            local ways, taken = coverage.ways(line)
            r.lines, r.lines_run = r.lines + 1, r.lines_run + (line.count > 0 and 1 or 0)
            r.ways, r.ways_taken = r.ways + ways, r.ways_taken + taken
         end
      end
   end
   rows[#rows + 1] = total
   return rows
end

-- ---- the program --------------------------------------------------------------------------------------

local function percent(part, all) return all == 0 and '' or ('%.1f %%'):format(100 * part / all) end

function coverage.print(rows)
   print(('%-14s %5s  %8s %8s %8s  %8s %8s %8s'):format('folder', 'files', 'lines', 'run', '', 'branches', 'taken', ''))
   for _, r in ipairs(rows) do
      print(('%-14s %5d  %8d %8d %8s  %8d %8d %8s'):format(r.name, r.files, r.lines, r.lines_run, percent(r.lines_run, r.lines),
         r.ways, r.ways_taken, percent(r.ways_taken, r.ways)))
   end
end

-- What is not covered, with the text of the line.
local function list(files, root, to)
   local paths, n = {}, 0
   for path in pairs(files) do paths[#paths + 1] = path end
   table.sort(paths)
   local out = assert(io.open(to, 'w'))
   for _, path in ipairs(paths) do
      local text, numbers = {}, {}
      for line in io.lines(root .. path) do text[#text + 1] = line end
      for number in pairs(files[path]) do numbers[#numbers + 1] = number end
      table.sort(numbers)
      for _, number in ipairs(numbers) do
         local line = files[path][number]
         local ways, taken = coverage.ways(line)
         local what = line.count == 0 and 'not run' or taken < ways and ('%d of %d branches'):format(taken, ways)
         if what then
            n = n + 1
            out:write(('%s:%d: %s: %s\n'):format(path, number, what, (text[number] or ''):match '^%s*(.-)%s*$'))
         end
      end
   end
   out:close()
   return n
end

local function quoted(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function read(command)
   local p = assert(io.popen(command))
   local text = p:read '*a'
   p:close()
   return text
end

local function main(folder)
   local root = read 'pwd -P':match '[^\n]+' .. '/'
   local files, objects = {}, 0
   for path in read(('find %s -name "*.gcno" -path "*/lib/*"'):format(quoted(folder))):gmatch '[^\n]+' do
      local text = read(('%s --branch-probabilities --json-format --stdout %s 2>/dev/null'):format(
         os.getenv 'GCOV' or 'gcov', quoted(path)))
      if not text:find '^{' then
         io.stderr:write('test/coverage.lua: gcov gives no counts of ', path, '\n')
         os.exit(1)
      end
      coverage.add(files, json.read(text), root)
      objects = objects + 1
   end
   if objects == 0 then
      io.stderr:write('test/coverage.lua: no build with gcov in ', folder, '\n')
      os.exit(1)
   end
   coverage.print(coverage.folders(files))
   local to = folder .. '/uncovered.txt'
   print(('%d lines in %s'):format(list(files, root, to), to))
end

if arg and arg[0] and arg[0]:find 'coverage%.lua$' then
   if #arg ~= 1 then
      io.stderr:write 'usage: luajit test/coverage.lua FOLDER\n'
      os.exit(2)
   end
   main(arg[1])
end
return coverage
