-- nn/embedding/LookupTableGPU.lua - fbcunn's table of vectors, which may give features before positions.
local torch = require 'torch'

--- nn.LookupTable under fbcunn's name for a table that also runs on a GPU. Inputs equal to the field unk_index, if it is set,
-- give rows of zeros, which never change.
-- @param featuresInDim2  true: matrices of samples x positions give samples x nOutput x positions,
--                        instead of samples x positions x nOutput. That is the form for temporal
--                        layers with features first
-- nn.LookupTableGPU(5, 3, true):forward(torch.LongTensor{{2, 5}}):size() --> {1, 3, 2}
local GPU, LookupTable = torch.class('nn.LookupTableGPU', 'nn.LookupTable')
GPU.__arguments = 'nInput:size nOutput:size featuresInDim2'
GPU.bufferNames = {'_input', '_count', '_sorted', '_indices', '_gradOutput', '_index', '_float', '_rows'}

function GPU:__init(nInput, nOutput, featuresInDim2)
   LookupTable.__init(self, nInput, nOutput)
   self.featuresInDim2 = featuresInDim2 and true or false
end

local function turned(self, input) return self.featuresInDim2 and input:dim() == 2 end

function GPU:updateOutput(input)
   local kept = self.output
   self.output = self:scratch '_rows'
   local ok, rows = pcall(LookupTable.updateOutput, self, input)
   self.output = kept
   if not ok then error(rows, 0) end
   local n = rows:size(rows:dim())
   if self.unk_index then
      local flat = rows:view(-1, n)
      flat:maskedFill(torch.eq(input, self.unk_index):view(-1, 1):expand(flat:size(1), n), 0)
   end
   if turned(self, input) then rows = rows:transpose(2, 3) end
   return self.output:resizeAs(rows):copy(rows)
end

function GPU:accGradParameters(input, gradOutput, scale)
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   self.paddingValue = self.unk_index or 0                     -- a row without gradient
   if turned(self, input) then gradOutput = gradOutput:transpose(2, 3):contiguous() end
   LookupTable.accGradParameters(self, input, gradOutput, scale)
end

return GPU
