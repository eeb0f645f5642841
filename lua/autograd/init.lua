-- lua/autograd/init.lua - the package autograd: autograd(f) gives the gradients of a Lua function.
--
-- While f runs, its parameters are taped values: torch, operators, indexing and modules of nn record what they compute from
-- them. The backward pass uses the rules that ops declare. Loops, branches and recursion are plain Lua. The names are those
-- of Twitter's torch-autograd.
require 'torch'

local autograd = rawget(_G, 'autograd') or {}
_G.autograd = autograd                 -- as scripts of Torch7 expect of a package
package.loaded.autograd = autograd     -- for the files below

local tape = require 'autograd.tape'
local main = require 'autograd.main'

for _, name in ipairs { 'grad', 'optimize', 'optimizing', 'protected' } do autograd[name] = main[name] end

--- The tensor or number in a taped value, for branches, prints and functions without derivative. Tables are converted
-- recursively; other values are returned unchanged.
-- autograd.value(3) --> 3
-- g, y = autograd(function(x) if autograd.value(x) > 2 then return x * x end return x end)(3); g, y --> 6, 9
function autograd.value(x) return tape.plain_all(x) end

setmetatable(autograd, { __call = function(_, f, options) return main.grad(f, options) end })

local wrapper = require 'autograd.nnwrapper'
autograd.functionalize, autograd.nn = wrapper.functionalize, wrapper.nn

--- autograd.overload: functions with gradients that you write; see autograd.overload.module.
autograd.overload = require 'autograd.overload'

--- autograd.util: helpers for functions that are differentiated and for tables of parameters.
autograd.util = require 'autograd.util'

--- autograd.loss: losses, summed over all elements.
autograd.loss = require 'autograd.loss'

--- autograd.optim: the optimizers of optim over nested tables of parameters.
autograd.optim = require 'autograd.optim'

--- autograd.model: models as functions; each takes options and returns f and its parameters.
autograd.model = require 'autograd.model'

--- autograd.module: layers as functions; each takes options and returns f and its parameters.
autograd.module = require 'autograd.module'

autograd.gradcheck = require 'autograd.gradcheck'

--- autograd.auto: AutoModule and AutoCriterion, and the classes that they made, by name.
autograd.auto = require 'autograd.auto'
autograd.nn.AutoModule, autograd.nn.AutoCriterion = autograd.auto.AutoModule, autograd.auto.AutoCriterion

return autograd
