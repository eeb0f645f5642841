-- test/onnx/loop_spec.lua - the turns of a Loop, and their limit.
-- runs once: nothing here depends on the level
local torch = require 'torch'
local bytes = require 'test.support.onnx_bytes'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'
local onnx = require 'onnx'

local MOST = onnx.maxTurns()

teardown(temporary.remove)

-- A model whose Loop adds 1 to x in each turn. A Loop without a trip count never ends, unless it
-- has a limit for x.
local function counting(counted, limit)
   local ends = limit and bytes.node('Less', { 'b', 'limit' }, { 'more' })
   local body = {
      name = 'body',
      node = { bytes.node('Add', { 'a', 'one' }, { 'b' }),
         ends or bytes.node('Identity', { 'go' }, { 'more' }) },
      input = { bytes.info('turn', 'int64', {}), bytes.info('go', 'bool', {}),
         bytes.info('a', 'float', { 1 }) },
      output = { bytes.info('more', 'bool', {}), bytes.info('b', 'float', { 1 }) },
   }
   local names = { counted and 'n' or '', '', 'x' }
   local loop = bytes.node('Loop', names, { 'y' }, { body = { g = body } })
   local inputs = { bytes.info('x', 'float', { 1 }) }
   if counted then inputs[2] = bytes.info('n', 'int64', {}) end
   local m = bytes.model({ loop }, inputs, { bytes.info('y', 'float', { 1 }) },
      { bytes.tensor('one', 'float', { 1 }, { 1 }),
         bytes.tensor('limit', 'float', {}, { limit or 0 }) })
   return onnx.load(bytes.write(temporary.name '.onnx', m))
end

local function run(model, turns)
   return model:forward { x = torch.FloatTensor { 5 }, n = turns and types.scalar('int64', turns) }
end

describe('a Loop of onnx', function()
   before_each(function() onnx.maxTurns(MOST) end)
   teardown(function() onnx.maxTurns(MOST) end)

   it('takes as many turns as its trip count', function()
      local model = counting(true)
      assert.equal(8, run(model, 3)[1])
      assert.equal(5, run(model, 0)[1])
   end)
   it('takes the most turns that onnx.maxTurns allows', function()
      onnx.maxTurns(3)
      assert.equal(8, run(counting(true), 3)[1])
   end)
   it('refuses a trip count beyond the limit before the first turn', function()
      onnx.maxTurns(3)
      refuses('a Loop may take 3 turns (onnx.maxTurns), it wants 1000000000000', run,
         counting(true), 1e12)
   end)
   it('refuses to take more turns where it has no trip count', function()
      onnx.maxTurns(1000)
      refuses('a Loop may take 1000 turns (onnx.maxTurns), it wants more', run, counting(false))
   end)
   it('takes the largest trip count for none, as a while of torch.onnx has it', function()
      local count = torch.LongTensor(1)
      count:data()[0] = 0x7fffffffffffffffLL
      local x = torch.FloatTensor { 5 }
      local n = types.view(count, {})
      assert.equal(9, counting(true, 9):forward({ x = x, n = n })[1])
      onnx.maxTurns(1000)
      refuses('a Loop may take 1000 turns (onnx.maxTurns), it wants more', function()
         counting(true):forward { x = x, n = n }
      end)
   end)
end)

describe('onnx.maxTurns', function()
   local text = 'onnx.maxTurns: n must be a whole number in 1..2^53, got '
   teardown(function() onnx.maxTurns(MOST) end)

   it('returns the number in force before', function()
      assert.equal(2 ^ 31, onnx.maxTurns())
      assert.equal(2 ^ 31, onnx.maxTurns(7))
      assert.equal(7, onnx.maxTurns(MOST))
   end)
   it('refuses what is no whole number of turns', function()
      local words = { [0] = 'a number (0)', [-1] = 'a number (-1)', [1.5] = 'a number (1.5)',
         [1 / 0] = 'a number (inf)', ['3'] = 'a string', [true] = 'a boolean' }
      for bad, got in pairs(words) do
         refuses(text .. got, onnx.maxTurns, bad)
      end
      refuses(text .. 'a number (', onnx.maxTurns, 0 / 0)
      assert.equal(MOST, onnx.maxTurns())
   end)
end)
