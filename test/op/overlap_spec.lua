-- test/op/overlap_spec.lua - results whose elements share places in memory are written as a loop writes them, element after
-- element in row-major order; and inputs that share some places with the result.
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'torch.lib'.C
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local op = require 'torch.op'
local patience = require 'test.support.patience'
local refuses = require 'test.support.refuses'

local EACH = 16                             -- TH_EACH of op_flags.h: ops that compute element by element
-- Layers and optimizers add to these over a whole pass: such a result is refused.
local REFUSED = { adam_step = true, rmsprop_step = true, momentum_step = true, conv2d_grad_weight = true, embedding_grad = true,
   layernorm_grad_weight = true }

-- ---- what a plain loop gives -------------------------------------------------------------------------------------------

-- Where the elements of x lie in its storage, from 0, in row-major order.
local function places_of(x)
   local n, size, stride = x:dim(), x:size(), x:stride()
   local places = {}
   local function visit(d, at)
      if d > n then
         places[#places + 1] = at
         return
      end
      for i = 0, size[d] - 1 do visit(d + 1, at + i * stride[d]) end
   end
   if x:nElement() > 0 then visit(1, x:storageOffset() - 1) end
   return places
end

local function bytes(x)
   local s = x:storage()
   return s and ffi.string(s:data(), #s * x:elementSize()) or ''
end

-- The same view of a copy of the storage.
local function copy_of(x)
   local s = x.new():resize(#x:storage()):storage()
   s:copy(x:storage())
   return x.new(s, x:storageOffset(), x:size(), x:stride())
end

-- Writes the elements of `values` into y, one after another.
local function write(y, values)
   local size = y:elementSize()
   local to, packed = ffi.cast('char *', y:storage():data()), values:contiguous()
   local from = ffi.cast('char *', packed:storage():data()) + (packed:storageOffset() - 1) * size
   for k, at in ipairs(places_of(y)) do ffi.copy(to + at * size, from + (k - 1) * size, size) end
end

-- ---- results of every op -----------------------------------------------------------------------------------------------

-- A tensor of these sizes and values. Its elements share places: along the last dimension each begins where the one before
-- has its second (`kind` 'near'), or all rows lie one element further ('unfold'), or the first two elements are one ('expanded').
local function overlapping(x, kind)
   local n = x:dim()
   local size, stride, at = x:size(), x:stride(), 1
   for d = n, 1, -1 do
      stride[d] = at
      at = at * size[d]
   end
   local d = nil
   for k = 1, n do if size[k] > 1 then d = k break end end
   if not d then return nil end
   if kind == 'expanded' then stride[d] = 0
   elseif kind == 'unfold' then
      if stride[d] == 1 then return nil end                  -- a vector cannot
      stride[d] = 1
   else
      local inner = nil
      for k = d + 1, n do if size[k] > 1 then inner = k end end
      if not inner then return nil end
      stride[d] = (size[inner] - 1) * stride[inner]          -- only the last of a row is the first of the next
   end
   local y = x.new(x.new(at):fill(1):storage(), 1, size, stride)
   return y
end

local function supports(form, kind) return C.th_op_supports(form.op, C.TH_CPU, dtype.id[kind]) ~= 0 end

local function kind_of(form)
   for _, kind in ipairs { 'Float', 'Double', 'Long', 'Int', 'Byte' } do if supports(form, kind) then return kind end end
end

-- The arguments of a call, with `given` in place of results; without, the op makes its results.
local function arguments(form, good, given)
   local args, n = {}, 0
   for _, a in ipairs(form.args) do
      local result = a.word == 'out' or a.word == 'self'
      if given and given[a.name] or not result and a.word ~= 'return' and a.word ~= 'gen' then
         n = n + 1
         args[n] = given and given[a.name] or good[a.name]
      end
   end
   return args, n
end

-- The results of an op by their names, and the name of the first.
local function results_of(name, form, good)
   local args, n = arguments(form, good)
   local made, first, at = { pcall(op.func(name), unpack(args, 1, n)) }, nil, 1
   local results = {}
   for _, a in ipairs(form.args) do
      local new = a.word == 'out' or a.word == 'self'
      if new or a.word == 'inout' and good[a.name] then
         at = at + 1
         first = first or a.name
         if new then results[a.name] = made[1] and made[at] or nil else results[a.name] = good[a.name] end
      end
   end
   return results, first
end

describe('a result whose elements share places is written in row-major order:', function()
   local tried, refused = 0, 0
   local function try(name, form, good, like, given, first, how)
      local y = overlapping(like, how)
      if not y then return end
      given[first] = y
      local args, n = arguments(form, good, given)
      local before, what = copy_of(y), ('%s (%s), %s'):format(name, form.text, how)
      torch.manualSeed(3)
      local ok, why = pcall(op.func(name), unpack(args, 1, n))
      if REFUSED[name] then
         assert(not ok and tostring(why):find 'several elements share one place; clone it first', what .. ': ' .. tostring(why))
         refused = refused + 1
      else
         assert(ok, what .. ': ' .. tostring(why))
         write(before, like)
         tried = tried + 1
      end
      assert(bytes(before) == bytes(y), what .. ' has written something else')
   end
   for _, name in ipairs(op.names()) do
      it(name, function()
         draw.seed(name)
         for _, form in ipairs(op.forms(name)) do
            local good = draw.good(name, form, { kind = kind_of(form), layout = 'contiguous', rows = 3, cols = 5, dim = 1 })
            torch.manualSeed(3)
            local given, first = results_of(name, form, good)
            local like = given[first]
            if torch.isTensor(like) and (form.args[1].word ~= 'inout' or REFUSED[name]) then
               for _, how in ipairs { 'expanded', 'unfold', 'near' } do try(name, form, good, like, given, first, how) end
            end
         end
      end)
   end
   it('was tried for many ops', function()
      assert.is_true(tried > 300, tostring(tried))
      assert.is_true(refused > 20, tostring(refused))
   end)
end)

-- ---- random views ------------------------------------------------------------------------------------------------------

local THREADS = { 1, 2, 4 }

-- Calls f for 1, 2 and 4 threads.
local function with_threads(f)
   local before = torch.getnumthreads()
   for _, threads in ipairs(THREADS) do
      torch.setnumthreads(threads)
      local ok, why = pcall(f)
      torch.setnumthreads(before)
      if not ok then error(('%d threads: %s'):format(threads, tostring(why)), 0) end
   end
end

local function fill_with_numbers(x, whole)
   local s = x:storage()
   local numbers = torch.DoubleStorage(#s)
   for i = 1, #s do numbers[i] = whole and draw.whole(7) or draw.whole(4096) / 2048 - 0.5 end
   s:copy(numbers)
   return x
end

-- A view of random sizes and strides, most of which overlap; `count` limits the elements.
local function random_view(kind, most)
   local size, stride, reach, count = {}, {}, 0, 1
   for d = 1, draw.whole(3) do
      size[d], stride[d] = draw.whole(5), draw.whole(6) - 1
      if count * size[d] > most then size[d] = 1 end
      count, reach = count * size[d], reach + (size[d] - 1) * stride[d]
   end
   local offset = draw.whole(3)
   local x = torch[kind .. 'Tensor'](torch[kind .. 'Storage'](reach + offset + 1), offset, torch.LongStorage(size),
      torch.LongStorage(stride))
   return fill_with_numbers(x, dtype.id[kind] < dtype.id.Half)
end

-- Element k of x as a tensor of one element, in row-major order.
local function element(x, k)
   local places = places_of(x)
   return x.new(x:storage(), places[k] + 1, torch.LongStorage { 1 }, torch.LongStorage { 1 })
end

describe('in place, on random views, each element of the result is made from what is there then:', function()
   local tried, failed = 0, 0
   local function try(name, form, kind)
      local y = random_view(kind, 40)
      local n = y:nElement()
      local cols = y:size(y:dim())
      local good = draw.good(name, form, { kind = kind, layout = draw.pick { 'contiguous', 'transposed' }, rows = n / cols, cols = cols,
         dim = 1 })
      local first, shaped = form.args[1].name, form.args[1].word == 'self'      -- the first input gives the result its size
      for _, a in ipairs(form.args) do shaped = shaped and a.default ~= first end
      local function run(call, result, of)
         local given = { [first] = result }
         for _, a in ipairs(form.args) do if a.default == first then given[a.name] = result end end
         local one = {}
         for _, a in ipairs(form.args) do
            local v = good[a.name]
            if given[a.name] == nil then one[a.name] = torch.isTensor(v) and of(v) or v end
         end
         local args, m = arguments(form, one, given)
         return pcall(call, unpack(args, 1, m))
      end
      local call, want, right = op.func(name), copy_of(y), true
      for k = 1, n do
         right = right and run(call, element(want, k), function(v) return element(v, k):clone() end)
      end
      if not right then want = copy_of(y) end
      with_threads(function()
         local got = copy_of(y)
         local ok, why = run(call, got, function(v) return shaped and v:contiguous():viewAs(y) or v end)
         local what = ('%s (%s), %sTensor of size %s and strides %s: '):format(name, form.text, kind,
            table.concat(y:size():totable(), 'x'), table.concat(y:stride():totable(), ' '))
         assert(ok == right, what .. tostring(why))
         assert(bytes(want) == bytes(got), what .. 'differs from a loop')
      end)
      if right then tried = tried + 1 else failed = failed + 1 end
   end
   for _, name in ipairs(op.names()) do
      for _, form in ipairs(op.forms(name)) do
         local word = form.args[1].word
         if bit.band(form.op.flags, EACH) ~= 0 and (word == 'self' or word == 'inout') then
            it(form.text:gsub('^%w+:%w+', name .. ' of %0'), function()
               draw.seed(name .. form.text)
               for _, kind in ipairs { 'Float', 'Double', 'Long', 'Int', 'Byte', 'Half' } do
                  if supports(form, kind) then for _ = 1, 6 do try(name, form, kind) end end
               end
            end)
         end
      end
   end
   it('was tried for many calls', function()
      assert.is_true(tried > 1000, tostring(tried))
   end)
   it('or, where an element refuses what was written, the result is as it was', function()
      local x = torch.IntTensor { 3, 5 }
      local y = x.new(x:storage(), 1, torch.LongStorage { 2, 2 }, torch.LongStorage { 0, 1 })
      refuses('cmod: z must not hold 0 for a IntTensor', y.cmod, y, y)
      assert.same({ 3, 5 }, x:totable())
   end)
   it('with inputs that broadcast, have another shape, or are of another type', function()
      draw.seed 'inputs'
      for _ = 1, 200 do
         local y = random_view('Float', 60)
         local rows, cols = y:size():totable(), y:size(y:dim())
         local row, all = fill_with_numbers(torch.FloatTensor(cols)), fill_with_numbers(torch.FloatTensor(y:nElement()))
         local want = copy_of(y)
         for k = 1, y:nElement() do element(want, k):add(2, element(row, (k - 1) % cols + 1)) end
         for k = 1, y:nElement() do element(want, k):cmul(element(all, k)) end
         for k = 1, y:nElement() do element(want, k):add(element(all, k):double():float()) end
         with_threads(function()
            local got = copy_of(y)
            got:add(2, row):cmul(all):add(all:double():view(unpack(rows)):float())
            assert.equal(bytes(want), bytes(got))
         end)
         local half = copy_of(y)
         for k = 1, y:nElement() do element(half, k):copy(element(all:double(), k)) end
         y:copy(all:double())
         assert.equal(bytes(half), bytes(y))
      end
   end)
   it('by functions of Lua', function()
      draw.seed 'functions'
      for _ = 1, 100 do
         local y = random_view('Double', 60)
         local z = fill_with_numbers(torch.DoubleTensor(y:nElement()))
         local want = copy_of(y)
         for k = 1, y:nElement() do
            local e = element(want, k)
            e[1] = e[1] * 0.5 + 1
         end
         for k = 1, y:nElement() do
            local e = element(want, k)
            e[1] = e[1] - z[k]
         end
         y:apply(function(a) return a * 0.5 + 1 end):map(z, function(a, b) return a - b end)
         assert.equal(bytes(want), bytes(y))
      end
   end)
end)

describe('elements of random views are put at places one after another:', function()
   local kinds = { 'Float', 'Long', 'Byte' }
   -- f(y, ...) beside loop(set, ...), where set(k, v, add) writes element k of the result in row-major order.
   local function try(f, loop, y)
      local want = copy_of(y)
      local elements = {}
      for k = 1, y:nElement() do elements[k] = element(want, k) end
      loop(function(k, v, add) elements[k][1] = add and elements[k][1] + v or v end)
      with_threads(function()
         local got = copy_of(y)
         f(got)
         assert(bytes(want) == bytes(got), ('%s, size %s, strides %s'):format(y:type(), table.concat(y:size():totable(), 'x'),
            table.concat(y:stride():totable(), ' ')))
      end)
   end
   -- The number of an element from its indices.
   local function number_of(size, index)
      local k = 0
      for d = 1, #size do k = k * size[d] + index[d] - 1 end
      return k + 1
   end
   -- Calls f(index) for all indices in row-major order; dimension `but` stays as it is.
   local function visit(size, but, f)
      local index = {}
      local function go(d)
         if d > #size then return f(index) end
         if d == but then
            index[d] = 1
            return go(d + 1)
         end
         for i = 1, size[d] do
            index[d] = i
            go(d + 1)
         end
      end
      go(1)
   end
   local function numbers(kind, size)
      local x = torch[kind .. 'Tensor'](unpack(size))
      return fill_with_numbers(x, kind ~= 'Float')
   end
   local function along(size, dim, n)
      local new = { unpack(size) }
      new[dim] = n
      return new
   end
   local function drawn(n, ...)
      local x = torch.LongTensor(...)
      local s = x:storage()
      for i = 1, #s do s[i] = draw.whole(n) end
      return x
   end
   local function with_views(name, f)
      draw.seed(name)
      for _ = 1, 60 do
         for _, kind in ipairs(kinds) do
            local y = random_view(kind, 60)
            f(y, y:size():totable(), kind)
         end
      end
   end

   it('maskedFill and maskedCopy', function()
      with_views('masks', function(y, size, kind)
         local n = y:nElement()
         local mask = drawn(2, n):add(-1):byte()
         local x = numbers(kind, { n + 2 })
         try(function(t) t:maskedFill(mask:view(unpack(size)), 3) end, function(set)
            for k = 1, n do if mask[k] == 1 then set(k, 3) end end
         end, y)
         try(function(t) t:maskedCopy(mask, x) end, function(set)
            local used = 0
            for k = 1, n do
               if mask[k] == 1 then
                  used = used + 1
                  set(k, x[used])
               end
            end
         end, y)
      end)
   end)
   it('indexFill, indexCopy and indexAdd', function()
      with_views('vectors', function(y, size, kind)
         local dim, many = draw.whole(#size), draw.whole(4)
         local given = draw.whole(2) == 1 and dim or dim - #size - 1          -- from the end
         local index = drawn(size[dim], many)
         local from = along(size, dim, many)
         local x = numbers(kind, from)
         local function all(f)
            for i = 1, many do
               visit(size, dim, function(at)
                  at[dim] = i
                  local v = x:storage()[number_of(from, at)]
                  at[dim] = index[i]
                  f(number_of(size, at), v)
               end)
            end
         end
         try(function(t) t:indexFill(given, index, 3) end, function(set) all(function(k) set(k, 3) end) end, y)
         try(function(t) t:indexCopy(given, index, x) end, function(set) all(function(k, v) set(k, v) end) end, y)
         try(function(t) t:indexAdd(given, index, x) end, function(set) all(function(k, v) set(k, v, true) end) end, y)
      end)
   end)
   it('scatter and scatterAdd', function()
      with_views('lines', function(y, size, kind)
         local dim, many = draw.whole(#size), draw.whole(4)
         local given = draw.whole(2) == 1 and dim or dim - #size - 1          -- from the end
         local from = along(size, dim, many)
         local index, x = drawn(size[dim], unpack(from)), numbers(kind, from)
         local function all(f)
            visit(size, dim, function(at)
               for i = 1, many do
                  at[dim] = i
                  local k = number_of(from, at)
                  at[dim] = index:storage()[k]
                  f(number_of(size, at), x:storage()[k])
               end
            end)
         end
         try(function(t) t:scatter(given, index, 3) end, function(set) all(function(k) set(k, 3) end) end, y)
         try(function(t) t:scatter(given, index, x) end, function(set) all(function(k, v) set(k, v) end) end, y)
         try(function(t) t:scatterAdd(given, index, x) end, function(set) all(function(k, v) set(k, v, true) end) end, y)
      end)
   end)
   it('what the result itself gives is read before the call', function()
      local x = torch.Tensor { 1, 2, 3, 4 }
      local y = x:unfold(1, 2, 1)
      y:indexCopy(1, torch.LongTensor { 1 }, x:narrow(1, 3, 2):view(1, 2))
      assert.same({ 3, 4, 3, 4 }, x:totable())
      x:unfold(1, 3, 1):copy(torch.cat(x:narrow(1, 2, 3), x:narrow(1, 1, 3)))
      assert.same({ 4, 3, 4, 3 }, x:totable())
   end)
end)

describe('random numbers are drawn for each element of a view, and the last one of a place stays:', function()
   for _, f in ipairs { 'uniform', 'normal', 'random', 'bernoulli', 'cauchy', 'exponential', 'geometric', 'logNormal' } do
      it(f, function()
         draw.seed(f)
         local p = (f == 'geometric' or f == 'bernoulli' or f == 'exponential') and 0.5 or nil
         for seed = 1, 20 do
            local y = random_view('Double', 60)
            torch.manualSeed(seed)
            local drawn = torch.DoubleTensor(y:nElement())
            drawn[f](drawn, p)
            local want, after = copy_of(y), torch.normal()
            write(want, drawn)
            with_threads(function()
               local got = copy_of(y)
               torch.manualSeed(seed)
               got[f](got, p)
               assert.equal(bytes(want), bytes(got))
               assert.equal(after, torch.normal())
            end)
         end
      end)
   end
end)

describe('a result that overlaps itself', function()
   it('adds frames to a signal', function()
      local x = torch.zeros(8)
      x:unfold(1, 4, 2):add(torch.Tensor { { 1, 2, 3, 4 }, { 10, 20, 30, 40 }, { 100, 200, 300, 400 } })
      assert.same({ 1, 2, 13, 24, 130, 240, 300, 400 }, x:totable())
   end)
   it('counts the elements of an expanded tensor', function()
      local x = torch.zeros(1)
      assert.same({ 3, 3, 3 }, x:expand(3):add(1):totable())
      assert.same({ 24 }, x:expand(3):mul(2) and x:totable())
   end)
   it('keeps the last of the values that are copied to a place', function()
      local x = torch.zeros(4)
      x:unfold(1, 2, 1):copy(torch.range(1, 6))
      assert.same({ 1, 3, 5, 6 }, x:totable())
   end)
   it('is the same for any number of threads where slices are large', function()
      local n, window, step = 4, 150000, 50000
      local frames, total = torch.FloatTensor(n, window):uniform(), (n - 1) * step + window
      local want = torch.FloatTensor(total):fill(0.1)
      local p, q = want:storage():data(), frames:storage():data()
      for k = 0, n - 1 do for i = 0, window - 1 do p[k * step + i] = p[k * step + i] + q[k * window + i] end end
      for k = 0, n - 1 do for i = 0, window - 1 do p[k * step + i] = p[k * step + i] * 1.5 end end
      with_threads(function()
         local got = torch.FloatTensor(total):fill(0.1)
         got:unfold(1, window, step):add(frames):mul(1.5)
         assert.is_true(want:equal(got))
      end)
   end)
   it('may have 16 dimensions', function()
      local size, stride = {}, {}
      for d = 1, 16 do size[d], stride[d] = 2, 2 ^ 16 + d * d * d end
      local y = torch.ByteTensor(torch.ByteStorage(2 ^ 21):fill(0), 1, torch.LongStorage(size), torch.LongStorage(stride))
      local before = os.clock()
      y:add(1)
      assert.is_true(os.clock() - before < patience(2))
      assert.equal(2 ^ 16, torch.ByteTensor(y:storage()):sum())
   end)
end)

describe('which views have elements that share places', function()
   -- By trying all of them.
   local function truly(size, stride)
      local seen, n = {}, #size
      local function visit(d, at)
         if d > n then
            if seen[at] then return true end
            seen[at] = true
            return false
         end
         for i = 0, size[d] - 1 do if visit(d + 1, at + i * stride[d]) then return true end end
         return false
      end
      return visit(1, 0)
   end
   it('is known exactly', function()
      draw.seed 'views'
      local both = { [true] = 0, [false] = 0 }
      for _ = 1, 3000 do
         local size, stride, reach = {}, {}, 0
         for d = 1, draw.whole(4) do
            size[d], stride[d] = draw.whole(5), draw.whole(13) - 1
            reach = reach + (size[d] - 1) * stride[d]
         end
         local want = truly(size, stride)
         local y = torch.FloatTensor(torch.FloatStorage(reach + 1), 1, torch.LongStorage(size), torch.LongStorage(stride))
         local ok, why = pcall(y.rmsprop_step, y, torch.FloatTensor(y:nElement()), torch.FloatTensor(y:nElement()), 1)
         assert(ok ~= want, ('sizes %s, strides %s: %s'):format(table.concat(size, ' '), table.concat(stride, ' '), tostring(why)))
         both[want] = both[want] + 1
      end
      assert.is_true(both[true] > 300 and both[false] > 300)
   end)
   it('does not count elements of dimensions of size 1 and of empty tensors', function()
      local x = torch.zeros(3)
      x.new(x:storage(), 1, torch.LongStorage { 1, 3 }, torch.LongStorage { 0, 1 }):add(1)
      assert.same({ 1, 1, 1 }, x:totable())
   end)
end)

describe('filling a view whose elements share places', function()
   it('sets them all', function()
      local x = torch.zeros(10)
      x:unfold(1, 3, 1):narrow(1, 1, 4):fill(7)
      assert.same({ 7, 7, 7, 7, 7, 7, 0, 0, 0, 0 }, x:totable())
      x:unfold(1, 2, 1):zero()
      assert.equal(0, x:sum())
      torch.zeros(1):expand(5):fill(3)
   end)
end)

describe('an input that shares some places with the result', function()
   -- As if the input had been copied first.
   local function copied_first(f)
      for _, threads in ipairs { 1, 2, 4 } do
         torch.setnumthreads(threads)
         for _, shift in ipairs { -1, 1, 3, -1000 } do
            local x, n = torch.range(1, 200000), 150000
            local y, from = x:narrow(1, 1001, n), x:narrow(1, 1001 + shift, n)
            local want = f(torch.range(1001, 1000 + n), from:clone())
            f(y, from)
            assert(want:equal(y), ('%d threads, shifted by %d'):format(threads, shift))
         end
      end
   end
   local before = torch.getnumthreads()
   teardown(function() torch.setnumthreads(before) end)
   it('is read as it was before the call', function()
      copied_first(function(y, x) return y:copy(x) end)
      copied_first(function(y, x) return y:add(x) end)
      copied_first(function(y, x) return y:cmul(x) end)
      copied_first(function(y, x) return torch.exp(y, x:div(1e6)) end)
      copied_first(function(y, x) return torch.cumsum(y, x, 1) end)
      copied_first(function(y, x) return y:addcmul(2, x, x) end)
      copied_first(function(y, x) return y:map(x, function(_, b) return b end) end)
   end)
   it('is read as it was when it is the result turned round', function()
      local x = torch.randn(300, 300)
      local want = x:t():clone()
      x:copy(x:t())
      assert(want:equal(x))
   end)
end)
