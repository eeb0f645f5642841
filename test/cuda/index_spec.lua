-- test/cuda/index_spec.lua - indices and masks on CUDA devices: refusals, and the order of writes to equal indices.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('places', describe, pending) then return end

local function L(t) return torch.CudaLongTensor(t) end

describe('a place outside', function()
   local x, y
   before_each(function() x, y = torch.CudaTensor{ { 1, 2 }, { 3, 4 } }, torch.CudaTensor{ 7 } end)

   local function unchanged()
      assert.same({ { 1, 2 }, { 3, 4 } }, x:totable())
      assert.same({ 7 }, y:totable())
   end
   -- Calls with an index out of bounds: of x, a matrix of 2 x 2, and y.
   local bad, wide = L{ 1, 3 }, L{ { 1, 2 }, { 0, 2 } }
   local calls = {
      { 'index: index must lie in 1..2, got 3 at place 2 of index', function(a, b) torch.index(b, a, 1, bad) end },
      { 'indexCopy: index must lie in 1..2, got 3 at place 2 of index', function(a) a:indexCopy(1, bad, a) end },
      { 'indexAdd: index must lie in 1..2, got 3 at place 2 of index', function(a) a:indexAdd(2, bad, a) end },
      { 'indexFill: index must lie in 1..2, got 3 at place 2 of index', function(a) a:indexFill(1, bad, 5) end },
      { 'gather: index must lie in 1..2, got 0 at place 3 of index', function(a, b) torch.gather(b, a, 1, wide) end },
      { 'scatter: index must lie in 1..2, got 0 at place 3 of index', function(a) a:scatter(1, wide, a) end },
      { 'scatter: index must lie in 1..2, got 0 at place 3 of index', function(a) a:scatter(2, wide, 5) end },
      { 'scatterAdd: index must lie in 1..2, got 0 at place 3 of index', function(a) a:scatterAdd(2, wide, a) end },
      { 'embedding: index must lie in 1..2, got 3 at place 2 of index', function(a, b) torch.embedding(b, a, bad) end },
      { 'embedding_grad: index must lie in 1..2, got 3 at place 2 of index', function(a) a:embedding_grad(bad, a) end },
      { 'pick_grad: index must lie in 1..2, got 3 at place 1 of index', function(a)
         torch.pick_grad(a, 1, L{ { 3, 1 } }, torch.CudaTensor{ { 3, 1 } })
      end },
   }
   it('is refused by every op that takes places at the next wait, once; only the result has changed', function()
      for _, call in ipairs(calls) do
         local around = torch.CudaTensor(6, 2):fill(7)
         local middle = around:narrow(1, 3, 2)
         local why = device.refuses(call[1], call[2], middle, torch.CudaTensor{ 7 })
         assert.truthy(why:find('(found after the call, when cutorch.synchronize waited for the device;', 1, true), why)
         device.cutorch.synchronize()
         for _, row in ipairs { 1, 2, 5, 6 } do assert.same({ 7, 7 }, around[row]:totable(), call[1]) end
         assert.same({ 1, 3 }, bad:totable())
         assert.same({ { 1, 2 }, { 0, 2 } }, wide:totable())
      end
   end)
   it('is refused by the call itself where the host waits for each, and nothing has changed', function()
      device.cutorch.setSynchronous(true)
      finally(function() device.cutorch.setSynchronous(false) end)
      for _, call in ipairs(calls) do
         refuses(call[1], call[2], x, y)
         unchanged()
      end
   end)
   it('leaves the device usable', function()
      for _ = 1, 3 do
         device.refuses('index: index must lie in 1..2, got 1099511627776 at place 1', torch.index, x, 1, L{ 2 ^ 40, -1 })
      end
      unchanged()
      assert.same({ { 3, 4 }, { 1, 2 } }, x:index(1, L{ 2, 1 }):totable())
   end)
   it('is no index where it lies on another device, or is no LongTensor of the CPU', function()
      refuses('index: index must be on CUDA device 1 like x, got one on the CPU', torch.index, x, 1, torch.FloatTensor{ 1 })
      refuses('index: index must be on CUDA device 1 like x, got one on the CPU', torch.index, x, 1, torch.IntTensor{ 1 })
      refuses('index: index must be on the CPU like x, got one on CUDA device 1', torch.index, x:float(), 1, L{ 1 })
      if device.cutorch.getDeviceCount() > 1 then
         local there = device.cutorch.withDevice(2, function() return L{ 1 } end)
         refuses('index: index must be on CUDA device 1 like x, got one on CUDA device 2', torch.index, x, 1, there)
      end
      device.refuses('index must lie in 1..2, got 0 at place 1 of index', torch.index, x, 1, torch.CudaTensor{ 0.5 })
      device.refuses('index must lie in 1..2, got -9223372036854775808 at place 1 of index', torch.index, x, 1, torch.CudaTensor{ 0 / 0 })
      refuses('index must lie in 1..2, got 3 at place 2 of index', torch.index, x, 1, torch.LongTensor{ 1, 3 })
      unchanged()
   end)
end)

