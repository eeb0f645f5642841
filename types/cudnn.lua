---@meta cudnn
-- types/cudnn.lua - written by ./dev docs from the sources; do not edit.

---@class cudnn
cudnn = {}

--- nn.BGRU under cudnn's name.
---
---     cudnn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BGRU: nn.BGRU
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any): cudnn.BGRU
cudnn.BGRU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.BGRU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.BGRU:setSync(sync) end

--- nn.BLSTM under cudnn's name.
---
---     cudnn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BLSTM: nn.BLSTM
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any): cudnn.BLSTM
cudnn.BLSTM = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.BLSTM:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.BLSTM:setSync(sync) end

--- nn.BatchNormalization under cudnn's name.
---
---     cudnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class cudnn.BatchNormalization: nn.BatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.BatchNormalization
cudnn.BatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.BatchNormalization:clearDesc() end

--- nn.ClippedReLU under cudnn's name.
---
---     cudnn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8})   --> {0, 0.5, 2}
---@class cudnn.ClippedReLU: nn.ClippedReLU
---@field ceiling any
---@overload fun(ceiling: any, inplace?: boolean): cudnn.ClippedReLU
cudnn.ClippedReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.ClippedReLU:clearDesc() end

--- nn.GRU under cudnn's name.
---
---     cudnn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size()   --> {2, 4, 5}
---@class cudnn.GRU: nn.GRU
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any, rememberStates: any): cudnn.GRU
cudnn.GRU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.GRU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.GRU:setSync(sync) end

--- nn.LSTM under cudnn's name.
---
---     cudnn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.LSTM: nn.LSTM
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any, rememberStates: any): cudnn.LSTM
cudnn.LSTM = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.LSTM:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.LSTM:setSync(sync) end

--- nn.LogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.LogSoftMax():forward(torch.Tensor{0, 0})   --> {-0.69315, -0.69315}
---@class cudnn.LogSoftMax: nn.LogSoftMax
---@field fast any
---@overload fun(fast: any): cudnn.LogSoftMax
cudnn.LogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.LogSoftMax:clearDesc() end

--- nn.RNN under cudnn's name.
---
---     cudnn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNN: nn.RNN
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any, rememberStates: any): cudnn.RNN
cudnn.RNN = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.RNN:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.RNN:setSync(sync) end

--- nn.RNNReLU under cudnn's name.
---
---     cudnn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNReLU: nn.RNNReLU
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any, rememberStates: any): cudnn.RNNReLU
cudnn.RNNReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.RNNReLU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.RNNReLU:setSync(sync) end

--- nn.RNN under cudnn's name.
---
---     cudnn.RNNTanh(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNTanh: nn.RNN
---@overload fun(inputSize: number, hiddenSize: any, numLayers: any, batchFirst: any, dropout: any, rememberStates: any): cudnn.RNNTanh
cudnn.RNNTanh = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.RNNTanh:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any ...
function cudnn.RNNTanh:setSync(sync) end

--- nn.ReLU under cudnn's name.
---
---     cudnn.ReLU():forward(torch.Tensor{-1, 2})   --> {0, 2}
---@class cudnn.ReLU: nn.ReLU
---@overload fun(...): cudnn.ReLU
cudnn.ReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.ReLU:clearDesc() end

--- nn.Sigmoid under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Sigmoid():forward(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@class cudnn.Sigmoid: nn.Sigmoid
---@field inplace any
---@overload fun(inplace: any): cudnn.Sigmoid
cudnn.Sigmoid = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.Sigmoid:clearDesc() end

--- nn.SoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SoftMax():forward(torch.Tensor{0, math.log(3)})   --> {0.25, 0.75}
---@class cudnn.SoftMax: nn.SoftMax
---@field fast any
---@overload fun(fast: any): cudnn.SoftMax
cudnn.SoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SoftMax:clearDesc() end

--- nn.SpatialAveragePooling under cudnn's name.
---
---     cudnn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{3.5, 5.5}, {11.5, 13.5}}
---@class cudnn.SpatialAveragePooling: nn.SpatialAveragePooling
---@overload fun(kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number): cudnn.SpatialAveragePooling
cudnn.SpatialAveragePooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialAveragePooling:clearDesc() end

--- nn.SpatialBatchNormalization under cudnn's name.
---
---     cudnn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size()   --> {3, 2, 4, 4}
---@class cudnn.SpatialBatchNormalization: nn.SpatialBatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.SpatialBatchNormalization
cudnn.SpatialBatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialBatchNormalization:clearDesc() end

--- nn.SpatialConvolution that may have groups.
---
---     cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2).weight:size()   --> {6, 2, 3, 3}
---@class cudnn.SpatialConvolution: nn.SpatialConvolution
---@field groups any
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number, groups?: number): cudnn.SpatialConvolution
cudnn.SpatialConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function cudnn.SpatialConvolution:fastest(mode) end

