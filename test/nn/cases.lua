-- test/nn/cases.lua - an input or more for every module of nn; read by modules_spec.lua.
local torch = require 'torch'

return function(module, long)
   -- bases and containers
   module 'nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))' {{3}, {5, 3}}
   module 'nn.Module()' {{3}, no = {gradient = true, strided = true}}
   module 'nn.Container()' {{3}, no = {gradient = true, strided = true}}
   module 'nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Tanh())' {{4, 3}}
   module 'nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Identity())' {{3}, {4, 3}}
   module 'nn.ParallelTable():add(nn.Linear(3, 2)):add(nn.Tanh())' {{{3}, {2}}, {{4, 3}, {4, 2}}}
   module 'nn.Parallel(1, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4))' {{2, 3}}
   module 'nn.MapTable(nn.Linear(3, 2), false)' {{{3}, {3}}}
   module 'nn.MapTable(nn.Tanh())' {{{3}, {2, 3}}}
   module 'nn.Decorator(nn.Linear(3, 2))' {{3}, {4, 3}}
   -- activations
   for _, new in ipairs{'Abs()', 'Exp()', 'GELU()', 'ClippedReLU(0.4)', 'Square()', 'Sigmoid()', 'Tanh()', 'TanhShrink()', 'LogSigmoid()', 'SoftSign()',
      'SoftPlus(2)', 'ELU(0.5)', 'LeakyReLU(0.1)', 'ReLU()', 'RReLU(0.1, 0.4)', 'HardTanh(-0.5, 0.6)', 'Clamp(-0.4, 0.3)',
      'HardShrink(0.3)', 'SoftShrink(0.3)', 'Threshold(0.2, 0.1)', 'Identity()', 'AddConstant(2)', 'MulConstant(-3)',
      'Contiguous()', 'PReLU()', 'Mul()', 'Dropout(0.3)', 'Dropout(0.3, true)', 'WhiteNoise(0.5, 0.2)', 'NestedDropout(0.3)',
      'L2Normalize()'} do
      module('nn.' .. new) {{7}, {3, 5}}
   end
   module 'nn.ReLU6()' {{7}, {3, 5}, lo = -3, hi = 9}
   module 'nn.Log()' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.Sqrt()' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.Power(2.5)' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.ZeroGrad()' {{7}, no = {gradient = true}}
   module 'nn.HalfPrecision()' {{7}, {3, 5}, no = {gradient = true}}
   module 'nn.GradientReversal()' {{7}, no = {gradient = true}}
   module 'nn.PReLU(3)' {{3, 2, 2}, {4, 3}, {2, 3, 2, 2}}
   module 'nn.GatedLinearUnit()' {{6}, {3, 6}}
   module 'nn.SpatialDropout(0.4)' {{6, 2, 2}, {2, 6, 2, 2}}
   module 'nn.VolumetricDropout(0.4)' {{6, 2, 2, 2}}
   for _, new in ipairs{'SoftMax()', 'LogSoftMax()', 'SoftMin()'} do
      module('nn.' .. new) {{5}, {3, 4}, {3, 2, 2}, {2, 3, 2, 2}}
   end
   module 'nn.SpatialSoftMax()' {{3, 2, 2}, {2, 3, 2, 2}}
   module 'nn.SpatialLogSoftMax()' {{3, 2, 2}, {2, 3, 2, 2}}
   module 'nn.Normalize(2)' {{5}, {3, 4}}
   module 'nn.Normalize(3)' {{3, 4}}
   -- with parameters
   module 'nn.Linear(3, 2)' {{3}, {4, 3}, {1, 3}}
   module 'nn.Linear(3, 2, false)' {{3}, {4, 3}}
   module 'nn.Add(3)' {{3}, {4, 3}}
   module 'nn.Add(3, true)' {{4, 3}}
   module 'nn.CMul(3)' {{3}, {4, 3}}
   module 'nn.CMul(1, 3, 1, 1)' {{2, 3, 2, 2}}
   module 'nn.CAdd(3)' {{3}, {4, 3}}
   module 'nn.CAdd(1, 3, 1, 1)' {{2, 3, 2, 2}}
   module 'nn.LookupTable(5, 3)' {long(2, 5, 2), no = {strided = true}}
   module [[nn.Sequential():add(nn.ConcatTable():add(nn.Constant(torch.Tensor{{2}, {5}, {2}})):add(nn.Identity()))
      :add(nn.JoinTable(2)):add(nn.WeightedLookupTable(5, 3))]] {{3, 1}, name = 'WeightedLookupTable'}
   module 'nn.BatchNormalization(3)' {{5, 3}, tol = 1e-5}
   module 'nn.BatchNormalization(3, 1e-3, 0.2, false)' {{5, 3}, tol = 1e-5}
   module 'nn.SpatialBatchNormalization(2)' {{3, 2, 2, 2}, tol = 1e-5}
   module 'nn.VolumetricBatchNormalization(2)' {{2, 2, 2, 2, 2}, tol = 1e-5}
   -- sequences
   local function with(sizes, ...)
      local numbers = { ... }
      return function() return { require 'test.gradcheck'.tensor(sizes), torch.LongTensor(numbers) } end
   end
   for _, new in ipairs{'RNN(3, 4)', 'RNNReLU(3, 4)', 'LSTM(3, 4)', 'GRU(3, 4)', 'BRNN(3, 2)', 'BLSTM(3, 2)', 'BGRU(3, 2)',
      'LSTM(3, 17, 2)', 'BLSTM(3, 2, 2, false, 0.3)', 'GRU(3, 4, 2, false, 0.4)', 'BGRU(3, 4, 2)'} do
      module('nn.' .. new) {{4, 3}, {4, 2, 3}, {1, 1, 3}, with({4, 2, 3}, 2, 4), with({7, 3}, 3, 2, 2)}
   end
   module 'nn.LSTM(3, 4, 2, true)' {{4, 2, 3}, with({2, 4, 3}, 3, 1)}
   module 'nn.BGRU(3, 4, 2, true)' {{4, 2, 3}, with({2, 4, 3}, 3, 1)}
   local function padded(sizes, ...)                  -- the last of each row of keys is padding
      local all = { ... }
      return function()
         local mask, input = torch.ByteTensor(torch.LongStorage(sizes)):zero(), {}
         mask:select(2, sizes[2]):fill(1)
         for i = 1, #all do input[i] = require 'test.gradcheck'.tensor(all[i]) end
         input[#all + 1] = mask
         return input
      end
   end
   module 'nn.MultiHeadAttention(4, 2)' {{5, 4}, {2, 3, 4}, {1, 1, 4}, {{2, 3, 4}, {2, 5, 4}}, {{2, 4}, {3, 4}},
      {{2, 3, 4}, {2, 5, 4}, {2, 5, 4}}, with({2, 3, 4}, 3, 1), with({2, 3, 4}, 0, 2), padded({2, 5}, {2, 3, 4}, {2, 5, 4}),
      padded({1, 5}, {3, 4}, {5, 4}, {5, 4})}
   module 'nn.MultiHeadAttention(6, 3, 0.3, true)' {{4, 6}, {2, 3, 6}, {{2, 2, 6}, {2, 4, 6}}, with({2, 4, 6}, 4, 2)}
   module 'nn.MultiHeadAttention(3, 1, 0, true, false)' {{4, 3}, {2, 3, 3}}
   module 'nn.SequenceBatchNormalization(3)' {{5, 3}, {4, 2, 3}, tol = 1e-5}
   module 'nn.SequenceBatchNormalization(3, 1e-3, 0.2, false)' {{4, 2, 3}, tol = 1e-5}
   module 'nn.LookaheadConvolution(3, 2)' {{5, 3}, {2, 5, 3}, {1, 3}}
   module 'nn.LookaheadConvolution(3, 0, true)' {{3, 5}, {2, 3, 5}}
   -- images
   module 'nn.SpatialConvolution(2, 3, 3, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialConvolution(2, 3, 3, 3, 2, 2, 1, 1):noBias()' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialConvolutionMM(2, 3, 3, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialDilatedConvolution(2, 2, 2, 2, 1, 1, 1, 1, 2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialMaxPooling(2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialMaxPooling(3, 2, 2, 1, 1, 1):ceil()' {{2, 2, 4, 5}}
   module 'nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2)' {{2, 4, 5}}
   module 'nn.SpatialAveragePooling(2, 2, 2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1):ceil():setCountExcludePad()' {{2, 2, 4, 5}}
   -- shapes
   module 'nn.View(2, 6)' {{3, 4}, {5, 3, 4}}
   module 'nn.View(-1):setNumInputDims(2)' {{5, 3, 4}}
   module 'nn.Reshape(2, 6)' {{3, 4}, {5, 3, 4}}
   module 'nn.Narrow(1, 2, 2)' {{4, 3}}
   module 'nn.Select(2, -1)' {{4, 3}, {2, 3, 2}}
   module 'nn.Squeeze()' {{1, 3, 1, 2}}
   module 'nn.Squeeze(1, 2)' {{3, 1, 2}}
   module 'nn.Unsqueeze(2)' {{3, 2}}
   module 'nn.Transpose({1, 2}, {2, 3})' {{2, 3, 4}}
   module 'nn.Replicate(3, 2)' {{2, 4}}
   module 'nn.Padding(1, 2, 1, 0.5)' {{3}, {2, 3}}
   for _, new in ipairs{'Sum', 'Mean', 'Max', 'Min'} do
      module('nn.' .. new .. '(1)') {{5}, {4, 3}}
      module('nn.' .. new .. '(1, 1)') {{4, 3}}
   end
   -- tables
   for _, new in ipairs{'CAddTable', 'CMulTable', 'CMaxTable', 'CMinTable'} do
      module('nn.' .. new .. '()') {{{4}, {4}, {4}}, {{2, 3}, {2, 3}}}
   end
   module 'nn.CSubTable()' {{{4}, {4}}}
   module 'nn.CDivTable()' {{{4}, {4}}, lo = 0.5, hi = 2}
   module 'nn.CAddTensorTable()' {{{3}, {{3}, {3}}}}
   for _, new in ipairs{'DotProduct', 'CosineDistance'} do
      module('nn.' .. new .. '()') {{{4}, {4}}, {{3, 4}, {3, 4}}}
   end
   module 'nn.PairwiseDistance(2)' {{{4}, {4}}, {{3, 4}, {3, 4}}, tol = 1e-5}
   module 'nn.MM()' {{{3, 4}, {4, 2}}, {{2, 3, 4}, {2, 4, 2}}}
   module 'nn.MM(true, true)' {{{4, 3}, {2, 4}}, {{2, 4, 3}, {2, 2, 4}}}
   module 'nn.MV()' {{{3, 4}, {4}}, {{2, 3, 4}, {2, 4}}}
   module 'nn.MV(true)' {{{4, 3}, {4}}}
   module 'nn.JoinTable(1)' {{{2, 3}, {4, 3}}}
   module 'nn.JoinTable(1, 1)' {{{2, 3}, {2, 1}}}
   module 'nn.SplitTable(2)' {{3, 2}}
   module 'nn.SelectTable(2)' {{{2}, {3}}}
   module 'nn.NarrowTable(2, 2)' {{{2}, {3}, {4}}}
   module 'nn.FlattenTable()' {{{2}, {{3}, {{1}}}}}
   module 'nn.ZipTable()' {{{{2}, {3}}, {{2}, {4}}}}
   module 'nn.ZipTableOneToMany()' {{{3}, {{2}, {4}}}}
   -- criterions as modules
   module 'nn.CriterionTable(nn.MSECriterion())' {{{4}, {4}}, no = {gradient = true}}
   module 'nn.ModuleFromCriterion(nn.MSECriterion())' {{{4}, {4}}, no = {gradient = true}}
   -- more on images
   module 'nn.SpatialFullConvolution(2, 3, 3, 2, 2, 2, 1, 1, 1, 1)' {{2, 3, 3}, {2, 2, 3, 3}}
   module 'nn.SpatialFullConvolution(2, 3, 3, 2):noBias()' {{2, 3, 3}}
   module 'nn.SpatialDepthWiseConvolution(2, 3, 2, 2)' {{2, 3, 3}, {2, 2, 3, 3}}
   module 'nn.SpatialConvolutionMap(nn.tables.random(3, 4, 2), 2, 2)' {{3, 4, 4}, {2, 3, 4, 4}}
   module 'nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 2, 2, 2, 2)' {{2, 3, 2}}
   module 'nn.SpatialConvolutionLocal(2, 3, 5, 4, 3, 2, 1, 1, 1, 1)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialSubSampling(2, 3, 2, 1, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialLPPooling(2, 2, 2, 2)' {{2, 4, 4}, {2, 2, 4, 4}, tol = 1e-5}
   module 'nn.SpatialAdaptiveMaxPooling(3, 2)' {{2, 5, 7}, {2, 2, 5, 7}}
   module 'nn.SpatialAdaptiveAveragePooling(3, 2)' {{2, 5, 7}, {2, 2, 5, 7}}
   module 'nn.SpatialFractionalMaxPooling(2, 2, 3, 4)' {{2, 7, 8}, {2, 2, 7, 8}}
   module 'nn.SpatialFractionalMaxPooling(2, 2, 0.5, 0.5):fixPoolingRegions()' {{2, 7, 8}}
   module '(function() local p = nn.SpatialMaxPooling(2, 2) return nn.Sequential():add(p):add(nn.SpatialMaxUnpooling(p)) end)()'
      {{2, 4, 6}, {2, 2, 4, 4}, name = 'SpatialMaxUnpooling'}
   module 'nn.SpatialCrossMapLRN(3, 0.5)' {{4, 2, 3}, {2, 5, 2, 3}}
   module 'nn.SpatialSubtractiveNormalization(2, torch.ones(3))' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialDivisiveNormalization(2, torch.Tensor{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}})' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialContrastiveNormalization(1, torch.ones(3, 3))' {{1, 5, 5}, {2, 1, 5, 5}}
   module 'nn.SpatialUpSamplingNearest(2)' {{2, 2, 3}, {2, 2, 2, 3}}
   module 'nn.SpatialUpSamplingBilinear({oheight = 5, owidth = 7})' {{1, 3, 4}, {2, 1, 3, 4}}
   module "nn.UpSampling(2, 'linear')" {{1, 2, 2, 2}, {1, 1, 2, 2, 3}}
   module 'nn.UpSampling(3)' {{1, 1, 2, 2}}
   module 'nn.SpatialZeroPadding(-1, 1, 0, 2)' {{2, 3, 4}, {2, 2, 3, 4}}
   module 'nn.SpatialReflectionPadding(1, 2, 1, 1)' {{2, 3, 4}, {2, 2, 3, 4}}
   module 'nn.SpatialReplicationPadding(1, 2, 1, 1)' {{2, 3, 4}, {2, 2, 3, 4}}
   module 'nn.VolumetricReplicationPadding(1, 2, 1, 1, 0, 1)' {{1, 2, 2, 3}, {2, 1, 2, 2, 3}}
   module 'nn.PixelShuffle(2)' {{4, 2, 3}, {2, 8, 2, 2}}
   module 'nn.FeatureLPPooling(2, 1, 2, true)' {{2, 4, 3}, tol = 1e-5}
   module 'nn.FeatureLPPooling(3, 2, 3, false)' {{7}, tol = 1e-5}
   -- sequences and volumes
   module 'nn.TemporalConvolution(3, 2, 2)' {{5, 3}, {2, 5, 3}}
   module 'nn.TemporalConvolution(3, 4, 3, 2)' {{7, 3}}
   module 'nn.TemporalConvolutionFB(3, 4, 3, 2)' {{7, 3}, {2, 7, 3}}
   module 'nn.TemporalKMaxPooling(2, 0.5)' {{7, 2}, {2, 7, 2}}
   module 'nn.TemporalKMaxPooling(3)' {{7, 2}}
   module 'nn.TemporalMaxPooling(3, 2)' {{7, 2}, {2, 7, 2}}
   module 'nn.TemporalSubSampling(2, 3, 2)' {{7, 2}, {2, 7, 2}}
   module 'nn.TemporalDynamicKMaxPooling(2, 0.5)' {{7, 2}, {2, 7, 2}}
   module 'nn.TemporalRowConvolution(3, 2)' {{5, 3}, {2, 5, 3}}
   module 'nn.TemporalRowConvolution(3, 2, 1, true):noBias()' {{3, 5}, {2, 3, 5}}
   module 'nn.VolumetricConvolution(2, 2, 2, 3, 2, 1, 2, 1, 1, 1, 0)' {{2, 3, 3, 4}, {2, 2, 3, 3, 4}}
   module 'nn.VolumetricDilatedConvolution(1, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2)' {{1, 3, 3, 4}, {2, 1, 3, 3, 4}}
   module 'nn.VolumetricFullConvolution(1, 2, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1)' {{1, 2, 2, 2}, {2, 1, 2, 2, 2}}
   module 'nn.VolumetricMaxPooling(2, 2, 2, 2, 1, 2, 1, 1, 1):ceil()' {{1, 3, 4, 4}, {2, 1, 3, 4, 4}}
   module 'nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 2)' {{1, 3, 3, 4}}
   module 'nn.VolumetricAveragePooling(2, 2, 2, 1, 1, 2)' {{1, 4, 4, 4}, {2, 1, 4, 4, 4}}
   module 'nn.VolumetricFractionalMaxPooling(2, 2, 2, 2, 3, 2)' {{1, 5, 6, 5}}
   module [[(function()
      local p = nn.VolumetricMaxPooling(2, 2, 2)
      return nn.Sequential():add(p):add(nn.VolumetricMaxUnpooling(p))
   end)()]] {{1, 4, 4, 4}, name = 'VolumetricMaxUnpooling'}
   -- more of everything
   module 'nn.DepthConcat(1):add(nn.SpatialConvolution(2, 1, 1, 1)):add(nn.SpatialConvolution(2, 2, 3, 3))' {{2, 5, 5}}
   module 'nn.NaN(nn.Linear(3, 2))' {{3}, {4, 3}}
   module 'nn.Profile(nn.Linear(3, 2))' {{4, 3}, no = {file = true}}
   module 'nn.DontCast(nn.Linear(3, 2), true)' {{4, 3}}
   module 'nn.L1Penalty(0.25)' {{7}, no = {gradient = true}}
   module "nn.Copy('torch.DoubleTensor', 'torch.DoubleTensor', true)" {{7}}
   module 'nn.CReLU(3)' {{2, 3, 4}, {2, 2, 3, 4}}
   module 'nn.Maxout(4, 3, 2)' {{4}, {3, 4}}
   module 'nn.LayerNormalization(4, 0.5)' {{4}, {3, 4}, {2, 3, 4}, tol = 1e-5}
   module 'nn.LayerNormalization(4, 0, 1e-3, false)' {{4}, {2, 3, 4}, tol = 1e-5}
   module 'nn.WeightNorm(nn.Linear(4, 3))' {{4}, {3, 4}}
   module 'nn.WeightNorm(nn.SpatialConvolution(2, 3, 2, 2), 2)' {{2, 3, 3}}
   module 'nn.LinearWeightNorm(4, 3)' {{4}, {3, 4}}
   module 'nn.Cosine(4, 3)' {{4}, {3, 4}}
   module 'nn.Euclidean(4, 3)' {{4}, {3, 4}, tol = 1e-5}
   module 'nn.WeightedEuclidean(4, 3)' {{4}, {3, 4}, tol = 1e-5}
   module 'nn.Bilinear(3, 4, 2)' {{{5, 3}, {5, 4}}}
   module 'nn.PartialLinear(4, 5)' {{4}, {3, 4}}
   module '(function() local m = nn.PartialLinear(4, 5) m:setPartition(torch.LongTensor{4, 1}) return m end)()'
      {{4}, {3, 4}, name = 'PartialLinear'}
   module 'nn.MixtureTable()' {{{3}, {{4}, {4}, {4}}}, {{2, 3}, {{2, 4}, {2, 4}, {2, 4}}}, {{2, 3}, {2, 3, 4}}}
   module 'nn.MixtureTable(3)' {{{2, 3}, {2, 4, 3}}}
   module 'nn.Bottle(nn.Linear(4, 3))' {{2, 5, 4}, {3, 4}}
   module 'nn.Collapse(2)' {{5, 2, 3}, {2, 3}}
   module "nn.Convert('bchw', 'bhwc')" {{2, 3, 2, 4}}
   module "nn.Convert('bchw', 'bf')" {{2, 3, 2, 2}}
   module 'nn.Constant(torch.Tensor{1, 2, 3}, 1)' {{2}, {4, 2}}
   module 'nn.Index(1)' {{{4, 3}, long(3, 1, 3)}, no = {strided = true}}
   module 'nn.MaskedSelect()' {{{2, 3}, function() return torch.ByteTensor{{1, 0, 1}, {0, 0, 1}} end}, no = {strided = true}}
   module 'nn.OneHot(4)' {long(2, 4, 1), no = {gradient = true, strided = true}}
   module 'nn.Kmeans(3, 2)' {{6, 2}, no = {gradient = true}}
   module 'nn.SparseLinear(6, 3)' {function() return {torch.Tensor{{1, 0.5}, {4, -1.5}}, torch.Tensor{{6, 2}}} end,
      no = {gradient = true, strided = true}}
   module 'nn.IndexLinear(8, 3)' {function()
      return {{torch.LongTensor{1, 4}, torch.LongTensor{8, 2, 3}}, {torch.Tensor{0.5, -1.5}, torch.Tensor{2, 1, -1}}}
   end, no = {gradient = true, strided = true}}
   module "nn.PrintSize('size')" {{3}, no = {gradient = true, strided = true}}
end
