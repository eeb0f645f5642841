-- test/comm/hosts_spec.lua - operations of ranks on several hosts: the bits of one host, and errors that name ranks.
-- runs once
--
-- Jobs in which a timeout must expire, or a rank sleeps, are all started first and checked last,
-- because they hardly use the processors. What must be late waits until all others have reported
-- it; all other timeouts are long.
local hosts = require 'test.support.comm.hosts'
local cuts = require 'test.support.comm.network_faults'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end
local function checked(out, n)
   local _, k = out:gsub('checked %d+', '')
   assert.equal(n, k, out)
end

local function between(title, f)
   if hosts.there then it(title, f) else pending(title .. ' (Open MPI is not installed)') end
end

local lacks = cuts.lacks()                             -- nil: this user can make networks
local cut = { thrun = ranks.thrun, layout = { 1, 2, 1 }, host = 2, after = 0.5, deadline = 6, slack = 60 }

local waiting = {}                                    -- jobs that were started, by name: functions that wait for their ends
local function start(name, f, ...) if hosts.there then waiting[name] = f(...) end end

-- Rank 1 runs code, while the others wait for it in an operation with this timeout. It can wait
-- until they have reported.
local function told(layout, does, size)
   local marks = { temporary.name '.0', temporary.name '.1', temporary.name '.2' }
   return hosts.start(layout, ([[
      local marks = { '%s', '%s', '%s' }
      local function wait_until_told()
         while not (io.open(marks[1]) and io.open(marks[3])) do os.execute 'sleep 0.1' end
      end
      dist.barrier()
      dist.deadline(2)
      if dist.rank() == 1 then %s end
      local ok, why = pcall(dist.allreduce, torch.ones(%d))
      io.stdout:write(('told %%d: %%s\n'):format(dist.rank(), tostring(why):match 'dist%%..*')) io.stdout:flush()
      io.open(marks[dist.rank() + 1], 'w'):close()
      os.exit(3)]]):format(marks[1], marks[2], marks[3], does, size or 5), nil, nil, '--enable-recovery --timeout 60')
end

setup(function()
   start('killed', told, 'a b c', "os.execute('kill -9 ' .. pid())")
   start('killed beside', told, 'a a b', "os.execute('kill -9 ' .. pid())", 1e6)
   start('late', told, 'a b c', 'wait_until_told()')
   start('left', told, 'a b c', 'os.exit(4)')
   start('chain', hosts.start, 'a b c', [[
      dist.barrier()
      dist.deadline(2)
      if dist.rank() == 2 then os.execute('kill -9 ' .. pid()) end
      local ok, why = pcall(dist.recv, torch.ones(3), dist.rank() + 1)
      io.stdout:write(('told %d: %s\n'):format(dist.rank(), tostring(why):match 'dist%..*')) io.stdout:flush()
      os.exit(3)]], nil, nil, '--enable-recovery --timeout 60')
   start('alone', hosts.start, 'a b c', [[
      dist.barrier()
      dist.deadline(1)
      if dist.rank() == 1 then
         os.execute 'sleep 3'
         print 'not disturbed'
      end]])
   start('stopped', hosts.start, 'a b', [[
      dist.barrier()
      dist.deadline(0.5)
      if dist.rank() == 1 then
         print 'stops' io.stdout:flush()
         os.execute('kill -STOP ' .. pid())
      end]], nil, nil, '--timeout 60')
   start('absent', hosts.start, 'a b', '', nil,
      "if os.getenv 'OMPI_COMM_WORLD_RANK' == '1' then os.execute 'sleep 50' os.exit(0) end dist.init{deadline = 1} ", '--timeout 60')
   -- Simulates a link that is cut after ranks have initialized MPI: the others get no reply.
   local mute = [[
      local rank = os.getenv 'OMPI_COMM_WORLD_RANK'
      if SILENT[rank] then
         local ffi = require 'ffi'
         ffi.cdef 'int MPI_Init_thread(int *, char ***, int, int *);'
         ffi.load('libmpi.so.40', true).MPI_Init_thread(nil, nil, 3, ffi.new 'int[1]')
         os.execute 'sleep 50'
         os.exit(0)
      end
      local ok, why = pcall(dist.init, { deadline = 2 })
      io.stdout:write(('told %s: %s\n'):format(rank, tostring(why):match 'dist%.init.*')) io.stdout:flush()
      os.exit(3) ]]
   start('mute', hosts.start, 'a b c', '', nil, "local SILENT = { ['1'] = true } " .. mute, '--timeout 60')
   start('both mute', hosts.start, 'a a b c', '', nil, "local SILENT = { ['2'] = true, ['3'] = true } " .. mute, '--enable-recovery --timeout 60')
   local slow = ranks.script [[
      dist.barrier()
      if dist.rank() == 1 then error 'no more' end
      os.execute 'sleep 50'
      print 'slept']]
   start('hears', ranks.start, ("'%s' --hosts localhost:3 -n 2 --grace 0.5 '%s'"):format(ranks.thrun, slow))
   if not lacks then waiting.cut = cuts.start(cut) end
end)

