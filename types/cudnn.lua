---@meta cudnn
-- types/cudnn.lua - written by ./dev docs from the sources; do not edit.

---@class cudnn
cudnn = {}

do
--- nn.BGRU under cudnn's name.
---
---     cudnn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BGRU: nn.BGRU
---@operator call(any): any
local BGRU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function BGRU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function BGRU:setSync(sync) end

end

--- nn.BGRU under cudnn's name.
---
---     cudnn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BGRU.class: cudnn.BGRU
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any): cudnn.BGRU
cudnn.BGRU = {}

do
--- nn.BLSTM under cudnn's name.
---
---     cudnn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BLSTM: nn.BLSTM
---@operator call(any): any
local BLSTM = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function BLSTM:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function BLSTM:setSync(sync) end

end

--- nn.BLSTM under cudnn's name.
---
---     cudnn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class cudnn.BLSTM.class: cudnn.BLSTM
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any): cudnn.BLSTM
cudnn.BLSTM = {}

do
--- nn.BatchNormalization under cudnn's name.
---
---     cudnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class cudnn.BatchNormalization: nn.BatchNormalization
---@operator call(any): any
local BatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function BatchNormalization:clearDesc() end

end

--- nn.BatchNormalization under cudnn's name.
---
---     cudnn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class cudnn.BatchNormalization.class: cudnn.BatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.BatchNormalization
cudnn.BatchNormalization = {}

do
--- nn.ClippedReLU under cudnn's name.
---
---     cudnn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8})   --> {0, 0.5, 2}
---@class cudnn.ClippedReLU: nn.ClippedReLU
---@operator call(any): any
---@field ceiling any
local ClippedReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function ClippedReLU:clearDesc() end

end

--- nn.ClippedReLU under cudnn's name.
---
---     cudnn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8})   --> {0, 0.5, 2}
---@class cudnn.ClippedReLU.class: cudnn.ClippedReLU
---@overload fun(ceiling: any, inplace?: boolean): cudnn.ClippedReLU
cudnn.ClippedReLU = {}

do
--- nn.GRU under cudnn's name.
---
---     cudnn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size()   --> {2, 4, 5}
---@class cudnn.GRU: nn.GRU
---@operator call(any): any
local GRU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function GRU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function GRU:setSync(sync) end

end

--- nn.GRU under cudnn's name.
---
---     cudnn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size()   --> {2, 4, 5}
---@class cudnn.GRU.class: cudnn.GRU
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): cudnn.GRU
cudnn.GRU = {}

do
--- nn.LSTM under cudnn's name.
---
---     cudnn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.LSTM: nn.LSTM
---@operator call(any): any
local LSTM = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function LSTM:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function LSTM:setSync(sync) end

end

--- nn.LSTM under cudnn's name.
---
---     cudnn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.LSTM.class: cudnn.LSTM
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): cudnn.LSTM
cudnn.LSTM = {}

do
--- nn.LogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.LogSoftMax():forward(torch.Tensor{0, 0})   --> {-0.69315, -0.69315}
---@class cudnn.LogSoftMax: nn.LogSoftMax
---@operator call(any): any
---@field fast any
local LogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function LogSoftMax:clearDesc() end

end

--- nn.LogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.LogSoftMax():forward(torch.Tensor{0, 0})   --> {-0.69315, -0.69315}
---@class cudnn.LogSoftMax.class: cudnn.LogSoftMax
---@overload fun(fast: any): cudnn.LogSoftMax
cudnn.LogSoftMax = {}

do
--- nn.RNN under cudnn's name.
---
---     cudnn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNN: nn.RNN
---@operator call(any): any
local RNN = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function RNN:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function RNN:setSync(sync) end

end

--- nn.RNN under cudnn's name.
---
---     cudnn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNN.class: cudnn.RNN
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): cudnn.RNN
cudnn.RNN = {}

do
--- nn.RNNReLU under cudnn's name.
---
---     cudnn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNReLU: nn.RNNReLU
---@operator call(any): any
local RNNReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function RNNReLU:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function RNNReLU:setSync(sync) end

end

--- nn.RNNReLU under cudnn's name.
---
---     cudnn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNReLU.class: cudnn.RNNReLU
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): cudnn.RNNReLU
cudnn.RNNReLU = {}

