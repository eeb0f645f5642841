-- test/comm/pipeline_spec.lua - dist.Pipeline: the gradients of one process, on several ranks;
-- schedules, placement, errors.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'
local stages = require 'distributed.pipeline.stages'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- A model, a batch, and the results of one process: `micro(net, m)` takes micro-batches one after
-- the other.
local head = [[
require 'nn.recurrent'
local r, n = dist.rank(), dist.size()
local function model()
   torch.manualSeed(3)
   return nn.Sequential():add(nn.Linear(6, 9)):add(nn.Tanh()):add(nn.Linear(9, 8)):add(nn.ReLU(true)):add(nn.View(-1, 8))
      :add(nn.Linear(8, 5)):add(nn.LogSoftMax())
end
torch.manualSeed(9)
local x, t = torch.randn(13, 6), torch.LongTensor(13):random(5)
local criterion = nn.ClassNLLCriterion()
local function micro(net, m, c, input, target)
   c, input, target = c or criterion, input or x, target or t
   local loss, at, rows = 0, 1, input:size(1)
   for k = 1, m do
      local size = math.floor(rows / m) + (k <= rows % m and 1 or 0)
      local a, b = input:narrow(1, at, size), target:narrow(1, at, size)
      local share = c.sizeAverage ~= false and size / rows or 1
      local y = net:forward(a)
      loss = loss + share * c:forward(y, b)
      local g = c:backward(y, b)
      if share ~= 1 then g:mul(share) end
      net:backward(a, g)
      at = at + size
   end
   return loss
end
-- The largest difference between gradients of this stage's layers and those of a whole model.
local function differs(pipe, whole)
   local first, most = 0, 0
   for s = 1, pipe.stage - 1 do first = first + pipe.stages[s] end
   for i = 1, pipe:get(1):size() do
      local _, mine = pipe:get(1):get(i):parameters()
      local _, its = whole:get(first + i):parameters()
      for k, g in ipairs(mine or {}) do most = math.max(most, (g - its[k]):abs():max()) end
   end
   return most
end
]]

