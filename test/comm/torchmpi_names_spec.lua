-- test/comm/torchmpi_names_spec.lua - the names of TorchMPI and distlearn, built on dist.
-- runs once
local torch = require 'torch'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

describe('torchmpi', function()
   it('reduces, broadcasts, gathers and exchanges tensors, at once or by a handle', function()
      ranks.ok(3, [[
         local mpi = require 'torchmpi'
         mpi.start(false)
         local r = mpi.rank()
         assert(mpi.size() == 3)
         for _, how in ipairs { mpi, mpi.async } do
            local function done(x) return how == mpi and x or mpi.syncHandle(x) end
            local x = torch.Tensor{ r, 1 }
            assert(same(done(how.allreduceTensor(x)), torch.Tensor{ 3, 3 }) and x[1] == 3)
            local input, output = torch.Tensor{ r }, torch.Tensor(1)
            done(how.allreduceTensor(input, output))
            assert(input[1] == r and output[1] == 3)
            x = torch.Tensor{ r }
            done(how.broadcastTensor(2, x))
            assert(x[1] == 2)
            x = torch.Tensor{ r + 1 }
            done(how.reduceTensor(1, x))
            assert(x[1] == (r == 1 and 6 or r + 1))
            x = torch.Tensor(6)
            done(how.allgatherTensor(torch.Tensor{ r, -r }, x))
            assert(same(x, torch.Tensor{ 0, 0, 1, -1, 2, -2 }))
            x = torch.Tensor{ r }
            done(how.sendreceiveTensor(x, (r + 2) % 3, (r + 1) % 3))
            assert(x[1] == (r + 2) % 3)
            x = torch.Tensor{ r }
            assert(done(how.sendreceiveTensor(x, r, r))[1] == r)
         end
         assert(mpi.allreduce_double(0.5) == 1.5 and mpi.allreduce_int(r) == 3)
         mpi.barrier()
         mpi.stop()]])
   end)

   it('keeps networks together, and says when they are not', function()
      ranks.ok(2, [[
         local mpi, nn = require 'torchmpi', require 'nn'
         mpi.start()
         torch.manualSeed(5 + mpi.rank())
         local net = nn.Linear(3, 2)
         says('checkWithAllreduce: parameter 1 differs between ranks', mpi.nn.checkWithAllreduce, net)
         mpi.nn.synchronizeParameters(net)
         mpi.nn.checkWithAllreduce(net)
         net.bias:fill(mpi.rank())
         mpi.nn.synchronizeParameters(net, true)
         assert(same(net.bias, torch.Tensor{ 0.5, 0.5 }))
         net.gradBias:fill(mpi.rank() + 1)
         mpi.nn.synchronizeGradients(net)
         assert(same(net.gradBias, torch.Tensor{ 3, 3 }))]])
   end)

   it('has a parameter server', function()
      ranks.ok(3, [[
         local mpi = require 'torchmpi'
         mpi.start()
         local ps, r = mpi.parameterserver, mpi.rank()
         local x = torch.FloatTensor(4, 2):fill(r + 5)
         local h = ps.init(x)
         ps.syncHandle(ps.send(h, torch.ones(4, 2):float() * r, 'add'))
         mpi.barrier()
         ps.syncHandle(ps.receive(h, x))
         assert(same(x, torch.FloatTensor(4, 2):fill(8)))
         mpi.barrier()
         if r == 1 then ps.send(h, x, 'zero') end
         mpi.barrier()
         ps.receive(h, x)
         assert(x:sum() == 0)
         mpi.barrier()
         if r == 2 then ps.send(h, torch.FloatTensor(4, 2):fill(3), 'copy') end
         mpi.barrier()
         assert(ps.receive(h, x):wait():sum() == 24)
         ps.free(h)
         says('receive: argument 1 must be the result of init', ps.receive, h, x)]])
   end)

   it('refuses what makes no sense', function()
      local mpi = require 'torchmpi'
      mpi.start()
      refuses('allreduceTensor: input must be a tensor, got a number (3)', mpi.allreduceTensor, 3)
      refuses('allreduceTensor: output must be like the input', mpi.allreduceTensor, torch.ones(2), torch.ones(3))
      refuses('allgatherTensor: output must be a tensor of 2 elements', mpi.allgatherTensor, torch.ones(2), torch.ones(3))
      refuses('dist.broadcast: the rank must lie in 0..0, got 1', mpi.broadcastTensor, 1, torch.ones(2))
      refuses('syncHandle: argument 1 must be a handle, got nil', mpi.syncHandle)
      refuses('allreduce_double: argument 1 must be a number, got nil', mpi.allreduce_double)
      refuses('synchronizeGradients: argument 1 must be a module, got a number (1)', mpi.nn.synchronizeGradients, 1)
      refuses('init: argument 1 must be a tensor, got nil', mpi.parameterserver.init)
      local h = mpi.parameterserver.init(torch.ones(2))
      refuses('send: the rule must be zero, copy or add, got mul', mpi.parameterserver.send, h, torch.ones(2), 'mul')
   end)
end)

