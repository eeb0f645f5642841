-- nn/dropout/NestedDropout.lua - drops all units behind a random one, so that the first ones matter most.
local torch = require 'torch'
local rows = require 'nn.support.operands'.rows

--- In training the units of each row behind the k-th are 0. k is drawn anew for each row from the
-- geometric distribution P(k) = p (1 - p)^(k - 1). So units are ordered by how informative they
-- are. Evaluation mode changes nothing. Inputs are vectors and matrices. Rippel, Gelbart and Adams,
-- "Learning ordered representations with nested dropout" (2014).
-- @param p  0 < p < 1: a unit and all behind it are dropped with this probability (default 0.1)
-- d = nn.NestedDropout(0.5); d:evaluate(); d:forward(torch.ones(3)) --> {1, 1, 1}
local NestedDropout, Module = torch.class('nn.NestedDropout', 'nn.Module')
NestedDropout.bufferNames = {'noise'}

function NestedDropout:__init(p)
   Module.__init(self)
   self.p = p or 0.1
   if type(self.p) ~= 'number' or not (self.p > 0 and self.p < 1) then
      error('nn.NestedDropout: p must lie in 0 < p < 1, got ' .. tostring(p), 3)
   end
   self.train = true
end

local function check(self, input)
   if not torch.isTensor(input) or input:dim() < 1 or input:dim() > 2 then
      self:refuse('input', 'be a vector or a matrix', input)
   end
end

function NestedDropout:updateOutput(input)
   check(self, input)
   self.output:resizeAs(input):copy(input)
   if not self.train then return self.output end
   local x = rows(self.output)
   local n, units = x:size(1), x:size(2)
   local last = x.new(n, 1):geometric(1 - self.p):expand(n, units)
   local number = x.new():range(1, units):view(1, units):expand(n, units)
   local noise = self:scratch('noise', x:type()):resize(n, units)
   noise:copy(torch.le(number, last))
   self.output:cmul(noise:resizeAs(input))
   return self.output
end

function NestedDropout:updateGradInput(input, gradOutput)
   check(self, input)
   self.gradInput:resizeAs(gradOutput):copy(gradOutput)
   if not self.train then return self.gradInput end
   if not self.noise or not self.noise:isSameSizeAs(gradOutput) then
      self:refuse('gradOutput', 'have the shape of the last output', gradOutput)
   end
   return self.gradInput:cmul(self.noise)
end

function NestedDropout:__tostring__() return ('%s(%g)'):format(torch.type(self), self.p) end

return NestedDropout
