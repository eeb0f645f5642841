-- lua/feed/library.lua - opens C libraries of readers on first use.
local ffi = require 'ffi'
local environment = require 'torch.environment'

--- A library, opened by ffi.load: the file that the environment variable names, else `name`, else `plain` by the linker's
-- rules. If none of them can be opened, the error is `missing`.
return function(variable, name, plain, missing)
   for _, file in ipairs { environment.get(variable) or name, plain } do
      local ok, found = pcall(ffi.load, file)
      if ok then return found end
   end
   error(missing, 0)
end
