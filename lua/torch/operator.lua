-- torch.operator - the operators of tensors: + - * / %, unary minus and the others.
local arg = require 'torch.arg'
local op = require 'torch.op'

local is_tensor, number_of = arg.is_tensor, arg.number_of

local operators = {}

-- Whether one operand is a string that spells a number, which replaces it.
local function has_text(a, b)
   return type(a) == 'string' and tonumber(a) ~= nil or type(b) == 'string' and tonumber(b) ~= nil
end

-- operators.<name> of such operands.
local function with_numbers(name, a, b) return operators[name](number_of(a) or a, number_of(b) or b) end

function operators.add(a, b)
   if type(a) == 'number' or type(a) == 'string' then a, b = b, a end
   return op.func 'add' (a, b)
end

function operators.sub(a, b)
   if type(a) == 'number' then return op.method 'add' (op.func 'mul' (b, -1), a) end
   if type(b) == 'number' then return op.func 'add' (a, -b) end
   if has_text(a, b) then return with_numbers('sub', a, b) end
   return op.func 'add' (a, -1, b)
end

--- number * tensor, matrix * vector, matrix * matrix, vector * vector (their dot product).
function operators.mul(a, b)
   if type(a) == 'number' then return op.func 'mul' (b, a) end
   if type(b) == 'number' then return op.func 'mul' (a, b) end
   if is_tensor(a) and is_tensor(b) then
      if a._ndim == 1 and b._ndim == 1 then return op.func 'dot' (a, b) end
      if a._ndim == 2 and b._ndim == 1 then return op.func 'mv' (a, b) end
      if a._ndim == 2 and b._ndim == 2 then return op.func 'mm' (a, b) end
      error(('cannot multiply sizes %s and %s: vectors and matrices can; for products of elements use torch.cmul')
         :format(arg.size_text(a), arg.size_text(b)), 3)
   end
   if has_text(a, b) then return with_numbers('mul', a, b) end
   if op.taped and op.taped.holds(a, b) then return op.taped.multiply(a, b) end
   arg.refuse('*', 'operand', 'a tensor or a number', is_tensor(a) and b or a, 3)
end

function operators.div(a, b)
   if type(a) == 'number' then return op.method 'mul' (op.func 'pow' (b, -1), a) end
   if type(b) == 'number' then return op.func 'div' (a, b) end
   if has_text(a, b) then return with_numbers('div', a, b) end
   return op.func 'cdiv' (a, b)
end

function operators.mod(a, b)
   if type(b) == 'number' then return op.func 'remainder' (a, b) end
   if has_text(a, b) then return with_numbers('mod', a, b) end
   return op.func 'cremainder' (a, b)
end

function operators.unm(a) return op.func 'mul' (a, -1) end

-- Lua turns the results of these into a truth value or a string, so tensors have functions instead.
local function refusal(symbol, instead)
   return function(a, b)
      error(('%s: tensors have no such operator, use %s; got %s and %s'):format(symbol, instead, arg.describe(a), arg.describe(b)), 2)
   end
end

operators.lt = refusal('< or >', 'torch.lt or torch.gt')
operators.le = refusal('<= or >=', 'torch.le or torch.ge')
operators.pow = refusal('^', 'torch.pow')
operators.concat = refusal('..', 'torch.cat, or tostring for text')

return operators
