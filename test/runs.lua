-- test/runs.lua - stores the counts of long runs for doc/testing.md.
--    th test/runs.lua NAME AMOUNT TEXT     records a run, as the programs of `./dev` do when they end
--
-- A record is a line of tab-separated fields: name, date, commit, amount, machine, text. The amount measures the length of the
-- run: minutes, cases, executions. Records go to build/runs.tsv, which git ignores. test/counts.lua -keep moves the largest
-- record of each name to test/runs.tsv, which belongs to the project.
local runs = { log = 'build/runs.tsv', kept = 'test/runs.tsv' }

local FIELDS = { 'name', 'date', 'commit', 'amount', 'machine', 'text' }

local function said(command)
   local p = io.popen(command .. ' 2>/dev/null')
   local text = p:read '*a'
   p:close()
   return (text:gsub('%s+$', ''))
end

local function machine()
   local f = io.open '/proc/cpuinfo'
   local model = f and f:read('*a'):match 'model name%s*:%s*([^\n]*)' or 'unknown processor'
   if f then f:close() end
   local n = require 'torch'.getnumcores()
   return (n == 1 and '1 core of ' or n .. ' cores of ') .. model:gsub('%s+', ' '):gsub(' $', '')
end

-- With a + behind it where tracked files differ from the commit.
local function commit()
   local id = said 'git rev-parse --short=10 HEAD'
   if id == '' then return 'unknown' end
   return id .. (said 'git status --porcelain --untracked-files=no' ~= '' and '+' or '')
end

--- The notes of a file, in their order; none where there is no file.
function runs.read(file)
   local list, f = {}, io.open(file)
   if not f then return list end
   for line in f:lines() do
      local note, k = {}, 0
      for field in (line .. '\t'):gmatch '([^\t]*)\t' do
         k = k + 1
         if FIELDS[k] then note[FIELDS[k]] = field end
      end
      note.amount = tonumber(note.amount)
      if k ~= #FIELDS or not note.amount then error(('%s: this is no note of a run: %s'):format(file, line), 2) end
      list[#list + 1] = note
   end
   f:close()
   return list
end

local function line_of(note)
   local fields = {}
   for k, name in ipairs(FIELDS) do fields[k] = (tostring(note[name]):gsub('[\t\n]', ' ')) end
   return table.concat(fields, '\t') .. '\n'
end

--- Notes a run that has ended. Does nothing outside of a checkout.
-- @param name    what ran, such as 'soak'
-- @param amount  a number: of several notes of a name the largest is kept
-- @param text    what it counted
function runs.note(name, amount, text)
   local f = io.open(runs.log, 'a')
   if not f then return end
   f:write(line_of { name = name, date = os.date '!%Y-%m-%d', commit = commit(), amount = amount, machine = machine(),
      text = text })
   f:close()
end

--- Moves the largest note of each name from the log to the kept ones. The names that came, sorted.
function runs.keep()
   local best, kept, names, came = {}, {}, {}, {}
   for _, note in ipairs(runs.read(runs.log)) do
      if not best[note.name] or note.amount >= best[note.name].amount then best[note.name] = note end
   end
   for _, note in ipairs(runs.read(runs.kept)) do kept[note.name] = note end
   for name, note in pairs(best) do
      kept[name] = note
      came[#came + 1] = name
   end
   for name in pairs(kept) do names[#names + 1] = name end
   table.sort(names)
   table.sort(came)
   local f = assert(io.open(runs.kept, 'w'))
   for _, name in ipairs(names) do f:write(line_of(kept[name])) end
   f:close()
   os.remove(runs.log)
   return came
end

if arg and arg[0] and arg[0]:find 'test/runs%.lua$' then
   local amount = tonumber(arg[2])
   if not amount or not arg[3] then error('usage: th test/runs.lua NAME AMOUNT TEXT', 0) end
   runs.note(arg[1], amount, arg[3])
end

return runs
