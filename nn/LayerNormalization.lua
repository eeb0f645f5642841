-- nn/LayerNormalization.lua - each row with mean 0 and variance 1, then a learned factor and summand.
local torch = require 'torch'
local nn = require 'nn'

--- Each row with mean 0 and variance 1, then a learned factor and summand for each element. Ba et al., "Layer
-- normalization" (2016).
-- @param bias    the summand at the start, default 0
-- @param eps     default 1e-10
-- @param affine  false: without factor and summand
-- nn.LayerNormalization(4):forward(torch.ones(3, 4)):size() --> {3, 4}
local LayerNormalization, Sequential = torch.class('nn.LayerNormalization', 'nn.Sequential')

function LayerNormalization:__init(nOutput, bias, eps, affine)
   Sequential.__init(self)
   self:add(nn.ConcatTable():add(nn.Identity())
      :add(nn.Sequential():add(nn.Mean(-1)):add(nn.Replicate(nOutput, -1))))
   self:add(nn.CSubTable())
   self:add(nn.Normalize(2, eps or 1e-10))
   self:add(nn.MulConstant(math.sqrt(nOutput)))
   if affine ~= false then
      local factor = nn.CMul(nOutput)
      factor.weight:fill(1)
      local summand = nn.Add(nOutput)
      summand.bias:fill(bias or 0)
      self:add(factor)
      self:add(summand)
   end
end

return LayerNormalization
