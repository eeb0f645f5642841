-- test/tools/dev_spec.lua - ./dev, the command for developers of the project.
-- runs once, on the plain build: it starts programs that know nothing of sanitizers
local sh = require 'test.support.shell'.run

describe('./dev', function()
   it('says how it is used', function()
      local out, status = sh './dev help'
      assert.equal(0, status)
      assert.matches('usage: ./dev COMMAND', out)
      out, status = sh './dev nonsense'
      assert.equal(2, status)
      assert.matches('usage: ./dev COMMAND', out)
   end)

   it('fuzz says which targets there are', function()
      local out, status = sh './dev fuzz nonsense'
      assert.equal(1, status)
      local names = {}
      for name in (sh 'LC_ALL=C ls test/fuzz/*.c'):gmatch '([^/]+)%.c\n' do
         names[#names + 1] = name
      end
      assert.is_true(#names > 10)
      local want = ("NAME must be one of %s, got 'nonsense'"):format(table.concat(names, ' '))
      assert.truthy(out:find(want, 1, true), out)
      assert.matches("SECONDS must be a whole number, got '%-1'", (sh './dev fuzz zip -1'))
   end)

   it('docs refuses options', function()
      assert.same({ "dev: docs: there are no options, got '-fast'\n", 1 }, { sh './dev docs -fast' })
   end)

   it('check and soak refuse what they do not have', function()
      local out, status = sh './dev check --short'
      assert.equal(1, status)
      assert.matches("check: there is no option '%-%-short', only %-%-fast and %-%-long", out)
      out, status = sh './dev check --long 1h'
      assert.equal(1, status)
      assert.matches("check: MINUTES must be a whole number, got '1h'", out)
      out, status = sh './dev soak 0'
      assert.equal(1, status)
      assert.matches('soak: %-minutes must be a number above 0', out)
   end)

   it('check --fast runs the specs that belong to a file by name', function()
      local dir = os.tmpname()
      os.remove(dir)
      assert.equal(0, (select(2, sh(('mkdir %s && cp dev %s/ && cd %s && mkdir -p test/op test/feed test/tools lib/op lua/feed'):format(dir, dir, dir)))))
      local function specs_of(file) return (sh(('cd %s && ./dev .specs-of %s'):format(dir, file))) end
      sh(('cd %s/test && touch op/mm_spec.lua feed/loader_spec.lua ' ..
         'feed/order_spec.lua tools/batch_spec.lua tools/hammer_spec.lua && ' ..
         'echo transpose > op/registry_spec.lua'):format(dir))
      assert.equal('test/op/mm_spec.lua\ntest/op/registry_spec.lua\n', specs_of 'lib/op/mm.c')
      assert.equal('test/feed/loader_spec.lua\ntest/feed/order_spec.lua\ntest/tools/batch_spec.lua\n', specs_of 'lua/feed/batch.lua')
      assert.equal('test/op/registry_spec.lua\n', specs_of 'lib/cpu/transpose.h')
      assert.equal('test/tools/doc_spec.lua\n', specs_of 'doc/fft.md')
      assert.equal('', specs_of 'lib/cpu/nothing.c')
      sh('rm -r ' .. dir)
      local out, status = sh './dev check --fast no-such-commit'
      assert.equal(1, status)
      assert.matches("check %-%-fast: there is no commit 'no%-such%-commit'", out)
   end)

   it('build makes a tree anew that the checkout of another folder made', function()
      local dir = sh 'mktemp -d':gsub('\n', '')
      sh(("cp dev '%s' && echo 'cmake_minimum_required(VERSION 3.18)\nproject(x NONE)' > '%s/CMakeLists.txt' && mkdir '%s/build'"):format(dir, dir, dir))
      sh(("cd '%s/build' && echo 'CMAKE_HOME_DIRECTORY:INTERNAL=/nowhere' > CMakeCache.txt && touch Makefile left-over"):format(dir))
      local out, status = sh(("cd '%s' && ./dev build"):format(dir))
      assert.equal(0, status, out)
      assert.matches('dev: build was made for /nowhere; compiling anew\n', out)
      assert.not_equal(0, select(2, sh(("test -e '%s/build/left-over'"):format(dir))))
      out = sh(("cd '%s' && ./dev build"):format(dir))
      assert.is_nil(out:find('anew', 1, true))
      os.execute(("rm -rf '%s'"):format(dir))
   end)

   it('build says nothing when there is nothing to do', function()
      assert.same({ '', 0 }, { sh './dev build' })
   end)

   it('counts what passed and failed over all levels, crashes included', function()
      local dir = os.tmpname()
      os.remove(dir)
      assert.equal(0, (select(2, sh('mkdir ' .. dir))))
      local function spec(name, text)
         local f = assert(io.open(dir .. '/' .. name, 'w'))
         f:write('-- a spec\n-- runs once\n', text)
         f:close()
         return dir .. '/' .. name
      end
      local good = spec('good_spec.lua', 'describe("a", function() it("b", function() end) it("c", function() end) end)')
      local bad = spec('bad_spec.lua', 'describe("a", function() it("b", function() error "boo" end) it("c", function() end) end)')
      local crash = spec('crash_spec.lua', 'describe("a", function() it("b", function() require("ffi").cast("int *", 0)[0] = 1 end) end)')
      local quit = spec('quit_spec.lua', 'describe("a", function() it("b", function() os.exit(0) end) end)')
      local out, status = sh('./dev test ' .. good)
      assert.equal(0, status)
      assert.matches('\n2 passed, 0 failed\n$', out)
      out, status = sh(('./dev test %s %s %s %s'):format(good, bad, crash, quit))
      assert.equal(1, status)
      assert.matches('boo', out)
      assert.matches('\n3 passed, 3 failed\n$', out)
      sh('rm -r ' .. dir)
   end)

   it('prints the one line to type when it may not install', function()
      -- A path without the compiler, and no terminal for a password.
      local dir = os.tmpname()
      os.remove(dir)
      local tools = 'sh dirname nproc ldconfig grep cat env mktemp rm apt-get id'
      assert.equal(0, (select(2, sh(('mkdir %s && for t in %s; do ln -s "$(command -v $t || echo /bin/true)" %s/$t; done && rm %s/id && printf "#!/bin/sh\necho 1000\n" >%s/id && chmod +x %s/id')
         :format(dir, tools, dir, dir, dir, dir)))))
      local out, status = sh(('PATH=%s %s/sh ./dev build'):format(dir, dir))
      assert.equal(1, status)
      assert.matches('sudo apt%-get update && sudo apt%-get install %-y %-%-no%-install%-recommends [^\n]*gcc[^\n]*cmake', out)
      sh('rm -r ' .. dir)
   end)
end)
