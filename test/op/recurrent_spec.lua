-- test/op/recurrent_spec.lua - lstm, gru and rnn against loops over single numbers, and their gradients against differences.
local torch = require 'torch'

local STEPS, SAMPLES, UNITS = 5, 3, 4
local GATES = { lstm = 4, gru = 3, rnn = 1 }

local function sigmoid(v) return 1 / (1 + math.exp(-v)) end
local relu = function(v) return math.max(v, 0) end

-- Rows of samples of 5, 3 and 4 steps in an arbitrary order, with rows 14 and 15 unused and a hole between.
local function places()
   return torch.LongTensor { { 7, 2, 1 }, { 3, 0, 4 }, { 5, 6, 8 }, { 9, 10, 11 }, { 12, 0, 0 } }
end

local function draw(kind, ...) return torch.DoubleTensor(...):uniform(-1, 1):type(kind) end

-- What an op takes: x, weight, bias and states.
local function operands(cell, kind)
   torch.manualSeed(4)
   local per = GATES[cell] * UNITS
   return { x = draw(kind, 15, per), weight = draw(kind, per, UNITS), bias = draw(kind, per + (cell == 'gru' and UNITS or 0)),
      h0 = draw(kind, SAMPLES, UNITS), c0 = draw(kind, SAMPLES, UNITS) }
end

-- h and c of every row, by the definition.
local function by_hand(cell, o, reverse, is_relu)
   local h, c = torch.zeros(15, UNITS), torch.zeros(15, UNITS)
   local x, w, bias, at = o.x:double(), o.weight:double(), o.bias:double(), places()
   for b = 1, SAMPLES do
      local hb, cb = o.h0[b]:double(), o.c0[b]:double()
      for s = 1, STEPS do
         local row = at[reverse and STEPS + 1 - s or s][b]
         if row > 0 then
            local r, new_h, new_c = torch.mv(w, hb), torch.zeros(UNITS), torch.zeros(UNITS)
            for u = 1, UNITS do
               local function gate(k) return x[row][k * UNITS + u] + r[k * UNITS + u] + bias[k * UNITS + u] end
               if cell == 'lstm' then
                  new_c[u] = sigmoid(gate(1)) * cb[u] + sigmoid(gate(0)) * math.tanh(gate(2))
                  new_h[u] = sigmoid(gate(3)) * math.tanh(new_c[u])
               elseif cell == 'gru' then
                  local z, q = sigmoid(gate(1)), r[2 * UNITS + u] + bias[3 * UNITS + u]
                  local n = math.tanh(x[row][2 * UNITS + u] + bias[2 * UNITS + u] + sigmoid(gate(0)) * q)
                  new_h[u], new_c[u] = (1 - z) * n + z * hb[u], q
               else
                  new_h[u] = (is_relu and relu or math.tanh)(gate(0))
               end
            end
            hb, cb = new_h, new_c
            h[row]:copy(hb)
            c[row]:copy(cb)
         end
      end
   end
   return h, c
end

local function call(cell, o, reverse, is_relu)
   if cell == 'lstm' then return torch.lstm(o.x, places(), o.weight, reverse, o.bias, o.h0, o.c0) end
   if cell == 'gru' then return torch.gru(o.x, places(), o.weight, reverse, o.bias, o.h0) end
   return torch.rnn(o.x, places(), o.weight, is_relu or false, reverse, o.bias, o.h0)
end

-- Gradients by x, h0 and c0 for the gradients g of h, ghn and gcn of the last states; and the parts of weight's.
local function call_grad(cell, o, g, ghn, gcn, reverse, is_relu)
   local h, c, a = call(cell, o, reverse, is_relu)
   if cell == 'lstm' then
      local gx, hp, gh0, gc0 = torch.lstm_grad(a, h, c, g, places(), o.weight, reverse, o.h0, o.c0, ghn, gcn)
      return gx, gh0, torch.mm(gx:t(), hp), gc0
   elseif cell == 'gru' then
      local gx, gq, hp, gh0 = torch.gru_grad(a, h, c, g, places(), o.weight, reverse, o.h0, ghn)
      return gx, gh0, torch.cat(torch.mm(gx:narrow(2, 1, 2 * UNITS):t(), hp), torch.mm(gq:t(), hp), 1)
   end
   local gx, hp, gh0 = torch.rnn_grad(h, g, places(), o.weight, is_relu or false, reverse, o.h0, ghn)
   return gx, gh0, torch.mm(gx:t(), hp)
end

local function near(expected, got, tolerance, what)
   assert.same(expected:size():totable(), got:size():totable())
   local off = (expected:double() - got:double()):abs():max()
   assert.is_true(off <= tolerance, ('%s is off by %g'):format(what, off))
end

