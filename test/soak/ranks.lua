-- test/soak/ranks.lua - jobs of two ranks come and go: one commits, one continues from the commit, and in one a rank dies.
local paths = require 'paths'

local SCRIPT = [[
local torch, nn = require 'torch', require 'nn'
local dist = require 'dist'.init { deadline = 60 }
local last, dies = tonumber(arg[1]), arg[2] == 'dies'
torch.manualSeed(3)
local state = dist.restore() or { step = 0, net = nn.Sequential():add(nn.Linear(6, 20)):add(nn.Tanh()):add(nn.Linear(20, 2)) }
local model, criterion = dist.DataParallel(state.net), nn.MSECriterion()
for step = state.step + 1, last do
   torch.manualSeed(step * 10 + dist.rank())
   local x, target = torch.randn(4, 6), torch.randn(4, 2)
   model:zeroGradParameters()
   criterion:forward(model:forward(x), target)
   model:backward(x, criterion:backward(model.output, target))
   model:updateParameters(0.05)
   state.step = step
   if step % 3 == 0 then dist.commit(state) end
   if dies and step == 5 and dist.rank() == 1 then os.execute('kill -9 ' .. io.open('/proc/self/stat'):read '*l':match '^%d+') end
end
if dist.rank() == 0 then print(('%.17g'):format((state.net:getParameters():sum()))) end
]]

local want

return function(soak)
   local script, folder, log = soak:file 'rank.lua', soak:file 'commits', soak:file 'log'
   local f = assert(io.open(script, 'w'))
   f:write(SCRIPT)
   f:close()
   -- Its status, and what it wrote.
   local function job(arguments)
      local p = io.popen(("timeout -k 1 120 '%s' -n 2 --commit '%s' '%s' %s 2>'%s' </dev/null; echo \"status $?\""):format(
         soak.thrun, folder, script, arguments, log))
      local out, status = p:read('*a'):match '^(.*)status (%d+)\n$'
      p:close()
      return tonumber(status), out
   end
   local kind = soak.round % 3
   if kind == 1 then
      assert(job '4 whole' == 0)                                  -- ends behind the commit of step 3
   elseif kind == 2 then
      assert(job '8 dies' ~= 0, 'a job whose rank was killed ended well')
   end
   local status, out = job '8 whole'
   if status ~= 0 then error(('the job ended with status %s\n%s'):format(tostring(status), io.open(log):read '*a'), 0) end
   want = want or out
   assert(out:find '%d' and out == want, 'a job gives other parameters: ' .. out .. ' for ' .. want)
   paths.rmall(folder, 'yes')
   os.remove(script)
   os.remove(log)
end
