-- test/nn/mixed_precision_spec.lua - nn.MixedPrecision: short numbers inside, floats outside.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

local function model()
   torch.manualSeed(1)
   return nn.Sequential():add(nn.Linear(6, 20)):add(nn.BatchNormalization(20)):add(nn.ReLU()):add(nn.Linear(20, 3))
      :add(nn.LogSoftMax()):float()
end
local function data()
   torch.manualSeed(2)
   return torch.FloatTensor(32, 6):normal(), torch.LongTensor(32):random(1, 3)
end
local function off(a, b) return (a:double() - b:double()):norm() / b:double():norm() end
local function backward(m, x, t)
   local criterion = nn.ClassNLLCriterion():float()
   m:zeroGradParameters()
   criterion:forward(m:forward(x), t)
   return m:backward(x, criterion:backward(m.output, t))
end

for _, kind in ipairs { 'half', 'bfloat16' } do
   describe(("nn.MixedPrecision, '%s'"):format(kind), function()
      local near = kind == 'half' and 5e-3 or 4e-2

      it('takes and gives floats, and gives nearly what floats give', function()
         local x, t = data()
         local exact, m = model(), nn.MixedPrecision(model(), kind)
         local gx, g = backward(exact, x, t), backward(m, x, t)
         assert.equal('torch.FloatTensor', m.output:type())
         assert.equal('torch.FloatTensor', g:type())
         assert.is_true(off(m.output, exact.output) < near)
         assert.is_true(off(m.output, exact.output) > 1e-7)
         assert.is_true(off(g, gx) < near)
         local _, grads = m:parameters()
         local _, wanted = exact:parameters()
         for i = 1, #wanted do
            assert.equal('torch.FloatTensor', grads[i]:type())
            assert.is_true((grads[i] - wanted[i]):norm() < near * math.max(wanted[i]:norm(), 0.1), i)
         end
      end)

      it('gives the same bits whether parameters lie in one vector or not', function()
         local x, t = data()
         for _, scale in ipairs { 1, 0.5 } do
            local apart, together = nn.MixedPrecision(model(), kind), nn.MixedPrecision(model(), kind)
            local p, g = together:getParameters()
            local criterion = nn.ClassNLLCriterion():float()
            for _ = 1, 2 do                                    -- the second adds to the gradients of the first
               for _, m in ipairs { apart, together } do
                  criterion:forward(m:forward(x), t)
                  m:backward(x, criterion:backward(m.output, t), scale)
               end
               assert.same(apart.output:totable(), together.output:totable())
            end
            local params, grads = apart:parameters()
            local place = 1
            for i, w in ipairs(params) do
               local n = w:nElement()
               assert.same(w:view(-1):totable(), p:narrow(1, place, n):totable())
               assert.same(grads[i]:view(-1):totable(), g:narrow(1, place, n):totable())
               place = place + n
            end
            local short = together:get(1):parameters()
            assert.equal(torch.pointer(short[1]:storage()), torch.pointer(short[#short]:storage()))
         end
      end)

      it('keeps the gradients where a layer fails', function()
         for _, flat in ipairs { false, true } do
            local x, t = data()
            local m = nn.MixedPrecision(model(), kind)
            if flat then m:getParameters() end
            backward(m, x, t)
            local _, grads = m:parameters()
            local want = {}
            for i, g in ipairs(grads) do want[i] = g:totable() end
            local last = m:get(1):get(4)
            last.accGradParameters = function() error 'out of paper' end
            refuses('out of paper', m.accGradParameters, m, x, m.output, 0.5)
            for i, g in ipairs(grads) do assert.same(want[i], g:totable(), i) end
         end
      end)

      it('trains as floats do', function()
         local x, t = data()
         local function train(m)
            local p, g = m:getParameters()
            local criterion, state, loss = nn.ClassNLLCriterion():float(), { learningRate = 0.02 }, nil
            for _ = 1, 60 do
               optim.adam(function()
                  g:zero()
                  loss = criterion:forward(m:forward(x), t)
                  m:backward(x, criterion:backward(m.output, t))
                  return loss, g
               end, p, state)
            end
            return loss
         end
         local exact, mixed = train(model()), train(nn.MixedPrecision(model(), kind))
         assert.is_true(mixed < 1.3 * exact + 0.02, ('%g and %g'):format(mixed, exact))
      end)

      it('computes in short numbers but for what must be floats', function()
         local m = nn.MixedPrecision(model(), kind)
         local inside = m:get(1)
         local short = kind == 'half' and 'torch.HalfTensor' or 'torch.BFloat16Tensor'
         assert.equal(short, inside:get(1).weight:type())
         assert.equal(short, inside:get(4).weight:type())
         assert.equal('torch.FloatTensor', inside:get(2):get(1).weight:type())
         assert.equal('torch.FloatTensor', inside:get(5):get(1):type())
         m:forward((data()))
         assert.equal(short, inside:get(3).output:type())
      end)
   end)
end

describe('nn.DontCast', function()
   local function module() return nn.DontCast(nn.Linear(3, 2):float(), true):double() end
   local function pass(m, x, g)
      m:zeroGradParameters()
      m:forward(x)
      return m:backward(x, g)
   end

   it('gives in one backward pass what its two parts give', function()
      local one = module()
      local two = one:clone()
      local x, g = torch.DoubleTensor(4, 3):uniform(), torch.DoubleTensor(4, 2):uniform()
      pass(one, x, g)
      two:zeroGradParameters()
      two:forward(x)
      two:updateGradInput(x, g)
      two:accGradParameters(x, g)
      assert.same(two.gradInput:totable(), one.gradInput:totable())
      local _, wanted = two:parameters()
      for i, grad in ipairs(select(2, one:parameters())) do
         assert.same(wanted[i]:totable(), grad:totable())
      end
   end)
   it('keeps the memory of its conversions, and reads an input that has changed', function()
      local m, x = module(), torch.DoubleTensor(4, 3):uniform()
      local g = torch.DoubleTensor(4, 2):uniform()
      local first = pass(m, x, g)
      local output, want = m.output, m.output:clone()
      x:mul(2)
      assert.equal(first, pass(m, x, g))
      assert.equal(output, m.output)
      assert.is_true(off(m.output, want) > 0.01)
      assert.is_true(off(m.output, m:get(1):forward(x:float())) < 1e-6)
      local y = torch.DoubleTensor(4, 3):uniform()             -- not the input of the forward
      m:zeroGradParameters()
      m:accGradParameters(y, g)
      local _, grads = m:parameters()
      assert.is_true(off(grads[1], g:t() * y) < 1e-6)
   end)
   it('is empty after clearState', function()
      local m = module()
      pass(m, torch.DoubleTensor(4, 3):uniform(), torch.DoubleTensor(4, 2):uniform())
      m:clearState()
      assert.same({}, m._casts or {})
      assert.equal(0, m.output:nElement())
   end)
end)

describe('nn.MixedPrecision', function()
   it('keeps gradients that half precision alone would lose', function()
      local x, g = torch.FloatTensor(2, 3):fill(1), torch.FloatTensor(2, 3):fill(1e-9)
      local m = nn.MixedPrecision(nn.Sequential():add(nn.Identity()):add(nn.MulConstant(0.5)):float())
      m:forward(x)
      assert.is_true(off(m:backward(x, g), g * 0.5) < 2e-2)
      m.lossScale = 1
      m:forward(x)
      assert.equal(0, m:backward(x, g):sum())
   end)

   it('repeats a pass with a smaller scale where gradients become infinite, and loses nothing', function()
      local m, exact = nn.MixedPrecision(nn.Linear(4, 2):float()), nn.Linear(4, 2):float()
      exact.weight:copy(m:parameters()[1])
      exact.bias:copy(m:parameters()[2])
      local x, g = torch.FloatTensor(3, 4):fill(2), torch.FloatTensor(3, 2):fill(3)
      for _, module in ipairs { m, exact } do
         module:zeroGradParameters()
         module:forward(x)
         module:backward(x, g)
      end
      assert.equal(2 ^ 11, m.lossScale)                    -- 18 * 2^11 is finite in half precision, 18 * 2^12 is not
      assert.is_true(off(select(2, m:parameters())[1], exact.gradWeight) < 1e-3)
      assert.is_true(off(m.gradInput, exact.gradInput) < 2e-3)
   end)

   it('doubles the scale after 2000 passes without that', function()
      local m, x, g = nn.MixedPrecision(nn.Linear(2, 2):float(), 'half', 4), torch.FloatTensor(1, 2):fill(1), torch.FloatTensor(1, 2):fill(1)
      m:forward(x)
      for _ = 1, 1999 do m:backward(x, g) end
      assert.equal(4, m.lossScale)
      m:backward(x, g)
      assert.equal(8, m.lossScale)
   end)

   it('passes NaN on instead of looking for a scale for ever', function()
      local m, x = nn.MixedPrecision(nn.Linear(2, 2):float()), torch.FloatTensor(1, 2):fill(1)
      m:forward(x)
      local g = m:backward(x, torch.FloatTensor(1, 2):fill(0 / 0))
      assert.not_equal(g[1][1], g[1][1])
      assert.equal(1, m.lossScale)
   end)

   it('adds to gradients, times the scale of the call', function()
      local x, t = data()
      local m, criterion = nn.MixedPrecision(model()), nn.ClassNLLCriterion():float()
      m:zeroGradParameters()
      criterion:forward(m:forward(x), t)
      local g = criterion:backward(m.output, t)
      m:backward(x, g)
      local _, grads = m:parameters()
      local once = {}
      for i, grad in ipairs(grads) do once[i] = grad:clone() end
      m:backward(x, g, 2)
      for i, now in ipairs(grads) do assert.is_true((now - once[i] * 3):norm() <= 1e-3 * once[i]:norm() + 1e-6, i) end
   end)

   it('keeps parameters that are shared', function()
      local a, b = nn.Linear(3, 3):float(), nn.Linear(3, 3):float()
      b:share(a, 'weight', 'bias', 'gradWeight', 'gradBias')
      local m = nn.MixedPrecision(nn.Sequential():add(a):add(b))
      assert.equal(12, (m:getParameters()):nElement())
      local p = m:parameters()
      p[1]:fill(7)
      assert.equal(63, p[3]:sum())
   end)

   it('takes a step in one go, draws its parameters anew, and shares them with a clone', function()
      local x, t = data()
      local m, criterion = nn.MixedPrecision(model()), nn.ClassNLLCriterion():float()
      local p, g = m:parameters()
      criterion:forward(m:forward(x), t)
      local gradOutput = criterion:backward(m.output, t):clone()
      m:zeroGradParameters()
      m:backward(x, gradOutput)
      local wanted = p[1] - g[1] * 0.5
      m:backwardUpdate(x, gradOutput, 0.5)
      assert.is_true(off(p[1], wanted) < 1e-3)

      local before = p[1]:clone()
      m:reset()
      assert.is_true((p[1] - before):norm() > 0.1)
      assert.is_true(p[1]:abs():max() <= 1 / math.sqrt(6) + 1e-3)

      local own, shared = m:clone(), m:clone('weight', 'bias')
      p[1]:fill(0.25)
      assert.equal(0.25, shared:parameters()[1][1][1])
      assert.not_equal(0.25, own:parameters()[1][1][1])
   end)

   it('takes tables, and places as integers', function()
      local m = nn.MixedPrecision(nn.Sequential():add(nn.ParallelTable():add(nn.LookupTable(5000, 4)):add(nn.Identity()))
         :add(nn.CAddTable()):float())
      local y = m:forward { torch.LongTensor { 4999, 3 }, torch.FloatTensor(2, 4):fill(1) }
      local table_ = m:parameters()[1]
      assert.is_true(off(y[1], table_[4999] + 1) < 1e-3)
      local g = m:backward({ torch.LongTensor { 4999, 3 }, torch.FloatTensor(2, 4):fill(1) }, torch.FloatTensor(2, 4):fill(1))
      assert.same({ 2, 4 }, g[2]:size():totable())
      assert.equal(4, select(2, m:parameters())[1][4999]:sum())
      refuses('nn.LookupTable: input must be a LongTensor: the table has 5000 rows, and torch.HalfTensor holds whole numbers up to 2048',
         nn.Module.forward, nn.MixedPrecision(nn.LookupTable(5000, 4):float()), torch.FloatTensor { 4999 })
   end)

   it('is the same after a file', function()
      local x = data()
      local m = nn.MixedPrecision(model())
      local copy = torch.deserialize(torch.serialize(m))
      assert.same(m:forward(x):totable(), copy:forward(x):totable())
      assert.equal(m.lossScale, copy.lossScale)
      local p = copy:parameters()
      p[1]:fill(0)
      assert.not_same(m.output:totable(), copy:forward(x):totable())
      assert.same(m:clone():forward(x):totable(), m.output:totable())
   end)

   it('becomes doubles, and short inside all the same', function()
      local m = nn.MixedPrecision(model()):double()
      assert.equal('torch.DoubleTensor', m:forward((data()):double()):type())
      assert.equal('torch.HalfTensor', m:get(1):get(1).weight:type())
      assert.equal('torch.DoubleTensor', m:parameters()[1]:type())
      assert.equal('torch.DoubleTensor', m:parameters()[3]:type())
   end)

   it('says what it wants', function()
      refuses('nn.MixedPrecision: module must be a module, got nil', nn.MixedPrecision)
      refuses("nn.MixedPrecision: kind must be 'half' or 'bfloat16', got int", nn.MixedPrecision, nn.Identity(), 'int')
      refuses('nn.MixedPrecision: lossScale must be a number from 1 to 2^24, got 0', nn.MixedPrecision, nn.Identity(), 'half', 0)
      refuses('nn.MixedPrecision: module must be of floats or doubles, got one of torch.HalfTensor', nn.MixedPrecision,
         nn.Identity():type 'torch.HalfTensor')
      refuses('nn.MixedPrecision: its parameters are floats or doubles, got torch.LongTensor', function()
         nn.MixedPrecision(nn.Identity()):type 'torch.LongTensor'
      end)
      refuses('In 1 module of nn.MixedPrecision', nn.Module.forward, nn.MixedPrecision(nn.Linear(2, 2):float()), torch.FloatTensor(3, 5))
   end)
end)
