-- test/onnx/forward_spec.lua - forward, explain, op and ops of onnx: inputs, shapes, memory, constants, errors.
-- runs once: nothing here depends on the level
local bytes = require 'test.support.onnx_bytes'
local compiler = require 'test.support.compiler'
local refuses = require 'test.support.refuses'
local registry = require 'onnx.registry'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'
local onnx = require 'onnx'

teardown(temporary.remove)

local info, node, tensor = bytes.info, bytes.node, bytes.tensor

local function load(...) return onnx.load(bytes.write(temporary.name '.onnx', bytes.model(...))) end

local function numbers(n, step)
   local list = {}
   for i = 1, n do list[i] = (i * (step or 7) % 11 - 5) / 8 end
   return list
end

local function range(...)
   local t = torch.FloatTensor(...)
   local n = t:nElement()
   return t:copy(torch.range(1, n)):add(-n / 2):div(n)
end

describe('forward', function()
   local add = load({ node('Add', { 'x', 'y' }, { 'z' }) }, { info('x', 'float', { 'n', 3 }), info('y', 'float', { 'n', 3 }) },
      { info('z', 'float', { 'n', 3 }) })

   it('takes inputs by name, and gives the single output', function()
      local z = add:forward { x = torch.FloatTensor(2, 3):fill(1), y = torch.FloatTensor(2, 3):fill(2) }
      assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, z:totable())
   end)

   it('takes the single input as it is, and gives several outputs by name', function()
      local m = load({ node('Split', { 'x' }, { 'a', 'b' }) }, { info('x', 'float', { 4 }) }, { info('a'), info('b') })
      local r = m:forward(torch.FloatTensor { 1, 2, 3, 4 })
      assert.same({ 1, 2 }, r.a:totable())
      assert.same({ 3, 4 }, r.b:totable())
   end)

   it('says what its inputs and outputs are', function()
      assert.same({ { name = 'x', type = 'float', shape = { 'n', 3 } }, { name = 'y', type = 'float', shape = { 'n', 3 } } },
         add.inputs)
      assert.same({ { name = 'z', type = 'float', shape = { 'n', 3 } } }, add.outputs)
      assert.equal('onnx.Model: 1 nodes\n  input x: float, nx3\n  input y: float, nx3\n  output z: float, nx3', tostring(add))
   end)

   it('names an output that is a view too large for memory, and works afterwards', function()
      local m = load({ node('Expand', { 'x', 's' }, { 'z' }) }, { info('x', 'float', { 1, 1 }), info('s', 'int64', { 2 }) },
         { info('z', 'float') })
      local x, huge = torch.FloatTensor(1, 1):fill(3), torch.LongTensor { 2 ^ 22, 2 ^ 22 }
      for _ = 1, 2 do
         refuses("forward: output 'z': clone: out of memory: 70368744177664 bytes wanted", m.forward, m, { x = x, s = huge })
         assert.same({ { 3, 3 } }, m:forward({ x = x, s = torch.LongTensor { 1, 2 } }):totable())
      end
   end)

   it('refuses wrong inputs, and works afterwards', function()
      local x = torch.FloatTensor(2, 3):zero()
      refuses("forward: input 'y' is missing; the model needs 'x', 'y'", add.forward, add, { x = x })
      refuses("forward: the model has no input 'q'", add.forward, add, { x = x, y = x, q = x })
      refuses("forward: input 'x' must be torch.FloatTensor, for type float, got torch.DoubleTensor", add.forward, add,
         { x = x:double(), y = x })
      refuses("forward: input 'x' must be of shape n=2x3, got 2x4", add.forward, add, { x = torch.FloatTensor(2, 4), y = x })
      refuses("forward: input 'y' must be of shape n=2x3, got 5x3", add.forward, add, { x = x, y = torch.FloatTensor(5, 3) })
      refuses('forward: the model has 2 inputs; give them by name', add.forward, add, x)
      refuses('forward: the model has 2 inputs', add.forward, add)
      refuses('forward: the argument must be a tensor or a table', add.forward, add, 'x')
      refuses("must be torch.FloatTensor, for type float, got a string", add.forward, add, { x = 'a', y = x })
      assert.equal(0, add:forward { x = x, y = x }:sum())
   end)

   it('names the node, the op, the reason and the shapes where sizes do not fit', function()
      local m = load({ node('Relu', { 'x' }, { 'r' }), node('MatMul', { 'r', 'w' }, { 'z' }, nil, 'product') }, { info('x',
         'float', { 'n', 'm' }) }, { info('z') },
         { tensor('w', 'float', { 3, 2 }, numbers(6)) })
      refuses("node 'product' (MatMul): the inner sizes differ: 4x5 and 3x2; its inputs have the shapes 4x5, 3x2", m.forward, m,
         torch.FloatTensor(4, 5))
      assert.same({ 4, 2 }, types.shape(m:forward(torch.FloatTensor(4, 3):zero())))
   end)

   it('gives results that the caller owns: later runs, inputs and weights do not change with them', function()
      local m = load({ node('Identity', { 'x' }, { 'a' }), node('Identity', { 'w' }, { 'b' }), node('Exp', { 'x' }, { 'c' }),
         node('Reshape', { 'c', 's' }, { 'd' }) },
         { info('x', 'float', { 2 }) }, { info('a'), info('b'), info('c'), info('d') }, { tensor('w', 'float', { 2 }, { 5, 6 }),
            tensor('s', 'int64', { 2 }, { 2, 1 }) })
      local x = torch.FloatTensor { 0, 0 }
      local first = m:forward(x)
      for _, t in pairs(first) do t:fill(9) end
      assert.same({ 0, 0 }, x:totable())
      local second = m:forward(x)
      assert.same({ 5, 6 }, second.b:totable())
      assert.same({ 1, 1 }, second.c:totable())
      assert.same({ 9, 9 }, first.a:totable())
   end)

   it('uses an initializer that is an input as its default', function()
      local m = load({ node('Add', { 'x', 'w' }, { 'z' }) }, { info('x', 'float', { 2 }), info('w', 'float', { 2 }) },
         { info('z') }, { tensor('w', 'float', { 2 }, { 5, 6 }) })
      assert.equal(1, #m.inputs)
      assert.same({ 5, 6 }, m:forward(torch.FloatTensor { 0, 0 }):totable())
      assert.same({ 1, 1 }, m:forward { x = torch.FloatTensor { 0, 0 }, w = torch.FloatTensor { 1, 1 } }:totable())
   end)

   it('runs without inputs', function()
      local m = load({ node('Range', { 'a', 'b', 'c' }, { 'z' }) }, {}, { info('z', 'int64') }, { tensor('a', 'int64', {},
         { 1 }), tensor('b', 'int64', {}, { 4 }), tensor('c', 'int64', {}, { 1 }) })
      assert.same({ 1, 2, 3 }, m:forward():totable())
   end)
end)

