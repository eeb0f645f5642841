-- lua/autograd/ops.lua - calls of ops with taped values: forward by the op, backward by the rule that the op declares.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local op = require 'torch.op'
local derivative = require 'torch.derivative'
local tape = require 'autograd.tape'
local number = require 'autograd.number'
local rules = require 'autograd.rules'
local overload = require 'autograd.overload'

local is_tensor, is_value, plain, new = arg.is_tensor, tape.is_value, tape.plain, tape.new
local ops = {}

local comparisons = { lt = true, le = true, gt = true, ge = true, eq = true, ne = true }

-- ---- one call --------------------------------------------------------------------------------------------------

-- The names in a rule's expressions: rule -> set.
local spoken = {}

local function names_in(rule)
   if not spoken[rule] then
      local set = {}
      for name in rule:gsub('[%a_][%w_]*:', ' '):gmatch '[%a_][%w_]*' do set[name] = true end
      spoken[rule] = set
   end
   return spoken[rule]
end

-- A gradient in the form of its argument: a number fills the argument's size, broadcast dimensions are summed.
local function fitted(grad, x)
   local px, pg = plain(x), plain(grad)
   if type(pg) == 'number' then
      if not is_value(grad) then return px.new():resizeAs(px):fill(grad) end
      return torch.cmul(px.new():resizeAs(px):fill(1), number.tensor(grad, px))
   end
   return derivative.sum_to(grad, px)
end

-- The gradients from the op's rule, in C or in rules.lua: { [name] = gradient }, for the wanted names.
local function gradients(name, rule, env, g, wanted)
   local found = {}
   if rule then
      env.g = g
      found = rules.beside[name] and rules.beside[name](env, g, wanted) or found
      for _, entry in ipairs(derivative.parse(rule)) do
         if wanted[entry.name] and found[entry.name] == nil then found[entry.name] = entry.value(env) end
      end
   elseif rules.stated[name] then
      found = rules.stated[name](env, g)
   end
   for arg_name in pairs(wanted) do
      local grad = found[arg_name]
      if grad == nil then
         -- The gradient by x is 0 if an op of `rules.stated` does not state one, because it uses only the size of x.
         if rule or not rules.stated[name] then
            tape.refuse('autograd: missing gradient: torch.%s declares no derivative by its argument %s', name, arg_name)
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
      elseif is_tensor(env[arg_name]) and (spoken_of[arg_name] or not rule or rules.beside[name]) then
         env[arg_name] = tape.copy(env[arg_name])
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
   if pattern.form.args[1].word == 'return' and not place.y then first = 'y' end
   env[first] = results[1]
   return new(results[1], inputs, function(g, wanted, self)
      local full, want = {}, {}
      for key, v in pairs(env) do full[key] = v end
      if tape.keep then
         for key, v in pairs(value_of) do full[key] = v end
         full[first] = self
      end
      full.first = first
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
   end, 'torch.' .. name, { env = env, values = value_of, place = place })
end

-- ---- taped numbers among the arguments: rewritten calls ----------------------------------------------------------

local function times(x, s) return number.operate('mul', x, s) end

-- f(x, s) of a tensor and a tensor of one element.
local function with_tensor(name)
   return function(x, s)
      if not is_tensor(plain(x)) then x = number.tensor(x, plain(s)) else s = number.tensor(s, plain(x)) end
      return torch[name](x, s)
   end
end

local arithmetic = {
   mul = times,
   add = function(x, s, z)
      if z == nil then return number.operate('add', x, s) end
      return number.operate('add', x, times(z, s))
   end,
   csub = function(x, s, z)
      if z == nil then return number.operate('sub', x, s) end
      return number.operate('sub', x, times(z, s))
   end,
   div = function(x, s) return number.operate('div', x, s) end,
   pow = function(x, s) return number.operate('pow', x, s) end,
   cpow = function(x, s) return number.operate('pow', x, s) end,
   cmul = times,
   cdiv = function(x, s) return number.operate('div', x, s) end,
   mean_all_grad = function(x, s) return times(torch.mean_all_grad(plain(x), 1), s) end,
   neg = function(s) return times(s, -1) end,
}
local with_number = { cmax = with_tensor 'cmax', cmin = with_tensor 'cmin', atan2 = with_tensor 'atan2' }

-- torch.name(s, ...) of a taped number and other numbers: computed on tensors with one element, returned as a number.
local function of_numbers(name, n, ...)
   local given, like = { ... }, torch.DoubleTensor()
   for i = 1, n do
      if is_value(given[i]) then given[i] = number.tensor(given[i], like) end
   end
   local y = torch[name](unpack(given, 1, n))
   return is_tensor(plain(y)) and plain(y):nElement() == 1 and y[1] or y
end

-- Replaces values by plain ones in arguments that are whole numbers: sizes and dimensions have no derivatives. Returns whether
-- taped numbers are left, and how many values.
local function without_wholes(pattern, place, values)
   local numbers, left = false, 0
   for _, a in ipairs(pattern.form.args) do
      local i = place[a.name]
      local v = i and values[i]
      if v and type(v._value) == 'number' and (a.word == 'int' or a.word == 'dim') then
         values[i] = nil
      elseif v then
         numbers, left = numbers or type(v._value) == 'number', left + 1
      end
   end
   return numbers, left
