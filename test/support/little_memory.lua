-- test/support/little_memory.lua - little_memory(bytes, f, ...): pcall(f, ...) while tensors may take no more than so many bytes beyond what
-- they hold.
local C = require 'torch.lib'.C
local memory = C.th_memory_of(0)

return function(bytes, f, ...)
   collectgarbage()
   collectgarbage()
   memory.most = C.th_memory_of(0).bytes + bytes
   local ok, why = pcall(f, ...)
   memory.most = 0
   return ok, why
end
