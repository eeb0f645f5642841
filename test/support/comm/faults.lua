-- test/support/comm/faults.lua - kills, stops and cuts off ranks of a job, at random times and at chosen points, and checks what is left.
--    th test/support/comm/faults.lua [-kills 30] [-stops 10] [-cuts 5] [-moments 1] [-ranks 3] [-seed 1]
-- A job trains a small network, commits its state every ten steps, and runs under thrun --restarts. After a kill it must end
-- with the bits of an undisturbed job, and must not have lost more steps than lie between two
-- checkpoints. A stopped rank must be named after the timeout. In a job on three or four hosts
-- (test/support/comm/network_faults.lua) a rank of the host whose link is cut must be named. No process may be left.
-- The last line counts the results. The status is 1 if something was wrong, or was requested and
-- could not be run: only root can create networks. test/comm/faults_spec.lua and hosts_spec.lua run
-- a few of each.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../../../?.lua;' .. package.path
local torch = require 'torch'
local ffi = require 'ffi'
local log = require 'test.support.comm.progress'

local LIMIT = 60                                  -- seconds of a run

local faults = { STEPS = 40, EVERY = 10, DEADLINE = 2 }
--- Points of the job at which a rank kills itself, in the first attempt.
faults.moments = { 'start', 'init', 'collective', 'backward', 'part', 'parts', 'manifest', 'renamed', 'sweep', 'finish' }

-- ---- in a rank -------------------------------------------------------------------------------------------------------------

-- die(name, step) kills this rank if it is the one that must die at this point.
local function death(moment, rank)
   ffi.cdef 'int getpid(void); int kill(int, int); int usleep(unsigned);'
   local mine = os.getenv 'TH_DIST_RESTART' == '0' and tonumber(os.getenv 'TH_DIST_RANK') == rank
   return function(name, step)
      if mine and name == moment and (not step or step == 25 or step == 20 and name ~= 'backward') then
         ffi.C.kill(ffi.C.getpid(), 9)
      end
   end, mine
end

-- An object that kills the process while it is written to a file.
local function fragile(die, step)
   local Fragile = torch.class 'Fragile'
   function Fragile:write(file)
      file:writeInt(step())
      die('part', step())
   end
   function Fragile:read(file) file:readInt() end
   return rawget(_G, 'Fragile')()
end

local function train(o)
   local nn, optim, paths = require 'nn', require 'optim', require 'paths'
   local die, mine = death(o.moment, o.rank)
   die 'start'
   if o.moment == 'init' and os.getenv 'TH_DIST_RESTART' == '0' then
      if mine then os.execute(('(sleep 0.1; kill -9 %d) &'):format(ffi.C.getpid())) else ffi.C.usleep(400000) end
   end
   local dist = require 'dist'.init()
   local state
   local brittle = fragile(die, function() return state.step end)
   state = dist.restore { folder = o.folder } or { step = 0, optim = { learningRate = 0.05, momentum = 0.9 } }
   log.append(o.log, ('from %d\n'):format(state.step))
   torch.manualSeed(7)
   local net = nn.Sequential():add(nn.Linear(20, 64)):add(nn.Tanh()):add(nn.Linear(64, 64)):add(nn.Tanh()):add(nn.Linear(64, 5))
   local model, criterion = dist.DataParallel(net, { bucket = 1000 }), nn.MSECriterion()
   local x, g = model:getParameters()
   if state.x then x:copy(state.x) end
   local first = net:get(1)
   function first.accGradParameters(...)
      die('backward', state.step)
      return nn.Linear.accGradParameters(...)
   end
   state.fragile = brittle
   local save, rmdir = torch.save, paths.rmdir
   function torch.save(name, ...)
      local is_manifest = name == o.folder .. '/manifest.t7'
      if is_manifest then die('manifest', state.step) end
      save(name, ...)
      die(is_manifest and 'renamed' or 'parts', state.step)
   end
   function paths.rmdir(name)
      if state.step == 30 and name:find '/1$' then die 'sweep' end
      return rmdir(name)
   end
   for step = state.step + 1, faults.STEPS do
      torch.manualSeed(1000 * step + dist.rank())
      local input, target = torch.randn(8, 20), torch.randn(8, 5)
      optim.sgd(function()
         model:zeroGradParameters()
         criterion:forward(model:forward(input), target)
         model:backward(input, criterion:backward(model.output, target))
         return criterion.output, g
      end, x, state.optim)
      state.step, state.x = step, x
      local handle = dist.allreduce(torch.FloatTensor(300000):fill(1), 'sum', { async = true })
      die('collective', step)
      handle:wait()
      log.append(o.log, ('done %d\n'):format(step))
      ffi.C.usleep(15000)
      if step % faults.EVERY == 0 then dist.commit(state, { folder = o.folder }) end
   end
   die 'finish'
   local crc = require 'torch.lib'.C.th_zip_crc(0, ffi.cast('const void *', x:data()), x:storage():size() * 8)
   log.append(o.log, ('end %d %d\n'):format(dist.rank(), crc))
