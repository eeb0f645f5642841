-- bench/lib/peer.lua - a process of another program that measures on request.
local measure = require 'bench.lib.measure'

local peer = {}

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

--- Starts a command of the shell, which answers `ready VERSION` or `missing WHY`, and after that every line that it reads with
-- one number.
-- @return the peer with `version`, `ask(line)` and `close()`; or nil and why it cannot take part
function peer.program(command)
   local pipe = os.tmpname()
   os.remove(pipe)
   if os.execute('mkfifo ' .. quote(pipe)) ~= 0 then return nil, 'mkfifo failed' end
   local answers = io.popen(('{ %s; } < %s 2>/dev/null'):format(command, quote(pipe)))
   local orders = io.open(pipe, 'w')           -- waits until the other side has opened it
   os.remove(pipe)
   local first = answers:read '*l' or 'missing it did not start'
   local version = first:match '^ready (.*)'
   if not version then
      orders:close()
      answers:close()
      return nil, (first:gsub('^missing ', ''))
   end
   local self = { version = version }
   function self.ask(line)
      orders:write(line, '\n')
      orders:flush()
      local answer = answers:read '*l'
      return tonumber(answer) or error(('the peer answered %s to %s'):format(tostring(answer), line))
   end
   --- Seconds of a statement, over so many repetitions, by the clock of all benchmarks (measure.time).
   function self.time(times, statement)
      return self.ask(('%s %d %s'):format(measure.alone() and 'work' or 'wall', times, statement))
   end
   --- The same in processor time (measure.work).
   function self.work(times, statement) return self.ask(('work %d %s'):format(times, statement)) end
   function self.close()
      orders:close()
      answers:close()
   end
   return self
end

--- Starts `python3 bench/peer/SCRIPT.py ARGUMENTS` likewise.
function peer.pytorch(script, arguments)
   return peer.program(('exec %s bench/peer/%s.py %s'):format(quote(os.getenv 'PYTHON' or 'python3'), script, arguments or ''))
end

--- The peer that the options name, or nil. Prints a message if it is missing.
function peer.wanted(options, script, arguments)
   if options.peer == '' then return nil end
   if options.peer ~= 'pytorch' then
      print(('note: no comparison with %s: the only peer is pytorch'):format(options.peer))
      return nil
   end
   local found, why = peer.pytorch(script, arguments)
   if not found then print(('note: no comparison with PyTorch: %s'):format(why)) end
   return found
end

return peer
