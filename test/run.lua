-- test/run.lua [busted's options] FILE... - runs specs under busted; the last line says "N passed, N failed".
local ffi = require 'ffi'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'
ffi.C.setenv('TH', arg[-1], 0)               -- which th specs start, unless the environment says so already
local options = arg                          -- busted reads the global `arg`
if #options == 0 then options[1] = 'test' end
table.insert(options, 1, '--output=test/report.lua')
table.insert(options, 1, '--ignore-lua')     -- in this very process: this th may be a sanitized one
local ok, why = pcall(function() require 'busted.runner' { standalone = false } end)
if why then io.stderr:write(tostring(why), '\n') end
os.exit(ok and 0 or 1)
