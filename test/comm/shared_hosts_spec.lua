-- test/comm/shared_hosts_spec.lua - shared tensors, and the schemes of dist.optim, of ranks on several hosts.
-- runs once
local hosts = require 'test.support.comm.hosts'
local ranks = require 'test.support.comm.ranks'
local small = require 'test.support.comm.optim_script'
local temporary = require 'test.support.temporary'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

local function between(title, f)
   if hosts.there then it(title, f) else pending(title .. ' (Open MPI is not installed)') end
end

-- The start takes long on a busy machine.
local function early(seconds) return ('dist.init{deadline = 30} dist.barrier() dist.deadline(%g) '):format(seconds) end

-- One rank after the other; the last one of all prints the result.
local methods = [[
local r, n = dist.rank(), dist.size()
local function in_turns(s, f)
   for turn = 0, n - 1 do
      if turn == r then f() end
      dist.barrier()
   end
   if r == n - 1 then
      local list = s:fetch():double():view(-1):totable()
      print(('%s after %d: %s'):format(s.name, s:epoch(), table.concat(list, ' ')))
   end
   dist.barrier()
end
for _, ty in ipairs { 'Float', 'Double', 'Half', 'Long', 'Byte' } do
   for _, shards in ipairs { 1, 3, 5 } do
      local s = dist.shared(ty .. shards, { 7, 3 }, { type = 'torch.' .. ty .. 'Tensor', shards = shards })
      local x = torch.range(1, 21):view(7, 3):typeAs(s.x)
      in_turns(s, function() if r == n - 1 then s:copy(x * 2) end end)
      in_turns(s, function() s:add(r + 1, x) end)
      in_turns(s, function() s:add(x:t():contiguous():t()) end)
      in_turns(s, function() s:addRows(torch.LongTensor{ 7, 1 + r, 2, 7 }, x:narrow(1, 2, 4)) end)
      in_turns(s, function() s:apply(function(part, first) part:add(first + part:size(1)) end) end)
      in_turns(s, function() pcall(s.apply, s, function(part) part:fill(r + 7) error 'no' end) end)
      s:wait(3 * n + 1)                                           -- rows are in some shards only
      local turned = torch[ty .. 'Tensor'](3, 7):t()
      assert(s:fetch(turned) == turned and same(turned:contiguous(), s:fetch()))
      dist.barrier()
      s:close()
   end
end]]

local function lines(out) return (out:gsub('%[%d+%] ', '')) end

