-- test/tools/soak_spec.lua - runs test/soak.lua briefly, and checks that it detects growth.
-- runs once, on the plain build: sanitizers keep for a while what was given back
local temporary = require 'test.support.temporary'
local paths = require 'paths'

local TH = os.getenv 'TH' or 'build/bin/th'

-- Starts a soak; returns what waits for its end and gives what it has printed, and its status.
local function start(options)
   local p = io.popen(("timeout 300 '%s' test/soak.lua %s 2>&1 </dev/null; echo status $?"):format(TH, options))
   return function()
      local out, status = p:read '*a':match '^(.*)status (%d+)\n$'
      p:close()
      return out, tonumber(status)
   end
end
local function run(options) return start(options)() end

-- A run of one activity that is planted.
local function with(activity, options)
   local folder = temporary.name '.soak'
   assert(paths.mkdir(folder))
   local f = assert(io.open(folder .. '/planted.lua', 'w'))
   f:write(activity)
   f:close()
   local wait = start(("-folder '%s' -only planted %s"):format(folder, options or '-minutes 0.08 -warm 2'))
   return function()
      local out, status = wait()
      paths.rmall(folder, 'yes')
      return out, status
   end
end

teardown(temporary.remove)

-- Runs of a fixed time, and activities that mostly sleep, go on at the same time. What leaks is seen in a few rounds, for a busy
-- machine does no more.
local planted, moment = {}, nil
setup(function()
   moment = start '-minutes 0.4 -every 5 -only save,errors,memory,threads,workers'
   planted.nothing = with 'return function() os.execute "sleep 0.05" end'
   planted.lost = with [[
      local ffi = require 'ffi'
      ffi.cdef 'void *malloc(size_t)'
      return function() ffi.fill(ffi.C.malloc(3e6), 3e6) os.execute 'sleep 0.02' end]]
   planted.kept = with [[
      local kept = {}
      return function(soak) kept[soak.round] = ('x'):rep(2e6) .. soak.round os.execute 'sleep 0.02' end]]
   planted.left = with [[
      local kept, worker = {}, require 'torch.worker'
      return function(soak)
         kept[#kept + 1] = io.open '/dev/null'
         kept[#kept + 1] = worker.new 'test.support.worker_echo'
         kept[#kept + 1] = io.popen 'sleep 20'
         os.execute 'sleep 0.05'
      end]]
   planted.files = with([[
      return function(soak)
         io.open(soak:file 'left', 'w'):close()
         if soak.round == 2 then error 'a wrong result' end
      end]], '-rounds 3')
end)

describe('test/soak.lua', function()
   it('passes two rounds of all activities', function()
      local out, status = run '-rounds 2'
      assert.equal(0, status, out)
      assert.truthy(out:find '\nsoak: 2 rounds, 0 faults: passed\n$', out)
   end)
   it('passes for a moment, with a line of what it measures, and memory is flat where there was time to judge it', function()
      local out, status = moment()
      assert.equal(0, status, out)
      assert.truthy(out:find '\n *%d+%.%d min +%d+ rounds +%d+%.%d MB resident', out)
      assert.truthy(out:find '\nresident memory: median %d+', out)
      assert.truthy(out:find '\ndescriptors: %d+ to %d+: steady\nthreads: %d+ to %d+: steady\nchildren: 0 to 0: steady\n', out)
      assert.truthy(out:find '\nsoak: 0.4 minutes, %d+ rounds, 0 faults, .*: passed\n$', out)
   end)
   it('passes an activity that does nothing', function()
      local out, status = planted.nothing()
      assert.equal(0, status, out)
   end)
   it('sees memory that is lost', function()
      local out, status = planted.lost()
      assert.equal(1, status, out)
      assert.truthy(out:find 'resident memory: [^\n]*NOT FLAT\nallocated memory: [^\n]*NOT FLAT\n', out)
   end)
   it('sees memory of Lua that is kept', function()
      local out, status = planted.kept()
      assert.equal(1, status, out)
      assert.truthy(out:find 'allocated memory: [^\n]*NOT FLAT\n', out)
   end)
   it('sees descriptors, threads and processes that are left', function()
      local out, status = planted.left()
      assert.equal(1, status, out)
      for _, what in ipairs { 'descriptors', 'threads', 'children' } do
         assert.truthy(out:find('\n' .. what .. ': %d+ to %d+: GROWING\n'), out)
      end
   end)
   it('sees files that are left, and results that are wrong', function()
      local out, status = planted.files()
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
