-- test/threads_spec.lua - one pool of threads, and the same bits for any number of them.
local torch = require 'torch'
local ffi = require 'ffi'

local function bytes(x)
   x = x:contiguous()
   return ffi.string(x:data(), x:nElement() * x:elementSize())
end

-- Runs f with 1, 2, 3, 4 and 8 threads; what it returns must be the same to the bit.
local function same_bits(f)
   local before, want = torch.getnumthreads(), nil
   for _, n in ipairs { 1, 2, 3, 4, 8 } do
      torch.setnumthreads(n)
      local got = f()
      want = want or got
      assert.is_true(got == want, n .. ' threads give other bits')
   end
   torch.setnumthreads(before)
end

local function floats(...)
   torch.manualSeed(7)
   return torch.FloatTensor(...):uniform(-1, 1)
end

describe('for any number of threads the bits are those of', function()
   it('elementwise work', function()
      local x, y = floats(1000, 333), floats(1000, 333)
      same_bits(function() return bytes(torch.exp(x):cmul(y):add(0.5, x)) end)
      same_bits(function() return bytes(torch.add(x, y:t():contiguous():t())) end)
   end)
   it('sums over everything and over each dimension', function()
      local x = floats(999, 777)
      same_bits(function() return ('%a %a'):format(x:sum(), x:mean()) end)
      same_bits(function() return bytes(x:sum(1)) .. bytes(x:sum(2)) .. bytes(x:std(1)) .. bytes((x:max(2))) end)
   end)
   it('matrix products', function()
      local a, b, v = floats(333, 517), floats(517, 401), floats(517)
      same_bits(function() return bytes(torch.mm(a, b)) .. bytes(torch.mv(a, v)) .. ('%a'):format(v:dot(v)) end)
      same_bits(function() return bytes(torch.mm(b:t(), a:t())) end)
   end)
   it('convolutions and their gradients', function()
      local x, w, b, g = floats(9, 3, 20, 20), floats(7, 3, 5, 5), floats(7), floats(9, 7, 16, 16)
      same_bits(function() return bytes(torch.conv2d(x, w, b)) end)
      same_bits(function() return bytes(torch.conv2d_grad_input(x, g, w)) end)
      same_bits(function()
         local gw, gb = w:clone():zero(), b:clone():zero()
         torch.conv2d_grad_weight(gw, gb, x, g)
         return bytes(gw) .. bytes(gb)
      end)
   end)
   it('sorting, scanning and drawing', function()
      local x = floats(300, 400)
      same_bits(function()
         local values, places = x:sort(1)
         return bytes(values) .. bytes(places) .. bytes(x:cumsum(2))
      end)
      same_bits(function() return bytes(floats(1e5)) end)
   end)
end)

describe('torch.setnumthreads', function()
   it('sets what torch.getnumthreads says', function()
      local before = torch.getnumthreads()
      torch.setnumthreads(3)
      assert.equal(3, torch.getnumthreads())
      torch.setnumthreads(before)
      assert.is_true(torch.getnumcores() >= 1)
   end)
   it('refuses what is no count', function()
      for _, n in ipairs { 0, -1, 1.5, 1e6, 0 / 0 } do
         assert.is_false((pcall(torch.setnumthreads, n)))
      end
      assert.has_error(function() torch.setnumthreads 'two' end)
   end)
end)
