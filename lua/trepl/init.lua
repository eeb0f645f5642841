-- trepl - the prompt of th as a package: require 'trepl' defines its globals, and replaces Lua's print by its own.
local names = require 'trepl.names'
for name, value in pairs(names) do rawset(_G, name, value) end
rawset(_G, 'print', names.print_new)
return names.repl
