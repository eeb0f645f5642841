-- test/onnx/original_spec.lua - model:net() of a file that onnx.save wrote: the modules of the net
-- itself.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
require 'nngraph'
local base64 = require 'torch.base64'
local decode = require 'onnx.decode'
local encode = require 'onnx.encode'
local messages = require 'onnx.messages'
local onnx = require 'onnx'
local original = require 'onnx.original'
local protobuf = require 'torch.protobuf'
local run_th = require('test.support.run_th').th
local source = require 'feed.source'
local temporary = require 'test.support.temporary'

after_each(temporary.remove)


local function saved(net, x, options)
   local path = temporary.name '.onnx'
   return path, onnx.save(path, net, x, options)
end

-- Writes a file again after f(message) has changed its message.
local function change(path, f)
   local m = source.with(path, function(s, size)
      local fetch = source.fetch(s)
      local m = protobuf.read(fetch, size, messages.ModelProto, messages)
      for _, entry in ipairs(m.metadata_props or {}) do
         entry.value = protobuf.text(entry.value, fetch)
      end
      for _, t in ipairs(m.graph.initializer) do t.raw_data = protobuf.text(t.raw_data, fetch) end
      return m
   end)
   f(m)
   return temporary.put(table.concat((encode.message('ModelProto', m))), '.onnx')
end

local function mlp()
   torch.manualSeed(7)
   return nn.Sequential():add(nn.Linear(3, 5)):add(nn.Dropout(0.4)):add(nn.ReLU())
      :add(nn.Linear(5, 2)):float()
end

local x = torch.FloatTensor{{1, 2, 3}, {4, 5, 6}}

-- Whether a net has the modules of mlp(), not those of the nodes.
local function is_mlp(net)
   return #net.modules == 4 and torch.typename(net:get(2)) == 'nn.Dropout'
end

