-- test/onnx/ops_spec.lua - ops of onnx give what onnxruntime gives (test/onnx/recorded.lua), and refuse what does not fit.
-- runs once: nothing here depends on the level
local node_model = require 'test.support.onnx_node'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'

teardown(temporary.remove)

local function model_of(op, attributes, inputs, outputs) return node_model(op, attributes, inputs, outputs, nil, 17) end

describe('the op', function()
   for i, case in ipairs(require 'test.onnx.recorded') do
      local op, attributes, inputs, outputs = unpack(case)
      it(('%s (case %d) gives what onnxruntime gives, in the first run and in a planned one'):format(op, i), function()
         local m, x = model_of(op, attributes, inputs, #outputs)
         m:forward(x)
         local y = m:forward(x)
         for k, want in ipairs(outputs) do
            local got = #outputs == 1 and y or y['y' .. k]
            assert.equal(want[1], m.outputs[k].type)
            assert.same(want[2], types.shape(got))
            for j, v in ipairs(types.numbers(got)) do
               local w = want[3][j]
               assert.is_true(v == w or math.abs(v - w) <= 1e-6 + 1e-5 * math.abs(w),
                  ('output %d, element %d is %g, not %g'):format(k, j, v, w))
            end
         end
      end)
   end
end)

describe('a node', function()
   local f, three = { 'float', { 2, 3 }, { 1, 2, 3, 4, 5, 6 } }, { 'int64', { 3 }, { 0, 1, 2 } }

   local function at_load(text, op, attributes, ...) refuses(text, model_of, op, attributes, { ... }, 1) end
   local function at_run(text, op, attributes, ...)
      local m, x = model_of(op, attributes, { ... }, 1)
      refuses("node 'y1' (" .. op .. '): ' .. text, m.forward, m, x)
   end

   it('is refused at load with the wrong number of inputs', function()
      at_load('it has 1 inputs, but the op has 2', 'Add', {}, f)
      at_load('it has 3 inputs, but the op has 1', 'Relu', {}, f, f, f)
      at_load('it has 1 inputs, but the op has 2 to 3', 'Conv', {}, f)
      at_load('it has 0 inputs, but the op has 1 or more', 'Concat', { axis = 0 })
   end)

   it('is refused at load with types that its op does not have', function()
      at_load('input 2 is of type int64, but an input before it of type float', 'Add', {}, f, three)
      at_load('input 1 must not be of type int64', 'Sigmoid', {}, three)
      at_load('input 2 must not be of type float', 'Gather', {}, f, f)
   end)

   it('is refused at load with attributes of the wrong kind, or without required ones', function()
      at_load("attribute 'alpha' has the wrong kind", 'LeakyRelu', { alpha = 3 }, f)
      at_load("attribute 'kernel_shape' is missing", 'MaxPool', {}, f)
      at_load("attribute 'equation' is missing", 'Einsum', {}, f)
   end)

   it('is refused with shapes, axes and indices that do not fit', function()
      at_run('shapes 2x3 and 3x2 do not broadcast', 'Add', {}, f, { 'float', { 3, 2 }, { 1, 2, 3, 4, 5, 6 } })
      at_run('an axis must lie in -2..1, got 2', 'ReduceSum', {}, f, { 'int64', { 1 }, { 2 } })
      at_run('axis must lie in -2..1, got 5', 'Concat', { axis = 5 }, f, f)
      at_run('an index must lie in -2..1, got 2', 'Gather', {}, f, three)
      at_run('shape 4 does not fit shape 2x3', 'Reshape', {}, f, { 'int64', { 1 }, { 4 } })
      at_run('perm must name each dimension once', 'Transpose', { perm = { ints = { 0, 0 } } }, f)
      at_run('a step must not be 0', 'Slice', {}, f, { 'int64', { 1 }, { 0 } }, { 'int64', { 1 }, { 1 } }, { 'int64', { 1 },
         { 0 } }, { 'int64', { 1 }, { 0 } })
      at_run('k must lie in 0..3, got 4', 'TopK', {}, f, { 'int64', { 1 }, { 4 } })
      at_run('its input must have 3 dimensions at least', 'Conv', {}, f, f)
   end)

   it('is refused with sizes that memory cannot hold', function()
      local m, x = model_of('ConstantOfShape', {}, { { 'int64', { 2 }, { 2 ^ 30, 2 ^ 30 } } }, 1)
      refuses("node 'y1' (ConstantOfShape): shape 1073741824x1073741824 has too many elements", m.forward, m, x)
      m, x = model_of('Range', {}, { { 'int64', {}, { 0 } }, { 'int64', {}, { 2 ^ 50 } }, { 'int64', {}, { 1 } } }, 1)
      refuses('is too large', m.forward, m, x)
   end)
end)
