-- lua/autograd/module/SoftAttention.lua - a weighted mean of items, whose weights depend on the items and on a state.
local torch = require 'torch'
local util = require 'autograd.util'
local parameters = require 'autograd.model.parameters'

--- autograd.module.SoftAttention(options, params): f(params, x, h) compares each of the items x
-- (batch x items x features) with the state h (batch x features). It gives the mean of the items,
-- weighted by the softmax of the scores, and the weights.
-- @param options  inputFeatures: of an item (3); hiddenFeatures: of the state (3); attentionFeatures: of the comparison (16)
-- @param params   a list to which the table {W, U, b, v} is appended (optional)
-- @return f and params
-- f, params = autograd.module.SoftAttention{inputFeatures = 1, hiddenFeatures = 2}; (f(params, torch.Tensor{{{1}, {3}}}, torch.zeros(1, 2))) --> {{2}}
return function(options, params)
   options = options or {}
   local n, h = options.inputFeatures or 3, options.hiddenFeatures or 3
   local m = options.attentionFeatures or 16
   local own, list = parameters.append(params,
      { W = torch.zeros(n, m), U = torch.zeros(h, m), b = torch.zeros(1, m), v = torch.zeros(m, 1) })

   local function f(given, x, state)
      local p, batch, items = own(given), torch.size(x, 1), torch.size(x, 2)
      local rows = batch * items
      local flat = torch.view(torch.contiguous(x), rows, n)
      local query = torch.expand(torch.view(state * p.U, batch, 1, m), batch, items, m)
      local scores = torch.tanh(flat * p.W + torch.view(torch.contiguous(query), rows, m) + torch.expand(p.b, rows, m)) * p.v
      local weights = torch.exp(util.logSoftMax(torch.view(scores, batch, items)))
      local mean = torch.bmm(torch.view(weights, batch, 1, items), x)
      return torch.view(mean, batch, n), weights
   end
   return f, list
end
