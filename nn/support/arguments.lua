-- nn/support/arguments.lua - checks the arguments of nn's constructors, by a table with one row for each class.
local torch = require 'torch'
local arg = require 'torch.arg'
local utils = require 'nn.utils'
local errors = require 'nn.support.errors'

-- The test of a whole number. As in Torch7 a string stands for the number that it spells, and fractions are cut off.
local function whole(least)
   return function(v)
      v = arg.whole_of(v)
      return v and v >= least, v
   end
end
local function place(v)
   v = arg.whole_of(v)
   return v and v ~= 0, v
end
local function number(v)
   v = arg.number_of(v)
   return v, v
end
local size = whole(0)
local function sizes(v)
   if torch.isStorage(v) then return true end
   return size(v)
end
local function of(class) return function(v) return utils.worksAs(v, class) end end

-- kind -> its name in messages, and the test of a value. A test of numbers also returns the converted number.
local kinds = {
   size = {'a whole number that is not negative', size},
   sizes = {'a whole number that is not negative, or a LongStorage', sizes},
   count = {'a whole number of at least 1', whole(1)},
   whole = {'a whole number', whole(-2 ^ 53)},
   place = {'a whole number that is not 0', place},
   number = {'a number', number},
   string = {'a string', function(v) return type(v) == 'string' end},
   key = {'a number or a key', function(v) return v == v end},
   tensor = {'a tensor', torch.isTensor},
   module = {'a module', of 'nn.Module'},
   criterion = {'a criterion', of 'nn.Criterion'},
}

