-- lua/autograd/model/NeuralNetwork.lua - layers of linear functions with activations between them.
local torch = require 'torch'
local layers = require 'autograd.model.layers'
local parameters = require 'autograd.model.parameters'
local wrapper = require 'autograd.nnwrapper'
local nn = require 'nn'

--- autograd.model.NeuralNetwork(options, params): f(params, x) is a network of linear layers; x is a vector, or a batch whose
-- samples are flattened. Each layer has a table {W, b} of parameters, W of size outputs x inputs.
-- @param options  inputFeatures (3). hiddenFeatures: a list of the outputs of all layers.
--  activations: the name of a module of nn ('ReLU'). classifier: true for no activation after the
--  last layer. batchNormalization: true for one after each layer. dropoutProbs: a list of the
--  shares of inputs that each layer drops
-- @param params   a list to which the tables are appended (optional)
-- @return f, params
-- f, params = autograd.model.NeuralNetwork{inputFeatures = 4, hiddenFeatures = {3, 2}}; f(params, torch.ones(5, 4)):size(), #params --> {5, 2}, 2
return function(options, params)
   options = options or {}
   local hidden, drops = options.hiddenFeatures or {}, options.dropoutProbs or {}
   local n, own, norms = options.inputFeatures or 3, {}, {}
   for i, outputs in ipairs(hidden) do
      local limit = 1 / math.sqrt(n)
      own[i] = { W = torch.Tensor(outputs, n):uniform(-limit, limit), b = torch.Tensor(outputs):uniform(-limit, limit) }
      if options.batchNormalization then
         local norm, affine = wrapper.functionalize(nn.BatchNormalization(outputs))
         norms[i], own[i].gain, own[i].bias = norm, affine[1], affine[2]
      end
      n = outputs
   end
   local activate = layers.activation('autograd.model.NeuralNetwork', options.activations or 'ReLU')
   local find, list = parameters.append(params, unpack(own))

   local function f(given, x)
      local single = torch.nDimension(x) == 1
      local rows = single and 1 or torch.size(x, 1)
      local y = torch.view(torch.contiguous(x), rows, torch.nElement(x) / rows)
      for i = 1, #hidden do
         local p = find(given, i)
         y = layers.linear(p, layers.dropout(drops[i], y))
         if norms[i] then y = norms[i]({ p.gain, p.bias }, y) end
         if i < #hidden or not options.classifier then y = activate(y) end
      end
      return single and torch.view(y, torch.size(y, 2)) or y
   end
   return f, list
end
