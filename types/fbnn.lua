---@meta fbnn
-- types/fbnn.lua - written by ./dev docs from the sources; do not edit.

---@class fbnn
fbnn = {}

do
--- nn.BatchNormalization under its name in fbnn.
---
---     fbnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class fbnn.BatchNormalization: nn.BatchNormalization
---@operator call(any): any
local BatchNormalization = {}

end

--- nn.BatchNormalization under its name in fbnn.
---
---     fbnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class fbnn.BatchNormalization.class: fbnn.BatchNormalization
---@overload fun(nOutput?: number, eps?: any, momentum?: any, affine?: any): fbnn.BatchNormalization
fbnn.BatchNormalization = {}

do
--- nn.SpatialBatchNormalization under its name in fbnn.
---
---     fbnn.SpatialBatchNormalization(3):forward(torch.ones(4, 3, 2, 2)):size()   --> {4, 3, 2, 2}
---@class fbnn.SpatialBatchNormalization: nn.SpatialBatchNormalization
---@operator call(any): any
local SpatialBatchNormalization = {}

end

--- nn.SpatialBatchNormalization under its name in fbnn.
---
---     fbnn.SpatialBatchNormalization(3):forward(torch.ones(4, 3, 2, 2)):size()   --> {4, 3, 2, 2}
---@class fbnn.SpatialBatchNormalization.class: fbnn.SpatialBatchNormalization
---@overload fun(nFeature: any, eps?: any, momentum?: any, affine?: any): fbnn.SpatialBatchNormalization
fbnn.SpatialBatchNormalization = {}

do
--- fbnn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [maximalMemoryOverhead], [inferenceOnly]): nn.SpatialConvolution ...
---
---     fbnn.SpatialConvolution(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class fbnn.SpatialConvolution: nn.SpatialConvolution
---@operator call(any): any
---@field inferenceOnly any
---@field maximalMemoryOverhead any
local SpatialConvolution = {}

--- Empties the buffers, as clearState.
---@return any
---@return any ...
function SpatialConvolution:cleanupBuffers() end

--- Stores the constructor's inferenceOnly, without effect.
---@param val any
---@return self
function SpatialConvolution:setInferenceOnly(val) end

--- Accepted for scripts of fbnn, without effect, because the engine decides what to keep.
---@return self
function SpatialConvolution:setReuseWeights() end

end

--- fbnn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [maximalMemoryOverhead], [inferenceOnly]): nn.SpatialConvolution ...
---
---     fbnn.SpatialConvolution(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class fbnn.SpatialConvolution.class: fbnn.SpatialConvolution
---@overload fun(nInputPlane?: number, nOutputPlane?: number, kW?: number, kH?: number, dW?: number, dH?: number, padLeft?: any, padUp?: any, maximalMemoryOverhead?: any, inferenceOnly?: any): fbnn.SpatialConvolution
fbnn.SpatialConvolution = {}

return fbnn
