---@meta optim
-- types/optim.lua - written by ./dev docs from the sources; do not edit.

---@class optim
optim = {}

do
--- Counts predictions of a classifier by target and predicted class.
---
---     c = optim.ConfusionMatrix{'cat', 'dog'}; c:add(1, 2); c.mat   --> {{0, 0}, {1, 0}}
---@class optim.ConfusionMatrix
---@field averageUnionValid number
---@field averageValid number
---@field classes any
---@field mat torch.Tensor
---@field nclasses any
---@field totalValid number
---@field unionvalids torch.Tensor
---@field valids torch.Tensor
local ConfusionMatrix = {}

--- Counts one prediction.
---@param prediction any
---@param target any
---@return any
function ConfusionMatrix:add(prediction, target) end

--- Counts a batch: vectors of class numbers, or matrices with a row of scores for each sample.
---@param predictions any
---@param targets? any
---@return any
function ConfusionMatrix:batchAdd(predictions, targets) end

--- For each class the share of its samples that were rejected (false rejections), and the share of the others' samples that were accepted (false acceptances).
---@return any # two vectors by class, with -1 for a class that never occurred; then the same without those classes
---@return any ...
function ConfusionMatrix:farFrr() end

--- The matrix as a picture: a tensor of 3 planes, one square for each cell.
---@param sortmode? string 'score' (best class first), 'occurrence' (most frequent first), or nil
---@param display? boolean true: shows it with the package image, if that is loaded
---@param block? number pixels of a square's side, default 25
---@param legendwidth? number dark pixels left of the rows, default 0
---@return any
function ConfusionMatrix:render(sortmode, display, block, legendwidth) end

--- Computes valids (right predictions by class), unionvalids, and the averages from the counts.
---@return any
function ConfusionMatrix:updateValids() end

--- Resets all counts to 0.
---@return any
function ConfusionMatrix:zero() end

end

--- Counts predictions of a classifier by target and predicted class.
---
---     c = optim.ConfusionMatrix{'cat', 'dog'}; c:add(1, 2); c.mat   --> {{0, 0}, {1, 0}}
---@class optim.ConfusionMatrix.class: optim.ConfusionMatrix
---@overload fun(nclasses: any, classes?: any): optim.ConfusionMatrix
optim.ConfusionMatrix = {}

---@class optim.FistaLS.params
---@field maxiter? number default 50
---@field maxline? number backtracking steps in one iteration, default 20
---@field errthres? number ends when the value moves less; default 1e-4
---@field doFistaUpdate? boolean true: with momentum; without it (the default, as in Torch7) this is ISTA
---@field L? number the curvature at the start, default 0.1, and its growth in backtracking, default 1.5
---@field Lstep? number the curvature at the start, default 0.1, and its growth in backtracking, default 1.5
---@field verbose? boolean true: prints every iteration
---@field [string] any

