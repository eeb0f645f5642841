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

-- The same in three dimensions.
local function volumetric_of(g, w, b)
   local s, t, p, d = types.shape(w), g.strides, g.pads, g.dilations
   local m
   if d[1] ~= 1 or d[2] ~= 1 or d[3] ~= 1 then
      m = nn.VolumetricDilatedConvolution(s[2], s[1], s[3], s[5], s[4], t[1], t[3], t[2], p[1],
         p[3], p[2], d[1], d[3], d[2])
   else
      m = nn.VolumetricConvolution(s[2], s[1], s[3], s[5], s[4], t[1], t[3], t[2], p[1], p[3], p[2])
   end
   set(m.weight, w)
   if b then set(m.bias, b) else m.bias:zero() end
   return m
end

-- Groups: each reads its planes and has a convolution, which `make` makes.
local function grouped(make, g, w, b, groups)
   if groups == 1 then return make(g, w, b) end
   local s = types.shape(w)
   local out, c = s[1] / groups, nn.Concat(2)
   for k = 0, groups - 1 do
      local part = b and b:narrow(1, k * out + 1, out)
      c:add(sequence(nn.Narrow(2, k * s[2] + 1, s[2]),
         make(g, w:narrow(1, k * out + 1, out), part)))
   end
   return c
end

-- Zeros, or another value, around an input of a rank; nil where there are none.
local function padding(g, rank, value)
   local s = nn.Sequential()
   for d = 1, g.n do
      if g.before[d] > 0 then s:add(nn.Padding(d + 2, -g.before[d], rank, value)) end
      if g.behind[d] > 0 then s:add(nn.Padding(d + 2, g.behind[d], rank, value)) end
   end
   return s:size() > 0 and s or nil
end

-- A module for images as one for sequences, whose images have the height 1.
local function as_image(m) return sequence(nn.Unsqueeze(2, 2), m, nn.Squeeze(2, 3)) end

-- Sequences of samples x channels x steps, where nn wants samples x steps x channels.
local function temporal(g, w, b)
   local s = types.shape(w)
   local m = nn.TemporalConvolution(s[2], s[1], s[3], g.strides[1])
   set(m.weight, types.view(types.permute(w, { 1, 3, 2 }):contiguous(), { s[1], s[3] * s[2] }))
   if b then set(m.bias, b) else m.bias:zero() end
   return sequence(nn.Transpose({ 2, 3 }), nn.Contiguous(), m, nn.Transpose({ 2, 3 }),
      nn.Contiguous())
end

local function sequence_conv(g, w, b, groups)
   local pads = padding(g, 3, 0)
   local m
   if groups == 1 and g.dilations[1] == 1 then
      m = temporal(g, w, b)
   else
      local s = types.shape(w)
      local row = { strides = { 1, g.strides[1] }, dilations = { 1, g.dilations[1] },
         pads = { 0, 0 } }
      m = as_image(grouped(conv_of, row, types.view(w, { s[1], s[2], 1, s[3] }), b, groups))
   end
   return pads and pads:add(m) or m
end

function M.Conv(n, f)
   local w, b, groups = f.constant(2), f.constant(3), n.attr.group or 1
   if w == nil or n.inputs[3] and b == nil then return nil, 'its weights are no constants' end
   local s = types.shape(w)
   if #s < 3 or #s > 5 then return nil, 'it has no 1 to 3 spatial dimensions' end
   local g = windows.geometry(n, f.input, { unpack(s, 3) }, false)
   if g.n == 1 then return sequence_conv(g, w:contiguous(), b, groups) end
   local equal = true
   for d = 1, g.n do equal = equal and g.before[d] == g.behind[d] and g.before[d] >= 0 end
   g.pads = equal and g.before or { 0, 0, 0 }
   local m = grouped(g.n == 2 and conv_of or volumetric_of, g, w, b, groups)
   if equal then return m end
   if g.n == 3 then return padding(g, 5, 0):add(m) end
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
      local left = f.constant(1)
      if left == nil then return #f.shape(1) == 2 and #f.shape(2) == 1 and nn.MV() or nn.MM() end
      if types.rank(left) == 2 and #f.shape(2) == 1 then
         return linear(types.permute(left, { 2, 1 }))
      end
      return nil, 'a constant on the left has no module'
   end
   if types.rank(w) ~= 2 then return nil, 'its weights are no matrix' end
   local m = linear(w)
   return #f.shape(1) > 2 and nn.Bottle(m) or m
