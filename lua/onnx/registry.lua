-- lua/onnx/registry.lua - the ops that are here: domain -> name -> definition.
--
-- Each file of ops/ adds its family with registry.add when it is loaded, which is when an op of it
-- is needed. A definition is a table:
--    run(n, ...)      computes the outputs from the inputs, nil for absent ones; returns as many values as the node has outputs.
--                     It changes no input and returns no tensor that it keeps
--    types            the types of the outputs: a type for all of them, 'first' (default: that of input 1), 'second', ..., a list of
--                     those, or a function(n) that returns a list
--    pure             false: another run may give other results, so constants are not folded (default: true)
--    inplace          true: the result may have the memory of an input of the same size that no other node uses
--    view             true: the result may be a view of the first input; a plan keeps it (kept.lua)
--    whole            true: with one output, run only calls functions on whole tensors. The first
--                     run of a plan does not compile it
--    weighs           true: run reads input 2, where that is constant, by the calls of n.weights (weights.lua) alone
--    graph_types      function(n, name): the types of the inputs of a subgraph, the attribute `name`, if it leaves them out
-- The node n has these fields; inputs and outputs count from 1:
--    n.op, n.name, n.domain, n.version          the op, and the version of its domain that the model imports
--    n.attr                                     attributes by name: numbers, strings, tensors, lists, types; graphs with
--                                               graph:run(list of inputs), which returns a list of outputs
--    n.attr_types                               types of tensor attributes
--    n.types, n.out_types                       types of the inputs (nil: absent) and outputs
--    n.count, n.outputs                         number of inputs and of outputs; n.wanted[i]: whether output i has a name
--    n.fixed[i]                                 whether input i is a constant of the model
--    n.steady[i]                                whether input i follows from input sizes
--    n:out(i)                                   an empty tensor of the type of output i (default: 1) for ops that write to a result
local M = {}

local domains = {}

local function short(domain) return domain == 'ai.onnx' and '' or domain or '' end

--- Adds an op, or replaces it.
-- @param definition  a table as above, or the function run
-- @param domain      (default: '', the one of ONNX)
function M.add(name, definition, domain)
   if type(definition) == 'function' then definition = { run = definition } end
   domain = short(domain)
   domains[domain] = domains[domain] or {}
   domains[domain][name] = definition
end

--- Adds several ops of one form: M.each({ Exp = 'exp' }, function(name, value) return definition end).
function M.each(list, make, domain)
   for name, value in pairs(list) do M.add(name, make(name, value), domain) end
end

-- The most turns of a Loop.
M.most_turns = 2 ^ 31