--- Makes weight and bias.
---@return any ...
function cudnn.SpatialConvolution:makeParameters() end

--- Drops the numbers of setMode.
---@return self
function cudnn.SpatialConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function cudnn.SpatialConvolution:setMode(fmode, bdmode, bwmode) end

--- Cross-entropy of the scores of classes of each pixel: samples x classes x height x width against the numbers of the classes from 1, samples x height x width.
---
---     cudnn.SpatialCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1), torch.ones(1, 1, 1):long())   --> 0.69315
---@class cudnn.SpatialCrossEntropyCriterion: nn.Criterion
---@field nll any
---@field slsm any
---@overload fun(weights?: any): cudnn.SpatialCrossEntropyCriterion
cudnn.SpatialCrossEntropyCriterion = {}

--- nn.SpatialCrossMapLRN under cudnn's name, and with the size 5 where none is given.
---
---     cudnn.SpatialCrossMapLRN():forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class cudnn.SpatialCrossMapLRN: nn.SpatialCrossMapLRN
---@overload fun(size?: any, alpha?: any, beta?: any, k?: any): cudnn.SpatialCrossMapLRN
cudnn.SpatialCrossMapLRN = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialCrossMapLRN:clearDesc() end

--- x / (K + alpha / size^2 * sum of x^2 over the size x size pixels around, zeros beyond the border)^beta, in each plane.
---
---     cudnn.SpatialDivisiveNormalization(1, 3, 1, 1):forward(torch.ones(1, 1, 2))   --> {{{0.25, 0.25}}}
---@class cudnn.SpatialDivisiveNormalization: nn.Module
---@field K any
---@field alpha any
---@field beta any
---@field size any
---@overload fun(size?: number, alpha?: number, beta?: number, K?: number): cudnn.SpatialDivisiveNormalization
cudnn.SpatialDivisiveNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialDivisiveNormalization:clearDesc() end

--- nn.SpatialFullConvolution under cudnn's name.
---
---     cudnn.SpatialFullConvolution(2, 3, 2, 2, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 6, 6}
---@class cudnn.SpatialFullConvolution: nn.SpatialFullConvolution
---@overload fun(...): cudnn.SpatialFullConvolution
cudnn.SpatialFullConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialFullConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function cudnn.SpatialFullConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function cudnn.SpatialFullConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function cudnn.SpatialFullConvolution:setMode(fmode, bdmode, bwmode) end

--- nn.SpatialLogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{-0.69315}}, {{-0.69315}}}
---@class cudnn.SpatialLogSoftMax: nn.SpatialLogSoftMax
---@field fast any
---@overload fun(fast: any): cudnn.SpatialLogSoftMax
cudnn.SpatialLogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialLogSoftMax:clearDesc() end

--- nn.SpatialMaxPooling under cudnn's name.
---
---     cudnn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{6, 8}, {14, 16}}
---@class cudnn.SpatialMaxPooling: nn.SpatialMaxPooling
---@overload fun(...): cudnn.SpatialMaxPooling
cudnn.SpatialMaxPooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialMaxPooling:clearDesc() end

--- nn.SpatialSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{0.5}}, {{0.5}}}
---@class cudnn.SpatialSoftMax: nn.SpatialSoftMax
---@field fast any
---@overload fun(fast: any): cudnn.SpatialSoftMax
cudnn.SpatialSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.SpatialSoftMax:clearDesc() end

--- nn.Tanh under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Tanh():forward(torch.Tensor{0, 1})   --> {0, 0.76159}
---@class cudnn.Tanh: nn.Tanh
---@field inplace any
---@overload fun(inplace: any): cudnn.Tanh
cudnn.Tanh = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.Tanh:clearDesc() end

--- nn.TemporalConvolution that may pad.
---
---     cudnn.TemporalConvolution(3, 4, 3, 1, 1):forward(torch.ones(5, 3)):size()   --> {5, 4}
---@class cudnn.TemporalConvolution: nn.TemporalConvolution
---@field padH any
---@overload fun(inputFrameSize: number, outputFrameSize: number, kH: number, dH?: number, padH?: number): cudnn.TemporalConvolution
cudnn.TemporalConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.TemporalConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function cudnn.TemporalConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function cudnn.TemporalConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function cudnn.TemporalConvolution:setMode(fmode, bdmode, bwmode) end

