-- test/support/comm/progress.lua - files in which ranks write their progress for their parent, even if either
-- dies.
local log = {}

function log.append(name, text)
   local f = assert(io.open(name, 'a'))
   f:write(text)
   f:close()
end

--- The bytes of a file; 0 if it does not exist.
function log.read(name)
   local f = io.open(name, 'rb')
   local text = f and f:read '*a' or ''
   if f then f:close() end
   return text
end

return log
