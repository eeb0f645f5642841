-- test/support/nn/cases.lua - an input or more for every module of nn, in the words of drawn.lua; read by the specs of this folder.
local torch = require 'torch'
local drawn = require 'test.support.nn.random_cases'

local cases = {}
local module = drawn.add(cases)

-- Options here: no = a set of laws that do not hold; none = why there is nothing to differentiate; only = 'parameters';
-- gradient = the function (module, input, gradOutput) of the gradInput that the module promises,
-- where it is no derivative;
-- devices = how many CUDA devices it needs when it moves to them.

-- bases and containers
module 'nn.Sequential():add(nn.Linear(I, M)):add(nn.Tanh()):add(nn.Linear(M, O))' {'{I}', '{B, I}'}
module 'nn.Module()' {'{N}', no = {strided = true}, none = 'the base class computes nothing'}
module 'nn.Container()' {'{N}', no = {strided = true}, none = 'the base class computes nothing'}
module 'nn.Concat(2):add(nn.Linear(I, O)):add(nn.Tanh())' {'{B, I}'}
module 'nn.Concat(1):add(nn.Linear(I, O)):add(nn.Tanh())' {'{I}'}
module 'nn.ConcatTable():add(nn.Linear(I, O)):add(nn.Identity())' {'{I}', '{B, I}'}
module 'nn.ParallelTable():add(nn.Linear(I, O)):add(nn.Tanh())' {'{{I}, {N}}', '{{B, I}, {B, N}}'}
module 'nn.Parallel(1, 1):add(nn.Linear(I, O)):add(nn.Linear(I, M))' {'{2, I}'}
module 'nn.Parallel(2, 2):add(nn.Linear(I, O)):add(nn.Linear(I, M))' {'{B, 2, I}'}
module 'nn.MapTable(nn.Linear(I, O), false)' {'{{I}, {I}}', '{{B, I}, {B, I}, {N, I}}'}
module 'nn.MapTable(nn.Tanh())' {'{{N}, {B, I}}'}
module 'nn.Decorator(nn.Linear(I, O))' {'{I}', '{B, I}'}
module 'nn.GPU(nn.Linear(I, O), 2)' {'{I}', '{B, I}', devices = 2}
-- their files hold the module: test/cuda/data_parallel_spec.lua
module 'nn.DataParallelTable(1):add(nn.Linear(I, O), {1, 2})'
   {'{B, I}', no = {file = true}, devices = 2}
module 'nn.DataParallelTable(2):add(nn.Tanh(), {2, 1, 2})'
   {'{B, I}', no = {file = true}, devices = 2}
module 'nn.DataParallel(1):add(nn.Linear(I, O), 1)' {'{B, I}', no = {file = true}}
module 'nn.OneBitDataParallel(1, {min_elements = 99}):add(nn.Linear(I, O), 1)' {'{B, I}', no = {file = true}}
module 'nn.ModelParallel(2):add(nn.Linear(I, O), 1):add(nn.Tanh(), 2)'
   {'{B, I}', no = {file = true}, devices = 2}
module 'nn.AbstractParallel(1)' {'{N}', no = {strided = true}, none = 'the base class computes nothing'}
-- activations
for _, new in ipairs{'Abs()', 'Exp()', 'GELU()', 'ClippedReLU(u)', 'Square()', 'Sigmoid()', 'Tanh()', 'TanhShrink()',
   'LogSigmoid()', 'SoftSign()', 'SoftPlus(2)', 'ELU(u)', 'LeakyReLU(u)', 'ReLU()', 'RReLU(0.1, 0.1 + u)', 'HardTanh(-u, v)', 'Clamp(-u, v)',
   'HardShrink(u)', 'SoftShrink(u)', 'Threshold(u, v)', 'Identity()', 'AddConstant(u)', 'MulConstant(-3 * u)', 'Contiguous()',
   'PReLU()', 'Mul()', 'Dropout(u)', 'Dropout(u, true)', 'WhiteNoise(0.5, 0.2)'} do
   module('nn.' .. new) {'{N + 1}', '{B, N + 1}', '{B, 2, N}'}
