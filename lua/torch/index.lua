-- torch.index - x[i], x[{i, {a, b}, {}}], x[mask], x[indices], x[storage], and assignment through them.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local op = require 'torch.op'
local C, new = lib.C, lib.new
local peek, poke = dtype.peek, dtype.poke
local is_tensor, is_storage = arg.is_tensor, arg.is_storage

local index = {}

--- The element at a place of the storage, from 0.
function index.element(t, at) return peek(t._storage, at) end
local element = index.element

local function refuse_index(t, d, i)
   error(('index must lie in 1..%d in dimension %d of a tensor of size %s, got %s'):format(tonumber(t._size[d]), d + 1,
      arg.size_text(t), tostring(i)), 4)
end

-- A position in dimension d, from 0; negative ones count from the end, and fractions are cut off.
local function place(t, d, i)
   local n = tonumber(t._size[d])
   local at = i < 0 and n + i + 1 or i
   if not (at >= 1 and at <= n and at % 1 == 0) then
      at = arg.whole_of(i) or 0
      if at < 0 then at = n + at + 1 end
      if at < 1 or at > n then refuse_index(t, d, i) end
   end
   return at - 1
end

--- Narrows r, in place, to the positions a..b of dimension d (from 0); negative ones count from the end.
function index.narrow(who, r, d, a, b)
   local n = tonumber(r._size[d])
   if not (arg.number_of(a) and arg.number_of(b)) then
      arg.refuse(who, 'range', 'two numbers', not arg.number_of(a) and a or b, 3)
   end
   local first, last = arg.whole_of(a) or 0, arg.whole_of(b) or 0
   first, last = first < 0 and n + first + 1 or first, last < 0 and n + last + 1 or last
   if not (first >= 1 and last >= first and last <= n) then
      error(('%s: range must lie in 1..%d in dimension %d, got %s to %s'):format(who, n, d + 1, tostring(a), tostring(b)), 4)
   end
   r._offset = r._offset + (first - 1) * r._stride[d]
   r._size[d] = last - first + 1
end

-- x[{...}] as a view; all numbers give a view without dimensions.
local function view_of_table(t, k)
   local r = new()
   local given = #k
   local n = t._ndim
   if given > n or (n == 1 and t._size[0] == 0 and given > 0) then
      error(('%d indices are too many for a tensor of size %s'):format(given, arg.size_text(t)), 3)
   end
   C.th_tensor_alias(r, t)
   local d = 0
   for i = 1, given do
      local e = k[i]
      if type(e) == 'string' then e = tonumber(e) or e end
      if type(e) == 'number' then
         local at = place(r, d, e)
         r._offset = r._offset + at * r._stride[d]
         for j = d, r._ndim - 2 do r._size[j], r._stride[j] = r._size[j + 1], r._stride[j + 1] end
         r._ndim = r._ndim - 1
      elseif type(e) == 'table' then
         if #e > 2 then error(('a range has at most two ends, got %d'):format(#e), 3) end
         if e[1] ~= nil then index.narrow('index', r, d, e[1], e[2] == nil and e[1] or e[2]) end
         d = d + 1
      else
         arg.refuse('index', 'index ' .. i, 'a number or a table', e, 3)
      end
   end
   return r
end

local function view_of_storage(t, s)
   local k = {}
   for i = 1, #s do k[i] = s[i] end
   return view_of_table(t, k)
end

-- x[i]: the element of a vector, a slice of anything larger.
local function get_number(t, i)
   local n = t._ndim
   if n == 0 then error('a tensor without dimensions has no index; use x:item()', 3) end
   local at = place(t, 0, i)
   if n == 1 then return peek(t._storage, t._offset + at * t._stride[0]) end
   local r = new()
   C.th_tensor_select(r, t, 0, at)
   return r
end

-- For a tensor on a device, a tensor there that is no index is a mask, as in cutorch.
local function is_mask(t, k)
   return k._dtype == C.TH_U8 or k._dtype ~= C.TH_I64 and k._device ~= 0 and t._device ~= 0
end

local function refuse_key(k)
   arg.refuse('index', 'index', 'a number, a table, a LongStorage, a ByteTensor or a LongTensor', k, 4)
end

--- x[k] of a string k that names no method: Torch7 used the number that it spells as the position. nil of any other string.
function index.get_text(t, k)
   local i = tonumber(k)
   if i and i - i == 0 then return get_number(t, i) end       -- 'nan' and 'inf' are names
end

--- x[k]
function index.get(t, k)
   if type(k) == 'number' then return get_number(t, k) end
   if type(k) == 'table' then
      local r = view_of_table(t, k)
      if r._ndim == 0 then return element(r, r._offset) end
      return r
   elseif is_storage(k) then
      local r = view_of_storage(t, k)
      if r._ndim == 0 then return element(r, r._offset) end
      return r
   elseif is_tensor(k) then
      if is_mask(t, k) then return op.method 'maskedSelect' (t, k) end
      if k._dtype == C.TH_I64 then return op.method 'index' (t, 1, k) end
   end
   refuse_key(k)
end

local function assign(r, v)
   if type(v) == 'number' then
      if r._ndim == 0 then
         poke(r._storage, r._offset, v)
      else
         op.method 'fill' (r, v)
      end
   elseif is_tensor(v) then
      op.method 'copy' (r, v)
   elseif is_storage(v) then
      if #v ~= tonumber(C.th_tensor_numel(r)) then
         error(('cannot assign %d elements to a tensor of size %s'):format(#v, arg.size_text(r)), 4)
      end
      local source = new()
      lib.check(C.th_tensor_set(source, v.s.dtype, v.s, 0, 1, ffi.new('int64_t[1]', #v), nil), 3, 'index')
      op.method 'copy' (r, source)
   elseif arg.number_of(v) then
      assign(r, tonumber(v))
   else
      arg.refuse('index', 'value', 'a number or a tensor', v, 4)
   end
end

--- x[k] = v
function index.set(t, k, v)
   if type(k) == 'number' then
      if t._ndim == 1 and type(v) == 'number' then
         local at = place(t, 0, k)                            -- first: an empty tensor has no storage
         poke(t._storage, t._offset + at * t._stride[0], v)
         return
      end
      if t._ndim == 0 then error('a tensor without dimensions has no index; use x:fill(v)', 3) end
      local r = new()
      lib.check(C.th_tensor_select(r, t, 0, place(t, 0, k)), 3)
      return assign(r, v)
   elseif type(k) == 'table' then
      return assign(view_of_table(t, k), v)
   elseif is_storage(k) then
      return assign(view_of_storage(t, k), v)
   elseif is_tensor(k) then
      v = arg.number_of(v) or v
      if is_mask(t, k) then
         if type(v) == 'number' then op.method 'maskedFill' (t, k, v)
         else op.method 'maskedCopy' (t, k, v) end
         return
      elseif k._dtype == C.TH_I64 then
         if type(v) == 'number' then op.method 'indexFill' (t, 1, k, v)
         else op.method 'indexCopy' (t, 1, k, v) end
         return
      end
   elseif arg.number_of(k) then
      return index.set(t, tonumber(k), v)
   end
   refuse_key(k)
end

return index