-- A net with branches and views, so that memory is shared and given back in many ways.
local function branches()
   local nodes = { node('Conv', { 'x', 'w', 'b' }, { 'c' }, { pads = { ints = { 1, 1, 1, 1 } } }),
      node('BatchNormalization', { 'c', 's', 'o', 'm', 'v' }, { 'n' }), node('Relu', { 'n' }, { 'r' }), node('Neg', { 'r' },
         { 'g' }),
      node('Transpose', { 'r' }, { 't' }, { perm = { ints = { 0, 1, 3, 2 } } }), node('Add', { 'g', 't' }, { 'a' }),
         node('Sigmoid', { 'a' }, { 'e' }),
      node('Mul', { 'e', 'r' }, { 'p' }), node('Flatten', { 'p' }, { 'f' }), node('Exp', { 'f' }, { 'q' }), node('Sub', { 'q',
         'f' }, { 'z' }) }
   return bytes.model(nodes, { info('x', 'float', { 'n', 2, 'h', 'h' }) }, { info('z') }, { tensor('w', 'float', { 3, 2, 3, 3 },
      numbers(54)),
      tensor('b', 'float', { 3 }, numbers(3)), tensor('s', 'float', { 3 }, { 0.5, 1.5, -1 }), tensor('o', 'float', { 3 },
         numbers(3)),
      tensor('m', 'float', { 3 }, numbers(3, 3)), tensor('v', 'float', { 3 }, { 0.5, 1, 2 }) })
end

