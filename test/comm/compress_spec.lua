-- test/comm/compress_spec.lua - compressed all-reduce: what each compressor sends, the carried
-- runs once: one of its titles compares the bits of all levels
-- error, and failures.
local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'.init()
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local kinds = { 'half', 'bfloat16', 'int8', 'onebit', 'topk' }

-- The result in a job of one rank, which packs twice: for the owner, and from the owner.
local function sent(c, x) return dist.allreduce(x:clone(), 'sum', { compress = c }) end

local function near(want, got, most)
   local off = (want:double() - got:double()):abs():max()
   assert.is_true(off <= (most or 0), 'differs by ' .. off)
end

-- Rank r's tensor of a step; all ranks can make it. Their sums are kept beside the results.
local steps = [[
local kinds = { 'half', 'bfloat16', 'int8', 'onebit', 'topk' }
local r, n = dist.rank(), dist.size()
local function made(ty, size, rank, step)
   if size == 0 then return torch.Tensor():type(ty) end
   torch.manualSeed(100 * step + rank + 1)
   return torch.randn(size):type(ty)
end
-- The sums of all results and carried errors, and of all inputs, both in double.
local function balance(c, ty, size, count, op)
   local out, given = torch.zeros(size), torch.zeros(size)
   for step = 1, count do
      local x = made(ty, size, r, step)
      assert(dist.allreduce(x, op, { compress = c }) == x)
      local all = dist.allgather(x)
      for q = 1, n do assert(all[q]:ne(all[1]):sum() == 0, 'ranks have other bits') end
      out:add(x:double():mul(op == 'mean' and n or 1))
      for q = 0, n - 1 do given:add(made(ty, size, q, step):double()) end
   end
   return out:add(dist.allreduce(c:owed():double())), given
end
]]

describe('a compressed all-reduce', function()
   for _, n in ipairs { 1, 2, 3, 8 } do
      it(('of %d ranks gives all that went in, but for what all ranks owe, for all compressors, types and sizes'):format(n), function()
         local out = ranks.ok(n, steps .. [[
            local least = { Half = 0.06, BFloat16 = 0.5, Float = 2e-5, Double = 1e-12 }
            for _, kind in ipairs(kinds) do
               for _, ty in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
                  local most = least[ty]
                  for _, size in ipairs(n == 8 and { 3, 5000 } or { 1, 2, 33, 1025, 20011 }) do
                     local c = dist.compressor(kind)
                     local got, given = balance(c, 'torch.' .. ty .. 'Tensor', size, 4, size % 2 == 0 and 'mean' or 'sum')
                     local off = (got - given):abs():max()
                     assert(off < most, ('%s %s %d is off by %g'):format(kind, ty, size, off))
                  end
               end
               local c, x = dist.compressor(kind), torch.FloatTensor()
               assert(dist.allreduce(x, 'sum', { compress = c }) == x and x:nElement() == 0 and c:owed():nElement() == 0)
            end
            print 'balanced']])
         for r = 0, n - 1 do assert.truthy(out:find(('[%d] balanced'):format(r), 1, true), out) end
      end)
   end

   it('brings what was lost: constant gradients come through on average', function()
      ranks.ok(2, steps .. [[
         for _, kind in ipairs(kinds) do
            local c, sum = dist.compressor { kind, rows = 30 }, torch.zeros(300)
            for step = 1, 400 do sum:add(dist.allreduce(made('torch.FloatTensor', 300, r, 1), 'mean', { compress = c }):double()) end
            local want = made('torch.FloatTensor', 300, 0, 1):add(made('torch.FloatTensor', 300, 1, 1)):div(2):double()
            assert((sum:div(400) - want):abs():max() < 0.35, kind .. ' ' .. (sum - want):abs():max())
         end]])
   end)

   it('takes tables, views that are not packed and empty tensors', function()
      ranks.ok(3, steps .. [[
         for _, kind in ipairs(kinds) do
            local c = dist.compressor(kind)
            local m = torch.FloatTensor(70, 5):fill(r + 1)
            local list = { m:t(), torch.FloatTensor(), torch.FloatTensor(3):fill(1), torch.FloatTensor(9):narrow(1, 2, 4):fill(r) }
            assert(dist.allreduce(list, 'sum', { compress = c }) == list)
            local owed = dist.allreduce(c:owed())
            local out = torch.cat({ m:t():contiguous():view(-1), list[3], list[4] }, 1):add(owed)
            local want = torch.cat({ torch.FloatTensor(350):fill(6), torch.FloatTensor(3):fill(3), torch.FloatTensor(4):fill(3) }, 1)
            assert((out - want):abs():max() < 1e-5, kind)
         end]])
   end)

   it('runs in groups, and asynchronously', function()
      ranks.ok(4, steps .. [[
         local even, odd = dist.group { 0, 2 }, dist.group { 3, 1 }
         local mine = r % 2 == 0 and even or odd
         local a, b = dist.compressor 'half', dist.compressor 'onebit'
         local x, y = torch.FloatTensor(5000):fill(r), torch.FloatTensor(40, 100):t():fill(1)
         local h = dist.allreduce(x, 'sum', { compress = a, group = mine, async = true })
         local k = dist.allreduce(y, 'mean', { compress = b, async = true })
         says('the compressor is in use', dist.allreduce, x, 'sum', { compress = a, group = mine })
         assert(h:wait() == x and x:min() == (r % 2 == 0 and 2 or 4) and x:max() == x:min() and h:test() and h:wait() == x)
         while not k:test() do end
         assert(k:wait() == y and (y - 1):abs():max() < 1e-5)
         says('the compressor carries the error of rank', dist.allreduce, x, 'sum', { compress = a })
         a:reset()
         dist.allreduce(x, 'sum', { compress = a })]])
   end)
end)