do
--- nn.RNN under cudnn's name.
---
---     cudnn.RNNTanh(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNTanh: nn.RNN
---@operator call(any): any
local RNNTanh = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function RNNTanh:clearDesc() end

--- Accepted for old scripts, without effect: work goes to the stream of the thread.
---@param sync any
---@return any
function RNNTanh:setSync(sync) end

end

--- nn.RNN under cudnn's name.
---
---     cudnn.RNNTanh(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class cudnn.RNNTanh.class: cudnn.RNNTanh
---@overload fun(inputSize?: number, hiddenSize?: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): cudnn.RNNTanh
cudnn.RNNTanh = {}

do
--- nn.ReLU under cudnn's name.
---
---     cudnn.ReLU():forward(torch.Tensor{-1, 2})   --> {0, 2}
---@class cudnn.ReLU: nn.ReLU
---@operator call(any): any
local ReLU = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function ReLU:clearDesc() end

end

--- nn.ReLU under cudnn's name.
---
---     cudnn.ReLU():forward(torch.Tensor{-1, 2})   --> {0, 2}
---@class cudnn.ReLU.class: cudnn.ReLU
---@overload fun(...): cudnn.ReLU
cudnn.ReLU = {}

do
--- nn.Sigmoid under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Sigmoid():forward(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@class cudnn.Sigmoid: nn.Sigmoid
---@operator call(any): any
---@field inplace any
local Sigmoid = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function Sigmoid:clearDesc() end

end

--- nn.Sigmoid under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Sigmoid():forward(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@class cudnn.Sigmoid.class: cudnn.Sigmoid
---@overload fun(inplace: any): cudnn.Sigmoid
cudnn.Sigmoid = {}

do
--- nn.SoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SoftMax():forward(torch.Tensor{0, math.log(3)})   --> {0.25, 0.75}
---@class cudnn.SoftMax: nn.SoftMax
---@operator call(any): any
---@field fast any
local SoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SoftMax:clearDesc() end

end

--- nn.SoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SoftMax():forward(torch.Tensor{0, math.log(3)})   --> {0.25, 0.75}
---@class cudnn.SoftMax.class: cudnn.SoftMax
---@overload fun(fast: any): cudnn.SoftMax
cudnn.SoftMax = {}

do
--- nn.SpatialAveragePooling under cudnn's name.
---
---     cudnn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{3.5, 5.5}, {11.5, 13.5}}
---@class cudnn.SpatialAveragePooling: nn.SpatialAveragePooling
---@operator call(any): any
local SpatialAveragePooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialAveragePooling:clearDesc() end

end

--- nn.SpatialAveragePooling under cudnn's name.
---
---     cudnn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{3.5, 5.5}, {11.5, 13.5}}
---@class cudnn.SpatialAveragePooling.class: cudnn.SpatialAveragePooling
---@overload fun(kW?: number, kH?: number, dW?: number, dH?: number, padW?: number, padH?: number): cudnn.SpatialAveragePooling
cudnn.SpatialAveragePooling = {}

do
--- nn.SpatialBatchNormalization under cudnn's name.
---
---     cudnn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size()   --> {3, 2, 4, 4}
---@class cudnn.SpatialBatchNormalization: nn.SpatialBatchNormalization
---@operator call(any): any
local SpatialBatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialBatchNormalization:clearDesc() end

end

--- nn.SpatialBatchNormalization under cudnn's name.
---
---     cudnn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size()   --> {3, 2, 4, 4}
---@class cudnn.SpatialBatchNormalization.class: cudnn.SpatialBatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.SpatialBatchNormalization
cudnn.SpatialBatchNormalization = {}

do
--- nn.SpatialConvolution that may have groups.
---
---     cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2).weight:size()   --> {6, 2, 3, 3}
---@class cudnn.SpatialConvolution: nn.SpatialConvolution
---@operator call(any): any
---@field groups any
local SpatialConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function SpatialConvolution:fastest(mode) end

--- Makes weight and bias.
---@return any
function SpatialConvolution:makeParameters() end

--- Drops the numbers of setMode.
---@return self
function SpatialConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function SpatialConvolution:setMode(fmode, bdmode, bwmode) end

end

--- nn.SpatialConvolution that may have groups.
---
---     cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2).weight:size()   --> {6, 2, 3, 3}
---@class cudnn.SpatialConvolution.class: cudnn.SpatialConvolution
---@overload fun(nInputPlane?: number, nOutputPlane?: number, kW?: number, kH?: number, dW?: number, dH?: number, padW?: number, padH?: number, groups?: number): cudnn.SpatialConvolution
cudnn.SpatialConvolution = {}

do
--- Cross-entropy of the scores of classes of each pixel.
---
---     cudnn.SpatialCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1), torch.ones(1, 1, 1):long())   --> 0.69315
---@class cudnn.SpatialCrossEntropyCriterion: nn.Criterion
---@operator call(any): any
---@field nll any
---@field slsm any
local SpatialCrossEntropyCriterion = {}

