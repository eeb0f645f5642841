-- nn/container/MixedPrecision.lua - computes a model in half precision or bfloat16, with float parameters.
local torch = require 'torch'
local dtype = require 'torch.dtype'
local recording = require 'torch.recording'
local nn = require 'nn'

local utils = nn.utils

--- Runs a model in a 16-bit float type, which some GPUs compute several times as fast. It trains
-- float parameters (Micikevicius et al., "Mixed Precision Training", 2018). Inputs, outputs,
-- parameters and gradients have the type of the module outside; inside it uses 16-bit copies.
-- Modules that sum many numbers or take exponentials (softmax, embeddings, rare normalisations)
-- stay in floats. Batch and layer normalisations have floats as parameters and statistics, and take
-- halves. Gradients are computed `lossScale` times as large, so that small ones do not vanish. If
-- they become infinite the pass is repeated with half the scale, so no step is lost. After 2000
-- passes without that it doubles. Put the model on its device first.
-- @param module  a model of floats or doubles; its modules are converted to the 16-bit type
-- @param kind    'half' (default) or 'bfloat16'
-- @param lossScale  its first value (default: 65536 for half, 1 for bfloat16, whose range is that of floats)
-- nn.MixedPrecision(nn.Linear(3, 2):float()):forward(torch.FloatTensor(4, 3):fill(1)):type() --> torch.FloatTensor
local MixedPrecision, Container = torch.class('nn.MixedPrecision', 'nn.Container')
local Module = nn.Module
MixedPrecision.bufferNames = {'_input', '_gradOutput', '_sums', '_sum', '_wide', '_before'}

local LONG = { ['torch.FloatTensor'] = true, ['torch.DoubleTensor'] = true, ['torch.CudaTensor'] = true,
   ['torch.CudaDoubleTensor'] = true }
local SHORT = { half = { 'Half', 65536 }, bfloat16 = { 'BFloat16', 1 } }
local PATIENCE, LARGEST = 2000, 2 ^ 24        -- passes until the scale doubles, and its largest value

-- Modules that stay in floats. The input of those in PLACES is not converted, because it holds indices.
local FLOAT = { 'nn.BatchNormalization', 'nn.LayerNormalization', 'nn.SequenceBatchNormalization', 'nn.SoftMax', 'nn.LogSoftMax',
   'nn.SoftMin', 'nn.SpatialSoftMax', 'nn.SpatialLogSoftMax', 'nn.Normalize', 'nn.SpatialCrossMapLRN',
   'nn.SpatialDivisiveNormalization', 'nn.SpatialContrastiveNormalization', 'nn.Exp', 'nn.Log', 'nn.Square', 'nn.Sqrt', 'nn.Power',
   'nn.CosineDistance', 'nn.Cosine', 'nn.PairwiseDistance', 'nn.Euclidean', 'nn.WeightedEuclidean', 'nn.Sum', 'nn.Mean' }
-- Of those, the classes that take halves beside parameters of floats. Classes derived from them by
-- a program do not.
local MIXED = { ['nn.SequenceBatchNormalization'] = true }
for _, front in ipairs { 'nn.', 'nn.Spatial', 'nn.Volumetric' } do
   local name = front .. 'BatchNormalization'
   MIXED[name], MIXED[name:gsub('^nn', 'cudnn')] = true, true
end

local PLACES = { 'nn.LookupTable', 'nn.LookupTableGPU', 'dist.RowLookupTable', 'dist.ColumnLookupTable' }

local function is_one_of(module, names)
   for _, name in ipairs(names) do
      if torch.isTypeOf(module, name) then return true end
   end
   return false
end

-- 'torch.CudaTensor', 'Half' -> 'torch.CudaHalfTensor'; 'torch.FloatTensor', 'Half' -> 'torch.HalfTensor'
local function short_type(float, name) return (float:find 'Cuda' and 'torch.Cuda' or 'torch.') .. name .. 'Tensor' end

-- Whether a module of FLOAT needs conversions around it.
local function is_cast(m, float)
   local takes = MIXED[torch.typename(m)] or torch.typename(m) == 'nn.LayerNormalization'
      and m:get(5) ~= nil
   return not takes or float:find 'Double' ~= nil
end

