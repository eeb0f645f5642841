-- lua/autograd/module/MaskedBatchNormalization.lua - batch normalisation over the rows that a mask selects.
local torch = require 'torch'
local parameters = require 'autograd.model.parameters'

--- autograd.module.MaskedBatchNormalization(options, params): f(params, x, mask) gives each column
-- of x mean 0 and variance 1 over the rows whose mask is 1. It multiplies by a gain and adds a
-- bias. The other rows become 0. Without a mask it takes all rows.
-- @param options  nOutputs: the number of columns (10); eps: added to the variance (1e-5)
-- @param params   a list to which the table {gain, bias} is appended (optional)
-- @return f and params
-- f, params = autograd.module.MaskedBatchNormalization{nOutputs = 1}; torch.round(f(params, torch.Tensor{{1}, {3}, {9}}, torch.Tensor{1, 1, 0})) --> {{-1}, {1}, {0}}
return function(options, params)
   options = options or {}
   local n, eps = options.nOutputs or 10, options.eps or 1e-5
   local own, list = parameters.append(params, { gain = torch.ones(1, n), bias = torch.zeros(1, n) })

   local function f(given, x, mask)
      local p, rows = own(given), torch.size(x, 1)
      local taken = mask and torch.typeAs(mask, x) or torch.fill(x.new(rows), 1)
      local wide = torch.expand(torch.view(torch.contiguous(taken), rows, 1), rows, n)
      local count = torch.sum(taken)
      local function over_rows(row) return torch.expand(row, rows, n) end
      local mean = torch.sum(torch.cmul(x, wide), 1) / count
      local centred = torch.cmul(x - over_rows(mean), wide)
      local deviation = torch.sqrt(torch.sum(torch.cmul(centred, centred), 1) / count + eps)
      local y = torch.cmul(torch.cdiv(centred, over_rows(deviation)), over_rows(p.gain)) + over_rows(p.bias)
      return torch.cmul(y, wide)
   end
   return f, list
end