end

-- ---- ops that write into their first argument: as functions, they leave it unchanged ----------------------------------

-- name -> pull(g, arguments): the gradients by the first argument and by the last.
local writes, none = {}, function() end
do
   local function clone(g) return torch.clone(g) end
   local function without(name) return function(g, a) return torch[name](clone(g), a[2], a[3], 0) end end
   writes.scatter = { without 'scatter', function(g, a) return torch.gather(g, a[2], a[3]) end }
   writes.scatterAdd = { clone, writes.scatter[2] }
   writes.indexFill = { without 'indexFill', function(g, a) return torch.sum(torch.index(g, a[2], a[3])) end }
   writes.indexCopy = { writes.indexFill[1], function(g, a) return torch.index(g, a[2], a[3]) end }
   writes.indexAdd = { clone, writes.indexCopy[2] }
   writes.maskedFill = { function(g, a) return torch.maskedFill(clone(g), a[2], 0) end,
      function(g, a) return torch.sum(torch.maskedSelect(g, a[2])) end }
   writes.fill = { none, function(g) return torch.sum(g) end }
   writes.zero = { none, none }
   writes.copy = { none, function(g, a)
      local x = plain(a[2])
      return torch.typeAs(torch.view(torch.contiguous(g), x:size()), x)
   end }
   local masked_fill = writes.maskedFill
   writes.maskedCopy = { masked_fill[1], function(g, a)
      local x = plain(a[3])
      local taken = torch.maskedSelect(g, a[2])
      local n = plain(taken):nElement()
      return torch.view(torch.cat(taken, x.new(x:nElement() - n):zero(), 1), x:size())
   end }
end

ops.writes = writes

--- torch.name(...) of an op of `writes`, if values are among the arguments: a new tensor.
function ops.write(name, ...)
   local n, given, values = select('#', ...), { ... }, {}
   for i = 1, n do
      local v = given[i]
      if is_value(v) then given[i], values[i] = v._value, v end
   end
   local arguments = { arg.tensor('torch.' .. name, 'argument 1', given[1]):clone(), unpack(given, 2, n) }
   for i = 2, n do
      if is_tensor(arguments[i]) and not values[i] then arguments[i] = tape.copy(arguments[i]) end
   end
   local y = op.func(name)(unpack(arguments, 1, n))
   local inputs, at = {}, {}
   for i = 1, n do
      if values[i] then
         inputs[#inputs + 1] = values[i]
         at[#inputs] = i
      end
   end
   local rule = writes[name]
   return new(y, inputs, function(g, wanted)
      local parts = {}
      for k, i in ipairs(at) do
         if wanted[k] then
            if i > 1 and i < n then
               tape.refuse('autograd: missing gradient: torch.%s declares no derivative by its argument %d', name, i)
            end
            parts[k] = (i == 1 and rule[1] or rule[2])(g, arguments)
         end
      end
      return parts
   end, 'torch.' .. name, { env = arguments, values = values })
end

-- ---- a call -----------------------------------------------------------------------------------------------------------

-- Results that have no derivatives: whole numbers, indices.
local function has_derivative(y) return type(y) == 'number' or tape.is_float(y) end

--- torch.name(...) or, for a method, first:name(...), if values are among the arguments.
function ops.call(name, method, ...)
   local own = overload._torch[name]
   if own then return overload._call('torch.' .. name, method and op.method(name) or op.func(name), own, ...) end
   local n = select('#', ...)
   local given, values, has_number, taped = { ... }, {}, false, 0
   while n > 0 and given[n] == nil do n = n - 1 end
   for i = 1, n do
      local v = given[i]
      if is_value(v) then
         given[i], values[i], taped = v._value, v, taped + 1
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
      if has_number then has_number, taped = without_wholes(pattern, place, values) end
   end
   if has_number then
      if not method then
         local numbers_only = true
         for i = 1, n do numbers_only = numbers_only and type(given[i]) == 'number' end
         if numbers_only and not arithmetic[name] then return of_numbers(name, n, ...) end
         if arithmetic[name] or with_number[name] then return (arithmetic[name] or with_number[name])(...) end
      end
      if not pattern then
         tape.refuse('autograd: torch.%s does not take these arguments, a taped number among them', name)
      end
      if not comparisons[name] then
         tape.refuse('autograd: missing gradient: torch.%s declares no derivative by a number', name)
      end
   end
   local f = method and op.method(name) or op.func(name)
   local results = { f(unpack(given, 1, n)) }                 -- raises the error for arguments that fit no form
   if has_derivative(results[1]) and taped > 0 then
      results[1] = record(name, pattern, env, place, values, results)
   elseif tape.trace and taped > 0 and pattern then
      local value_of = {}
      for arg_name, i in pairs(place) do value_of[arg_name] = values[i] end
      tape.trace.plain(results[1], 'torch.' .. name, { env = env, values = value_of, place = place })
   end
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
