-- torch.create - tensors from sizes or a few numbers: zeros, ones, eye, range, linspace, logspace.
--
-- All take the result as an optional first argument, or are called as its method, and resize it. Without one they make a
-- torch.Tensor, or the type that the last argument names: torch.zeros(2, 3, 'torch.FloatTensor').
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local op = require 'torch.op'
local tensor = require 'torch.tensor'
local C = lib.C

local create = {}
local is_tensor = arg.is_tensor

-- Whether v may be the name of a type: a string that spells a number is a size.
local function is_name(v) return type(v) == 'string' and not tonumber(v) end

-- The dtype that the last argument names, and the arguments without it.
local function typed(who, ...)
   local n = select('#', ...) - 1
   return tensor.dtype_of(select(n + 1, ...), who), unpack({ ... }, 1, n)
end

local function fits(t, n, sizes)
   if t._ndim ~= n then return false end
   for d = 0, n - 1 do if t._size[d] ~= sizes[d] then return false end end
   return true
end

local function sizes_of(who, first, second, ...)
   if second == nil then return arg.sizes(who, first) end
   if not arg.number_of(first) then arg.refuse(who, 'size 1', 'a number when others follow', first, 3) end
   return arg.sizes(who, first, second, ...)
end

--- Gives t these sizes. A view that has them already is left alone.
function create.resize(who, t, ...)
   local sizes, n = sizes_of(who, ...)
   if not fits(t, n, sizes) then lib.call(who, C.th_tensor_resize, t, t._dtype, n, sizes, nil) end
   return t
end

--- Makes torch.<name>([result,] ...) and Tensor:<name>(...).
-- @param fill   function(result, ...): fills and returns the result
-- @param fresh  function(dtype, ...): the same without a result (optional)
function create.define(torch, name, fill, fresh)
   fresh = fresh or function(d, ...) return fill(tensor.empty(d), ...) end
   torch[name] = function(first, ...)
      if is_tensor(first) then return fill(first, ...) end
      local n = select('#', ...)
      local last = first
      if n > 0 then last = select(n, ...) end
      if is_name(last) then return fresh(typed('torch.' .. name, first, ...)) end
      return fresh(tensor.default(), first, ...)
   end
   tensor.base[name] = fill
end

--- Lets an op without inputs take the name of a type as its last argument.
function create.define_op(torch, name)
   local f = op.func(name)
   local function of_type(d, ...) return f(tensor.empty(d), ...) end
   torch[name] = function(...)
      local n = select('#', ...)
      if n == 0 or not is_name((select(n, ...))) then return f(...) end
      return of_type(typed('torch.' .. name, ...))
   end
end

function create.install(torch)
   --- torch.zeros([result,] sizes..., [type]), Tensor:zeros(sizes...): All elements 0. The sizes are numbers or a LongStorage; `type`
   -- is the name of a tensor's type ('torch.FloatTensor'), the default type unless given.
   -- torch.zeros(2, 2) --> {{0, 0}, {0, 0}}

   --- torch.ones([result,] sizes..., [type]), Tensor:ones(sizes...): All elements 1, with the arguments of torch.zeros.
   -- torch.ones(3, 'torch.IntTensor') --> {1, 1, 1}
   create.define(torch, 'zeros', function(result, ...)
      return create.resize('zeros', result, ...):fill(0)
   end, function(d, ...)
      local sizes, n = sizes_of('zeros', ...)
      return tensor.zeros(d, n, sizes, 'zeros')
   end)
   create.define(torch, 'ones', function(result, ...)
      return create.resize('ones', result, ...):fill(1)
   end)
   for _, name in ipairs { 'eye', 'range', 'linspace', 'logspace', 'randperm' } do
      create.define_op(torch, name)
   end
end

return create
