-- test/onnx/net_spec.lua - model:net(): modules of nn that give what the model gives, can be trained and saved.
-- runs once: nothing here depends on the level
local bytes = require 'test.support.onnx_bytes'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local onnx = require 'onnx'
local nn = require 'nn'

teardown(temporary.remove)

local info, node, tensor = bytes.info, bytes.node, bytes.tensor

local function load(...) return onnx.load(bytes.write(temporary.name '.onnx', bytes.model(...))) end

local function weights(name, shape, positive)
   local n, list = 1, {}
   for _, size in ipairs(shape) do n = n * size end
   for i = 1, n do list[i] = (i * 7 % 13 - (positive and -1 or 6)) / 16 end
   return tensor(name, 'float', shape, list)
end

local function input(...)
   local t = torch.FloatTensor(...)
   return t:copy(torch.range(1, t:nElement()):mul(0.37):sin())
end

-- The module of a model, after it has given what the model gives.
local function same(m, x)
   local net = m:net(x)
   local a, b = m:forward(x), net:forward(x)
   assert.is_true(torch.isTensor(b) and b:isSameSizeAs(a), 'sizes differ')
   assert.is_true((a - b):abs():max() < 1e-5)
   return net
end

local x4 = { info('x', 'float', { 'n', 4, 7, 8 }) }
local z = { info 'z' }

