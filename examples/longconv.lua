-- examples/longconv.lua - a filter as long as the sequence learns how a room sounds.
--    th examples/longconv.lua                  sequences and filters of 4,096 samples
--    th examples/longconv.lua -length 32768    longer ones
--    th examples/longconv.lua -engine gemm     without Fourier transforms: the same result, many times slower
--    th examples/longconv.lua -filter 400      a filter that is too short
--
-- Applause is played in a room with two microphones. Each records the sound filtered by the room, whose echoes last as long as
-- the sequence, and a little noise. The model sees the original and the recordings.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local wave = require 'examples.lib.wave'

local run = require 'examples.lib.trainer' {
   name = 'longconv',
   about = 'Trains a filter as long as the sequence: how a room sounds.',
   options = {
      { 'length', 4096, 'samples of a sequence, and of the room\'s echoes', { whole = 16 } },
      { 'filter', 0, 'taps of the model\'s filters; 0: as many as a sequence has samples', { whole = 0 } },
      { 'engine', 'fft1d', 'fft1d, or gemm to see what transforms save', { 'fft1d', 'gemm' } },
      { 'room', 1, 'number of the room', { whole = 0 } },
      { 'noise', 0.05, 'standard deviation of the noise, where what is heard has 1', { least = 0 } },
      { 'sequences', 48, 'new sequences of an epoch', { whole = 1 } },
      { 'batchSize', 8, 'sequences per step', { whole = 1 } },
   },
   defaults = { epochs = 8, learningRate = 0.2, momentum = 0.7, weightDecay = 0, decay = 0.7 },
}
local opt, tensorType = run.opt, run.tensorType
local length = opt.length
local taps = opt.filter == 0 and length or opt.filter
if taps > length then run:stop('-filter must be at most %d, the samples of a sequence, got %d', length, taps) end
if opt.engine == 'gemm' then torch.conv.prefer = 'gemm' end
local EARS, TESTS = 2, 16

-- ---- the room -----------------------------------------------------------------------------------

-- Zeros before the first sample make the filter causal.
local function filtered(n)
   local Convolution = opt.engine == 'gemm' and nn.TemporalConvolution or nn.TemporalConvolutionFFT
   return nn.Sequential():add(nn.Padding(1, 1 - n, 2)):add(Convolution(1, EARS, n)):type(tensorType)
end

-- n sequences of applause: noise whose loudness changes from one 64 samples to the next. samples x 1, of variance 1.
local function applause(n, generator)
   local parts = math.ceil(length / 64)
   local loud = torch.Tensor(n, parts, 1):uniform(generator, 0, 1):pow(2):mul(5 ^ 0.5)
   local noise = torch.Tensor(n, parts, 64):normal(generator, 0, 1)
   return noise:cmul(loud:expandAs(noise)):view(n, parts * 64, 1):narrow(2, 1, length):type(tensorType)
end

-- Echoes: decaying noise, a twentieth of it at the end; a filter's last tap is the sound without delay.
local own = torch.Generator()
torch.manualSeed(own, opt.room)
local room = filtered(length)
do
   local echoes = torch.Tensor(EARS, length):normal(own, 0, 1):cmul(torch.range(1 - length, 0):mul(3 / length):exp():view(1, length)
      :expand(EARS, length))
   room:get(2).weight:copy(echoes:div(echoes:norm() / EARS ^ 0.5))
   room:get(2).bias:zero()
end

local function heard(played, generator)
   local y = room:forward(played)
   return y + torch.Tensor(y:size()):normal(generator, 0, 1):mul(opt.noise):type(tensorType)
end

local tests = { played = applause(TESTS, own) }
tests.heard = heard(tests.played, own)

-- ---- network ------------------------------------------------------------------------------------

local function newModel()
   local net = filtered(taps)
   net:get(2).weight:zero()
   net:get(2).bias:zero()
   return net
end

local keep = run.kept or { model = newModel(), state = { weightDecay = opt.weightDecay, momentum = opt.momentum, dampening = 0 } }
local model, criterion = keep.model, nn.MSECriterion():type(tensorType)
local parameters, gradParameters = model:getParameters()

-- ---- training -----------------------------------------------------------------------------------

local batches = math.ceil(opt.sequences / opt.batchSize)
local random = torch._gen                                     -- the generator whose state a checkpoint holds

local function begin(epoch) keep.state.learningRate = run:rate(epoch) end

local function step()
   local played = applause(opt.batchSize, random)
   local target = heard(played, random)
   local loss
   optim[opt.optim](function()
      gradParameters:zero()
      local output = model:forward(played)
      loss = criterion:forward(output, target)
      model:backward(played, criterion:backward(output, target))
      return loss, gradParameters:mul(0.5 * EARS)
   end, parameters, keep.state)
   return { loss = loss }
end

-- The part of the recordings that the model does not explain, in percent.
local function left() return 100 * (model:forward(tests.played) - tests.heard):pow(2):sum() / tests.heard:clone():pow(2):sum() end

-- The remainder for the room's true filters, cut to n taps.
local function cut(n)
   local weight = room:get(2).weight
   local kept = weight:clone()
   weight:narrow(2, 1, length - n):zero()
   local rest = 100 * (room:forward(tests.played) - tests.heard):pow(2):sum() / tests.heard:clone():pow(2):sum()
   weight:copy(kept)
   return rest
end

print(('%d samples a sequence, %d taps for each of %d ears; %d parameters; %d thread%s')
      :format(length, taps, EARS, parameters:nElement(), torch.getnumthreads(), torch.getnumthreads() == 1 and '' or 's'))
print(nn.summary(model, { 1, length, 1 }))

local job = {
   keep = keep, steps = batches, begin = begin, step = step,
   columns = { 'train loss %.4f', 'left %.2f %%' }, curve = { 'Learning how a room sounds', 'in %', 'left' },
}
function job.finish(_, sums) return { ['train loss'] = sums.loss / batches, left = left() } end
run:train(job)

-- ---- results ------------------------------------------------------------------------------------

local sounds = { torch.cat(tests.played[1], tests.played[1], 2), tests.heard[1], model:forward(tests.played)[1] }
local ok, why = pcall(wave.write, run:inSave 'room.wav', torch.cat(sounds, 1), 8000)
if not ok then run:stop('%s', why) end
torch.save(run:inSave 'model.t7', model:clearState())

run:files(job)
print(('sound          %s   played, heard, and what the model makes of what was played'):format(run:inSave 'room.wav'))
print(('model          %s   takes samples x %d x 1'):format(run:inSave 'model.t7', length))
print(('a tenth of the taps would leave %.2f %% at least, all of the room\'s %.2f %%'):format(cut(math.ceil(length / 10)), cut(length)))
print(('left: %.2f %%'):format(left()))
