-- test/run.lua [busted's options] FILE... - runs specs under busted; the last line says "N passed, N failed".
arg[#arg + 1], arg[#arg + 2] = '-o', 'test/report.lua'
if #arg == 2 then table.insert(arg, 1, 'test') end
local ok, why = pcall(function() require 'busted.runner' { standalone = false } end)
if why then io.stderr:write(tostring(why), '\n') end
os.exit(ok and 0 or 1)
