-- test/onnx/patterns_spec.lua - groups of nodes that onnx.load replaces by one: what is found, what
-- must not be, equal results.
-- runs once: nothing here depends on the level
local torch = require 'torch'
local bytes = require 'test.support.onnx_bytes'
local patterns = require 'onnx.patterns'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'
local onnx = require 'onnx'

teardown(temporary.remove)

local node, tensor, info = bytes.node, bytes.tensor, bytes.info

local function range(n, factor)
   local list = {}
   for i = 1, n do list[i] = (i * 7 % 11 - 5) / 8 * (factor or 1) end
   return list
end

local function float(...)
   local t = torch.FloatTensor(...)
   return t:copy(torch.range(1, t:nElement()):mul(1.7):sin():mul(2))
end

local function number(name, v) return tensor(name, 'float', {}, { v }) end

-- A model that is loaded with and without patterns.
local function pair(nodes, inputs, outputs, constants, version)
   local infos, results = {}, {}
   for i, name in ipairs(inputs) do infos[i] = type(name) == 'table' and name or info(name) end
   for i, name in ipairs(outputs) do results[i] = info(name) end
   local path = bytes.write(temporary.name '.onnx', bytes.model(nodes, infos, results, constants,
      { opset_import = { { version = version or 17 } } }))
   local fused, apply = onnx.load(path), patterns.apply
   patterns.apply = function() end
   local plain = onnx.load(path)
   patterns.apply = apply
   return fused, plain
end

local function near(want, got, bound)
   assert.same(types.shape(want), types.shape(got))
   if want:nElement() > 0 then assert.near(0, (want - got):abs():max(), bound or 1e-5) end
end

-- Loads both ways, compares the results for each list of inputs, twice, and gives the ops of the
-- fused model.
local function ops_of(tries, ...)
   local fused, plain = pair(...)
   for _, x in ipairs(tries) do
      local want = plain:forward(x)
      for _ = 1, 2 do
         local got = fused:forward(x)
         if torch.isTensor(want) then near(want, got)
         else for name, t in pairs(want) do near(t, got[name]) end end
      end
   end
   local list = {}
   for i, row in ipairs(fused:explain(tries[1])) do list[i] = row.op end
   return list
end

-- ---- normalization of layers --------------------------------------------------------------------

