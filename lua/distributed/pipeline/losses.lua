-- lua/distributed/pipeline/losses.lua - how a criterion combines the samples of a batch: a mean, a sum, or a
-- weighted mean.
local torch = require 'torch'
local utils = require 'nn.utils'

local M = {}

local function fail(text, ...) error('dist.Pipeline: ' .. text:format(...), 0) end

-- The criterions inside a criterion.
local function inner_of(c) return c.criterions or { c.criterion or c.nll } end

--- Whether the loss is a mean over samples, according to the criterion or those inside it.
function M.averages(c)
   if c.nll and c.sizeAverage == c.oldSizeAverage then return M.averages(c.nll) end      -- the one that changed last counts
   if type(c.sizeAverage) == 'boolean' then return c.sizeAverage end
   if torch.isTypeOf(c, 'nn.L1Cost') then return false end
   local first
   for i, inner in ipairs(inner_of(c)) do
      local a = M.averages(inner)
      if i > 1 and a ~= first then fail 'some parts of the criterion are means over samples and some are sums' end
      first = a
   end
   return first ~= false
end

--- Refuses a mean with class weights, which is not the mean of the micro-batches' means.
function M.need_plain(c)
   if torch.isTensor(c.weights) and torch.isTypeOf(c, 'nn.ClassNLLCriterion') then
      fail('%s with weights is not a mean over samples: give it sizeAverage = false, or use micro = 1', torch.type(c))
   end
   for _, inner in ipairs(inner_of(c)) do M.need_plain(inner) end
end

--- Refuses ignored targets, because the mean of a micro-batch then has fewer samples than the
-- micro-batch.
function M.need_counted(c, target)
   if torch.isTypeOf(c, 'nn.ClassNLLCriterion') then
      utils.map(target, function(t)
         if t:double():eq(c.ignoreIndex or -100):sum() == 0 then return t end
         fail('target has ignored samples (%d): give %s sizeAverage = false, or use micro = 1', c.ignoreIndex or -100,
            torch.type(c))
      end)
   end
   local apart = torch.isTypeOf(c, 'nn.ParallelCriterion') and not c.repeatTarget and type(target) == 'table'
   for i, inner in ipairs(inner_of(c)) do
      local its = target
      if apart then its = target[i] end
      if its ~= nil then M.need_counted(inner, its) end
   end
end

return M
