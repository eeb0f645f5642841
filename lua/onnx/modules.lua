-- lua/onnx/modules.lua - the module of nn for a node: its weights are those of the model, and can be trained.
--
-- A maker gets the node n and the facts f: f.constant(k), the constant of input k or nil; f.shape(k), f.result, the shapes of
-- input
-- k and of the result in a run; f.type, the type of its tensors. It returns a module, or nil and a reason.
local torch = require 'torch'
local nn = require 'nn'
local types = require 'onnx.types'
local windows = require 'onnx.windows'

local M = {}

local function sequence(...)
   local s = nn.Sequential()
   for _, m in ipairs { ... } do s:add(m) end
   return s:size() == 1 and s:get(1) or s
end

local function set(parameter, t) parameter:resizeAs(t):copy(t) end

-- ---- convolutions --------------------------------------------------------------------------------------------------

local function conv_of(g, w, b)
   local s = types.shape(w)
   local dilated = g.dilations[1] ~= 1 or g.dilations[2] ~= 1
   local p, m = g.pads
   if dilated then
      m = nn.SpatialDilatedConvolution(s[2], s[1], s[4], s[3], g.strides[2], g.strides[1], p[2], p[1], g.dilations[2],
         g.dilations[1])
   else
      m = nn.SpatialConvolution(s[2], s[1], s[4], s[3], g.strides[2], g.strides[1], p[2], p[1])
   end
   set(m.weight, w)
   if b then set(m.bias, b) else m:noBias() end
   return m
end

-- Groups: each reads its planes and has a convolution.
local function grouped(g, w, b, groups)
   if groups == 1 then return conv_of(g, w, b) end
   local s = types.shape(w)
   local out, c = s[1] / groups, nn.Concat(2)
   for k = 0, groups - 1 do
      local part = b and b:narrow(1, k * out + 1, out)
      c:add(sequence(nn.Narrow(2, k * s[2] + 1, s[2]), conv_of(g, w:narrow(1, k * out + 1, out), part)))
   end
   return c
end

function M.Conv(n, f)
   local w, b = f.constant(2), f.constant(3)
   if w == nil or n.inputs[3] and b == nil then return nil, 'its weights are no constants' end
   if types.rank(w) ~= 4 then return nil, 'it has no 2 spatial dimensions' end
   local g = windows.geometry(n, f.input, { types.size(w, 3), types.size(w, 4) }, false)
   local equal = g.before[1] == g.behind[1] and g.before[2] == g.behind[2]
   g.pads = equal and g.before or { 0, 0 }
   local m = grouped(g, w, b, n.attr.group or 1)
   if equal then return m end
   return sequence(nn.SpatialZeroPadding(g.before[2], g.behind[2], g.before[1], g.behind[1]), m)
end

function M.ConvTranspose(n, f)
   local w, b = f.constant(2), f.constant(3)
   if w == nil or n.inputs[3] and b == nil then return nil, 'its weights are no constants' end
   local s, p, a = types.shape(w), n.attr.pads or { 0, 0, 0, 0 }, n.attr.output_padding or { 0, 0 }
   local d, t = n.attr.dilations or { 1, 1 }, n.attr.strides or { 1, 1 }
   local auto = n.attr.auto_pad or 'NOTSET'
   if #s ~= 4 or (n.attr.group or 1) ~= 1 or d[1] ~= 1 or d[2] ~= 1 or p[1] ~= p[3] or p[2] ~= p[4] or n.attr.output_shape
      or auto ~= 'NOTSET' then
      return nil, 'its attributes have no module'
   end
   local m = nn.SpatialFullConvolution(s[1], s[2], s[4], s[3], t[2], t[1], p[2], p[1], a[2], a[1])
   set(m.weight, w)
   if b then set(m.bias, b) else m:noBias() end
   return m
end

-- ---- products ------------------------------------------------------------------------------------------------------

local function linear(w, b)                                   -- w: inputs x outputs
   local m = nn.Linear(types.size(w, 1), types.size(w, 2), b ~= nil)
   set(m.weight, types.permute(w, { 2, 1 }))
   if b then set(m.bias, b) end
   return m
end

