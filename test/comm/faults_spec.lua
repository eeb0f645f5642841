-- test/comm/faults_spec.lua - a job whose ranks are killed ends with the same bits; one with a
-- stopped rank names it. And thrun leaves no processes.
-- runs once
local faults = require 'test.support.comm.faults'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local ffi = require 'ffi'
ffi.cdef 'int kill(int, int); int usleep(unsigned);'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

-- Runs a shell script that prints its process numbers as 'pid N', and checks that none of them is
-- left shortly afterwards. `wanted`: how many there are (optional).
local function leaves_nothing(script, wanted)
   local status, out, err = ranks.sh(("sh '%s'"):format(temporary.put(script, '.sh')))
   local count = 0
   for pid in out:gmatch 'pid (%d+)' do
      count = count + 1
      local alive
      for _ = 1, 100 do
         local f = io.open(('/proc/%s/stat'):format(pid))
         alive = f and f:read '*a':match '%) (.)'
         if f then f:close() end
         if not alive or alive == 'Z' then break end
         ffi.C.usleep(20000)
      end
      assert.is_true(not alive or alive == 'Z', ('process %s lives: %s'):format(pid, out .. err))
   end
   if wanted then assert.equal(wanted, count, out .. err) end
   return status, out, err
end

describe('a job under thrun --restarts', function()
   local calm
   setup(function()
      math.randomseed(os.time())
      calm = faults.calm(ranks.thrun, 3)
   end)
   local function none_wrong(what, rank, _, wrong) assert.is_nil(wrong, ('%s, rank %d: %s'):format(what, rank, tostring(wrong))) end

   for _, moment in ipairs { 'init', 'collective', 'part', 'renamed', 'finish' } do
      it('ends with the bits of an undisturbed job, and loses at most the steps since its last commit, when a rank is killed: '
         .. moment, function() faults.kill(calm, 1, moment, none_wrong) end)
   end

   it('does so when ranks are killed at random times', function() faults.kill(calm, 3, nil, none_wrong) end)

   it('names a rank that is stopped at a random time', function() faults.stop(calm, 1, none_wrong) end)
end)

describe('thrun', function()
   it('takes the programs that ranks have started with it, when it is killed', function()
      local script = ranks.script [[
         print('pid ' .. pid()) io.stdout:flush()
         dist.barrier()
         os.execute 'sh -c "echo pid $$; exec sleep 50"']]
      leaves_nothing(([['%s' -n 2 '%s' >%s.out & p=$!
         until [ $(grep -c pid %s.out) = 4 ]; do sleep 0.05; done
         kill -9 $p; cat %s.out; rm %s.out]]):format(ranks.thrun, script, script, script, script, script), 4)
   end)

   for signal, status in pairs { INT = 130, TERM = 143, HUP = 129 } do
      it(('leaves no process behind at SIG%s, and ends with status %d'):format(signal, status), function()
         local script = ranks.script [[
            print('pid ' .. pid()) io.stdout:flush()
            dist.barrier()
            os.execute 'sh -c "trap true INT TERM; echo pid $$; sleep 50; sleep 50"']]
         local got, _, err = leaves_nothing(([['%s' -n 2 --grace 0.5 '%s' >%s.out & p=$!
            until [ $(grep -c pid %s.out) = 4 ]; do sleep 0.05; done
            kill -%s $p; wait $p; status=$?; cat %s.out; rm %s.out; exit $status]]):format(ranks.thrun, script, script, script, signal,
               script, script), 4)
         assert.equal(status, got, err)
         has(err, 'thrun: interrupted')
      end)
   end

   it('ends and names a rank that is stopped when no other waits for it any more', function()
      local status, _, err = ranks.run(3, [[
         dist.barrier()
         if dist.rank() == 1 then os.execute 'kill -STOP $PPID' end]], '--deadline 1', 'dist.init() ')
      assert.equal(137, status)
      has(err, 'thrun: rank 1 has not ended within 1 s: its process')
   end)

   it('leaves nothing behind when it cannot start all ranks', function()
      local status, out, err = leaves_nothing(("ulimit -n 14; '%s' -n 8 -- sh -c 'echo pid $$; sleep 50'"):format(ranks.thrun))
      assert.equal(1, status, out)
      has(err, 'thrun: cannot make a pipe: Too many open files')
   end)
end)

teardown(temporary.remove)
