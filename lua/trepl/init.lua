-- trepl - the prompt of th as a package: require 'trepl' brings its globals, and its print in the place of Lua's.
local names = require 'trepl.names'
for name, value in pairs(names) do rawset(_G, name, value) end
rawset(_G, 'print', names.print_new)
return names.repl
