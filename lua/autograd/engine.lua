-- lua/autograd/engine.lua - joins the tape to torch, so that its ops, functions and operators take taped values.
local op = require 'torch.op'
local ops = require 'autograd.ops'
local number = require 'autograd.number'

op.taped = {
   holds = ops.holds,
   call = ops.call,
   multiply = function(a, b) return number.operate('mul', a, b) end,
   pointwise = function(...) return require 'autograd.pointwise'.call(...) end,
}
require 'autograd.view'.install()

return true