function MixedPrecision:__init(module, kind, lossScale)
   Container.__init(self)
   kind = kind or 'half'
   if not torch.isTypeOf(module, 'nn.Module') then
      utils.fail(('nn.MixedPrecision: module must be a module, got %s'):format(utils.shape(module)))
   end
   if not SHORT[kind] then utils.fail(("nn.MixedPrecision: kind must be 'half' or 'bfloat16', got %s"):format(tostring(kind))) end
   lossScale = lossScale or SHORT[kind][2]
   if type(lossScale) ~= 'number' or not (lossScale >= 1 and lossScale <= LARGEST) then
      utils.fail(('nn.MixedPrecision: lossScale must be a number from 1 to 2^24, got %s'):format(tostring(lossScale)))
   end
   local float = module:type()
   if not LONG[float] then utils.fail(('nn.MixedPrecision: module must be of floats or doubles, got one of %s'):format(float)) end
   self.kind, self.lossScale, self.calm = kind, lossScale, 0
   self._type = float
   self.output, self.gradInput = self.output:type(float), self.gradInput:type(float)
   module = module:replace(function(m)
      if is_one_of(m, PLACES) and not torch.isTypeOf(m, 'nn.WeightedLookupTable') then return nn.DontCast(m, false, true) end
      return is_one_of(m, FLOAT) and nn.DontCast(m, is_cast(m, float)) or m
   end)
   -- Outside are the original parameters. Inside, modules that stay in floats share them, the others have 16-bit copies.
   local floats, grads = module:parameters()
   local kept = {}
   for i, p in ipairs(floats or {}) do kept[i] = { p, grads[i] } end         -- type() replaces the tensors of modules, not these
   self.modules[1] = module:type(short_type(float, SHORT[kind][1]))
   self._parameters, self._gradParameters = {}, {}
   local short, shortGrads = module:parameters()
   for i, p in ipairs(short or {}) do
      local same = p:type() == float
      self._parameters[i], self._gradParameters[i] = same and p or kept[i][1], same and shortGrads[i] or kept[i][2]
   end
end

function MixedPrecision:parameters()
   if #self._parameters > 0 then return self._parameters, self._gradParameters end
end

-- The parameters in floats; Container would return those of the modules inside.
utils.passOver(MixedPrecision, Module, { 'zeroGradParameters', 'updateParameters', 'sharedAccUpdateGradParameters' })
function MixedPrecision:accUpdateGradParameters(input, gradOutput, lr)
   self:sharedAccUpdateGradParameters(input, gradOutput, lr)
end

--- Draws new random parameters, as the modules inside do.
function MixedPrecision:reset(stdv)
   Container.reset(self, stdv)
   local short = self.modules[1]:parameters()
   for i, p in ipairs(self._parameters) do p:copy(short[i]) end
end

--- Makes all parameters, or with names that begin with grad all gradients, views of those of mlp. Returns self.
function MixedPrecision:share(mlp, ...)
   for _, name in ipairs{...} do
      local field = tostring(name):find '^grad' and '_gradParameters' or '_parameters'
      for i, p in ipairs(self[field]) do p:set(mlp[field][i]) end
   end
   return self
end

local function is_float(x) return dtype.is_float(x._dtype) end

-- x times a factor in a type. Tensors of floats, also in nested tables, become copies kept below own[key]; others stay as they
-- are. The product is rounded once.
local function cast(own, key, x, kind, factor)
   if torch.isTensor(x) then
      if not is_float(x) then return x end
      local to = own[key]
      if not torch.isTensor(to) or to:type() ~= kind then
         to = x.new():type(kind)
         own[key] = to
      end
      to:resizeAs(x)
      if not factor or factor == 1 then return to:copy(x) end
      if to:elementSize() < x:elementSize() then return to:copy(x:clone():mul(factor)) end
      return to:copy(x):mul(factor)
   elseif type(x) ~= 'table' then
      return x
   end
   if type(own[key]) ~= 'table' or torch.isTensor(own[key]) then own[key] = {} end
   local t = {}
   for k, v in pairs(x) do t[k] = cast(own[key], k, v, kind, factor) end
   return t
end