end
module 'nn.NestedDropout(u)' {'{N + 1}', '{B, N + 1}'}
module 'nn.L2Normalize()' {'{N}', '{B, N}'}
module 'nn.ReLU6()' {'{N}', '{B, M}', lo = -3, hi = 9}
module 'nn.Log()' {'{N}', '{B, M}', lo = 0.5, hi = 2}
module 'nn.Sqrt()' {'{N}', '{B, M}', lo = 0.5, hi = 2}
module 'nn.Power(2.5)' {'{N}', '{B, M}', lo = 0.5, hi = 2}
module 'nn.ZeroGrad()' {'{N}', '{B, M}', gradient = function(_, x) return x:clone():zero() end}
module 'nn.HalfPrecision()' {'{N}', '{B, M}', gradient = function(_, _, g) return g:half():double() end}
module 'nn.MixedPrecision(nn.Identity())' {'{N}', '{B, M}', gradient = function(_, _, g) return g:half():double() end}
module 'nn.GradientReversal(u)' {'{N}', '{B, M}', gradient = function(m, _, g) return g * -m.lambda end}
module 'nn.PReLU(C)' {'{C, H, W}', '{B, C}', '{B, C, 2, 3}'}
module 'nn.GatedLinearUnit()' {'{2 * N}', '{B, 2 * N}'}
module 'nn.GatedLinearUnit(1)' {'{2 * N}', '{2 * N, M}'}
module 'nn.SpatialDropout(u)' {'{C, N, M}', '{B, C, N, M}'}
module 'nn.VolumetricDropout(u)' {'{C, 2, N, M}', '{B, C, 2, N, M}'}
for _, new in ipairs{'SoftMax()', 'LogSoftMax()', 'SoftMin()'} do
   module('nn.' .. new) {'{N}', '{B, N}', '{C, N, M}', '{B, C, N, M}'}
end
module 'nn.SpatialSoftMax()' {'{C, N, M}', '{B, C, N, M}'}
module 'nn.SpatialLogSoftMax()' {'{C, N, M}', '{B, C, N, M}'}
module 'nn.Normalize(2)' {'{N}', '{B, N}'}
module 'nn.Normalize(3)' {'{N}', '{B, N}'}
module 'nn.Normalize(1)' {'{N}', '{B, N}'}
-- with parameters
module 'nn.Linear(I, O)' {'{I}', '{B, I}', '{1, I}'}
module 'nn.Linear(I, O, false)' {'{I}', '{B, I}'}
module 'nn.Add(N)' {'{N}', '{B, N}'}
module 'nn.Add(N, true)' {'{N}', '{B, N}'}
module 'nn.CMul(N)' {'{N}', '{B, N}'}
module 'nn.CMul(1, C, 1, 1)' {'{B, C, N, M}'}
module 'nn.CAdd(N)' {'{N}', '{B, N}'}
module 'nn.CAdd(1, C, 1, 1)' {'{B, C, N, M}'}
module 'nn.LookupTable(N, O)' {'classes(N, {S})', 'classes(N, {B, S})', no = {strided = true}}
module 'nn.LookupTableGPU(N, O)' {'classes(N, {S})', 'classes(N, {B, S})', no = {strided = true}}
module 'nn.LookupTableGPU(N, O, true)' {'classes(N, {S})', 'classes(N, {B, S})', no = {strided = true}}
module [[nn.Sequential():add(nn.ConcatTable():add(nn.Constant(classes(N, {S, 1}):double())):add(nn.Identity()))
   :add(nn.JoinTable(2)):add(nn.WeightedLookupTable(N, O))]] {'{S, 1}', name = 'WeightedLookupTable'}
