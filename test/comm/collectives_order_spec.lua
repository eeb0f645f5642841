-- test/comm/collectives_order_spec.lua - operations of ranks on one host: their order, several tensors, and what they refuse.
-- runs once: test/comm/collectives_spec.lua compares the bits at each level
local torch = require 'torch'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local refuses = require 'test.support.refuses'

describe('collective operations', function()
   it('count a tensor that a table holds twice, or elements that two of its tensors share, once', function()
      ranks.ok(3, [[
         local r = dist.rank()
         local function made() local g = torch.range(1, 6):mul(r + 1) return g, { g, torch.ones(2):fill(r), g:narrow(1, 3, 3), g } end
         local function is(x, k) return same(x, torch.range(1, 6):mul(k)) end
         for _, o in ipairs { {}, { async = true } } do
            local function done(x) if o.async then x:wait() end end
            local g, list = made()
            done(dist.allreduce(list, 'sum', o))
            assert(is(g, 6) and list[2][1] == 3)
            g, list = made()
            done(dist.allreduce(list, 'mean', o))
            assert(is(g, 2) and list[2][2] == 1)
            g, list = made()
            done(dist.reduce(list, 1, 'sum', o))
            assert(is(g, r == 1 and 6 or r + 1) and list[2][1] == (r == 1 and 3 or r))
            g, list = made()
            done(dist.broadcast(list, 1, o))
            assert(is(g, 2) and list[2][1] == 1)
         end]])
   end)

   it('take tables of tensors, views that are not packed, and several types at once', function()
      ranks.ok(3, [[
         local r = dist.rank()
         local m = torch.FloatTensor(5, 4):fill(r)
         local list = { torch.ones(3), m:t(), torch.IntTensor{r}, m.new(), torch.FloatTensor(40000):fill(r), torch.ones(2):mul(r) }
         assert(dist.allreduce(list) == list)
         assert(list[1]:sum() == 9 and m:sum() == 60 and list[3][1] == 3 and list[5]:sum() == 120000 and list[6]:sum() == 6)
         local all = dist.allgather { torch.IntTensor{r, r}, torch.ones(1) }
         assert(same(all[1], torch.IntTensor{{0, 0}, {1, 1}, {2, 2}}) and all[2]:size(1) == 3)
         local column = torch.zeros(4, 3):select(2, 2):fill(r)
         assert(dist.broadcast(column, 2):sum() == 8)
      ]])
   end)

   it('go on while the script does, in the order in which they were started', function()
      ranks.ok(2, [[
         local r, handles = dist.rank(), {}
         for i = 1, 20 do handles[i] = dist.allreduce(torch.FloatTensor(i * 5000):fill(r + i), i % 2 == 0 and 'max' or 'sum', { async = true }) end
         local waits = dist.barrier { async = true }
         for i = 20, 1, -1 do
            local x = handles[i]:wait()
            assert(x:min() == (i % 2 == 0 and i + 1 or 2 * i + 1) and x:max() == x:min() and handles[i]:test() and handles[i]:wait() == x)
         end
         waits:wait()
         local columns = torch.zeros(3, 2)
         local h = dist.allreduce(columns:t():fill(1), 'sum', { async = true })
         h:wait()
         assert(columns:sum() == 12)
         local busy = torch.FloatTensor(4e6)
         h = dist.allreduce(busy, 'sum', { async = true })
         if not h:test() then says('a storage whose elements a collective or another thread uses cannot grow', busy.resize, busy, 8e6) end
         h:wait()
         busy:resize(8e6)
         dist.allreduce(torch.ones(100000), 'sum', { async = true })       -- no rank waits for it
      ]])
   end)

   it('send messages in their order, also in a ring and before anybody waits for them', function()
      ranks.ok(3, [[
         local r, n = dist.rank(), dist.size()
         local left, right = (r - 1) % n, (r + 1) % n
         for _, size in ipairs { 0, 1, 100, 4096, 4097, 100000 } do
            local h = dist.recv(torch.FloatTensor(size), left, { async = true })
            local s = dist.send(torch.FloatTensor(size):fill(r), right, { async = true })
            local x = h:wait()
            s:wait()
            assert(size == 0 or x:min() == left and x:max() == left)
         end
         for i = 1, 4 do dist.send(torch.IntTensor{i}, right) end
         for i = 1, 4 do assert(dist.recv(torch.IntTensor(1), left)[1] == i) end
         local m = torch.zeros(2, 2)
         dist.send({ torch.ones(2, 2):mul(r):t(), torch.ones(1) }, right)
         dist.recv({ m:t(), torch.zeros(1) }, left)
         assert(m:sum() == 4 * left)
         if r == 0 then dist.send(torch.ones(3), 1) end
         if r == 1 then says('rank 0 sends 3 Double elements, rank 1 wants 4 Float elements', dist.recv, torch.FloatTensor(4), 0) end
         if r == 0 then says('wanted another message than these 50000 Double elements', dist.send, torch.ones(50000), 1) end
         if r == 1 then says('rank 0 sends 50000 Double elements, rank 1 wants 1', dist.recv, torch.ones(1), 0) end
         if r == 0 then dist.send(torch.ones(3), 1) elseif r == 1 then assert(dist.recv(torch.zeros(3), 0):sum() == 3) end
      ]])
   end)

   it('of groups run in the group alone', function()
      ranks.ok(4, [[
         local r = dist.rank()
         local even, odd = dist.group { 0, 2 }, dist.group { 3, 1 }
         local mine = r % 2 == 0 and even or odd
         assert(mine:size() == 2 and (r % 2 == 0 and even:rank() == r / 2 or odd:rank() == (3 - r) / 2))
         assert(dist.allreduce(torch.FloatTensor(70000):fill(r), 'sum', { group = mine }):max() == (r % 2 == 0 and 2 or 4))
         assert(dist.broadcast(torch.ones(2):mul(r), 0, { group = mine })[1] == (r % 2 == 0 and 0 or 3))
         assert(dist.allgather(torch.IntTensor{r}, { group = mine })[2][1] == (r % 2 == 0 and 2 or 1))
         says('rank ' .. r .. ' is not in the group', dist.barrier, { group = r % 2 == 0 and odd or even })
         says('operation 3: the ranks name different members', dist.group, r == 2 and { 0, 2 } or { 0, 1 })
         dist.barrier { group = mine }
         dist.barrier()
      ]])
   end)
end)

