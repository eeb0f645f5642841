---@meta nn
-- types/nn.lua - written by ./dev docs from the sources; do not edit.

---@class nn
nn = {}

do
--- The absolute value of each element.
---
---     nn.Abs():forward(torch.Tensor{-2, 3})   --> {2, 3}
---@class nn.Abs: nn.Module
---@operator call(any): any
---@field inplace any
local Abs = {}

end

--- The absolute value of each element.
---
---     nn.Abs():forward(torch.Tensor{-2, 3})   --> {2, 3}
---@class nn.Abs.class: nn.Abs
---@overload fun(): nn.Abs
nn.Abs = {}

do
--- The mean, or with false the sum, of |x - t|.
---
---     nn.AbsCriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 1
---@class nn.AbsCriterion: nn.Criterion
---@operator call(any): any
---@field sizeAverage boolean
local AbsCriterion = {}

end

--- The mean, or with false the sum, of |x - t|.
---
---     nn.AbsCriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 1
---@class nn.AbsCriterion.class: nn.AbsCriterion
---@overload fun(sizeAverage?: any): nn.AbsCriterion
nn.AbsCriterion = {}

do
--- a container with a module for each of several devices, as fbcunn has them.
---
---     nn.AbstractParallel(1):add(nn.Abs(), 2):nextGPU()   --> 2
---@class nn.AbstractParallel: nn.Container
---@operator call(any): any
---@field dimension number
---@field gpus table
local AbstractParallel = {}

--- Appends a module, and moves it to its device if it holds CUDA tensors.
---@param module any
---@param gpuid? any number of the device, from 1; default: the next one, see nextGPU
---@return self
function AbstractParallel:add(module, gpuid) end

--- Copies tensor source into dest, which may be on another device.
---@param dest any
---@param source any
---@return any
---@return any ...
function AbstractParallel:gpuSend(dest, source) end

--- Raises an error if this machine lacks one of the devices.
---@param gpus? any
---@return any
function AbstractParallel:needDevices(gpus) end

--- The device of the next module: all devices in turn.
---@return any
function AbstractParallel:nextGPU() end

end

--- a container with a module for each of several devices, as fbcunn has them.
---
---     nn.AbstractParallel(1):add(nn.Abs(), 2):nextGPU()   --> 2
---@class nn.AbstractParallel.class: nn.AbstractParallel
---@overload fun(dimension?: number): nn.AbstractParallel
nn.AbstractParallel = {}

do
--- Learned summands.
---
---     a = nn.Add(2); a.bias:fill(5); a:forward(torch.Tensor{1, 2})   --> {6, 7}
---@class nn.Add: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field gradBias torch.Tensor
---@field scalar any
local Add = {}

end

--- Learned summands.
---
---     a = nn.Add(2); a.bias:fill(5); a:forward(torch.Tensor{1, 2})   --> {6, 7}
---@class nn.Add.class: nn.Add
---@overload fun(inputSize: number|torch.LongStorage|table, scalar?: any): nn.Add
nn.Add = {}

do
--- x + constant; in place when `inplace` is true (backward then gives the input back).
---
---     nn.AddConstant(5):forward(torch.Tensor{1, 2})   --> {6, 7}
---@class nn.AddConstant: nn.Module
---@operator call(any): any
---@field constant_scalar torch.Tensor
---@field inplace any
local AddConstant = {}

end

--- x + constant; in place when `inplace` is true (backward then gives the input back).
---
---     nn.AddConstant(5):forward(torch.Tensor{1, 2})   --> {6, 7}
---@class nn.AddConstant.class: nn.AddConstant
---@overload fun(constant?: any, inplace?: any): nn.AddConstant
nn.AddConstant = {}

do
--- Binary cross entropy of probabilities. -t log(x) - (1 - t) log(1 - x) for probabilities x and targets t of [0, 1], averaged over all elements.
---
---     nn.BCECriterion():forward(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1})   --> 0.69315
---@class nn.BCECriterion: nn.Criterion
---@operator call(any): any
---@field output any
---@field sizeAverage boolean
---@field weights any
local BCECriterion = {}

end

--- Binary cross entropy of probabilities. -t log(x) - (1 - t) log(1 - x) for probabilities x and targets t of [0, 1], averaged over all elements.
---
---     nn.BCECriterion():forward(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1})   --> 0.69315
---@class nn.BCECriterion.class: nn.BCECriterion
---@overload fun(weights?: any, sizeAverage?: boolean): nn.BCECriterion
nn.BCECriterion = {}

do
--- nn.GRU in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BGRU: nn.RNN
---@operator call(any): any
local BGRU = {}

end

--- nn.GRU in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BGRU.class: nn.BGRU
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any): nn.BGRU
nn.BGRU = {}

do
--- nn.LSTM in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BLSTM: nn.RNN
---@operator call(any): any
local BLSTM = {}

end

--- nn.LSTM in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BLSTM.class: nn.BLSTM
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any): nn.BLSTM
nn.BLSTM = {}

do
--- nn.RNN in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BRNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BRNN: nn.RNN
---@operator call(any): any
local BRNN = {}

end

--- nn.RNN in both directions. `require 'nn.recurrent'` puts it into nn.
---
---     nn.BRNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 10}
---@class nn.BRNN.class: nn.BRNN
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any): nn.BRNN
nn.BRNN = {}

do
--- Each feature (dimension 2) with mean 0 and variance 1 over the batch, then an affine map: y = (x - mean) / sqrt(variance + eps) * weight + bias.
---
---     nn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class nn.BatchNormalization: nn.Module
---@operator call(any): any
---@field affine boolean
---@field bias torch.Tensor
---@field eps number
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field momentum number
---@field running_mean torch.Tensor
---@field running_var torch.Tensor
---@field train boolean
---@field weight torch.Tensor
local BatchNormalization = {}

--- The gradients of both modules; gradOutput is that of `after`, and is changed in place.
---@param after any
---@param input any
---@param gradOutput any
---@param scale any
---@return any
---@return any ...
function BatchNormalization:backwardWith(after, input, gradOutput, scale) end

--- Refuses what is not a batch of self.nDim dimensions with the right number of features; in evaluation mode also one sample is right.
---@param input any
---@return any
function BatchNormalization:checkInputDim(input) end

--- Whether updateOutputWith and backwardWith compute this module and `after`, which follows it in a Sequential: an nn.ReLU in place.
---@param after any
---@param input any
---@return boolean
function BatchNormalization:joins(after, input) end

--- Old files keep running_std = 1 / sqrt(variance + eps).
---@param file any
---@return any
function BatchNormalization:read(file) end

--- Weights uniformly from [0, 1), biases 0, the running estimates 0 and 1.
---@return any
function BatchNormalization:reset() end

--- The output of `after` behind this module.
---@param after any
---@param input any
---@return any
function BatchNormalization:updateOutputWith(after, input) end

end

--- Each feature (dimension 2) with mean 0 and variance 1 over the batch, then an affine map: y = (x - mean) / sqrt(variance + eps) * weight + bias.
---
---     nn.BatchNormalization(3):forward(torch.ones(4, 3)):size()   --> {4, 3}
---@class nn.BatchNormalization.class: nn.BatchNormalization
---@overload fun(nOutput?: number, eps?: number, momentum?: number, affine?: boolean): nn.BatchNormalization
nn.BatchNormalization = {}

do
--- x1' W_k x2 + b_k for the rows of two matrices.
---
---     nn.Bilinear(3, 4, 2):forward{torch.ones(5, 3), torch.ones(5, 4)}:size()   --> {5, 2}
---@class nn.Bilinear: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field gradBias torch.Tensor
---@field gradInput table
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local Bilinear = {}

--- For one accGradParameters the parameters replace their gradients: a step of gradient descent that stores no gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Bilinear:sharedAccUpdateGradParameters(input, gradOutput, lr) end

end

--- x1' W_k x2 + b_k for the rows of two matrices.
---
---     nn.Bilinear(3, 4, 2):forward{torch.ones(5, 3), torch.ones(5, 4)}:size()   --> {5, 2}
---@class nn.Bilinear.class: nn.Bilinear
---@overload fun(inputSize1: any, inputSize2: any, outputSize: number, bias?: boolean): nn.Bilinear
nn.Bilinear = {}

do
--- Merges leading dimensions, so that a module for batches works on more of them. samples x time x features becomes (samples * time) x features and back.
---
---     nn.Bottle(nn.Linear(4, 3)):forward(torch.ones(2, 5, 4)):size()   --> {2, 5, 3}
---@class nn.Bottle: nn.Decorator
---@operator call(any): any
---@field dimDelta any
---@field nInputDim number
---@field nOutputDim any
---@field output any
local Bottle = {}

end

--- Merges leading dimensions, so that a module for batches works on more of them. samples x time x features becomes (samples * time) x features and back.
---
---     nn.Bottle(nn.Linear(4, 3)):forward(torch.ones(2, 5, 4)):size()   --> {2, 5, 3}
---@class nn.Bottle.class: nn.Bottle
---@overload fun(module: any, nInputDim?: number, nOutputDim?: any): nn.Bottle
nn.Bottle = {}

do
--- Adds a learned tensor to each sample; dimensions of size 1 stretch.
---
---     nn.CAdd(3):forward(torch.ones(2, 3)):size()   --> {2, 3}
---@class nn.CAdd: nn.Module
---@operator call(any): any
---@field size any
local CAdd = {}

--- gradient += scale * (g summed over the dimensions in which the parameters were broadcast)
---@param x any
---@param g any
---@param scale any
---@return any
function CAdd:collect(x, g, scale) end

--- to (of the shape of x) = x op parameters
---@param to any
---@param x any
---@param op any
---@return any
function CAdd:combine(to, x, op) end

--- The parameters as a tensor that broadcasts over x: of the same shape as a sample, or of one that fits.
---@param x any
---@return any
---@return any ...
function CAdd:fit(x) end

end

--- Adds a learned tensor to each sample; dimensions of size 1 stretch.
---
---     nn.CAdd(3):forward(torch.ones(2, 3)):size()   --> {2, 3}
---@class nn.CAdd.class: nn.CAdd
---@overload fun(...: any): nn.CAdd
nn.CAdd = {}

do
--- The sum of the tensors of a table.
---
---     nn.CAddTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {4, 6}
---@class nn.CAddTable: nn.Module
---@operator call(any): any
---@field gradInput table
---@field inplace any
---@field output any
local CAddTable = {}

--- Whether updateOutputWith computes this module and `after`, which follows it in a Sequential: the sum of two tensors, and an nn.ReLU in place.
---@param after? any
---@param input? any
---@return boolean
function CAddTable:joins(after, input) end

--- The output of `after` behind this module.
---@param after any
---@param input any
---@return any
function CAddTable:updateOutputWith(after, input) end

end

--- The sum of the tensors of a table.
---
---     nn.CAddTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {4, 6}
---@class nn.CAddTable.class: nn.CAddTable
---@overload fun(inplace: any): nn.CAddTable
nn.CAddTable = {}

do
--- Adds one tensor to every tensor of a table. {x, {y1, y2, ...}} becomes {y1 + x, y2 + x, ...}.
---
---     nn.CAddTensorTable():forward{torch.Tensor{1, 2}, {torch.Tensor{3, 4}, torch.Tensor{5, 6}}}   --> {{4, 6}, {6, 8}}
---@class nn.CAddTensorTable: nn.Module
---@operator call(any): any
---@field gradInput table
---@field output table
local CAddTensorTable = {}

end

--- Adds one tensor to every tensor of a table. {x, {y1, y2, ...}} becomes {y1 + x, y2 + x, ...}.
---
---     nn.CAddTensorTable():forward{torch.Tensor{1, 2}, {torch.Tensor{3, 4}, torch.Tensor{5, 6}}}   --> {{4, 6}, {6, 8}}
---@class nn.CAddTensorTable.class: nn.CAddTensorTable
---@overload fun(): nn.CAddTensorTable
nn.CAddTensorTable = {}

do
--- The first tensor divided by the second.
---
---     nn.CDivTable():forward{torch.Tensor{1, 2}, torch.Tensor{4, 4}}   --> {0.25, 0.5}
---@class nn.CDivTable: nn.Module
---@operator call(any): any
---@field gradInput table
local CDivTable = {}

end

--- The first tensor divided by the second.
---
---     nn.CDivTable():forward{torch.Tensor{1, 2}, torch.Tensor{4, 4}}   --> {0.25, 0.5}
---@class nn.CDivTable.class: nn.CDivTable
---@overload fun(): nn.CDivTable
nn.CDivTable = {}

do
--- The largest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
---
---     nn.CMaxTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}}   --> {3, 4}
---@class nn.CMaxTable: nn.Module
---@operator call(any): any
---@field gradInput table
local CMaxTable = {}

end

--- The largest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
---
---     nn.CMaxTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}}   --> {3, 4}
---@class nn.CMaxTable.class: nn.CMaxTable
---@overload fun(): nn.CMaxTable
nn.CMaxTable = {}

do
--- The smallest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
---
---     nn.CMinTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}}   --> {1, 2}
---@class nn.CMinTable: nn.Module
---@operator call(any): any
---@field gradInput table
local CMinTable = {}

end

--- The smallest of the tensors of a table, element by element; the gradient goes to the first of equal ones.
---
---     nn.CMinTable():forward{torch.Tensor{1, 4}, torch.Tensor{3, 2}}   --> {1, 2}
---@class nn.CMinTable.class: nn.CMinTable
---@overload fun(): nn.CMinTable
nn.CMinTable = {}

do
--- Multiplies each sample with a learned tensor, which stretches over dimensions of size 1.
---
---     nn.CMul(3):forward(torch.zeros(2, 3))   --> {{0, 0, 0}, {0, 0, 0}}
---@class nn.CMul: nn.Module
---@operator call(any): any
---@field size any
local CMul = {}

--- gradient += scale * (g summed over the dimensions in which the parameters were broadcast)
---@param x any
---@param g any
---@param scale any
---@return any
function CMul:collect(x, g, scale) end

--- to (of the shape of x) = x op parameters
---@param to any
---@param x any
---@param op any
---@return any
function CMul:combine(to, x, op) end

--- The parameters as a tensor that broadcasts over x: of the same shape as a sample, or of one that fits.
---@param x any
---@return any
---@return any ...
function CMul:fit(x) end

end

--- Multiplies each sample with a learned tensor, which stretches over dimensions of size 1.
---
---     nn.CMul(3):forward(torch.zeros(2, 3))   --> {{0, 0, 0}, {0, 0, 0}}
---@class nn.CMul.class: nn.CMul
---@overload fun(...: any): nn.CMul
nn.CMul = {}

do
--- The product of the tensors of a table.
---
---     nn.CMulTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {3, 8}
---@class nn.CMulTable: nn.Module
---@operator call(any): any
---@field gradInput table
local CMulTable = {}

--- updateGradInput; under this name Torch7 has a faster, less exact method.
---@param input any
---@param gradOutput any
---@return any
function CMulTable:updateGradInput_efficient(input, gradOutput) end

end

--- The product of the tensors of a table.
---
---     nn.CMulTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {3, 8}
---@class nn.CMulTable.class: nn.CMulTable
---@overload fun(): nn.CMulTable
nn.CMulTable = {}

do
--- The positive and the negative part of the input, one after the other. {max(x, 0), max(-x, 0)} along the planes.
---
---     nn.CReLU(1):forward(torch.Tensor{-1, 2})   --> {0, 2, 1, 0}
---@class nn.CReLU: nn.Sequential
---@operator call(any): any
---@field inplace any
---@field nInputDims any
local CReLU = {}

end

--- The positive and the negative part of the input, one after the other. {max(x, 0), max(-x, 0)} along the planes.
---
---     nn.CReLU(1):forward(torch.Tensor{-1, 2})   --> {0, 2, 1, 0}
---@class nn.CReLU.class: nn.CReLU
---@overload fun(nInputDims?: number, inplace?: any): nn.CReLU
nn.CReLU = {}

do
--- The first tensor minus the second.
---
---     nn.CSubTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}}   --> {-2, -3}
---@class nn.CSubTable: nn.Module
---@operator call(any): any
---@field gradInput table
local CSubTable = {}

end

--- The first tensor minus the second.
---
---     nn.CSubTable():forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}}   --> {-2, -3}
---@class nn.CSubTable.class: nn.CSubTable
---@overload fun(): nn.CSubTable
nn.CSubTable = {}

do
--- Connectionist temporal classification: sequences of labels that are not aligned with the steps.
---
---     nn.CTCCriterion(true):forward(torch.Tensor{{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}}, {{1, 3}}, {2})   --> 4.9038
---@class nn.CTCCriterion: nn.Criterion
---@operator call(any): any
---@field batchFirst any
---@field blank number
---@field losses torch.Tensor
---@field output any
---@field sizeAverage any
local CTCCriterion = {}

--- The gradient of the loss with respect to `input`.
---@param input any
---@param target any
---@return any
---@return any ...
function CTCCriterion:backward(input, target) end

--- Decodes the scores of `input` into labels: a table of tables, or one table for a single sample.
---
---     (nn.CTCCriterion():decode(torch.Tensor{{0, 9, 0}, {0, 9, 0}, {9, 0, 0}, {0, 9, 0}, {0, 0, 9}}))   --> {1, 1, 2}
---@param input any
---@param sizes any as of forward
---@param beamWidth? number how many prefixes each step keeps
---@return any
---@return any ...
function CTCCriterion:decode(input, sizes, beamWidth) end

--- The loss of `input` against `target`.
---@param input any
---@param target any
---@return number
function CTCCriterion:forward(input, target) end

--- Reads a criterion from a file.
---@param file any
---@return any
function CTCCriterion:read(file) end

end

--- Connectionist temporal classification: sequences of labels that are not aligned with the steps.
---
---     nn.CTCCriterion(true):forward(torch.Tensor{{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}}, {{1, 3}}, {2})   --> 4.9038
---@class nn.CTCCriterion.class: nn.CTCCriterion
---@overload fun(batchFirst?: boolean, sizeAverage?: boolean, blank?: number): nn.CTCCriterion
nn.CTCCriterion = {}

do
--- x limited to [min, max].
---
---     nn.Clamp(0, 1):forward(torch.Tensor{-2, 0.5, 2})   --> {0, 0.5, 1}
---@class nn.Clamp: nn.HardTanh
---@operator call(any): any
local Clamp = {}

end

--- x limited to [min, max].
---
---     nn.Clamp(0, 1):forward(torch.Tensor{-2, 0.5, 2})   --> {0, 0.5, 1}
---@class nn.Clamp.class: nn.Clamp
---@overload fun(min: any, max: any): nn.Clamp
nn.Clamp = {}

do
--- Negative log-likelihood of the right class, given log-probabilities.
---
---     nn.ClassNLLCriterion():forward(torch.Tensor{{-1, -2}, {-3, -4}}, torch.LongTensor{2, 1})   --> 2.5
---@class nn.ClassNLLCriterion: nn.Criterion
---@operator call(any): any
---@field ignoreIndex number
---@field output any
---@field output_tensor torch.Tensor
---@field sizeAverage any
---@field target torch.Tensor
---@field total_weight_tensor torch.Tensor
---@field weights any
local ClassNLLCriterion = {}

end

--- Negative log-likelihood of the right class, given log-probabilities.
---
---     nn.ClassNLLCriterion():forward(torch.Tensor{{-1, -2}, {-3, -4}}, torch.LongTensor{2, 1})   --> 2.5
---@class nn.ClassNLLCriterion.class: nn.ClassNLLCriterion
---@overload fun(weights?: any, sizeAverage?: boolean, ignoreIndex?: number): nn.ClassNLLCriterion
nn.ClassNLLCriterion = {}

do
--- Distance to the corner of a simplex that represents the class.
---
---     nn.ClassSimplexCriterion(3):forward(torch.zeros(1, 3), torch.LongTensor{1}) > 0   --> true
---@class nn.ClassSimplexCriterion: nn.MSECriterion
---@operator call(any): any
---@field nClasses any
---@field simplex any
local ClassSimplexCriterion = {}

--- The dot products of inputs with all corners: scores of the classes.
---@param input any
---@return any
---@return any ...
function ClassSimplexCriterion:getPredictions(input) end

--- The class of the nearest corner, of one input or of each row.
---@param input any
---@return any
---@return any ...
function ClassSimplexCriterion:getTopPrediction(input) end

end

--- Distance to the corner of a simplex that represents the class.
---
---     nn.ClassSimplexCriterion(3):forward(torch.zeros(1, 3), torch.LongTensor{1}) > 0   --> true
---@class nn.ClassSimplexCriterion.class: nn.ClassSimplexCriterion
---@overload fun(nClasses: any): nn.ClassSimplexCriterion
nn.ClassSimplexCriterion = {}

do
--- x limited to [0, clip], 20 by default.
---
---     nn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8})   --> {0, 0.5, 2}
---@class nn.ClippedReLU: nn.Module
---@operator call(any): any
---@field inplace any
local ClippedReLU = {}

--- Refuses a ceiling that cannot be; called when an object is made.
---@return any
function ClippedReLU:validateParameters() end

end

--- x limited to [0, clip], 20 by default.
---
---     nn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8})   --> {0, 0.5, 2}
---@class nn.ClippedReLU.class: nn.ClippedReLU
---@overload fun(clip?: any, inplace?: any): nn.ClippedReLU
nn.ClippedReLU = {}

do
--- Merges the dimensions of a sample into one.
---
---     nn.Collapse(2):forward(torch.ones(5, 2, 3)):size()   --> {5, 6}
---@class nn.Collapse: nn.Module
---@operator call(any): any
---@field nInputDim any
local Collapse = {}

end

--- Merges the dimensions of a sample into one.
---
---     nn.Collapse(2):forward(torch.ones(5, 2, 3)):size()   --> {5, 6}
---@class nn.Collapse.class: nn.Collapse
---@overload fun(nInputDim?: number): nn.Collapse
nn.Collapse = {}

do
--- Every module gets the same input; the outputs are joined along one dimension.
---
---     nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(5, 3)):size()   --> {5, 6}
---@class nn.Concat: nn.Container
---@operator call(any): any
---@field dimension number
---@field gradInput any
local Concat = {}

--- Resizes the output for the joined outputs.
---@param outs any
---@return any
function Concat:makeRoom(outs) end

--- The part of `output` for the tensor `part`, from `offset` on along the joined dimension.
---@param output any
---@param part any
---@param offset any
---@return any
---@return any ...
function Concat:windowNarrow(output, part, offset) end

end

--- Every module gets the same input; the outputs are joined along one dimension.
---
---     nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(5, 3)):size()   --> {5, 6}
---@class nn.Concat.class: nn.Concat
---@overload fun(dimension?: number): nn.Concat
nn.Concat = {}

do
--- Every module gets the same input; the output is the table of their outputs.
---
---     nn.ConcatTable():add(nn.Abs()):add(nn.Square()):forward(torch.Tensor{-2})   --> {{2}, {4}}
---@class nn.ConcatTable: nn.Container
---@operator call(any): any
---@field gradInput any
---@field output table
local ConcatTable = {}

end

--- Every module gets the same input; the output is the table of their outputs.
---
---     nn.ConcatTable():add(nn.Abs()):add(nn.Square()):forward(torch.Tensor{-2})   --> {{2}, {4}}
---@class nn.ConcatTable.class: nn.ConcatTable
---@overload fun(): nn.ConcatTable
nn.ConcatTable = {}

do
--- The same tensor whatever the input, once for each sample of a batch.
---
---     nn.Constant(torch.Tensor{1, 2}, 1):forward(torch.zeros(2, 5))   --> {{1, 2}, {1, 2}}
---@class nn.Constant: nn.Module
---@operator call(any): any
---@field gradInput any
---@field nInputDim any
---@field value boolean
local Constant = {}

end

--- The same tensor whatever the input, once for each sample of a batch.
---
---     nn.Constant(torch.Tensor{1, 2}, 1):forward(torch.zeros(2, 5))   --> {{1, 2}, {1, 2}}
---@class nn.Constant.class: nn.Constant
---@overload fun(value: number|torch.Tensor, nInputDim?: number): nn.Constant
nn.Constant = {}

do
--- a module made of modules; its errors name the module inside that failed.
---
---     nn.Sequential():add(nn.Abs()):add(nn.Tanh()):size()   --> 2
---@class nn.Container: nn.Module
---@field modules nn.Module[]
---@operator call(any): any
local Container = {}

--- Appends a module; nil appends nothing.
---@param module? any
---@return self
function Container:add(module) end

--- Calls func(module) for each module it holds, not for those inside them.
---@param func any
---@return any
function Container:applyToModules(func) end

--- The text of Concat, ConcatTable, ParallelTable and similar containers: branches from input to output.
---@param head any
---@return string
function Container:branches(head) end

--- gradInput with the part g (a tensor or nested table) of one more module; `first`: it is the first one.
---@param gradInput any
---@param g any
---@param first? any
---@return any
---@return any ...
function Container:gather(gradInput, g, first) end

--- Module number `index`.
---@param index? number
---@return any
function Container:get(index) end

--- module[name](module, ...), or name(module, ...) for a function `name`.
---@overload fun(self: nn.Container, module: any, index: number, name: any, ...: any): any, any
---@param module any
---@param ... any
---@return any
---@return any ...
function Container:rethrowErrors(module, ...) end

--- How many modules it holds.
---@return number
function Container:size() end

end

--- a module made of modules; its errors name the module inside that failed.
---
---     nn.Sequential():add(nn.Abs()):add(nn.Tanh()):size()   --> 2
---@class nn.Container.class: nn.Container
---@overload fun(): nn.Container
nn.Container = {}

do
--- Its input as a contiguous tensor: a copy, if it is not contiguous already.
---
---     nn.Contiguous():forward(torch.ones(2, 3):t()):isContiguous()   --> true
---@class nn.Contiguous: nn.Module
---@operator call(any): any
local Contiguous = {}

end

--- Its input as a contiguous tensor: a copy, if it is not contiguous already.
---
---     nn.Contiguous():forward(torch.ones(2, 3):t()):isContiguous()   --> true
---@class nn.Contiguous.class: nn.Contiguous
---@overload fun(...): nn.Contiguous
nn.Contiguous = {}

do
--- a batch with its dimensions in another order, named by letters.
---
---     nn.Convert('bchw', 'bhwc'):forward(torch.ones(2, 3, 2, 4)):size()   --> {2, 2, 4, 3}
---@class nn.Convert: nn.Container
---@operator call(any): any
---@field gradInput any
---@field inputShape any
---@field modules table
---@field output any
---@field outputBatchDim any
---@field outputShape any
local Convert = {}

--- A layer whose output has one element for each sample.
---@param input? any
---@return any
---@return any ...
function Convert:b(input) end

--- A layer which puts the batch first and merges everything else.
---@param input? any
---@return any
---@return any ...
function Convert:bf(input) end

--- A layer which puts the batch first and merges everything else.
---@return any
---@return any ...
function Convert:bt() end

