-- test/comm/sharded_spec.lua - dist.ShardedOptim: the steps of one process, with the optimizer's
-- state sharded.
-- runs once
local torch = require 'torch'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- `gradient(step, rank)` of 11 parameters, and the vector after `steps` steps of one process on the mean over `n` ranks.
local head = [[
local optim = require 'optim'
local r, n = dist.rank(), dist.size()
local N = 11
local function gradient(x, step, rank)
   torch.manualSeed(100 * step + rank)
   return torch.randn(N):typeAs(x):cmul(torch.abs(x) + 0.1)
end
local function start() torch.manualSeed(1) return torch.randn(N) end
local function whole(method, config, steps, ranks_, op)
   local x, state = start(), {}
   for step = 1, steps do
      method(function()
         local g = require 'test.support.comm.pairwise'(ranks_, function(k) return gradient(x, step, k) end, 'add')
         return 0, op == 'sum' and g or g:div(ranks_)
      end, x, config, state)
   end
   return x, state
end
local function sharded(opt, x, g, first, last)
   for step = first, last do opt:step(function() g:copy(gradient(x, step, r)) return step end) end
end
]]

describe('dist.ShardedOptim', function()
   it('refuses, like dist.optim, a model of which the ranks hold different parts, and leaves it alone', function()
      ranks.ok(2, [[
         require 'nn'
         local stages = dist.Pipeline(nn.Sequential():add(nn.Linear(2, 2)):add(nn.Linear(2, 2)))
         local parts = nn.Sequential():add(dist.ColumnLinear(2, 4))
         local other = 1 - dist.rank()
         for _, model in ipairs { stages, parts } do
            local before = model:parameters()[1]:clone()
            local text = ('rank %d holds other parts of the %s'):format(other, model == stages and 'dist.Pipeline' or 'dist.ColumnLinear')
            says('dist.ShardedOptim: ' .. text, dist.ShardedOptim, { model = model })
            says('dist.optim: ' .. text, dist.optim, { model = model, scheme = 'allreduce' })
            assert(same(before, model:parameters()[1]))
         end]])
   end)

   it('tells all ranks that a state cannot travel', function()
      ranks.ok(2, [[
         local x = torch.ones(4)
         local state = { n = 4, type = x:type(), steps = 1, own = { f = io.write } }
         says('f cannot be written', dist.ShardedOptim, { parameters = x, gradParameters = torch.ones(4),
            state = dist.rank() == 0 and state or {} })
         dist.barrier()]])
   end)

   for n = 1, 4 do
      it(('gives the bits of the whole state on %d ranks'):format(n), function()
         ranks.ok(n, head .. [[
            torch.manualSeed(2)
            local rates = torch.rand(N)
            for _, case in ipairs { { 'sgd', {} }, { 'sgd', { learningRate = 0.1, momentum = 0.9, weightDecay = 0.01 } },
               { 'sgd', { learningRate = 0.1, momentum = 0.9, nesterov = true, dampening = 0, learningRates = rates } },
               { 'sgd', { learningRate = 0.1, learningRateDecay = 0.1, weightDecays = rates } },
               { 'adam', { learningRate = 0.1 } },
               { 'adamw', { weightDecay = 0.1 } }, { 'adagrad', { learningRate = 0.1 } }, { 'adadelta', {} }, { 'adamax', {} },
               { 'rmsprop', {} }, { 'asgd', {} }, { 'adam', {}, 'sum' } } do
               local method, config = optim[case[1] ], case[2]
               local x, g = start(), torch.zeros(N)
               if r > 0 then x:fill(7) end                               -- all begin with those of the first
               local opt = dist.ShardedOptim { parameters = x, gradParameters = g, method = method, config = config,
                  op = case[3] }
               sharded(opt, x, g, 1, 5)
               assert(same(x, (whole(method, config, 5, n, case[3]))), case[1])
               assert(opt.steps == 5)
            end]])
      end)
   end

   it('trains a model like dist.DataParallel with the optimizer whole, and keeps only its part of the state', function()
      ranks.ok(3, [[
         require 'nn'
         local optim = require 'optim'
         local r, n = dist.rank(), dist.size()
         local function model()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.Linear(5, 7)):add(nn.Tanh()):add(nn.Linear(7, 2)):float()
         end
         local a, b, c = model(), dist.DataParallel(model()), nn.MSECriterion():float()
         local opt = dist.ShardedOptim { model = a, method = optim.adam, config = { learningRate = 0.01 } }
         local p, d = b:getParameters()
         local state = {}
         local function learn(net, x, t)
            net:zeroGradParameters()
            local loss = c:forward(net:forward(x), t)
            net:backward(x, c:backward(net.output, t))
            return loss
         end
         for step = 1, 10 do
            torch.manualSeed(10 * step + r)
            local x, t = torch.randn(4, 5):float(), torch.randn(4, 2):float()
            local loss = opt:step(function() return learn(a, x, t) end)
            optim.adam(function() return learn(b, x, t), d end, p, { learningRate = 0.01 }, state)
            assert(loss == c.output)
         end
         assert(same(opt.x, p))
         assert(opt.own.m:nElement() == (r < 2 and 20 or 18) and state.m:nElement() == 58)]])
   end)

   it('gives a state with which another number of ranks continues', function()
      local folder = temporary.name '.commits'
      for i, n in ipairs { 4, 2, 3, 1 } do
         ranks.ok(n, head .. ([[
            local i = %d
            local config = { learningRate = 0.1, learningRateDecay = 0.01, weightDecay = 0.1 }
            local function gradients(x, step) torch.manualSeed(step) return torch.randn(N):add(x) end     -- the same on all ranks
            local kept = dist.restore()
            local x, g = kept and kept.x or start(), torch.zeros(N)
            local opt = dist.ShardedOptim { parameters = x, gradParameters = g, method = optim.adam, config = config,
               state = kept and kept.opt }
            assert(opt.steps == 5 * (i - 1))
            for step = opt.steps + 1, 5 * i do opt:step(function() g:copy(gradients(x, step)) end) end
            local state = opt:state()
            assert(r == 0 and state.own.m:nElement() == N or not state.own and state.steps == 5 * i)
            dist.commit { x = x, opt = state }
            local y, all = start(), {}
            for step = 1, 5 * i do optim.adam(function() return 0, gradients(y, step) end, y, config, all) end
            assert((x - y):abs():max() < 1e-12)
            if r == 0 then assert(all.t == state.own.t and (all.v - state.own.v):abs():max() < 1e-12) end]]):format(i),
            ("--commit '%s'"):format(folder))
      end
      os.execute(("rm -r '%s'"):format(folder))
   end)

   it('has separate parts in groups, and ranks without parameters', function()
      ranks.ok(4, head .. [[
         local data, other = dist.mesh(2, 2)
         N = 1 + r % 2                                                   -- the groups have 1 and 2 parameters
         local x, g = torch.ones(N), torch.ones(N):mul(r)
         local opt = dist.ShardedOptim { parameters = x, gradParameters = g, method = optim.adam, group = data }
         for _ = 1, 3 do opt:step() end
         local y, state = torch.ones(N), {}
         for _ = 1, 3 do optim.adam(function() return 0, torch.ones(N):mul(r % 2 + 1) end, y, {}, state) end
         assert(same(x, y))
         local kept = opt:state()
         local again = dist.ShardedOptim { parameters = x, gradParameters = g, method = optim.adam, group = data, state = kept }
         again:step()
         optim.adam(function() return 0, torch.ones(N):mul(r % 2 + 1) end, y, {}, state)
         assert(same(x, y))
         assert(tostring(again) == ('dist.ShardedOptim(%d parameters, part %d of 2)'):format(N, data:rank() + 1))]])
   end)

   it('trains pipelines beside each other, each stage with its part of the state', function()
      ranks.ok(4, [[
         require 'nn'
         local optim = require 'optim'
         local data, stages = dist.mesh(2, 2)
         local function model()
            torch.manualSeed(3)
            return nn.Sequential():add(nn.Linear(5, 7)):add(nn.Tanh()):add(nn.Linear(7, 2))
         end
         local c, whole = nn.MSECriterion(), model()
         local pipe = dist.Pipeline(model(), { criterion = c, micro = 2, group = stages })
         local opt = dist.ShardedOptim { model = pipe, method = optim.adam, group = data }
         local p, d = whole:getParameters()
         local state, half = {}, 1 + 4 * data:rank()
         for step = 1, 5 do
            torch.manualSeed(step)
            local x, t = torch.randn(8, 5), torch.randn(8, 2)
            opt:step(function()
               pipe:zeroGradParameters()
               return pipe:forwardBackward(x:narrow(1, half, 4), t:narrow(1, half, 4))
            end)
            optim.adam(function()
               d:zero()
               local loss = c:forward(whole:forward(x), t)
               whole:backward(x, c:backward(whole.output, t))
               return loss, d
            end, p, {}, state)
         end
         assert((pipe:collect():getParameters() - p):abs():max() < 1e-6)
         if dist.rank() % 2 == 1 then
            says('no data', opt.step, opt, function() if dist.rank() == 1 then error 'no data' end end)
         end
         local bare = dist.ShardedOptim { model = nn.Tanh(), group = data }          -- a stage without parameters
         assert(bare:step(function() return 7 end) == 7 and bare:state().steps == 1)]])
   end)

   it('makes what fails on one rank an error of all, and leaves the parameters alone', function()
      ranks.ok(3, head .. [[
         local x, g = start(), torch.ones(N)
         local bad = false
         local function method(f, y, config, state)
            f(y)
            y:fill(3)
            if bad == r then error 'my method' end
            state.m = config.more and torch.ones(2) or nil
         end
         local config = {}
         local opt = dist.ShardedOptim { parameters = x, gradParameters = g, method = method, config = config }
         says(r == 1 and 'no data' or 'dist.ShardedOptim: rank 1: ', opt.step, opt, function()
            if r == 1 then error 'no data' end
         end)
         if r == 2 then g[3] = 0 / 0 end
         says('the gradient of step 1 is not finite', opt.step, opt)
         g[3] = 1
         assert(same(x, start()) and opt.steps == 0)
         opt:step()
         assert(x:eq(3):all())
         config.more = true
         opt:step()
         says("the method's state.m is a torch.DoubleTensor of size 2", opt.state, opt)
         bad = 1
         says(r == 1 and 'my method' or 'rank 1: ', opt.step, opt)
         assert(x:eq(3):all())
         says('an earlier update failed: ', opt.step, opt)
         says('an earlier update failed: ', opt.state, opt)]])
   end)

   it('refuses what makes no sense, on all ranks', function()
      ranks.ok(2, head .. [[
         local x, g = torch.ones(3 + r), torch.ones(3 + r)
         says('the ranks differ in the number of parameters: rank 0 has 3, rank 1 4', dist.ShardedOptim,
            { parameters = x, gradParameters = g })
         x, g = torch.ones(3), torch.ones(3)
         local function make(more)
            local o = { parameters = x, gradParameters = g }
            for k, v in pairs(more or {}) do o[k] = v end
            return dist.ShardedOptim(o)
         end
         says('the ranks differ in the method or its config', make, { method = r == 0 and optim.sgd or optim.adam })
         says('the ranks differ in the method or its config', make, { config = { learningRate = r } })
         says('there is no option x', make, r == 1 and { x = 1 } or {})
         says('the ranks differ in having a state: rank 0 has 0, rank 1 1', make, { state = r == 1 and {} or nil })
         says('state must be what state() returned on the first rank', make, { state = {} })
         says('state is of 4 elements of a torch.FloatTensor, wanted 3 of a torch.DoubleTensor', make,
            { state = { n = 4, type = 'torch.FloatTensor', own = {} } })
         says('state must be what state() returned', make, { state = { n = 3, type = 'torch.DoubleTensor', own = 3, steps = 1 } })
         says("the method's state.m is a torch.DoubleTensor of size 2", make,
            { state = { n = 3, type = 'torch.DoubleTensor', own = { m = torch.ones(2) }, steps = 1 } })
         local twice = make { method = function(f, y) f(y) f(y) end }
         says('the method must ask for one gradient in a step', twice.step, twice)
         local moved = make { method = function(f, y) f(y:add(1)) end }
         says('that of the parameters as they are', moved.step, moved)
         local never = make { method = function() end }
         says('the method has not asked for the gradient', never.step, never)]])
      dist.init()
      local function with(more)
         local o = { parameters = torch.ones(2), gradParameters = torch.ones(2) }
         for k, v in pairs(more) do o[k] = v end
         return dist.ShardedOptim(o)
      end
      local optim = require 'optim'
      refuses('dist.ShardedOptim: options must be a table, got nil', dist.ShardedOptim)
      refuses('dist.ShardedOptim: method must be a function, got a number (3)', with, { method = 3 })
      refuses('one gradient per step: use dist.lbfgs', with, { method = optim.lbfgs })
      refuses('optim.nag is not an elementwise method', with, { method = optim.nag })
      refuses("dist.ShardedOptim: op must be 'mean' or 'sum', got max", with, { op = 'max' })
      refuses('dist.ShardedOptim: config must be a table, got a number (1)', with, { config = 1 })
      refuses('dist.ShardedOptim: group must be a group made by dist.group', with, { group = 1 })
      refuses('dist.ShardedOptim: parameters must be a contiguous vector of floats', with, { parameters = torch.IntTensor(2) })
      refuses('dist.ShardedOptim: give either model', with, { model = require 'nn'.Linear(1, 1) })
      local opt = with {}
      refuses('step: argument 1 must be a function, got a number (1)', opt.step, opt, 1)
      refuses('save what state() returns instead', torch.save, os.tmpname(), opt)
   end)
end)

teardown(temporary.remove)