module 'nn.BatchNormalization(C)' {'{B + 2, C}', tol = 1e-5}
module 'nn.BatchNormalization(C, 1e-3, 0.2, false)' {'{B + 2, C}', tol = 1e-5}
module 'nn.BatchNormalization(C):evaluate()' {'{B, C}'}
module 'nn.SpatialBatchNormalization(C)' {'{B, C, 2, N + 1}', tol = 1e-5}
module 'nn.VolumetricBatchNormalization(C)' {'{B, C, 2, 2, N}', tol = 1e-5}
-- sequences
for _, new in ipairs{'RNN(I, O)', 'RNNReLU(I, O)', 'LSTM(I, O)', 'GRU(I, O)', 'BRNN(I, O)', 'BLSTM(I, O)', 'BGRU(I, O)',
   'LSTM(I, 17, 2)', 'BLSTM(I, O, 2, false, 0.3)', 'GRU(I, O, 2, false, 0.4)', 'BGRU(I, O, 2)'} do
   module('nn.' .. new) {'{S, I}', '{S, B, I}', '{1, 1, I}', '{{S, B, I}, L}', '{{total, I}, sizes}'}
end
module 'nn.LSTM(I, O, 2, true)' {'{S, I}', '{B, S, I}', '{{B, S, I}, L}'}
module 'nn.BGRU(I, O, 2, true)' {'{S, I}', '{B, S, I}', '{{B, S, I}, L}'}
module 'nn.MultiHeadAttention(h * e, h)' {'{S, h * e}', '{B, S, h * e}', '{1, 1, h * e}', '{{B, S, h * e}, {B, K, h * e}}',
   '{{S, h * e}, {K, h * e}}', '{{B, S, h * e}, {B, K, h * e}, {B, K, h * e}}', '{{B, S, h * e}, L}', '{{B, S, h * e}, L - 1}',
   '{{B, S, h * e}, {B, K, h * e}, padding(B, K)}', '{{S, h * e}, {K, h * e}, {K, h * e}, padding(1, K)}'}
module 'nn.MultiHeadAttention(h * e, h, 0.3, true)' {'{S, h * e}', '{B, S, h * e}', '{{B, S, h * e}, {B, S + 2, h * e}}',
   '{{B, S, h * e}, L}'}
module 'nn.MultiHeadAttention(e, 1, 0, true, false)' {'{S, e}', '{B, S, e}'}
module 'nn.SequenceBatchNormalization(C)' {'{S + 2, C}', '{S + 2, B, C}', tol = 1e-5}
module 'nn.SequenceBatchNormalization(C, 1e-3, 0.2, false)' {'{S + 2, B, C}', tol = 1e-5}
module 'nn.LookaheadConvolution(C, j)' {'{S, C}', '{B, S, C}', '{1, C}'}
module 'nn.LookaheadConvolution(C, 0, true)' {'{C, S}', '{B, C, S}'}
-- images
local IMAGE = {'{C, H, W}', '{B, C, H, W}'}
local function image(options)
   local case = {unpack(IMAGE)}
   for k, v in pairs(options or {}) do case[k] = v end
   return case
end
module 'nn.SpatialConvolution(C, O, kW, kH)' (image())
module 'nn.SpatialConvolution(C, O, kW, kH, dW, dH, pW, pH)' (image())
module 'nn.SpatialConvolution(C, O, kW, kH, dW, dH, pW, pH):noBias()' (image())
module 'nn.SpatialConvolutionMM(C, O, kW, kH, dW, dH, pW, pH)' (image())
for _, name in ipairs{'FFT', 'CuFFT', 'FBFFT', 'FBFFTGemm', 'FFTTiled', 'FFTTiledSync', 'FFTTiledAsync', 'FFTTiledIterated'} do
   module(('nn.SpatialConvolution%s(C, O, kW, kH, 1, 1, pW, pH)'):format(name)) (image())