--- Makes self.converter, the layer that does the work: by the method with the name of outputShape (b, bf, bt), or by default.
---@param input any
---@return any
function Convert:buildConverter(input) end

--- The layer for an outputShape that no method is named after: its letters in another order.
---@return any
---@return any ...
function Convert:default() end

--- The position of a letter in a shape (default: the input's).
---@param axis any
---@param shape? any
---@param silent? any
---@return any
function Convert:findAxis(axis, shape, silent) end

--- A layer which rearranges inputShape to another order of its letters.
---
---     tostring(nn.Convert('bchw', 'bhwc'):transpose 'bhwc')   --> nn.Transpose
---@param newShape any
---@return any
---@return any ...
function Convert:transpose(newShape) end

end

--- a batch with its dimensions in another order, named by letters.
---
---     nn.Convert('bchw', 'bhwc'):forward(torch.ones(2, 3, 2, 4)):size()   --> {2, 2, 4, 3}
---@class nn.Convert.class: nn.Convert
---@overload fun(inputShape?: any, outputShape?: any): nn.Convert
nn.Convert = {}

do
--- Copies its input into another type.
---
---     nn.Copy('torch.DoubleTensor', 'torch.FloatTensor'):forward(torch.Tensor{1}):type()   --> torch.FloatTensor
---@class nn.Copy: nn.Module
---@operator call(any): any
---@field dontCast any
---@field forceCopy any
---@field gradInput torch.Tensor
---@field intype any
---@field output torch.Tensor
---@field outtype any
local Copy = {}

end

--- Copies its input into another type.
---
---     nn.Copy('torch.DoubleTensor', 'torch.FloatTensor'):forward(torch.Tensor{1}):type()   --> torch.FloatTensor
---@class nn.Copy.class: nn.Copy
---@overload fun(intype?: any, outtype?: any, forceCopy?: boolean, dontCast?: boolean): nn.Copy
nn.Copy = {}

do
--- The cosines of the angles to outputSize learned vectors (the rows of weight).
---
---     nn.Cosine(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Cosine: nn.Module
---@operator call(any): any
---@field gradInput any
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local Cosine = {}

end

--- The cosines of the angles to outputSize learned vectors (the rows of weight).
---
---     nn.Cosine(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Cosine.class: nn.Cosine
---@overload fun(inputSize: number, outputSize: number): nn.Cosine
nn.Cosine = {}

do
--- The cosine of the angle between two vectors, or between the rows of two matrices.
---
---     nn.CosineDistance():forward{torch.Tensor{1, 0}, torch.Tensor{1, 1}}   --> {0.70711}
---@class nn.CosineDistance: nn.Module
---@operator call(any): any
---@field gradInput table
local CosineDistance = {}

end

--- The cosine of the angle between two vectors, or between the rows of two matrices.
---
---     nn.CosineDistance():forward{torch.Tensor{1, 0}, torch.Tensor{1, 1}}   --> {0.70711}
---@class nn.CosineDistance.class: nn.CosineDistance
---@overload fun(): nn.CosineDistance
nn.CosineDistance = {}

do
--- Pairs of vectors that should point in one direction, or not. 1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; margin 0 by ...
---
---     nn.CosineEmbeddingCriterion():forward({torch.Tensor{1, 0}, torch.Tensor{0, 1}}, 1)   --> 1
---@class nn.CosineEmbeddingCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output any
---@field sizeAverage boolean
local CosineEmbeddingCriterion = {}

end

--- Pairs of vectors that should point in one direction, or not. 1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; margin 0 by ...
---
---     nn.CosineEmbeddingCriterion():forward({torch.Tensor{1, 0}, torch.Tensor{0, 1}}, 1)   --> 1
---@class nn.CosineEmbeddingCriterion.class: nn.CosineEmbeddingCriterion
---@overload fun(margin?: any): nn.CosineEmbeddingCriterion
nn.CosineEmbeddingCriterion = {}

do
--- The base class of criterions: a loss, and its gradient by the input.
---
---     torch.isTypeOf(nn.MSECriterion(), 'nn.Criterion')   --> true
---@class nn.Criterion
---@field output any
---@field gradInput any
---@operator call(any): any
local Criterion = {}

--- The gradient of the loss with respect to `input`.
---@param input any
---@param target any
---@return any
function Criterion:backward(input, target) end

--- The target as a LongTensor, on the device of the input (default: on the CPU).
---@param target any
---@param name? any
---@param input? any
---@return any
---@return any ...
function Criterion:classNumbers(target, name, input) end

--- A copy with separate memory.
---@return self
function Criterion:clone() end

--- The criterion with its tensors converted to a type.
---@return self
function Criterion:cuda() end

--- The same for the half and double types of a GPU.
---@return any
---@return any ...
function Criterion:cudaDouble() end

--- The same for the half and double types of a GPU.
---@return any
---@return any ...
function Criterion:cudaHalf() end

--- The criterion with its tensors converted to a type.
---@return self
function Criterion:double() end

--- The criterion with its tensors converted to a type.
---@return self
function Criterion:float() end

--- The loss of `input` against `target`.
---@param input any
---@param target any
---@return any
function Criterion:forward(input, target) end

--- The criterion with its tensors converted to a type.
---@return self
function Criterion:half() end

--- Refuses an input that is no tensor; and a target, when the caller asks for it.
---@param input any
---@param target any
---@param both? any
---@return any
function Criterion:needTensor(input, target, both) end

--- The number in a tensor of one element.
---@return any
function Criterion:number() end

--- Raises "<self>: <what> must <wish>, got <shape>".
---@param what any
---@param wish any
---@param got any
---@return any
function Criterion:refuse(what, wish, got) end

--- The tensor self[name] of a type, made when it is missing.
---@param name any
---@param kind any
---@return torch.Tensor
function Criterion:scratch(name, kind) end

--- The shapes of two tensors, for messages.
---@param b any
---@return any
---@return any ...
function Criterion:shapes(b) end

--- Without an argument the type of gradInput; with one, converts all tensors to it.
---@param kind? any
---@param cache? any
---@return any
function Criterion:type(kind, cache) end

--- The gradient of the loss by the input, from updateGradInput(input, target).
---@return any
function Criterion:updateGradInput() end

--- The loss of updateOutput(input, target), a number.
---@return number
function Criterion:updateOutput() end

end

--- The base class of criterions: a loss, and its gradient by the input.
---
---     torch.isTypeOf(nn.MSECriterion(), 'nn.Criterion')   --> true
---@class nn.Criterion.class: nn.Criterion
---@overload fun(): nn.Criterion
nn.Criterion = {}

do
--- A criterion as a module: {input, target} to the loss, a number.
---
---     nn.CriterionTable(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}}   --> 2
---@class nn.CriterionTable: nn.Module
---@operator call(any): any
---@field criterion any
---@field gradInput table
---@field output any
local CriterionTable = {}

end

--- A criterion as a module: {input, target} to the loss, a number.
---
---     nn.CriterionTable(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}}   --> 2
---@class nn.CriterionTable.class: nn.CriterionTable
---@overload fun(criterion: any): nn.CriterionTable
nn.CriterionTable = {}

do
--- LogSoftMax and ClassNLLCriterion in one.
---
---     nn.CrossEntropyCriterion():forward(torch.Tensor{{0, 0}}, torch.LongTensor{1})   --> 0.69315
---@class nn.CrossEntropyCriterion: nn.Criterion
---@operator call(any): any
---@field gradInput any
---@field lsm any
---@field nll any
---@field oldSizeAverage any
---@field output any
---@field sizeAverage any
local CrossEntropyCriterion = {}

end

--- LogSoftMax and ClassNLLCriterion in one.
---
---     nn.CrossEntropyCriterion():forward(torch.Tensor{{0, 0}}, torch.LongTensor{1})   --> 0.69315
---@class nn.CrossEntropyCriterion.class: nn.CrossEntropyCriterion
---@overload fun(weights: any, sizeAverage: any): nn.CrossEntropyCriterion
nn.CrossEntropyCriterion = {}

do
--- Copies of one model on several devices, each with a part of the batch, as fbcunn has them.
---
---     m = nn.Linear(3, 2); nn.DataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.DataParallel: nn.AbstractParallel
---@operator call(any): any
---@field handed any
---@field reduction any
local DataParallel = {}

--- Appends a copy of the model.
---@param module any
---@param gpuid? any number of the device, from 1; default: the next one, see nextGPU
---@return self
function DataParallel:add(module, gpuid) end

--- Sums the gradients of all devices, in the first or in all; lists has the gradients of each.
---@param live? any
---@param lists? any
---@return any
function DataParallel:combineGradients(live, lists) end

--- All modules with this type name: a list of them, and a list of the containers that hold them.
---@param typename any
---@param container any
---@return any
---@return any ...
function DataParallel:findModules(typename, container) end

--- Module number `index`.
---@param index? number
---@return any
---@return any ...
function DataParallel:get(index) end

--- Sets whether gradients of the devices are summed, 'sum' (the default), or averaged over the devices that had rows, 'average'.
---@param how any
---@return self
function DataParallel:gradientReduction(how) end

--- 'DataParallel'
---@return string
function DataParallel:name() end

--- Raises an error if this machine lacks one of the devices.
---@param gpus? any
---@return any
function DataParallel:needDevices(gpus) end

--- Copies the parameters of the first module to all others.
---@return self
function DataParallel:syncParameters() end

--- parameters -= learningRate * gradient
---@param learningRate any
---@return any
---@return any ...
function DataParallel:updateParameters(learningRate) end

--- The module, which files hold instead of the container.
---@return any
function DataParallel:writtenAs() end

end

--- Copies of one model on several devices, each with a part of the batch, as fbcunn has them.
---
---     m = nn.Linear(3, 2); nn.DataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.DataParallel.class: nn.DataParallel
---@overload fun(dimension?: number): nn.DataParallel
nn.DataParallel = {}

do
--- One model on several devices, each with a part of the batch.
---
---     nn.DataParallelTable(1):add(nn.Linear(3, 2), {1, 2}):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.DataParallelTable: nn.Container
---@operator call(any): any
---@field dimension number
---@field dpt any
---@field flattenParams any
---@field gpuAssignments any
---@field gpus any
---@field gradInput any
---@field handed any
---@field impl any
---@field initFunc any
---@field modules any
---@field output any
---@field reduction any
---@field syncCopies any
---@field threaded any
---@field usenccl any
local DataParallelTable = {}

--- Sets the module to copy to the devices.
---
---     nn.DataParallelTable(1):add(nn.Abs(), {1, 2, 3}):size()   --> 1
---     nn.DataParallelTable(1):add(nn.Abs(), 1):add(nn.Abs(), 2).gpuAssignments   --> {1, 2}
---@param module any
---@param gpus? table a table of device numbers, from 1, that of the module itself first, or one such number; default: all devices
---@return any
function DataParallelTable:add(module, gpus) end

--- Sums the gradients of all devices, in the first or in all; lists has the gradients of each.
---@param live? any
---@param lists? any
---@return any
function DataParallelTable:combineGradients(live, lists) end

--- All modules with this type name: a list of them, and a list of the containers that hold them.
---@param typename any
---@param container any
---@return any
---@return any ...
function DataParallelTable:findModules(typename, container) end

--- Joins parameters and gradients into vectors, as flattenParams does.
---@return self
function DataParallelTable:flattenParameters() end

--- The module for 1; from 2 on the copy on that device, unless it is in a thread.
---@param index? number
---@return any
---@return any ...
function DataParallelTable:get(index) end

--- Sets whether gradients of the devices are summed, 'sum' (the default), or averaged over the devices that had rows, 'average'.
---
---     nn.DataParallelTable(1):gradientReduction 'average':gradientReduction()   --> average
---@param how any
---@return self
function DataParallelTable:gradientReduction(how) end

--- For each device the lists of parameters and of gradients of its copy.
---@return any
---@return any ...
function DataParallelTable:moduleParameters() end

--- Raises an error if this machine lacks one of the devices.
---@param gpus? any
---@return any
function DataParallelTable:needDevices(gpus) end

--- Reads Torch7's files of a container: the first copy and the numbers of the devices, where there are any.
---@param file any
---@return any
function DataParallelTable:read(file) end

--- Copies the parameters of the first device to all others.
---@return self
function DataParallelTable:syncParameters() end

--- Runs the copies in threads, one for each device but the first, each with a separate Lua state.
---
---     nn.DataParallelTable(1):add(nn.Abs(), {1, 2}):threads(function() require 'nn' end):forward(-torch.ones(4)):sum()   --> 4
---@param initFunc any called in each thread with the number of its device before the copy exists, to require packages
---@param syncCopies any accepted as in Torch7, without effect: all copies always follow the container
---@return any
function DataParallelTable:threads(initFunc, syncCopies) end

--- parameters -= learningRate * gradient
---@param learningRate any
---@return any
---@return any ...
function DataParallelTable:updateParameters(learningRate) end

--- The module, which files hold instead of the container.
---@return any
function DataParallelTable:writtenAs() end

end

--- One model on several devices, each with a part of the batch.
---
---     nn.DataParallelTable(1):add(nn.Linear(3, 2), {1, 2}):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.DataParallelTable.class: nn.DataParallelTable
---@overload fun(dimension?: number, flattenParams?: boolean, usenccl?: boolean): nn.DataParallelTable
nn.DataParallelTable = {}

do
--- a module that wraps one other.
---
---     nn.Decorator(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Decorator: nn.Container
---@operator call(any): any
---@field gradInput any
---@field output any
local Decorator = {}

--- Replaces the decorated module.
---@param module? any
---@return any
function Decorator:decorate(module) end

end

--- a module that wraps one other.
---
---     nn.Decorator(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Decorator.class: nn.Decorator
---@overload fun(module: any): nn.Decorator
nn.Decorator = {}

do
--- Concat of images of different sizes: the smaller ones are centred, with 0 around them.
---
---     nn.DepthConcat(1):add(nn.SpatialConvolution(2, 1, 1, 1)):add(nn.SpatialConvolution(2, 2, 3, 3)):forward(torch.ones(2, 5, 5)):size()   --> {3, 5, 5}
---@class nn.DepthConcat: nn.Concat
---@operator call(any): any
local DepthConcat = {}

--- The size of the joined outputs, filled with 0, which surrounds the smaller ones.
---@param outs any
---@return any
function DepthConcat:makeRoom(outs) end

--- The part of `output` that is as large as `part`, in the middle, from `offset` on along the joined dimension.
---@param output any
---@param part any
---@param offset any
---@return any
function DepthConcat:windowNarrow(output, part, offset) end

end

--- Concat of images of different sizes: the smaller ones are centred, with 0 around them.
---
---     nn.DepthConcat(1):add(nn.SpatialConvolution(2, 1, 1, 1)):add(nn.SpatialConvolution(2, 2, 3, 3)):forward(torch.ones(2, 5, 5)):size()   --> {3, 5, 5}
---@class nn.DepthConcat.class: nn.DepthConcat
---@overload fun(...): nn.DepthConcat
nn.DepthConcat = {}

do
--- Kullback-Leibler divergence: the sum of t (log t - x) for log-probabilities x and probabilities t, divided by the number of elements (sizeAverage = false: ...
---
---     nn.DistKLDivCriterion():forward(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0})   --> 0.34657
---@class nn.DistKLDivCriterion: nn.Criterion
---@operator call(any): any
---@field output any
---@field sizeAverage boolean
local DistKLDivCriterion = {}

end

--- Kullback-Leibler divergence: the sum of t (log t - x) for log-probabilities x and probabilities t, divided by the number of elements (sizeAverage = false: ...
---
---     nn.DistKLDivCriterion():forward(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0})   --> 0.34657
---@class nn.DistKLDivCriterion.class: nn.DistKLDivCriterion
---@overload fun(): nn.DistKLDivCriterion
nn.DistKLDivCriterion = {}

do
--- Distances of similar and of different pairs. -log(exp(-s) / (exp(-s) + exp(-d))) for {s, d}, the distances of similar and of different pairs; averaged.
---
---     nn.DistanceRatioCriterion():forward{torch.ones(2), torch.ones(2)}   --> 0.69315
---@class nn.DistanceRatioCriterion: nn.Criterion
---@operator call(any): any
---@field gradInput table
---@field output any
---@field sizeAverage boolean
local DistanceRatioCriterion = {}

end

--- Distances of similar and of different pairs. -log(exp(-s) / (exp(-s) + exp(-d))) for {s, d}, the distances of similar and of different pairs; averaged.
---
---     nn.DistanceRatioCriterion():forward{torch.ones(2), torch.ones(2)}   --> 0.69315
---@class nn.DistanceRatioCriterion.class: nn.DistanceRatioCriterion
---@overload fun(sizeAverage?: boolean): nn.DistanceRatioCriterion
nn.DistanceRatioCriterion = {}

do
--- Keeps the type of a module when the network around it is converted.
---
---     nn.DontCast(nn.Identity(), true):float():forward(torch.FloatTensor{1}):type()   --> torch.FloatTensor
---@class nn.DontCast: nn.Decorator
---@operator call(any): any
---@field castin any
---@field castout any
---@field moduleType any
---@field modules any
---@field output any
local DontCast = {}

--- backward, which also writes base plus gradInput to sum; nil if the module inside cannot, and where there are conversions.
---@param input any
---@param gradOutput any
---@param scale any
---@param base any
---@param sum any
---@return any
---@return any ...
function DontCast:backwardOnto(input, gradOutput, scale, base, sum) end

--- The gradients of both modules; gradOutput is that of `after`, and is changed in place.
---@param after any
---@param input any
---@param gradOutput any
---@param scale any
---@return any
---@return any ...
function DontCast:backwardWith(after, input, gradOutput, scale) end

--- Whether the module inside joins `after`, as nn.BatchNormalization:joins says.
---@param after any
---@param input any
---@return boolean
function DontCast:joins(after, input) end

--- The output of `after` behind the module inside.
---@param after any
---@param input any
---@return any
function DontCast:updateOutputWith(after, input) end

end

--- Keeps the type of a module when the network around it is converted.
---
---     nn.DontCast(nn.Identity(), true):float():forward(torch.FloatTensor{1}):type()   --> torch.FloatTensor
---@class nn.DontCast.class: nn.DontCast
---@overload fun(module: any, castin?: boolean, castout?: boolean, moduleType?: any): nn.DontCast
nn.DontCast = {}

do
--- The dot product of two vectors, or of the rows of two matrices.
---
---     nn.DotProduct():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {11}
---@class nn.DotProduct: nn.Module
---@operator call(any): any
---@field gradInput table
local DotProduct = {}

end

--- The dot product of two vectors, or of the rows of two matrices.
---
---     nn.DotProduct():forward{torch.Tensor{1, 2}, torch.Tensor{3, 4}}   --> {11}
---@class nn.DotProduct.class: nn.DotProduct
---@overload fun(): nn.DotProduct
nn.DotProduct = {}

do
--- Zeroes a random part of its input while training.
---
---     d = nn.Dropout(0.5); d:evaluate(); d:forward(torch.ones(3))   --> {1, 1, 1}
---@class nn.Dropout: nn.Module
---@operator call(any): any
---@field gradInput any
---@field inplace any
---@field output any
---@field p any
---@field stochastic_inference any
---@field train boolean
---@field v2 boolean
local Dropout = {}

--- Sets the probability of dropping, 0 <= p < 1.
---@param p any
---@return any
function Dropout:setp(p) end

end

--- Zeroes a random part of its input while training.
---
---     d = nn.Dropout(0.5); d:evaluate(); d:forward(torch.ones(3))   --> {1, 1, 1}
---@class nn.Dropout.class: nn.Dropout
---@overload fun(p?: number, v1?: boolean, inplace?: boolean, stochasticInference?: boolean): nn.Dropout
nn.Dropout = {}

do
--- x where it is positive, else alpha (exp(x) - 1); alpha is 1 by default.
---
---     nn.ELU():forward(torch.Tensor{-1, 2})   --> {-0.63212, 2}
---@class nn.ELU: nn.Module
---@operator call(any): any
---@field inplace any
local ELU = {}

end

--- x where it is positive, else alpha (exp(x) - 1); alpha is 1 by default.
---
---     nn.ELU():forward(torch.Tensor{-1, 2})   --> {-0.63212, 2}
---@class nn.ELU.class: nn.ELU
---@overload fun(alpha?: any, inplace?: any): nn.ELU
nn.ELU = {}

do
--- The Euclidean distances to outputSize learned vectors (the columns of weight).
---
---     nn.Euclidean(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Euclidean: nn.Module
---@operator call(any): any
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local Euclidean = {}

end

--- The Euclidean distances to outputSize learned vectors (the columns of weight).
---
---     nn.Euclidean(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Euclidean.class: nn.Euclidean
---@overload fun(inputSize: number, outputSize: number): nn.Euclidean
nn.Euclidean = {}

do
--- e to the power of each element.
---
---     nn.Exp():forward(torch.Tensor{0, 1})   --> {1, 2.7183}
---@class nn.Exp: nn.Module
---@operator call(any): any
---@field inplace any
local Exp = {}

end

--- e to the power of each element.
---
---     nn.Exp():forward(torch.Tensor{0, 1})   --> {1, 2.7183}
---@class nn.Exp.class: nn.Exp
---@overload fun(): nn.Exp
nn.Exp = {}

do
--- The p-norm of each window of features. (sum of |x|^power over each window of features)^(1/power); for power 1 the sum of x itself, as in Torch7.
---
---     nn.FeatureLPPooling(2, 1, 2, true):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.FeatureLPPooling: nn.Module
---@operator call(any): any
---@field batch_mode any
---@field power any
---@field stride any
---@field width any
local FeatureLPPooling = {}

end

--- The p-norm of each window of features. (sum of |x|^power over each window of features)^(1/power); for power 1 the sum of x itself, as in Torch7.
---
---     nn.FeatureLPPooling(2, 1, 2, true):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.FeatureLPPooling.class: nn.FeatureLPPooling
---@overload fun(width: any, stride: any, power?: number, batch_mode?: boolean): nn.FeatureLPPooling
nn.FeatureLPPooling = {}

do
--- A nested table as one list, depth first.
---
---     nn.FlattenTable():forward{torch.Tensor{1}, {torch.Tensor{2}, {torch.Tensor{3}}}}   --> {{1}, {2}, {3}}
---@class nn.FlattenTable: nn.Module
---@operator call(any): any
---@field gradInput any
---@field input_map any
---@field output any
local FlattenTable = {}

end

--- A nested table as one list, depth first.
---
---     nn.FlattenTable():forward{torch.Tensor{1}, {torch.Tensor{2}, {torch.Tensor{3}}}}   --> {{1}, {2}, {3}}
---@class nn.FlattenTable.class: nn.FlattenTable
---@overload fun(): nn.FlattenTable
nn.FlattenTable = {}

do
--- x times the normal distribution function of x, of each element.
---
---     nn.GELU():forward(torch.Tensor{-1, 2})   --> {-0.15866, 1.9545}
---@class nn.GELU: nn.Module
---@operator call(any): any
---@field inplace any
local GELU = {}

end

--- x times the normal distribution function of x, of each element.
---
---     nn.GELU():forward(torch.Tensor{-1, 2})   --> {-0.15866, 1.9545}
---@class nn.GELU.class: nn.GELU
---@overload fun(): nn.GELU
nn.GELU = {}

do
--- Places a module on one of several devices.
---
---     nn.GPU(nn.Linear(3, 2), 1):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.GPU: nn.Container
---@operator call(any): any
---@field device any
---@field gradInput any
---@field outdevice any
---@field output any
local GPU = {}

--- Raises an error if this machine lacks the module's devices.
---@return any
function GPU:needDevices() end

--- Moves all CUDA tensors within an object (a module, a table, a tensor) to a device; shared memory stays shared.
---
---     nn.GPU.recursiveModuleDevice({torch.ones(2)}, 1)[1]:sum()   --> 2
---@param device any
---@return any
function GPU:recursiveModuleDevice(device) end

--- The tensors of src, a tensor or a nested table, on the devices of those of proto.
---
---     nn.GPU.recursiveSetDevice(nil, torch.ones(2), torch.ones(1)):sum()   --> 2
---@param src any
---@param proto any
---@return any
---@return any ...
function GPU:recursiveSetDevice(src, proto) end

--- Assigns the module to another GPU, and moves it there if it is on one.
---
---     nn.GPU(nn.Abs(), 1):setDevice(2).device   --> 2
---@param device any
---@return self
function GPU:setDevice(device) end

--- Converts the module's tensors to a type; those of a CUDA type are made on its device.
---@param kind? any
---@param cache? any
---@return any
function GPU:type(kind, cache) end

end

--- Places a module on one of several devices.
---
---     nn.GPU(nn.Linear(3, 2), 1):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.GPU.class: nn.GPU
---@overload fun(module: any, device: any, outdevice?: any): nn.GPU
nn.GPU = {}

do
--- nn.RNN with the cells of Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014), the reset gate behind the product, as cuDNN has it. ...
---
---     nn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size()   --> {2, 4, 5}
---@class nn.GRU: nn.RNN
---@operator call(any): any
local GRU = {}

end

--- nn.RNN with the cells of Cho et al., "Learning phrase representations using RNN encoder-decoder" (2014), the reset gate behind the product, as cuDNN has it. ...
---
---     nn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size()   --> {2, 4, 5}
---@class nn.GRU.class: nn.GRU
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): nn.GRU
nn.GRU = {}

do
--- One half of the input times the sigmoid of the other.
---
---     nn.GatedLinearUnit():forward(torch.ones(3, 6)):size()   --> {3, 3}
---@class nn.GatedLinearUnit: nn.Module
---@operator call(any): any
---@field dim any
local GatedLinearUnit = {}

end

--- One half of the input times the sigmoid of the other.
---
---     nn.GatedLinearUnit():forward(torch.ones(3, 6)):size()   --> {3, 3}
---@class nn.GatedLinearUnit.class: nn.GatedLinearUnit
---@overload fun(dim?: number): nn.GatedLinearUnit
nn.GatedLinearUnit = {}

do
--- Returns its input, and reverses the gradient.
---
---     r = nn.GradientReversal(2); r:forward(torch.ones(1)); r:backward(torch.ones(1), torch.ones(1))   --> {-2}
---@class nn.GradientReversal: nn.Module
---@operator call(any): any
---@field lambda number
local GradientReversal = {}

--- Sets the factor of the reversed gradient.
---@param lambda any
---@return any
function GradientReversal:setLambda(lambda) end

end

--- Returns its input, and reverses the gradient.
---
---     r = nn.GradientReversal(2); r:forward(torch.ones(1)); r:backward(torch.ones(1), torch.ones(1))   --> {-2}
---@class nn.GradientReversal.class: nn.GradientReversal
---@overload fun(lambda?: any): nn.GradientReversal
nn.GradientReversal = {}

do
--- Hierarchical softmax: first the cluster of a class, then the class among those of its cluster.
---
---     (nn.HSM({{1, 1}, {1, 2}, {2, 1}}, 4):forward(torch.zeros(2, 4), torch.LongTensor{3, 1})) < 10   --> true
---@class nn.HSM: nn.Criterion
---@operator call(any): any
---@field class_bias any
---@field class_weight any
---@field cluster_bias any
---@field cluster_weight any
---@field first table
---@field gradInput any
---@field input_size any
---@field mapping any
---@field n_class any
---@field n_class_in_cluster any
---@field n_clusters any
---@field n_valid any
---@field output any
---@field unk_index number
local HSM = {}

--- Adds scale (default 1) times the gradients by the parameters to grad_cluster_weight and the others; after updateGradInput.
---@param input any
---@param target any
---@param scale? any
---@return any
function HSM:accGradParameters(input, target, scale) end

--- parameters -= lr * gradient, for the clusters of the targets only; after updateGradInput.
---@param input any
---@param target any
---@param lr any
---@return any
function HSM:accUpdateGradParameters(input, target, lr) end

--- The gradient of the loss with respect to `input`.
---@param input any
---@param target any
---@return any
function HSM:backward(input, target) end

--- Empties the buffers: a cleared criterion is small in a file and computes as before.
---@return any
function HSM:clearState() end

--- Two vectors, all parameters and all gradients; the module's own tensors become views of them.
---@return any
---@return any ...
function HSM:getParameters() end

--- The log-probabilities of all classes, of an input or of each row: all clusters are computed.
---@param input any
---@return any
---@return any ...
function HSM:logProbabilities(input) end

--- Two tables: the weights and biases of clusters and classes, and their gradients.
---@return any
---@return any ...
function HSM:parameters() end

--- Draws the parameters from a uniform distribution: of width stdv * sqrt(3), or 1 / sqrt(inputSize) without stdv.
---@param stdv? any
---@return any
function HSM:reset(stdv) end

--- parameters -= learningRate * gradient
---@param learningRate any
---@return any
function HSM:updateParameters(learningRate) end

--- Sets the gradients of all parameters to 0.
---@return any
function HSM:zeroGradParameters() end

end

--- Hierarchical softmax: first the cluster of a class, then the class among those of its cluster.
---
---     (nn.HSM({{1, 1}, {1, 2}, {2, 1}}, 4):forward(torch.zeros(2, 4), torch.LongTensor{3, 1})) < 10   --> true
---@class nn.HSM.class: nn.HSM
---@overload fun(mapping: any, inputSize: number, unkIndex?: any): nn.HSM
nn.HSM = {}

do
--- Rounds outputs and gradients to half precision.
---
---     nn.HalfPrecision():forward(torch.Tensor{1 / 3, 2049, 1e6})   --> {0.33325, 2048, inf}
---@class nn.HalfPrecision: nn.Module
---@operator call(any): any
local HalfPrecision = {}

end

--- Rounds outputs and gradients to half precision.
---
---     nn.HalfPrecision():forward(torch.Tensor{1 / 3, 2049, 1e6})   --> {0.33325, 2048, inf}
---@class nn.HalfPrecision.class: nn.HalfPrecision
---@overload fun(): nn.HalfPrecision
nn.HalfPrecision = {}

do
--- x, but 0 between -lambda and lambda (0.5).
---
---     nn.HardShrink():forward(torch.Tensor{-0.3, 2})   --> {0, 2}
---@class nn.HardShrink: nn.Module
---@operator call(any): any
---@field inplace any
local HardShrink = {}

end

--- x, but 0 between -lambda and lambda (0.5).
---
---     nn.HardShrink():forward(torch.Tensor{-0.3, 2})   --> {0, 2}
---@class nn.HardShrink.class: nn.HardShrink
---@overload fun(lambda?: any): nn.HardShrink
nn.HardShrink = {}

do
--- x limited to [min, max], by default [-1, 1].
---
---     nn.HardTanh():forward(torch.Tensor{-3, 0.5})   --> {-1, 0.5}
---@class nn.HardTanh: nn.Module
---@operator call(any): any
---@field inplace any
local HardTanh = {}

--- Refuses min_val >= max_val; called when an object is made.
---@return any
function HardTanh:validateParameters() end

end

--- x limited to [min, max], by default [-1, 1].
---
---     nn.HardTanh():forward(torch.Tensor{-3, 0.5})   --> {-1, 0.5}
---@class nn.HardTanh.class: nn.HardTanh
---@overload fun(min?: any, max?: any, inplace?: any): nn.HardTanh
nn.HardTanh = {}

do
--- Distances that should be small, or larger than a margin. x where the target is 1, max(0, margin - x) where it is -1, averaged (sizeAverage = false: summed).
---
---     nn.HingeEmbeddingCriterion():forward(torch.Tensor{0.5, 0.25}, torch.Tensor{1, -1})   --> 0.625
---@class nn.HingeEmbeddingCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output any
---@field sizeAverage boolean
local HingeEmbeddingCriterion = {}

end

--- Distances that should be small, or larger than a margin. x where the target is 1, max(0, margin - x) where it is -1, averaged (sizeAverage = false: summed).
---
---     nn.HingeEmbeddingCriterion():forward(torch.Tensor{0.5, 0.25}, torch.Tensor{1, -1})   --> 0.625
---@class nn.HingeEmbeddingCriterion.class: nn.HingeEmbeddingCriterion
---@overload fun(margin?: any): nn.HingeEmbeddingCriterion
nn.HingeEmbeddingCriterion = {}

do
--- Returns its input, a tensor or a table.
---
---     nn.Identity():forward(torch.Tensor{1, 2})   --> {1, 2}
---@class nn.Identity: nn.Module
---@operator call(any): any
local Identity = {}

end

--- Returns its input, a tensor or a table.
---
---     nn.Identity():forward(torch.Tensor{1, 2})   --> {1, 2}
---@class nn.Identity.class: nn.Identity
---@overload fun(...): nn.Identity
nn.Identity = {}

do
--- Slices of a tensor, selected by a tensor of indices. {tensor, LongTensor} to tensor:index(dimension, indices).
---
---     nn.Index(1):forward{torch.Tensor{5, 6, 7}, torch.LongTensor{3, 1}}   --> {7, 5}
---@class nn.Index: nn.Module
---@operator call(any): any
---@field dimension any
---@field gradInput table
local Index = {}

end

--- Slices of a tensor, selected by a tensor of indices. {tensor, LongTensor} to tensor:index(dimension, indices).
---
---     nn.Index(1):forward{torch.Tensor{5, 6, 7}, torch.LongTensor{3, 1}}   --> {7, 5}
---@class nn.Index.class: nn.Index
---@overload fun(dimension?: number): nn.Index
nn.Index = {}

do
--- nn.Linear of sparse vectors of whole numbers.
---
---     nn.IndexLinear(8, 3):forward{torch.LongTensor{1, 4}, torch.Tensor{0.5, 2}}:nElement()   --> 3
---@class nn.IndexLinear: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field doGradInput any
---@field gradBias torch.Tensor
---@field gradInput table
---@field gradWeight torch.Tensor
---@field inputSize any
---@field normalize any
---@field offset number
---@field outputSize any
---@field touched any
---@field weight torch.Tensor
local IndexLinear = {}

--- The keys, values and sizes of a list of samples as one vector each.
---@param input any
---@return any
---@return any ...
function IndexLinear:flattenInputs(input) end

--- The type of the keys.
---@param ... any
---@return any
---@return any ...
function IndexLinear:longTensor(...) end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(outputSize) without an argument.
---@param stdv? any
---@return any
function IndexLinear:reset(stdv) end

--- The input as a list of keys and a list of values, and whether there was only one sample.
---@param input any
---@return any
---@return any ...
function IndexLinear:reshapeInput(input) end

--- Takes a step.
---@param learningRate any
---@return any
function IndexLinear:updateParameters(learningRate) end

end

--- nn.Linear of sparse vectors of whole numbers.
---
---     nn.IndexLinear(8, 3):forward{torch.LongTensor{1, 4}, torch.Tensor{0.5, 2}}:nElement()   --> 3
---@class nn.IndexLinear.class: nn.IndexLinear
---@overload fun(inputSize: number, outputSize: number, doGradInput?: boolean, keysOffset?: any, weight?: torch.Tensor, bias?: torch.Tensor, normalize?: boolean): nn.IndexLinear
nn.IndexLinear = {}

--- Gradients by finite differences, to test modules: testJacobian(module, input) is the largest difference.
---
---     nn.Jacobian.testJacobian(nn.Tanh(), torch.Tensor(3)) < 1e-6   --> true
---@class nn.Jacobian
nn.Jacobian = {}

--- The derivatives of every output (columns) by every element of the input, or of param through its gradient dparam (rows), from backward.
---@param module any
---@param input any
---@param param? any
---@param dparam? any
---@return any
function nn.Jacobian.backward(module, input, param, dparam) end

--- The diagonal of the second derivative by the input or a parameter, from accDiagHessianParameters.
---@param module any
---@param input any
---@param diagHessianParamName? any
---@return any
function nn.Jacobian.backwardDiagHessian(module, input, diagHessianParamName) end

--- The same from a step of backwardUpdate.
---@param module any
---@param input any
---@param param any
---@return any
function nn.Jacobian.backwardUpdate(module, input, param) end

--- The same by central differences of the outputs.
---@param module any
---@param input any
---@param param? torch.Tensor the tensor to perturb, default: the input
---@param perturbation? number default 1e-6
---@return any
function nn.Jacobian.forward(module, input, param, perturbation) end

--- The change of the outputs for a step of each parameter, computed by backwardUpdate.
---@param module any
---@param input any
---@param param any
---@param perturbation any
---@return any
---@return any ...
function nn.Jacobian.forwardUpdate(module, input, param, perturbation) end

--- The same for modules that are linear in their parameters and inputs, from their derivatives.
---@param module any
---@param input any
---@param gradParamName? any
---@return any
function nn.Jacobian.linearModuleDiagHessian(module, input, gradParamName) end

--- For each way to update a parameter, its distance from the plain step.
---@param module any
---@param input any
---@param weight any
---@param gradWeight any
---@return any
---@return any ...
function nn.Jacobian.testAllUpdate(module, input, weight, gradWeight) end

--- The largest difference between the second derivatives of nn.hessian and the ones computed for a module that is linear.
---@param module any
---@param input any
---@param gradParamName any
---@param diagHessianParamName? any
---@param minval? any
---@param maxval? any
---@return any
---@return any ...
function nn.Jacobian.testDiagHessian(module, input, gradParamName, diagHessianParamName, minval, maxval) end

--- The same by the bias.
---@param module any
---@param input any
---@param minval? any
---@param maxval? any
---@return any
---@return any ...
function nn.Jacobian.testDiagHessianBias(module, input, minval, maxval) end

--- The same by the input.
---@param module any
---@param input any
---@param minval? any
---@param maxval? any
---@return any
---@return any ...
function nn.Jacobian.testDiagHessianInput(module, input, minval, maxval) end

--- The same by the weight.
---@param module any
---@param input any
---@param minval? any
---@param maxval? any
---@return any
---@return any ...
function nn.Jacobian.testDiagHessianWeight(module, input, minval, maxval) end

--- Writes a module to a file and reads it: the largest differences of its output and of its gradInput.
---@param module any
---@param input any
---@param minval any
---@param maxval any
---@return any
---@return any ...
function nn.Jacobian.testIO(module, input, minval, maxval) end

--- The largest difference between backward and differences, for random inputs of [minval, maxval].
---@param module any
---@param input any
---@param minval any
---@param maxval any
---@param perturbation any
---@return any
---@return any ...
function nn.Jacobian.testJacobian(module, input, minval, maxval, perturbation) end

--- The same for a parameter tensor and its gradient dparam.
---@param module any
---@param input any
---@param param any
---@param dparam any
---@param minval any
---@param maxval any
---@param perturbation any
---@return any
---@return any ...
function nn.Jacobian.testJacobianParameters(module, input, param, dparam, minval, maxval, perturbation) end

--- The same for the step that accUpdateGradParameters makes.
---@param module any
---@param input any
---@param param any
---@param minval any
---@param maxval any
---@param perturbation any
---@return any
---@return any ...
function nn.Jacobian.testJacobianUpdateParameters(module, input, param, minval, maxval, perturbation) end

do
--- Joins the tensors of a table along a dimension.
---
---     nn.JoinTable(1):forward{torch.Tensor{1}, torch.Tensor{2, 3}}   --> {1, 2, 3}
---@class nn.JoinTable: nn.Module
---@operator call(any): any
---@field dimension any
---@field gradInput table
---@field nInputDims any
---@field size any
local JoinTable = {}

end

--- Joins the tensors of a table along a dimension.
---
---     nn.JoinTable(1):forward{torch.Tensor{1}, torch.Tensor{2, 3}}   --> {1, 2, 3}
---@class nn.JoinTable.class: nn.JoinTable
---@overload fun(dimension?: number, nInputDims?: number): nn.JoinTable
nn.JoinTable = {}

do
--- Online k-means: centroids move towards their nearest samples.
---
---     nn.Kmeans(3, 2):forward(torch.ones(6, 2)):nElement()   --> 6
---@class nn.Kmeans: nn.Module
---@operator call(any): any
---@field dim any
---@field gradWeight torch.Tensor
---@field k any
---@field loss any
---@field scale number
---@field weight torch.Tensor
local Kmeans = {}

--- Sets the centroids to samples far from each other.
---@param input any
---@param p? number the share of the samples to examine, default 1
---@return any
function Kmeans:initKmeansPlus(input, p) end

--- Sets the centroids to samples that are drawn at random.
---@param input any
---@return any
function Kmeans:initRandom(input) end

--- Centroids from a normal distribution with deviation stdv (default 1).
---@param stdv? any
---@return any
function Kmeans:reset(stdv) end

end

--- Online k-means: centroids move towards their nearest samples.
---
---     nn.Kmeans(3, 2):forward(torch.ones(6, 2)):nElement()   --> 6
---@class nn.Kmeans.class: nn.Kmeans
---@overload fun(k: number, dim: number, scale?: number): nn.Kmeans
nn.Kmeans = {}

do
--- The sum of |x|; there is no target.
---
---     nn.L1Cost():forward(torch.Tensor{1, -2, 3})   --> 6
---@class nn.L1Cost: nn.Criterion
---@operator call(any): any
---@field output any
local L1Cost = {}

--- Drops the buffers.
---@return self
function L1Cost:clearState() end

end

--- The sum of |x|; there is no target.
---
---     nn.L1Cost():forward(torch.Tensor{1, -2, 3})   --> 6
---@class nn.L1Cost.class: nn.L1Cost
---@overload fun(): nn.L1Cost
nn.L1Cost = {}

do
--- Pairs of vectors: near in L1, or apart. nn.HingeEmbeddingCriterion for the L1 distance of a pair of vectors: {a, b} with a target of 1 or -1.
---
---     nn.L1HingeEmbeddingCriterion():forward({torch.Tensor{1, 2}, torch.Tensor{2, 0}}, 1)   --> 3
---@class nn.L1HingeEmbeddingCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output boolean
---@field sizeAverage boolean
local L1HingeEmbeddingCriterion = {}

end

--- Pairs of vectors: near in L1, or apart. nn.HingeEmbeddingCriterion for the L1 distance of a pair of vectors: {a, b} with a target of 1 or -1.
---
---     nn.L1HingeEmbeddingCriterion():forward({torch.Tensor{1, 2}, torch.Tensor{2, 0}}, 1)   --> 3
---@class nn.L1HingeEmbeddingCriterion.class: nn.L1HingeEmbeddingCriterion
---@overload fun(margin?: any): nn.L1HingeEmbeddingCriterion
nn.L1HingeEmbeddingCriterion = {}

do
--- Returns its input, and adds the gradient of an L1 penalty in the backward pass.
---
---     p = nn.L1Penalty(0.5); p:forward(torch.Tensor{1, -2}); p.loss   --> 1.5
---@class nn.L1Penalty: nn.Module
---@operator call(any): any
---@field gradInput any
---@field l1weight any
---@field loss any
---@field output any
---@field provideOutput boolean
---@field sizeAverage any
local L1Penalty = {}

end

--- Returns its input, and adds the gradient of an L1 penalty in the backward pass.
---
---     p = nn.L1Penalty(0.5); p:forward(torch.Tensor{1, -2}); p.loss   --> 1.5
---@class nn.L1Penalty.class: nn.L1Penalty
---@overload fun(l1weight: any, sizeAverage?: boolean, provideOutput?: boolean): nn.L1Penalty
nn.L1Penalty = {}

do
--- nn.Normalize(2), rows of Euclidean length 1, by fbnn's name; eps is 1e-10 by default.
---
---     nn.L2Normalize():forward(torch.Tensor{{3, 4}, {0, 2}})   --> {{0.6, 0.8}, {0, 1}}
---@class nn.L2Normalize: nn.Normalize
---@operator call(any): any
local L2Normalize = {}

end

--- nn.Normalize(2), rows of Euclidean length 1, by fbnn's name; eps is 1e-10 by default.
---
---     nn.L2Normalize():forward(torch.Tensor{{3, 4}, {0, 2}})   --> {{0.6, 0.8}, {0, 1}}
---@class nn.L2Normalize.class: nn.L2Normalize
---@overload fun(eps?: any): nn.L2Normalize
nn.L2Normalize = {}

do
--- nn.RNN with the cells of Hochreiter and Schmidhuber, "Long short-term memory" (1997), and the forget gates of Gers et al., "Learning to forget" (2000). `...
---
---     nn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.LSTM: nn.RNN
---@operator call(any): any
local LSTM = {}

end

--- nn.RNN with the cells of Hochreiter and Schmidhuber, "Long short-term memory" (1997), and the forget gates of Gers et al., "Learning to forget" (2000). `...
---
---     nn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.LSTM.class: nn.LSTM
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): nn.LSTM
nn.LSTM = {}

do
--- Each row with mean 0 and variance 1, then a learned factor and summand for each element.
---
---     nn.LayerNormalization(4):forward(torch.ones(3, 4)):size()   --> {3, 4}
---     nn.LayerNormalization(2):forward(torch.Tensor{{{1, 3}}, {{7, 5}}})   --> {{{-1, 1}}, {{1, -1}}}
---@class nn.LayerNormalization: nn.Sequential
---@operator call(any): any
---@field gradInput any
---@field output any
local LayerNormalization = {}

--- backward, which writes base plus gradInput to sum in the same pass; nil if it cannot.
---@param input any
---@param gradOutput any
---@param scale any
---@param base any
---@param sum any
---@return any
function LayerNormalization:backwardOnto(input, gradOutput, scale, base, sum) end

--- Computes and returns the output.
---@param input any
---@return any
---@return any ...
function LayerNormalization:forward(input) end

end

--- Each row with mean 0 and variance 1, then a learned factor and summand for each element.
---
---     nn.LayerNormalization(4):forward(torch.ones(3, 4)):size()   --> {3, 4}
---     nn.LayerNormalization(2):forward(torch.Tensor{{{1, 3}}, {{7, 5}}})   --> {{{-1, 1}}, {{1, -1}}}
---@class nn.LayerNormalization.class: nn.LayerNormalization
---@overload fun(nOutput?: number, bias?: number, eps?: number, affine?: boolean): nn.LayerNormalization
nn.LayerNormalization = {}

do
--- x where it is positive, else negval x (0.01).
---
---     nn.LeakyReLU(0.1):forward(torch.Tensor{-1, 2})   --> {-0.1, 2}
---@class nn.LeakyReLU: nn.Module
---@operator call(any): any
---@field inplace boolean
local LeakyReLU = {}

end

--- x where it is positive, else negval x (0.01).
---
---     nn.LeakyReLU(0.1):forward(torch.Tensor{-1, 2})   --> {-0.1, 2}
---@class nn.LeakyReLU.class: nn.LeakyReLU
---@overload fun(negval?: any, inplace?: any): nn.LeakyReLU
nn.LeakyReLU = {}

do
--- y = x W' + b, one sample per row of x.
---
---     nn.Linear(3, 2):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Linear: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local Linear = {}

--- Removes the bias.
---@return self
function Linear:noBias() end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(inputSize) without an argument.
---@param stdv? any
---@return any
function Linear:reset(stdv) end

--- For one accGradParameters the parameters replace their gradients: a step of gradient descent that stores no gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Linear:sharedAccUpdateGradParameters(input, gradOutput, lr) end

--- Kept for subclasses: a vector of ones, one for each sample of the input.
---@param input any
---@return any
function Linear:updateAddBuffer(input) end

end

--- y = x W' + b, one sample per row of x.
---
---     nn.Linear(3, 2):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Linear.class: nn.Linear
---@overload fun(inputSize: number, outputSize: number, bias?: boolean): nn.Linear
nn.Linear = {}

do
--- nn.Linear whose weight is g * v / |v|, row by row; v, g and the bias are learned.
---
---     nn.LinearWeightNorm(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.LinearWeightNorm: nn.Linear
---@operator call(any): any
---@field bias torch.Tensor
---@field eps number
---@field g torch.Tensor
---@field gradBias torch.Tensor
---@field gradG torch.Tensor
---@field gradV torch.Tensor
---@field gradWeight any
---@field inputSize any
---@field outputSize any
---@field v torch.Tensor
---@field weight torch.Tensor
local LinearWeightNorm = {}

--- A LinearWeightNorm that computes the same as a nn.Linear.
---@return any
function LinearWeightNorm:fromLinear() end

--- Sets length and direction from self.weight.
---@return any
function LinearWeightNorm:initFromWeight() end

--- A nn.Linear that computes the same as this module.
---@return any
function LinearWeightNorm:toLinear() end

--- Computes the weight from v and g.
---@return any
function LinearWeightNorm:updateWeightMatrix() end

end

--- nn.Linear whose weight is g * v / |v|, row by row; v, g and the bias are learned.
---
---     nn.LinearWeightNorm(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.LinearWeightNorm.class: nn.LinearWeightNorm
---@overload fun(inputSize: number, outputSize: number, bias?: any, eps?: number): nn.LinearWeightNorm
nn.LinearWeightNorm = {}

do
--- The natural logarithm of each element.
---
---     nn.Log():forward(torch.Tensor{1, 10})   --> {0, 2.3026}
---@class nn.Log: nn.Module
---@operator call(any): any
---@field inplace any
local Log = {}

end

--- The natural logarithm of each element.
---
---     nn.Log():forward(torch.Tensor{1, 10})   --> {0, 2.3026}
---@class nn.Log.class: nn.Log
---@overload fun(): nn.Log
nn.Log = {}

do
--- log(1 / (1 + exp(-x))) of each element.
---
---     nn.LogSigmoid():forward(torch.Tensor{0, -100})   --> {-0.69315, -100}
---@class nn.LogSigmoid: nn.Module
---@operator call(any): any
---@field inplace any
local LogSigmoid = {}

end

--- log(1 / (1 + exp(-x))) of each element.
---
---     nn.LogSigmoid():forward(torch.Tensor{0, -100})   --> {-0.69315, -100}
---@class nn.LogSigmoid.class: nn.LogSigmoid
---@overload fun(): nn.LogSigmoid
nn.LogSigmoid = {}

do
--- x - log of the sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
---
---     nn.LogSoftMax():forward(torch.Tensor{0, 0})   --> {-0.69315, -0.69315}
---@class nn.LogSoftMax: nn.Module
---@operator call(any): any
local LogSoftMax = {}

end

--- x - log of the sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
---
---     nn.LogSoftMax():forward(torch.Tensor{0, 0})   --> {-0.69315, -0.69315}
---@class nn.LogSoftMax.class: nn.LogSoftMax
---@overload fun(): nn.LogSoftMax
nn.LogSoftMax = {}

do
--- Each feature gets a weighted sum of its next few steps. y[t][i] = sum of weight[i][j] x[t + j - 1][i] for j = 1 .. context + 1, with zeros behind the end.
---
---     nn.LookaheadConvolution(3, 2):forward(torch.ones(5, 3)):size()   --> {5, 3}
---@class nn.LookaheadConvolution: nn.TemporalRowConvolution
---@operator call(any): any
---@field gradInput any
local LookaheadConvolution = {}

end

--- Each feature gets a weighted sum of its next few steps. y[t][i] = sum of weight[i][j] x[t + j - 1][i] for j = 1 .. context + 1, with zeros behind the end.
---
---     nn.LookaheadConvolution(3, 2):forward(torch.ones(5, 3)):size()   --> {5, 3}
---@class nn.LookaheadConvolution.class: nn.LookaheadConvolution
---@overload fun(inputFrameSize: number, context?: number, featFirst?: boolean): nn.LookaheadConvolution
nn.LookaheadConvolution = {}

do
--- a learned vector for each number of 1..n.
---
---     nn.LookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class nn.LookupTable: nn.Module
---@operator call(any): any
---@field gradInput any
---@field gradWeight torch.Tensor
---@field maxNorm any
---@field normType any
---@field paddingValue number
---@field shouldScaleGradByFreq boolean
---@field weight torch.Tensor
local LookupTable = {}

--- Removes the weight's gradient, which saves its memory: only backwardUpdate and accUpdateGradParameters change the weight.
---@return self
function LookupTable:accUpdateOnly() end

--- Gives an object from a file of an early version the fields that it lacks.
---@return any
function LookupTable:backCompatibility() end

--- The input itself if its elements lie one after the other, else a contiguous copy, kept in a buffer.
---@param input any
---@return any
---@return any ...
function LookupTable:makeInputContiguous(input) end

--- Refuses an input whose type cannot represent all row numbers of so long a table.
---@param input any
---@return any
function LookupTable:needExact(input) end

--- Scales the rows that `input` uses down to maxNorm.
---@param input any
---@return any
function LookupTable:renorm(input) end

--- Draws the rows from a normal distribution with deviation stdv (default 1).
---@param stdv? any
---@return any
function LookupTable:reset(stdv) end

--- Divides the gradient of a row by how often its number occurred.
---@return self
function LookupTable:scaleGradByFreq() end

--- Sets the largest norm of a row in use.
---@param maxNorm any
---@return self
function LookupTable:setMaxNorm(maxNorm) end

--- Sets the p of that norm.
---@param normType any
---@return self
function LookupTable:setNormType(normType) end

--- Sets the number whose row never changes.
---@param paddingValue any
---@return self
function LookupTable:setPadding(paddingValue) end

--- The gradient by the input, which holds numbers of rows, is zero.
---@param input any
---@return any
function LookupTable:updateGradInput(input) end

end

--- a learned vector for each number of 1..n.
---
---     nn.LookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class nn.LookupTable.class: nn.LookupTable
---@overload fun(nIndex?: number, nOutput?: number, paddingValue?: any, maxNorm?: any, normType?: number): nn.LookupTable
nn.LookupTable = {}

do
--- Fbcunn's table of vectors, which may give features before positions. nn.LookupTable under fbcunn's name for a table that also runs on a GPU.
---
---     nn.LookupTableGPU(5, 3, true):forward(torch.LongTensor{{2, 5}}):size()   --> {1, 3, 2}
---@class nn.LookupTableGPU: nn.LookupTable
---@operator call(any): any
---@field featuresInDim2 any
---@field output any
---@field paddingValue any
---@field unk_index any
local LookupTableGPU = {}

end

--- Fbcunn's table of vectors, which may give features before positions. nn.LookupTable under fbcunn's name for a table that also runs on a GPU.
---
---     nn.LookupTableGPU(5, 3, true):forward(torch.LongTensor{{2, 5}}):size()   --> {1, 3, 2}
---@class nn.LookupTableGPU.class: nn.LookupTableGPU
---@overload fun(nInput: any, nOutput?: number, featuresInDim2?: boolean): nn.LookupTableGPU
nn.LookupTableGPU = {}

do
--- The product of two matrices, or of each pair of a batch.
---
---     nn.MM():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}}}   --> {{3, 2}, {7, 4}}
---@class nn.MM: nn.Module
---@operator call(any): any
---@field gradInput table
---@field transA any
---@field transB any
local MM = {}

end

--- The product of two matrices, or of each pair of a batch.
---
---     nn.MM():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}}}   --> {{3, 2}, {7, 4}}
---@class nn.MM.class: nn.MM
---@overload fun(transA?: boolean, transB?: boolean): nn.MM
nn.MM = {}

