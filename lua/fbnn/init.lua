-- lua/fbnn/init.lua - the names of the package fbnn; those of its layers that stand in nn are in nn.
local torch = require 'torch'
require 'nn'

local fbnn = rawget(_G, 'fbnn') or {}
_G.fbnn = fbnn                         -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.fbnn = fbnn

--- fbnn.BatchNormalization(nOutput, [eps], [momentum], [affine]): nn.BatchNormalization under the name that fbnn has for it.
-- fbnn.BatchNormalization(3):forward(torch.ones(4, 3)):size() --> {4, 3}
torch.class('fbnn.BatchNormalization', 'nn.BatchNormalization')

--- fbnn.SpatialBatchNormalization(nFeature, [eps], [momentum], [affine]): nn.SpatialBatchNormalization under the name that fbnn
-- has for it.
-- fbnn.SpatialBatchNormalization(3):forward(torch.ones(4, 3, 2, 2)):size() --> {4, 3, 2, 2}
torch.class('fbnn.SpatialBatchNormalization', 'nn.SpatialBatchNormalization')

return fbnn
