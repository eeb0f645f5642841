-- test/comm/shared_spec.lua - shared tensors, which all ranks read and write.
-- runs once
local torch = require 'torch'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

describe('dist.shared', function()
   it('gets all that ranks add at the same time', function()
      ranks.ok(4, [[
         local s = dist.shared('sum', {7, 3}, { type = 'torch.FloatTensor', shards = 3 })
         local x = torch.range(1, 21):float():view(7, 3)
         for i = 1, 300 do s:add(dist.rank() + 1, x) end
         dist.barrier()
         assert(same(s:fetch(), x * 3000))
         assert(s:epoch() == 1200)
         local turned = torch.FloatTensor(3, 7):t()
         assert(s:fetch(turned) == turned and same(turned:contiguous(), x * 3000))]])
   end)

   it('adds rows to rows, and twice to one that is named twice', function()
      ranks.ok(3, [[
         local s, want = dist.shared('rows', {6, 2}), torch.zeros(6, 2)
         local index = torch.LongTensor{ 2, 6, 2, dist.rank() + 1 }
         for i = 1, 50 do s:addRows(index, torch.Tensor{ {1, 2}, {3, 4}, {5, 6}, {7, 8} }) end
         for r = 0, 2 do
            want[2]:add(torch.Tensor{6, 8})
            want[6]:add(torch.Tensor{3, 4})
            want[r + 1]:add(torch.Tensor{7, 8})
         end
         dist.barrier()
         assert(same(s:fetch(), want * 50))
         dist.barrier()
         s:addRows(torch.LongTensor{ 1 }, torch.ones(1, 2))                -- one shard of three
         dist.barrier()
         assert(s:epochOf(1) == 153 and s:epochOf(2) == 50, s:epochOf(1) .. ' ' .. s:epochOf(2))]])
   end)

   it('runs a function on each shard, one rank at a time', function()
      ranks.ok(4, [[
         local s = dist.shared('f', 1000)
         for i = 1, 100 do
            s:apply(function(part, first)
               local before = part[1]
               part:fill(before + 1)
               assert(first % 250 == 1 and part:size(1) == 250)
            end)
         end
         dist.barrier()
         assert(same(s:fetch(), torch.zeros(1000):fill(400)))
         says('stop here', s.apply, s, function() error('stop here', 0) end)
         s:apply(function() end)                                             -- the lock is free again
         says("'f', add: this rank already holds the shard's lock", s.apply, s, function() s:add(torch.ones(1000)) end)]])
   end)

   it('is there before the others come, and waits for an epoch', function()
      ranks.ok(2, [[
         local s = dist.shared('late', 2, { shards = 1 })
         if dist.rank() == 0 then
            s:copy(torch.Tensor{4, 5})
         else
            s:wait(1)
            assert(same(s:fetch(), torch.Tensor{4, 5}))
            says("dist.shared 'late', wait: epoch 2 did not come within 0.1 s: it is 1", s.wait, s, 2, 0.1)
         end
         dist.barrier()
         if dist.rank() == 0 then says("wait: all other ranks have ended in epoch 1", s.wait, s, 2, 10) end]])
   end)

   it('leaves no file behind, and grows with each name', function()
      ranks.ok(2, [[
         local function count()
            local list = io.popen 'ls /dev/shm | grep -c cresset'
            return list:read '*l', list:close()
         end
         local before = count()
         for i = 1, 40 do dist.shared('large ' .. i, 50000):add(torch.ones(50000)) end
         dist.barrier()
         for i = 1, 40 do assert(dist.shared('large ' .. i, 50000):fetch():eq(2):sum() == 50000) end
         assert(count() == before)]])
   end)

   it('tells the others which rank has died with a lock', function()
      local status, _, err = ranks.run(3, [[
         local s = dist.shared('w', 4, { shards = 1 })
         dist.barrier()
         if dist.rank() == 1 then s:apply(function() os.execute('kill -9 ' .. pid()) end) end
         os.execute 'sleep 0.1'
         s:add(torch.ones(4))]])
      assert.equal(137, status)
      has(err, "dist.shared 'w', add: rank 1 is gone: its process")
   end)

   it('tells them that it is stopped, after the deadline', function()
      local status, _, err = ranks.run(2, [[
         local s = dist.shared('w', 4, { shards = 1 })
         dist.barrier()
         if dist.rank() == 1 then s:apply(function() os.execute('kill -STOP ' .. pid()) end) end
         os.execute 'sleep 0.1'
         s:add(torch.ones(4))]], '--grace 0.1', 'dist.init{deadline = 1} ')
      assert.equal(1, status)
      has(err, "dist.shared 'w', add: rank 1 has held the shard for 1 s: its process")
      has(err, 'is stopped')
   end)

   it('tells a rank that is slow from ranks that take turns', function()
      ranks.ok(4, [[
         local s = dist.shared('a', 1)
         dist.barrier()
         for i = 1, 2 do s:apply(function() os.execute 'sleep 0.2' end) end
         s:wait(8, 20)]], '', 'dist.init{deadline = 0.5} ')
   end)

   it('takes a rank for alive while descriptors run out', function()
      ranks.ok(2, [[
         local s, held = dist.shared('a', 1), {}
         dist.barrier()
         if dist.rank() == 0 then
            for f in function() return io.open '/dev/null' end do held[#held + 1] = f end
            assert(not s:gone(1))
         else
            os.execute 'sleep 0.3'
         end
         dist.barrier()]], '')
   end)

   it('refuses more than there is memory for, at once', function()
      ranks.ok(2, [[
         says('memory', dist.shared, 'huge', 2 ^ 40)
         says('ranks lie in 0..1, got 2', function() dist.shared('a', 1):blame(2, 'x', 1) end)
         assert(dist.shared('a', 1):gone(64))]])
   end)

   it('is refused to a fork of a rank', function()
      ranks.ok(1, [[
         local ffi = require 'ffi'
         ffi.cdef 'int fork(void); int waitpid(int, int *, int); void _exit(int);'
         local s, status = dist.shared('a', 1), ffi.new 'int[1]'
         local child = ffi.C.fork()
         if child == 0 then
            local text = 'this process is a fork of a rank'
            ffi.C._exit(pcall(says, text, s.add, s, torch.ones(1)) and pcall(says, text, s.more, s, 0) and 0 or 1)
         end
         ffi.C.waitpid(child, status, 0)
         assert(status[0] == 0 and s:fetch()[1] == 0)]])
   end)

   it('says which rank has ended when an epoch does not come', function()
      local _, _, err = ranks.run(3, [[
         local s = dist.shared('a', 1)
         dist.barrier()
         if dist.rank() == 2 then os.execute('kill -9 ' .. pid()) end
         if dist.rank() == 1 then os.execute 'sleep 1' else s:wait(1, 0.5) end]], '--spare 1 --grace 2')
      has(err, "wait: epoch 1 did not come within 0.5 s: it is 0, and rank 2 has ended")
   end)

   it('gives name and memory back when all have closed it, and begins with zeros when it is made again', function()
      ranks.ok(3, [[
         local r = dist.rank()
         for i = 1, 600 do
            local s = dist.shared('again', 100 + i % 7 * 1000, { shards = 1 + i % 3 })
            assert(s:fetch():abs():max() == 0)
            dist.barrier()
            s:add(torch.ones(100 + i % 7 * 1000))
            dist.barrier()
            assert(s:fetch():min() == 3 and s:epoch() == 3)
            s:close()
            says("fetch: this rank has closed dist.shared 'again'", function() return s:fetch() end)
            says("close: this rank has closed dist.shared 'again'", function() return s:close() end)
            dist.barrier()
         end
         local kept, other = dist.shared('kept', 10), dist.shared('other', 5e5)
         kept:add(torch.ones(10))
         other:close()
         dist.barrier()
         if r == 1 then kept:close() end
         dist.barrier()
         local more = dist.shared('more', 5e5)                 -- has the place of `other`
         more:add(torch.ones(5e5))
         dist.barrier()
         assert(r == 1 or kept:fetch():min() == 3)
         assert(dist.shared('kept', 10):fetch():min() == 3 and more:fetch():min() == 3)
         dist.barrier()                                        -- a process that ends closes it]])
   end)

   it('forgets ranks that have died without closing it', function()
      local status, out, err = ranks.run(3, [[
         local s = dist.shared('a', 10)
         s:add(torch.ones(10))
         dist.barrier()
         if dist.rank() == 2 then os.execute('kill -9 ' .. pid()) end
         while not s:gone(2) do end
         if dist.rank() == 1 then s:close() else
            os.execute 'sleep 0.5'
            s:close()
            assert(dist.shared('a', 10):fetch():max() == 0)
            print 'gone'
         end]], '--spare 1')
      assert.equal(0, status, err)
      has(out, '[0] gone')
   end)

   it('is free again when all who had it have ended, by whatever name it is asked for', function()
      local status, out, err = ranks.run(2, [[
         for i = 1, 511 do dist.shared('other ' .. i, 1) end
         local s = dist.shared('a', 10)
         s:add(torch.ones(10))
         dist.barrier()
         if dist.rank() == 0 then
            for i = 1, 511 do dist.shared('other ' .. i, 1):close() end
            s:close()
         end
         dist.barrier()
         if dist.rank() == 1 then os.execute('kill -9 ' .. pid()) end
         while require 'distributed.lib'.C.th_shared_gone(dist.shared('other 1', 1).c, 1) == 0 do end
         assert(dist.shared('a', 20):fetch():abs():max() == 0)            -- other sizes too
         for i = 1, 500 do dist.shared('new ' .. i, 3):add(torch.ones(3)) end
         for i = 1, 500 do assert(dist.shared('new ' .. i, 3):fetch():min() == 1) end
         print 'free']], '--spare 1')
      assert.equal(0, status, err)
      has(out, '[0] free')
   end)

   it('is not closed while this rank holds a lock, and the others continue', function()
      ranks.ok(2, [[
         local s = dist.shared('w', 4, { shards = 1 })
         dist.barrier()
         if dist.rank() == 0 then
            says("dist.shared 'w', close: this rank holds the lock of a shard", s.apply, s, function() s:close() end)
         end
         dist.barrier()
         assert(s:add(torch.ones(4)):fetch():min() >= 1)
         dist.barrier()
         s:close()]], '', 'dist.init{deadline = 5} ')
   end)

   it('refuses to be written more than 2^31 - 1 times', function()
      dist.init()
      local s = dist.shared('full', 2)
      s:more(s:epochCounter(1), 2 ^ 31 - 2)
      s:add(torch.ones(2))
      assert.equal(2 ^ 31 - 1, s:epoch())
      refuses("dist.shared 'full', add: it was written 2^31 - 1 times, and cannot be written again", s.add, s, torch.ones(2))
      refuses('it was written 2^31 - 1 times', s.apply, s, function(x) x:zero() end)
      assert.same({ 1, 1 }, s:fetch():totable())
      s:close()
   end)

   it('is an error, not a signal, when the file system of shared memory is full', function()
      local script = ranks.script([[
         dist.barrier()
         if dist.rank() == 0 then os.execute 'head -c 100000000 /dev/zero >/dev/shm/fill 2>/dev/null' end
         dist.barrier()
         says('cannot reserve', dist.shared, 'a', 10)
         print 'refused']], 'dist.init{deadline = 5} ')
      local job = 'OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=shared_spec'
      local rank = ("OMPI_COMM_WORLD_RANK=%%d OMPI_COMM_WORLD_LOCAL_RANK=%%d '%s' '%s'"):format(ranks.th, script)
      local inside = temporary.put(('mount -t tmpfs -o size=8m tmpfs /dev/shm || exit 9\nexport %s\n%s & %s; wait\n'):format(job,
         rank:format(0, 0), rank:format(1, 1)), '.sh')
      local status, out, err = ranks.sh(("unshare -rm sh '%s'"):format(inside))
      if status == 9 or err:find('unshare', 1, true) then return pending 'this system does not let a user mount a tmpfs' end
      local _, n = out:gsub('refused', '')
      assert.equal(2, n, out .. err)
   end)

   it('refuses what makes no sense', function()
      dist.init()
      local s = dist.shared('refusals', { 3, 2 })
      assert.same({ 3, 2 }, s:fetch():size():totable())
      refuses('dist.shared: name must be a string without a byte 0, got a number (3)', dist.shared, 3, 2)
      refuses('dist.shared: a name has 1 to 63 bytes, got 64', dist.shared, ('x'):rep(64), 2)
      refuses('dist.shared: a name has 1 to 63 bytes, got 0', dist.shared, '', 2)
      refuses('dist.shared: sizes must be a number, a list of 1 to 16 numbers or a LongStorage, got nil', dist.shared, 'x')
      refuses('dist.shared: size 2 must be a whole number from 1, got a number (0)', dist.shared, 'x', { 2, 0 })
      refuses('dist.shared: size 1 must be a whole number from 1, got a number (nan)', dist.shared, 'x', 0 / 0)
      refuses('dist.shared: too many elements', dist.shared, 'x', { 2 ^ 40, 2 ^ 40 })
      refuses('dist.shared: there is no option shard', dist.shared, 'x', 2, { shard = 1 })
      refuses('dist.shared: shards must be a whole number in 1..256, got a number (0.5)', dist.shared, 'x', 2, { shards = 0.5 })
      refuses('dist.shared: type must be the name of a tensor type of the CPU', dist.shared, 'x', 2, { type = 'torch.CudaTensor' })
      refuses("dist.shared: 'refusals' has 6 Double elements in 1 shards, as created by rank 0, not 4 Double elements in 1",
         dist.shared, 'refusals', 4)
      refuses("not 6 Float elements in 1", dist.shared, 'refusals', { 3, 2 }, { type = 'torch.FloatTensor' })
      refuses("add: 'refusals' has 6 elements of a torch.DoubleTensor, got a torch.DoubleTensor of size 5", s.add, s, torch.ones(5))
      refuses('add: argument 1 must be a tensor, got a number (2)', s.add, s, 2)
      refuses('add: scale must be a number, got a string', s.add, s, 'x', torch.ones(6))
      refuses("fetch: 'refusals' has 6 elements", s.fetch, s, torch.FloatTensor(6))
      refuses("copy: 'refusals' has 6 elements", s.copy, s, torch.Tensor())
      refuses('addRows: argument 1 must be a LongTensor of row numbers', s.addRows, s, torch.ones(2), torch.ones(2, 2))
      refuses('addRows: argument 2 must be a torch.DoubleTensor with 2 elements for each row', s.addRows, s, torch.LongTensor{ 1 }, torch.ones(3))
      refuses("addRows: rows of 'refusals' must lie in 1..3, got 4", s.addRows, s, torch.LongTensor{ 1, 4 }, torch.ones(2, 2))
      refuses("addRows: rows of 'refusals' must lie in 1..3, got 0", s.addRows, s, torch.LongTensor{ 0 }, torch.ones(1, 2))
      refuses('apply: argument 1 must be a function, got nil', s.apply, s)
      refuses('wait: argument 1 must be a whole number from 0, got a number (-1)', s.wait, s, -1)
      refuses('wait: all other ranks have ended in epoch 0', s.wait, s, 9)
      refuses("dist.shared: names that begin with 'dist.optim' are reserved", dist.shared, 'dist.optim 5', 3)
      refuses("dist.shared: 'refusals' has other sizes or other shards, as created by rank 0", dist.shared, 'refusals', { 2, 3 })
      refuses('addRows: argument 1 must be a LongTensor of row numbers, got a number (3)', s.addRows, s, 3, torch.ones(1, 2))
      refuses("dist.shared: counters of 'refusals' lie in 0..0, got 1", s.more, s, 1)
      refuses("dist.shared: counters of 'refusals' lie in 0..0, got -1", s.count, s, -1)
      refuses("dist.shared: counters of 'refusals' lie in 0..0, got 7", s.waitMoment, s, 7, 1, 'x')
      refuses('x: shards lie in 1..1, got 2', s.with, s, 2, 'x', true, function() end)
      assert.equal(0, s:fetch():abs():sum())
      assert.equal(0, s:epoch())
   end)
end)

teardown(temporary.remove)