do
--- The mean, or with false the sum, of (x - t)^2.
---
---     nn.MSECriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 2
---@class nn.MSECriterion: nn.Criterion
---@operator call(any): any
---@field sizeAverage boolean
local MSECriterion = {}

end

--- The mean, or with false the sum, of (x - t)^2.
---
---     nn.MSECriterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 2
---@class nn.MSECriterion.class: nn.MSECriterion
---@overload fun(sizeAverage?: any): nn.MSECriterion
nn.MSECriterion = {}

do
--- The product of a matrix and a vector, or of each pair of a batch.
---
---     nn.MV():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1}}   --> {3, 7}
---@class nn.MV: nn.Module
---@operator call(any): any
---@field gradInput table
---@field trans any
local MV = {}

end

--- The product of a matrix and a vector, or of each pair of a batch.
---
---     nn.MV():forward{torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1}}   --> {3, 7}
---@class nn.MV.class: nn.MV
---@overload fun(trans?: boolean): nn.MV
nn.MV = {}

do
--- One module for every element of the input table.
---
---     nn.MapTable(nn.Abs()):forward{torch.Tensor{-1}, torch.Tensor{-2}}   --> {{1}, {2}}
---@class nn.MapTable: nn.Container
---@operator call(any): any
---@field gradInput any
---@field module any
---@field output any
---@field shared boolean
---@field sharedparams boolean
local MapTable = {}

