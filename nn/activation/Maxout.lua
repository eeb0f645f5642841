-- nn/activation/Maxout.lua - the largest of maxoutNumber affine maps.
local torch = require 'torch'
local nn = require 'nn'

--- The largest of maxoutNumber affine maps. Goodfellow et al., "Maxout networks" (2013).
-- @param preprocess  a module in front
-- nn.Maxout(4, 3, 2):forward(torch.ones(2, 4)):size() --> {2, 3}
local Maxout, Sequential = torch.class('nn.Maxout', 'nn.Sequential')
Maxout.__arguments = 'inputSize:size outputSize:size maxoutNumber:count preprocess:module?'

function Maxout:__init(inputSize, outputSize, maxoutNumber, preprocess)
   Sequential.__init(self)
   if preprocess then self:add(preprocess) end
   self:add(nn.Linear(inputSize, outputSize * maxoutNumber))
   self:add(nn.View(maxoutNumber, outputSize):setNumInputDims(1))
   self:add(nn.Max(1, 2))
end

return Maxout
