-- test/cuda/overlap_spec.lua - results on a device whose elements share places: refused as on the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.refuses'
local device = require 'test.cuda.device'

if device.missing('results that overlap themselves', describe, pending) then return end

describe('a result on a device whose elements share places', function()
   local function shared() return torch.CudaTensor(20):zero():unfold(1, 3, 1) end
   it('is refused, and nothing is written', function()
      local y, x = shared(), torch.CudaTensor(18, 3):fill(1)
      for _, f in ipairs { 'copy', 'add', 'cmul', 'cdiv', 'cmax' } do refuses('share one place', y[f], y, x) end
      for _, f in ipairs { 'exp', 'abs', 'uniform', 'normal' } do refuses('share one place', y[f], y) end
      refuses('share one place', torch.cumsum, y, x, 1)
      refuses('share one place', torch.mm, y:narrow(1, 1, 3), x:t(), x)
      refuses('share one place', y.copy, y, torch.FloatTensor(18, 3))
      assert.equal(0, y:sum())
   end)
   it('can be filled', function()
      assert.equal(54 * 7, shared():fill(7):sum())
      assert.equal(0, shared():zero():sum())
   end)
end)
