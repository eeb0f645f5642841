-- test/support/comm/collectives.lua - every collective operation of 1 to 8 ranks, for all types and many sizes, bit by bit.
--    th test/support/comm/collectives.lua [-ranks 8] [-sizes all | few | fewest]
-- Every rank makes the tensors of all, reduces them in pairs of ranks, and compares bits. Then lists of tensors are reduced
-- together, in parts of many sizes and one by one, which must not change a bit. The last line counts the right results; the
-- status is 1 if some were wrong. test/comm/collectives_spec.lua uses few sizes, test/comm/hosts_spec.lua, whose ranks are on
-- several hosts, the fewest.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../../../?.lua;' .. package.path
local torch = require 'torch'
local in_pairs = require 'test.support.comm.pairwise'

local TYPES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
local OPERATORS = { 'sum', 'mean', 'min', 'max', 'prod' }
local SIZES = {
   all = { 0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 100, 127, 255, 257, 1000, 1023, 1024, 1025, 2048, 4097, 8191, 10007,
      16385, 32768, 65537, 200003, 2 ^ 20 },
   few = { 0, 1, 3, 16, 33, 1023, 2048, 10007, 32768, 200003 },
   fewest = { 0, 1, 33, 10007, 100003 },
}
local MANY = 12000                                -- elements: larger sizes have fewer operations, and few sizes fewer types

-- ---- in a rank -------------------------------------------------------------------------------------------------------------

local dist, me, n, all
local right, wrong = 0, 0

local function equal(a, b)
   return a:type() == b:type() and a:isSameSizeAs(b) and (a:nElement() == 0 or a:ne(b):sum() == 0)
end

local function see(ok, what, kind, size)
   if ok then right = right + 1 else
      wrong = wrong + 1
      print(('%s %s %d is not as wanted'):format(what, kind, size))
   end
end

local function made(kind, size, r)
   if size == 0 then return torch.Tensor():type('torch.' .. kind .. 'Tensor') end
   local x = torch.range(1, size):mul(2 * r + 3):fmod(101):mul(1 / 7)        -- from 0 to 14
   if kind ~= 'Byte' then x:add(-7) end
   return x:type('torch.' .. kind .. 'Tensor')
end

-- Half types are summed in float and rounded once; integers wrap, and their mean is truncated.
local summed = { Half = 'Float', BFloat16 = 'Float' }
local pointwise = { sum = 'add', mean = 'add', min = 'cmin', max = 'cmax', prod = 'cmul' }

local function reduced(kind, size, op)
   local sum = in_pairs(n, function(r) return made(kind, size, r):type('torch.' .. (summed[kind] or kind) .. 'Tensor') end, pointwise[op])
   if op == 'mean' then
      if kind == 'Float' or kind == 'Double' or summed[kind] then sum:div(n) else sum = sum:double():div(n):trunc() end
   end
   return sum:type('torch.' .. kind .. 'Tensor')
end

local function reduce(kind, size, op)
   local want, x, y = reduced(kind, size, op), made(kind, size, me), made(kind, size, me)
   see(dist.allreduce(x, op) == x and equal(x, want), 'allreduce ' .. op, kind, size)
   dist.reduce(y, n - 1, op)
   see(equal(y, me == n - 1 and want or made(kind, size, me)), 'reduce ' .. op, kind, size)
   if size > MANY and all then return end
   local part = dist.reducescatter(made(kind, size * n, me), op)
   want = size == 0 and part or reduced(kind, size * n, op):narrow(1, me * size + 1, size)
   see(equal(part, want), 'reducescatter ' .. op, kind, size)
end

local function move(kind, size)
   local b = dist.broadcast(made(kind, size, me), n - 1)
   see(equal(b, made(kind, size, n - 1)), 'broadcast', kind, size)
   if size > MANY and all then return end
   local whole, gathered, sent = dist.allgather(made(kind, size, me)), true, true
   local parts = dist.alltoall(made(kind, size * n, me))
   for r = 0, n - 1 do
      gathered = gathered and (size == 0 or equal(whole[r + 1], made(kind, size, r)))
      local theirs = made(kind, size * n, r)
      sent = sent and (size == 0 or equal(parts:narrow(1, r * size + 1, size), theirs:narrow(1, me * size + 1, size)))
   end
   see(gathered, 'allgather', kind, size)
   see(sent, 'alltoall', kind, size)
end