-- The arguments in order: name:kind, with ? where nil and false mean a default. Arguments and classes that are not listed
-- accept any value, or check it themselves.
local rows = {
   -- parameters
   Add = 'inputSize:sizes?', Bilinear = 'inputSize1:size inputSize2:size outputSize:size',
   Cosine = 'inputSize:size outputSize:size', Euclidean = 'inputSize:size outputSize:size',
   IndexLinear = 'inputSize:size outputSize:size doGradInput keysOffset:number? weight:tensor? bias:tensor?',
   Kmeans = 'k:count dim:count scale:number?', Linear = 'inputSize:size outputSize:size',
   LinearWeightNorm = 'inputSize:size outputSize:size bias eps:number?',
   LookupTableGPU = 'nInput:size nOutput:size featuresInDim2',
   LookupTable = 'nIndex:size nOutput:size paddingValue:number? maxNorm:number? normType:number?',
   Maxout = 'inputSize:size outputSize:size maxoutNumber:count preprocess:module?', PReLU = 'nOutputPlane:size?',
   PartialLinear = 'inputsize:size outputsize:size', SparseLinear = 'inputSize:size outputSize:size',
   WeightedEuclidean = 'inputSize:size outputSize:size',
   BatchNormalization = 'nOutput:count eps:number? momentum:number?',
   LayerNormalization = 'nOutput:count bias:number? eps:number?', Normalize = 'p:number eps:number?',
   -- functions of each element
   Dropout = 'p:number?', SpatialDropout = 'p:number?', VolumetricDropout = 'p:number?', GradientReversal = 'lambda:number?',
   L1Penalty = 'l1weight:number', RReLU = 'l:number? u:number?', Sqrt = 'eps:number?', WhiteNoise = 'mean:number? std:number?',
   -- shapes
   CReLU = 'nInputDims:size?', Collapse = 'nInputDim:count?', Concat = 'dimension:place?',
   Constant = 'value nInputDim:size?', Convert = 'inputShape:string? outputShape:string?',
   Copy = 'intype:string? outtype:string?', GatedLinearUnit = 'dim:place?', Index = 'dimension:place?',
   JoinTable = 'dimension:place? nInputDims:whole?', Max = 'dimension:place? nInputDims:whole?',
   Mean = 'dimension:place? nInputDims:whole?', Min = 'dimension:place? nInputDims:whole?', MixtureTable = 'dim:place?',
   Narrow = 'dimension:place offset:place length:whole?', NarrowTable = 'offset:place? length:whole?', OneHot = 'outputSize:count',
   Padding = 'dim:place pad:whole nInputDim:whole? value:number? index:whole?', PairwiseDistance = 'p:number?',
   Parallel = 'inputDimension:place? outputDimension:place?', Replicate = 'nfeatures:count? dim:place? ndim:whole?',
   Select = 'dimension:place? index:place?', SelectTable = 'index:key', SplitTable = 'dimension:place? nInputDims:whole?',
   SpatialReflectionPadding = 'left:whole? right:whole? top:whole? bottom:whole?',
   SpatialReplicationPadding = 'left:whole? right:whole? top:whole? bottom:whole?',
   SpatialZeroPadding = 'left:whole? right:whole? top:whole? bottom:whole?',
   VolumetricReplicationPadding = 'left:whole? right:whole? top:whole? bottom:whole? front:whole? back:whole?',
   Squeeze = 'dim:place? numInputDims:whole?', Sum = 'dimension:place? nInputDims:whole?',
   Unsqueeze = 'pos:place numInputDims:whole?',
   -- modules of modules
   Bottle = 'module:module nInputDim:count? nOutputDim:count?', Decorator = 'module:module?',
   DataParallelTable = 'dimension:count? flattenParams usenccl', AbstractParallel = 'dimension:count?',
   DataParallel = 'dimension:count?', ModelParallel = 'dimension:count?', OneBitDataParallel = 'dimension:count? config',
   DontCast = 'module:module castin castout moduleType:string?',
   GPU = 'module:module device:count outdevice:count?', MapTable = 'module:module?', NaN = 'module:module',
   Profile = 'module:module print_interval:number? name:string?', WeightNorm = 'module:module outputDim:count?',
   CriterionTable = 'criterion:criterion', ModuleFromCriterion = 'criterion:criterion',
   StochasticGradient = 'module:module criterion:criterion',
   -- sequences
   FeatureLPPooling = 'width:count stride:count power:number?',
   TemporalConvolution = 'inputFrameSize:size outputFrameSize:size kW:count dW:count?',
   TemporalDynamicKMaxPooling = 'minK:count factor:number?', TemporalMaxPooling = 'kW:count dW:count?',
   TemporalRowConvolution = 'inputFrameSize:size kW:count dW:count?',
   TemporalSubSampling = 'inputFrameSize:size kW:count dW:count?',
   -- images
   PixelShuffle = 'upscaleFactor:count', SpatialAdaptiveAveragePooling = 'W:count H:count',
   SpatialAdaptiveMaxPooling = 'W:count H:count',
   SpatialAveragePooling = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size?',
   SpatialMaxPooling = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size?',
   SpatialDilatedMaxPooling = 'kW:count kH:count dW:count? dH:count? padW:size? padH:size? dilationW:count? dilationH:count?',
   SpatialConvolution = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? padH:whole?',
   SpatialConvolutionFFT = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padLeft:size? padUp:size?',
   SpatialConvolutionFFTTiled = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padLeft:size? '
      .. 'padUp:size? tileSizeW:count? tileSizeH:count?',
   SpatialConvolutionLocal = 'nInputPlane:size nOutputPlane:size iW:count iH:count kW:count kH:count dW:count? dH:count? '
      .. 'padW:size? padH:size?',
   SpatialConvolutionMap = 'conMatrix:tensor kW:count kH:count dW:count? dH:count?',
   SpatialFullConvolutionMap = 'conMatrix:tensor kW:count kH:count dW:count? dH:count?',
   SpatialDilatedConvolution = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? padH:whole? '
      .. 'dilationW:count? dilationH:count?',
   SpatialFullConvolution = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padW:whole? padH:whole? '
      .. 'adjW:size? adjH:size?',
   SpatialContrastiveNormalization = 'nInputPlane:count? kernel:tensor? threshold:number? thresval:number?',
   SpatialDivisiveNormalization = 'nInputPlane:count? kernel:tensor? threshold:number? thresval:number?',
   SpatialSubtractiveNormalization = 'nInputPlane:count? kernel:tensor?',
   SpatialCrossMapLRN = 'size:count alpha:number? beta:number? k:number?',
   SpatialLPPooling = 'nInputPlane:size? pnorm:number kW:count kH:count dW:count? dH:count?',
   SpatialSubSampling = 'nInputPlane:size kW:count kH:count dW:count? dH:count?',
   -- volumes
   VolumetricAveragePooling = 'kT:count kW:count kH:count dT:count? dW:count? dH:count?',
   VolumetricMaxPooling = 'kT:count kW:count kH:count dT:count? dW:count? dH:count? padT:size? padW:size? padH:size?',
   VolumetricDilatedMaxPooling = 'kT:count kW:count kH:count dT:count? dW:count? dH:count? padT:size? padW:size? padH:size? '
      .. 'dilationT:count? dilationW:count? dilationH:count?',
   VolumetricConvolution = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? dH:count? '
      .. 'padT:size? padW:size? padH:size?',
   VolumetricDilatedConvolution = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? dH:count? '
      .. 'padT:size? padW:size? padH:size? dilationT:count? dilationW:count? dilationH:count?',
   VolumetricFullConvolution = 'nInputPlane:size nOutputPlane:size kT:count kW:count kH:count dT:count? dW:count? dH:count? '
      .. 'padT:size? padW:size? padH:size? adjT:size? adjW:size? adjH:size?',
   -- criterions
   BCECriterion = 'weights:tensor?', ClassNLLCriterion = 'weights:tensor? sizeAverage ignoreIndex:number?',
   CTCCriterion = 'batchFirst sizeAverage blank:count?', CosineEmbeddingCriterion = 'margin:number?',
   CrossEntropyCriterion = 'weights:tensor?',
   HSM = 'mapping inputSize:count unkIndex:count?', HingeEmbeddingCriterion = 'margin:number?',
   L1HingeEmbeddingCriterion = 'margin:number?', MarginCriterion = 'margin:number?',
   MarginRankingCriterion = 'margin:number?', MultiLabelSoftMarginCriterion = 'weights:tensor?',
   MultiMarginCriterion = 'p:number? weights:tensor? margin:number?', WeightedMSECriterion = 'w:tensor',
}

