-- test/op/batchnorm_spec.lua - batch normalisation: statistics, running ones, gradients.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local X = { { 1, 10 }, { 3, 30 } }                        -- two samples, two features

opcheck.describe('batchnorm', function(op)
   op.dtypes 'float double'
   op.forms 'function method result'
   op.gives(opcheck.results({ { -1, -1 }, { 1, 1 } }, { 2, 20 }, { 1, 0.1 }), X,
      nil, nil, nil, nil, true, 0.1, 0)
   op.gives(opcheck.results({ { -1, 3 }, { 3, 7 } }, { 2, 20 }, { 1, 0.1 }), X,
      { 2, 2 }, { 1, 5 }, nil, nil, true, 0.1, 0)
   op.forms 'function method'
   op.refuses('weight must have 2 elements, one a feature of x, got size 3', X, { 1, 2, 3 }, { 1, 2 }, nil, nil, true)
   op.refuses('runningMean and runningVar must be given where train is false', X, nil, nil, nil, nil, false)
   op.refuses('x must have 2 to 16 dimensions, got size 2', { 1, 2 }, nil, nil, nil, nil, true)
end)

describe('batchnorm', function()
   local function random(...)
      local t = torch.DoubleTensor(...)
      for i = 1, t:nElement() do t:storage()[i] = math.sin(i * i * 0.7) + 0.1 * i % 3 end
      return t
   end

   it('moves the running statistics by momentum, the variance without bias', function()
      local mean, var = torch.DoubleTensor { 0, 10 }, torch.DoubleTensor { 1, 1 }
      torch.batchnorm(torch.DoubleTensor(X), nil, nil, mean, var, true, 0.25)
      assert.same({ 0.5, 12.5 }, mean:totable())
      assert.same({ 0.75 + 0.25 * 2, 0.75 + 0.25 * 200 }, var:totable())
   end)

   it('uses the running statistics outside of training, and leaves them', function()
      local mean, var = torch.DoubleTensor { 1, 10 }, torch.DoubleTensor { 4, 25 }
      local y = torch.batchnorm(torch.DoubleTensor(X), nil, nil, mean, var, false, 0.1, 0)
      assert.same({ { 0, 0 }, { 1, 4 } }, y:totable())
      assert.same({ 1, 10 }, mean:totable())
      assert.same({ 4, 25 }, var:totable())
   end)

   it('treats planes like long samples, whatever the layout', function()
      local x = random(3, 19, 4, 5)
      local rows = x:transpose(2, 4):contiguous():view(60, 19)
      local y = torch.batchnorm(x, nil, nil, nil, nil, true)
      local z = torch.batchnorm(rows, nil, nil, nil, nil, true)
      assert.is_true((y:transpose(2, 4):contiguous():view(60, 19) - z):abs():max() < 1e-12)
      local strided = torch.batchnorm(rows:t():contiguous():t(), nil, nil, nil, nil, true)
      assert.same(z:totable(), strided:totable())
   end)

   for _, train in ipairs { true, false } do
      it('has the gradients that differences give, train = ' .. tostring(train), function()
         local x, weight, bias, g = random(4, 3, 2), random(3), random(3):add(1), random(4, 3, 2):add(0.5)
         local rm, rv = random(3), random(3):abs():add(1)
         local function loss()
            local y = torch.batchnorm(x, weight, bias, rm:clone(), rv:clone(), train)
            return torch.dot(y, g)
         end
         local _, mean, invstd = torch.batchnorm(x, weight, bias, rm:clone(), rv:clone(), train)
         local gw, gb = torch.DoubleTensor(3):fill(1), torch.DoubleTensor(3):fill(2)
         local gx = torch.batchnorm_grad(x, g, weight, mean, invstd, gw, gb, train, 0.5)
         local function compare(t, gradient, scale, offset)
            for i = 1, t:nElement() do
               local p, kept = t:storage(), t:storage()[i]
               p[i] = kept + 1e-5
               local up = loss()
               p[i] = kept - 1e-5
               local down = loss()
               p[i] = kept
               assert.near(scale * (up - down) / 2e-5 + offset, gradient:storage()[i], 1e-7)
            end
         end
         compare(x, gx, 1, 0)
         compare(weight, gw, 0.5, 1)
         compare(bias, gb, 0.5, 2)
      end)
   end

   it('gives the same bits with any number of threads', function()
      local x, before, results = random(20, 70, 3, 3):float(), torch.getnumthreads(), {}
      for n = 1, 3 do
         torch.setnumthreads(n)
         local y, mean, invstd = torch.batchnorm(x, nil, nil, nil, nil, true)
         results[n] = { y:totable(), torch.batchnorm_grad(x, y, nil, mean, invstd, nil, nil, true):totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)
end)
