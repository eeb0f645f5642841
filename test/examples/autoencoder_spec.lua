-- test/examples/autoencoder_spec.lua - digits in a few numbers: better than linear features, and resumes to the same bits.
-- runs once
local torch = require 'torch'
require 'nn'
local idx = require 'examples.lib.idx'
local example = require 'test.support.example'

local autoencoder

setup(function() autoencoder = example.new 'autoencoder' end)
teardown(function() autoencoder:remove() end)

describe('examples/autoencoder.lua', function()
   local output, left, components

   setup(function()
      output = autoencoder:ok('-epochs 12 -hidden 128 -threads 2 -save', autoencoder:path 'learned')
      left, components = output:match 'test error: (%S+) %% of the variance; of as many principal components: (%S+) %%\n$'
      left, components = tonumber(left), tonumber(components)
   end)

   it('keeps more of unseen digits in 8 numbers than 8 principal components do', function()
      assert.is_true(left and left < 0.75 * components, output)
      assert.near(34, components, 1)                       -- a fact of the data
   end)

   it('shows digits and what was drawn of them, and writes pictures of it', function()
      for _, part in ipairs { 'Digits of the test:', 'Drawn again, from 8 numbers:' } do
         assert.truthy(output:find(part, 1, true), part)
      end
      assert.same({ 'between.png', 'checkpoint.t7', 'curve.svg', 'drawn.png', 'model.t7', 'train.log' },
         autoencoder:files 'learned')
      assert.equal('\137PNG\r\n\26\n', autoencoder:bytes 'learned/drawn.png':sub(1, 8))
   end)

   it('saves a model whose error on the test digits is what it said', function()
      local images = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte'):float():view(-1, 64):div(16)
      local test, train = {}, {}
      for i = 1, images:size(1) do table.insert(i % 5 == 0 and test or train, i) end
      local x, mean = images:index(1, torch.LongTensor(test)), images:index(1, torch.LongTensor(train)):mean(1)
      local model = torch.load(autoencoder:path 'learned/model.t7')
      assert.same({ #test, 8 }, model:get(1):forward(x):size():totable())
      local error_left = 100 * (model:forward(x) - x):pow(2):sum() / (x - mean:expandAs(x)):pow(2):sum()
      assert.near(left, error_left, 0.011)
   end)

   it('continues from any step to the same bits, noise included', function()
      local options = '-epochs 2 -hidden 32 -noise 0.1 -threads 2'
      autoencoder:ok(options, '-save', autoencoder:path 'whole')
      math.randomseed(os.time())
      autoencoder:resumes('whole', { math.random(50), math.random(30) }, options)
   end)

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do autoencoder:ok('-epochs 1 -threads', threads, '-save', autoencoder:path('threads' .. threads)) end
      assert.is_true(autoencoder:bytes 'threads1/model.t7' == autoencoder:bytes 'threads2/model.t7')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      autoencoder:refused('-code must be a whole number of at least 1, got 0', '-code 0')
      autoencoder:refused('-noise must be a number of at least 0, got -1', '-noise -1')
      autoencoder:refused('-batchSize must be at most 1438, the training images, got 2000', '-batchSize 2000')
      autoencoder:refused('has no t10k-images-idx3-ubyte[.gz]', '-data', autoencoder:path 'nowhere')
   end)
end)