end

-- ---- the launcher of the job
-- --------------------------------------------------------------------------------------------

local frozen = 0                                  -- seconds for which all processes were suspended, as far as sleeping shows it

local function now()
   local t = ffi.new 'double[3]'
   require 'torch.lib'.C.th_clock(t)
   return t[0] - frozen
end

local function sleep(seconds)
   local before = now()
   ffi.C.usleep(math.floor(seconds * 1e6))
   frozen = frozen + math.max(0, now() - before - seconds - 0.1)
end

-- The rank's process, found by its environment; nil while there is none.
local function process_of(thrun, rank)
   local p = io.popen(('ps -o pid= --ppid %d 2>/dev/null'):format(thrun))
   local found
   for pid in p:lines() do
      pid = tonumber(pid)
      if ('\0' .. log.read(('/proc/%d/environ'):format(pid))):find(('\0TH_DIST_RANK=%d\0'):format(rank), 1, true) then found = pid end
   end
   p:close()
   return found
end

-- Processes that have the word among their arguments.
local function processes_with(word)
   local list, p = {}, io.popen 'ps axo stat=,args= ww'
   for line in p:lines() do
      if line:find(word, 1, true) and not line:find '^Z' then list[#list + 1] = line end
   end
   p:close()
   return list
end

--- Starts the job, disturbs it, waits for its end.
-- @param o.act  called with a function that returns thrun's process while it runs, and one that returns how much of its work
--    the job has done, 0 to 1 (optional)
-- @return a table: status, seconds, text (thrun's output), ends (of ranks: checksums), lost (steps), left (processes)
function faults.run(o)
   local base = os.tmpname()
   local name = { folder = base .. '.commits', log = base .. '.log', err = base .. '.err', status = base .. '.status' }
   local arguments = ('-job -folder %s -log %s -moment %s -rank %d'):format(name.folder, name.log, o.moment or 'none', o.rank or 0)
   local begin = now()
   local p = io.popen(([[sh -c "'%s' -n %d --restarts %d --deadline %g --grace 1 '%s' %s >/dev/null 2>%s </dev/null &
      echo \$!; wait \$!; echo \$? >%s.new; mv %s.new %s" &]]):format(o.thrun, o.ranks, o.restarts or 3, o.deadline or 20,
      here .. '/faults.lua', arguments, name.err, name.status, name.status, name.status))
   local thrun = tonumber(p:read '*l')
   local function alive() return log.read(name.status) == '' and thrun or nil end
   local function progress()
      local _, n = log.read(name.log):gsub('done', '')
      return n / (faults.STEPS * o.ranks)
   end
   if o.act then o.act(alive, progress) end
   local limit = now() + LIMIT
   while log.read(name.status) == '' do
      sleep(0.01)
      if now() > limit then ffi.C.kill(thrun, 9) end
   end
   p:close()
   local result = { status = tonumber(log.read(name.status)), seconds = now() - begin, text = log.read(name.err), ends = {}, lost = 0 }
   local furthest = 0
   for word, a, b in log.read(name.log):gmatch '(%a+) (%d+) ?(%d*)\n' do
      a = tonumber(a)
      if word == 'done' then furthest = math.max(furthest, a) end
      if word == 'from' then result.lost = math.max(result.lost, furthest - a) end
      if word == 'end' then result.ends[a + 1] = b end
   end
   sleep(0.05)
   result.left = processes_with(base)
   os.execute(('rm -rf %s %s.*'):format(base, base))
   return result
end

--- What is wrong with a run in which a rank was killed, or nil.
function faults.wrong(r, ranks, crc)
   if r.status ~= 0 then return ('status %s: %s'):format(tostring(r.status), r.text) end
   if r.lost > faults.EVERY then return ('%d steps were lost'):format(r.lost) end
   if #r.left > 0 then return 'there is still: ' .. r.left[1] end
   for q = 1, ranks do
      if r.ends[q] ~= crc then return ('rank %d ended with other bits'):format(q - 1) end
   end
end

-- Sends a signal to a rank at a random time, of its start or of its work; the length of both
-- differs between runs.
local function disturb(signal, rank)
   local at = -0.2 + math.random() * 1.1
   return function(thrun, progress)
      if at < 0 then sleep(-at) else while thrun() and progress() < at do sleep(0.002) end end
      local limit, seen = now() + (signal == 9 and 2 or 20), false
      while now() < limit do
         local t = thrun()
         if seen and not t then return end
         local pid = t and process_of(t, rank)
         if pid then ffi.C.kill(pid, signal) end
         if pid and signal == 9 then return end
         seen = t or seen
         sleep(0.02)                          -- repeated, because another process may continue a stopped one
      end
   end
end

--- Runs with kills: the count, at chosen points or at random times. Calls tell(what, rank, result,
-- wrong) after each.
function faults.kill(o, count, moment, tell)
   for _ = 1, count do
      local rank = (moment == 'manifest' or moment == 'renamed' or moment == 'sweep') and 0 or math.random(0, o.ranks - 1)
      local act = not moment and disturb(9, rank) or nil
      local r = faults.run { thrun = o.thrun, ranks = o.ranks, act = act, moment = moment, rank = rank }
      local wrong = faults.wrong(r, o.ranks, o.crc)
      if not wrong and not r.text:find 'restart 1 of 3' then wrong = 'no rank was killed' end
      tell(moment or 'random time', rank, r, wrong)
   end
end

--- Runs in which a rank is stopped.
function faults.stop(o, count, tell)
   for _ = 1, count do
      local rank = math.random(0, o.ranks - 1)
      local r = faults.run { thrun = o.thrun, ranks = o.ranks, restarts = 0, deadline = faults.DEADLINE,
                             act = disturb(19, rank) }
      local wrong
      if r.status == 0 or not r.status then wrong = 'status ' .. tostring(r.status)
      elseif #r.left > 0 then wrong = 'there is still: ' .. r.left[1]
      elseif not (r.text:find(('rank %d did not come within 2 s'):format(rank), 1, true)
                  or r.text:find(('thrun: rank %d has not ended within 2 s'):format(rank), 1, true)) then wrong = r.text
      elseif r.seconds > o.seconds + faults.DEADLINE + 8 then wrong = ('it took %.1f s'):format(r.seconds) end
      tell('stopped', rank, r, wrong)
   end
end

--- Runs of a job on several hosts in which the link of one is cut.
function faults.cut(o, count, tell)
   local cuts = require 'test.support.comm.network_faults'
   local layouts = { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 1, 1, 1 } }
   for i = 1, count do
      local layout = layouts[(i - 1) % #layouts + 1]
      local run = { thrun = o.thrun, layout = layout, host = math.random(#layout), after = math.random() * 2 }
      local r = cuts.start(run)()
      tell('cut off', run.host, r, cuts.wrong(run, r), 'host')
   end
end

--- An undisturbed job, which `kill` and `stop` need for comparison.
function faults.calm(thrun, ranks)
   local r = faults.run { thrun = thrun, ranks = ranks }
   local wrong = faults.wrong(r, ranks, r.ends[1])
   if wrong then error('the job fails by itself: ' .. wrong, 0) end
   return { thrun = thrun, ranks = ranks, seconds = r.seconds, crc = r.ends[1] }
end

local function main(opt)
   math.randomseed(opt.seed)
   local th = os.getenv 'TH' or arg[-1] or 'build/bin/th'
   local o = faults.calm(th:gsub('th$', 'thrun'), opt.ranks)
   local list, of, bad = {}, {}, 0
   local function tell(what, rank, r, wrong, who)
      if not of[what] then
         of[what] = { what = what, runs = 0, right = 0, lost = 0, seconds = 0, restarts = 0, left = 0 }
         list[#list + 1] = of[what]
      end
      local t = of[what]
      t.runs, t.right = t.runs + 1, t.right + (wrong and 0 or 1)
      t.lost, t.seconds, t.left = math.max(t.lost, r.lost or 0), math.max(t.seconds, r.seconds), t.left + #r.left
      if r.text:find 'restart 1 of' then t.restarts = t.restarts + 1 end
      if wrong then
         bad = bad + 1
         io.stderr:write(('%s, %s %d: %s\n'):format(what, who or 'rank', rank, wrong))
      end
   end
   for _, moment in ipairs(faults.moments) do faults.kill(o, opt.moments, moment, tell) end
   faults.kill(o, opt.kills, nil, tell)
   faults.stop(o, opt.stops, tell)
   local lacks = opt.cuts ~= 0 and require 'test.support.comm.network_faults'.lacks()
   if not lacks then faults.cut(o, opt.cuts < 0 and 5 or opt.cuts, tell) end
   print(('%d ranks; undisturbed %.1f s, %d steps, a commit every %d'):format(opt.ranks, o.seconds, faults.STEPS, faults.EVERY))
   print '| fault       | runs | as wanted | restarted | most steps lost | longest s | processes left |'
   print '|-------------|-----:|----------:|----------:|----------------:|----------:|---------------:|'
   local runs = 0
   for _, t in ipairs(list) do
      runs = runs + t.runs
      print(('| %-11s | %4d | %9d | %9d | %15d | %9.1f | %14d |'):format(t.what, t.runs, t.right, t.restarts, t.lost, t.seconds,
         t.left))
   end
   print(('%d runs, %d as wanted, %d not'):format(runs, runs - bad, bad))
   local missing = lacks and opt.cuts > 0
   if lacks then print(('no link was cut%s: %s'):format(missing and (', %d runs are missing'):format(opt.cuts) or '', lacks)) end
   os.exit(bad == 0 and not missing and 0 or 1)
end

if arg and (arg[0] or ''):find '/faults%.lua$' then
   local cmd = torch.CmdLine()
   cmd:text 'Kills and stops ranks of a job that commits its state, and cuts links of one on several hosts.'
   cmd:option('-kills', 30, 'runs with a kill at a random time')
   cmd:option('-stops', 10, 'runs with a stop at a random time')
   cmd:option('-cuts', -1, 'runs with a link that is cut at a random time; -1: 5 where this user may make networks')
   cmd:option('-moments', 1, 'runs with a kill in each of the chosen moments')
   cmd:option('-ranks', 3, 'ranks')
   cmd:option('-seed', 1, 'of the random times')
   cmd:option('-job', false, 'this process is a rank')
   for _, name in ipairs { 'folder', 'log', 'moment' } do cmd:option('-' .. name, '', 'of the job') end
   cmd:option('-rank', 0, 'of the job')
   local opt = cmd:parse(arg)
   if opt.job then train(opt) else
      ffi.cdef 'int kill(int, int); int usleep(unsigned);'
      main(opt)
   end
end

return faults