--- Minimises f(x) + g(x) (Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm for linear inverse problems", 2009), with backtracking.
---@param f function f(x, 'dx') returns the value and the gradient of the smooth part
---@param g function the value of the other part
---@param pl function pl(x, L) shrinks x in place: the minimum of g(z) + L / 2 |z - x|^2 over z
---@param xinit torch.Tensor the starting point; a vector, which is moved
---@param params? optim.FistaLS.params
---@return any # x, a list of {f, g, F, L} for every iteration
---@return any ...
function optim.FistaLS(f, g, pl, xinit, params) end

do
--- Logs numbers of a training run in a file of columns and as a plot.
---
---     name = os.tmpname(); l = optim.Logger(name); l:setNames{'loss'}; l:add{0.5}; io.open(name):read '*l':match '%S+'   --> loss
---@class optim.Logger
---@field columns table
---@field defaultStyle string
---@field empty boolean
---@field epsfile any
---@field figure any
---@field file any
---@field filename any
---@field idx table
---@field logscale boolean
---@field name any
---@field names table
---@field nsymbols any
---@field pngfile any
---@field showPlot boolean
---@field styles table
---@field symbols table
local Logger = {}

--- Adds a row: a list of numbers and texts, or a table with one for each name.
---@param symbols any
---@return any
function Logger:add(symbols) end

--- false: plot writes the pictures without opening a window.
---@param state any
---@return boolean
function Logger:display(state) end

--- Draws the columns with the package gnuplot: into <file>.eps and <file>.png, and in a window when there is a display and showPlot is set.
---@param ... any
---@return any
function Logger:plot(...) end

--- Names the columns, and writes them as the first line.
---@param names any
---@return any
function Logger:setNames(names) end

--- true: the vertical axis is logarithmic.
---@param state any
---@return boolean
function Logger:setlogscale(state) end

--- Styles of the lines for plot: '-', '+', '+-', '~', ... or a list of them for each column, by number or by name, or one for all.
---@param symbols? any
---@return any
function Logger:style(symbols) end

end

--- Logs numbers of a training run in a file of columns and as a plot.
---
---     name = os.tmpname(); l = optim.Logger(name); l:setNames{'loss'}; l:add{0.5}; io.open(name):read '*l':match '%S+'   --> loss
---@class optim.Logger.class: optim.Logger
---@overload fun(filename?: string, timestamp?: boolean): optim.Logger
optim.Logger = {}

---@class optim.LossScaler.config
---@field scale? number at the start; default 65536
---@field interval? number good steps before the scale grows; default 2000
---@field [string] any

do
--- Scales losses, so that low-precision gradients neither vanish nor overflow.
---
---     s = optim.LossScaler{scale = 8}; g = s:scaleGradient(torch.Tensor{1}); s:unscale(g), g   --> true, {1}
---@class optim.LossScaler
---@field good number
---@field interval any
---@field scale any
local LossScaler = {}

--- Multiplies the gradient of the loss (a tensor or a nested table of them) by the scale, in place.
---@param gradient any
---@return any
function LossScaler:scaleGradient(gradient) end

--- Divides the gradients of the parameters by the scale, in place, and adapts it.
---@param grads any
---@return boolean # whether all were finite; if not, skip this step
function LossScaler:unscale(grads) end

end

--- Scales losses, so that low-precision gradients neither vanish nor overflow.
---
---     s = optim.LossScaler{scale = 8}; g = s:scaleGradient(torch.Tensor{1}); s:unscale(g), g   --> true, {1}
---@class optim.LossScaler.class: optim.LossScaler
---@overload fun(config?: optim.LossScaler.config): optim.LossScaler
optim.LossScaler = {}

---@class optim.adadelta.config
---@field rho? number decay of the running mean squares; default 0.9
---@field eps? number added to both mean squares; default 1e-6
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field [string] any

--- One step of AdaDelta (Zeiler, "ADADELTA: an adaptive learning rate method", 2012).
---
---     x = torch.Tensor{1}; optim.adadelta(function(x) return x[1]^2, x * 2 end, x, {}); x   --> {0.99684}
---@param opfunc any
---@param x any
---@param config? optim.adadelta.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.adadelta(opfunc, x, config, state) end

---@class optim.adagrad.config
---@field learningRate? number default 1e-3
---@field learningRateDecay? number the rate is learningRate / (1 + evaluations * decay); default 0
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field [string] any

--- One step of AdaGrad (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011).
---
---     x = torch.Tensor{1}; optim.adagrad(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x   --> {0.9}
---@param opfunc any
---@param x any
---@param config? optim.adagrad.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.adagrad(opfunc, x, config, state) end

---@class optim.adam.config
---@field learningRate? number default 1e-3
---@field learningRateDecay? number the rate is learningRate / (1 + steps * decay); default 0
---@field beta1? number decay of the first and second moment; default 0.9 and 0.999
---@field beta2? number decay of the first and second moment; default 0.9 and 0.999
---@field epsilon? number added to the root of the second moment; default 1e-8
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field [string] any

--- One step of Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2014).
---
---     x = torch.Tensor{1}; optim.adam(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x   --> {0.9}
---@param opfunc any
---@param x any
---@param config? optim.adam.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.adam(opfunc, x, config, state) end

---@class optim.adamax.config
---@field learningRate? number default 2e-3
---@field beta1? number decay of the moment and of the largest gradient; default 0.9 and 0.999
---@field beta2? number decay of the moment and of the largest gradient; default 0.9 and 0.999
---@field epsilon? number added to |gradient|; default 1e-38
---@field [string] any

--- One step of AdaMax (Kingma and Ba, "Adam: a method for stochastic optimization", 2014, section 7).
---
---     x = torch.Tensor{1}; optim.adamax(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x   --> {0.9}
---@param opfunc any
---@param x any
---@param config? optim.adamax.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.adamax(opfunc, x, config, state) end

---@class optim.adamw.config
---@field weightDecay? number default 0.01
---@field [string] any

--- One step of AdamW: optim.adam whose weight decay shrinks x itself, x (1 - rate * weightDecay), and does not enter the moments of the gradient.
---
---     x = torch.Tensor{1}; optim.adamw(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1, weightDecay = 1}); x   --> {0.8}
---@param opfunc any
---@param x any
---@param config? optim.adamw.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.adamw(opfunc, x, config, state) end

---@class optim.asgd.config
---@field eta0? number learning rate at the start; default 1e-4
---@field lambda? number decay of the parameters; default 1e-4
---@field alpha? number power of the rate's decay; default 0.75
---@field t0? number step at which averaging starts; default 1e6
---@field [string] any

--- One step of averaged stochastic gradient descent (Bottou, "Stochastic gradient descent tricks", 2012).
---
---     x = torch.Tensor{1}; optim.asgd(function(x) return x[1]^2, x * 2 end, x, {eta0 = 0.1}); x   --> {0.79999}
---@param opfunc any
---@param x any
---@param config? optim.asgd.config
---@param state? any
---@return any # x, {f(x) before the step}, the average of x since step t0
---@return any ...
function optim.asgd(opfunc, x, config, state) end

---@class optim.cg.config
---@field maxIter? number evaluations in one line search, default 20
---@field maxEval? any evaluations in all, default maxIter * 1.25
---@field rho? number the conditions: enough descent, small slope; default 0.01 and 0.5
---@field sig? number the conditions: enough descent, small slope; default 0.01 and 0.5
---@field int? number the least distance from the ends of a bracket, the largest outside; default 0.1 and 3
---@field ext? number the least distance from the ends of a bracket, the largest outside; default 0.1 and 3
---@field ratio? number the largest ratio of slopes between line searches, default 100
---@field [string] any

--- Minimises with conjugate gradients, after C.
---
---     x = torch.Tensor{1}; optim.cg(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x:norm() < 1e-9   --> true
---@param opfunc any
---@param x any
---@param config? optim.cg.config
---@return any # x, {the value after each line search}, number of evaluations
---@return any ...
function optim.cg(opfunc, x, config) end

--- Compares the gradient that opfunc returns at x with central differences.
---
---     optim.checkgrad(function(x) return x:dot(x), x * 2 end, torch.Tensor{1, 2}) < 1e-6   --> true
---@param opfunc any
---@param x any
---@param eps? number half the distance of the differences, default 1e-7
---@return any # |gradient - estimate| / |gradient + estimate|, the gradient, the estimate
---@return any ...
function optim.checkgrad(opfunc, x, eps) end

--- Scales gradients down, in place, so that their common norm is at most maxNorm.
---
---     g = torch.Tensor{3, 4}; n = optim.clipGradNorm(g, 1); n, g   --> 5, {0.6, 0.8}
---@param grads table|torch.Tensor a tensor, or a list of them
---@param maxNorm? any
---@param p? number of the norm, default 2
---@return any # the norm before; recorded in a CUDA graph, a tensor of one element
---@return any ...
function optim.clipGradNorm(grads, maxNorm, p) end

---@class optim.cmaes.config
---@field sigma? any the distance to try at the start; should be about a third of the range; required
---@field maxEval? number evaluations, default 1000 * (number of parameters)^2
---@field ftarget? any ends at this value
---@field popsize? number default 4 + 3 log(number of parameters)
---@field ftol? number ends when values or points move less; default 1e-15 and 1e-17
---@field xtol? number ends when values or points move less; default 1e-15 and 1e-17
---@field verb_disp? number prints every so many rounds; default 0
---@field [string] any

--- Minimises with the covariance matrix adaptation evolution strategy (Hansen, "The CMA evolution strategy: a tutorial", 2016), for functions without a gradient.
---@param opfunc any
---@param x any
---@param config? optim.cmaes.config
---@return any # x (moved to the best point), {the best value after each round}, number of evaluations
---@return any ...
function optim.cmaes(opfunc, x, config) end

--- A schedule as of optim.stepDecay: from rate along half a cosine to last (default 0) at step `steps`, then last.
---
---     optim.cosineDecay(1, 10)(5)   --> 0.5
---@param rate any
---@param steps any
---@param last? any
---@return any
---@return any ...
function optim.cosineDecay(rate, steps, last) end

---@class optim.de.config
---@field popsize? number default 10 times the number of parameters
---@field scaleFactor? number of the difference of two candidates, default 0.8
---@field crossoverRate? number the probability that a parameter is mixed, default 0.9
---@field maxFEval? number evaluations, default 5000
---@field spread? number the population starts within this distance of x, default 5
---@field [string] any

--- Minimises with differential evolution (Storn and Price, 1997): candidates of a population are mixed, and replace worse ones.
---@param opfunc any
---@param x any
---@param config? optim.de.config
---@param state? any
---@return any # x (moved to the best point), {the best value after each round}
---@return any ...
function optim.de(opfunc, x, config, state) end

--- A schedule as of optim.stepDecay: rate * factor^t.
---
---     optim.exponentialDecay(1, 0.5)(2)   --> 0.25
---@param rate any
---@param factor any
---@return any
---@return any ...
function optim.exponentialDecay(rate, factor) end

---@class optim.lbfgs.config
---@field maxIter? number default 20
---@field maxEval? any evaluations, default maxIter * 1.25
---@field tolFun? number ends when the sum of |gradient| is not above; default 1e-5
---@field tolX? number ends when a step is not longer, or the value moves less; default 1e-9
---@field nCorrection? number pairs to keep, default 100
---@field lineSearch? function a function like optim.lswolfe; without one each step has length learningRate
---@field lineSearchOptions? any for it
---@field learningRate? number default 1
---@field verbose? boolean true: prints why it ends
---@field [string] any

--- Steps of L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989).
---
---     x = torch.Tensor{1}; optim.lbfgs(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x   --> {0}
---@param opfunc any
---@param x any
---@param config? optim.lbfgs.config
---@param state? any
---@return any # x, {all values}, number of evaluations
---@return any ...
function optim.lbfgs(opfunc, x, config, state) end

--- A schedule as of optim.stepDecay: from rate in a straight line to last (default 0), which it reaches at step `steps` and keeps.
---
---     optim.linearDecay(1, 10)(5)   --> 0.5
---@param rate any
---@param steps any
---@param last? any
---@return any
---@return any ...
function optim.linearDecay(rate, steps, last) end

---@class optim.lswolfe.options
---@field c1? number how much descent, how small a slope; default 1e-4 and 0.9
---@field c2? number how much descent, how small a slope; default 1e-4 and 0.9
---@field tolX? number the least length of a bracket, default 1e-9
---@field maxIter? number default 20
---@field [string] any

--- Searches along d for a step t with enough descent and a small slope (Nocedal and Wright, "Numerical optimization", section 3.5). x itself is moved, and ...
---@param opfunc function value and gradient at a point
---@param x torch.Tensor
---@param t number the step to try first
---@param d torch.Tensor the direction; gtd is the slope there, g:dot(d)
---@param f number value and gradient at x
---@param g torch.Tensor value and gradient at x
---@param gtd number
---@param options? optim.lswolfe.options
---@return any # value, gradient, point, step, number of evaluations
---@return any ...
function optim.lswolfe(opfunc, x, t, d, f, g, gtd, options) end

---@class optim.nag.config
---@field learningRate? number default 1e-3
---@field learningRateDecay? number the rate is learningRate / (1 + evaluations * decay); default 0
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field momentum? number default 0.9, must be positive
---@field learningRates? torch.Tensor a vector: a factor for each parameter's rate
---@field [string] any

--- One step of Nesterov's accelerated gradient (Sutskever et al., "On the importance of initialization and momentum in deep learning", 2013).
---
---     x = torch.Tensor{1}; optim.nag(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x   --> {0.8}
---@param opfunc any
---@param x any
---@param config? optim.nag.config
---@param state? any
---@return any # x, {f at the point ahead}
---@return any ...
function optim.nag(opfunc, x, config, state) end

--- The minimum of the polynomial of least degree through points, for line searches.
---@param points table|torch.Tensor a matrix, or a list of rows: position, value, slope; nan means an unknown value or slope
---@param xminBound? number the range to search, default: between the points
---@param xmaxBound? number likewise
---@return any # the position, and the value there (nil for the closed form of two points)
---@return any ...
function optim.polyinterp(points, xminBound, xmaxBound) end

---@class optim.rmsprop.config
---@field learningRate? number default 1e-2
---@field alpha? number decay of the mean square; default 0.99
---@field epsilon? number added to its root; default 1e-8
---@field initialMean? number the mean square at the start; default 0
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field [string] any

--- One step of RMSprop (Tieleman and Hinton, Coursera lecture 6.5, 2012).
---
---     x = torch.Tensor{1}; optim.rmsprop(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.01}); x   --> {0.9}
---@param opfunc any
---@param x any
---@param config? optim.rmsprop.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.rmsprop(opfunc, x, config, state) end

---@class optim.rprop.config
---@field stepsize? number of every parameter at the start; default 0.1
---@field etaplus? number growth where the sign stays and where it changes; default 1.2 and 0.5
---@field etaminus? number growth where the sign stays and where it changes; default 1.2 and 0.5
---@field stepsizemax? number limits; default 50 and 1e-6
---@field stepsizemin? number limits; default 50 and 1e-6
---@field niter? number steps to take; default 1
---@field [string] any

--- Resilient propagation (Riedmiller and Braun, "A direct adaptive method for faster backpropagation learning", 1993), for gradients over the whole batch.
---
---     x = torch.Tensor{1}; optim.rprop(function(x) return x[1]^2, x * 2 end, x, {stepsize = 0.1}); x   --> {0.9}
---@param opfunc any
---@param x any
---@param config? optim.rprop.config
---@param state? any
---@return any # x, {f(x) before each step}
---@return any ...
function optim.rprop(opfunc, x, config, state) end

---@class optim.sgd.config
---@field learningRate? number default 1e-3
---@field learningRateDecay? number the rate is learningRate / (1 + evaluations * decay); default 0
---@field weightDecay? number adds weightDecay * x to the gradient; default 0
---@field weightDecays? torch.Tensor a vector: one decay for each parameter, when weightDecay is 0
---@field momentum? number default 0
---@field dampening? any of the gradient that enters the momentum; default: the momentum
---@field nesterov? any Nesterov's momentum; needs momentum > 0 and dampening 0
---@field learningRates? torch.Tensor a vector: a factor for each parameter's rate
---@field [string] any

--- One step of stochastic gradient descent.
---
---     x = torch.Tensor{1}; optim.sgd(function(x) return x[1]^2, x * 2 end, x, {learningRate = 0.1}); x   --> {0.8}
---@param opfunc any
---@param x any
---@param config? optim.sgd.config
---@param state? any
---@return any # x, {f(x) before the step}
---@return any ...
function optim.sgd(opfunc, x, config, state) end

--- A schedule: a function that returns the learning rate of step t, t = 0, 1, ...; here rate * factor^floor(t / every).
---
---     s = optim.stepDecay(1, 10, 0.5); s(0), s(9), s(20)   --> 1, 1, 0.25
---@param rate any
---@param every any
---@param factor any
---@return any
---@return any ...
function optim.stepDecay(rate, every, factor) end

--- A schedule that rises for `steps` steps, in a straight line to the first rate of another schedule, and then follows it.
---
---     s = optim.warmup(4, optim.cosineDecay(1, 10)); s(0), s(3), s(9)   --> 0.25, 1, 0.5
---@param steps any
---@param schedule any
---@return any
---@return any ...
function optim.warmup(steps, schedule) end

return optim
