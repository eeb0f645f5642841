-- env - the environment of th's programs for another LuaJIT: print that shows tables, require of files, import.
local names = require 'trepl.names'
rawset(_G, 'print', names.print_new)
rawset(_G, 'import', names.import)
rawset(_G, 'require', require 'torch.require'.require)
return true
