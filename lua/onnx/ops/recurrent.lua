-- lua/onnx/ops/recurrent.lua - RNN, GRU and LSTM.
--
-- The products of all inputs with their weights are one product of matrices; steps add the products of the state.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- ---- activations ---------------------------------------------------------------------------------------------------

local function where_positive(x, f)
   local y = f(x)
   return torch.where(torch.lt(x, 0), y, x)
end

-- name -> function(x, alpha, beta) of a new tensor, default alpha, default beta
local activations = {
   relu = { function(x) return torch.clamp(x, 0, math.huge) end },
   tanh = { torch.tanh },
   sigmoid = { torch.sigmoid },
   affine = { function(x, alpha, beta) return torch.mul(x, alpha):add(beta) end, 1, 0 },
   leakyrelu = { function(x, alpha) return where_positive(x, function(t) return torch.mul(t, alpha) end) end, 0.01 },
   thresholdedrelu = { function(x, alpha) return torch.cmul(x, torch.ge(x, alpha):type(x:type())) end, 1 },
   scaledtanh = { function(x, alpha, beta) return torch.tanh(torch.mul(x, beta)):mul(alpha) end, 1, 1 },
   hardsigmoid = { function(x, alpha, beta) return torch.clamp(torch.mul(x, alpha):add(beta), 0, 1) end, 0.2, 0.5 },
   elu = { function(x, alpha) return where_positive(x, function(t) return torch.exp(t):add(-1):mul(alpha) end) end, 1 },
   softsign = { function(x) return torch.cdiv(x, torch.abs(x):add(1)) end },
   softplus = { function(x) return torch.softplus(x) end },
}

