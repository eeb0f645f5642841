-- bench/start.lua - how long `th -e "require 'torch'"` takes, and how much memory it holds.
--    th bench/start.lua
package.path = './?.lua;' .. package.path
local measure = require 'bench.lib.measure'

local options = measure.options(arg or {})
local th = measure.launcher()

local function timed(command)
   return function() return measure.wall(function() assert(os.execute(command) == 0, command) end) end
end

-- Both figures include the start of the shell; `exec` adds no further process. The peer is LuaJIT alone.
local medians = measure.interleaved(2 * options.rounds + 1, {
   timed(([[exec '%s' -e "require 'torch'" </dev/null]]):format(th)),
   timed 'exec true' })
local seconds = medians[1] - medians[2]
measure.row("th -e \"require 'torch'\"", 'at most 40 ms', ('%.1f ms'):format(seconds * 1e3), nil, nil,
            seconds <= 0.040)

local program = [[require 'torch' for line in io.lines '/proc/self/status' do
   local kb = line:match '^VmHWM:%s*(%d+)' if kb then print('kB ' .. kb) end end]]
local out = io.popen(([['%s' -e "%s" </dev/null]]):format(th, program:gsub('%s+', ' ')))
local text = out:read '*a'
out:close()
local kb = tonumber(text:match 'kB (%d+)')
local bytes = kb * 1024
measure.row("th -e \"require 'torch'\", resident", 'at most 30 MB', ('%.1f MB'):format(bytes / 1e6), nil, nil,
            bytes <= 30e6)
