-- test/nn/recurrent_spec.lua - recurrent layers: states, directions, lengths, packing, what they keep and refuse.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'

local CELLS = { 'RNN', 'RNNReLU', 'LSTM', 'GRU' }

local function draw(...) return torch.Tensor(...):uniform(-1, 1) end
local function near(a, b, tolerance)
   assert.same(a:size():totable(), b:size():totable())
   assert.is_true((a - b):abs():max() <= (tolerance or 1e-14), (a - b):abs():max())
end

describe('a recurrent layer', function()
   before_each(function() torch.manualSeed(9) end)

   it('continues where it stopped: a sequence in two parts gives the same', function()
      for _, name in ipairs(CELLS) do
         local m, x = nn[name](3, 4, 2), draw(6, 2, 3)
         local y = m:forward(x):clone()
         local first = m:forward(x:narrow(1, 1, 4)):clone()
         m.hiddenInput, m.cellInput = m.hiddenOutput:clone(), m.cellOutput and m.cellOutput:clone()
         near(y, torch.cat(first, m:forward(x:narrow(1, 5, 2)), 1))
         m:resetStates()
         near(y, m:forward(x))
         local r = m:clone()
         r.rememberStates = true
         first = r:forward(x:narrow(1, 1, 4)):clone()
         near(y, torch.cat(first, r:forward(x:narrow(1, 5, 2)), 1))
         near(y, r:resetStates():forward(x))
      end
   end)

   it('has the gradients by its states, and of losses that see the last ones', function()
      for _, name in ipairs { 'RNN', 'LSTM', 'GRU', 'BLSTM', 'BGRU' } do
         local m, x = nn[name](3, 2, 2), draw(4, 3, 3)
         local layers = 2 * m.directions
         m.hiddenInput, m.gradHiddenOutput = draw(layers, 3, 2), draw(layers, 3, 2)
         if m.mode == 'lstm' then m.cellInput, m.gradCellOutput = draw(layers, 3, 2), draw(layers, 3, 2) end
         local g = draw(4, 3, 2 * m.directions)
         local function loss()
            local y = m:forward(x)
            return torch.cmul(y, g):sum() + torch.cmul(m.hiddenOutput, m.gradHiddenOutput):sum()
               + (m.cellInput and torch.cmul(m.cellOutput, m.gradCellOutput):sum() or 0)
         end
         loss()
         m:zeroGradParameters()
         local gx = m:backward(x, g)
         for what, pair in pairs { x = { x, gx }, h = { m.hiddenInput, m.gradHiddenInput }, c = { m.cellInput, m.gradCellInput },
            w = { m.weight, m.gradWeight } } do
            if pair[1] then
               local flat, want = pair[1]:view(-1), pair[2]:clone():view(-1)
               for i = 1, flat:nElement() do
                  local kept = flat[i]
                  flat[i] = kept + 1e-5
                  local up = loss()
                  flat[i] = kept - 1e-5
                  local down = loss()
                  flat[i] = kept
                  assert.is_true(math.abs((up - down) / 2e-5 - want[i]) < 1e-7, name .. ' ' .. what)
               end
            end
         end
      end
   end)

   it('reads samples first or steps first', function()
      local m, b = nn.LSTM(3, 4, 2), nn.LSTM(3, 4, 2, true)
      b.weight:copy(m.weight)
      local x = draw(5, 2, 3)
      near(m:forward(x), b:forward(x:transpose(1, 2)):transpose(1, 2))
      near(m:forward(x:select(2, 1)):clone(), m:forward(x:narrow(2, 1, 1)):select(2, 1))
   end)

   it('walks both ways as two layers of which one sees the sequence reversed', function()
      for _, name in ipairs { 'RNN', 'LSTM', 'GRU' } do
         local m, f, r, x = nn['B' .. name](3, 4), nn[name](3, 4), nn[name](3, 4), draw(5, 2, 3)
         local w, v = m:weights(), m:biases()
         for i, one in ipairs { f, r } do
            for k, t in ipairs(one:weights()[1]) do t:copy(w[i][k]) end
            for k, t in ipairs(one:biases()[1]) do t:copy(v[i][k]) end
         end
         local y = m:forward(x)
         near(f:forward(x), y:narrow(3, 1, 4))
         near(r:forward(x:flip(1)):flip(1), y:narrow(3, 5, 4))
         near(m.hiddenOutput[2], r.hiddenOutput[1])
      end
   end)

   it('treats sequences of unequal length as if each came alone, given with lengths or packed', function()
      for _, name in ipairs { 'RNN', 'LSTM', 'GRU', 'BLSTM', 'BGRU' } do
         local m, x, lengths = nn[name](3, 4, 2), draw(5, 3, 3), torch.LongTensor { 5, 3, 2 }
         local y = m:forward { x, lengths }:clone()
         local h = m.hiddenOutput:clone()
         for b = 1, 3 do
            local n = lengths[b]
            near(m:forward(x:narrow(2, b, 1):narrow(1, 1, n)), y:narrow(2, b, 1):narrow(1, 1, n))
            near(m.hiddenOutput, h:narrow(2, b, 1))
            if n < 5 then assert.equal(0, y:narrow(2, b, 1):narrow(1, n + 1, 5 - n):abs():max()) end
         end
         local packed = m:packPaddedSequence(x, lengths)
         assert.same({ 3, 3, 2, 1, 1 }, packed[2]:totable())
         local out = m:padPackedSequence { m:forward(packed), packed[2] }
         near(y, out)
         near(h, m.hiddenOutput)
         local g = draw(5, 3, y:size(3))
         m:zeroGradParameters()
         m:forward { x, lengths }
         local gx = m:backward({ x, lengths }, g)[1]:clone()
         local gw = m.gradWeight:clone()
         m:zeroGradParameters()
         m:forward(packed)
         local gp = m:backward(packed, m:packPaddedSequence(g, lengths)[1])[1]
         near(gx, (m:padPackedSequence { gp, packed[2] }))
         near(gw, m.gradWeight, 1e-12)
      end
   end)

   it('packs what padPackedSequence unpacks', function()
      local m, x = nn.RNN(2, 2, 1, true), draw(2, 4, 2)
      local back, lengths = m:padPackedSequence(m:packPaddedSequence(x, { 4, 1 }, true), true)
      assert.same({ 4, 1 }, lengths:totable())
      near(x[1], back[1])
      assert.equal(0, back[2]:narrow(1, 2, 3):abs():max())
   end)

   it('names its parameters as views of weight', function()
      local m = nn.GRU(3, 4, 2)
      assert.equal(3 * 4 * (3 + 4 + 2) + 3 * 4 * (4 + 4 + 2), m.weight:nElement())
      local w, b = m:weights(), m:biases()
      assert.equal(2, #w)
      assert.equal(6, #w[1])
      assert.same({ 4, 3 }, w[1][1]:size():totable())
      assert.same({ 4, 4 }, w[2][1]:size():totable())
      m.weight:zero()
      for _, list in ipairs { w, b } do
         for _, layer in ipairs(list) do for _, t in ipairs(layer) do t:add(1) end end
      end
      assert.equal(m.weight:nElement(), m.weight:sum())
   end)

   it('drops between layers in training only', function()
      local m, x = nn.LSTM(3, 40, 2, false, 0.5), draw(4, 2, 3)
      local y = m:evaluate():forward(x):clone()
      near(y, m:forward(x))
      assert.is_true((m:training():forward(x) - y):abs():max() > 1e-3)
      assert.is_true((m:forward(x):clone() - m:forward(x)):abs():max() > 1e-3)
   end)

   it('steps along its gradient, and keeps nothing it does not need in a file', function()
      local m, x = nn.LSTM(3, 4, 2), draw(5, 2, 3)
      local c = m:clone()
      local y = m:forward(x)
      local g = y:clone()
      m:zeroGradParameters()
      m:backward(x, g)
      m:updateParameters(0.1)
      c:forward(x)
      c:backwardUpdate(x, g, 0.1)
      near(m.weight, c.weight)
      m:clearState()
      local small = #torch.serialize(m)
      assert.is_true(small < 2 * 8 * m.weight:nElement() + 2000, small)
      near(c:forward(x), m:forward(x))
      m.gradInput = nil                                       -- not requested
      m:backward(x, g)
   end)

   it('learns to add up', function()
      local m = nn.Sequential():add(nn.GRU(1, 8)):add(nn.Bottle(nn.Linear(8, 1)))
      local x = torch.Tensor(8, 16, 1):bernoulli(0.5)
      local target, loss, first = x:cumsum(1):div(8), nn.MSECriterion(), nil
      for _ = 1, 300 do
         local value = loss:forward(m:forward(x), target)
         first = first or value
         m:zeroGradParameters()
         m:backward(x, loss:backward(m.output, target))
         m:updateParameters(0.5)
      end
      assert.is_true(loss:forward(m:forward(x), target) < first / 5, loss.output / first)
   end)

   it('says what it is', function()
      assert.equal('nn.LSTM(3 -> 4)', tostring(nn.LSTM(3, 4)))
      assert.equal('nn.BGRU(3 -> 8, 2 layers, batch first, dropout 0.25)', tostring(nn.BGRU(3, 4, 2, true, 0.25)))
   end)

   it('refuses what it cannot use', function()
      local function refuses(message, f, ...)
         local ok, why = pcall(f, ...)
         assert.is_false(ok)
         assert.truthy(tostring(why):find(message, 1, true), why)
      end
      refuses('nn.LSTM: hiddenSize must be a whole number of at least 1, got nil', nn.LSTM, 3)
      refuses('nn.GRU: numLayers must be a whole number of at least 1, got 0', nn.GRU, 3, 4, 0)
      refuses('nn.RNN: dropout must lie in 0..1, 1 excluded, got 1', nn.RNN, 3, 4, 1, false, 1)
      local m = nn.LSTM(3, 4)
      refuses('nn.LSTM(3 -> 4): input must be a torch.DoubleTensor of steps x samples x 3', m.forward, m, draw(5, 2, 4))
      refuses('backward needs the forward before it', m.backward, m, draw(5, 2, 3), draw(5, 2, 4))
      refuses('accGradParameters needs updateGradInput', m.accGradParameters, m, draw(5, 2, 3), draw(5, 2, 4))
      m:forward(draw(5, 2, 3))
      refuses('gradOutput must have the shape of the output', m.backward, m, draw(5, 2, 3), draw(5, 2, 3))
      refuses('lengths must be a LongTensor of 2 numbers of 1..5', m.forward, m, { draw(5, 2, 3), torch.LongTensor { 5, 6 } })
      refuses('sizes of the steps must not grow', m.forward, m, { draw(5, 3), torch.LongTensor { 2, 3 } })
      refuses('sizes of the steps must be numbers of at least 1 with the sum 5', m.forward, m, { draw(5, 3), torch.LongTensor { 3, 3 } })
      refuses('lengths must fall from sample to sample', m.packPaddedSequence, m, draw(5, 2, 3), { 2, 3 })
      m.hiddenInput = draw(1, 3, 4)
      refuses('hiddenInput must be 1 x 2 x 4', m.forward, m, draw(5, 2, 3))
   end)
end)
