-- test/examples/transformer_spec.lua - the small transformer learns, writes, and resumes to the same bits.
-- runs once
local example = require 'test.support.example'

local transformer
local SMALL = '-hidden 16 -heads 2 -layers 2 -batchSize 4 -sequence 16 -threads 2'

setup(function()
   transformer = example.new 'transformer'
   local file = assert(io.open(transformer:path 'text', 'w'))
   for i = 1, 80 do file:write('the ', i % 2 == 0 and 'black' or 'white', ' cat and the mat\n') end
   file:close()
   SMALL = SMALL .. ' -data ' .. transformer:path 'text'
end)
teardown(function() transformer:remove() end)

describe('examples/transformer.lua', function()
   it('learns a text by heart, and writes more of it than it reads at once', function()
      local output = transformer:ok(SMALL, "-epochs 15 -dropout 0 -learningRate 0.01 -prime 'the black' -length 60",
                                    '-temperature 0 -save', transformer:path 'learned')
      assert.is_true(tonumber(output:match 'validation loss per character: (%S+)\n$') < 0.4, output)
      assert.truthy(output:find('the black cat and the mat\nthe ', 1, true), output)
      local more = transformer:ok('-sample', transformer:path 'learned/model.t7', "-prime 'cat '", '-length 40')
      assert.equal(4 + 40 + 1, #more)
   end)

   it('continues from any step to the same bits', function()
      transformer:ok(SMALL, '-epochs 2 -save', transformer:path 'whole')
      math.randomseed(os.time())
      transformer:resumes('whole', { math.random(20), math.random(10) }, SMALL .. ' -epochs 2')
   end)

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do
         transformer:ok(SMALL, '-epochs 1 -threads', threads, '-save', transformer:path('threads' .. threads))
      end
      assert.is_true(transformer:bytes 'threads1/model.t7' == transformer:bytes 'threads2/model.t7')
   end)

   it('refuses heads that do not divide its features, and models of other programs', function()
      transformer:refused('nn.MultiHeadAttention: heads must divide size, got 5 and 16', SMALL, '-heads 5')
      local char = example.new 'char'
      char:ok(SMALL:gsub('-heads 2', ''), '-epochs 1 -save', char:path 'one')
      transformer:refused('holds no model of this program', '-sample', char:path 'one/model.t7')
      char:remove()
   end)
end)
