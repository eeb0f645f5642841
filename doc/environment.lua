-- doc/environment.lua - writes doc/environment.md from the table of lua/torch/environment.lua; `./dev docs` runs it.
local environment = require 'torch.environment'

local M = { page = 'doc/environment.md' }

--- The page, as text.
function M.text()
   local out = { [[
# Environment variables

`./dev docs` writes this page from the table in `lua/torch/environment.lua`. A spec compares the table with the variables that
the sources name. Lua reads them by `torch.environment`'s `get`, C by `th_environment` (`lib/core/environment.h`).
]] }
   for _, section in ipairs(environment.sections) do
      out[#out + 1] = ('\n## %s\n| variable | values | without it | what it does |\n|---|---|---|---|\n'):format(section[1])
      for _, row in ipairs(section[2]) do out[#out + 1] = ('| `%s` | %s | %s | %s |\n'):format(unpack(row)) end
   end
   return table.concat(out)
end

if arg and arg[0] and arg[0]:find 'doc/environment%.lua$' then
   local f = assert(io.open(M.page, 'w'))
   f:write(M.text())
   f:close()
end

return M
