-- test/op/limits_spec.lua - sizes beyond what an op can count are refused, and large results are right.
local torch = require 'torch'
local refuses = require 'test.support.refuses'

-- A tensor of any size that holds one element.
local function wide(class, ...) return torch[class .. 'Tensor'](1):fill(1):expand(torch.LongStorage { ... }) end

describe('what an op cannot count is refused by', function()
   local f = torch.FloatTensor
   local function refused(name, text, ...)
      local args, n = { ... }, select('#', ...)
      it(name .. ': ' .. text, function() refuses(text, torch[name], unpack(args, 1, n)) end)
   end
   local line = wide('Byte', 2 ^ 31 + 10)
   for _, name in ipairs { 'sort', 'median', 'mode' } do
      refused(name, 'x must have at most 2147483647 elements along dimension 1, got size 2147483658', line)
   end
   refused('topk', 'x must have at most 2147483647 elements along dimension 1', line, 1)
   refused('kthvalue', 'x must have at most 2147483647 elements along dimension 1', line, 1)
   refused('fractionalmaxpool2d', 'x must have planes of fewer than 2^31 pixels, got size 1x65536x65536',
      wide('Float', 1, 65536, 65536), f(1, 1, 2):fill(0.5), 2, 2, 2, 2)
   refused('image_scale', 'a result of 65536 x 65536 pixels is too large', f(1, 4, 4), 65536, 65536)
   refused('image_scale', 'must have planes of fewer than 2^31 pixels', wide('Float', 1, 2 ^ 25, 2 ^ 25), 2, 2)
   refused('image_warp', 'a field of size 2x2x4x4 needs as many pictures, got x of size 3x1x4x4', f(3, 1, 4, 4), f(2, 2, 4, 4))
   refused('image_warp', 'a field of size 2x2x4x4 needs as many pictures, got x of size 1x4x4', f(1, 4, 4), f(2, 2, 4, 4))
   refused('ctc_loss', 'x must have steps, samples and classes, got size 0x2x3', f(0, 2, 3), torch.LongTensor(2, 1))
   refused('batchnorm', 'runningMean is expanded: several elements share one place; clone it first', f(4, 5):fill(1), nil, nil,
      f(1):zero():expand(5), f(5):fill(1), true)
   refused('embedding', 'the result would have more than 16 dimensions', f(3, 2),
      torch.LongTensor():resize(torch.LongStorage(16):fill(1)):fill(1))
   refused('conv2d', 'must be at least as large as the kernel of weight, 1x1x0x0', f(1, 1, 4, 4), f(1, 1, 0, 0))
   refused('histc', 'out of memory', f(5):fill(1), 2 ^ 45)
end)

-- Past the caches: results that are larger than half of the largest cache.
describe('a result that is larger than the caches', function()
   local p = io.popen 'getconf LEVEL3_CACHE_SIZE 2>/dev/null'
   local cache = tonumber(p:read '*a') or 0
   p:close()
   local n = math.floor((cache > 0 and cache / 2 or 16 * 2 ^ 20) / 8) + 4099
   local rows, cols = 8, math.ceil(n / 8)
   local x
   setup(function()
      x = torch.DoubleTensor(rows, cols)
      x:copy(torch.range(1, cols):view(1, cols):expand(rows, cols))
      x:select(2, 1):copy(torch.range(1, rows))

   end)
   teardown(function()
      x = nil
      collectgarbage()
   end)
   local function right(y, factor, what)
      assert.equal(factor * cols, y[1][cols], what)
      assert.equal(factor * cols, y[rows][cols], what)
      assert.equal(factor * rows, y[rows][1], what)
      local sum = (cols * (cols + 1) / 2 - 1) * rows + rows * (rows + 1) / 2
      assert.equal(factor * sum, y:sum(), what)
   end
   it('of clone and copy is that of small ones', function()
      right(x:clone(), 1, 'clone')
      right(torch.FloatTensor(rows, cols):copy(x):double(), 1, 'two types')
   end)
   it('of a pointwise op is that of small ones, into rows that lie together or apart', function()
      right(torch.mul(x, 2), 2, 'together')
      local apart = torch.DoubleTensor(rows, cols + 1):zero()
      local y = apart:narrow(2, 1, cols)
      y:mul(x, 2)
      right(y, 2, 'apart')
      assert.equal(0, apart:select(2, cols + 1):sum())
      right(x:clone():mul(2), 2, 'in place')
      local halves = torch.HalfTensor(4 * rows, cols):fill(3)
      assert.equal(6, torch.mul(halves, 2):float():max())
   end)
   it('of a comparison is that of small ones', function()
      local y = torch.gt(x:view(-1):view(1, -1):expand(8, rows * cols), 1)
      assert.equal(8 * (rows * cols - 1), y:sum())
   end)
end)