describe('calls that differ', function()
   it('are an error on all ranks that names the difference, and the job continues', function()
      ranks.ok(3, [[
         local r = dist.rank()
         local odd = r == 2
         dist.barrier()
         says('dist.allreduce, operation 2: the numbers of elements differ: rank 0 has 5, rank 2 6', dist.allreduce, torch.ones(odd and 6 or 5))
         says('operation 3: the types differ: rank 0 has Float, rank 2 Double', dist.allreduce, odd and torch.ones(5) or torch.FloatTensor(5))
         says('operation 4: the operators differ: rank 0 says sum, rank 2 prod', dist.allreduce, torch.ones(5), odd and 'prod' or 'sum')
         says('operation 5: the roots differ: rank 0 says 0, rank 2 1', dist.broadcast, torch.ones(5), odd and 1 or 0)
         says('operation 6: the ranks call different operations: rank 0 broadcast, rank 2 allreduce', odd and dist.allreduce or dist.broadcast, torch.ones(5))
         says('operation 7: the numbers of elements differ', function()
            return dist.allreduce(torch.ones(odd and 1e5 or 2e5), 'sum', { async = true }):wait()
         end)
         assert(dist.allreduce(torch.ones(1e5)):max() == 3)
         says('dist.reducescatter: the first dimension must be a multiple of 3 ranks, got a torch.DoubleTensor of size 4x3', dist.reducescatter, torch.ones(4, 3))
         says('dist.alltoall: the first dimension must be a multiple of 3 ranks', dist.alltoall, torch.ones(4, 3))
      ]])
   end)
end)

