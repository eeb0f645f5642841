-- lua/autograd/number.lua - the operators of taped values: numbers, tensors, and numbers with tensors.
local torch = require 'torch'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
local overload = require 'autograd.overload'

local is_tensor, is_value, plain, new, input = arg.is_tensor, tape.is_value, tape.plain, tape.new, tape.input
local number = {}

-- The result of an operator on a and b, numbers or values; d computes the two gradients.
local function scalar(value, a, b, d, name)
   local inputs, at = {}, {}
   for i, x in ipairs { a, b } do
      if is_value(x) then
         inputs[#inputs + 1] = x
         at[#inputs] = i
      end
   end
   return new(value, inputs, function(g, wanted)
      local found = {}
      for k in ipairs(inputs) do found[k] = wanted[k] and d[at[k]](g, input(a), input(b)) or nil end
      return found
   end, name, { a, b })
end

local function log(a)
   if not is_value(a) then return math.log(a) end
   return scalar(math.log(a._value), a, 0, { function(g, x) return g / x end }, 'log')
end

local numbers = {
   add = function(a, b)
      return scalar(plain(a) + plain(b), a, b, { function(g) return g end, function(g) return g end }, 'add')
   end,
   sub = function(a, b)
      return scalar(plain(a) - plain(b), a, b, { function(g) return g end, function(g) return -g end }, 'sub')
   end,
   mul = function(a, b)
      return scalar(plain(a) * plain(b), a, b, { function(g, _, y) return g * y end, function(g, x) return g * x end },
         'mul')
   end,
   div = function(a, b)
      return scalar(plain(a) / plain(b), a, b,
         { function(g, _, y) return g / y end, function(g, x, y) return -g * x / (y * y) end }, 'div')
   end,
   pow = function(a, b)
      return scalar(plain(a) ^ plain(b), a, b, {
         function(g, x, y)
            if plain(y) == 0 then return g * 0 end
            return g * y * x ^ (y - 1)
         end,
         function(g, x, y) return g * x ^ y * log(x) end }, 'pow')
   end,
}

--- A taped number as a tensor of one element, of the type of x.
function number.tensor(s, x)
   local kind = plain(x)
   return new(kind.new(1):fill(s._value), { s }, function(g) return { g:sum() } end, 'tensor')
end

local tensors = {
   add = function(a, b) return torch.add(a, b) end,
   sub = function(a, b) return torch.csub(a, b) end,
   div = function(a, b) return torch.cdiv(a, b) end,
   pow = function(a, b) return torch.cpow(a, b) end,
   mul = function(a, b)
      local m, n = plain(a):dim(), plain(b):dim()
      if m == 1 and n == 1 then return torch.dot(a, b) end
      if m == 2 and n == 1 then return torch.mv(a, b) end
      if m == 2 and n == 2 then return torch.mm(a, b) end
      tape.refuse('cannot multiply sizes %s and %s: vectors and matrices can; for products of elements use torch.cmul',
         arg.size_text(plain(a)), arg.size_text(plain(b)))
   end,
}

-- A tensor and a plain number, from the left and from the right.
local with_number = {
   add = { function(x, s) return torch.add(x, s) end, function(s, x) return torch.add(x, s) end },
   sub = { function(x, s) return torch.add(x, -s) end, function(s, x) return torch.add(torch.neg(x), s) end },
   mul = { function(x, s) return torch.mul(x, s) end, function(s, x) return torch.mul(x, s) end },
   div = { function(x, s) return torch.div(x, s) end, function(s, x) return torch.mul(torch.cinv(x), s) end },
   pow = { function(x, s) return torch.pow(x, s) end, function(s, x) return torch.exp(torch.mul(x, math.log(s))) end },
}

local signs = { add = '+', sub = '-', mul = '*', div = '/', pow = '^' }

--- a + b and the like, at least one of them a value. torch.cmul replaces `*` between a tensor and a number.
function number.operate(name, a, b)
   local p, q = plain(a), plain(b)
   for k, x in ipairs { p, q } do
      if type(x) ~= 'number' and not is_tensor(x) then
         tape.refuse('autograd: operand %d of %s must be a tensor or a number, got %s', k, signs[name], arg.describe(x))
      end
   end
   if p == nil or q == nil then
      tape.refuse('autograd: operand %d of %s must be a tensor or a number, got nil', p == nil and 1 or 2, signs[name])
   end
   local a_number, b_number = type(p) == 'number', type(q) == 'number'
   if a_number and b_number then return numbers[name](a, b) end
   if a_number and not is_value(a) then return with_number[name][2](a, b) end
   if b_number and not is_value(b) then return with_number[name][1](a, b) end
   if a_number then a = number.tensor(a, b) elseif b_number then b = number.tensor(b, a) else return tensors[name](a, b) end
   if name == 'mul' then return torch.cmul(a, b) end
   return tensors[name](a, b)
end

-- The operators of plain tensors and numbers, for operators with gradients of a program.
local bare = {
   add = function(a, b) return a + b end,
   sub = function(a, b) return a - b end,
   mul = function(a, b) return a * b end,
   div = function(a, b) return a / b end,
   pow = function(a, b) return a ^ b end,
   unm = function(a) return -a end,
}

local Value = tape.Value
for name in pairs(signs) do
   Value['__' .. name] = function(a, b)
      local own = overload._operators[name]
      if own then return overload._call('operator ' .. signs[name], bare[name], own, a, b) end
      return number.operate(name, a, b)
   end
end
function Value.__unm(a)
   local own = overload._operators.unm
   if own then return overload._call('operator -', bare.unm, own, a) end
   return number.operate('mul', a, -1)
end
function Value.__mod() tape.refuse('autograd: %% of taped values is not known; use torch.remainder or torch.cremainder') end

overload._tensor_of = number.tensor          -- overload cannot require this file, which uses it

return number