-- The files of ops/ and the ops that each adds. A file is loaded when one of its ops is first
-- needed: all of them take 7 ms. `whole`: the ops with this field, '*' for all.
M.families = {
   { 'pointwise', [[Abs Acos Acosh Add Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Div Elu
      Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Max Mean Min Mish Mod Mul Neg
      PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt
      Sub Sum Swish Tan Tanh ThresholdedRelu]], whole = '*' },
   { 'logic', [[And BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Equal Greater
      GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Where Xor]] },
   { 'constant', [[Constant ConstantOfShape EyeLike Range Shape Size]] },
   { 'random', [[Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform
      RandomUniformLike]] },
   { 'reduce', [[ArgMax ArgMin CumProd CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
      ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare]] },
   { 'shape', [[CenterCropPad Concat DepthToSpace Expand Flatten Identity Pad Reshape
      ReverseSequence Slice SpaceToDepth Split Squeeze Tile Transpose Trilu Unsqueeze]],
      whole = 'Concat Flatten Identity Reshape Squeeze Transpose Unsqueeze' },
   { 'gather', [[Compress Gather GatherElements GatherND NonZero OneHot Scatter
      ScatterElements ScatterND TensorScatter TopK Unique]] },
   { 'product', [[Det Einsum Gemm MatMul]], whole = 'Gemm MatMul' },
   { 'convolution', [[CausalConvWithState Col2Im Conv ConvTranspose DeformConv]],
      whole = 'Conv' },
   { 'pooling', [[AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool
      MaxUnpool]], whole = 'AveragePool GlobalAveragePool GlobalMaxPool MaxPool' },
   { 'resize', [[Resize Upsample]] },
   { 'sampling', [[AffineGrid GridSample MaxRoiPool RoiAlign]] },
   { 'boxes', [[NonMaxSuppression]] },
   { 'picture', [[ImageDecoder]] },
   { 'text', [[RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer]] },
   { 'recurrent', [[GRU LSTM RNN]] },
   { 'spectrum', [[BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT]] },
   { 'training', [[ai.onnx.preview.training.Adagrad ai.onnx.preview.training.Adam
      ai.onnx.preview.training.Momentum]] },
   { 'features', [[ai.onnx.ml.ArrayFeatureExtractor ai.onnx.ml.Binarizer ai.onnx.ml.CastMap
      ai.onnx.ml.CategoryMapper ai.onnx.ml.DictVectorizer ai.onnx.ml.FeatureVectorizer
      ai.onnx.ml.Imputer ai.onnx.ml.LabelEncoder ai.onnx.ml.LinearClassifier
      ai.onnx.ml.LinearRegressor ai.onnx.ml.Normalizer ai.onnx.ml.OneHotEncoder
      ai.onnx.ml.Scaler ai.onnx.ml.ZipMap]] },
   { 'trees', [[ai.onnx.ml.TreeEnsemble ai.onnx.ml.TreeEnsembleClassifier
      ai.onnx.ml.TreeEnsembleRegressor]] },
   { 'svm', [[ai.onnx.ml.SVMClassifier ai.onnx.ml.SVMRegressor]] },
   { 'normalization', [[BatchNormalization GroupNormalization InstanceNormalization LRN
      LpNormalization MeanVarianceNormalization]], whole = '*' },
   { 'softmax', [[Hardmax LogSoftmax NegativeLogLikelihoodLoss Softmax
      SoftmaxCrossEntropyLoss]], whole = 'LogSoftmax Softmax' },
   { 'attention', [[Attention LayerNormalization LinearAttention RMSNormalization
      RotaryEmbedding ai.onnx.preview.FlexAttention]],
      whole = 'LayerNormalization RMSNormalization' },
   { 'cast', [[BitCast Cast CastLike]] },
   { 'control', [[If Loop Scan]] },
   { 'sequence', [[ConcatFromSequence Optional OptionalGetElement OptionalHasElement
      SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength
      SequenceMap SplitToSequence]] },
   { 'quantize', [[ConvInteger DequantizeLinear DynamicQuantizeLinear MatMulInteger
      QLinearConv QLinearMatMul QuantizeLinear]] },
}

local family_of = {}                         -- 'Add', 'ai.onnx.ml.Scaler' -> the entry of its file
for _, entry in ipairs(M.families) do
   for name in entry[2]:gmatch '%S+' do family_of[name] = entry end
end

local function load(family)
   require('onnx.ops.' .. family[1])
   local whole = family.whole == '*' and family[2] or family.whole or ''
   for name in whole:gmatch '%S+' do domains[''][name].whole = true end
end

local function key_of(name, domain) return domain == '' and name or domain .. '.' .. name end

--- The definition of an op, or nil. Loads the file that adds it.
function M.find(name, domain)
   domain = short(domain)
   local found = domains[domain] and domains[domain][name]
   local family = not found and family_of[key_of(name, domain)]
   if not family then return found end
   load(family)
   return domains[domain][name]
end

--- The names of all ops, sorted; those outside of the domain '' begin with their domain and a dot.
function M.names()
   for _, entry in ipairs(M.families) do load(entry) end
   local list = {}
   for domain, ops in pairs(domains) do
      for name in pairs(ops) do list[#list + 1] = key_of(name, domain) end
   end
   table.sort(list)
   return list
end

return M
