-- test/nn/ctc_spec.lua - nn.CTCCriterion: forms of targets, lengths, what it keeps, decoding.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local check = require 'test.support.gradcheck'
local refuses = require 'test.support.refuses'

local TARGET = { { 1, 3 }, {}, { 2, 2, 1 } }

local function scores(...)
   torch.manualSeed(4)
   return torch.DoubleTensor(...):normal(0, 2)
end

describe('nn.CTCCriterion', function()
   it('takes tables, tables of tensors and padded tensors of any type as targets', function()
      local c, x = nn.CTCCriterion(), scores(6, 3, 4)
      local loss = c:forward(x, TARGET)
      local padded = torch.LongTensor { { 1, 3, 0, 0 }, { 0, 0, 0, 0 }, { 2, 2, 1, 0 } }
      assert.equal(loss, c:forward(x, padded))
      assert.equal(loss, c:forward(x, padded:double()))
      assert.equal(loss, c:forward(x, padded:int()))
      assert.equal(loss, c:forward(x, { torch.Tensor { 1, 3 }, torch.LongTensor(), torch.IntTensor { 2, 2, 1 } }))
      assert.equal(c:forward(x, { {}, {}, {} }), c:forward(x, torch.LongTensor()))
   end)

   it('treats one sample as a batch of one', function()
      local c, x = nn.CTCCriterion(), scores(6, 1, 4)
      local loss = c:forward(x, { { 2, 3 } })
      local g = c:backward(x, { { 2, 3 } }):clone()
      for _, target in ipairs { { 2, 3 }, torch.LongTensor { 2, 3 }, { { 2, 3 } } } do
         assert.equal(loss, c:forward(x:select(2, 1), target))
         assert.same(g:select(2, 1):totable(), c:backward(x:select(2, 1), target):totable())
      end
      assert.equal(loss, nn.CTCCriterion(true):forward(x:transpose(1, 2), { { 2, 3 } }))
   end)

   it('counts the steps that sizes say, in forward and backward', function()
      local c, x = nn.CTCCriterion(), scores(6, 3, 4)
      local sizes = { 4, 0, 6 }
      local loss, sum = c:forward(x, TARGET, sizes), 0
      for b, word in ipairs(TARGET) do
         if sizes[b] > 0 then sum = sum + nn.CTCCriterion():forward(x:select(2, b):narrow(1, 1, sizes[b]), word) end
      end
      assert.near(sum, loss, 1e-12)
      local g = c:backward(x, TARGET, sizes):clone()
      assert.equal(0, g:select(2, 1):narrow(1, 5, 2):norm())
      assert.is_true(g:select(2, 1):narrow(1, 1, 4):norm() > 0)
      assert.same(g:totable(), c:backward(x, TARGET):totable())                      -- sizes are those of forward
      assert.equal(loss, c:forward(x, TARGET, torch.Tensor(sizes)))
      assert.equal(loss, c:forward(x, TARGET, torch.IntTensor(sizes)))
   end)

   it('has the gradient of the sum, and of the mean on request', function()
      local x = scores(5, 3, 4)
      for _, c in ipairs { nn.CTCCriterion(), nn.CTCCriterion(false, true), nn.CTCCriterion(false, false, 4) } do
         assert.is_true(check.criterion(c, x, TARGET) < 1e-7)
      end
      local sum, mean = nn.CTCCriterion(), nn.CTCCriterion(false, true)
      assert.near(sum:forward(x, TARGET), 3 * mean:forward(x, TARGET), 1e-12)
      assert.near(0, (sum:backward(x, TARGET) - mean:backward(x, TARGET) * 3):norm(), 1e-14)
      assert.same(sum.losses:totable(), mean.losses:totable())
   end)

   it('gives scores and their log-probabilities the same loss', function()
      local x = scores(6, 3, 4)
      local logs = nn.LogSoftMax():forward(x:view(18, 4)):viewAs(x)
      assert.near(nn.CTCCriterion():forward(x, TARGET), nn.CTCCriterion():forward(logs, TARGET), 1e-12)
   end)

   it('has infinite loss and no gradient for labels that do not fit', function()
      local c, x = nn.CTCCriterion(), scores(3, 2, 4)
      assert.equal(1 / 0, c:forward(x, { { 1, 1, 1 }, { 2 } }))
      assert.equal(1 / 0, c.losses[1])
      assert.is_true(c.losses[2] < 1 / 0)
      local g = c:backward(x, { { 1, 1, 1 }, { 2 } })
      assert.equal(0, g:select(2, 1):norm())
      assert.is_true(g:select(2, 2):norm() > 0)
   end)

   it('takes no memory from one step to the next', function()
      local c, x = nn.CTCCriterion(), scores(6, 3, 4)
      local target = torch.LongTensor { { 1, 3 }, { 1, 0 }, { 2, 2 } }
      local function step()
         c:forward(x, target)
         c:backward(x, target)
      end
      step()
      local data, alpha = c.gradInput:storage(), c._alpha:storage()
      for _ = 1, 5 do step() end
      assert.is_true(data == c.gradInput:storage() and alpha == c._alpha:storage())
   end)

   it('refuses what is no input, target or sizes, and stays as it was', function()
      local c, x = nn.CTCCriterion(), scores(6, 3, 4)
      local loss = c:forward(x, TARGET)
      local function no(text, ...) refuses(text, c.forward, c, ...) end
      no('nn.CTCCriterion: input must be steps x samples x classes, or steps x classes, got 3', torch.ones(3), TARGET)
      refuses('input must be samples x steps x classes', function() nn.CTCCriterion(true):forward(torch.ones(3), TARGET) end)
      no('target must be a table of labels for each sample, or a tensor, got nil', x)
      no('target must have labels for each of 3 samples, got those of 2', x, { { 1 }, { 2 } })
      no('target[2] must be a table of labels, got a number (2)', x, { { 1 }, 2, { 1 } })
      no('target[1] must be whole numbers, got a number (1.5)', x, { { 1.5 }, { 2 }, { 1 } })
      no('target[1] must hold labels from 1, got 0', x, { { 0 }, { 2 }, { 1 } })
      no('target must be whole numbers', x, torch.Tensor { { 1 }, { 1.5 }, { 2 } })
      no('labels must lie in 1..3, or be 0 behind the last, got 4 (sample 3, place 1)', x, { { 1 }, { 2 }, { 4 } })
      no('labels must hold no 0 before a label', x, torch.LongTensor { { 0, 1 }, { 1, 2 }, { 1, 2 } })
      no('sizes must be a tensor or a table of 3 steps, got ', x, TARGET, 'x')
      no('lengths must have 3 elements, one a sample of the input, got size 2', x, TARGET, { 1, 2 })
      no('lengths must lie in 0..6, the steps of the input, got 7 (sample 2)', x, TARGET, { 1, 7, 2 })
      refuses('blank must lie in 1..1, the classes of the input, got 2', function()
         nn.CTCCriterion(false, false, 2):forward(torch.ones(2, 1, 1), { {} })
      end)
      refuses('nn.CTCCriterion: blank must be a whole number of at least 1', nn.CTCCriterion, false, false, 0)
      assert.equal(loss, c:forward(x, TARGET))
   end)

   it('refuses a backward without its forward', function()
      local c, x = nn.CTCCriterion(), scores(6, 3, 4)
      local text = 'nn.CTCCriterion: backward needs the forward of the same input, target and sizes before it'
      refuses(text, c.backward, c, x, TARGET)
      c:forward(x, TARGET, { 6, 6, 5 })
      refuses(text, c.backward, c, x, { { 1 }, { 1 }, { 1 } })
      refuses(text, c.backward, c, x, TARGET, { 6, 6, 6 })
      refuses(text, c.backward, c, x:float(), TARGET)
      refuses(text, c.backward, c, x:narrow(1, 1, 5), TARGET)
   end)
end)

