-- test/op/dropout_spec.lua - noise and product in one call, with the numbers of bernoulli, div and cmul.
local torch = require 'torch'
local refuses = require 'test.support.refuses'

local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end

describe('torch.dropout', function()
   it('gives the bits of bernoulli, div and cmul, and leaves the generator where they do', function()
      for _, kind in ipairs { 'Float', 'Double', 'Half', 'BFloat16' } do
         for _, generator in ipairs { 'philox', 'mt19937' } do
            for _, p in ipairs { 0, 0.1, 0.5, 0.999 } do
               for _, scaled in ipairs { true, false } do
                  local x = torch.DoubleTensor(41, 53):uniform(-1, 1):type('torch.' .. kind .. 'Tensor'):t()
                  local a, b = torch.Generator(generator), torch.Generator(generator)
                  torch.manualSeed(a, 3)
                  torch.manualSeed(b, 3)
                  local y, noise = torch.dropout(x, a, p, scaled)
                  local want = x.new(x:size()):bernoulli(b, 1 - p)
                  if scaled then want:div(1 - p) end
                  assert(text(want) == text(noise))
                  assert(text(torch.cmul(x, want)) == text(y))
                  assert.equal(torch.random(b), torch.random(a))
               end
            end
         end
      end
   end)
   it('takes results, also x itself, and memory with gaps', function()
      local x = torch.FloatTensor(30, 7):uniform()
      torch.manualSeed(4)
      local want, wanted = torch.dropout(x, 0.3)
      torch.manualSeed(4)
      local y, noise = torch.FloatTensor(7, 30):t(), torch.FloatTensor(30, 14):narrow(2, 8, 7)
      torch.dropout(y, noise, x, 0.3)
      assert(text(want) == text(y) and text(wanted) == text(noise))
      for _, first in ipairs { true, false } do
         torch.manualSeed(4)
         local z, other = x:clone(), x.new()
         if first then torch.dropout(z, other, z, 0.3) else torch.dropout(other, z, z, 0.3) end
         assert(text(want) == text(first and z or other) and text(wanted) == text(first and other or z))
      end
   end)
   it('keeps NaN and empty tensors', function()
      local y = torch.dropout(torch.Tensor(50):fill(0 / 0), 0.5)
      for i = 1, 50 do assert(y[i] ~= y[i]) end
      assert.equal(0, torch.dropout(torch.Tensor(), 0.5):nElement())
   end)
   it('refuses other probabilities and whole numbers', function()
      local x = torch.Tensor{ 1 }
      for _, p in ipairs { 1, -0.1, 2, 0 / 0 } do refuses('dropout: p must lie in 0 <= p < 1, got', torch.dropout, x, p) end
      refuses('dropout: x must', torch.dropout, torch.IntTensor{ 1 }, 0.5)
      refuses('results y and noise must be different tensors', torch.dropout, x, x, x, 0.5)
      assert.same({ 1 }, x:totable())
   end)
end)
