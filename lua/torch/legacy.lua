-- torch.legacy - internal names of Torch7, for old code that calls them.
local arg = require 'torch.arg'
local class = require 'torch.class'

local inner = {}

--- torch.isequal(a, b): Whether two values are one and the same object. Use torch.equal to compare what tensors hold.
-- torch.isequal(torch.Tensor{1}, torch.Tensor{1}) --> false
function inner.isequal(a, b)
   if rawequal(a, b) then return true end
   if type(a) ~= type(b) or not (class.typename(a) and class.typename(b)) then return false end
   return class.typename(a) == class.typename(b) and class.pointer(a) == class.pointer(b)
end

--- torch.match([result,] a, b, [gain]), Tensor:match(a, b, [gain]): The squared distances between every row of a and every row
-- of b, times gain (1): result[i][j] is gain * sum((a[i] - b[j])^2). All three are of one type.
-- torch.match(torch.Tensor{{0, 0}}, torch.Tensor{{1, 0}, {3, 4}}) --> {{1, 25}}
function inner.match(result, a, b, gain, extra)
   local torch = package.loaded.torch
   if not arg.is_tensor(b) then result, a, b, gain, extra = nil, result, a, b, gain end
   if extra ~= nil then error(('torch.match: too many arguments, got %s in the end'):format(arg.describe(extra)), 2) end
   for name, x in pairs { a = a or false, b = b or false } do
      if not arg.is_tensor(x) or x:dim() ~= 2 then arg.refuse('torch.match', name, 'a matrix', x or nil) end
   end
   if result ~= nil then arg.tensor('torch.match', 'result', result) end
   if gain ~= nil then gain = arg.number('torch.match', 'gain', gain) end
   if a:type() ~= b:type() or result and result:type() ~= a:type() then
      error(('torch.match: a, b and the result must be of one type, got %s and %s'):format(a:type(),
         (a:type() ~= b:type() and b or result):type()), 2)
   end
   if a:size(2) ~= b:size(2) then
      error(('torch.match: a and b must have rows of one length, got %d and %d'):format(a:size(2), b:size(2)), 2)
   end
   local out = torch.zeros(a:size(1), b:size(1)):typeAs(a)        -- apart: the result may be a or b
   local apart = b.new()
   for i = 1, a:size(1) do
      torch.csub(apart, b, a:narrow(1, i, 1))
      out[i]:copy(torch.sum(apart:cmul(apart), 2))
   end
   if gain then out:mul(gain) end
   return result and result:resize(out:size()):copy(out) or out
end

--- torch.pushudata(pointer, typename): The object of this type behind the pointer of x:cdata(). An address, a number, is
-- refused, because it does not show whether the object still exists. To keep an object for later keep x itself.
-- x = torch.Tensor{1}; torch.pushudata(x:cdata(), 'torch.DoubleTensor') --> {1}
function inner.pushudata(pointer, typename)
   if type(typename) ~= 'string' or typename == '' or not class.getmetatable(typename) then
      arg.refuse('torch.pushudata', 'typename', 'the name of a class', typename)
   end
   if type(pointer) ~= 'cdata' or not (arg.is_tensor(pointer) or arg.is_storage(pointer)) or class.typename(pointer) ~= typename then
      arg.refuse('torch.pushudata', 'pointer', ('cdata() of a %s'):format(typename), pointer)
   end
   return require 'torch.tensor'.behind(pointer)
end

--- torch.updateerrorhandlers(), torch.updatethreadlocals(): Do nothing: errors and thread variables need no setup here.
-- Libraries of threads called them in every new thread.
function inner.updateerrorhandlers() end
function inner.updatethreadlocals() end

function inner.install(torch)
   for _, name in ipairs { 'isequal', 'match', 'pushudata', 'updateerrorhandlers', 'updatethreadlocals' } do torch[name] = inner[name] end
   local base = require 'torch.tensor'.base
   base.match = inner.match
   --- Tensor:isTensor(): True.
   -- torch.Tensor():isTensor() --> true
   function base.isTensor() return true end
   --- Tensor.torch, Tensor.nn: The packages, whose functions Torch7 had once for every type: x.torch.add(x, 1). nn exists
   -- once it has been loaded.
   base.torch = torch
end

return inner
