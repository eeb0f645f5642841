-- nn/dropout/Dropout.lua - zeroes a random part of its input while training.
local torch = require 'torch'

--- Each element is 0 with probability p, and the others are divided by 1 - p; evaluation mode passes the input on unchanged.
-- @param p                    default 0.5
-- @param v1                   true: the first version, that multiplies by 1 - p in evaluation mode instead
-- @param inplace              true: works in the input's memory
-- @param stochasticInference  true: drops in evaluation mode too
-- d = nn.Dropout(0.5); d:evaluate(); d:forward(torch.ones(3)) --> {1, 1, 1}
local Dropout, Module = torch.class('nn.Dropout', 'nn.Module')
Dropout.__arguments = 'p:number?'
Dropout.bufferNames = {'noise'}

function Dropout:__init(p, v1, inplace, stochasticInference)
   Module.__init(self)
   self:setp(p or 0.5)
   self.train = true
   self.inplace = inplace
   self.stochastic_inference = stochasticInference or false
   self.v2 = not v1
   self:scratch 'noise'
end

--- Sets the probability of dropping, 0 <= p < 1.
function Dropout:setp(p)
   if type(p) ~= 'number' or not (p >= 0 and p < 1) then
      error(('%s: p must lie in 0 <= p < 1, got %s'):format(torch.type(self), tostring(p)), 3)
   end
   self.p = p
end

local function dropping(self) return self.p > 0 and (self.train or self.stochastic_inference) end

-- x in the memory of y, or y in the memory of x; x itself if an op can write y from it.
local function source(self, y, x)
   if self.inplace then return y:set(x) end
   if x:type() == y:type() then return x end
   return y:resizeAs(x):copy(x)
end

function Dropout:updateOutput(input)
   self:needTensor(input)
   local y = self.output
   local x = source(self, y, input)
   if dropping(self) then
      torch.dropout(y, self:scratch('noise', y:type()), x, self.p, self.v2)
   else
      if x ~= y then y:resizeAs(x):copy(x) end
      if not self.v2 then y:mul(1 - self.p) end
   end
   return y
end

function Dropout:updateGradInput(_, gradOutput)
   local g = self.gradInput
   local from = source(self, g, gradOutput)
   if dropping(self) then return torch.cmul(g, from, self.noise) end
   if from ~= g then g:resizeAs(from):copy(from) end
   if not self.v2 then g:mul(1 - self.p) end
   return g
end

function Dropout:__tostring__() return ('%s(%f)'):format(torch.type(self), self.p) end

return Dropout
