-- lua/loadcaffe/layers.lua - converts layers of Caffe to modules of nn, or of cudnn.
local nn = require 'nn'

local M = {}

-- ---- parameters ----------------------------------------------------------------------------------------------------

-- The last value of a field, or the default.
local function get(p, name, default)
   local v = p[name] and p[name][#p[name]]
   if v == nil then return default end
   return v
end

local function whole(p, name, default, least)
   local v = get(p, name, default)
   if type(v) ~= 'number' or v % 1 ~= 0 or v < least or v > 2 ^ 31 - 1 then
      error(('%s must be a whole number from %d on, got %s'):format(name, least, tostring(v)), 0)
   end
   return v
end

local function number(p, name, default)
   local v = get(p, name, default)
   if type(v) ~= 'number' or v ~= v or math.abs(v) == math.huge then
      error(('%s must be a number, got %s'):format(name, tostring(v)), 0)
   end
   return v
end

-- Width and height of a size that is given once, twice (height first), or as NAME_w and NAME_h. `both` is the field's name.
local function pair(p, both, name, default, least)
   if p[name .. '_h'] or p[name .. '_w'] then return whole(p, name .. '_w', default, least), whole(p, name .. '_h', default, least) end
   local list = p[both] or {}
   if #list > 2 then error(('%s has %d values: only pictures are supported'):format(both, #list), 0) end
   local w = whole(p, both, default, least)
   if #list < 2 then return w, w end
   return w, whole({ [both] = { list[1] } }, both, default, least)
end

-- ---- weights -------------------------------------------------------------------------------------------------------

-- Blob i of a layer, which must have n numbers.
local function blob(layer, i, what, n)
   local data = layer.blobs and layer.blobs[i] and layer.blobs[i].data
   if not data then error(('the caffemodel has no %s for it'):format(what), 0) end
   if n and data:nElement() ~= n then
      error(('the caffemodel has %d numbers for its %s, %d are needed'):format(data:nElement(), what, n), 0)
   end
   return data
end

-- The number of inputs of each filter or row: the weight has `out` of them, of `size` numbers for each input.
local function inputs_of(layer, out, size)
   local n = blob(layer, 1, 'weight'):nElement() / (out * size)
   if n < 1 or n % 1 ~= 0 then
      error(('the caffemodel has %d numbers for its weight, which do not fill %d outputs of %d'):format(
         blob(layer, 1, 'weight'):nElement(), out, size), 0)
   end
   return n
end

local function fill(layer, m, out, has_bias)
   m.weight:copy(blob(layer, 1, 'weight', m.weight:nElement()))
   if has_bias then m.bias:copy(blob(layer, 2, 'bias', out)) else m:noBias() end
   return m
end

-- ---- the layers ----------------------------------------------------------------------------------------------------

local build = {}

function build.convolution(layer, p, package)
   local out, groups = whole(p, 'num_output', nil, 1), whole(p, 'group', 1, 1)
   local kw, kh = pair(p, layer.v0 and 'kernelsize' or 'kernel_size', 'kernel', nil, 1)
   local dw, dh = pair(p, 'stride', 'stride', 1, 1)
   local pw, ph = pair(p, 'pad', 'pad', 0, 0)
   local rate = whole(p, 'dilation', 1, 1)
   if out % groups ~= 0 then error(('num_output %d is no multiple of group %d'):format(out, groups), 0) end
   local has_bias = get(p, layer.v0 and 'biasterm' or 'bias_term', 'true') == 'true'
   local inputs = inputs_of(layer, out, kw * kh)
   if has_bias then blob(layer, 2, 'bias', out) end
   local m
   if rate > 1 then m = nn.SpatialDilatedConvolution(inputs, out, kw, kh, dw, dh, pw, ph, rate, rate)
   else m = package.SpatialConvolution(inputs, out, kw, kh, dw, dh, pw, ph) end
   if groups > 1 then m.nInputPlane, m.groups = inputs * groups, groups end
   return fill(layer, m, out, has_bias)
end

function build.innerproduct(layer, p)
   if get(p, 'transpose', 'false') ~= 'false' or get(p, 'axis', 1) ~= 1 then error('transpose and axis are not supported', 0) end
   local out = whole(p, 'num_output', nil, 1)
   local has_bias = get(p, layer.v0 and 'biasterm' or 'bias_term', 'true') == 'true'
   local inputs = inputs_of(layer, out, 1)
   if has_bias then blob(layer, 2, 'bias', out) end
   return fill(layer, nn.Linear(inputs, out), out, has_bias)
end

-- Caffe keeps windows that extend beyond the edge, and counts the padding in averages, as nn does with ceil().
function build.pooling(layer, p, package)
   local kind = get(p, 'pool', 'MAX')
   local name = ({ MAX = 'Max', AVE = 'Average' })[kind] or error(('pool %s is not supported'):format(tostring(kind)), 0)
   if get(p, 'global_pooling', 'false') == 'true' then return nn['SpatialAdaptive' .. name .. 'Pooling'](1, 1) end
   local kw, kh = pair(p, layer.v0 and 'kernelsize' or 'kernel_size', 'kernel', nil, 1)
   local dw, dh = pair(p, 'stride', 'stride', 1, 1)
   local pw, ph = pair(p, 'pad', 'pad', 0, 0)
   return package['Spatial' .. name .. 'Pooling'](kw, kh, dw, dh, pw, ph):ceil()
end

function build.relu(_, p, package)
   local slope = number(p, 'negative_slope', 0)
   if slope ~= 0 then return nn.LeakyReLU(slope, true) end
   return package.ReLU(true)
end

function build.lrn(_, p, package)
   if get(p, 'norm_region', 'ACROSS_CHANNELS') ~= 'ACROSS_CHANNELS' then error('norm_region must be ACROSS_CHANNELS', 0) end
   return package.SpatialCrossMapLRN(whole(p, 'local_size', 5, 1), number(p, 'alpha', 1), number(p, 'beta', 0.75), number(p, 'k', 1))
end

function build.dropout(_, p) return nn.Dropout(number(p, 'dropout_ratio', 0.5)) end
function build.softmax(_, _, package) return package.SoftMax() end
function build.tanh(_, _, package) return package.Tanh() end
function build.sigmoid(_, _, package) return package.Sigmoid() end
function build.absval() return nn.Abs() end
function build.padding(_, p)
   local n = whole(p, 'pad', 0, 0)
   return nn.SpatialZeroPadding(n, n, n, n)
end

-- Other names of the same layers: those of version 0, and losses, which end a net.
local same = { conv = 'convolution', pool = 'pooling', softmaxloss = 'softmax', softmaxwithloss = 'softmax' }

-- Layers that need no module.
local silent = {}
for name in ([[
   data imagedata hdf5data memorydata windowdata dummydata input annotateddata hdf5output images accuracy silence euclideanloss hingeloss
   infogainloss multinomiallogisticloss sigmoidcrossentropyloss contrastiveloss]]):gmatch '%S+' do silent[name] = true end

-- 'INNER_PRODUCT' of version 1, 'InnerProduct' of version 2.
local function key_of(kind)
   local key = tostring(kind):lower():gsub('_', '')
   return same[key] or key
end

local parameters = { convolution = 'convolution_param', innerproduct = 'inner_product_param', pooling = 'pooling_param',
   relu = 'relu_param', lrn = 'lrn_param', dropout = 'dropout_param' }

--- Whether a type of layer is left out: data, accuracies, losses other than softmax.
function M.is_silent(kind) return silent[key_of(kind)] == true end

--- Whether a type of layer needs a vector, or makes one.
function M.is_flat(kind) return key_of(kind) == 'innerproduct' or key_of(kind) == 'flatten' end

--- The module for a layer { name, kind, fields, blobs, v0 }; nil for a layer that only flattens.
-- @param package  nn or cudnn
function M.module(layer, package)
   local key = key_of(layer.kind)
   if key == 'flatten' then return nil end
   local f = build[key]
   if not f then
      error(('type %s is not supported; loadcaffe knows Convolution, Pooling, InnerProduct, ReLU, TanH, Sigmoid, AbsVal, LRN, '
         .. 'Dropout, Softmax and Flatten, one after the other'):format(tostring(layer.kind)), 0)
   end
   local p = layer.v0 and layer.fields or (layer.fields[parameters[key]] or {})[1] or {}
   if type(p) ~= 'table' then error(('%s must be a message'):format(parameters[key] or 'its parameter'), 0) end
   return f(layer, p, package)
end

return M
