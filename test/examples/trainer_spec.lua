-- test/examples/trainer_spec.lua - resuming: options and folder; the progress bar; the curve.
-- runs once
local torch = require 'torch'
require 'nn'
local options = require 'examples.lib.options'
local pty = require 'test.support.pty'
local example = require 'test.support.example'

local digits, checkpoint

setup(function()
   digits = example.new 'digits'
   digits:ok('-model mlp -epochs 3 -every 20 -steps 60 -save', digits:path 'run')
   checkpoint = digits:path 'run/checkpoint.t7'
end)
teardown(function() digits:remove() end)

-- A fresh copy of the stopped run, in another folder.
local function copy(name)
   assert(os.execute(("rm -rf '%s' && cp -r '%s' '%s'"):format(digits:path(name), digits:path 'run',
      digits:path(name))) == 0)
   return digits:path(name .. '/checkpoint.t7')
end

describe('-resume', function()
   it('continues to the epochs of the run, in the folder of the checkpoint', function()
      local output = digits:ok('-resume', copy 'plain')
      assert.truthy(output:find('continues after step 15 of 45 of epoch 2 of 3\n', 1, true), output)
      assert.truthy(output:find('epoch  3 of 3', 1, true), output)
      assert.same({ 'checkpoint.t7', 'curve.svg', 'model.t7', 'train.log' }, digits:files 'plain')
      local kept = torch.load(digits:path 'plain/checkpoint.t7').opt
      assert.same({ 3, 20, 'mlp' }, { kept.epochs, kept.every, kept.model })
   end)
   it('ends with the same bits as the run that was not stopped', function()
      digits:ok('-model mlp -epochs 3 -save', digits:path 'whole')
      digits:ok('-resume', copy 'stopped')
      digits:same('whole', 'stopped')
   end)
   it('takes other epochs, -every, -threads and -save', function()
      local name = copy 'from'
      local output = digits:ok('-epochs 2 -every 7 -threads 1 -resume', name, '-save',
                               digits:path 'other')
      assert.truthy(output:find('of epoch 2 of 2\n', 1, true), output)
      local kept = torch.load(digits:path 'other/checkpoint.t7').opt
      assert.same({ 2, 7, 1 }, { kept.epochs, kept.every, kept.threads })
      assert.same({ 'checkpoint.t7', 'curve.svg', 'train.log' }, digits:files 'from')
   end)
   it('says that all epochs are done', function()
      local name = copy 'done'
      digits:ok('-resume', name)
      assert.truthy(digits:ok('-resume', name):find(
         '\nall 3 epochs are done; a larger -epochs continues the run\n', 1, true))
      local more = digits:ok('-epochs 4 -resume', name)
      assert.truthy(more:find('\ncontinues with epoch 4 of 4\n', 1, true), more)
   end)
   it('accepts options that agree with the checkpoint', function()
      digits:ok('-model mlp -seed 1 -batchSize 32 -optim sgd -learningRate 0.05 -steps 1 -resume',
                copy 'agree')
      digits:ok('-learningRate 0 -steps 1 -resume', copy 'agree')
   end)
   it('refuses options that contradict it, with both values', function()
      local function refused(text, given)
         local message = ('cannot resume %s: %s'):format(checkpoint, text)
         digits:refused(message, given, '-resume', checkpoint)
      end
      refused('-model must be mlp, as in the checkpoint, got convnet\n', '-model convnet')
      refused('-seed must be 1, as in the checkpoint, got 2\n', '-seed 2')
      refused('-batchSize must be 32, as in the checkpoint, got 64\n', '-batchSize 64')
      refused("-data must be '', as in the checkpoint, got mnist\n", '-data mnist')
      refused('-type must be float, as in the checkpoint, got double\n', '-type double')
      refused('-learningRate must be 0.05, as in the checkpoint, got 0.1\n', '-learningRate 0.1')
      refused('-optim must be sgd, as in the checkpoint, got adam; '
              .. '-momentum must be 0.9, as in the checkpoint, got 0\n', '-optim adam -momentum 0')
   end)
   it('leaves the folder of the checkpoint as it was when it refuses', function()
      local before = digits:bytes 'run/checkpoint.t7'
      digits:run('-seed 2 -resume', checkpoint)
      assert.is_true(before == digits:bytes 'run/checkpoint.t7')
      assert.same({ 'checkpoint.t7', 'curve.svg', 'train.log' }, digits:files 'run')
   end)
   it('refuses a checkpoint without its parts', function()
      local name = digits:path 'damaged.t7'
      for _, part in ipairs { 'opt', 'keep', 'at', 'history' } do
         local x = torch.load(checkpoint)
         x[part] = 3
         torch.save(name, x)
         digits:refused(name .. ' is no checkpoint of this program\n', '-resume', name)
      end
   end)
end)