describe('dist.shared between hosts', function()
   for _, layout in ipairs { 'a b', 'a b c', 'a a b b' } do
      local _, n = layout:gsub('%S+', '')
      between(('has with ranks on %s what it has on one host, for all methods, types and shards'):format(layout), function()
         local want = lines(ranks.ok(n, methods))
         local _, count = want:gsub('\n', '')
         assert.equal(5 * 3 * 6, count)
         assert.equal(want, hosts.ok(layout, methods))
      end)
   end

   between('gets all that ranks add at the same time, as a whole, as rows and by functions', function()
      for _, layout in ipairs { 'a a', 'a b', 'a b c', 'a a b b' } do
         hosts.ok(layout, [[
            local r, n = dist.rank(), dist.size()
            local s = dist.shared('sum', { 7, 3 }, { shards = 5 })
            local x, rows = torch.range(1, 21):view(7, 3), dist.shared('rows', { 7, 3 }, { type = 'torch.FloatTensor' })
            local count = dist.shared('count', 1)
            for i = 1, 100 do
               s:add(r + 1, x)
               rows:addRows(torch.LongTensor{ 2, 6, 2 }, x:float():narrow(1, 1, 3))
               count:apply(function(part) part:add(1) end)
            end
            dist.barrier()
            assert(same(s:fetch(), x * (50 * n * (n + 1))) and s:epoch() == 100 * n)
            local want = torch.FloatTensor(7, 3):zero()
            want[2]:copy(x[1] + x[3]):mul(100 * n)
            want[6]:copy(x[2]):mul(100 * n)
            assert(same(rows:fetch(), want))
            assert(count:fetch()[1] == 100 * n and count:epoch() == 100 * n)]])
      end
   end)

   between('takes more elements, and more rows, than a message holds', function()
      hosts.ok('a b b', [[
         local r, n = dist.rank(), dist.size()
         local size = 1000003
         for _, shards in ipairs { 1, 2 } do
            local s = dist.shared('large ' .. shards, size, { type = 'torch.FloatTensor', shards = shards })
            local x = torch.range(1, size):float()
            if r == n - 1 then s:copy(x) end
            dist.barrier()
            assert(same(s:fetch(), x))
            dist.barrier()
            for i = 1, 3 do s:add(x) end
            dist.barrier()
            assert(same(s:fetch(), x * 10))
         end
         local s, index = dist.shared('many rows', { 20000, 3 }, { type = 'torch.LongTensor' }), torch.range(2, 20000, 2):long()
         local turned = index:index(1, torch.randperm(10000):long())           -- rows that are not adjacent, in any order
         for i = 1, 3 do s:addRows(turned, turned:view(-1, 1):expand(10000, 3):contiguous()) end
         dist.barrier()
         local want = torch.LongTensor(20000, 3):zero():indexAdd(1, index, index:view(-1, 1):expand(10000, 3):contiguous():mul(9))
         assert(same(s:fetch(), want))
         local double = dist.shared('wide', { 3, 100000 })                     -- a row is longer than a message
         double:addRows(torch.LongTensor{ 3, 1, 3 }, torch.ones(3, 100000))
         dist.barrier()
         assert(double:fetch():sum() == 900000 and double:fetch()[3]:min() == 6)]])
   end)

   between('exists before the others join, whether its server opens it or not', function()
      hosts.ok('a b c', [[
         local r = dist.rank()
         if r == 1 then
            local s = dist.shared('mine', { 3, 2 })                             -- a shard on each host
            s:add(torch.ones(3, 2))
            assert(s:fetch():sum() == 6 and s:epoch() == 1)
         end
         if r == 2 then
            local s = dist.shared('late', 2, { shards = 1 })
            s:wait(1)
            assert(same(s:fetch(), torch.Tensor{ 4, 5 }))
            says("dist.shared 'late', wait: epoch 2 did not come within 0.1 s: it is 1", s.wait, s, 2, 0.1)
         elseif r == 0 then
            dist.shared('late', 2, { shards = 1 }):copy(torch.Tensor{ 4, 5 })
         end
         dist.barrier()                                                         -- what those had who have ended is free]])
   end)

   between('serves other hosts when the script of its server has ended', function()
      hosts.ok('a b', [[
         local s = dist.shared('w', 2, { shards = 1 })
         dist.barrier()
         if dist.rank() == 1 then
            while not s:gone(0) do os.execute 'sleep 0.05' end
            os.execute 'sleep 0.7'
            for i = 1, 5 do s:add(torch.ones(2)) end
            assert(s:fetch():min() == 5 and s:epoch() == 5)
            says('wait: all other ranks have ended in epoch 5', s.wait, s, 6, 5)
         end]])
   end)

   between('gives ranks of other hosts their turn, however often those of its host take a lock', function()
      hosts.ok('a a b', [[
         local s, over = dist.shared('w', 4, { shards = 1 }), dist.shared('over', 1)
         dist.barrier()
         if dist.rank() == 2 then
            for i = 1, 200 do s:add(torch.ones(4)) end
            over:add(torch.ones(1))
         else
            repeat s:add(torch.ones(4)) until over:epoch() > 0
         end]])
   end)

   between('gives name and memory back on all hosts, and begins with zeros when it is made again', function()
      hosts.ok('a b b', [[
         local r = dist.rank()
         for i = 1, 60 do
            local size = 100 + i % 7 * 1000
            local s = dist.shared('again', size, { shards = 1 + i % 3 })
            assert(s:fetch():abs():max() == 0 and s:epoch() == 0)
            dist.barrier()
            s:add(torch.ones(size))
            dist.barrier()
            assert(s:fetch():min() == 3 and s:epoch() == 3)
            s:close()
            says("fetch: this rank has closed dist.shared 'again'", function() return s:fetch() end)
            dist.barrier()
         end
         local kept, other = dist.shared('kept', 10), dist.shared('other', 5e5)
         kept:add(torch.ones(10))
         other:add(torch.ones(5e5))
         other:close()
         dist.barrier()
         if r == 1 then kept:close() end
         dist.barrier()
         local more = dist.shared('more', 5e5)                                  -- has the place of `other`
         assert(more:fetch():abs():max() == 0)
         dist.barrier()
         more:add(torch.ones(5e5))
         dist.barrier()
         assert(dist.shared('kept', 10):fetch():min() == 3 and more:fetch():min() == 3)
         dist.barrier()
         for i = 1, 505 do dist.shared('name ' .. i, 3) end
         local full
         for i = 1, 9 do
            local ok, why = pcall(dist.shared, 'further ' .. i, 3)
            full = full or not ok and why
         end
         assert(full:find('dist.shared: a job has at most 512 names', 1, true), full)]])
   end)

   between('is refused by a host that has no room for it, and its name stays free', function()
      hosts.ok('a b', [[
         local C = require 'torch.lib'.C
         if dist.rank() == 1 then C.th_memory_of(C.TH_CPU).most = 1e8 end
         dist.barrier()
         says('out of memory: 160', dist.shared, 'w', 2e7)
         dist.barrier()
         assert(dist.shared('w', 100):fetch():max() == 0)
         dist.barrier()]])
   end)

   between('opens a name of which all ranks of a host had ended', function()
      hosts.ok('a b', [[
         local s = dist.shared('w', 3)
         s:add(torch.ones(3))
         dist.barrier()
         if dist.rank() == 0 then
            s:close()
            while not dist.shared('x', 1):gone(1) do os.execute 'sleep 0.05' end
            assert(dist.shared('w', 5):fetch():abs():max() == 0)                -- other sizes, too
         end]])
   end)

   between('refuses what makes no sense, as on one host, and continues', function()
      hosts.ok('a b', [[
         local r = dist.rank()
         if r == 0 then dist.shared('w', { 3, 2 }) end
         dist.barrier()
         says("dist.shared: 'w' has 6 Double elements in 2 shards, as created by rank 0, not 4 Double elements in 2",
            dist.shared, 'w', 4)
         says('not 6 Float elements in 2', dist.shared, 'w', { 3, 2 }, { type = 'torch.FloatTensor' })
         says('not 6 Double elements in 1', dist.shared, 'w', { 3, 2 }, { shards = 1 })
         says('has other sizes or other shards, as created by rank 0', dist.shared, 'w', { 2, 3 })
         local s = dist.shared('w', { 3, 2 })
         says("addRows: rows of 'w' must lie in 1..3, got 4", s.addRows, s, torch.LongTensor{ 1, 4 }, torch.ones(2, 2))
         says("'w' has 6 elements of a torch.DoubleTensor", s.add, s, torch.ones(5))
         says('stop here', s.apply, s, function() error('stop here', 0) end)
         says("'w', add: this rank already holds the shard's lock", s.apply, s, function() s:add(torch.ones(6)) end)
         says("dist.shared 'w', close: this rank holds the lock of a shard", s.apply, s, function() s:close() end)
         says("dist.shared: counters of 'w' lie in 0..1, got 2", s.more, s, 2)
         says("dist.shared: counters of 'w' lie in 0..1, got 2", s.counts, s, 1, 2)
         says('how many counters must be at least 1, got 0', s.counts, s, 0, 0)
         says('x: shards lie in 1..2, got 3', s.with, s, 3, 'x', 'look', nil, function() end)
         for shard = 1, 2 do
            if s.is_far[shard] then
               says('x: it has no 9 elements from 1 on', s.with, s, shard, 'x', 'look', { 1, 9 }, function() end)
               says('x: it has no 1 elements from 7 on', s.bring, s, shard, 'x', { 7, 1 })
               says('x: it has no 0 elements from 1 on', s.send, s, shard, 'x', { 1, 0 })
            end
         end
         says('memory', dist.shared, 'huge', 2 ^ 40)
         dist.barrier()
         if r == 0 then
            for shard = 1, 2 do s:more(s:epochCounter(shard), 2 ^ 31 - 2 - s:epochOf(shard)) end
            s:add(torch.ones(6))
            says("dist.shared 'w', add: it was written 2^31 - 1 times, and cannot be written again", s.add, s, torch.ones(6))
            assert(s:fetch():max() == 1)
         end
         dist.barrier()]])
   end)

   -- Rank 1 runs code; all others report what they see of it. Returns a function that waits for
   -- that, and checks it.
   local function told(layout, does, text, options)
      local _, n = layout:gsub('%S+', '')
      local marks = {}
      for r = 0, n - 1 do marks[r + 1] = temporary.name('.' .. r) end
      local wait = hosts.start(layout, ([[
         local r, marks = dist.rank(), { '%s' }
         local function wait_until_told()
            while not (io.open(marks[1]) and io.open(marks[3])) do os.execute 'sleep 0.1' end
         end
         local s = dist.shared('w', 3, { shards = 3 })
         s:fetch()
         dist.barrier()
         if r == 1 then %s end
         os.execute 'sleep 0.3'
         local ok, why = pcall(function() for i = 1, 1e9 do s:add(torch.ones(3)) end end)
         io.stdout:write(('told %%d: %%s\n'):format(r, tostring(why):match 'dist%%.shared.*')) io.stdout:flush()
         io.open(marks[r + 1], 'w'):close()
         os.exit(3)]]):format(table.concat(marks, "', '"), does), nil, early(2), options or '--enable-recovery --timeout 60')
      return function()
         local _, out = wait()
         for r = 0, n - 1 do if r ~= 1 then has(out, ("told %d: dist.shared 'w', add: %s"):format(r, text)) end end
      end
   end
   -- Jobs that mostly wait, at the same time.
   local function all(list)
      for i, case in ipairs(list) do list[i] = told(unpack(case)) end
      for _, look in ipairs(list) do look() end
   end
   local kill, stop = "os.execute('kill -9 ' .. pid())", "os.execute('kill -STOP ' .. pid())"
   local function at_work(what) return ('s:apply(function(_, first) if first == 1 then %s end end)'):format(what) end

   between('names a rank that was killed: a shard server', function()
      all { { 'a b c', kill,
         'rank 1 did not come within 2 s: it does not answer: it was killed, is stopped, or its host is cut off' } }
   end)

   between('names a rank that was killed: one that holds a lock of another host', function()
      local held = 'rank 1 has held the shard for 2 s: it does not answer'
      all { { 'a b c', at_work(kill), held }, { 'a b a', at_work(kill), held } }
   end)

   between('names immediately a rank that was killed with a lock, if another one is on its host', function()
      all { { 'b b a', at_work(kill), 'rank 1 is gone: its process' } }
   end)

   between('names a rank that is stopped, with a lock or without', function()
      all { { 'a b c', at_work(stop), 'rank 1 has held the shard for 2 s: it does not answer', '--timeout 20' },
            { 'a b b', stop, 'rank 1 did not come within 2 s: ', '--timeout 20' } }
   end)

   between('names a rank whose script has ended, and one that holds a lock for too long', function()
      local ended = 'rank 1 has left the job: its script has ended'
      all { { 'a b c', 'os.exit(4)', ended }, { 'a b c', at_work 'os.exit(4)', ended },
            { 'a b c', at_work 'wait_until_told()', 'rank 1 has held the shard for 2 s: its process lives' } }
   end)

   between('tells a rank that is slow from ranks that take turns', function()
      hosts.ok('a a b c', [[
         local s = dist.shared('a', 1)
         dist.barrier()
         for i = 1, 2 do s:apply(function() os.execute 'sleep 0.4' end) end
         s:wait(8, 20)]], nil, early(2))
   end)
end)