-- Log-probabilities of all sequences, from all paths.
local function words_of(p, blank)
   local found, path = {}, {}
   local function walk(t, product)
      if t > #p then
         local word, before = {}, nil
         for _, class in ipairs(path) do
            if class ~= before and class ~= blank then word[#word + 1] = class > blank and class - 1 or class end
            before = class
         end
         local key = table.concat(word, ' ')
         found[key] = (found[key] or 0) + product
         return
      end
      for class = 1, #p[t] do
         path[t] = class
         walk(t + 1, product * p[t][class])
      end
   end
   walk(1, 1)
   return found
end

describe('nn.CTCCriterion:decode', function()
   it('merges repeats and removes blanks along the best path', function()
      local function steps(...)
         local x = torch.zeros(select('#', ...), 4)
         for t, class in ipairs { ... } do x[t][class] = 9 end
         return x
      end
      local c = nn.CTCCriterion()
      assert.same({ 1, 1, 2 }, (c:decode(steps(2, 2, 1, 2, 3, 3, 1))))
      assert.same({}, (c:decode(steps(1, 1))))
      assert.same({ 2, 3 }, (nn.CTCCriterion(false, false, 1):decode(steps(3, 4))))
      assert.same({ 1, 3, 1 }, (nn.CTCCriterion(false, false, 2):decode(steps(1, 1, 2, 4, 1))))
      assert.same({ { 1 }, { 2 } }, (c:decode(torch.cat(steps(2, 3):view(2, 1, 4), steps(3, 3):view(2, 1, 4), 2), { 1, 2 })))
   end)

   it('finds with a wide beam the most probable sequence of all, and its log-probability', function()
      for seed = 1, 8 do
         torch.manualSeed(seed)
         local x, blank = torch.DoubleTensor(5, 4):normal(0, 1.5), seed % 4 + 1
         local c = nn.CTCCriterion(false, false, blank)
         local best, most = nil, 0
         for word, p in pairs(words_of(torch.softmax(x, 2):totable(), blank)) do
            if p > most then best, most = word, p end
         end
         local word, score = c:decode(x, nil, 1000)
         assert.equal(best, table.concat(word, ' '))
         assert.near(math.log(most), score, 1e-12)
         assert.near(-c:forward(x, word), score, 1e-12)
         local greedy, path = c:decode(x)
         assert.is_true(path <= -c:forward(x, greedy) + 1e-12)
      end
   end)

   it('finds with a beam what the best path misses', function()
      local x = torch.log(torch.DoubleTensor { { 0.6, 0.4 }, { 0.6, 0.4 } })           -- blank blank: 0.36, a label: 0.64
      local c = nn.CTCCriterion()
      assert.same({}, (c:decode(x)))
      local word, score = c:decode(x, nil, 2)
      assert.same({ 1 }, word)
      assert.near(math.log(0.64), score, 1e-12)
   end)

   it('takes batches of both kinds, and lengths', function()
      local x = scores(6, 3, 4)
      local sizes = { 6, 0, 3 }
      for _, beam in ipairs { false, 3 } do
         local words, logs = nn.CTCCriterion():decode(x, sizes, beam or nil)
         local rounded = x:transpose(1, 2):float():double()
         local first, same_logs = nn.CTCCriterion(true):decode(rounded, torch.LongTensor(sizes), beam or nil)
         assert.same(words, first)
         for b = 1, 3 do assert.near(logs[b], same_logs[b], 1e-5) end
         assert.same({}, words[2])
         assert.equal(0, logs[2])
         assert.same(words[3], (nn.CTCCriterion():decode(x:select(2, 3):narrow(1, 1, 3), nil, beam or nil)))
      end
   end)

   it('refuses wrong beams, lengths and scores', function()
      local c, x = nn.CTCCriterion(), scores(6, 2, 4)
      refuses('nn.CTCCriterion: beamWidth must be a whole number of at least 1, got 0', c.decode, c, x, nil, 0)
      refuses('nn.CTCCriterion: beamWidth must be a whole number of at least 1, got x', c.decode, c, x, nil, 'x')
      refuses('nn.CTCCriterion: sizes must have 2 numbers, got 1', c.decode, c, x, { 3 })
      refuses('nn.CTCCriterion: sizes must lie in 0..6, got 7', c.decode, c, x, { 3, 7 })
      refuses('nn.CTCCriterion: input must be steps x samples x classes', c.decode, c, 3)
      refuses('nn.CTCCriterion: input must hold numbers, got nan (sample 1)', c.decode, c, x:clone():fill(0 / 0), nil, 3)
      refuses('have the class of the blank, 5', nn.CTCCriterion(false, false, 5).decode, nn.CTCCriterion(false, false, 5), x)
   end)
end)