--- nn.VolumetricAveragePooling that may pad.
---
---     cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size()   --> {1, 3, 3, 3}
---@class cudnn.VolumetricAveragePooling: nn.VolumetricAveragePooling
---@field padH any
---@field padT any
---@field padW any
---@overload fun(kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number): cudnn.VolumetricAveragePooling
cudnn.VolumetricAveragePooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricAveragePooling:clearDesc() end

--- nn.VolumetricBatchNormalization under cudnn's name.
---
---     cudnn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size()   --> {3, 2, 4, 4, 4}
---@class cudnn.VolumetricBatchNormalization: nn.VolumetricBatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.VolumetricBatchNormalization
cudnn.VolumetricBatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricBatchNormalization:clearDesc() end

--- nn.VolumetricConvolution under cudnn's name.
---
---     cudnn.VolumetricConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 3, 3, 3)):size()   --> {2, 2, 2, 2}
---@class cudnn.VolumetricConvolution: nn.VolumetricConvolution
---@overload fun(...): cudnn.VolumetricConvolution
cudnn.VolumetricConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function cudnn.VolumetricConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function cudnn.VolumetricConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function cudnn.VolumetricConvolution:setMode(fmode, bdmode, bwmode) end

--- The same for volumes: samples x classes x time x height x width against samples x time x height x width.
---
---     cudnn.VolumetricCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1, 1), torch.ones(1, 1, 1, 1):long())   --> 0.69315
---@class cudnn.VolumetricCrossEntropyCriterion: cudnn.SpatialCrossEntropyCriterion
---@overload fun(...): cudnn.VolumetricCrossEntropyCriterion
cudnn.VolumetricCrossEntropyCriterion = {}

--- nn.VolumetricFullConvolution under cudnn's name.
---
---     cudnn.VolumetricFullConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 2, 2, 2)):size()   --> {2, 3, 3, 3}
---@class cudnn.VolumetricFullConvolution: nn.VolumetricFullConvolution
---@overload fun(...): cudnn.VolumetricFullConvolution
cudnn.VolumetricFullConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricFullConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function cudnn.VolumetricFullConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function cudnn.VolumetricFullConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function cudnn.VolumetricFullConvolution:setMode(fmode, bdmode, bwmode) end

--- nn.LogSoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricLogSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{-0.69315}}}, {{{-0.69315}}}}
---@class cudnn.VolumetricLogSoftMax: nn.Module
---@field fast any
---@overload fun(fast: any): cudnn.VolumetricLogSoftMax
cudnn.VolumetricLogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricLogSoftMax:clearDesc() end

--- nn.VolumetricMaxPooling under cudnn's name.
---
---     cudnn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class cudnn.VolumetricMaxPooling: nn.VolumetricMaxPooling
---@overload fun(...): cudnn.VolumetricMaxPooling
cudnn.VolumetricMaxPooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricMaxPooling:clearDesc() end

--- nn.SoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{0.5}}}, {{{0.5}}}}
---@class cudnn.VolumetricSoftMax: nn.Module
---@field fast any
---@overload fun(fast: any): cudnn.VolumetricSoftMax
cudnn.VolumetricSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any ...
function cudnn.VolumetricSoftMax:clearDesc() end

--- Converts the layers of a model to those of another package, in place: from nn to cudnn, or back.
---
---     torch.type(cudnn.convert(nn.Sequential():add(nn.ReLU()), cudnn):get(1))   --> cudnn.ReLU
---@param net nn.Module a module
---@param dst any the package: cudnn or nn
---@param exclusion_fn? function function(module) that returns true for modules to leave alone (optional)
---@return any ... # net
function cudnn.convert(net, dst, exclusion_fn) end

--- Accepted for old scripts, as true or false, without effect: the fastest engine is always used.
---@type boolean
cudnn.fastest = nil

--- Accepted for old scripts, without effect.
---@type boolean
cudnn.useFindEx = nil

--- Accepted for old scripts, without effect; torch.conv.explain shows the engine and the reason.
---@type boolean
cudnn.verbose = nil

--- The version of cuDNN with these names, 5110, for scripts that require one.
---@type number
cudnn.version = nil

return cudnn
