-- test/support/comm/network_faults.lua - what the ranks of a job report, and what is left of it, when one of several
-- hosts loses its link during training. The hosts are those of bench/netlab.sh, so only root can
-- create them. Ranks that are cut off must report that, and all others must name a rank of that
-- host. Both have the timeout and the time for a reply. Shortly after thrun has ended, no process
-- of the job may exist in any namespace. `th test/support/comm/faults.lua -cuts 5` runs some.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../../../?.lua;' .. package.path
local torch = require 'torch'
local sys = require 'sys'
local log = require 'test.support.comm.progress'

local DEADLINE, ANSWER, SLACK = 4, 2, 4           -- seconds; SLACK: for a busy machine
local LIMIT, LEFT = 90, 5                         -- seconds of a run, and until all its processes have ended

local cuts = {}

local now = sys.clock                             -- of the day: one for all ranks here

-- ---- in a rank -------------------------------------------------------------------------------------------------------------

-- Steps of all kinds, so that the cut hits operations of all kinds.
local function steps(dist)
   local nn = require 'nn'
   local r, n = dist.rank(), dist.size()
   local net = nn.Sequential():add(nn.Linear(20, 64)):add(nn.Tanh()):add(nn.Linear(64, 5))
   local model, criterion = dist.DataParallel(net, { bucket = 1000, broadcast = true }), nn.MSECriterion()
   local ends = dist.group { 0, n - 1 }
   local large, few, token = torch.FloatTensor(300000):fill(1), torch.ones(10), torch.ones(100)
   return function(i)
      local input, target = torch.randn(8, 20), torch.randn(8, 5)
      model:zeroGradParameters()
      criterion:forward(model:forward(input), target)
      model:backward(input, criterion:backward(model.output, target))
      model:updateParameters(0.01)
      dist.algorithm(i % 2 == 0 and 'fastest' or 'auto')
      local sum = dist.allreduce(large, 'mean', { async = true })
      local sent = dist.send(token, (r + 1) % n, { async = true })
      dist.recv(token:clone(), (r - 1) % n)
      sent:wait()
      sum:wait()
      if r == 0 or r == n - 1 then dist.allreduce(few, 'mean', { group = ends }) end
      dist.broadcast(large, i % n)
      dist.allgather(few)
      sys.sleep(0.015)
   end
end

local function train(file, deadline)
   local dist = require 'dist'.init { deadline = 60 }
   local step = steps(dist)
   step(1)
   dist.barrier()
   dist.deadline(deadline)
   log.append(file, ('begun %d\n'):format(dist.rank()))
   local begin, i = now(), 1
   local ok, why
   repeat
      i = i + 1
      ok, why = pcall(step, i)
   until not ok or now() - begin > LIMIT / 2
   log.append(file, ('end %d %.6f %s\n'):format(dist.rank(), now(), ok and 'no error' or tostring(why):match '[^\n]*'))
   os.exit(1)
end

-- ---- the launcher of the job
-- --------------------------------------------------------------------------------------------

--- Why this user cannot create the network; nil if it can.
function cuts.lacks()
   local function works(command) return os.execute(command .. ' >/dev/null 2>&1') == 0 end
   for _, name in ipairs { 'mpirun', 'unshare', 'nsenter', 'ip', 'tc' } do
      if not works('command -v ' .. name) then return 'there is no ' .. name end
   end
   if works "unshare -mn sh -c 'mount -t tmpfs none /run && ip link add br0 type bridge && ip netns add a'" then return nil end
   return 'network namespaces cannot be made: that needs root'
end

-- In the network: starts the job, and cuts off a host when all ranks train.
local script = [[
thrun=$1 job=$2 base=$3 hosts=$4 ranks=$5 host=$6 after=$7 deadline=$8
"$thrun" --hosts "$hosts" --grace 1 "$job" -job -log "$base.log" -deadline "$deadline" >"$base.out" 2>&1 </dev/null &
p=$!
until [ "$(grep -c begun "$base.log" 2>/dev/null)" = "$ranks" ]; do
  kill -0 $p 2>/dev/null || break
  sleep 0.02
done
sleep "$after"
"$NETLAB_CUT" "$host"
date +%s.%N >"$base.cut"
wait $p
echo $? >"$base.status"
]]

