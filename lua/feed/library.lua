-- lua/feed/library.lua - C libraries that readers open when they are first used.
local ffi = require 'ffi'

--- A library as ffi.load gives it: the file that the environment's variable names, else `name`, else `plain` by the linker's
-- rules. Errors: `missing`, where none of them can be opened.
return function(variable, name, plain, missing)
   for _, file in ipairs { os.getenv(variable) or name, plain } do
      local ok, found = pcall(ffi.load, file)
      if ok then return found end
   end
   error(missing, 0)
end
