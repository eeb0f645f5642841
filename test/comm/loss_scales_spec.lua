-- test/comm/loss_scales_spec.lua - nn.MixedPrecision on several ranks: one loss scale, and passes that
-- all ranks repeat or none.
-- runs once
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

-- The gradients of the rows of `hot` overflow with the first scale.
local head = [[
require 'nn'
local r = dist.rank()
local c = nn.MSECriterion():float()
local function layer(i, o) return nn.Linear(i, o):float() end
local function model()
   torch.manualSeed(3)
   return nn.Sequential():add(nn.MixedPrecision(layer(4, 6))):add(nn.Tanh()):add(nn.MixedPrecision(layer(6, 2))):float()
end
local function data(step, hot)
   torch.manualSeed(step)
   local x, t = torch.FloatTensor(9, 4):normal(), torch.FloatTensor(9, 2):normal()
   if hot then t:narrow(1, hot, 2):fill(40) end
   return x, t
end
local function scales(net)
   local list = {}
   for _, m in ipairs(net:listModules()) do
      if m.lossScale then list[#list + 1] = m.lossScale list[#list + 1] = m.calm end
   end
   return list
end
local function alike(net, o)
   local all = dist.allgather(torch.Tensor(scales(net)), o)
   for i = 2, all:size(1) do assert(same(all[1], all[i]), tostring(all)) end
   return all[1][1]
end
]]

describe('nn.MixedPrecision', function()
   for _, schedule in ipairs { '1f1b', 'gpipe' } do
      it('has in a pipeline the scale and the bits that it has in one process: ' .. schedule, function()
         ranks.ok(2, head .. ([[
            for i = 1, 2 do                                            -- with activations kept, and recomputed
               local whole = model()
               local pipe = dist.Pipeline(model(), { criterion = c, micro = 3, schedule = '%s', stages = { 2, 1 },
                  checkpoint = i == 2 })
               for step = 1, 6 do
                  local x, t = data(step, step == 2 and 4 or step == 4 and 7)
                  whole:zeroGradParameters()
                  pipe:zeroGradParameters()
                  local loss = 0
                  for k = 1, 7, 3 do
                     local a, b = x:narrow(1, k, 3), t:narrow(1, k, 3)
                     loss = loss + 1 / 3 * c:forward(whole:forward(a), b)
                     whole:backward(a, c:backward(whole.output, b):mul(1 / 3))
                  end
                  assert(loss == pipe:forwardBackward(x, t))
                  local mine = whole:get(r == 0 and 1 or 3)
                  local got = pipe:get(1):get(1)
                  assert(mine.lossScale == got.lossScale and mine.calm == got.calm, mine.lossScale .. ' ' .. got.lossScale)
                  assert(step < 2 or mine.lossScale < 65536)
                  for i, g in ipairs(select(2, mine:parameters())) do assert(same(g, select(2, got:parameters())[i])) end
                  whole:updateParameters(0.01)
                  pipe:updateParameters(0.01)
               end
            end]]):format(schedule))
      end)
   end

   it('has one scale in pipelines beside each other', function()
      ranks.ok(4, head .. [[
         local across, stages = dist.mesh(2, 2)
         local pipe = dist.Pipeline(model(), { criterion = c, micro = 3, group = stages, data = across, stages = { 2, 1 } })
         local x, t = data(1, r > 1 and 4)
         pipe:forwardBackward(x, t)
         assert(alike(pipe, { group = across }) < 65536)]])
   end)

   it('repeats a pass on all ranks that hold parts of a layer inside it, or on none', function()
      ranks.ok(2, head .. [[
         for _, kind in ipairs { 'whole', 'parts' } do
            torch.manualSeed(4)
            local a, b = layer(4, 6), layer(6, 2)
            b.weight:narrow(2, 1, 3):zero()                          -- only the second rank has large gradients
            b.weight:narrow(2, 4, 3):fill(30)
            local exact = nn.Sequential():add(a:clone()):add(b:clone()):float()
            local own = kind == 'whole'
            local net = nn.MixedPrecision(nn.Sequential():add(dist.ColumnLinear(a, { gather = own }))
               :add(dist.RowLinear(b, { split = own })):float())
            local x, t = data(1)
            for _ = 1, 2 do
               exact:zeroGradParameters()
               net:zeroGradParameters()
               local g = exact:backward(x, c:backward(exact:forward(x), t))
               local mine = net:backward(x, c:backward(net:forward(x), t))
               assert((mine - g):abs():max() < 0.02 * g:abs():max())
            end
            local wide = exact:get(1).gradWeight:narrow(1, 1 + 3 * r, 3)
            assert((select(2, net:parameters())[1] - wide):abs():max() <= 0.02 * wide:abs():max())
            assert(alike(net) < 65536)
         end
         local words = torch.LongTensor { 1, 4, 2 }
         for _, name in ipairs { 'RowLookupTable', 'ColumnLookupTable' } do
            local table = nn.LookupTable(5, 4):float()
            local net = nn.MixedPrecision(nn.Sequential():add(dist[name](table)):add(layer(4, 2)):float())
            local y = net:forward(words)
            net:backward(words, y:clone():fill(r == 1 and 1e4 or 1))
            assert(same(net:get(1):get(1):get(1).output, table:forward(words)) and alike(net) < 65536)
         end]])
   end)

   it('has one scale in dist.DataParallel, around it and inside it, and with dist.ShardedOptim', function()
      ranks.ok(2, head .. [[
         local x, t = data(1, r == 1 and 4)
         local function learn(net) net:zeroGradParameters() net:backward(x, c:backward(net:forward(x), t)) end
         local outer = dist.DataParallel(model())
         learn(outer)
         assert(alike(outer) < 65536)
         torch.manualSeed(3)
         local plain = layer(4, 2)
         local exact, inner = dist.DataParallel(plain:clone()):float(), nn.MixedPrecision(dist.DataParallel(plain):float())
         learn(exact)
         learn(inner)
         assert(alike(inner) < 65536)
         local want, got = select(2, exact:parameters())[1], select(2, inner:parameters())[1]
         assert((want - got):abs():max() < 0.01 * want:abs():max())
         local net = model()
         local opt = dist.ShardedOptim { model = net }
         opt:step(function() learn(net) end)
         assert(alike(net) < 65536)]])
   end)

   it('has one scale in dist.optim, which a rank with large gradients lowers for all', function()
      ranks.ok(2, head .. [[
         for _, compress in ipairs { false, 'int8' } do
            local net = model()
            local opt = dist.optim { scheme = 'allreduce', model = net, learningRate = 1e-4, compress = compress or nil }
            local function step(i, hot)
               local x, t = data(10 * i + r, hot)
               opt:step(function() net:zeroGradParameters() net:backward(x, c:backward(net:forward(x), t)) end)
               return alike(net)
            end
            assert(step(1) == 65536)
            local lower = step(2, r == 1 and 4)
            assert(lower < 65536 and step(3) == lower)
            opt:finish()
         end]])
   end)

   it('keeps the count of passes in dist.optim when another rank has finished', function()
      ranks.ok(2, head .. [[
         local net = model()
         local opt = dist.optim { scheme = 'allreduce', model = net, learningRate = 1e-4 }
         local function step()
            local x, t = data(1)
            opt:step(function() net:zeroGradParameters() net:backward(x, c:backward(net:forward(x), t)) end)
         end
         for _ = 1, 2 + 3 * r do step() end
         opt:finish()
         assert(net:get(1).calm == 5, net:get(1).calm)
         alike(net)]])
   end)
end)

teardown(temporary.remove)
