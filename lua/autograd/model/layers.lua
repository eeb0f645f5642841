-- lua/autograd/model/layers.lua - shared code of the feed-forward models: activations, dropout, layers with parameters.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local util = require 'autograd.util'
local wrapper = require 'autograd.nnwrapper'

local layers = {}

--- The activation of that name in nn, or a function that the caller gives.
function layers.activation(who, name)
   if arg.is_callable(name) and type(name) == 'function' then return name end
   if type(name) ~= 'string' or not nn[name] then arg.refuse(who, 'activations', 'the name of a module of nn', name, 3) end
   return (wrapper.functionalize(nn[name]()))
end

--- Dropout with probability p while f is differentiated or called; none where p is nil.
function layers.dropout(p, x)
   if not p or p == 0 then return x end
   return util.dropout(x, p)
end

--- x W' + b of a matrix x, W being outputs x inputs.
function layers.linear(p, x)
   local W, b = p.W or p[1], p.b or p[2]
   local n = torch.size(W, 1)
   return x * torch.t(W) + torch.expand(torch.view(b, 1, n), torch.size(x, 1), n)
end

return layers
