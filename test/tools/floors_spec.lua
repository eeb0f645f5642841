-- test/tools/floors_spec.lua - cmake/floors.lua: no file uses a higher floor, and no circle is new.
-- runs once
local temporary = require 'test.support.temporary'
local sh = require 'test.support.shell'.run
local root

local function floors() return sh(("luajit cmake/floors.lua '%s'"):format(root)) end

-- Appends text to a file of the copy; returns a function that undoes that.
local function append(name, text)
   local path = root .. '/' .. name
   local f = io.open(path)
   local before = f and f:read '*a' or ''
   if f then f:close() end
   f = assert(io.open(path, 'w'))
   f:write(before, '\n', text, '\n')
   f:close()
   return function()
      f = assert(io.open(path, 'w'))
      f:write(before)
      f:close()
   end
end

-- What the check prints after text was appended to a file of the copy.
local function with(name, text)
   local undo = append(name, text)
   local out, status = floors()
   undo()
   return out, status
end

describe('the floors', function()
   setup(function()
      root = temporary.name '.tree'
      local _, status = sh(("mkdir -p '%s/doc' && cp -r lib cunn lua nn '%s' && cp doc/architecture.md '%s/doc'"):format(root, root, root))
      assert.equal(0, status)
   end)
   teardown(function()
      sh(("rm -r '%s'"):format(root))
      temporary.remove()
   end)

   it('hold in this checkout', function()
      assert.same({ '', 0 }, { floors() })
   end)
   it('do not hold with a header of a higher floor', function()
      local out, status = with('lib/core/status.c', '#include "../op/op.h"')
      assert.equal(1, status)
      assert.equal('lib/core/status uses lib/op/op (../op/op.h): floor 1 must not use floor 3\n', out)
   end)
   it('do not hold with a function of a higher floor', function()
      local out, status = with('lib/core/status.c', 'static int n(void) { return th_npy_parse(); }')
      assert.equal(1, status)
      assert.matches('^lib/core/status uses lib/io/npy %(th_npy_parse%): floor 1 must not use floor 2\n', out)
   end)
   it('do not hold with a package of a higher floor, required in a function', function()
      local out, status = with('lua/torch/cmdline.lua', "local function f() return require 'optim' end f()")
      assert.equal(1, status)
      assert.matches('lua/torch/cmdline.lua uses lua/optim/init.lua %(optim%): floor 10 must not use floor 14\n', out)
   end)
   it('are the same for folders that stand side by side', function()
      local out, status = with('lib/tds/vec.c', '#include "../fft/plan.h"')
      assert.equal(1, status)
      assert.matches('lib/tds/vec uses lib/fft/plan %(../fft/plan.h%): floor 2 must not use floor 2\n', out)
   end)
   it('refuse a new circle, and name a way round', function()
      local out, status = with('lua/optim/sgd.lua', "require 'optim.adam'")
      assert.same({ '', 0 }, { out, status })
      local undo = append('lua/optim/adam.lua', "require 'optim.sgd'")
      out, status = with('lua/optim/sgd.lua', "require 'optim.adam'")
      undo()
      assert.equal(1, status)
      assert.matches('^a new circle: `lua/optim/adam.lua` `lua/optim/sgd.lua`: lua/optim/adam.lua uses lua/optim/sgd.lua %(optim.sgd%); '
         .. 'lua/optim/sgd.lua uses lua/optim/adam.lua %(optim.adam%)\n$', out)
   end)
   it('refuse a known circle that grows, and one that is gone', function()
      local undo = append('doc/architecture.md', '- circle: `lua/optim/adam.lua` `lua/optim/sgd.lua`')
      local gone = floors()
      local undo_adam = append('lua/optim/adam.lua', "require 'optim.adagrad'")
      local undo_adagrad = append('lua/optim/adagrad.lua', "require 'optim.sgd'")
      local grown = with('lua/optim/sgd.lua', "require 'optim.adam'")
      undo_adagrad()
      undo_adam()
      undo()
      assert.equal('doc/architecture.md lists lua/optim/adam.lua in a circle, but it is in none\n'
         .. 'doc/architecture.md lists lua/optim/sgd.lua in a circle, but it is in none\n', gone)
      assert.matches('^a circle grows by `lua/optim/adagrad.lua`: ', grown)
      assert.same({ '', 0 }, { floors() })
   end)
   it('refuse a known arrow that is gone', function()
      assert.matches('^doc/architecture.md lists an arrow that is gone: lib/core/status lib/op/op\n$',
         (with('doc/architecture.md', '- arrow: `lib/core/status` `lib/op/op`')))
   end)
   it('know every folder', function()
      sh(("mkdir '%s/lib/attic'"):format(root))
      local out = with('lib/attic/box.c', '#include "../core/core.h"')
      sh(("rm -r '%s/lib/attic'"):format(root))
      assert.matches('^lib/attic has no floor in doc/architecture.md\n', out)
   end)
end)
