-- cudnn.convert - converts layers of a model from classes of nn to those of cudnn, and back.
local torch = require 'torch'
local arg, class = require 'torch.arg', require 'torch.class'

-- Classes that have the same name and the same fields in both packages.
local NAMES = {}
for _, name in ipairs { 'BatchNormalization', 'SpatialBatchNormalization', 'VolumetricBatchNormalization', 'SpatialConvolution',
   'SpatialFullConvolution', 'VolumetricConvolution', 'VolumetricFullConvolution', 'TemporalConvolution', 'SpatialCrossMapLRN',
   'SpatialMaxPooling', 'SpatialAveragePooling', 'VolumetricMaxPooling', 'VolumetricAveragePooling', 'ReLU', 'ClippedReLU', 'Tanh',
   'Sigmoid', 'SoftMax', 'LogSoftMax', 'SpatialSoftMax', 'SpatialLogSoftMax', 'RNNReLU', 'LSTM', 'GRU', 'BLSTM', 'BGRU' } do
   NAMES[name] = true
end

-- The class to convert the layer to, or nil. A class of cudnn derives from ours of the same name in nn; where a program has a
-- class of that name, its layers stay.
local function other_class(m, to_cudnn)
   local package_name, name = torch.type(m):match '^(%w+)%.(%w+)$'
   if not NAMES[name] then return nil end
   local theirs, its = torch.getmetatable('cudnn.' .. name), getmetatable(m)
   local ours = getmetatable(theirs)
   if to_cudnn then return package_name == 'nn' and its == ours and theirs or nil end
   return its == theirs and ours or nil
end

-- Whether the layer uses a feature that only cudnn's class has.
local function is_special(m)
   if (m.groups or 1) ~= 1 then return true end
   if torch.type(m) == 'cudnn.TemporalConvolution' then return (m.padH or 0) ~= 0 end
   if torch.type(m) ~= 'cudnn.VolumetricAveragePooling' then return false end
   return (m.padT or 0) ~= 0 or (m.padH or 0) ~= 0 or (m.padW or 0) ~= 0
end

--- Converts the layers of a model to those of another package, in place: from nn to cudnn, or back.
-- A layer of another name stays. So does a layer of cudnn with a feature that nn's lacks, such as
-- groups. So does one of a class with which the program replaced ours. Parameters stay the same
-- tensors.
-- @param net           a module
-- @param dst           the package: cudnn or nn
-- @param exclusion_fn  function(module) that returns true for modules to leave alone (optional)
-- @return net
-- torch.type(cudnn.convert(nn.Sequential():add(nn.ReLU()), cudnn):get(1)) --> cudnn.ReLU
return function(net, dst, exclusion_fn)
   local nn, cudnn = require 'nn', package.loaded.cudnn
   if not torch.isTypeOf(net, 'nn.Module') then arg.refuse('cudnn.convert', 'net', 'an nn.Module', net) end
   if dst ~= nn and dst ~= cudnn then arg.refuse('cudnn.convert', 'dst', 'the package cudnn or nn', dst) end
   if exclusion_fn ~= nil and not arg.is_callable(exclusion_fn) then
      arg.refuse('cudnn.convert', 'exclusion_fn', 'a function', exclusion_fn)
   end
   local chosen = {}                           -- all before the first change, because exclusion_fn may fail
   for _, m in ipairs(net:listModules()) do
      local other = other_class(m, dst == cudnn)
      if other and not is_special(m) and not (exclusion_fn and exclusion_fn(m)) then chosen[#chosen + 1] = { m, other } end
   end
   for _, c in ipairs(chosen) do
      local m, other = c[1], c[2]
      class.offer(other.__typename)
      setmetatable(m, other)
      if other.__typename:find '%.ClippedReLU$' then m.ceiling = m.clip end
   end
   return net
end
