-- test/support/shell.lua - commands of the shell, for specs and for the programs of test/.
local shell = {}

--- A text as one word of a command.
function shell.quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

--- Runs a command, without input if it names none. Returns both streams together and the status.
function shell.run(command)
   local p = assert(io.popen(('{ %s\n} 2>&1 </dev/null; echo "status $?"'):format(command)))
   local out, status = p:read '*a':match '^(.*)status (%d+)\n$'
   p:close()
   return out, tonumber(status)
end

--- Runs a command and wants it to succeed. Returns its output.
function shell.ok(command)
   local out, status = shell.run(command)
   if status ~= 0 then
      error(('status %d of: %s\n%s'):format(status, command, out:sub(-4000)), 2)
   end
   return out
end

--- Is there a program of this name?
function shell.has(program) return select(2, shell.run('command -v ' .. program)) == 0 end

return shell
