-- test/comm/collectives_spec.lua - operations of ranks on one host: the bits of their results.
local ranks = require 'test.support.comm.ranks'
local share = require 'test.support.share'

describe('collective operations', function()
   it('have a name in Lua for each number of th_dist.h, up to the last', function()
      local lib = require 'distributed.lib'
      local names = 0
      for _ in pairs(lib.kinds) do names = names + 1 end
      assert.equal(tonumber(lib.C.TH_DIST_KINDS), names)
      assert.equal(tonumber(lib.C.TH_DIST_CLOSE), lib.kinds['group:close'])
      assert.equal(nil, lib.C.th_dist_kind(lib.C.TH_DIST_KINDS))
   end)

   for _, n in ipairs(share.among { 1, 2, 3, 4 }) do
      it(('of %d ranks give the bits of a reduction in pairs of ranks, for all types, operators, sizes and buckets'):format(n), function()
         local status, out, err = ranks.sh(("'%s' -n %d test/support/comm/collectives.lua -job -sizes few"):format(ranks.thrun, n))
         assert.equal(0, status, out .. err)
         for r = 0, n - 1 do assert.truthy(out:find(('%%[%d%%] %%d%%d%%d%%d? right, 0 wrong'):format(r)), out) end
      end)
   end

   it('give right sums when 2^31 chunks and more have gone by since the last one was folded', function()
      ranks.ok(3, [[
         require 'ffi'.cdef 'void th_dist_number(th_dist *, uint32_t);'
         local wire, large = require 'distributed.lib', torch.FloatTensor(1e5)
         local all = dist.group { 0, 1, 2 }
         for try = 1, 200 do
            all = try % 20 == 0 and dist.group { 0, 1, 2 } or all
            dist.barrier()
            wire.C.th_dist_number(all.c, 2 ^ 31 - 2)
            dist.barrier()
            for i = 1, 7 do dist.broadcast(large:fill(dist.rank()), 1, { group = all }) end
            local x = dist.allreduce(large:fill(try + dist.rank()), 'sum', { group = all })
            assert(x:min() == 3 * try + 3 and x:max() == 3 * try + 3, 'try ' .. try)
         end]])
   end)

   -- A group measures both kinds of stores in its ninth to twelfth operation of a size; so each
   -- kind of operation has its group.
   for _, n in ipairs(share.among { 2, 3 }) do
      it(('give the same bits by whichever way the elements of %d ranks travel'):format(n), function()
         ranks.ok(n, [[
            local me, n = dist.rank(), dist.size()
            local function made(size, r, step) return torch.range(1, size):mul(2 * r + step):fmod(101):mul(1 / 7):float() end
            local function sum(size, step) return require 'test.support.comm.pairwise'(n, function(r) return made(size, r, step) end, 'add') end
            local function in_three(x)                        -- of which the second begins where no vector would
               local k = x:size(1)
               return { x:narrow(1, 1, 1):clone(), x:narrow(1, 2, 6):clone(), x:narrow(1, 8, k - 7):clone() }
            end
            local kinds = {
               allreduce = function(size, step, o)
                  return torch.cat(dist.allreduce(in_three(made(size, me, step)), 'sum', o), 1), sum(size, step)
               end,
               reduce = function(size, step, o)
                  local x = made(size, me, step)
                  return dist.reduce(x, 1, 'sum', o), me == 1 and sum(size, step) or made(size, me, step)
               end,
               broadcast = function(size, step, o)
                  return torch.cat(dist.broadcast(in_three(made(size, me, step)), 1, o), 1), made(size, 1, step)
               end,
               allgather = function(size, step, o)
                  local want = {}
                  for r = 0, n - 1 do want[r + 1] = made(size, r, step) end
                  return dist.allgather(made(size, me, step), o):view(-1), torch.cat(want, 1)
               end,
               reducescatter = function(size, step, o)
                  return dist.reducescatter(made(size * n, me, step), 'sum', o), sum(size * n, step):narrow(1, me * size + 1, size)
               end,
               alltoall = function(size, step, o)
                  local want = {}
                  for r = 0, n - 1 do want[r + 1] = made(size * n, r, step):narrow(1, me * size + 1, size) end
                  return dist.alltoall(made(size * n, me, step), o), torch.cat(want, 1)
               end,
            }
            for _, name in ipairs { 'allreduce', 'reduce', 'broadcast', 'allgather', 'reducescatter', 'alltoall' } do
               local all = {}
               for r = 0, n - 1 do all[r + 1] = r end
               local group = dist.group(all)
               for _, size in ipairs { 8209, name ~= 'allreduce' and 20011 or n == 2 and 1200007 or 200003 } do
                  for step = 1, 12 do
                     local got, want = kinds[name](size, step, { group = group })
                     assert(same(got, want), ('%s of %d, number %d'):format(name, size, step))
                  end
               end
            end
         ]])
      end)
   end
end)

teardown(require 'test.support.temporary'.remove)
