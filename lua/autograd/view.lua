-- lua/autograd/view.lua - views, shapes and queries of taped tensors. The gradient of a linear function is its transpose.
local torch = require 'torch'
local arg = require 'torch.arg'
local op = require 'torch.op'
local derivative = require 'torch.derivative'
local tape = require 'autograd.tape'
local ops = require 'autograd.ops'
local number = require 'autograd.number'

local is_tensor, is_value, plain, new = arg.is_tensor, tape.is_value, tape.plain, tape.new
local view = {}

-- f(x) for a linear f, whose transpose is ft.
local function linear(x, f, ft, name, call)
   if not is_value(x) then return f(x) end
   return new(f(x._value), { x }, function(g) return { linear(g, ft, f, name) } end, name, call)
end

-- Plain values of sizes and indices, which have no derivatives.
local function numbers(...)
   local a, n = { ... }, select('#', ...)
   for i = 1, n do a[i] = tape.plain_all(a[i]) end
   return a, n
end

local function zeros(x) return x.new():resizeAs(x):zero() end

-- A part of x, taken by `pick` from a tensor of that size, by view or by element; the transpose puts it among zeros.
local function part(x, pick, name, call)
   local like, where = zeros(plain(x):narrow(1, 1, 0)), plain(x):size()
   return linear(x, pick, function(g)
      local z = like.new(where):zero()
      if is_tensor(g) then
         pick(z):copy(g)
      else
         local count = torch.range(1, z:nElement()):type(z:type()):viewAs(z)
         z:view(-1)[pick(count)] = g
      end
      return z
   end, name or 'index', call)
end

-- The elements of x in another shape.
local function reshaped(x, f, name)
   local size = plain(x):size()
   return linear(x, f, function(g)
      if not is_tensor(g) then return plain(x).new(size):fill(g) end
      return g:contiguous():view(size)
   end, name)
end

local methods = {}

for _, name in ipairs { 'narrow', 'select', 'sub' } do
   methods[name] = function(x, ...)
      local a, n = numbers(...)
      return part(x, function(t) return t[name](t, unpack(a, 1, n)) end, name, a)
   end
end

function methods.transpose(x, a, b)
   a, b = plain(a), plain(b)
   local function swap(t) return t:transpose(a, b) end
   return linear(x, swap, swap, 'transpose', { a, b })
end

function methods.t(x)
   local function swap(t) return t:t() end
   return linear(x, swap, swap, 'transpose', { 1, 2 })
end

function methods.permute(x, ...)
   local order, back = numbers(...), {}
   for i, d in ipairs(order) do back[d] = i end
   return linear(x, function(t) return t:permute(unpack(order)) end, function(t) return t:permute(unpack(back)) end, 'permute', order)
end

for _, name in ipairs { 'view', 'reshape', 'squeeze', 'unsqueeze' } do
   methods[name] = function(x, ...)
      local a, n = numbers(...)
      return reshaped(x, function(t) return t[name](t, unpack(a, 1, n)) end, name)
   end
end

function methods.unfold(x, d, size, step)
   d, size, step = plain(d), plain(size), plain(step)
   local like = plain(x)
   local function windows(t) return t:unfold(d, size, step) end
   return linear(x, windows, function(g)
      local z = zeros(like)
      windows(z):add(g)                                        -- windows that overlap add up
      return z
   end, 'unfold', { d, size, step })
end

function methods.viewAs(x, other)
   local size = arg.tensor('viewAs', 'tensor', plain(other)):size()
   return reshaped(x, function(t) return t:view(size) end, 'viewAs')
end

local function same(t) return t end
local function contiguous(t) return t:contiguous() end
function methods.clone(x) return linear(x, function(t) return t:clone() end, same, 'clone') end
function methods.contiguous(x) return linear(x, contiguous, contiguous, 'contiguous') end

local function expanded(x, f, name)
   local like = plain(x)
   return linear(x, f, function(g) return derivative.sum_to(g, like) end, name)
end
function methods.expand(x, ...)
   local a, n = numbers(...)
   return expanded(x, function(t) return t:expand(unpack(a, 1, n)) end, 'expand')
end
function methods.expandAs(x, other)
   local size = arg.tensor('expandAs', 'tensor', plain(other)):size()
   return expanded(x, function(t) return t:expand(size) end, 'expandAs')
end

function methods.repeatTensor(x, ...)
   local a, n = numbers(...)
   local from = plain(x)
   return linear(x, function(t) return t:repeatTensor(unpack(a, 1, n)) end, function(g)
      local lead = g:dim() - from:dim()
      for d = g:dim(), 1, -1 do
         local m = d > lead and from:size(d - lead) or 1
         local parts, sum = g:size(d) / m, nil
         for k = 1, parts do
            local piece = g:narrow(d, (k - 1) * m + 1, m)
            sum = sum and torch.add(sum, piece) or piece
         end
         g = sum
      end
      return g:contiguous():viewAs(from)
   end, 'repeatTensor', a)
