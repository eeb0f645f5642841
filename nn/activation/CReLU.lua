-- nn/activation/CReLU.lua - the positive and the negative part of the input, one after the other.
local torch = require 'torch'
local nn = require 'nn'

--- {max(x, 0), max(-x, 0)} along the planes. Shang et al., "Understanding and improving convolutional neural networks
-- via concatenated rectified linear units" (2016).
-- @param nInputDims  dimensions of one sample
-- nn.CReLU(1):forward(torch.Tensor{-1, 2}) --> {0, 2, 1, 0}
local CReLU, Sequential = torch.class('nn.CReLU', 'nn.Sequential')
CReLU.__arguments = 'nInputDims:size?'

function CReLU:__init(nInputDims, inplace)
   Sequential.__init(self)
   self.nInputDims = nInputDims
   self.inplace = inplace or false
   self:add(nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1)))
   self:add(nn.JoinTable(1, nInputDims))
   self:add(nn.ReLU(self.inplace))
end

function CReLU:__tostring__() return 'CReLU()' end

return CReLU
