---@meta autograd
-- types/autograd.lua - written by ./dev docs from the sources; do not edit.

---@class autograd
---@overload fun(...): any
autograd = {}

do
--- A criterion made of a function; autograd.nn.AutoCriterion makes them.
---
---     torch.isTypeOf(autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end), 'autograd.Criterion')   --> true
---@class autograd.Criterion: nn.Criterion
---@operator call(any): any
---@field f any
---@field gradient any
---@field name any
local Criterion = {}

end

--- A criterion made of a function; autograd.nn.AutoCriterion makes them.
---
---     torch.isTypeOf(autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end), 'autograd.Criterion')   --> true
---@class autograd.Criterion.class: autograd.Criterion
---@overload fun(name: any, f: any): autograd.Criterion
autograd.Criterion = {}

do
--- A module made of a function; autograd.nn.AutoModule makes them.
---
---     torch.isTypeOf(autograd.nn.AutoModule 'Twice' (function(x) return x * 2 end), 'autograd.Module')   --> true
---@class autograd.Module: nn.Module
---@operator call(any): any
---@field f any
---@field name any
local Module = {}

--- Drops the data for backward, as clearState of all modules does.
---@return any
---@return any ...
function Module:clearState() end

end

--- A module made of a function; autograd.nn.AutoModule makes them.
---
---     torch.isTypeOf(autograd.nn.AutoModule 'Twice' (function(x) return x * 2 end), 'autograd.Module')   --> true
---@class autograd.Module.class: autograd.Module
---@overload fun(name: any, f: any, ...: any): autograd.Module
autograd.Module = {}

--- AutoModule and AutoCriterion, and the classes that they made, by name.
---@class autograd.auto
---@field [string] any
autograd.auto = {}

--- A function as a criterion: autograd.nn.AutoCriterion(name)(f) is a criterion whose loss is f(input, target), a number.
---
---     c = autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end); c:forward(torch.ones(2), torch.zeros(2))   --> 2
---@param name any
---@return function
function autograd.auto.AutoCriterion(name) end

--- A function as a module: autograd.nn.AutoModule(name)(f, ...) is a module that computes f(input, ...).
---
---     m = autograd.nn.AutoModule 'Scale' (function(x, w) return torch.cmul(x, w) end, torch.Tensor{2, 3}); m:forward(torch.ones(2))   --> {2, 3}
---@param name any
---@return function
function autograd.auto.AutoModule(name) end

--- A module or criterion of nn as a function.
---
---     f, params = autograd.functionalize(nn.Linear(3, 2)); f(params, torch.ones(4, 3)):size()   --> {4, 2}
---@param module? any
---@return any # f, and a list of copies of the module's parameters, {} if it has none
---@return any ...
function autograd.functionalize(module) end

--- autograd(f, options), autograd.grad(f, options): a function that calls f.
---
---     autograd(function(x) return torch.sum(torch.cmul(x, x)) end)(torch.Tensor{1, 2})   --> {2, 4}, 5
---@param f any
---@param options? any a table, all of it optional. gradArg: the position of the argument to take the gradient by. partialGrad: true if f may return a tensor of any size and the last argument of a call is its gradient. ...
---@return any
---@return any ...
function autograd.grad(f, options) end

--- a function check(f, params, ...) that compares the gradients of f(params, ...) by params with differences of f, and returns whether they agree.
---
---     autograd.gradcheck{randomizeInput = false}(function(x) return torch.sum(torch.exp(x)) end, torch.ones(2))   --> true
---@param options? any randomizeInput: false checks at params; true (default) at random numbers instead. tolerance: the largest error relative to the slope (default 1e-4)
---@return any
function autograd.gradcheck(options) end

--- losses, summed over all elements.
---@class autograd.loss
autograd.loss = {}

--- the loss of the sigmoid of x for targets 0 and 1; returns the sigmoid, too.
---
---     (autograd.loss.binaryCrossEntropy(torch.zeros(1), torch.Tensor{1}))   --> 0.69315
---@param x any
---@param target any
---@return number
function autograd.loss.binaryCrossEntropy(x, target) end