end

local function converted(x, f)
   local kind = plain(x):type()
   local y = f(plain(x))
   if not tape.is_float(y) then return y end
   return linear(x, f, function(g) return g:type(kind) end, 'type')
end
for name in ([[float double half bfloat16 byte char short int long real cuda cudaDouble cudaHalf cudaBFloat16 cudaByte cudaChar
   cudaShort cudaInt cudaLong host]]):gmatch '%S+' do
   methods[name] = function(x)
      if plain(x)[name] == nil then tape.refuse('autograd: a tensor has no method %s', name) end
      return converted(x, function(t) return t[name](t) end)
   end
end
function methods.typeAs(x, other)
   local kind = arg.tensor('typeAs', 'tensor', plain(other)):type()
   return converted(x, function(t) return t:type(kind) end)
end
function methods.type(x, name)
   if name == nil then return plain(x):type() end
   return converted(x, function(t) return t:type(name) end)
end

function methods.item(x)
   return linear(x, function(t) return t:item() end, function(g) return plain(x).new():resizeAs(plain(x)):fill(g) end, 'item')
end

-- Lists of narrow views, as the method returns them for the plain tensor.
for _, name in ipairs { 'split', 'chunk' } do
   methods[name] = function(x, size, d)
      d = d or 1
      local list, first = {}, 1
      for i, t in ipairs(plain(x)[name](plain(x), size, d)) do
         list[i] = methods.narrow(x, d, first, t:size(d))
         first = first + t:size(d)
      end
      return list
   end
end

-- ---- functions of lists -----------------------------------------------------------------------------------------

local functions = {}

-- The same list with numbers replaced by tensors of one element, of the type of the first tensor.
local function with_tensors(list)
   local like, y = torch.Tensor(), {}
   for i = #list, 1, -1 do like = is_tensor(plain(list[i])) and plain(list[i]) or like end
   for i, x in ipairs(list) do
      if type(x) == 'number' then
         y[i] = like.new(1):fill(x)
      else
         y[i] = is_value(x) and type(x._value) == 'number' and number.tensor(x, like) or x
      end
   end
   return y
end