end

--- Cross-entropy of the scores of classes of each pixel.
---
---     cudnn.SpatialCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1), torch.ones(1, 1, 1):long())   --> 0.69315
---@class cudnn.SpatialCrossEntropyCriterion.class: cudnn.SpatialCrossEntropyCriterion
---@overload fun(weights?: any): cudnn.SpatialCrossEntropyCriterion
cudnn.SpatialCrossEntropyCriterion = {}

do
--- nn.SpatialCrossMapLRN under cudnn's name, and with the size 5 where none is given.
---
---     cudnn.SpatialCrossMapLRN():forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class cudnn.SpatialCrossMapLRN: nn.SpatialCrossMapLRN
---@operator call(any): any
local SpatialCrossMapLRN = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialCrossMapLRN:clearDesc() end

end

--- nn.SpatialCrossMapLRN under cudnn's name, and with the size 5 where none is given.
---
---     cudnn.SpatialCrossMapLRN():forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class cudnn.SpatialCrossMapLRN.class: cudnn.SpatialCrossMapLRN
---@overload fun(size?: any, alpha?: any, beta?: any, k?: any): cudnn.SpatialCrossMapLRN
cudnn.SpatialCrossMapLRN = {}

do
--- x / (K + alpha / size^2 * sum of x^2 over the size x size pixels around, zeros beyond the border)^beta, in each plane.
---
---     cudnn.SpatialDivisiveNormalization(1, 3, 1, 1):forward(torch.ones(1, 1, 2))   --> {{{0.25, 0.25}}}
---@class cudnn.SpatialDivisiveNormalization: nn.Module
---@operator call(any): any
---@field K any
---@field alpha any
---@field beta any
---@field size any
local SpatialDivisiveNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialDivisiveNormalization:clearDesc() end

end

--- x / (K + alpha / size^2 * sum of x^2 over the size x size pixels around, zeros beyond the border)^beta, in each plane.
---
---     cudnn.SpatialDivisiveNormalization(1, 3, 1, 1):forward(torch.ones(1, 1, 2))   --> {{{0.25, 0.25}}}
---@class cudnn.SpatialDivisiveNormalization.class: cudnn.SpatialDivisiveNormalization
---@overload fun(size?: number, alpha?: number, beta?: number, K?: number): cudnn.SpatialDivisiveNormalization
cudnn.SpatialDivisiveNormalization = {}

do
--- nn.SpatialFullConvolution under cudnn's name.
---
---     cudnn.SpatialFullConvolution(2, 3, 2, 2, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 6, 6}
---@class cudnn.SpatialFullConvolution: nn.SpatialFullConvolution
---@operator call(any): any
local SpatialFullConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialFullConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function SpatialFullConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function SpatialFullConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function SpatialFullConvolution:setMode(fmode, bdmode, bwmode) end

end

--- nn.SpatialFullConvolution under cudnn's name.
---
---     cudnn.SpatialFullConvolution(2, 3, 2, 2, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 6, 6}
---@class cudnn.SpatialFullConvolution.class: cudnn.SpatialFullConvolution
---@overload fun(...): cudnn.SpatialFullConvolution
cudnn.SpatialFullConvolution = {}

do
--- nn.SpatialLogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{-0.69315}}, {{-0.69315}}}
---@class cudnn.SpatialLogSoftMax: nn.SpatialLogSoftMax
---@operator call(any): any
---@field fast any
local SpatialLogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialLogSoftMax:clearDesc() end

end

--- nn.SpatialLogSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{-0.69315}}, {{-0.69315}}}
---@class cudnn.SpatialLogSoftMax.class: cudnn.SpatialLogSoftMax
---@overload fun(fast: any): cudnn.SpatialLogSoftMax
cudnn.SpatialLogSoftMax = {}

do
--- nn.SpatialMaxPooling under cudnn's name.
---
---     cudnn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{6, 8}, {14, 16}}
---@class cudnn.SpatialMaxPooling: nn.SpatialMaxPooling
---@operator call(any): any
local SpatialMaxPooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialMaxPooling:clearDesc() end

end

--- nn.SpatialMaxPooling under cudnn's name.
---
---     cudnn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{6, 8}, {14, 16}}
---@class cudnn.SpatialMaxPooling.class: cudnn.SpatialMaxPooling
---@overload fun(...): cudnn.SpatialMaxPooling
cudnn.SpatialMaxPooling = {}