--- the loss of softmax of x, a vector or rows of a matrix; target has 1 at the right class and 0 elsewhere.
---
---     (autograd.loss.crossEntropy(torch.zeros(2), torch.Tensor{1, 0}))   --> 0.69315
---@param x any
---@param target any
---@return number
function autograd.loss.crossEntropy(x, target) end

--- the sum of the squares of x - target; returns x, too.
---
---     (autograd.loss.leastSquares(torch.Tensor{3}, torch.Tensor{1}))   --> 4
---@param x any
---@param target any
---@return any
---@return any ...
function autograd.loss.leastSquares(x, target) end

--- minus the sum of the logarithms of the probabilities that x gives to targets 0 and 1.
---
---     autograd.loss.logBCELoss(torch.Tensor{0.5}, torch.Tensor{1})   --> 0.69315
---@param x any
---@param target any
---@param eps? number added under the logarithms (default 0)
---@return any
---@return any ...
function autograd.loss.logBCELoss(x, target, eps) end

--- minus the sum of x times target, for x that holds log-probabilities.
---
---     autograd.loss.logMultinomialLoss(torch.Tensor{-1, -2}, torch.Tensor{0, 1})   --> 2
---@param x any
---@param target any
---@return any
---@return any ...
function autograd.loss.logMultinomialLoss(x, target) end

--- for each element whose target is 1 and each whose target is 0, how much the first falls short of the second plus the margin.
---
---     (autograd.loss.margin(torch.Tensor{2, 1.5}, torch.Tensor{1, 0}, 1))   --> 0.5
---@param x any
---@param target any
---@param margin? number default 1
---@return any
---@return any ...
function autograd.loss.margin(x, target, margin) end

--- models as functions; each takes options and returns f and its parameters.
---@class autograd.model
autograd.model = {}

--- f(params, x) gives the logarithms of the chances of each class for images of size 3 x 224 x 224, or a batch of them.
---
---     f, params = autograd.model.AlexNet{classes = 4, hiddenFeatures = 8}; params[1].W:size(), #params   --> {64, 3, 11, 11}, 8
---@param options? table classes: their number (1000); hiddenFeatures: units of the two linear layers (4096); dropout: the share of inputs that these drop (0.5)
---@param params? table a list to which the tables are appended (optional)
---@return any # f, params
---@return any ...
function autograd.model.AlexNet(options, params) end

--- f(params, x) is a network of linear layers; x is a vector, or a batch whose samples are flattened.
---
---     f, params = autograd.model.NeuralNetwork{inputFeatures = 4, hiddenFeatures = {3, 2}}; f(params, torch.ones(5, 4)):size(), #params   --> {5, 2}, 2
---@param options? table inputFeatures (3). hiddenFeatures: a list of the outputs of all layers. activations: the name of a module of nn ('ReLU'). classifier: true for no activation after the last layer. ...
---@param params? table a list to which the tables are appended (optional)
---@return any # f, params
---@return any ...
function autograd.model.NeuralNetwork(options, params) end

--- f(params, x, state) runs a recurrent network with fast weights along x, batch x steps x features or steps x features.
---
---     f, params = autograd.model.RecurrentFWNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(4, 5, 2)):size()   --> {4, 3}
---@param options? table inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all'). s: inner steps (1). l: how much of A stays (0.95). e: how much of the state is added to it (0.5)
---@param params? table a list to which the table of parameters is appended (optional)
---@return any # f, which returns the output and the state {h, A} after the last step; and params
---@return any ...
function autograd.model.RecurrentFWNetwork(options, params) end

--- f(params, x, state) runs gated recurrent units along x, batch x steps x features or steps x features.
---
---     f, params = autograd.model.RecurrentGRUNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(5, 2)):size()   --> {1, 3}
---@param options? table inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
---@param params? table a list to which the table of parameters is appended (optional)
---@return any # f, which returns the output and the state after the last step; and params
---@return any ...
function autograd.model.RecurrentGRUNetwork(options, params) end

