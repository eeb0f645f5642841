-- lua/autograd/ops.lua - calls of ops with taped values: forward by the op, backward by the rule that it declares.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local op = require 'torch.op'
local derivative = require 'torch.derivative'
local tape = require 'autograd.tape'
local number = require 'autograd.number'

local is_tensor, is_value, plain, new = arg.is_tensor, tape.is_value, tape.plain, tape.new
local ops = {}

-- ---- second derivatives: of the ops that stand in rules and declare none -----------------------------------------

-- An activation's gradient is linear in g; where the activation is made of straight lines, x does not matter.
local function straight(name, ...)
   local names = { ... }
   return function(env, g)
      local more = {}
      for i, k in ipairs(names) do more[i] = env[k] end
      return { g = torch[name](env.x, env.y, g, unpack(more)), x = torch.mul(g, 0), y = torch.mul(g, 0) }
   end
end

local function zeros(x)
   x = plain(x)
   return x.new():resizeAs(x):zero()
end

local function row_sum(x, env) return torch.sum(x, env.dim):expandAs(env.y) end

local second = {
   mean_all_grad = function() return {} end,                 -- of x it takes the size only
   nll_loss_grad = function() return {} end,
   sum_grad = function(env, g) return { g = torch.sum(g, env.dim) } end,
   mean_grad = function(env, g) return { g = torch.mean(g, env.dim) } end,
   index_grad = function(env, g) return { g = torch.index(g, env.dim, env.index) } end,
   gather_grad = function(env, g) return { g = torch.gather(g, env.dim, env.index) } end,
   pick_grad = function(env, g) return { g = torch.gather(g, env.dim, env.index) } end,
   mask_grad = function(env, g) return { g = torch.maskedSelect(g, env.mask) } end,
   relu_grad = straight 'relu_grad',
   threshold_grad = straight('threshold_grad', 'threshold', 'value'),
   leakyrelu_grad = straight('leakyrelu_grad', 'slope'),
   hardtanh_grad = straight('hardtanh_grad', 'min', 'max'),
   hardshrink_grad = straight('hardshrink_grad', 'lambda'),
   softshrink_grad = straight('softshrink_grad', 'lambda'),
   tanh_grad = function(env, g)
      return { g = torch.tanh_grad(env.x, env.y, g), y = torch.mul(torch.cmul(torch.cmul(g, env.g), env.y), -2) }
   end,
   sigmoid_grad = function(env, g)
      return { g = torch.sigmoid_grad(env.x, env.y, g),
         y = torch.cmul(torch.cmul(g, env.g), torch.add(torch.mul(env.y, -2), 1)) }
   end,
   softmax_grad = function(env, g)
      local own, other = row_sum(torch.cmul(env.y, env.g), env), row_sum(torch.cmul(env.y, g), env)
      return { g = torch.softmax_grad(env.y, g, env.dim),
         y = torch.csub(torch.csub(torch.cmul(g, env.g), torch.cmul(g, own)), torch.cmul(env.g, other)) }
   end,
   logsoftmax_grad = function(env, g)
      local p = torch.exp(env.y)
      local other = row_sum(torch.cmul(p, g), env)
      return { g = torch.csub(g, other), y = torch.neg(torch.cmul(torch.cmul(g, p), row_sum(env.g, env))) }
   end,
}

-- The gradients of a recurrent op, from that of what goes into its gates at each step: gx for all units, gq for those that
-- multiply the weight alone.
local function recurrent(name, gx, hp, gq)
   if tape.keep then tape.refuse('autograd: torch.%s declares no second derivative', name) end
   local sum = torch.sum(gx, 1):view(-1)
   local own = gq and gx:narrow(2, 1, 2 * gq:size(2)) or gx
   local weight = torch.mm(own:t(), hp)
   if not gq then return { x = gx, weight = weight, bias = sum } end
   return { x = gx, weight = torch.cat(weight, torch.mm(gq:t(), hp), 1), bias = torch.cat(sum, torch.sum(gq, 1):view(-1), 1) }
end

