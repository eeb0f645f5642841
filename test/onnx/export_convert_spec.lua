-- test/onnx/export_convert_spec.lua - th-convert: nets in files of Torch7 as ONNX files, or as files of their parameters.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local onnx = require 'onnx'
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local TH = os.getenv 'TH' or 'build/bin/th'
local CONVERT = TH:gsub('th$', 'th-convert')
local GOLDEN = os.getenv 'TH_GOLDEN' or '../shared/golden'

after_each(temporary.remove)

-- What the program prints, with its errors, and its exit status.
local function run(words) return shell.run(("'%s' %s"):format(CONVERT, words)) end

local function converted(words)
   local out, status = run(words)
   assert.equal(0, status, out)
   return out
end

local function refused(part, words)
   local out, status = run(words)
   assert.equal(1, status, out)
   assert.truthy(out:find(part, 1, true), out)
   assert.truthy(out:find '^th%-convert: ' or out:find '\nth%-convert: ', out)
end

local function saved(object, mode)
   local path = temporary.name '.t7'
   torch.save(path, object, mode)
   return path
end

local function lenet()
   torch.manualSeed(3)
   return nn.Sequential():add(nn.SpatialConvolutionMM(1, 3, 3, 3)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(2, 2, 2, 2):ceil())
      :add(nn.View(-1):setNumInputDims(3)):add(nn.Dropout(0.5)):add(nn.Linear(3 * 3 * 3, 4)):add(nn.LogSoftMax())
end

local function load_and_run(path, x)
   local y = onnx.load(path):forward{input = x:float()}
   return torch.isTensor(y) and y or y.output or y[1]
end