describe('a mask', function()
   local x
   before_each(function() x = torch.CudaTensor{ 1, 2, 3 } end)

   it('that holds more than 0 and 1 is refused', function()
      local bad = torch.CudaByteTensor{ 1, 0, 2 }
      device.refuses('maskedFill: mask must hold only 0 and 1, got 2 at place 3', x.maskedFill, x:clone(), bad, 0)
      refuses('maskedSelect: mask must hold only 0 and 1, got 2 at place 3', torch.maskedSelect, x, bad)
      refuses('maskedCopy: mask must hold only 0 and 1, got 2 at place 3', x.maskedCopy, x, bad, x)
      assert.same({ 1, 2, 3 }, x:totable())
   end)
   it('of another size, or that asks for more than there is, is refused', function()
      local small, two = torch.CudaByteTensor{ 1, 0 }, torch.CudaByteTensor{ 1, 0, 1 }
      refuses('mask must have as many elements as the tensor of size 3, got size 2', torch.maskedSelect, x, small)
      refuses('x must have at least the 2 elements that mask asks for, got size 1', x.maskedCopy, x, two, torch.CudaTensor{ 9 })
      assert.same({ 1, 2, 3 }, x:totable())
   end)
   it('of zeros picks nothing', function()
      assert.equal(0, x:maskedSelect(x:gt(5)):nElement())
      assert.equal(0, torch.nonzero(x:gt(5)):nElement())
      assert.same({ 2, 3 }, x[x:gt(1)]:totable())
   end)
   it('picks in order from thousands, wherever they lie', function()
      local many = torch.CudaTensor(90, 70):uniform()
      local host, mask = many:float(), many:gt(0.4)
      assert.same(host:maskedSelect(mask:byte():host()):totable(), many:maskedSelect(mask):totable())
      assert.same(host:t():maskedSelect(mask:host():t()):totable(), many:t():maskedSelect(mask:t()):totable())
      assert.same(torch.nonzero(mask:host()):totable(), torch.nonzero(mask):totable())
   end)
end)

-- Thousands of places, each named many times, on the device and on the CPU: not one bit may differ.
describe('a place named twice', function()
   local function both(size, sizes, f)
      torch.manualSeed(3)
      local x, v = torch.FloatTensor(unpack(size)):uniform(), torch.FloatTensor(unpack(sizes)):uniform()
      local places = torch.LongTensor(unpack(sizes)):random(40)
      local want = f(x:clone(), places, v):totable()
      for _ = 1, 2 do assert.same(want, f(x:cuda(), places:cudaLong(), v:cuda()):totable()) end
   end
   it('gets everything that is added, in order', function()
      both({ 40, 3 }, { 3000, 3 }, function(x, i, v) return x:indexAdd(1, i:select(2, 1), v) end)
      both({ 3, 40 }, { 3, 1500 }, function(x, i, v) return x:scatterAdd(2, i, v) end)
      both({ 40, 3 }, { 1500, 3 }, function(x, i, v) return x:scatterAdd(1, i, v) end)
      both({ 40, 5 }, { 2500, 5 }, function(x, i, v) return x:embedding_grad(i:select(2, 2), v, 1, 7) end)
      both({ 40, 5 }, { 2500, 5 }, function(x, i, v) return torch.index_grad(x, 1, i:select(2, 2), v) end)
   end)
   it('keeps what was put last', function()
      both({ 40, 3 }, { 3000, 3 }, function(x, i, v) return x:indexCopy(1, i:select(2, 1), v) end)
      both({ 3, 40 }, { 3, 1500 }, function(x, i, v) return x:scatter(2, i, v) end)
   end)
end)

