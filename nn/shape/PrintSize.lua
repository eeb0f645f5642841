-- nn/shape/PrintSize.lua - returns its input and prints its size.
local torch = require 'torch'
local utils = require 'nn.utils'
local Identity = require 'torch.class'.ours 'nn.Identity'

--- Returns its input and prints its size, and that of the gradient, after `prefix`.
-- nn.PrintSize('input'):__tostring__() --> nn.PrintSize
local PrintSize, Module = torch.class('nn.PrintSize', 'nn.Module')

function PrintSize:__init(prefix)
   Module.__init(self)
   self.prefix = prefix or 'PrintSize'
end

local function show(prefix, what, x)
   local size = torch.isTensor(x) and x:size() or type(x) == 'table' and utils.map(x, function(t) return t:size() end) or x
   print(prefix .. ':' .. what .. '\n', size)
end

function PrintSize:updateOutput(input)
   self.output = input
   show(self.prefix, 'input', input)
   return input
end

function PrintSize:updateGradInput(_, gradOutput)
   show(self.prefix, 'gradOutput', gradOutput)
   self.gradInput = gradOutput
   return gradOutput
end

PrintSize.clearState = Identity.clearState

return PrintSize
