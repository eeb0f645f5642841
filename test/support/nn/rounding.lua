-- test/support/nn/rounding.lua - tensors of numbers between -1 and 1, and whether two are the same up to rounding.
local torch = require 'torch'
local assert = require 'luassert'
local near = {}

--- Numbers between -1 and 1.
function near.draw(...) return torch.Tensor(...):uniform(-1, 1) end

--- Whether the sizes are equal and no element differs by more than `tolerance` (1e-13).
function near.near(a, b, tolerance)
   assert.same(a:size():totable(), b:size():totable())
   assert.is_true((a - b):abs():max() <= (tolerance or 1e-13), (a - b):abs():max())
end

return near