describe('an index', function()
   local long = torch.LongTensor{ 3, 1 }
   local kinds = { long, long:cudaLong(), long:cuda(), long:cudaDouble(), long:cudaInt(),
      torch.LongTensor{ { 3, 9 }, { 1, 9 } }:select(2, 1) }

   local function each(want, f)
      for _, kind in ipairs { 'Cuda', 'CudaDouble', 'CudaHalf', 'CudaLong', 'CudaByte' } do
         for i, index in ipairs(kinds) do
            local x = torch.range(1, 3):type('torch.' .. kind .. 'Tensor')
            local v = torch.Tensor{ 8, 9 }:type(x:type())
            assert.same(want, f(x, index, v):totable(), ('%s, index %d'):format(kind, i))
         end
      end
   end
   it('may be a LongTensor of the CPU or any tensor of the device', function()
      each({ 3, 1 }, function(x, i) return x:index(1, i) end)
      each({ 3, 1 }, function(x, i) return x.new():index(x, 1, i) end)
      each({ 9, 2, 8 }, function(x, i, v) return x:indexCopy(1, i, v) end)
      each({ 10, 2, 11 }, function(x, i, v) return x:indexAdd(1, i, v) end)
      each({ 7, 2, 7 }, function(x, i) return x:indexFill(1, i, 7) end)
      each({ 3, 1 }, function(x, i) return x:gather(1, i) end)
      each({ 9, 2, 8 }, function(x, i, v) return x:scatter(1, i, v) end)
      each({ 7, 2, 7 }, function(x, i) return x:scatter(1, i, 7) end)
   end)
   it('of nn.LookupTable may be so too', function()
      require 'nn'
      local m = nn.LookupTable(4, 2):cuda()
      m.weight:copy(torch.range(1, 8):view(4, 2))
      for _, index in ipairs(kinds) do
         assert.same({ { 5, 6 }, { 1, 2 } }, m:forward(index):totable())
         m:zeroGradParameters()
         m:backward(index, torch.CudaTensor(2, 2):fill(1))
         assert.same({ { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 0 } }, m.gradWeight:totable())
      end
   end)
end)

