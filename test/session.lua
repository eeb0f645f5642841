-- test/session.lua - records test/torch/session.txt again: th test/session.lua. The inputs are those of the file; read the
-- difference before you commit it.
local session = require 'test.support.session'

local name = 'test/torch/session.txt'
local f = assert(io.open(name))
local old = f:read '*a'
f:close()
local text = session.play(os.getenv 'TH' or 'build/bin/th', session.inputs(old))
f = assert(io.open(name, 'w'))
f:write(text)
f:close()
print(text == old and 'session: unchanged' or 'session: changed, see git diff ' .. name)
