-- test/onnx/export_spec.lua - onnx.save: the form of the file, its options, names, and bad input. export_modules_spec has the modules.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local onnx = require 'onnx'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local source = require 'feed.source'
local messages = require 'onnx.messages'
local protobuf = require 'torch.protobuf'

after_each(temporary.remove)

local spec = {}                            -- constructors of classes that are made here

local function refused(text, ...) return refuses(text, onnx.save, ...) end

-- The ModelProto in a file, as the reader decodes it, and what onnx.save returned.
local function saved(net, x, options)
   local path = temporary.name '.onnx'
   local info = onnx.save(path, net, x, options)
   local m = source.with(path, function(s, size)
      return protobuf.read(source.fetch(s), size, messages.ModelProto, messages)
   end)
   return m, info, path
end

local function ops_of(m)
   local list = {}
   for i, node in ipairs(m.graph.node) do list[i] = node.op_type end
   return list
end

local function dims_of(v)
   local list = {}
   for i, d in ipairs(v.type.tensor_type.shape.dim or {}) do list[i] = d.dim_param or d.dim_value end
   return list
end

local function mlp()
   torch.manualSeed(7)
   return nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):add(nn.LogSoftMax())
end

describe('onnx.save', function()
   it('writes nodes in the order of computing, with the places of modules as names', function()
      local m, info = saved(mlp(), torch.ones(4, 3))
      assert.same({'Gemm', 'Tanh', 'Gemm', 'LogSoftmax'}, ops_of(m))
      assert.same({'1.Gemm', '2.Tanh', '3.Gemm', '4.LogSoftmax'}, {m.graph.node[1].name, m.graph.node[2].name, m.graph.node[3].name,
         m.graph.node[4].name})
      local names = {}
      for i, t in ipairs(m.graph.initializer) do names[i] = t.name end
      assert.same({'1.weight', '1.bias', '3.weight', '3.bias'}, names)
      assert.same({'input'}, info.inputs)
      assert.same({'output'}, info.outputs)
      assert.equal(4, info.nodes)
      assert.equal('nn.Sequential', m.graph.name)
      assert.equal('Cresset', m.producer_name)
      assert.same({8, 17}, {m.ir_version, m.opset_import[1].version})
   end)

   it('makes the first dimension symbolic where the net permits', function()
      local m, info = saved(mlp(), torch.ones(4, 3))
      assert.is_true(info.batch)
      assert.same({'batch', 3}, dims_of(m.graph.input[1]))
      assert.same({'batch', 2}, dims_of(m.graph.output[1]))
      m, info = saved(nn.Sequential():add(nn.View(-1, 3)):add(nn.Linear(3, 1)), torch.ones(2, 4, 3))
      assert.is_true(info.batch)
      assert.same({'4*batch', 1}, dims_of(m.graph.output[1]))
      m, info = saved(nn.Linear(3, 2), torch.ones(3))
      assert.is_false(info.batch)
      assert.same({3}, dims_of(m.graph.input[1]))
   end)

   it('keeps the sizes of the example with batch = false, and takes another dimension for the samples', function()
      local m, info = saved(mlp(), torch.ones(4, 3), {batch = false})
      assert.is_false(info.batch)
      assert.same({4, 3}, dims_of(m.graph.input[1]))
      require 'nn.recurrent'
      m, info = saved(nn.LSTM(2, 3), torch.ones(5, 4, 2), {batch = 2})
      assert.is_true(info.batch)
      assert.same({5, 'batch', 2}, dims_of(m.graph.input[1]))
      m, info = saved(nn.LSTM(2, 3), {torch.ones(5, 4, 2), torch.LongTensor{5, 4, 3, 2}}, {batch = {2, 1}})
      assert.is_true(info.batch)
      assert.same({'batch'}, dims_of(m.graph.input[2]))
   end)

   it('gives a file that onnx.load runs for other numbers of samples', function()
      local net = mlp():float()
      local _, info, path = saved(net, torch.ones(2, 3):float())
      local x = torch.randn(7, 3):float()
      local y = onnx.load(path):forward{[info.inputs[1]] = x}
      y = torch.isTensor(y) and y or y[info.outputs[1]] or y[1]
      assert.is_true((y - net:forward(x)):abs():max() <= 1e-6)
   end)

   it('takes names for inputs, outputs and the graph', function()
      local net = nn.ConcatTable():add(nn.Tanh()):add(nn.Abs())
      local m, info = saved(net, torch.ones(2, 3), {inputs = {'x'}, outputs = {'tanh', 'abs'}, name = 'two'})
      assert.equal('two', m.graph.name)
      assert.same({'tanh', 'abs'}, info.outputs)
      assert.same({'x', 'tanh', 'abs'}, {m.graph.input[1].name, m.graph.output[1].name, m.graph.output[2].name})
   end)

   it('uses the field name of a module as its part of the path, as nets of loadcaffe have it', function()
      local net = mlp()
      net:get(1).name = 'fc6'
      local m = saved(net, torch.ones(2, 3))
      assert.equal('fc6.Gemm', m.graph.node[1].name)
      assert.equal('fc6.weight', m.graph.initializer[1].name)
   end)

   it('gives the output another name than the input where a net returns its input, or one value twice', function()
      local m = saved(nn.Identity(), torch.ones(2, 3))
      assert.same({'Identity'}, ops_of(m))
      local shared = nn.Sequential():add(nn.Tanh()):add(nn.ConcatTable():add(nn.Identity()):add(nn.Identity()))
      m = saved(shared, torch.ones(2, 3))
      assert.same({'Tanh', 'Identity'}, ops_of(m))
      assert.same({'output1', 'output2'}, {m.graph.output[1].name, m.graph.output[2].name})
   end)

   it('leaves out what no output needs', function()
      local net = nn.Sequential():add(nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Tanh())):add(nn.SelectTable(2))
      local m = saved(net, torch.ones(2, 3))
      assert.same({'Tanh'}, ops_of(m))
      assert.is_nil(m.graph.initializer and m.graph.initializer[1])
   end)

   it('writes shared weights once', function()
      local first = nn.Linear(3, 3)
      local net = nn.Sequential():add(first):add(nn.Tanh()):add(first:clone('weight', 'bias')):add(first)
      local m = saved(net, torch.ones(2, 3))
      assert.equal(2, #m.graph.initializer)
      assert.equal(4, #m.graph.node)
   end)

   it('writes graphs of nngraph, with the names of their nodes', function()
      require 'nngraph'
      local x = nn.Identity()()
      local h = nn.Linear(3, 4)(x):annotate{name = 'hidden'}
      local a, b = nn.Tanh()(h), nn.Sigmoid()(h)
      local net = nn.gModule({x}, {nn.CMulTable()({a, b}), b})
      local m, info = saved(net, torch.ones(2, 3))
      assert.same({'hidden.Gemm'}, {m.graph.node[1].name})
      assert.same({'output1', 'output2'}, info.outputs)
      assert.is_true(info.batch)
   end)

   it('gives the same bytes for the same net', function()
      local function bytes()
         local path = temporary.name '.onnx'
         onnx.save(path, mlp(), torch.ones(4, 3))
         return temporary.get(path)
      end
      assert.equal(bytes(), bytes())
   end)

   for opset = 13, 20 do
      it(('writes operators of opset %d'):format(opset), function()
         local net = nn.Sequential():add(nn.Linear(4, 4)):add(nn.GELU()):add(nn.LayerNormalization(4)):add(nn.Max(2))
         local m, info = saved(net, torch.randn(3, 4), {opset = opset})
         assert.equal(opset, m.opset_import[1].version)
         assert.equal(opset, info.opset)
         local has = {}
         for _, op in ipairs(ops_of(m)) do has[op] = true end
         assert.equal(opset >= 20, has.Gelu == true)
         assert.equal(opset >= 17, has.LayerNormalization == true)
         for _, node in ipairs(m.graph.node) do
            if node.op_type == 'ReduceMax' then assert.equal(opset >= 18 and 2 or 1, #node.input) end
         end
      end)
   end

   it('writes floats by default, doubles or halves on request, and whole numbers as they are', function()
      for kind, number in pairs{float = 1, double = 11, half = 10} do
         local m = saved(mlp(), torch.ones(2, 3), {type = kind})
         assert.equal(number, m.graph.input[1].type.tensor_type.elem_type)
         assert.equal(number, m.graph.initializer[1].data_type)
      end
      local m = saved(nn.LookupTable(4, 2), torch.LongTensor{{1, 2}, {3, 4}})
      assert.equal(7, m.graph.input[1].type.tensor_type.elem_type)
      m = saved(nn.LookupTable(4, 2), torch.Tensor{{1, 2}, {3, 4}})
      assert.equal(1, m.graph.input[1].type.tensor_type.elem_type)
   end)

   it('puts large weights into a second file above the limit of options.external', function()
      local net = nn.Sequential():add(nn.Linear(40, 30)):add(nn.Linear(30, 2))
      local m, info, path = saved(net, torch.randn(2, 40), {external = 1000, net = false})
      assert.is_true(info.bytes < 1000)
      local first = m.graph.initializer[1]
      local place = {}
      for _, entry in ipairs(first.external_data) do place[entry.key] = entry.value end
      assert.equal(path:match '[^/]*$' .. '.data', place.location)
      assert.equal('0', place.offset)
      assert.equal(tostring(40 * 30 * 4), place.length)
      assert.equal(40 * 30 * 4, #temporary.get(path .. '.data'))
      assert.is_nil(m.graph.initializer[2].external_data and m.graph.initializer[2].external_data[1])     -- 30 numbers
      local x = torch.randn(3, 40):float()
      local y = onnx.load(path):forward{input = x}
      y = torch.isTensor(y) and y or y.output or y[1]
      assert.is_true((y:double() - net:forward(x:double())):abs():max() < 1e-5)
      os.remove(path .. '.data')
   end)

   it('writes a net in training mode as in evaluation mode, and leaves it in training mode', function()
      local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Dropout(0.5)):add(nn.BatchNormalization(2))
      net:training()
      local m = saved(net, torch.ones(2, 3))
      assert.same({'Gemm', 'BatchNormalization'}, ops_of(m))
      assert.is_true(net:get(2).train)
      assert.is_true(torch.eq(net:get(3).running_mean, 0):all())
   end)

   it('replaces a file when the new one is complete, and keeps the old one after an error', function()
      local path = temporary.put('old', '.onnx')
      refused('net must have modules', path, nn.SpatialFractionalMaxPooling(2, 2, 2, 2), torch.ones(1, 1, 4, 4))
      assert.equal('old', temporary.get(path))
      onnx.save(path, nn.Tanh(), torch.ones(1))
      assert.is_true(#temporary.get(path) > 20)
   end)
end)

describe('onnx.save refuses', function()
   it('modules that ONNX cannot express, all of them with their places', function()
      torch.class('spec.Unknown', 'nn.Module', spec)
      local net = nn.Sequential():add(nn.SpatialFractionalMaxPooling(2, 2, 3, 3)):add(nn.ConcatTable():add(nn.Identity()):add(spec.Unknown()))
      local why = refused('net must have modules that ONNX can express, got 2 without', 'x.onnx', net, torch.ones(1, 1, 6, 6))
      assert.truthy(why:find('1: nn.SpatialFractionalMaxPooling: its windows are drawn', 1, true), why)
      assert.truthy(why:find('2.2: spec.Unknown: a base class', 1, true), why)
   end)

   it('a class that computes otherwise than its parent', function()
      local Class = torch.class('spec.Other', 'nn.Tanh', spec)
      function Class:updateOutput(x) return self.output:resizeAs(x):fill(7) end
      local why = refused('got 1 without', 'x.onnx', spec.Other(), torch.ones(2))
      assert.truthy(why:find('net: spec.Other: no rule for this class, which computes otherwise than its parent nn.Tanh', 1, true), why)
      torch.class('spec.Same', 'nn.Tanh', spec)
      assert.equal(1, (select(2, saved(spec.Same(), torch.ones(2)))).nodes)
   end)

   it('a net that contains itself, and one without modules', function()
      local net = nn.Sequential()
      net:add(net)
      refused('net must be a tree of modules at most 200 deep, got one that contains itself', 'x.onnx', net, torch.ones(1))
      net = nn.Tanh()
      for _ = 1, 250 do net = nn.Sequential():add(net) end
      refused('at most 200 deep, got a deeper one', 'x.onnx', net, torch.ones(1))
      local why = refused('got 1 without', 'x.onnx', nn.Sequential(), torch.ones(1))
      assert.truthy(why:find 'holds no module')
      refused('holds no module', 'x.onnx', nn.Concat(1), torch.ones(1))
   end)

   it('an example that the net does not take', function()
      local why = refused('exampleInput must be an input of the net, got 2x4', 'x.onnx', mlp(), torch.ones(2, 4))
      assert.truthy(why:find '1 %(nn%.Linear%) fails')
      refused('exampleInput must have elements, got an empty tensor', 'x.onnx', mlp(), torch.Tensor())
      refused('exampleInput must be a tensor or a table of tensors, got nil', 'x.onnx', mlp())
      refused('exampleInput must be a tensor or a table of tensors, got a table without any', 'x.onnx', mlp(), {})
      refused('exampleInput must be a tensor or a table of tensors', 'x.onnx', mlp(), {1, 2})
   end)

   it('damaged nets, with its name in front', function()
      for field, bad in pairs{weight = 3, bias = 'x', modules = {}, _type = 7} do
         local net = nn.Sequential():add(nn.Linear(3, 2))
         if field == 'modules' or field == '_type' then net[field] = bad else net:get(1)[field] = bad end
         local ok, why = pcall(onnx.save, temporary.name '.onnx', net, torch.ones(2, 3))
         assert.is_true(ok or tostring(why):find('onnx.save: ', 1, true) ~= nil, tostring(why))
         assert.is_true(not ok or field == '_type', field)
      end
   end)

   it('wrong kinds of nets and paths', function()
      refused('net must be an nn.Module or a function', 'x.onnx', 3, torch.ones(1))
      refused('net must be an nn.Module or a function', 'x.onnx', nn.MSECriterion(), torch.ones(1))
      refused('net must be an nn.Module or a function', 'x.onnx', nil, torch.ones(1))
      refused('path must be a string', 3, mlp(), torch.ones(1, 3))
      refused('path must not hold a byte 0', 'a\0b', mlp(), torch.ones(1, 3))
   end)

   it('a folder that cannot be written', function()
      local why = refused('onnx.save: ', '/nowhere/at/all/x.onnx', mlp(), torch.ones(1, 3))
      assert.truthy(why:find('/nowhere/at/all/x.onnx', 1, true), why)
   end)

   it('wrong options', function()
      local function option(text, options) refused(text, 'x.onnx', mlp(), torch.ones(1, 3), options) end
      option('options must be a table, got a number (3)', 3)
      option("options must have the keys batch, external, inputs, name, net, opset, outputs and "
         .. "type, got 'opsets'", {opsets = 13})
      option('options.opset must be a whole number of 13..20, got a number (12)', {opset = 12})
      option('options.opset must be a whole number of 13..20, got a number (17.5)', {opset = 17.5})
      option("options.type must be 'float', 'double' or 'half'", {type = 'int'})
      option('options.batch must be false, a dimension, or a list of dimensions', {batch = 0})
      option('options.batch must be false, a dimension, or a list of dimensions', {batch = 'x'})
      option('options.inputs must be a list of names', {inputs = 'x'})
      option('options.outputs[1] must be a name', {outputs = {3}})
      option('options.external must be a number of bytes', {external = -1})
      option('options.name must be a string', {name = 3})
      option('options.net must be true or false, got a number (1)', {net = 1})
      option('names of inputs and outputs must differ, got x twice', {inputs = {'x'}, outputs = {'x'}})
   end)
end)

describe('onnx.exporter', function()
   it('registers the rule of a class, and removes it', function()
      local Scale = torch.class('spec.Scale', 'nn.Module', spec)
      function Scale:updateOutput(x) return self.output:resizeAs(x):copy(x):mul(self.factor) end
      local m = spec.Scale()
      m.factor = 3
      onnx.exporter('spec.Scale', function(c, module, x, y)
         assert.same(x.sizes, y.sizes)
         return c:op('Mul', {x, c:number(module.factor)})
      end)
      local file = saved(m, torch.ones(2, 3))
      assert.same({'Mul'}, ops_of(file))
      onnx.exporter('spec.Scale')
      refused('net: spec.Scale', 'x.onnx', m, torch.ones(2, 3))
   end)

   it('names the module in the error of a rule, and in a refusal by it', function()
      torch.class('spec.Bad', 'nn.Tanh', spec)
      onnx.exporter('spec.Bad', function() return nil .. 'x' end)
      refused('onnx.save: the rule of spec.Bad (1) fails: ', 'x.onnx', nn.Sequential():add(spec.Bad()), torch.ones(2))
      onnx.exporter('spec.Bad', function(c) c:refuse('it has %d heads', 2) end)
      refused('1: spec.Bad: it has 2 heads', 'x.onnx', nn.Sequential():add(spec.Bad()), torch.ones(2))
      onnx.exporter('spec.Bad', function() return 'nothing of this name' end)
      refused('names no value', 'x.onnx', nn.Sequential():add(spec.Bad()):add(nn.Tanh()), torch.ones(2))
      onnx.exporter('spec.Bad', function() return {} end)
      refused('it must return the name of a value for each result, got a table', 'x.onnx', nn.Sequential():add(spec.Bad()), torch.ones(2))
      onnx.exporter 'spec.Bad'
   end)

   it('pairs operands of as many elements by broadcasting', function()
      local Outer = torch.class('spec.Outer', 'nn.Module', spec)
      function Outer:updateOutput(x)
         local a, b = x[1]:view(1, 3):expand(3, 3), x[2]:expand(3, 3)
         return self.output:resize(3, 3):copy(a - b)
      end
      onnx.exporter('spec.Outer', function(c, _, x) return c:op('Sub', x) end)
      local a, b = torch.FloatTensor{1, 2, 3}, torch.FloatTensor{{1}, {2}, {4}}
      local _, info, path = saved(spec.Outer(), {a, b}, {batch = false})
      local y = onnx.load(path):forward{input1 = a, input2 = b}
      y = torch.isTensor(y) and y or y[info.outputs[1]] or y[1]
      assert.same({{0, 1, 2}, {-1, 0, 1}, {-3, -2, -1}}, y:totable())
   end)

   it('refuses what is no name or no function', function()
      refuses('class must be the name of a class', onnx.exporter, 3)
      refuses('rule must be a function', onnx.exporter, 'a.B', 3)
   end)
end)
