-- nn/init.lua - the package nn: modules, containers and criterions.
require 'torch'

local nn = rawget(_G, 'nn') or {}
_G.nn = nn                             -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.nn = nn                 -- for the files below

require 'torch.tensor'.base.nn = nn

nn.utils = require 'nn.utils'

for _, name in ipairs{
   'Module', 'container.Container', 'container.Sequential', 'container.Concat',
   'container.ConcatTable', 'container.ParallelTable', 'container.Parallel', 'container.MapTable',
   'container.Decorator', 'container.GPU', 'container.DepthConcat', 'container.DataParallelTable',
   'container.AbstractParallel', 'container.DataParallel', 'container.ModelParallel', 'container.OneBitDataParallel', 'Identity', 'ZeroGrad', 'GradientReversal',
   'PrintSize', 'activation', 'softmax', 'AddConstant', 'MulConstant', 'Power', 'Sqrt',
   'WhiteNoise', 'RReLU', 'Mul', 'Add', 'CMul', 'Dropout', 'spatial_dropout', 'PReLU',
   'GatedLinearUnit', 'Normalize', 'Linear', 'LookupTable', 'BatchNormalization',
   'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialDilatedConvolution', 'SpatialMaxPooling',
   'SpatialDilatedMaxPooling', 'SpatialAveragePooling', 'View', 'Reshape', 'Narrow', 'Select',
   'Squeeze', 'Unsqueeze', 'Transpose', 'Replicate', 'Padding', 'Contiguous', 'Sum', 'Max',
   'CAddTable', 'CSubTable', 'CMulTable', 'CDivTable', 'CMaxTable', 'CAddTensorTable', 'DotProduct',
   'CosineDistance', 'PairwiseDistance', 'MM', 'MV', 'JoinTable', 'SplitTable', 'SelectTable',
   'NarrowTable', 'FlattenTable', 'ZipTable', 'ZipTableOneToMany', 'Bottle', 'Collapse', 'Convert',
   'Index', 'OneHot', 'PixelShuffle', 'Constant', 'MixtureTable', 'MaskedSelect', 'NaN', 'Profile',
   'DontCast', 'L1Penalty', 'Copy', 'CReLU', 'Maxout', 'LayerNormalization', 'Euclidean',
   'WeightedEuclidean', 'Cosine', 'Bilinear', 'LinearWeightNorm', 'WeightNorm', 'PartialLinear',
   'SparseLinear', 'IndexLinear', 'Kmeans', 'padding', 'upsampling', 'SpatialFullConvolution',
   'SpatialDepthWiseConvolution', 'SpatialConvolutionMap', 'SpatialConvolutionLocal',
   'fractional_pooling', 'TemporalConvolution', 'SpatialConvolutionFFT', 'TemporalMaxPooling', 'TemporalSubSampling',
   'TemporalDynamicKMaxPooling', 'TemporalRowConvolution', 'FeatureLPPooling',
   'VolumetricConvolution', 'VolumetricDilatedConvolution', 'VolumetricFullConvolution',
   'VolumetricMaxPooling', 'VolumetricDilatedMaxPooling', 'VolumetricAveragePooling',
   'SpatialCrossMapLRN', 'SpatialSubtractiveNormalization',
   'SpatialDivisiveNormalization', 'SpatialContrastiveNormalization', 'SpatialSubSampling',
   'SpatialLPPooling', 'SpatialAdaptivePooling', 'unpooling', 'criterion.Criterion',
   'criterion.elementwise', 'criterion.ClassNLLCriterion', 'criterion.CrossEntropyCriterion',
   'criterion.BCECriterion', 'criterion.MultiLabelSoftMarginCriterion',
   'criterion.SpatialClassNLLCriterion', 'criterion.MarginCriterion',
   'criterion.SoftMarginCriterion', 'criterion.HingeEmbeddingCriterion',
   'criterion.L1HingeEmbeddingCriterion', 'criterion.CosineEmbeddingCriterion',
   'criterion.MarginRankingCriterion', 'criterion.MultiMarginCriterion',
   'criterion.MultiLabelMarginCriterion', 'criterion.DistKLDivCriterion', 'criterion.L1Cost',
   'criterion.DistanceRatioCriterion', 'criterion.WeightedMSECriterion',
   'criterion.ClassSimplexCriterion', 'criterion.SpatialAutoCropMSECriterion',
   'criterion.MultiCriterion', 'criterion.ParallelCriterion', 'criterion.ModuleCriterion',
   'criterion.CriterionTable', 'criterion.ModuleFromCriterion', 'criterion.HSM', 'StochasticGradient', 'Jacobian',
   'hessian', 'MultiHeadAttention', 'NestedDropout', 'HalfPrecision',
   'SequenceBatchNormalization', 'LookaheadConvolution', 'WeightedLookupTable', 'LookupTableGPU', 'OneBitQuantization', 'Optim',
   'container.MixedPrecision', 'memory', 'fuse', 'errors', 'arguments', 'thnn_functions', 'test',
} do
   require('nn.' .. name)
end

-- Packages for Torch7 define classes of these names, and some assert that the names are free.
local class = require 'torch.class'
class.reserve({ 'nn.RNN', 'nn.RNNReLU', 'nn.LSTM', 'nn.GRU', 'nn.BRNN', 'nn.BLSTM', 'nn.BGRU' }, 'nn.RNN', 'nn.recurrent')
class.reserve({ 'nn.CTCCriterion' }, 'nn.criterion.CTCCriterion', 'nn.recurrent')

return nn
