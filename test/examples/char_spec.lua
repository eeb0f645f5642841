-- test/examples/char_spec.lua - the character model learns, writes, and resumes to the same bits after any step.
-- runs once
local torch = require 'torch'
require 'nn'
local characters = require 'examples.lib.characters'
local example = require 'test.support.example'
local refuses = require 'test.support.refuses'

local char, text
local SMALL = '-hidden 12 -batchSize 4 -sequence 10 -threads 2'

setup(function()
   char = example.new 'char'
   text = char:path 'text'
   local file = assert(io.open(text, 'w'))
   for i = 1, 60 do file:write('the ', i % 2 == 0 and 'black' or 'white', ' cat and the mat\n') end
   file:close()
   SMALL = SMALL .. ' -data ' .. text
end)
teardown(function() char:remove() end)

describe('examples/char.lua', function()
   it('learns a text by heart, and writes it', function()
      local output = char:ok(SMALL, "-hidden 32 -epochs 12 -prime 'the black' -length 60 -temperature 0",
                             '-save', char:path 'learned')
      assert.is_true(tonumber(output:match 'validation loss per character: (%S+)\n$') < 0.3, output)
      assert.truthy(output:find('the black cat and the mat\nthe ', 1, true), output)
      assert.same({ 'checkpoint.t7', 'curve.svg', 'model.t7', 'train.log' }, char:files 'learned')
   end)

   it('writes with -sample what was asked for: so many characters after the prime, the same for the same seed', function()
      local function sample(...) return char:ok('-sample', char:path 'learned/model.t7', '-prime "cat "', ...) end
      local one = sample '-length 40 -temperature 1 -seed 3'
      assert.equal(4 + 40 + 1, #one)
      assert.equal('cat and the mat\n', one:sub(1, 16))
      assert.equal(one, sample '-length 40 -temperature 1 -seed 3')
      assert.not_equal(one, sample '-length 40 -temperature 1 -seed 4')
      assert.equal('cat \n', sample '-length 0')
   end)

   for _, model in ipairs { 'lstm -dropout 0.2', 'gru -optim rmsprop', 'rnn -layers 1 -optim sgd' } do
      it('continues from any step to the same bits, ' .. model, function()
         local options = SMALL .. ' -epochs 3 -model ' .. model
         char:ok(options, '-save', char:path 'whole')
         math.randomseed(os.time())
         char:resumes('whole', { math.random(30), math.random(30) }, options)
      end)
   end

   it('stops at Ctrl-C, and continues to the same bits', function()
      local options = SMALL .. ' -dropout 0.1'
      local status, output, epoch = char:signalled('INT', math.random(), options .. ' -epochs 100000')
      assert.equal(130, status, output)
      char:ok(options, '-epochs', epoch, '-save', char:path 'signalled', '-resume', char:path 'signalled/checkpoint.t7')
      char:ok(options, '-epochs', epoch, '-save', char:path 'undisturbed')
      char:same('undisturbed', 'signalled')
   end)

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do
         char:ok(SMALL, '-epochs 1 -threads', threads, '-save', char:path('threads' .. threads))
      end
      assert.is_true(char:bytes 'threads1/model.t7' == char:bytes 'threads2/model.t7')
   end)

   it("reads the project's own documentation without -data", function()
      local output = char:ok('-hidden 4 -steps 1 -epochs 1 -save', char:path 'docs')
      assert.is_true(tonumber(output:match '^(%d+) characters for training') > 1e5, output)
      assert.truthy(output:find 'stopped as %-steps wants after step 1 of ', output)
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      char:refused('-model must be lstm, gru or rnn, got mlp', '-model mlp')
      char:refused('-dropout must be a number of 0 to 0.99, got 1', '-dropout 1')
      char:refused('-temperature must be a number of at least 0, got -1', '-temperature -1')
      char:refused('cannot open', '-data', char:path 'nowhere')
      char:refused('are too few', SMALL, '-batchSize 100')
      char:refused('cannot load the model', '-sample', char:path 'nowhere')
      char:refused('holds no model of this program', '-sample', char:path 'learned/checkpoint.t7')
      char:refused("the model does not know the character \"#\"", '-sample', char:path 'learned/model.t7', "-prime 'a#'")
      char:refused('-prime must have at least one character', '-sample', char:path 'learned/model.t7', "-prime ''")
   end)
end)

describe('characters', function()
   it('numbers characters in the order of the alphabet, and names one that it lacks', function()
      assert.same({ 1, 3, 1 }, characters.encode('aca', { 'a', 'b', 'c' }):totable())
      refuses('does not know the character "d"', characters.encode, 'ad', { 'a', 'b', 'c' })
   end)

   it('cuts a text into parts side by side, the targets one character further', function()
      local x, y = characters.streams(torch.LongTensor { 1, 2, 3, 4, 5, 6, 7, 8 }, 2)
      assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
      assert.same({ { 2, 3, 4 }, { 5, 6, 7 } }, y:totable())
   end)
end)
