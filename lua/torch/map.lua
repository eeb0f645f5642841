-- torch.map - apply, map and map2, whose functions run inside a loop that the JIT compiles; and pointwise functions of
-- plain numbers.
local ffi = require 'ffi'
local original = require 'torch.original'
local lib = require 'torch.lib'
local op = require 'torch.op'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local C, is_tensor, number_of = lib.C, arg.is_tensor, arg.number_of
local map = {}

-- ---- apply, map, map2 ------------------------------------------------------------------------------------------------------

-- One loop per dtype, generated on first use. The address is read again for every element, because the called function may make
-- the storage grow, which moves it.
local loop = [[
local ffi, C, other, read, type = ...
local cast, ptr, int64, tonumber = ffi.cast, ffi.typeof '%s *', ffi.typeof 'int64_t', tonumber
return function(x, rows, n, step, places, f, z, w, who)
   local k = 0
   for r = 0, rows - 1 do
      local at = places[r]
      for i = 1, n do
         local v
         local e = %s
         if w then v = f(%s, read(9, z, k), read(9, w, k)) elseif z then v = f(%s, read(9, z, k)) else v = f(%s) end
         if v ~= nil then
            if type(v) ~= 'number' then v = other(who, v) end
            cast(ptr, x._storage.data)[at] = %s
         end
         at, k = at + step, k + 1
      end
   end
end]]

-- Converts a result that is no number: a string that spells one gives that number, anything else an error.
local function other(who, v)
   return number_of(v) or error(('%s: the function must return a number or nothing, got %s'):format(who, arg.describe(v)), 4)
end

local function source(d)
   local name = dtype.names[d]
   local raw, get, set = 'cast(ptr, x._storage.data)[at]', 'tonumber(e)', 'int64(v)'
   local element = ({ Byte = 'uint8_t', Char = 'int8_t', Short = 'int16_t', Int = 'int32_t', Long = 'int64_t' })[name]
   if name == 'Float' or name == 'Double' then
      -- `read` keeps NaNs whose bits LuaJIT would take for another type out of every variable
      element, raw, get, set = name:lower(), ('read(%d, x._storage.data, at)'):format(d), 'e', 'v'
   elseif name == 'Half' or name == 'BFloat16' then
      element, get, set = 'uint16_t', ('C.th_half_to_double(e, %d)'):format(d), ('C.th_half_from_double(v, %d)'):format(d)
   end
   return loop:format(element, raw, get, get, get, set)
end

local loops = {}
local function loop_of(d)
   if not loops[d] then loops[d] = assert(original.loadstring(source(d), '=torch.apply'))(ffi, C,
      other, dtype.read, type) end
   return loops[d]
end

-- The positions of the rows of x, in elements, in row-major order.
local function row_places(x, rows)
   local places, index = {}, {}
   local last = x._ndim - 1
   local at = tonumber(x._offset)
   for d = 0, last do index[d] = 0 end
   for r = 0, rows - 1 do
      places[r] = at
      for d = last - 1, 0, -1 do
         index[d] = index[d] + 1
         at = at + tonumber(x._stride[d])
         if index[d] < x._size[d] then break end
         at = at - index[d] * tonumber(x._stride[d])
         index[d] = 0
      end
   end
   return places
end

-- The elements of z as numbers, from 0. They are read before the first write.
local function numbers(who, what, z, x)
   arg.tensor(who, what, z)
   if dtype.of(z) ~= dtype.of(x) then
      error(('%s: %s must be a %sTensor like the tensor itself, got %s'):format(who, what, dtype.words[dtype.of(x)], arg.describe(z)), 4)
   end
   if z:nElement() ~= x:nElement() then
      error(('%s: %s must have as many elements as the tensor itself, %d, got size %s'):format(who, what, x:nElement(),
         arg.size_text(z)), 4)
   end
   local n = z:nElement()
   local out = ffi.new('double[?]', math.max(n, 1))
   if n > 0 then
      local double = z:double():contiguous()
      ffi.copy(out, ffi.cast('double *', double._storage.data) + double._offset, 8 * n)
   end
   return out
end