-- (x - mean) / sqrt(var + eps) w + b; o changes parts of it.
local function norm(o)
   o = o or {}
   local axes = { axes = { ints = o.axes or { -1 } }, keepdims = o.keep or 1 }
   local mean, square = node('ReduceMean', { 'x' }, { 'mean' }, axes), node('Pow', { 'd', 'two' },
      { 'square' })
   if o.by_product then square = node('Mul', { 'd', 'd' }, { 'square' }) end
   local nodes = { mean, node('Sub', { 'x', 'mean' }, { 'd' }), square,
      node('ReduceMean', { 'square' }, { 'var' },
         { axes = { ints = o.other_axes or o.axes or { -1 } }, keepdims = o.keep or 1 }),
      node('Add', { 'var', 'eps' }, { 'sum' }), node('Sqrt', { 'sum' }, { 'root' }) }
   if o.inverse then
      nodes[#nodes + 1] = node('Reciprocal', { 'root' }, { 'inverse' })
      nodes[#nodes + 1] = node('Mul', { 'inverse', 'd' }, { 'n' })
   else
      nodes[#nodes + 1] = node('Div', { 'd', 'root' }, { 'n' })
   end
   nodes[#nodes + 1] = node('Mul', { 'w', 'n' }, { 's' })
   nodes[#nodes + 1] = node('Add', { 's', 'b' }, { 'z' })
   local width = o.width or { 4 }
   local n = types.count(width)
   local constants = { number('two', 2), number('eps', 1e-5), tensor('w', 'float', width, range(n)),
      tensor('b', 'float', width, range(n, 0.5)) }
   return nodes, { 'x' }, o.outputs or { 'z' }, constants
end

describe('LayerNormalization in parts', function()
   it('becomes one node, with a square by Pow or Mul and a quotient by Div or Reciprocal',
      function()
      local x = { float(2, 3, 4), float(5, 4), float(1, 2, 1, 4) }
      assert.same({ 'LayerNormalization of 9 nodes' }, ops_of(x, norm()))
      assert.same({ 'LayerNormalization of 9 nodes' }, ops_of(x, norm { by_product = true }))
      assert.same({ 'LayerNormalization of 10 nodes' }, ops_of(x, norm { inverse = true }))
   end)

   it('becomes one node for several last dimensions, and with axes from the front', function()
      assert.same({ 'LayerNormalization of 9 nodes' }, ops_of({ float(2, 3, 4) },
         norm { axes = { -2, -1 }, width = { 3, 4 } }))
      assert.same({ 'LayerNormalization of 9 nodes' }, ops_of({ float(2, 3, 4) },
         norm { axes = { 2 } }))
   end)

   it('runs its nodes where the axes are not the last ones of the input', function()
      local fused, plain = pair(norm { axes = { 1 }, width = { 3 } })
      near(plain:forward(float(2, 3)), fused:forward(float(2, 3)))
      near(plain:forward(float(3, 2, 3)), fused:forward(float(3, 2, 3)))
      refuses("node 's' (Mul)", fused.forward, fused, float(2, 5))
      near(plain:forward(float(2, 3)), fused:forward(float(2, 3)))
   end)

   it('takes the sizes of its scale as the original does', function()
      local fused, plain = pair(norm { width = { 1, 1, 4 } })
      -- the result has three dimensions
      near(plain:forward(float(2, 4)), fused:forward(float(2, 4)))
      -- the scale is wider than a row
      near(plain:forward(float(2, 1)), fused:forward(float(2, 1)))
   end)

   it('stays in parts where another axis, an output or a second use is in the way', function()
      local x = { float(2, 4, 4) }
      assert.equal(9, #ops_of(x, norm { other_axes = { -2 } }))
      assert.equal(9, #ops_of(x, norm { outputs = { 'z', 'mean' } }))
      assert.equal(9, #ops_of(x, norm { outputs = { 'z', 'root' } }))
      local nodes, inputs, _, constants = norm()
      nodes[#nodes + 1] = node('Exp', { 'var' }, { 'e' })
      assert.equal(10, #ops_of(x, nodes, inputs, { 'z', 'e' }, constants))
   end)

   it('keeps the scale apart where the value before it is an output', function()
      assert.same({ 'LayerNormalization of 7 nodes', 'Mul', 'Add' },
         ops_of({ float(2, 4) }, norm { outputs = { 'z', 'n' } }))
      assert.same({ 'LayerNormalization of 8 nodes', 'Add' },
         ops_of({ float(2, 4) }, norm { outputs = { 'z', 's' } }))
   end)
end)

-- ---- activations --------------------------------------------------------------------------------

local function constants(...)
   local list = {}
   for i, v in ipairs { ... } do list[i] = number('c' .. i, v) end
   return list
end

local half_root = math.sqrt(0.5)

describe('GELU in parts', function()
   local x = { float(3, 5), float(2, 3, 4), float(1) }

   it('by erf becomes one node in each order of its factors', function()
      local inner = { node('Div', { 'x', 'c1' }, { 'q' }), node('Erf', { 'q' }, { 'e' }),
         node('Add', { 'e', 'c2' }, { 'a' }) }
      local function with(...)
         local nodes = { unpack(inner) }
         for _, n in ipairs { ... } do nodes[#nodes + 1] = n end
         return ops_of(x, nodes, { 'x' }, { 'z' }, constants(math.sqrt(2), 1, 0.5))
      end
      assert.same({ 'Gelu of 5 nodes' }, with(node('Mul', { 'x', 'a' }, { 'm' }),
         node('Mul', { 'm', 'c3' }, { 'z' })))
      assert.same({ 'Gelu of 5 nodes' }, with(node('Mul', { 'c3', 'x' }, { 'm' }),
         node('Mul', { 'm', 'a' }, { 'z' })))
      assert.same({ 'Gelu of 5 nodes' }, with(node('Mul', { 'a', 'c3' }, { 'm' }),
         node('Mul', { 'm', 'x' }, { 'z' })))
   end)

   it('by tanh becomes one node, with x cubed by Pow or by products', function()
      local c = constants(0.044715, math.sqrt(2 / math.pi), 1, 0.5, 3)
      local tail = { node('Mul', { 'c2', 'w' }, { 'u' }), node('Tanh', { 'u' }, { 't' }),
         node('Add', { 'c3', 't' }, { 'a' }),
         node('Mul', { 'x', 'c4' }, { 'h' }), node('Mul', { 'h', 'a' }, { 'z' }) }
      local power = { node('Pow', { 'x', 'c5' }, { 'p' }), node('Mul', { 'p', 'c1' }, { 'k' }),
         node('Add', { 'x', 'k' }, { 'w' }),
         unpack(tail) }
      assert.same({ 'GeluTanh of 8 nodes' }, ops_of(x, power, { 'x' }, { 'z' }, c))
      local product = { node('Mul', { 'x', 'c1' }, { 'p' }), node('Mul', { 'p', 'x' }, { 'k' }),
         node('Add', { 'k', 'c3' }, { 'o' }),
         node('Mul', { 'x', 'o' }, { 'w' }), unpack(tail) }
      assert.same({ 'GeluTanh of 9 nodes' }, ops_of(x, product, { 'x' }, { 'z' }, c))
   end)

   it('stays in parts with other numbers, or where an input or output is in the way', function()
      local function erf(list, outputs, inputs, factor, given)
         return #ops_of(given or x, { node('Mul', { 'x', 'c1' }, { 'q' }),
            node('Erf', { 'q' }, { 'e' }), node('Add', { 'e', 'c2' }, { 'a' }),
            node('Mul', { factor or 'x', 'a' }, { 'm' }), node('Mul', { 'm', 'c3' }, { 'z' }) },
               inputs or { 'x' }, outputs or { 'z' }, list)
      end
      assert.equal(1, erf(constants(half_root, 1, 0.5)))
      assert.equal(5, erf(constants(0.7, 1, 0.5)))
      assert.equal(5, erf(constants(half_root, 2, 0.5)))
      assert.equal(5, erf(constants(half_root, 1, 0.6)))
      assert.equal(5, erf(constants(half_root, 1, 0.5), { 'z', 'e' }))
      assert.equal(5, erf(constants(half_root, 1, 0.5), { 'z', 'm' }))
      assert.equal(5, erf(constants(half_root, 1, 0.5), { 'z' }, { 'x', 'y' }, 'y',
         { { x = float(3), y = float(3) } }))
      local two = constants(half_root, 1)
      assert.equal(5, erf(two, { 'z' }, { 'x', info('c3', 'float', {}) }, 'x',
         { { x = float(3), c3 = types.scalar('float', 0.5) } }))
   end)

   it('has the dimensions of its numbers where these are more', function()
      local list = constants(half_root, 1)
      list[3] = tensor('c3', 'float', { 1, 1, 1 }, { 0.5 })
      assert.same({ 'Gelu of 5 nodes' }, ops_of({ float(3), float(2, 1, 2, 2) },
         { node('Mul', { 'x', 'c1' }, { 'q' }), node('Erf', { 'q' },
         { 'e' }), node('Add', { 'e', 'c2' }, { 'a' }), node('Mul', { 'x', 'a' }, { 'm' }),
            node('Mul', { 'm', 'c3' }, { 'z' }) }, { 'x' },
         { 'z' }, list))
   end)
end)

describe('a product of x and a function of x', function()
   local x = { float(3, 5), float(2) }

   it('becomes SiLU, Mish or Hardswish', function()
      local function of(list, ...) return ops_of(x, { ... }, { 'x' }, { 'z' }, list) end
      assert.same({ 'Swish of 2 nodes' }, of(nil, node('Sigmoid', { 'x' }, { 's' }),
         node('Mul', { 'x', 's' }, { 'z' })))
      assert.same({ 'Swish of 2 nodes' }, of(nil, node('Sigmoid', { 'x' }, { 's' }),
         node('Mul', { 's', 'x' }, { 'z' })))
      assert.same({ 'Mish of 3 nodes' }, of(nil, node('Softplus', { 'x' }, { 'p' }),
         node('Tanh', { 'p' }, { 's' }),
         node('Mul', { 'x', 's' }, { 'z' })))
      assert.same({ 'HardSwish of 2 nodes' },
         of(nil, node('HardSigmoid', { 'x' }, { 's' }, { alpha = { f = 1 / 6 } }),
         node('Mul', { 'x', 's' }, { 'z' })))
      assert.same({ 'HardSwish of 4 nodes' },
         of(constants(3, 0, 6), node('Add', { 'x', 'c1' }, { 'a' }),
         node('Clip', { 'a', 'c2', 'c3' }, { 's' }), node('Mul', { 'x', 's' }, { 'm' }),
            node('Div', { 'm', 'c3' }, { 'z' })))
   end)

   it('stays as it is where the function has another input, other numbers, or an output', function()
      local y = { { x = float(3), y = float(3) } }
      assert.equal(2, #ops_of(y, { node('Sigmoid', { 'x' }, { 's' }), node('Mul', { 'y', 's' },
         { 'z' }) }, { 'x', 'y' }, { 'z' }))
      assert.equal(2, #ops_of(x, { node('Sigmoid', { 'x' }, { 's' }), node('Mul', { 'x', 's' },
         { 'z' }) }, { 'x' }, { 'z', 's' }))
      assert.equal(2, #ops_of(x, { node('HardSigmoid', { 'x' }, { 's' }), node('Mul', { 'x', 's' },
         { 'z' }) }, { 'x' }, { 'z' }))
   end)
end)

