-- test/op/ctc_spec.lua - connectionist temporal classification against the sum over every alignment.
local torch, opcheck = require 'torch', require 'test.support.opcheck'
local refuses = require 'test.support.refuses'
local log, long, any = math.log, opcheck.long, opcheck.any

-- Values that warp-ctc's tutorial prints.
local UP = { { { 1, 2, 3, 4, 5 } }, { { 6, 7, 8, 9, 10 } }, { { 11, 12, 13, 14, 15 } } }
local DOWN = { { { -5, -4, -3, -2, -1 } }, { { -10, -9, -8, -7, -6 } }, { { -15, -14, -13, -12, -11 } } }
local TWO = { { { 0, 0, 0 }, { 1, 2, 3 } }, { { 0, 1, 0 }, { 0.5, 0, -0.5 } } }

opcheck.describe('ctc_loss', function(op)
   op.dtypes 'floats'
   op.tolerance(1e-2)
   op.forms 'function method'
   op.gives(opcheck.results({ log(5) }, any), { { { 0, 0, 0, 0, 0 } } }, long { { 1 } })
   op.gives(opcheck.results({ 7.355743 }, any), UP, long { { 3, 3 } })
   op.gives(opcheck.results({ 4.938850 }, any), DOWN, long { { 2, 3 } })
   op.tolerance(nil)
   op.dtypes 'float double'
   op.gives(opcheck.results({ log(2), log(4) }, any), { { { 0, 0 }, { 0, 0 } }, { { 0, 0 }, { 0, 0 } } },
      long { { 0 }, { 0 } }, 2, long { 1, 2 })
   op.gives(opcheck.results({ 0, 1 / 0 }, any), TWO, long { { 0, 0 }, { 1, 0 } }, 1, long { 0, 0 })
   op.grad(UP, long { { 3, 3 } })
   op.grad(DOWN, long { { 2, 3 } }, 5)
   op.grad(TWO, long { { 1, 0 }, { 2, 1 } })
   op.grad(TWO, long { { 1, 0 }, { 2, 1 } }, 1, long { 1, 2 }, true)
   op.refuses('labels must lie in 1..2, or be 0 behind the last, got 3 (sample 1, place 2)', TWO, long { { 1, 3 }, { 1, 1 } })
   op.refuses('labels must lie in 1..2, or be 0 behind the last, got -1 (sample 2, place 1)', TWO, long { { 1, 2 }, { -1, 1 } })
   op.refuses('labels must hold no 0 before a label, got one (sample 2, before place 2)', TWO, long { { 1, 2 }, { 0, 1 } })
   op.refuses('labels must have a row for each of the 2 samples of x, got size 1x2', TWO, long { { 1, 2 } })
   op.refuses('labels must have 2 dimensions, got size 2', TWO, long { 1, 2 })
   op.refuses('labels must be a LongTensor', TWO, opcheck.int { { 1, 2 }, { 1, 1 } })
   op.refuses('blank must lie in 1..3, the classes of x, got 4', TWO, long { { 1 }, { 1 } }, 4)
   op.refuses('lengths must have 2 elements, one a sample of x, got size 3', TWO, long { { 1 }, { 1 } }, 1, long { 1, 2, 1 })
   op.refuses('lengths must lie in 0..2, the steps of x, got 3 (sample 2)', TWO, long { { 1 }, { 1 } }, 1, long { 1, 3 })
   op.refuses('x must have 3 dimensions, got size 2x2', { { 1, 2 }, { 3, 4 } }, long { { 1 }, { 1 } })
   op.dtypes 'ints'
   op.refuses('x must be a Float, Double, Half or BFloat16 tensor', TWO, long { { 1 }, { 1 } })
end)

local ALPHA = opcheck.double { { { 1, -1, -1, 0 } } }

