-- test/faults.lua [-only PATTERN] [-jobs N] [-list] - every allocation, read, write, sync, rename and mmap of a tour fails once.
--
-- The tour runs all ops, modules, readers and writers (test/faults/*.lua). Each step runs with its first system call failing,
-- then its second, and so on. It requires an error for users or the normal result, unchanged arguments on error, no leak, and a
-- next call that works. Only calls of our own libraries fail: test/faults/faults.c. It starts itself again with that library
-- preloaded. A crash ends one process, and the next one continues after the step.
local sweep = require 'test.faults.sweep'

local options = { jobs = 1 }
do
   local i = 1
   while arg[i] do
      local name = arg[i]:match '^%-(%l+)$'
      if name == 'list' then options.list = true
      elseif name == 'only' or name == 'jobs' or name == 'run' or name == 'from' or name == 'part' or name == 'log' then
         i = i + 1
         options[name] = name == 'only' and arg[i] or tonumber(arg[i]) or arg[i]
      else
         io.stderr:write 'usage: th test/faults.lua [-only PATTERN] [-jobs N] [-list]\n'
         os.exit(2)
      end
      i = i + 1
   end
end

local th = arg[-1] or 'build/bin/th'

-- ---- in a process of the sweep -----------------------------------------------------------------------------------

local function steps()
   local all = require 'test.faults.tour'
   local list = {}
   for _, s in ipairs(all) do
      if not options.only or s.name:find(options.only) then list[#list + 1] = s end
   end
   return list
end

local function work()
   assert(sweep.is_preloaded(), 'faults.so is not preloaded')
   local list = steps()                              -- loads what the tour needs
   sweep.watch 'libth.so'
   sweep.watch 'libthcuda'
   sweep.watch 'libwrong'
   local log = assert(io.open(options.log, 'a'))
   log:setvbuf 'line'
   if options.from == 1 then log:write('steps ', #list, '\n') end
   sweep.on_call = function(n, way) log:write('call ', n, ' ', way.name, '\n') end
   local told = {}
   for i = options.from, #list do
      if i % options.jobs == options.part % options.jobs then
         local start = os.clock()
         log:write('begin ', i, ' ', list[i].name, '\n')
         local r = sweep.run(list[i], sweep.ways)
         for _, text in ipairs(r.faults) do log:write('fault ', (text:gsub('\n', ' ')), '\n') end
         for _, site in ipairs(sweep.sites(told)) do log:write('site ', site, '\n') end
         log:write(('end %d %d %.3f\n'):format(i, r.calls, os.clock() - start))
      end
   end
   log:write 'done\n'
   log:close()
   os.exit(0, true)
end

-- ---- the process that starts them --------------------------------------------------------------------------------

local function quoted(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function compile(folder)
   local so = folder .. '/faults.so'
   local status = os.execute(('%s -std=gnu11 -O2 -g -shared -fPIC -Wall -Wextra -Werror -fvisibility=hidden -fno-builtin '
      .. 'test/faults/faults.c -o %s -ldl'):format(os.getenv 'CC' or 'cc', quoted(so)))
   if status ~= 0 and status ~= true then
      io.stderr:write 'test/faults.lua: cannot compile test/faults/faults.c\n'
      os.exit(1)
   end
   return so
end

-- What a log says: the steps that ended, the one that did not, and the rest.
local function read(path)
   local r = { calls = 0, ended = 0, faults = {}, sites = {}, nsites = 0, slow = {} }
   for line in io.lines(path) do
      local word, rest = line:match '^(%l+) ?(.*)$'
      if word == 'steps' then r.steps = tonumber(rest)
      elseif word == 'begin' then
         local i, name = rest:match '^(%d+) (.*)$'
         r.at = { i = tonumber(i), name = name }
      elseif word == 'call' then r.call = rest
      elseif word == 'fault' then r.faults[#r.faults + 1] = rest
      elseif word == 'end' then
         local _, calls, seconds = rest:match '^(%d+) (%d+) (.*)$'
         r.calls, r.ended = r.calls + calls, r.ended + 1
         r.slow[#r.slow + 1] = { seconds = tonumber(seconds), name = r.at.name, calls = tonumber(calls) }
         r.at = nil
      elseif word == 'site' then
         if not r.sites[rest] then r.sites[rest], r.nsites = true, r.nsites + 1 end
      elseif word == 'done' then r.done = true
      end
   end
   return r
end

local function main()
   local start = os.time()
   local folder = os.tmpname()
   os.remove(folder)
   assert(os.execute('mkdir ' .. quoted(folder)))
   local so = compile(folder)
   local running = {}
   for part = 1, options.jobs do
      running[part] = { from = 1, log = folder .. '/log' .. part, files = folder .. '/files' .. part }
      assert(os.execute('mkdir ' .. quoted(running[part].files)) == 0)
   end
   local function line(part, job)
      return ('TH_FAULTS_FOLDER=%s LD_PRELOAD=%s %s test/faults.lua -part %d -jobs %d -from %d -log %s %s; '
         .. 'echo "status $?"'):format(
         quoted(job.files), quoted(so), quoted(th), part, options.jobs, job.from, quoted(job.log),
         options.only and '-only ' .. quoted(options.only) or '')
   end
   for part, job in ipairs(running) do job.pipe = assert(io.popen(line(part, job))) end
   local total = { calls = 0, ended = 0, steps = 0, nsites = 0, faults = {}, slow = {} }
   local sites = {}
   for part, job in ipairs(running) do
      while true do
         local out = job.pipe:read '*a'
         job.pipe:close()
         local said = out:gsub('status %d+\n$', '')
         if #said > 0 then io.write(said) end
         local r = read(job.log)
         if r.done or not r.at then
            if not r.done then r.faults[#r.faults + 1] = 'a process ended before its first step: ' .. out end
            job.result = r
            break
         end
         local f = assert(io.open(job.log, 'a'))
         f:write(('fault %s: the process ended (%s) at call %s\nend %d 0 0\n'):format(r.at.name,
            out:match 'status %d+' or '', r.call or '',
            r.at.i))
         f:close()
         job.from = r.at.i + 1
         job.pipe = assert(io.popen(line(part, job)))
      end
      local r = job.result
      total.calls, total.ended, total.steps = total.calls + r.calls, total.ended + r.ended, r.steps or total.steps
      for _, text in ipairs(r.faults) do total.faults[#total.faults + 1] = text end
      for _, s in ipairs(r.slow) do total.slow[#total.slow + 1] = s end
      for site in pairs(r.sites) do if not sites[site] then sites[site], total.nsites = true, total.nsites + 1 end end
   end
   os.execute('rm -rf ' .. quoted(folder))
   for _, text in ipairs(total.faults) do print('FAULT ' .. text) end
   local sum = ('%d of %d steps, %d calls failed on purpose, %d distinct places, %d faults, %d seconds'):format(total.ended,
      total.steps,
      total.calls, total.nsites, #total.faults, os.difftime(os.time(), start))
   print(sum)
   if not options.only then require 'test.runs'.note('faults', total.calls, sum) end
   os.exit(#total.faults == 0 and total.ended == total.steps and 0 or 1)
end

if options.list then
   for _, s in ipairs(steps()) do print(s.name) end
elseif options.log then
   work()
else
   main()
end