end
module 'nn.SpatialConvolutionFFT(C, O, kW, kH, dW, dH, pW, pH):noBias()' (image())
module 'nn.SpatialDilatedConvolution(C, O, kW, kH, dW, dH, pW, pH, aW, aH)' (image())
module 'nn.SpatialMaxPooling(kW, kH)' (image())
module 'nn.SpatialMaxPooling(kW, kH, dW, dH, pW, pH)' (image())
module 'nn.SpatialMaxPooling(kW, kH, dW, dH, pW, pH):ceil()' (image())
module 'nn.SpatialDilatedMaxPooling(kW, kH, dW, dH, pW, pH, aW, aH)' (image())
module 'nn.SpatialAveragePooling(kW, kH, dW, dH)' (image())
module 'nn.SpatialAveragePooling(kW, kH, dW, dH, pW, pH):ceil():setCountExcludePad()' (image())
-- shapes
module 'nn.View(M, N)' {'{N, M}', '{B, N, M}'}
module 'nn.View(-1):setNumInputDims(2)' {'{N, M}', '{B, N, M}'}
module 'nn.Reshape(M, N)' {'{N, M}', '{B, N, M}'}
module 'nn.Reshape(M * N, true)' {'{B, N, M}'}
module 'nn.Narrow(1, i, N)' {'{i + N, M}'}
module 'nn.Narrow(-1, i, N)' {'{i + N}', '{B, i + N}'}
module 'nn.Select(2, -1)' {'{B, N}', '{B, N, M}'}
module 'nn.Select(1, i)' {'{i + B, N}'}
module 'nn.Squeeze()' {'{1, N + 1, 1, M}'}
module 'nn.Squeeze(1, 2)' {'{1, N}', '{B, 1, N}'}
module 'nn.Unsqueeze(2)' {'{B, N}', '{B, N, M}'}
module 'nn.Unsqueeze(1, 1)' {'{N}', '{B, N}'}
module 'nn.Transpose({1, 2}, {2, 3})' {'{B, N, M}'}
module 'nn.Transpose({1, 2}):setNumInputDims(2)' {'{N, M}', '{B, N, M}'}
module 'nn.Replicate(N, 2)' {'{B, M}'}
module 'nn.Replicate(N, 1, 1)' {'{M}', '{B, M}'}
module 'nn.Padding(1, i, 1, 0.5)' {'{N}', '{B, N}'}
module 'nn.Padding(1, -i, 2, 0.5)' {'{N, M}', '{B, N, M}'}
for _, new in ipairs{'Sum', 'Mean', 'Max', 'Min'} do
   module('nn.' .. new .. '(1)') {'{N}', '{B, N}'}
   module('nn.' .. new .. '(1, 1)') {'{N}', '{B, N}'}
end
-- tables
for _, new in ipairs{'CAddTable', 'CMulTable', 'CMaxTable', 'CMinTable'} do
   module('nn.' .. new .. '()') {'{{N}, {N}, {N}}', '{{B, N}, {B, N}}'}
end
module 'nn.CSubTable()' {'{{N}, {N}}', '{{B, N}, {B, N}}'}
module 'nn.CDivTable()' {'{{N}, {N}}', '{{B, N}, {B, N}}', lo = 0.5, hi = 2}
module 'nn.CAddTensorTable()' {'{{N}, {{N}, {N}}}', '{{B, N}, {{B, N}, {B, N}, {B, N}}}'}
for _, new in ipairs{'DotProduct', 'CosineDistance'} do
   module('nn.' .. new .. '()') {'{{N}, {N}}', '{{B, N}, {B, N}}'}