-- What a rule cannot say, because the op behind it adds to a tensor that is there, or gives several gradients at once.
local beside_rule = {
   lstm = function(env, g)
      local gx, hp, gh0, gc0 = torch.lstm_grad(env.a, env.h, env.c, plain(g), env.places, plain(env.weight), env.reverse,
         plain(env.h0), plain(env.c0))
      local found = recurrent('lstm', gx, hp)
      found.h0, found.c0 = gh0, gc0
      return found
   end,
   gru = function(env, g)
      local gx, gq, hp, gh0 = torch.gru_grad(env.a, env.h, env.q, plain(g), env.places, plain(env.weight), env.reverse,
         plain(env.h0))
      local found = recurrent('gru', gx, hp, gq)
      found.h0 = gh0
      return found
   end,
   rnn = function(env, g)
      local gx, hp, gh0 = torch.rnn_grad(env.h, plain(g), env.places, plain(env.weight), env.relu, env.reverse, plain(env.h0))
      local found = recurrent('rnn', gx, hp)
      found.h0 = gh0
      return found
   end,
   conv2d = function(env, g, wanted)
      if not wanted.weight and not wanted.bias then return end
      if tape.keep then
         tape.refuse('autograd: torch.conv2d declares no second derivative by its arguments weight and bias')
      end
      local weight, bias = zeros(env.weight), env.bias and zeros(env.bias)
      if bias then
         torch.conv2d_grad_weight(weight, bias, env.x, g, 1, env.strideH, env.strideW, env.padH, env.padW, env.dilationH,
            env.dilationW, env.groups)
      else
         torch.conv2d_grad_weight(weight, nil, env.x, g, 1, env.strideH, env.strideW, env.padH, env.padW, env.dilationH,
            env.dilationW, env.groups)
      end
      return { weight = weight, bias = bias }
   end,
}

-- ---- one call --------------------------------------------------------------------------------------------------

-- The names that a rule's expressions speak of: rule -> set.
local spoken = {}

local function names_in(rule)
   if not spoken[rule] then
      local set = {}
      for name in rule:gsub('[%a_][%w_]*:', ' '):gmatch '[%a_][%w_]*' do set[name] = true end
      spoken[rule] = set
   end
   return spoken[rule]
end

-- A gradient as its argument wants it: a number fills the argument's size, what was broadcast is summed.
local function fitted(grad, x)
   local px, pg = plain(x), plain(grad)
   if type(pg) == 'number' then
      if not is_value(grad) then return px.new():resizeAs(px):fill(grad) end
      return torch.cmul(px.new():resizeAs(px):fill(1), number.tensor(grad, px))
   end
   return derivative.sum_to(grad, px)
end

-- What the rule or the second derivative of the op gives: { [name] = gradient }, for the names that are wanted.
local function gradients(name, rule, env, g, wanted)
   local found = {}
   if rule then
      env.g = g
      found = beside_rule[name] and beside_rule[name](env, g, wanted) or found
      for _, entry in ipairs(derivative.parse(rule)) do
         if wanted[entry.name] and found[entry.name] == nil then found[entry.name] = entry.value(env) end
      end
   elseif second[name] then
      found = second[name](env, g)
   end
   for arg_name in pairs(wanted) do
      local grad = found[arg_name]
      if grad == nil then
         -- A gradient by x of an op in `second` that names none is 0: x only tells the size there.
         if rule or not second[name] then
            tape.refuse('autograd: torch.%s declares no derivative by its argument %s', name, arg_name)
         end
      else
         found[arg_name] = fitted(grad, env[arg_name])
      end
   end
   return found
end