-- Processes that have the word in their environment or among their arguments, without zombies.
local function processes_with(word)
   local list, p = {}, io.popen 'ls /proc'
   for pid in p:lines() do
      local base = '/proc/' .. pid
      if pid:find '^%d+$' and (log.read(base .. '/environ'):find(word, 1, true) or log.read(base .. '/cmdline'):find(word, 1, true)) then
         list[#list + 1] = pid .. ': ' .. log.read(base .. '/cmdline'):gsub('%z', ' '):sub(1, 100)
      end
   end
   p:close()
   return list
end

--- Starts a job on hosts with `o.layout[i]` ranks. Host `o.host` is cut off `o.after` seconds after
-- all ranks have begun to train; `o.deadline` is the timeout of its operations, default 4. Returns
-- a function that waits for the end and returns a table: status, text, said (each rank's report,
-- and how long after the cut), seconds, left (processes).
function cuts.start(o)
   local base, hosts, ranks = os.tmpname(), {}, 0
   for i, n in ipairs(o.layout) do hosts[i], ranks = ('n%d:%d'):format(i, n), ranks + n end
   log.append(base .. '.sh', script)
   local begin = now()
   local environment = ('TH_CUTS=%s TH_NUM_THREADS=1 timeout -k 1 %d'):format(base, LIMIT)
   local lab = ("'%s/../../../bench/netlab.sh' %d 200mbit sh %s.sh"):format(here, #o.layout, base)
   local list = table.concat(hosts, ',')
   local arguments = ("'%s' '%s/network_faults.lua' '%s' %s %d %d %g %g"):format(o.thrun, here, base, list, ranks, o.host, o.after,
      o.deadline or DEADLINE)
   local p = io.popen(('%s %s %s 2>&1 </dev/null'):format(environment, lab, arguments))
   return function()
      local text = p:read '*a' .. log.read(base .. '.out')
      p:close()
      local result = { status = tonumber(log.read(base .. '.status')), seconds = now() - begin, text = text, said = {} }
      local cut = tonumber(log.read(base .. '.cut'))
      for rank, time, why in log.read(base .. '.log'):gmatch 'end (%d+) (%S+) ([^\n]*)' do
         result.said[tonumber(rank)] = { why = why, after = cut and time - cut }
      end
      for _ = 1, LEFT / 0.1 do
         result.left = processes_with(base)
         if #result.left == 0 then break end
         sys.sleep(0.1)
      end
      for _, extension in ipairs { '', '.sh', '.log', '.out', '.cut', '.status' } do os.remove(base .. extension) end
      return result
   end
end

--- What is wrong with the end of such a job, or nil. `o.slack`: seconds that reports may be late
-- (optional).
function cuts.wrong(o, r)
   local rank, deadline = -1, o.deadline or DEADLINE
   local first, last = 0, 0                       -- ranks of the host that is cut off
   for i = 1, o.host do first, last = last, last + o.layout[i] end
   if not r.status or r.status == 0 then return ('status %s: %s'):format(tostring(r.status), r.text) end
   for i, n in ipairs(o.layout) do
      for _ = 1, n do
         rank = rank + 1
         local said = r.said[rank]
         if not said or not said.after then return ('rank %d has not ended by itself: %s'):format(rank, r.text) end
         local named = tonumber(said.why:match 'rank (%d+) may be why: it does not answer'
            or said.why:match('rank (%d+) did not come within ' .. deadline .. ' s: it does not answer'))
         local right
         if i == o.host then right = said.why:find('no rank of another host answers, this host may be cut off', 1, true)
         else right = named and named >= first and named < last end
         if not right then return ('rank %d said: %s'):format(rank, said.why) end
         if said.after > deadline + ANSWER + (o.slack or SLACK) then
            return ('rank %d said so after %.1f s'):format(rank, said.after)
         end
      end
   end
   if #r.left > 0 then return 'there is still: ' .. table.concat(r.left, ', ') end
end

if arg and (arg[0] or ''):find 'network_faults%.lua$' then
   local cmd = torch.CmdLine()
   cmd:text 'A rank of a job whose network is cut: see test/support/comm/faults.lua -cuts.'
   cmd:option('-job', false, 'this process is a rank')
   cmd:option('-log', '', 'the file in which ranks say what they have seen')
   cmd:option('-deadline', DEADLINE, 'of operations, seconds')
   local opt = cmd:parse(arg)
   train(opt.log, opt.deadline)
end

return cuts