--- f(params, x, state) runs an LSTM along x, batch x steps x features or steps x features.
---
---     f, params = autograd.model.RecurrentLSTMNetwork{inputFeatures = 2, hiddenFeatures = 3, outputType = 'all'}; f(params, torch.ones(4, 5, 2)):size()   --> {4, 5, 3}
---@param options? table inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
---@param params? table a list to which the table of parameters is appended (optional)
---@return any # f, which returns the output and the state after the last step; and params
---@return any ...
function autograd.model.RecurrentLSTMNetwork(options, params) end

--- f(params, x, state) runs a simple recurrent network along x, batch x steps x features or steps x features.
---
---     f, params = autograd.model.RecurrentNetwork{inputFeatures = 2, hiddenFeatures = 3}; f(params, torch.ones(4, 5, 2)):size()   --> {4, 3}
---@param options? table inputFeatures (10), hiddenFeatures (100), outputType ('last' or 'all')
---@param params? table a list to which the table of parameters is appended (optional)
---@return any # f, which returns the output and the state after the last step; and params
---@return any ...
function autograd.model.RecurrentNetwork(options, params) end

--- f(params, x) is a network of convolutions that keep the size of their input.
---
---     f, params = autograd.model.SpatialNetwork{inputFeatures = 1, hiddenFeatures = {4}, poolings = {2}}; f(params, torch.ones(2, 1, 8, 8)):size()   --> {2, 4, 4, 4}
---@param options? table inputFeatures (3). hiddenFeatures: a list of the planes of all layers. kernelSize (5). poolings: a list of the pooling sizes, 1 for none. activations: the name of a module of nn ('ReLU'). ...
---@param params? table a list to which the tables are appended (optional)
---@return any # f, params
---@return any ...
function autograd.model.SpatialNetwork(options, params) end

--- layers as functions; each takes options and returns f and its parameters.
---@class autograd.module
autograd.module = {}

--- f(params, x) normalises each row of x, a vector or a matrix.
---
---     f, params = autograd.module.LayerNormalization{nOutputs = 2}; torch.round(f(params, torch.Tensor{{1, 3}}))   --> {{-1, 1}}
---@param options? table nOutputs: the length of a row (10)
---@param params? table a list to which the table {gain, bias} is appended (optional)
---@return any # f and params
---@return any ...
function autograd.module.LayerNormalization(options, params) end

--- f(params, x, mask) gives each column of x mean 0 and variance 1 over the rows whose mask is 1.
---
---     f, params = autograd.module.MaskedBatchNormalization{nOutputs = 1}; torch.round(f(params, torch.Tensor{{1}, {3}, {9}}, torch.Tensor{1, 1, 0}))   --> {{-1}, {1}, {0}}
---@param options? table nOutputs: the number of columns (10); eps: added to the variance (1e-5)
---@param params? table a list to which the table {gain, bias} is appended (optional)
---@return any # f and params
---@return any ...
function autograd.module.MaskedBatchNormalization(options, params) end

--- f(params, x, h) compares each of the items x (batch x items x features) with the state h (batch x features).
---
---     f, params = autograd.module.SoftAttention{inputFeatures = 1, hiddenFeatures = 2}; (f(params, torch.Tensor{{{1}, {3}}}, torch.zeros(1, 2)))   --> {{2}}
---@param options? table inputFeatures: of an item (3); hiddenFeatures: of the state (3); attentionFeatures: of the comparison (16)
---@param params? table a list to which the table {W, U, b, v} is appended (optional)
---@return any # f and params
---@return any ...
function autograd.module.SoftAttention(options, params) end

--- Modules of nn by name as functions: autograd.nn.Linear(3, 2) is autograd.functionalize(nn.Linear(3, 2)).
---
---     f, params = autograd.nn.Linear(3, 2); params[1]:size(), params[2]:size()   --> {2, 3}, {2}
---@class autograd.nn
---@field [string] any
autograd.nn = {}

--- A function as a criterion: autograd.nn.AutoCriterion(name)(f) is a criterion whose loss is f(input, target), a number.
---
---     c = autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end); c:forward(torch.ones(2), torch.zeros(2))   --> 2
---@param name any
---@return function
function autograd.nn.AutoCriterion(name) end

