-- nn/activation/Power.lua - x ^ p.
local torch = require 'torch'
local constants = require 'nn.support.constants'

local need = constants.need

--- x ^ p.
-- nn.Power(3):forward(torch.Tensor{2, 3}) --> {8, 27}
local Power, Module = torch.class('nn.Power', 'nn.Module')

function Power:__init(p)
   Module.__init(self)
   self.pow = need('Power', p)
end

function Power:updateOutput(input) return torch.pow(self.output, input, self.pow) end

function Power:updateGradInput(input, gradOutput)
   return torch.pow(self.gradInput, input, self.pow - 1):cmul(gradOutput):mul(self.pow)
end

return Power
