-- test/torch/storage_races_spec.lua - memory and its counters are shared by threads: lib/core/storage.c and block.c under ThreadSanitizer.
-- runs once, on the plain build: it starts a compiler
local emulated = require 'test.support.emulated'
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local function sh(line) return (shell.run(line)) end

-- The rest of the library is not compiled with ThreadSanitizer. The attribute in storage.c is for Lua alone, which reads counters.
local function compiled()
   local program = temporary.name ''
   local said = sh(("cc -O1 -g -std=c11 -D_GNU_SOURCE -fwrapv -Dno_sanitize_thread=unused -Ilib/include -fsanitize=thread test/support/races.c "
      .. "lib/core/storage.c lib/core/block.c -o '%s' build/libth.so -Wl,-rpath,'%s/build' -lpthread"):format(program, sh 'pwd':gsub('\n', '')))
   return program, said
end

describe('threads that make and free storages at the same time', function()
   local sources = io.open 'lib/core/storage.c'
   if not sources then return pending 'needs the sources of the library' end
   sources:close()
   local why = emulated 'ThreadSanitizer'
   if why then return pending(why) end
   it('have no data race, count all bytes, and raise the peak', function()
      local program, said = compiled()
      assert.equal('', said)
      assert.equal('failed 0, bytes 0, storages 0, peak counted\n',
         sh(("TSAN_OPTIONS=report_mutex_bugs=0:allocator_may_return_null=1 '%s'"):format(program)))
   end)
end)

teardown(temporary.remove)
