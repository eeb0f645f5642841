-- test/nn/thnn_spec.lua - x.THNN.Name_updateOutput(...), which modules of other packages call, gives the results of our layers.
local torch = require 'torch'
local nn = require 'nn'
local THNN = require 'nn.THNN'
local check = require 'test.support.gradcheck'
local near = require 'test.support.nn.rounding'.near
local refuses = require 'test.support.refuses'

-- Each family as a module of another package calls it: a layer of ours to compare with, its input, and the arguments. x is the
-- input, y g gx gw gb are output, gradOutput, gradInput and the gradients, b an empty buffer, n nil, s the scale; other words
-- are fields of the layer.
local CONV, CONV3 = 'kW kH dW dH padW padH', 'kT kW kH dT dW dH padT padW padH'
local calls = {}
local function family(name)
   return function(case) calls[#calls + 1], case.family = case, name end
end
local function pointwise(name, new, up, down)
   family(name) {new, {3, 4}, 'x y ' .. up, 'x g gx ' .. down}
end
pointwise('Abs', 'Abs()', '', '')
pointwise('ELU', 'ELU(0.7)', 'alpha inplace', 'y alpha inplace')
pointwise('HardShrink', 'HardShrink(0.3)', 'lambda', 'lambda')
pointwise('HardTanh', 'HardTanh(-0.5, 0.4)', 'min_val max_val inplace', 'min_val max_val inplace')
pointwise('LeakyReLU', 'LeakyReLU(0.2)', 'negval inplace', 'negval inplace')
pointwise('LogSigmoid', 'LogSigmoid()', 'b', 'b')
pointwise('LogSoftMax', 'LogSoftMax()', '', 'y')
pointwise('Sigmoid', 'Sigmoid()', '', 'y')
pointwise('SoftMax', 'SoftMax()', '', 'y')
pointwise('SoftPlus', 'SoftPlus(2)', 'beta 20', 'y beta 20')
pointwise('SoftShrink', 'SoftShrink(0.3)', 'lambda', 'lambda')
pointwise('Square', 'Square()', '', '')
pointwise('Tanh', 'Tanh()', '', 'y')
pointwise('Threshold', 'Threshold(0.2, 0.1)', 'threshold val inplace', 'threshold val inplace')
pointwise('GatedLinear', 'GatedLinearUnit(2)', 'dim', 'dim')
family 'Sqrt' {'Sqrt(0)', {3, 4}, 'x y eps', 'x g gx y', lo = 0.1, hi = 2}
family 'PReLU' {'PReLU(3)', {2, 3, 4, 4}, 'x y weight nOutputPlane', 'x g gx weight nOutputPlane', 'x g gx weight gw b b nOutputPlane s'}
family 'PReLU' {'PReLU()', {3, 4}, 'x y weight nOutputPlane', 'x g gx weight nOutputPlane', 'x g gx weight gw b b nOutputPlane s'}
for _, tail in ipairs{'', ':noBias()'} do
   family 'SpatialConvolutionMM' {'SpatialConvolution(2, 3, 3, 2, 2, 1, 1, 1)' .. tail, {2, 2, 5, 6}, 'x y weight bias b b ' .. CONV,
      'x g gx weight b b ' .. CONV, 'x g gw gb b b ' .. CONV .. ' s'}
   family 'SpatialFullConvolution' {'SpatialFullConvolution(2, 3, 3, 2, 2, 2, 1, 0, 1, 1)' .. tail, {2, 2, 3, 4},
      'x y weight bias b b ' .. CONV .. ' adjW adjH', 'x g gx weight b ' .. CONV .. ' adjW adjH',
      'x g gw gb b b ' .. CONV .. ' adjW adjH s'}
   family 'VolumetricConvolutionMM' {'VolumetricConvolution(2, 3, 2, 3, 2, 1, 2, 1, 1, 1, 0)' .. tail, {2, 2, 3, 4, 5},
      'x y weight bias b ' .. CONV3, 'x g gx weight b b ' .. CONV3, 'x g gw gb b ' .. CONV3 .. ' s'}
end
family 'SpatialConvolutionMM' {'SpatialConvolutionMM(2, 3, 3, 2)', {2, 5, 6}, 'x y weight bias b b ' .. CONV,
   'x g gx weight b b ' .. CONV, 'x g gw gb b b ' .. CONV .. ' s'}
family 'SpatialDilatedConvolution' {'SpatialDilatedConvolution(2, 3, 2, 2, 1, 1, 1, 1, 2, 2)', {2, 2, 5, 6},
   'x y weight bias b b ' .. CONV .. ' dilationW dilationH', 'x g gx weight b ' .. CONV .. ' dilationW dilationH',
   'x g gw gb b b ' .. CONV .. ' dilationW dilationH s'}
family 'SpatialConvolutionLocal' {'SpatialConvolutionLocal(2, 3, 6, 5, 3, 2, 1, 1, 1, 0)', {2, 2, 5, 6},
   'x y weight bias b b ' .. CONV .. ' iW iH oW oH', 'x g gx weight b b ' .. CONV .. ' iW iH oW oH',
   'x g gw gb b b ' .. CONV .. ' iW iH oW oH s'}
local DILATED = CONV3 .. ' dilationT dilationW dilationH'
for _, tail in ipairs{'', ':noBias()'} do
   family 'SpatialDepthWiseConvolution' {'SpatialDepthWiseConvolution(2, 3, 3, 2, 1, 2, 1, 0)' .. tail, {2, 2, 5, 6},
      'x y weight bias b b ' .. CONV, 'x g gx weight b b ' .. CONV, 'x g gw gb b b ' .. CONV .. ' s'}
   family 'VolumetricDilatedConvolution' {'VolumetricDilatedConvolution(2, 3, 2, 2, 1, 1, 1, 1, 0, 1, 0, 1, 2, 1)' .. tail,
      {2, 2, 3, 4, 4}, 'x y weight bias b b ' .. DILATED, 'x g gx weight b ' .. DILATED, 'x g gw gb b b ' .. DILATED .. ' s'}
   local full = 'dT dW dH padT padW padH adjT adjW adjH'
   family 'VolumetricFullConvolution' {'VolumetricFullConvolution(2, 3, 2, 3, 2, 2, 2, 1, 1, 0, 1, 1, 1, 0)' .. tail, {2, 2, 2, 3, 3},
      'x y weight bias b b ' .. full, 'x g gx weight b b ' .. full, 'x g gw gb b b ' .. full .. ' s'}
   for _, first in ipairs{'', ', 1, true'} do
      family 'TemporalRowConvolution' {('TemporalRowConvolution(3, 2%s)'):format(first) .. tail, first == '' and {2, 6, 3} or {2, 3, 6},
         'x y weight bias b b kW dW 0 featFirst', 'x g gx weight b b kW dW 0 featFirst', 'x g gw gb b b kW dW 0 featFirst s'}
   end
end
for _, numbers in ipairs{DILATED:gsub('kT kW kH ', ''), DILATED .. ' ceil_mode'} do
   family 'VolumetricDilatedMaxPooling' {'VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 2)', {2, 2, 4, 4, 5},
      'x y found ' .. DILATED .. ' ceil_mode', 'x g gx found ' .. numbers}
end
family 'TemporalConvolution' {'TemporalConvolution(3, 4, 2, 2)', {2, 7, 3}, 'x y weight bias kW dW inputFrameSize outputFrameSize',
   'x g gx weight kW dW', 'x g gw gb kW dW s'}
family 'SpatialSubSampling' {'SpatialSubSampling(2, 3, 2, 1, 2)', {2, 2, 5, 6}, 'x y weight bias kW kH dW dH', 'x g gx weight kW kH dW dH',
   'x g gw gb kW kH dW dH s'}
family 'TemporalSubSampling' {'TemporalSubSampling(3, 2, 2)', {2, 7, 3}, 'x y weight bias kW dW inputFrameSize', 'x g gx weight kW dW',
   'x g gw gb kW dW s'}
local function pooling(name, new, sizes, numbers)
   family(name) {new, sizes, 'x y ' .. numbers, 'x g gx ' .. numbers}
end
pooling('SpatialMaxPooling', 'SpatialMaxPooling(3, 2, 2, 1, 1, 1):ceil()', {2, 2, 5, 6}, 'found ' .. CONV .. ' ceil_mode')
pooling('SpatialDilatedMaxPooling', 'SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2)', {2, 5, 6}, 'found ' .. CONV
   .. ' dilationW dilationH ceil_mode')
pooling('SpatialAveragePooling', 'SpatialAveragePooling(3, 2, 2, 1, 1, 1):setCountExcludePad()', {2, 2, 5, 6}, CONV
   .. ' ceil_mode count_include_pad')
pooling('TemporalMaxPooling', 'TemporalMaxPooling(3, 2)', {2, 7, 3}, 'found kW dW')
pooling('VolumetricAveragePooling', 'VolumetricAveragePooling(2, 2, 2, 1, 2, 1)', {2, 2, 4, 4, 5}, 'kT kW kH dT dW dH')
pooling('SpatialReflectionPadding', 'SpatialReflectionPadding(1, 2, 0, 1)', {2, 2, 4, 5}, 'pad_l pad_r pad_t pad_b')
pooling('SpatialReplicationPadding', 'SpatialReplicationPadding(1, 2, 0, 1)', {2, 2, 4, 5}, 'pad_l pad_r pad_t pad_b')
pooling('VolumetricReplicationPadding', 'VolumetricReplicationPadding(1, 2, 0, 1, 1, 0)', {2, 2, 3, 4, 3},
   'pleft pright ptop pbottom pfront pback')
pooling('SpatialUpSamplingNearest', 'SpatialUpSamplingNearest(2)', {2, 2, 3, 4}, 'scale_factor')
family 'SpatialAdaptiveMaxPooling' {'SpatialAdaptiveMaxPooling(3, 2)', {2, 2, 5, 6}, 'x y found W H', 'x g gx found'}
family 'SpatialAdaptiveAveragePooling' {'SpatialAdaptiveAveragePooling(3, 2)', {2, 2, 5, 6}, 'x y W H', 'x g gx'}
for _, numbers in ipairs{'dT dW dH padT padW padH', CONV3 .. ' ceil_mode'} do
   family 'VolumetricMaxPooling' {'VolumetricMaxPooling(2, 2, 2, 1, 2, 1, 1, 0, 1)', {2, 2, 4, 4, 5}, 'x y found ' .. CONV3 .. ' ceil_mode',
      'x g gx found ' .. numbers}
end
family 'SpatialUpSamplingBilinear' {'SpatialUpSamplingBilinear({oheight = 5, owidth = 7})', {2, 3, 3, 4}, 'x y oheight owidth',
   'g gx 2 3 3 4 oheight owidth'}
family 'SpatialCrossMapLRN' {'SpatialCrossMapLRN(3, 0.5)', {2, 4, 2, 3}, 'x y b size alpha beta k', 'x g gx b y size alpha beta k'}
for _, new in ipairs{'BatchNormalization(3)', 'BatchNormalization(3, 1e-3, 0.2, false)'} do
   family 'BatchNormalization' {new, {5, 3}, 'x y weight bias mean var b b2 train momentum eps',
      'x g gx gw gb weight mean var b b2 train s eps', down = 'backward'}
end
family 'BatchNormalization' {'SpatialBatchNormalization(3)', {2, 3, 2, 4}, 'x y weight bias mean var b b2 train momentum eps',
   'x g gx gw gb weight mean var b b2 train s eps', down = 'backward'}

local met = {}

-- The arguments that a list of words stands for.
local function arguments(text, layer, known)
   local list, n = {}, 0
   for word in text:gmatch '%S+' do
      n = n + 1
      if tonumber(word) then list[n] = tonumber(word)
      elseif known[word] ~= nil then list[n] = torch.isTensor(known[word]) and known[word]:cdata() or known[word]
      elseif word:match '^g[wb]$' then list[n] = nil
      else
         local v = layer[word]
         list[n] = torch.isTensor(v) and v:cdata() or v
      end
   end
   return unpack(list, 1, n)
end

-- A call that was right, with something else in the place of each argument.
local junk = {0, -1, 1.5, 0 / 0, 1 / 0, 2 ^ 31, 2 ^ 53, true, 'x', {}, torch.Tensor(), torch.Tensor(0, 3), torch.ones(1), torch.ones(2, 3),
   torch.ones(2, 2, 3, 3), torch.LongTensor{9}, torch.LongTensor(2, 3):fill(-5), torch.FloatTensor(2, 3):zero()}
local tried, refused = 0, 0
local function spoil(name, ...)
   local f = THNN.kernels['torch.DoubleTensor'][name]
   local n = select('#', ...)
   for at = 1, n do
      for i = 0, #junk do
         local args = check.copy{...}
         args[at] = check.copy(junk[i])
         local ok, why = pcall(f, unpack(args, 1, n))
         tried, refused = tried + 1, refused + (ok and 0 or 1)
         assert(ok or why:find('THNN.' .. name, 1, true) and not (why:find 'attempt to' or why:find 'bad argument'), why)
      end
   end
end

describe('THNN', function()
   for _, case in ipairs(calls) do
      for _, kind in ipairs{'torch.DoubleTensor', 'torch.FloatTensor'} do
         it(('.%s answers as nn.%s does, of %ss'):format(case.family, case[1], kind), function()
            torch.manualSeed(4)
            local layer = assert(loadstring('return require "nn".' .. case[1]))():type(kind)
            local x = check.tensor(case[2], case.lo, case.hi):type(kind)
            local function tensor() return torch.Tensor():type(kind) end
            local known = {x = x, y = tensor(), gx = tensor(), b = tensor(), b2 = tensor(), found = torch.LongTensor()}
            if layer.running_mean then known.mean, known.var = layer.running_mean:clone(), layer.running_var:clone() end
            local function call(pass, text)
               met[case.family .. '_' .. pass] = true
               if kind == 'torch.DoubleTensor' then spoil(case.family .. '_' .. pass, arguments(text, layer, known)) end
               x.THNN[case.family .. '_' .. pass](arguments(text, layer, known))
            end
            call('updateOutput', case[3])
            local y = layer:forward(x)
            near(known.y, y, 0)
            known.g = y:clone():uniform(-1, 1)
            layer:zeroGradParameters()
            layer:backward(x, known.g, 0.5)
            known.s = 0.5
            if layer.gradWeight then known.gw = layer.gradWeight:clone():zero() end
            if layer.gradBias then known.gb = layer.gradBias:clone():zero() end
            call(case.down or 'updateGradInput', case[4])
            if case[5] then call('accGradParameters', case[5]) end
            near(known.gx, layer.gradInput, 0)
            if layer.gradWeight then near(known.gw, layer.gradWeight, 0) end
            if layer.gradBias then near(known.gb, layer.gradBias, 0) end
            if layer.running_mean then near(known.var, layer.running_var, 0) end
         end)
      end
   end
end)

-- Losses: a criterion of ours, input, target, and what comes behind output and gradInput.
local losses = {}
local function loss(...) losses[#losses + 1] = {...} end
loss('AbsCriterion', 'AbsCriterion(false)', {3, 4}, torch.ones(3, 4), 'sizeAverage')
loss('MSECriterion', 'MSECriterion()', {3, 4}, torch.ones(3, 4), 'sizeAverage')
loss('SmoothL1Criterion', 'SmoothL1Criterion()', {3, 4}, torch.ones(3, 4), 'sizeAverage')
loss('DistKLDivCriterion', 'DistKLDivCriterion()', {3, 4}, torch.ones(3, 4), 'sizeAverage')
loss('SoftMarginCriterion', 'SoftMarginCriterion()', {3, 4}, torch.ones(3, 4), 'sizeAverage')
loss('MarginCriterion', 'MarginCriterion(0.3)', {3, 4}, torch.ones(3, 4), 'sizeAverage margin')
loss('BCECriterion', 'BCECriterion(torch.Tensor{1, 2, 3, 4})', {3, 4}, torch.ones(3, 4), 'sizeAverage weights')
loss('BCECriterion', 'BCECriterion()', {3, 4}, torch.ones(3, 4), 'sizeAverage weights')
loss('ClassNLLCriterion', 'ClassNLLCriterion(torch.Tensor{1, 2, 3, 4})', {3, 4}, torch.LongTensor{1, 4, 2},
   'sizeAverage weights total ignoreIndex')
loss('ClassNLLCriterion', 'ClassNLLCriterion(nil, false)', {3, 4}, torch.LongTensor{1, 4, 2}, 'sizeAverage weights total')
loss('SpatialClassNLLCriterion', 'SpatialClassNLLCriterion()', {2, 3, 1, 2}, torch.LongTensor{{{1, 2}}, {{3, 1}}},
   'sizeAverage weights total')
loss('MultiLabelMarginCriterion', 'MultiLabelMarginCriterion()', {4}, torch.LongTensor{3, 1, 0, 0}, 'buffer sizeAverage')
loss('MultiMarginCriterion', 'MultiMarginCriterion(2, torch.Tensor{1, 2, 3, 4}, 0.4)', {3, 4}, torch.LongTensor{1, 4, 2},
   'sizeAverage p weights margin')

describe('the losses of THNN', function()
   for _, case in ipairs(losses) do
      local name, new, sizes, target, words = unpack(case)
      it(('are those of nn.%s'):format(new), function()
         torch.manualSeed(4)
         local c = assert(loadstring('local torch = require "torch" return require "nn".' .. new))()
         local x, y, gx = check.tensor(sizes, 0.1, 0.9), torch.Tensor(), torch.Tensor()
         local known = {total = torch.zeros(1), buffer = torch.Tensor()}
         local function tail() return arguments(words, c, known) end
         local want = c:forward(x, target)
         x.THNN[name .. '_updateOutput'](x:cdata(), target:cdata(), y:cdata(), tail())
         x.THNN[name .. '_updateGradInput'](x:cdata(), target:cdata(), gx:cdata(), tail())
         met[name .. '_updateOutput'], met[name .. '_updateGradInput'] = true, true
         assert.equal(want, y[1])
         near(gx, c:backward(x, target), 0)
      end)
   end
   it('are those of nn.L1Cost()', function()
      local x, y, gx = check.tensor{3, 4}, torch.Tensor(), torch.Tensor()
      x.THNN.L1Cost_updateOutput(x:cdata(), y:cdata())
      x.THNN.L1Cost_updateGradInput(x:cdata(), nil, gx:cdata())
      met.L1Cost_updateOutput, met.L1Cost_updateGradInput = true, true
      assert.equal(nn.L1Cost():forward(x), y[1])
      near(gx, x:clone():sign(), 0)
   end)
end)

describe('modules of other packages', function()
   it('work in place', function()
      for _, name in ipairs{'LeakyReLU', 'Threshold'} do
         local x, y, gx = torch.Tensor{-1, 2}, torch.Tensor(), torch.Tensor()
         local a, b = name == 'LeakyReLU' and 0.1 or 0, name == 'Threshold' and 0 or true
         local rest = name == 'Threshold' and {a, b, true} or {a, true}
         x.THNN[name .. '_updateOutput'](x:cdata(), y:cdata(), unpack(rest))
         assert.same({name == 'LeakyReLU' and -0.1 or 0, 2}, x:totable())
         assert.equal(x:storage(), y:storage())
         local g = torch.Tensor{3, 5}
         x.THNN[name .. '_updateGradInput'](x:cdata(), g:cdata(), gx:cdata(), unpack(rest))
         near(gx, torch.Tensor{name == 'LeakyReLU' and 0.3 or 0, 5}, 1e-15)
         assert.equal(g:storage(), gx:storage())
      end
   end)
   it('keep the places of a pooling in tensors of any type, and put values back there', function()
      local x, y, found = torch.range(1, 16):view(1, 4, 4), torch.Tensor(), torch.Tensor()
      x.THNN.SpatialMaxPooling_updateOutput(x:cdata(), y:cdata(), found:cdata(), 2, 2, 2, 2, 0, 0, false)
      assert.same({{{6, 8}, {14, 16}}}, y:totable())
      local gx, g, up, back = torch.Tensor(), torch.ones(1, 2, 2), torch.Tensor(), torch.Tensor()
      x.THNN.SpatialMaxPooling_updateGradInput(x:cdata(), g:cdata(), gx:cdata(), found:cdata(), 2, 2, 2, 2, 0, 0, false)
      assert.equal(4, gx:sum())
      x.THNN.SpatialMaxUnpooling_updateOutput(y:cdata(), up:cdata(), found:cdata(), 4, 4)
      met.SpatialMaxUnpooling_updateOutput, met.SpatialMaxUnpooling_updateGradInput = true, true
      near(up, torch.cmul(x, gx), 0)
      x.THNN.SpatialMaxUnpooling_updateGradInput(y:cdata(), up:cdata(), back:cdata(), found:cdata(), 4, 4)
      near(back, y, 0)
   end)
   it('put values back into volumes', function()
      local x, y, found, up, back = torch.range(1, 64):view(1, 4, 4, 4), torch.Tensor(), torch.LongTensor(), torch.Tensor(), torch.Tensor()
      x.THNN.VolumetricMaxPooling_updateOutput(x:cdata(), y:cdata(), found:cdata(), 2, 2, 2, 2, 2, 2, 0, 0, 0, false)
      x.THNN.VolumetricMaxUnpooling_updateOutput(y:cdata(), up:cdata(), found:cdata(), 4, 4, 4, 2, 2, 2, 0, 0, 0)
      x.THNN.VolumetricMaxUnpooling_updateGradInput(y:cdata(), up:cdata(), back:cdata(), found:cdata(), 4, 4, 4, 2, 2, 2, 0, 0, 0)
      met.VolumetricMaxUnpooling_updateOutput, met.VolumetricMaxUnpooling_updateGradInput = true, true
      assert.same({1, 4, 4, 4}, up:size():totable())
      assert.equal(y:sum(), up:sum())
      near(back, y, 0)
   end)
   it('learn rows of a table', function()
      local m, input, g = nn.LookupTable(5, 3, 4, 1), torch.LongTensor{2, 4, 2}, torch.ones(3, 3)
      local own = torch.zeros(5, 3)
      g.THNN.LookupTable_accGradParameters(input:cdata(), g:cdata(), own:cdata(), nil, nil, nil, false, 4, 0.5)
      m:zeroGradParameters()
      m:accGradParameters(input, g, 0.5)
      near(own, m.gradWeight, 0)
      assert.equal(3, own:sum())
      local w = torch.ones(5, 3)
      w.THNN.LookupTable_renorm(input:cdata(), w:cdata(), 1, 2)
      near(w:norm(2, 2):view(-1), torch.Tensor{3 ^ 0.5, 1, 3 ^ 0.5, 1, 3 ^ 0.5}, 1e-6)
      met.LookupTable_accGradParameters, met.LookupTable_renorm = true, true
   end)
   it('are separate classes, with right gradients, copies and files', function()
      local package = {}
      local Conv, Module = torch.class('thnn_spec.Convolution', 'nn.Module', package)
      function Conv:__init(from, to, k)
         Module.__init(self)
         self.from, self.to, self.k = from, to, k
         self.weight, self.gradWeight = torch.rand(to, from * k * k), torch.zeros(to, from * k * k)
         self.bias, self.gradBias = torch.rand(to), torch.zeros(to)
         self.finput, self.fgradInput = self.weight.new(), self.weight.new()
      end
      function Conv:updateOutput(input)
         input.THNN.SpatialConvolutionMM_updateOutput(input:cdata(), self.output:cdata(), self.weight:cdata(),
            THNN.optionalTensor(self.bias), self.finput:cdata(), self.fgradInput:cdata(), self.k, self.k, 1, 1, 0, 0)
         return self.output
      end
      function Conv:updateGradInput(input, gradOutput)
         input.THNN.SpatialConvolutionMM_updateGradInput(input:cdata(), gradOutput:cdata(), self.gradInput:cdata(),
            self.weight:cdata(), self.finput:cdata(), self.fgradInput:cdata(), self.k, self.k, 1, 1, 0, 0)
         return self.gradInput
      end
      function Conv:accGradParameters(input, gradOutput, scale)
         input.THNN.SpatialConvolutionMM_accGradParameters(input:cdata(), gradOutput:cdata(), self.gradWeight:cdata(),
            THNN.optionalTensor(self.gradBias), self.finput:cdata(), self.fgradInput:cdata(), self.k, self.k, 1, 1, 0, 0,
            scale or 1)
      end
      local m, x = package.Convolution(2, 3, 2), check.tensor{2, 2, 4, 5}
      local byInput, byParameters = check.module(m, x, {strided = true})
      assert.is_true(byInput < 1e-6 and byParameters < 1e-6)
      near(m:clone():forward(x), m:forward(x), 0)
      near(m:clone():float():forward(x:float()):double(), m:forward(x), 1e-5)
   end)
   it('get an error that names the function when one argument is wrong, or an answer', function()
      assert.is_true(tried > 10000 and refused > tried / 2)
   end)
   it('call every name that is answered', function()
      local missing = {}
      for _, name in ipairs(THNN.names()) do
         if not met[name] then missing[#missing + 1] = name end
      end
      assert.same({}, missing)
   end)
end)

describe('THNN refuses', function()
   local x, y = torch.ones(2, 3), torch.Tensor()
   local T = x.THNN
   it('names that it has not, and says which it has', function()
      refuses('THNN has no function Tanh_forward; it has Tanh_updateGradInput, Tanh_updateOutput', function() return T.Tanh_forward end)
      refuses('THNN has no function GRUFused_updateOutput here; nn.THNN.names() lists', function() return T.GRUFused_updateOutput end)
      refuses('THNN has no function 3 here', function() return T[3] end)
   end)
   it('arguments that are too few, too many, or of another kind', function()
      refuses('THNN.Tanh_updateOutput: expected 2 arguments, got 1', T.Tanh_updateOutput, x)
      refuses('THNN.Tanh_updateOutput: expected 2 arguments, got 3', T.Tanh_updateOutput, x, y, 3)
      refuses("THNN.Tanh_updateOutput: input must be a tensor's cdata(), got a number (3)", T.Tanh_updateOutput, 3, y)
      refuses("THNN.Tanh_updateOutput: output must be a tensor's cdata(), got nil", T.Tanh_updateOutput, x, nil)
      refuses('THNN.ELU_updateOutput: alpha must be a number, got nil', T.ELU_updateOutput, x, y, nil, false)
      refuses('THNN.VolumetricMaxPooling_updateGradInput: expected 10 or 14 arguments, got 4', T.VolumetricMaxPooling_updateGradInput,
         x, x, y, y)
   end)
   it('choices that our layers do not have', function()
      refuses('THNN.SoftPlus_updateOutput: threshold must be 20, as it is in nn, got 30', T.SoftPlus_updateOutput, x, y, 1, 30)
      refuses('THNN.TemporalRowConvolution_updateOutput: padW must be 0, as it is in nn, got 1', T.TemporalRowConvolution_updateOutput, x, y,
         torch.ones(3, 1, 2), nil, nil, nil, 2, 1, 1, false)
   end)
   it('shapes, types and numbers that make no sense, and writes nothing', function()
      local image = torch.ones(2, 4, 4)
      local function conv(input, output, weight, bias, kW, dW)
         return T.SpatialConvolutionMM_updateOutput(input, output, weight, bias, nil, nil, kW, 2, dW or 1, 1, 0, 0)
      end
      local w, out = torch.ones(3, 8), torch.ones(1):fill(7)
      refuses('THNN.SpatialConvolutionMM_updateOutput: input must be 2 x height x width', conv, x, out, w, nil, 2)
      refuses('THNN.SpatialConvolutionMM_updateOutput: weight must be made of filters of 2x3, got 3x8', conv, image, out, w, nil, 3)
      refuses('THNN.SpatialConvolutionMM_updateOutput: kW must be a whole number of at least 1, got a number (0)', conv, image, out, w,
         nil, 0)
      refuses('THNN.SpatialConvolutionMM_updateOutput: kW must be a whole number of at least 1, got a number (nan)', conv, image, out,
         w, nil, 0 / 0)
      refuses('THNN.SpatialConvolutionMM_updateOutput: weight must be a torch.DoubleTensor as the input is, got', conv, image, out,
         w:float(), nil, 2)
      refuses('THNN.SpatialConvolutionMM_updateOutput: conv2d: bias', conv, image, out, w, torch.ones(5), 2)
      refuses('THNN.Tanh_updateOutput: output must be a torch.DoubleTensor', T.Tanh_updateOutput, x, torch.FloatTensor())
      refuses('THNN.ClassNLLCriterion_updateOutput: ', T.ClassNLLCriterion_updateOutput, x, torch.LongTensor{1, 9}, out, true, nil,
         torch.zeros(1), -100)
      assert.same({7}, out:totable())
   end)
end)
