-- lua/fbnn/init.lua - the names of the package fbnn; those of its layers that are in nn are listed there.
local torch = require 'torch'
require 'nn'

local fbnn = rawget(_G, 'fbnn') or {}
_G.fbnn = fbnn                         -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.fbnn = fbnn

--- fbnn.BatchNormalization(nOutput, [eps], [momentum], [affine]): nn.BatchNormalization under its name in fbnn.
-- fbnn.BatchNormalization(3):forward(torch.ones(4, 3)):size() --> {4, 3}
torch.class('fbnn.BatchNormalization', 'nn.BatchNormalization')

--- fbnn.SpatialBatchNormalization(nFeature, [eps], [momentum], [affine]): nn.SpatialBatchNormalization under its name in
-- fbnn.
-- fbnn.SpatialBatchNormalization(3):forward(torch.ones(4, 3, 2, 2)):size() --> {4, 3, 2, 2}
torch.class('fbnn.SpatialBatchNormalization', 'nn.SpatialBatchNormalization')

--- fbnn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [maximalMemoryOverhead],
-- [inferenceOnly]): nn.SpatialConvolution under its name in fbnn: the engine is chosen for each shape. The last two
-- arguments are stored without effect: an engine that finds too little memory leaves the work to one that needs less.
-- fbnn.SpatialConvolution(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
local Convolution, parent = torch.class('fbnn.SpatialConvolution', 'nn.SpatialConvolution')

function Convolution:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp, maximalMemoryOverhead, inferenceOnly)
   parent.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp)
   self.maximalMemoryOverhead, self.inferenceOnly = maximalMemoryOverhead, inferenceOnly
end

--- Empties the buffers, as clearState.
function Convolution:cleanupBuffers() return self:clearState() end

--- Stores the constructor's inferenceOnly, without effect. Returns self.
function Convolution:setInferenceOnly(val)
   self.inferenceOnly = val
   return self
end

--- Accepted for scripts of fbnn, without effect, because the engine decides what to keep. Returns self.
function Convolution:setReuseWeights() return self end

return fbnn
