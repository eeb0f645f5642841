-- test/comm/group_spec.lua - groups are closed, and their numbers are used again.
-- runs once
local dist = require 'dist'
local hosts = require 'test.support.comm.hosts'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- Many groups, with the same ranks and others, whose numbers other groups had: sums of few and many
-- elements, some while other groups are open.
local many = [[
   local r, n = dist.rank(), dist.size()
   local lists = { { 0, n - 1 }, { 1, 2 }, { 0, 1, 2 }, { n - 1, 0, 1 }, { 2 }, { 1, 0 } }
   local open = {}
   local function use(group, list, size)
      if not group.c then return end
      local x, sum = torch.FloatTensor(size):fill(r + 1), 0
      for _, other in ipairs(list) do sum = sum + other + 1 end
      dist.allreduce(x, 'sum', { group = group })
      assert(x:min() == sum and x:max() == sum, x[1] .. ' is not ' .. sum)
      dist.broadcast(x:fill(r), #list - 1, { group = group })
      assert(x:min() == list[#list] and x:max() == list[#list])
   end
   for i = 1, 90 do
      local list = lists[i % #lists + 1]
      local group = dist.group(list)
      for _, size in ipairs { 3, 1500, 70000 } do use(group, list, size) end
      open[#open + 1] = { group, list }
      for k = 1, #open do use(open[k][1], open[k][2], i) end
      if #open == 4 or i % 3 == 0 then
         local first = table.remove(open, i % #open + 1)
         first[1]:close()
      end
   end
   for _, one in ipairs(open) do one[1]:close() end
   assert(dist.allreduce(torch.ones(3)):max() == n)]]

describe('a group', function()
   it('is freed by close, and its number is used again with the right sums', function() ranks.ok(4, many) end)

   if hosts.there then
      it('is freed between hosts, too', function()
         local part = hosts.parts('a b b', { { 'many', many } })
         part 'many'
      end)
   end

   it('is one of 31 at a time; one more is an error on all ranks, and the job continues', function()
      ranks.ok(3, [[
         local groups = {}
         for i = 1, 31 do groups[i] = dist.group { 0, 2 } end
         says('dist.group: a job has at most 31 groups at a time: close one', dist.group, { 1 })
         groups[7]:close()
         local two = dist.group { 1, 2 }
         if dist.rank() > 0 then assert(dist.allreduce(torch.ones(9000), 'sum', { group = two }):min() == 2) end
         if dist.rank() ~= 1 then assert(dist.allreduce(torch.ones(9000), 'sum', { group = groups[31] }):min() == 2) end
         says('dist.group: a job has at most 31 groups at a time', dist.group, { 1 })]])
   end)

   it('that was closed is an error wherever it is used', function()
      ranks.ok(2, [[
         local nn = require 'nn'
         local group = dist.group { 1, 0 }
         local model = dist.DataParallel(nn.Linear(2, 2), { group = group, broadcast = true })
         local c = dist.compressor 'half'
         group:close()
         local o, x = { group = group }, torch.ones(4)
         for _, name in ipairs { 'allreduce', 'broadcast', 'reducescatter' } do
            says('dist.' .. name .. ': the group is closed', dist[name], x, nil, o)
         end
         for _, name in ipairs { 'allgather', 'alltoall' } do says('dist.' .. name .. ': the group is closed', dist[name], x, o) end
         says('dist.reduce: the group is closed', dist.reduce, x, 0, 'sum', o)
         says('dist.barrier: the group is closed', dist.barrier, o)
         says('dist.allreduce: the group is closed', dist.allreduce, x, 'sum', { group = group, compress = c })
         says('dist.allreduce: the group is closed', dist.allreduce, x, 'sum', { group = group, async = true })
         says('dist.explain: the group is closed', dist.explain, 'allreduce', x, 'sum', o)
         says('dist.group:close: the group is closed', group.close, group)
         says('the group is closed', dist.DataParallel, nn.Linear(2, 2), o)
         model:forward(torch.ones(1, 2))
         says('the group is closed', model.backward, model, torch.ones(1, 2), torch.ones(1, 2))]])
   end)

   it('does not close while an operation of it has not been waited for; the others wait for that rank', function()
      ranks.ok(2, [[
         local r, group = dist.rank(), dist.group { 0, 1 }
         local x = torch.ones(100000)
         local h = dist.allreduce(x, 'sum', { group = group, async = true })
         if r == 1 then h:wait() end
         if r == 0 then
            says('dist.group:close: 1 operation of the group has not been waited for', group.close, group)
            while not h:test() do end
            says('dist.group:close: 1 operation of the group has not been waited for', group.close, group)
            local k = dist.barrier { async = true }               -- of the whole job: it does not count
            h:wait()
            group:close()
            k:wait()
         else
            group:close()
            dist.barrier()
         end
         assert(x:min() == 2)
         group = dist.group { 1, 0 }
         assert(dist.allreduce(x, 'sum', { group = group }):min() == 4)]])
   end)

   it('stays open when its ranks call something else', function()
      ranks.ok(3, [[
         local r, group = dist.rank(), dist.group { 0, 2 }
         local x = torch.ones(3)
         if r == 0 then
            says('dist.group:close, operation 1 of group 1: the ranks call different operations: rank 0 group:close, rank 2 allreduce',
               group.close, group)
         elseif r == 2 then says('rank 0 group:close, rank 2 allreduce', dist.allreduce, x, 'sum', { group = group })
         else group:close() end                                   -- no member of the group, so nothing happens
         if r ~= 1 then assert(dist.allreduce(x, 'sum', { group = group }):min() == 2) end
         if r ~= 1 then group:close() end]])
   end)

   it('of dist.mesh stays, and so does the whole job', function()
      ranks.ok(4, [[
         local a, b = dist.mesh(2, 2)
         says('dist.group:close: dist.mesh returns this group again for the same sizes, so it stays open', a.close, a)
         assert(dist.allreduce(torch.ones(3), 'sum', { group = b }):max() == 2)
         local all = dist.mesh(4)
         says('dist.group:close: this is the whole job', all.close, all)]])
      dist.init()
      refuses('dist.group:close: argument 1 must be a group made by dist.group, got nil', dist.group({ 0 }).close)
      refuses('dist.group:close: argument 1 must be a group made by dist.group, got a table', dist.group({ 0 }).close, {})
   end)

   it('that is closed by one rank alone is an error that names the other', function()
      local status, _, err = ranks.run(2, [[
         local group = dist.group { 0, 1 }
         dist.barrier()
         if dist.rank() == 0 then dist.deadline(1) group:close() end
         os.execute 'sleep 30']], '--grace 0.2')
      assert.equal(1, status)
      assert.truthy(err:find('dist.group:close, operation 1 of group 1: rank 1 did not come within 1 s', 1, true), err)
   end)
end)

teardown(temporary.remove)
