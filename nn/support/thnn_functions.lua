-- nn/support/thnn_functions.lua - the functions of Torch7's library THNN, for modules of other packages, implemented by our layers.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local utils = require 'nn.utils'
local errors = require 'nn.support.errors'

-- Words in the signatures below are the fields of the layer that does the work; ? marks those that may be nil, and - arguments
-- that only the C code used (buffers, a generator), which are ignored.
local TENSORS, FLAGS = {}, {}
for name in ([[input output gradOutput gradInput weight bias gradWeight gradBias target indices weights running_mean running_var
   save_mean save_std total_weight_tensor conMatrix lrnScale noise]]):gmatch '%S+' do TENSORS[name] = true end
for name in ([[inplace train sizeAverage ceil_mode count_include_pad shouldScaleGradByFreq featFirst]]):gmatch '%S+' do
   FLAGS[name] = true
end

local rows = {}                                      -- name of the function -> { class, method, signatures, prepare }

-- family(class, prepare) { NAME = { pass = signature or list of signatures } }: prepare(layer) adds fields that are computed
-- from others.
local function family(class, prepare)
   return function(functions)
      for name, passes in pairs(functions) do
         for pass, signatures in pairs(passes) do
            if type(signatures) == 'string' then signatures = {signatures} end
            for i, signature in ipairs(signatures) do
               local list = {}
               for word in signature:gmatch '%S+' do
                  local field, optional = word:match '^(.-)(%??)$'
                  list[#list + 1] = {name = field, optional = optional == '?', tensor = TENSORS[field], flag = FLAGS[field]}
               end
               signatures[i] = list
            end
            rows[name .. '_' .. pass] = {class = class, method = pass, signatures = signatures, prepare = prepare}
         end
      end
   end
end

-- A parameter of THNN for which our layers support one value only.
local function only(field, value)
   return function(self)
      if self[field] ~= value then
         utils.fail(('%s: %s must be %d, as it is in nn, got %s'):format(tostring(self), field, value, tostring(self[field])))
      end
   end
end

-- Functions of each element: their numbers, and whether their gradient takes the output.
local function pointwise(name, numbers, output)
   family(name) {[name] = {
      updateOutput = 'input output ' .. numbers,
      updateGradInput = ('input gradOutput gradInput %s %s'):format(output and 'output' or '', numbers)}}
   rows[name .. '_updateGradInput'].again = not output          -- the layer's gradient needs the output
end
pointwise('Abs', '')
pointwise('ELU', 'alpha inplace', true)
pointwise('HardShrink', 'lambda')
pointwise('HardTanh', 'min_val max_val inplace')
pointwise('LeakyReLU', 'negval inplace')
pointwise('LogSigmoid', '-')
pointwise('LogSoftMax', '', true)
pointwise('Sigmoid', '', true)
pointwise('SoftMax', '', true)
pointwise('SoftShrink', 'lambda')
pointwise('Square', '')
pointwise('Tanh', '', true)
pointwise('Threshold', 'threshold val inplace')
family 'GatedLinearUnit' {GatedLinear = {updateOutput = 'input output dim', updateGradInput = 'input gradOutput gradInput dim'}}
rows.GatedLinear_updateGradInput.again = true
family('SoftPlus', only('threshold', 20)) {SoftPlus = {updateOutput = 'input output beta threshold',
   updateGradInput = 'input gradOutput gradInput output beta threshold'}}
family 'Sqrt' {Sqrt = {updateOutput = 'input output eps', updateGradInput = 'input gradOutput gradInput output'}}

family('PReLU', function(self) if self.nOutputPlane == 0 then self.nOutputPlane = nil end end) {PReLU = {
   updateOutput = 'input output weight nOutputPlane',
   updateGradInput = 'input gradOutput gradInput weight nOutputPlane',
   accGradParameters = 'input gradOutput - - gradWeight - - nOutputPlane scale'}}

-- Losses: their numbers.
local function loss(name, numbers)
   family(name) {[name] = {updateOutput = 'input target output ' .. numbers,
      updateGradInput = 'input target gradInput ' .. numbers}}
end
loss('AbsCriterion', 'sizeAverage')
loss('BCECriterion', 'sizeAverage weights?')
loss('ClassNLLCriterion', 'sizeAverage weights? total_weight_tensor ignoreIndex?')
loss('DistKLDivCriterion', 'sizeAverage')
loss('MSECriterion', 'sizeAverage')
loss('MarginCriterion', 'sizeAverage margin')
loss('MultiLabelMarginCriterion', '- sizeAverage')
loss('MultiMarginCriterion', 'sizeAverage p weights? margin')
loss('SmoothL1Criterion', 'sizeAverage')
loss('SoftMarginCriterion', 'sizeAverage')
loss('SpatialClassNLLCriterion', 'sizeAverage weights? total_weight_tensor ignoreIndex?')
family 'L1Cost' {L1Cost = {updateOutput = 'input output', updateGradInput = 'input - gradInput'}}

-- Filters: the numbers of planes follow from the weight, whose first two sizes are `first` and `second`.
local function planes(first, second, ...)
   local kernel = {...}
   return function(self)
      local w, size = self.weight or self.gradWeight, {}
      for i, k in ipairs(kernel) do size[i] = self[k] or tonumber(w:size(w:dim() - #kernel + i)) end
      for i, k in ipairs(kernel) do self[k] = size[i] end
      local area = 1
      for i = 1, #size do area = area * size[i] end
      local n = tonumber(w:size(1))
      if n == 0 or area == 0 or w:nElement() % (n * area) ~= 0 then
         utils.refuse(self, self.weight and 'weight' or 'gradWeight', 'be made of filters of ' .. table.concat(size, 'x'), w)
      end
      self[first], self[second] = n, tonumber(w:nElement()) / (n * area)
      if self.kT then                                -- volumes need all dimensions
         for _, name in ipairs{'weight', 'gradWeight'} do
            if self[name] then self[name] = self[name]:view(n, self[second], unpack(size)) end
         end
      end
   end
end

local function filters(name, class, prepare, numbers)
   family(class, prepare) {[name] = {
      updateOutput = 'input output weight bias? - - ' .. numbers,
      updateGradInput = 'input gradOutput gradInput weight - - ' .. numbers,
      accGradParameters = ('input gradOutput gradWeight gradBias? - - %s scale'):format(numbers)}}
end
filters('SpatialConvolutionMM', 'SpatialConvolution', planes('nOutputPlane', 'nInputPlane', 'kH', 'kW'), 'kW kH dW dH padW padH')
filters('SpatialDepthWiseConvolution', 'SpatialDepthWiseConvolution', planes('nOutputPlane', 'nInputPlane', 'kH', 'kW'),
   'kW kH dW dH padW padH')
filters('SpatialConvolutionLocal', 'SpatialConvolutionLocal', function(self)
   local w = self.weight or self.gradWeight
   local n = w:dim()                                 -- oH*oW x planes x inputs, or with all six dimensions
   if n ~= 3 and n ~= 6 then utils.refuse(self, 'weight', 'have 3 or 6 dimensions', w) end
   self.nOutputPlane = tonumber(w:size(n == 6 and 3 or 2))
   self.nInputPlane = tonumber(w:nElement()) / (self.oH * self.oW * self.nOutputPlane * self.kH * self.kW)
   local size = {self.oH, self.oW, self.nOutputPlane, self.nInputPlane, self.kH, self.kW}
   for _, name in ipairs{'weight', 'gradWeight'} do if self[name] then self[name] = self[name]:view(unpack(size)) end end
   for _, name in ipairs{'bias', 'gradBias'} do
      if self[name] then self[name] = self[name]:view(self.nOutputPlane, self.oH, self.oW) end
   end
end, 'kW kH dW dH padW padH iW iH oW oH')
family('SpatialDilatedConvolution', planes('nOutputPlane', 'nInputPlane', 'kH', 'kW')) {SpatialDilatedConvolution = {
   updateOutput = 'input output weight bias? - - kW kH dW dH padW padH dilationW dilationH',
   updateGradInput = 'input gradOutput gradInput weight - kW kH dW dH padW padH dilationW dilationH',
   accGradParameters = 'input gradOutput gradWeight gradBias? - - kW kH dW dH padW padH dilationW dilationH scale'}}
family('SpatialFullConvolution', planes('nInputPlane', 'nOutputPlane', 'kH', 'kW')) {SpatialFullConvolution = {
   updateOutput = 'input output weight bias? - - kW kH dW dH padW padH adjW adjH',
   updateGradInput = 'input gradOutput gradInput weight - kW kH dW dH padW padH adjW adjH',
   accGradParameters = 'input gradOutput gradWeight gradBias? - - kW kH dW dH padW padH adjW adjH scale'}}
family('VolumetricConvolution', planes('nOutputPlane', 'nInputPlane', 'kT', 'kH', 'kW')) {VolumetricConvolutionMM = {
   updateOutput = 'input output weight bias? - kT kW kH dT dW dH padT padW padH',
   updateGradInput = 'input gradOutput gradInput weight - - kT kW kH dT dW dH padT padW padH',
   accGradParameters = 'input gradOutput gradWeight gradBias? - kT kW kH dT dW dH padT padW padH scale'}}
family('VolumetricDilatedConvolution', planes('nOutputPlane', 'nInputPlane', 'kT', 'kH', 'kW')) {VolumetricDilatedConvolution = {
   updateOutput = 'input output weight bias? - - kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH',
   updateGradInput = 'input gradOutput gradInput weight - kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH',
   accGradParameters = 'input gradOutput gradWeight gradBias? - - kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH '
      .. 'scale'}}
family('VolumetricFullConvolution', planes('nInputPlane', 'nOutputPlane', 'kT', 'kH', 'kW')) {VolumetricFullConvolution = {
   updateOutput = 'input output weight bias? - - dT dW dH padT padW padH adjT adjW adjH',
   updateGradInput = 'input gradOutput gradInput weight - - dT dW dH padT padW padH adjT adjW adjH',
   accGradParameters = 'input gradOutput gradWeight gradBias? - - dT dW dH padT padW padH adjT adjW adjH scale'}}
local noPad, rowPlanes = only('padW', 0), planes('inputFrameSize', 'depth', 'kW')
family('TemporalRowConvolution', function(self)
   noPad(self)
   rowPlanes(self)
end) {TemporalRowConvolution = {
   updateOutput = 'input output weight bias? - - kW dW padW featFirst',
   updateGradInput = 'input gradOutput gradInput weight - - kW dW padW featFirst',
   accGradParameters = 'input gradOutput gradWeight gradBias? - - kW dW padW featFirst scale'}}
family('TemporalConvolution', planes('outputFrameSize', 'inputFrameSize', 'kW')) {TemporalConvolution = {
   updateOutput = 'input output weight bias kW dW - -',
   updateGradInput = 'input gradOutput gradInput weight kW dW',
   accGradParameters = 'input gradOutput gradWeight gradBias kW dW scale'}}
local function perPlane(field)
   return function(self) self[field] = tonumber((self.weight or self.gradWeight):nElement()) end
end
family('SpatialSubSampling', perPlane 'nInputPlane') {SpatialSubSampling = {
   updateOutput = 'input output weight bias kW kH dW dH',
   updateGradInput = 'input gradOutput gradInput weight kW kH dW dH',
   accGradParameters = 'input gradOutput gradWeight gradBias kW kH dW dH scale'}}
family('TemporalSubSampling', perPlane 'inputFrameSize') {TemporalSubSampling = {
   updateOutput = 'input output weight bias kW dW -',
   updateGradInput = 'input gradOutput gradInput weight kW dW',
   accGradParameters = 'input gradOutput gradWeight gradBias kW dW scale'}}
family 'LookupTable' {LookupTable = {
   accGradParameters = 'input gradOutput gradWeight - - - shouldScaleGradByFreq paddingValue? scale',
   renorm = 'input weight maxNorm normType'}}

-- Pooling and borders: their numbers.
local function pooling(name, numbers, indices)
   indices = indices and 'indices' or ''
   family(name) {[name] = {updateOutput = ('input output %s %s'):format(indices, numbers),
      updateGradInput = ('input gradOutput gradInput %s %s'):format(indices, numbers)}}
end
pooling('SpatialMaxPooling', 'kW kH dW dH padW padH ceil_mode', true)
pooling('SpatialDilatedMaxPooling', 'kW kH dW dH padW padH dilationW dilationH ceil_mode', true)
pooling('SpatialAveragePooling', 'kW kH dW dH padW padH ceil_mode count_include_pad')
pooling('TemporalMaxPooling', 'kW dW', true)
pooling('VolumetricAveragePooling', 'kT kW kH dT dW dH')
pooling('SpatialReflectionPadding', 'pad_l pad_r pad_t pad_b')
pooling('SpatialReplicationPadding', 'pad_l pad_r pad_t pad_b')
pooling('VolumetricReplicationPadding', 'pleft pright ptop pbottom pfront pback')
pooling('SpatialUpSamplingNearest', 'scale_factor')
family 'SpatialAdaptiveMaxPooling' {SpatialAdaptiveMaxPooling = {updateOutput = 'input output indices W H',
   updateGradInput = 'input gradOutput gradInput indices'}}
family('SpatialAdaptiveAveragePooling', function(self)
   local g = self.gradOutput
   if g then self.W, self.H = tonumber(g:size(g:dim())), tonumber(g:size(g:dim() - 1)) end
end) {SpatialAdaptiveAveragePooling = {updateOutput = 'input output W H', updateGradInput = 'input gradOutput gradInput'}}
family 'VolumetricMaxPooling' {VolumetricMaxPooling = {
   updateOutput = 'input output indices kT kW kH dT dW dH padT padW padH ceil_mode',
   updateGradInput = {'input gradOutput gradInput indices dT dW dH padT padW padH',
      'input gradOutput gradInput indices kT kW kH dT dW dH padT padW padH ceil_mode'}}}
family 'VolumetricDilatedMaxPooling' {VolumetricDilatedMaxPooling = {
   updateOutput = 'input output indices kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH ceil_mode',
   updateGradInput = {'input gradOutput gradInput indices dT dW dH padT padW padH dilationT dilationW dilationH',
      'input gradOutput gradInput indices kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH ceil_mode'}}}
family('VolumetricMaxUnpooling', function(self)
   self.pooling = {indices = self.indices, itime = self.otime, iwidth = self.owidth, iheight = self.oheight}
end) {VolumetricMaxUnpooling = {updateOutput = 'input output indices otime owidth oheight dT dW dH padT padW padH',
   updateGradInput = 'input gradOutput gradInput indices otime owidth oheight dT dW dH padT padW padH'}}
family('SpatialMaxUnpooling', function(self)
   self.pooling = {indices = self.indices, iwidth = self.owidth, iheight = self.oheight}
end) {SpatialMaxUnpooling = {updateOutput = 'input output indices owidth oheight',
   updateGradInput = 'input gradOutput gradInput indices owidth oheight'}}
family('SpatialUpSamplingBilinear', function(self)
   if not self.input then self.input = self.gradOutput.new(self.samples, self.planes, self.iheight, self.iwidth) end
end) {SpatialUpSamplingBilinear = {updateOutput = 'input output oheight owidth',
   updateGradInput = 'gradOutput gradInput samples planes iheight iwidth oheight owidth'}}
family('SpatialCrossMapLRN', function(self) self.scale = self.lrnScale end) {SpatialCrossMapLRN = {
   updateOutput = 'input output lrnScale size alpha beta k',
   updateGradInput = 'input gradOutput gradInput lrnScale output size alpha beta k'}}
family 'BatchNormalization' {BatchNormalization = {
   updateOutput = 'input output weight? bias? running_mean running_var save_mean save_std train momentum eps',
   backward = 'input gradOutput gradInput? gradWeight? gradBias? weight? running_mean running_var save_mean save_std train '
      .. 'scale -'}}

--- nn.THNN: The functions of Torch7's library THNN, for modules of other packages.
local THNN = {}

--- nn.THNN.optionalTensor(t): The form of a tensor argument that may be missing: t:cdata(), or nil.
-- nn.THNN.optionalTensor(nil) --> nil
function THNN.optionalTensor(t) return t and t:cdata() end

local function refuse(name, what, wish, got)
   utils.fail(('THNN.%s: %s must be %s, got %s'):format(name, what, wish, arg.describe(got)))
end

-- The signature for n arguments.
local function signature(name, row, n)
   local wishes = {}
   for i, list in ipairs(row.signatures) do
      local least = #list
      while least > 0 and (list[least].optional or list[least].name == '-') do least = least - 1 end
      if n >= least and n <= #list then return list end
      wishes[i] = tostring(#list)
   end
   utils.fail(('THNN.%s: expected %s arguments, got %d'):format(name, table.concat(wishes, ' or '), n))
end

-- The fields of a layer from the arguments.
local function fields(name, list, ...)
   local layer = {}
   for i, want in ipairs(list) do
      local v = (select(i, ...))
      if v == nil then v = nil end                   -- a pointer that is NULL
      local missing = v == nil and (want.optional or want.flag)
      if want.name ~= '-' and not missing then
         if want.tensor and not torch.isTensor(v) then refuse(name, want.name, "a tensor's cdata()", v) end
         if not want.tensor and not want.flag and type(v) ~= 'number' then refuse(name, want.name, 'a number', v) end
         if want.flag then v = v ~= false and v ~= 0 end
         layer[want.name] = v
      end
   end
   return layer
end

-- Layers for one call: they have the methods of a class, and the name of the function.
local kinds = {}
local function kind_of(name, class)
   if not kinds[name] then
      kinds[name] = {__index = torch.getmetatable('nn.' .. class), __tostring = function() return 'THNN.' .. name end}
   end
   return kinds[name]
end

local COUNTS = {kW = 1, kH = 1, kT = 1, dW = 1, dH = 1, dT = 1, dilationT = 1, dilationW = 1, dilationH = 1, padW = 0, padH = 0,
   padT = 0, W = 1, H = 1, oW = 1, oH = 1, iW = 1, iH = 1, otime = 1, owidth = 1, oheight = 1, iwidth = 1, iheight = 1,
   samples = 1, planes = 1,
   scale_factor = 1, size = 1, nOutputPlane = 0, adjT = 0, adjW = 0, adjH = 0,
   pad_l = 0, pad_r = 0, pad_t = 0, pad_b = 0, pleft = 0, pright = 0,
   ptop = 0, pbottom = 0, pfront = 0, pback = 0}

local function check(name, layer)
   for field, least in pairs(COUNTS) do
      local v = layer[field]
      local fits = not v or v % 1 == 0 and v >= least and v <= 2 ^ 31
      if not fits then refuse(name, field, ('a whole number of at least %d'):format(least), v) end
   end
   local kind = (layer.input or layer.gradOutput):type()
   for _, field in ipairs{'output', 'gradOutput', 'gradInput', 'weight', 'bias', 'gradWeight', 'gradBias', 'weights'} do
      local t = layer[field]
      local numbers = field == 'weight' and layer.maxNorm or not layer.output and not layer.gradInput    -- of a LookupTable
      if t and not numbers and t:type() ~= kind then refuse(name, field, 'a ' .. kind .. ' as the input is', t) end
   end
end

-- Copies the result of a layer into the tensor of the caller.
local function deliver(to, y, inplace)
   if not to or not y or rawequal(to, y) then return end
   if type(y) == 'number' then
      to:resize(1):fill(y)
   elseif inplace then
      to:set(y)
   else
      to:resizeAs(y):copy(y)
   end
end

local methods = {}

-- Batch normalisation has one class for each number of dimensions here, and one op.
function methods.BatchNormalization_updateOutput(a)
   return torch.batchnorm(a.output, a.save_mean, a.save_std, a.input, a.weight, a.bias, a.running_mean, a.running_var,
      a.train or false, a.momentum, a.eps)
end

function methods.BatchNormalization_backward(a)
   torch.batchnorm_grad(a.gradInput or a.input.new(), a.input, a.gradOutput, a.weight, a.save_mean, a.save_std, a.gradWeight,
      a.gradBias, a.train or false, a.scale)
end

local function behind(method) return arg.behind[method] or method end

local function run(name, row, layer)
   if methods[name] then return methods[name](layer) end
   local class, given = torch.getmetatable('nn.' .. row.class), {}
   for field, v in pairs(layer) do given[field] = v end
   layer._type = (layer.input or layer.gradOutput):type()
   if layer.indices and layer.indices:type() ~= 'torch.LongTensor' then layer.indices = layer.indices:long() end
   setmetatable(layer, kind_of(name, row.class))
   if row.prepare then row.prepare(layer) end
   local method = behind(class[row.method])
   local criterion = torch.isTypeOf(setmetatable({}, class), 'nn.Criterion')
   if criterion then
      if row.method == 'updateOutput' then layer.output = nil end
      deliver(given[row.method == 'updateOutput' and 'output' or 'gradInput'], method(layer, layer.input, given.target))
   elseif row.method == 'updateOutput' then
      deliver(given.output, method(layer, layer.input), layer.inplace)
   elseif row.method == 'updateGradInput' then
      if row.again and layer.inplace then
         layer.output = layer.input                  -- the layer works in its input
      elseif row.again then
         layer.output = layer.input.new()
         behind(class.updateOutput)(layer, layer.input)
      end
      deliver(given.gradInput, method(layer, layer.input, layer.gradOutput), layer.inplace)
   elseif row.method == 'accGradParameters' then
      method(layer, layer.input, layer.gradOutput, layer.scale)
   else
      method(layer, layer.input)
   end
   if row.method == 'updateOutput' then
      deliver(given.indices, layer.indices)
      deliver(given.lrnScale, given.lrnScale and layer.scale)
   end
end

-- Errors name the function of THNN.
local function failed(name, why, ...)
   why = tostring(why):match '^[^\n]*'
   local text = why:match '^[^:]*:%d+: (.*)$' or why
   if errors.of_lua(text) then text = 'the arguments do not fit together, got ' .. errors.described(...) end
   if not text:find('THNN.' .. name, 1, true) then text = ('THNN.%s: %s'):format(name, text) end
   utils.fail(text)
end

local functions = {}
for name, row in pairs(rows) do
   functions[name] = function(...)
      local layer = fields(name, signature(name, row, select('#', ...)), ...)
      check(name, layer)
      local ok, why = pcall(run, name, row, layer)
      if not ok then failed(name, why, ...) end
   end
end

setmetatable(functions, {__index = function(_, name)
   local family_name = type(name) == 'string' and name:match '^(%w+)_' or tostring(name)
   local passes = {}
   for known in pairs(rows) do
      if known:match '^(%w+)_' == family_name then passes[#passes + 1] = known end
   end
   table.sort(passes)
   utils.fail(('THNN has no function %s%s'):format(tostring(name), #passes > 0 and '; it has ' .. table.concat(passes, ', ')
      or ' here; nn.THNN.names() lists those that there are'))
end})

--- nn.THNN.names(): A sorted list of the names of all functions that are implemented.
-- nn.THNN.names()[1] --> AbsCriterion_updateGradInput
function THNN.names()
   local names = {}
   for name in pairs(rows) do names[#names + 1] = name end
   table.sort(names)
   return names
end

--- nn.THNN.kernels: The functions for each type of tensor. Each tensor has them too, as x.THNN.Tanh_updateOutput.
-- Modules of other packages call them: x.THNN.Tanh_updateOutput(x:cdata(), y:cdata()), without THNN's first argument, the
-- state, with nil for optional ones. Types: Float Double. The layers of nn implement them: buffers are neither read
-- nor written. Looking up a name that is not among nn.THNN.names() is an error.
-- x, y = torch.Tensor{-1, 2}, torch.Tensor(); x.THNN.Threshold_updateOutput(x:cdata(), y:cdata(), 0, 0, false); y --> {0, 2}
THNN.kernels = {}
for _, kind in ipairs{'torch.FloatTensor', 'torch.DoubleTensor'} do
   THNN.kernels[kind] = functions
   torch.getmetatable(kind).THNN = functions
end

nn.THNN = THNN
return THNN