do
--- nn.SpatialSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{0.5}}, {{0.5}}}
---@class cudnn.SpatialSoftMax: nn.SpatialSoftMax
---@operator call(any): any
---@field fast any
local SpatialSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function SpatialSoftMax:clearDesc() end

end

--- nn.SpatialSoftMax under cudnn's name. fast is accepted for old scripts, without effect.
---
---     cudnn.SpatialSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{0.5}}, {{0.5}}}
---@class cudnn.SpatialSoftMax.class: cudnn.SpatialSoftMax
---@overload fun(fast: any): cudnn.SpatialSoftMax
cudnn.SpatialSoftMax = {}

do
--- nn.Tanh under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Tanh():forward(torch.Tensor{0, 1})   --> {0, 0.76159}
---@class cudnn.Tanh: nn.Tanh
---@operator call(any): any
---@field inplace any
local Tanh = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function Tanh:clearDesc() end

end

--- nn.Tanh under cudnn's name; inplace true works in the memory of the input and of the gradient.
---
---     cudnn.Tanh():forward(torch.Tensor{0, 1})   --> {0, 0.76159}
---@class cudnn.Tanh.class: cudnn.Tanh
---@overload fun(inplace: any): cudnn.Tanh
cudnn.Tanh = {}

do
--- nn.TemporalConvolution that may pad.
---
---     cudnn.TemporalConvolution(3, 4, 3, 1, 1):forward(torch.ones(5, 3)):size()   --> {5, 4}
---@class cudnn.TemporalConvolution: nn.TemporalConvolution
---@operator call(any): any
---@field padH any
local TemporalConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function TemporalConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function TemporalConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function TemporalConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function TemporalConvolution:setMode(fmode, bdmode, bwmode) end

end

--- nn.TemporalConvolution that may pad.
---
---     cudnn.TemporalConvolution(3, 4, 3, 1, 1):forward(torch.ones(5, 3)):size()   --> {5, 4}
---@class cudnn.TemporalConvolution.class: cudnn.TemporalConvolution
---@overload fun(inputFrameSize?: number, outputFrameSize?: number, kH?: number, dH?: number, padH?: number): cudnn.TemporalConvolution
cudnn.TemporalConvolution = {}

do
--- nn.VolumetricAveragePooling that may pad.
---
---     cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size()   --> {1, 3, 3, 3}
---@class cudnn.VolumetricAveragePooling: nn.VolumetricAveragePooling
---@operator call(any): any
---@field padH any
---@field padT any
---@field padW any
local VolumetricAveragePooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricAveragePooling:clearDesc() end

end

--- nn.VolumetricAveragePooling that may pad.
---
---     cudnn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size()   --> {1, 3, 3, 3}
---@class cudnn.VolumetricAveragePooling.class: cudnn.VolumetricAveragePooling
---@overload fun(kT?: number, kW?: number, kH?: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number): cudnn.VolumetricAveragePooling
cudnn.VolumetricAveragePooling = {}

do
--- nn.VolumetricBatchNormalization under cudnn's name.
---
---     cudnn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size()   --> {3, 2, 4, 4, 4}
---@class cudnn.VolumetricBatchNormalization: nn.VolumetricBatchNormalization
---@operator call(any): any
local VolumetricBatchNormalization = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricBatchNormalization:clearDesc() end

end

--- nn.VolumetricBatchNormalization under cudnn's name.
---
---     cudnn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size()   --> {3, 2, 4, 4, 4}
---@class cudnn.VolumetricBatchNormalization.class: cudnn.VolumetricBatchNormalization
---@overload fun(nFeature: any, eps: any, momentum: any, affine: any): cudnn.VolumetricBatchNormalization
cudnn.VolumetricBatchNormalization = {}

do
--- nn.VolumetricConvolution under cudnn's name.
---
---     cudnn.VolumetricConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 3, 3, 3)):size()   --> {2, 2, 2, 2}
---@class cudnn.VolumetricConvolution: nn.VolumetricConvolution
---@operator call(any): any
local VolumetricConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function VolumetricConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function VolumetricConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function VolumetricConvolution:setMode(fmode, bdmode, bwmode) end

end

--- nn.VolumetricConvolution under cudnn's name.
---
---     cudnn.VolumetricConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 3, 3, 3)):size()   --> {2, 2, 2, 2}
---@class cudnn.VolumetricConvolution.class: cudnn.VolumetricConvolution
---@overload fun(...): cudnn.VolumetricConvolution
cudnn.VolumetricConvolution = {}

