-- test/onnx/fuse_spec.lua - nodes that convolutions and products take over, the layout of images,
-- results inside of a Concat, and
-- values of sizes alone: the results are those of the model without them.
local bytes = require 'test.support.onnx_bytes'
local temporary = require 'test.support.temporary'
local fuse = require 'onnx.fuse'
local layout = require 'onnx.layout'
local static = require 'onnx.static'
local onnx = require 'onnx'
local torch = require 'torch'

teardown(temporary.remove)

local info, node, tensor, numbers = bytes.info, bytes.node, bytes.tensor, bytes.numbers

local function weight(name, ...)
   local shape, n = { ... }, 1
   for _, size in ipairs(shape) do n = n * size end
   return tensor(name, 'float', shape, numbers(n, #name))
end

local function load(m) return onnx.load(bytes.write(temporary.name '.onnx', m)) end

-- The model with no node fused, and with images plane after plane.
local function load_plain(m)
   local graph, mark, quick = fuse.graph, static.mark, layout.is_quick
   fuse.graph, static.mark = function() end, function() end
   local ok, model = pcall(load, m)
   fuse.graph, static.mark = graph, mark
   assert(ok, model)
   return function(x)
      layout.is_quick = function() return false end
      local fine, y = pcall(model.forward, model, x)
      layout.is_quick = quick
      assert(fine, y)
      return y
   end
end

-- Compares a model with its plain form, three times, so that the plan is used; returns the ops of
-- its rows.
local function compare(m, ...)
   local model, plain, ops = load(m), load_plain(m), {}
   for _, x in ipairs { ... } do
      for _ = 1, 3 do
         local y, want = model:forward(x), plain(x)
         assert.same(want:size():totable(), y:size():totable())
         assert.is_true((y - want):abs():max() < 1e-5)
      end
   end
   for i, row in ipairs(model:explain((...))) do ops[i] = row.op end
   return table.concat(ops, ' ')
end

local function images(...)
   local t = torch.FloatTensor(...)
   return t:copy(torch.FloatTensor(numbers(t:nElement(), 3)))
end

local function convolution(from, to, w, more)
   local attributes = { kernel_shape = { ints = { 3, 3 } }, pads = { ints = { 1, 1, 1, 1 } } }
   for k, v in pairs(more or {}) do attributes[k] = v end
   return node('Conv', { from, w }, { to }, attributes)
end

local x4, y4 = info('x', 'float', { 'n', 16, 9, 7 }), info('y', 'float')

describe('a convolution of a model', function()
   it('takes over Relu and Clip', function()
      for op, inputs in pairs { Relu = { 'a' }, Clip = { 'a', 'low', 'high' } } do
         local m = bytes.model({ convolution('x', 'a', 'w'), node(op, inputs, { 'y' }) }, { x4 },
            { y4 },
            { weight('w', 32, 16, 3, 3), tensor('low', 'float', {}, { -0.1 }),
               tensor('high', 'float', {}, { 0.1 }) })
         assert.equal('Conv+' .. op, compare(m, images(1, 16, 9, 7), images(5, 16, 9, 7)))
      end
   end)

   it('takes over the sum with a value that is known before it, and what follows', function()
      local m = bytes.model({ convolution('x', 'a', 'v'), node('Relu', { 'a' }, { 'b' }),
         convolution('b', 'c', 'w'),
         node('Add', { 'c', 'b' }, { 'd' }), node('Relu', { 'd' }, { 'e' }),
            convolution('e', 'f', 'w'),
         convolution('e', 'g', 'w'), node('Sum', { 'f', 'g' }, { 'h' }),
            node('Relu', { 'h' }, { 'y' }) }, { x4 }, { y4 },
         { weight('v', 32, 16, 3, 3), weight('w', 32, 32, 3, 3) })
      assert.equal('Conv+Relu Conv+Add+Relu Conv Conv+Sum+Relu',
         compare(m, images(2, 16, 9, 7), images(1, 16, 9, 7)))
   end)

   it('computes a sum that broadcasts', function()
      local m = bytes.model({ node('GlobalAveragePool', { 'x' }, { 's' }),
         convolution('x', 'a', 'w'),
         node('Add', { 's', 'a' }, { 'b' }), node('Relu', { 'b' }, { 'y' }) }, { x4 }, { y4 },
            { weight('w', 16, 16, 3, 3) })
      assert.equal('GlobalAveragePool Conv+Add+Relu', compare(m, images(2, 16, 9, 7)))
   end)

   it('keeps an addend until it is added, where the kernel writes its result first', function()
      local pads = { pads = { ints = { 2, 2, 0, 0 } } }
      local m = bytes.model({ convolution('x', 'a', 'w', pads), node('Relu', { 'a' }, { 'b' }),
         convolution('b', 'c', 'w', pads), node('Add', { 'c', 'b' }, { 'd' }),
         node('Relu', { 'd' }, { 'e' }), convolution('e', 'y', 'w', pads) }, { x4 }, { y4 },
         { weight('w', 16, 16, 3, 3) })
      assert.equal('Conv+Relu Conv+Add+Relu Conv', compare(m, images(1, 16, 9, 7)))
      local rows = info('x', 'float', { 'n', 8 })
      for _, op in ipairs { 'MatMul', 'Gemm' } do
         local small = bytes.model({ node('Relu', { 'x' }, { 'a' }),
            node(op, { 'a', 'w' }, { 'b' }), node('Add', { 'b', 'a' }, { 'c' }),
            node(op, { 'c', 'w' }, { 'd' }), node('Add', { 'c', 'd' }, { 'e' }),
            node('Softmax', { 'e' }, { 'y' }) }, { rows }, { y4 }, { weight('w', 8, 8) })
         assert.equal(('Relu %s+Add %s+Add Softmax'):format(op, op), compare(small, images(6, 8)))
      end
   end)

   it('leaves values alone that others use', function()
      local m = bytes.model({ convolution('x', 'a', 'w'), node('Relu', { 'a' }, { 'b' }),
         node('Add', { 'a', 'b' }, { 'y' }) },
         { x4 }, { y4 }, { weight('w', 16, 16, 3, 3) })
      assert.equal('Conv Relu Add', compare(m, images(2, 16, 9, 7)))
   end)

   it('takes over the same of convolutions with groups and of uneven pads', function()
      for _, more in ipairs { { group = 4 }, { pads = { ints = { 0, 1, 2, 0 } } } } do
         local m = bytes.model({ convolution('x', 'a', 'w', more), node('Relu', { 'a' }, { 'b' }),
            convolution('b', 'c', 'w', more),
            node('Add', { 'b', 'c' }, { 'd' }), node('Relu', { 'd' }, { 'y' }) }, { x4 }, { y4 },
            { weight('w', 16, more.group and 4 or 16, 3, 3) })
         if more.group then compare(m, images(2, 16, 9, 7)) end
      end
   end)
end)

describe('images with channels side by side', function()
   it('go through pools, sums, normalization and Concat', function()
      local pool = { kernel_shape = { ints = { 3, 3 } }, strides = { ints = { 2, 2 } },
         pads = { ints = { 1, 1, 1, 1 } } }
      local ones = { kernel_shape = { ints = { 1, 1 } } }
      local m = bytes.model({ convolution('x', 'a', 'v'), node('MaxPool', { 'a' }, { 'b' }, pool),
         node('BatchNormalization', { 'b', 's', 't', 't', 's' }, { 'c' }),
            node('Relu', { 'c' }, { 'd' }),
         node('Conv', { 'd', 'w' }, { 'e' }, ones),
            node('Concat', { 'b', 'e' }, { 'f' }, { axis = 1 }),
         node('BatchNormalization', { 'f', 's2', 't2', 't2', 's2' }, { 'g' }),
            node('Conv', { 'g', 'w2' }, { 'h' }, ones),
         node('Concat', { 'f', 'h' }, { 'i' }, { axis = 1 }), node('Sigmoid', { 'i' }, { 'j' }),
         node('AveragePool', { 'j' }, { 'k' }, pool), node('Mul', { 'k', 'k' }, { 'l' }),
         node('GlobalAveragePool', { 'l' }, { 'y' }) }, { x4 }, { y4 },
         { weight('v', 24, 16, 3, 3), weight('w', 8, 24, 1, 1), weight('w2', 16, 32, 1, 1),
            tensor('s', 'float', { 24 }, torch.range(1, 24):div(24):totable()), weight('t', 24),
            tensor('s2', 'float', { 32 }, torch.range(1, 32):div(32):totable()), weight('t2', 32) })
      assert.equal('Conv MaxPool BatchNormalization+Relu Conv Concat BatchNormalization Conv '
         .. 'Concat Sigmoid AveragePool Mul '
         .. 'GlobalAveragePool', compare(m, images(1, 16, 9, 7), images(3, 16, 9, 7),
            images(1, 16, 9, 7)))
   end)

   it('are results in order', function()
      local m = bytes.model({ convolution('x', 'y', 'w') }, { x4 }, { y4 },
         { weight('w', 32, 16, 3, 3) })
      local model = load(m)
      for _ = 1, 2 do assert.is_true(model:forward(images(2, 16, 9, 7)):isContiguous()) end
   end)
end)

describe('a product with a constant matrix', function()
   local x, y = info('x', 'float', { 'n', 'm', 96 }), info('y', 'float')

   it('takes over a bias, a sum and an activation', function()
      local m = bytes.model({ node('MatMul', { 'x', 'w' }, { 'a' }),
         node('Add', { 'b', 'a' }, { 'c' }),
         node('Add', { 'c', 'x' }, { 'd' }), node('Relu', { 'd' }, { 'y' }) }, { x }, { y },
            { weight('w', 96, 96), weight('b', 96) })
      assert.equal('MatMul+Add+Add+Relu',
         compare(m, images(2, 9, 96), images(1, 1, 96), images(1, 500, 96)))
   end)

   it('keeps an addend that its result may lie over, for few rows too', function()
      local nodes = { node('Sigmoid', { 'x' }, { 'a' }), node('Neg', { 'a' }, { 's' }),
         node('MatMul', { 's', 'w' }, { 'p' }), node('Add', { 'p', 'b' }, { 'q' }),
         node('Add', { 'q', 'a' }, { 'sum' }), node('Abs', { 'sum' }, { 'y' }) }
      compare(bytes.model(nodes, { info 'x' }, { info 'y' },
         { weight('w', 80, 80), weight('b', 80) }),
         torch.FloatTensor(2, 80):uniform(-1, 1), torch.FloatTensor(1, 9, 80):uniform(-1, 1))
   end)

   it('takes over Gelu', function()
      local m = bytes.model({ node('MatMul', { 'x', 'w' }, { 'a' }),
         node('Add', { 'a', 'b' }, { 'c' }),
         node('Gelu', { 'c' }, { 'y' }) }, { x }, { y }, { weight('w', 96, 64), weight('b', 64) },
         { opset_import = { { version = 20 } } })
      assert.equal('MatMul+Add+Gelu', compare(m, images(2, 9, 96)))
   end)

   it('is Gemm too, transposed or not', function()
      for transB = 0, 1 do
         local m = bytes.model({ node('Gemm', { 'x', 'w', 'b' }, { 'a' }, { transB = transB }),
            node('Relu', { 'a' }, { 'y' }) },
            { info('x', 'float', { 'n', 96 }) }, { y },
               { weight('w', transB == 1 and 64 or 96, transB == 1 and 96 or 64),
               weight('b', 64) })
         assert.equal('Gemm+Relu', compare(m, images(17, 96), images(1, 96)))
      end
   end)
end)

describe('values that depend on sizes alone', function()
   it('are computed once for each plan', function()
      local m = bytes.model({ node('Shape', { 'x' }, { 's' }),
         node('Gather', { 's', 'one' }, { 'g' }),
         node('Concat', { 'g', 'rest' }, { 'shape' }, { axis = 0 }),
            node('Reshape', { 'x', 'shape' }, { 'r' }),
         node('Relu', { 'r' }, { 'y' }) }, { info('x', 'float', { 'n', 'm', 4 }) },
            { info('y', 'float') },
         { tensor('one', 'int64', { 1 }, { 1 }), tensor('rest', 'int64', { 1 }, { -1 }) })
      local model = load(m)
      local marked = {}
      for _, n in ipairs(model.graph.nodes) do if n.static then marked[#marked + 1] = n.op end end
      assert.same({ 'Shape', 'Gather', 'Concat' }, marked)
      compare(m, images(2, 3, 4), images(5, 2, 4), images(2, 3, 4))
   end)

   it('are new tensors of each run where they are results', function()
      local m = bytes.model({ node('Shape', { 'x' }, { 'y' }) },
         { info('x', 'float', { 'n', 4 }) }, { info('y', 'int64') })
      local model = load(m)
      for _ = 1, 3 do
         local y = model:forward(torch.FloatTensor(3, 4):zero())
         assert.same({ 3, 4 }, y:totable())
         y:fill(9)
      end
   end)

   it('are not values of sizes that depend on data', function()
      local m = bytes.model({ node('NonZero', { 'x' }, { 'i' }), node('Shape', { 'i' }, { 'y' }) },
         { info('x', 'float', { 'n' }) }, { info('y', 'int64') })
      local model = load(m)
      for _, list in ipairs { { 1, 0, 2 }, { 1, 0, 0 }, { 1, 1, 1 } } do
         local count = 0
         for _, v in ipairs(list) do if v ~= 0 then count = count + 1 end end
         assert.same({ 1, count }, model:forward(torch.FloatTensor(list)):totable())
      end
   end)
end)