-- The activations of a direction, functions of one tensor that cut it off before.
local function functions_of(n, defaults, directions)
   local names, alphas, betas = n.attr.activations, n.attr.activation_alpha or {}, n.attr.activation_beta or {}
   local clip, list, alpha_at, beta_at = n.attr.clip, {}, 0, 0
   for d = 1, directions do                                   -- that of the cell's output gets all numbers, as in onnxruntime
      list[d] = {}
      for k, default in ipairs(defaults) do
         local name = names and names[(d - 1) * #defaults + k] or default
         local entry = activations[name:lower()] or error(("there is no activation '%s'"):format(name), 0)
         local f, alpha, beta = entry[1], entry[2], entry[3]
         if alpha then alpha_at = alpha_at + 1 alpha = alphas[alpha_at] or alpha end
         if beta then beta_at = beta_at + 1 beta = betas[beta_at] or beta end
         list[d][k] = function(x)
            if clip and clip > 0 and k < 3 then x = torch.clamp(x, -clip, clip) end
            return f(x, alpha, beta)
         end
      end
   end
   return list
end

-- ---- sequences -----------------------------------------------------------------------------------------------------

local function check(what, t, shape)
   if not types.same_shape(types.shape(t), shape) then
      error(('%s must have the shape %s, got %s'):format(what, types.shape_text(shape), types.shape_text(types.shape(t))), 0)
   end
   return t
end

-- Sequences (steps x batch x size) whose first `length` steps are reversed, each with its length.
local function reversed(x, lengths)
   if not lengths then return torch.flip(x, 1) end
   local y = x:clone()
   for b, length in ipairs(lengths) do
      if length > 1 then y:narrow(1, 1, length):narrow(2, b, 1):copy(torch.flip(x:narrow(1, 1, length):narrow(2, b, 1), 1)) end
   end
   return y
end

-- Rows of `new` for sequences that have not ended at step t, else of `old`.
local function kept(new, old, lengths, t)
   if not lengths then return new end
   for b, length in ipairs(lengths) do
      if t > length then new:narrow(1, b, 1):copy(old:narrow(1, b, 1)) end
   end
   return new
end

-- One direction. cell(products of the step, states, weights) returns the new states, the output first.
local function scan(x, w, bias, states, lengths, cell)
   local s = types.shape(x)
   local steps, batch, gates, size = s[1], s[2], types.size(w, 1), types.size(states[1], 2)
   local all = torch.mm(types.view(x, { steps * batch, s[3] }), types.permute(w, { 2, 1 }))
   if bias then all:add(types.expand(types.view(bias, { 1, gates }), { steps * batch, gates })) end
   local y = torch.mul(x, 0):resize(steps, batch, size):fill(0)
   for t = 1, steps do
      local new = { cell(all:narrow(1, (t - 1) * batch + 1, batch), unpack(states)) }
      for k, state in ipairs(new) do states[k] = kept(state, states[k], lengths, t) end
      y:select(1, t):copy(states[1])
      for b, length in ipairs(lengths or {}) do if t > length then y:select(1, t):narrow(1, b, 1):fill(0) end end
   end
   return y, states
end

local function lengths_of(t, batch, steps)
   if not t then return nil end
   local list, whole = types.numbers(t), true
   if #list ~= batch then error(('%d lengths do not fit %d sequences'):format(#list, batch), 0) end
   for _, length in ipairs(list) do
      if length < 0 or length > steps then error(('length %d is outside of 0..%d'):format(length, steps), 0) end
      if length < steps then whole = false end
   end
   return not whole and list or nil
end

local directions = { forward = { false }, reverse = { true }, bidirectional = { false, true } }

local function swap(t) return types.permute(t, { 2, 1, 3 }):contiguous() end

--- Runs all directions of an op.
-- @param gates   how many gates its weights have
-- @param make    function(d) that returns the cell of direction d and its bias
-- @param start   the initial states, tensors or false
local function run(n, x, w, gates, lengths, start, make)
   local name = n.types[1]
   local wide, backward = name == 'double' and 'double' or 'float', directions[n.attr.direction or 'forward']
   if not backward then error(("there is no direction '%s'"):format(tostring(n.attr.direction)), 0) end
   if types.rank(x) ~= 3 or types.rank(w) ~= 3 then error('its input and weights must have 3 dimensions', 0) end
   local batch_first = (n.attr.layout or 0) ~= 0
   x = types.convert(x, wide)
   if batch_first then x = swap(x) end
   local s, hidden = types.shape(x), types.size(w, 2) / gates
   local steps, batch = s[1], s[2]
   check('W', w, { #backward, gates * hidden, s[3] })
   if hidden ~= math.floor(hidden) or hidden < 1 then error(('%d rows of weights do not fit %d gates'):format(hidden * gates, gates), 0) end
   if n.attr.hidden_size and n.attr.hidden_size ~= hidden then
      error(('hidden_size must be %d, got %d'):format(hidden, n.attr.hidden_size), 0)
   end
   if x:nElement() == 0 then error('its input must not be empty', 0) end
   lengths = lengths_of(lengths, batch, steps)
   local y, last = types.empty(wide, { steps, #backward, batch, hidden }), {}
   for k = 1, #start do last[k] = types.empty(wide, { #backward, batch, hidden }) end
   for d, back in ipairs(backward) do
      local states = {}
      for k, t in ipairs(start) do
         local state = t and (batch_first and swap(t) or t)
         states[k] = state and types.convert(check('an initial state', state, { #backward, batch, hidden }):select(1, d), wide)
            or types.full(wide, { batch, hidden }, 0)
      end
      local cell, bias = make(d, hidden, wide, #backward)
      local out, final = scan(back and reversed(x, lengths) or x, types.convert(w:select(1, d), wide), bias, states, lengths, cell)
      y:select(2, d):copy(back and reversed(out, lengths) or out)
      for k, state in ipairs(final) do last[k]:select(1, d):copy(state) end
   end
   if batch_first then
      y = types.permute(y, { 3, 1, 2, 4 }):contiguous()
      for k, t in ipairs(last) do last[k] = swap(t) end
   end
   for k, t in ipairs(last) do last[k] = types.convert(t, name) end
   return types.convert(y, name), unpack(last)
end

-- The weights of direction d as a transposed matrix of the wide type, for products from the right.
local function recurrent_weights(r, d, gates, hidden, wide, many)
   check('R', r, { many, gates * hidden, hidden })
   return types.permute(types.convert(r:select(1, d), wide), { 2, 1 }):contiguous()
end

-- Both halves of the bias of direction d, or nil.
local function biases(b, d, gates, hidden, wide, many)
   if not b then return nil end
   check('B', b, { many, 2 * gates * hidden })
   local line = types.convert(b:select(1, d), wide)
   return line:narrow(1, 1, gates * hidden), line:narrow(1, gates * hidden + 1, gates * hidden)
end

local function gate(t, k, hidden) return t:narrow(2, (k - 1) * hidden + 1, hidden) end

-- ---- ops -----------------------------------------------------------------------------------------------------------

registry.add('RNN', function(n, x, w, r, b, lengths, h)
   local functions
   return run(n, x, w, 1, lengths, { h or false }, function(d, hidden, wide, many)
      functions = functions or functions_of(n, { 'Tanh' }, many)
      local weights, first, second = recurrent_weights(r, d, 1, hidden, wide, many), biases(b, d, 1, hidden, wide, many)
      local f = functions[d][1]
      return function(sums, state) return f(torch.addmm(sums, state, weights)) end, first and torch.add(first, second)
   end)
end)

-- K. Cho and others, Learning phrase representations using RNN encoder-decoder, 2014.
registry.add('GRU', function(n, x, w, r, b, lengths, h)
   local functions
   local late = (n.attr.linear_before_reset or 0) ~= 0
   return run(n, x, w, 3, lengths, { h or false }, function(d, hidden, wide, many)
      functions = functions or functions_of(n, { 'Sigmoid', 'Tanh' }, many)
      local weights, first, second = recurrent_weights(r, d, 3, hidden, wide, many), biases(b, d, 3, hidden, wide, many)
      local f, g = functions[d][1], functions[d][2]
      local of_gates, of_new = weights:narrow(2, 1, 2 * hidden):contiguous(), weights:narrow(2, 2 * hidden + 1, hidden):contiguous()
      local inner
      if first then
         first = first:clone()
         first:narrow(1, 1, 2 * hidden):add(second:narrow(1, 1, 2 * hidden))
         inner = second:narrow(1, 2 * hidden + 1, hidden)
         if not late then first:narrow(1, 2 * hidden + 1, hidden):add(inner) end
      end
      return function(sums, state)
         local two = f(torch.addmm(sums:narrow(2, 1, 2 * hidden), state, of_gates))
         local z, reset = gate(two, 1, hidden), gate(two, 2, hidden)
         local new
         if late then
            new = torch.mm(state, of_new)
            if inner then new:add(types.expand(types.view(inner, { 1, hidden }), types.shape(new))) end
            new = g(torch.add(gate(sums, 3, hidden), torch.cmul(new, reset)))
         else
            new = g(torch.addmm(gate(sums, 3, hidden), torch.cmul(reset, state), of_new))
         end
         return torch.add(new, torch.cmul(z, torch.csub(state, new)))
      end, first
   end)
end)

-- S. Hochreiter, J. Schmidhuber, Long short-term memory, 1997; F. Gers, J. Schmidhuber, Recurrent nets that time and count, 2000.
registry.add('LSTM', function(n, x, w, r, b, lengths, h, c, p)
   local functions
   local coupled = (n.attr.input_forget or 0) ~= 0
   return run(n, x, w, 4, lengths, { h or false, c or false }, function(d, hidden, wide, many)
      functions = functions or functions_of(n, { 'Sigmoid', 'Tanh', 'Tanh' }, many)
      local weights, first, second = recurrent_weights(r, d, 4, hidden, wide, many), biases(b, d, 4, hidden, wide, many)
      local f, g, out = unpack(functions[d])
      local peep
      if p then
         check('P', p, { many, 3 * hidden })
         peep = types.convert(p:select(1, d), wide)
      end
      -- The sum of gate k, with the cell's share by peephole i.
      local function with_cell(sum, cell, i)
         if not peep then return sum end
         local line = types.view(peep:narrow(1, (i - 1) * hidden + 1, hidden), { 1, hidden })
         return torch.add(sum, torch.cmul(cell, types.expand(line, types.shape(cell))))
      end
      return function(sums, state, cell)
         local all = torch.addmm(sums, state, weights)
         local input = f(with_cell(gate(all, 1, hidden), cell, 1))
         local forget = coupled and torch.mul(input, -1):add(1) or f(with_cell(gate(all, 3, hidden), cell, 3))
         local new = torch.cmul(forget, cell):add(torch.cmul(input, g(gate(all, 4, hidden))))
         local output = f(with_cell(gate(all, 2, hidden), new, 2))
         return torch.cmul(output, out(new)), new
      end, first and torch.add(first, second)
   end)
end)
