-- torch.create - tensors from sizes or a few numbers: zeros, ones, eye, range, linspace, logspace.
--
-- All take the result as an optional first argument, or are called as its method, and resize it.
-- Without one they make a torch.Tensor, or what the name of a type in the last place says: torch.zeros(2, 3, 'torch.FloatTensor').
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local op = require 'torch.op'
local tensor = require 'torch.tensor'
local C = lib.C

local create = {}
local is_tensor = arg.is_tensor

-- The dtype of the result, and the arguments without the name of a type.
local function typed(who, ...)
   local n = select('#', ...)
   local last = n > 0 and select(n, ...) or nil
   if type(last) ~= 'string' then return tensor.default(), ... end
   local given = { ... }
   return tensor.dtype_of(last, who), unpack(given, 1, n - 1)
end

local function fits(t, n, sizes)
   if t._ndim ~= n then return false end
   for d = 0, n - 1 do if t._size[d] ~= sizes[d] then return false end end
   return true
end

--- Gives t these sizes. A view that has them already stays the view that it is.
function create.resize(who, t, first, ...)
   local sizes, n = arg.sizes(who, first, ...)
   if not fits(t, n, sizes) then lib.call(who, C.th_tensor_resize, t, t._dtype, n, sizes, nil) end
   return t
end

--- Makes torch.<name>([result,] ...) and Tensor:<name>(...).
-- @param make   function(result, ...): fills and returns the result
-- @param fresh  function(dtype, ...): the same without a result (optional)
function create.define(torch, name, make, fresh)
   local who = 'torch.' .. name
   fresh = fresh or function(d, ...) return make(tensor.empty(d), ...) end
   torch[name] = function(first, ...)
      if is_tensor(first) then return make(first, ...) end
      return fresh(typed(who, first, ...))
   end
   tensor.base[name] = make
end

function create.install(torch)
   create.define(torch, 'zeros', function(result, ...)
      return create.resize('zeros', result, ...):fill(0)
   end, function(d, ...)
      local sizes, n = arg.sizes('zeros', ...)
      return tensor.zeros(d, n, sizes)
   end)
   create.define(torch, 'ones', function(result, ...)
      return create.resize('ones', result, ...):fill(1)
   end)
   for _, name in ipairs { 'eye', 'range', 'linspace', 'logspace' } do
      create.define(torch, name, op.func(name))
   end
end

return create
