-- test/support/comm/ranks.lua - runs a script as the ranks of a job, with a time limit, and returns their
-- output.
local temporary = require 'test.support.temporary'

local ranks = {}
local th = os.getenv 'TH' or 'build/bin/th'
ranks.th, ranks.thrun = th, (th:gsub('th$', 'thrun'))

-- The beginning of every script.
local head = [[
local torch, dist = require 'torch', require 'dist'
local function same(a, b) return a:type() == b:type() and a:isSameSizeAs(b) and (a:nElement() == 0 or a:ne(b):sum() == 0) end
local function says(text, f, ...)
   local ok, why = pcall(f, ...)
   if ok or not tostring(why):find(text, 1, true) then error('expected "' .. text .. '", got ' .. tostring(why), 2) end
end
local function pid() return tonumber((io.open('/proc/self/stat'):read '*l':match '^%d+')) end
]]

function ranks.script(code, init) return temporary.put(head .. (init or 'dist.init{deadline = 20} ') .. code, '.lua') end

--- Starts a shell command. Returns a function that waits for its end and returns its status,
-- standard output and standard error. Before that it must not write more than a pipe holds.
function ranks.start(command, seconds)
   local err = temporary.name '.err'
   local p = io.popen(("timeout -k 1 %g %s 2>'%s' </dev/null; echo \"status $?\""):format(seconds or 60, command, err))
   return function()
      local out, status = p:read('*a'):match '^(.*)status (%d+)\n$'
      p:close()
      return tonumber(status), out, temporary.get(err)
   end
end

--- Runs a shell command and returns the same.
function ranks.sh(command, seconds) return ranks.start(command, seconds)() end

--- Runs `code` as n ranks, with options of thrun, for at most 60 seconds.
function ranks.run(n, code, options, init)
   return ranks.sh(("'%s' -n %d %s '%s'"):format(ranks.thrun, n, options or '', ranks.script(code, init)))
end

--- Runs it, and checks that it succeeds. Returns its standard output.
function ranks.ok(n, code, options, init)
   local status, out, err = ranks.run(n, code, options, init)
   if status ~= 0 then error(('status %s\n%s\n%s'):format(tostring(status), out, err), 2) end
   return out
end

return ranks
