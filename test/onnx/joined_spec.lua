-- test/onnx/joined_spec.lua - products of one value that become one, and reshaped views: results
-- are those of the products apart.
local bytes = require 'test.support.onnx_bytes'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local joined = require 'onnx.joined'
local layout = require 'onnx.layout'
local types = require 'onnx.types'
local onnx = require 'onnx'
local torch = require 'torch'

teardown(temporary.remove)

local info, node, tensor, numbers = bytes.info, bytes.node, bytes.tensor, bytes.numbers

local function float(...)
   local t = torch.FloatTensor(...)
   return t:copy(torch.range(1, t:nElement()):mul(1.7):sin())
end

-- Three products of x with 64 rows, split into heads of 16: nodes, outputs and constants. o.bias[i]
-- says whether product i has one, o.last is what follows product 3 in place of a Reshape.
local function heads(o)
   local nodes, outputs, constants = {}, {}, {}
   for i, columns in ipairs { 64, 128, 32 } do
      local y = 'y' .. i
      constants[#constants + 1] = tensor('w' .. i, 'float', { 64, columns },
         numbers(64 * columns, i))
      nodes[#nodes + 1] = node('MatMul', { 'x', 'w' .. i }, { y })
      if o.bias and o.bias[i] then
         constants[#constants + 1] = tensor('b' .. i, 'float', { columns }, numbers(columns, i))
         nodes[#nodes + 1] = node('Add', { 'b' .. i, y }, { 'z' .. i })
         y = 'z' .. i
      end
      if i == 3 and o.last then nodes[#nodes + 1] = node(o.last, { y }, { 'h' .. i })
      else nodes[#nodes + 1] = node('Reshape', { y, 'split' }, { 'h' .. i }) end
      nodes[#nodes + 1] = node('Abs', { 'h' .. i }, { 'out' .. i })
      outputs[i] = info('out' .. i)
   end
   if o.output then outputs[4] = info(o.output) end
   constants[#constants + 1] = tensor('split', 'int64', { 4 }, { 0, 0, -1, 16 })
   return bytes.model(nodes, { info 'x' }, outputs, constants)
end

local function load(m) return onnx.load(bytes.write(temporary.name '.onnx', m)) end

local function load_apart(m)
   local graph = joined.graph
   joined.graph = function() end
   local ok, model = pcall(load, m)
   joined.graph = graph
   assert(ok, model)
   return model
end

-- Compares a model with the one whose products are apart, three times for each size of x, so that
-- plans are used. Returns the joined model and the ops of its rows.
local function compare(o)
   local m = heads(o)
   local model, apart, ops = load(m), load_apart(m), {}
   for _, rows in ipairs { 16, 1, 3, 40, 16 } do
      for factor = 1, 3 do
         local x = float(2, rows, 64):mul(factor)
         local y, want = model:forward(x), apart:forward(x)
         for name, t in pairs(want) do
            assert.same(types.shape(t), types.shape(y[name]))
            assert.is_true((y[name] - t):abs():max() < 1e-5)
         end
      end
   end
   for i, row in ipairs(model:explain(float(2, 16, 64))) do ops[i] = row.op end
   return model, table.concat(ops, ' ')
end

describe('products of one value', function()
   it('become one where Reshape splits their columns', function()
      for _, bias in ipairs { {}, { true, true, true } } do
         local _, ops = compare { bias = bias }
         local word = 'MatMul of 3 products'
         if layout.is_quick() then assert.equal(1, ops:find(word, 1, true))
         else assert.is_nil(ops:find(word, 1, true)) end
      end
   end)

   it('stay apart where another node reads a result, it is an output, or lacks a bias', function()
      for _, o in ipairs { { last = 'Relu' }, { output = 'y3' }, { bias = { true, true } } } do
         local _, ops = compare(o)
         if layout.is_quick() then assert.truthy(ops:find('MatMul of 2 products', 1, true)) end
         assert.is_nil(ops:find('of 3', 1, true))
      end
   end)

   it('refuse another inner size, and run again behind it', function()
      local model = compare {}
      refuses('the inner sizes differ: 2x5x63 and 64x64', model.forward, model, float(2, 5, 63))
      assert.same({ 2, 5, 4, 16 }, types.shape(model:forward(float(2, 5, 64)).out1))
   end)

   it('are empty where their input is', function()
      local model = load(heads {})
      refuses("node 'h1' (Reshape): 0 elements do not divide", model.forward, model,
         types.empty('float', { 2, 0, 64 }))
   end)
end)

describe('types.reshaped', function()
   it('is a view with the same elements, or nil where strides forbid it', function()
      local t = float(3, 4, 6)
      local columns = t:narrow(3, 2, 4)
      for _, case in ipairs { { columns, { 12, 4 } }, { columns, { 3, 2, 2, 1, 2, 2 } },
         { columns, { 12, 4, 1 } }, { t:transpose(2, 3), { 3, 2, 3, 4 } },
         { t:narrow(2, 2, 1):transpose(1, 3), { 4 + 2, 3, 1 } } } do
         local from, shape = unpack(case)
         local view = types.reshaped(from, shape)
         assert.is_true(torch.equal(from:clone():view(unpack(shape)), view:clone()))
         assert.is_true(view._storage == t._storage)
      end
      assert.is_nil(types.reshaped(columns, { 48 }))
      assert.is_nil(types.reshaped(t:transpose(2, 3), { 3, 24 }))
      assert.is_nil(types.reshaped(t, { 72 }))
   end)
end)