describe('collective operations between hosts', function()
   for _, layout in ipairs { 'a', 'a b', 'a a a b', 'a b a c' } do
      local _, n = layout:gsub('%S+', '')
      between(('with ranks on %s give the bits of one host, for all types, operators and sizes'):format(layout), function()
         local out = hosts.ok(layout, "arg = { '-job', '-sizes', 'fewest' } dofile 'test/support/comm/collectives.lua'")
         local _, well = out:gsub('%d+ right, 0 wrong', '')
         assert.equal(n, well, out)
      end)
   end

   between('of eight ranks give the bits of a reduction in pairs, on few hosts and on many', function()
      local code = [[
         local n, r = dist.size(), dist.rank()
         local function made(size, k) return torch.range(1, size):mul(2 * k + 3):fmod(101):mul(1 / 7):float() end
         for _, size in ipairs { 1, 1000, 20011 } do
            local want = require 'test.support.comm.pairwise'(n, function(k) return made(size, k) end, 'add')
            assert(same(dist.allreduce(made(size, r)), want), size)
            assert(same(dist.allgather(made(size, r))[n], made(size, n - 1)))
         end
         print('checked 8')]]
      for _, layout in ipairs { 'a a a a b b b b', 'a b c d e f g h', 'a b b c c c c d' } do checked(hosts.ok(layout, code), 8) end
   end)

   between('of few bytes by recursive doubling give the bits of one host, on any number of hosts, and errors where ranks differ', function()
      local code = [[
         local in_pairs = require 'test.support.comm.pairwise'
         local operators = { { 'sum', 'add' }, { 'mean', 'add' }, { 'min', 'cmin' }, { 'max', 'cmax' }, { 'prod', 'cmul' } }
         local n, r = dist.size(), dist.rank()
         for _, kind in ipairs { 'Float', 'Double', 'Int', 'Byte' } do
            local function made(k) return torch.range(1, 203):mul(2 * k + 3):fmod(101):mul(1 / 7):type('torch.' .. kind .. 'Tensor') end
            for _, o in ipairs(operators) do
               local op, name = o[1], o[2]
               if op ~= 'mean' or kind == 'Float' or kind == 'Double' then
                  local want = in_pairs(n, made, name)
                  if op == 'mean' then want:div(n) end
                  assert(dist.explain('allreduce', want, op).algorithm == 'doubling')
                  assert(same(dist.allreduce(made(r), op), want), kind .. op)
                  assert(same(dist.reduce(made(r), 1, op), r == 1 and want or made(r)), kind .. op .. ' at rank 1')
               end
            end
         end
         local minus = dist.allreduce(torch.FloatTensor{ -0 }, 'mean')
         assert(1 / minus[1] == -math.huge)
         assert(dist.explain('allreduce', torch.IntTensor(5), 'mean').algorithm == 'gather')
         assert(dist.explain('allreduce', torch.HalfTensor(5)).algorithm == 'gather')
         assert(dist.allreduce(torch.IntTensor{ 3 * r }, 'mean')[1] == math.floor(3 * (n - 1) / 2))
         says('the numbers of elements differ: rank 0 has 20, rank 2 21', dist.allreduce, torch.ones(r == 2 and 21 or 20))
         says('the algorithms differ: rank 0 takes doubling, rank 1 gather', function()
            if r == 1 then dist.algorithm 'gather' end
            dist.allreduce(torch.ones(1000))
         end)
         dist.algorithm 'doubling'
         assert(dist.allreduce(torch.ones(1000)):min() == n)
         print 'checked 1']]
      for _, layout in ipairs { 'a b', 'a b c', 'a a b b c', 'a b c d e f g' } do
         local _, n = layout:gsub('%S+', '')
         checked(hosts.ok(layout, layout == 'a b' and code:gsub('rank 2', 'rank 1'):gsub('r == 2', 'r == 1') or code,
            'TH_DIST_ALGORITHM=doubling'), n)
      end
   end)

   between('go by recursive doubling where ranks lie in pairs, and else as elements of all', function()
      local code = [[
         print('checked ' .. dist.explain('allreduce', torch.ones(200)).algorithm:gsub('%%a+', { %s = 1 }))
         assert(dist.explain('allreduce', torch.ones(20000)).algorithm == 'parts')
         local x = dist.reduce(torch.ones(200):mul(dist.rank()), 0)
         assert(x[200] == (dist.rank() == 0 and dist.size() * (dist.size() - 1) / 2 or dist.rank()))]]
      for layout, algorithm in pairs { ['a b c d'] = 'doubling', ['a a b b'] = 'doubling', ['a b b a'] = 'gather', ['a a a b'] = 'gather' } do
         checked(hosts.ok(layout, code:format(algorithm)), 4)
      end
   end)

   between('have other sums, and the same ones each time, with the algorithms that may', function()
      for _, case in ipairs { { 'a b c', 'ring' }, { 'a a b b c', 'hosts' } } do
         hosts.ok(case[1], ([[
            assert(dist.algorithm() == '%s')
            local n, r = dist.size(), dist.rank()
            local function made(k) return torch.range(1, 50021):mul(2 * k + 3):fmod(101):mul(1 / 7):float() end
            local want = made(0):double()
            for k = 1, n - 1 do want:add(made(k):double()) end
            for _, op in ipairs { 'sum', 'mean', 'max' } do
               local x = dist.allreduce(made(r), op)
               assert(same(x, dist.allreduce(made(r), op)))
               if op == 'sum' then assert((x:double() - want):abs():max() < 1e-4) end
               if op == 'mean' then assert((x:double() - want / n):abs():max() < 1e-5) end
               assert(dist.broadcast(x:clone()):ne(x):sum() == 0)
            end
            assert(dist.explain('allreduce', made(0)).algorithm == '%s')
            assert(dist.explain('allreduce', made(0):half()).algorithm == 'parts')
            assert(dist.allreduce(torch.ByteTensor(40000):fill(200), 'mean'):min() == 200)]]):format(case[2], case[2]),
            'TH_DIST_ALGORITHM=' .. case[2])
      end
   end)

   local part                                            -- one job, on hosts a b b
   setup(function()
      part = hosts.there and hosts.parts('a b b', {
         { 'differ', [[
            local r = dist.rank()
            local odd = r == 2
            dist.barrier()
            says('dist.allreduce, operation 2: the numbers of elements differ: rank 0 has 5, rank 2 6', dist.allreduce, torch.ones(odd and 6 or 5))
            says('operation 3: the types differ: rank 0 has Float, rank 2 Double', dist.allreduce, odd and torch.ones(5) or torch.FloatTensor(5))
            says('operation 4: the numbers of elements differ', dist.allreduce, torch.ones(odd and 1e5 or 2))
            says('operation 5: the ranks call different operations: rank 0 broadcast, rank 2 allreduce', odd and dist.allreduce or dist.broadcast, torch.ones(5))
            if odd then dist.algorithm 'ring' end
            says('operation 6: the algorithms differ: rank 0 takes auto, rank 2 ring', dist.allreduce, torch.ones(5))
            dist.algorithm 'auto'
            says('dist.algorithm: it must be auto, fastest, gather, doubling, parts, ring or hosts, got tree', dist.algorithm, 'tree')
            says('dist.algorithm: argument 1 must be a string, got a number (3)', dist.algorithm, 3)
            if r == 0 then dist.send(torch.ones(3), 1) end
            if r == 1 then says('rank 0 sends 3 Double elements, rank 1 wants 4 Float elements', dist.recv, torch.FloatTensor(4), 0) end
            if r == 0 then says('wanted another message than these 50000 Double elements', dist.send, torch.ones(50000), 1) end
            if r == 1 then says('rank 0 sends 50000 Double elements, rank 1 wants 1', dist.recv, torch.ones(1), 0) end
            assert(dist.allreduce(torch.ones(1e5)):max() == 3)]] },
         { 'tables', [[
            local r, n = dist.rank(), dist.size()
            assert(dist.hosts() == 2 and dist.localRank() == (r == 2 and 1 or 0))
            local m = torch.FloatTensor(5, 4):fill(r)
            local list = { torch.ones(3), m:t(), torch.IntTensor{r}, m.new(), torch.FloatTensor(40000):fill(r), torch.ones(2):mul(r) }
            assert(dist.allreduce(list) == list)
            assert(list[1]:sum() == 9 and m:sum() == 60 and list[3][1] == 3 and list[5]:sum() == 120000 and list[6]:sum() == 6)
            local many = {}
            for i = 1, 300 do many[i] = torch.DoubleTensor(i):fill(r) end
            dist.allreduce(many)
            for i = 1, 300 do assert(many[i]:min() == 3 and many[i]:max() == 3) end
            local right, left = (r + 1) % n, (r - 1) % n
            for _, size in ipairs { 0, 1, 8000, 300000 } do
               local h = dist.send(torch.DoubleTensor(size):fill(r), right, { async = true })
               local x = dist.recv(torch.DoubleTensor(size), left)
               assert(size == 0 or x:min() == left and x:max() == left)
               h:wait()
            end
            for i = 1, 9 do dist.send(torch.IntTensor{i}, right) end
            for i = 1, 9 do assert(dist.recv(torch.IntTensor(1), left)[1] == i) end
            local far, near = dist.group { 2, 0 }, dist.group { 1, 2 }
            if r ~= 1 then assert(dist.allreduce(torch.FloatTensor(70000):fill(r), 'sum', { group = far }):max() == 2) end
            if r ~= 0 then assert(dist.allreduce(torch.FloatTensor(70000):fill(r), 'sum', { group = near }):max() == 3) end
            if r ~= 0 then assert(dist.explain('allreduce', torch.ones(1), 'sum', { group = near }).algorithm == 'memory') end
            local handles = {}
            for i = 1, 20 do handles[i] = dist.allreduce(torch.FloatTensor(i * 5000):fill(r + i), 'sum', { async = true }) end
            for i = 20, 1, -1 do assert(handles[i]:wait():min() == 3 * i + 3) end]] },
         { 'ahead', [[
            local r = dist.rank()
            local started = {}
            if r == 0 then
               for i = 1, 100 do started[i] = dist.send(torch.FloatTensor(500):fill(i), 1, { async = true }) end
            end
            require 'sys'.sleep(0.5)
            local gone = 0
            for _, h in ipairs(started) do if h:test() then gone = gone + 1 end end
            assert(gone <= 32, gone .. ' messages of 2 kB have gone')
            dist.barrier()
            if r == 1 then
               for i = 1, 100 do
                  local x = dist.recv(torch.FloatTensor(500), 0)
                  assert(x:min() == i and x:max() == i)
               end
            end
            for _, h in ipairs(started) do h:wait() end
            if r == 0 then for i = 1, 500 do dist.send(torch.IntTensor{ i }, 2) end end
            if r == 2 then for i = 1, 500 do assert(dist.recv(torch.IntTensor(1), 0)[1] == i) end end]] },
      })
   end)

   between('take tables, views, messages, groups and handles as on one host', function() part 'tables' end)

   between('that differ are an error on all ranks, and the job continues', function() part 'differ' end)

   between('take 64 kB of messages from a rank that sends more than another one receives, and then it waits', function() part 'ahead' end)
end)