-- ---- attention ----------------------------------------------------------------------------------

-- Attention of inputs q, k, v; o changes parts of it.
local function attention(o)
   o = o or {}
   local nodes = { node('Transpose', { 'k' }, { 'kt' },
      { perm = { ints = o.perm or { 0, 1, 3, 2 } } }),
      node('MatMul', { 'q', 'kt' }, { 's' }), node(o.scale or 'Mul', { 's', 'c' }, { 'scaled' }) }
   local last = 'scaled'
   if o.mask then
      nodes[#nodes + 1] = node('Add', o.mask_first and { 'mask', last } or { last, 'mask' },
         { 'masked' })
      last = 'masked'
   elseif o.where then
      nodes[#nodes + 1] = node('Where', o.kept and { 'mask', last, 'fill' }
         or { 'mask', 'fill', last }, { 'masked' })
      last = 'masked'
   end
   nodes[#nodes + 1] = node('Softmax', { last }, { 'p' }, { axis = o.axis or -1 })
   last = 'p'
   if o.safe then
      nodes[#nodes + 1] = node('IsNaN', { 'p' }, { 'bad' })
      nodes[#nodes + 1] = node('Where', { 'bad', 'zero', 'p' }, { 'w' })
      last = 'w'
   end
   nodes[#nodes + 1] = node('MatMul', { last, 'v' }, { 'z' })
   local list = { o.no_scale and number('unused', 1) or number('c', 0.4),
      number('fill', o.fill or -math.huge), number('zero', 0) }
   for _, t in ipairs(o.constants or {}) do list[#list + 1] = t end
   local inputs = { 'q', 'k', 'v' }
   for _, name in ipairs(o.inputs or {}) do inputs[#inputs + 1] = name end
   return nodes, inputs, o.outputs or { 'z' }, list
end

local function qkv(b, h, t, s, d, e, more)
   local x = { q = float(b, h, t, d), k = float(b, h, s, d):mul(0.7),
      v = float(b, h, s, e or d):mul(1.3) }
   for name, value in pairs(more or {}) do x[name] = value end
   return x
end

describe('attention in parts', function()
   it('becomes one node, for any numbers of queries, keys and features', function()
      local tries = { qkv(2, 3, 4, 4, 8), qkv(1, 1, 1, 5, 3), qkv(2, 2, 3, 5, 4, 6) }
      assert.same({ 'Transpose', 'Attention of 4 nodes' }, ops_of(tries, attention()))
      assert.same({ 'Transpose', 'Attention of 4 nodes' },
         ops_of(tries, attention { scale = 'Div' }))
      assert.same({ 'Transpose', 'Attention of 6 nodes' }, ops_of(tries, attention { safe = true }))
      assert.same({ 'Transpose', 'Attention of 4 nodes' }, ops_of(tries, attention { axis = 3 }))
   end)

   it('becomes one node for tensors of three dimensions, and with scales of the queries and keys',
      function()
      local nodes = { node('Mul', { 'q', 'c' }, { 'a' }), node('Transpose', { 'k' }, { 'kt' },
         { perm = { ints = { 0, 2, 1 } } }),
         node('Mul', { 'kt', 'c' }, { 'b' }), node('MatMul', { 'a', 'b' }, { 's' }),
            node('Softmax', { 's' }, { 'p' }),
         node('MatMul', { 'p', 'v' }, { 'z' }) }
      local x = { q = float(2, 3, 4), k = float(2, 5, 4), v = float(2, 5, 4) }
      assert.same({ 'Transpose', 'Attention of 5 nodes' }, ops_of({ x }, nodes, { 'q', 'k', 'v' },
         { 'z' }, { number('c', 0.6) }))
   end)

   it('adds any mask that broadcasts to the scores', function()
      local function masks(...) return qkv(2, 3, 4, 5, 8, 8, { mask = float(...) }) end
      local tries = { masks(2, 3, 4, 5), masks(4, 5), masks(2, 1, 1, 5), masks(1), masks(3, 1, 1) }
      assert.same({ 'Transpose', 'Attention of 5 nodes' },
         ops_of(tries, attention { mask = true, inputs = { 'mask' } }))
      assert.same({ 'Transpose', 'Attention of 5 nodes' },
         ops_of(tries, attention { mask = true, mask_first = true, inputs = { 'mask' } }))
   end)

   it('hides the keys of a padding, and adds the same numbers where scores are large', function()
      local tries = {}
      for _, lowest in ipairs { -math.huge, -3e38, -1e4, -100 } do
         local mask = torch.FloatTensor(2, 1, 1, 5):zero()
         mask[{ 1, 1, 1, 4 }], mask[{ 1, 1, 1, 5 }], mask[{ 2, 1, 1, 1 }] = lowest, lowest, lowest
         tries[#tries + 1] = qkv(2, 3, 4, 5, 8, 8, { mask = mask })
         local large = qkv(2, 3, 4, 5, 8, 8, { mask = mask })
         large.q:mul(3000)
         tries[#tries + 1] = large
      end
      local all = torch.FloatTensor(2, 1, 1, 5):fill(-1e4)
      tries[#tries + 1] = qkv(2, 3, 4, 5, 8, 8, { mask = all })
      ops_of(tries, attention { mask = true, inputs = { 'mask' } })
   end)

   it('knows a causal mask that is computed', function()
      for _, lowest in ipairs { -math.huge, -1e9, -100 } do
         local tries = {}
         for _, size in ipairs { 4, 2, 1 } do
            local mask = torch.FloatTensor(size, size):fill(lowest)
            for i = 1, size do for j = 1, i do mask[i][j] = 0 end end
            tries[#tries + 1] = qkv(2, 3, size, size, 8, 8, { mask = mask })
         end
         ops_of(tries, attention { mask = true, inputs = { 'mask' } })
      end
   end)

   it('knows a constant causal mask, for its sizes', function()
      for _, lowest in ipairs { -math.huge, -1e9 } do
         local list = {}
         for i = 1, 4 do for j = 1, 4 do list[#list + 1] = j > i and lowest or 0 end end
         local o = { mask = true, constants = { tensor('mask', 'float', { 4, 4 }, list) } }
         assert.same({ 'Transpose', 'Attention of 5 nodes' }, ops_of({ qkv(2, 3, 4, 4, 8) },
            attention(o)))
         local fused = pair(attention(o))
         refuses("node 'z' (Attention): node 'masked' (Add)", fused.forward, fused,
            qkv(2, 3, 5, 5, 8))
      end
   end)

   it('hides scores by Where, and gives 0 for a row without keys where the model does so',
      function()
      for _, o in ipairs { { where = true }, { where = true, kept = true },
         { where = true, fill = -5 }, { where = true, safe = true } } do
         o.inputs = { info('mask', 'bool') }
         local padding, any = torch.ByteTensor(2, 1, 1, 5):zero(), torch.ByteTensor(2, 3, 4,
            5):zero()
         padding[{ 1, 1, 1, 2 }], padding[{ 2, 1, 1, 5 }] = 1, 1
         any:view(-1):indexFill(1, torch.LongTensor { 1, 8, 9, 23, 77, 120 }, 1)
         if o.kept then padding, any = torch.eq(padding, 0), torch.eq(any, 0) end
         local tries = { qkv(2, 3, 4, 5, 8, 8, { mask = padding }),
            qkv(2, 3, 4, 5, 8, 8, { mask = any }) }
         if o.safe then tries[3] = qkv(2, 3, 4, 5, 8, 8,
            { mask = torch.ByteTensor(2, 1, 1, 5):fill(1) }) end
         assert.same({ 'Transpose', ('Attention of %d nodes'):format(o.safe and 7 or 5) },
            ops_of(tries, attention(o)))
      end
   end)

   -- Heads of one input, split and joined, with a scale from sizes as of TorchScript's exporter.
   local function of_heads(o)
      local function list(name, ...) return tensor(name, 'int64', { select('#', ...) }, { ... }) end
      local split = list('split', 0, 0, 3, 4)
      if o.split_first then split = list('split', 0, 3, -1, 4) end
      local order = { perm = { ints = o.split_first and { 0, 1, 2, 3 } or { 0, 2, 1, 3 } } }
      local nodes, constants = {}, { split, list('join', 0, 0, 12), list('first', -1),
         list('last', 1000), number('half', 0.5), number('one', 1) }
      local function add(...) nodes[#nodes + 1] = node(...) end
      for _, name in ipairs { 'q', 'k', 'v' } do
         local w = 'w' .. name
         constants[#constants + 1] = tensor(w, 'float', { 12, 12 }, range(144, 0.3 + #nodes / 10))
         add('MatMul', { 'x', w }, { name })
         add('Reshape', { name, 'split' }, { name .. '1' })
         add('Transpose', { name .. '1' }, { name .. '2' }, order)
      end
      add('Transpose', { 'k2' }, { 'kt' }, { perm = { ints = { 0, 1, 3, 2 } } })
      add('Shape', { 'q2' }, { 'sizes' })
      add('Slice', { 'sizes', 'first', 'last' }, { 'size' })
      add('Squeeze', { 'size' }, { 'single' })
      add('Cast', { 'single' }, { 'width' }, { to = 1 })
      if o.root then add('Sqrt', { 'width' }, { 'root' })
      else add('Pow', { 'width', 'half' }, { 'root' }) end
      if o.inverse then add('Div', { 'one', 'root' }, { 'inverse' }) end
      local left = 'q2'
      if o.before then
         add(o.inverse and 'Mul' or 'Div', { 'q2', o.inverse and 'inverse' or 'root' }, { 'q3' })
         left = 'q3'
      end
      add('MatMul', { left, 'kt' }, { 'product' })
      local scores = 'product'
      if not o.before then
         add(o.inverse and 'Mul' or 'Div', { scores, o.inverse and 'inverse' or 'root' },
            { 'scaled' })
         scores = 'scaled'
      end
      add('Add', { scores, 'mask' }, { 'masked' })
      add('Softmax', { 'masked' }, { 'p' }, { axis = -1 })
      add('MatMul', { 'p', 'v2' }, { 'y' })
      add('Transpose', { 'y' }, { 'y1' }, { perm = { ints = { 0, 2, 1, 3 } } })
      add('Reshape', { 'y1', 'join' }, { 'z' })
      return nodes, { 'x', 'mask' }, { 'z' }, constants
   end

   it('becomes one node where the scale is computed of sizes, by Pow or Sqrt', function()
      local mask = float(2, 1, 1, 5)
      mask[{ 1, 1, 1, 4 }] = -math.huge
      local tries = { { x = float(2, 5, 12), mask = mask } }
      for _, width in ipairs { 1, 40 } do
         tries[#tries + 1] = { x = float(1, width, 12), mask = float(1, 3, 1, width) }
      end
      for _, o in ipairs { {}, { root = true }, { inverse = true }, { before = true },
         { before = true, inverse = true, root = true }, { split_first = true } } do
         local found = table.concat(ops_of(tries, of_heads(o)), ' ')
         assert.truthy(found:find('Attention of 5 nodes Transpose Reshape', 1, true), found)
      end
   end)

   it('gives the same bits for any number of threads', function()
      local fused = pair(of_heads {})
      local x = { x = float(3, 150, 12), mask = float(3, 3, 150, 150) }
      local before, want = torch.getnumthreads()
      for _, threads in ipairs { 1, 2, 7 } do
         torch.setnumthreads(threads)
         for _ = 1, 3 do
            local y = fused:forward(x)
            want = want or y
            assert.is_true(torch.equal(want, y))
         end
      end
      torch.setnumthreads(before)
   end)

   it('gives the same bits in each run of a plan, and for other values of one size', function()
      local fused, plain = pair(of_heads {})
      local function try(factor)
         return { x = float(2, 9, 12):mul(factor), mask = float(2, 1, 9, 9):mul(factor) }
      end
      local first = fused:forward(try(1))
      for _, factor in ipairs { 1, 0.5, 3, 1 } do
         local x = try(factor)
         local got = fused:forward(x)
         near(plain:forward(x), got)
         if factor == 1 then assert.is_true(torch.equal(first, got)) end
      end
   end)

   it('stays in parts with another axis, weights that are an output, or a scale that is an input',
      function()
      local x = { qkv(2, 3, 4, 4, 8) }
      assert.equal(5, #ops_of(x, attention { axis = 1 }))
      assert.equal(5, #ops_of(x, attention { outputs = { 'z', 'p' } }))
      assert.same({ 'Transpose', 'MatMul', 'Mul', 'Softmax', 'MatMul' },
         ops_of(x, attention { outputs = { 'z', 's' } }))
      local tries = { qkv(2, 3, 4, 4, 8, 8, { c = float(3, 1, 1) }),
         qkv(2, 3, 4, 4, 8, 8, { c = float(1) }) }
      assert.equal(5, #ops_of(tries, attention { no_scale = true, inputs = { 'c' } }))
      assert.equal(5, #ops_of(x, attention { no_scale = true,
         constants = { tensor('c', 'float', { 3, 1, 1 }, { 1, 2, 3 }) } }))
   end)

   it('runs its nodes where heads broadcast', function()
      local fused, plain = pair(attention())
      local x = qkv(2, 3, 4, 5, 8)
      x.k, x.v = x.k:narrow(2, 1, 1):contiguous(), x.v:narrow(2, 1, 1):contiguous()
      near(plain:forward(x), fused:forward(x))
      x.v = float(2, 3, 6, 8)
      refuses("node 'z' (MatMul)", fused.forward, fused, x)
   end)

   it('is empty where its inputs are', function()
      local fused, plain = pair(attention())
      local x = { q = types.empty('float', { 2, 3, 0, 4 }), k = float(2, 3, 5, 4),
         v = float(2, 3, 5, 4) }
      near(plain:forward(x), fused:forward(x))
   end)
end)