local function record(name, pattern, env, place, values, results)
   local o = pattern.form.op
   local rule = o.grad ~= nil and ffi.string(o.grad) or nil
   local spoken_of = rule and names_in(rule) or {}
   local inputs, names, value_of, at = {}, {}, {}, {}
   for arg_name, i in pairs(place) do
      local v = values[i]
      if v then
         value_of[arg_name] = v
         if not at[v] then
            inputs[#inputs + 1] = v
            at[v] = #inputs
            names[#inputs] = {}
         end
         table.insert(names[at[v]], arg_name)
      elseif is_tensor(env[arg_name]) and (spoken_of[arg_name] or not rule or beside_rule[name]) then
         env[arg_name] = env[arg_name]:clone()               -- so that the caller may use his tensor for other things
      end
   end
   local k = 0
   for _, a in ipairs(pattern.form.args) do
      if a.word == 'out' or a.word == 'self' or a.word == 'inout' then
         k = k + 1
         if not place[a.name] then env[a.name] = results[k] end
      end
   end
   local first = pattern.form.args[1].name
   if pattern.form.args[1].word == 'return' then first = 'y' end
   env[first] = results[1]
   return new(results[1], inputs, function(g, wanted, self)
      local full, want = {}, {}
      for key, v in pairs(env) do full[key] = v end
      if tape.keep then
         for key, v in pairs(value_of) do full[key] = v end
         full[first] = self
      end
      for i = 1, #inputs do
         for _, arg_name in ipairs(wanted[i] and names[i] or {}) do want[arg_name] = true end
      end
      local by_name, parts = gradients(name, rule, full, g, want), {}
      for i = 1, #inputs do
         for _, arg_name in ipairs(wanted[i] and names[i] or {}) do
            local part = by_name[arg_name]
            if part ~= nil then parts[i] = parts[i] == nil and part or parts[i] + part end
         end
      end
      return parts
   end)
end

-- Taped numbers among the arguments of these: the call in other words.
local function times(x, s) return number.operate('mul', x, s) end
local with_number = {
   mul = times,
   add = function(x, s, z)
      if z == nil then return number.operate('add', x, s) end
      return torch.add(x, times(z, s))
   end,
   csub = function(x, s, z)
      if z == nil then return number.operate('sub', x, s) end
      return torch.csub(x, times(z, s))
   end,
   div = function(x, s) return number.operate('div', x, s) end,
   pow = function(x, s) return number.operate('pow', x, s) end,
   cmul = times,
   cdiv = function(x, s) return number.operate('div', x, s) end,
   mean_all_grad = function(x, s) return times(torch.mean_all_grad(plain(x), 1), s) end,
   neg = function(s) return times(s, -1) end,
}

-- Results that have no derivatives: whole numbers, places.
local function has_derivative(y) return type(y) == 'number' or tape.is_float(y) end

--- torch.name(...) or, for a method, first:name(...), where values are among the arguments.
function ops.call(name, method, ...)
   local n = select('#', ...)
   local given, values, has_number = { ... }, {}, false
   while n > 0 and given[n] == nil do n = n - 1 end
   for i = 1, n do
      local v = given[i]
      if is_value(v) then
         given[i], values[i] = v._value, v
         has_number = has_number or type(v._value) == 'number'
      end
   end
   local pattern, env, place = op.match(name, method, n, given)
   if pattern then
      for _, a in ipairs(pattern.form.args) do
         if (a.word == 'out' or a.word == 'self' or a.word == 'inout') and place[a.name] then
            tape.refuse(method and values[place[a.name]]
               and 'autograd: x:%s(...) would change a taped tensor in place; use torch.%s(x, ...), which gives a new one'
               or 'autograd: %s cannot write a taped result into a tensor; use torch.%s(...) without a result', name, name)
         end
      end
   end
   if has_number then
      if with_number[name] and not method then return with_number[name](...) end
      if not pattern then
         tape.refuse('autograd: torch.%s does not take these arguments, a taped number among them', name)
      end
      tape.refuse('autograd: torch.%s declares no derivative by a number', name)
   end
   local f = method and op.method(name) or op.func(name)
   local results = { f(unpack(given, 1, n)) }                 -- refuses what no form takes
   if has_derivative(results[1]) then results[1] = record(name, pattern, env, place, values, results) end
   return unpack(results)
end

--- Whether a value is among the arguments.
function ops.holds(...)
   for i = 1, select('#', ...) do
      if is_value((select(i, ...))) then return true end
   end
   return false
end

return ops
