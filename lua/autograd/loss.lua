-- lua/autograd/loss.lua - losses for differentiated functions: sums over all elements, without a division.
local torch = require 'torch'
local util = require 'autograd.util'

local loss = {}

--- autograd.loss.logMultinomialLoss(x, target): minus the sum of x times target, for x that holds log-probabilities.
-- autograd.loss.logMultinomialLoss(torch.Tensor{-1, -2}, torch.Tensor{0, 1}) --> 2
function loss.logMultinomialLoss(x, target) return -torch.sum(torch.cmul(x, target)) end

--- autograd.loss.logBCELoss(x, target, eps): minus the sum of the logarithms of the probabilities that x gives to targets 0 and
-- 1.
-- @param eps  added under the logarithms (default 0)
-- autograd.loss.logBCELoss(torch.Tensor{0.5}, torch.Tensor{1}) --> 0.69315
function loss.logBCELoss(x, target, eps)
   eps = eps or 0
   return -torch.sum(torch.cmul(target, torch.log(x + eps)) + torch.cmul(-target + 1, torch.log(-x + 1 + eps)))
end

--- autograd.loss.crossEntropy(x, target): the loss of softmax of x, a vector or rows of a matrix; target has 1 at the right
-- class and 0 elsewhere. Returns the log-probabilities, too.
-- (autograd.loss.crossEntropy(torch.zeros(2), torch.Tensor{1, 0})) --> 0.69315
function loss.crossEntropy(x, target)
   local chances = util.logSoftMax(x)
   return loss.logMultinomialLoss(chances, target), chances
end

--- autograd.loss.binaryCrossEntropy(x, target): the loss of the sigmoid of x for targets 0 and 1; returns the sigmoid, too.
-- (autograd.loss.binaryCrossEntropy(torch.zeros(1), torch.Tensor{1})) --> 0.69315
function loss.binaryCrossEntropy(x, target)
   local chances = util.sigmoid(x)
   return loss.logBCELoss(chances, target, 1e-6), chances
end

--- autograd.loss.leastSquares(x, target): the sum of the squares of x - target; returns x, too.
-- (autograd.loss.leastSquares(torch.Tensor{3}, torch.Tensor{1})) --> 4
function loss.leastSquares(x, target)
   local d = x - target
   return torch.sum(torch.cmul(d, d)), x
end

--- autograd.loss.margin(x, target, margin): for each element whose target is 1 and each whose target is 0, how much the
-- first falls short of the second plus the margin. Returns x, too.
-- @param margin  default 1
-- (autograd.loss.margin(torch.Tensor{2, 1.5}, torch.Tensor{1, 0}, 1)) --> 0.5
function loss.margin(x, target, margin)
   local yes, no = x[torch.eq(target, 1)], x[torch.eq(target, 0)]
   local m, n = torch.size(yes, 1), torch.size(no, 1)
   local short = torch.expand(torch.view(no, 1, n), m, n) - torch.expand(torch.view(yes, m, 1), m, n) + (margin or 1)
   return torch.sum(torch.cmax(short, 0)), x
end

return loss
