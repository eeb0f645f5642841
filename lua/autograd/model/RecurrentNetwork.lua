-- lua/autograd/model/RecurrentNetwork.lua - the simple recurrent network: h = tanh([x, h] W + b).
local torch = require 'torch'
local recurrent = require 'autograd.model.recurrent'

local function make(n, hidden) return { W = torch.zeros(n + hidden, hidden), b = torch.zeros(1, hidden) } end

local function step(p, x, state)
   return { h = torch.tanh(recurrent.affine(torch.cat(x, state.h, 2), p.W, p.b)) }
end

--- autograd.model.RecurrentNetwork(options, params): f(params, x, state) runs a simple recurrent network along x, batch x
-- steps x features or steps x features. The parameters W and b start at 0.
-- @param options  inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
-- @param params   a list to which the table of parameters is appended (optional)
-- @return f, which returns the output and the state after the last step; and params
-- f, params = autograd.model.RecurrentNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(4, 5, 2)):size() --> {4, 3}
return function(options, params) return recurrent.model(options, params, make, step) end