opcheck.describe('ctc_loss_grad', function(op)
   op.dtypes 'double'
   op.refuses('alpha must have the size 2x2x4, as ctc_loss made it, got 1x1x4', TWO, long { { 1 }, { 1 } }, ALPHA, { 1, 1 }, 1)
   op.refuses('alpha must be a DoubleTensor', { { { 1, 2 } } }, long { { 1 } }, opcheck.float { { { 1, -1, -1, 0 } } }, { 1 }, 1)
   op.refuses('g must have 1 elements, one a sample of x, got size 2', { { { 1, 2 } } }, long { { 1 } }, ALPHA, { 1, 1 }, 1)
   op.refuses('labels must lie in 1..1, or be 0 behind the last, got 2', { { { 1, 2 } } }, long { { 2 } }, ALPHA, { 1 }, 1)
end)

-- What a path of classes says: repeats merged, blanks removed.
local function spelled(path, blank)
   local word, before = {}, nil
   for _, class in ipairs(path) do
      if class ~= before and class ~= blank then word[#word + 1] = class > blank and class - 1 or class end
      before = class
   end
   return table.concat(word, ' ')
end

-- -log of the sum of the probabilities of all paths that say `labels`; p is steps x classes.
local function by_hand(p, labels, blank)
   local wanted, sum, path = table.concat(labels, ' '), 0, {}
   local function walk(t, product)
      if t > #p then
         if spelled(path, blank) == wanted then sum = sum + product end
         return
      end
      for class = 1, #p[t] do
         path[t] = class
         walk(t + 1, product * p[t][class])
      end
      path[t] = nil
   end
   walk(1, 1)
   return -log(sum)
end

local LABELS = { { 1, 1, 2 }, { 3, 2, 0 }, { 0, 0, 0 }, { 2, 0, 0 }, { 1, 1, 1 } }
local LENGTHS = { 6, 5, 4, 3, 4 }

local function example(seed)
   torch.manualSeed(seed)
   return torch.DoubleTensor(6, 5, 4):normal(0, 2), torch.LongTensor(LABELS), torch.LongTensor(LENGTHS)
end

describe('torch.ctc_loss', function()
   it('is -log of the sum over all alignments, whichever class is the blank', function()
      for blank = 1, 4 do
         local x, labels, lengths = example(blank)
         local loss = torch.ctc_loss(x, labels, blank, lengths)
         for b = 1, 5 do
            local p, word = torch.softmax(x:select(2, b):narrow(1, 1, LENGTHS[b]), 2):totable(), {}
            for _, label in ipairs(LABELS[b]) do if label > 0 then word[#word + 1] = label end end
            local want = by_hand(p, word, blank)
            if want == 1 / 0 then assert.equal(want, loss[b]) else assert.near(want, loss[b], 1e-12) end
         end
      end
   end)

   it('takes samples first, and any strides', function()
      local x, labels, lengths = example(5)
      local loss, alpha = torch.ctc_loss(x, labels, 1, lengths)
      local g = torch.ctc_loss_grad(x, labels, alpha, torch.ones(5), 1, lengths)
      local first = x:transpose(1, 2)
      local wide = torch.zeros(5, 6, 8):narrow(3, 3, 4):copy(first)
      local gaps = torch.zeros(5, 6, 4, 2):select(4, 2):copy(first)
      for _, other in ipairs { first, first:clone(), wide, gaps } do
         assert.same(loss:totable(), (torch.ctc_loss(other, labels, 1, lengths, true)):totable())
         local into = torch.zeros(5, 6, 4, 2):select(4, 1)
         torch.ctc_loss_grad(into, other, labels, alpha, torch.ones(5), 1, lengths, true)
         assert.same(g:transpose(1, 2):totable(), into:totable())
      end
   end)

   it('of labels that the steps cannot hold is infinite, with a gradient of 0', function()
      local x = torch.DoubleTensor(3, 2, 4):normal()
      local labels = torch.LongTensor { { 1, 1, 0 }, { 1, 1, 2 } }                  -- 1 blank 1 fits, 1 blank 1 2 does not
      local loss, alpha = torch.ctc_loss(x, labels)
      assert.equal(1 / 0, loss[2])
      assert.is_true(loss[1] < 1 / 0)
      local g = torch.ctc_loss_grad(x, labels, alpha, torch.ones(2), 1)
      assert.equal(0, g:select(2, 2):norm())
      assert.is_true(g:select(2, 1):norm() > 0)
   end)

   it('has no gradient behind the end of a sample, and one that sums to 0 at each step', function()
      local x, labels, lengths = example(6)
      local _, alpha = torch.ctc_loss(x, labels, 1, lengths)
      local g = torch.ctc_loss_grad(x, labels, alpha, torch.ones(5), 1, lengths)
      assert.equal(0, g:select(2, 4):narrow(1, 4, 3):norm())
      assert.is_true(g:sum(3):abs():max() < 1e-14)
   end)

   it('keeps its digits over thousands of steps and scores of hundreds', function()
      torch.manualSeed(3)
      local x = torch.DoubleTensor(3000, 1, 20):normal(0, 200)
      local labels = torch.LongTensor(1, 200):random(1, 19)
      local loss, alpha = torch.ctc_loss(x, labels)
      local single, rough = torch.ctc_loss(x:float(), labels)
      assert.near(1, single[1] / loss[1], 1e-6)
      local g = torch.ctc_loss_grad(x, labels, alpha, torch.ones(1), 1)
      local h = torch.ctc_loss_grad(x:float(), labels, rough, torch.FloatTensor { 1 }, 1)
      assert.is_true((g - h:double()):abs():max() < 1e-3)
      assert.is_true(g:eq(g):all() and g:abs():max() < 1 + 1e-8)
   end)

   it('is 0 for the certain, infinite for what a class of probability 0 is needed for, and NaN where a score is', function()
      local never = -1 / 0
      local x = torch.DoubleTensor { { { never, 5 }, { 5, never }, { 5, 0 / 0 } } }
      local loss, alpha = torch.ctc_loss(x, torch.LongTensor { { 1 }, { 1 }, { 1 } })
      assert.equal(0, loss[1])
      assert.equal(1 / 0, loss[2])
      assert.is_true(loss[3] ~= loss[3])
      local g = torch.ctc_loss_grad(x, torch.LongTensor { { 1 }, { 1 }, { 1 } }, alpha, torch.ones(3), 1)
      assert.same({ { 0, 0 }, { 0, 0 } }, g[1]:narrow(1, 1, 2):totable())
   end)

   it('gives the same bits with any number of threads', function()
      torch.manualSeed(8)
      local x, labels = torch.FloatTensor(70, 9, 30):normal(), torch.LongTensor(9, 20):random(1, 29)
      local before = torch.getnumthreads()
      local results = {}
      for n = 1, 3 do
         torch.setnumthreads(n)
         local loss, alpha = torch.ctc_loss(x, labels)
         results[n] = { loss:totable(), torch.ctc_loss_grad(x, labels, alpha, torch.FloatTensor(9):fill(1), 1):totable() }
      end
      torch.setnumthreads(before)
      assert.same(results[1], results[2])
      assert.same(results[1], results[3])
   end)

   it('takes no tensor of a result given again, and leaves results alone when it refuses', function()
      local x, labels = example(9)
      local loss, alpha, g = torch.DoubleTensor(), torch.DoubleTensor(), torch.DoubleTensor()
      local function pass()
         torch.ctc_loss(loss, alpha, x, labels)
         torch.ctc_loss_grad(g, x, labels, alpha, loss, 1)
      end
      pass()
      local storages, pointer = torch.memory().storages, g:storage():data()
      for _ = 1, 20 do pass() end
      assert.is_true(torch.memory().storages <= storages)   -- fewer when the collector came by
      assert.is_true(pointer == g:storage():data())
      local kept = g:totable()
      refuses('blank must lie in 1..4', torch.ctc_loss_grad, g, x, labels, alpha, loss, 7)
      assert.same(kept, g:totable())
   end)
end)