describe('the plan of memory', function()
   it('changes no result, for any order of input sizes', function()
      local m = onnx.load(bytes.write(temporary.name '.onnx', branches()))
      local wanted, sizes = {}, { 4, 6, 4, 5, 7, 8, 9, 4, 6 }
      for _, h in ipairs(sizes) do
         local x = range(2, 2, h, h)
         local fresh = onnx.load(bytes.write(temporary.name '.onnx', branches()))
         wanted[h] = wanted[h] or fresh:forward(x)
         for _ = 1, 3 do assert.is_true(torch.equal(wanted[h], m:forward(x))) end
      end
   end)

   it('shares memory of results that do not live at the same time', function()
      local e = onnx.load(bytes.write(temporary.name '.onnx', branches())):explain(range(2, 2, 6, 6))
      assert.is_true(e.bytes > 0 and e.bytes < 0.7 * e.unshared)
   end)

   it('survives a run that fails', function()
      local m = load({ node('Exp', { 'x' }, { 'e' }), node('Reshape', { 'e', 's' }, { 'z' }) }, { info('x', 'float', { 'n' }),
         info('s', 'int64', { 2 }) }, { info('z') })
      local x = torch.FloatTensor { 0, 0 }
      refuses("node 'z' (Reshape)", m.forward, m, { x = x, s = torch.LongTensor { 3, 1 } })
      assert.same({ { 1, 1 } }, m:forward { x = x, s = torch.LongTensor { 1, 2 } }:totable())
      refuses("node 'z' (Reshape)", m.forward, m, { x = x, s = torch.LongTensor { 3, 1 } })
      assert.same({ { 1 }, { 1 } }, m:forward { x = x, s = torch.LongTensor { 2, 1 } }:totable())
   end)
end)

