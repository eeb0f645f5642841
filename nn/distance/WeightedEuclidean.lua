-- nn/distance/WeightedEuclidean.lua - weighted distances to learned vectors.
local torch = require 'torch'
local Module = require 'torch.class'.ours 'nn.Module'

--- nn.Euclidean with a learned factor (diagCov) for each difference.
-- nn.WeightedEuclidean(4, 3):forward(torch.ones(2, 4)):size() --> {2, 3}
local WeightedEuclidean = torch.class('nn.WeightedEuclidean', 'nn.Euclidean')
WeightedEuclidean.__arguments = 'inputSize:size outputSize:size'
WeightedEuclidean.parameterNames = {'weight', 'diagCov'}

function WeightedEuclidean:__init(inputSize, outputSize)
   Module.__init(self)
   self:parameter('weight', inputSize, outputSize)
   self:parameter('diagCov', inputSize, outputSize)
   self:reset()
end

return WeightedEuclidean