function M.Gemm(n, f)
   local w, c = f.constant(2), f.constant(3)
   if w == nil or n.inputs[3] and c == nil then return nil, 'its weights are no constants' end
   if (n.attr.transA or 0) ~= 0 then return nil, 'its input is transposed' end
   if (n.attr.transB or 0) ~= 0 then w = types.permute(w, { 2, 1 }) end
   w = torch.mul(w, n.attr.alpha or 1)
   if c == nil then return linear(w) end
   local shape = types.shape(c)
   if #shape == 2 and shape[1] ~= 1 then return nil, 'its bias has rows' end
   local row = types.expand(types.view(c, { types.count(shape) }), { types.size(w, 2) })
   return linear(w, torch.mul(row, n.attr.beta or 1))
end

function M.MatMul(_, f)
   local w = f.constant(2)
   if w == nil then
      if f.constant(1) ~= nil then return nil, 'a constant on the left has no module' end
      return nn.MM()
   end
   if types.rank(w) ~= 2 then return nil, 'its weights are no matrix' end
   local m = linear(w)
   return #f.shape(1) > 2 and nn.Bottle(m) or m
end

-- ---- normalization -------------------------------------------------------------------------------------------------

local norms = { [2] = 'BatchNormalization', [3] = 'BatchNormalization', [4] = 'SpatialBatchNormalization',
   [5] = 'VolumetricBatchNormalization' }