describe('a mask', function()
   local bytes = torch.ByteTensor{ 1, 0, 1 }
   local kinds = { bytes, bytes:cudaByte(), bytes:cuda(), bytes:cudaDouble(), bytes:cudaInt() }

   local function each(want, f)
      for _, kind in ipairs { 'Cuda', 'CudaDouble', 'CudaHalf', 'CudaLong', 'CudaByte' } do
         for i, mask in ipairs(kinds) do
            local x = torch.range(1, 3):type('torch.' .. kind .. 'Tensor')
            local v = torch.Tensor{ 8, 9 }:type(x:type())
            assert.same(want, f(x, mask, v):totable(), ('%s, mask %d'):format(kind, i))
         end
      end
   end
   it('may be a ByteTensor of the CPU or any tensor of the device', function()
      each({ 1, 3 }, function(x, m) return x:maskedSelect(m) end)
      each({ 1, 3 }, function(x, m) return x.new():maskedSelect(x, m) end)
      each({ 7, 2, 7 }, function(x, m) return x:maskedFill(m, 7) end)
      each({ 8, 2, 9 }, function(x, m, v) return x:maskedCopy(m, v) end)
   end)
   it('may be so in x[mask]', function()
      each({ 1, 3 }, function(x, m) return x[m] end)
      each({ 7, 2, 7 }, function(x, m)
         x[m] = 7
         return x
      end)
      each({ 8, 2, 9 }, function(x, m, v)
         x[m] = v
         return x
      end)
   end)
   it('of floats is 1 wherever it is not 0', function()
      assert.same({ 2, 3 }, torch.CudaTensor{ 1, 2, 3 }:maskedSelect(torch.CudaTensor{ 0, 0.5, -7 }):totable())
   end)
   it('of other types of the CPU is refused, and so are bytes above 1', function()
      local x = torch.CudaTensor{ 1, 2, 3 }
      refuses('maskedSelect: mask must be on CUDA device 1 like x, got one on the CPU', x.maskedSelect, x, torch.IntTensor{ 1, 0, 1 })
      refuses('maskedFill: mask must hold only 0 and 1, got 2 at place 2', x.maskedFill, x, torch.ByteTensor{ 1, 2, 0 }, 5)
      refuses('mask must have as many elements as the tensor of size 3, got size 2', x.maskedFill, x, torch.ByteTensor{ 1, 0 }, 5)
      assert.same({ 1, 2, 3 }, x:totable())
   end)
end)

describe('rows', function()
   local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end
   local KINDS = { Float = 'CudaTensor', Double = 'CudaDoubleTensor', Half = 'CudaHalfTensor', Byte = 'CudaByteTensor' }
   local function pair(kind, ...)
      local x = torch.DoubleTensor(...):random(0, 99):type('torch.' .. kind .. 'Tensor')
      return x, torch[KINDS[kind]](x:size()):copy(x)
   end
   before_each(function() torch.manualSeed(4) end)

   it('are copied for every width and alignment, from one table or many', function()
      for kind in pairs(KINDS) do
         for _, width in ipairs { 1, 2, 3, 8, 16, 40, 257, 1040 } do
            local x, there = pair(kind, 9, width)
            local index = torch.LongTensor(50):random(1, 9)
            assert(text(x:index(1, index)) == text(there:index(1, index:cudaLong()):host()))
            assert(text(torch.embedding(x, index)) == text(torch.embedding(there, index:cudaLong()):host()))
            local odd = there.new(9 * width + 1):narrow(1, 2, 9 * width):view(9, width):copy(there)
            assert(text(x:index(1, index)) == text(odd:index(1, index:cudaLong()):host()))
            local step = torch.CudaLongTensor(50, 2):fill(1):select(2, 1):copy(index)
            assert(text(torch.embedding(x, index)) == text(torch.embedding(odd, step):host()))
         end
         local x, there = pair(kind, 3, 5, 2, 8)
         local index = torch.LongTensor(7):random(1, 5)
         assert(text(x:index(2, index)) == text(there:index(2, index:cudaLong()):host()))
         assert(text(x:index(4, index)) == text(there:index(4, index:cudaLong()):host()))
         assert(text(x:transpose(1, 2):index(1, index)) == text(there:transpose(1, 2):index(1, index:cudaLong()):host()))
      end
   end)
   it('take gradients in the order of the index, and none for the padding', function()
      for _, kind in ipairs { 'Float', 'Half', 'Double' } do
         for _, width in ipairs { 1, 3, 64, 300 } do
            for _, count in ipairs { 5, 33, 700 } do
               local gw, there = pair(kind, 11, width)
               local g = torch.DoubleTensor(count, width):normal():type(gw:type())
               local index = torch.LongTensor(count):random(1, 11)
               index:narrow(1, 1, math.floor(count / 2)):fill(4)
               for _, padding in ipairs { 0, 4 } do
                  gw:embedding_grad(index, g, 0.5, padding)
                  there:embedding_grad(index:cudaLong(), torch[KINDS[kind]](g:size()):copy(g), 0.5, padding)
                  assert(text(gw) == text(there:host()))
               end
            end
         end
      end
   end)
end)
