-- nn/init.lua - the package nn: modules, containers and criterions.
require 'torch'

local nn = rawget(_G, 'nn') or {}
_G.nn = nn                             -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.nn = nn                 -- for the files below

nn.utils = require 'nn.utils'

for _, name in ipairs{
   'Module', 'container.Container', 'container.Sequential', 'container.Concat', 'container.ConcatTable',
   'container.ParallelTable', 'container.Parallel', 'container.MapTable', 'container.Decorator',
   'container.DepthConcat',
   'identity', 'activation', 'softmax', 'constant_ops', 'noise', 'scales', 'Dropout', 'spatial_dropout',
   'PReLU', 'GatedLinearUnit', 'Normalize', 'Linear', 'LookupTable', 'BatchNormalization',
   'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialDilatedConvolution',
   'SpatialMaxPooling', 'SpatialDilatedMaxPooling', 'SpatialAveragePooling',
   'View', 'Reshape', 'Narrow', 'Select', 'Squeeze', 'Unsqueeze', 'Transpose', 'Replicate', 'Padding', 'Contiguous',
   'Sum', 'Max', 'table_ops', 'products', 'JoinTable', 'tables', 'more_shapes',
   'MixtureTable', 'MaskedSelect', 'decorators', 'distance_layers', 'weight_norm', 'sparse', 'Kmeans',
   'padding', 'upsampling', 'SpatialFullConvolution', 'more_convolutions', 'fractional_pooling', 'temporal', 'volumetric',
   'spatial_normalization', 'more_pooling',
   'criterion.Criterion', 'criterion.elementwise', 'criterion.ClassNLLCriterion', 'criterion.CrossEntropyCriterion',
   'criterion.BCECriterion', 'criterion.SpatialClassNLLCriterion', 'criterion.margins', 'criterion.distances',
   'criterion.combined', 'StochasticGradient', 'Jacobian', 'hessian',
} do
   require('nn.' .. name)
end

return nn
