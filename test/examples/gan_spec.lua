-- test/examples/gan_spec.lua - the network that draws digits improves, draws on request, and resumes to the same bits.
-- runs once
local example = require 'test.support.example'

local gan
local SHORT = '-epochs 2 -hidden 32 -threads 2'

setup(function() gan = example.new 'gan' end)
teardown(function() gan:remove() end)

describe('examples/gan.lua', function()
   local output

   setup(function() output = gan:ok('-epochs 25 -hidden 128 -dropout 0.3 -threads 2 -save', gan:path 'learned') end)

   it('comes to draw most of the ten digits, and drawings with digits for neighbours', function()
      local first = tonumber(output:match 'kinds (%S+)')
      local apart, kinds = output:match 'told apart: (%S+) %%, kinds: (%S+) of 10\n$'
      assert.is_true(first < 6 and tonumber(kinds) > 7.5, output)
      assert.is_true(tonumber(apart) < 99.5, output)
      assert.truthy(output:find 'Drawings:')
   end)

   it('writes log, curve, checkpoint, model and a picture', function()
      assert.same({ 'checkpoint.t7', 'curve.svg', 'drawn.png', 'model.t7', 'train.log' }, gan:files 'learned')
      assert.equal('\137PNG\r\n\26\n', gan:bytes 'learned/drawn.png':sub(1, 8))
   end)

   it('draws with -sample, the same for the same seed', function()
      local function sample(folder, seed)
         gan:ok('-sample', gan:path 'learned/model.t7', '-seed', seed, '-save', gan:path(folder))
         return gan:bytes(folder .. '/drawn.png')
      end
      local one = sample('one', 3)
      assert.equal(one, sample('same', 3))
      assert.is_false(one == sample('other', 4))
   end)

   for _, optimizer in ipairs { 'adam', 'rmsprop' } do
      it('continues from any step to the same bits, with ' .. optimizer, function()
         local options = SHORT .. ' -optim ' .. optimizer
         gan:ok(options, '-save', gan:path 'whole')
         math.randomseed(os.time())
         gan:resumes('whole', { math.random(50), math.random(30) }, options)
      end)
   end

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do gan:ok('-epochs 1 -hidden 64 -threads', threads, '-save', gan:path('threads' .. threads)) end
      assert.is_true(gan:bytes 'threads1/model.t7' == gan:bytes 'threads2/model.t7')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      gan:refused('-smooth must be a number of 0.5 to 1, got 2', '-smooth 2')
      gan:refused('-batchSize must be a whole number of at least 2, got 1', '-batchSize 1')
      gan:refused('-batchSize must be at most 1438, the training images, got 2000', '-batchSize 2000')
      gan:refused('cannot load the model', '-sample', gan:path 'nowhere')
      gan:refused('holds no model of this program', '-sample', gan:path 'learned/checkpoint.t7')
   end)
end)
