-- test/op/zero_sizes_spec.lua - every op with each dimension and each integer set to 0 in turn, on the CPU.
local torch = require 'torch'
local zeros = require 'test.support.zeros'
local C = require 'torch.lib'.C

describe('a convolution', function()
   for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
      local T = torch[kind .. 'Tensor']

      it('of no planes is its bias, ' .. kind, function()
         local y = torch.conv2d(T(2, 0, 3, 3), T(2, 0, 2, 2), T { 1, 2 })
         local image = { { { 1, 1 }, { 1, 1 } }, { { 2, 2 }, { 2, 2 } } }
         assert.same({ image, image }, y:totable())
      end)

      it('of no result planes has zeros for the gradient of its images, ' .. kind, function()
         local x = T(2, 3, 5, 5):fill(7)
         local gx = torch.conv2d_grad_input(x:clone(), x, T(2, 0, 4, 4), T(0, 3, 2, 2))
         assert.same({ 2, 3, 5, 5 }, gx:size():totable())
         assert.equal(0, gx:double():abs():sum())
      end)

      it('of no planes adds to the gradient of its bias, ' .. kind, function()
         local gb = T { 1, 2 }
         local gw = torch.conv2d_grad_weight(T(2, 0, 2, 2), gb, T(1, 0, 3, 3), T(1, 2, 2, 2):fill(1))
         assert.same({ 2, 0, 2, 2 }, gw:size():totable())
         assert.same({ 5, 6 }, gb:totable())
      end)
   end
end)

zeros.describe(describe, it, 'no elements:', function(x) return x end, C.TH_CPU, 1)
