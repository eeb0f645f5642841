-- test/fuzz/seeds.lua TARGET FOLDER - writes the small good files that the fuzzer begins with, and words that it may put
-- anywhere to FOLDER.words.
local torch = require 'torch'
local classes = require 'test.fuzz.classes'
local target, folder = arg[1], arg[2]

local TYPES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
local tensors = { x = torch.range(1, 3), y = torch.ByteTensor { { 1, 2 }, { 3, 4 } }, z = torch.tensor(2.5) }

local function put(name, bytes)
   local f = assert(io.open(name, 'wb'))
   f:write(bytes)
   f:close()
end
local function seed(name, bytes) put(folder .. '/' .. name, bytes) end

-- In the form that libFuzzer reads: one quoted word a line.
local function words(list)
   local lines = {}
   for i, word in ipairs(list) do
      lines[i] = '"' .. word:gsub('[^%w ._]', function(c) return ('\\x%02x'):format(c:byte()) end) .. '"\n'
   end
   put(folder .. '.words', table.concat(lines))
end

local seeds = {}

local function columns()
   local text = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}"
   return '\147NUMPY\1\0' .. string.char(#text) .. '\0' .. text .. ('\0\7'):rep(6)
end

function seeds.npy()
   seed('columns.npy', columns())
   for name, t in pairs(tensors) do torch.save(('%s/%s.npy'):format(folder, name), t) end
   for _, name in ipairs(TYPES) do
      if name ~= 'BFloat16' then torch.save(('%s/%s.npy'):format(folder, name), torch[name .. 'Tensor'] { { 1, 2 } }) end
   end
end

function seeds.zip()
   torch.save(folder .. '/stored.npz', tensors)
   torch.save(folder .. '/deflated.npz', tensors, 'deflate')
   torch.save(folder .. '/zeros.npz', { x = torch.zeros(1e4) }, 'deflate')
end

local header = '{"__metadata__":{"format":"pt","u":"\\u00fc\\ud83d\\ude00"},"a.b":{"shape":[2],"dtype":"I16",'
   .. '"data_offsets":[1,5]},"t":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}'

-- The target takes the number of bytes behind the header, then the header.
function seeds.safetensors() seed('header', '\5\0' .. header) end

-- Databases of LMDB with small pages: of all lengths of values, and of keys with several values.
function seeds.lmdb()
   local lmdb = require 'test.support.lmdb'
   local function entries(n, length)
      local list = {}
      for i = 1, n do list[i] = { ('%02d'):format(i), ('x'):rep(i * length) } end
      return list
   end
   seed('empty', (lmdb.file({}, 256)))
   seed('leaf', (lmdb.file(entries(4, 3), 256)))
   seed('tree', (lmdb.file(entries(12, 10), 256)))
   seed('long', (lmdb.file(entries(3, 200), 256)))
   local many = { 'b' }
   for k = 1, 40 do many[k + 1] = ('%03d'):format(k) end
   for name, flags in pairs { nodes = lmdb.DUPSORT, fixed = lmdb.DUPSORT + lmdb.DUPFIXED } do
      seed(name, (lmdb.file({ { 'a', '001', '002' }, many, { 'c', 'single' } }, 256, flags)))
   end
   words { '\222\192\239\190', ('\255'):rep(8), '\1\0', '\2\0', '\4\0', '\6\0', '\66\0', '\98\0', '\0\1\0\0' }
end

-- PNG files of one, three and four planes, where libpng is.
function seeds.png()
   local write = require 'feed.png'.write
   for _, planes in ipairs { 1, 3, 4 } do
      local ok, bytes = pcall(write, torch.range(1, planes * 63):view(7, 9, planes):byte())
      if ok then seed(planes .. '.png', bytes) end
   end
   words { 'IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'gAMA', 'iCCP', 'zTXt', '\16\6', '\1\3' }
end

-- Files of all kinds that image reads.
function seeds.image()
   local jpeg = require 'feed.jpeg'
   local forms = { p1 = 'P1\n3 2\n0 1 0\n110\n', p2 = 'P2 3 1 2\n0 1 2', p3 = 'P3\n# c\n1 1 255\n1 2 3\n',
      p4 = 'P4\n10 1\n\170\64', p5 = 'P5 2 1 255\n\10\32', p6 = 'P6 2 1 65535\n' .. ('\1\2'):rep(6) }
   for name, bytes in pairs(forms) do seed(name, bytes) end
   seeds.png()
   for _, planes in ipairs { 1, 3 } do
      local ok, bytes = pcall(jpeg.write, torch.range(1, planes * 63):view(7, 9, planes):byte(), 75)
      if ok then seed(planes .. '.jpg', bytes) end
   end
   seed('small.webp', (('524946464e000000574542505650384c420000002f024000102f40906d3384654af767ba0641b6cd66307f825b9e40d2666b' .. '30debfeb09246dc69a3fd9dfec013f974b6ab3ba2514b28d00a7768fc8195d44ff637901'):gsub('..', function(h) return string.char(tonumber(h, 16)) end)))
   words { 'RIFF', 'WEBP', 'VP8L', 'VP8X', 'EXIF', 'IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'gAMA', 'Exif\0\0II\42\0', '\255\216', '\255\225', '\255\219',
      '\255\196', '\255\192', '\255\194', '\255\218', '\255\217', 'P1 ', 'P4 ', '65535' }
end

function seeds.load()
   seeds.npy()
   seeds.zip()
   local all = {}
   for _, name in ipairs(TYPES) do all[name] = torch[name .. 'Tensor'] { { 1, 2 }, { 3, 4 } } end
   torch.save(folder .. '/all.safetensors', all)
   seed('notes', string.char(#header) .. ('\0'):rep(7) .. header .. '\1\2\3\4\5')
   torch.save(folder .. '/small.t7', tensors)
   words { "'descr': ", "'fortran_order': True", "'shape': (", '<f4', '>i8', '|b1', '|u1', '"dtype":', '"shape":[', '"BOOL"',
      '"data_offsets":[', '"__metadata__":{', '\147NUMPY\2\0', 'PK\1\2', 'PK\3\4', 'PK\5\6', '.npy' }
end

-- The recorded files of PyTorch, the pickles in their archives, and attacks.
function seeds.pickle()
   local attack = require 'test.support.pickles'
   for file in io.popen('ls test/support/pytorch'):lines() do
      local f = assert(io.open('test/support/pytorch/' .. file, 'rb'))
      local bytes = f:read '*a'
      f:close()
      if not file:find '%.txt$' then seed(file, bytes) end
      local pickle = bytes:match '^PK.-ZZ(\128[\2-\5].-)PK\7\8' or bytes:match '^PK.-(\128[\2-\5].-)PK'
      if pickle then seed(file .. '.pkl', pickle) end
   end
   for i, bytes in ipairs(attack.all()) do seed('attack' .. i, bytes) end
   local list = { 'torch._utils\n', '_rebuild_tensor_v2\n', '_rebuild_parameter\n', 'collections\nOrderedDict\n', 'ccollections\ndefaultdict\n',
      'ctorch\nSize\n', 'ctorch\ndevice\n', 'c_codecs\nencode\n', 'cbuiltins\nset\n', 'cbuiltins\ncomplex\n', 'cargparse\nNamespace\n',
      'cnumpy\ndtype\n', 'cnumpy.core.multiarray\nscalar\n', 'cnumpy.core.multiarray\n_reconstruct\n', 'cos\nsystem\n', 'c__torch__\nNet\n',
      '_rebuild_tensor_v3\n', 'ctorch._tensor\n_rebuild_from_type_v2\n', 'ctorch\nUntypedStorage\n', 'X\7\0\0\0storage', '\140\7storage',
      '\1380a', '\149\16\0\0\0\0\0\0\0', ('\255'):rep(8), '\147', 'tR', 'tQ', 'ustar\0' .. '00', 'PK\1\2', 'PK\3\4', 'PK\5\6', 'byteorder' }
   for _, kind in ipairs { 'Float', 'Bool', 'ComplexFloat', 'ComplexDouble', 'QInt8', 'Long', 'BFloat16' } do list[#list + 1] = 'ctorch\n' .. kind .. 'Storage\n' end
   words(list)
end

-- Objects of every kind. The function comes last: a program that does not open it still reads what is before it.
local function objects()
   local list = {
      { 1, -0.5, 'text', true, false, { { {} } } },
      { n = 1, [true] = 'yes', [2.5] = 3 },
      classes.Own { 1, classes.Own(2) }, classes.Plain { a = 1, b = { 'c' } },
      torch.Generator(), torch.FloatStorage { 1, 2 }, torch.tensor(7), torch.Tensor(),
      torch.range(1, 12):resize(3, 4):t(), torch.FloatTensor { 1 }:expand(4),
   }
   local t, x = {}, torch.range(1, 6)
   list[#list + 1] = { t, t, x, x, x:narrow(1, 2, 3) }
   for _, name in ipairs(TYPES) do list[#list + 1] = { torch[name .. 'Tensor'] { { 1, 2 } }, torch[name .. 'Storage'] { 3 } } end
   local up, again = { 1 }, 2
   list[#list + 1] = { function() return up, again end, function() again = up end }
   return list
end

function seeds.t7()
   for i, object in ipairs(objects()) do
      seed(i .. '.binary', torch.serialize(object))
      seed(i .. '.ascii', torch.serialize(object, 'ascii'))
      seed(i .. '.b32', torch.serialize(object, 'b32'))
   end
   local function int(n) return string.char(n, 0, 0, 0) end
   local f = torch.serialize(function() end):sub(9)
   seed('old-function', int(6) .. f)                        -- without an index, and the form between
   seed('legacy-function', int(7) .. int(1) .. f)
   seed('old-object', int(4) .. int(1) .. int(10) .. 'fuzz.Plain' .. int(3) .. int(2) .. int(0))
   seed('gpu', (torch.serialize(torch.FloatTensor { 1 }):gsub('\17%z%z%ztorch%.Float', '\16\0\0\0torch.Cuda')
      :gsub('\18%z%z%ztorch%.Float', '\17\0\0\0torch.Cuda')))
   local list = { int(255), '\255\255\255\255', ('\255'):rep(7) .. '\127', int(100), 'nan', '1e400', '\27LJ\2', '\27Lua', 'V 1' }
   for tag = 0, 8 do
      list[#list + 1] = int(tag)
      list[#list + 1] = '\n' .. tag .. '\n'
   end
   local names = { 'torch.CudaTensor', 'torch.CudaLongStorage', 'torch.Generator', 'torch.DiskFile', 'torch.MemoryFile',
      'torch.OpaqueFunction', 'fuzz.Own', 'fuzz.Plain', 'nn.Linear' }
   for _, name in ipairs(TYPES) do
      names[#names + 1] = 'torch.' .. name .. 'Tensor'
      names[#names + 1] = 'torch.' .. name .. 'Storage'
   end
   for _, name in ipairs(names) do
      list[#list + 1] = int(#name) .. name
      list[#list + 1] = '\n' .. #name .. '\n' .. name .. '\n'
   end
   words(list)
end

-- Containers of tds, and programs of operations.
function seeds.tds()
   local tds = require 'tds'
   local list = { tds.Hash { a = 1, b = tds.Vec { 1, 'x', true } }, tds.Vec { 1, 'x', tds.Hash() }, tds.AtomicCounter(),
      tds.Vec { torch.ones(2), torch.FloatStorage { 1 } }, tds.Hash { [1] = 2, [0.5] = 'half' } }
   local v = tds.Vec { 1 }
   v[2] = v
   list[#list + 1] = v
   list[#list + 1] = { v, v, list[1] }
   for i, object in ipairs(list) do seed(i .. '.t7', torch.serialize(object)) end
   v:resize(0)
   local program = { '\255' }
   for i = 0, 255 do program[#program + 1] = string.char(i, i * 7 % 256, i * 13 % 256, i % 16) end
   seed('program', table.concat(program))
   words { 'tds.Vec', 'tds.Hash', 'tds.AtomicCounter', '\3\0\0\0V 0', '\4\0\0\0', ('\255'):rep(7) .. '\127', ('\255'):rep(8) }
end

-- A net of each form of Caffe; the layers of version 2 have their weights.
function seeds.caffe()
   local function bytes(number, text) return string.char(8 * number % 128 + 130, math.floor(number / 16), #text) .. text end
   local blobs = bytes(7, bytes(5, ('\0\0\128\63'):rep(4))) .. bytes(7, '\45\0\0\128\63\45\0\0\128\63')
   local function net(layer, kinds)
      local texts, models = {}, {}
      for i, kind in ipairs(kinds) do
         texts[i] = layer:gsub('KIND', kind):gsub('NAME', 'l' .. i)
         models[i] = bytes(100, bytes(1, 'l' .. i) .. blobs)
         models[#kinds + i] = bytes(2, bytes(4, 'l' .. i) .. (blobs:gsub('^\186', '\178')))
      end
      return 'name: "n" input: "d" input_dim: 1\n' .. table.concat(texts, '\n') .. '\0' .. table.concat(models)
   end
   local parameters = [[ convolution_param { num_output: 2 kernel_size: 1 group: 1 }
inner_product_param { num_output: 2 } pooling_param { pool: AVE kernel_size: 2 stride: 2 pad: 1 }
relu_param { negative_slope: 0.5 } lrn_param { local_size: 3 alpha: 1e-4 beta: 0.75 } dropout_param { dropout_ratio: 0.25 } include { phase: TEST } }]]
   seed('v2', net('layer { name: "NAME" type: "KIND"' .. parameters, { 'Convolution', 'ReLU', 'LRN', 'Pooling', 'InnerProduct',
      'Dropout', 'Softmax', 'Data' }))
   seed('v1', net('layers { name: "NAME" type: KIND' .. parameters, { 'CONVOLUTION', 'TANH', 'SIGMOID', 'ABSVAL', 'POOLING',
      'FLATTEN', 'INNER_PRODUCT', 'SOFTMAX_LOSS' }))
   seed('v0', net('layers { layer { name: "NAME" type: "KIND" num_output: 2 kernelsize: 1 pad: 1 biasterm: true } bottom: "d" }',
      { 'conv', 'padding', 'pool', 'relu', 'innerproduct', 'softmax' }))
   seed('text', "a: 'x\\n\\x41\\101' \"y\" # c\nb: [1, -2.5f, 1e9] c < d: true; e: inf > f: [{ g: 1 }, { g: 2 }] h: []")
   words { 'layer {', 'layers {', 'name: ', 'type: ', 'bottom: ', 'top: ', 'num_output: ', 'kernel_size: ', 'kernel_h: ', 'pad: ',
      'stride: ', 'group: ', 'dilation: ', 'bias_term: false', 'global_pooling: true', 'pool: MAX', 'transpose: ', 'axis: ',
      'exclude { phase: TEST }', '2147483647', '-1', '0.5', 'nan', '1e999', '\162\6', '\186\3', '\170\2' }
end

-- A vocabulary of each kind. Before it: its kind, and a text to encode.
function seeds.tokenizer()
   local samples = require 'test.support.vocabularies'
   for name, sample in pairs(samples.all()) do
      seed(name, string.char(sample.kind, #sample.text) .. sample.text .. sample.bytes .. (sample.merges and '\0' .. sample.merges or ''))
   end
   words { '"type":"BPE"', '"type":"Unigram"', '"type":"WordPiece"', '"type":"Sequence"', '"Regex":"', '"added_tokens":[', '"merges":[',
      '"vocab":{', '"single_word":true', '"lstrip":true', '"normalized":true', '"byte_fallback":true', '"precompiled_charsmap":"',
      'tokenizer.ggml.model', 'tokenizer.ggml.tokens', 'tokenizer.ggml.merges', 'tokenizer.ggml.scores', 'GGUF\3\0\0\0', '\\p{L}',
      '(?!', '(?<=', '(?i:', '[^', '&&[', '{1,3}', '*+', '+?', '\\s', '\226\150\129', '##', '\196\160', '\255\255\255\255\255\255\255\127' }
end

-- Models of some nodes each, which cover the families of ops and the kinds of attributes, fields and graphs.
function seeds.onnx()
   local b = require 'test.support.onnx_bytes'
   local info, node, tensor = b.info, b.node, b.tensor
   local function put(name, nodes, inputs, outputs, initializers, more)
      seed(name, b.encode('ModelProto', b.model(nodes, inputs, outputs, initializers, more)))
   end
   local x, y = { info('x', 'float', { 1, 2, 4, 4 }) }, { info 'y' }
   local w, v = tensor('w', 'float', { 2, 2, 1, 1 }, { 1, 2, 3, 4 }), tensor('v', 'float', { 2 }, { 1, 2 })
   put('conv', { node('Conv', { 'x', 'w', 'v' }, { 'a' }, { pads = { ints = { 1, 1, 0, 0 } }, group = 1 }), node('BatchNormalization', { 'a', 'v', 'v', 'v', 'v' }, { 'b' }),
      node('Relu', { 'b' }, { 'c' }), node('MaxPool', { 'c' }, { 'y' }, { kernel_shape = { ints = { 2, 2 } }, ceil_mode = 1 }) }, x, y, { w, v })
   put('shape', { node('Shape', { 'x' }, { 's' }), node('Reshape', { 'x', 's' }, { 'a' }), node('Transpose', { 'a' }, { 'b' }, { perm = { ints = { 0, 2, 3, 1 } } }),
      node('Flatten', { 'b' }, { 'c' }), node('Slice', { 'c', 'i', 'j' }, { 'd' }), node('Concat', { 'd', 'd' }, { 'e' }, { axis = 0 }), node('Split', { 'e' }, { 'y', 'z' }) }, x, y,
      { tensor('i', 'int64', { 2 }, { 0, 1 }), tensor('j', 'int64', { 2 }, { 1, -1 }) })
   put('reduce', { node('ReduceSum', { 'x', 'i' }, { 'a' }, { keepdims = 0 }), node('ArgMax', { 'a' }, { 'b' }, { axis = -1 }), node('Gather', { 'a', 'i' }, { 'c' }, { axis = 1 }),
      node('TopK', { 'c', 'k' }, { 'd', 'e' }), node('Softmax', { 'd' }, { 'y' }) }, x, y, { tensor('i', 'int64', { 1 }, { 0 }), tensor('k', 'int64', { 1 }, { 1 }) })
   put('gemm', { node('GlobalAveragePool', { 'x' }, { 'a' }), node('Flatten', { 'a' }, { 'b' }), node('Gemm', { 'b', 'm', 'v' }, { 'c' }, { transB = 1, alpha = { f = 0.5 } }),
      node('MatMul', { 'c', 'm' }, { 'd' }), node('Einsum', { 'd', 'm' }, { 'y' }, { equation = 'ij,jk->ik' }) }, x, y, { tensor('m', 'float', { 2, 2 }, { 1, 2, 3, 4 }), v })
   put('pad', { node('Pad', { 'x', 'p', 'c' }, { 'a' }, { mode = 'reflect' }), node('Tile', { 'a', 'r' }, { 'b' }), node('Expand', { 'v', 'r' }, { 'e' }), node('Where', { 'o', 'b', 'c' }, { 'y' }) }, x, y,
      { tensor('p', 'int64', { 8 }, { 0, 0, 1, 1, 0, 0, 1, 1 }), tensor('c', 'float', {}, { 1 }), tensor('r', 'int64', { 4 }, { 1, 2, 1, 1 }), tensor('o', 'bool', {}, { 1 }), tensor('v', 'float', { 1 }, { 1 }) })
   local body = { name = 'b', node = { node('Add', { 'u', 'x' }, { 'q' }), node('Identity', { 't' }, { 'f' }) }, input = { info('n', 'int64', {}), info('t', 'bool', {}), info('u', 'float', { 1, 2, 4, 4 }) },
      output = { info('f', 'bool', {}), info 'q' } }
   put('loop', { node('Loop', { 'k', '', 'x' }, { 'a' }, { body = { g = body } }),
      node('If', { 'o' }, { 'y' }, { then_branch = { g = { name = 't', node = { node('Neg', { 'a' }, { 'g' }) }, output = { info 'g' } } },
         else_branch = { g = { name = 'e', node = { node('Exp', { 'a' }, { 'h' }) }, output = { info 'h' } } } }) }, x, y, { tensor('k', 'int64', {}, { 2 }), tensor('o', 'bool', {}, { 1 }) })
   local call = node('F', { 'x' }, { 'y' }, { slope = { f = 0.5 } })
   call.domain = 'own'
   put('function', { call }, x, y, {}, { functions = { { name = 'F', domain = 'own', input = { 'u' }, output = { 'v' }, attribute = { 'slope' }, opset_import = { { version = 17 } },
      node = { { op_type = 'LeakyRelu', input = { 'u' }, output = { 'v' }, attribute = { { name = 'alpha', ref_attr_name = 'slope', type = 1 } } } } } } })
   local kinds = {}
   for kind = 1, 26 do kinds[kind] = { name = 'c' .. kind, data_type = kind, dims = { 2 }, raw_data = ('\1'):rep(kind == 1 and 8 or 2) } end
   put('types', { node('Identity', { 'c2' }, { 'y' }) }, {}, y, { kinds[2], kinds[3], kinds[9], kinds[17], { name = 's', data_type = 8, dims = { 1 }, string_data = { 'a' } },
      { name = 'f', data_type = 1, dims = { 2 }, float_data = { 1, 2 } }, { name = 'l', data_type = 7, dims = { 1 }, int64_data = { -1 } } })
   put('external', { node('Identity', { 'w' }, { 'y' }) }, {}, y, { { name = 'w', data_type = 1, dims = { 1 }, data_location = 1,
      external_data = { { key = 'location', value = 'w.bin' }, { key = 'offset', value = '8' } } } })
   words { 'Conv', 'Add', 'Reshape', 'Loop', 'If', 'Scan', 'Constant', 'Identity', 'axis', 'axes', 'pads', 'strides', 'kernel_shape', 'perm', 'group', 'to', 'value',
      '..', '/etc/passwd', 'location', 'offset', 'length', ('\255'):rep(9) .. '\1', '\128\128\128\128\16', '\0\0\128\127', '\0\0\192\127' }
end

-- Files of our own, each with one kind of content, and that of h5py.
function seeds.hdf5()
   local hdf5 = require 'hdf5'
   local function file(name, f)
      local h = hdf5.open(('%s/%s.h5'):format(folder, name), 'w')
      f(h)
      h:close()
   end
   file('numbers', function(h) h:write('/x', torch.range(1, 6):view(2, 3)) end)
   file('texts', function(h)
      h:write('/s', { 'a', 'bc' })
      h:writeAttribute('title', 'text')
   end)
   file('packed', function(h) h:write('/x', torch.zeros(20, 20), hdf5.DataSetOptions():setChunked(5, 5):setDeflate()) end)
   file('rows', function(h) h:append('/rows', torch.ones(1, 2), hdf5.DataSetOptions():setChunked(2, 2)) end)
   file('groups', function(h) h:write('/a', { b = { c = 1 }, d = torch.ByteTensor { 1 } }) end)
   local f = assert(io.open('test/support/h5py.h5', 'rb'))
   seed('h5py.h5', f:read '*a')
   f:close()
   words { 'TREE', 'SNOD', 'HEAP', 'GCOL', 'OHDR', '\255\255\255\255\255\255\255\255', '\0\0\0\0\0\0\0\0' }
end

local write = assert(seeds[target], 'no seeds for ' .. tostring(target))
write()