local run
function run(who, x, f, z, w)
   local n = x:nElement()
   if n == 0 then return x end
   if x._device ~= 0 then return x:copy(run(who, x:host(), f, z, w)) end      -- functions of Lua run on the CPU
   local view = lib.new()                                    -- stays as it is if the function resizes x
   C.th_tensor_alias(view, x)
   local inner = view._ndim > 0 and tonumber(view._size[view._ndim - 1]) or 1
   local step = view._ndim > 0 and tonumber(view._stride[view._ndim - 1]) or 1
   if x:isContiguous() then inner, step = n, 1 end
   local rows = n / inner
   loop_of(x._dtype)(view, rows, inner, step, row_places(view, rows), f, z, w, who)
   return x
end

local function need_function(who, f)
   if type(f) ~= 'function' and not (type(f) == 'table' and getmetatable(f) and getmetatable(f).__call) then
      arg.refuse(who, 'the last argument', 'a function', f, 4)
   end
end

--- Calls f(element) for every element in row-major order and stores what it returns; nil leaves the element.
-- @example torch.Tensor{1, 2, 3}:apply(function(v) return v * v end)   --> {1, 4, 9}
function map.apply(x, f)
   arg.tensor('apply', 'argument 1', x)
   need_function('apply', f)
   return run('apply', x, f)
end

--- Calls f(x element, z element) for every pair and stores what it returns in x; nil leaves the element.
-- torch.Tensor{1, 2}:map(torch.Tensor{3, 4}, function(x, z) return x * z end) --> {3, 8}
function map.map(x, z, f)
   arg.tensor('map', 'argument 1', x)
   need_function('map', f)
   return run('map', x, f, numbers('map', 'argument 2', z, x))
end

--- Calls f(x element, z element, w element) for every triple and stores what it returns in x; nil leaves the element.
-- torch.Tensor{1, 2}:map2(torch.Tensor{3, 4}, torch.Tensor{5, 6}, function(x, z, w) return x + z * w end) --> {16, 26}
function map.map2(x, z, w, f)
   arg.tensor('map2', 'argument 1', x)
   need_function('map2', f)
   return run('map2', x, f, numbers('map2', 'argument 2', z, x), numbers('map2', 'argument 3', w, x))
end

-- ---- functions of plain numbers: torch.abs(-3) -----------------------------------------------------------------------------

local of_one = { 'abs', 'neg', 'sign', 'sqrt', 'rsqrt', 'cinv', 'exp', 'expm1', 'log', 'log1p', 'sin', 'cos', 'tan', 'asin', 'acos',
   'atan', 'sinh', 'cosh', 'tanh', 'erf', 'floor', 'ceil', 'trunc', 'round', 'frac', 'sigmoid' }
local of_more = { atan2 = 2, pow = 2, lerp = 3 }

-- torch.<name> that also takes `count` plain numbers, or strings that spell them.
local function number_too(name, tensor, count)
   local f
   local function of_numbers(a, b, c)
      local x = tensor(1):fill(a)
      if name ~= 'pow' and b then b = tensor(1):fill(b) end
      return f(x, b, c)[1]
   end
   return function(a, b, c, d, e)
      f = f or op.func(name)
      if not is_tensor(a) then
         local x, y, z = number_of(a), number_of(b), number_of(c)
         local second, third = count > 1 and y or count == 1 and b == nil, count > 2 and z or count < 3 and c == nil
         if x and second and third and d == nil then return of_numbers(x, y, z) end
      end
      return f(a, b, c, d, e)
   end
end

-- ---- predicates ------------------------------------------------------------------------------------------------------------

local function truth(name)
   local f
   return function(a, b, c)
      f = f or op.func(name)
      return f(a, b, c) == 1
   end
end

function map.install(torch)
   local base = require 'torch.tensor'.base
   for _, name in ipairs { 'apply', 'map', 'map2' } do base[name] = map[name] end
   for _, name in ipairs { 'equal', 'all', 'any' } do
      torch[name] = truth(name)
      base[name] = torch[name]
   end
   for _, name in ipairs(of_one) do torch[name] = number_too(name, torch.DoubleTensor, 1) end
   for name, count in pairs(of_more) do torch[name] = number_too(name, torch.DoubleTensor, count) end
end

return map
