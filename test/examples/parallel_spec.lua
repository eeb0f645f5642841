-- test/examples/parallel_spec.lua - examples/parallel.lua: ranks learn what one process does.
-- runs once
local torch = require 'torch'
require 'nn'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local function learn(command)
   local status, out, err = ranks.sh(("%s examples/parallel.lua -epochs 1 %s"):format(command[1], command[2]), 100)
   assert.equal(0, status, err)
   return tonumber(out:match 'loss (%S+),'), tonumber(out:match 'accuracy (%S+) %%')
end

describe('examples/parallel.lua', function()
   it('learns on 2 pipelines of 2 stages what one process learns, and saves the whole model', function()
      local file = temporary.name '.t7'
      local loss, accuracy = learn { ranks.th, '-stages 1' }
      local other, same = learn { ranks.thrun .. ' -n 4', ("-stages 2 -save '%s'"):format(file) }
      assert.near(loss, other, 1e-3)
      assert.near(accuracy, same, 0.6)                       -- of 359 images two
      assert.truthy(accuracy > 60)
      local model = torch.load(file)
      assert.equal('nn.Sequential', torch.type(model))
      assert.equal(10, model:forward(torch.zeros(2, 1, 8, 8):float()):size(2))
   end)

   it('says what is wrong with its options', function()
      for options, text in pairs { ['-stages 2'] = '1 ranks are no pipelines of 2 stages',
         ['-stages 0'] = '-stages must be a whole number from 1, got 0',
         ['-stages 1 -method x'] = '-method must be sgd or adam, got x',
         ['-stages 1 -schedule x'] = '-schedule must be 1f1b or gpipe, got x' } do
         local status, _, err = ranks.sh(("%s examples/parallel.lua %s"):format(ranks.th, options))
         assert.equal(1, status)
         assert.truthy(err:find('parallel: ' .. text, 1, true), err)
      end
   end)
end)

teardown(temporary.remove)
