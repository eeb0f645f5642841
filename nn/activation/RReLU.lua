-- nn/activation/RReLU.lua - ReLU whose slope below 0 is drawn at random.
local torch = require 'torch'

--- x where it is positive, else a * x. a is drawn uniformly from [l, u] for each element while
-- training, and is (l + u) / 2 in evaluation mode. Xu et al., "Empirical evaluation of rectified
-- activations" (2015).
-- @param l,u      default 1/8 and 1/3
-- @param inplace  true: works in the input's memory
-- r = nn.RReLU(0.1, 0.3); r:evaluate(); r:forward(torch.Tensor{-1, 2}) --> {-0.2, 2}
local RReLU, Module = torch.class('nn.RReLU', 'nn.Module')
RReLU.__arguments = 'l:number? u:number?'
RReLU.bufferNames = {'noise'}

function RReLU:__init(l, u, inplace)
   Module.__init(self)
   self.lower, self.upper = l or 1 / 8, u or 1 / 3
   if self.lower > self.upper then
      error(('nn.RReLU: l must not be larger than u, got %s and %s'):format(self.lower, self.upper), 3)
   end
   self.inplace = inplace or false
   self.train = true
end

-- The factor of each element, 1 where it is positive.
function RReLU:updateOutput(input)
   self:needTensor(input)
   local noise = self:scratch('noise', input:type()):resize(input:size())
   local positive = input:gt(0)
   if self.train then
      -- One number for each element that is not positive, in their order.
      noise:fill(1)
      local n = input:nElement() - tonumber(positive:sum())
      if n > 0 then
         local drawn = input.new(n):uniform(self.lower, self.upper)
         noise:maskedCopy(positive:eq(0), drawn)
      end
   else
      noise:fill((self.lower + self.upper) / 2):maskedFill(positive, 1)
   end
   if self.inplace then
      self.output:set(input:cmul(noise))
      return self.output
   end
   return torch.cmul(self.output, input, noise)
end

function RReLU:updateGradInput(_, gradOutput)
   if self.inplace then
      self.gradInput:set(gradOutput:cmul(self.noise))
      return self.gradInput
   end
   return torch.cmul(self.gradInput, gradOutput, self.noise)
end

function RReLU:__tostring__()
   return ('%s (l:%f, u:%f)'):format(torch.type(self), self.lower, self.upper)
end

return RReLU
