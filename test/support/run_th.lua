-- test/support/run_th.lua - runs th for specs of the prompt and of errors.
local shell = require 'test.support.shell'
local M = {}

local TH = os.getenv 'TH' or 'build/bin/th'

local function temporary(text)
   local name = os.tmpname()
   local f = assert(io.open(name, 'w'))
   f:write(text or '')
   f:close()
   return name
end

--- Runs th with these arguments; returns both streams together and the exit status.
function M.th(args, input, env)
   local name = temporary(input)
   local out, status = shell.run(('%s %s %s <%s'):format(env or '', shell.quote(TH), args, name))
   os.remove(name)
   return out, status
end

--- What the prompt answers to these lines.
function M.prompt(input, env) return (M.th('-i', input .. '\n', 'TH_HISTORY= ' .. (env or ''))) end

--- What a script writes; its name is replaced by main.lua.
function M.script(text, env)
   local name = temporary(text)
   local out, status = M.th(name, nil, env)
   os.remove(name)
   return out:gsub(name:gsub('%p', '%%%0'), 'main.lua'), status
end

return M