describe('th-convert', function()
   it('writes a net as ONNX, for an input that it guesses, and prints the layers', function()
      local net, path = lenet(), temporary.name '.onnx'
      local out = converted(saved(net) .. ' ' .. path)
      assert.truthy(out:find 'input 2x1x%dx%d, a guess', out)
      assert.truthy(out:find('nn.SpatialConvolutionMM(1 -> 3, 3x3)', 1, true), out)
      assert.truthy(out:find 'any number of samples', out)
      assert.truthy(out:find 'onnx.load computes the same within', out)
      net:evaluate()
      local x = torch.randn(3, 1, 8, 8)
      assert.is_true((load_and_run(path, x):double() - net:forward(x)):abs():max() < 1e-5)
   end)

   it('takes the sizes of the input, and options of onnx.save', function()
      local path = temporary.name '.onnx'
      local out = converted(('-input 2x1x8x8 -opset 13 -type double -fixed %s %s'):format(saved(lenet()), path))
      assert.truthy(out:find 'opset 13', out)
      assert.truthy(out:find 'fixed sizes', out)
      local net = nn.ParallelTable():add(nn.LookupTable(5, 2)):add(nn.Tanh())
      converted(('-q -input 2x3:long,2x4 %s %s'):format(saved(net), path))
      assert.equal('', converted(('-q -input 2x3:long,2x4 %s %s'):format(saved(net), path)))
   end)

   it('reads text files, nets of floats, and a net in a table', function()
      local path = temporary.name '.onnx'
      converted('-q ' .. saved(lenet(), 'ascii') .. ' ' .. path)
      converted('-q ' .. saved{model = lenet():float(), epoch = 3} .. ' ' .. path)
      converted('-q -field b.net ' .. saved{a = lenet(), b = {net = nn.Linear(3, 2)}} .. ' ' .. path)
      refused('the file has 2 nets: give one of a, b by -field', saved{a = lenet(), b = nn.Tanh()} .. ' ' .. path)
      refused('the file has no field c', '-field c ' .. saved{a = lenet()} .. ' ' .. path)
   end)

   it('writes the parameters by the places of their modules', function()
      local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.BatchNormalization(2)):float()
      for _, extension in ipairs{'.safetensors', '.npz'} do
         local path = temporary.name(extension)
         local out = converted(saved(net) .. ' ' .. path)
         local state, names = torch.load(path), {}
         for name in pairs(state) do names[#names + 1] = name end
         table.sort(names)
         assert.same({'1.bias', '1.weight', '2.bias', '2.running_mean', '2.running_var', '2.weight'}, names)
         assert.is_true(torch.equal(state['1.weight'], net:get(1).weight))
         assert.truthy(out:find '6 tensors', out)
      end
      local path = temporary.name '.safetensors'
      converted(saved{a = torch.ones(2), b = {torch.ones(3)}} .. ' ' .. path)
      assert.equal(3, torch.load(path)['b.1']:size(1))
   end)

   it('lists modules that cannot be converted, with -list and in the error', function()
      local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.SpatialFractionalMaxPooling(2, 2, 2, 2))
      local out = converted('-list ' .. saved(net))
      assert.truthy(out:find('2                  nn.SpatialFractionalMaxPooling', 1, true), out)
      assert.truthy(out:find('1 of the modules cannot be converted', 1, true), out)
      assert.truthy(converted('-list ' .. saved(lenet())):find 'all modules have a rule')
   end)

   it('runs no code of a file, and names classes that are not in this tree', function()
      local marker = temporary.name '.ran'
      local net = nn.Sequential():add(nn.Linear(2, 2))
      net.hook = loadstring(('io.open(%q, "w"):close()'):format(marker))
      local path = temporary.name '.onnx'
      converted('-q ' .. saved(net) .. ' ' .. path)
      assert.is_nil(io.open(marker))
      local spec = {}
      torch.class('spec.Gone', 'nn.Module', spec)
      local bytes = temporary.get(saved(nn.Sequential():add(nn.Linear(2, 2)):add(spec.Gone()):add(nn.Tanh()), 'ascii'))
      bytes = bytes:gsub('spec%.Gone', 'gone.Mine')
      refused('2: gone.Mine: a class that is not in this tree', temporary.put(bytes, '.t7') .. ' ' .. path)
   end)

   it('knows classes of packages that are not in this tree', function()
      local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      local bytes = temporary.get(saved(net, 'ascii')):gsub('20\nnn%.SpatialMaxPooling', '21\ninn.SpatialMaxPooling')
      local path, file = temporary.name '.onnx', temporary.put(bytes, '.t7')
      converted(('-q -input 2x1x7x7 %s %s'):format(file, path))
      net:get(2):ceil()
      local x = torch.randn(2, 1, 7, 7)
      assert.is_true((load_and_run(path, x):double() - net:forward(x)):abs():max() < 1e-5)
   end)

   it('prints its options', function()
      local out = converted '-h'
      assert.truthy(out:find '^usage: th%-convert')
      for _, name in ipairs{'-input', '-field', '-opset', '-type', '-fixed', '-external', '-ascii', '-list'} do
         assert.truthy(out:find(name, 1, true), name)
      end
   end)

   it('refuses bad command lines and files', function()
      local file, path = saved(nn.Tanh()), temporary.name '.onnx'
      refused('needs the names of two files, got 0', '')
      refused('needs the names of two files, got 1', file)
      refused('-unknown is no option', ('-unknown %s %s'):format(file, path))
      refused('-opset needs a value', '-opset')
      refused('-opset must be a number, got x', ('-opset x %s %s'):format(file, path))
      refused('options.opset must be a whole number of 13..20', ('-input 2 -opset 3 %s %s'):format(file, path))
      refused('must end in .onnx, .safetensors, .npz or .pt', file .. ' x.bin')
      refused('there is no such file', '/nowhere/x.t7 ' .. path)
      refused('give its sizes', file .. ' ' .. path)
      for _, text in ipairs{'2y3', '2xx3', 'x3', '3x', '0x3', "''", '2x3:short'} do
         refused('-input must', ('-input %s %s %s'):format(text, file, path))
      end
      refused('exampleInput must be an input of the net', ('-input 2x5 %s %s'):format(saved(nn.Linear(3, 2)), path))
      refused('the file must hold a net', saved(torch.ones(2)) .. ' ' .. path)
      refused('has no tensors to convert', saved('text') .. ' ' .. temporary.name '.npz')
      refused('', temporary.put('garbage that is no file of Torch7', '.t7') .. ' ' .. path)
      refused('', temporary.put(temporary.get(file):sub(1, 40), '.t7') .. ' ' .. path)
      refused('/nowhere/at/all', ('-input 2x3 %s /nowhere/at/all/x.onnx'):format(file))
      refused('/nowhere/at/all', saved(nn.Linear(2, 2)) .. ' /nowhere/at/all/x.npz')
   end)

   -- Files that Torch7 wrote, with what it computed: test/nn/torch7_files_spec.lua.
   local list = io.open(GOLDEN .. '/data/t7_nn.lua')
   if not list then return pending 'files of Torch7, which are not beside the checkout' end
   list:close()
   for _, row in ipairs{
      {'nn-linear', '3', torch.Tensor{1, 2, 3}}, {'nn-mlp', '2x4', torch.Tensor{{1, 2, 3, 4}, {4, 3, 2, 1}}},
      {'nn-lenet', '1x1x6x6', torch.range(1, 36):div(36):resize(1, 1, 6, 6)},
      {'nn-lenet-float', '1x5x5', torch.range(1, 25):div(25):resize(1, 5, 5)}, {'nn-gmodule', '2', torch.Tensor{1, 2}},
      {'nn-tables', '2', torch.Tensor{1, 2}}, {'nn-batchnorm-spatial-cleared', '1x2x2x2', torch.range(1, 8):resize(1, 2, 2, 2)},
   } do
      it(('converts %s.t7, and the file computes what Torch7 computed'):format(row[1]), function()
         local want
         for _, group in ipairs{'t7_nn', 't7_nngraph'} do
            for _, case in ipairs(dofile(('%s/data/%s.lua'):format(GOLDEN, group)).cases) do
               if case.file == 't7/' .. row[1] .. '.t7' then want = case.r.L and case.r.L[1] or case.r end
            end
         end
         local path = temporary.name '.onnx'
         converted(('-q -input %s %s/t7/%s.t7 %s'):format(row[2], GOLDEN, row[1], path))
         local y = load_and_run(path, row[3]):contiguous():view(-1)
         assert.equal(#want.d, y:size(1))
         for i, v in ipairs(want.d) do assert.near(v, y[i], 1e-5) end
      end)
   end
end)