describe('compressor', function()
   it('half and bfloat16 send the nearest halves', function()
      torch.manualSeed(1)
      local x = torch.randn(3000):float()
      near(x:half(), sent(dist.compressor 'half', x))
      near(x:bfloat16(), sent(dist.compressor 'bfloat16', x))
   end)

   it('half cuts what it cannot hold, and brings the rest later', function()
      local c, sum = dist.compressor 'half', 0
      local x = torch.FloatTensor(10):fill(-1e6)
      assert.equal(-65504, sent(c, x)[3])
      assert.near(-1e6 + 65504, c:owed()[3], 1)
      for _ = 1, 20 do sum = sum + sent(c, torch.FloatTensor(10):zero())[3] end
      assert.near(-1e6 + 65504, sum, 1)
   end)

   it('int8 sends multiples of the largest size / 127, up or down at random, right on average', function()
      local x = torch.FloatTensor(1000):fill(0.3)
      x[500] = -127
      local y = sent(dist.compressor 'int8', x)
      assert.equal(-127, y[500])
      y[500] = 0
      near(torch.round(y), y, 1e-5)
      assert.equal(0, y:min())
      assert.near(1, y:max(), 1e-5)
      assert.near(0.3, y:mean(), 0.05)
   end)

   it('int8 draws the same numbers in every run, others for each step and seed', function()
      torch.manualSeed(3)
      local x = torch.randn(5000):float()
      local c = dist.compressor 'int8'
      local first = sent(c, x)
      near(first, sent(dist.compressor { 'int8', seed = 1 }, x))
      assert.is_true((first - sent(dist.compressor { 'int8', seed = 2 }, x)):abs():max() > 0)
      c:reset()
      assert.is_true((first - sent(c, x)):abs():max() > 0)
   end)

   it('onebit keeps signs and two means of each row, as nn.OneBitQuantization does, over many steps', function()
      torch.manualSeed(4)
      for _, size in ipairs { { 7, 100 }, { 3, 1024 }, { 1, 64 } } do
         local c, q = dist.compressor { 'onebit', rows = 1024 }, nn.OneBitQuantization()
         for _ = 1, 5 do
            local x = torch.randn(size[1], size[2])
            local bits, _, up, down = q:quantize(x)
            near(q:dequantize(bits, up, down, size[2]), sent(c, x), 1e-12)
         end
         near(q.quantization_error:view(-1), c:owed(), 1e-12)
      end
   end)

   it('onebit gives back what has two levels in each row already', function()
      local x = torch.FloatTensor(2, 300):fill(-0.25)
      x[1]:narrow(1, 10, 50):fill(2)
      x[2]:fill(7)
      near(x, sent(dist.compressor { 'onebit', rows = 300 }, x))
      near(torch.zeros(100), sent(dist.compressor 'onebit', torch.zeros(100)))
      local huge = torch.FloatTensor(200):fill(3e38)               -- their sum exceeds the range of float
      near(huge, sent(dist.compressor 'onebit', huge), 1e32)
   end)

   it('topk sends the largest of each row, of equal ones the first, and keeps the rest', function()
      local x = torch.FloatTensor{ 1, -5, 2, 5, 0, -5, 3, 4, 0.5, 6 }
      local c = dist.compressor { 'topk', ratio = 0.3 }
      near(torch.FloatTensor{ 0, -5, 0, 5, 0, 0, 0, 0, 0, 6 }, sent(c, x))
      near(torch.FloatTensor{ 1, 0, 2, 0, 0, -5, 3, 4, 0.5, 0 }, c:owed())
      near(torch.FloatTensor{ 0, 0, 0, 0, 0, -5, 3, 4, 0, 0 }, sent(c, x:clone():zero()))
      torch.manualSeed(5)
      local y = torch.randn(10000)
      local out = sent(dist.compressor { 'topk', ratio = 0.001 }, y)
      assert.equal(12, out:ne(0):sum())                            -- 4 of each row: 3334, 3334 and 3332
      near(y[out:ne(0)], out[out:ne(0)])
   end)

   it('cuts lines of matrices into rows, and tells how many bytes travel', function()
      assert.same({ 512, 8192 }, { dist.compressor('onebit'):bytes(torch.FloatTensor(2048)) })
      assert.same({ 4 * (8 + 16) + 16, 2 * 800 + 12 },                       -- four rows of 100, and three unpacked numbers
         { dist.compressor { 'onebit', rows = 150 }:bytes { torch.FloatTensor(2, 200), torch.FloatTensor(3) } })
      assert.same({ 2 * 1032, 8192 }, { dist.compressor('int8'):bytes(torch.FloatTensor(2048)) })
      assert.same({ 4096, 8192 }, { dist.compressor('half'):bytes(torch.FloatTensor(2048)) })
      assert.same({ 744, 4096 * 4 }, { dist.compressor('topk'):bytes(torch.FloatTensor(4096)) })
   end)

   it('gives the same bits at all levels and for any number of threads', function()
      local script = ranks.script([[
         torch.manualSeed(6)
         local text = {}
         for _, kind in ipairs { 'half', 'bfloat16', 'int8', 'onebit', 'topk' } do
            for _, ty in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
               local c, x = dist.compressor { kind, rows = 777 }, torch.randn(150001):type('torch.' .. ty .. 'Tensor')
               for _ = 1, 2 do dist.allreduce(x, 'sum', { compress = c }) end
               local owed = c:owed()
               local C = require 'torch.lib'.C
               local ffi = require 'ffi'
               local function crc(t) return tonumber(C.th_zip_crc(0, ffi.cast('const void *', t:data()), t:bytes())) end
               text[#text + 1] = ('%s %s %d %d'):format(kind, ty, crc(x), crc(owed))
            end
         end
         print(table.concat(text, '\n'))]])
      local first
      for _, level in ipairs { 'base', 'avx2', 'avx512' } do
         for _, threads in ipairs { 1, 3 } do
            local status, out, err = ranks.sh(("env TH_CPU=%s TH_NUM_THREADS=%d '%s' '%s'"):format(level, threads, ranks.th, script))
            if level == 'base' or status == 0 then                 -- this machine may lack the others
               assert.equal(0, status, err)
               first = first or out
               assert.equal(first, out)
            end
         end
      end
      assert.truthy(first:find 'topk Double %d+ %d+')
   end)
end)

describe('what goes wrong in a compressed all-reduce', function()
   it('is an error on all ranks if an element is not finite, and nothing has changed', function()
      ranks.ok(3, steps .. [[
         for _, kind in ipairs(kinds) do
            for _, bad in ipairs { 0 / 0, 1 / 0, -1 / 0 } do
               local c, x = dist.compressor(kind), made('torch.FloatTensor', 4000, r, 1)
               dist.allreduce(x:clone(), 'sum', { compress = c })
               local owed, before, text = c:owed(), x:clone(), 'dist.allreduce: the tensors of rank 1 plus its carried error are not finite: nothing has changed'
               if r == 1 then x[4000], before[4000] = bad, 0 end
               says(text, dist.allreduce, x, 'sum', { compress = c })
               says(text, function() dist.allreduce(x, 'sum', { compress = c, async = true }):wait() end)
               if r == 1 then x[4000] = 0 end
               assert(same(x, before) and same(owed, c:owed()) and c.steps == 1)
               dist.allreduce(x, 'sum', { compress = c })
            end
         end
         local c, x = dist.compressor 'bfloat16', torch.FloatTensor(100):fill(3e38)
         says('the sum that rank 0 computes is not finite: nothing has changed', dist.allreduce, x, 'sum', { compress = c })
         assert(x:min() == x:max() and c:owed() == nil)
         assert(dist.allreduce(x:fill(1), 'sum', { compress = c })[100] == 3)]])
   end)

   it('is an error on all ranks if options, operators, sizes or what is kept differ, and the job continues', function()
      ranks.ok(3, steps .. [[
         local odd, one = r == 2, torch.ones(100)
         local function call(o, x, op) return dist.allreduce(x or one, op or 'sum', { compress = dist.compressor(o) }) end
         says('dist.allreduce: the ranks differ in compress: rank 0 has onebit, rank 2 topk', call, odd and 'topk' or 'onebit')
         says('the ranks differ in rows: rank 0 has 64, rank 2 7', call, odd and { 'onebit', rows = 7 } or 'onebit')
         says('the ranks differ in ratio: rank 0 has 0.03', call, odd and { 'topk', ratio = 0.5 } or 'topk')
         says('the ranks differ in seed: rank 0 has 1, rank 2 5', call, odd and { 'int8', seed = 5 } or 'int8')
         says('the ranks differ in the operator: rank 0 has sum, rank 2 mean', call, 'half', one, odd and 'mean' or 'sum')
         says('the ranks differ in the number of elements: rank 0 has 100, rank 2 99', call, 'half', odd and torch.ones(99) or one)
         says('the ranks differ in the sizes of their tensors', call, 'half', odd and torch.ones(4, 25) or one)
         says('the ranks differ in the type of their tensors: rank 0 has torch.DoubleTensor, rank 2 torch.FloatTensor', call, 'half', odd and one:float() or one)
         says('the ranks call different operations', function()
            if odd then dist.allreduce(one) else call 'half' end
         end)
         local c = dist.compressor 'half'
         for _ = 1, 2 do
            dist.allreduce(one:clone(), 'sum', { compress = c })
            if odd then c = dist.compressor 'half' end
            says(odd and 'the ranks differ' or 'the ranks differ in how often the compressor was used: rank 0 has', dist.allreduce, one, 'sum', { compress = c })
            c = dist.compressor 'half'
         end
         dist.allreduce(one:clone(), 'sum', { compress = c })
         local owed = c:owed()
         says(odd and 'the compressor carries the error of 100 elements, got tensors of 101: reset() drops it' or 'the ranks differ in the number of elements',
            dist.allreduce, odd and torch.ones(101) or one, 'sum', { compress = c })
         says('carries the error of 100 elements, got tensors of 7', dist.allreduce, torch.ones(7), 'sum', { compress = c })
         assert(same(owed, c:owed()))
         assert(dist.allreduce(torch.ones(7), 'sum', { compress = c:reset() })[7] == 3)]])
   end)

   it('names the rank that was killed', function()
      local status, _, err = ranks.run(2, [[
         local c, x = dist.compressor 'onebit', torch.ones(10000)
         dist.allreduce(x, 'sum', { compress = c })
         if dist.rank() == 1 then os.execute('kill -9 ' .. pid()) end
         dist.allreduce(x, 'sum', { compress = c })]])
      assert.not_equal(0, status)
      assert.truthy(err:find('rank 1', 1, true), err)
   end)

   it('refuses what makes no sense', function()
      local one = torch.ones(2)
      local function refused(text, o) refuses('dist.compressor: ' .. text, dist.compressor, o) end
      refused 'it must be half, bfloat16, int8, onebit or topk, or a table, got nil'
      refused('it must be half, bfloat16, int8, onebit or topk, got fp16', 'fp16')
      refused('it must be half, bfloat16, int8, onebit or topk, got nil', {})
      refused('it must be half, bfloat16, int8, onebit or topk, or a table, got a torch.DoubleTensor', one)
      refused('there is no option row; there are rows, ratio and seed', { 'half', row = 3 })
      refused('ratio is an option of topk, not of half', { 'half', ratio = 0.5 })
      refused('seed is an option of int8, not of topk', { 'topk', seed = 5 })
      for _, rows in ipairs { 0, 4097, 1.5, 0 / 0, 1 / 0, 'x' } do
         refused('rows must be a whole number in 1..4096, got ', { 'onebit', rows = rows })
      end
      for _, ratio in ipairs { 0, -1, 1.1, 0 / 0, 'x' } do
         refused('ratio must be a number above 0 and at most 1, got ', { 'topk', ratio = ratio })
      end
      for _, seed in ipairs { -1, 0.5, 2 ^ 54, 'x' } do refused('seed must be a whole number in 0..2^53, got ', { 'int8', seed = seed }) end
      local c = dist.compressor 'half'
      local function call(x, op, compress) return dist.allreduce(x, op, { compress = compress or c }) end
      refuses('dist.allreduce: compress must be made by dist.compressor, got a string', call, one, 'sum', 'half')
      refuses('dist.allreduce: with compress the operator must be sum or mean, got max', call, one, 'max')
      refuses('dist.allreduce: the operator must be sum, mean, min, max or prod, got avg', call, one, 'avg')
      refuses('dist.allreduce: tensors must be floats, doubles or halves on the CPU, got a torch.IntTensor of size 2', call, one:int())
      refuses('dist.allreduce: a compressor takes tensors of one type, got a torch.DoubleTensor of size 2 and a torch.FloatTensor', call, { one, one:float() })
      refuses('dist.allreduce: argument 1 must be a tensor or a table of tensors, got nil', call)
      refuses('dist.reduce: there is no option compress', dist.reduce, one, 0, 'sum', { compress = c })
      refuses('bytes: argument 1 must be a tensor or a table of tensors, got a number', c.bytes, c, 3)
      refuses('bytes: tensors must be floats, doubles or halves on the CPU, got a torch.ByteTensor', c.bytes, c, one:byte())
      assert.is_nil(c:owed())
      sent(c, one)
      c.sumError = 3
      refuses('dist.allreduce: the compressor is damaged: part of its state is missing', call, one)
      c.sumError, c.steps = c.error, 0.5
      refuses('dist.allreduce: the compressor is damaged: its steps are 0.5', call, one)
      c.steps, c.kind = 1, 'zip'
      refuses('there is no such form', call, one)
   end)
end)

describe('what is kept', function()
   it('is saved with the compressor: a job continues with the same bits', function()
      ranks.ok(3, steps .. ([[
         local folder = %q
         for _, kind in ipairs(kinds) do
            local c = dist.compressor(kind)
            balance(c, 'torch.FloatTensor', 3001, 3, 'mean')
            dist.commit({ c = c }, { folder = folder })
            local x, y = made('torch.FloatTensor', 3001, r, 9), made('torch.FloatTensor', 3001, r, 9)
            dist.allreduce(x, 'mean', { compress = c })
            local d = dist.restore({ folder = folder }).c
            assert(d.steps == 3 and torch.type(d) == 'dist.Compressor')
            dist.allreduce(y, 'mean', { compress = d })
            assert(same(x, y) and same(c:owed(), d:owed()) and c:owed():abs():max() > 0, kind)
         end]]):format(temporary.name '.d'))
   end)

   it('refuses what was lost in a job of other ranks', function()
      local folder = temporary.name '.d'
      ranks.ok(2, ([[
         local c = dist.compressor 'onebit'
         dist.allreduce(torch.randn(100), 'sum', { compress = c })
         dist.commit(c, { folder = %q })]]):format(folder))
      ranks.ok(3, ([[
         local c = dist.restore { folder = %q }
         says('the compressor carries the error of rank ' .. dist.rank() %% 2 .. ' of 2, this is rank ' .. dist.rank() .. ' of 3: reset() drops it',
            dist.allreduce, torch.randn(100), 'sum', { compress = c })]]):format(folder))
   end)
end)

-- A small network that learns a function; each rank has different data.
local training = [[
local nn = require 'nn'
local r, n = dist.rank(), dist.size()
local criterion = nn.MSECriterion():float()
local function model(compress, more)
   torch.manualSeed(1)
   local o = more or { bucket = 100 }
   o.compress = compress
   return dist.DataParallel(nn.Sequential():add(nn.Linear(10, 30)):add(nn.Tanh()):add(nn.Linear(30, 1)):float(), o)
end
local function backward(net, step)
   torch.manualSeed(10 * step + r)
   local x = torch.FloatTensor(16, 10):normal()
   local t = x:narrow(2, 1, 3):sum(2):tanh()
   net:zeroGradParameters()
   local loss = criterion:forward(net:forward(x), t)
   net:backward(x, criterion:backward(net.output, t))
   return loss
end
local function learn(net, first, last)
   local loss = 0
   for step = first, last do
      loss = loss + backward(net, step)
      net:updateParameters(0.1)
   end
   return loss / (last - first + 1)
end
]]

describe('dist.DataParallel with compress', function()
   it('keeps all ranks the same and learns as without, with every compressor', function()
      ranks.ok(3, training .. [[
         local plain = model()
         learn(plain, 1, 300)
         local want = learn(plain, 301, 320)
         for _, o in ipairs { 'half', 'bfloat16', 'int8', { 'onebit', rows = 128 }, { 'topk', ratio = 0.1 } } do
            local net = model(o)
            learn(net, 1, 300)
            local loss = learn(net, 301, 320)
            local all = dist.allgather(torch.cat({ net:parameters()[1]:view(-1), net:parameters()[3]:view(-1) }, 1))
            for q = 2, n do assert(same(all[q], all[1])) end
            assert(#net.compressors == 3 and net.compressors[1].steps == 320)
            local both = dist.allreduce(torch.Tensor{ loss, want }, 'mean')
            assert(both[1] < 1.5 * both[2] + 0.01, ('%g, without compress %g'):format(both[1], both[2]))
         end]])
   end)

   it('saves the carried error with the model: training continues with the same bits', function()
      ranks.ok(2, training .. ([[
         local net, folder = model 'onebit', %q
         learn(net, 1, 5)
         dist.commit(net, { folder = folder })
         learn(net, 6, 9)
         local other = dist.restore { folder = folder }
         learn(other, 6, 9)
         for i, p in ipairs(net:parameters()) do assert(same(p, other:parameters()[i])) end
         local third = model 'onebit'                       -- without the carried error it differs
         learn(third, 1, 5)
         third.compressors = {}
         learn(third, 6, 9)
         assert(not same(third:parameters()[1], net:parameters()[1]))
      ]]):format(temporary.name '.d'))
   end)

   it('leaves gradients and what is kept alone on all ranks when one is not finite', function()
      ranks.ok(2, training .. [[
         local net = model('onebit', { bucket = 100, uneven = false })
         learn(net, 1, 3)
         local owed = { net.compressors[1]:owed(), net.compressors[2]:owed() }
         local linear = net:get(1):get(1)
         local accumulate = linear.accGradParameters
         function linear.accGradParameters(self, ...)
            accumulate(self, ...)
            if r == 1 then self.gradWeight[3][3] = 0 / 0 end
         end
         says('dist.DataParallel: the tensors of rank 1 plus its carried error are not finite: nothing has changed', backward, net, 4)
         for i = 1, 2 do assert(same(owed[i], net.compressors[i]:owed())) end
         linear.accGradParameters = nil
         learn(net, 4, 6)]])
   end)

   it('continues with other types, and without ranks that have finished', function()
      ranks.ok(2, training .. [[
         local net = model 'half'
         learn(net, 1, 2)
         net:double()
         criterion:double()
         net:zeroGradParameters()
         local x = torch.ones(2, 10)
         net:forward(x)
         net:backward(x, torch.ones(2, 1))
         assert(net.compressors[1]:owed():type() == 'torch.DoubleTensor')
         criterion:float()
         net = model('onebit', { uneven = true })
         for step = 1, 3 + 2 * r do backward(net:samples(16), step) net:updateParameters(0.1) end
         net:finish()
         assert(same(dist.allgather(net:parameters()[1])[1], dist.allgather(net:parameters()[1])[2]))]])
   end)

   it('refuses other options on other ranks, and those that make no sense', function()
      ranks.ok(3, training .. [[
         local function make(o) return dist.DataParallel(nn.Linear(2, 2), { broadcast = true, compress = o }) end
         says('dist.DataParallel: the ranks differ in compress: rank 0 has none, rank 2 half', make, r == 2 and 'half' or nil)
         says('dist.DataParallel: the ranks differ in ratio', make, { 'topk', ratio = r == 1 and 0.2 or 0.1 })
         says('dist.DataParallel: compress: it must be half, bfloat16, int8, onebit or topk, got zip', make, 'zip')
         says('dist.DataParallel: compress: it must be half, bfloat16, int8, onebit or topk, or a table, got a number (3)', make, 3)]])
   end)
end)

describe('dist.optim with compress', function()
   it('continues from a state with the same bits, on other ranks without the carried error', function()
      local folder = temporary.name '.d'
      local script = [[
         local r = dist.rank()
         local function make(state, compress)
            local x, g = torch.range(1, 200):float(), torch.FloatTensor(200)
            local o = dist.optim { scheme = 'allreduce', compress = compress or 'onebit', parameters = x, gradParameters = g, learningRate = 0.1, state = state }
            return o, x, function(first, last)
               for step = first, last do
                  torch.manualSeed(10 * step + r)
                  g:copy(x):add(torch.randn(200):float())
                  o:step()
               end
            end
         end
      ]]
      ranks.ok(3, script .. ([[
         local o, x, learn = make()
         learn(1, 7)
         dist.commit(o:state(), { folder = %q })
         learn(8, 12)
         local p, y, go = make((dist.restore { folder = %q }))
         assert(p.own.compressor.steps == 7)
         go(8, 12)
         assert(same(x, y))
         p:finish()
         says('state is of compress onebit 64', make, (dist.restore { folder = %q }), 'half')
         local damaged = dist.restore { folder = %q }
         damaged.own.compressor.rows = 3
         says('state must be what Optim:state returned', make, damaged)]]):format(folder, folder, folder, folder))
      ranks.ok(2, script .. ([[
         local o, x, learn = make((dist.restore { folder = %q }))
         assert(o.own.compressor:owed() == nil and x[1] ~= 1)
         learn(8, 9 + r)
         o:finish()
         assert(same(dist.allgather(x)[1], dist.allgather(x)[2]))]]):format(folder))
   end)

   it('refuses what makes no sense', function()
      local function optim(o)
         o.parameters, o.gradParameters = torch.ones(2), torch.ones(2)
         return dist.optim(o)
      end
      refuses('dist.optim: compress is an option of allreduce, not of ssp', optim, { scheme = 'ssp', compress = 'half' })
      refuses('dist.optim: give either compress or sparse', optim, { scheme = 'allreduce', compress = 'half', sparse = true })
      refuses('dist.optim: compress: it must be half, bfloat16, int8, onebit or topk, got zip', optim, { scheme = 'allreduce', compress = 'zip' })
      ranks.ok(2, [[
         says('dist.optim: the ranks differ in compress: rank 0 has half, rank 1 none', dist.optim, { scheme = 'allreduce',
            parameters = torch.ones(2), gradParameters = torch.ones(2), compress = dist.rank() == 0 and 'half' or nil })]])
   end)
end)

describe('examples/distributed.lua with -compress', function()
   it('reaches the accuracy without it, less half a percent, by every compressor', function()
      local options = 'examples/distributed.lua -epochs 25 -scheme allreduce'
      local status, out, err = ranks.sh(("'%s' -n 4 %s"):format(ranks.thrun, options))
      assert.equal(0, status, err)
      local plain = tonumber(out:match 'allreduce +4 +%d+ +([%d.]+)')
      assert.is_true(plain > 95)
      status, out, err = ranks.sh(("'%s' -n 4 %s -compress all"):format(ranks.thrun, options))
      assert.equal(0, status, err)
      for _, kind in ipairs(kinds) do
         local reached = tonumber(out:match('allreduce, ' .. kind .. ' +4 +%d+ +([%d.]+)'))
         assert.is_true(reached >= plain - 0.5, ('%s: %g, without %g'):format(kind, reached, plain))
      end
   end)

   it('refuses what it does not have', function()
      local status, _, err = ranks.sh(("'%s' examples/distributed.lua -compress zip"):format(ranks.th))
      assert.equal(1, status)
      assert.truthy(err:find('distributed: -compress must be half, bfloat16, int8, onebit, topk, all or none, got zip', 1, true), err)
      status, _, err = ranks.sh(("'%s' examples/distributed.lua -compress half -scheme ssp"):format(ranks.th))
      assert.equal(1, status)
      assert.truthy(err:find('distributed: -compress is an option of allreduce, not of ssp', 1, true), err)
   end)
end)

teardown(temporary.remove)
