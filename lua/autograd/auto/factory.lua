-- lua/autograd/auto/factory.lua - classes autograd.auto.NAME, one for each name that AutoModule and AutoCriterion get.
local torch = require 'torch'
local arg = require 'torch.arg'

_G.autograd = rawget(_G, 'autograd') or {}   -- the table for autograd.Module and autograd.Criterion

local constructors, parents = {}, {}         -- by name

--- The constructor of the class autograd.auto.NAME, a child of the class `parent`.
local function factory(who, name, parent)
   if type(name) ~= 'string' or name == '' then arg.refuse(who, 'name', 'a string', name, 3) end
   if parents[name] ~= parent then
      torch.class('autograd.auto.' .. name, parent, constructors)
      parents[name] = parent
   end
   return constructors[name:match '[^.]*$']
end

return { make = factory, constructors = constructors }
