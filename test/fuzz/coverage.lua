-- test/fuzz/coverage.lua COUNTS HITS FILE... - how many lines of functions the fuzzer reached: for C by the summary that
-- llvm-cov exports to COUNTS, for Lua by what lua.h has noted in HITS.
--
-- In Lua, a part behind a comment that begins "---- writing" does not count. TH_FUZZ_MISSED=1 lists what was not reached.
local util = require 'jit.util'

local function row(file, covered, all)
   print(('   %-28s %4d of %4d lines  %5.1f %%'):format(file, covered, all, 100 * covered / all))
end

local function count_c(json, file)
   local at = json:find('/' .. file .. '"', 1, true)
   local all, covered = json:match('"lines":{"count":(%d+),"covered":(%d+)', at)
   if tonumber(covered) > 0 then row(file, tonumber(covered), tonumber(all)) end
end

local function lines_of(proto, lines, inner)
   local info = util.funcinfo(proto)
   if inner then
      for pc = 1, info.bytecodes - 1 do lines[util.funcinfo(proto, pc).currentline] = true end
   end
   local i = -1
   while info.children do
      local k = util.funck(proto, i)
      if k == nil then break end
      if type(k) == 'proto' then lines_of(k, lines, true) end
      i = i - 1
   end
   return lines
end

local function last_line(file)
   local n = 0
   for text in io.lines(file) do
      n = n + 1
      if text:find '^%-%- %-%-%-%- writing' then return n end
   end
   return n
end

local function count_lua(hit, file)
   local last, all, covered, missed = last_line(file), 0, 0, {}
   for line in pairs(lines_of(assert(loadfile(file)), {})) do
      if line <= last then
         all = all + 1
         if hit[file .. ' ' .. line] then covered = covered + 1 else missed[#missed + 1] = line end
      end
   end
   if covered == 0 then return end
   row(file, covered, all)
   if os.getenv 'TH_FUZZ_MISSED' then
      table.sort(missed)
      print('      not: ' .. table.concat(missed, ' '))
   end
end

local counts = assert(io.open(arg[1]))
local json = counts:read '*a'
counts:close()
local hit = {}
local noted = io.open(arg[2])
if noted then
   for line in noted:lines() do hit[line] = true end
   noted:close()
end
for i = 3, #arg do
   if arg[i]:find '%.c$' then count_c(json, arg[i]) else count_lua(hit, arg[i]) end
end
