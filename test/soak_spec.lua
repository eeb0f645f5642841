-- test/soak_spec.lua - runs test/soak.lua briefly, and checks that it detects growth.
-- runs once, on the plain build: sanitizers keep for a while what was given back
local temporary = require 'test.temporary'
local paths = require 'paths'

local TH = os.getenv 'TH' or 'build/bin/th'

local function run(options)
   local p = io.popen(("timeout 300 '%s' test/soak.lua %s 2>&1 </dev/null; echo status $?"):format(TH, options))
   local out, status = p:read '*a':match '^(.*)status (%d+)\n$'
   p:close()
   return out, tonumber(status)
end

-- A run of one activity that is planted.
local function with(activity, options)
   local folder = temporary.name '.soak'
   assert(paths.mkdir(folder))
   local f = assert(io.open(folder .. '/planted.lua', 'w'))
   f:write(activity)
   f:close()
   local out, status = run(("-folder '%s' -only planted %s"):format(folder, options or '-minutes 0.05 -warm 2'))
   paths.rmall(folder, 'yes')
   return out, status
end

teardown(temporary.remove)

describe('test/soak.lua', function()
   it('passes two rounds of all activities', function()
      local out, status = run '-rounds 2'
      assert.equal(0, status, out)
      assert.truthy(out:find '\nsoak: 2 rounds, 0 faults: passed\n$', out)
   end)
   it('passes for a moment, with a line of what it measures, and memory is flat where there was time to judge it', function()
      local out, status = run '-minutes 0.4 -every 5 -only save,errors,memory,threads,workers'
      assert.equal(0, status, out)
      assert.truthy(out:find '\n *%d+%.%d min +%d+ rounds +%d+%.%d MB resident', out)
      assert.truthy(out:find '\nresident memory: median %d+', out)
      assert.truthy(out:find '\ndescriptors: %d+ to %d+: steady\nthreads: %d+ to %d+: steady\nchildren: 0 to 0: steady\n', out)
      assert.truthy(out:find '\nsoak: 0.4 minutes, %d+ rounds, 0 faults, .*: passed\n$', out)
   end)
   it('passes an activity that does nothing', function()
      local out, status = with 'return function() os.execute "sleep 0.05" end'
      assert.equal(0, status, out)
   end)
   it('sees memory that is lost', function()
      local out, status = with [[
         local ffi = require 'ffi'
         ffi.cdef 'void *malloc(size_t)'
         return function() ffi.fill(ffi.C.malloc(500000), 500000) os.execute 'sleep 0.02' end]]
      assert.equal(1, status, out)
      assert.truthy(out:find 'resident memory: [^\n]*NOT FLAT\nallocated memory: [^\n]*NOT FLAT\n', out)
   end)
   it('sees memory of Lua that is kept', function()
      local out, status = with [[
         local kept = {}
         return function(soak) kept[soak.round] = ('x'):rep(300000) .. soak.round os.execute 'sleep 0.02' end]]
      assert.equal(1, status, out)
      assert.truthy(out:find 'allocated memory: [^\n]*NOT FLAT\n', out)
   end)
   it('sees descriptors, threads and processes that are left', function()
      local out, status = with [[
         local kept, worker = {}, require 'torch.worker'
         return function(soak)
            kept[#kept + 1] = io.open '/dev/null'
            kept[#kept + 1] = worker.new 'test.echo'
            kept[#kept + 1] = io.popen 'sleep 20'
         end]]
      assert.equal(1, status, out)
      for _, what in ipairs { 'descriptors', 'threads', 'children' } do
         assert.truthy(out:find('\n' .. what .. ': %d+ to %d+: GROWING\n'), out)
      end
   end)
   it('sees files that are left, and results that are wrong', function()
      local out, status = with([[
         return function(soak)
            io.open(soak:file 'left', 'w'):close()
            if soak.round == 2 then error 'a wrong result' end
         end]], '-rounds 3')
      assert.equal(1, status, out)
      assert.truthy(out:find '\nround 1, planted: 1 files are left in its folder\n', out)
      assert.truthy(out:find '\nround 2, planted: [^\n]*a wrong result\n', out)
      assert.truthy(out:find '\nsoak: 3 rounds, 4 faults: FAILED\n$', out)
   end)
   it('says how it is used', function()
      local out, status = run '-minutes 0'
      assert.equal(1, status)
      assert.truthy(out:find('soak: -minutes must be a number above 0', 1, true), out)
      assert.truthy(run '-nothing 1':find 'usage: th test/soak.lua .*unknown option or missing value: %-nothing')
      assert.truthy(run '-list':find '^train\nsave\n')
   end)
end)
