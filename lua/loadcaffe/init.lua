-- lua/loadcaffe/init.lua - the package loadcaffe: nets of Caffe as nn.Sequential.
local nn = require 'nn'
local source = require 'feed.source'
local arg = require 'torch.arg'
local protobuf = require 'torch.protobuf'
local layers = require 'loadcaffe.layers'
local prototxt = require 'loadcaffe.prototxt'

local loadcaffe = rawget(_G, 'loadcaffe') or {}
_G.loadcaffe = loadcaffe                 -- scripts of Torch7 use the global

-- ---- weights -------------------------------------------------------------------------------------------------------

-- The fields that are read of a caffemodel, whose layers have one of three forms: names and blobs.
local blob = { [5] = { 'data', 'float', 'packed' } }
local v0 = { [1] = { 'name', 'string' }, [50] = { 'blobs', blob, 'repeated' } }
local v1 = { [1] = { 'layer', v0 }, [4] = { 'name', 'string' },
   [6] = { 'blobs', blob, 'repeated' } }
local v2 = { [1] = { 'name', 'string' }, [7] = { 'blobs', blob, 'repeated' } }
local net = { [2] = { 'layers', v1, 'repeated' }, [100] = { 'layer', v2, 'repeated' } }

-- Name of a layer -> its blobs, a list of { data = tensor }.
local function read_weights(path)
   local message = source.with(path, function(s, n) return protobuf.read(source.fetch(s), n,
      net) end)
   local weights = {}
   for _, list in ipairs { message.layers or {}, message.layer or {} } do
      for _, entry in ipairs(list) do
         local layer = entry.layer or entry
         if layer.name and (layer.blobs or entry.blobs) then weights[layer.name] = layer.blobs or entry.blobs end
      end
   end
   if not next(weights) then error('it holds no weights of layers', 0) end
   return weights
end

-- ---- the net -------------------------------------------------------------------------------------------------------

local function message(v, what)
   if type(v) ~= 'table' then error(('%s must be a message, got %s'):format(what, tostring(v)), 0) end
   return v
end

-- Whether the rules of a layer exclude it from inference.
local function is_left_out(entry)
   local kept = entry.include == nil
   for _, rule in ipairs(entry.include or {}) do kept = kept or not (message(rule, 'include').phase or {})[1]
      or rule.phase[1] == 'TEST' end
   for _, rule in ipairs(entry.exclude or {}) do
      if (message(rule, 'exclude').phase or {})[1] == 'TEST' then kept = false end
   end
   return not kept
end

-- The layers of a prototxt: { name, kind, bottom, top, fields, v0 }.
local function read_layers(text)
   local t = prototxt.read(text)
   if t.layers and t.layer then error("it has both 'layers' and 'layer'", 0) end
   local list = {}
   for i, entry in ipairs(t.layers or t.layer or {}) do
      message(entry, ('layer %d'):format(i))
      if not is_left_out(entry) then
         local old = t.layers and entry.layer and message(entry.layer[1], 'layer')
         local fields = old or entry
         local name, kind = (fields.name or {})[1], (fields.type or {})[1]
         if type(name) ~= 'string' or kind == nil then error(('layer %d needs a name and a type'):format(i), 0) end
         list[#list + 1] = { name = name, kind = kind, bottom = (entry.bottom or {})[1], top = (entry.top or {})[1],
            fields = fields, v0 = old and true or false }
      end
   end
   if #list == 0 then error('it has no layers', 0) end
   return list, (t.input or {})[1]
end

-- Checks that each layer takes the result of the one before; other nets are no chain.
local function need_chain(layer, top)
   if top ~= nil and layer.bottom ~= nil and layer.bottom ~= top then
      error(("it takes '%s', but the layer before it makes '%s': only chains are supported"):format(
         tostring(layer.bottom), tostring(top)), 0)
   end
end

local function add_layer(model, layer, package, flat)
   if layers.is_flat(layer.kind) and not flat then
      local view = nn.View(-1):setNumInputDims(3)
      view.name = 'torch_view'
      model:add(view)
   end
   local module = layers.module(layer, package)
   if module then
      module.name = layer.name
      model:add(module)
   end
end

-- Raises an error with the name of a file, or returns up to two results.
local function try(path, f, ...)
   local ok, a, b = pcall(f, ...)
   if not ok then error(('loadcaffe: %s: %s'):format(path, tostring(a)), 0) end
   return a, b
end

local function build(path, list, top, weights, package)
   local model, flat = nn.Sequential(), false
   for _, layer in ipairs(list) do
      if layers.is_silent(layer.kind) then
         if layer.bottom == nil then top = layer.top end      -- data
      else
         layer.blobs = weights[layer.name]
         try(("%s: layer '%s'"):format(path, layer.name), function()
            need_chain(layer, top)
            add_layer(model, layer, package, flat)
         end)
         top = layer.top
         flat = flat or layers.is_flat(layer.kind)
      end
   end
   return model
end

-- ---- loading -------------------------------------------------------------------------------------------------------

local function package_of(backend)
   if backend == 'nn' then return nn end
   if backend == 'cudnn' then return require 'cudnn' end
   error(("loadcaffe: there is no backend %s; there are 'nn' and 'cudnn'"):format(
      type(backend) == 'string' and ("'%s'"):format(backend) or arg.describe(backend)), 0)
end

local function read_text(path)
   return source.with(path, function(s, n)
      if n > 2 ^ 24 then error(('%.0f bytes are too many for a prototxt'):format(n), 0) end
      return source.whole(s, n)
   end)
end

local function load(text_name, weights_name, backend)
   local package = package_of(backend)
   local list, input = try(text_name, function() return read_layers(read_text(text_name)) end)
   local weights = try(weights_name, read_weights, weights_name)
   local model = build(text_name, list, input, weights, package):float()
   if backend == 'cudnn' then
      local found, cutorch = pcall(require, 'cutorch')
      if found and cutorch.getDeviceCount() > 0 then model:cuda() end
   end
   return model
end

--- Loads a net of Caffe: a chain of layers, as in AlexNet, CaffeNet, VGG and Network in Network.
-- A module has the name of its layer in the field `name`; 'torch_view' precedes the first InnerProduct. Layers of data,
-- accuracies and losses are left out, except the softmax of a loss. The planes of the input are blue, green and red, as in
-- Caffe, if the net was trained on such.
-- @param prototxt    the file that describes the layers
-- @param caffemodel  the file of the weights
-- @param backend     'nn' (default) gives modules of nn and floats; 'cudnn' modules of cudnn, on the current device
--  where there is one
-- @return an nn.Sequential
function loadcaffe.load(prototxt, caffemodel, backend)      -- luacheck: ignore prototxt
   for name, v in pairs { prototxt = prototxt, caffemodel = caffemodel } do
      if type(v) ~= 'string' or v == '' or v:find '%z' then arg.refuse('loadcaffe.load', name, 'the name of a file', v, 2) end
   end
   if prototxt == nil or caffemodel == nil then
      error('loadcaffe.load: expected the names of two files, of the layers and of the weights', 2)
   end
   local ok, model = pcall(load, prototxt, caffemodel, backend or 'nn')
   if not ok then error(model, 2) end
   return model
end

return loadcaffe