describe('model:net of a file of onnx.save', function()
   it('has the modules of the net with their settings, in evaluation mode', function()
      local net = mlp()
      local path, info = saved(net, x)
      assert.is_true(info.net)
      local back = onnx.load(path):net()
      assert.is_true(is_mlp(back))
      assert.equal(0.4, back:get(2).p)
      assert.is_false(back:get(2).train)
      assert.is_true(torch.equal(net:evaluate():forward(x), back:forward(x)))
   end)

   it('can be trained as the net', function()
      local function trained(net)
         net:training()
         torch.manualSeed(3)
         for _ = 1, 5 do
            net:zeroGradParameters()
            net:backward(x, net:forward(x):clone())
            net:updateParameters(0.1)
         end
         return (net:getParameters())
      end
      local path = saved(mlp(), x)
      assert.is_true(torch.equal(trained(mlp()), trained(onnx.load(path):net())))
   end)

   it('keeps engines, and so every bit', function()
      torch.manualSeed(1)
      local net = nn.Sequential():add(nn.SpatialConvolutionFFT(3, 4, 3, 3))
         :add(nn.SpatialSubSampling(4, 2, 2, 2, 2)):float()
      local image = torch.randn(2, 3, 12, 12):float()
      local back = onnx.load((saved(net, image))):net()
      assert.equal('nn.SpatialConvolutionFFT', torch.typename(back:get(1)))
      assert.is_true(torch.equal(net:forward(image), back:forward(image)))
   end)

   it('keeps parameters that modules share', function()
      local net = nn.Sequential():add(nn.Linear(3, 3)):add(nn.Linear(3, 3)):float()
      net:get(2):share(net:get(1), 'weight')
      local back = onnx.load((saved(net, x))):net()
      back:get(1).weight:fill(7)
      assert.is_true(torch.eq(back:get(2).weight, 7):all())
   end)

   it('keeps a graph, whose file has the same bytes from each process', function()
      local program = [[
         local onnx = require 'onnx'
         require 'nngraph'
         torch.manualSeed(1)
         for i = 1, tonumber(arg[2]) do _G['filler' .. i] = {} end
         local x = nn.Identity()()
         local h = nn.Linear(3, 3)(x)
         local a, b = nn.ReLU()(h), nn.Tanh()(h)
         local net = nn.gModule({x}, {nn.CAddTable()({a, b, x}), b, nn.Dropout()(a)})
         onnx.save(arg[1], net, torch.ones(2, 3))]]
      local script = temporary.put(program, '.lua')
      local one, two = temporary.name '.onnx', temporary.name '.onnx'
      run_th(('%s %s 10'):format(script, one))
      run_th(('%s %s 5000'):format(script, two))
      assert.is_true(temporary.get(one) == temporary.get(two))
      local net = onnx.load(one):net()
      assert.equal('nn.gModule', torch.typename(net))
      assert.equal(3, #net:forward(x))
   end)

   it('has the form of inputs and outputs that the net has', function()
      local net = nn.ParallelTable():add(nn.Identity()):add(nn.CAddTable())
      local back = onnx.load((saved(net, {x:double(), {x:double(), x:double()}}))):net()
      local y = back:forward{x, {x, x}}
      assert.is_true(torch.equal(y[2], x * 2))
   end)

   it('has the type of the file', function()
      for kind, word in pairs{float = 'Float', double = 'Double', half = 'Half'} do
         local name = ('torch.%sTensor'):format(word)
         local back = onnx.load((saved(mlp(), x, {type = kind}))):net()
         assert.is_true(is_mlp(back))
         assert.equal(name, back:type())
         assert.equal(name, back:get(1).weight:type())
      end
   end)

   it('reads weights that lie in a second file', function()
      local net = nn.Sequential():add(nn.Linear(3, 100)):add(nn.Dropout()):float()
      local path = saved(net, x, {external = 0})
      local back = onnx.load(path):net()
      assert.is_true(torch.equal(net:get(1).weight, back:get(1).weight))
      os.remove(path .. '.data')
   end)

   it('writes no weight twice, in whatever order the operators have it', function()
      local list = {
         {nn.Linear(90, 90), torch.ones(2, 90)},
         {nn.TemporalConvolution(60, 60, 3), torch.ones(2, 5, 60)},
         {nn.MultiHeadAttention(64, 4), torch.ones(2, 3, 64)},
         {nn.LSTM(50, 50, 2), torch.ones(4, 2, 50)},
         {nn.GRU(50, 50), torch.ones(4, 2, 50)},
         {nn.SpatialFullConvolution(30, 30, 3, 3), torch.ones(1, 30, 4, 4)},
         {nn.SpatialConvolutionLocal(9, 9, 9, 9, 3, 3), torch.ones(1, 9, 9, 9)},
         {nn.Bilinear(30, 30, 30), {torch.ones(2, 30), torch.ones(2, 30)}},
         {nn.LookupTable(900, 20), torch.LongTensor{1, 2}},
         {nn.SpatialDepthWiseConvolution(60, 20, 3, 3), torch.ones(1, 60, 4, 4)} }
      for _, row in ipairs(list) do
         local _, with = saved(row[1], row[2])
         local _, without = saved(row[1], row[2], {net = false})
         assert.is_true(with.net, torch.typename(row[1]))
         assert.is_true(with.bytes - without.bytes < 9000, torch.typename(row[1]))
         assert.is_true(without.bytes > 30000, torch.typename(row[1]))
      end
   end)

   it('takes weights that were changed in the file', function()
      local path = change((saved(mlp(), x)), function(m)
         for _, t in ipairs(m.graph.initializer) do t.raw_data = ('\0'):rep(#t.raw_data) end
      end)
      local back = onnx.load(path):net()
      assert.is_true(is_mlp(back))
      assert.is_true(torch.eq(back:forward(x), 0):all())
   end)

   it('is made of the nodes where these were changed', function()
      local path = change((saved(mlp(), x)), function(m) m.graph.node[2].op_type = 'Tanh' end)
      assert.equal('nn.Tanh', torch.typename(onnx.load(path):net():get(2)))
      local net = nn.Sequential():add(nn.SoftPlus(2)):add(nn.Dropout())
      path = change((saved(net, x:double())), function(m)
         for _, node in ipairs(m.graph.node) do node.name = nil end       -- no part of the graph
      end)
      assert.equal('nn.Dropout', torch.typename(onnx.load(path):net():get(2)))
   end)

   it('is made of the nodes where a constant that is no weight was changed', function()
      local net = nn.Sequential():add(nn.AddConstant(2)):add(nn.Dropout())
      local path = saved(net, x:double())
      assert.equal('nn.Dropout', torch.typename(onnx.load(path):net():get(2)))
      path = change(path, function(m) m.graph.initializer[1].raw_data = '\0\0\0\0' end)
      local model = onnx.load(path)
      assert.is_true(torch.equal(model:forward(x), x))
      local back = model:net()
      assert.equal(1, #back.modules)
      assert.is_true(torch.equal(back:forward(x), x))
   end)

   it('is made of the nodes where a class is unknown', function()
      local path = change((saved(mlp(), x)), function(m)
         local head, coded = m.metadata_props[1].value:match '^(.* )(.*)$'
         local bytes = base64.decode(coded):gsub('nn%.Dropout', 'nn.Dropoux')
         m.metadata_props[1].value = head .. base64.encode(bytes)
      end)
      assert.equal('nn.ReLU', torch.typename(onnx.load(path):net():get(2)))
   end)

   it('brings no code: a net with a function in a field is left out', function()
      local net = mlp()
      net.hook = function() end
      local path, info = saved(net, x)
      assert.is_false(info.net)
      assert.equal(3, #onnx.load(path):net().modules)
      local loud = change((saved(mlp(), x)), function(m)
         local head = m.metadata_props[1].value:match '^(.* )'
         local object = {net = mlp(), tensors = {}}
         object.net.hook = function() _G.ran = true end
         m.metadata_props[1].value = head .. base64.encode(torch.serialize(object))
      end)
      local back = onnx.load(loud):net()
      assert.equal(3, #back.modules)
      assert.is_nil(back.hook)
   end)

   it('is left out by options.net', function()
      local path, info = saved(mlp(), x, {net = false})
      assert.is_false(info.net)
      assert.equal(3, #onnx.load(path):net().modules)
   end)

   it('refuses inputs that do not fit', function()
      local model = onnx.load((saved(mlp(), x)))
      local ok, why = pcall(model.net, model, torch.FloatTensor(2, 4))
      assert.is_false(ok)
      assert.truthy(tostring(why):find("input 'input' must be of shape", 1, true), why)
   end)
end)

describe('a damaged net in the metadata', function()
   -- A file whose metadata hold `object`, with the digest that is right for the parts of its
   -- entries.
   local function with(object)
      local parts = {}
      for entry in pairs(type(object) == 'table' and object.tensors or {}) do
         for _, part in ipairs(type(entry) == 'table' and entry.parts or {}) do
            parts[type(part) == 'table' and part.from or ''] = true
         end
      end
      return change((saved(mlp(), x)), function(m)
         local tensors = {}
         for _, t in ipairs(m.graph.initializer) do tensors[t.name] = decode.tensor(t) end
         local digest = original.digest(m, parts, function(name) return tensors[name] end)
         m.metadata_props[1].value = ('%s %s nn %s'):format(original.VERSION, digest,
            base64.encode(torch.serialize(object)))
      end)
   end

   it('is one that onnx.save writes where it is not damaged', function()
      local set, storages = {}, {}
      for name, n in pairs{['1.weight'] = 15, ['1.bias'] = 5, ['4.weight'] = 10, ['4.bias'] = 2} do
         storages[name] = {kind = 'FloatTensor', n = n,
            parts = {{from = name, at = 0, offset = 0, size = {n}, stride = {1}}}}
         set[storages[name]] = true
      end
      local net = nn.Linear(3, 5):float()
      local weight = mlp():get(1).weight
      net.weight = {of = storages['1.weight'], offset = 0, size = {5, 3}, stride = {3, 1}}
      set[net.weight] = true
      local back = onnx.load(with{net = net, tensors = set}):net()
      assert.equal('nn.Linear', torch.typename(back))
      assert.is_true(torch.equal(weight, back.weight))
   end)

   local function part(changes)
      local p = {from = '1.weight', at = 0, offset = 0, size = {15}, stride = {1}}
      for k, v in pairs(changes) do p[k] = v end
      return p
   end

   local function storage(changes)
      local s = {kind = 'FloatTensor', n = 15, parts = {part{}}}
      for k, v in pairs(changes) do s[k] = v end
      return s
   end

   local function view(s, changes)
      local t = {of = s, offset = 0, size = {5, 3}, stride = {3, 1}}
      for k, v in pairs(changes) do t[k] = v end
      return t
   end

   local huge = 2 ^ 52
   for name, entries in pairs{
      ['a storage beyond all memory'] = {storage{n = huge}},
      ['a storage of more zeros than weights'] = {storage{n = 2 ^ 22, parts = {}}},
      ['a number of elements that is no number'] = {storage{n = 'many'}},
      ['a number of elements with a fraction'] = {storage{n = 15.5}},
      ['a kind that is no tensor'] = {storage{kind = 'save'}},
      ['a kind of another device'] = {storage{kind = 'CudaTensor'}},
      ['a kind that is a table'] = {storage{kind = {}}},
      ['no parts'] = {storage{parts = false}},
      ['a part that is a number'] = {storage{parts = {7}}},
      ['a part behind its initializer'] = {storage{parts = {part{at = 1}}}},
      ['a part before its initializer'] = {storage{parts = {part{at = -1}}}},
      ['a part behind its storage'] = {storage{parts = {part{offset = 1}}}},
      ['a part before its storage'] = {storage{parts = {part{offset = -1}}}},
      ['a part with a stride that goes beyond'] = {storage{parts = {part{stride = {2}}}}},
      ['a part with a negative stride'] = {storage{parts = {part{offset = 14, stride = {-1}}}}},
      ['a part of no size'] = {storage{parts = {part{size = {}, stride = {}}}}},
      ['a part of more strides'] = {storage{parts = {part{stride = {1, 1}}}}},
      ['a part of sizes whose product overflows'] = {storage{parts = {
         part{size = {huge, huge}, stride = {0, 0}}}}},
      ['a part of an unknown initializer'] = {storage{parts = {part{from = 'none'}}}},
      ['a part of another type'] = {storage{kind = 'DoubleTensor'}},
      ['a tensor of no storage'] = {view({}, {})},
      ['a tensor behind its storage'] = {storage{}, view(storage{}, {offset = 1})},
      ['an entry that is a number'] = {7},
   } do
      it(('does no harm: %s'):format(name), function()
         local set = {}
         for _, entry in ipairs(entries) do
            set[entry] = true
            local of = type(entry) == 'table' and entry.of
            if of and of.kind then set[of] = true end
         end
         local path = with{net = nn.Linear(3, 5):float(), tensors = set}
         assert.equal(3, #onnx.load(path):net().modules)
      end)
   end

   for name, object in pairs{['a number'] = 7, ['a list'] = {},
      ['a criterion'] = {net = nn.MSECriterion(), tensors = {}},
      ['no net'] = {net = {}, tensors = {}},
      ['no entries'] = {net = mlp()}} do
      it(('does no harm: %s'):format(name), function()
         assert.equal(3, #onnx.load(with(object)):net().modules)
      end)
   end

   it('does no harm whichever byte is damaged', function()
      local path = saved(mlp(), x)
      local text
      change(path, function(m) text = m.metadata_props[1].value end)
      local head, coded = text:match '^(.* )(.*)$'
      local bytes = base64.decode(coded)
      torch.manualSeed(5)
      for i = 1, #bytes, 9 do
         local c = string.char((bytes:byte(i) + torch.random(1, 255)) % 256)
         local damaged = change(path, function(m)
            local other = bytes:sub(1, i - 1) .. c .. bytes:sub(i + 1)
            m.metadata_props[1].value = head .. base64.encode(other)
         end)
         local net = onnx.load(damaged):net()
         assert.is_true(torch.isTypeOf(net, 'nn.Module'))
         os.remove(damaged)
      end
   end)

   it('does no harm where the text is cut or of another version', function()
      local path = saved(mlp(), x)
      local text
      change(path, function(m) text = m.metadata_props[1].value end)
      for _, other in ipairs{text:sub(1, 40), text:sub(1, -10), '', '2' .. text:sub(2),
         (text:gsub(' nn ', ' os ')), text .. '-'} do
         local damaged = change(path, function(m) m.metadata_props[1].value = other end)
         assert.is_true(torch.isTypeOf(onnx.load(damaged):net(), 'nn.Module'))
      end
   end)
end)

