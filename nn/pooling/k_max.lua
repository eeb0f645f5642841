-- nn/pooling/k_max.lua - the k largest values of each feature.
local torch = require 'torch'
local sequences = require 'nn.support.sequences'
local whole = require 'nn.support.constants'.whole

local batch, like = sequences.batch, sequences.like

--- The k largest values of each feature, in their order in the input. Kalchbrenner et al., "A convolutional neural
-- network for modelling sentences" (2014).
-- @param minK    the least k
-- @param factor  k is at least this share of the frames, default 0
-- nn.TemporalDynamicKMaxPooling(2, 0.5):forward(torch.ones(8, 2)):size() --> {4, 2}
local KMaxPooling, Module = torch.class('nn.TemporalDynamicKMaxPooling', 'nn.Module')
KMaxPooling.__arguments = 'minK:count factor:number?'
KMaxPooling.bufferNames = {'indices'}

function KMaxPooling:__init(minK, factor)
   Module.__init(self)
   self.minK, self.factor = minK, factor or 0
end

function KMaxPooling:updateOutput(input)
   local x = batch(self, input)
   local k = math.max(self.minK, math.ceil(self.factor * tonumber(x:size(2))))
   if k > x:size(2) then self:refuse('input', ('have at least %d frames'):format(k), input) end
   local _, at = x:topk(k, 2, true)
   self.indices = at:sort(2)
   local y = x:gather(2, self.indices)
   self.output:resizeAs(y):copy(y)
   return like(input, self.output)
end

function KMaxPooling:updateGradInput(input, gradOutput)
   local x, g = batch(self, input), batch(self, gradOutput)
   self.gradInput:resizeAs(x):zero():scatter(2, self.indices, g)
   return like(input, self.gradInput)
end

--- nn.TemporalKMaxPooling(k, [k_dynamic]): nn.TemporalDynamicKMaxPooling by fbcunn's names: of T frames the max(k, ceil(k_dynamic T))
-- largest values of each feature, in their order in the input.
-- nn.TemporalKMaxPooling(2):forward(torch.Tensor{{4}, {1}, {3}}) --> {{4}, {3}}
local Named = torch.class('nn.TemporalKMaxPooling', 'nn.TemporalDynamicKMaxPooling')

function Named:__init(k, k_dynamic)
   whole('nn.TemporalKMaxPooling', 'k', k)
   if type(k_dynamic) ~= 'nil' and type(k_dynamic) ~= 'number' then
      error('nn.TemporalKMaxPooling: k_dynamic must be a number, got ' .. tostring(k_dynamic), 3)
   end
   KMaxPooling.__init(self, k, k_dynamic)
   self.k, self.k_dynamic = k, k_dynamic or -1
end

return KMaxPooling
