-- lua/autograd/module/LayerNormalization.lua - rows with mean 0 and variance 1, times a gain, plus a bias.
local torch = require 'torch'
local parameters = require 'autograd.model.parameters'

--- autograd.module.LayerNormalization(options, params): f(params, x) normalises each row of x, a vector or a matrix.
-- @param options  nOutputs: the length of a row (10)
-- @param params   a list to which the table {gain, bias} is appended (optional)
-- @return f and params
-- f, params = autograd.module.LayerNormalization{nOutputs = 2}; torch.round(f(params, torch.Tensor{{1, 3}})) --> {{-1, 1}}
return function(options, params)
   options = options or {}
   local n = options.nOutputs or 10
   local own, list = parameters.append(params, { gain = torch.ones(1, n), bias = torch.zeros(1, n) })

   local function f(given, x)
      local p, y = own(given), x
      if torch.nDimension(x) == 1 then y = torch.view(x, 1, n) end
      local rows = torch.size(y, 1)
      local centred = y - torch.expand(torch.mean(y, 2), rows, n)
      local deviation = torch.sqrt(torch.mean(torch.cmul(centred, centred), 2) + 1e-5)
      local normal = torch.cdiv(centred, torch.expand(deviation, rows, n))
      y = torch.cmul(normal, torch.expand(p.gain, rows, n)) + torch.expand(p.bias, rows, n)
      return torch.nDimension(x) == 1 and torch.view(y, n) or y
   end
   return f, list
end
