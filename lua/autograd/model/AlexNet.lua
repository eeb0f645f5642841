-- lua/autograd/model/AlexNet.lua - the network of Krizhevsky, Sutskever and Hinton (2012), in one column.
local torch = require 'torch'
local nn = require 'nn'
local layers = require 'autograd.model.layers'
local parameters = require 'autograd.model.parameters'
local wrapper = require 'autograd.nnwrapper'

-- inputs, outputs, kernel, stride, padding, and whether pooling follows
local CONVOLUTIONS = { { 3, 64, 11, 4, 2, true }, { 64, 192, 5, 1, 2, true }, { 192, 384, 3, 1, 1 }, { 384, 256, 3, 1, 1 },
   { 256, 256, 3, 1, 1, true } }

--- autograd.model.AlexNet(options, params): f(params, x) gives the logarithms of the chances of each class for images of size
-- 3 x 224 x 224, or a batch of them. Each layer has a table {W, b} of parameters.
-- @param options  classes: their number (1000); hiddenFeatures: units of the two linear layers (4096); dropout: the share of
--  inputs that these drop (0.5)
-- @param params   a list to which the tables are appended (optional)
-- @return f, params
-- f, params = autograd.model.AlexNet{classes = 4, hiddenFeatures = 8}; params[1].W:size(), #params --> {64, 3, 11, 11}, 8
return function(options, params)
   options = options or {}
   local hidden, drop, own, convs = options.hiddenFeatures or 4096, options.dropout or 0.5, {}, {}
   for i, c in ipairs(CONVOLUTIONS) do
      local conv, p = wrapper.functionalize(nn.SpatialConvolution(c[1], c[2], c[3], c[3], c[4], c[4], c[5], c[5]))
      convs[i], own[i] = conv, { W = p[1], b = p[2] }
   end
   for _, size in ipairs { { 256 * 6 * 6, hidden }, { hidden, hidden }, { hidden, options.classes or 1000 } } do
      local p = nn.Linear(size[1], size[2]):parameters()
      own[#own + 1] = { W = p[1], b = p[2] }
   end
   local pool, activate = wrapper.functionalize(nn.SpatialMaxPooling(3, 3, 2, 2)), wrapper.functionalize(nn.ReLU())
   local chances = wrapper.functionalize(nn.LogSoftMax())
   local find, list = parameters.append(params, unpack(own))

   local function f(given, x)
      local single = torch.nDimension(x) == 3
      local y = single and torch.view(torch.contiguous(x), 1, 3, torch.size(x, 2), torch.size(x, 3)) or x
      for i, c in ipairs(CONVOLUTIONS) do
         local p = find(given, i)
         y = activate(convs[i]({ p.W, p.b }, y))
         if c[6] then y = pool(y) end
      end
      y = torch.view(torch.contiguous(y), torch.size(y, 1), 256 * 6 * 6)
      for i = 6, 8 do
         y = layers.linear(find(given, i), layers.dropout(i < 8 and drop, y))
         if i < 8 then y = activate(y) end
      end
      y = chances(y)
      return single and torch.select(y, 1, 1) or y
   end
   return f, list
end
