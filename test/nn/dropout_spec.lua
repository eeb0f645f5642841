-- test/nn/dropout_spec.lua - the noise of nn.Dropout, its gradient, and work in place.
local torch = require 'torch'
local nn = require 'nn'

local function text(t) return table.concat(t:double():contiguous():view(-1):totable(), ' ') end

describe('nn.Dropout', function()
   it('draws the noise of bernoulli(1 - p)', function()
      for _, inplace in ipairs { false, true } do
         for _, v1 in ipairs { false, true } do
            local d = nn.Dropout(0.25, v1, inplace):float()
            local x, g = torch.FloatTensor(6, 5):uniform(), torch.FloatTensor(6, 5):uniform()
            torch.manualSeed(9)
            local noise = torch.FloatTensor(6, 5):bernoulli(0.75)
            if not v1 then noise:div(0.75) end
            local want, back = torch.cmul(x, noise), torch.cmul(g, noise)
            torch.manualSeed(9)
            assert(text(want) == text(d:forward(x)))
            assert(text(noise) == text(d.noise))
            assert(text(back) == text(d:backward(x, g)))
            d:evaluate()
            x:fill(1)
            assert.near(v1 and 0.75 or 1, d:forward(x)[1][1], 1e-6)
            assert.equal(inplace, d.output:data() == x:data())
         end
      end
   end)
end)