describe('a rank on another host', function()
   local function is_told(name, text)
      local _, out, err = waiting[name]()
      for _, r in ipairs { 0, 2 } do
         local line = ('told %d: dist.allreduce, operation 2: %s'):format(r, text)
         assert.truthy(out:find(line, 1, true), ('%q is not in: %s%s'):format(line, out, err))
      end
   end

   between('that was killed is named on all others when the time is over', function()
      is_told('killed', 'rank 1 did not come within 2 s: it does not answer')
   end)

   between('that was killed is named at once if another one is on its host', function()
      is_told('killed beside', 'rank 1 is gone: its process')
   end)

   between('that was killed is named by a rank that waits for one that waits for it', function()
      local _, out, err = waiting.chain()
      for r = 0, 1 do
         assert.matches(('told %d: dist.recv, operation 1: [^\n]*rank 2 [^\n]*it does not answer'):format(r), out, 1, false, err)
      end
   end)

   between('that is late is named with what it did', function()
      is_told('late', 'rank 1 did not come within 2 s: its process lives; its last operation was barrier, number 1')
   end)

   between('that has left is named', function() is_told('left', 'rank 1 has left the job: its script has ended') end)

   between('that never joins is missed', function()
      local _, _, err = waiting.absent()
      has(err, 'dist.init: some ranks did not come within 1 s: they never joined the job')
   end)

   between('that does not answer when the job begins is named', function()
      local _, out, err = waiting.mute()
      local said = 'told [02]: dist.init: rank 1 did not come within 2 s: it never called dist.init, or the link is cut\n'
      assert.matches(said, out, 1, false, err)
      _, out, err = waiting['both mute']()
      said = 'told [01]: dist.init: ranks 2, 3 did not come within 2 s: they never called dist.init, or the link is cut\n'
      assert.matches(said, out, 1, false, err)
   end)

   between('whose script has ended waits for the others, as long as they live', function()
      local status, out, err = waiting.alone()
      assert.equal(0, status, err)
      has(out, 'not disturbed')
      status, out, err = waiting.stopped()
      has(out, 'stops')
      assert.is_true(status ~= 0 and status ~= 124 and not err:find('timeout', 1, true), err)
   end)

   it('does not leave when a child of its process ends', function()
      ranks.ok(2, [[
         local C = require 'ffi'.C
         require 'ffi'.cdef 'int fork(void); int waitpid(int, int *, int);'
         dist.barrier()
         if dist.rank() == 1 then
            local child = C.fork()
            if child == 0 then os.exit(0) end
            C.waitpid(child, nil, 0)
         end
         dist.barrier()
         assert(dist.allreduce(torch.ones(3)):min() == 2)]])
   end)

   between('wants an algorithm that there is', function()
      local _, _, err = hosts.run('a b', '', 'TH_DIST_ALGORITHM=tree', nil, '--timeout 60')
      has(err, 'dist.init: TH_DIST_ALGORITHM must be auto, fastest, gather, doubling, parts, ring or hosts, got tree')
   end)

   between('needs the secret', function()
      local _, _, err = hosts.run('a b', '', nil,
         "if os.getenv 'OMPI_COMM_WORLD_RANK' == '1' then require 'ffi'.cdef 'int setenv(const char *, const char *, int);' " ..
         "require 'ffi'.C.setenv('TH_DIST_SECRET', 'guess', 1) end dist.init{deadline = 60} ", '--timeout 60')
      has(err, "dist.init: the secret of rank 1 differs from rank 0's")
   end)
end)

