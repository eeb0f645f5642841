-- test/io/loadcaffe_spec.lua - loadcaffe: nets of Caffe in three forms, the text format of Protocol
-- Buffers; damaged files.
-- runs once: nothing here depends on the level
local ffi = require 'ffi'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local prototxt = require 'loadcaffe.prototxt'
local loadcaffe = require 'loadcaffe'
require 'nn'

teardown(temporary.remove)

-- ---- a writer of the wire format -----------------------------------------------------------------------------------

local function varint(n)
   local s = {}
   repeat
      s[#s + 1] = string.char(n % 128 + (n >= 128 and 128 or 0))
      n = math.floor(n / 128)
   until n == 0
   return table.concat(s)
end
local function bytes(number, text) return varint(8 * number + 2) .. varint(#text) .. text end
local function whole(number, n) return varint(8 * number) .. varint(n) end
local function floats(list)
   local p = ffi.new('float[?]', #list, list)
   return ffi.string(p, 4 * #list)
end
local function values(n, first)
   local list = {}
   for i = 1, n do list[i] = ((first or 0) + i) % 7 / 8 - 0.25 end
   return list
end
local function blob(list, packed)
   if packed then return bytes(7, bytes(1, varint(#list))) .. bytes(5, floats(list)) end
   local s = whole(1, 1) .. whole(2, 1) .. whole(3, 1) .. whole(4, #list)
   for _, x in ipairs(list) do s = s .. varint(8 * 5 + 5) .. floats { x, 0 }:sub(1, 4) end
   return s
end

-- A caffemodel: the version of its form, and { name, weight, bias } for each layer.
local function caffemodel(version, list)
   local s = bytes(1, 'net')
   for _, layer in ipairs(list) do
      local blobs, number = '', ({ [0] = 50, 6, 7 })[version]
      for i = 2, #layer do blobs = blobs .. bytes(number, blob(layer[i], i % 2 == 0)) end
      if version == 2 then s = s .. bytes(100, bytes(1, layer[1]) .. bytes(2, 'Any') .. blobs)
      elseif version == 1 then s = s .. bytes(2, bytes(4, layer[1]) .. whole(5, 4) .. blobs)
      else s = s .. bytes(2, bytes(1, bytes(1, layer[1]) .. bytes(2, 'any') .. blobs)) end
   end
   return s
end

local weights = { { 'conv1', values(4 * 3 * 3 * 2), values(4, 2) }, { 'conv2', values(6 * 2), values(6) }, { 'fc', values(5 * 24), values(5) } }

local head = 'name: "net"\ninput: "data"\ninput_dim: 1 input_dim: 3 input_dim: 6 input_dim: 7  # a comment\n'
local texts = {}
texts[2] = head .. [[
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param { num_output: 4 kernel_h: 3 kernel_w: 2 stride: 1 pad_h: 1 pad_w: 0 } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer { name: "norm1" type: "LRN" bottom: "conv1" top: "norm1" lrn_param { local_size: 3 alpha: 1e-4 beta: 0.75 } }
layer { name: "pool1" type: "Pooling" bottom: "norm1" top: "pool1" pooling_param { pool: MAX kernel_size: 2 stride: 3 } }
layer { name: "conv2" type: "Convolution" bottom: "pool1" top: "conv2"
  convolution_param { num_output: 6 kernel_size: 1 group: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "conv2" top: "fc" inner_product_param { num_output: 5 } }
layer { name: "drop" type: "Dropout" bottom: "fc" top: "fc" dropout_param { dropout_ratio: 0.25 } }
layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
]]
texts[1] = texts[2]:gsub('layer {', 'layers {'):gsub('"Convolution"', 'CONVOLUTION'):gsub('"ReLU"', 'RELU'):gsub('"LRN"', 'LRN')
   :gsub('"Pooling"', 'POOLING'):gsub('"InnerProduct"', 'INNER_PRODUCT'):gsub('"Dropout"', 'DROPOUT'):gsub('"Softmax"', 'SOFTMAX')
texts[0] = head .. [[
layers { layer { name: "conv1" type: "conv" num_output: 4 kernelsize: 3 pad: 1 } bottom: "data" top: "conv1" }
layers { layer { name: "relu1" type: "relu" } bottom: "conv1" top: "conv1" }
layers { layer { name: "pool1" type: "pool" pool: AVE kernelsize: 3 stride: 2 } bottom: "conv1" top: "pool1" }
layers { layer { name: "fc" type: "innerproduct" num_output: 5 biasterm: false } bottom: "pool1" top: "fc" }
layers { layer { name: "prob" type: "softmax" } bottom: "fc" top: "prob" }
]]

local function load(text, model, ...)
   return loadcaffe.load(temporary.put(text, '.prototxt'), temporary.put(model, '.caffemodel'), ...)
end
local function names(model)
   local list = {}
   for i, m in ipairs(model.modules) do list[i] = m.name end
   return table.concat(list, ' ')
end

describe('loadcaffe.load', function()
   it('gives the layers with their names, weights and parameters', function()
      local model = load(texts[2], caffemodel(2, weights))
      assert.equal('conv1 relu1 norm1 pool1 conv2 torch_view fc drop prob', names(model))
      local kinds = {}
      for i, m in ipairs(model.modules) do kinds[i] = torch.type(m) end
      assert.same({ 'nn.SpatialConvolution', 'nn.ReLU', 'nn.SpatialCrossMapLRN', 'nn.SpatialMaxPooling', 'nn.SpatialConvolution', 'nn.View',
         'nn.Linear', 'nn.Dropout', 'nn.SoftMax' }, kinds)
      local conv, lrn, pool = model:get(1), model:get(3), model:get(4)
      assert.same({ 2, 3, 1, 1, 0, 1 }, { conv.kW, conv.kH, conv.dW, conv.dH, conv.padW, conv.padH })
      assert.equal('torch.FloatTensor', conv.weight:type())
      assert.equal(0, (conv.weight:view(-1) - torch.FloatTensor(weights[1][2])):abs():max())
      assert.equal(0, (conv.bias - torch.FloatTensor(weights[1][3])):abs():max())
      assert.same({ 3, 1e-4, 0.75, 1 }, { lrn.size, lrn.alpha, lrn.beta, lrn.k })
      assert.is_true(pool.ceil_mode)
      assert.equal(0.25, model:get(8).p)
      assert.equal(24, model:get(7).weight:size(2))
   end)

   it('computes what the layers compute one by one, groups apart', function()
      local model = load(texts[2], caffemodel(2, weights)):evaluate()
      local x = torch.range(1, 2 * 3 * 6 * 7):float():view(2, 3, 6, 7):div(100)
      local conv = nn.SpatialConvolution(3, 4, 2, 3, 1, 1, 0, 1):float()
      conv.weight:copy(torch.FloatTensor(weights[1][2])):resize(4, 3, 3, 2)
      conv.bias:copy(torch.FloatTensor(weights[1][3]))
      local h = nn.SpatialMaxPooling(2, 2, 3, 3):ceil():float():forward(
         nn.SpatialCrossMapLRN(3, 1e-4):float():forward(conv:forward(x):clamp(0, 1e9)))
      assert.same({ 2, 4, 2, 2 }, h:size():totable())
      local w, b, parts = torch.FloatTensor(weights[2][2]):view(6, 2, 1, 1), torch.FloatTensor(weights[2][3]), {}
      for g = 1, 2 do
         local half = nn.SpatialConvolution(2, 3, 1, 1):float()
         half.weight:copy(w:narrow(1, 3 * g - 2, 3))
         half.bias:copy(b:narrow(1, 3 * g - 2, 3))
         parts[g] = half:forward(h:narrow(2, 2 * g - 1, 2)):clone()
      end
      local fc = torch.cat(parts, 2):view(2, 24) * torch.FloatTensor(weights[3][2]):view(5, 24):t()
      local want = nn.SoftMax():float():forward(fc:add(torch.FloatTensor(weights[3][3]):view(1, 5):expand(2, 5)))
      assert.is_true((model:forward(x) - want):abs():max() < 1e-5)
   end)

   it('reads the forms of versions 0 and 1', function()
      local x = torch.ones(3, 6, 7):float()
      local new, old = load(texts[2], caffemodel(2, weights)):evaluate(), load(texts[1], caffemodel(1, weights)):evaluate()
      assert.equal(names(new), names(old))
      assert.equal(0, (new:forward(x) - old:forward(x)):abs():max())
      local first = { { 'conv1', values(4 * 27), values(4) }, { 'fc', values(5 * 4 * 3 * 3) } }
      local oldest = load(texts[0], caffemodel(0, first))
      assert.equal('conv1 relu1 pool1 torch_view fc prob', names(oldest))
      assert.is_nil(oldest:get(5).bias)
      assert.same({ 5 }, oldest:forward(x):size():totable())
   end)

   it("averages windows as Caffe does, with padding and windows that stick out", function()
      local text = head .. [[
layer { name: "conv" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 1 kernel_size: 1 bias_term: false } }
layer { name: "pool" type: "Pooling" bottom: "c" top: "p" pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 } }]]
      local model = load(text, caffemodel(2, { { 'conv', { 1, 0, 0 } } }))
      local x = torch.range(1, 3 * 6 * 7):float():view(3, 6, 7)
      local y = model:forward(x)
      assert.same({ 1, 4, 4 }, y:size():totable())
      for i = 1, 4 do
         for j = 1, 4 do                     -- the formula of Caffe: the size of a window ends with the padding
            local top, left = 2 * i - 3, 2 * j - 3
            local bottom, right, sum = math.min(top + 3, 7), math.min(left + 3, 8), 0
            for r = math.max(top, 0), math.min(bottom, 6) - 1 do
               for c = math.max(left, 0), math.min(right, 7) - 1 do sum = sum + x[1][r + 1][c + 1] end
            end
            assert.is_true(math.abs(sum / ((bottom - top) * (right - left)) - y[1][i][j]) < 1e-4)
         end
      end
   end)

   it('leaves out data, accuracies and layers for training alone', function()
      local text = [[
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TEST } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 5 } }
layer { name: "only" type: "Dropout" bottom: "fc" top: "fc" include { phase: TRAIN } }
layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label" top: "acc" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }]]
      assert.equal('torch_view fc loss', names(load(text, caffemodel(2, weights))))
   end)

   it("gives modules of cudnn for the backend 'cudnn'", function()
      local model = load(texts[2], caffemodel(2, weights), 'cudnn')
      assert.equal('cudnn.SpatialConvolution', torch.type(model:get(1)))
      assert.equal('cudnn.SpatialMaxPooling', torch.type(model:get(4)))
      local want = load(texts[2], caffemodel(2, weights)):evaluate():forward(torch.ones(1, 3, 6, 7):float())
      assert.is_true((model:float():evaluate():forward(torch.ones(1, 3, 6, 7):float()) - want):abs():max() < 1e-5)
   end)

   it('refuses nets that are no chain, and layers that it does not know', function()
      local model = caffemodel(2, weights)
      local function net(line) return texts[2] .. line end
      refuses("layer 'x': it takes 'conv1', but the layer before it makes 'prob': only chains", load,
         net 'layer { name: "x" type: "ReLU" bottom: "conv1" top: "x" }', model)
      refuses("layer 'x': type Concat is not supported", load, net 'layer { name: "x" type: "Concat" bottom: "prob" top: "x" }', model)
      refuses('pool STOCHASTIC is not supported', load, texts[2]:gsub('MAX', 'STOCHASTIC'), model)
      refuses("layer 'fc': the caffemodel has no weight for it", load, texts[2], caffemodel(2, { weights[1], weights[2] }))
      refuses("layer 'conv1': the caffemodel has 72 numbers for its weight, which do not fill 5 outputs of 6", load,
         texts[2]:gsub('num_output: 4', 'num_output: 5'), model)
      refuses("layer 'fc': the caffemodel has 4 numbers for its bias, 5 are needed", load, texts[2],
         caffemodel(2, { weights[1], weights[2], { 'fc', values(120), values(4) } }))
      refuses('kernel_size must be a whole number from 1 on, got 0', load, texts[2]:gsub('kernel_size: 1', 'kernel_size: 0'), model)
      refuses("there is no backend 'ccn2'; there are 'nn' and 'cudnn'", load, texts[2], model, 'ccn2')
      refuses('No such file', loadcaffe.load, '/nowhere.prototxt', '/nowhere.caffemodel')
      refuses('expected the names of two files', loadcaffe.load)
      refuses('caffemodel must be the name of a file', loadcaffe.load, 'x', 3)
      refuses('it has no layers', load, 'name: "x"', model)
      refuses('it holds no weights', load, texts[2], '')
   end)
end)

describe('loadcaffe: a damaged file', function()
   it('is an error or a net, whatever bytes of the caffemodel are changed or missing', function()
      local good, before = caffemodel(2, weights), torch.memory().peak
      local text = temporary.put(texts[2], '.prototxt')
      local nets, errors = 0, 0
      for seed = 1, 1500 do
         math.randomseed(seed)
         local bad = good
         if seed % 3 == 0 then bad = bad:sub(1, math.random(#bad)) end
         for _ = 1, math.random(0, 4) do
            local i = math.random(#bad)
            bad = bad:sub(1, i - 1) .. string.char(math.random(0, 255)) .. bad:sub(i + 1)
         end
         local name = temporary.put(bad)
         local ok, why = pcall(loadcaffe.load, text, name)
         os.remove(name)
         if ok then nets = nets + 1 else errors = errors + 1 end
         assert(ok or tostring(why):find 'loadcaffe: /' and not tostring(why):find 'attempt to', why)
      end
      assert.is_true(nets > 100 and errors > 500)
      assert.is_true(torch.memory().peak - before < 2 ^ 24)
   end)

   it('is an error or a net, whatever characters of the prototxt are changed or missing', function()
      local model, good = temporary.put(caffemodel(2, weights)), texts[2]
      local signs = { '{', '}', '"', ':', '[', '-', '9', '\n', '#', '\\', '\0', 'e' }
      for seed = 1, 1500 do
         math.randomseed(seed)
         local bad = good
         for _ = 1, math.random(3) do
            local i = math.random(#bad)
            bad = bad:sub(1, i - 1) .. signs[math.random(#signs)] .. bad:sub(i + math.random(0, 3))
         end
         local name = temporary.put(bad)
         local ok, why = pcall(loadcaffe.load, name, model)
         os.remove(name)
         assert(ok or tostring(why):find 'loadcaffe: /' and not tostring(why):find 'attempt to', why)
      end
   end)
end)

describe('the text format of Protocol Buffers', function()
   it('has messages, lists, strings and words', function()
      local t = prototxt.read([[a: 1 a: -2.5e3; b { c: "x\n\101\x41" 'y' } b < d: true, > # the end
         list: [1, 2, 3] none: [] f: 1.5f]])
      assert.same({ a = { 1, -2500 }, b = { { c = { 'x\nAAy' } }, { d = { 'true' } } }, list = { 1, 2, 3 }, none = {}, f = { 1.5 } }, t)
   end)

   it('says the line of an error', function()
      refuses("line 2: expected ':' or '{' behind b", prototxt.read, 'a: 1\nb 2')
      refuses("line 1: the text ends before a '}'", prototxt.read, 'a { b: 1')
      refuses('line 1: a string has no end', prototxt.read, 'a: "x\n"')
      refuses('line 3: expected the name of a field', prototxt.read, '\n\n}')
      refuses('messages are nested more than 100 deep', prototxt.read, ('a {'):rep(200))
      refuses('a list has no end', prototxt.read, 'a: [1 2]')
   end)
end)
