-- test/cuda/overlap_spec.lua - results on a device whose elements share memory are the same as on the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('results that overlap themselves', describe, pending) then return end

describe('a result on a device whose elements share places', function()
   -- f(y, to) for a view of 18 x 3 elements of 20 on the CPU and on the device; to brings a tensor of the CPU there.
   local function same(f, y)
      local here = y or torch.range(1, 20):float():unfold(1, 3, 1)
      local size, stride = here:size(), here:stride()
      local memory = torch.CudaTensor(here.new(here:storage()):size()):copy(here.new(here:storage()))
      local there = torch.CudaTensor(memory:storage(), 1, size, stride)
      f(here, function(t) return t end)
      f(there, function(t)
         local name = t:type():match '^torch%.(%a+)Tensor$'
         return t:type(name == 'Float' and 'torch.CudaTensor' or ('torch.Cuda%sTensor'):format(name))
      end)
      assert.same(here.new(here:storage()):totable(), memory:float():totable())
   end
   local x = torch.range(1, 54):float():view(18, 3):div(8)

   it('is written element after element by pointwise ops and copies', function()
      same(function(y) y:add(1) end)
      same(function(y) y:mul(0.5):csub(3):clamp(-1, 2) end)
      same(function(y, to) y:add(to(x)):cmul(to(x)):cdiv(to(x)) end)
      same(function(y, to) y:add(2, to(x:narrow(1, 1, 1))) end)
      same(function(y) y:add(y) end)
      same(function(y, to) y:copy(to(x)) end)
      same(function(y) y:copy(x) end)
      same(function(y, to) y:copy(to(x:int())) end)
      same(function(y) y:add(1):copy(x:view(54)):mul(2) end, torch.zeros(2):float():view(2, 1, 1):expand(2, 9, 3))
   end)
   it('is written in order by masks and places', function()
      local mask, places = x:long():remainder(2):byte(), torch.LongTensor { 4, 2, 4 }
      local lines = x:long():remainder(3):add(1)
      same(function(y, to) y:maskedFill(to(mask), 9) end)
      same(function(y, to) y:maskedCopy(to(mask), to(x:view(54))) end)
      same(function(y, to) y:indexFill(1, to(places), 9) end)
      same(function(y, to) y:indexCopy(1, to(places), to(x:narrow(1, 1, 3))) end)
      same(function(y, to) y:indexAdd(1, to(places), to(x:narrow(1, 1, 3))) end)
      same(function(y, to) y:scatter(2, to(lines), 9) end)
      same(function(y, to) y:scatter(2, to(lines), to(x)) end)
      same(function(y, to) y:scatterAdd(2, to(lines), to(x)) end)
   end)
   it('gets what other ops compute aside', function()
      same(function(y, to) torch.cumsum(y, to(x), 1) end)
      same(function(y, to) torch.mm(y:narrow(1, 1, 3), to(x:t()), to(x)) end)
      same(function(y, to) torch.sum(y:narrow(1, 1, 1), to(x), 1) end)
   end)
   it('gets as many random numbers as it has elements', function()
      local memory = torch.CudaTensor(20):zero()
      require('cutorch').manualSeed(3)
      local drawn = torch.CudaTensor(18, 3):uniform()
      require('cutorch').manualSeed(3)
      memory:unfold(1, 3, 1):uniform()
      local want = torch.FloatTensor(20)
      want:unfold(1, 3, 1):copy(drawn:float())
      assert.same(want:totable(), memory:float():totable())
   end)
   it('is refused where layers and optimizers add to it', function()
      local y = torch.CudaTensor(2):zero():view(1, 2):expand(3, 2)
      local z = torch.CudaTensor(3, 2):zero()
      refuses('x is expanded: several elements share one place; clone it first', y.rmsprop_step, y, z, z, 1)
   end)
   it('can be filled', function()
      local function shared() return torch.CudaTensor(20):zero():unfold(1, 3, 1) end
      assert.equal(54 * 7, shared():fill(7):sum())
      assert.equal(0, shared():zero():sum())
   end)
end)