require 'test.support.comm.optim_cases'(describe, between, ', on several hosts', function(n, code)
   hosts.ok(({ [3] = 'a b b', [4] = 'a b c c' })[n], code)
end)

describe('dist.optim between hosts', function()
   between('continues from a state of one host, and gives one', function()
      hosts.ok('a b', small .. [[
         for _, scheme in ipairs { 'syncps', 'downpour', 'ssp', 'easgd' } do
            local o = { scheme = scheme, update = 'adam', nPush = scheme == 'downpour' and 2 or nil }
            local opt, x, _, step = make(o)
            for t = 1, 4 do in_turns(scheme == 'syncps' and function() end or step) if scheme == 'syncps' then step() end end
            local state = opt:state()
            for t = 1, 3 do in_turns(scheme == 'syncps' and function() end or step) if scheme == 'syncps' then step() end end
            local want = opt:fetch(torch.Tensor(5))
            dist.barrier()
            o.state = state
            local again, y, _, more = make(o)
            for t = 1, 3 do in_turns(scheme == 'syncps' and function() end or more) if scheme == 'syncps' then more() end end
            assert(same(again:fetch(torch.Tensor(5)), want) and same(x, y), scheme)
            dist.barrier()
            opt:finish()
            again:finish()
         end]])
   end)

   -- Counts elements that are read and written, as they are requested.
   local counting = [[
      local class = getmetatable(dist.shared('any', 1))
      local with, bring, send, far = class.with, class.bring, class.send, { look = 0, put = 0, change = 0, bring = 0, send = 0 }
      local function count(self, shard, how, list)
         for i = 2, self.is_far[shard] and list and #list or 0, 2 do far[how] = far[how] + list[i] end
      end
      function class:with(shard, what, how, list, ...)
         count(self, shard, how, list)
         return with(self, shard, what, how, list, ...)
      end
      function class:bring(shard, what, list) count(self, shard, 'bring', list) return bring(self, shard, what, list) end
      function class:send(shard, what, list) count(self, shard, 'send', list) return send(self, shard, what, list) end
   ]]

   between('sends gradients to servers, whose state stays where it is', function()
      hosts.ok('a a b b', counting .. small .. [[
         for _, scheme in ipairs { 'downpour', 'ssp', 'syncps' } do
            local opt, x, g, step = make { scheme = scheme, servers = 2, update = 'adam' }
            for _, name in ipairs { 'look', 'change', 'bring', 'send' } do far[name] = 0 end
            if opt:isServer() then opt:serve() else
               for t = 1, 10 do step() end
               opt:finish()
            end
            local gradients, fetched = r < 2 and 50 or 0, far.look / 5
            assert(far.change == 0 and far.bring == 0, scheme)
            assert(far.send - gradients <= 40 and far.send >= gradients, far.send)    -- and a number for each list
            assert(r >= 2 or (fetched >= 10 and fetched <= 15), fetched)
         end]])
   end)

   between('sends rows of sparse gradients, and what an update of them needs', function()
      hosts.ok('a b', counting .. [[
         require 'nn'
         local r = dist.rank()
         for servers = 0, 1 do
            for _, scheme in ipairs { 'downpour', 'syncps' } do
               local net = nn.Sequential():add(nn.LookupTable(1000, 4)):add(nn.Mean(1)):add(nn.Linear(4, 2))
               local opt = dist.optim { scheme = scheme, servers = servers, sparse = true, update = 'adam', model = net,
                  nFetch = scheme == 'downpour' and 100 or nil }
               for _, name in ipairs { 'look', 'change', 'bring', 'send' } do far[name] = 0 end
               if opt:isServer() then opt:serve() else
                  for t = 1, 10 do
                     net:zeroGradParameters()
                     net:forward(torch.LongTensor{ 3, 500 + t, 999 })
                     net:backward(torch.LongTensor{ 3, 500 + t, 999 }, torch.ones(2))
                     opt:step()
                  end
                  opt:finish()
               end
               local moved = far.change + far.bring + far.send                  -- of 4010 elements, and twice as many of state
               assert(moved <= 10 * 3 * 2 * 30, scheme .. servers .. ': ' .. moved)
               assert(servers == 1 and r == 1 or moved > 0)
            end
         end]])
   end)

   between('names a rank that was killed, with every scheme', function()
      local jobs, schemes = {}, { 'syncps', 'ssp', 'downpour', 'easgd' }
      for i, scheme in ipairs(schemes) do
         jobs[i] = hosts.start('a b c', small .. ([[
            local opt, x, g, step = make { scheme = %q }
            local ok, why = pcall(function()
               for t = 1, 1e9 do
                  if t == 5 and r == 1 then os.execute('kill -9 ' .. pid()) end
                  os.execute 'sleep 0.01'
                  step()
               end
            end)
            io.stdout:write(('told %%d: %%s\n'):format(r, tostring(why):match 'dist%%.optim.*' or why)) io.stdout:flush()
            os.exit(3)]]):format(scheme), nil, early(2), '--enable-recovery --timeout 60')
      end
      for i, scheme in ipairs(schemes) do
         local _, out = jobs[i]()
         for _, r in ipairs { 0, 2 } do
            local said = out:match(('told %d: ([^\n]*)'):format(r)) or out
            has(said, 'dist.optim')
            assert.truthy(said:find 'rank 1 did not come within 2 s: it does not answer' or
               said:find 'rank 1 may be why: it does not answer', scheme .. ': ' .. said)
         end
      end
   end)
end)

describe('a host that is cut off', function()
   local can = hosts.there and ranks.sh "unshare -mn sh -c 'ip link add br0 type bridge && ip netns list && tc qdisc show'" == 0
   local title = 'is named to all others that want its shards'
   if not can then return pending(title .. ' (needs root, ip, tc and Open MPI)') end
   it(title, function()
      local script = ranks.script([[
         local s = dist.shared('w', 3)
         s:fetch()
         dist.barrier()
         if dist.rank() == 1 then os.execute('$NETLAB_CUT 2') end
         local ok, why = pcall(function() for i = 1, 1e9 do s:add(torch.ones(3)) end end)
         io.stdout:write(why, '\n') io.stdout:flush()
         os.exit(3)]], 'dist.init{deadline = 30} dist.barrier() dist.deadline(3) ')
      local _, out = ranks.sh(("bench/netlab.sh 3 100mbit '%s' --hosts n1:1,n2:1,n3:1 '%s'"):format(ranks.thrun, script), 60)
      for _, r in ipairs { 0, 2 } do
         assert.matches(("%%[%d%%] .*dist.shared 'w', add: rank 1 .* 3 s: it does not answer"):format(r), out)
      end
   end)
end)

teardown(temporary.remove)