describe('thrun --hosts', function()
   it('refuses lists and files that make no sense', function()
      for _, case in ipairs {
         { "--hosts '' a.lua", "thrun: --hosts must be a list such as a:2,b:2, got ''" },
         { '--hosts -a:2 a.lua', "thrun: --hosts must be a list such as a:2,b:2, got '-a:2'" },
         { '--hosts a,-b a.lua', "thrun: --hosts must be a list such as a:2,b:2, got 'a,-b'" },
         { '--hosts node-01:2,node-02:2 --spare 1 a.lua', 'thrun: --hosts goes neither with --hostfile nor with --spare' },
         { "--hostfile /no/such a.lua", "thrun: --hostfile must be the name of a file that can be read, got '/no/such'" },
         { '--hosts a:2 --spare 1 a.lua', 'thrun: --hosts goes neither with --hostfile nor with --spare' },
      } do
         local status, _, err = ranks.sh(ranks.thrun .. ' ' .. case[1])
         assert.equal(2, status)
         has(err, case[2])
      end
   end)

   between('shows lines behind ranks, starts again, and ends with the status of the first that failed', function()
      local script = ranks.script [[
         print('rank', dist.rank(), dist.size(), dist.restarts(), arg[1])
         dist.barrier()
         if dist.rank() == 1 then os.exit(7) end
         dist.barrier()]]
      local status, out, err = ranks.sh(("'%s' --hosts localhost:3 -n 2 --restarts 1 --grace 30 '%s' 'a b'"):format(ranks.thrun, script))
      assert.equal(7, status, err)
      has(out, '[0] rank\t0\t2\t0\ta b\n')
      has(out, '[1] rank\t1\t2\t1\ta b\n')
      has(err, 'dist.barrier, operation 2: rank 1 has left the job')
      has(err, 'thrun: rank 1 ended with status 7\nthrun: restart 1 of 1\n')
   end)

   between('gives the script all its arguments as they are', function()
      local script = ranks.script [[
         if dist.rank() == 0 then print(#arg, ('<%s>'):rep(6, ' '):format(unpack(arg))) end]]
      local status, out, err = ranks.sh(([['%s' --hosts localhost:3 -n 2 '%s' : "it's" '$HOME' '' '*' "a
b" $(seq 5000)]]):format(ranks.thrun, script))
      assert.equal(0, status, err)
      has(out, "[0] 5006\t<:> <it's> <$HOME> <> <*> <a\n[0] b>\n")
   end)

   between('hears of a script that has failed at once, while the other ranks compute', function()
      local status, out, err = waiting.hears()
      assert.equal(1, status, err)
      assert.is_nil(out:find 'slept')
      has(err, 'thrun: rank 1 ended with status 1\n')
   end)

   between('sees a failure behind an unfinished line, and none in what a rank writes; long lines stay whole', function()
      local script = ranks.script [[
         if dist.rank() == 0 then print(('<0123456789>'):rep(5000)) end
         if dist.rank() == 0 then io.stderr:write ' thrun: rank ended: 0 5\n' end
         dist.barrier()
         if dist.rank() == 1 then io.stderr:write '50%' os.exit(7) end
         pcall(dist.barrier)]]
      local status, out, err = ranks.sh(("'%s' --hosts localhost:3 -n 2 --grace 30 '%s'"):format(ranks.thrun, script))
      assert.equal(7, status, err)
      assert.equal(('<0123456789>'):rep(5000), out:match '^%[0%] ([^\n]*)\n$')
      has(err, '[0]  thrun: rank ended: 0 5\n')
      has(err, '[1] 50%\n')
      has(err, 'thrun: rank 1 ended with status 7\n')
      assert.is_nil(err:find('thrun:%x'), err)
   end)
end)

describe('the network of bench/netlab.sh', function()
   local function lab(title, f)
      if not lacks then it(title, f) else pending(('%s (%s)'):format(title, lacks)) end
   end

   lab('measures all-reduce beside the bound', function()
      local status, out, err = ranks.sh(("bench/netlab.sh 2 1gbit '%s' bench/netlab.lua -times 2 -largest 2500 -peers no"):format(ranks.th), 90)
      assert.equal(0, status, err)
      assert.matches('|    10000 |    0.080 | +[%d.]+ |', out)
   end)

   lab('cuts a host off, which all others and it report; and no process is left', function()
      assert.is_nil(cuts.wrong(cut, waiting.cut()))
   end)
end)

teardown(temporary.remove)
