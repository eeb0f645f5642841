-- nn/criterion/MultiLabelMarginCriterion.lua - several right classes, with a margin to all others.
local torch = require 'torch'
local shared = require 'nn.criterion.margin'

local rows, divisor = shared.rows, shared.divisor

--- sum over targets t and other classes i of max(0, 1 - x[t] + x[i]) / classes. A target is a row of class numbers as
-- long as the input, that ends at the first 0.
-- nn.MultiLabelMarginCriterion():forward(torch.Tensor{0.1, 0.2, 0.4, 0.8}, torch.Tensor{4, 1, 0, 2}) --> 0.85
local MultiLabelMarginCriterion, Criterion = torch.class('nn.MultiLabelMarginCriterion', 'nn.Criterion')

function MultiLabelMarginCriterion:__init()
   Criterion.__init(self)
   self.sizeAverage = true
end

-- Calls f(row, x of the row, list of its targets, isTarget) for each sample.
local function samples(self, input, target, f)
   local x = rows(self, input)
   local t = torch.isTensor(target) and target:dim() == 1 and target:contiguous():view(1, -1) or target
   if not torch.isTensor(t) or t:dim() ~= 2 or t:size(1) ~= x:size(1) or t:size(2) ~= x:size(2) then
      self:refuse('target', 'have the shape of the input', target)
   end
   local n = x:size(2)
   for r = 1, x:size(1) do
      local list, is = {}, {}
      for k = 1, n do
         local label = tonumber(t[r][k])
         if label == 0 then break end
         if label < 1 or label > n or label % 1 ~= 0 then
            self:refuse('target', ('hold classes of 1..%d, or 0'):format(n), tostring(label))
         end
         list[#list + 1], is[label] = label, true
      end
      f(r, x:select(1, r), list, is)
   end
   return x
end

function MultiLabelMarginCriterion:updateOutput(input, target)
   local sum = 0
   local x = samples(self, input, target, function(_, x, list, is)
      for _, t in ipairs(list) do
         for i = 1, x:size(1) do
            if not is[i] then sum = sum + math.max(0, 1 - x[t] + x[i]) end
         end
      end
   end)
   self.output = sum / divisor(self, x)
   return self.output
end

function MultiLabelMarginCriterion:updateGradInput(input, target)
   local all = rows(self, input)
   local g = all.new():resizeAs(all):zero()
   local x = samples(self, input, target, function(r, x, list, is)
      local row = g:select(1, r)
      for _, t in ipairs(list) do
         for i = 1, x:size(1) do
            if not is[i] and 1 - x[t] + x[i] > 0 then
               row[t], row[i] = row[t] - 1, row[i] + 1
            end
         end
      end
   end)
   return self.gradInput:resize(input:size()):copy(g:div(divisor(self, x)))
end

return MultiLabelMarginCriterion
