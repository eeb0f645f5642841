-- nn/criterion/L1Cost.lua - the sum of |x|; there is no target.
local torch = require 'torch'
local utils = require 'nn.utils'

--- The sum of |x|; there is no target.
-- nn.L1Cost():forward(torch.Tensor{1, -2, 3}) --> 6
local L1Cost, Criterion = torch.class('nn.L1Cost', 'nn.Criterion')

function L1Cost:__init() Criterion.__init(self) end

function L1Cost:updateOutput(input)
   self:needTensor(input)
   self.output = torch.abs(self:scratch('_z', input:type()), input):sum()
   return self.output
end

function L1Cost:updateGradInput(input) return torch.sign(self.gradInput, input) end

--- Drops the buffers. Returns self.
function L1Cost:clearState() return utils.clear(self, 'gradInput', '_z') end

return L1Cost