function functions.cat(list, dim, third)
   if is_value(list) or is_tensor(list) then list, dim = { list, dim }, third end
   list, dim = with_tensors(list), plain(dim)
   local tensors, inputs, first = tape.plain_all(list), {}, {}
   local y = torch.cat(tensors, dim)
   local d, at = dim == nil and y:dim() or dim, 1
   for _, x in ipairs(list) do
      local n = plain(x):dim() >= d and plain(x):size(d) or plain(x):nElement() > 0 and 1 or 0
      if is_value(x) then
         inputs[#inputs + 1] = x
         first[#inputs] = { at, n }
      end
      at = at + n
   end
   return new(y, inputs, function(g, wanted)
      local parts = {}
      for i, range in ipairs(first) do
         if wanted[i] then parts[i] = g:narrow(d, range[1], range[2]):contiguous():viewAs(plain(inputs[i])) end
      end
      return parts
   end, 'torch.cat', { list, d })
end

function functions.stack(list, dim)
   local wider, n = {}, plain(list[1]):dim() + 1
   torch.stack(tape.plain_all(list), dim)                     -- raises the error for tensors that do not fit
   for i, x in ipairs(list) do wider[i] = is_value(x) and methods.unsqueeze(x, dim or 1) or x:unsqueeze(dim or 1) end
   return n > 0 and torch.cat(wider, dim or 1)
end

function functions.logsumexp(x, dim)
   if dim == nil then return functions.logsumexp(methods.view(methods.contiguous(x), -1), 1)[1] end
   local shift = torch.max(plain(x), dim)
   shift[torch.ne(shift, shift)] = 0
   shift[torch.eq(torch.abs(shift), math.huge)] = 0
   return torch.add(torch.log(torch.sum(torch.exp(torch.csub(x, shift:expandAs(plain(x)))), dim)), shift)
end

function functions.diff(x, dim)
   dim = dim or plain(x):dim()
   torch.diff(plain(x), dim)
   local n = plain(x):size(dim)
   return torch.csub(methods.narrow(x, dim, 2, n - 1), methods.narrow(x, dim, 1, n - 1))
end

-- ---- indexing and methods by name ---------------------------------------------------------------------------------

local queries = {}
for name in ([[dim nDimension size stride nElement numel elementSize isContiguous isSize storageOffset totable
   argmax argmin argsort isTensor storage data]]):gmatch '%S+' do queries[name] = true end

function methods.isSameSizeAs(x, other) return plain(x):isSameSizeAs(plain(other)) end
methods.logsumexp, methods.diff = functions.logsumexp, functions.diff

local found = {}                                             -- name -> method

local function method(name)
   if methods[name] then return methods[name] end
   if not found[name] then
      if queries[name] then
         found[name] = function(x, ...) return plain(x)[name](plain(x), ...) end
      elseif op.forms(name) then
         found[name] = function(...) return ops.call(name, true, ...) end
      end
   end
   return found[name]
end

-- Other fields of a taped tensor: functions that are called with a dot.
local fields = {
   new = function(x) return plain(x).new end,
   cat = function() return torch.cat end,
}

function tape.Value.__index(x, k)
   if is_value(k) or type(k) == 'table' then k = tape.plain_all(k) end
   if type(k) ~= 'string' then
      if not is_tensor(x._value) then tape.refuse('autograd: a taped number has no elements') end
      if is_tensor(k) and k:type():find 'ByteTensor$' then return torch.maskedSelect(x, k) end
      if is_tensor(k) then return torch.index(x, 1, k) end
      return part(x, function(t) return t[k] end, 'index', { k })
   end
   if k:sub(1, 1) == '_' then return nil end
   if type(x._value) == 'number' then
      if k == 'sum' then return function() return x end end   -- as for a tensor of one element
      tape.refuse('autograd: a taped number has no method %s', k)
   end
   if fields[k] then return fields[k](x) end
   local f = method(k)
   if not f then
      if x._value[k] == nil then tape.refuse('autograd: a tensor has no method %s', k) end
      tape.refuse('autograd: missing gradient: %s of taped tensors has no derivative; '
         .. 'autograd.value(x):%s(...) works on the tensor behind', k, k)
   end
   return f
end

-- ---- functions of torch -------------------------------------------------------------------------------------------

-- Whether a value is among the arguments or in a list among them.
local function holds(...)
   local first = ...
   if ops.holds(...) then return true end
   return type(first) == 'table' and not torch.typename(first) and ops.holds(unpack(first, 1, #first))
end

-- Methods that read the size or the type of their second argument only.
local like_another = { viewAs = true, expandAs = true, typeAs = true, resizeAs = true, isSameSizeAs = true }

-- torch.name(...) for a method, if values are among the arguments.
local function of_method(name, f, before)
   return function(x, ...)
      if is_value(x) then return f(x, ...) end
      local a, n = { ... }, select('#', ...)
      for i = 1, n do
         if is_value(a[i]) and is_tensor(a[i]._value) and not like_another[name] then
            tape.refuse('autograd: torch.%s: argument 1 must be the taped tensor; a result cannot be given', name)
         end
         a[i] = plain(a[i])
      end
      return before(x, unpack(a, 1, n))
   end
end

-- Methods that programs for autograd call as functions of torch. They are found if torch has no such name. They are not stored
-- in its table, because they belong to this package.
local lifted = {}
for name in ([[contiguous clone dim size stride elementSize storageOffset typeAs float double half byte char short int long
   cuda resizeAs]]):gmatch '%S+' do
   lifted[name] = function(x, ...)
      if not is_tensor(x) and not is_value(x) then arg.refuse('torch.' .. name, 'argument 1', 'a tensor', x) end
      return x[name](x, ...)
   end
end

local function lift()
   local mt = getmetatable(torch)
   local before = mt.__index
   function mt.__index(t, name) return lifted[name] or before(t, name) end
end

-- Queries of a value are answered for its tensor.
local function ask(name)
   local before = torch[name]
   local function f(x, ...)
      if is_value(x) then return before(x._value, ...) end
      return before(x, ...)
   end
   arg.behind[f] = arg.behind[before] or before
   torch[name] = f
end

--- Makes the functions of torch that are not ops take values: torch.transpose(x, 1, 2), torch.cat{x, y}, ...
function view.install()
   local function extend(name, make)
      local before = torch[name]
      local taped = make(before)
      local function f(...)
         if not holds(...) then return before(...) end
         return taped(...)
      end
      arg.behind[f] = arg.behind[before] or before            -- the help shows its text
      torch[name] = f
   end
   for _, name in ipairs { 'isTensor', 'type', 'typename' } do ask(name) end
   lift()
   for name, f in pairs(methods) do
      if rawget(torch, name) and not functions[name] and name ~= 'type' then
         extend(name, function(before) return of_method(name, f, before) end)
      end
   end
   for name in pairs(queries) do
      if rawget(torch, name) and name ~= 'isTensor' and not op.forms(name) then
         extend(name, function(before)
            return function(...) return before(unpack(tape.plain_all { ... }, 1, select('#', ...))) end
         end)
      end
   end
   for name, f in pairs(functions) do extend(name, function() return f end) end
   for name in pairs(ops.writes) do
      extend(name, function() return function(...) return ops.write(name, ...) end end)
   end
   function arg.stand_in(who, x)
      if not is_value(x) or not is_tensor(x._value) then return nil end
      if like_another[who] or who:find '^torch%.fft%.' then return x._value end
   end
   require 'torch.fft_lines'.linear = linear
end

return view