describe('dist.Pipeline', function()
   for _, n in ipairs { 2, 3, 4 } do
      for _, schedule in ipairs { '1f1b', 'gpipe' } do
         it(('gives %d ranks the bits of one process that takes micro-batches (%s)'):format(n, schedule), function()
            ranks.ok(n, head .. ([[
               for m = 1, 13, 3 do
                  local whole, pipe = model(), dist.Pipeline(model(), { criterion = criterion, micro = m, schedule = '%s' })
                  for step = 1, 3 do
                     whole:zeroGradParameters()
                     pipe:zeroGradParameters()
                     local want, got = micro(whole, m), pipe:forwardBackward(r == 0 and x or nil, r == n - 1 and t or nil)
                     assert(want == got, m .. ' ' .. want .. ' ' .. got)
                     assert(differs(pipe, whole) == 0, m)
                     whole:updateParameters(0.1)
                     pipe:updateParameters(0.1)
                  end
                  local idle, least, kept = pipe:bubble()
                  assert(idle >= 0 and idle < 1 and least == (n - 1) / (m + n - 1))
                  assert(kept == (pipe.schedule == 'gpipe' and m or math.min(m, n - r)), kept)
               end]]):format(schedule))
         end)
      end
   end

   it('gives the gradients of the whole batch within 1e-5, also of sums', function()
      ranks.ok(3, head .. [[
         for _, c in ipairs { criterion, nn.ClassNLLCriterion(nil, false) } do
            local whole = model()
            local want = micro(whole, 1, c)
            for m = 2, 16, 7 do
               local pipe = dist.Pipeline(model(), { criterion = c, micro = m })
               local got = pipe:forwardBackward(x, t)
               assert(math.abs(want - got) < 1e-5 * want and differs(pipe, whole) < 1e-5, differs(pipe, whole))
            end
         end]])
   end)

   it('keeps masks and statistics of each micro-batch until its backward', function()
      ranks.ok(3, [[
         require 'nn'
         local function model()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.Linear(4, 6)):add(nn.Sequential():add(nn.BatchNormalization(6)):add(nn.Dropout(0.3)))
               :add(nn.Linear(6, 6)):add(nn.ReLU(true)):add(nn.Add(6)):add(nn.Linear(6, 2))
         end
         ]] .. head:match '(local function micro.*)$' .. [[
         torch.manualSeed(5)
         local x, t, c = torch.randn(24, 4), torch.randn(24, 2), nn.MSECriterion()
         local whole, pipe = model(), dist.Pipeline(model(), { criterion = c, micro = 6, stages = { 1, 3, 2 } })
         for step = 1, 2 do
            torch.manualSeed(step)                       -- only the second rank draws numbers
            local want = micro(whole, 6, c, x, t)
            torch.manualSeed(step)
            assert(want == pipe:forwardBackward(x, t))
            assert(differs(pipe, whole) == 0)
            if step == 1 then                            -- replicas follow the stage
               for _, m in ipairs { whole, pipe } do
                  for _, d in ipairs((m.stage and m:get(1) or m):findModules 'nn.Dropout') do d:setp(0.6) end
               end
            end
         end
         whole:evaluate()
         pipe:evaluate()
         local y = pipe:forward(x)
         assert(dist.rank() < 2 and y == nil or same(y, whole:forward(x)))
         assert(same(pipe:collect():forward(x), whole:forward(x)))]])
   end)

   it('works with vectors of getParameters, in float, and with sizes that change', function()
      ranks.ok(2, head .. [[
         local whole, pipe = model():float(), dist.Pipeline(model(), { criterion = criterion:float(), micro = 3 }):float()
         local c = nn.ClassNLLCriterion():float()
         x = x:float()
         local p, g = pipe:getParameters()
         local q, h = whole:getParameters()
         for step, rows in ipairs { 13, 5, 2, 1, 13, 13 } do
            g:zero() h:zero()
            local a, b = x:narrow(1, 1, rows), t:narrow(1, 1, rows)
            assert(pipe:forwardBackward(a, b) == micro(whole, math.min(rows, 3), c, a, b))
            assert(differs(pipe, whole) == 0)
            p:add(-0.1, g) q:add(-0.1, h)
            if step == 3 then p, g = pipe:getParameters() end
            if step == 4 then pipe:clearState() end
         end]])
   end)

   it('carries lists of tensors from stage to stage', function()
      ranks.ok(3, head:match '^(.-)local function model' .. [[
         local function model()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.ConcatTable():add(nn.Linear(6, 3)):add(nn.Identity()))
               :add(nn.ParallelTable():add(nn.Tanh()):add(nn.Linear(6, 3))):add(nn.CAddTable())
         end
         ]] .. head:match '(torch.manualSeed%(9%).*)$' .. [[
         local c, y = nn.MSECriterion(), torch.randn(13, 3)
         local whole, pipe = model(), dist.Pipeline(model(), { criterion = c, micro = 4, stages = { 1, 1, 1 } })
         assert(pipe:forwardBackward(x, y) == micro(whole, 4, c, x, y) and differs(pipe, whole) == 0)]])
   end)

   it('is gathered as the plain model, which is what files hold', function()
      ranks.ok(3, head .. [[
         local pipe = dist.Pipeline(model(), { stages = { 1, 4, 2 } })
         assert(pipe:get(1):size() == ({ 1, 4, 2 })[r + 1] and tostring(pipe):find('stage ' .. r + 1 .. ' of 3', 1, true))
         local whole, plain = pipe:collect(), model()
         assert(torch.type(whole) == 'nn.Sequential' and tostring(whole) == tostring(plain))
         assert(same(whole:forward(x), plain:forward(x)))
         local short = dist.Pipeline(model():float()):collect()
         assert(short:type() == 'torch.FloatTensor' and short:get(3).weight:type() == 'torch.FloatTensor')
         says('a file holds the whole model: save what collect() gives', torch.save, os.tmpname(), pipe)
         assert(same(pipe:clone():collect():forward(x), plain:forward(x)))]])
   end)

   it('makes what fails on one rank an error of all, and works afterwards', function()
      ranks.ok(3, head .. [[
         local Odd = torch.class('Odd', 'nn.Identity')
         function Odd:updateOutput(x)
            if self.odd and x:size(1) == 4 then error 'four rows' end
            return nn.Identity.updateOutput(self, x)
         end
         function Odd:updateGradInput(x, g)
            if self.even and x:size(1) == 4 then error 'four back' end
            return nn.Identity.updateGradInput(self, x, g)
         end
         local net = model()
         net:insert(_G.Odd(), 4)
         local pipe = dist.Pipeline(net, { criterion = criterion, micro = 4, stages = { 3, 3, 2 } })
         local module = r == 1 and pipe:get(1):get(1) or {}
         module.odd = true
         local where = 'In 1 module of nn.Sequential:\n'
         local learn = pipe.forwardBackward
         says(r == 1 and where or 'dist.Pipeline: rank 1: ' .. where, learn, pipe, x, t)
         module.odd, module.even = false, true
         says('four back', learn, pipe, x, t)
         module.even = false
         says(r == 2 and 'target must lie in 1..5, got 77' or 'dist.Pipeline: rank 2: ', learn, pipe, x, t:clone():fill(77))
         says('nn.Linear(6 -> 9): input must be a matrix with 6 columns', learn, pipe, torch.ones(13, 5), t)
         says('input has 13 rows, target has 12', learn, pipe, x, t:narrow(1, 1, 12))
         says('input must be a tensor or a table of tensors, got nil', learn, pipe, nil, t)
         says('target must have rows, got a torch.LongTensor of size empty', learn, pipe, x, torch.LongTensor())
         says('the tensors of input must have one number of rows, got 13 and 2', learn, pipe, { x, torch.ones(2) }, t)
         local whole = model()
         pipe:zeroGradParameters()
         assert(pipe:forwardBackward(x, t) == micro(whole, 4))]])
   end)

   it('ends for all when a rank dies in the midst of a batch, and does not go on', function()
      local status, out, err = ranks.run(3, head .. [[
         local Dies, calls = torch.class('Dies', 'nn.Identity'), 0
         function Dies:updateOutput(x)
            calls = calls + 1
            if calls == 3 then os.execute('kill -9 ' .. pid()) end
            return nn.Identity.updateOutput(self, x)
         end
         local net = nn.Sequential():add(nn.Linear(6, 6)):add(_G.Dies()):add(nn.Linear(6, 5)):add(nn.LogSoftMax())
         local pipe = dist.Pipeline(net, { criterion = criterion, micro = 6, stages = { 1, 1, 2 } })
         says('rank 1 is gone', pipe.forwardBackward, pipe, x, t)
         says('dist.Pipeline: an earlier batch was cut off: ', pipe.forwardBackward, pipe, x, t)
         print 'told']], '--spare 1')
      assert.truthy(status ~= 0 and status ~= 124, err)
      assert.equal(2, select(2, out:gsub('told', '')), err)
   end)

   it('fails on all ranks, and continues, where pipelines hold parts of one layer and one of them fails', function()
      ranks.ok(4, [[
         require 'nn'
         local r = dist.rank()
         local stages, parts = dist.mesh(2, 2)                        -- ranks 0 2 and 1 3; 0 1 and 2 3 have parts
         local calls, Fails, Identity = 0, torch.class('nn.Fails', 'nn.Identity')
         function Fails:updateOutput(input)
            calls = calls + 1
            if calls == 2 and r == 0 then error 'bad luck' end
            return Identity.updateOutput(self, input)
         end
         torch.manualSeed(3)
         local layer, c = nn.Linear(2, 2), nn.MSECriterion()
         local net = nn.Sequential():add(nn.Fails()):add(dist.ColumnLinear(layer, { group = parts }))
         local pipe = dist.Pipeline(net, { criterion = c, micro = 3, group = stages })
         local x, t = torch.range(1, 12):view(6, 2), torch.ones(6, 2)
         says('bad luck', pipe.forwardBackward, pipe, x, t)
         says(r == 1 and 'input must be a tensor' or 'rank 1: dist.Pipeline: input must be', pipe.forwardBackward, pipe,
            r ~= 1 and x or nil, t)
         says('the ranks differ in the number of samples', pipe.forwardBackward, pipe, x:narrow(1, 1, 6 - r % 2),
            t:narrow(1, 1, 6 - r % 2))
         calls = 9
         for _ = 1, 2 do
            assert(math.abs(pipe:forwardBackward(x, t) - c:forward(layer:forward(x), t)) < 1e-12)
            local y = pipe:forward(x)
            assert(r < 2 and y == nil or (y - layer:forward(x)):abs():max() < 1e-12)
         end
         says('cannot hold a part of the dist.ColumnLinear', dist.Pipeline, net, { group = parts })]])
   end)

   it('gives the gradients of one process where layers of a stage share parameters', function()
      ranks.ok(2, [[
         require 'nn'
         torch.manualSeed(1)
         local a, data, stages = nn.Linear(2, 2), dist.mesh(2, 1)
         local net = nn.Sequential():add(a):add(nn.Tanh()):add(a:clone('weight', 'bias', 'gradWeight', 'gradBias'))
         local whole, c = net:clone(), nn.MSECriterion()
         local pipe = dist.Pipeline(net, { criterion = c, micro = 2, group = stages, data = data })
         whole:zeroGradParameters()
         pipe:zeroGradParameters()
         local x, t = torch.randn(8, 2), torch.randn(8, 2)
         pipe:forwardBackward(x:narrow(1, 1 + 4 * dist.rank(), 4), t:narrow(1, 1 + 4 * dist.rank(), 4))
         c:forward(whole:forward(x), t)
         whole:backward(x, c:backward(whole.output, t))
         assert((whole:get(1).gradWeight - a.gradWeight):abs():max() < 1e-12)]])
   end)

   it('finds the groups of a mesh that was made before, as often as it is asked', function()
      ranks.ok(2, [[
         local whole, alone = dist.mesh(2, 1)
         for _ = 1, 40 do
            local a, b = dist.mesh(2, 1)
            assert(a == whole and b == alone and a:size() == 2 and b:size() == 1)
            assert(dist.allreduce(torch.ones(1), 'sum', { group = a })[1] == 2)
            assert(dist.allreduce(torch.ones(1), 'sum', { group = b })[1] == 1)
         end]])
   end)

   it('begins beside others with the parameters and running estimates of the first', function()
      ranks.ok(2, [[
         require 'nn'
         torch.manualSeed(1 + dist.rank())
         local data, stages = dist.mesh(2, 1)
         local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.BatchNormalization(2))
         net:get(2).running_mean:fill(dist.rank())
         dist.Pipeline(net, { group = stages, data = data })
         local all = dist.allgather { net:get(1).weight, net:get(2).weight, net:get(2).running_mean }
         for _, x in ipairs(all) do assert(same(x[1], x[2])) end
         assert(net:get(2).running_mean:sum() == 0)
         says('the ranks differ in the model', dist.Pipeline, nn.Sequential():add(nn.Linear(3 + dist.rank(), 2)),
            { group = stages, data = data })]])
   end)

   it('tells all ranks that a layer has raised an error without a message', function()
      ranks.ok(2, head .. [[
         local Silent, calls = torch.class('nn.Silent', 'nn.Identity'), 0
         function Silent:updateOutput(input)
            calls = calls + 1
            if calls == 3 then error(self.with) end
            return nn.Identity.updateOutput(self, input)
         end
         for bad = 0, 1 do
            for _, with in ipairs { 'nothing', false } do
               local net = nn.Sequential():add(nn.Silent()):add(nn.Silent())
               for _, layer in ipairs(net.modules) do if with == false then layer.with = false end end
               local pipe = dist.Pipeline(net, { criterion = nn.MSECriterion(), micro = 4 })
               calls = r == bad and 0 or 9
               says(r == bad and 'an error without a message' or ('rank %d: an error without a message'):format(bad),
                  pipe.forwardBackward, pipe, torch.ones(4, 2), torch.ones(4, 2))
            end
         end]])
   end)

   it('tells all ranks that the output is no tensor, or that micro-batches have outputs of other widths', function()
      ranks.ok(2, head .. [[
         local Number, Wider = torch.class('nn.ANumber', 'nn.Module'), torch.class('nn.Wider', 'nn.Module')
         local calls = 0
         function Number:updateOutput(input) return input:sum() end
         function Wider:updateOutput(input) calls = calls + 1 return input:narrow(2, 1, calls) end
         local pipe = dist.Pipeline(nn.Sequential():add(nn.Abs()):add(nn.ANumber()))
         says('stages exchange tensors, got a number', pipe.forward, pipe, torch.ones(4, 2))
         pipe = dist.Pipeline(nn.Sequential():add(nn.Abs()):add(nn.Wider()), { micro = 2 })
         says('tensor 2 must have the size of the first, 2x1', pipe.forward, pipe, torch.ones(4, 9))]])
   end)

   it('takes each criterion as the mean or the sum that it is, and refuses means in which samples count differently', function()
      dist.init()
      torch.manualSeed(2)
      local x, t, y = torch.randn(7, 4), torch.LongTensor(7):random(3), torch.randn(7, 3)
      local function model() return nn.Sequential():add(nn.Linear(4, 3)):add(nn.LogSoftMax()) end
      local scores = nn.CrossEntropyCriterion()
      scores.nll.sizeAverage = false
      for _, case in ipairs { { nn.L1Cost(), y }, { scores, t }, { nn.MultiCriterion():add(nn.L1Cost()), y },
         { nn.MultiCriterion():add(nn.ClassNLLCriterion(torch.Tensor { 1, 2, 3 }, false)), t },
         { nn.ClassNLLCriterion(nil, false, 2), t } } do
         local c, net = case[1], model()
         net:zeroGradParameters()
         local pipe = dist.Pipeline(net:clone(), { criterion = c, micro = 3 })
         local loss = c:forward(net:forward(x), case[2])
         net:backward(x, c:backward(net.output, case[2]))
         assert.near(loss, pipe:forwardBackward(x, case[2]), 1e-12)
         assert.truthy((net:get(1).gradWeight - pipe:get(1):get(1).gradWeight):abs():max() < 1e-12)
      end
      local weighed = nn.ClassNLLCriterion(torch.Tensor { 1, 2, 3 })
      for _, c in ipairs { nn.MultiCriterion():add(weighed), nn.ParallelCriterion(true):add(weighed),
         nn.CrossEntropyCriterion(torch.ones(3)) } do
         refuses('with weights is not a mean over samples', dist.Pipeline, model(), { criterion = c, micro = 3 })
      end
      for _, case in ipairs { { nn.ClassNLLCriterion() }, { nn.CrossEntropyCriterion() },
         { nn.MultiCriterion():add(nn.ClassNLLCriterion(nil, true, 2)), 2 } } do
         local pipe, some = dist.Pipeline(model(), { criterion = case[1], micro = 3 }), t:clone()
         some[1] = case[2] or -100
         refuses(('target has ignored samples (%d)'):format(case[2] or -100), pipe.forwardBackward, pipe, x, some)
      end
   end)

   it('carries activations that are larger than what fits between ranks', function()
      ranks.ok(3, head .. [[
         local function wide()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.Linear(6, 3000)):add(nn.Tanh()):add(nn.Linear(3000, 5)):add(nn.LogSoftMax())
         end
         x, t = torch.randn(260, 6), torch.LongTensor(260):random(5)
         for _, schedule in ipairs { '1f1b', 'gpipe' } do
            local options = { criterion = criterion, micro = 4, schedule = schedule, stages = { 1, 1, 2 } }
            local whole, pipe = wide(), dist.Pipeline(wide(), options)
            assert(pipe:forwardBackward(x, t) == micro(whole, 4) and differs(pipe, whole) == 0)
         end]])
   end)

   it('shows what a stage does with each micro-batch in a trace', function()
      local file = temporary.name '.json'
      ranks.ok(2, head .. ([[
         local pipe = dist.Pipeline(model(), { criterion = criterion, micro = 3 })
         dist.trace '%s'
         pipe:forwardBackward(x, t)
         dist.trace()]]):format(file))
      local text = temporary.get(file)
      for _, name in ipairs { 'forward 1', 'forward 3', 'backward 3', 'loss 2' } do
         assert.equal(name:find 'loss' and 1 or 2, select(2, text:gsub('"' .. name .. '"', '')), name)
      end
   end)

   it('refuses what makes no sense, on all ranks', function()
      ranks.ok(2, head .. [[
         local make = dist.Pipeline
         local two = nn.Sequential():add(nn.Linear(6, 6)):add(nn.Tanh())
         says('dist.Pipeline: 1 layer for 2 ranks: each needs at least one', make, nn.Sequential():add(nn.Abs()))
         says('dist.Pipeline: stages must have 2 layers in all, got 3', make, two, { stages = { 1, 2 } })
         says('dist.Pipeline: stages must have 2 entries, got 1', make, two, { stages = { 2 } })
         says('dist.Pipeline: stages[2] must be a whole number of layers from 1', make, two, { stages = { 2, 0 } })
         says('dist.Pipeline: costs must be those of 2 layers, got 1', make, two, { costs = { 2 } })
         says('costs[1] must be a number from 0, got a number (nan)', make, two, { costs = { 0 / 0, 1 } })
         says('nn.LSTM with rememberStates carries state from batch to batch', make,
            nn.Sequential():add(nn.LSTM(6, 6, 1, true, 0, true)):add(nn.Tanh()))
         says('dist.Pipeline: the sum of costs must be finite', make, two, { costs = { 1e308, 1e308 } })
         says('holds another stage of this pipeline', make, two, { data = dist.group { 0, 1 } })
         says('the ranks differ in the number of layers: rank 0 has 2', make, r == 1 and two:clone():add(nn.Abs()) or two)
         says('the ranks differ in the model', make, nn.Sequential():add(nn.Linear(6, 6 + r)):add(nn.Tanh()))
         says('the ranks differ in micro: rank 0 has 2, rank 1 3', make, two, { micro = 2 + r })
         says('there is no option x', make, two, r == 1 and { x = 1 } or nil)
         local longer = two:clone():add(nn.Abs())
         says('the ranks differ in stages: rank 1 has another than rank 0', make, longer, { stages = { 1 + r, 2 - r } })
         local layer = nn.Linear(6, 6)
         local tied = nn.Sequential():add(layer):add(nn.Tanh()):add(layer)
         says('layers 1 and 3 share parameters: they must be on one rank', make, tied)
         local part = nn.Linear(6, 3)
         part.weight:set(layer.weight:narrow(1, 2, 3))
         says('layers 1 and 2 share parameters: they must be on one rank', make, nn.Sequential():add(layer):add(part))
         says('sample, in layer 1: ', make, nn.Sequential():add(nn.Linear(6, 6)):add(nn.Tanh()), { sample = torch.ones(2, 5) })
         says('forwardBackward needs the option criterion', dist.Pipeline(two).forwardBackward, dist.Pipeline(two), x, t)]])
      dist.init()
      local one = nn.Sequential():add(nn.Linear(3, 2))
      refuses('dist.Pipeline: model must be an nn.Sequential, got a nn.Linear', dist.Pipeline, nn.Linear(1, 1))
      refuses('dist.Pipeline: options must be a table, got a number (3)', dist.Pipeline, one, 3)
      refuses('dist.Pipeline: micro must be a whole number from 1, got a number (0)', dist.Pipeline, one, { micro = 0 })
      refuses("dist.Pipeline: schedule must be '1f1b' or 'gpipe', got x", dist.Pipeline, one, { schedule = 'x' })
      refuses('dist.Pipeline: criterion must be a criterion, got a table', dist.Pipeline, one, { criterion = {} })
      refuses('dist.Pipeline: group must be a group made by dist.group, got a table', dist.Pipeline, one, { group = {} })
      refuses('dist.Pipeline: data must be a group made by dist.group, got a number (1)', dist.Pipeline, one, { data = 1 })
      refuses('dist.Pipeline: give one of stages, costs and sample', dist.Pipeline, one, { stages = { 1 }, costs = { 1 } })
      refuses('nn.ClassNLLCriterion with weights is not a mean over samples', dist.Pipeline, one,
         { criterion = nn.ClassNLLCriterion(torch.ones(2)) })
      refuses('dist.Pipeline: there is no backward', function()
         local p = dist.Pipeline(one)
         p:forward(torch.ones(1, 3))
         p:backward(torch.ones(1, 3), torch.ones(1, 2))
      end)
   end)

   it('trains 4 ranks as 2 pipelines of 2 stages to the parameters of one process', function()
      ranks.ok(4, head .. [[
         local data, pipes = dist.mesh(2, 2)
         local whole, pipe = model(), dist.Pipeline(model(), { criterion = criterion, micro = 3, group = pipes, data = data })
         local first = 1 + 6 * data:rank()                         -- each pipeline has its half of the batch
         for step = 1, 5 do
            whole:zeroGradParameters()
            pipe:zeroGradParameters()
            micro(whole, 1, criterion, x:narrow(1, 1, 12), t:narrow(1, 1, 12))
            pipe:forwardBackward(x:narrow(1, first, 6), t:narrow(1, first, 6))
            assert(differs(pipe, whole) < 1e-12)
            whole:updateParameters(0.1)
            pipe:updateParameters(0.1)
         end
         local own = dist.Pipeline(model(), { criterion = criterion, micro = 3, group = pipes, data = data, average = false,
            sample = x })
         local half = own:collect()
         micro(half, 3, criterion, x:narrow(1, first, 6), t:narrow(1, first, 6))
         own:forwardBackward(x:narrow(1, first, 6), t:narrow(1, first, 6))
         assert(differs(own, half) == 0)
         assert(same(dist.allgather(torch.Tensor(own.stages))[1], torch.Tensor(own.stages)))
         says('the ranks differ in stages', dist.Pipeline, model(), { group = pipes, data = data,
            stages = data:rank() == 0 and { 3, 4 } or { 4, 3 } })
         local bad = r == 3 and t:clone():fill(9) or t
         says(r == 3 and 'ClassNLL' or 'rank 3: ', pipe.forwardBackward, pipe, x, bad)
         says('there are 4 ranks, 3 x 2 are 6', dist.mesh, 3, 2)
         says('dist.mesh: size 1 must be a whole number from 1, got nil', dist.mesh)
      ]])
   end)