for cell, gates in pairs(GATES) do
   describe('torch.' .. cell, function()
      for _, reverse in ipairs { false, true } do
         local way = reverse and ', backwards' or ''
         it('is what its definition says, for every type' .. way, function()
            for kind, tolerance in pairs { ['torch.DoubleTensor'] = 1e-14, ['torch.FloatTensor'] = 1e-6,
               ['torch.HalfTensor'] = 4e-3, ['torch.BFloat16Tensor'] = 4e-2 } do
               local o = operands(cell, kind)
               local h, c = by_hand(cell, o, reverse)
               local got_h, got_c = call(cell, o, reverse)
               near(h, got_h, tolerance, 'h')
               if cell ~= 'rnn' then near(c, got_c, 4 * tolerance, 'c') end
               assert.equal(kind, got_h:type())
               assert.equal(0, got_h[14]:double():abs():max())
            end
         end)

         it('has the gradient of its result' .. way, function()
            for _, is_relu in ipairs(cell == 'rnn' and { false, true } or { false }) do
               local o, kind = operands(cell, 'torch.DoubleTensor'), 'torch.DoubleTensor'
               local g, ghn, gcn = draw(kind, 15, UNITS), draw(kind, SAMPLES, UNITS), draw(kind, SAMPLES, UNITS)
               for row = 13, 15 do g[row]:zero() end
               local at, last = places(), {}
               for b = 1, SAMPLES do
                  for s = 1, STEPS do
                     local row = at[reverse and STEPS + 1 - s or s][b]
                     if row > 0 then last[b] = row end
                  end
               end
               local function loss()
                  local h, c = call(cell, o, reverse, is_relu)
                  local sum = torch.cmul(h, g):sum()
                  for b = 1, SAMPLES do
                     sum = sum + h[last[b]]:dot(ghn[b]) + (cell == 'lstm' and c[last[b]]:dot(gcn[b]) or 0)
                  end
                  return sum
               end
               local gx, gh0, gw, gc0 = call_grad(cell, o, g, ghn, gcn, reverse, is_relu)
               for name, analytic in pairs { x = gx, h0 = gh0, weight = gw, c0 = gc0 } do
                  local flat, want = o[name]:view(-1), analytic:contiguous():view(-1)
                  for i = 1, flat:nElement() do
                     local kept = flat[i]
                     flat[i] = kept + 1e-5
                     local up = loss()
                     flat[i] = kept - 1e-5
                     local down = loss()
                     flat[i] = kept
                     assert.near((up - down) / 2e-5, want[i], 1e-7)
                  end
               end
            end
         end)
      end

      it('takes operands as they lie, and writes into parts of matrices', function()
         local o = operands(cell, 'torch.DoubleTensor')
         local want = call(cell, o, false)
         local strided = {}
         for name, x in pairs(o) do
            strided[name] = x:dim() == 2 and x:t():contiguous():t() or torch.zeros(x:size(1), 2):select(2, 1):copy(x)
         end
         near(want, (call(cell, strided, false)), 0, 'h')
         local wide = torch.zeros(15, 3 * UNITS)
         local h = wide:narrow(2, UNITS + 1, UNITS)
         if cell == 'rnn' then torch.rnn(h, o.x, places(), o.weight, false, false, o.bias, o.h0)
         elseif cell == 'gru' then torch.gru(h, torch.Tensor(), torch.Tensor(), o.x, places(), o.weight, false, o.bias, o.h0)
         else torch.lstm(h, torch.Tensor(), torch.Tensor(), o.x, places(), o.weight, false, o.bias, o.h0, o.c0) end
         near(want, h, 0, 'h')
         assert.equal(0, wide:narrow(2, 1, UNITS):abs():max() + wide:narrow(2, 2 * UNITS + 1, UNITS):abs():max())
      end)

      it('starts from zeros where states and bias are absent', function()
         local o = operands(cell, 'torch.DoubleTensor')
         for _, name in ipairs { 'bias', 'h0', 'c0' } do o[name]:zero() end
         local f = torch[cell]
         local bare = cell == 'rnn' and f(o.x, places(), o.weight, false, false) or f(o.x, places(), o.weight, false)
         near((call(cell, o, false)), bare, 0, 'h')
      end)

      it('refuses what does not fit', function()
         local function refuses(message, change)
            local o = operands(cell, 'torch.DoubleTensor')
            local at = places()
            change(o, at)
            local ok, why
            if cell == 'rnn' then ok, why = pcall(torch.rnn, o.x, at, o.weight, false, false, o.bias, o.h0)
            else ok, why = pcall(torch[cell], o.x, at, o.weight, false, o.bias, o.h0) end
            assert.is_false(ok)
            assert.truthy(tostring(why):find(message, 1, true), why)
         end
         local per = gates * UNITS
         refuses(('%s: x must have the size 15x%d, got 15x%d'):format(cell, per, per - 1), function(o) o.x = o.x:narrow(2, 1, per - 1) end)
         refuses(('weight must have %d row%s for each of its columns'):format(gates, gates == 1 and '' or 's'), function(o)
            o.weight = torch.zeros(per + 1, UNITS)
         end)
         refuses('but 0, got 7 at step 5 of sample 3', function(_, at) at[5][3] = 7 end)
         refuses('places must hold each of 0..15 at most once, but 0, got 16', function(_, at) at[1][1] = 16 end)
         refuses('got -1 at step 1 of sample 1', function(_, at) at[1][1] = -1 end)
         refuses('bias must have', function(o) o.bias = torch.zeros(2) end)
         refuses('h0 must have the size 3x4, got 3x5', function(o) o.h0 = torch.zeros(3, 5) end)
         refuses('h0 must be a DoubleTensor like x, got a FloatTensor', function(o) o.h0 = o.h0:float() end)
         refuses('x must be a Float, Double, Half or BFloat16 tensor', function(o) o.x = o.x:long() end)
      end)
   end)
end
