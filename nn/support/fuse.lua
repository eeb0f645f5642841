-- nn/support/fuse.lua - a model for inference, with fewer passes over its memory.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local utils = require 'nn.utils'

-- Layers that a normalisation behind them can be folded into: the dimension of their weight that counts outputs, and how
-- many dimensions a batch of their outputs has.
local FOLDS = {
   ['nn.Linear'] = {1, 2}, ['nn.SpatialConvolution'] = {1, 4}, ['nn.SpatialConvolutionMM'] = {1, 4},
   ['nn.SpatialDilatedConvolution'] = {1, 4}, ['nn.SpatialFullConvolution'] = {2, 4}, ['fbnn.SpatialConvolution'] = {1, 4},
   ['nn.VolumetricConvolution'] = {1, 5}, ['nn.VolumetricDilatedConvolution'] = {1, 5}, ['nn.VolumetricFullConvolution'] = {2, 5},
}
for _, name in ipairs{'FFT', 'CuFFT', 'FBFFT', 'FBFFTGemm', 'FFTTiled', 'FFTTiledSync', 'FFTTiledAsync', 'FFTTiledIterated'} do
   FOLDS['nn.SpatialConvolution' .. name] = {1, 4}
end

local NORMALIZES = {}
for _, name in ipairs{'nn.BatchNormalization', 'nn.SpatialBatchNormalization', 'nn.VolumetricBatchNormalization',
   'fbnn.BatchNormalization', 'fbnn.SpatialBatchNormalization'} do
   NORMALIZES[name] = true
end

-- Functions of each element that can work in place.
local POINTWISE = {}
for _, name in ipairs{'ReLU', 'ReLU6', 'Threshold', 'LeakyReLU', 'ELU', 'ClippedReLU', 'HardTanh', 'Clamp'} do
   POINTWISE['nn.' .. name] = true
end

-- Whether a module does nothing in evaluation mode.
local function idle(m)
   local name = torch.typename(m)
   return name == 'nn.Identity' or name == 'nn.Dropout' and m.v2 and not m.stochastic_inference
end

-- t times factor along one dimension.
local function scaled(t, dim, factor)
   local sizes = {}
   for d = 1, t:dim() do sizes[d] = d == dim and factor:nElement() or 1 end
   return t:clone():cmul(factor:view(unpack(sizes)):expandAs(t))
end

-- Folds y = (x w + b - mean) / std * weight + bias of the normalisation into new w and b. They get new memory, because other
-- modules may share the old one.
local function fold(layer, dim, norm)
   local factor = norm.running_var:double():add(norm.eps):pow(-0.5)
   if norm.weight then factor:cmul(norm.weight:double()) end
   local bias = -norm.running_mean:double()
   if layer.bias then bias:add(layer.bias:double()) end
   bias:cmul(factor)
   if norm.bias then bias:add(norm.bias:double()) end
   local kind = layer.weight:type()
   layer.weight = scaled(layer.weight:double(), dim, factor):type(kind)
   layer.gradWeight = layer.weight.new(layer.weight:size()):zero()
   layer.bias = bias:type(kind)
   layer.gradBias = layer.bias.new(layer.bias:size()):zero()
end

local function folds(layer, norm)
   local how = FOLDS[torch.typename(layer)]
   if not how or not NORMALIZES[torch.typename(norm)] or how[2] ~= norm.nDim then return nil end
   local n = norm.running_mean:nElement()
   return layer.weight:size(how[1]) == n and layer.weight:type() == norm.running_mean:type() and how[1] or nil
end

-- How often each module occurs in the model. One that occurs twice cannot be changed for one position.
local function count(m, places)
   places[m] = (places[m] or 0) + 1
   if places[m] > 1 or type(m.modules) ~= 'table' then return places end
   for _, child in ipairs(m.modules) do count(child, places) end
   return places
end

-- m is the only module that gets the output of `last`. Returns whether m was folded into it; otherwise m may work in place.
local function folded(last, m, places)
   if not last or places[last] ~= 1 then return false end
   local dim = folds(last, m)
   if dim then
      fold(last, dim, m)
      return true
   end
   local own = FOLDS[torch.typename(last)] or NORMALIZES[torch.typename(last)]
   if own and places[m] == 1 and POINTWISE[torch.typename(m)] then m.inplace = true end
   return false
end

local function fuse_list(list, places)
   local kept = {}
   for _, m in ipairs(list) do
      if not folded(kept[#kept], m, places) and not idle(m) then kept[#kept + 1] = m end
   end
   if #kept == 0 then kept[1] = nn.Identity():type(list[1] and list[1]:type() or torch.getdefaulttensortype()) end
   return kept
end

-- In a graph of nngraph a folded module becomes an nn.Identity.
local function fuse_graph(graph, places)
   local users, maker, index = {}, {}, {}
   for k, m in ipairs(graph.modules) do index[m] = k end
   for _, node in ipairs(graph.forwardnodes) do
      for _, from in ipairs(node.data.mapindex or {}) do users[from] = (users[from] or 0) + 1 end
   end
   for _, node in ipairs(graph.forwardnodes) do
      local data = node.data
      local map, m = data.mapindex, data.module
      local from = m and map and #map == 1 and users[map[1]] == 1 and (maker[map[1]] or map[1])
      if from and folded(from.module, m, places) then
         data.module = nn.Identity():type(m:type())
         data.module.train = false
         graph.modules[index[m]] = data.module
         maker[data] = from
      end
   end
end

local function walk(m, places, done)
   if done[m] or type(m.modules) ~= 'table' then return end
   done[m] = true
   for _, child in ipairs(m.modules) do walk(child, places, done) end
   if torch.typename(m) == 'nn.Sequential' then m.modules = fuse_list(m.modules, places) end
   if torch.typename(m) == 'nn.gModule' then fuse_graph(m, places) end
end

--- nn.fuse(model): A copy of the model for inference, in evaluation mode, with the same results and fewer passes over memory.
-- In each nn.Sequential and each graph of nngraph, batch normalisation is folded into the
-- convolution or nn.Linear before it. ReLU and similar functions work in place behind these. Layers
-- without effect in evaluation mode are removed. The model itself does not change.
-- net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.BatchNormalization(2)):add(nn.ReLU()); nn.fuse(net):size() --> 2
function nn.fuse(model)
   if not torch.isTypeOf(model, 'nn.Module') then
      utils.fail(('nn.fuse: model must be a module, got %s'):format(arg.describe(model)))
   end
   local copy = model:clone()
   copy:evaluate()
   copy:clearState()
   walk(copy, count(copy, {}), {})
   return copy
end