--- Sets the module; there can be only one.
---@param module any
---@return self
function MapTable:add(module) end

--- Makes or drops copies until there are exactly n.
---@param n any
---@return any
function MapTable:resize(n) end

end

--- One module for every element of the input table.
---
---     nn.MapTable(nn.Abs()):forward{torch.Tensor{-1}, torch.Tensor{-2}}   --> {{1}, {2}}
---@class nn.MapTable.class: nn.MapTable
---@overload fun(module?: any, shared?: boolean): nn.MapTable
nn.MapTable = {}

do
--- Two classes, -1 and 1, with a margin between them. max(0, margin - t x) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
---
---     nn.MarginCriterion():forward(torch.Tensor{0.5, -2}, torch.Tensor{1, 1})   --> 1.75
---@class nn.MarginCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output any
---@field sizeAverage boolean
local MarginCriterion = {}

end

--- Two classes, -1 and 1, with a margin between them. max(0, margin - t x) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
---
---     nn.MarginCriterion():forward(torch.Tensor{0.5, -2}, torch.Tensor{1, 1})   --> 1.75
---@class nn.MarginCriterion.class: nn.MarginCriterion
---@overload fun(margin?: any): nn.MarginCriterion
nn.MarginCriterion = {}

do
--- Pairs of numbers, of which a given one should be larger. max(0, margin - t (a - b)) for {a, b} and targets t of -1 and 1; margin 1 by default.
---
---     nn.MarginRankingCriterion(1):forward({torch.Tensor{1, 2}, torch.Tensor{3, 1.5}}, torch.Tensor{1, 1})   --> 1.75
---@class nn.MarginRankingCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output any
---@field sizeAverage boolean
local MarginRankingCriterion = {}

end

--- Pairs of numbers, of which a given one should be larger. max(0, margin - t (a - b)) for {a, b} and targets t of -1 and 1; margin 1 by default.
---
---     nn.MarginRankingCriterion(1):forward({torch.Tensor{1, 2}, torch.Tensor{3, 1.5}}, torch.Tensor{1, 1})   --> 1.75
---@class nn.MarginRankingCriterion.class: nn.MarginRankingCriterion
---@overload fun(margin?: any): nn.MarginRankingCriterion
nn.MarginRankingCriterion = {}

do
--- The elements of a tensor that a mask selects. {tensor, ByteTensor with as many elements} to the vector of the elements where the mask is 1.
---
---     nn.MaskedSelect():forward{torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1}}   --> {1, 3}
---@class nn.MaskedSelect: nn.Module
---@operator call(any): any
---@field gradInput table
local MaskedSelect = {}

end

--- The elements of a tensor that a mask selects. {tensor, ByteTensor with as many elements} to the vector of the elements where the mask is 1.
---
---     nn.MaskedSelect():forward{torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1}}   --> {1, 3}
---@class nn.MaskedSelect.class: nn.MaskedSelect
---@overload fun(): nn.MaskedSelect
nn.MaskedSelect = {}

do
--- The largest elements along a dimension (default 1; negative: from the end).
---
---     nn.Max(1):forward(torch.Tensor{{1, 4}, {3, 2}})   --> {3, 4}
---@class nn.Max: nn.Module
---@operator call(any): any
---@field dimension number
---@field nInputDims any
local Max = {}

end

--- The largest elements along a dimension (default 1; negative: from the end).
---
---     nn.Max(1):forward(torch.Tensor{{1, 4}, {3, 2}})   --> {3, 4}
---@class nn.Max.class: nn.Max
---@overload fun(dimension?: number, nInputDims?: number): nn.Max
nn.Max = {}

do
--- The largest of maxoutNumber affine maps.
---
---     nn.Maxout(4, 3, 2):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Maxout: nn.Sequential
---@operator call(any): any
local Maxout = {}

end

--- The largest of maxoutNumber affine maps.
---
---     nn.Maxout(4, 3, 2):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.Maxout.class: nn.Maxout
---@overload fun(inputSize: number, outputSize: number, maxoutNumber: any, preprocess?: nn.Module): nn.Maxout
nn.Maxout = {}

do
--- The mean over a dimension.
---
---     nn.Mean(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {2, 3}
---@class nn.Mean: nn.Sum
---@operator call(any): any
local Mean = {}

end

--- The mean over a dimension.
---
---     nn.Mean(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {2, 3}
---@class nn.Mean.class: nn.Mean
---@overload fun(dimension?: number, nInputDims?: number): nn.Mean
nn.Mean = {}

do
--- The smallest elements along a dimension; arguments as of nn.Max.
---
---     nn.Min(1):forward(torch.Tensor{{1, 4}, {3, 2}})   --> {1, 2}
---@class nn.Min: nn.Module
---@operator call(any): any
---@field dimension number
---@field nInputDims any
local Min = {}

end

--- The smallest elements along a dimension; arguments as of nn.Max.
---
---     nn.Min(1):forward(torch.Tensor{{1, 4}, {3, 2}})   --> {1, 2}
---@class nn.Min.class: nn.Min
---@overload fun(dimension?: number, nInputDims?: number): nn.Min
nn.Min = {}

do
--- Computes a model in half precision or bfloat16, with float parameters.
---
---     nn.MixedPrecision(nn.Linear(3, 2):float()):forward(torch.FloatTensor(4, 3):fill(1)):type()   --> torch.FloatTensor
---@class nn.MixedPrecision: nn.Container
---@operator call(any): any
---@field calm any
---@field gradInput any
---@field kind any
---@field lossScale any
---@field modules any
---@field output any
local MixedPrecision = {}

--- Draws new random parameters, as the modules inside do.
---@param stdv any
---@return any
function MixedPrecision:reset(stdv) end

--- Makes all parameters, or with names that begin with grad all gradients, views of those of mlp.
---@param mlp any
---@param ... any
---@return self
function MixedPrecision:share(mlp, ...) end

--- Converts the module to floats or doubles, on the CPU or a device; the computation stays in 16 bits.
---@param kind? any
---@param cache? any
---@return any
function MixedPrecision:type(kind, cache) end

--- parameters -= learningRate * gradient
---@param learningRate any
---@return any
---@return any ...
function MixedPrecision:updateParameters(learningRate) end

end

--- Computes a model in half precision or bfloat16, with float parameters.
---
---     nn.MixedPrecision(nn.Linear(3, 2):float()):forward(torch.FloatTensor(4, 3):fill(1)):type()   --> torch.FloatTensor
---@class nn.MixedPrecision.class: nn.MixedPrecision
---@overload fun(module: any, kind?: string, lossScale?: number): nn.MixedPrecision
nn.MixedPrecision = {}

do
--- a weighted sum of experts. {gater, experts} to the sum of experts weighted by the gater: a vector of weights, or a row of them for each sample.
---
---     nn.MixtureTable():forward{torch.Tensor{0.5, 0.5}, {torch.Tensor{1, 2}, torch.Tensor{3, 4}}}   --> {2, 3}
---@class nn.MixtureTable: nn.Module
---@operator call(any): any
---@field dim any
---@field gradInput table
local MixtureTable = {}

end

--- a weighted sum of experts. {gater, experts} to the sum of experts weighted by the gater: a vector of weights, or a row of them for each sample.
---
---     nn.MixtureTable():forward{torch.Tensor{0.5, 0.5}, {torch.Tensor{1, 2}, torch.Tensor{3, 4}}}   --> {2, 3}
---@class nn.MixtureTable.class: nn.MixtureTable
---@overload fun(dim?: number): nn.MixtureTable
nn.MixtureTable = {}

do
--- Parts of a model side by side on several devices.
---
---     nn.ModelParallel(2):add(nn.Linear(3, 2), 1):add(nn.Linear(3, 4), 2):forward(torch.ones(5, 3)):size()   --> {5, 6}
---@class nn.ModelParallel: nn.AbstractParallel
---@operator call(any): any
---@field gradInput any
---@field modules any
---@field output any
---@field train any
local ModelParallel = {}

--- 'ModelParallel'
---@return string
function ModelParallel:name() end

--- The modules without devices, as nn.Concat, which a file holds instead.
---@return any
function ModelParallel:writtenAs() end

end

--- Parts of a model side by side on several devices.
---
---     nn.ModelParallel(2):add(nn.Linear(3, 2), 1):add(nn.Linear(3, 4), 2):forward(torch.ones(5, 3)):size()   --> {5, 6}
---@class nn.ModelParallel.class: nn.ModelParallel
---@overload fun(dimension?: number): nn.ModelParallel
nn.ModelParallel = {}

do
--- The base class of layers: output, gradInput, and the lists of parameters and buffers.
---
---     torch.isTypeOf(nn.Linear(2, 2), 'nn.Module')   --> true
---@class nn.Module
---@field output any
---@field gradInput any
---@field train boolean
---@field weight any
---@field bias any
---@field gradWeight any
---@field gradBias any
---@operator call(any): any
local Module = {}

--- Adds scale (default 1) times the gradient of the parameters to their gradient tensors.
---@return any
function Module:accGradParameters() end

--- parameters -= lr * gradient, through the gradient tensors when parameters are shared.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Module:accUpdateGradParameters(input, gradOutput, lr) end

--- Calls callback(module) for self and every module inside, self first.
---@param callback any
---@return any
function Module:apply(callback) end

--- Computes gradInput and adds scale (default 1) times the gradient of the parameters.
---@param input any
---@param gradOutput any
---@param scale? any
---@return any
function Module:backward(input, gradOutput, scale) end

--- Computes gradInput and takes a step of -lr along the gradient in one pass, without gradient tensors where possible.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Module:backwardUpdate(input, gradOutput, lr) end

--- Empties output, gradInput and the buffers: a cleared module is small in a file and computes as before.
---@return any
---@return any ...
function Module:clearState() end

--- A copy with separate memory, except for the named fields, which it shares with self.
---@param ... any
---@return self
function Module:clone(...) end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:cuda(...) end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:cudaDouble(...) end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:cudaHalf(...) end

--- For one accGradParameters the parameters replace their gradients: a step of gradient descent that stores no gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Module:defaultAccUpdateGradParameters(input, gradOutput, lr) end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:double(...) end

--- Evaluation mode.
---@return self
function Module:evaluate() end

--- All modules with this type name: a list of them, and a list of the containers that hold them.
---@param typename any
---@param container? any
---@return any
---@return any ...
function Module:findModules(typename, container) end

--- Moves tensors into one new vector, which it returns; they become views of it.
---@return any
---@return any ...
function Module:flatten() end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:float(...) end

--- Computes and returns the output.
---@param input any
---@return any
function Module:forward(input) end

--- Two vectors, all parameters and all gradients; the module's own tensors become views of them.
---@return torch.Tensor
---@return torch.Tensor
function Module:getParameters() end

--- As getParameters for a module on several devices.
---
---     nn.Linear(3, 2):getParametersByDevice()[0]:nElement()   --> 8
---@return any
---@return any ...
function Module:getParametersByDevice() end

--- The module with all its tensors converted to a type.
---@param ... any
---@return self
function Module:half(...) end

--- self and every module inside, each once.
---@return self
function Module:listModules() end

--- Refuses anything but a tensor.
---@param x any
---@return any
function Module:needTensor(x) end

--- Refuses anything but a tensor of the module's type.
---@param x any
---@return any
function Module:needType(x) end

--- Gives a module a separate output again, if nn.optimizeMemory made it share; training() and clearState() call it.
---@return self
function Module:ownMemory() end

--- The tensor x when it is contiguous, otherwise a copy of it in the tensor self[name].
---
---     nn.Module():packed('_input', torch.ones(2, 3):t()):isContiguous()   --> true
---@param name any
---@param x any
---@return torch.Tensor
function Module:packed(name, x) end

--- Creates the parameter self[name] and its gradient, both with the given sizes; the gradient is zero.
---@param name any
---@param ... any
---@return any
function Module:parameter(name, ...) end

--- A list of parameters and a list of their gradients; nothing for a module without parameters.
---@return torch.Tensor[]
---@return torch.Tensor[]
function Module:parameters() end

--- Used by writeObject and readObject of a file.
---@param file any
---@return any
function Module:read(file) end

--- Raises "<self>: <what> must <wish>, got <shape>".
---@param what any
---@param wish any
---@param got any
---@return any
function Module:refuse(what, wish, got) end

--- Replaces self and every module inside by callback(module), which may return its argument.
---@param callback any
---@return any
function Module:replace(callback) end

--- Draws new random parameters; layers with random initial values override it.
---@return any
function Module:reset() end

--- The tensor self[name] for a result of the type of x.
---
---     nn.Module():float():resultFor('output', torch.HalfTensor()):type()   --> torch.HalfTensor
---@param name any
---@param x any
---@return torch.Tensor
function Module:resultFor(name, x) end

--- The tensor self[name]; a missing one, or one of another type, is replaced by an empty tensor.
---@param name any
---@param kind? torch.Tensor a tensor type (default: the module's); a LongTensor is on the device of the module
---@return torch.Tensor
function Module:scratch(name, kind) end

--- Replaces the named fields of self by views of those of mlp.
---@param mlp any
---@param ... any
---@return self
function Module:share(mlp, ...) end

--- The same step for shared parameters, through their gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function Module:sharedAccUpdateGradParameters(input, gradOutput, lr) end

--- Training mode, in which layers like Dropout behave differently.
---@return self
function Module:training() end

--- Without an argument the tensor type; with one, converts all tensors to it.
---@param kind? any
---@param cache? table a table kept between the calls that convert several modules which share memory
---@return any
function Module:type(kind, cache) end

--- Computes self.gradInput, the gradient by the input, from updateGradInput(input, gradOutput).
---@return any
function Module:updateGradInput() end

--- Computes self.output from the input, and returns it.
---@return any
function Module:updateOutput() end

--- parameters -= learningRate * gradient
---@param learningRate any
---@return any
function Module:updateParameters(learningRate) end

--- Used by writeObject and readObject of a file.
---@param file any
---@return any
function Module:write(file) end

--- Sets the gradients of all parameters to 0.
---@return any
function Module:zeroGradParameters() end

end

--- The base class of layers: output, gradInput, and the lists of parameters and buffers.
---
---     torch.isTypeOf(nn.Linear(2, 2), 'nn.Module')   --> true
---@class nn.Module.class: nn.Module
---@overload fun(): nn.Module
nn.Module = {}

do
--- A criterion behind modules: of inputModule(input) and targetModule(target).
---
---     nn.ModuleCriterion(nn.MSECriterion(), nn.Abs()):forward(torch.Tensor{-1, 2}, torch.Tensor{1, 4})   --> 2
---@class nn.ModuleCriterion: nn.Criterion
---@operator call(any): any
---@field castTarget boolean
---@field criterion any
---@field gradInput any
---@field input any
---@field inputModule any
---@field output any
---@field target any
---@field targetModule any
local ModuleCriterion = {}

end

--- A criterion behind modules: of inputModule(input) and targetModule(target).
---
---     nn.ModuleCriterion(nn.MSECriterion(), nn.Abs()):forward(torch.Tensor{-1, 2}, torch.Tensor{1, 4})   --> 2
---@class nn.ModuleCriterion.class: nn.ModuleCriterion
---@overload fun(criterion: any, inputModule: any, targetModule: any, castTarget?: boolean): nn.ModuleCriterion
nn.ModuleCriterion = {}

do
--- a criterion as a module that passes gradients on.
---
---     nn.ModuleFromCriterion(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}}   --> {2}
---@class nn.ModuleFromCriterion: nn.Module
---@operator call(any): any
---@field criterion any
---@field gradInput table
---@field output torch.Tensor
local ModuleFromCriterion = {}

end

--- a criterion as a module that passes gradients on.
---
---     nn.ModuleFromCriterion(nn.MSECriterion()):forward{torch.Tensor{1, 2}, torch.Tensor{1, 4}}   --> {2}
---@class nn.ModuleFromCriterion.class: nn.ModuleFromCriterion
---@overload fun(criterion: any): nn.ModuleFromCriterion
nn.ModuleFromCriterion = {}

do
--- One learned factor for all elements.
---
---     m = nn.Mul(); m.weight:fill(3); m:forward(torch.Tensor{1, 2})   --> {3, 6}
---@class nn.Mul: nn.Module
---@operator call(any): any
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local Mul = {}

end

--- One learned factor for all elements.
---
---     m = nn.Mul(); m.weight:fill(3); m:forward(torch.Tensor{1, 2})   --> {3, 6}
---@class nn.Mul.class: nn.Mul
---@overload fun(): nn.Mul
nn.Mul = {}

do
--- x * constant; in place when `inplace` is true (backward then gives the input back).
---
---     nn.MulConstant(5):forward(torch.Tensor{1, 2})   --> {5, 10}
---@class nn.MulConstant: nn.Module
---@operator call(any): any
---@field constant_scalar any
---@field inplace any
local MulConstant = {}

end

--- x * constant; in place when `inplace` is true (backward then gives the input back).
---
---     nn.MulConstant(5):forward(torch.Tensor{1, 2})   --> {5, 10}
---@class nn.MulConstant.class: nn.MulConstant
---@overload fun(constant: any, inplace?: any): nn.MulConstant
nn.MulConstant = {}

do
--- The weighted sum of several criterions of one input and target.
---
---     nn.MultiCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward(torch.Tensor{1, 2}, torch.Tensor{3, -1})   --> 15.5
---@class nn.MultiCriterion: nn.Criterion
---@operator call(any): any
---@field criterions table
---@field gradInput any
---@field output number
---@field weights any
local MultiCriterion = {}

--- Adds a criterion with a weight (default 1).
---@param criterion any
---@param weight any
---@return self
function MultiCriterion:add(criterion, weight) end

end

--- The weighted sum of several criterions of one input and target.
---
---     nn.MultiCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward(torch.Tensor{1, 2}, torch.Tensor{3, -1})   --> 15.5
---@class nn.MultiCriterion.class: nn.MultiCriterion
---@overload fun(): nn.MultiCriterion
nn.MultiCriterion = {}

do
--- Attention of several heads: self or cross, causal, with padding left out.
---
---     nn.MultiHeadAttention(6, 2):forward(torch.ones(4, 5, 6)):size()   --> {4, 5, 6}
---     nn.MultiHeadAttention(6, 2):forward{torch.ones(3, 6), torch.ones(5, 6)}:size()   --> {3, 6}
---@class nn.MultiHeadAttention: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field causal any
---@field dropout number
---@field gradBias torch.Tensor
---@field gradInput table
---@field gradOutBias torch.Tensor
---@field gradOutWeight torch.Tensor
---@field gradWeight torch.Tensor
---@field heads any
---@field outBias torch.Tensor
---@field outWeight torch.Tensor
---@field size any
---@field train boolean
---@field weight torch.Tensor
local MultiHeadAttention = {}

--- Draws the weights uniformly from [-a, a], a = stdv * sqrt(3), or sqrt(3 / size) without an argument (Glorot and Bengio, 2010); the biases are 0.
---@param stdv? any
---@return self
function MultiHeadAttention:reset(stdv) end

--- The weights of the last forward, samples x heads x query steps x key steps.
---@return any
---@return any ...
function MultiHeadAttention:weights() end

end

--- Attention of several heads: self or cross, causal, with padding left out.
---
---     nn.MultiHeadAttention(6, 2):forward(torch.ones(4, 5, 6)):size()   --> {4, 5, 6}
---     nn.MultiHeadAttention(6, 2):forward{torch.ones(3, 6), torch.ones(5, 6)}:size()   --> {3, 6}
---@class nn.MultiHeadAttention.class: nn.MultiHeadAttention
---@overload fun(size: any, heads: any, dropout?: number, causal?: boolean, bias?: boolean): nn.MultiHeadAttention
nn.MultiHeadAttention = {}

do
--- Several right classes, with a margin to all others. sum over targets t and other classes i of max(0, 1 - x[t] + x[i]) / classes.
---
---     nn.MultiLabelMarginCriterion():forward(torch.Tensor{0.1, 0.2, 0.4, 0.8}, torch.Tensor{4, 1, 0, 2})   --> 0.85
---@class nn.MultiLabelMarginCriterion: nn.Criterion
---@operator call(any): any
---@field output any
---@field sizeAverage boolean
local MultiLabelMarginCriterion = {}

end

--- Several right classes, with a margin to all others. sum over targets t and other classes i of max(0, 1 - x[t] + x[i]) / classes.
---
---     nn.MultiLabelMarginCriterion():forward(torch.Tensor{0.1, 0.2, 0.4, 0.8}, torch.Tensor{4, 1, 0, 2})   --> 0.85
---@class nn.MultiLabelMarginCriterion.class: nn.MultiLabelMarginCriterion
---@overload fun(): nn.MultiLabelMarginCriterion
nn.MultiLabelMarginCriterion = {}

do
--- Binary cross entropy of scores. nn.BCECriterion for scores instead of probabilities: x goes through a sigmoid first, without loss at large |x|.
---
---     nn.MultiLabelSoftMarginCriterion():forward(torch.zeros(3), torch.Tensor{1, 0, 1})   --> 0.69315
---@class nn.MultiLabelSoftMarginCriterion: nn.Criterion
---@operator call(any): any
---@field lsm any
---@field output any
---@field sizeAverage boolean
---@field weights any
local MultiLabelSoftMarginCriterion = {}

end

--- Binary cross entropy of scores. nn.BCECriterion for scores instead of probabilities: x goes through a sigmoid first, without loss at large |x|.
---
---     nn.MultiLabelSoftMarginCriterion():forward(torch.zeros(3), torch.Tensor{1, 0, 1})   --> 0.69315
---@class nn.MultiLabelSoftMarginCriterion.class: nn.MultiLabelSoftMarginCriterion
---@overload fun(weights: any, sizeAverage?: any): nn.MultiLabelSoftMarginCriterion
nn.MultiLabelSoftMarginCriterion = {}

do
--- The right class with a margin to all others. sum_i max(0, margin - x[t] + x[i])^p / classes over the other classes i.
---
---     nn.MultiMarginCriterion():forward(torch.Tensor{1, 2, 3}, 1)   --> 1.6667
---@class nn.MultiMarginCriterion: nn.Criterion
---@operator call(any): any
---@field margin number
---@field output any
---@field p number
---@field sizeAverage boolean
---@field weights any
local MultiMarginCriterion = {}

end

--- The right class with a margin to all others. sum_i max(0, margin - x[t] + x[i])^p / classes over the other classes i.
---
---     nn.MultiMarginCriterion():forward(torch.Tensor{1, 2, 3}, 1)   --> 1.6667
---@class nn.MultiMarginCriterion.class: nn.MultiMarginCriterion
---@overload fun(p?: any, weights?: any, margin?: any): nn.MultiMarginCriterion
nn.MultiMarginCriterion = {}

do
--- Raises an error when a module's result has a NaN.
---
---     nn.NaN(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.NaN: nn.Decorator
---@operator call(any): any
---@field id any
local NaN = {}

--- A number that is unique among nn.NaN modules.
---@return number
function NaN:newId() end

--- Whether a tensor, or a nested table of them, holds a NaN.
---@param x? any
---@return boolean
function NaN:recursiveIsNaN(x) end

end

--- Raises an error when a module's result has a NaN.
---
---     nn.NaN(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.NaN.class: nn.NaN
---@overload fun(module: any, id?: any): nn.NaN
nn.NaN = {}

do
--- a part of the input along one dimension.
---
---     nn.Narrow(1, 2, 2):forward(torch.Tensor{1, 2, 3, 4})   --> {2, 3}
---@class nn.Narrow: nn.Module
---@operator call(any): any
---@field dimension any
---@field index any
---@field length any
local Narrow = {}

end

--- a part of the input along one dimension.
---
---     nn.Narrow(1, 2, 2):forward(torch.Tensor{1, 2, 3, 4})   --> {2, 3}
---@class nn.Narrow.class: nn.Narrow
---@overload fun(dimension?: number, offset?: any, length?: any): nn.Narrow
nn.Narrow = {}

do
--- Consecutive elements of a table. `length` elements (default 1) of a table from `offset` on, fewer where the table ends earlier.
---
---     nn.NarrowTable(2, 2):forward{torch.Tensor{1}, torch.Tensor{2}, torch.Tensor{3}}   --> {{2}, {3}}
---@class nn.NarrowTable: nn.Module
---@operator call(any): any
---@field gradInput any
---@field length any
---@field offset any
---@field output any
local NarrowTable = {}

end

--- Consecutive elements of a table. `length` elements (default 1) of a table from `offset` on, fewer where the table ends earlier.
---
---     nn.NarrowTable(2, 2):forward{torch.Tensor{1}, torch.Tensor{2}, torch.Tensor{3}}   --> {{2}, {3}}
---@class nn.NarrowTable.class: nn.NarrowTable
---@overload fun(offset: any, length: any): nn.NarrowTable
nn.NarrowTable = {}

do
--- Drops all units behind a random one, so that the first ones matter most.
---
---     d = nn.NestedDropout(0.5); d:evaluate(); d:forward(torch.ones(3))   --> {1, 1, 1}
---@class nn.NestedDropout: nn.Module
---@operator call(any): any
---@field p number
---@field train boolean
local NestedDropout = {}

end

--- Drops all units behind a random one, so that the first ones matter most.
---
---     d = nn.NestedDropout(0.5); d:evaluate(); d:forward(torch.ones(3))   --> {1, 1, 1}
---@class nn.NestedDropout.class: nn.NestedDropout
---@overload fun(p?: number): nn.NestedDropout
nn.NestedDropout = {}

do
--- Each sample divided by its p-norm: x / (|x|_p^p + eps)^(1/p) for a vector or each row of a matrix; p may be infinite.
---
---     nn.Normalize(2):forward(torch.Tensor{3, 4})   --> {0.6, 0.8}
---@class nn.Normalize: nn.Module
---@operator call(any): any
---@field eps number
---@field p any
local Normalize = {}

end

--- Each sample divided by its p-norm: x / (|x|_p^p + eps)^(1/p) for a vector or each row of a matrix; p may be infinite.
---
---     nn.Normalize(2):forward(torch.Tensor{3, 4})   --> {0.6, 0.8}
---@class nn.Normalize.class: nn.Normalize
---@overload fun(p?: any, eps?: number): nn.Normalize
nn.Normalize = {}

do
--- nn.DataParallel that sends gradients of matrices with one bit per element.
---
---     m = nn.Linear(3, 2); nn.OneBitDataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.OneBitDataParallel: nn.DataParallel
---@operator call(any): any
---@field config table
local OneBitDataParallel = {}

--- As nn.Module:clone; the copy has the same kept errors and state of Adagrad. (A file holds the first module alone.)
---@param ... any
---@return any
function OneBitDataParallel:clone(...) end

--- Sums the gradients of all devices, those of matrices in bits.
---@param live? any
---@param lists? any
---@return any
function OneBitDataParallel:combineGradients(live, lists) end

--- 'OneBitDataParallel'
---@return string
function OneBitDataParallel:name() end

--- Drops the kept errors, and the state of Adagrad.
---@return self
function OneBitDataParallel:resetErrors() end

end

--- nn.DataParallel that sends gradients of matrices with one bit per element.
---
---     m = nn.Linear(3, 2); nn.OneBitDataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size()   --> {5, 2}
---@class nn.OneBitDataParallel.class: nn.OneBitDataParallel
---@overload fun(dimension?: number, config?: any): nn.OneBitDataParallel
nn.OneBitDataParallel = {}

do
--- Quantizes matrices to one bit per element, with the error added to the next one.
---
---     (nn.OneBitQuantization():quantize(torch.Tensor{{1, 3, -2}}))   --> {{3}}
---@class nn.OneBitQuantization
---@field quantization_error any
local OneBitQuantization = {}

--- Reconstructs a matrix from the results of quantize: each element is the mean of its kind in its row.
---
---     nn.OneBitQuantization():dequantize(torch.IntTensor{{3}}, torch.Tensor{2}, torch.Tensor{-2}, 3)   --> {{2, 2, -2}}
---@param bits? any
---@param avg_pos? any
---@param avg_neg? any
---@param num_orig_cols? any how many columns the matrix had
---@return any
---@return any ...
function OneBitQuantization:dequantize(bits, avg_pos, avg_neg, num_orig_cols) end

--- Quantizes a matrix of floats or doubles, on the CPU or a device, plus the kept error of the matrices before.
---@param x any
---@return any # the bits, ints of rows x ceil(columns / 32), lowest bits first. Then the new error, which is kept. Then for each row the means of the numbers that are at least 0 and of the others (0 if there are ...
---@return any ...
function OneBitQuantization:quantize(x) end

--- Drops the kept error.
---@return any
function OneBitQuantization:reset() end

end

--- Quantizes matrices to one bit per element, with the error added to the next one.
---
---     (nn.OneBitQuantization():quantize(torch.Tensor{{1, 3, -2}}))   --> {{3}}
---@class nn.OneBitQuantization.class: nn.OneBitQuantization
---@overload fun(): nn.OneBitQuantization
nn.OneBitQuantization = {}

do
--- Vectors with a 1 at the index in the input, 0 elsewhere.
---
---     nn.OneHot(3):forward(torch.LongTensor{2, 1})   --> {{0, 1, 0}, {1, 0, 0}}
---@class nn.OneHot: nn.Module
---@operator call(any): any
---@field outputSize any
local OneHot = {}

end

--- Vectors with a 1 at the index in the input, 0 elsewhere.
---
---     nn.OneHot(3):forward(torch.LongTensor{2, 1})   --> {{0, 1, 0}, {1, 0, 0}}
---@class nn.OneHot.class: nn.OneHot
---@overload fun(outputSize: number): nn.OneHot
nn.OneHot = {}

do
--- Updates each parameter of a model by itself, without one flat vector.
---
---     nn.Optim(nn.Linear(2, 1), {learningRate = 0.1}):optimize(function(f, x) return x, {f(x)} end, torch.zeros(2), torch.zeros(1), nn.MSECriterion()) >= 0   --> true
---@class nn.Optim
---@field model any
---@field states table
local Optim = {}

--- One step: forward, backward, and an update of every parameter by optimMethod (like optim.sgd).
---@param optimMethod any
---@param inputs any
---@param targets any
---@param criterion any
---@return any # the criterion's value, and the model's output
---@return any ...
function Optim:optimize(optimMethod, inputs, targets, criterion) end

--- A copy of the states of all parameters, for a file and for the third argument of nn.Optim.
---@return any
---@return any ...
function Optim:save() end

--- Sets options, like {learningRate = 0.01}, for all parameters; weightDecay not for biases.
---@param options? any
---@return any
function Optim:setParameters(options) end

--- Converts model and states to a tensor type; without an argument the model's.
---@param kind? any
---@return self
function Optim:type(kind) end

--- Updates every parameter from its gradient; err is the value that the optimizer sees.
---@param optimMethod any
---@param err any
---@return any
---@return any ...
function Optim:updateParameters(optimMethod, err) end

end

--- Updates each parameter of a model by itself, without one flat vector.
---
---     nn.Optim(nn.Linear(2, 1), {learningRate = 0.1}):optimize(function(f, x) return x, {f(x)} end, torch.zeros(2), torch.zeros(1), nn.MSECriterion()) >= 0   --> true
---@class nn.Optim.class: nn.Optim
---@overload fun(model: any, optState?: any, checkpoint?: any): nn.Optim
nn.Optim = {}

do
--- ReLU whose slope below 0 is learned. x where it is positive, else weight * x.
---
---     nn.PReLU():forward(torch.Tensor{-1, 2})   --> {-0.25, 2}
---@class nn.PReLU: nn.Module
---@operator call(any): any
---@field gradInput any
---@field gradWeight torch.Tensor
---@field nOutputPlane number
---@field weight torch.Tensor
local PReLU = {}

end

--- ReLU whose slope below 0 is learned. x where it is positive, else weight * x.
---
---     nn.PReLU():forward(torch.Tensor{-1, 2})   --> {-0.25, 2}
---@class nn.PReLU.class: nn.PReLU
---@overload fun(nOutputPlane?: number): nn.PReLU
nn.PReLU = {}

do
--- Makes one dimension longer.
---
---     nn.Padding(1, 2, 1, 9):forward(torch.Tensor{1, 2})   --> {1, 2, 9, 9}
---@class nn.Padding: nn.Module
---@operator call(any): any
---@field dim any
---@field index any
---@field nInputDim any
---@field outputSize any
---@field pad any
---@field value any
local Padding = {}

end

--- Makes one dimension longer.
---
---     nn.Padding(1, 2, 1, 9):forward(torch.Tensor{1, 2})   --> {1, 2, 9, 9}
---@class nn.Padding.class: nn.Padding
---@overload fun(dim?: number, pad?: any, nInputDim?: number, value?: number, index?: number): nn.Padding
nn.Padding = {}

do
--- The p-norm (default 2) of the difference of two vectors, or of the rows of two matrices.
---
---     nn.PairwiseDistance(1):forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}}   --> {5}
---@class nn.PairwiseDistance: nn.Module
---@operator call(any): any
---@field gradInput table
---@field norm number
local PairwiseDistance = {}

end

--- The p-norm (default 2) of the difference of two vectors, or of the rows of two matrices.
---
---     nn.PairwiseDistance(1):forward{torch.Tensor{1, 2}, torch.Tensor{3, 5}}   --> {5}
---@class nn.PairwiseDistance.class: nn.PairwiseDistance
---@overload fun(p?: any): nn.PairwiseDistance
nn.PairwiseDistance = {}

do
--- Module i gets slice i of the input; the outputs are joined.
---
---     nn.Parallel(1, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(2, 3)):size()   --> {6}
---@class nn.Parallel: nn.Container
---@operator call(any): any
---@field inputDimension any
---@field outputDimension any
local Parallel = {}

end

--- Module i gets slice i of the input; the outputs are joined.
---
---     nn.Parallel(1, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4)):forward(torch.ones(2, 3)):size()   --> {6}
---@class nn.Parallel.class: nn.Parallel
---@overload fun(inputDimension: any, outputDimension: any): nn.Parallel
nn.Parallel = {}

do
--- The weighted sum of criterions of the elements of a table, or of the slices of a tensor: criterion i of input[i] and target[i].
---
---     nn.ParallelCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward({torch.zeros(2), torch.zeros(1)}, {torch.ones(2), torch.ones(1)})   --> 3
---@class nn.ParallelCriterion: nn.Criterion
---@operator call(any): any
---@field criterions table
---@field gradInput table
---@field output number
---@field repeatTarget any
---@field weights table
local ParallelCriterion = {}

--- Adds a criterion with a weight (default 1).
---@param criterion any
---@param weight any
---@return self
function ParallelCriterion:add(criterion, weight) end

end

--- The weighted sum of criterions of the elements of a table, or of the slices of a tensor: criterion i of input[i] and target[i].
---
---     nn.ParallelCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion()):forward({torch.zeros(2), torch.zeros(1)}, {torch.ones(2), torch.ones(1)})   --> 3
---@class nn.ParallelCriterion.class: nn.ParallelCriterion
---@overload fun(repeatTarget?: boolean): nn.ParallelCriterion
nn.ParallelCriterion = {}

