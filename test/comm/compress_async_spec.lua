-- test/comm/compress_async_spec.lua - asynchronous compressed all-reduces.
-- runs once: test/comm/compress_spec.lua compares the bits of all levels
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local head = [[
local r, n = dist.rank(), dist.size()
local kinds = { 'half', 'bfloat16', 'int8', 'onebit', 'topk' }
local function made(i, step)
   torch.manualSeed(100 * i + 10 * step + r)
   return torch.randn(3000 * i):float()
end
]]

describe('an asynchronous compressed all-reduce', function()
   for _, count in ipairs { 2, 3 } do
      it(('of %d ranks ends although no other rank waits for it, with the bits of a blocking one'):format(count), function()
         ranks.ok(count, head .. [[
            local a, b = {}, {}
            for i, kind in ipairs(kinds) do a[i], b[i] = dist.compressor(kind), dist.compressor(kind) end
            for step = 1, 3 do
               local handles, want = {}, {}
               for i = 1, #kinds do handles[i] = dist.allreduce(made(i, step), 'mean', { compress = a[i], async = true }) end
               local turn = torch.zeros(1)
               if r > 0 then dist.recv(turn, r - 1) end                -- the ranks wait one after the other, some in reverse
               local got = {}
               for k = 1, #kinds do
                  local i = r == 1 and #kinds + 1 - k or k
                  got[i] = handles[i]:wait()
                  assert(handles[i]:test())
               end
               if r < n - 1 then dist.send(turn, r + 1) end
               for i = 1, #kinds do
                  want[i] = dist.allreduce(made(i, step), 'mean', { compress = b[i] })
                  assert(same(got[i], want[i]) and same(a[i]:owed(), b[i]:owed()), kinds[i])
               end
            end]])
      end)
   end

   it('is ready when only unpacking is left', function()
      ranks.ok(2, head .. [[
         require 'ffi'.cdef 'int usleep(unsigned);'
         local c, x = dist.compressor 'int8', made(20, 1)
         local h = dist.allreduce(x, 'sum', { compress = c, async = true })
         while not h:test() do require 'ffi'.C.usleep(1000) end
         if r == 0 then dist.recv(torch.zeros(1), 1) else dist.send(torch.ones(1), 0) end    -- no rank has waited so far
         assert(same(x, made(20, 1)))
         assert(same(dist.allgather(h:wait())[1], x))]])
   end)

   it('tells all ranks which one gave what is not finite, and leaves those beside it alone', function()
      ranks.ok(3, head .. [[
         local cs, handles, x = {}, {}, {}
         for i = 1, 3 do
            cs[i], x[i] = dist.compressor(kinds[i]), made(i, 1)
            if i == 2 and r == 1 then x[i][7] = 0 / 0 end
            handles[i] = dist.allreduce(x[i], 'sum', { compress = cs[i], async = true })
         end
         says('the tensors of rank 1 plus its carried error are not finite: nothing has changed', handles[2].wait, handles[2])
         assert(r == 1 or same(x[2], made(2, 1)))
         for i = 1, 3, 2 do assert(same(dist.allgather(handles[i]:wait())[1], x[i])) end
         assert(cs[2].steps == 0 and cs[3].steps == 1)
         x[2] = made(2, 1)
         assert(same(dist.allgather(dist.allreduce(x[2], 'sum', { compress = cs[2] }))[2], x[2]))
         local big = made(2, 1):fill(3e38)
         says('the sum that rank 0 computes is not finite', function()
            dist.allreduce(big, 'sum', { compress = dist.compressor 'int8', async = true }):wait()
         end)
         assert(big:eq(big[1]):all())
         dist.barrier()]])
   end)

   it('ends with its handle if no rank waits for it', function()
      ranks.ok(2, head .. [[
         for step = 1, 20 do
            dist.allreduce(made(5, step), 'sum', { compress = dist.compressor(kinds[step % 5 + 1]), async = true })
            if step % 3 == 0 then collectgarbage() end
         end
         collectgarbage()
         assert(dist.allreduce(torch.ones(1))[1] == 2)]])
   end)

   it('is an error on the others, which names the rank, when one is killed', function()
      local _, out, err = ranks.run(3, head .. [[
         dist.barrier()
         local h = dist.allreduce(made(1000, 1), 'sum', { compress = dist.compressor 'half', async = true })
         if r == 1 then
            require 'ffi'.cdef 'int kill(int, int);'
            require 'ffi'.C.kill(pid(), 9)
         end
         says('rank 1 is gone', h.wait, h)
         print 'told']], '--spare 1')
      assert.equal(2, select(2, out:gsub('told', '')), err)
   end)
end)

teardown(temporary.remove)
