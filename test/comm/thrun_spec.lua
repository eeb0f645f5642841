-- test/comm/thrun_spec.lua - the launcher: its output, its status, and ranks that die, stop or
-- never join.
-- runs once
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end
local function lines(text)
   local list = {}
   for line in text:gmatch '[^\n]*\n' do list[#list + 1] = line end
   return list
end

-- Whether a process ends within ten seconds.
local function ends(pid)
   for _ = 1, 100 do
      local f = io.open('/proc/' .. pid .. '/stat')
      if not f then return true end
      local state = (f:read '*l' or ') Z'):match '%) (%a)'
      f:close()
      if state == 'Z' then return true end
      os.execute 'sleep 0.1'
   end
   return false
end

describe('thrun', function()
   it('tells how it is used', function()
      local status, out = ranks.sh(ranks.thrun .. ' --help')
      assert.equal(0, status)
      has(out, 'usage: thrun [options] SCRIPT [args]')
   end)

   it('has the default timeout of dist.init, as the pages say', function()
      local seconds = require 'distributed.lib'.C.TH_DIST_SECONDS
      local function text_of(name)
         local f = assert(io.open(name))
         local text = f:read '*a'
         f:close()
         return text
      end
      local _, out = ranks.sh(ranks.thrun .. ' --help')
      has(out, ('operation may take (default %d)'):format(seconds))
      has(text_of 'doc/man/thrun.1', ('operation may take, %d by default'):format(seconds))
      has(text_of 'lua/distributed/core.lua', ('passes, or %d)'):format(seconds))
      local row = require 'torch.environment'.known().TH_DIST_DEADLINE
      assert.equal(tostring(seconds), row[3])
      assert.equal(seconds, require 'distributed.environment'(function() end).deadline)
   end)

   it('refuses options that it does not have, values that make no sense, and no script', function()
      for _, case in ipairs {
         { '-x a.lua', 'thrun: -x: unknown option' }, { '-n', 'thrun: -n: an argument must follow' }, { '-n 2', 'thrun: no script given' },
         { '-n 0 a.lua', "thrun: -n must be a whole number in 1..64, got '0'" }, { '-n 2x a.lua', "in 1..64, got '2x'" },
         { '--restarts -1 a.lua', '--restarts must be a whole number' }, { '--threads 0 a.lua', '--threads must be a whole number in 1..256' },
         { '--grace x a.lua', "thrun: --grace must be a positive number of seconds, got 'x'" },
         { '--deadline 0 a.lua', '--deadline must be a positive number' }, { "--commit '' a.lua", '--commit must be the name of a folder' },
      } do
         local status, out, err = ranks.sh(ranks.thrun .. ' ' .. case[1])
         assert.equal(2, status, case[1])
         assert.equal('', out)
         has(err, case[2])
      end
   end)

   it('shows each line behind the number of its rank, and gives arguments on', function()
      local status, out, err = ranks.sh(("'%s' -n 2 '%s' one 'two words'"):format(ranks.thrun,
         ranks.script [[io.write(arg[1], '|', arg[2], '\n') if dist.rank() == 1 then io.write 'no newline' end io.stderr:write 'e\n']]))
      assert.equal(0, status)
      local l = lines(out)
      table.sort(l)
      assert.same({ '[0] one|two words\n', '[1] no newline\n', '[1] one|two words\n' }, l)
      l = lines(err)
      table.sort(l)
      assert.same({ '[0] e\n', '[1] e\n' }, l)
   end)

   it('gives each rank its share of the processors, unless told otherwise', function()
      local cores = require 'torch'.getnumcores()
      local _, out = ranks.sh(("'%s' -n %d -- sh -c 'nproc'"):format(ranks.thrun, cores))
      if not os.getenv 'OMP_NUM_THREADS' then has(out, '[0] 1\n') end
      _, out = ranks.sh(("'%s' -n %d --no-bind -- sh -c 'nproc'"):format(ranks.thrun, cores))
      has(out, ('[0] %d\n'):format(cores))
   end)

   it('runs any program', function()
      local status, out = ranks.sh(ranks.thrun .. [[ -n 2 -- sh -c 'echo $TH_DIST_RANK of $TH_DIST_SIZE']])
      assert.equal(0, status)
      has(out, '[1] 1 of 2\n')
      local _, _, err = ranks.sh(ranks.thrun .. ' -n 1 -- /no/such/program')
      has(err, 'thrun: cannot run /no/such/program: No such file')
   end)

   it('shows the first error whole and first, ends the others, and takes its status', function()
      local status, _, err = ranks.run(3, [[
         if dist.rank() == 1 then error 'the cause' end
         if dist.rank() == 2 then os.execute 'sleep 30' end
         dist.barrier()]])
      assert.equal(1, status)
      local l = lines(err)
      has(l[1], '[1] th: ')
      has(l[1], 'the cause')
      has(err, 'thrun: rank 1 ended with status 1\n')
      has(err, 'dist.barrier, operation 1: rank 1 has left the job: its script has ended')
      assert.is_true(err:find 'the cause' < err:find 'has left the job')
      status = ranks.run(2, [[if dist.rank() == 0 then os.exit(7) end os.execute 'sleep 30']])
      assert.equal(7, status)
   end)

   it('kills ranks that do not end', function()
      local status, _, err = ranks.run(2, [[
         if dist.rank() == 0 then error 'stop' end
         os.execute "trap '' TERM; sleep 30" ]], '--grace 0.2')
      assert.equal(1, status)
      has(err, 'thrun: rank 0 ended with status 1')
   end)

   it('spares ranks only while others end well in a job that is whole', function()
      local status, _, err = ranks.sh(("'%s' -n 2 --spare 2 -- false"):format(ranks.thrun))
      assert.equal(2, status)
      has(err, 'thrun: --spare must be less than the number of ranks, 2, got 2')
      status, _, err = ranks.sh(("'%s' -n 2 --spare 1 -- false"):format(ranks.thrun))
      assert.equal(1, status, err)
      status, _, err = ranks.run(2, [[
         if dist.rank() == 1 then os.execute('kill -STOP ' .. pid()) end
         dist.barrier()]], '--spare 1 --grace 0.2', 'dist.init{deadline = 0.5} ')
      assert.equal(1, status)
      has(err, 'is stopped')
   end)

   it('leaves no process behind, and so no memory, when a rank is killed, and when it is killed itself', function()
      local status, out, err = ranks.run(3, [[
         print(pid()) io.stdout:flush()
         dist.barrier()
         if dist.rank() == 2 then os.execute('kill -9 ' .. pid()) end
         dist.allreduce(torch.ones(5))]])
      assert.equal(137, status)
      has(err, 'thrun: rank 2 was killed by signal 9')
      has(err, 'dist.allreduce, operation 2: rank 2 is gone: its process')
      local script = ranks.script [[print(pid()) io.stdout:flush() dist.barrier() io.stderr:write 'joined\n' os.execute 'sleep 5' ]]
      local log = temporary.put ''
      local _, more = ranks.sh(([[sh -c "'%s' -n 2 '%s' 2>'%s' & p=\$!; until grep -q joined '%s'; do sleep 0.1; done; kill -9 \$p"]])
         :format(ranks.thrun, script, log, log))
      local count = 0
      for p in (out .. more):gmatch '%] (%d+)\n' do
         count = count + 1
         assert.is_true(ends(p), 'process ' .. p .. ' lives')
      end
      assert.equal(5, count)
   end)

   it('ends like its ranks when the reader of its output leaves', function()
      local status, out = ranks.sh(("timeout 20 bash -c \"'%s' -n 2 -- yes | head -1; exit \\${PIPESTATUS[0]}\""):format(ranks.thrun))
      assert.truthy(out:find '^%[[01]%] y\n$', out)
      assert.equal(128 + 13, status)
   end)

   it('does not end ranks that write nothing more when the reader of its output leaves', function()
      local name = temporary.put ''
      local _, out = ranks.sh(("sh -c \"'%s' -n 1 -- sh -c 'echo first; sleep 0.3; echo done > %s' | head -1\""):format(ranks.thrun, name))
      assert.equal('[0] first\n', out)
      assert.equal('done\n', io.open(name):read '*a')
   end)

   it('hands Ctrl-C on and ends with status 130', function()
      local script = ranks.script [[dist.barrier() if dist.rank() == 0 then os.execute 'kill -INT $PPID; kill -INT $(ps -o ppid= -p $PPID)' end dist.recv(torch.ones(1), 1 - dist.rank())]]
      local status, _, err = ranks.sh(("'%s' -n 2 --grace 1 '%s'"):format(ranks.thrun, script))
      assert.equal(130, status)
      has(err, 'thrun: interrupted')
   end)

   it('starts again after a failure, as often as requested', function()
      local status, out, err = ranks.run(2, [[
         print('try ' .. dist.restarts())
         dist.barrier()
         if dist.restarts() < 2 and dist.rank() == 1 then error 'not yet' end]], '--restarts 3')
      assert.equal(0, status, err)
      has(out, '[1] try 2')
      has(err, 'thrun: restart 2 of 3')
      assert.is_nil(err:find('restart 3', 1, true))
      assert.equal(1, (ranks.run(1, [[error 'never']], '--restarts 1')))
   end)
end)

describe('a job of Slurm, whose memory has a name', function()
   it('has taken the name away when all are in, so that a killed rank leaves nothing behind', function()
      local script = ranks.script [[
         dist.allreduce(torch.ones(5))
         print('joined ' .. dist.rank()) io.stdout:flush()
         if dist.rank() == 1 then os.execute('kill -9 ' .. pid()) end
         dist.barrier()]]
      local id = script:match '(%w+)%.lua$'
      local environment = ('SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=%s SLURM_STEP_ID=0'):format(id)
      local _, out, err = ranks.sh(([[sh -c "for r in 0 1; do %s SLURM_PROCID=\$r SLURM_LOCALID=\$r '%s' '%s' & done; wait"]])
         :format(environment, ranks.th, script))
      has(out, 'joined 0')
      has(out, 'joined 1')
      has(err, 'dist.barrier, operation 2: rank 1 is gone: its process')
      assert.is_nil(io.open('/dev/shm/cresset-slurm-' .. id .. '-0'))
   end)
end)

describe('a rank that does not come', function()
   it('is named, with what it does, when the time is over', function()
      local status, _, err = ranks.run(2, [[
         dist.barrier()
         if dist.rank() == 1 then os.execute('kill -STOP ' .. pid()) end
         dist.broadcast(torch.ones(3)) ]], '', 'dist.init{deadline = 3} ')
      assert.equal(1, status)
      assert.matches('dist.broadcast, operation 2: rank 1 did not come within 3 s: its process %d+ is stopped', err)
      _, _, err = ranks.run(2, [[
         dist.barrier()
         if dist.rank() == 1 then os.execute 'sleep 20' end
         dist.allreduce(torch.ones(3), 'sum', { deadline = 0.2 }) ]])
      assert.matches('rank 1 did not come within 0.2 s: its process %d+ lives; its last operation was barrier, number 1', err)
   end)

   it('is named if it never joined', function()
      local _, _, err = ranks.run(2, '', '', "if os.getenv 'TH_DIST_RANK' == '1' then os.execute 'sleep 20' os.exit(0) end dist.init{deadline = 0.5} ")
      has(err, 'dist.init: rank 1 did not come within 0.5 s: it never joined the job')
   end)

   it('breaks the job for all: later operations say why', function()
      local _, _, err = ranks.run(2, [[
         if dist.rank() == 1 then os.exit(0) end
         pcall(dist.barrier)
         says('dist.allreduce, operation 2: rank 1 has left the job', dist.allreduce, torch.ones(1))
         error 'said' ]])
      has(err, 'said')
   end)

   it('cannot be replaced without the secret', function()
      local _, _, err = ranks.sh(("'%s' -n 2 -- sh -c 'if [ $TH_DIST_RANK = 1 ]; then export TH_DIST_SECRET=guess; fi; exec %s %s'")
         :format(ranks.thrun, ranks.th, ranks.script('', 'dist.init{deadline = 5} ')))
      has(err, "dist.init: this is not the job's secret")
   end)
end)

teardown(require 'test.support.temporary'.remove)
