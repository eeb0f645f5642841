-- nn/criterion/BCECriterion.lua - binary cross entropy of probabilities, and of scores (MultiLabelSoftMarginCriterion).
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

local TINY = 1e-12                                   -- keeps the logarithms finite

-- The weights stretched over the rows of x, or nil.
local function stretched(self, x)
   local w = self.weights
   if not w then return nil end
   if x:dim() > 1 and w:dim() < x:dim() then return w:view(1, -1):expandAs(x) end
   return w
end

local function same(self, input, target)
   if not torch.isTensor(input) or not torch.isTensor(target) or input:nElement() ~= target:nElement() then
      self:refuse('target', 'have as many elements as the input, ' .. utils.shape(input), target)
   end
end

--- -t log(x) - (1 - t) log(1 - x) for probabilities x and targets t of [0, 1], averaged over all elements.
--- @param weights      a factor for each element of a sample
--- @param sizeAverage  false: the sum instead of the mean
local BCECriterion, Criterion = torch.class('nn.BCECriterion', 'nn.Criterion')

function BCECriterion:__init(weights, sizeAverage)
   Criterion.__init(self)
   self.sizeAverage = sizeAverage ~= false
   if weights then
      if weights:dim() ~= 1 then
         error('nn.BCECriterion: weights must be a vector, got ' .. utils.shape(weights), 3)
      end
      self.weights = weights
   end
end

function BCECriterion:__len() return self.weights and #self.weights or 0 end

function BCECriterion:updateOutput(input, target)
   same(self, input, target)
   local w, kind = stretched(self, input), input:type()
   local logs, part = self:scratch('_logs', kind), self:scratch('_part', kind)
   logs:resize(input:size()):copy(input):add(TINY):log()
   if w then logs:cmul(w) end
   local sum = target:dot(logs)
   logs:copy(input):mul(-1):add(1 + TINY):log()
   if w then logs:cmul(w) end
   part:resize(target:size()):copy(target):mul(-1):add(1)
   sum = -(sum + part:dot(logs))
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

-- (x - t) / (x (1 - x))
function BCECriterion:updateGradInput(input, target)
   same(self, input, target)
   local w, part = stretched(self, input), self:scratch('_part', input:type())
   part:resize(input:size()):copy(input):mul(-1):add(1 + TINY)
   local g = self.gradInput:resize(input:size()):copy(input):add(TINY)
   part:cmul(g)
   g:copy(input):add(-1, target):cdiv(part)
   if w then g:cmul(w) end
   if self.sizeAverage then g:div(input:nElement()) end
   return g
end

--- The same for scores instead of probabilities: x goes through a sigmoid first, without loss at large |x|.
local MultiLabelSoftMarginCriterion = torch.class('nn.MultiLabelSoftMarginCriterion', 'nn.Criterion')

function MultiLabelSoftMarginCriterion:__init(weights, sizeAverage)
   Criterion.__init(self)
   self.sizeAverage = sizeAverage ~= false
   self.weights = weights
   self.lsm = nn.LogSigmoid()
end

-- -t logsigmoid(x) - (1 - t) logsigmoid(-x), and logsigmoid(-x) = logsigmoid(x) - x
function MultiLabelSoftMarginCriterion:updateOutput(input, target)
   same(self, input, target)
   local w, kind = stretched(self, input), input:type()
   local logs = torch.logsigmoid(self:scratch('_logs', kind), input)
   local part = self:scratch('_part', kind)
   part:resize(target:size()):copy(target):mul(-1):add(1):cmul(input)
   part:add(-1, logs)
   if w then part:cmul(w) end
   local sum = part:sum()
   self.output = self.sizeAverage and sum / input:nElement() or sum
   return self.output
end

function MultiLabelSoftMarginCriterion:updateGradInput(input, target)
   same(self, input, target)
   local w = stretched(self, input)
   local g = torch.sigmoid(self.gradInput, input):add(-1, target)
   if w then g:cmul(w) end
   if self.sizeAverage then g:div(input:nElement()) end
   return g
end

return BCECriterion