do
--- Module i gets element i of the input table.
---
---     nn.ParallelTable():add(nn.Abs()):add(nn.Square()):forward{torch.Tensor{-1}, torch.Tensor{3}}   --> {{1}, {9}}
---@class nn.ParallelTable: nn.Container
---@operator call(any): any
---@field gradInput any
---@field output any
local ParallelTable = {}

end

--- Module i gets element i of the input table.
---
---     nn.ParallelTable():add(nn.Abs()):add(nn.Square()):forward{torch.Tensor{-1}, torch.Tensor{3}}   --> {{1}, {9}}
---@class nn.ParallelTable.class: nn.ParallelTable
---@overload fun(): nn.ParallelTable
nn.ParallelTable = {}

do
--- nn.Linear that computes chosen outputs only.
---
---     nn.PartialLinear(4, 5):forward(torch.ones(2, 4)):size()   --> {2, 5}
---@class nn.PartialLinear: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field gradBias torch.Tensor
---@field inputsize any
---@field network any
---@field outputsize any
---@field partition any
local PartialLinear = {}

--- Weights from a normal distribution with deviation stdv (default 1), biases 0.
---@param stdv? any
---@return any
function PartialLinear:reset(stdv) end

--- Chooses all outputs again.
---@return any
function PartialLinear:resetPartition() end

--- Chooses the outputs: a vector of numbers.
---@param indices any
---@return any
function PartialLinear:setPartition(indices) end

end

--- nn.Linear that computes chosen outputs only.
---
---     nn.PartialLinear(4, 5):forward(torch.ones(2, 4)):size()   --> {2, 5}
---@class nn.PartialLinear.class: nn.PartialLinear
---@overload fun(inputsize: any, outputsize: any, bias?: boolean): nn.PartialLinear
nn.PartialLinear = {}

do
--- r^2 planes become one that is r times as high and wide.
---
---     nn.PixelShuffle(2):forward(torch.ones(4, 2, 3)):size()   --> {1, 4, 6}
---@class nn.PixelShuffle: nn.Module
---@operator call(any): any
---@field upscaleFactor any
local PixelShuffle = {}

end

--- r^2 planes become one that is r times as high and wide.
---
---     nn.PixelShuffle(2):forward(torch.ones(4, 2, 3)):size()   --> {1, 4, 6}
---@class nn.PixelShuffle.class: nn.PixelShuffle
---@overload fun(upscaleFactor: any): nn.PixelShuffle
nn.PixelShuffle = {}

do
--- x ^ p.
---
---     nn.Power(3):forward(torch.Tensor{2, 3})   --> {8, 27}
---@class nn.Power: nn.Module
---@operator call(any): any
---@field pow any
local Power = {}

end

--- x ^ p.
---
---     nn.Power(3):forward(torch.Tensor{2, 3})   --> {8, 27}
---@class nn.Power.class: nn.Power
---@overload fun(p: any): nn.Power
nn.Power = {}

do
--- Returns its input and prints its size, and that of the gradient, after `prefix`.
---
---     nn.PrintSize('input'):__tostring__()   --> nn.PrintSize
---@class nn.PrintSize: nn.Module
---@operator call(any): any
---@field gradInput any
---@field output any
---@field prefix string
local PrintSize = {}

end

--- Returns its input and prints its size, and that of the gradient, after `prefix`.
---
---     nn.PrintSize('input'):__tostring__()   --> nn.PrintSize
---@class nn.PrintSize.class: nn.PrintSize
---@overload fun(prefix?: any): nn.PrintSize
nn.PrintSize = {}

do
--- Measures a module and prints its time.
---
---     nn.Profile(nn.Linear(3, 2), 1000):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Profile: nn.Decorator
---@operator call(any): any
---@field module any
---@field name any
---@field numBwds any
---@field numFwds any
---@field print_interval number
---@field summedBwdTime any
---@field summedFwdTime any
---@field timer any
local Profile = {}

end

--- Measures a module and prints its time.
---
---     nn.Profile(nn.Linear(3, 2), 1000):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Profile.class: nn.Profile
---@overload fun(module: any, print_interval?: number, name?: any): nn.Profile
nn.Profile = {}

do
--- Layers of plain recurrent units, h = tanh(W x + R h + b), over whole sequences. nn.RNNReLU has relu instead of tanh, nn.LSTM and nn.GRU have gates. nn.BRNN, ...
---
---     nn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.RNN: nn.Module
---@operator call(any): any
---@field batchFirst any
---@field dropout number
---@field gradWeight torch.Tensor
---@field hiddenSize any
---@field inputSize any
---@field numLayers boolean
---@field rememberStates any
---@field train boolean
---@field weight torch.Tensor
local RNN = {}

--- The same step for shared parameters, through their gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function RNN:accUpdateGradParameters(input, gradOutput, lr) end

--- The biases in the order of weights().
---@return any
function RNN:biases() end

--- The number of input columns of a layer.
---@param layer any
---@return number
function RNN:inputSizeOf(layer) end

--- Packs sequences: input is steps x samples x ..., or samples x steps x ... with batchFirst, lengths a list or LongTensor of falling lengths.
---@param input any
---@param lengths any
---@param batchFirst? any
---@return any
---@return any ...
function RNN:packPaddedSequence(input, lengths, batchFirst) end

--- The reverse: returns the tensor, 0 where there is no row, and the lengths as a LongTensor.
---@param seq any
---@param batchFirst? any
---@return any
---@return any ...
function RNN:padPackedSequence(seq, batchFirst) end

--- Reads a layer from a file.
---@param file any
---@return any
function RNN:read(file) end

--- Draws the parameters uniformly from [-stdv, stdv], 1 / sqrt(hiddenSize) without an argument.
---@param stdv? any
---@return self
function RNN:reset(stdv) end

--- Drops the states that rememberStates keeps, and those that were set.
---@return self
function RNN:resetStates() end

--- The number of elements of weight.
---@return number
function RNN:weightSize() end

--- For each layer (and direction) a list of matrices, views of weight: those of the inputs by gate, then those of the states.
---@return any
function RNN:weights() end

end

--- Layers of plain recurrent units, h = tanh(W x + R h + b), over whole sequences. nn.RNNReLU has relu instead of tanh, nn.LSTM and nn.GRU have gates. nn.BRNN, ...
---
---     nn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.RNN.class: nn.RNN
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: number, batchFirst?: boolean, dropout?: number, rememberStates?: boolean): nn.RNN
nn.RNN = {}

do
--- nn.RNN with relu instead of tanh. `require 'nn.recurrent'` puts it into nn.
---
---     nn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.RNNReLU: nn.RNN
---@operator call(any): any
local RNNReLU = {}

end

--- nn.RNN with relu instead of tanh. `require 'nn.recurrent'` puts it into nn.
---
---     nn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 5}
---@class nn.RNNReLU.class: nn.RNNReLU
---@overload fun(inputSize: number, hiddenSize: any, numLayers?: any, batchFirst?: any, dropout?: any, rememberStates?: any): nn.RNNReLU
nn.RNNReLU = {}

do
--- ReLU whose slope below 0 is drawn at random. x where it is positive, else a * x. a is drawn uniformly from [l, u] for each element while training, and is (l ...
---
---     r = nn.RReLU(0.1, 0.3); r:evaluate(); r:forward(torch.Tensor{-1, 2})   --> {-0.2, 2}
---@class nn.RReLU: nn.Module
---@operator call(any): any
---@field inplace any
---@field lower any
---@field train boolean
---@field upper any
local RReLU = {}

end

--- ReLU whose slope below 0 is drawn at random. x where it is positive, else a * x. a is drawn uniformly from [l, u] for each element while training, and is (l ...
---
---     r = nn.RReLU(0.1, 0.3); r:evaluate(); r:forward(torch.Tensor{-1, 2})   --> {-0.2, 2}
---@class nn.RReLU.class: nn.RReLU
---@overload fun(l?: any, u?: any, inplace?: boolean): nn.RReLU
nn.RReLU = {}

do
--- max(x, 0), in place when `inplace` is true.
---
---     nn.ReLU():forward(torch.Tensor{-1, 2})   --> {0, 2}
---@class nn.ReLU: nn.Threshold
---@operator call(any): any
local ReLU = {}

end

--- max(x, 0), in place when `inplace` is true.
---
---     nn.ReLU():forward(torch.Tensor{-1, 2})   --> {0, 2}
---@class nn.ReLU.class: nn.ReLU
---@overload fun(inplace: any): nn.ReLU
nn.ReLU = {}

do
--- x limited to [0, 6].
---
---     nn.ReLU6():forward(torch.Tensor{-1, 8})   --> {0, 6}
---@class nn.ReLU6: nn.Module
---@operator call(any): any
---@field inplace any
local ReLU6 = {}

end

--- x limited to [0, 6].
---
---     nn.ReLU6():forward(torch.Tensor{-1, 8})   --> {0, 6}
---@class nn.ReLU6.class: nn.ReLU6
---@overload fun(inplace?: any): nn.ReLU6
nn.ReLU6 = {}

do
--- Repeats the input along a new dimension, without a copy.
---
---     nn.Replicate(2, 1):forward(torch.Tensor{1, 2})   --> {{1, 2}, {1, 2}}
---@class nn.Replicate: nn.Module
---@operator call(any): any
---@field dim any
---@field ndim any
---@field nfeatures any
local Replicate = {}

end

--- Repeats the input along a new dimension, without a copy.
---
---     nn.Replicate(2, 1):forward(torch.Tensor{1, 2})   --> {{1, 2}, {1, 2}}
---@class nn.Replicate.class: nn.Replicate
---@overload fun(nfeatures?: any, dim?: any, ndim?: any): nn.Replicate
nn.Replicate = {}

do
--- The same elements in another shape.
---
---     nn.Reshape(2, 6):forward(torch.ones(5, 3, 4)):size()   --> {5, 2, 6}
---@class nn.Reshape: nn.Module
---@operator call(any): any
---@field batchMode any
---@field batchsize any
---@field nelement number
---@field size any
local Reshape = {}

end

--- The same elements in another shape.
---
---     nn.Reshape(2, 6):forward(torch.ones(5, 3, 4)):size()   --> {5, 2, 6}
---@class nn.Reshape.class: nn.Reshape
---@overload fun(...: any): nn.Reshape
nn.Reshape = {}

do
--- One slice of the input. input:select(dimension, index); negative numbers count from the end.
---
---     nn.Select(1, -1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {3, 4}
---@class nn.Select: nn.Module
---@operator call(any): any
---@field dimension any
---@field index any
local Select = {}

end

--- One slice of the input. input:select(dimension, index); negative numbers count from the end.
---
---     nn.Select(1, -1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {3, 4}
---@class nn.Select.class: nn.Select
---@overload fun(dimension?: number, index?: number): nn.Select
nn.Select = {}

do
--- One element of a table.
---
---     nn.SelectTable(2):forward{torch.Tensor{1}, torch.Tensor{2}}   --> {2}
---@class nn.SelectTable: nn.Module
---@operator call(any): any
---@field gradInput any
---@field index any
---@field output any
local SelectTable = {}

end

--- One element of a table.
---
---     nn.SelectTable(2):forward{torch.Tensor{1}, torch.Tensor{2}}   --> {2}
---@class nn.SelectTable.class: nn.SelectTable
---@overload fun(index?: number): nn.SelectTable
nn.SelectTable = {}

do
--- Batch normalization with statistics over samples and steps. nn.BatchNormalization of sequences: mean and variance of each feature, the last dimension, over ...
---
---     nn.SequenceBatchNormalization(3):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class nn.SequenceBatchNormalization: nn.BatchNormalization
---@operator call(any): any
local SequenceBatchNormalization = {}

end

--- Batch normalization with statistics over samples and steps. nn.BatchNormalization of sequences: mean and variance of each feature, the last dimension, over ...
---
---     nn.SequenceBatchNormalization(3):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class nn.SequenceBatchNormalization.class: nn.SequenceBatchNormalization
---@overload fun(...): nn.SequenceBatchNormalization
nn.SequenceBatchNormalization = {}

do
--- Modules one after the other.
---
---     nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Sequential: nn.Container
---@operator call(any): any
---@field gradInput any
---@field output any
local Sequential = {}

--- Appends a module; nil appends nothing.
---@param module? any
---@return self
function Sequential:add(module) end

--- backward, which also writes base plus gradInput to sum.
---@param input any
---@param gradOutput any
---@param scale? any
---@param base? any
---@param sum? any
---@return any
function Sequential:backwardOnto(input, gradOutput, scale, base, sum) end

--- Inserts a module at index (default: at the end).
---@param module any
---@param index? number
---@return any
function Sequential:insert(module, index) end

--- Removes module number index (default: the last one).
---@param index? number
---@return any
function Sequential:remove(index) end

end

--- Modules one after the other.
---
---     nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class nn.Sequential.class: nn.Sequential
---@overload fun(): nn.Sequential
nn.Sequential = {}

do
--- 1 / (1 + exp(-x)) of each element.
---
---     nn.Sigmoid():forward(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@class nn.Sigmoid: nn.Module
---@operator call(any): any
---@field inplace any
local Sigmoid = {}

end

--- 1 / (1 + exp(-x)) of each element.
---
---     nn.Sigmoid():forward(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@class nn.Sigmoid.class: nn.Sigmoid
---@overload fun(): nn.Sigmoid
nn.Sigmoid = {}

do
--- The mean, or with false the sum, of (x - t)^2 / 2 where |x - t| < 1, |x - t| - 1/2 elsewhere.
---
---     nn.SmoothL1Criterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 0.75
---@class nn.SmoothL1Criterion: nn.Criterion
---@operator call(any): any
---@field sizeAverage boolean
local SmoothL1Criterion = {}

end

--- The mean, or with false the sum, of (x - t)^2 / 2 where |x - t| < 1, |x - t| - 1/2 elsewhere.
---
---     nn.SmoothL1Criterion():forward(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 0.75
---@class nn.SmoothL1Criterion.class: nn.SmoothL1Criterion
---@overload fun(sizeAverage?: any): nn.SmoothL1Criterion
nn.SmoothL1Criterion = {}

do
--- Two classes, -1 and 1, with a logistic loss. log(1 + exp(-t x)) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
---
---     nn.SoftMarginCriterion():forward(torch.zeros(2), torch.Tensor{1, -1})   --> 0.69315
---@class nn.SoftMarginCriterion: nn.Criterion
---@operator call(any): any
---@field output any
---@field sizeAverage boolean
local SoftMarginCriterion = {}

end

--- Two classes, -1 and 1, with a logistic loss. log(1 + exp(-t x)) for targets t of -1 and 1, averaged (sizeAverage = false: summed).
---
---     nn.SoftMarginCriterion():forward(torch.zeros(2), torch.Tensor{1, -1})   --> 0.69315
---@class nn.SoftMarginCriterion.class: nn.SoftMarginCriterion
---@overload fun(): nn.SoftMarginCriterion
nn.SoftMarginCriterion = {}

do
--- exp(x) / sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
---
---     nn.SoftMax():forward(torch.Tensor{0, math.log(3)})   --> {0.25, 0.75}
---@class nn.SoftMax: nn.Module
---@operator call(any): any
local SoftMax = {}

end

--- exp(x) / sum of exp(x) over the classes: dimension 1 of a vector, 2 of a batch.
---
---     nn.SoftMax():forward(torch.Tensor{0, math.log(3)})   --> {0.25, 0.75}
---@class nn.SoftMax.class: nn.SoftMax
---@overload fun(): nn.SoftMax
nn.SoftMax = {}

do
--- nn.SoftMax of -x.
---
---     nn.SoftMin():forward(torch.Tensor{0, math.log(3)})   --> {0.75, 0.25}
---@class nn.SoftMin: nn.Module
---@operator call(any): any
local SoftMin = {}

end

--- nn.SoftMax of -x.
---
---     nn.SoftMin():forward(torch.Tensor{0, math.log(3)})   --> {0.75, 0.25}
---@class nn.SoftMin.class: nn.SoftMin
---@overload fun(): nn.SoftMin
nn.SoftMin = {}

do
--- log(1 + exp(beta x)) / beta of each element; beta is 1 by default.
---
---     nn.SoftPlus():forward(torch.Tensor{0, 30})   --> {0.69315, 30}
---@class nn.SoftPlus: nn.Module
---@operator call(any): any
---@field inplace any
local SoftPlus = {}

end

--- log(1 + exp(beta x)) / beta of each element; beta is 1 by default.
---
---     nn.SoftPlus():forward(torch.Tensor{0, 30})   --> {0.69315, 30}
---@class nn.SoftPlus.class: nn.SoftPlus
---@overload fun(beta?: any): nn.SoftPlus
nn.SoftPlus = {}

do
--- x moved towards 0 by lambda (0.5), but not across it.
---
---     nn.SoftShrink():forward(torch.Tensor{-0.3, 2})   --> {0, 1.5}
---@class nn.SoftShrink: nn.Module
---@operator call(any): any
---@field inplace any
local SoftShrink = {}

end

--- x moved towards 0 by lambda (0.5), but not across it.
---
---     nn.SoftShrink():forward(torch.Tensor{-0.3, 2})   --> {0, 1.5}
---@class nn.SoftShrink.class: nn.SoftShrink
---@overload fun(lambda?: any): nn.SoftShrink
nn.SoftShrink = {}

do
--- x / (1 + |x|) of each element.
---
---     nn.SoftSign():forward(torch.Tensor{-1, 3})   --> {-0.5, 0.75}
---@class nn.SoftSign: nn.Module
---@operator call(any): any
---@field inplace any
local SoftSign = {}

end

--- x / (1 + |x|) of each element.
---
---     nn.SoftSign():forward(torch.Tensor{-1, 3})   --> {-0.5, 0.75}
---@class nn.SoftSign.class: nn.SoftSign
---@overload fun(): nn.SoftSign
nn.SoftSign = {}

--- The tests of nn.Jacobian for sparse inputs: n x 2 matrices of (index, value); gradInput likewise.
---@class nn.SparseJacobian
nn.SparseJacobian = {}

--- nn.Jacobian.backward for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.backward(module, input, ...) end

--- nn.Jacobian.backwardUpdate for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.backwardUpdate(module, input, ...) end

--- nn.Jacobian.forward for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.forward(module, input, ...) end

--- nn.Jacobian.forwardUpdate for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.forwardUpdate(module, input, ...) end

--- nn.Jacobian.testAllUpdate for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.testAllUpdate(module, input, ...) end

--- nn.Jacobian.testIO for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.testIO(module, input, ...) end

--- nn.Jacobian.testJacobian for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.testJacobian(module, input, ...) end

--- nn.Jacobian.testJacobianParameters for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.testJacobianParameters(module, input, ...) end

--- nn.Jacobian.testJacobianUpdateParameters for a sparse input.
---@param module any
---@param input any
---@param ... any
---@return any
---@return any ...
function nn.SparseJacobian.testJacobianUpdateParameters(module, input, ...) end

do
--- nn.Linear of sparse vectors.
---
---     nn.SparseLinear(6, 3):forward{torch.Tensor{{1, 0.5}, {4, -1.5}}}:nElement()   --> 3
---@class nn.SparseLinear: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field doGradInput any
---@field gradBias torch.Tensor
---@field gradInput table
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local SparseLinear = {}

--- The input as a list of n x 2 matrices.
---@param input any
---@return any
function SparseLinear:reshapeInput(input) end

end

--- nn.Linear of sparse vectors.
---
---     nn.SparseLinear(6, 3):forward{torch.Tensor{{1, 0.5}, {4, -1.5}}}:nElement()   --> 3
---@class nn.SparseLinear.class: nn.SparseLinear
---@overload fun(inputSize: number, outputSize: number, doGradInput?: boolean): nn.SparseLinear
nn.SparseLinear = {}

do
--- Pools images of any size to W x H: the means of these parts.
---
---     nn.SpatialAdaptiveAveragePooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4))   --> {{{3.5, 5.5}}}
---@class nn.SpatialAdaptiveAveragePooling: nn.Module
---@operator call(any): any
---@field H any
---@field W any
local SpatialAdaptiveAveragePooling = {}

--- clearState under an older name.
---@return any
function SpatialAdaptiveAveragePooling:empty() end

end

--- Pools images of any size to W x H: the means of these parts.
---
---     nn.SpatialAdaptiveAveragePooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4))   --> {{{3.5, 5.5}}}
---@class nn.SpatialAdaptiveAveragePooling.class: nn.SpatialAdaptiveAveragePooling
---@overload fun(W: any, H: any): nn.SpatialAdaptiveAveragePooling
nn.SpatialAdaptiveAveragePooling = {}

do
--- Pools images of any size to W x H: the largest of each of these parts.
---
---     nn.SpatialAdaptiveMaxPooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4))   --> {{{6, 8}}}
---@class nn.SpatialAdaptiveMaxPooling: nn.Module
---@operator call(any): any
---@field H any
---@field W any
local SpatialAdaptiveMaxPooling = {}

--- clearState under an older name.
---@return any
function SpatialAdaptiveMaxPooling:empty() end

end

--- Pools images of any size to W x H: the largest of each of these parts.
---
---     nn.SpatialAdaptiveMaxPooling(2, 1):forward(torch.range(1, 8):view(1, 2, 4))   --> {{{6, 8}}}
---@class nn.SpatialAdaptiveMaxPooling.class: nn.SpatialAdaptiveMaxPooling
---@overload fun(W: any, H: any): nn.SpatialAdaptiveMaxPooling
nn.SpatialAdaptiveMaxPooling = {}

do
--- MSECriterion against the middle of a larger target.
---
---     nn.SpatialAutoCropMSECriterion():forward(torch.zeros(1, 2, 2), torch.ones(1, 4, 4))   --> 1
---@class nn.SpatialAutoCropMSECriterion: nn.MSECriterion
---@operator call(any): any
local SpatialAutoCropMSECriterion = {}

end

--- MSECriterion against the middle of a larger target.
---
---     nn.SpatialAutoCropMSECriterion():forward(torch.zeros(1, 2, 2), torch.ones(1, 4, 4))   --> 1
---@class nn.SpatialAutoCropMSECriterion.class: nn.SpatialAutoCropMSECriterion
---@overload fun(...): nn.SpatialAutoCropMSECriterion
nn.SpatialAutoCropMSECriterion = {}

do
--- The mean of each window of an image.
---
---     nn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1][1]   --> {3.5, 4.5, 5.5}
---@class nn.SpatialAveragePooling: nn.Module
---@operator call(any): any
---@field ceil_mode boolean
---@field count_include_pad boolean
---@field dH any
---@field dW any
---@field divide boolean
---@field kH any
---@field kW any
---@field padH any
---@field padW any
local SpatialAveragePooling = {}

