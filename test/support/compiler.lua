-- test.support.compiler - turns LuaJIT's compiler on around each test: the runner may have turned
-- it off.
--
-- require 'test.support.compiler'(before_each, after_each), inside of describe.
return function(before_each, after_each)
   local was
   before_each(function()
      was = jit.status()
      jit.on()
   end)
   after_each(function() if not was then jit.off() end end)
end
