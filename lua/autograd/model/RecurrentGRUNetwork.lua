-- lua/autograd/model/RecurrentGRUNetwork.lua - gated recurrent units.
local torch = require 'torch'
local util = require 'autograd.util'
local recurrent = require 'autograd.model.recurrent'

local function make(n, hidden) return { W = torch.zeros(n + hidden, 3 * hidden), b = torch.zeros(1, 3 * hidden) } end

-- The columns of W and b belong to the update and reset gates and to the new value.
local function step(p, x, state)
   local h, batch, hidden = state.h, torch.size(state.h, 1), torch.size(state.h, 2)
   local function sums(before, first, n)
      return recurrent.affine(torch.cat(x, before, 2), torch.narrow(p.W, 2, first, n), torch.narrow(p.b, 2, first, n))
   end
   local gates = torch.view(util.sigmoid(sums(h, 1, 2 * hidden)), batch, 2, hidden)
   local update, reset = torch.select(gates, 2, 1), torch.select(gates, 2, 2)
   local fresh = torch.tanh(sums(torch.cmul(reset, h), 2 * hidden + 1, hidden))
   return { h = torch.cmul(update, fresh) + torch.cmul(-update + 1, h) }
end

--- autograd.model.RecurrentGRUNetwork(options, params): f(params, x, state) runs gated recurrent units along x, batch x steps
-- x features or steps x features. The parameters W and b start at 0.
-- @param options  inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
-- @param params   a list to which the table of parameters is appended (optional)
-- @return f, which returns the output and the state after the last step; and params
-- f, params = autograd.model.RecurrentGRUNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(5, 2)):size() --> {1, 3}
return function(options, params) return recurrent.model(options, params, make, step) end