do
--- The same for volumes: samples x classes x time x height x width against samples x time x height x width.
---
---     cudnn.VolumetricCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1, 1), torch.ones(1, 1, 1, 1):long())   --> 0.69315
---@class cudnn.VolumetricCrossEntropyCriterion: cudnn.SpatialCrossEntropyCriterion
---@operator call(any): any
local VolumetricCrossEntropyCriterion = {}

end

--- The same for volumes: samples x classes x time x height x width against samples x time x height x width.
---
---     cudnn.VolumetricCrossEntropyCriterion():forward(torch.zeros(1, 2, 1, 1, 1), torch.ones(1, 1, 1, 1):long())   --> 0.69315
---@class cudnn.VolumetricCrossEntropyCriterion.class: cudnn.VolumetricCrossEntropyCriterion
---@overload fun(...): cudnn.VolumetricCrossEntropyCriterion
cudnn.VolumetricCrossEntropyCriterion = {}

do
--- nn.VolumetricFullConvolution under cudnn's name.
---
---     cudnn.VolumetricFullConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 2, 2, 2)):size()   --> {2, 3, 3, 3}
---@class cudnn.VolumetricFullConvolution: nn.VolumetricFullConvolution
---@operator call(any): any
local VolumetricFullConvolution = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricFullConvolution:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used.
---@param mode? any
---@return self
function VolumetricFullConvolution:fastest(mode) end

--- Drops the numbers of setMode.
---@return self
function VolumetricFullConvolution:resetMode() end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an engine.
---@param fmode any
---@param bdmode any
---@param bwmode any
---@return self
function VolumetricFullConvolution:setMode(fmode, bdmode, bwmode) end

end

--- nn.VolumetricFullConvolution under cudnn's name.
---
---     cudnn.VolumetricFullConvolution(1, 2, 2, 2, 2):forward(torch.ones(1, 2, 2, 2)):size()   --> {2, 3, 3, 3}
---@class cudnn.VolumetricFullConvolution.class: cudnn.VolumetricFullConvolution
---@overload fun(...): cudnn.VolumetricFullConvolution
cudnn.VolumetricFullConvolution = {}

do
--- nn.LogSoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricLogSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{-0.69315}}}, {{{-0.69315}}}}
---@class cudnn.VolumetricLogSoftMax: nn.Module
---@operator call(any): any
---@field fast any
local VolumetricLogSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricLogSoftMax:clearDesc() end

end

--- nn.LogSoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricLogSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{-0.69315}}}, {{{-0.69315}}}}
---@class cudnn.VolumetricLogSoftMax.class: cudnn.VolumetricLogSoftMax
---@overload fun(fast: any): cudnn.VolumetricLogSoftMax
cudnn.VolumetricLogSoftMax = {}

do
--- nn.VolumetricMaxPooling under cudnn's name.
---
---     cudnn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class cudnn.VolumetricMaxPooling: nn.VolumetricMaxPooling
---@operator call(any): any
local VolumetricMaxPooling = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricMaxPooling:clearDesc() end

end

--- nn.VolumetricMaxPooling under cudnn's name.
---
---     cudnn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class cudnn.VolumetricMaxPooling.class: cudnn.VolumetricMaxPooling
---@overload fun(...): cudnn.VolumetricMaxPooling
cudnn.VolumetricMaxPooling = {}

do
--- nn.SoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{0.5}}}, {{{0.5}}}}
---@class cudnn.VolumetricSoftMax: nn.Module
---@operator call(any): any
---@field fast any
local VolumetricSoftMax = {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
---@return any
function VolumetricSoftMax:clearDesc() end

end

--- nn.SoftMax over the planes of a volume, for each voxel. fast is accepted, without effect.
---
---     cudnn.VolumetricSoftMax():forward(torch.zeros(2, 1, 1, 1))   --> {{{{0.5}}}, {{{0.5}}}}
---@class cudnn.VolumetricSoftMax.class: cudnn.VolumetricSoftMax
---@overload fun(fast: any): cudnn.VolumetricSoftMax
cudnn.VolumetricSoftMax = {}

--- Converts the layers of a model to those of another package, in place: from nn to cudnn, or back.
---
---     torch.type(cudnn.convert(nn.Sequential():add(nn.ReLU()), cudnn):get(1))   --> cudnn.ReLU
---@param net nn.Module a module
---@param dst any the package: cudnn or nn
---@param exclusion_fn? any function(module) that returns true for modules to leave alone (optional)
---@return any # net
---@return any ...
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