--- Keeps the windows that extend beyond the far edges.
---@return self
function SpatialAveragePooling:ceil() end

--- Drops the windows that extend beyond the far edges (the default).
---@return self
function SpatialAveragePooling:floor() end

--- Divides by the number of pixels of the image in the window.
---@return self
function SpatialAveragePooling:setCountExcludePad() end

--- Divides by the whole window, its padding included (the default).
---@return self
function SpatialAveragePooling:setCountIncludePad() end

end

--- The mean of each window of an image.
---
---     nn.SpatialAveragePooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1][1]   --> {3.5, 4.5, 5.5}
---@class nn.SpatialAveragePooling.class: nn.SpatialAveragePooling
---@overload fun(kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number): nn.SpatialAveragePooling
nn.SpatialAveragePooling = {}

do
--- nn.BatchNormalization of the planes of samples x planes x height x width.
---
---     nn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size()   --> {3, 2, 4, 4}
---@class nn.SpatialBatchNormalization: nn.BatchNormalization
---@operator call(any): any
local SpatialBatchNormalization = {}

end

--- nn.BatchNormalization of the planes of samples x planes x height x width.
---
---     nn.SpatialBatchNormalization(2):forward(torch.ones(3, 2, 4, 4)):size()   --> {3, 2, 4, 4}
---@class nn.SpatialBatchNormalization.class: nn.SpatialBatchNormalization
---@overload fun(nOutput?: number, eps?: any, momentum?: any, affine?: any): nn.SpatialBatchNormalization
nn.SpatialBatchNormalization = {}

do
--- ClassNLLCriterion for every pixel.
---
---     nn.SpatialClassNLLCriterion():forward(torch.zeros(1, 2, 1, 1):fill(-1), torch.ones(1, 1, 1):long())   --> 1
---@class nn.SpatialClassNLLCriterion: nn.ClassNLLCriterion
---@operator call(any): any
local SpatialClassNLLCriterion = {}

end

--- ClassNLLCriterion for every pixel.
---
---     nn.SpatialClassNLLCriterion():forward(torch.zeros(1, 2, 1, 1):fill(-1), torch.ones(1, 1, 1):long())   --> 1
---@class nn.SpatialClassNLLCriterion.class: nn.SpatialClassNLLCriterion
---@overload fun(...): nn.SpatialClassNLLCriterion
nn.SpatialClassNLLCriterion = {}

do
--- Subtractive, then divisive normalization.
---
---     nn.SpatialContrastiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 5, 5)):size()   --> {1, 5, 5}
---@class nn.SpatialContrastiveNormalization: nn.Module
---@operator call(any): any
---@field gradInput any
---@field normalizer any
---@field output any
---@field threshold number
---@field thresval any
local SpatialContrastiveNormalization = {}

end

--- Subtractive, then divisive normalization.
---
---     nn.SpatialContrastiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 5, 5)):size()   --> {1, 5, 5}
---@class nn.SpatialContrastiveNormalization.class: nn.SpatialContrastiveNormalization
---@overload fun(nInputPlane: number, kernel: any, threshold?: any, thresval?: any): nn.SpatialContrastiveNormalization
nn.SpatialContrastiveNormalization = {}

do
--- 2-D convolution (cross-correlation) of images.
---
---     nn.SpatialConvolution(1, 8, 5, 5):forward(torch.ones(1, 28, 28)):size()   --> {8, 24, 24}
---@class nn.SpatialConvolution: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field kH any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field padH any
---@field padW number
---@field weight torch.Tensor
local SpatialConvolution = {}

--- Makes weight and bias; subclasses give them other shapes.
---@return any
function SpatialConvolution:makeParameters() end

--- Removes the bias.
---@return self
function SpatialConvolution:noBias() end

--- Draws the parameters uniformly from [-a, a], a = stdv * sqrt(3), or 1 / sqrt(kW * kH * nInputPlane).
---@param stdv? any
---@return any
function SpatialConvolution:reset(stdv) end

end

--- 2-D convolution (cross-correlation) of images.
---
---     nn.SpatialConvolution(1, 8, 5, 5):forward(torch.ones(1, 28, 28)):size()   --> {8, 24, 24}
---@class nn.SpatialConvolution.class: nn.SpatialConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number): nn.SpatialConvolution
nn.SpatialConvolution = {}

do
--- nn.SpatialConvolutionFFT under another of fbcunn's names; on CUDA devices by the engine cufft.
---
---     nn.SpatialConvolutionCuFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionCuFFT: nn.SpatialConvolutionFFT
---@operator call(any): any
local SpatialConvolutionCuFFT = {}

end

--- nn.SpatialConvolutionFFT under another of fbcunn's names; on CUDA devices by the engine cufft.
---
---     nn.SpatialConvolutionCuFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionCuFFT.class: nn.SpatialConvolutionCuFFT
---@overload fun(...: any): nn.SpatialConvolutionCuFFT
nn.SpatialConvolutionCuFFT = {}

do
--- nn.SpatialConvolutionFFT under another of fbcunn's names.
---
---     nn.SpatialConvolutionFBFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFBFFT: nn.SpatialConvolutionFFT
---@operator call(any): any
local SpatialConvolutionFBFFT = {}

end

--- nn.SpatialConvolutionFFT under another of fbcunn's names.
---
---     nn.SpatialConvolutionFBFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFBFFT.class: nn.SpatialConvolutionFBFFT
---@overload fun(...: any): nn.SpatialConvolutionFBFFT
nn.SpatialConvolutionFBFFT = {}

do
--- nn.SpatialConvolutionFFT under another of fbcunn's names.
---
---     nn.SpatialConvolutionFBFFTGemm(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFBFFTGemm: nn.SpatialConvolutionFFT
---@operator call(any): any
local SpatialConvolutionFBFFTGemm = {}

end

--- nn.SpatialConvolutionFFT under another of fbcunn's names.
---
---     nn.SpatialConvolutionFBFFTGemm(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFBFFTGemm.class: nn.SpatialConvolutionFBFFTGemm
---@overload fun(...: any): nn.SpatialConvolutionFBFFTGemm
nn.SpatialConvolutionFBFFTGemm = {}

do
--- nn.SpatialConvolutionFFT(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [memoryReusePolicy], [numCudaStreams]): nn.SpatialConvolution by ...
---
---     nn.SpatialConvolutionFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFT: nn.SpatialConvolution
---@operator call(any): any
---@field memoryReusePolicy any
local SpatialConvolutionFFT = {}

--- Empties the buffers, as clearState.
---@return any
---@return any ...
function SpatialConvolutionFFT:cleanupBuffers() end

--- Accepted for scripts of fbcunn, and has no effect, because the engine decides what to keep.
---@return self
function SpatialConvolutionFFT:setReuseInputs() end

--- Accepted for scripts of fbcunn, and has no effect, because the engine decides what to keep.
---@return self
function SpatialConvolutionFFT:setReuseOutputs() end

--- Accepted for scripts of fbcunn, and has no effect, because the engine decides what to keep.
---@return self
function SpatialConvolutionFFT:setReuseWeights() end

end

--- nn.SpatialConvolutionFFT(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [memoryReusePolicy], [numCudaStreams]): nn.SpatialConvolution by ...
---
---     nn.SpatialConvolutionFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFT.class: nn.SpatialConvolutionFFT
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padLeft?: any, padUp?: any, memoryReusePolicy?: any): nn.SpatialConvolutionFFT
nn.SpatialConvolutionFFT = {}

do
--- nn.SpatialConvolutionFFTTiled(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [tileSizeW], [tileSizeH], [memoryReusePolicy], [...
---
---     nn.SpatialConvolutionFFTTiled(2, 3, 5, 5, 1, 1, 0, 0, 16, 16):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiled: nn.SpatialConvolutionFBFFT
---@operator call(any): any
---@field tileSizeH any
---@field tileSizeW any
local SpatialConvolutionFFTTiled = {}

end

--- nn.SpatialConvolutionFFTTiled(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [tileSizeW], [tileSizeH], [memoryReusePolicy], [...
---
---     nn.SpatialConvolutionFFTTiled(2, 3, 5, 5, 1, 1, 0, 0, 16, 16):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiled.class: nn.SpatialConvolutionFFTTiled
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padLeft?: any, padUp?: any, tileSizeW?: any, tileSizeH?: any, memoryReusePolicy?: any): nn.SpatialConvolutionFFTTiled
nn.SpatialConvolutionFFTTiled = {}

do
--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledAsync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledAsync: nn.SpatialConvolutionFFTTiled
---@operator call(any): any
local SpatialConvolutionFFTTiledAsync = {}

end

--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledAsync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledAsync.class: nn.SpatialConvolutionFFTTiledAsync
---@overload fun(...: any): nn.SpatialConvolutionFFTTiledAsync
nn.SpatialConvolutionFFTTiledAsync = {}

do
--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledIterated(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledIterated: nn.SpatialConvolutionFFTTiled
---@operator call(any): any
local SpatialConvolutionFFTTiledIterated = {}

end

--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledIterated(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledIterated.class: nn.SpatialConvolutionFFTTiledIterated
---@overload fun(...: any): nn.SpatialConvolutionFFTTiledIterated
nn.SpatialConvolutionFFTTiledIterated = {}

do
--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledSync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledSync: nn.SpatialConvolutionFFTTiled
---@operator call(any): any
local SpatialConvolutionFFTTiledSync = {}

end

--- nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
---
---     nn.SpatialConvolutionFFTTiledSync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size()   --> {3, 4, 4}
---@class nn.SpatialConvolutionFFTTiledSync.class: nn.SpatialConvolutionFFTTiledSync
---@overload fun(...: any): nn.SpatialConvolutionFFTTiledSync
nn.SpatialConvolutionFFTTiledSync = {}

do
--- A convolution with separate filters for each position, for images of one size.
---
---     nn.SpatialConvolutionLocal(2, 3, 5, 4, 3, 2):forward(torch.ones(2, 4, 5)):size()   --> {3, 3, 3}
---@class nn.SpatialConvolutionLocal: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field iH any
---@field iW any
---@field kH any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field oH any
---@field oW any
---@field padH any
---@field padW number
---@field weight torch.Tensor
local SpatialConvolutionLocal = {}

end

--- A convolution with separate filters for each position, for images of one size.
---
---     nn.SpatialConvolutionLocal(2, 3, 5, 4, 3, 2):forward(torch.ones(2, 4, 5)):size()   --> {3, 3, 3}
---@class nn.SpatialConvolutionLocal.class: nn.SpatialConvolutionLocal
---@overload fun(nInputPlane: number, nOutputPlane: number, iW: any, iH: any, kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number): nn.SpatialConvolutionLocal
nn.SpatialConvolutionLocal = {}

do
--- SpatialConvolution with its weights in a matrix, one row for each filter.
---
---     nn.SpatialConvolutionMM(2, 3, 3, 2):forward(torch.ones(2, 4, 5)):size()   --> {3, 3, 3}
---@class nn.SpatialConvolutionMM: nn.SpatialConvolution
---@operator call(any): any
local SpatialConvolutionMM = {}

--- Makes the weight as a matrix, and the bias.
---@return any
function SpatialConvolutionMM:makeParameters() end

end

--- SpatialConvolution with its weights in a matrix, one row for each filter.
---
---     nn.SpatialConvolutionMM(2, 3, 3, 2):forward(torch.ones(2, 4, 5)):size()   --> {3, 3, 3}
---@class nn.SpatialConvolutionMM.class: nn.SpatialConvolutionMM
---@overload fun(...): nn.SpatialConvolutionMM
nn.SpatialConvolutionMM = {}

do
--- A convolution with a filter for each row of a table of connections, (input plane, output plane), such as nn.tables makes.
---
---     nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {2, 2, 2}
---@class nn.SpatialConvolutionMap: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field connTable any
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field kH any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field weight torch.Tensor
local SpatialConvolutionMap = {}

--- Subtracts decay * parameters from the parameters.
---@param decay any
---@return any
function SpatialConvolutionMap:decayParameters(decay) end

end

--- A convolution with a filter for each row of a table of connections, (input plane, output plane), such as nn.tables makes.
---
---     nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {2, 2, 2}
---@class nn.SpatialConvolutionMap.class: nn.SpatialConvolutionMap
---@overload fun(conMatrix: any, kW: number, kH: number, dW?: number, dH?: number): nn.SpatialConvolutionMap
nn.SpatialConvolutionMap = {}

do
--- x / (k + alpha / size * sum of x^2 over `size` neighbouring planes)^beta.
---
---     nn.SpatialCrossMapLRN(3):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class nn.SpatialCrossMapLRN: nn.Module
---@operator call(any): any
---@field alpha any
---@field beta any
---@field k any
---@field scale any
---@field size any
local SpatialCrossMapLRN = {}

end

--- x / (k + alpha / size * sum of x^2 over `size` neighbouring planes)^beta.
---
---     nn.SpatialCrossMapLRN(3):forward(torch.ones(4, 2, 3)):size()   --> {4, 2, 3}
---@class nn.SpatialCrossMapLRN.class: nn.SpatialCrossMapLRN
---@overload fun(size: number, alpha?: number, beta?: number, k?: number): nn.SpatialCrossMapLRN
nn.SpatialCrossMapLRN = {}

do
--- Separate filters for every input plane. nOutputPlane separate filters for every input plane; plane (i - 1) * nOutputPlane + o is filter o of input plane i.
---
---     nn.SpatialDepthWiseConvolution(2, 3, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {6, 2, 2}
---@class nn.SpatialDepthWiseConvolution: nn.SpatialConvolution
---@operator call(any): any
local SpatialDepthWiseConvolution = {}

--- Makes weight and bias.
---@return any
function SpatialDepthWiseConvolution:makeParameters() end

end

--- Separate filters for every input plane. nOutputPlane separate filters for every input plane; plane (i - 1) * nOutputPlane + o is filter o of input plane i.
---
---     nn.SpatialDepthWiseConvolution(2, 3, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {6, 2, 2}
---@class nn.SpatialDepthWiseConvolution.class: nn.SpatialDepthWiseConvolution
---@overload fun(...): nn.SpatialDepthWiseConvolution
nn.SpatialDepthWiseConvolution = {}

do
--- SpatialConvolution whose filters have gaps.
---
---     nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 7, 7)):size()   --> {1, 3, 3}
---@class nn.SpatialDilatedConvolution: nn.SpatialConvolution
---@operator call(any): any
---@field dilationH any
---@field dilationW any
local SpatialDilatedConvolution = {}

end

--- SpatialConvolution whose filters have gaps.
---
---     nn.SpatialDilatedConvolution(1, 1, 3, 3, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 7, 7)):size()   --> {1, 3, 3}
---@class nn.SpatialDilatedConvolution.class: nn.SpatialDilatedConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number, dilationW?: any, dilationH?: any): nn.SpatialDilatedConvolution
nn.SpatialDilatedConvolution = {}

do
--- SpatialMaxPooling whose windows have gaps.
---
---     nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 4, 5)):size()   --> {1, 2, 3}
---@class nn.SpatialDilatedMaxPooling: nn.SpatialMaxPooling
---@operator call(any): any
---@field dilationH any
---@field dilationW any
local SpatialDilatedMaxPooling = {}

end

--- SpatialMaxPooling whose windows have gaps.
---
---     nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2):forward(torch.ones(1, 4, 5)):size()   --> {1, 2, 3}
---@class nn.SpatialDilatedMaxPooling.class: nn.SpatialDilatedMaxPooling
---@overload fun(kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number, dilationW?: any, dilationH?: any): nn.SpatialDilatedMaxPooling
nn.SpatialDilatedMaxPooling = {}

do
--- Divides by the deviation in the neighbourhood.
---
---     nn.SpatialDivisiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 4, 5)):size()   --> {1, 4, 5}
---@class nn.SpatialDivisiveNormalization: nn.Module
---@operator call(any): any
---@field threshold number
---@field thresval any
local SpatialDivisiveNormalization = {}

end

--- Divides by the deviation in the neighbourhood.
---
---     nn.SpatialDivisiveNormalization(1, torch.ones(3, 3)):forward(torch.ones(1, 4, 5)):size()   --> {1, 4, 5}
---@class nn.SpatialDivisiveNormalization.class: nn.SpatialDivisiveNormalization
---@overload fun(nInputPlane: number, kernel: any, threshold?: number, thresval?: number): nn.SpatialDivisiveNormalization
nn.SpatialDivisiveNormalization = {}

do
--- Whole planes are 0 with probability p (default 0.5) while training; in evaluation mode the input is multiplied by 1 - p.
---
---     d = nn.SpatialDropout(0.25); d:evaluate(); d:forward(torch.ones(1, 1, 2))   --> {{{0.75, 0.75}}}
---@class nn.SpatialDropout: nn.Dropout
---@operator call(any): any
---@field v2 any
local SpatialDropout = {}

end

--- Whole planes are 0 with probability p (default 0.5) while training; in evaluation mode the input is multiplied by 1 - p.
---
---     d = nn.SpatialDropout(0.25); d:evaluate(); d:forward(torch.ones(1, 1, 2))   --> {{{0.75, 0.75}}}
---@class nn.SpatialDropout.class: nn.SpatialDropout
---@overload fun(p?: any, stochasticInference?: boolean): nn.SpatialDropout
nn.SpatialDropout = {}

do
--- Max pooling over windows of fixed size at random positions, drawn at each forward.
---
---     nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size()   --> {1, 4, 3}
---@class nn.SpatialFractionalMaxPooling: nn.Module
---@operator call(any): any
local SpatialFractionalMaxPooling = {}

--- clearState under an older name.
---@return any
function SpatialFractionalMaxPooling:empty() end

--- Draws the positions once more at the next forward, and then keeps them.
---@return self
function SpatialFractionalMaxPooling:fixPoolingRegions() end

end

--- Max pooling over windows of fixed size at random positions, drawn at each forward.
---
---     nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size()   --> {1, 4, 3}
---@class nn.SpatialFractionalMaxPooling.class: nn.SpatialFractionalMaxPooling
---@overload fun(kW: number, kH: number, outW: any, outH: any): nn.SpatialFractionalMaxPooling
nn.SpatialFractionalMaxPooling = {}

do
--- The transpose of a convolution: each pixel puts a filter into a larger image.
---
---     nn.SpatialFullConvolution(2, 3, 3, 2, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 6, 7}
---@class nn.SpatialFullConvolution: nn.Module
---@operator call(any): any
---@field adjH any
---@field adjW any
---@field bias torch.Tensor
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field kH any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field padH any
---@field padW any
---@field weight torch.Tensor
local SpatialFullConvolution = {}

--- Files of early versions have fewer fields.
---@return any
function SpatialFullConvolution:backCompatibility() end

--- Removes the bias.
---@return self
function SpatialFullConvolution:noBias() end

end

--- The transpose of a convolution: each pixel puts a filter into a larger image.
---
---     nn.SpatialFullConvolution(2, 3, 3, 2, 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 6, 7}
---@class nn.SpatialFullConvolution.class: nn.SpatialFullConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number, adjW?: number, adjH?: number): nn.SpatialFullConvolution
nn.SpatialFullConvolution = {}

do
--- The transposed convolution with such a table.
---
---     nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 4, 4}
---@class nn.SpatialFullConvolutionMap: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field connTable any
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field kH any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field weight torch.Tensor
local SpatialFullConvolutionMap = {}

--- Subtracts decay * parameters from the parameters.
---@param decay any
---@return any
function SpatialFullConvolutionMap:decayParameters(decay) end

end

--- The transposed convolution with such a table.
---
---     nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 2, 2):forward(torch.ones(2, 3, 3)):size()   --> {3, 4, 4}
---@class nn.SpatialFullConvolutionMap.class: nn.SpatialFullConvolutionMap
---@overload fun(conMatrix: any, kW: number, kH: number, dW?: number, dH?: number): nn.SpatialFullConvolutionMap
nn.SpatialFullConvolutionMap = {}

do
--- The p-norm of each window of an image. (sum of |x|^p over each window)^(1/p).
---
---     nn.SpatialLPPooling(1, 2, 2, 2):forward(torch.ones(1, 2, 2))   --> {{{2}}}
---@class nn.SpatialLPPooling: nn.Sequential
---@operator call(any): any
---@field dH any
---@field dW any
---@field kH any
---@field kW any
---@field nInputPlane any
---@field pnorm any
local SpatialLPPooling = {}

end