describe('a graph before it runs', function()
   it('has constants computed, and nodes without effect removed', function()
      local m = load({ node('Add', { 'w', 'w' }, { 'd' }), node('Identity', { 'x' }, { 'i' }), node('Dropout', { 'i' }, { 'j',
         'mask' }), node('Mul', { 'j', 'd' }, { 'z' }), node('Exp', { 'j' }, { 'unused' }) },
         { info('x', 'float', { 2 }) }, { info('z') }, { tensor('w', 'float', { 2 }, { 1, 2 }) })
      local e = m:explain()
      assert.equal(1, #e)
      assert.equal('Mul', e[1].op)
      assert.same({ 2, 4 }, m:forward(torch.FloatTensor { 1, 1 }):totable())
   end)

   it('has scales and biases of channels in the convolution before them', function()
      local m = onnx.load(bytes.write(temporary.name '.onnx', branches()))
      local e = m:explain(range(1, 2, 5, 5))
      assert.equal('Conv+BatchNormalization+Relu', e[1].op)
      local x = range(1, 2, 5, 5)
      local plain = branches()
      table.insert(plain.graph.output, info 'c')              -- another use of the convolution forbids it
      local other = onnx.load(bytes.write(temporary.name '.onnx', plain))
      assert.equal('Conv', other:explain(x)[1].op)
      assert.is_true((m:forward(x) - other:forward(x).z):abs():max() < 1e-5)
   end)

   it('has these scales from the first run on, once, also behind a failed run', function()
      local nodes = { node('Conv', { 'x', 'w' }, { 'c' }), node('Mul', { 'c', 'two' }, { 'd' }),
         node('BatchNormalization', { 'd', 's', 'o', 'm', 'v' }, { 'z' }, { epsilon = { f = 0 } }) }
      local m = load(nodes, { info('x', 'float', { 'n', 1, 'h', 'h' }) }, { info('z') },
         { tensor('w', 'float', { 2, 1, 1, 1 }, { 3, 5 }), tensor('two', 'float', {}, { 2 }),
            tensor('s', 'float', { 2 }, { 1, 7 }), tensor('o', 'float', { 2 }, { 0, 1 }),
            tensor('m', 'float', { 2 }, { 0, 0 }), tensor('v', 'float', { 2 }, { 1, 1 }) })
      refuses('must be of shape', m.forward, m, torch.FloatTensor(1, 3, 1, 1))
      local x = torch.FloatTensor(1, 1, 1, 1):fill(1)
      for _ = 1, 3 do assert.same({ { { { 6 } }, { { 71 } } } }, m:forward(x):totable()) end
      assert.same({ 'Conv+Mul+BatchNormalization' }, { m:explain(x)[1].op })
      assert.same({ { { { 6 } }, { { 71 } } } }, m:net(x):forward(x):totable())
   end)
end)

describe('explain', function()
   it('has a row for each node, and prints as a table', function()
      local m = load({ node('Relu', { 'x' }, { 'r' }), node('MatMul', { 'r', 'w' }, { 'z' }) }, { info('x', 'float', { 'n',
         3 }) }, { info('z') }, { tensor('w', 'float', { 3, 2 }, numbers(6)) })
      local e = m:explain()
      assert.same({ 'r', 'z' }, { e[1].node, e[2].node })
      assert.same({ 'Relu', 'MatMul' }, { e[1].op, e[2].op })
      assert.equal('1x2', e[2].shape)
      assert.is_true(e[1].ms >= 0 and e.ms > 0 and #e[2].engine > 0)
      local text = tostring(e)
      assert.matches('^node +op +engine +result +ms +memory\n', text)
      assert.matches('\n2 nodes, [%d.]+ ms; intermediate results: ', text)
   end)

   it('needs a value for an input without a shape', function()
      local m = load({ node('Relu', { 'x' }, { 'z' }) }, { info('x', 'float') }, { info('z') })
      refuses("explain: input 'x' needs a value", m.explain, m)
      assert.equal(1, #m:explain(torch.FloatTensor(2)))
   end)
end)

describe('the first run', function()
   compiler(before_each, after_each)

   it('is interpreted, but for ops that may loop over elements', function()
      local relu, seen = registry.find 'Relu', {}
      local run = relu.run
      local function note(name) seen[#seen + 1] = name .. (jit.status() and ' on' or ' off') end
      relu.run = function(...)
         note 'Relu'
         return run(...)
      end
      onnx.op('Loops', 'spec', function(_, x)
         note 'Loops'
         return x:clone()
      end)
      local looping = node('Loops', { 'x' }, { 'y' })
      looping.domain = 'spec'
      local ok, m = pcall(load, { looping, node('Relu', { 'y' }, { 'z' }) },
         { info('x', 'float', { 2 }) }, { info('z') })
      relu.run = run
      assert.is_true(ok, m)
      for _ = 1, 2 do m:forward(torch.FloatTensor { -1, 2 }) end
      assert.same({ 'Loops on', 'Relu off', 'Loops on', 'Relu on' }, seen)
      assert.is_true((jit.status()))
   end)

   it('turns the compiler on again behind an error', function()
      local m = load({ node('Add', { 'x', 'y' }, { 'z' }) },
         { info('x', 'float'), info('y', 'float') }, { info('z') })
      refuses('(Add)', m.forward, m, { x = torch.FloatTensor(2), y = torch.FloatTensor(3) })
      assert.is_true((jit.status()))
   end)
end)

describe('onnx.op', function()
   it('adds an op of a domain, which a model then finds', function()
      local m = bytes.model({ node('Cube', { 'x' }, { 'z' }, { scale = { f = 2 } }) }, { info('x', 'float', { 2 }) },
         { info('z') })
      m.graph.node[1].domain = 'spec'
      local path = bytes.write(temporary.name '.onnx', m)
      refuses('these ops are not here: spec.Cube', onnx.load, path)
      onnx.op('Cube', 'spec', function(n, x) return torch.pow(x, 3):mul(n.attr.scale) end)
      assert.same({ 2, 16 }, onnx.load(path):forward(torch.FloatTensor { 1, 2 }):totable())
      local found = false
      for _, name in ipairs(onnx.ops()) do found = found or name == 'spec.Cube' end
      assert.is_true(found)
   end)

   it('refuses wrong arguments', function()
      refuses('onnx.op: name must be the name of an op', onnx.op, nil, '', print)
      refuses('onnx.op: domain must be the name of a domain', onnx.op, 'A', 3, print)
      refuses('onnx.op: f must be a function', onnx.op, 'A', '', 3)
   end)
end)

describe('onnx.ops', function()
   it('lists the ops in order', function()
      local list = onnx.ops()
      assert.is_true(#list > 120)
      for i = 2, #list do assert.is_true(list[i - 1] < list[i]) end
   end)
end)
