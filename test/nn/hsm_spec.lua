-- test/nn/hsm_spec.lua - nn.HSM: hierarchical softmax and the gradients of its parameters.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local refuses = require 'test.support.refuses'

local MAPPING = { { 2, 1 }, { 1, 1 }, { 3, 2 }, { 1, 2 }, { 2, 2 }, { 3, 1 }, { 3, 3 } }

local function example(unk)
   torch.manualSeed(3)
   local h = nn.HSM(MAPPING, 4, unk)
   return h, torch.DoubleTensor(6, 4):normal(), torch.LongTensor { 3, 1, 7, 3, 6, 1 }
end

-- -log p of a class by the definition, from the parameters.
local function by_hand(h, x, class)
   local cluster, number = MAPPING[class][1], MAPPING[class][2]
   local of_cluster = torch.mv(h.cluster_weight, x) + h.cluster_bias
   local rows = torch.mv(h.class_weight, x) + h.class_bias
   local first = ({ 0, 2, 4 })[cluster]
   local of_class = rows:narrow(1, first + 1, ({ 2, 2, 3 })[cluster])
   return -math.log(torch.softmax(of_cluster, 1)[cluster] * torch.softmax(of_class, 1)[number])
end

describe('nn.HSM', function()
   it('gives the sum of -log p of cluster and class, and how many samples count', function()
      local h, x, target = example()
      local want = 0
      for i = 1, 6 do want = want + by_hand(h, x[i], target[i]) end
      local loss, n = h:forward(x, target)
      assert.near(want, loss, 1e-12)
      assert.equal(6, n)
      assert.near(by_hand(h, x[2], 5), (h:forward(x[2], 5)), 1e-12)
   end)

   it('knows the probabilities of all classes, which add up to 1', function()
      local h, x, target = example()
      local logs = h:logProbabilities(x)
      assert.is_true((torch.exp(logs):sum(2) - 1):abs():max() < 1e-14)
      assert.near(-logs:gather(2, target:view(-1, 1)):sum(), (h:forward(x, target)), 1e-12)
      assert.same(logs[3]:totable(), h:logProbabilities(x[3]):totable())
   end)

   it('has the gradients of its loss by every parameter, times scale', function()
      local h, x, target = example(1)
      h:zeroGradParameters()
      h:forward(x, target)
      h:backward(x, target, 0.5)
      local parameters, grads = h:parameters()
      for k, p in ipairs(parameters) do
         local flat, g = p:view(-1), grads[k]:contiguous():view(-1)
         for i = 1, flat:nElement() do
            local kept = flat[i]
            flat[i] = kept + 1e-5
            local up = h:forward(x, target)
            flat[i] = kept - 1e-5
            local down = h:forward(x, target)
            flat[i] = kept
            assert.near((up - down) / 4e-5, g[i], 1e-8)
         end
      end
   end)

   it('adds gradients up', function()
      local h, x, target = example()
      local _, g = h:getParameters()
      h:forward(x, target)
      h:backward(x, target)
      local once = g:clone()
      h:backward(x, target)
      assert.near(0, (g - once * 2):abs():max(), 1e-14)
      h:zeroGradParameters()
      assert.equal(0, g:norm())
   end)

   it('passes over samples of the unknown class', function()
      local h, x, target = example(3)
      local loss, n = h:forward(x, target)
      assert.equal(4, n)
      assert.near(by_hand(h, x[2], 1) + by_hand(h, x[3], 7) + by_hand(h, x[5], 6) + by_hand(h, x[6], 1), loss, 1e-12)
      local g = h:backward(x, target)
      assert.equal(0, g[1]:norm() + g[4]:norm())
      assert.is_true(g[2]:norm() > 0)
      loss, n = h:forward(x, torch.LongTensor(6):fill(3))
      assert.same({ 0, 0 }, { loss, n })
      assert.equal(0, h:backward(x, torch.LongTensor(6):fill(3)):norm())
   end)

   it('updates the clusters of its targets and no others, to what gradients would give', function()
      local h, x = example()
      local target, copy = torch.LongTensor { 3, 7, 7, 6, 3, 6 }, h:clone()          -- cluster 3
      local before = h.class_weight:clone()
      h:forward(x, target)
      h:updateGradInput(x, target)
      h:accUpdateGradParameters(x, target, 0.1)
      assert.same(before:narrow(1, 1, 4):totable(), h.class_weight:narrow(1, 1, 4):totable())
      copy:zeroGradParameters()
      copy:forward(x, target)
      copy:backward(x, target)
      assert.equal(0, copy.grad_class_weight:narrow(1, 1, 4):norm())
      copy:updateParameters(0.1)
      for k, p in ipairs((h:parameters())) do assert.is_true((p - copy:parameters()[k]):abs():max() < 1e-14) end
   end)

   it('computes the scores of the clusters that targets are in only', function()
      local mapping = {}
      for i = 1, 3000 do mapping[i] = { math.ceil(i / 100), (i - 1) % 100 + 1 } end
      local h, x = nn.HSM(mapping, 3), torch.randn(8, 3)
      h:forward(x, torch.LongTensor(8):fill(2999))
      assert.equal(8 * 100, h._classes:nElement())
   end)

   it('learns which class goes with which input', function()
      torch.manualSeed(2)
      local mapping = {}
      for i = 1, 40 do mapping[i] = { math.ceil(i / 8), (i - 1) % 8 + 1 } end
      local h, x, target = nn.HSM(mapping, 40), torch.eye(40), torch.range(1, 40):long()
      for _ = 1, 60 do
         h:forward(x, target)
         h:updateGradInput(x, target)
         h:accUpdateGradParameters(x, target, 1)
      end
      local _, best = h:logProbabilities(x):max(2)
      assert.same(target:totable(), best:view(-1):totable())
   end)

   it('keeps its mapping, loss and gradients through float, files, clone and clearState', function()
      local h, x, target = example()
      local loss = h:forward(x, target)
      local g = h:backward(x, target):clone()
      local copy = torch.deserialize(torch.serialize(h:clearState()))
      for _, other in ipairs { h, copy, h:clone() } do
         assert.equal(loss, (other:forward(x, target)))
         assert.same(g:totable(), other:backward(x, target):totable())
      end
      copy:float()
      assert.equal('torch.LongTensor', copy.mapping:type())
      assert.near(loss, (copy:forward(x:float(), target)), 1e-5)
      assert.equal('torch.FloatTensor', copy:backward(x:float(), target):type())
   end)

   it('gives the same bits with any number of threads', function()
      local results, before = {}, torch.getnumthreads()
      for n = 1, 3 do
         torch.setnumthreads(n)
         local h, x, target = example()
         local _, g = h:getParameters()
         results[n] = { h:forward(x, target), h:backward(x, target):totable(), g:totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)

   it('refuses mappings that are none', function()
      local function no(text, mapping, ...) refuses(text, nn.HSM, mapping, ...) end
      no('nn.HSM: mapping must be a table of pairs {cluster, number}, or a tensor of classes x 2, got nil', nil, 3)
      no('or a tensor of classes x 2, got 3', torch.ones(3), 3)
      no('nn.HSM: mapping[2] must be a pair {cluster, number}, got a number (1)', { { 1, 1 }, 1 }, 3)
      no('nn.HSM: mapping must hold whole numbers of 1..2', { { 1, 1 }, { 1, 3 } }, 3)
      no('nn.HSM: mapping must hold whole numbers of 1..2', { { 1, 1 }, { 1.5, 1 } }, 3)
      no('nn.HSM: mapping must name each place once, got {1, 1} for classes 1 and 2', { { 1, 1 }, { 1, 1 } }, 3)
      no('nn.HSM: mapping must give cluster 1 a class', { { 2, 1 }, { 2, 2 } }, 3)
      no('nn.HSM: mapping must number the 2 classes of cluster 1 from 1, got none with 1', { { 1, 2 }, { 1, 3 }, { 2, 1 } }, 3)
      no('nn.HSM: inputSize must be a whole number of at least 1, got a number (0)', { { 1, 1 } }, 0)
      no('nn.HSM: unkIndex must lie in 1..1, got 2', { { 1, 1 } }, 3, 2)
   end)

   it('refuses what is no input or target, and stays as it was', function()
      local h, x, target = example()
      local name = 'nn.HSM(4 -> 7 in 3 clusters): '
      local loss = h:forward(x, target)
      refuses(name .. 'input must be a vector of 4 elements, or samples x 4, got 6x5', h.forward, h, torch.ones(6, 5), target)
      refuses(name .. 'target must be a class for each of 6 samples, got 5', h.forward, h, x, torch.ones(5))
      refuses(name .. 'target must lie in 1..7, got 8 (sample 2)', h.forward, h, x, torch.Tensor { 1, 8, 1, 1, 1, 1 })
      refuses(name .. 'target must be a number or a tensor of class numbers', h.forward, h, x, 'x')
      refuses(name .. 'backward needs the forward of the same input and target', h.backward, h, x, torch.ones(6))
      refuses(name .. 'accGradParameters needs updateGradInput before it', h.accGradParameters, h, x, target)
      refuses('nn.HSM', h.forward, h, x:float(), target)
      assert.equal(loss, (h:forward(x, target)))
      refuses(name .. 'backward needs the forward', example().backward, example(), x, target)
   end)
end)
