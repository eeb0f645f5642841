-- test/torch/tour_spec.lua - the tour: what a newcomer does in the first ten minutes, and the smoke test.
local torch = require 'torch'

describe('ten minutes with Cresset', function()
   it('makes tensors and looks into them', function()
      local x = torch.Tensor { { 1, 2, 3 }, { 4, 5, 6 } }
      assert.equal(6, x[2][3])
      assert.same({ 2, 5 }, x[{ {}, 2 }]:totable())
      assert.equal(' 1  2  3\n 4  5  6\n[torch.DoubleTensor of size 2x3]\n', tostring(x))
   end)

   it('computes: methods work in place, functions give new tensors', function()
      local x = torch.Tensor { 1, 2, 3 }
      local y = torch.add(x, 10)
      assert.same({ 11, 12, 13 }, y:totable())
      x:mul(2):add(y)
      assert.same({ 13, 16, 19 }, x:totable())
      assert.equal(48, x:sum())
      assert.equal(1 * 11 + 2 * 12 + 3 * 13, torch.Tensor { 1, 2, 3 } * y)
   end)

   it('says what is wrong: function, argument, expected, got', function()
      local ok, err = pcall(torch.mm, torch.Tensor(2, 3), torch.Tensor(2, 3))
      assert.is_false(ok)
      assert.matches('mm: .*2x3', err)
      ok, err = pcall(torch.add, torch.Tensor(2), 'three')
      assert.is_false(ok)
      assert.matches('torch%.add: argument 2 must be .*got a string', err)
   end)

   it('draws the same random numbers for the same seed', function()
      torch.manualSeed(1)
      local a = torch.randn(5)
      torch.manualSeed(1)
      assert.same(a:totable(), torch.randn(5):totable())
   end)

   it('learns exclusive or with nn and optim', function()
      local nn, optim = require 'nn', require 'optim'
      torch.manualSeed(3)
      local net = nn.Sequential():add(nn.Linear(2, 8)):add(nn.Tanh()):add(nn.Linear(8, 1))
      local criterion = nn.MSECriterion()
      local x = torch.Tensor { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } }
      local y = torch.Tensor { { 0 }, { 1 }, { 1 }, { 0 } }
      local w, dw = net:getParameters()
      local state = { learningRate = 0.05 }
      for _ = 1, 300 do
         optim.adam(function()
            dw:zero()
            local loss = criterion:forward(net:forward(x), y)
            net:backward(x, criterion:backward(net.output, y))
            return loss, dw
         end, w, state)
      end
      for i = 1, 4 do assert.near(y[i][1], net:forward(x)[i][1], 0.1) end
   end)

   it('saves a network and loads it again', function()
      local nn = require 'nn'
      local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Sigmoid())
      local x, name = torch.randn(4, 3), os.tmpname()
      local before = net:forward(x):clone()
      torch.save(name, net)
      assert.same(before:totable(), torch.load(name):forward(x):totable())
      os.remove(name)
   end)
end)
