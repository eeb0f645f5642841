---@meta fbnn
-- types/fbnn.lua - written by ./dev docs from the sources; do not edit.

---@class fbnn
fbnn = {}

--- nn.BatchNormalization under its name in fbnn.
---
---     fbnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class fbnn.BatchNormalization: nn.BatchNormalization
---@overload fun(nOutput?: number, eps?: any, momentum?: any, affine?: any): fbnn.BatchNormalization
fbnn.BatchNormalization = {}

--- nn.SpatialBatchNormalization under its name in fbnn.
---
---     fbnn.SpatialBatchNormalization(3):forward(torch.ones(4, 3, 2, 2)):size()   --> {4, 3, 2, 2}
---@class fbnn.SpatialBatchNormalization: nn.SpatialBatchNormalization
---@overload fun(nFeature: any, eps?: any, momentum?: any, affine?: any): fbnn.SpatialBatchNormalization
fbnn.SpatialBatchNormalization = {}

--- fbnn.SpatialConvolution(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [maximalMemoryOverhead], [inferenceOnly]): nn.SpatialConvolution ...
---
---     fbnn.SpatialConvolution(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class fbnn.SpatialConvolution: nn.SpatialConvolution
---@field inferenceOnly any
---@field maximalMemoryOverhead any
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padLeft?: any, padUp?: any, maximalMemoryOverhead?: any, inferenceOnly?: any): fbnn.SpatialConvolution
fbnn.SpatialConvolution = {}

--- Empties the buffers, as clearState.
---@return any ...
function fbnn.SpatialConvolution:cleanupBuffers() end

--- Stores the constructor's inferenceOnly, without effect.
---@param val any
---@return self
function fbnn.SpatialConvolution:setInferenceOnly(val) end

--- Accepted for scripts of fbnn, without effect, because the engine decides what to keep.
---@return self
function fbnn.SpatialConvolution:setReuseWeights() end

return fbnn
