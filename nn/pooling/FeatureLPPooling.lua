-- nn/pooling/FeatureLPPooling.lua - the p-norm of each window of features.
local torch = require 'torch'
local sequences = require 'nn.support.sequences'

local features = sequences.features

--- (sum of |x|^power over each window of features)^(1/power); for power 1 the sum of x itself, as in Torch7. An input is
-- features (x height x width), in batch mode with samples as first dimension.
-- @param width,stride  of the windows
-- @param power         default 2
-- @param batch_mode    true: the features are dimension 2
-- nn.FeatureLPPooling(2, 1, 2, true):forward(torch.ones(2, 4)):size() --> {2, 3}
local FeatureLPPooling, Module = torch.class('nn.FeatureLPPooling', 'nn.Module')
FeatureLPPooling.__arguments = 'width:count stride:count power:number?'

function FeatureLPPooling:__init(width, stride, power, batch_mode)
   Module.__init(self)
   self.width, self.stride, self.power = width, stride, power or 2
   self.batch_mode = batch_mode or false
   if width < 2 or stride < 1 then
      error(('nn.FeatureLPPooling: width must be at least 2 and stride at least 1, got %s and %s'):format(width, stride), 3)
   end
end

function FeatureLPPooling:updateOutput(input)
   local dim, n = features(self, input), input:dim()
   local x = self.power == 1 and input or torch.abs(input):pow(self.power)
   local sums = x:unfold(dim, self.width, self.stride):sum(n + 1):select(n + 1, 1)
   self.output:resizeAs(sums):copy(sums)
   return self.power == 1 and self.output or self.output:pow(1 / self.power)
end

-- dy/dx = sign(x) |x|^(p-1) y^(1-p), 0 where y is; 1 for power 1
function FeatureLPPooling:updateGradInput(input, gradOutput)
   local dim, n = features(self, input), input:dim()
   local part = gradOutput
   if self.power ~= 1 then
      part = torch.pow(self.output, 1 - self.power):maskedFill(self.output:eq(0), 0):cmul(gradOutput)
   end
   self.gradInput:resizeAs(input):zero()
   local view = self.gradInput:unfold(dim, self.width, self.stride)
   for k = 1, self.width do view:select(n + 1, k):add(part) end
   if self.power == 1 then return self.gradInput end
   return self.gradInput:cmul(torch.abs(input):pow(self.power - 1)):cmul(torch.sign(input))
end

function FeatureLPPooling:__tostring__()
   return ('%s(w %d, s %d, p %g)'):format(torch.type(self), self.width, self.stride, self.power)
end

return FeatureLPPooling
