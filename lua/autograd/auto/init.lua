-- lua/autograd/auto/init.lua - functions as modules and criterions of nn; their classes by name.
local factory = require 'autograd.auto.factory'

return setmetatable({
   AutoModule = require 'autograd.auto.AutoModule',
   AutoCriterion = require 'autograd.auto.AutoCriterion',
}, { __index = function(_, name) return factory.constructors[name] end })