end

-- ---- normalization -------------------------------------------------------------------------------------------------

local norms = { [2] = 'BatchNormalization', [3] = 'SpatialBatchNormalization',
   [4] = 'SpatialBatchNormalization', [5] = 'VolumetricBatchNormalization' }

function M.BatchNormalization(n, f)
   local name = norms[#f.shape(1)]
   for k = 2, 5 do if f.constant(k) == nil then return nil, 'its parameters are no constants' end end
   if not name or n.wanted[2] then return nil, 'its form has no module' end
   local m = nn[name](f.shape(1)[2], n.attr.epsilon or 1e-5, 1 - (n.attr.momentum or 0.9))
   set(m.weight, f.constant(2))
   set(m.bias, f.constant(3))
   set(m.running_mean, f.constant(4))
   set(m.running_var, f.constant(5))
   return #f.shape(1) == 3 and as_image(m) or m
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

-- The pooling module of a kind, 'max' or 'mean', for images; nil and a reason where there is none.
local function image_pool(n, g, kind)
   local k, s, p = g.kernel, g.strides, g.pads
   if kind == 'mean' then
      local m = nn.SpatialAveragePooling(k[2], k[1], s[2], s[1], p[2], p[1])
      if (n.attr.count_include_pad or 0) == 0 then m:setCountExcludePad() end
      return m
   end
   if g.dilations[1] == 1 and g.dilations[2] == 1 then
      return nn.SpatialMaxPooling(k[2], k[1], s[2], s[1], p[2], p[1])
   end
   return nn.SpatialDilatedMaxPooling(k[2], k[1], s[2], s[1], p[2], p[1], g.dilations[2],
      g.dilations[1])
end

local function volume_pool(_, g, kind, ceil)
   local k, s, p, d = g.kernel, g.strides, g.pads, g.dilations
   if kind == 'mean' then
      if ceil or p[1] ~= 0 or p[2] ~= 0 or p[3] ~= 0 then return nil, 'its pads have no module' end
      return nn.VolumetricAveragePooling(k[1], k[3], k[2], s[1], s[3], s[2])
   end
   if d[1] == 1 and d[2] == 1 and d[3] == 1 then
      return nn.VolumetricMaxPooling(k[1], k[3], k[2], s[1], s[3], s[2], p[1], p[3], p[2])
   end
   return nn.VolumetricDilatedMaxPooling(k[1], k[3], k[2], s[1], s[3], s[2], p[1], p[3], p[2], d[1],
      d[3], d[2])
end

-- A sequence as an image of height 1.
local function flat(g)
   return { n = 2, kernel = { 1, g.kernel[1] }, strides = { 1, g.strides[1] }, dilations = { 1,
      g.dilations[1] }, pads = { 0, g.pads[1] } }
end

local function pool(n, f, kind)
   local rank = #f.shape(1)
   if rank < 3 or rank > 5 then return nil, 'it has no 1 to 3 spatial dimensions' end
   local ceil, pads = (n.attr.ceil_mode or 0) ~= 0, nil
   local g = windows.geometry(n, f.input, n.attr.kernel_shape, ceil)
   g.pads = g.before
   for d = 1, g.n do
      if g.before[d] ~= g.behind[d] then
         if kind ~= 'max' then return nil, 'its pads differ' end
         pads, g.pads = padding(g, rank, -3.4e38), { 0, 0, 0 }
      end
   end
   local m, why
   if g.n == 3 then m, why = volume_pool(n, g, kind, ceil)
   else m = image_pool(n, g.n == 1 and flat(g) or g, kind) end
   if not m then return nil, why end
   if ceil then m:ceil() end
   if g.n == 1 then m = as_image(m) end
   return pads and pads:add(m) or m
end

function M.MaxPool(n, f)
   if n.wanted[2] then return nil, 'its indices have no module' end
   return pool(n, f, 'max')
end
function M.AveragePool(n, f) return pool(n, f, 'mean') end

local function whole(name)
   return function(_, f)
      local rank = #f.shape(1)
      if rank ~= 3 and rank ~= 4 then return nil, 'it has no 1 or 2 spatial dimensions' end
      local m = nn[name](1, 1)
      return rank == 3 and as_image(m) or m
   end
end
M.GlobalAveragePool, M.GlobalMaxPool = whole 'SpatialAdaptiveAveragePooling', whole 'SpatialAdaptiveMaxPooling'

-- ---- sizes of images ---------------------------------------------------------------------------

function M.Resize(n, f)
   local from, to = f.shape(1), f.result
   local mode = n.attr.mode or 'nearest'
   local places = n.attr.coordinate_transformation_mode or 'half_pixel'
   if #from ~= 4 or from[1] ~= to[1] or from[2] ~= to[2] or (n.attr.antialias or 0) ~= 0
      or n.attr.axes then return nil, 'its form has no module' end
   if mode == 'linear' and places == 'align_corners' then
      return nn.SpatialUpSamplingBilinear { oheight = to[3], owidth = to[4] }
   end
   local scale = to[3] / from[3]
   local rounding = n.attr.nearest_mode or 'round_prefer_floor'
   local is_floor = places == 'asymmetric' and rounding == 'floor'
      or places == 'half_pixel' and rounding:find '^round'
   if mode == 'nearest' and is_floor and scale % 1 == 0 and to[4] == scale * from[4] then
      return nn.SpatialUpSamplingNearest(scale)
   end
   return nil, 'its mode has no module'
end

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

-- Parts of dimensions that follow each other.
function M.Slice(n, f)
   if n.version < 10 then return nil, 'its form has no module' end
   local from, list = f.shape(1), {}
   for k = 2, n.count do
      local c = f.constant(k)
      if n.inputs[k] and c == nil then return nil, 'its places are no constants' end
      list[k] = c and types.numbers(c)
   end
   local s = nn.Sequential()
   for i, first in ipairs(list[2]) do
      local d = types.dim(list[4] and list[4][i] or i - 1, #from)
      if list[5] and list[5][i] ~= 1 then return nil, 'its steps have no module' end
      first = math.max(0, math.min(first < 0 and first + from[d] or first, from[d]))
      if f.result[d] == 0 then return nil, 'its result is empty' end
      s:add(nn.Narrow(d, first + 1, f.result[d]))
   end
   return s:size() == 1 and s:get(1) or s
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

-- Ops that reduce one dimension.
for op, name in pairs { ReduceMean = 'Mean', ReduceSum = 'Sum', ReduceMax = 'Max',
   ReduceMin = 'Min' } do
   local since = op == 'ReduceSum' and 13 or 18
   M[op] = function(n, f)
      local axes = n.attr.axes
      if n.version >= since then axes = f.constant(2) and types.numbers(f.constant(2)) end
      if not axes or #axes ~= 1 then return nil, 'it reduces several dimensions' end
      local rank = #f.shape(1)
      local dim = types.dim(axes[1], rank)
      local m = nn[name](dim)
      if (n.attr.keepdims or 1) == 0 or rank == 1 then return m end
      return sequence(m, nn.Unsqueeze(dim, rank - 1))
   end
end

return M
