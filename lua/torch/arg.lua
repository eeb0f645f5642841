-- torch.arg - checks of arguments for functions written by hand, and their error messages.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'

local arg = {}
local istype = ffi.istype

-- A pointer to a struct also counts as the struct; it may be NULL. Compiled code knows which it has, so the test is free.
local function present(ctype)
   local ct, pointer = ffi.typeof(ctype), ffi.typeof('$ *', ctype)
   return function(v) return istype(ct, v) and not (istype(pointer, v) and v == nil) end
end

--- Whether v is a tensor, a storage or a generator, or a pointer to one that is not NULL.
arg.is_tensor, arg.is_storage, arg.is_generator = present(lib.tensor_t), present(lib.storage_t), present(lib.generator_t)
local is_tensor, is_storage = arg.is_tensor, arg.is_storage

--- Whether v is a NULL pointer of any type.
function arg.is_null(v) return type(v) == 'cdata' and v == nil end

--- 'a torch.FloatTensor of size 2x3', 'a string', 'nil': for error messages.
function arg.describe(v)
   if arg.is_null(v) then return 'a NULL pointer' end
   if is_tensor(v) then
      return ('a torch.%sTensor of size %s'):format(dtype.words[dtype.of(v)] or '?', arg.size_text(v))
   end
   if arg.is_symbol and arg.is_symbol(v) then return 'a tensor that torch.pointwise traces' end
   local name = class.typename(v)
   if name then return 'a ' .. name end
   local t = type(v)
   if t == 'nil' then return 'nil' end
   if t == 'number' or t == 'boolean' then return ('%s (%s)'):format(t == 'number' and 'a number' or 'a boolean', tostring(v)) end
   return 'a ' .. t
end

--- '2x3', 'empty', or '()' for a single number.
function arg.size_text(t)
   if t._ndim == 0 then return '()' end
   if t._ndim == 1 and t._size[0] == 0 then return 'empty' end
   local s = {}
   for d = 0, t._ndim - 1 do s[d + 1] = tostring(tonumber(t._size[d])) end
   return table.concat(s, 'x')
end

--- Raises '<who>: <name> must be <what>, got <v>' at the caller of the function that checks its argument.
function arg.refuse(who, name, what, v, level)
   error(('%s: %s must be %s, got %s'):format(who, name, what, arg.describe(v)), (level or 2) + 1)
end

--- Whether v is nil. A NULL pointer equals nil, but is not false.
function arg.absent(v) return not v and v == nil end


--- Whether v can be called: a function, or a table whose class or metatable says how.
function arg.is_callable(v)
   if type(v) ~= 'table' then return type(v) == 'function' end
   if class.typename(v) then return v.__call__ ~= nil end
   local mt = getmetatable(v)
   return type(mt) == 'table' and mt.__call ~= nil
end

-- is_symbol: set by torch.symbol.
-- stand_in: set by the package autograd; stand_in(who, v) returns the tensor of a taped value, for functions that read only
-- its size or type.
function arg.tensor(who, name, v)
   if is_tensor(v) then return v end
   local tensor = arg.stand_in and arg.stand_in(who, v)
   if not tensor then arg.refuse(who, name, 'a tensor', v, 3) end
   return tensor
end

--- v itself if it is a number, the number that a string spells, else nil: Torch7 took both.
function arg.number_of(v)
   if type(v) == 'number' then return v end
   return type(v) == 'string' and tonumber(v) or nil
end
local number_of = arg.number_of

--- The number of v without its fraction, as Torch7 read a size or a position. nil for NaN, for numbers beyond 2^53, and where
-- v is no number.
function arg.whole_of(v)
   v = number_of(v)
   if not v or not (v > -2 ^ 53 - 1 and v < 2 ^ 53 + 1) then return nil end
   return v < 0 and math.ceil(v) + 0 or math.floor(v)         -- + 0 makes 0 of -0
end
local whole_of = arg.whole_of

--- The number that v is or spells.
function arg.number(who, name, v)
   if type(v) == 'number' then return v end
   return number_of(v) or arg.refuse(who, name, 'a number', v, 3)
end

--- v as a whole number: fractions are cut off.
function arg.whole(who, name, v)
   if type(v) == 'number' and v % 1 == 0 and v <= 2 ^ 53 and v >= -2 ^ 53 then return v end
   return whole_of(v) or arg.refuse(who, name, 'a whole number', v, 3)
end

--- v if it is a string that can name a file, or be a command. C ends a string at a byte 0, so a name with one would mean
-- another file.
function arg.path(who, name, v, level)
   if type(v) ~= 'string' then arg.refuse(who, name, 'a string', v, (level or 2) + 1) end
   if v:find('\0', 1, true) then
      error(('%s: %s must not hold a byte 0, got "%s"'):format(who, name, (v:gsub('%z', '\\0'))), (level or 2) + 1)
   end
   return v
