-- test/examples/ctc_spec.lua - the reader of lines learns, reports its errors, and resumes to the same bits.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local idx = require 'examples.lib.idx'
local example = require 'test.support.example'

local ctc
local SMALL = '-digits 2 -batchSize 16 -testLines 60 -hidden 40 -learningRate 0.01'
local SHORT = SMALL .. ' -lines 160 -threads 2'          -- ten steps an epoch

setup(function() ctc = example.new 'ctc' end)
teardown(function() ctc:remove() end)

describe('examples/ctc.lua', function()
   local output

   setup(function() output = ctc:ok(SMALL, '-lines 1600 -epochs 5 -save', ctc:path 'learned') end)

   it('learns to read lines of digits from their order alone', function()
      local lines, digits = output:match 'wrong lines: (%S+) %%, wrong digits: (%S+) %%\n$'
      assert.is_true(tonumber(digits) < 15 and tonumber(lines) < 25, output)
      for _, part in ipairs { 'epoch  5 of 5', 'Read right:', 'Read wrong:', ' (is ' } do
         assert.truthy(output:find(part, 1, true), part)
      end
   end)

   it('writes log, curve, checkpoint, model and a picture of lines', function()
      assert.same({ 'checkpoint.t7', 'curve.svg', 'lines.png', 'model.t7', 'train.log' }, ctc:files 'learned')
      assert.equal('\137PNG\r\n\26\n', ctc:bytes 'learned/lines.png':sub(1, 8))
   end)

   it('saves a model that reads lines that we make ourselves', function()
      local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
      local model, criterion = torch.load(ctc:path 'learned/model.t7'), nn.CTCCriterion()
      local right, all = 0, 0
      for i = 5, 1000, 10 do                               -- pairs of test digits
         local line = torch.FloatTensor(18, 1, 8):zero()
         line:narrow(1, 1, 8):select(2, 1):copy(images[i]:t())
         line:narrow(1, 11, 8):select(2, 1):copy(images[i + 5]:t())
         local said = criterion:decode(model:forward { line, torch.LongTensor { 18 } }, nil, 4)[1]
         right = right + ((said[1] == labels[i] + 1 and said[2] == labels[i + 5] + 1 and #said == 2) and 1 or 0)
         all = all + 1
      end
      assert.is_true(right / all > 0.75, ('%d of %d'):format(right, all))
   end)

   for _, model in ipairs { 'gru', 'lstm -optim rmsprop' } do
      it('continues from any step to the same bits, ' .. model, function()
         local options = SHORT .. ' -epochs 2 -model ' .. model
         ctc:ok(options, '-save', ctc:path 'whole')
         math.randomseed(os.time())
         ctc:resumes('whole', { math.random(12), math.random(6) }, options)
      end)
   end

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do
         ctc:ok(SMALL, '-lines 160 -epochs 1 -threads', threads, '-save', ctc:path('threads' .. threads))
      end
      assert.is_true(ctc:bytes 'threads1/model.t7' == ctc:bytes 'threads2/model.t7')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      ctc:refused('-model must be gru or lstm, got rnn', '-model rnn')
      ctc:refused('-digits must be a whole number of at least 1, got 0', '-digits 0')
      ctc:refused('has no t10k-images-idx3-ubyte[.gz]', '-data', ctc:path 'nowhere')
      ctc:refused('is no checkpoint of this program', '-resume', ctc:path 'learned/model.t7')
   end)
end)