-- The vector that consists of these tensors, and its offset in their storage; nil if they do not lie side by side in one, as they
-- do after getParameters.
local function vector_of(list)
   local first, places, sizes = list[1], {}, {}
   local memory = first and torch.pointer(first:storage())
   for _, t in ipairs(list) do
      if t:type() ~= first:type() or not t:isContiguous() or torch.pointer(t:storage()) ~= memory then return nil end
      local place, n = t:storageOffset(), t:nElement()
      if sizes[place] and sizes[place] ~= n then return nil end
      if not sizes[place] then places[#places + 1], sizes[place] = place, n end
   end
   if not first then return nil end
   table.sort(places)
   local total = 0
   for _, place in ipairs(places) do
      if place ~= places[1] + total then return nil end
      total = total + sizes[place]
   end
   return first.new(first:storage(), places[1], torch.LongStorage{total}), places[1]
end

-- The 16-bit vector self[key] for a vector of floats. The 16-bit tensors move to the places there that the floats have, so that one
-- call converts all. Places of parameters that are floats inside too hold zeros.
local function short_vector(self, key, long, short, whole, offset)
   local kind, own = short_type(self._type, SHORT[self.kind][1]), self[key]
   if not torch.isTensor(own) or own:type() ~= kind or own:nElement() ~= whole:nElement() or own._device ~= short[1]._device then
      own = nil
   end
   for i, p in ipairs(long) do
      local q = short[i]
      if q:type() == kind and p:type() ~= kind then
         own = own or q.new(whole:nElement()):zero()
         local place = p:storageOffset() - offset + 1
         if torch.pointer(q:storage()) ~= torch.pointer(own:storage()) or q:storageOffset() ~= place or not q:isContiguous() then
            own:narrow(1, place, q:nElement()):copy(q)
            q:set(own:storage(), place, p:size())
         end
      end
   end
   self[key] = own
   return own
end

-- The vectors of float gradients and of their 16-bit copies; nil where they do not lie side by side.
local function gradient_vectors(self, short)
   local whole, offset = vector_of(self._gradParameters)
   return whole, whole and short_vector(self, '_shortGrads', self._gradParameters, short, whole, offset)
end

-- Updates the 16-bit copies of the parameters.
local function refresh(self)
   local short = self.modules[1]:parameters()
   local whole, offset = vector_of(self._parameters)
   local own = whole and short_vector(self, '_short', self._parameters, short, whole, offset)
   if own then return own:copy(whole) end
   for i, p in ipairs(self._parameters) do
      if short[i] ~= p and short[i]:type() ~= p:type() then short[i]:copy(p) end
   end
end

function MixedPrecision:updateOutput(input)
   refresh(self)
   self._input = self._input or {}
   local y = self:rethrowErrors(self.modules[1], 1, 'updateOutput', cast(self._input, 1, input, self.modules[1]:type()))
   self._output = { self.output }
   self.output = cast(self._output, 1, y, self._type)
   self._output = nil
   return self.output
end

-- Adds the sums of tensors (nested tables too) to self._sum, on their device: infinite and NaN elements keep it infinite or
-- NaN.
local function add_up(self, x)
   if torch.isTensor(x) then
      if x:nElement() == 0 or not is_float(x) then return end
      self._sums:sum(x:type(self._type):view(-1), 1)
      self._sum:add(self._sums:mul(2 ^ -30))              -- so that sums of finite numbers are finite
   elseif type(x) == 'table' then
      for _, v in pairs(x) do add_up(self, v) end
   end
end
local function all_finite(self, ...)
   self:scratch('_sums')
   self:scratch('_sum'):resize(1):zero()
   for i = 1, select('#', ...) do add_up(self, (select(i, ...))) end
   local sum = self._sum[1]
   return sum - sum == 0
end

-- Lets modules that compute together with other processes (dist) agree on `ok`, so that all processes repeat a pass, or
-- none does.
local function everywhere(self, ok)
   local asked = {}
   for _, module in ipairs(self.modules[1]:listModules()) do
      if module.everywhere then ok = module:everywhere(ok, asked) end
   end
   return ok
end

-- Runs f() with gradients at the current scale, and again at half of it while its results are not finite.
local function scaled(self, f)
   if self.lossScale > 1 then
      recording.refuse "nn.MixedPrecision: a scale of the loss, which looks at gradients ('bfloat16' has none),"
   end
   while true do
      if self.lossScale <= 1 then return f() end
      if everywhere(self, all_finite(self, f())) then break end
      self.lossScale, self.calm = math.max(1, self.lossScale / 2), 0
   end
end

local function short_input(self, input) return cast(self._input, 1, input, self.modules[1]:type()) end
local function short_gradient(self, gradOutput)
   self._gradOutput = self._gradOutput or {}
   return cast(self._gradOutput, 1, gradOutput, self.modules[1]:type(), self.lossScale)
end

local function back(self, input, gradOutput)
   local g = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', short_input(self, input), short_gradient(self, gradOutput))
   self._gradInputs = { self.gradInput }
   self.gradInput = g and cast(self._gradInputs, 1, g, self._type, 1 / self.lossScale)
   self._gradInputs = nil
   return self.gradInput
end

function MixedPrecision:updateGradInput(input, gradOutput)
   self._input = self._input or {}
   scaled(self, function() return back(self, input, gradOutput) end)
   return self.gradInput
end

-- Computes the gradients of the parameters of the 16-bit model.
local function accumulate(self, input, gradOutput)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', short_input(self, input), short_gradient(self, gradOutput), 1)
end

-- Calls f until its results are finite, each time but the first after a backward pass at the new scale. After an error
-- restore() has put back the gradients.
local function until_finite(self, input, gradOutput, restore, f)
   local again = false
   local ok, why = pcall(scaled, self, function()
      if again then back(self, input, gradOutput) end
      again = true
      return f()
   end)
   if not ok then
      restore()
      error(why, 0)
   end
end

-- All gradients lie in the vector `whole`, their 16-bit copies in `short`.
local function add_vectors(self, input, gradOutput, scale, whole, short)
   local wide = self:scratch('_wide', whole:type()):resizeAs(whole)
   if self.lossScale <= 1 and scale == 1 then            -- gradients of modules in floats are added in place
      short:zero()
      accumulate(self, input, gradOutput)
      whole:add(wide:copy(short))
      return
   end
   local before = self:scratch('_before', whole:type()):resizeAs(whole):copy(whole)
   until_finite(self, input, gradOutput, function() whole:copy(before) end, function()
      whole:zero()
      short:zero()
      accumulate(self, input, gradOutput)
      return wide:copy(short):add(whole)
   end)
   whole:copy(before):add(scale / self.lossScale, wide)
end

-- The same for gradients that lie anywhere.
local function add_each(self, input, gradOutput, scale, short)
   local before = {}                          -- gradients that are floats inside too, and are added to in place
   for i, g in ipairs(self._gradParameters) do before[i] = short[i]:type() == self._type and g:clone() or nil end
   local function restore()
      for i, g in pairs(before) do self._gradParameters[i]:copy(g) end
   end
   until_finite(self, input, gradOutput, restore, function()
      for _, g in ipairs(short) do g:zero() end
      accumulate(self, input, gradOutput)
      return short
   end)
   local factor = scale / self.lossScale
   for i, g in ipairs(self._gradParameters) do
      if before[i] then g:mul(factor):add(before[i])
      else g:add(factor, short[i]:type(self._type)) end
   end
end

-- One pass more has been finite: after many the scale doubles.
local function count_pass(self)
   self.calm = self.calm + 1
   if self.calm >= PATIENCE and self.kind == 'half' then
      self.lossScale, self.calm = math.min(LARGEST, 2 * self.lossScale), 0
   end
end

-- Without a scale of the loss one pass computes all gradients, and conversions occur once.
function MixedPrecision:backward(input, gradOutput, scale)
   local whole, flat
   if self.lossScale <= 1 and (scale or 1) == 1 and #self._parameters > 0 then
      whole, flat = gradient_vectors(self, select(2, self.modules[1]:parameters()))
   end
   if not flat then return Module.backward(self, input, gradOutput, scale) end
   self._input = self._input or {}
   flat:zero()
   local x, g = short_input(self, input), short_gradient(self, gradOutput)
   g = self:rethrowErrors(self.modules[1], 1, 'backward', x, g, 1)
   self._gradInputs = { self.gradInput }
   self.gradInput = g and cast(self._gradInputs, 1, g, self._type)
   self._gradInputs = nil
   whole:add(self:scratch('_wide', whole:type()):resizeAs(whole):copy(flat))
   count_pass(self)
   return self.gradInput
end

function MixedPrecision:accGradParameters(input, gradOutput, scale)
   if #self._parameters == 0 then return end
   self._input = self._input or {}
   local _, short = self.modules[1]:parameters()
   local whole, flat = gradient_vectors(self, short)
   if flat then add_vectors(self, input, gradOutput, scale or 1, whole, flat)
   else add_each(self, input, gradOutput, scale or 1, short) end
   count_pass(self)
end

--- Converts the module to floats or doubles, on the CPU or a device; the computation stays in 16 bits.
function MixedPrecision:type(kind, cache)
   if not kind then return self._type end
   kind = utils.needTensors(self, kind, cache ~= nil)
   if not LONG[kind] then utils.fail(('nn.MixedPrecision: its parameters are floats or doubles, got %s'):format(kind)) end
   cache = cache or {}
   local module = self.modules[1]
   module:apply(function(m)
      if torch.typename(m) == 'nn.DontCast' then
         local inside = m.modules[1]
         m.moduleType = kind
         inside:type(kind, cache)
         if is_one_of(inside, FLOAT) then
            m.castin = is_cast(inside, kind)
            m.castout = m.castin
         end
      end
   end)
   self.modules = nil
   Module.type(self, kind, cache)
   self.modules = { module:type(short_type(kind, SHORT[self.kind][1])) }
   local short, grads = module:parameters()
   for i, p in ipairs(short or {}) do
      if p:type() == kind then self._parameters[i], self._gradParameters[i] = p, grads[i] end
   end
   return self
end

function MixedPrecision:__tostring__()
   return ('%s(%s) @ %s'):format(torch.type(self), self.kind, tostring(self.modules[1]))
end

return MixedPrecision
