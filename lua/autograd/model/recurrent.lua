-- lua/autograd/model/recurrent.lua - shared code of the recurrent models: runs a cell along a sequence.
local torch = require 'torch'
local parameters = require 'autograd.model.parameters'

local recurrent = {}

--- Zeros of the type of x.
function recurrent.zeros(x, ...) return torch.zero(x.new(...)) end

--- x * W + b, the row b for each row of x.
function recurrent.affine(x, W, b) return x * W + torch.expand(b, torch.size(x, 1), torch.size(b, 2)) end

--- A model of a cell.
-- @param options  inputFeatures (10), hiddenFeatures (100), outputType: 'last' (default) returns the last state, batch x
--  hiddenFeatures, 'all' all of them, batch x steps x hiddenFeatures
-- @param params   a list to which the cell's parameters are appended (optional)
-- @param make     make(inputFeatures, hiddenFeatures) returns a table of parameters
-- @param step     step(p, x, state) returns the next state, whose field h is the output
-- @return f(params, x, state), which returns the output and the state after the last step; and params
function recurrent.model(options, params, make, step)
   options = options or {}
   local hidden, output = options.hiddenFeatures or 100, options.outputType or 'last'
   local own, list = parameters.append(params, make(options.inputFeatures or 10, hidden))

   local function f(given, x, state)
      local p = own(given)
      if torch.nDimension(x) == 2 then x = torch.view(torch.contiguous(x), 1, torch.size(x, 1), torch.size(x, 2)) end
      local batch, all = torch.size(x, 1), {}
      state = state and state.h and state or { h = recurrent.zeros(x, batch, hidden) }
      for t = 1, torch.size(x, 2) do
         state = step(p, torch.select(x, 2, t), state)
         all[t] = output ~= 'last' and torch.view(state.h, batch, 1, hidden) or nil
      end
      return output == 'last' and state.h or torch.cat(all, 2), state
   end
   return f, list
end

return recurrent
