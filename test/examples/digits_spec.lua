-- test/examples/digits_spec.lua - the training example keeps what it prints and what ./dev train promises.
-- runs once
local torch = require 'torch'
require 'nn'
local idx = require 'examples.lib.idx'

local example = require 'test.support.example'

local digits
local function path(name) return digits:path(name) end

setup(function() digits = example.new 'digits' end)
teardown(function() digits:remove() end)

describe('examples/digits.lua', function()
   local output, accuracy

   setup(function()
      output = digits:ok('-epochs 2 -threads 2 -save', path 'two')
      accuracy = tonumber(output:match 'test accuracy: (%d+%.%d%d) %%\n$')
   end)

   it('ends with its test accuracy, which two epochs bring above 90 %', function()
      assert.is_true(accuracy and accuracy > 90, output)
   end)

   it('shows epochs, confusion matrix and drawn digits, without a terminal as plain text', function()
      for _, part in ipairs { 'epoch  1 of 2', 'epoch  2 of 2', 'ConfusionMatrix', 'Read right:' } do
         assert.truthy(output:find(part, 1, true), part)
      end
      assert.is_nil(output:find '[%z\1-\8\11-\31]')
   end)

   it('writes log, checkpoint and model, and no half-written file', function()
      assert.same({ 'checkpoint.t7', 'curve.svg', 'model.t7', 'train.log' }, digits:files 'two')
      local _, lines = digits:bytes 'two/train.log':gsub('\n', '')
      assert.equal(3, lines)                  -- the names and two epochs
   end)

   it('draws the learning curve', function() assert.truthy(digits:bytes 'two/curve.svg':find '<svg') end)

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
      local run = io.popen(("'%s' -e \"require 'torch' %s\" 2>&1 </dev/null"):format(example.TH, line))
      local printed = run:read '*a'
      run:close()
      assert.truthy(printed:find '%[torch.FloatTensor of size 1x10%]', printed)
   end)

   it('writes the same bits with one thread and with two', function()
      for _, model in ipairs { 'convnet', 'mlp' } do
         for threads = 1, 2 do
            digits:ok('-epochs 1 -model', model, '-threads', threads,
                                     '-save', path(model .. threads))
         end
         assert.is_true(digits:bytes(model .. '1/model.t7') == digits:bytes(model .. '2/model.t7'), model)
      end
   end)

   it('writes other bits for another seed', function()
      digits:run('-epochs 1 -model mlp -seed 2 -save', path 'seed2')
      assert.is_false(digits:bytes 'mlp1/model.t7' == digits:bytes 'seed2/model.t7')
   end)

   it('continues from a checkpoint as if it had never stopped', function()
      digits:ok('-epochs 2 -resume', path 'mlp1/checkpoint.t7', '-save', path 'resumed')
      digits:ok('-epochs 2 -model mlp -save', path 'whole')
      assert.is_true(digits:bytes 'resumed/model.t7' == digits:bytes 'whole/model.t7')
      digits:same('whole', 'resumed')
   end)

   it('continues from any step of an epoch, with every optimizer', function()
      local seed = os.time() % 1e6
      for k, optimizer in ipairs { 'sgd', 'adam', 'adamw', 'rmsprop', 'adagrad' } do
         math.randomseed(seed + k)
         local options = '-epochs 2 -model mlp -optim ' .. optimizer
         digits:ok(options, '-save', path 'undisturbed')
         digits:resumes('undisturbed', { math.random(44), math.random(50) }, options)
      end
   end)

   it('stops at Ctrl-C and SIGTERM between two steps, with a checkpoint', function()
      for signal, wanted in pairs { INT = 130, TERM = 143 } do
         local status, output, epoch = digits:signalled(signal, math.random() * 0.5, '-epochs 100000')
         assert.equal(wanted, status, output)
         assert.truthy(output:find('stopped by a signal after step %d+ of 45 of epoch ' .. epoch), output)
         digits:ok('-epochs', epoch, '-save', path 'signalled', '-resume', path 'signalled/checkpoint.t7')
         digits:ok('-epochs', epoch, '-save', path 'unsignalled')
         digits:same('unsignalled', 'signalled')
      end
   end)

   it('comes to the same when it writes a checkpoint every so many steps', function()
      digits:ok('-epochs 2 -model mlp -every 30 -save', path 'often')
      digits:same('whole', 'often')
   end)

   it('stops where the loss is no number', function()
      digits:refused('is nan; a lower -learningRate may help', '-model mlp -learningRate 1e30')
   end)

   for _, optimizer in ipairs { 'adam', 'rmsprop', 'adagrad' } do
      it('learns with ' .. optimizer .. ' and in double precision', function()
         local text = digits:ok('-epochs 1 -type double -model mlp -optim', optimizer,
                                  '-save', path(optimizer))
            assert.is_true(tonumber(text:match 'test accuracy: (%S+) %%\n$') > 70, text)
      end)
   end

   it('trains on a folder of IDX files, gzipped, keeping the last fifth for the test', function()
      os.execute(("mkdir '%s'"):format(path 'mnist'))
      for _, kind in ipairs { 'images-idx3-ubyte', 'labels-idx1-ubyte' } do
         os.execute(("gzip -c 'data/digits-%s' > '%s/t10k-%s.gz'"):format(kind, path 'mnist', kind))
      end
      local text = digits:ok('-epochs 1 -model mlp -data', path 'mnist', '-save', path 'folder')
      assert.truthy(text:find '1437 training images, 360 test images')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      digits:refused('-epochs must be a whole number of at least 1, got 0', '-epochs 0')
      digits:refused('-batchSize must be a whole number of at least 2, got 1.5', '-batchSize 1.5')
      digits:refused('-model must be mlp or convnet, got rnn', '-model rnn')
      digits:refused('-optim must be sgd, adam, adamw, rmsprop or adagrad, got best', '-optim best')
      digits:refused('-type must be float or double, got half', '-type half')
      digits:refused('-learningRate must be a number of at least 0, got -1', '-learningRate -1')
      digits:refused('has no t10k-images-idx3-ubyte[.gz]', '-data', path 'nowhere')
      digits:refused('cannot resume', '-resume', path 'nowhere.t7')
      digits:refused('is no checkpoint of this program', '-resume', path 'two/model.t7')
   end)

   it('says that there is no CUDA backend, where there is none', function()
      if not pcall(require, 'cutorch') then digits:refused('this build has no CUDA backend', '-gpu') end
   end)
end)
