-- nn/init.lua - the package nn: modules, containers and criterions.
require 'torch'

local nn = rawget(_G, 'nn') or {}
_G.nn = nn                             -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.nn = nn                 -- for the files below

require 'torch.tensor'.base.nn = nn

nn.utils = require 'nn.utils'

for _, name in ipairs{
   'Module', 'container.Container', 'container.Sequential', 'container.Concat', 'container.ConcatTable',
   'container.ParallelTable', 'container.Parallel', 'container.MapTable', 'container.Decorator', 'parallel.GPU',
   'container.DepthConcat', 'parallel.DataParallelTable', 'parallel.AbstractParallel', 'parallel.DataParallel',
   'parallel.ModelParallel', 'parallel.OneBitDataParallel', 'shape.Identity', 'activation.ZeroGrad',
   'activation.GradientReversal', 'shape.PrintSize', 'activation.activation', 'activation.softmax', 'activation.AddConstant',
   'activation.MulConstant', 'activation.Power', 'activation.Sqrt', 'dropout.WhiteNoise', 'activation.RReLU', 'linear.Mul',
   'linear.Add', 'linear.per_element', 'dropout.Dropout', 'dropout.spatial', 'activation.PReLU', 'activation.GatedLinearUnit',
   'normalization.normalize', 'linear.Linear', 'embedding.LookupTable', 'normalization.batch',
   'convolution.SpatialConvolution', 'convolution.SpatialConvolutionMM', 'convolution.SpatialDilatedConvolution',
   'pooling.SpatialMaxPooling', 'pooling.SpatialDilatedMaxPooling', 'pooling.SpatialAveragePooling', 'shape.View',
   'shape.Reshape', 'shape.Narrow', 'shape.Select', 'shape.Squeeze', 'shape.Unsqueeze', 'shape.Transpose', 'shape.Replicate',
   'shape.Padding', 'shape.Contiguous', 'shape.sum', 'shape.max', 'table.CAddTable', 'table.CSubTable', 'table.CMulTable',
   'table.CDivTable', 'table.extremes', 'table.CAddTensorTable', 'distance.DotProduct', 'distance.CosineDistance',
   'distance.PairwiseDistance', 'table.MM', 'table.MV', 'table.JoinTable', 'table.SplitTable', 'table.SelectTable',
   'table.NarrowTable', 'table.FlattenTable', 'table.ZipTable', 'table.ZipTableOneToMany', 'container.Bottle',
   'shape.Collapse', 'shape.Convert', 'table.Index', 'embedding.OneHot', 'shape.PixelShuffle', 'shape.Constant',
   'table.MixtureTable', 'table.MaskedSelect', 'container.NaN', 'container.Profile', 'container.DontCast',
   'activation.L1Penalty', 'shape.Copy', 'activation.CReLU', 'activation.Maxout', 'normalization.LayerNormalization',
   'distance.Euclidean', 'distance.WeightedEuclidean', 'distance.Cosine', 'linear.Bilinear', 'linear.LinearWeightNorm',
   'normalization.WeightNorm', 'linear.PartialLinear', 'linear.SparseLinear', 'linear.IndexLinear', 'distance.Kmeans',
   'convolution.padding', 'pooling.upsampling', 'convolution.SpatialFullConvolution',
   'convolution.SpatialDepthWiseConvolution', 'convolution.map', 'convolution.SpatialConvolutionLocal', 'pooling.fractional',
   'convolution.temporal', 'convolution.fft', 'pooling.TemporalMaxPooling', 'pooling.TemporalSubSampling', 'pooling.k_max',
   'convolution.TemporalRowConvolution', 'pooling.FeatureLPPooling', 'convolution.VolumetricConvolution',
   'convolution.VolumetricDilatedConvolution', 'convolution.VolumetricFullConvolution', 'pooling.VolumetricMaxPooling',
   'pooling.VolumetricDilatedMaxPooling', 'pooling.VolumetricAveragePooling', 'normalization.SpatialCrossMapLRN',
   'normalization.SpatialSubtractiveNormalization', 'normalization.SpatialDivisiveNormalization',
   'normalization.SpatialContrastiveNormalization', 'pooling.SpatialSubSampling', 'pooling.SpatialLPPooling',
   'pooling.adaptive', 'pooling.unpooling', 'criterion.Criterion', 'criterion.elementwise', 'criterion.ClassNLLCriterion',
   'criterion.CrossEntropyCriterion', 'criterion.BCECriterion', 'criterion.MultiLabelSoftMarginCriterion',
   'criterion.SpatialClassNLLCriterion', 'criterion.MarginCriterion', 'criterion.SoftMarginCriterion',
   'criterion.HingeEmbeddingCriterion', 'criterion.L1HingeEmbeddingCriterion', 'criterion.CosineEmbeddingCriterion',
   'criterion.MarginRankingCriterion', 'criterion.MultiMarginCriterion', 'criterion.MultiLabelMarginCriterion',
   'criterion.DistKLDivCriterion', 'criterion.L1Cost', 'criterion.DistanceRatioCriterion', 'criterion.WeightedMSECriterion',
   'criterion.ClassSimplexCriterion', 'criterion.SpatialAutoCropMSECriterion', 'criterion.MultiCriterion',
   'criterion.ParallelCriterion', 'criterion.ModuleCriterion', 'criterion.CriterionTable', 'criterion.ModuleFromCriterion',
   'criterion.HSM', 'support.StochasticGradient', 'support.jacobian', 'support.hessian', 'attention.MultiHeadAttention',
   'dropout.NestedDropout', 'activation.HalfPrecision', 'normalization.SequenceBatchNormalization',
   'convolution.LookaheadConvolution', 'embedding.WeightedLookupTable', 'embedding.LookupTableGPU',
   'parallel.OneBitQuantization', 'support.Optim', 'container.MixedPrecision', 'support.memory', 'support.fuse',
   'support.errors', 'support.arguments', 'support.thnn_functions', 'support.test',
} do
   require('nn.' .. name)
end

-- Packages for Torch7 define classes of these names, and some assert that the names are free.
local class = require 'torch.class'
class.reserve({ 'nn.RNN', 'nn.RNNReLU', 'nn.LSTM', 'nn.GRU', 'nn.BRNN', 'nn.BLSTM', 'nn.BGRU' }, 'nn.recurrent.layers', 'nn.recurrent')
class.reserve({ 'nn.CTCCriterion' }, 'nn.recurrent.CTCCriterion', 'nn.recurrent')

return nn
