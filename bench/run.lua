-- bench/run.lua - runs every benchmark, each in a separate process, and prints one table.
--    th bench/run.lua [-peer pytorch] [-threads 2] [-rounds 9] [-only gemm] [-save bench/results/NAME.md]
package.path = './?.lua;' .. package.path
local measure = require 'bench.lib.measure'

local ALL = { 'start', 'call', 'gemm', 'bandwidth', 'ops', 'mnist', 'lstm', 'models', 'fuse', 'conv' }

local only, save, passed = nil, nil, {}
do
   local i = 1
   while arg and arg[i] do
      local name = arg[i]:gsub('^%-%-?', '')
      if not arg[i + 1] then
         io.stderr:write('bench: ', arg[i], ' needs a value\n')
         os.exit(2)
      elseif name == 'only' then only = arg[i + 1]
      elseif name == 'save' then save = arg[i + 1]
      else
         passed[#passed + 1] = arg[i]
         passed[#passed + 1] = arg[i + 1]
      end
      i = i + 2
   end
end
local options = measure.options(passed)       -- refuses the options that the benchmarks would refuse
if only and not (' ' .. table.concat(ALL, ' ') .. ' '):find(' ' .. only .. ' ', 1, true) then
   io.stderr:write(('bench: no benchmark %s; there are %s\n'):format(only, table.concat(ALL, ', ')))
   os.exit(2)
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local text = {}
local function say(line)
   print(line)
   io.stdout:flush()
   text[#text + 1] = line
end

local function processor()
   for line in io.lines '/proc/cpuinfo' do
      local name = line:match '^model name%s*:%s*(.*)'
      if name then return name end
   end
   return 'unknown processor'
end

local function load()
   local file = io.open '/proc/loadavg'
   local first = file and file:read '*l'
   if file then file:close() end
   return first and first:match '^%S+' or '?'
end

local C = require('torch.lib').C
say(('%s, %d cores, kernels %s, %s; load %s'):format(processor(), C.th_cores(),
     require('ffi').string(C.th_cpu_level()), os.date '!%Y-%m-%d %H:%M UTC', load()))
say ''
for line in measure.HEADER:gmatch '[^\n]+' do say(line) end

local failed, notes = false, {}
if options.threads == 1 then
   notes[1] = '- one thread: figures count the work of the processes, not the time on the wall'
end
local arguments = {}
for i, value in ipairs(passed) do arguments[i] = quote(value) end
for _, name in ipairs(ALL) do
   if not only or only == name then
      local run = io.popen(('%s bench/%s.lua %s 2>&1; echo "status $?"')
                           :format(quote(measure.launcher()), name, table.concat(arguments, ' ')))
      for line in run:lines() do
         local status = line:match '^status (%d+)$'
         if status then
            if status ~= '0' then
               failed = true
               notes[#notes + 1] = ('- %s did not finish (status %s)'):format(name, status)
            end
         elseif line:sub(1, 1) == '|' then say(line)
         else notes[#notes + 1] = '- ' .. line:gsub('^note: ', '')
         end
      end
      run:close()
   end
end
if #notes > 0 then
   say ''
   for _, line in ipairs(notes) do say(line) end
end
if save then
   local file = assert(io.open(save, 'w'))
   file:write('# Benchmarks\n\n', table.concat(text, '\n'), '\n')
   assert(file:close())
end
os.exit(failed and 1 or 0)
