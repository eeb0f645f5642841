-- lua/autograd/model/RecurrentLSTMNetwork.lua - long short-term memory without peepholes.
local torch = require 'torch'
local util = require 'autograd.util'
local recurrent = require 'autograd.model.recurrent'

local function make(n, hidden) return { W = torch.zeros(n + hidden, 4 * hidden), b = torch.zeros(1, 4 * hidden) } end

-- The columns of W and b belong to the input, forget and output gates and to the new value.
local function step(p, x, state)
   local batch, hidden = torch.size(state.h, 1), torch.size(state.h, 2)
   local sums = torch.view(recurrent.affine(torch.cat(x, state.h, 2), p.W, p.b), batch, 4, hidden)
   local gates = util.sigmoid(torch.narrow(sums, 2, 1, 3))
   local input, forget, output = torch.select(gates, 2, 1), torch.select(gates, 2, 2), torch.select(gates, 2, 3)
   local c = torch.cmul(input, torch.tanh(torch.select(sums, 2, 4)))
   if state.c then c = torch.cmul(forget, state.c) + c end
   return { h = torch.cmul(output, torch.tanh(c)), c = c }
end

--- autograd.model.RecurrentLSTMNetwork(options, params): f(params, x, state) runs an LSTM along x, batch x steps x features or
-- steps x features. The state is a table {h, c}. The parameters W and b start at 0.
-- @param options  inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
-- @param params   a list to which the table of parameters is appended (optional)
-- @return f, which returns the output and the state after the last step; and params
-- f, params = autograd.model.RecurrentLSTMNetwork{inputFeatures = 2, hiddenFeatures = 3, outputType = 'all'}; f(params, torch.ones(4, 5, 2)):size() --> {4, 5, 3}
return function(options, params) return recurrent.model(options, params, make, step) end
