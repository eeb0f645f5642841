-- test/cuda/gpu_spec.lua - nn.GPU: parts of a model on several devices, and what passes between them.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local nn = require 'nn'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if not cutorch or cutorch.getDeviceCount() < 2 then
   describe('nn.GPU on devices', function() pending('there are no two devices of ' .. device.name .. ' here') end)
   return
end

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end
local function equal(a, b) assert.same(b:totable(), a:float():totable()) end

describe('nn.GPU on devices', function()
   local x, g
   before_each(function()
      torch.manualSeed(1)
      x, g = torch.randn(4, 3):float(), torch.randn(4, 3):float()
   end)

   local function spread()
      return nn.Sequential():add(nn.GPU(nn.Sequential():add(nn.Abs()):add(nn.MulConstant(2)), 1, 2)):add(nn.GPU(nn.Square(), 2, 1))
   end

   it('runs each part where it lives, with the numbers of the CPU', function()
      local m = spread():float()
      local y, gx = m:forward(x):clone(), m:backward(x, g):clone()
      m:cuda()
      local cx, cg = x:cuda(), g:cuda()
      local cy = m:forward(cx)
      assert.equal(2, m:get(1).output:getDevice())
      assert.equal(1, m:get(1):get(1).output:getDevice())
      assert.equal(2, m:get(2):get(1).output:getDevice())
      assert.equal(1, cy:getDevice())
      equal(cy, y)
      local cgx = m:backward(cx, cg)
      assert.equal(1, cgx:getDevice())
      equal(cgx, gx)
      assert.equal(1, cutorch.getDevice())
   end)
   it('takes an input from any device and gives its gradient back there, and leaves both as they were', function()
      local m = nn.GPU(nn.Square(), 1):cuda()
      local other = cutorch.withDevice(2, function() return x:cuda() end)
      local grad = cutorch.withDevice(2, function() return g:cuda() end)
      assert.equal(1, m:forward(other):getDevice())
      assert.equal(2, m:backward(other, grad):getDevice())
      m:forward(torch.CudaTensor{ 7 })
      equal(other, x)
      equal(grad, g)
      m:clearState()
      equal(other, x)
   end)
   it('passes tables', function()
      local m = nn.GPU(nn.ParallelTable():add(nn.Abs()):add(nn.Square()), 2, 1):cuda()
      local y = m:forward{ x:cuda(), g:cuda() }
      assert.same({ 1, 1 }, { y[1]:getDevice(), y[2]:getDevice() })
      equal(y[1], torch.abs(x))
      equal(y[2], torch.cmul(g, g))
   end)
   it('keeps its parameters on its device, there after setDevice, :type and a file', function()
      local m = nn.GPU(nn.CMul(3), 2)
      local weight = m:get(1).weight:float()
      m:cuda()
      assert.equal(2, m:get(1).weight:getDevice())
      m:setDevice(1)
      assert.equal(1, m:get(1).weight:getDevice())
      equal(m:get(1).weight, weight)
      m:setDevice(2)
      local back = torch.deserialize(torch.serialize(m))
      assert.equal(2, back:get(1).weight:getDevice())
      equal(back:get(1).weight, weight)
      assert.equal(0, back:float():get(1).weight:getDevice())
   end)
   it('is refused on a device that is not here, and the model stays as it was', function()
      local m = nn.Sequential():add(nn.CMul(3)):add(nn.GPU(nn.CMul(3), 9))
      refuses('device must be one of the ' .. cutorch.getDeviceCount() .. ' CUDA devices here, got 9', m.cuda, m)
      assert.equal('torch.DoubleTensor', m:get(1).weight:type())
      refuses('device must be a whole number of at least 1, got 0', m:get(2).setDevice, m:get(2), 0)
   end)
end)

describe('nn.GPU.recursiveModuleDevice', function()
   it('moves all CUDA tensors of an object, keeps what is shared shared, and leaves the CPU alone', function()
      local a = torch.CudaTensor{ 1, 2, 3, 4 }
      local t = { a, { a:narrow(1, 2, 2) }, torch.Tensor{ 5 }, 'word', nn.GPU(nn.CMul(3), 1):cuda() }
      t.itself = t
      assert(rawequal(t, nn.GPU.recursiveModuleDevice(t, 2)))
      assert.same({ 2, 2, 0, 1 }, { t[1]:getDevice(), t[2][1]:getDevice(), t[3]:getDevice(), t[5]:get(1).weight:getDevice() })
      t[1][2] = 20
      assert.same({ 20, 3 }, t[2][1]:totable())
   end)
   it('refuses what is no device', function()
      refuses('nn.GPU.recursiveModuleDevice: device must be a whole number of at least 1, got nil', nn.GPU.recursiveModuleDevice, {})
      refuses('device', nn.GPU.recursiveModuleDevice, { torch.CudaTensor{ 1 } }, 1000)
   end)
end)

describe('nn.GPU.recursiveSetDevice', function()
   it('copies what lies elsewhere to where proto is, into the tensors of dst', function()
      local there = cutorch.withDevice(2, function() return torch.CudaTensor{ 0 } end)
      local here = torch.CudaTensor{ 1, 2 }
      local dst = cutorch.withDevice(2, function() return torch.CudaTensor() end)
      local y = nn.GPU.recursiveSetDevice({ dst }, { here, here, 3 }, { there, here })
      assert(rawequal(dst, y[1]))
      assert(rawequal(here, y[2]))
      assert.equal(3, y[3])
      assert.same({ 1, 2 }, y[1]:totable())
      assert.equal(2, nn.GPU.recursiveSetDevice(nil, here, there):getDevice())
   end)
end)