--- A function as a module: autograd.nn.AutoModule(name)(f, ...) is a module that computes f(input, ...).
---
---     m = autograd.nn.AutoModule 'Scale' (function(x, w) return torch.cmul(x, w) end, torch.Tensor{2, 3}); m:forward(torch.ones(2))   --> {2, 3}
---@param name any
---@return function
function autograd.nn.AutoModule(name) end

--- the optimizers of optim over nested tables of parameters.
---@class autograd.optim
autograd.optim = {}

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.adadelta(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.adagrad(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.adam(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.adamax(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.adamw(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.asgd(df, state, params) end

--- the same for methods that search along a line: all parameters are one vector, and df is called several times in a step.
---@param df any
---@param state? any
---@param params? any
---@return any
---@return any ...
function autograd.optim.cg(df, state, params) end

--- the same for methods that search along a line: all parameters are one vector, and df is called several times in a step.
---@param df any
---@param state? any
---@param params? any
---@return any
---@return any ...
function autograd.optim.lbfgs(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.nag(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.rmsprop(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.rprop(df, state, params) end

--- a function that takes one step: it calls df(params, ...) with its own arguments, changes the parameters in place and returns the results of df.
---
---     p = {w = torch.ones(2)}; step = autograd.optim.sgd(autograd(function(p) return torch.sum(p.w) end), {learningRate = 0.5}, p); step(); p.w   --> {0.5, 0.5}
---@param df function a function made by autograd(f)
---@param state? any
---@param params? any
---@return function
function autograd.optim.sgd(df, state, params) end

--- the default of the option `optimize`.
---
---     autograd.optimize(true); on = autograd.optimizing(); autograd.optimize(false); on, autograd.optimizing()   --> true, false
---@param on? any
---@return any
function autograd.optimize(on) end

--- whether autograd.optimize(true) is set.
---@return boolean
function autograd.optimizing() end

--- functions with gradients that you write; see autograd.overload.module.
---@class autograd.overload
autograd.overload = {}

--- The same as autograd.overload.module, for the methods of a class.
---@param title any
---@param methods any
---@param describe any
---@return any
---@return any ...
function autograd.overload.class(title, methods, describe) end

--- Puts the replaced functions back in place after autograd.overload.uninstall().
---@return any
function autograd.overload.install() end

--- Gives functions of a table gradients that you write, which autograd uses instead of differentiating them.
---@param title any the name of the table, for messages
---@param functions any the table; its functions are replaced by ones that take taped values too
---@param describe any describe(module) calls module.gradient(name, {function(g, result, arguments...) ... end, ...}) with one function for each argument. It calls module.static(names...) for functions without gradient; ...
---@return any
function autograd.overload.module(title, functions, describe) end

--- Puts the original functions back; autograd.overload.install() undoes it.
---@return any
function autograd.overload.uninstall() end

--- accepted for programs that were written for Torch7.
---@param on? any
---@return any
function autograd.protected(on) end

--- helpers for functions that are differentiated and for tables of parameters.
---@class autograd.util
autograd.util = {}

--- nested tables with all tensors in another type: 'float', 'double', 'half', 'cuda' or the name of a tensor type.
---
---     autograd.util.cast({w = torch.ones(2), n = 3}, 'float').w:type()   --> torch.FloatTensor
---@param tables any
---@param kind? any
---@return any
---@return any ...
function autograd.util.cast(tables, kind) end

--- the same as torch.cat; numbers in the list count as tensors of one element.
---
---     autograd.util.cat({torch.Tensor{1}, 2})   --> {1, 2}
---@overload fun(list: any, dim?: number): any, any
---@param x any
---@param y any
---@param dim? number
---@return any
---@return any ...
function autograd.util.cat(x, y, dim) end

--- a copy of nested tables and of the tensors in them.
---
---     autograd.util.deepCopy{a = {1, 2}}.a   --> {1, 2}
---@param tables any
---@return any
---@return any ...
function autograd.util.deepCopy(tables) end

--- b, or the default where b is nil.
---
---     autograd.util.defaultBool(nil, true)   --> true
---@param b? any
---@param default? any
---@return any
function autograd.util.defaultBool(b, default) end

--- x with a share p of its elements set to 0 and the others divided by 1 - p.
---
---     autograd.util.dropout(torch.ones(2), 0)   --> {1, 1}
---@param x any
---@param p any
---@return any
---@return any ...
function autograd.util.dropout(x, p) end

--- a < b, a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor.
---
---     autograd.util.lt(1, 2), autograd.util.eq(1, 2)   --> true, false
---@param a any
---@param b any
---@return any
---@return any ...
function autograd.util.eq(a, b) end

--- a tensor of the size and type of `like`, filled with v.
---
---     autograd.util.fill(torch.zeros(2), 3)   --> {3, 3}
---@param like any
---@param v any
---@return torch.Tensor
function autograd.util.fill(like, v) end

--- a < b, a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor.
---
---     autograd.util.lt(1, 2), autograd.util.eq(1, 2)   --> true, false
---@param a any
---@param b any
---@return any
---@return any ...
function autograd.util.ge(a, b) end

--- a < b, a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor.
---
---     autograd.util.lt(1, 2), autograd.util.eq(1, 2)   --> true, false
---@param a any
---@param b any
---@return any
---@return any ...
function autograd.util.gt(a, b) end

--- zeros of the size of x, to which the slices of `piece` along dimension dim are added at the indices `index`.
---
---     autograd.util.indexAdd(torch.ones(3), torch.Tensor{5, 6}, 1, torch.LongTensor{2, 2})   --> {0, 11, 0}
---@param x any
---@param piece any
---@param dim? number
---@param index? number
---@return any
---@return any ...
function autograd.util.indexAdd(x, piece, dim, index) end

--- a < b, a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor.
---
---     autograd.util.lt(1, 2), autograd.util.eq(1, 2)   --> true, false
---@param a any
---@param b any
---@return any
---@return any ...
function autograd.util.le(a, b) end

--- the logarithm of softmax of a vector, or of each row of a matrix.
---
---     torch.exp(autograd.util.logSoftMax(torch.Tensor{0, 0}))   --> {0.5, 0.5}
---@param x any
---@return any
---@return any ...
function autograd.util.logSoftMax(x) end

--- log(sum(exp(x))) without overflow: a number for a vector, a column for the rows of a matrix.
---
---     autograd.util.logSumExp(torch.zeros(2))   --> 0.69315
---@param x any
---@return any
---@return any ...
function autograd.util.logSumExp(x) end

--- the rows of a matrix at these indices, in the shape of the indices.
---
---     autograd.util.lookup(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{{2, 1}})   --> {{{3, 4}, {1, 2}}}
---@param table any
---@param index? number
---@return any
---@return any ...
function autograd.util.lookup(table, index) end

--- a < b, a <= b, a > b, a >= b, a == b of numbers; of tensors a ByteTensor.
---
---     autograd.util.lt(1, 2), autograd.util.eq(1, 2)   --> true, false
---@param a any
---@param b any
---@return any
---@return any ...
function autograd.util.lt(a, b) end

--- x, or a copy of it whose elements lie in order.
---
---     autograd.util.makeContiguous(torch.ones(2, 3):t()):isContiguous()   --> true
---@param x any
---@return any
---@return any ...
function autograd.util.makeContiguous(x) end

--- a copy of n indices of dimension dim.
---
---     autograd.util.narrowCopy(torch.Tensor{1, 2, 3}, 1, 2, 2)   --> {2, 3}
---@param x any
---@param dim? number
---@param first? any
---@param n? any
---@return any
---@return any ...
function autograd.util.narrowCopy(x, dim, first, n) end

--- zeros of the size of x with `piece` at n indices of dimension dim.
---
---     autograd.util.narrowSliceCopy(torch.ones(3), torch.Tensor{5, 6}, 1, 2, 2)   --> {0, 5, 6}
---@param x any
---@param piece any
---@param dim? number
---@param first? any
---@param n? any
---@return any
---@return any ...
function autograd.util.narrowSliceCopy(x, piece, dim, first, n) end

--- the value at a list of keys.
---
---     autograd.util.nestedGet({x = {y = 5}}, {'x', 'y'})   --> 5
---@param tables any
---@param keys any
---@return any
function autograd.util.nestedGet(tables, keys) end

--- stores a value there; missing tables are made.
---
---     t = {}; autograd.util.nestedSet(t, {'x', 'y'}, 5); t.x.y   --> 5
---@param tables any
---@param keys any
---@param value any
---@return any
function autograd.util.nestedSet(tables, keys, value) end

--- a row of zeros for each label, with 1 in the column of the label, in the type of the labels.
---
---     autograd.util.oneHot(torch.LongTensor{2, 1}, 3)   --> {{0, 1, 0}, {1, 0, 0}}
---@param labels torch.Tensor
---@param n? number the number of columns (default: the largest label)
---@return any
---@return any ...
function autograd.util.oneHot(labels, n) end

--- a copy of one index of dimension dim; of a vector a number.
---
---     autograd.util.selectCopy(torch.Tensor{{1, 2}, {3, 4}}, 1, 2)   --> {3, 4}
---@param x any
---@param dim? number
---@param i? any
---@return any
---@return any ...
function autograd.util.selectCopy(x, dim, i) end

--- zeros of the size of x with `piece` at one index of dimension dim.
---
---     autograd.util.selectSliceCopy(torch.ones(2, 2), torch.Tensor{5, 6}, 1, 2)   --> {{0, 0}, {5, 6}}
---@param x any
---@param piece any
---@param dim? number
---@param i? any
---@return any
---@return any ...
function autograd.util.selectSliceCopy(x, piece, dim, i) end

--- c, with v where elements of a and b are equal.
---
---     autograd.util.setEqual(torch.Tensor{1, 2}, torch.Tensor{1, 3}, torch.Tensor{5, 6}, 0)   --> {0, 6}
---@param a any
---@param b any
---@param c any
---@param v any
---@return any
---@return any ...
function autograd.util.setEqual(a, b, c, v) end

--- c, with v where elements of a and b differ.
---
---     autograd.util.setNotEqual(torch.Tensor{1, 2}, torch.Tensor{1, 3}, torch.Tensor{5, 6}, 0)   --> {5, 0}
---@param a any
---@param b any
---@param c any
---@param v any
---@return any
---@return any ...
function autograd.util.setNotEqual(a, b, c, v) end

--- a copy of a table with the same values.
---
---     autograd.util.shallowCopy{a = {1, 2}}.a   --> {1, 2}
---@param table any
---@return any
function autograd.util.shallowCopy(table) end

--- 1 / (1 + exp(-x)) of a tensor or a number.
---
---     autograd.util.sigmoid(torch.zeros(2))   --> {0.5, 0.5}
---@param x any
---@return number
function autograd.util.sigmoid(x) end

--- the values in nested tables, as one list, in the order of the sorted keys.
---
---     autograd.util.sortedFlatten{b = 2, a = {10, 20}}   --> {10, 20, 2}
---@param tables any
---@return any
function autograd.util.sortedFlatten(tables) end

--- the same list, and for each value the list of keys that leads to it.
---
---     autograd.util.sortedFlattenKeys{b = 2, a = {10}}   --> {10, 2}, {{a, 1}, {b}}
---@param tables any
---@return any
---@return any ...
function autograd.util.sortedFlattenKeys(tables) end

--- zeros of the size of b (default a) and the type of a.
---
---     autograd.util.zerosLike(torch.ones(2))   --> {0, 0}
---@param a? any
---@param b? any
---@return any
---@return any ...
function autograd.util.zerosLike(a, b) end

--- The tensor or number in a taped value, for branches, prints and functions without derivative.
---
---     autograd.value(3)   --> 3
---     g, y = autograd(function(x) if autograd.value(x) > 2 then return x * x end return x end)(3); g, y   --> 6, 9
---@param x any
---@return torch.Tensor
function autograd.value(x) end

return autograd
