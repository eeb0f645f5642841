-- test/overlap_spec.lua - results whose elements share places in memory, and inputs that share some with the result.
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'torch.lib'.C
local draw = require 'test.draw'
local dtype = require 'torch.dtype'
local op = require 'torch.op'
local refuses = require 'test.refuses'

local FREE = { fill = true, zero = true }    -- every place gets the same number, whatever the order

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

local function bytes(x)
   local s = x:storage()
   return s and ffi.string(s:data(), #s * x:elementSize()) or ''
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

describe('a result whose elements share places is refused, and nothing is written:', function()
   local tried = 0
   for _, name in ipairs(op.names()) do
      it(name, function()
         draw.seed(name)
         for _, form in ipairs(op.forms(name)) do
            local good = draw.good(name, form, { kind = kind_of(form), layout = 'contiguous', rows = 3, cols = 5, dim = 1 })
            local given, first = results_of(name, form, good)
            local like = given[first]
            if torch.isTensor(like) and not FREE[name] then
               for _, how in ipairs { 'expanded', 'unfold', 'near' } do
                  local y = overlapping(like, how)
                  if y then
                     given[first] = y
                     local args, n = arguments(form, good, given)
                     local before = bytes(y)
                     local ok, why = pcall(op.func(name), unpack(args, 1, n))
                     assert(not ok, ('%s (%s) wrote into a result that is %s'):format(name, form.text, how))
                     assert(tostring(why):find 'share one place', ('%s (%s), %s: %s'):format(name, form.text, how, tostring(why)))
                     assert.equal(before, bytes(y))
                     tried = tried + 1
                  end
               end
            end
         end
      end)
   end
   it('was tried for many ops', function() assert.is_true(tried > 300, tostring(tried)) end)

   it('results given to functions that make them', function()
      local x = torch.randn(4, 3)
      local function shared() return torch.zeros(20):unfold(1, 3, 1):narrow(1, 1, 4) end
      for _, f in ipairs { 'add', 'mul', 'pow', 'div' } do refuses('result', torch[f], shared(), x, 2) end
      for _, f in ipairs { 'exp', 'sqrt', 'abs', 'sigmoid', 'floor', 'sign', 'tril' } do refuses('share one place', torch[f], shared(), x) end
      refuses('share one place', torch.cmul, shared(), x, x)
      refuses('share one place', torch.mm, torch.zeros(20):unfold(1, 3, 1):narrow(1, 1, 3), x:t(), x)
      refuses('share one place', torch.sort, shared(), torch.LongTensor(), x, 1)
      refuses('share one place', torch.cumsum, shared(), x, 1)
      refuses('share one place', torch.index, shared(), x, 1, torch.LongTensor { 1, 2, 3, 4 })
   end)
   it('random numbers', function()
      for _, f in ipairs { 'uniform', 'normal', 'random', 'bernoulli', 'cauchy', 'exponential', 'geometric', 'logNormal' } do
         local x = torch.zeros(20):unfold(1, 3, 1)
         if f == 'geometric' or f == 'bernoulli' or f == 'exponential' then refuses('share one place', x[f], x, 0.5)
         else refuses('share one place', x[f], x, 1, 2) end
      end
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
         local y = torch.ByteTensor(torch.ByteStorage(reach + 1), 1, torch.LongStorage(size), torch.LongStorage(stride))
         local ok, why = pcall(y.add, y, 1)
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
   it('is said at once for 16 dimensions', function()
      local size, stride = {}, {}
      for d = 1, 16 do size[d], stride[d] = 2, 2 ^ 16 + d * d * d end
      local y = torch.ByteTensor(torch.ByteStorage(2 ^ 21), 1, torch.LongStorage(size), torch.LongStorage(stride))
      local before = os.clock()
      pcall(y.add, y, 1)
      assert.is_true(os.clock() - before < 1)
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