end
module 'nn.PairwiseDistance(2)' {'{unit{N}, {N}}', '{unit{B, N}, {B, N}}', lo = 2, hi = 4, tol = 1e-5}
module 'nn.PairwiseDistance(1)' {'{unit{N}, {N}}', '{unit{B, N}, {B, N}}', lo = 2, hi = 4, tol = 1e-5}
module 'nn.MM()' {'{{N, K}, {K, M}}', '{{B, N, K}, {B, K, M}}'}
module 'nn.MM(true, true)' {'{{K, N}, {M, K}}', '{{B, K, N}, {B, M, K}}'}
module 'nn.MV()' {'{{N, K}, {K}}', '{{B, N, K}, {B, K}}'}
module 'nn.MV(true)' {'{{K, N}, {K}}', '{{B, K, N}, {B, K}}'}
module 'nn.JoinTable(1)' {'{{N, K}, {M, K}}', '{{N}, {M}, {K}}'}
module 'nn.JoinTable(1, 1)' {'{{N}, {M}}', '{{B, N}, {B, M}}'}
module 'nn.SplitTable(2)' {'{B, N}', '{B, N, M}'}
module 'nn.SplitTable(1, 1)' {'{N}', '{B, N}'}
module 'nn.SelectTable(2)' {'{{N}, {M}}'}
module 'nn.NarrowTable(2, 2)' {'{{N}, {M}, {K}}'}
module 'nn.FlattenTable()' {'{{N}, {{M}, {{B, K}}}}'}
module 'nn.ZipTable()' {'{{{N}, {M}}, {{N}, {B, K}}}'}
module 'nn.ZipTableOneToMany()' {'{{N}, {{M}, {B, K}}}'}
-- criterions as modules
module 'nn.CriterionTable(nn.MSECriterion())' {'{{N}, {N}}', '{{B, N}, {B, N}}',
   gradient = function(m, x) return {m.criterion:backward(x[1], x[2])} end}
module 'nn.ModuleFromCriterion(nn.MSECriterion())' {'{{N}, {N}}', '{{B, N}, {B, N}}',
   gradient = function(m, x, g) return {m.criterion:backward(x[1], x[2]) * g[1], x[2]:clone():zero()} end}
-- more on images
module 'nn.SpatialFullConvolution(C, O, kW, kH, dW, dH, pW, pH, jW, jH)' {'{C, K, K}', '{B, C, K, K + 1}'}
module 'nn.SpatialFullConvolution(C, O, kW, kH):noBias()' {'{C, K, N}', '{B, C, K, N}'}
module 'nn.SpatialDepthWiseConvolution(C, F, kW, kH, dW, dH, pW, pH)' {'{C, H, W}', '{B, C, H, W}'}
module 'nn.SpatialConvolutionMap(nn.tables.random(C + 1, O + 2, 2), kW, kH, dW, dH)' {'{C + 1, H, W}', '{B, C + 1, H, W}'}
module 'nn.SpatialFullConvolutionMap(nn.tables.full(C, O), kW, kH, dW, dH)' {'{C, N, K}', '{B, C, N, K}'}
module 'nn.SpatialConvolutionLocal(2, O, W, H, kW, kH, dW, dH, pW, pH)' {'{2, H, W}', '{B, 2, H, W}'}
module 'nn.SpatialSubSampling(C, kW, kH, dW, dH)' (image())
module 'nn.SpatialLPPooling(C, 2, kW, kH, kW, kH)' (image{tol = 1e-5})
module 'nn.SpatialAdaptiveMaxPooling(N, M)' (image())
module 'nn.SpatialAdaptiveAveragePooling(N, M)' (image())
module 'nn.SpatialFractionalMaxPooling(2, 2, i, j)' (image())
module 'nn.SpatialFractionalMaxPooling(2, 2, 0.5, 0.6):fixPoolingRegions()' (image())
module '(function() local p = nn.SpatialMaxPooling(2, 2) return nn.Sequential():add(p):add(nn.SpatialMaxUnpooling(p)) end)()'
   {'{C, 2 * N, 2 * K}', '{B, C, 2 * N, 2 * K}', name = 'SpatialMaxUnpooling'}