--- The p-norm of each window of an image. (sum of |x|^p over each window)^(1/p).
---
---     nn.SpatialLPPooling(1, 2, 2, 2):forward(torch.ones(1, 2, 2))   --> {{{2}}}
---@class nn.SpatialLPPooling.class: nn.SpatialLPPooling
---@overload fun(nInputPlane: number, pnorm: any, kW: number, kH: number, dW?: number, dH?: number): nn.SpatialLPPooling
nn.SpatialLPPooling = {}

do
--- nn.LogSoftMax over the planes of an image, for each pixel.
---
---     nn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{-0.69315}}, {{-0.69315}}}
---@class nn.SpatialLogSoftMax: nn.Module
---@operator call(any): any
local SpatialLogSoftMax = {}

end

--- nn.LogSoftMax over the planes of an image, for each pixel.
---
---     nn.SpatialLogSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{-0.69315}}, {{-0.69315}}}
---@class nn.SpatialLogSoftMax.class: nn.SpatialLogSoftMax
---@overload fun(): nn.SpatialLogSoftMax
nn.SpatialLogSoftMax = {}

do
--- The largest value of each window of an image.
---
---     nn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{6, 8}, {14, 16}}
---@class nn.SpatialMaxPooling: nn.Module
---@operator call(any): any
---@field ceil_mode boolean
---@field dH any
---@field dW any
---@field iheight any
---@field iwidth any
---@field kH any
---@field kW any
---@field padH any
---@field padW any
local SpatialMaxPooling = {}

--- Keeps the windows that extend beyond the far edges.
---@return self
function SpatialMaxPooling:ceil() end

--- Frees the memory of the results.
---@return any
function SpatialMaxPooling:empty() end

--- Drops the windows that extend beyond the far edges (the default).
---@return self
function SpatialMaxPooling:floor() end

end

--- The largest value of each window of an image.
---
---     nn.SpatialMaxPooling(2, 2):forward(torch.range(1, 16):view(1, 4, 4))[1]   --> {{6, 8}, {14, 16}}
---@class nn.SpatialMaxPooling.class: nn.SpatialMaxPooling
---@overload fun(kW: number, kH: number, dW?: number, dH?: number, padW?: number, padH?: number): nn.SpatialMaxPooling
nn.SpatialMaxPooling = {}

do
--- Puts values back where a max pooling found them; everything else is 0.
---
---     p = nn.SpatialMaxPooling(2, 2); p:forward(torch.range(1, 4):view(1, 2, 2)); nn.SpatialMaxUnpooling(p):forward(torch.ones(1, 1, 1))   --> {{{0, 0}, {0, 1}}}
---@class nn.SpatialMaxUnpooling: nn.Module
---@operator call(any): any
---@field pooling any
local SpatialMaxUnpooling = {}

--- clearState under an older name.
---@return any
function SpatialMaxUnpooling:empty() end

--- Gets the positions from the pooling.
---@return any
function SpatialMaxUnpooling:setParams() end

end

--- Puts values back where a max pooling found them; everything else is 0.
---
---     p = nn.SpatialMaxPooling(2, 2); p:forward(torch.range(1, 4):view(1, 2, 2)); nn.SpatialMaxUnpooling(p):forward(torch.ones(1, 1, 1))   --> {{{0, 0}, {0, 1}}}
---@class nn.SpatialMaxUnpooling.class: nn.SpatialMaxUnpooling
---@overload fun(poolingModule: nn.SpatialMaxPooling): nn.SpatialMaxUnpooling
nn.SpatialMaxUnpooling = {}

do
--- Adds a border of reflected pixels to images; negative numbers cut off.
---
---     nn.SpatialReflectionPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3))   --> {{{2, 1, 2, 3, 2}}}
---@class nn.SpatialReflectionPadding: nn.Module
---@operator call(any): any
local SpatialReflectionPadding = {}

end

--- Adds a border of reflected pixels to images; negative numbers cut off.
---
---     nn.SpatialReflectionPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3))   --> {{{2, 1, 2, 3, 2}}}
---@class nn.SpatialReflectionPadding.class: nn.SpatialReflectionPadding
---@overload fun(left: any, right: any, top: any, bottom: any): nn.SpatialReflectionPadding
nn.SpatialReflectionPadding = {}

do
--- Adds a border of repeated pixels to images; negative numbers cut off.
---
---     nn.SpatialReplicationPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3))   --> {{{1, 1, 2, 3, 3}}}
---@class nn.SpatialReplicationPadding: nn.Module
---@operator call(any): any
local SpatialReplicationPadding = {}

end

--- Adds a border of repeated pixels to images; negative numbers cut off.
---
---     nn.SpatialReplicationPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3))   --> {{{1, 1, 2, 3, 3}}}
---@class nn.SpatialReplicationPadding.class: nn.SpatialReplicationPadding
---@overload fun(left: any, right: any, top: any, bottom: any): nn.SpatialReplicationPadding
nn.SpatialReplicationPadding = {}

do
--- nn.SoftMax over the planes of an image, for each pixel.
---
---     nn.SpatialSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{0.5}}, {{0.5}}}
---@class nn.SpatialSoftMax: nn.Module
---@operator call(any): any
local SpatialSoftMax = {}

end

--- nn.SoftMax over the planes of an image, for each pixel.
---
---     nn.SpatialSoftMax():forward(torch.zeros(2, 1, 1))   --> {{{0.5}}, {{0.5}}}
---@class nn.SpatialSoftMax.class: nn.SpatialSoftMax
---@overload fun(): nn.SpatialSoftMax
nn.SpatialSoftMax = {}

do
--- weight * (sum over each window) + bias, a weight and bias for each plane.
---
---     nn.SpatialSubSampling(2, 2, 2, 2, 2):forward(torch.ones(2, 4, 6)):size()   --> {2, 2, 3}
---@class nn.SpatialSubSampling: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dH any
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field kH any
---@field kW any
---@field nInputPlane any
---@field weight torch.Tensor
local SpatialSubSampling = {}

end

--- weight * (sum over each window) + bias, a weight and bias for each plane.
---
---     nn.SpatialSubSampling(2, 2, 2, 2, 2):forward(torch.ones(2, 4, 6)):size()   --> {2, 2, 3}
---@class nn.SpatialSubSampling.class: nn.SpatialSubSampling
---@overload fun(nInputPlane: number, kW: number, kH: number, dW?: number, dH?: number): nn.SpatialSubSampling
nn.SpatialSubSampling = {}

do
--- Subtracts the mean of the neighbourhood.
---
---     nn.SpatialSubtractiveNormalization(1, torch.ones(3)):forward(torch.ones(1, 4, 5)):abs():max() < 1e-6   --> true
---@class nn.SpatialSubtractiveNormalization: nn.Module
---@operator call(any): any
local SpatialSubtractiveNormalization = {}

end

--- Subtracts the mean of the neighbourhood.
---
---     nn.SpatialSubtractiveNormalization(1, torch.ones(3)):forward(torch.ones(1, 4, 5)):abs():max() < 1e-6   --> true
---@class nn.SpatialSubtractiveNormalization.class: nn.SpatialSubtractiveNormalization
---@overload fun(nInputPlane?: number, kernel?: any): nn.SpatialSubtractiveNormalization
nn.SpatialSubtractiveNormalization = {}

do
--- Interpolates images; the corners stay in place.
---
---     nn.SpatialUpSamplingBilinear(2):forward(torch.Tensor{{{0, 3}}})[1][1]   --> {0, 1, 2, 3}
---@class nn.SpatialUpSamplingBilinear: nn.UpSampling
---@operator call(any): any
local SpatialUpSamplingBilinear = {}

end

--- Interpolates images; the corners stay in place.
---
---     nn.SpatialUpSamplingBilinear(2):forward(torch.Tensor{{{0, 3}}})[1][1]   --> {0, 1, 2, 3}
---@class nn.SpatialUpSamplingBilinear.class: nn.SpatialUpSamplingBilinear
---@overload fun(params: any): nn.SpatialUpSamplingBilinear
nn.SpatialUpSamplingBilinear = {}

do
--- Repeats the rows and columns of images.
---
---     nn.SpatialUpSamplingNearest(2):forward(torch.Tensor{{{1, 2}}})   --> {{{1, 1, 2, 2}, {1, 1, 2, 2}}}
---@class nn.SpatialUpSamplingNearest: nn.UpSampling
---@operator call(any): any
local SpatialUpSamplingNearest = {}

end

--- Repeats the rows and columns of images.
---
---     nn.SpatialUpSamplingNearest(2):forward(torch.Tensor{{{1, 2}}})   --> {{{1, 1, 2, 2}, {1, 1, 2, 2}}}
---@class nn.SpatialUpSamplingNearest.class: nn.SpatialUpSamplingNearest
---@overload fun(scale: any): nn.SpatialUpSamplingNearest
nn.SpatialUpSamplingNearest = {}

do
--- Adds a border of zeros to images.
---
---     nn.SpatialZeroPadding(1, 0, 0, 0):forward(torch.ones(1, 1, 2))   --> {{{0, 1, 1}}}
---@class nn.SpatialZeroPadding: nn.Module
---@operator call(any): any
local SpatialZeroPadding = {}

end

--- Adds a border of zeros to images.
---
---     nn.SpatialZeroPadding(1, 0, 0, 0):forward(torch.ones(1, 1, 2))   --> {{{0, 1, 1}}}
---@class nn.SpatialZeroPadding.class: nn.SpatialZeroPadding
---@overload fun(left: any, right: any, top: any, bottom: any): nn.SpatialZeroPadding
nn.SpatialZeroPadding = {}

do
--- The slices of a tensor as a table.
---
---     nn.SplitTable(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {{1, 2}, {3, 4}}
---@class nn.SplitTable: nn.Module
---@operator call(any): any
---@field dimension any
---@field nInputDims any
---@field output table
local SplitTable = {}

end

--- The slices of a tensor as a table.
---
---     nn.SplitTable(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {{1, 2}, {3, 4}}
---@class nn.SplitTable.class: nn.SplitTable
---@overload fun(dimension?: number, nInputDims?: number): nn.SplitTable
nn.SplitTable = {}

do
--- sqrt(x); the gradient at 0 is 0.
---
---     nn.Sqrt():forward(torch.Tensor{4, 9})   --> {2, 3}
---@class nn.Sqrt: nn.Module
---@operator call(any): any
---@field eps number
local Sqrt = {}

end

--- sqrt(x); the gradient at 0 is 0.
---
---     nn.Sqrt():forward(torch.Tensor{4, 9})   --> {2, 3}
---@class nn.Sqrt.class: nn.Sqrt
---@overload fun(eps?: any): nn.Sqrt
nn.Sqrt = {}

do
--- The square of each element.
---
---     nn.Square():forward(torch.Tensor{-2, 3})   --> {4, 9}
---@class nn.Square: nn.Module
---@operator call(any): any
---@field inplace any
local Square = {}

end

--- The square of each element.
---
---     nn.Square():forward(torch.Tensor{-2, 3})   --> {4, 9}
---@class nn.Square.class: nn.Square
---@overload fun(): nn.Square
nn.Square = {}

do
--- Drops dimensions of size 1.
---
---     nn.Squeeze():forward(torch.ones(1, 3, 1, 2)):size()   --> {3, 2}
---@class nn.Squeeze: nn.Module
---@operator call(any): any
---@field dim any
---@field numInputDims any
local Squeeze = {}

--- How many dimensions one sample has: an input with one more is a batch.
---@param n any
---@return self
function Squeeze:setNumInputDims(n) end

end

--- Drops dimensions of size 1.
---
---     nn.Squeeze():forward(torch.ones(1, 3, 1, 2)):size()   --> {3, 2}
---@class nn.Squeeze.class: nn.Squeeze
---@overload fun(dim?: any, numInputDims?: any): nn.Squeeze
nn.Squeeze = {}

do
--- The plain trainer: one sample after the other.
---
---     t = nn.StochasticGradient(nn.Linear(2, 1), nn.MSECriterion()); t.learningRate   --> 0.01
---@class nn.StochasticGradient
---@field criterion any
---@field learningRate number
---@field learningRateDecay number
---@field maxIteration number
---@field module any
---@field shuffleIndices boolean
---@field verbose boolean
local StochasticGradient = {}

--- Runs over the data set until maxIteration or the error is reached.
---@param dataset any
---@return any
function StochasticGradient:train(dataset) end

end

--- The plain trainer: one sample after the other.
---
---     t = nn.StochasticGradient(nn.Linear(2, 1), nn.MSECriterion()); t.learningRate   --> 0.01
---@class nn.StochasticGradient.class: nn.StochasticGradient
---@overload fun(module: any, criterion: any): nn.StochasticGradient
nn.StochasticGradient = {}

do
--- Sums over a dimension (default 1; negative: from the end).
---
---     nn.Sum(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {4, 6}
---@class nn.Sum: nn.Module
---@operator call(any): any
---@field dimension number
---@field nInputDims any
---@field sizeAverage any
---@field squeeze boolean
local Sum = {}

end

--- Sums over a dimension (default 1; negative: from the end).
---
---     nn.Sum(1):forward(torch.Tensor{{1, 2}, {3, 4}})   --> {4, 6}
---@class nn.Sum.class: nn.Sum
---@overload fun(dimension?: number, nInputDims?: number, sizeAverage?: boolean, squeeze?: boolean): nn.Sum
nn.Sum = {}

--- The functions of Torch7's library THNN, for modules of other packages.
---@class nn.THNN
nn.THNN = {}

--- The functions for each type of tensor.
---
---     x, y = torch.Tensor{-1, 2}, torch.Tensor(); x.THNN.Threshold_updateOutput(x:cdata(), y:cdata(), 0, 0, false); y   --> {0, 2}
---@class nn.THNN.kernels
nn.THNN.kernels = {}

--- A sorted list of the names of all functions that are implemented.
---
---     nn.THNN.names()[1]   --> AbsCriterion_updateGradInput
---@return any
function nn.THNN.names() end

--- The form of a tensor argument that may be missing: t:cdata(), or nil.
---
---     nn.THNN.optionalTensor(nil)   --> nil
---@param t? any
---@return any
function nn.THNN.optionalTensor(t) end

do
--- The hyperbolic tangent of each element.
---
---     nn.Tanh():forward(torch.Tensor{0, 1})   --> {0, 0.76159}
---@class nn.Tanh: nn.Module
---@operator call(any): any
---@field inplace any
local Tanh = {}

end

--- The hyperbolic tangent of each element.
---
---     nn.Tanh():forward(torch.Tensor{0, 1})   --> {0, 0.76159}
---@class nn.Tanh.class: nn.Tanh
---@overload fun(): nn.Tanh
nn.Tanh = {}

do
--- x - tanh(x) of each element.
---
---     nn.TanhShrink():forward(torch.Tensor{0, 1})   --> {0, 0.23841}
---@class nn.TanhShrink: nn.Module
---@operator call(any): any
---@field inplace any
local TanhShrink = {}

end

--- x - tanh(x) of each element.
---
---     nn.TanhShrink():forward(torch.Tensor{0, 1})   --> {0, 0.23841}
---@class nn.TanhShrink.class: nn.TanhShrink
---@overload fun(): nn.TanhShrink
nn.TanhShrink = {}

do
--- Slides outputFrameSize filters over kW frames of all features.
---
---     nn.TemporalConvolution(3, 4, 2):forward(torch.ones(5, 3)):size()   --> {4, 4}
---@class nn.TemporalConvolution: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dW any
---@field gradBias torch.Tensor
---@field gradWeight torch.Tensor
---@field inputFrameSize any
---@field kW any
---@field outputFrameSize any
---@field weight torch.Tensor
local TemporalConvolution = {}

--- For one accGradParameters the parameters replace their gradients: a step of gradient descent that stores no gradients.
---@param input any
---@param gradOutput any
---@param lr any
---@return any
function TemporalConvolution:sharedAccUpdateGradParameters(input, gradOutput, lr) end

end

--- Slides outputFrameSize filters over kW frames of all features.
---
---     nn.TemporalConvolution(3, 4, 2):forward(torch.ones(5, 3)):size()   --> {4, 4}
---@class nn.TemporalConvolution.class: nn.TemporalConvolution
---@overload fun(inputFrameSize: number, outputFrameSize: number, kW: number, dW?: number): nn.TemporalConvolution
nn.TemporalConvolution = {}

do
--- nn.TemporalConvolution with fbcunn's name and its weight of three dimensions, outputFrameSize x kW x inputFrameSize.
---
---     nn.TemporalConvolutionFB(3, 4, 2).weight:size()   --> {4, 2, 3}
---@class nn.TemporalConvolutionFB: nn.TemporalConvolution
---@operator call(any): any
local TemporalConvolutionFB = {}

end

--- nn.TemporalConvolution with fbcunn's name and its weight of three dimensions, outputFrameSize x kW x inputFrameSize.
---
---     nn.TemporalConvolutionFB(3, 4, 2).weight:size()   --> {4, 2, 3}
---@class nn.TemporalConvolutionFB.class: nn.TemporalConvolutionFB
---@overload fun(inputFrameSize: number, outputFrameSize: number, kW: number, dW?: number): nn.TemporalConvolutionFB
nn.TemporalConvolutionFB = {}

do
--- nn.TemporalConvolution for long filters: by the engine fft1d, on CUDA devices by cufft, wherever it can, whatever the cost model says.
---
---     nn.TemporalConvolutionFFT(3, 4, 20):forward(torch.ones(50, 3)):size()   --> {31, 4}
---@class nn.TemporalConvolutionFFT: nn.TemporalConvolution
---@operator call(any): any
local TemporalConvolutionFFT = {}

end

--- nn.TemporalConvolution for long filters: by the engine fft1d, on CUDA devices by cufft, wherever it can, whatever the cost model says.
---
---     nn.TemporalConvolutionFFT(3, 4, 20):forward(torch.ones(50, 3)):size()   --> {31, 4}
---@class nn.TemporalConvolutionFFT.class: nn.TemporalConvolutionFFT
---@overload fun(inputFrameSize: number, outputFrameSize: number, kW: number, dW?: number): nn.TemporalConvolutionFFT
nn.TemporalConvolutionFFT = {}

do
--- The k largest values of each feature, in their order in the input.
---
---     nn.TemporalDynamicKMaxPooling(2, 0.5):forward(torch.ones(8, 2)):size()   --> {4, 2}
---@class nn.TemporalDynamicKMaxPooling: nn.Module
---@operator call(any): any
---@field factor any
---@field minK any
local TemporalDynamicKMaxPooling = {}

end

--- The k largest values of each feature, in their order in the input.
---
---     nn.TemporalDynamicKMaxPooling(2, 0.5):forward(torch.ones(8, 2)):size()   --> {4, 2}
---@class nn.TemporalDynamicKMaxPooling.class: nn.TemporalDynamicKMaxPooling
---@overload fun(minK: any, factor?: number): nn.TemporalDynamicKMaxPooling
nn.TemporalDynamicKMaxPooling = {}

do
--- nn.TemporalDynamicKMaxPooling by fbcunn's names: of T frames the max(k, ceil(k_dynamic T)) largest values of each feature, in their order in the input.
---
---     nn.TemporalKMaxPooling(2):forward(torch.Tensor{{4}, {1}, {3}})   --> {{4}, {3}}
---@class nn.TemporalKMaxPooling: nn.TemporalDynamicKMaxPooling
---@operator call(any): any
---@field k any
---@field k_dynamic any
local TemporalKMaxPooling = {}

end

--- nn.TemporalDynamicKMaxPooling by fbcunn's names: of T frames the max(k, ceil(k_dynamic T)) largest values of each feature, in their order in the input.
---
---     nn.TemporalKMaxPooling(2):forward(torch.Tensor{{4}, {1}, {3}})   --> {{4}, {3}}
---@class nn.TemporalKMaxPooling.class: nn.TemporalKMaxPooling
---@overload fun(k: any, k_dynamic?: any): nn.TemporalKMaxPooling
nn.TemporalKMaxPooling = {}

do
--- The largest value of each feature in windows of kW frames.
---
---     nn.TemporalMaxPooling(2, 2):forward(torch.range(1, 4):view(4, 1))   --> {{2}, {4}}
---@class nn.TemporalMaxPooling: nn.Module
---@operator call(any): any
---@field dW any
---@field indices any
---@field kW any
local TemporalMaxPooling = {}

--- clearState under an older name.
---@return any
function TemporalMaxPooling:empty() end

end

--- The largest value of each feature in windows of kW frames.
---
---     nn.TemporalMaxPooling(2, 2):forward(torch.range(1, 4):view(4, 1))   --> {{2}, {4}}
---@class nn.TemporalMaxPooling.class: nn.TemporalMaxPooling
---@overload fun(kW: number, dW?: number): nn.TemporalMaxPooling
nn.TemporalMaxPooling = {}

do
--- A separate filter of kW frames for each feature (lookahead convolution).
---
---     nn.TemporalRowConvolution(3, 2):forward(torch.ones(5, 3)):size()   --> {4, 3}
---@class nn.TemporalRowConvolution: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dW any
---@field featFirst any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field inputFrameSize any
---@field kW any
---@field weight torch.Tensor
local TemporalRowConvolution = {}

--- Removes the bias.
---@return self
function TemporalRowConvolution:noBias() end

end

--- A separate filter of kW frames for each feature (lookahead convolution).
---
---     nn.TemporalRowConvolution(3, 2):forward(torch.ones(5, 3)):size()   --> {4, 3}
---@class nn.TemporalRowConvolution.class: nn.TemporalRowConvolution
---@overload fun(inputFrameSize: number, kW: number, dW?: number, featFirst?: boolean): nn.TemporalRowConvolution
nn.TemporalRowConvolution = {}

do
--- weight * (sum over each window of kW frames) + bias, a weight and bias for each feature.
---
---     nn.TemporalSubSampling(2, 3, 2):forward(torch.ones(7, 2)):size()   --> {3, 2}
---@class nn.TemporalSubSampling: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field inputFrameSize any
---@field kW any
---@field weight torch.Tensor
local TemporalSubSampling = {}

end

--- weight * (sum over each window of kW frames) + bias, a weight and bias for each feature.
---
---     nn.TemporalSubSampling(2, 3, 2):forward(torch.ones(7, 2)):size()   --> {3, 2}
---@class nn.TemporalSubSampling.class: nn.TemporalSubSampling
---@overload fun(inputFrameSize: number, kW: number, dW?: number): nn.TemporalSubSampling
nn.TemporalSubSampling = {}

do
--- x where it is above th (1e-6), else v (0).
---
---     nn.Threshold(1, -7):forward(torch.Tensor{0.5, 2})   --> {-7, 2}
---@class nn.Threshold: nn.Module
---@operator call(any): any
---@field inplace any
local Threshold = {}

--- Whether the module is max(x, 0) in place, by methods that the program has not replaced.
---@return boolean
function Threshold:isReLUInPlace() end

--- Refuses val > threshold when inplace is true; called when an object is made.
---@return any
function Threshold:validateParameters() end

end

--- x where it is above th (1e-6), else v (0).
---
---     nn.Threshold(1, -7):forward(torch.Tensor{0.5, 2})   --> {-7, 2}
---@class nn.Threshold.class: nn.Threshold
---@overload fun(th?: any, v?: any, inplace?: any): nn.Threshold
nn.Threshold = {}

do
--- Swaps dimensions.
---
---     nn.Transpose({1, 2}, {2, 3}):forward(torch.ones(2, 3, 4)):size()   --> {3, 4, 2}
---@class nn.Transpose: nn.Module
---@operator call(any): any
---@field numInputDims any
---@field permutations table
local Transpose = {}

--- How many dimensions one sample has: an input with one more is a batch.
---@param n any
---@return self
function Transpose:setNumInputDims(n) end

end

--- Swaps dimensions.
---
---     nn.Transpose({1, 2}, {2, 3}):forward(torch.ones(2, 3, 4)):size()   --> {3, 4, 2}
---@class nn.Transpose.class: nn.Transpose
---@overload fun(...: any): nn.Transpose
nn.Transpose = {}

do
--- Inserts a dimension of size 1 before dimension `pos` (negative: from the end).
---
---     nn.Unsqueeze(2):forward(torch.ones(3, 2)):size()   --> {3, 1, 2}
---@class nn.Unsqueeze: nn.Module
---@operator call(any): any
---@field numInputDims any
---@field pos any
local Unsqueeze = {}

--- How many dimensions one sample has: an input with one more is a batch.
---@param n any
---@return self
function Unsqueeze:setNumInputDims(n) end

end

--- Inserts a dimension of size 1 before dimension `pos` (negative: from the end).
---
---     nn.Unsqueeze(2):forward(torch.ones(3, 2)):size()   --> {3, 1, 2}
---@class nn.Unsqueeze.class: nn.Unsqueeze
---@overload fun(pos: any, numInputDims: any): nn.Unsqueeze
nn.Unsqueeze = {}

do
--- Scales images (samples x planes x height x width) or volumes.
---
---     nn.UpSampling(2):forward(torch.ones(1, 1, 2, 3)):size()   --> {1, 1, 4, 6}
---@class nn.UpSampling: nn.Module
---@operator call(any): any
---@field mode string
local UpSampling = {}

--- Sets the factor or the sizes.
---@param params any
---@return any
function UpSampling:setSize(params) end

end

--- Scales images (samples x planes x height x width) or volumes.
---
---     nn.UpSampling(2):forward(torch.ones(1, 1, 2, 3)):size()   --> {1, 1, 4, 6}
---@class nn.UpSampling.class: nn.UpSampling
---@overload fun(params: any, mode?: string): nn.UpSampling
nn.UpSampling = {}

do
--- The same elements in another shape, without a copy.
---
---     nn.View(-1):setNumInputDims(3):forward(torch.ones(5, 2, 3, 4)):size()   --> {5, 24}
---@class nn.View: nn.Module
---@operator call(any): any
---@field numElements number
---@field numInputDims any
---@field size any
local View = {}

--- Sets the sizes: numbers, or a LongStorage.
---@param ... any
---@return self
function View:resetSize(...) end

--- How many dimensions one sample has.
---@param n any
---@return self
function View:setNumInputDims(n) end

end

--- The same elements in another shape, without a copy.
---
---     nn.View(-1):setNumInputDims(3):forward(torch.ones(5, 2, 3, 4)):size()   --> {5, 24}
---@class nn.View.class: nn.View
---@overload fun(...: any): nn.View
nn.View = {}

do
--- The mean of each window of a volume.
---
---     nn.VolumetricAveragePooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricAveragePooling: nn.Module
---@operator call(any): any
---@field dH any
---@field dT any
---@field dW any
---@field kH any
---@field kT any
---@field kW any
local VolumetricAveragePooling = {}

--- clearState under an older name.
---@return any
function VolumetricAveragePooling:empty() end

end

--- The mean of each window of a volume.
---
---     nn.VolumetricAveragePooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricAveragePooling.class: nn.VolumetricAveragePooling
---@overload fun(kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number): nn.VolumetricAveragePooling
nn.VolumetricAveragePooling = {}

do
--- nn.BatchNormalization of the planes of samples x planes x time x height x width.
---
---     nn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size()   --> {3, 2, 4, 4, 4}
---@class nn.VolumetricBatchNormalization: nn.BatchNormalization
---@operator call(any): any
local VolumetricBatchNormalization = {}

end

--- nn.BatchNormalization of the planes of samples x planes x time x height x width.
---
---     nn.VolumetricBatchNormalization(2):forward(torch.ones(3, 2, 4, 4, 4)):size()   --> {3, 2, 4, 4, 4}
---@class nn.VolumetricBatchNormalization.class: nn.VolumetricBatchNormalization
---@overload fun(nOutput?: number, eps?: any, momentum?: any, affine?: any): nn.VolumetricBatchNormalization
nn.VolumetricBatchNormalization = {}

do
--- Slides nOutputPlane filters of kT x kW x kH over volumes.
---
---     nn.VolumetricConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 4, 5)):size()   --> {3, 2, 3, 4}
---@class nn.VolumetricConvolution: nn.Module
---@operator call(any): any
---@field bias torch.Tensor
---@field dH any
---@field dT any
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field kH any
---@field kT any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field padH any
---@field padT number
---@field padW any
---@field weight torch.Tensor
local VolumetricConvolution = {}

--- Removes the bias.
---@return self
function VolumetricConvolution:noBias() end

end

--- Slides nOutputPlane filters of kT x kW x kH over volumes.
---
---     nn.VolumetricConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 4, 5)):size()   --> {3, 2, 3, 4}
---@class nn.VolumetricConvolution.class: nn.VolumetricConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number): nn.VolumetricConvolution
nn.VolumetricConvolution = {}