describe('distlearn', function()
   it('AllReduceSGD sums gradients of the ranks that still take steps, and ends with one model', function()
      ranks.ok(3, [[
         local sgd = require 'distlearn.AllReduceSGD'()
         local r = dist.rank()
         local params = { torch.Tensor{ r, r }, { bias = torch.FloatTensor{ r } } }
         sgd.synchronizeParameters(params)
         assert(params[1][1] == 0 and params[2].bias[1] == 0)
         for epoch = 1, 2 do
            for step = 1, 2 + r do
               local grads = { torch.Tensor{ 1, r }, { bias = torch.FloatTensor{ r } } }
               local _, n = sgd.sumAndNormalizeGradients(grads)
               local going = step <= 2 and 3 or step == 3 and 2 or 1
               assert(n == going and grads[1][1] == 1)
               assert(math.abs(grads[1][2] - (going == 3 and 1 or going == 2 and 1.5 or 2)) < 1e-12)
               params[1]:add(-1, grads[1])
               params[2].bias:add(-1, grads[2].bias)
            end
            sgd.synchronizeParameters(params)
            assert(params[1][1] == -4 * epoch, params[1][1])              -- of rank 2, which has moved farthest
         end
         local g, n = sgd.sumGradients(torch.Tensor{ r })
         assert(g[1] == 3 and n == 3)]])
   end)

   it('AllReduceEA follows its formulas, and ends with one centre', function()
      ranks.ok(2, [[
         local ea = require 'distlearn.AllReduceEA'(nil, 2, 0.25)
         local r = dist.rank()
         local params = { torch.Tensor{ r + 3 } }
         ea.synchronizeParameters(params)
         assert(params[1][1] == 3)
         local x, c = { [0] = 3, 3 }, 3
         for step = 1, 6 do
            local total = 0
            for q = 0, 1 do
               x[q] = x[q] + q + 1
               if step % 2 == 0 then
                  local delta = 0.25 * (x[q] - c)
                  x[q], total = x[q] - delta, total + delta
               end
            end
            c = c + total
            params[1]:add(r + 1)
            ea.averageParameters(params)
            assert(math.abs(params[1][1] - x[r]) < 1e-12)
         end
         if r == 1 then                                        -- two more steps than the other
            ea.averageParameters(params)
            ea.averageParameters(params)
         end
         ea.synchronizeCenter(params)
         local mine = params[1][1]
         ea.averageParameters(params)
         ea.averageParameters(params)
         local centre = dist.allgather(torch.Tensor{ mine - (mine - params[1][1]) / 0.25 })
         assert(math.abs(centre[1][1] - centre[2][1]) < 1e-9)]])
   end)

   it('refuses what makes no sense', function()
      local EA, SGD = require 'distlearn.AllReduceEA', require 'distlearn.AllReduceSGD'
      refuses('AllReduceEA: tau must be a whole number from 1, got nil', EA)
      refuses('AllReduceEA: alpha must be a number in 0..1, got a number (2)', EA, nil, 1, 2)
      refuses('sumGradients: argument 1 must be tensors in tables, got a number (1)', SGD().sumGradients, { 1 })
      refuses('synchronizeParameters: there is no tensor', SGD().synchronizeParameters, {})
   end)
end)

teardown(temporary.remove)