describe('model:net', function()
   it('gives a Sequential for a chain, which can be trained and saved', function()
      local m = load({ node('Conv', { 'x', 'w', 'b' }, { 'c' }, { pads = { ints = { 1, 0, 1, 0 } }, strides = { ints = { 2,
         1 } } }),
         node('BatchNormalization', { 'c', 's', 'o', 'm', 'v' }, { 'n' }), node('Relu', { 'n' }, { 'r' }),
         node('MaxPool', { 'r' }, { 'p' }, { kernel_shape = { ints = { 2, 2 } }, strides = { ints = { 2, 2 } } }),
            node('Flatten', { 'p' }, { 'f' }),
         node('Dropout', { 'f' }, { 'd' }), node('Gemm', { 'd', 'k', 'l' }, { 'g' }, { transB = 1, alpha = { f = 0.5 } }),
            node('Softmax', { 'g' }, { 'z' }) }, x4, z,
         { weights('w', { 6, 4, 3, 3 }), weights('b', { 6 }), weights('s', { 6 }), weights('o', { 6 }), weights('m', { 6 }),
            weights('v', { 6 }, true),
         weights('k', { 5, 36 }), weights('l', { 5 }) })
      local x = input(2, 4, 7, 8)
      local net = same(m, x)
      assert.equal('nn.Sequential', torch.type(net))
      assert.matches('nn.SpatialConvolution%(4 %-> 6', tostring(net))
      local path = temporary.name '.t7'
      torch.save(path, net)
      assert.is_true((torch.load(path):forward(x) - net:forward(x)):abs():max() == 0)
      net:training()
      local before = net:getParameters():clone()
      net:forward(x)
      net:zeroGradParameters()
      net:backward(x, torch.FloatTensor(2, 5):fill(1):cmul(input(2, 5)))
      net:updateParameters(0.1)
      assert.is_true((net:getParameters() - before):abs():max() > 0)
      net:evaluate()
      assert.is_true((m:forward(x) - net:forward(x)):abs():max() > 0)       -- the model has separate weights
   end)

   it('gives a gModule for branches: sums, products, concatenation', function()
      local m = load({ node('Conv', { 'x', 'w' }, { 'c' }), node('Sigmoid', { 'c' }, { 's' }), node('Mul', { 'c', 's' },
         { 'p' }), node('Add', { 'p', 'c' }, { 'a' }),
         node('Concat', { 'a', 's' }, { 'j' }, { axis = 1 }), node('GlobalAveragePool', { 'j' }, { 'g' }), node('Squeeze',
            { 'g', 'axes' }, { 'z' }) }, x4, z,
         { weights('w', { 3, 4, 2, 2 }), tensor('axes', 'int64', { 2 }, { 2, 3 }) })
      assert.equal('nn.gModule', torch.type(same(m, input(3, 4, 7, 8))))
   end)

   local function single(name, nodes, inputs, x, initializers)
      it('has a module for ' .. name, function() same(load(nodes, inputs, z, initializers or {}), x) end)
   end

   single('groups of a convolution', { node('Conv', { 'x', 'w', 'b' }, { 'z' }, { group = 2 }) }, x4, input(2, 4, 7, 8),
      { weights('w', { 6, 2, 3, 3 }), weights('b', { 6 }) })
   single('a dilated convolution with unequal pads', { node('Conv', { 'x', 'w' }, { 'z' }, { dilations = { ints = { 2, 1 } },
      pads = { ints = { 1, 0, 2, 3 } } }) }, x4,
      input(2, 4, 7, 8), { weights('w', { 5, 4, 3, 3 }) })
   single('a transposed convolution', { node('ConvTranspose', { 'x', 'w', 'b' }, { 'z' }, { strides = { ints = { 2, 2 } },
      pads = { ints = { 1, 1, 1, 1 } }, output_padding = { ints = { 1, 0 } } }) },
      x4, input(2, 4, 7, 8), { weights('w', { 4, 3, 3, 3 }), weights('b', { 3 }) })
   single('MatMul of three dimensions and a bias', { node('MatMul', { 'x', 'w' }, { 'm' }), node('Add', { 'm', 'b' },
      { 'z' }) }, { info('x', 'float', { 'n', 5, 4 }) }, input(2, 5, 4),
      { weights('w', { 4, 3 }), weights('b', { 3 }) })
   single('Transpose', { node('Transpose', { 'x' }, { 'z' }, { perm = { ints = { 0, 2, 3, 1 } } }) }, x4, input(2, 4, 7, 8))
   single('Reshape', { node('Reshape', { 'x', 's' }, { 'z' }) }, x4, input(2, 4, 7, 8), { tensor('s', 'int64', { 3 }, { 0, 28,
      -1 }) })
   single('AveragePool and Pad', { node('Pad', { 'x', 'p', 'v' }, { 'a' }), node('AveragePool', { 'a' }, { 'z' },
      { kernel_shape = { ints = { 3, 2 } }, strides = { ints = { 2, 1 } }, pads = { ints = { 1, 0, 1, 0 } } }) },
      x4, input(2, 4, 7, 8), { tensor('p', 'int64', { 8 }, { 0, 0, 1, 2, 0, 0, 0, 1 }), tensor('v', 'float', {}, { 0.5 }) })
   single('LRN', { node('LRN', { 'x' }, { 'z' }, { size = 3, alpha = { f = 0.5 } }) }, x4, input(2, 4, 7, 8))
   single('constants in Sub, Div, Mul and Add', { node('Sub', { 'x', 'c' }, { 'a' }), node('Div', { 'a', 'd' }, { 'b' }),
      node('Mul', { 'k', 'b' }, { 'e' }), node('Add', { 'e', 'k' }, { 'z' }) }, x4,
      input(2, 4, 7, 8), { weights('c', { 4, 1, 1 }), tensor('d', 'float', {}, { 4 }), weights('k', { 1, 4, 1, 8 }) })
   for op, attributes in pairs { LeakyRelu = { alpha = { f = 0.2 } }, Elu = {}, Tanh = {}, Softplus = {}, HardSigmoid = {},
      Gelu = {}, Abs = {}, Neg = {}, ThresholdedRelu = { alpha = { f = 0.3 } } } do
      single(op, { node(op, { 'x' }, { 'z' }, attributes) }, x4, input(2, 4, 7, 8))
   end

   local x3, x5 = { info('x', 'float', { 'n', 4, 9 }) }, { info('x', 'float', { 'n', 2, 5, 6, 7 }) }
   local sequences, volumes = input(2, 4, 9), input(2, 2, 5, 6, 7)
   local function ints(...) return { ints = { ... } } end
   single('a convolution of sequences', { node('Conv', { 'x', 'w', 'b' }, { 'z' },
      { strides = ints(2), pads = ints(1, 2) }) }, x3, sequences,
      { weights('w', { 5, 4, 3 }), weights('b', { 5 }) })
   single('a dilated convolution of sequences in groups', { node('Conv', { 'x', 'w' }, { 'z' },
      { group = 2, dilations = ints(2), pads = ints(1, 0) }) }, x3, sequences,
      { weights('w', { 6, 2, 3 }) })
   single('a convolution of volumes with unequal pads', { node('Conv', { 'x', 'w', 'b' }, { 'z' },
      { strides = ints(1, 2, 1), pads = ints(1, 0, 2, 0, 1, 2) }) }, x5, volumes,
      { weights('w', { 3, 2, 2, 3, 4 }), weights('b', { 3 }) })
   single('a dilated convolution of volumes in groups', { node('Conv', { 'x', 'w' }, { 'z' },
      { group = 2, dilations = ints(1, 2, 3), pads = ints(1, 1, 1, 1, 1, 1) }) }, x5, volumes,
      { weights('w', { 4, 1, 2, 3, 2 }) })
   for _, op in ipairs { 'MaxPool', 'AveragePool' } do
      single(op .. ' of sequences', { node(op, { 'x' }, { 'z' },
         { kernel_shape = ints(3), strides = ints(2), pads = ints(1, 1) }) }, x3, sequences)
      single(op .. ' of volumes', { node(op, { 'x' }, { 'z' },
         { kernel_shape = ints(2, 3, 2), strides = ints(2, 1, 2) }) }, x5, volumes)
      single('Global' .. op .. ' of sequences', { node('Global' .. op, { 'x' }, { 'z' }) }, x3,
         sequences)
   end
   single('MaxPool of volumes with unequal pads', { node('MaxPool', { 'x' }, { 'z' },
      { kernel_shape = ints(2, 2, 2), pads = ints(0, 1, 0, 1, 0, 0), dilations = ints(2, 1, 1) }) },
      x5, volumes)
   local sizes = tensor('s', 'float', { 4 }, { 1, 1, 2, 2 })
   single('Resize to the nearest pixel', { node('Resize', { 'x', '', 's' }, { 'z' }) }, x4,
      input(2, 4, 7, 8), { sizes })
   single('Resize between corners', { node('Resize', { 'x', '', 's' }, { 'z' },
      { mode = 'linear', coordinate_transformation_mode = 'align_corners' }) }, x4,
      input(2, 4, 7, 8), { sizes })
   for op, kept in pairs { ReduceMean = 1, ReduceMax = 1, ReduceMin = 0 } do
      single(op, { node(op, { 'x' }, { 'z' }, { keepdims = kept, axes = ints(-2) }) }, x4,
         input(2, 4, 7, 8))
   end
   single('ReduceSum', { node('ReduceSum', { 'x', 'a' }, { 'z' }, { keepdims = 0 }) }, x4,
      input(2, 4, 7, 8), { tensor('a', 'int64', { 1 }, { -2 }) })
   single('BatchNormalization of sequences', { node('BatchNormalization',
      { 'x', 's', 'o', 'm', 'v' }, { 'z' }) }, x3, sequences, { weights('s', { 4 }),
      weights('o', { 4 }), weights('m', { 4 }), weights('v', { 4 }, true) })
   single('Slice', { node('Slice', { 'x', 'i', 'j', 'k' }, { 'z' }) }, x4, input(2, 4, 7, 8),
      { tensor('i', 'int64', { 2 }, { 1, -5 }), tensor('j', 'int64', { 2 }, { 3, 100 }),
         tensor('k', 'int64', { 2 }, { 1, 3 }) })
   single('MatMul of a vector', { node('MatMul', { 'w', 'x' }, { 'z' }) },
      { info('x', 'float', { 4 }) }, input(4), { weights('w', { 3, 4 }) })

   it('names all nodes that have no module, and why', function()
      local m = load({ node('Erf', { 'x' }, { 'a' }), node('Softmax', { 'a' }, { 's' }, { axis = 2 }), node('Relu', { 's' },
         { 'z' }) }, x4, z)
      refuses("net: 2 nodes cannot become modules: 'a' (Erf): it has no module; 's' (Softmax): its axis has no module", m.net, m)
   end)

   it('needs a value for an input without a shape', function()
      local m = load({ node('Relu', { 'x' }, { 'z' }) }, { info('x', 'float') }, z)
      refuses("net: input 'x' needs a value", m.net, m)
      assert.equal('nn.Sequential', torch.type(m:net(torch.FloatTensor(3))))
      assert.equal('nn.ReLU', torch.type(nn.ReLU()))
   end)
end)
