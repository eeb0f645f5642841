-- nn/normalization/normalize.lua - each sample divided by its p-norm.
local torch = require 'torch'

--- Each sample divided by its p-norm: x / (|x|_p^p + eps)^(1/p) for a vector or each row of a matrix; p may be infinite.
-- @param eps  default 1e-10
-- nn.Normalize(2):forward(torch.Tensor{3, 4}) --> {0.6, 0.8}
local Normalize, Module = torch.class('nn.Normalize', 'nn.Module')
Normalize.__arguments = 'p:number eps:number?'
Normalize.bufferNames = {'_output', 'norm', 'normp', '_indices', '_gradInput', 'buffer', 'cross', '_power'}

function Normalize:__init(p, eps)
   Module.__init(self)
   if type(p) ~= 'number' or p ~= p or p <= 0 then
      error('nn.Normalize: p must be a positive number, got ' .. tostring(p), 3)
   end
   self.p = p
   self.eps = eps or 1e-10
end

local function rows(self, x)
   if not torch.isTensor(x) or x:dim() < 1 or x:dim() > 2 then self:refuse('input', 'be a vector or a matrix', x) end
   return x:dim() == 1 and x:contiguous():view(1, -1) or x
end

function Normalize:updateOutput(input)
   local x = rows(self, input)
   self:needType(input)
   local norm = self:scratch('norm', input:type())
   local power = self:scratch('_power', input:type())
   if self.p == math.huge then
      torch.abs(power, x)
      torch.max(norm, self:scratch('_indices', 'torch.LongTensor'), power, 2)
      norm:add(self.eps)
   else
      torch.abs(power, x):pow(self.p)
      torch.sum(norm, power, 2):add(self.eps):pow(1 / self.p)
   end
   self.output:resizeAs(x):copy(x)
   self.output:cdiv(norm:expandAs(x))
   self.output:resizeAs(input)
   return self.output
end

-- With n = norm, y = x / n: dL/dx = g / n - (g . x) / n^2 * dn/dx, and dn/dx = sign(x) |x|^(p-1) / n^(p-1).
function Normalize:updateGradInput(input, gradOutput)
   local x, g = rows(self, input), rows(self, gradOutput)
   local norm, power = self.norm, self:scratch('_power', input:type())
   local cross = torch.sum(self:scratch('cross', input:type()), torch.cmul(power, x, g), 2)
   if self.p == math.huge then
      power:resize(x:size()):zero()
      local signs = torch.sign(self:scratch('buffer', input:type()), x)
      power:scatter(2, self._indices, signs:gather(2, self._indices))
   else
      torch.abs(power, x):pow(self.p - 1)
      power:cmul(torch.sign(self:scratch('buffer', input:type()), x))
      power:cdiv(torch.pow(self:scratch('normp', input:type()), norm, self.p - 1):expandAs(x))
   end
   cross:cdiv(norm):cdiv(self.p == math.huge and torch.add(norm, self.eps) or norm)
   self.gradInput:resizeAs(x):copy(g)
   self.gradInput:cdiv(norm:expandAs(x))
   self.gradInput:add(-1, power:cmul(cross:expandAs(x)))
   self.gradInput:resizeAs(input)
   return self.gradInput
end

function Normalize:__tostring__() return ('%s(%s)'):format(torch.type(self), tostring(self.p)) end

--- nn.L2Normalize([eps]): nn.Normalize(2), rows of Euclidean length 1, by fbnn's name; eps is 1e-10 by default.
-- nn.L2Normalize():forward(torch.Tensor{{3, 4}, {0, 2}}) --> {{0.6, 0.8}, {0, 1}}
local L2Normalize = torch.class('nn.L2Normalize', 'nn.Normalize')
function L2Normalize:__init(eps)
   if type(eps) ~= 'nil' and (type(eps) ~= 'number' or eps < 0 or eps ~= eps) then
      error('nn.L2Normalize: eps must be a number that is not negative, got ' .. tostring(eps), 3)
   end
   Normalize.__init(self, 2, eps)
end
function L2Normalize:__tostring__() return torch.type(self) end

return Normalize
