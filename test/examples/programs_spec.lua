-- test/examples/programs_spec.lua - programs as they were written for Torch7, in folders of test/programs, run whole by th.
-- runs once
local torch = require 'torch'
local ffi = require 'ffi'
local shell = require 'test.support.shell'
require 'nn'

ffi.cdef 'char *realpath(const char *path, char *resolved);'
local resolved = ffi.new 'char[4096]'
local TH = ffi.string(assert(ffi.C.realpath(os.getenv 'TH' or 'build/bin/th', resolved)))

local folder
setup(function()
   folder = os.tmpname()
   os.remove(folder)
   assert(os.execute("mkdir '" .. folder .. "'") == 0)
end)
teardown(function() os.execute("rm -r '" .. folder .. "'") end)

local function bytes(name)
   local f = assert(io.open(folder .. '/' .. name, 'rb'))
   local text = f:read '*a'
   f:close()
   return text
end

-- Runs a command in a folder of test/programs and wants it to succeed. Returns what it wrote on both streams.
local function run(program, command, ...)
   return shell.ok(("cd test/programs/%s && '%s' %s"):format(program, TH, command:format(...)))
end

describe('test/programs/charrnn', function()
   local penlight = pcall(require, 'pl.path') and it or pending
   local output

   local function train(options, ...)
      return run('charrnn', "train.lua -data_dir '%s' -checkpoint_dir '' " .. options, folder, ...)
   end

   setup(function()
      local nouns, verbs = { 'cat', 'dog', 'owl', 'hen' }, { 'sat on', 'ran to', 'saw', 'likes' }
      local places = { 'mat', 'hill', 'barn' }
      torch.manualSeed(3)
      local lines = {}
      for i = 1, 260 do
         lines[i] = ('the %s %s the %s.\n'):format(nouns[torch.random(4)], verbs[torch.random(4)], places[torch.random(3)])
      end
      local f = assert(io.open(folder .. '/input.txt', 'w'))
      f:write(table.concat(lines))
      f:close()
      output = train ''
   end)

   local function losses(text)
      local last, val = text:match 'training loss (%S+), validation loss (%S+)\n$'
      return tonumber(last), tonumber(val)
   end

   it('learns the language of its text', function()
      local last, val = losses(output)
      assert.is_true(last < 0.3 and val < 0.4, output)
   end)

   it('learns it with gated recurrent units and dropout, too', function()
      local last = losses(train '-model gru -dropout 0.1 -max_epochs 2')
      assert.is_true(last < 0.5, tostring(last))
   end)

   it('computes the same bits with two threads', function()
      assert.same({ losses(output) }, { losses(train '-threads 2') })
   end)

   penlight('saves checkpoints, continues from them and writes sentences', function()
      local log = run('charrnn', "train.lua -data_dir '%s' -checkpoint_dir '%s/cv' -max_epochs 3", folder, folder)
      local name = folder .. '/cv/' .. assert(log:match 'saved (lm_tiny_epoch3%S+%.t7)\n', log)
      local text = run('charrnn', "sample.lua -q -p 'the cat ' -g -n 40 '%s'", name)
      assert.matches('^the cat %l+ %l', text)
      for word in text:gmatch '(%l+)[ .]' do
         assert.truthy((' the cat dog owl hen sat on ran to saw likes mat hill barn '):find(' ' .. word .. ' ', 1, true), text)
      end
      assert.equal(#'the hen ' + 60 + 1, #run('charrnn', "sample.lua -q -p 'the hen ' --temperature 0.8 '%s/cv'", folder))
      local _, val = losses(train("-max_epochs 1 -learning_rate 2e-3 -init_from '%s'", name))
      assert.is_true(val < 0.4, tostring(val))
   end)
end)

describe('test/programs/cifar', function()
   local output

   setup(function() output = run('cifar', "train.lua -s '%s/one'", folder) end)

   it('tells the images apart', function()
      local loss, accuracy = output:match 'training loss (%S+), test accuracy (%S+)\n$'
      assert.is_true(tonumber(loss) < 0.4 and tonumber(accuracy) > 95, output)
   end)

   it('logs a line for each epoch', function()
      local lines = {}
      for line in bytes 'one/test.log':gmatch '[^\n]+' do lines[#lines + 1] = line end
      assert.equal(13, #lines)
      assert.equal('% mean class accuracy (train set)\t% mean class accuracy (test set)\t', lines[1])
   end)

   it('reports the classes by name', function()
      assert.matches('%[class: chequers%]', bytes 'one/report.txt')
   end)

   it('saves a model without buffers that computes on', function()
      local net = torch.load(folder .. '/one/model.net')
      assert.equal(0, net:get(1).output:nElement())
      assert.same({ 2, 4 }, net:evaluate():forward(torch.FloatTensor(2, 3, 16, 16):zero()):size():totable())
   end)

   it('computes the same bits with two threads', function()
      run('cifar', "train.lua -s '%s/two' --threads 2", folder)
      assert.is_true(bytes 'one/model.net' == bytes 'two/model.net')
   end)
end)

describe('test/programs/attention', function()
   local output

   setup(function() output = run('attention', 'train.lua') end)

   it('finds the values, by modules and by functions', function()
      local loss = tonumber((output:match '150  loss (%S+)'))
      local last, right = output:match 'last loss (%S+), right (%S+),'
      assert.is_true(loss < 0.1 and tonumber(last) < 0.01 and tonumber(right) == 1, output)
   end)

   it('computes the same gradients both ways', function()
      assert.is_true(tonumber((output:match 'differ by (%S+)')) < 1e-12, output)
   end)

   it('computes the same bits with two threads and with generated code', function()
      assert.equal(output, run('attention', 'train.lua -threads 2 -optimize'))
   end)
end)

describe('test/programs/donkey', function()
   local output

   local function train(n) return run('donkey', "train.lua -data '%s/pictures' -nThreads %d", folder, n) end
   setup(function()
      train(1)                                                -- makes the pictures
      output = train(1)
   end)

   it('learns from batches that threads load, to the same bits for any number of threads', function()
      local losses = output:match '^(epoch 1.*epoch 3: loss [%d.]+)\n'
      assert.is_true(tonumber(losses:match '[%d.]+$') < 0.1, output)
      assert.equal(losses, train(3):match '^(epoch 1.*epoch 3: loss [%d.]+)\n')
   end)

   it('takes a batch at a time from donkeys, without losing one', function()
      assert.matches('Starting donkey with id: 1 seed: 4\npictures: 24\n', output)
      assert.is_true(tonumber(output:match 'right: (%S+)') > 0.9, output)
   end)

   it('trains in the second functions of jobs, and hears of a picture that is missing', function()
      assert.matches('classes: above below, samples: 41\nerror: %[thread 1 callback%]\n$', output)
   end)
end)

describe('test/programs/imagenet', function()
   local jpeg = pcall(ffi.load, os.getenv 'TH_JPEG' or 'libturbojpeg.so.0') and it or pending
   local outputs = {}

   local function train(n)
      outputs[n] = outputs[n] or run('imagenet', "main.lua -data '%s/photos' -cache '%s' -nDonkeys %d", folder, folder, n)
      return outputs[n]
   end

   jpeg('learns from JPEG files that donkeys cut, turn and colour at random', function()
      local output = train(2)
      for _, line in ipairs { 'above: 10 pictures', 'below: 10 pictures', 'mean and std estimated in %d+ s' } do
         assert.matches(line .. '\n', output)                 -- a line of the second donkey may come between them
      end
      assert.matches('nClasses: 2, nTest: 20\nEpoch: %[1%] batches 15,', output)
      local loss, right = output:match 'Epoch: %[3%] batches 15, loss (%S+)\nright: (%d+) of 20\n'
      assert.is_true(tonumber(loss) < 0.2 and tonumber(right) >= 19, output)
   end)

   jpeg('keeps mean and std in a file, and tests on the same bits without donkeys and with three', function()
      local want = train(2):match 'test pictures: (.*)\n$'
      for _, n in ipairs { 0, 3 } do
         assert.matches('mean and std from the cache\n', train(n))
         assert.equal(want, train(n):match 'test pictures: (.*)\n$')
         assert.is_true(tonumber(train(n):match 'right: (%d+)') >= 19, train(n))
      end
   end)
end)
