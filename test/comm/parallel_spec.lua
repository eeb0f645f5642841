-- test/comm/parallel_spec.lua - dist.DataParallel: the same steps as one process with the whole batch.
local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- Trains on the project's digits: each rank on its part of every batch of 64. Prints the largest
-- difference from one process with whole batches.
local digits = [[
package.path = './?.lua;' .. package.path
require 'nn'
local train = require 'examples.lib.digits'.load { opt = { data = '' }, tensorType = 'torch.FloatTensor' }
local criterion = nn.ClassNLLCriterion():float()
local function model()
   torch.manualSeed(1)
   return nn.Sequential():add(nn.SpatialConvolution(1, 8, 3, 3)):add(nn.Tanh())
      :add(nn.Sequential():add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(288, 32)):add(nn.Tanh()))
      :add(nn.Linear(32, 10)):add(nn.LogSoftMax()):float()
end
local function batch(step, first, n)
   local at = (step - 1) * 64 + first
   return train.input:narrow(1, at, n):clone():div(16), train.target:narrow(1, at, n)
end
local function backward(net, step, first, n)
   local x, t = batch(step, first, n)
   criterion:forward(net:forward(x), t)
   net:backward(x, criterion:backward(net.output, t))
end
local function learn(net, steps, work)
   for step = 1, steps do
      net:zeroGradParameters()
      work(step)
      net:updateParameters(0.1)
   end
end
local whole = model()
learn(whole, 20, function(step) backward(whole, step, 1, 64) end)
local function differs(net)
   local most = 0
   for i, p in ipairs(net:parameters()) do most = math.max(most, (p - whole:parameters()[i]):abs():max()) end
   return most
end
local r, n = dist.rank(), dist.size()
]]

describe('dist.DataParallel', function()
   for _, options in ipairs { '{}', '{ bucket = 100 }', '{ broadcast = true }' } do
      it(('takes the steps of one process with the whole batch, with options %s'):format(options), function()
         ranks.ok(2, digits .. ([[
            local net = dist.DataParallel(model(), %s)
            learn(net, 20, function(step) backward(net, step, 1 + 32 * r, 32) end)
            assert(differs(net) < 1e-5, differs(net))]]):format(options))
      end)
   end

   it('adds gradients up without sending them inside noSync', function()
      ranks.ok(2, digits .. [[
         local net = dist.DataParallel(model())
         net:getParameters()
         learn(net, 20, function(step)
            net:noSync(function() backward(net, step, 1 + 32 * r, 16) end)
            backward(net, step, 17 + 32 * r, 16)
            local _, grads = net:parameters()
            for _, g in ipairs(grads) do g:mul(0.5) end
         end)
         assert(differs(net) < 1e-5, differs(net))]])
   end)

   it('weights ranks with their samples, and continues without those that have finished', function()
      ranks.ok(2, digits .. [[
         local net = dist.DataParallel(model(), { uneven = true })
         learn(net, 12, function(step)
            if r == 0 then net:samples(40) backward(net, step, 1, 40) else net:samples(24) backward(net, step, 41, 24) end
         end)
         if r == 0 then
            net:samples(64)
            for step = 13, 20 do
               net:zeroGradParameters()
               backward(net, step, 1, 64)
               net:updateParameters(0.1)
            end
         end
         net:finish()
         assert(differs(net) < 1e-5, differs(net))]])
   end)

   it('leaves the gradients of each rank as they were if their mean is refused', function()
      ranks.ok(2, [[
         require 'nn'
         torch.manualSeed(1)
         local r, plain = dist.rank(), nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh()):add(nn.Linear(3, 2))
         local x, g = torch.randn(5, 4), torch.randn(5, 2)
         plain:forward(x)
         plain:zeroGradParameters()
         plain:backward(x, g)
         local function try(options, gradOutput, text)
            options.uneven = true
            local net = dist.DataParallel(plain:clone(), options):samples(1 + 2 * r)
            net:forward(x)
            net:zeroGradParameters()
            says(text, net.backward, net, x, gradOutput)
            if gradOutput ~= g then return end                        -- its own gradients are not finite
            for i, d in ipairs(select(2, net:parameters())) do assert(same(d, select(2, plain:parameters())[i]), i) end
         end
         for _, how in ipairs { 'half', 'topk' } do
            try({ compress = how }, r == 0 and g / 0 or g, 'the tensors of rank 0 plus its carried error are not finite')
         end
         try({ bucket = r == 0 and 1 or 1e6 }, g, 'the numbers of elements differ')]])
   end)

   it('names the first parameter that differs at the start', function()
      ranks.ok(3, [[
         require 'nn'
         torch.manualSeed(1)
         local net = nn.Sequential():add(nn.Linear(4, 3)):add(nn.Linear(3, 2))
         if dist.rank() == 2 then net:get(2).bias[1] = 7 end
         says('parameter 4 (bias of nn.Linear(3 -> 2), 2) is not the same on ranks 0 and 2', dist.DataParallel, net)
         local same = dist.DataParallel(net, { broadcast = true })
         assert(same:get(1):get(2).bias[1] ~= 7)
         if dist.rank() == 1 then net:add(nn.Linear(2, 2)) end
         says('the models differ: rank 0 has 4 parameters, rank 1 has 6', dist.DataParallel, net)
      ]])
   end)

   it('passes errors of the model on and works afterwards', function()
      dist.init()
      local net = dist.DataParallel(nn.Sequential():add(nn.Linear(3, 2)))
      local x = torch.ones(2, 3)
      net:forward(x)
      assert.is_false(pcall(net.backward, net, x, torch.ones(2, 5)))
      assert.is_nil(rawget(net:get(1):get(1), 'backward'))
      net:zeroGradParameters()
      net:backward(x, torch.ones(2, 2))
      assert.equal(2, net:get(1):get(1).gradBias[1])
      net:noSync(function() net:updateGradInput(x, torch.ones(2, 2)) net:accGradParameters(x, torch.ones(2, 2)) end)
      net:accGradParameters(x, torch.ones(2, 2))
      assert.equal(6, net:get(1):get(1).gradBias[1])
      assert.matches('^dist.DataParallel%(nn.Sequential', tostring(net))
   end)

   it('refuses what makes no sense', function()
      dist.init()
      local net = dist.DataParallel(nn.Linear(3, 2))
      refuses('dist.DataParallel: model must be a module, got a number (3)', dist.DataParallel, 3)
      refuses('dist.DataParallel: options must be a table, got a number (3)', dist.DataParallel, nn.Linear(1, 1), 3)
      refuses('dist.DataParallel: there is no option buckets', dist.DataParallel, nn.Linear(1, 1), { buckets = 3 })
      refuses('dist.DataParallel: bucket must be a number, got a string', dist.DataParallel, nn.Linear(1, 1), { bucket = 'x' })
      refuses('dist.DataParallel: bucket must be a positive number of bytes, got a number (0)', dist.DataParallel, nn.Linear(1, 1), { bucket = 0 })
      refuses('noSync: argument 1 must be a function, got nil', net.noSync, net)
      refuses('samples: argument 1 must be a whole number from 1, got a number (0)', net.samples, net, 0)
      refuses('finish: the model was made without uneven = true', net.finish, net)
   end)
end)

teardown(temporary.remove)
