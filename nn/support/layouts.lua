-- nn/support/layouts.lua - the parameters and statistics of each module under PyTorch's names and in PyTorch's layout.
--
-- A unit is one module, or a part of it that is a module in PyTorch: {module =, path = '0.2', slots =}. A slot is one tensor of it:
-- {name =, target = our tensor, shape = sizes in PyTorch, view = function(t): t, which has our layout, in PyTorch's}. All layouts are
-- permutations, so `view` is a view, and copying goes either way through it.
local torch = require 'torch'

local layouts = {}

local function same(t) return t end

local function slot(slots, name, target, view, shape)
   if not torch.isTensor(target) or target:nElement() == 0 then return end
   view = view or same
   slots[#slots + 1] = { name = name, target = target, view = view, shape = shape or view(target):size():totable() }
end

local function shaped(...)
   local sizes = { ... }
   return function(t) return t:view(unpack(sizes)) end
end

-- weight and bias, where the weight has these sizes in PyTorch.
local function convolution(sizes)
   return function(slots, m)
      slot(slots, 'weight', m.weight, m.weight and shaped(unpack(sizes(m))))
      slot(slots, 'bias', m.bias)
   end
end

local plane = convolution(function(m) return { m.nOutputPlane, m.nInputPlane / (m.groups or 1), m.kH, m.kW } end)

local function statistics(slots, m)
   slot(slots, 'weight', m.weight)
   slot(slots, 'bias', m.bias)
   slot(slots, 'running_mean', m.running_mean)
   slot(slots, 'running_var', m.running_var)
end

-- Our filters are o x i, PyTorch's planes are i * nOutputPlane + o.
local function depth_wise(slots, m)
   local o, i = m.nOutputPlane, m.nInputPlane
   slot(slots, 'weight', m.weight, function(t) return t:view(o, i, 1, m.kH, m.kW):transpose(1, 2) end, { o * i, 1, m.kH, m.kW })
   slot(slots, 'bias', m.bias, function(t) return t:view(o, i):t() end, { o * i })
end

-- Our rows hold frame after frame, PyTorch's feature after feature.
local function temporal(slots, m)
   slot(slots, 'weight', m.weight, function(t) return t:view(m.outputFrameSize, m.kW, m.inputFrameSize):transpose(2, 3) end)
   slot(slots, 'bias', m.bias)
end

local function layer_norm(slots, m)
   local factor, summand = m.modules[5], m.modules[6]
   slot(slots, 'weight', factor and factor.weight, factor and shaped(-1))
   slot(slots, 'bias', summand and summand.bias, summand and shaped(-1))
end

-- The gates of a layer lie one after the other, in PyTorch's order.
local function recurrent(slots, m)
   local per, h, at = m.gates * m.hiddenSize, m.hiddenSize, 1
   local function take(name, rows, cols)
      slot(slots, name, m.weight:narrow(1, at, rows * (cols or 1)), cols and shaped(rows, cols))
      at = at + rows * (cols or 1)
   end
   local names = {}
   for layer = 1, m.numLayers do
      for d = 1, m.directions do
         local suffix = ('_l%d%s'):format(layer - 1, d == 2 and '_reverse' or '')
         names[#names + 1] = suffix
         take('weight_ih' .. suffix, per, m:inputSizeOf(layer))
         take('weight_hh' .. suffix, per, h)
      end
   end
   for _, suffix in ipairs(names) do
      take('bias_ih' .. suffix, per)
      take('bias_hh' .. suffix, per)
   end
end

local function attention(slots, m)
   slot(slots, 'in_proj_weight', m.weight)
   slot(slots, 'in_proj_bias', m.bias)
end

local function weight_norm(slots, m)
   slot(slots, 'weight_v', m.v)
   slot(slots, 'weight_g', m.g)
   slot(slots, 'bias', m.bias)
end

-- Classes, the derived before their parents -> function(slots, module).
local kinds = {
   { 'nn.SpatialDepthWiseConvolution', depth_wise },
   { 'nn.SpatialFullConvolution', convolution(function(m) return { m.nInputPlane, m.nOutputPlane, m.kH, m.kW } end) },
   { 'nn.SpatialConvolutionLocal' },
   { 'nn.SpatialConvolutionMap' },
   { 'nn.SpatialConvolution', plane },
   { 'nn.SpatialConvolutionMM', plane },
   { 'nn.VolumetricFullConvolution', convolution(function(m) return { m.nInputPlane, m.nOutputPlane, m.kT, m.kH, m.kW } end) },
   { 'nn.VolumetricConvolution', convolution(function(m) return { m.nOutputPlane, m.nInputPlane, m.kT, m.kH, m.kW } end) },
   { 'nn.TemporalConvolution', temporal },
   { 'nn.BatchNormalization', statistics },
   { 'nn.RNN', recurrent },
   { 'nn.MultiHeadAttention', attention },
   { 'nn.LinearWeightNorm', weight_norm },
   { 'nn.LayerNormalization', layer_norm },
}

local function kind_of(m)
   for _, kind in ipairs(kinds) do
      if torch.isTypeOf(m, kind[1]) then return kind[2], kind[1] end
   end
end

local function plain(slots, m)
   for _, name in ipairs(m.parameterNames or {}) do slot(slots, name, m[name]) end
end

--- The units of a net in the order of its modules. Modules in a container count from 0, as in PyTorch's Sequential.
function layouts.units(net)
   local list, waiting, n = {}, { { net, '' } }, 1
   local seen = {}
   while n > 0 do
      local m, path = waiting[n][1], waiting[n][2]
      waiting[n], n = nil, n - 1
      local fill, name = kind_of(m)
      local slots = {};
      (fill or plain)(slots, m)
      if #slots > 0 then list[#list + 1] = { module = m, path = path, slots = slots } end
      if name == 'nn.MultiHeadAttention' then
         local out = {}
         slot(out, 'weight', m.outWeight)
         slot(out, 'bias', m.outBias)
         list[#list + 1] = { module = m, path = (path == '' and '' or path .. '.') .. 'out_proj', slots = out }
      end
      if name ~= 'nn.LayerNormalization' and type(m.modules) == 'table' and not seen[m] then
         seen[m] = true
         for i = #m.modules, 1, -1 do
            n = n + 1
            waiting[n] = { m.modules[i], (path == '' and '' or path .. '.') .. (i - 1) }
         end
      end
   end
   return list
end

return layouts