-- The bits do not depend on how many tensors are reduced together.
local function buckets()
   local function list()
      torch.manualSeed(5 + me)
      local l = {}
      for i, size in ipairs { 1, 70000, 3, 2049, 33333, 0, 128, 65536, 9, 100003 } do
         l[i] = size == 0 and torch.FloatTensor() or torch.randn(size):float()
      end
      return l
   end
   local whole = dist.allreduce(list(), 'mean')
   local function same(l, what)
      local ok = true
      for i, t in ipairs(l) do ok = ok and equal(t, whole[i]) end
      see(ok, what, 'Float', #l)
   end
   for _, bytes in ipairs { 1, 1000, 10000, 1e5, 5e5, 1e6, 1e9 } do
      local l, bucket, size, handles = list(), {}, 0, {}
      for i, t in ipairs(l) do
         bucket[#bucket + 1], size = t, size + t:bytes()
         if size >= bytes or i == #l then
            handles[#handles + 1] = dist.allreduce(bucket, 'mean', { async = true })
            bucket, size = {}, 0
         end
      end
      for _, handle in ipairs(handles) do handle:wait() end
      same(l, ('buckets of %g bytes'):format(bytes))
   end
   local one = list()
   for _, t in ipairs(one) do dist.allreduce(t, 'mean') end
   same(one, 'tensors one by one')
   local nn, gradients = require 'nn', nil
   for _, bytes in ipairs { 1, 1000, 1e5, 1e6 } do
      torch.manualSeed(1)
      local net = nn.Sequential():add(nn.Linear(60, 90)):add(nn.Tanh()):add(nn.Linear(90, 200)):add(nn.Linear(200, 4))
      local model, criterion = dist.DataParallel(net, { bucket = bytes }), nn.MSECriterion()
      local _, g = model:getParameters()
      torch.manualSeed(me)
      local input, target = torch.randn(7, 60), torch.randn(7, 4)
      model:zeroGradParameters()
      criterion:forward(model:forward(input), target)
      model:backward(input, criterion:backward(model.output, target))
      gradients = gradients or g:clone()
      see(equal(gradients, g) and equal(dist.broadcast(g:clone()), g), 'gradients in buckets', 'Double', bytes)
   end
end

-- Small tensors of few sizes: every third operator, and all for one size. Large ones: one operator
-- for each type, or for few types.
local function takes(k, kind, i, size, o)
   if size <= MANY then return all or size == 33 or (i + o) % 3 == 0 end
   local turn, other = (i + k) % 5 == o - 1, size % 9 + 1 == k
   if all then return turn end
   return turn and (kind == 'Float' or other) or kind == 'Float' and o == 1 or other and o == 2
end

local function job(sizes)
   dist = require 'dist'.init { deadline = 120 }
   me, n, all = dist.rank(), dist.size(), sizes == 'all'
   for k, kind in ipairs(TYPES) do
      for i, size in ipairs(SIZES[sizes]) do
         for o, op in ipairs(OPERATORS) do if takes(k, kind, i, size, o) then reduce(kind, size, op) end end
         if size <= MANY or all or kind == 'Float' or size % 9 + 1 == k then move(kind, size) end
      end
   end
   if sizes ~= 'fewest' then buckets() end
   print(('%d right, %d wrong'):format(right, wrong))
   dist.barrier()                                  -- all have printed
   if wrong > 0 then error(wrong .. ' results are not as wanted', 0) end
end

-- ---- the launcher of the ranks
-- ------------------------------------------------------------------------------------------

local function main(opt)
   local th = os.getenv 'TH' or arg[-1] or 'build/bin/th'
   local good, bad, jobs, clock = 0, 0, 0, torch.Timer()
   for ranks = 1, opt.ranks do
      local p = io.popen(("TH_NUM_THREADS=1 '%s' -n %d '%s/collectives.lua' -job -sizes %s; echo status $?"):format(
         th:gsub('th$', 'thrun'), ranks, here, opt.sizes))
      local there, status = 0, nil
      for line in p:lines() do
         local a, b = line:match '(%d+) right, (%d+) wrong'
         if a then there, good, bad = there + 1, good + a, bad + b
         else
            status = tonumber(line:match '^status (%d+)$') or status
            if not line:find '^status' then print(line) end
         end
      end
      p:close()
      if status == 0 and there == ranks then jobs = jobs + 1 end
      print(('%d rank%s: status %s, %d results as wanted so far, %.0f s'):format(ranks, ranks == 1 and '' or 's',
         tostring(status), good, clock:time().real))
   end
   print(('%d of %d jobs ended well; %d types, %d sizes: %d results as wanted, %d not'):format(jobs, opt.ranks, #TYPES,
      #SIZES[opt.sizes], good, bad))
   os.exit(jobs == opt.ranks and bad == 0 and 0 or 1)
end

local cmd = torch.CmdLine()
cmd:text 'Compares the bits of all collective operations with a reduction in pairs of ranks.'
cmd:option('-ranks', 8, 'most ranks')
cmd:option('-sizes', 'all', 'all, few or fewest')
cmd:option('-job', false, 'this process is a rank')
local opt = cmd:parse(arg)
if not SIZES[opt.sizes] then error('-sizes must be all, few or fewest, got ' .. opt.sizes, 0) end
if opt.job then job(opt.sizes) else main(opt) end
