-- test/examples/longconv_spec.lua - a filter as long as the sequence learns a room, a short one cannot, and a run resumes.
-- runs once
local torch = require 'torch'
require 'nn'
local example = require 'test.support.example'
local wave = require 'examples.lib.wave'
local refuses = require 'test.support.refuses'

local longconv
local SMALL = '-length 512 -sequences 24 -batchSize 6 -threads 2'           -- four steps an epoch

setup(function() longconv = example.new 'longconv' end)
teardown(function() longconv:remove() end)

local function le(s, from, n)
   local v = 0
   for i = from + n - 1, from, -1 do v = v * 256 + s:byte(i) end
   return v
end

describe('examples/longconv.lua', function()
   local output

   setup(function() output = longconv:ok('-length 1024 -epochs 6 -save', longconv:path 'learned') end)

   it('learns how a room sounds, down to the noise', function()
      local least, left = output:match "all of the room's (%S+) %%\nleft: (%S+) %%\n$"
      assert.is_true(tonumber(left) < 1.2 * least, output)
   end)

   it('needs the long filter: with a tenth of the taps half of the sound is left', function()
      local short = longconv:ok('-length 1024 -filter 103 -epochs 6 -save', longconv:path 'short')
      assert.is_true(tonumber(short:match '\nleft: (%S+) %%\n$') > 40, short)
   end)

   it('gives the same without Fourier transforms', function()
      local plain = longconv:ok('-length 1024 -engine gemm -epochs 1 -save', longconv:path 'plain')
      assert.near(tonumber(output:match 'epoch  1 of 6[^\n]* left (%S+) %%'), tonumber(plain:match '\nleft: (%S+) %%\n$'), 0.02)
   end)

   it('writes log, curve, checkpoint, model and sound', function()
      assert.same({ 'checkpoint.t7', 'curve.svg', 'model.t7', 'room.wav', 'train.log' }, longconv:files 'learned')
      local sound = longconv:bytes 'learned/room.wav'
      assert.equal(44 + 3 * 1024 * 2 * 2, #sound)
      assert.equal('RIFF', sound:sub(1, 4))
      assert.same({ #sound - 8, 2, 8000, #sound - 44 }, { le(sound, 5, 4), le(sound, 23, 2), le(sound, 25, 4), le(sound, 41, 4) })
   end)

   it('saves a model that never hears what will be', function()
      local model = torch.load(longconv:path 'learned/model.t7')
      local click = torch.FloatTensor(1, 1024, 1):zero()
      click[1][500][1] = 1
      local y = model:forward(click)[1]
      assert.same({ 1024, 2 }, y:size():totable())
      assert.is_true(y:narrow(1, 1, 499):clone():add(-1, y[1]:view(1, 2):expand(499, 2)):abs():max() < 1e-4)
      assert.is_true(y:narrow(1, 500, 100):norm() > 0.1)
   end)

   for _, optimizer in ipairs { 'sgd', 'adam -learningRate 0.01' } do
      it('continues from any step to the same bits, ' .. optimizer, function()
         local options = SMALL .. ' -epochs 2 -optim ' .. optimizer
         longconv:ok(options, '-save', longconv:path 'whole')
         math.randomseed(os.time())
         longconv:resumes('whole', { math.random(4), math.random(3) }, options)
      end)
   end

   it('gives the same bits with one thread and with two', function()
      for threads = 1, 2 do
         longconv:ok('-length 512 -sequences 24 -epochs 1 -threads', threads, '-save', longconv:path('threads' .. threads))
      end
      assert.is_true(longconv:bytes 'threads1/model.t7' == longconv:bytes 'threads2/model.t7')
   end)

   it('refuses what it cannot do, in one line and with status 1', function()
      longconv:refused('-length must be a whole number of at least 16, got 3', '-length 3')
      longconv:refused('-filter must be at most 512, the samples of a sequence, got 513', '-length 512 -filter 513')
      longconv:refused('-engine must be fft1d or gemm, got fft', '-engine fft')
      longconv:refused('is no checkpoint of this program', '-resume', longconv:path 'learned/model.t7')
   end)
end)

describe('examples.lib.wave', function()
   it('writes the numbers of samples, the loudest as 32,767', function()
      local name = longconv:path 'x.wav'
      wave.write(name, torch.Tensor { 0, 0.5, -1, 1 }, 100)
      local sound = longconv:bytes 'x.wav'
      local samples = {}
      for i = 1, 4 do samples[i] = (le(sound, 43 + 2 * i, 2) + 32768) % 65536 - 32768 end
      assert.same({ 0, 16384, -32767, 32767 }, samples)
   end)

   it('refuses what is no sound, and names that cannot be written', function()
      refuses('wave.write: x must have samples, or samples x channels', wave.write, longconv:path 'x.wav', torch.Tensor())
      refuses('wave.write: x must have samples', wave.write, longconv:path 'x.wav', 3)
      refuses('torch.DiskFile: cannot open /nowhere/x.wav: No such file', wave.write, '/nowhere/x.wav', torch.ones(3), 8000)
   end)
end)