end)

describe('the placement of layers', function()
   it('makes the dearest stage as cheap as it can be', function()
      assert.same({ 3, 1, 2 }, stages.balanced({ 1, 1, 1, 5, 2, 2 }, 3))
      assert.same({ 1, 1, 1 }, stages.balanced({ 0, 0, 0 }, 3))
      assert.same({ 4 }, stages.balanced({ 1, 2, 3, 4 }, 1))
      for _ = 1, 50 do
         local costs = {}
         for i = 1, math.random(4, 8) do costs[i] = math.random(0, 9) end
         local counts, at, most, least = stages.balanced(costs, 3), 0, 0, math.huge
         for _, c in ipairs(counts) do
            local sum = 0
            for i = at + 1, at + c do sum = sum + costs[i] end
            at, most = at + c, math.max(most, sum)
         end
         assert.equal(#costs, at)
         local function sum(a, b) local s = 0 for i = a, b do s = s + costs[i] end return s end
         for i = 1, #costs - 2 do
            for j = i + 1, #costs - 1 do least = math.min(least, math.max(sum(1, i), sum(i + 1, j), sum(j + 1, #costs))) end
         end
         assert.equal(least, most)
      end
   end)

   it('counts parameters, or measures copies and leaves the layers and random numbers alone', function()
      local layers = { nn.Linear(200, 200), nn.Dropout(0.5), nn.Linear(2, 2) }
      assert.same({ 40201, 1, 7 }, stages.counted(layers))
      layers[3] = nn.Linear(200, 1)
      torch.manualSeed(4)
      local before, x = torch.getRNGState(), torch.randn(300, 200)
      torch.setRNGState(before)
      local costs = stages.measured(layers, x)
      assert.truthy(costs[1] > costs[3] and costs[2] > 0)
      assert.equal(0, layers[1].output:nElement() + layers[1].gradWeight:ne(0):sum())
      assert.equal(0, before:ne(torch.getRNGState()):sum())
   end)

   it('can be told, priced and measured', function()
      ranks.ok(3, head .. [[
         assert(table.concat(dist.Pipeline(model(), { stages = { 2, 2, 3 } }).stages, ' ') == '2 2 3')
         assert(table.concat(dist.Pipeline(model(), { costs = { 1, 1, 1, 1, 1, 1, 6 } }).stages, ' ') == '3 3 1')
         assert(table.concat(dist.Pipeline(model()).stages, ' ') == '2 1 4')
         local list = dist.Pipeline(model(), { sample = x }).stages
         assert(list[1] + list[2] + list[3] == 7)
         assert(dist.allreduce(torch.Tensor(list), 'max'):eq(torch.Tensor(list)):all())]])
   end)
end)

describe('the schedule', function()
   it('has each micro-batch forward before backward, in order, and keeps few of them with 1f1b', function()
      for n = 1, 4 do
         for m = 1, 9 do
            for s = 1, n do
               for _, name in ipairs { '1f1b', 'gpipe' } do
                  local list, kept = stages.schedule(name, s, n, m)
                  local f, b, most = 0, 0, 0
                  for _, k in ipairs(list) do
                     if k > 0 then f = f + 1 assert.equal(f, k) else b = b + 1 assert.equal(-b, k) end
                     assert.truthy(b <= f)
                     most = math.max(most, f - b)
                  end
                  assert.same({ m, m, kept }, { f, b, most })
                  assert.equal(name == 'gpipe' and m or math.min(m, n - s + 1), kept)
               end
            end
         end
      end
   end)
end)

teardown(temporary.remove)