do
--- VolumetricConvolution whose filters have gaps.
---
---     nn.VolumetricDilatedConvolution(1, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {2, 2, 2, 2}
---@class nn.VolumetricDilatedConvolution: nn.VolumetricConvolution
---@operator call(any): any
---@field dilationH any
---@field dilationT any
---@field dilationW any
local VolumetricDilatedConvolution = {}

end

--- VolumetricConvolution whose filters have gaps.
---
---     nn.VolumetricDilatedConvolution(1, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {2, 2, 2, 2}
---@class nn.VolumetricDilatedConvolution.class: nn.VolumetricDilatedConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number, dilationT?: any, dilationW?: any, dilationH?: any): nn.VolumetricDilatedConvolution
nn.VolumetricDilatedConvolution = {}

do
--- VolumetricMaxPooling whose windows have gaps.
---
---     nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricDilatedMaxPooling: nn.VolumetricMaxPooling
---@operator call(any): any
---@field dilationH any
---@field dilationT any
---@field dilationW any
local VolumetricDilatedMaxPooling = {}

end

--- VolumetricMaxPooling whose windows have gaps.
---
---     nn.VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricDilatedMaxPooling.class: nn.VolumetricDilatedMaxPooling
---@overload fun(kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number, dilationT?: any, dilationW?: any, dilationH?: any): nn.VolumetricDilatedMaxPooling
nn.VolumetricDilatedMaxPooling = {}

do
--- Whole planes are 0 with probability p (default 0.5) while training; in evaluation mode the input is multiplied by 1 - p.
---
---     d = nn.SpatialDropout(0.25); d:evaluate(); d:forward(torch.ones(1, 1, 2))   --> {{{0.75, 0.75}}}
---@class nn.VolumetricDropout: nn.Dropout
---@operator call(any): any
---@field v2 any
local VolumetricDropout = {}

end

--- Whole planes are 0 with probability p (default 0.5) while training; in evaluation mode the input is multiplied by 1 - p.
---
---     d = nn.SpatialDropout(0.25); d:evaluate(); d:forward(torch.ones(1, 1, 2))   --> {{{0.75, 0.75}}}
---@class nn.VolumetricDropout.class: nn.VolumetricDropout
---@overload fun(p?: any, stochasticInference?: boolean): nn.VolumetricDropout
nn.VolumetricDropout = {}

do
--- Max pooling over windows of fixed size at random positions, drawn at each forward.
---
---     nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size()   --> {1, 4, 3}
---@class nn.VolumetricFractionalMaxPooling: nn.Module
---@operator call(any): any
local VolumetricFractionalMaxPooling = {}

--- clearState under an older name.
---@return any
function VolumetricFractionalMaxPooling:empty() end

--- Draws the positions once more at the next forward, and then keeps them.
---@return self
function VolumetricFractionalMaxPooling:fixPoolingRegions() end

end

--- Max pooling over windows of fixed size at random positions, drawn at each forward.
---
---     nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size()   --> {1, 4, 3}
---@class nn.VolumetricFractionalMaxPooling.class: nn.VolumetricFractionalMaxPooling
---@overload fun(kT: number, kW: number, kH: number, outT: any, outW: any, outH: any): nn.VolumetricFractionalMaxPooling
nn.VolumetricFractionalMaxPooling = {}

do
--- The transpose of a convolution of volumes.
---
---     nn.VolumetricFullConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 3, 3)):size()   --> {3, 4, 4, 4}
---@class nn.VolumetricFullConvolution: nn.Module
---@operator call(any): any
---@field adjH any
---@field adjT any
---@field adjW any
---@field bias torch.Tensor
---@field dH any
---@field dT any
---@field dW any
---@field gradBias torch.Tensor
---@field gradInput any
---@field gradWeight torch.Tensor
---@field kH any
---@field kT any
---@field kW any
---@field nInputPlane any
---@field nOutputPlane any
---@field padH any
---@field padT any
---@field padW any
---@field weight torch.Tensor
local VolumetricFullConvolution = {}

--- Files of early versions have fewer fields.
---@return any
function VolumetricFullConvolution:backCompatibility() end

--- Removes the bias.
---@return self
function VolumetricFullConvolution:noBias() end

end

--- The transpose of a convolution of volumes.
---
---     nn.VolumetricFullConvolution(2, 3, 2, 2, 2):forward(torch.ones(2, 3, 3, 3)):size()   --> {3, 4, 4, 4}
---@class nn.VolumetricFullConvolution.class: nn.VolumetricFullConvolution
---@overload fun(nInputPlane: number, nOutputPlane: number, kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number, adjT?: any, adjW?: any, adjH?: any): nn.VolumetricFullConvolution
nn.VolumetricFullConvolution = {}

do
--- The largest value of each window of a volume.
---
---     nn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricMaxPooling: nn.Module
---@operator call(any): any
---@field ceil_mode boolean
---@field dH any
---@field dT any
---@field dW any
---@field iheight any
---@field itime any
---@field iwidth any
---@field kH any
---@field kT any
---@field kW any
---@field padH any
---@field padT any
---@field padW any
local VolumetricMaxPooling = {}

--- Keeps the windows that extend beyond the far sides.
---@return self
function VolumetricMaxPooling:ceil() end

--- clearState under an older name.
---@return any
function VolumetricMaxPooling:empty() end

--- Drops the windows that extend beyond the far sides (the default).
---@return self
function VolumetricMaxPooling:floor() end

end

--- The largest value of each window of a volume.
---
---     nn.VolumetricMaxPooling(2, 2, 2):forward(torch.ones(1, 4, 4, 4)):size()   --> {1, 2, 2, 2}
---@class nn.VolumetricMaxPooling.class: nn.VolumetricMaxPooling
---@overload fun(kT: number, kW: number, kH: number, dT?: number, dW?: number, dH?: number, padT?: number, padW?: number, padH?: number): nn.VolumetricMaxPooling
nn.VolumetricMaxPooling = {}

do
--- The same after a nn.VolumetricMaxPooling.
---
---     p = nn.VolumetricMaxPooling(2, 2, 2); p:forward(torch.ones(1, 2, 2, 2)); nn.VolumetricMaxUnpooling(p):forward(torch.ones(1, 1, 1, 1)):sum()   --> 1
---@class nn.VolumetricMaxUnpooling: nn.Module
---@operator call(any): any
---@field pooling any
local VolumetricMaxUnpooling = {}

--- clearState under an older name.
---@return any
function VolumetricMaxUnpooling:empty() end

--- Gets the positions from the pooling.
---@return any
function VolumetricMaxUnpooling:setParams() end

end

--- The same after a nn.VolumetricMaxPooling.
---
---     p = nn.VolumetricMaxPooling(2, 2, 2); p:forward(torch.ones(1, 2, 2, 2)); nn.VolumetricMaxUnpooling(p):forward(torch.ones(1, 1, 1, 1)):sum()   --> 1
---@class nn.VolumetricMaxUnpooling.class: nn.VolumetricMaxUnpooling
---@overload fun(poolingModule: any): nn.VolumetricMaxUnpooling
nn.VolumetricMaxUnpooling = {}

do
--- Adds a border of repeated voxels; negative numbers cut off.
---
---     nn.VolumetricReplicationPadding(1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size()   --> {1, 4, 4, 4}
---@class nn.VolumetricReplicationPadding: nn.Module
---@operator call(any): any
local VolumetricReplicationPadding = {}

end

--- Adds a border of repeated voxels; negative numbers cut off.
---
---     nn.VolumetricReplicationPadding(1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size()   --> {1, 4, 4, 4}
---@class nn.VolumetricReplicationPadding.class: nn.VolumetricReplicationPadding
---@overload fun(left: any, right: any, top: any, bottom: any, front: any, back: any): nn.VolumetricReplicationPadding
nn.VolumetricReplicationPadding = {}

do
--- a module whose weight is a length times a direction.
---
---     nn.WeightNorm(nn.Linear(4, 3)):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.WeightNorm: nn.Decorator
---@operator call(any): any
---@field bias any
---@field g any
---@field gradBias any
---@field gradG any
---@field gradV any
---@field output any
---@field outputDim number
---@field v any
---@field weight any
local WeightNorm = {}

--- A weight with outputDim first, and back.
---@param w? any
---@return any
---@return any ...
function WeightNorm:permuteIn(w) end

--- A weight with outputDim first, and back.
---@param w? any
---@return any
---@return any ...
function WeightNorm:permuteOut(w) end

--- Sets length and direction from the module's weight, and sets its bias to zero.
---@return any
function WeightNorm:resetInit() end

--- Computes the module's weight from v and g.
---@return any
function WeightNorm:updateWeight() end

end

--- a module whose weight is a length times a direction.
---
---     nn.WeightNorm(nn.Linear(4, 3)):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.WeightNorm.class: nn.WeightNorm
---@overload fun(module?: any, outputDim?: number): nn.WeightNorm
nn.WeightNorm = {}

do
--- Weighted distances to learned vectors. nn.Euclidean with a learned factor (diagCov) for each difference.
---
---     nn.WeightedEuclidean(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.WeightedEuclidean: nn.Euclidean
---@operator call(any): any
---@field diagCov torch.Tensor
---@field gradDiagCov torch.Tensor
---@field gradWeight torch.Tensor
---@field weight torch.Tensor
local WeightedEuclidean = {}

end

--- Weighted distances to learned vectors. nn.Euclidean with a learned factor (diagCov) for each difference.
---
---     nn.WeightedEuclidean(4, 3):forward(torch.ones(2, 4)):size()   --> {2, 3}
---@class nn.WeightedEuclidean.class: nn.WeightedEuclidean
---@overload fun(inputSize: number, outputSize: number): nn.WeightedEuclidean
nn.WeightedEuclidean = {}

do
--- Rows of a table, each times a weight from the input. nn.LookupTable whose input has a weight beside each number.
---
---     nn.WeightedLookupTable(5, 3):forward(torch.Tensor{{2, 0.5}, {5, 1}}):size()   --> {2, 3}
---@class nn.WeightedLookupTable: nn.LookupTable
---@operator call(any): any
local WeightedLookupTable = {}

--- The gradient by the input, which holds numbers of rows, is zero.
---@param input any
---@return any
function WeightedLookupTable:updateGradInput(input) end

end

--- Rows of a table, each times a weight from the input. nn.LookupTable whose input has a weight beside each number.
---
---     nn.WeightedLookupTable(5, 3):forward(torch.Tensor{{2, 0.5}, {5, 1}}):size()   --> {2, 3}
---@class nn.WeightedLookupTable.class: nn.WeightedLookupTable
---@overload fun(...): nn.WeightedLookupTable
nn.WeightedLookupTable = {}

do
--- MSECriterion against weighted targets.
---
---     nn.WeightedMSECriterion(torch.Tensor{1, 2}):forward(torch.Tensor{1, 1}, torch.Tensor{2, 1})   --> 1
---@class nn.WeightedMSECriterion: nn.MSECriterion
---@operator call(any): any
---@field weight any
local WeightedMSECriterion = {}

end

--- MSECriterion against weighted targets.
---
---     nn.WeightedMSECriterion(torch.Tensor{1, 2}):forward(torch.Tensor{1, 1}, torch.Tensor{2, 1})   --> 1
---@class nn.WeightedMSECriterion.class: nn.WeightedMSECriterion
---@overload fun(w: torch.Tensor): nn.WeightedMSECriterion
nn.WeightedMSECriterion = {}

do
--- Adds normal noise while training, and its mean in evaluation mode.
---
---     w = nn.WhiteNoise(0, 0.1); w:evaluate(); w:forward(torch.ones(2))   --> {1, 1}
---@class nn.WhiteNoise: nn.Module
---@operator call(any): any
---@field mean any
---@field std any
---@field train boolean
local WhiteNoise = {}

end

--- Adds normal noise while training, and its mean in evaluation mode.
---
---     w = nn.WhiteNoise(0, 0.1); w:evaluate(); w:forward(torch.ones(2))   --> {1, 1}
---@class nn.WhiteNoise.class: nn.WhiteNoise
---@overload fun(mean?: number, std?: number): nn.WhiteNoise
nn.WhiteNoise = {}

do
--- Returns its input, and stops the gradient.
---
---     z = nn.ZeroGrad(); z:forward(torch.ones(2)); z:backward(torch.ones(2), torch.ones(2))   --> {0, 0}
---@class nn.ZeroGrad: nn.Module
---@operator call(any): any
local ZeroGrad = {}

end

--- Returns its input, and stops the gradient.
---
---     z = nn.ZeroGrad(); z:forward(torch.ones(2)); z:backward(torch.ones(2), torch.ones(2))   --> {0, 0}
---@class nn.ZeroGrad.class: nn.ZeroGrad
---@overload fun(...): nn.ZeroGrad
nn.ZeroGrad = {}

do
--- Transposes a table of tables: {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}. {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}; as many as the shortest has.
---
---     nn.ZipTable():forward{{torch.Tensor{1}, torch.Tensor{2}}, {torch.Tensor{3}, torch.Tensor{4}}}   --> {{{1}, {3}}, {{2}, {4}}}
---@class nn.ZipTable: nn.Module
---@operator call(any): any
---@field gradInput any
---@field output any
local ZipTable = {}

end

--- Transposes a table of tables: {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}. {{a1, a2}, {b1, b2}} becomes {{a1, b1}, {a2, b2}}; as many as the shortest has.
---
---     nn.ZipTable():forward{{torch.Tensor{1}, torch.Tensor{2}}, {torch.Tensor{3}, torch.Tensor{4}}}   --> {{{1}, {3}}, {{2}, {4}}}
---@class nn.ZipTable.class: nn.ZipTable
---@overload fun(): nn.ZipTable
nn.ZipTable = {}

do
--- Pairs one element with each of a table. {x, {y1, y2}} becomes {{x, y1}, {x, y2}}.
---
---     nn.ZipTableOneToMany():forward{torch.Tensor{1}, {torch.Tensor{3}, torch.Tensor{4}}}   --> {{{1}, {3}}, {{1}, {4}}}
---@class nn.ZipTableOneToMany: nn.Module
---@operator call(any): any
---@field gradInput any
---@field output any
local ZipTableOneToMany = {}

end

--- Pairs one element with each of a table. {x, {y1, y2}} becomes {{x, y1}, {x, y2}}.
---
---     nn.ZipTableOneToMany():forward{torch.Tensor{1}, {torch.Tensor{3}, torch.Tensor{4}}}   --> {{{1}, {3}}, {{1}, {4}}}
---@class nn.ZipTableOneToMany.class: nn.ZipTableOneToMany
---@overload fun(): nn.ZipTableOneToMany
nn.ZipTableOneToMany = {}

--- The parameters and statistics of a net in a table, under the names and in the layout of PyTorch's state dicts.
---
---     torch.keys(nn.exportState(nn.Sequential():add(nn.Tanh()):add(nn.Linear(2, 1))))   --> {1.weight, 1.bias}
---@param net any
---@return any
function nn.exportState(net) end

--- A copy of the model for inference, in evaluation mode, with the same results and fewer passes over memory.
---
---     net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.BatchNormalization(2)):add(nn.ReLU()); nn.fuse(net):size()   --> 2
---@param model any
---@return any
function nn.fuse(model) end

do
--- a graph of nodes as one module.
---
---     x = nn.Identity()(); nn.gModule({x}, {nn.CAddTable()({nn.Abs()(x), x})}):forward(torch.Tensor{-1, 2})   --> {0, 4}
---@class nn.gModule: nn.Container
---@operator call(any): any
---@field backwardnodes any
---@field bg any
---@field fg any
---@field forwardnodes any
---@field gradInput any
---@field innode any
---@field modules any
---@field nInputs any
---@field outnode any
---@field output any
---@field verbose boolean
local gModule = {}

--- Adds lr (default 1), the scale, times the gradients of the parameters; after forward and updateGradInput.
---@param _ any
---@param __ any
---@param lr? any
---@return any
function gModule:accGradParameters(_, __, lr) end

--- Empties the values that the modules and the nodes keep between calls.
---@return any
function gModule:clearState() end

--- A copy with separate memory, except for the named fields, which it shares with self.
---@param ... any
---@return any
function gModule:clone(...) end

--- Calls func(module, other) for each module of this graph and the one at the same position in the graph gm.
---@param gm any
---@param func any
---@return any
function gModule:map(gm, func) end

--- Reads a module that torch.save, or Torch7, has written.
---@param file any
---@return any
function gModule:read(file) end

--- Replaces self and every module inside by callback(module), which may return its argument.
---@param callback any
---@return any
function gModule:replace(callback) end

--- Runs through the graph with another function instead of updateOutput: the name of a method, or a function (module, input) that returns the result.
---@param func any
---@param input any
---@return any
function gModule:runForwardFunction(func, input) end

--- Without an argument the tensor type; with one, converts everything to it.
---@param kind? any
---@param cache? any
---@return any
function gModule:type(kind, cache) end

--- The gradient of the input of the last forward.
---@param _ any
---@param gradOutput any
---@return any
---@return any ...
function gModule:updateGradInput(_, gradOutput) end

end

--- a graph of nodes as one module.
---
---     x = nn.Identity()(); nn.gModule({x}, {nn.CAddTable()({nn.Abs()(x), x})}):forward(torch.Tensor{-1, 2})   --> {0, 4}
---@class nn.gModule.class: nn.gModule
---@overload fun(inputs: any, outputs: any): nn.gModule
nn.gModule = {}

--- Second derivatives (the diagonal, Gauss-Newton): nn.hessian.enable() adds them to modules.
---@class nn.hessian
nn.hessian = {}

--- Adds to modules updateDiagHessianInput(input, diagHessianOutput), accDiagHessianParameters(input, diagHessianOutput) and initDiagHessianParameters()
---@return any
---@return any ...
function nn.hessian.enable() end

--- Copies the tensors of a state dict of PyTorch into a net.
---
---     net = nn.Linear(2, 1); report = nn.importState(net, {weight = torch.ones(1, 2), bias = torch.zeros(1)}); #report.used   --> 2
---@param net nn.Module an nn.Module
---@param state table a table of tensors by name, or nested tables
---@param rules? table a list of {pattern, replacement} for names; replacement false drops a name. Or function(name, tensor) that returns the new name, or nil to drop it (optional)
---@param partial? boolean true, also as a field of rules: copies what fits, and leaves the rest
---@return any # a report, which prints: used = list of {name in the state, name in the net}, missing, left, faults
function nn.importState(net, state, rules, partial) end

--- Lets layers share the memory of their outputs, for a model that is done with training.
---
---     m = nn.Sequential():add(nn.Abs()):add(nn.Exp()):add(nn.Tanh()):evaluate(); (nn.optimizeMemory(m, torch.ones(5)))   --> 40
---@param model nn.Module a module; its Sequentials and gModules share most, inside other containers results live as long as the call
---@param input any an example of the inputs, best of the largest size
---@return any # bytes saved, bytes that outputs and gradInputs held before (of a model that has run with this input), and after
---@return any ...
function nn.optimizeMemory(model, input) end

--- torch.save for checkpoints. `object` is a model, or a table with models and other values.
---
---     f = os.tmpname(); nn.save(f, {model = nn.Linear(2, 3), step = 7}); torch.load(f).step   --> 7
---@param filename any
---@param object any
---@param mode? any as for torch.save: 'binary' (default) or 'ascii'
---@return any
function nn.save(filename, object, mode) end

--- The layers of a net, with the sizes of their outputs for an input, and their parameters, as an object that prints as a table.
---
---     net = nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()); nn.summary(net, {3}).parameters   --> 20
---@param net nn.Module a module
---@param inputSize table|torch.Tensor a tensor, sizes, or a list of these. Sizes may have the dimension of the batch, such as {1, 28, 28} or a LongStorage. They stand for ones in the net's type.
---@return any # the object; errors name the layer that refuses its input
---@return any ...
function nn.summary(net, inputSize) end

--- Tables of connections for nn.SpatialConvolutionMap: full, oneToOne, random.
---
---     nn.tables.oneToOne(2)   --> {{1, 1}, {2, 2}}
---@class nn.tables
nn.tables = {}

--- All connections between nin and nout planes.
---@param nin any
---@param nout any
---@return any
function nn.tables.full(nin, nout) end

--- Plane i to plane i.
---@param nfeat any
---@return any
function nn.tables.oneToOne(nfeat) end

--- nto random input planes for every output plane, each input as often as any other.
---@param nin any
---@param nout any
---@param nto any
---@return any
function nn.tables.random(nin, nout, nto) end

--- Tests nn: runs the examples of its help texts and prints a report.
---@param tests? string a name such as 'nn.Linear', or a Lua pattern in it; a table of them (default: all)
---@param seed? number for torch.manualSeed and math.randomseed (optional)
---@return any # the tester; raises an error when an example does not have the result in its text
function nn.test(tests, seed) end

--- cunn.test under its name in Torch7.
---@param tests any
---@param print_timing? any
---@param n_loop? any
---@param seed? any
---@return any
---@return any ...
function nn.testcuda(tests, print_timing, n_loop, seed) end

--- Helpers for modules: nested tables of tensors, copies, clearing.
---@class nn.utils
nn.utils = {}

--- A view of t with a dimension of size 1 at `dim` (default 1); utils.addSingletonDimension([view,] t [, dim]).
---@param a any
---@param b? any
---@param c? any
---@return torch.Tensor
function nn.utils.addSingletonDimension(a, b, c) end

--- The tensor t, or a LongTensor of the numbers of a list, on the device of x; the element type stays.
---
---     nn.utils.beside({3, 1}, torch.Tensor(2))   --> {3, 1}
---@param t? any
---@param x? any
---@return torch.Tensor
function nn.utils.beside(t, x) end

--- Empties fields of an object: tensors lose their memory, tables their contents, other values are removed.
---
---     m = nn.Identity(); m:forward(torch.ones(2)); nn.utils.clear(m, 'output'); m.output:nElement()   --> 0
---@param self_ any
---@param ... any
---@return any
function nn.utils.clear(self_, ...) end

--- A view of `input` with the given sizes in `output`; a non-contiguous input is copied first.
---@overload fun(output: any, input: any, ...: any): torch.Tensor
---@param ... any
---@return torch.Tensor
function nn.utils.contiguousView(...) end

--- A copy of an object with everything it reaches; shared parts stay shared.
---@param object any
---@return any
function nn.utils.copy(object) end

--- Raises an error at the line that called into the package.
---@param text any
---@return any
function nn.utils.fail(text) end

--- Declares that the methods write and read of a class do not change the fields, so that clone can copy these.
---@param class any
---@return any
function nn.utils.keepsFields(class) end

--- The type of index tensors that belongs to a tensor type: torch.CudaLongTensor for CUDA types.
---
---     nn.utils.longType 'torch.FloatTensor'   --> torch.LongTensor
---@param kind? any
---@return any
function nn.utils.longType(kind) end

--- The tensors of a nested table (or the tensor itself), each through `f`; the result has the same form.
---@param x any
---@param f any
---@return any
---@return any ...
function nn.utils.map(x, f) end

--- The full name of a tensor type.
---@param who any
---@param kind? any
---@param part? any
---@return any
function nn.utils.needTensors(who, kind, part) end

--- Gives a class methods of an ancestor, past those of the classes between.
---@param class any
---@param ancestor any
---@param names any
---@return any
---@return any ...
function nn.utils.passOver(class, ancestor, names) end

--- Adds value (default 1) times the tensors of t2 to those of t1; utils.recursiveAdd(t1, t2) or (t1, value, t2).
---@param t1 any
---@param value any
---@param t2? any
---@return any
---@return any ...
function nn.utils.recursiveAdd(t1, value, t2) end

--- Copies t2 into t1, which takes its form; both may be nested tables.
---@param t1? any
---@param t2? any
---@return any
---@return any ...
function nn.utils.recursiveCopy(t1, t2) end

--- Fills every tensor of t with a number.
---@param t any
---@param value any
---@return any
---@return any ...
function nn.utils.recursiveFill(t, value) end

--- Makes t1 (nil, a tensor or a nested table) like t2; existing tensors are kept and resized.
---@param t1? any
---@param t2? any
---@return any
---@return any ...
function nn.utils.recursiveResizeAs(t1, t2) end

--- Converts a tensor, module, criterion or (in place) a nested table of them to a tensor type.
---@param x any
---@param kind any
---@param cache? table a table kept between calls that convert objects which share memory
---@return any
---@return any ...
function nn.utils.recursiveType(x, kind, cache) end

--- Raises "<module>: <what> must <wish>, got <shape>" at the line that called into the package.
---@param module any
---@param what any
---@param wish any
---@param got? any
---@return any
function nn.utils.refuse(module, what, wish, got) end

--- Sets the fields of a module or criterion from a file.
---@param self_ any
---@param fields any
---@return any
function nn.utils.restore(self_, fields) end

--- The shape of a tensor as messages show it: "4x5", "3", "empty"; the type of anything else.
---@param x any
---@return any
---@return any ...
function nn.utils.shape(x) end

--- Whether x is a module or a criterion: of class nn.Module or nn.Criterion, or of another class of a program that has updateOutput.
---
---     nn.utils.worksAs(nn.Abs(), 'nn.Module')   --> true
---@param x any
---@param class any
---@return boolean
function nn.utils.worksAs(x, class) end

return nn