describe('options.wrong', function()
   it('names the condition that a value violates', function()
      assert.equal('a whole number of at least 2', options.wrong(1, { whole = 2 }))
      assert.equal('a whole number of at least 2', options.wrong(2.5, { whole = 2 }))
      assert.equal('a whole number of at least 2', options.wrong(0 / 0, { whole = 2 }))
      assert.equal('a number of at least 0', options.wrong(-1, { least = 0 }))
      assert.equal('a number of at least 0', options.wrong(math.huge, { least = 0 }))
      assert.equal('a number of 0 to 0.5', options.wrong(1, { between = { 0, 0.5 } }))
      assert.equal('a, b or c', options.wrong('d', { 'a', 'b', 'c' }))
   end)
   it('is nil for a valid value', function()
      assert.is_nil(options.wrong(2, { whole = 2 }))
      assert.is_nil(options.wrong(0, { least = 0 }))
      assert.is_nil(options.wrong(0.5, { between = { 0, 0.5 } }))
      assert.is_nil(options.wrong('b', { 'a', 'b', 'c' }))
      assert.is_nil(options.wrong('x', nil))
   end)
end)

describe('the progress bar', function()
   if not pty.there() then return pending 'needs terminals: mount /dev/pts' end
   local function start(...)
      local command = { 'env', '-u', 'NO_COLOR', '-u', 'COLUMNS', example.TH, 'examples/digits.lua',
         '-model', 'mlp', '-save', digits:path 'terminal', ... }
      return pty.start(command, {}, 30, 100)
   end
   it('shows loss and accuracy of the epoch so far', function()
      local p = start('-epochs', '1')
      p:expect '45/45  loss '
      assert.equal(0, p:finish())
      assert.matches(' 45/45  loss %d%.%d%d%d%d, accuracy %d%d%.%d%d %%  Tot: ', p.text)
      local loss, accuracy = p.text:match '45/45  loss ([%d.]+), accuracy ([%d.]+)'
      local line = ('train loss %s  train accuracy %s %%'):format(loss, accuracy)
      assert.truthy(p.text:find(line, 1, true), p.text)
   end)
   it('leaves a clean line at Ctrl-C', function()
      local p = start('-epochs', '100000')
      p:expect 'epoch  1 of'
      p:expect '/45'
      p:send '\3'
      assert.equal(130, p:finish())
      assert.matches('[\r\n]\27%[Klog            [^\n]*\n.*\nstopped by a signal [^\n]*\n$',
                     p.text:sub(-2000))
      assert.is_nil(p.text:match '[^\n]*$':find '%S')
   end)
   it('leaves a clean line before an error', function()
      local p = start('-epochs', '1', '-learningRate', '1e30')
      assert.equal(1, p:finish())
      assert.matches('\r\27%[Kdigits: step %d+ of epoch 1: loss is ', p.text)
   end)
end)

describe('the learning curve', function()
   it('has a legend outside of the plot, whole epochs, and an axis from 0 or a mark', function()
      local text = digits:bytes 'run/curve.svg'
      local right = tonumber(text:match '<path d="M80 50V440.0H([%d.]+)')
      local title = '<text x="([%d.]+)" y="[%d.]+" text%-anchor="start">test accuracy<'
      local x = tonumber(text:match(title))
      assert.is_true(x > right and right < 700, text)
      assert.is_nil(text:find '>1%.%d<')
      assert.truthy(text:find('text-anchor="end">0<', 1, true) or text:find('l16 -6M', 1, true))
   end)
end)
