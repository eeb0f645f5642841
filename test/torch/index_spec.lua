-- test/torch/index_spec.lua - reading and writing through x[...].
local torch = require 'torch'

local function matrix() return torch.DoubleTensor { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } } end

local refuses = require 'test.support.refuses'

describe('x[i]', function()
   it('is the element of a vector and the slice of a matrix', function()
      local x = matrix()
      assert.same({ 5, 6, 7, 8 }, x[2]:totable())
      assert.equal(7, x[2][3])
   end)
   it('counts from the end with negative places', function()
      assert.equal(12, matrix()[-1][-1])
   end)
   it('refuses every place of an empty tensor, which has no storage', function()
      refuses('index must lie in 1..0', function() return torch.Tensor()[1] end)
      refuses('index must lie in 1..0', function() torch.Tensor()[1] = 5 end)
   end)
   it('reads and writes every type', function()
      for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
         local x = torch[name .. 'Tensor'](3)
         x[2] = 5
         assert.same({ 0, 5, 0 }, x:totable())
      end
   end)
   it('wraps what does not fit an integer type, and truncates fractions', function()
      local x = torch.ByteTensor(1)
      x[1] = 257
      assert.equal(1, x[1])
      x[1] = -1
      assert.equal(255, x[1])
      x[1] = 2.9
      assert.equal(2, x[1])
   end)
   it('is refused outside, at NaN, and beyond 2^53', function()
      local x = matrix()
      for _, i in ipairs { 0, 5, -5, 0.5, 0 / 0, 2 ^ 53, math.huge } do
         refuses('index must lie in 1..3 in dimension 1 of a tensor of size 3x4', function() return x[i] end)
         refuses('index must lie in 1..3 in dimension 1', function() x[i] = 1 end)
         refuses('index must lie in 1..4 in dimension 1', function() x[1][i] = 1 end)
      end
      refuses('index must be a number, a table, a LongStorage', function() return x[true] end)
      refuses('value must be a number or a tensor, got a string', function() x[1] = 'a' end)
      assert.same(matrix():totable(), x:totable())
   end)
   it('is refused on an empty tensor and on one without dimensions', function()
      refuses('index must lie in 1..0', function() return torch.Tensor()[1] end)
      refuses('a tensor without dimensions has no index', function() return torch.tensor(1)[1] end)
   end)
   it('compiles: a loop over elements becomes a trace that loops', function()
      local util, loops = require 'jit.util', 0
      local function watch(what, trace)
         if what == 'stop' and util.traceinfo(trace).linktype == 'loop' then loops = loops + 1 end
      end
      local x, s = torch.FloatTensor(100), 0
      jit.attach(watch, 'trace')
      for i = 1, 100 do x[i] = i end
      for _ = 1, 100 do for i = 1, 100 do s = s + x[i] end end
      jit.attach(watch)
      assert.equal(505000, s)
      assert.is_true(loops >= 1)
   end)
end)

describe('x[{...}]', function()
   it('is an element when every place is a number', function() assert.equal(7, matrix()[{ 2, 3 }]) end)
   it('is a view when ranges are among them', function()
      assert.same({ 2, 6, 10 }, matrix()[{ {}, 2 }]:totable())
      assert.same({ { 6, 7 }, { 10, 11 } }, matrix()[{ { 2, 3 }, { 2, 3 } }]:totable())
      assert.same({ { 7, 8 } }, matrix()[{ { -2 }, { -2, -1 } }]:totable())
   end)
   it('writes numbers and tensors', function()
      local x = matrix()
      x[{ {}, 1 }] = 0
      x[{ 1, { 2, 3 } }] = torch.DoubleTensor { 20, 30 }
      x[{ 3, 4 }] = 40
      assert.same({ { 0, 20, 30, 4 }, { 0, 6, 7, 8 }, { 0, 10, 11, 40 } }, x:totable())
   end)
   it('refuses too many places, bad ranges and other things', function()
      local x = matrix()
      refuses('3 indices are too many for a tensor of size 3x4', function() return x[{ 1, 1, 1 }] end)
      refuses('range must lie in 1..4 in dimension 2, got 3 to 5', function() return x[{ {}, { 3, 5 } }] end)
      refuses('range must lie in 1..4 in dimension 2, got 3 to 2', function() return x[{ {}, { 3, 2 } }] end)
      refuses('index 2 must be a number or a table, got a string', function() return x[{ 1, 'a' }] end)
      refuses('a range has at most two ends, got 3', function() return x[{ { 1, 2, 3 } }] end)
   end)
end)

describe('x[mask] and x[indices]', function()
   it('select elements by a ByteTensor', function()
      local x = matrix()
      assert.same({ 9, 10, 11, 12 }, x[torch.gt(x, 8)]:totable())
      x[torch.gt(x, 8)] = 0
      assert.same({ 0, 0, 0, 0 }, x[3]:totable())
      x[torch.eq(x, 0)] = torch.DoubleTensor { 1, 2, 3, 4 }
      assert.same({ 1, 2, 3, 4 }, x[3]:totable())
   end)
   it('select rows by a LongTensor', function()
      assert.same({ { 9, 10, 11, 12 }, { 1, 2, 3, 4 } }, matrix()[torch.LongTensor { 3, 1 }]:totable())
   end)
   it('read an element by a LongStorage', function()
      assert.equal(8, matrix()[torch.LongStorage { 2, 4 }])
   end)
   it('refuse other types', function()
      refuses('index must be a number, a table, a LongStorage, a ByteTensor or a LongTensor, got a torch.FloatTensor',
         function() return matrix()[torch.FloatTensor { 1 }] end)
   end)
end)
