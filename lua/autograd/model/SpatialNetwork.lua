-- lua/autograd/model/SpatialNetwork.lua - layers of convolutions with activations and pooling.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'autograd.model.layers'
local parameters = require 'autograd.model.parameters'
local wrapper = require 'autograd.nnwrapper'

--- autograd.model.SpatialNetwork(options, params): f(params, x) is a network of convolutions that
-- keep the size of their input. An activation and max pooling follow each. x is planes x height x
-- width, or a batch of such. Each layer has a table {W, b} of parameters, W of size outputs x
-- inputs x kernelSize x kernelSize.
-- @param options  inputFeatures (3). hiddenFeatures: a list of the planes of all layers. kernelSize
--  (5). poolings: a list of the pooling sizes, 1 for none. activations: the name of a module of nn
--  ('ReLU'). batchNormalization: true for one after each convolution. dropoutProbs: a list of the
--  shares of inputs that each layer drops
-- @param params   a list to which the tables are appended (optional)
-- @return f, params
-- f, params = autograd.model.SpatialNetwork{inputFeatures = 1, hiddenFeatures = {4}, poolings = {2}}; f(params, torch.ones(2, 1, 8, 8)):size() --> {2, 4, 4, 4}
return function(options, params)
   options = options or {}
   local hidden, poolings = options.hiddenFeatures or {}, options.poolings or {}
   local drops, k = options.dropoutProbs or {}, options.kernelSize or 5
   local n, own, convs, norms, pools = options.inputFeatures or 3, {}, {}, {}, {}
   for i, outputs in ipairs(hidden) do
      local pad, size = math.floor((k - 1) / 2), poolings[i] or 1
      local conv, p = wrapper.functionalize(nn.SpatialConvolution(n, outputs, k, k, 1, 1, pad, pad))
      convs[i], own[i] = conv, { W = p[1], b = p[2] }
      if options.batchNormalization then
         local norm, affine = wrapper.functionalize(nn.SpatialBatchNormalization(outputs))
         norms[i], own[i].gain, own[i].bias = norm, affine[1], affine[2]
      end
      if size > 1 then pools[i] = wrapper.functionalize(nn.SpatialMaxPooling(size, size)) end
      n = outputs
   end
   local activate = layers.activation('autograd.model.SpatialNetwork', options.activations or 'ReLU')
   local find, list = parameters.append(params, unpack(own))

   local function f(given, x)
      local y, single = x, torch.nDimension(x) == 3
      if single then y = torch.view(torch.contiguous(x), 1, torch.size(x, 1), torch.size(x, 2), torch.size(x, 3)) end
      for i = 1, #hidden do
         local p = find(given, i)
         y = convs[i]({ p.W or p[1], p.b or p[2] }, layers.dropout(drops[i], y))
         if norms[i] then y = norms[i]({ p.gain, p.bias }, y) end
         y = activate(y)
         if pools[i] then y = pools[i](y) end
      end
      return single and torch.select(y, 1, 1) or y
   end
   return f, list
end
