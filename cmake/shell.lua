-- cmake/shell.lua - what the programs that pack Cresset need of the shell.
local shell = {}

--- A text as one word of a command.
function shell.quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

--- A function that prints its message in the name of the program, and ends it with status 1.
function shell.stopper(program)
   return function(...)
      io.stderr:write(program, ': ', (...):format(select(2, ...)), '\n')
      os.exit(1)
   end
end

--- A function that runs a command, made as by string.format, and returns what it prints. `stop` ends the program if it fails.
function shell.runner(stop)
   return function(...)
      local command = (...):format(select(2, ...))
      local pipe = io.popen(('{ %s\n} 2>&1; echo "status $?"'):format(command))
      local out, status = pipe:read '*a':match '^(.*)status (%d+)\n$'
      pipe:close()
      if status ~= '0' then stop('%s: %s', command, out) end
      return out
   end
end

--- Writes a text to a file, or stops.
function shell.write(stop, name, text)
   local f, why = io.open(name, 'wb')
   if not f or not f:write(text) or not f:close() then stop('cannot write %s: %s', name, tostring(why)) end
end

return shell
