-- test/cuda/dist_nccl_spec.lua - collectives over NCCL between ranks with a CUDA device each.
-- runs once
local device = require 'test.support.cuda.device'
if device.missing('dist over NCCL', describe, pending) then return end
if not require 'cutorch'.getDeviceProperties(1).emulated then
   describe('dist over NCCL', function() pending('these are for the emulated device: TH_CUDA=emu') end)
   return
end
local ffi = require 'ffi'
local hosts = require 'test.support.comm.hosts'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
ffi.cdef 'int unsetenv(const char *name);'

local head = [[
require 'cunn'
local r, n = dist.rank(), dist.size()
local function way(name, x, op, options) return dist.explain(name, x, op, options).algorithm end
local function text(name, x, op, options) return dist.explain(name, x, op, options).text end
local one = torch.CudaTensor(4):fill(r + 1)
]]

-- Runs with variables of the environment.
local function with(variables, f)
   for name, value in pairs(variables) do ffi.C.setenv(name, value, 1) end
   local ok, why = pcall(f)
   for name in pairs(variables) do ffi.C.unsetenv(name) end
   if not ok then error(why, 0) end
end

-- Files in shared memory that are not there before.
local function memory()
   local p, names = io.popen 'ls /dev/shm', {}
   for name in p:lines() do names[name] = true end
   p:close()
   return names
end

local function leaves_none(before)
   for name in pairs(memory()) do assert(before[name] or not (name:find 'nccl' or name:find 'cresset'), name) end
end