module 'nn.SpatialCrossMapLRN(3, u)' {'{C + 1, N, 2}', '{B, C + 1, N, 2}'}
module 'nn.SpatialSubtractiveNormalization(C, torch.ones(3))' (image())
module 'nn.SpatialDivisiveNormalization(C, torch.Tensor{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}})' (image())
module 'nn.SpatialContrastiveNormalization(C, torch.ones(3, 3))' (image())
module 'nn.SpatialUpSamplingNearest(i)' {'{C, K, N}', '{B, C, K, N}'}
module 'nn.SpatialUpSamplingBilinear({oheight = H, owidth = W})' {'{C, K, N + 1}', '{B, C, K, N + 1}'}
module "nn.UpSampling(i + 1, 'linear')" {'{1, 2, 2, K}', '{B, 1, 2, 2, 3}'}
module 'nn.UpSampling(i)' {'{B, C, 2, K}'}
module 'nn.SpatialZeroPadding(-1, i, 0, j)' (image())
module 'nn.SpatialReflectionPadding(i, 2, 1, j)' (image())
module 'nn.SpatialReplicationPadding(i, 2, 1, j)' (image())
module 'nn.VolumetricReplicationPadding(i, 2, 1, j, 0, 1)' {'{C, 2, N, K}', '{B, C, 2, N, 2}'}
module 'nn.PixelShuffle(i)' {'{C * i * i, N, K}', '{B, C * i * i, 2, K}'}
module 'nn.FeatureLPPooling(kW + 1, dW, 2, true)' {'{B, kW + 1 + N}', '{B, kW + 1 + N, K}', tol = 1e-5}
module 'nn.FeatureLPPooling(kW + 1, dW, 3, false)' {'{kW + 1 + N}', '{kW + 1 + N, K}', tol = 1e-5}
-- sequences and volumes
module 'nn.TemporalConvolution(I, O, kT, dT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalConvolutionFFT(I, O, kT, dT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalConvolutionFB(I, O, kT, dT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalKMaxPooling(2, u)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalKMaxPooling(i)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalMaxPooling(kT, dT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalSubSampling(I, kT, dT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalDynamicKMaxPooling(2, u)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalRowConvolution(I, kT)' {'{T, I}', '{B, T, I}'}
module 'nn.TemporalRowConvolution(I, kT, 1, true):noBias()' {'{I, T}', '{B, I, T}'}
local VOLUME = {'{C, T, 5, W}', '{B, C, T, 5, 5}'}
module 'nn.VolumetricConvolution(C, O, kT, kW, kH, dT, dW, dH, pT, pW, pH)' {unpack(VOLUME)}
module 'nn.VolumetricDilatedConvolution(C, O, kT, kW, kH, dT, dW, dH, pT, pW, pH, aT, aW, aH)' {unpack(VOLUME)}
module 'nn.VolumetricFullConvolution(C, O, kT, kW, kH, dT, dW, dH, pT, pW, pH, jT, jW, jH)' {'{C, 2, 3, K}', '{B, C, 2, 2, 2}'}
module 'nn.VolumetricMaxPooling(kT, kW, kH, dT, dW, dH, pT, pW, pH):ceil()' {unpack(VOLUME)}
module 'nn.VolumetricDilatedMaxPooling(kT, kW, kH, dT, dW, dH, pT, pW, pH, aT, aW, aH)' {unpack(VOLUME)}
module 'nn.VolumetricAveragePooling(kT, kW, kH, dT, dW, dH)' {unpack(VOLUME)}
module 'nn.VolumetricFractionalMaxPooling(2, 2, 2, i, j, 2)' {unpack(VOLUME)}
module [[(function()
   local p = nn.VolumetricMaxPooling(2, 2, 2)
   return nn.Sequential():add(p):add(nn.VolumetricMaxUnpooling(p))
end)()]] {'{C, 2 * i, 4, 2 * j}', '{B, C, 2, 4, 2 * j}', name = 'VolumetricMaxUnpooling'}
-- more of everything
module 'nn.DepthConcat(1):add(nn.SpatialConvolution(C, O, 1, 1)):add(nn.SpatialConvolution(C, F, 3, 3))' {'{C, H, W}'}
module 'nn.DepthConcat(2):add(nn.SpatialConvolution(C, O, 1, 1)):add(nn.SpatialConvolution(C, F, 3, 3))' {'{B, C, H, W}'}
module 'nn.NaN(nn.Linear(I, O))' {'{I}', '{B, I}'}
module 'nn.Profile(nn.Linear(I, O), 1e9)' {'{I}', '{B, I}', no = {file = true}}
module 'nn.DontCast(nn.Linear(I, O), true)' {'{I}', '{B, I}'}
module 'nn.L1Penalty(u, yes)' {'{N}', '{B, N}', gradient = function(m, x, g)
   return g + torch.sign(x) * (m.sizeAverage and m.l1weight / x:nElement() or m.l1weight)
end}
module "nn.Copy('torch.DoubleTensor', 'torch.DoubleTensor', true)" {'{N}', '{B, N}'}
module 'nn.CReLU(3)' {'{C, N, K}', '{B, C, N, K}'}
module 'nn.Maxout(I, O, i)' {'{I}', '{B, I}'}
module 'nn.LayerNormalization(F + 2, u)' {'{F + 2}', '{B, F + 2}', '{B, S, F + 2}', tol = 1e-5}
module 'nn.LayerNormalization(F + 2, 0, 1e-3, false)' {'{F + 2}', '{B, S, F + 2}', tol = 1e-5}
module 'nn.WeightNorm(nn.Linear(I, O))' {'{I}', '{B, I}'}
module 'nn.WeightNorm(nn.SpatialConvolution(C, O, kW, kH), 2)' (image())
module 'nn.LinearWeightNorm(I, O)' {'{I}', '{B, I}'}
module 'nn.Cosine(I, O)' {'{I}', '{B, I}', tol = 1e-5}
module 'nn.Euclidean(K, O)' {'{K}', '{B, K}', lo = -9, hi = 9, tol = 1e-5}
module 'nn.WeightedEuclidean(K, O)' {'{K}', '{B, K}', lo = -9, hi = 9, tol = 1e-5}
module 'nn.Bilinear(I, F, O)' {'{{B, I}, {B, F}}'}
module 'nn.Bilinear(I, F, O, false)' {'{{B, I}, {B, F}}'}
module 'nn.PartialLinear(I, O)' {'{I}', '{B, I}'}
module '(function() local m = nn.PartialLinear(I, 5) m:setPartition(torch.LongTensor{4, 1}) return m end)()'
   {'{I}', '{B, I}', name = 'PartialLinear'}