function M.BatchNormalization(n, f)
   local name = norms[#f.shape(1)]
   for k = 2, 5 do if f.constant(k) == nil then return nil, 'its parameters are no constants' end end
   if not name or n.wanted[2] then return nil, 'its form has no module' end
   local m = nn[name](f.shape(1)[2], n.attr.epsilon or 1e-5, 1 - (n.attr.momentum or 0.9))
   set(m.weight, f.constant(2))
   set(m.bias, f.constant(3))
   set(m.running_mean, f.constant(4))
   set(m.running_var, f.constant(5))
   return m
end

function M.LRN(n)
   if n.attr.size % 2 == 0 then return nil, 'its size is even' end
   return nn.SpatialCrossMapLRN(n.attr.size, n.attr.alpha or 1e-4, n.attr.beta or 0.75, n.attr.bias or 1)
end

-- ---- activations ---------------------------------------------------------------------------------------------------

for op, name in pairs { Relu = 'ReLU', Sigmoid = 'Sigmoid', Tanh = 'Tanh', Softsign = 'SoftSign', Exp = 'Exp', Log = 'Log',
   Abs = 'Abs',
   Identity = 'Identity', Sqrt = 'Sqrt' } do
   M[op] = function() return nn[name]() end
end

function M.Softplus() return nn.SoftPlus() end
function M.LeakyRelu(n) return nn.LeakyReLU(n.attr.alpha or 0.01) end
function M.Elu(n) return nn.ELU(n.attr.alpha or 1) end
function M.ThresholdedRelu(n) return nn.Threshold(n.attr.alpha or 1, 0) end
function M.Neg() return nn.MulConstant(-1) end

function M.Gelu(n)
   if n.attr.approximate == 'tanh' then return nil, 'its approximation has no module' end
   return nn.GELU()
end

function M.HardSigmoid(n)
   return sequence(nn.MulConstant(n.attr.alpha or 0.2), nn.AddConstant(n.attr.beta or 0.5), nn.Clamp(0, 1))
end

function M.Clip(n, f)
   local low, high = n.attr.min, n.attr.max
   if n.version >= 11 then
      local a, b = f.constant(2), f.constant(3)
      if n.inputs[2] and a == nil or n.inputs[3] and b == nil then return nil, 'its limits are no constants' end
      low, high = a and types.number(a), b and types.number(b)
   end
   return nn.Clamp(low or -3.4e38, high or 3.4e38)
end

function M.PRelu(_, f)
   local slope = f.constant(2)
   if slope == nil then return nil, 'its slopes are no constants' end
   local count = slope:nElement()
   if count ~= 1 and count ~= f.shape(1)[2] then return nil, 'its slopes are not those of channels' end
   local m = nn.PReLU(count == 1 and 0 or count)
   set(m.weight, types.view(slope, { count }))
   return m
end

function M.Pow(_, f)
   local p = f.constant(2)
   if p == nil or p:nElement() ~= 1 then return nil, 'its exponent is no constant number' end
   return nn.Power(types.number(p))
end

function M.Dropout(n, f)
   local ratio = f.constant(2)
   if n.wanted[2] and f.uses(2) > 0 then return nil, 'its mask has no module' end
   return nn.Dropout(ratio and types.number(ratio) or n.attr.ratio or 0.5)
end

local function softmax(name)
   return function(n, f)
      local rank = #f.shape(1)
      local dim = types.dim(n.attr.axis or n.version >= 13 and -1 or 1, rank)
      if n.version < 13 then
         local behind = 1
         for d = dim + 1, rank do behind = behind * f.shape(1)[d] end
         if behind ~= 1 then return nil, 'it covers several dimensions' end
      end
      if rank == 2 and dim == 2 then return nn[name]() end
      if rank == 4 and dim == 2 then return nn['Spatial' .. name]() end
      return nil, 'its axis has no module'
   end
end
M.Softmax, M.LogSoftmax = softmax 'SoftMax', softmax 'LogSoftMax'

-- ---- pooling -------------------------------------------------------------------------------------------------------

local function pool(n, f, make)
   if #f.shape(1) ~= 4 then return nil, 'it has no 2 spatial dimensions' end
   local ceil = (n.attr.ceil_mode or 0) ~= 0
   local g = windows.geometry(n, f.input, n.attr.kernel_shape, ceil)
   local before = nn.Sequential()
   if g.before[1] ~= g.behind[1] or g.before[2] ~= g.behind[2] then
      local value = make == 'max' and -3.4e38 or 0
      if make ~= 'max' then return nil, 'its pads differ' end
      for d = 1, 2 do
         if g.before[d] > 0 then before:add(nn.Padding(d + 2, -g.before[d], 4, value)) end
         if g.behind[d] > 0 then before:add(nn.Padding(d + 2, g.behind[d], 4, value)) end
      end
      g.before = { 0, 0 }
   end
   local m
   local k, s, p = g.kernel, g.strides, g.before
   if make == 'max' then
      local plain = g.dilations[1] == 1 and g.dilations[2] == 1
      m = plain and nn.SpatialMaxPooling(k[2], k[1], s[2], s[1], p[2], p[1])
         or nn.SpatialDilatedMaxPooling(k[2], k[1], s[2], s[1], p[2], p[1], g.dilations[2], g.dilations[1])
   else
      m = nn.SpatialAveragePooling(k[2], k[1], s[2], s[1], p[2], p[1])
      if (n.attr.count_include_pad or 0) == 0 then m:setCountExcludePad() end
   end
   if ceil then m:ceil() end
   return before:size() > 0 and before:add(m) or m
end

function M.MaxPool(n, f)
   if n.wanted[2] then return nil, 'its indices have no module' end
   return pool(n, f, 'max')
end
function M.AveragePool(n, f) return pool(n, f, 'mean') end

local function whole(name)
   return function(_, f)
      if #f.shape(1) ~= 4 then return nil, 'it has no 2 spatial dimensions' end
      return nn[name](1, 1)
   end
end
M.GlobalAveragePool, M.GlobalMaxPool = whole 'SpatialAdaptiveAveragePooling', whole 'SpatialAdaptiveMaxPooling'

-- ---- shapes --------------------------------------------------------------------------------------------------------

-- A batch stays a batch where the first size stays.
local function reshape(_, f)
   local from, to = f.shape(1), f.result
   if to[1] == from[1] and #to > 1 then
      local rest = {}
      for d = 2, #to do rest[#rest + 1] = to[d] end
      return nn.Reshape(torch.LongStorage(rest), true)
   end
   if #to == 0 then return nil, 'its result is a single number' end
   return nn.Reshape(torch.LongStorage(to), false)
end
M.Reshape, M.Flatten, M.Squeeze, M.Unsqueeze = reshape, reshape, reshape, reshape

function M.Transpose(n, f)
   local rank, place, swaps = #f.shape(1), {}, {}
   for d = 1, rank do place[d] = d end
   for d = 1, rank do
      local want = n.attr.perm and n.attr.perm[d] + 1 or rank + 1 - d
      for k = d + 1, rank do
         if place[k] == want then
            swaps[#swaps + 1] = { d, k }
            place[d], place[k] = place[k], place[d]
         end
      end
   end
   return sequence(nn.Transpose(unpack(swaps)), nn.Contiguous())
end

function M.Concat(n, f)
   for k = 1, n.count do if f.constant(k) ~= nil then return nil, 'one of its inputs is a constant' end end
   return nn.JoinTable(types.dim(n.attr.axis or 1, #f.shape(1)))
end

function M.Pad(n, f)
   local pads = n.version >= 11 and f.constant(2) and types.numbers(f.constant(2)) or n.attr.pads
   local value = n.version >= 11 and f.constant(3) and types.number(f.constant(3)) or n.attr.value or 0
   if (n.attr.mode or 'constant') ~= 'constant' or not pads or n.inputs[4] then return nil, 'its mode has no module' end
   local s, rank = nn.Sequential(), #f.shape(1)
   for d = 1, rank do
      if pads[d] < 0 or pads[rank + d] < 0 then return nil, 'it cuts elements off' end
      if pads[d] > 0 then s:add(nn.Padding(d, -pads[d], rank, value)) end
      if pads[rank + d] > 0 then s:add(nn.Padding(d, pads[rank + d], rank, value)) end
   end
   return s:size() == 0 and nn.Identity() or s
end

-- ---- sums and products of tensors ----------------------------------------------------------------------------------

-- A constant operand: a number, or trained weights of its shape.
local function with_constant(f, k, by_number, by_tensor, prepare)
   local c = f.constant(k)
   if c:nElement() == 1 then return by_number(prepare(types.number(c))) end
   local shape, rank = types.shape(c), #f.shape(3 - k)
   if #shape > rank then return nil, 'its constant has more dimensions than its input' end
   local form = {}
   for d = 1, rank do form[d] = shape[d - (rank - #shape)] or 1 end
   local m = by_tensor(torch.LongStorage(form))
   local t = types.view(types.convert(c, 'double'), form)
   local own = m.weight or m.bias
   own:resize(torch.LongStorage(form)):copy(prepare(t))
   return m
end

local function same(v) return v end
local function negative(v) return -v end
local function inverse(v) return type(v) == 'number' and 1 / v or torch.cinv(v) end

local function joint(table_module, by_number, by_tensor, prepare, first)
   return function(n, f)
      local a, b = f.constant(1), f.constant(2)
      if n.count > 2 and (a or b) then return nil, 'one of its inputs is a constant' end
      if a == nil and b == nil then
         for k = 2, n.count do
            if not types.same_shape(f.shape(k), f.shape(1)) then return nil, 'its inputs are broadcast' end
         end
         return nn[table_module]()
      end
      if a ~= nil and not first then return nil, 'its first input is a constant' end
      return with_constant(f, a ~= nil and 1 or 2, by_number, by_tensor, prepare)
   end
end

local function add_number(v) return nn.AddConstant(v) end
local function multiply_number(v) return nn.MulConstant(v) end
local function add_tensor(form) return nn.CAdd(form) end
local function multiply_tensor(form) return nn.CMul(form) end

M.Add = joint('CAddTable', add_number, add_tensor, same, true)
M.Sub = joint('CSubTable', add_number, add_tensor, negative, false)
M.Mul = joint('CMulTable', multiply_number, multiply_tensor, same, true)
M.Div = joint('CDivTable', multiply_number, multiply_tensor, inverse, false)
M.Sum = joint('CAddTable', add_number, add_tensor, same, true)
M.Max = joint('CMaxTable', function() return nil, 'one of its inputs is a constant' end, nil, same, false)
M.Min = joint('CMinTable', function() return nil, 'one of its inputs is a constant' end, nil, same, false)

function M.ReduceMean(n, f)
   local axes = n.version >= 18 and f.constant(2) and types.numbers(f.constant(2)) or n.attr.axes
   if not axes or #axes ~= 1 then return nil, 'it reduces several dimensions' end
   local rank, dim = #f.shape(1), types.dim(axes[1], #f.shape(1))
   local m = nn.Mean(dim)
   if (n.attr.keepdims or 1) == 0 then return m end
   return sequence(m, nn.Unsqueeze(dim, rank - 1))
end

return M
