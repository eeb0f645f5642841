-- torch.interpret: code that runs once, without LuaJIT's compiler.
local compiler = require 'test.support.compiler'
local interpret = require 'torch.interpret'

describe('torch.interpret', function()
   compiler(before_each, after_each)

   local function status() return (jit.status()) end

   it('turns the compiler off for a call, and on again behind it', function()
      local off, a, b = interpret.run(function(x, y) return status(), y, x end, 1, nil)
      assert.same({ false, nil, 1 }, { off, a, b })
      assert.is_true(status())
   end)

   it('turns it on again behind an error, whose text it keeps', function()
      local ok, why = pcall(interpret.run, function() error('no luck', 0) end)
      assert.same({ false, 'no luck', true }, { ok, why, status() })
   end)

   it('turns it on for loops below such a call, and off behind them', function()
      local inside, behind = interpret.run(function()
         return interpret.compile(function(x) return status() and x end, 5), status()
      end)
      assert.same({ 5, false, true }, { inside, behind, status() })
      local ok, after, now = interpret.run(function()
         local good = pcall(interpret.compile, function() error 'no' end)
         return good, status(), 1
      end)
      assert.same({ false, false, 1, true }, { ok, after, now, status() })
   end)

   it('turns it on for the rest of a call', function()
      local before, behind = interpret.run(function()
         local was_on = status()
         interpret.resume()
         return was_on, status()
      end)
      assert.same({ false, true, true }, { before, behind, status() })
      interpret.resume()
      assert.is_true(status())
   end)

   it('leaves a compiler off that the program has turned off', function()
      jit.off()
      assert.is_false((interpret.run(status)))
      assert.is_false((interpret.compile(status)))
      assert.is_false(status())
   end)

   it('nests', function()
      assert.is_false(interpret.run(function() return interpret.run(status) or status() end))
      assert.is_true(status())
   end)
end)