-- 'kW:count dW:count?' as a list of {name, kind, optional}
local function parse(row)
   local list = {}
   for word in row:gmatch '%S+' do
      local name, kind, optional = word:match '^([%w_]+):?(%a*)(%??)$'
      list[#list + 1] = {name = name, kind = kinds[kind], optional = optional == '?'}
   end
   return list
end

-- __init with a check of its arguments. Messages name derived classes by their names.
local function checked(class, list, init)
   local function check(self, ...)
      arg.object(class, self)
      local given, n = nil, select('#', ...)                    -- all arguments, if one is converted to another number
      for i = 1, #list do
         local want, v = list[i], (select(i, ...))
         if want.kind and not (want.optional and not v) then
            local fits, taken = want.kind[2](v)
            if not fits then utils.refuse(torch.typename(self), want.name, 'be ' .. want.kind[1], arg.describe(v)) end
            if taken and taken ~= v then
               given = given or {...}
               given[i] = taken
            end
         end
      end
      if given then return errors.construct(init, self, unpack(given, 1, n)) end
      return errors.construct(init, self, ...)
   end
   arg.behind[check] = init
   return check
end

local arguments = {}

--- Makes the constructor of a class of nn check its arguments.
function arguments.guard(class)
   local init = rawget(class, '__init')
   if init then class.__init = checked(class.__typename, parse(rows[class.__typename:sub(4)] or ''), init) end
end

return arguments
