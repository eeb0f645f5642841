-- lua/autograd/model/RecurrentFWNetwork.lua - a recurrent network with fast weights: recent states attract the next one.
local torch = require 'torch'
local recurrent = require 'autograd.model.recurrent'
local LayerNormalization = require 'autograd.module.LayerNormalization'

--- autograd.model.RecurrentFWNetwork(options, params): f(params, x, state) runs a recurrent network with fast weights along x,
-- batch x steps x features or steps x features. At each step the matrix A of each sample becomes l
-- A + e h h'. The next state is found in s steps from relu(LN([x, h] W + b + A h)). The parameters
-- W and b start at 0, gain at 1.
-- @param options  inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all'). s: inner
--  steps (1). l: how much of A stays (0.95). e: how much of the state is added to it (0.5)
-- @param params   a list to which the table of parameters is appended (optional)
-- @return f, which returns the output and the state {h, A} after the last step; and params
-- f, params = autograd.model.RecurrentFWNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(4, 5, 2)):size() --> {4, 3}
return function(options, params)
   options = options or {}
   local inner, stays, comes = options.s or 1, options.l or 0.95, options.e or 0.5
   local normalise = LayerNormalization { nOutputs = options.hiddenFeatures or 100 }

   local function make(n, hidden)
      return { W = torch.zeros(n + hidden, hidden), b = torch.zeros(1, hidden),
         gain = torch.ones(1, hidden), bias = torch.zeros(1, hidden) }
   end

   local function step(p, x, state)
      local batch, hidden = torch.size(state.h, 1), torch.size(state.h, 2)
      local column = torch.view(torch.contiguous(state.h), batch, hidden, 1)
      local A = torch.bmm(column, torch.transpose(column, 2, 3)) * comes
      if state.A then A = A + state.A * stays end
      local sums = recurrent.affine(torch.cat(x, state.h, 2), p.W, p.b)
      local h = torch.relu(normalise(p, sums))
      for _ = 1, inner do
         local pulled = torch.view(torch.bmm(A, torch.view(h, batch, hidden, 1)), batch, hidden)
         h = torch.relu(normalise(p, sums + pulled))
      end
      return { h = h, A = A }
   end
   return recurrent.model(options, params, make, step)
end
