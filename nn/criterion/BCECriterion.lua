-- nn/criterion/BCECriterion.lua - binary cross entropy of probabilities.
local torch = require 'torch'
local utils = require 'nn.utils'
local binary = require 'nn.criterion.binary'

local stretched, same = binary.stretched, binary.same

local TINY = 1e-12                                   -- keeps the logarithms finite

--- -t log(x) - (1 - t) log(1 - x) for probabilities x and targets t of [0, 1], averaged over all elements.
-- @param weights      a factor for each element of a sample
-- @param sizeAverage  false: the sum instead of the mean
-- nn.BCECriterion():forward(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1}) --> 0.69315
local BCECriterion, Criterion = torch.class('nn.BCECriterion', 'nn.Criterion')
BCECriterion.__arguments = 'weights:tensor?'

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

return BCECriterion