describe('a job of one process', function()
   it('needs no other rank', function()
      dist.init()
      assert.equal(0, dist.rank())
      assert.equal(1, dist.size())
      assert.equal(0, dist.localRank())
      assert.equal(0, dist.restarts())
      assert.equal(dist, dist.init { deadline = 7 })
      assert.equal(7, dist.deadline())
      assert.equal(300, dist.deadline(300))
      local x = torch.rand(100000)
      assert.equal(0, (dist.allreduce(x:clone(), 'mean') - x):abs():max())
      assert.equal(0, (dist.allgather(x)[1] - x):abs():max())
      assert.equal(x, dist.allreduce(x, 'sum', { async = true }):wait())
   end)

   it('refuses what makes no sense', function()
      dist.init()
      local one = torch.ones(1)
      refuses('dist.init: options must be a table, got a number (3)', dist.init, 3)
      refuses('dist.init: deadline must be a positive number of seconds, got a number (-1)', dist.init, { deadline = -1 })
      refuses('dist.deadline: seconds must be a positive number, got a string', dist.deadline, 'x')
      refuses('dist.allreduce: argument 1 must be a tensor or a table of tensors, got nil', dist.allreduce)
      refuses('dist.allreduce: entry 2 of argument 1 must be a tensor, got a number (2)', dist.allreduce, { one, 2 })
      refuses('dist.allreduce: the table holds no tensor', dist.allreduce, {})
      refuses('dist.allreduce: tensor 2 is expanded: several elements share one place; clone it first', dist.allreduce, { one, one:expand(4) })
      refuses('dist.allreduce: tensor 1 overlaps itself: several elements share one place; clone it first', dist.allreduce,
         torch.zeros(9):unfold(1, 3, 1))
      refuses('dist.allreduce: the operator must be sum, mean, min, max or prod, got avg', dist.allreduce, one, 'avg')
      refuses('dist.allreduce: there is no option async_op; there are group, async, deadline and compress', dist.allreduce, one, 'sum', { async_op = true })
      refuses('dist.allreduce: options must be a table, got a boolean (true)', dist.allreduce, one, 'sum', true)
      refuses('dist.allreduce: deadline must be a positive number of seconds, got a number (0)', dist.allreduce, one, 'sum', { deadline = 0 })
      refuses('dist.barrier: group must be a group made by dist.group, got a table', dist.barrier, { group = {} })
      refuses('dist.broadcast: the rank must lie in 0..0, got 1', dist.broadcast, one, 1)
      refuses('dist.reduce: the rank must lie in 0..0, got 0.5', dist.reduce, one, 0.5)
      refuses('dist.send: rank 0 is this process', dist.send, one, 0)
      refuses('dist.recv: argument 2 must be a rank, got nil', dist.recv, one)
      refuses('dist.send: messages go between ranks of the whole job', dist.send, one, 0, { group = dist.group { 0 } })
      refuses('dist.group: ranks must be a list of ranks, got nil', dist.group)
      refuses('dist.group: ranks must lie in 0..0, got 1', dist.group, { 1 })
      refuses('dist.group: rank 0 is named twice', dist.group, { 0, 0 })
      refuses('dist.algorithm: argument 1 must be a string, got a number (1)', dist.algorithm, 1)
      refuses('dist.algorithm: it must be auto, fastest, gather, doubling, parts, ring or hosts, got tree', dist.algorithm, 'tree')
      for _, name in ipairs { 'send', 'recv', 'group', 'init', 'shared', 'group:close' } do
         refuses('argument 1 must be the name of an operation of a group, got a string',
            dist.explain, name, one)
      end
      refuses('dist.explain: argument 2 must be a tensor, got nil', dist.explain, 'allreduce')
      refuses('dist.explain: the operator must be sum, mean, min, max or prod, got avg', dist.explain, 'allreduce', one, 'avg')
      refuses('dist.explain: options must be a table, got a number (1)', dist.explain, 'allreduce', one, 'sum', 1)
      refuses('dist.explain: group must be a group made by dist.group', dist.explain, 'allreduce', one, 'sum', { group = {} })
   end)
end)

