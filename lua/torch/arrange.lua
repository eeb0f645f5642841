-- torch.arrange - small functions made of ops: stack, meshgrid, diff, argmax, argmin, argsort, logsumexp.
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local lib = require 'torch.lib'
local op = require 'torch.op'
local tensor = require 'torch.tensor'

local arrange = {}
local f = setmetatable({}, { __index = function(_, name) return op.func(name) end })

-- Dimension d of x, from 1; `last` is the default.
local function need_dim(who, x, d, last)
   if d == nil then return last end
   d = arg.whole(who, 'dim', d)
   if d < 1 or d > math.max(1, x:dim()) then error(('%s: dim must lie in 1..%d, got %g'):format(who, math.max(1, x:dim()), d), 3) end
   return d
end

--- Tensors of one size and type side by side along a new dimension dim (default: 1): torch.stack({a, b, ...}, dim).
-- torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}}) --> {{1, 2}, {3, 4}}
-- torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}}, 2) --> {{1, 3}, {2, 4}}
function arrange.stack(list, dim)
   local who = 'torch.stack'
   if type(list) ~= 'table' then arg.refuse(who, 'list', 'a table of tensors', list) end
   if #list == 0 then error(who .. ': the table must hold at least one tensor', 2) end
   local first, wider = arg.tensor(who, 'element 1', list[1]), {}
   local n = first:dim() + 1
   if n == 1 and first._ndim == 1 then error(who .. ': the tensors must not be empty', 2) end
   dim = dim == nil and 1 or arg.whole(who, 'dim', dim)
   if dim < 1 or dim > n then error(('%s: dim must lie in 1..%d, got %g'):format(who, n, dim), 2) end
   for i, x in ipairs(list) do
      arg.tensor(who, 'element ' .. i, x)
      if x._dtype ~= first._dtype or not x:isSameSizeAs(first) then
         arg.refuse(who, 'element ' .. i, ('a %s of size %s'):format(first:type(), arg.size_text(first)), x)
      end
      wider[i] = x._ndim == 0 and x.new { x:item() } or tensor.base.unsqueeze(x, dim)
   end
   return f.cat(wider, dim)
end

--- The coordinates of a grid: for n vectors n tensors of n dimensions; tensor k repeats vector k along all other dimensions.
-- torch.meshgrid(torch.Tensor{1, 2}, torch.Tensor{3, 4, 5}) --> {{1, 1, 1}, {2, 2, 2}}, {{3, 4, 5}, {3, 4, 5}}
function arrange.meshgrid(...)
   local who, n = 'torch.meshgrid', select('#', ...)
   local vectors, sizes, grids = { ... }, {}, {}
   if n < 1 then error(who .. ': at least one vector is needed', 2) end
   if n > tonumber(lib.C.TH_MAXDIM) then error(('%s: at most %d vectors, got %d'):format(who, tonumber(lib.C.TH_MAXDIM), n), 2) end
   for k = 1, n do
      arg.tensor(who, 'vector ' .. k, vectors[k])
      if vectors[k]._ndim ~= 1 then arg.refuse(who, 'vector ' .. k, 'a vector', vectors[k]) end
      sizes[k] = tonumber(vectors[k]._size[0])
   end
   for k = 1, n do
      local shape = {}
      for d = 1, n do shape[d] = d == k and sizes[k] or 1 end
      grids[k] = vectors[k]:contiguous():view(unpack(shape)):expand(unpack(sizes)):clone()
   end
   return unpack(grids)
end

--- Differences of neighbours along dim (default: the last): y[i] = x[i + 1] - x[i].
-- torch.diff(torch.Tensor{1, 4, 9}) --> {3, 5}
function arrange.diff(x, dim)
   arg.tensor('torch.diff', 'x', x)
   dim = need_dim('torch.diff', x, dim, math.max(1, x:dim()))
   local n = x._ndim == 0 and 0 or tonumber(x._size[dim - 1])
   if n < 1 then error(('torch.diff: x must have an element along dim, got size %s'):format(arg.size_text(x)), 2) end
   local narrow = tensor.base.narrow
   return f.add(narrow(x, dim, 2, n - 1), -1, narrow(x, dim, 1, n - 1))
end

local function need_line(who, x, dim)
   if x._ndim == 0 or x._size[dim - 1] > 0 then return end
   error(('%s: x must have an element along dim, got size %s'):format(who, arg.size_text(x)), 3)
end

local function place_of(who, pick, x, dim)
   arg.tensor(who, 'x', x)
   if dim == nil then
      local n = x:nElement()
      if n == 0 then error(who .. ': x must not be empty', 3) end
      local _, place = f[pick](x:contiguous():view(n), 1)
      return place[1]
   end
   dim = need_dim(who, x, dim)
   need_line(who, x, dim)
   local _, places = f[pick](x, dim)
   return places
end

--- The positions of the largest elements along dim; without dim the position of the largest of all, counted row by row.
-- torch.argmax(torch.Tensor{{1, 5}, {7, 2}}), torch.argmax(torch.Tensor{{1, 5}, {7, 2}}, 2) --> 3, {{2}, {1}}
function arrange.argmax(x, dim) return place_of('torch.argmax', 'max', x, dim) end

--- The positions of the smallest elements along dim; without dim the position of the smallest of all, counted row by row.
-- torch.argmin(torch.Tensor{{1, 5}, {7, 2}}), torch.argmin(torch.Tensor{{1, 5}, {7, 2}}, 2) --> 1, {{1}, {2}}
function arrange.argmin(x, dim) return place_of('torch.argmin', 'min', x, dim) end

--- The positions that sort x along dim (default: the last), stably; descending: true or false.
-- torch.argsort(torch.Tensor{3, 1, 2}) --> {2, 3, 1}
function arrange.argsort(x, dim, descending)
   arg.tensor('torch.argsort', 'x', x)
   dim = need_dim('torch.argsort', x, dim, math.max(1, x:dim()))
   if type(descending) ~= 'nil' and type(descending) ~= 'boolean' then arg.refuse('torch.argsort', 'descending', 'true or false', descending) end
   local _, places = f.sort(x, dim, descending or false)
   return places
end

--- log(sum(exp(x))) along dim, without overflow; without dim over all elements, a number.
-- torch.logsumexp(torch.Tensor{1000, 1000}) --> 1000.7
function arrange.logsumexp(x, dim)
   local who = 'torch.logsumexp'
   arg.tensor(who, 'x', x)
   if not dtype.is_float(x._dtype) then arg.refuse(who, 'x', 'a Float, Double, Half or BFloat16 tensor', x) end
   if dim == nil then
      local n = x:nElement()
      if n == 0 then return -math.huge end
      return arrange.logsumexp(x:contiguous():view(n), 1)[1]
   end
   dim = need_dim(who, x, dim)
   need_line(who, x, dim)
   local most = f.max(x, dim)
   local shift = f.where(f.eq(f.abs(most), math.huge), most:clone():zero(), most)         -- inf - inf would be NaN
   local sum = f.sum(f.exp(f.add(x, -1, x._ndim == 0 and shift or shift:expandAs(x))), dim)
   return op.method 'add'(f.log(sum), shift)
end

function arrange.install(torch)
   for name, g in pairs(arrange) do
      if name ~= 'install' then
         torch[name] = g
         if name ~= 'stack' and name ~= 'meshgrid' then tensor.base[name] = g end
      end
   end
end

return arrange