end

--- The number of the address that a pointer holds.
function arg.address(p) return tonumber(ffi.cast('intptr_t', p)) end

--- Number of dimensions. Torch7's empty tensor has none; inside it has one of size 0.
function arg.dims(t)
   local n = t._ndim
   if n == 1 and t._size[0] == 0 then return 0 end
   return n
end

--- Dimension d of t as C counts it, from 0. -1 is the last one.
function arg.dim(who, t, d)
   local n = arg.dims(t)
   if type(d) == 'number' and d >= 1 and d <= n and d % 1 == 0 then return d - 1 end
   if not number_of(d) then arg.refuse(who, 'dimension', 'a number', d, 3) end
   local k = whole_of(d)
   if k and k < 0 and k >= -n then return k + n end
   if not k or k < 1 or k > n then
      error(('%s: dimension must lie in 1..%d, got %s'):format(who, n, tostring(d)), 3)
   end
   return k - 1
end

function arg.same_shape(a, b)
   if a._ndim ~= b._ndim then return false end
   for d = 0, a._ndim - 1 do if a._size[d] ~= b._size[d] then return false end end
   return true
end

-- Loaded once for each function, so that the compiler sees which one is called. It is a dump,
-- because that loads faster.
local guarded = string.dump(assert(loadstring([[
local f, is, refuse, name, what = ...
return function(self, ...)
   if not is(self) then refuse(name, 'argument 1', what, self, 3) end
   return f(self, ...)
end]], '=torch.arg')))

--- Refuses a `self` that is no table, in the method __init of a class.
function arg.object(class, self)
   if type(self) ~= 'table' then arg.refuse(class .. '.__init', 'self', 'an object', self, 3) end
end

--- guarded function -> the function that it guards.
arg.behind = setmetatable({}, { __mode = 'k' })

--- The function that f calls after checks of its arguments; f itself where it has none.
function arg.original(f)
   while arg.behind[f] do f = arg.behind[f] end
   return f
end

--- Guards methods: they raise an error where `self` is not such an object. A call with a dot can pass anything as `self`.
-- @param is      function(v): whether v is one
-- @param shared  a table in which the same functions are replaced too (optional)
-- @param free    a set of names that take anything (optional)
function arg.guard(methods, is, what, shared, free)
   for name, f in pairs(methods) do
      local public = name:sub(1, 1) ~= '_' or name == '__tostring__' or name == '__init'
      if type(f) == 'function' and name ~= 'new' and public and not (free and free[name]) then
         methods[name] = assert(loadstring(guarded))(f, is, arg.refuse, name, what)
         arg.behind[methods[name]] = f
         if shared and rawget(shared, name) == f then shared[name] = methods[name] end
      end
   end
end

--- The same for the methods of a class, whose objects may belong to classes derived from it.
function arg.guard_class(mt, what)
   arg.guard(mt, function(v)
      local up = type(v) == 'table' and getmetatable(v)
      while type(up) == 'table' and up ~= mt do up = getmetatable(up) end
      return up == mt
   end, what)
end

local sizes_t, MAXDIM = ffi.typeof 'int64_t[16]', tonumber(lib.C.TH_MAXDIM)

local function size(who, i, v, level)
   if type(v) == 'number' and v % 1 == 0 and v <= 2 ^ 53 and v >= -2 ^ 53 then return v end
   return whole_of(v) or arg.refuse(who, 'size ' .. i, 'a whole number', v, level)
end

local function need_few(who, n)
   if n > MAXDIM then
      error(('%s: a tensor has at most %d dimensions, got %d'):format(who, MAXDIM, n), 4)
   end
end

--- Sizes from (2, 3), a LongStorage or a table {2, 3}: returns an int64_t array and their count.
function arg.sizes(who, first, ...)
   local b, c, d = ...                     -- before any call: torch.varargs
   local out = sizes_t()
   if is_storage(first) or type(first) == 'table' then
      local n = #first
      need_few(who, n)
      for i = 1, n do out[i - 1] = size(who, i, first[i], 4) end
      if n == 0 then return out, 1 end                        -- no size: Torch7's empty tensor
      return out, n
   end
   local n = select('#', ...) + 1
   if n == 1 and first == nil then return out, 1 end
   need_few(who, n)
   out[0] = size(who, 1, first, 4)
   if n <= 4 then                                             -- compiles, as a loop over select() does not
      if n > 1 then out[1] = size(who, 2, b, 4) end
      if n > 2 then out[2] = size(who, 3, c, 4) end
      if n > 3 then out[3] = size(who, 4, d, 4) end
   else
      for i = 2, n do out[i - 1] = size(who, i, (select(i - 1, ...)), 4) end
   end
   return out, n
end

return arg
