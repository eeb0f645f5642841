-- test/cuda/dist_spec.lua - tensors and models on CUDA devices in a job of several ranks.
-- runs once
local device = require 'test.support.cuda.device'
if device.missing('dist', describe, pending) then return end
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local head = [[
require 'cunn'
local r, n = dist.rank(), dist.size()
]]

describe('tensors on a CUDA device', function()
   it('take part in all operations as those on the CPU do, bit by bit', function()
      ranks.ok(3, head .. [[
         for _, name in ipairs { '', 'Double', 'Long', 'Half', 'Byte' } do
            local kind = 'torch.Cuda' .. name .. 'Tensor'
            local host = 'torch.' .. (name == '' and 'Float' or name) .. 'Tensor'
            for _, size in ipairs { 1, 6, 30000 } do
               local x = torch.range(1, size * 3):mul(r + 1):fmod(7):type(host)
               for _, call in ipairs { { 'allreduce', 'sum' }, { 'reduce', 1, 'sum' }, { 'broadcast', 2 }, { 'allgather' },
                  { 'alltoall' }, { 'reducescatter', 'sum' } } do
                  local f = dist[call[1] ]
                  local want, got = f(x:clone(), call[2], call[3]), f(x:type(kind), call[2], call[3])
                  assert(got:type() == kind and same(got:type(host), want), call[1] .. kind .. size)
               end
            end
         end
         local wide = torch.CudaTensor(4, 6):fill(r + 1)
         local list = { wide:t(), torch.ones(2), torch.CudaLongTensor(3):fill(r) }
         assert(dist.allreduce(list, 'sum', { async = true }):wait() == list)
         assert(wide:eq(6):all() and list[2]:sum() == 6 and list[3]:eq(3):all())
         assert(dist.allgather(wide, { async = true }):wait():type() == 'torch.CudaTensor')
         local x = torch.CudaTensor(5):fill(r)
         if r == 0 then dist.send(x:fill(7), 1) elseif r == 1 then assert(dist.recv(x, 0):eq(7):all()) end
         dist.broadcast(r == 2 and torch.CudaTensor(3):fill(4) or torch.FloatTensor(3), 2)        -- where it lies is each rank's own
         says('the types differ: rank 0 has Float, rank 1 Double', dist.allreduce,
            r == 1 and torch.CudaDoubleTensor(2) or torch.CudaTensor(2))
         says('tensors must be floats, doubles or halves on the CPU', dist.allreduce, x, 'sum', { compress = dist.compressor 'half' })]])
   end)
end)

describe('a model on a CUDA device', function()
   it('lies in stages of a pipeline, with the bits of one process', function()
      ranks.ok(2, head .. [[
         local function model()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.Linear(6, 9)):add(nn.Tanh()):add(nn.ConcatTable():add(nn.Identity()):add(nn.Linear(9, 9)))
               :add(nn.CAddTable()):add(nn.Linear(9, 2)):cuda()
         end
         torch.manualSeed(9)
         local x, t, c = torch.randn(9, 6):cuda(), torch.randn(9, 2):cuda(), nn.MSECriterion():cuda()
         for _, checkpoint in ipairs { false, true } do
            local whole = model()
            local pipe = dist.Pipeline(model(), { criterion = c, micro = 3, stages = { 3, 2 }, checkpoint = checkpoint })
            for step = 1, 2 do
               whole:zeroGradParameters()
               pipe:zeroGradParameters()
               local loss = 0
               for k = 1, 7, 3 do
                  local a, b = x:narrow(1, k, 3), t:narrow(1, k, 3)
                  loss = loss + 1 / 3 * c:forward(whole:forward(a), b)
                  whole:backward(a, c:backward(whole.output, b):mul(1 / 3))
               end
               assert(loss == pipe:forwardBackward(x, t))
               local _, mine = pipe:parameters()
               local _, its = whole:parameters()
               assert(mine[1]:type() == 'torch.CudaTensor')
               for i, g in ipairs(mine) do assert(same(g, its[i + (r == 0 and 0 or 4)])) end
               whole:updateParameters(0.1)
               pipe:updateParameters(0.1)
            end
            assert(same(pipe:collect():forward(x), whole:forward(x)))
         end]])
   end)

   it('draws the same numbers in a stage that computes again', function()
      ranks.ok(2, head .. [[
         local grads, drawn = {}, {}
         for i, checkpoint in ipairs { false, true } do
            torch.manualSeed(3)
            cutorch.manualSeed(4 + r)
            local net = nn.Sequential():add(nn.Linear(6, 40)):add(nn.Dropout(0.5)):add(nn.Linear(40, 40)):add(nn.Dropout(0.5))
               :add(nn.Linear(40, 2)):cuda()
            local pipe = dist.Pipeline(net, { criterion = nn.MSECriterion():cuda(), micro = 3, stages = { 2, 3 },
               schedule = 'gpipe', checkpoint = checkpoint })
            local x, t = torch.randn(9, 6):cuda(), torch.randn(9, 2):cuda()
            pipe:zeroGradParameters()
            pipe:forwardBackward(x, t)
            grads[i], drawn[i] = select(2, pipe:parameters()), cutorch.getRNGState()
         end
         for i, g in ipairs(grads[1]) do assert(same(g, grads[2][i])) end
         assert(same(drawn[1], drawn[2]))]])
   end)

   it('has layers in parts, and copies on several ranks that begin alike', function()
      ranks.ok(2, head .. [[
         torch.manualSeed(5)
         local a, b = nn.Linear(4, 7):cuda(), nn.Linear(7, 3):cuda()
         local whole = nn.Sequential():add(a:clone()):add(b:clone()):cuda()
         local part = nn.Sequential():add(dist.ColumnLinear(a, { gather = false })):add(dist.RowLinear(b, { split = false })):cuda()
         local x, g = torch.randn(5, 4):cuda(), torch.randn(5, 3):cuda()
         local function near(p, q) return p:type() == q:type() and (p - q):abs():max() < 1e-5 end
         assert(near(part:forward(x), whole:forward(x)) and near(part:backward(x, g), whole:backward(x, g)))
         assert(near(dist.collect(part):forward(x), whole:forward(x)))
         local net = dist.DataParallel(whole)
         net:zeroGradParameters()
         net:forward(x)
         net:backward(x, g * (r + 1))
         local exact = whole:clone()
         exact:zeroGradParameters()
         exact:forward(x)
         exact:backward(x, g * 1.5)
         for i, d in ipairs(select(2, net:parameters())) do assert(near(d, select(2, exact:parameters())[i])) end
         if r == 1 then whole:get(2).bias[1] = 7 end
         says('parameter 4 (bias of nn.Linear(7 -> 3), 3) is not the same on ranks 0 and 1', dist.DataParallel, whole)]])
   end)
end)

teardown(temporary.remove)
