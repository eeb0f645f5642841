-- test/cuda/train_spec.lua - whole networks learn on the device what they learn on the CPU, with the same bits on every run.
-- runs once, on the plain build: the device does not depend on the level, and the other specs run all kernels
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local idx = require 'examples.lib.idx'
local device = require 'test.support.cuda.device'

if device.missing('training on a CUDA device', describe, pending) then return end

local STEPS, BATCH, BATCHES = 24, 16, 2

-- The first digits that come with the project.
local function digits()
   local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
   local n = BATCHES * BATCH
   local x = images:narrow(1, 1, n):float():view(n, 1, images:size(2), images:size(3)):div(16)
   return x, labels:narrow(1, 1, n):long():add(1)
end

-- Convolutions, pooling, normalisation, a hidden layer: LeCun et al., "Gradient-based learning applied to document
-- recognition" (1998), for images of 8 x 8.
local function lenet()
   torch.manualSeed(3)
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, 6, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(6)):add(nn.Tanh())
      :add(nn.SpatialMaxPooling(2, 2))
      :add(nn.SpatialConvolution(6, 16, 3, 3)):add(nn.ReLU()):add(nn.SpatialAveragePooling(2, 2))
      :add(nn.View(16):setNumInputDims(3)):add(nn.Linear(16, 32)):add(nn.ReLU()):add(nn.Linear(32, 10)):add(nn.LogSoftMax())
end

-- The losses of all steps and the parameters at the end.
local function train(method, options, bring)
   local x, target = digits()
   local net, criterion = bring(lenet():float()), bring(nn.ClassNLLCriterion():float())
   local parameters, gradients = net:getParameters()
   local state, losses = {}, {}
   for k, v in pairs(options) do state[k] = v end
   for step = 1, STEPS do
      local first = (step - 1) % BATCHES * BATCH + 1
      local input, classes = bring(x:narrow(1, first, BATCH):clone()), bring(target:narrow(1, first, BATCH):clone())
      optim[method](function()
         gradients:zero()
         local y = net:forward(input)
         losses[step] = criterion:forward(y, classes)
         net:backward(input, criterion:backward(y, classes))
         return losses[step], gradients
      end, parameters, state)
   end
   return losses, parameters:float()
end

local function here(x) return x end
local function there(x)
   if torch.isTensor(x) and x:type() == 'torch.LongTensor' then return x:cudaLong() end
   return x:cuda()
end

local METHODS = {
   { 'sgd', { learningRate = 1 } },
   { 'sgd', { learningRate = 0.2, momentum = 0.9, nesterov = true, dampening = 0, weightDecay = 1e-3 } },
   { 'adam', { learningRate = 0.04, epsilon = 1e-3 } },             -- gradients near 0 would show the last bits
   { 'rmsprop', { learningRate = 0.01, epsilon = 1e-3 } },
}

describe('a network that learns digits on a CUDA device', function()
   for _, m in ipairs(METHODS) do
      local method, options = m[1], m[2]
      local name = method .. (options.momentum and ' with momentum' or '')
      it(('has the losses and parameters of the CPU, step by step, with %s'):format(name), function()
         local losses, parameters = train(method, options, here)
         local theirs, others = train(method, options, there)
         for step = 1, STEPS do
            assert(math.abs(losses[step] - theirs[step]) <= 1e-3 * losses[step],
               ('step %d: loss %.7g on the CPU, %.7g on the device'):format(step, losses[step], theirs[step]))
         end
         assert(losses[STEPS] < 0.9 * losses[1], ('the loss goes from %g to %g'):format(losses[1], losses[STEPS]))
         local off = (parameters - others):norm() / parameters:norm()
         assert(off <= 1e-3, ('the parameters are off by %g'):format(off))
      end)
   end
   it('has the same bits every time, also without cuBLAS, and in whatever order blocks and threads run', function()
      local code = [[
         local lines = {}
         describe = function() end
         local train, there = assert(loadfile 'test/cuda/train_spec.lua')()
         local losses, p = train('sgd', { learningRate = 0.1 }, there)
         for _, loss in ipairs(losses) do lines[#lines + 1] = ('%.17g'):format(loss) end
         for i = 1, p:size(1) do lines[#lines + 1] = ('%.9g'):format(p[i]) end
         io.write(table.concat(lines, ' '))
      ]]
      local file = require 'test.support.temporary'.name '.lua'
      local f = assert(io.open(file, 'w'))
      f:write(code)
      f:close()
      local function run(environment)
         local p = io.popen(('env %s %s %s 2>&1'):format(environment, os.getenv 'TH' or 'build/bin/th', file))
         local text = p:read '*a'
         p:close()
         assert(#text > 1000 and not text:find 'error', text:sub(1, 500))
         return text
      end
      local one, own = run 'TH_CUDA_EMU_RANDOM=0', run 'TH_CUBLAS=none TH_CUDA_EMU_RANDOM=0'
      assert(one == run 'TH_CUDA_EMU_RANDOM=5')
      assert(own == run 'TH_CUBLAS=none TH_CUDA_EMU_RANDOM=9')
      os.remove(file)
   end)

   it('keeps gradients short with optim.clipGradNorm', function()
      local a, b = torch.CudaTensor { 3 }, torch.CudaTensor { 0, 4 }
      assert.equal(5, optim.clipGradNorm({ a, b }, 1))
      assert.is_true((a:float() - torch.FloatTensor { 0.6 }):abs():max() < 1e-6)
      assert.is_true((b:float() - torch.FloatTensor { 0, 0.8 }):abs():max() < 1e-6)
   end)

   it('is an option of the examples', function()
      local th, dir = os.getenv 'TH' or 'build/bin/th', os.tmpname()
      os.remove(dir)
      local function train(name, options)
         local pipe = io.popen(("TH_CUDA=emu '%s' examples/%s.lua -gpu -epochs 1 -save '%s' %s 2>&1 </dev/null"):format(th, name, dir, options))
         local out = pipe:read '*a'
         pipe:close()
         os.execute(("rm -rf '%s'"):format(dir))
         return out
      end
      for _, name in ipairs { 'digits', 'autoencoder', 'gan', 'ctc' } do
         local out = train(name, '-steps 2')
         assert.truthy(out:find('stopped as -steps wants after step 2', 1, true), out)
      end
      local out = train('digits', '-model mlp')
      assert.is_true((tonumber(out:match 'test accuracy: ([%d.]+) %%') or 0) > 80, out)
   end)
end)

return train, there