module 'nn.MixtureTable()' {'{{3}, {{N}, {N}, {N}}}', '{{B, 3}, {{B, N}, {B, N}, {B, N}}}', '{{B, K}, {B, K, N}}'}
module 'nn.MixtureTable(3)' {'{{B, K}, {B, N, K}}'}
module 'nn.Bottle(nn.Linear(I, O))' {'{B, S, I}', '{B, I}'}
module 'nn.Collapse(2)' {'{B, N, M}', '{N, M}'}
module "nn.Convert('bchw', 'bhwc')" {'{B, C, N, K}'}
module "nn.Convert('bchw', 'bf')" {'{B, C, N, K}'}
module 'nn.Constant(torch.Tensor{1, 2, 3}, 1)' {'{N}', '{B, N}'}
module 'nn.Index(1)' {'{{N, K}, classes(N, {S})}', '{{N}, classes(N, {S})}', no = {strided = true}}
module 'nn.MaskedSelect()' {'{{2, 3}, torch.ByteTensor{{1, 0, 1}, {0, 0, 1}}}', '{{B, N}, torch.ByteTensor(B, N):fill(1)}',
   no = {strided = true}}
module 'nn.OneHot(N)' {'classes(N, {S})', 'classes(N, {B, S})', no = {strided = true},
   gradient = function(_, x) return torch.zeros(x:size()) end}
module 'nn.Kmeans(2, K)' {'{N + 2, K}', '{K}', gradient = function(_, x) return x:clone():zero() end}
module 'nn.SparseLinear(6, O)' {'{sparse(6, S), sparse(6, K)}', 'sparse(6, S)', no = {strided = true}, only = 'parameters'}
module 'nn.IndexLinear(8, O)' {'{{classes(8, {S}), classes(8, {K})}, {{S}, {K}}}', '{classes(8, {S}), {S}}',
   no = {strided = true}, only = 'parameters'}
module 'nn.IndexLinear(8, O, true)' {'{{classes(8, {S}), classes(8, {K})}, {{S}, {K}}}', '{classes(8, {S}), {S}}',
   no = {strided = true}}
module "nn.PrintSize('size')" {'{N}', '{B, N}', no = {strided = true}}

return cases