describe('an operation on CUDA tensors, over NCCL', function()
   it('has a case in nccl_ranks.cu for each row that names when NCCL does not run it', function()
      local function text_of(name)
         local f = assert(io.open(name))
         local text = f:read '*a'
         f:close()
         return text
      end
      local cases, rows = text_of 'cunn/libraries/nccl_ranks.cu', 0
      local table_of = text_of 'lib/comm/collectives/collectives.c'
      for kind, row in table_of:gmatch '%[(TH_DIST_[A-Z]+)%] = (%b{})' do
         if row:find('.not_on_device', 1, true) then
            rows = rows + 1
            local found = cases:find(('case %s:'):format(kind), 1, true)
            assert.truthy(found, kind .. ' needs a case in call() of nccl_ranks.cu')
         end
      end
      assert.is_true(rows >= 5)
   end)

   for _, count in ipairs { 2, 3 } do
      it(('gives what the CPU gives, for all types and sizes: %d ranks'):format(count), function()
         ranks.ok(count, head .. [[
            local function host(t) return t:host() end
            for _, name in ipairs { '', 'Double', 'Long', 'Int', 'Half', 'BFloat16', 'Byte', 'Char', 'Short' } do
               local whole = not (name == '' or name == 'Double' or name == 'Half' or name == 'BFloat16')
               local kind = 'torch.Cuda' .. name .. 'Tensor'
               for _, size in ipairs { 1, 7, 20000 } do
                  local x = torch.range(1, size * n):mul(r + 1):fmod(5):add(1):type(kind)
                  local calls = { { 'broadcast', n - 1 }, { 'allgather' } }
                  for _, op in ipairs { 'sum', 'mean', 'min', 'max', 'prod' } do
                     calls[#calls + 1] = { 'allreduce', op }
                     calls[#calls + 1] = { 'reduce', n - 1, op }
                     calls[#calls + 1] = { 'reducescatter', op }
                  end
                  for _, call in ipairs(calls) do
                     local f, op = dist[call[1] ], call[#call]
                     local want, got = f(host(x):clone(), call[2], call[3]), f(x:clone(), call[2], call[3])
                     assert(got:type() == kind)
                     if op == 'mean' and not whole then
                        local most = name == '' and 1e-6 or name == 'Double' and 1e-14 or 0.05
                        assert((host(got):double() - want:double()):abs():max() < most)
                     else
                        assert(same(host(got), want), table.concat({ kind, size, call[1], tostring(op) }, ' '))
                     end
                     if call[1] == 'allreduce' then
                        local cpu = name == 'Short' or op == 'mean' and whole or (op == 'min' or op == 'max') and not whole
                        assert(way(call[1], x, op) == (cpu and 'memory' or 'nccl'), kind .. op .. text(call[1], x, op))
                     end
                  end
               end
            end]])
      end)
   end

   it('is waited for by handles, takes tables, and tensors that are not packed or share elements', function()
      ranks.ok(3, head .. [[
         dist.allreduce(one)
         assert(one:eq(6):all() and way('allreduce', one) == 'nccl')
         local wide = torch.CudaTensor(4, 6):fill(r + 1)
         local list = { wide:t(), torch.CudaTensor(70000):fill(r), torch.CudaLongTensor(3):fill(r), torch.CudaTensor() }
         assert(dist.allreduce(list, 'sum', { async = true }):wait() == list)
         assert(wide:eq(6):all() and list[2]:eq(3):all() and list[3]:eq(3):all())
         local same_one = torch.CudaTensor(5):fill(r)
         dist.allreduce{ same_one, same_one }
         assert(same_one:eq(3):all())
         local handles = {}
         for i = 1, 20 do handles[i] = dist.allreduce(torch.CudaTensor(i * 1000):fill(i), 'sum', { async = true }) end
         for i = 20, 1, -1 do assert(handles[i]:wait():eq(3 * i):all() and handles[i]:wait()[1] == 3 * i) end
         local h = dist.allgather(torch.CudaTensor(5):fill(r), { async = true })
         repeat local there = h:test() until there
         assert(h:wait():sum() == 15)
         local kept = torch.CudaTensor(5):fill(r)
         dist.reduce({ kept, kept:clone() }, 1, 'sum')
         assert(kept:eq(r == 1 and 3 or r):all())
         dist.reduce(kept:fill(r), 0, 'sum')
         assert(kept:eq(r == 0 and 3 or r):all())]])
   end)

   it('begins when the stream reaches the call', function()
      ranks.ok(2, head .. [[
         cutorch.reserveStreams(1)
         cutorch.setStream(1)
         local x = torch.CudaTensor(1000):fill(1)
         for i = 1, 5 do
            local h = dist.allreduce(x:mul(r + 1), 'sum', { async = true })
            h:wait()
         end
         assert(x:eq(3 ^ 5):all())]])
   end)

   it('goes in groups, each over its own devices', function()
      ranks.ok(3, head .. [[
         local a, b = dist.group{ 0, 2 }, dist.group{ 2, 1, 0 }
         if r ~= 1 then
            assert(dist.allreduce(one:clone(), 'sum', { group = a }):eq(4):all())
            assert(way('allreduce', one, 'sum', { group = a }) == 'nccl')
         end
         local h = dist.broadcast(one:clone(), 0, { group = b, async = true })
         assert(dist.allreduce(one:clone()):eq(6):all())
         assert(h:wait():eq(3):all())
         if r ~= 1 then a:close() end
         b:close()
         local c = dist.group{ 0, 1 }
         if r < 2 then assert(dist.allreduce(one:clone(), 'sum', { group = c }):eq(3):all()) end]])
   end)

   it('is an error on all ranks where they call different things, and the next one is none', function()
      ranks.ok(2, head .. [[
         dist.allreduce(one:clone())
         says('the types differ: rank 0 has Float, rank 1 Double', dist.allreduce,
            r == 1 and torch.CudaDoubleTensor(2) or torch.CudaTensor(2))
         says('the numbers of elements differ: rank 0 has 4, rank 1 5', dist.allreduce, torch.CudaTensor(4 + r):zero())
         says('the operators differ: rank 0 says sum, rank 1 prod', dist.allreduce, one:clone(), r == 0 and 'sum' or 'prod')
         says('the roots differ: rank 0 says 0, rank 1 1', dist.broadcast, one:clone(), r)
         says('the ranks call different operations: rank 0 allreduce, rank 1 broadcast',
            r == 0 and dist.allreduce or dist.broadcast, one:clone())
         assert(dist.allreduce(one:clone()):eq(3):all() and way('allreduce', one) == 'nccl')]])
   end)

   it('goes by the CPU where a rank has its tensor there', function()
      ranks.ok(3, head .. [[
         for _, size in ipairs { 3, 50000 } do
            for i = 1, 3 do
               local x = torch[r == i - 1 and 'FloatTensor' or 'CudaTensor'](size):fill(r + 1)
               assert(dist.allreduce(x):eq(6):all())
               assert(dist.allgather(x):size(1) == 3)
            end
         end
         assert(dist.allreduce(one:clone()):eq(6):all() and way('allreduce', one) == 'nccl')]])
   end)
end)

describe('which way CUDA tensors go', function()
   it('is the CPU where they lie on several devices of a rank, or on another than before', function()
      ranks.ok(2, head .. [[
         dist.allreduce(one:clone())
         cutorch.setDevice(2)
         local other = torch.CudaTensor(3):fill(r + 1)
         assert(text('allreduce', other):find('the group has another device of this rank', 1, true))
         assert(dist.allreduce(other:clone()):eq(3):all() and dist.allgather(one):sum() == 12)
         local list = { one:clone(), other:clone() }
         dist.allreduce(list)
         assert(list[1]:eq(3):all() and list[2]:eq(3):all() and list[1]:getDevice() == 1 and list[2]:getDevice() == 2)
         cutorch.setDevice(r + 1)
         local x = torch.CudaTensor(5):fill(r + 1)
         assert(dist.allreduce(x):eq(3):all() and x:getDevice() == r + 1)]])
   end)

   it('is the CPU without NCCL, and dist.explain says so', function()
      with({ TH_NCCL = 'none' }, function()
         ranks.ok(2, head .. [[
            local function cpu() return text('allreduce', one):find('as copies on the CPU: ', 1, true) end
            assert(cpu() and way('allreduce', one) == 'memory')
            assert(dist.allreduce(one:clone()):eq(3):all())
            assert(cpu() and text('allreduce', one):find('rank 0: TH_NCCL=none', 1, true), text('allreduce', one))
            assert(dist.allreduce(one:clone()):eq(3):all())]])
      end)
   end)

   it('is the CPU where two ranks have one device', function()
      with({ TH_CUDA_EMU_DOMAIN = '7' }, function()
         ranks.ok(2, head .. [[
            assert(dist.allreduce(one:clone()):eq(3):all())
            assert(text('allreduce', one):find('ranks 0 and 1 are on one device', 1, true))
            assert(dist.allgather(one:clone()):sum() == 12)]])
      end)
   end)

   it('is forced by TH_DIST_CUDA, and by an algorithm that gives the bits of one host', function()
      with({ TH_DIST_CUDA = 'cpu' }, function()
         ranks.ok(2, head .. [[
            assert(dist.allreduce(one:clone()):eq(3):all())
            assert(text('allreduce', one):find('TH_DIST_CUDA is cpu', 1, true))]])
      end)
      with({ TH_DIST_CUDA = 'nccl', TH_NCCL = 'none' }, function()
         ranks.ok(2, head .. [[
            says('TH_DIST_CUDA is nccl, but rank 0: TH_NCCL=none', dist.allreduce, one:clone())
            assert(dist.allreduce(torch.ones(2)):sum() == 4)]])
      end)
      with({ TH_DIST_CUDA = 'gpu' }, function()
         ranks.ok(2, [[says('dist.init: TH_DIST_CUDA must be auto, cpu or nccl, got gpu', dist.init)]], nil, '')
      end)
      ranks.ok(2, head .. [[
         dist.algorithm 'parts'
         assert(dist.allreduce(one:clone()):eq(3):all())
         assert(text('allreduce', one):find('another order of sums', 1, true))]])
   end)
end)

describe('dist.DataParallel of a model on CUDA devices', function()
   it('learns over NCCL what it learns by the CPU, up to rounding', function()
      ranks.ok(2, head .. [[
         local function train(by)
            dist.algorithm(by)
            torch.manualSeed(1)
            local net = nn.Sequential():add(nn.Linear(20, 30)):add(nn.Tanh()):add(nn.Linear(30, 30)):add(nn.Tanh())
               :add(nn.Linear(30, 4))
            local model = dist.DataParallel(net:cuda(), { bucket = 2000 })
            local criterion = nn.MSECriterion():cuda()
            torch.manualSeed(5 + r)
            for step = 1, 5 do
               local x, t = torch.randn(6, 20):cuda(), torch.randn(6, 4):cuda()
               model:zeroGradParameters()
               criterion:forward(model:forward(x), t)
               model:backward(x, criterion:backward(model.output, t))
               model:updateParameters(0.1)
            end
            local x = net:getParameters()
            assert(way('allreduce', x) == (by == 'auto' and 'nccl' or 'memory'))
            return x:float()
         end
         local over, by = train 'auto', train 'parts'
         assert((over - by):abs():max() < 1e-5 and over:norm() > 1)
         assert(same(train 'auto', over))
         local all = dist.allgather(over)
         assert(same(all[1], all[2]))]])
   end)
end)

describe('a rank that does not come to the end', function()
   local before
   before_each(function() before = memory() end)
   after_each(function() leaves_none(before) end)

   it('is named when it is killed', function()
      local _, out, err = ranks.run(3, head .. [[
         local h = dist.allreduce(one:clone(), 'sum', { async = true })
         h:wait()
         if r == 1 then os.execute('(sleep 0.3; kill -9 ' .. pid() .. ') &') end
         says('rank 1 is gone', function() while true do dist.allreduce(torch.CudaTensor(300000):zero()) end end)
         says('rank 1 is gone', dist.allreduce, one)
         print 'told']], '--spare 1')
      assert.equal(2, select(2, out:gsub('told', '')), err)
   end)

   it('is named within the deadline when it is stopped', function()
      local status, out, err = ranks.run(2, head .. [[
         dist.allreduce(one:clone())
         if r == 1 then os.execute('(sleep 0.5; kill -STOP ' .. pid() .. ') &') end
         local ok, why = pcall(function() for _ = 1, 1e6 do dist.allreduce(torch.CudaTensor(300000):zero()) end end)
         assert(not ok)
         io.stderr:write('SAID ' .. why .. '\n')
         error(why, 0)]], '', 'dist.init{deadline = 2} ')
      assert.not_equal(0, status)
      assert(err:find('rank 1 did not come within 2 s: its process %d+ is stopped'), out .. err)
   end)

   it('is named when it has no memory for a table', function()
      with({ TH_CUDA_EMU_MEMORY = '4000000' }, function()
         ranks.ok(2, head .. [[
            dist.allreduce(one)
            local pair, all = { torch.CudaTensor(2000):zero(), torch.CudaTensor(3000):zero() }, {}
            if r == 1 then pcall(function() while true do all[#all + 1] = torch.CudaTensor(2000) end end) end
            says('rank 1 failed: out of memory on a CUDA device', dist.allreduce, pair)]])
      end)
   end)

   it('is named when its script has ended', function()
      ranks.ok(2, head .. "if r == 0 then says('rank 1 has left the job: its script has ended', dist.allreduce, one) end")
   end)

   it('is named when it never calls', function()
      local status, out, err = ranks.run(2, head .. [[
         if r == 0 then dist.allreduce(one) else while true do end end]], '', 'dist.init{deadline = 1} ')
      assert.not_equal(0, status)
      assert(err:find('rank 1 did not come within 1 s', 1, true), out .. err)
   end)
end)

if hosts.there then
   describe('CUDA tensors of ranks on several hosts', function()
      it('travel over NCCL, by the CPU where a rank has its tensor there, and are compared before', function()
         hosts.ok('a a b', head .. [[
            for _, size in ipairs { 4, 70000 } do
               local x = torch.CudaTensor(size):fill(r + 1)
               assert(dist.allreduce(x:clone()):eq(6):all() and way('allreduce', x) == 'nccl')
               assert(dist.broadcast(x:clone(), 2):eq(3):all())
               assert(dist.allgather(x, { async = true }):wait():sum() == 6 * size)
               assert(dist.allreduce(r == 2 and x:float() or x:clone()):eq(6):all())
               assert(dist.allreduce(r == 2 and x:clone() or x:float()):eq(6):all())
               says('the numbers of elements differ', dist.allreduce, r == 1 and torch.CudaTensor(9) or x)
            end
            local g = dist.group{ 1, 2 }
            if r > 0 then
               assert(dist.allreduce(one:clone(), 'sum', { group = g }):eq(5):all())
               g:close()
            end]])
      end)

      it('travel by the CPU where NCCL is missing on one of them', function()
         hosts.ok('a b', head .. [[
            assert(dist.allreduce(one:clone()):eq(3):all() and dist.allreduce(one:clone()):eq(3):all())
            assert(text('allreduce', one):find('as copies on the CPU: rank 1: TH_NCCL=none', 1, true), text('allreduce', one))]],
            '', "if os.getenv 'TH_DIST_HOST' == 'b' then require 'ffi'.cdef 'int setenv(const char *, const char *, int);' " ..
            "require 'ffi'.C.setenv('TH_NCCL', 'none', 1) end dist.init{deadline = 60} ")
      end)

      it('fail with the name of a rank that is stopped', function()
         local status, out, err = hosts.run('a a b', head .. [[
            dist.allreduce(one:clone())
            if r == 2 then os.execute('(sleep 0.3; kill -STOP ' .. pid() .. ') &') end
            while true do dist.allreduce(torch.CudaTensor(300000):zero()) end]], '', 'dist.init{deadline = 2} ')
         assert(status ~= 0 and err:find('rank 2 did not come within 2 s: it does not answer', 1, true), out .. err)
      end)
   end)
end

teardown(temporary.remove)
