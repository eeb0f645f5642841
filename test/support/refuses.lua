-- test/support/refuses.lua - a call that must fail, with a message that holds the given text; gives the message.
local assert = require 'luassert'

return function(text, f, ...)
   local ok, why = pcall(f, ...)
   why = tostring(why)
   assert.is_false(ok)
   assert.truthy(why:find(text, 1, true), why)
   return why
end
