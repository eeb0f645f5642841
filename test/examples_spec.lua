-- test/examples_spec.lua - the training example keeps what it prints and what ./dev train promises.
-- runs once
local torch = require 'torch'
require 'nn'
local idx = require 'examples.lib.idx'

local TH = os.getenv 'TH' or 'build/bin/th'
local dir

local function path(name) return dir .. '/' .. name end

-- Runs the example; returns its exit status and what it wrote on both streams.
local function train(...)
   local command = "'%s' examples/digits.lua %s 2>&1 </dev/null; echo \"status $?\""
   local run = io.popen(command:format(TH, table.concat({ ... }, ' ')))
   local text = run:read '*a'
   run:close()
   local output, status = text:match '^(.*)status (%d+)\n$'
   return tonumber(status), output
end

local function bytes(file)
   local handle = assert(io.open(file, 'rb'))
   local text = handle:read '*a'
   handle:close()
   return text
end

local function refused(message, ...)
   local status, output = train('-save', path 'refused', ...)
   assert.equal(1, status, output)
   assert.truthy(output:find(message, 1, true), output)
   assert.is_nil(output:find 'traceback', output)
end

setup(function()
   dir = os.tmpname()
   os.remove(dir)
   assert(os.execute("mkdir '" .. dir .. "'") == 0)
end)

teardown(function() os.execute("rm -r '" .. dir .. "'") end)

describe('examples/digits.lua', function()
   local status, output, accuracy

   setup(function()
      status, output = train('-epochs 2 -threads 2 -save', path 'two')
      accuracy = tonumber(output:match 'test accuracy: (%d+%.%d%d) %%\n$')
   end)

   it('ends with its test accuracy, which two epochs bring above 90 %', function()
      assert.equal(0, status, output)
      assert.is_true(accuracy and accuracy > 90, output)
   end)

   it('shows epochs, confusion matrix and drawn digits, without a terminal as plain text', function()
      for _, part in ipairs { 'epoch  1 of 2', 'epoch  2 of 2', 'ConfusionMatrix', 'Read right:' } do
         assert.truthy(output:find(part, 1, true), part)
      end
      assert.is_nil(output:find '[%z\1-\8\11-\31]')
   end)

   it('writes log, checkpoint and model, and no half-written file', function()
      local found = {}
      local list = io.popen(("ls '%s'"):format(path 'two'))
      for name in list:lines() do found[name] = true end
      list:close()
      assert.is_true(found['train.log'] and found['model.t7'] and found['checkpoint.t7'])
      found['train.log'], found['model.t7'], found['checkpoint.t7'], found['curve.svg'] = nil, nil, nil, nil
      assert.same({}, found)
      local _, lines = bytes(path 'two/train.log'):gsub('\n', '')
      assert.equal(3, lines)                  -- the names and two epochs
   end)

   it('draws the learning curve where gnuplot is installed, and says so where it is not', function()
      if os.execute 'command -v gnuplot > /dev/null 2>&1' == 0 then
         assert.truthy(bytes(path 'two/curve.svg'):find '<svg')
      else
         assert.truthy(output:find('gnuplot is not installed', 1, true))
      end
   end)

   it('saves a model without buffers that reads the test digits as well as it said', function()
      local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
      local net = torch.load(path 'two/model.t7')
      for _, module in ipairs(net:listModules()) do assert.equal(0, module.output:nElement()) end
      local rows = {}
      for i = 5, images:size(1), 5 do rows[#rows + 1] = i end
      local index = torch.LongTensor(rows)
      local _, answer = net:forward(images:index(1, index):float():view(#rows, 1, 8, 8)):max(2)
      local right = answer:view(#rows):eq(labels:index(1, index):long():add(1)):sum()
      assert.equal(('%.2f'):format(accuracy), ('%.2f'):format(100 * right / #rows))
   end)

   it('prints a line of Lua that loads the model', function()
      local line = output:match "\n  (require 'nn'; net = torch%.load[^\n]*)\n"
      assert.truthy(line, output)
      local run = io.popen(("'%s' -e \"require 'torch' %s\" 2>&1 </dev/null"):format(TH, line))
      local printed = run:read '*a'
      run:close()
      assert.truthy(printed:find '%[torch.FloatTensor of size 1x10%]', printed)
   end)

   it('writes the same bits with one thread and with two', function()
      for _, model in ipairs { 'convnet', 'mlp' } do
         for threads = 1, 2 do
            local code, text = train('-epochs 1 -model', model, '-threads', threads,
                                     '-save', path(model .. threads))
            assert.equal(0, code, text)
         end
         assert.is_true(bytes(path(model .. '1/model.t7')) == bytes(path(model .. '2/model.t7')), model)
      end
   end)

   it('writes other bits for another seed', function()
      train('-epochs 1 -model mlp -seed 2 -save', path 'seed2')
      assert.is_false(bytes(path 'mlp1/model.t7') == bytes(path 'seed2/model.t7'))
   end)

   it('goes on from a checkpoint as if it had never stopped', function()
      local code, text = train('-epochs 2 -resume', path 'mlp1/checkpoint.t7', '-save', path 'resumed')
      assert.equal(0, code, text)
      train('-epochs 2 -model mlp -save', path 'whole')
      assert.is_true(bytes(path 'resumed/model.t7') == bytes(path 'whole/model.t7'))
      assert.equal(bytes(path 'whole/train.log'), bytes(path 'resumed/train.log'))
   end)

   for _, optimizer in ipairs { 'adam', 'rmsprop', 'adagrad' } do
      it('learns with ' .. optimizer .. ' and in double precision', function()
         local code, text = train('-epochs 1 -type double -model mlp -optim', optimizer,
                                  '-save', path(optimizer))
         assert.equal(0, code, text)
         assert.is_true(tonumber(text:match 'test accuracy: (%S+) %%\n$') > 70, text)
      end)
   end

   it('trains on a folder of IDX files, gzipped, keeping the last fifth for the test', function()
      os.execute(("mkdir '%s'"):format(path 'mnist'))
      for _, kind in ipairs { 'images-idx3-ubyte', 'labels-idx1-ubyte' } do
         os.execute(("gzip -c 'data/digits-%s' > '%s/t10k-%s.gz'"):format(kind, path 'mnist', kind))
      end
      local code, text = train('-epochs 1 -model mlp -data', path 'mnist', '-save', path 'folder')
      assert.equal(0, code, text)
      assert.truthy(text:find '1437 training images, 360 test images')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      refused('-epochs must be a whole number of at least 1, got 0', '-epochs 0')
      refused('-batchSize must be a whole number of at least 2, got 1.5', '-batchSize 1.5')
      refused('-model must be mlp or convnet, got rnn', '-model rnn')
      refused('-optim must be sgd, adam, rmsprop or adagrad, got best', '-optim best')
      refused('-type must be float or double, got half', '-type half')
      refused('-learningRate must be a number of at least 0, got -1', '-learningRate -1')
      refused('has no t10k-images-idx3-ubyte[.gz]', '-data', path 'nowhere')
      refused('cannot resume', '-resume', path 'nowhere.t7')
      refused('is no checkpoint of this program', '-resume', path 'two/model.t7')
   end)

   it('says that there is no CUDA backend, where there is none', function()
      if not pcall(require, 'cunn') then refused('no CUDA backend is installed', '-gpu') end
   end)
end)
