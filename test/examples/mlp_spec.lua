-- test/examples/mlp_spec.lua - the example of autograd: it learns, saves its parameters, and resumes to the same bits.
-- runs once
local torch = require 'torch'
local example = require 'test.support.example'

local mlp

setup(function() mlp = example.new 'mlp' end)
teardown(function() mlp:remove() end)

describe('examples/mlp.lua', function()
   local output, accuracy

   setup(function()
      output = mlp:ok('-epochs 3 -threads 2 -save', mlp:path 'three')
      accuracy = tonumber(output:match 'test accuracy: (%d+%.%d%d) %%\n$')
   end)

   it('reads more than 90 % of the test digits after three epochs', function()
      assert.is_true(accuracy and accuracy > 90, output)
   end)
   it('reads more than 90 % by logistic regression, too', function()
      local text = mlp:ok('-hidden 0 -epochs 3 -save', mlp:path 'regression')
      assert.is_true(tonumber(text:match 'test accuracy: (%d+%.%d%d) %%\n$') > 90, text)
      assert.equal(1, #torch.load(mlp:path 'regression/model.t7'))
   end)
   it('saves its parameters as a list of layers', function()
      local params = torch.load(mlp:path 'three/model.t7')
      assert.same({ 64, 128 }, params[1].W:size():totable())
      assert.same({ 1, 10 }, params[2].b:size():totable())
      assert.same({ 'checkpoint.t7', 'curve.svg', 'model.t7', 'train.log' }, mlp:files 'three')
   end)
   it('learns with the other optimizers', function()
      for _, name in ipairs { 'adam', 'adamw', 'rmsprop', 'adagrad' } do
         local text = mlp:ok('-epochs 2 -optim', name, '-save', mlp:path(name))
         assert.is_true(tonumber(text:match 'test accuracy: (%d+%.%d%d) %%\n$') > 80, name .. ': ' .. text)
      end
   end)
   it('resumes from any step to the same bits, dropout and momentum included', function()
      local options = '-epochs 2 -hidden 16 -threads 2'
      mlp:ok(options, '-save', mlp:path 'whole')
      mlp:resumes('whole', { 20, 13, 7 }, options)
   end)
   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do mlp:ok('-epochs 1 -threads', threads, '-save', mlp:path('threads' .. threads)) end
      assert.is_true(mlp:bytes 'threads1/model.t7' == mlp:bytes 'threads2/model.t7')
   end)
   it('refuses what it cannot do, in one line and with status 1', function()
      mlp:refused('-hidden must be a whole number of at least 0, got -1', '-hidden -1')
      mlp:refused('-dropout must be a number of 0 to 0.99, got 1', '-dropout 1')
      mlp:refused('-graph needs -gpu', '-graph')
      mlp:refused('has no t10k-images-idx3-ubyte[.gz]', '-data', mlp:path 'nowhere')
   end)
end)