describe('dist before dist.init', function()
   it('says what to do', function()
      local status, _, err = ranks.sh(("'%s' -e \"require 'dist'.allreduce(torch.ones(1))\""):format(ranks.th))
      assert.equal(1, status)
      assert.truthy(err:find('dist.allreduce: call dist.init() first', 1, true), err)
   end)
end)

describe('dist.init', function()
   local job = require 'distributed.environment'
   local function of(values) return job(function(name) return values[name] end) end

   it('finds the job of mpirun and of a Slurm step, and a job of one where there is none', function()
      local m = of { OMPI_COMM_WORLD_RANK = '3', OMPI_COMM_WORLD_SIZE = '4', OMPI_COMM_WORLD_LOCAL_SIZE = '4',
         OMPI_COMM_WORLD_LOCAL_RANK = '3', PMIX_NAMESPACE = '12.1' }
      assert.same({ 3, 4, 3, '/cresset-mpi-12-1' }, { m.rank, m.size, m.localRank, m.name })
      local s = of { SLURM_PROCID = '1', SLURM_STEP_NUM_TASKS = '2', SLURM_LOCALID = '1', SLURM_JOB_ID = '77', SLURM_STEP_ID = '0' }
      assert.same({ 1, 2, 1, '/cresset-slurm-77-0' }, { s.rank, s.size, s.localRank, s.name })
      assert.equal(1, of({ SLURM_PROCID = '0' }).size)               -- the batch script itself is not a step
      assert.is_nil(m.host)
      assert.is_nil(s.host)
      local several = { OMPI_COMM_WORLD_RANK = '3', OMPI_COMM_WORLD_SIZE = '4', OMPI_COMM_WORLD_LOCAL_SIZE = '2',
         OMPI_COMM_WORLD_LOCAL_RANK = '1' }
      assert.matches('^%x+%-.+%-%d+$', of(several).host)
      several.TH_DIST_HOST = 'left'
      assert.equal('left', of(several).host)
      assert.truthy(of({ SLURM_PROCID = '1', SLURM_STEP_NUM_TASKS = '2', SLURM_LOCALID = '0', SLURM_STEP_NUM_NODES = '2' }).host)
      local alone = of {}
      assert.same({ 0, 1, 300 }, { alone.rank, alone.size, alone.deadline })
      assert.equal(2.5, of({ TH_DIST_DEADLINE = '2.5' }).deadline)
   end)

   it('says what is wrong with an environment', function()
      refuses('dist.init: TH_DIST_SIZE must be a number in 1..1e+06, got nil', of, { TH_DIST_RANK = '0' })
      refuses('dist.init: TH_DIST_RANK must be a number in 0..1e+06, got x', of, { TH_DIST_RANK = 'x' })
      for _, text in ipairs { 'nan', '-nan', 'inf', '-inf', '0', '1e10', 'x', '', '5 s' } do
         refuses('dist.init: TH_DIST_DEADLINE must be a number in 0.001..1e+09, got ', of, { TH_DIST_DEADLINE = text })
         for _, name in ipairs { 'TH_DIST_RANK', 'TH_DIST_SIZE', 'TH_DIST_FD', 'TH_DIST_LOCAL_RANK', 'TH_DIST_RESTART' } do
            local job = { TH_DIST_RANK = '0', TH_DIST_SIZE = '1', TH_DIST_FD = '3', TH_DIST_LOCAL_RANK = '0', TH_DIST_RESTART = '0' }
            job[name] = text == '0' and '0.5' or text
            refuses(('dist.init: %s must be a number in '):format(name), of, job)
         end
      end
      refuses('dist.init: TH_DIST_HOST must have 1 to 63 bytes, got 64', of, { OMPI_COMM_WORLD_RANK = '3', OMPI_COMM_WORLD_SIZE = '4',
         OMPI_COMM_WORLD_LOCAL_SIZE = '2', OMPI_COMM_WORLD_LOCAL_RANK = '1', TH_DIST_HOST = ('x'):rep(64) })
   end)
end)

teardown(require 'test.support.temporary'.remove)
