-- test/cuda/bad_input_spec.lua - what CUDA tensors refuse, and that everything works afterwards.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch
local on_two = device.on_two(it, pending)

if device.missing('CUDA tensors', describe, pending) then return end
local th = os.getenv 'TH' or 'build/bin/th'

local function output(environment, code)
   local f = io.popen(('env %s %s -e "%s" 2>&1'):format(environment, th, code))
   local text = f:read '*a'
   f:close()
   return text
end

describe('tensors on different devices in one call', function()
   local x, y
   before_each(function() x, y = torch.CudaTensor{1, 2}, torch.FloatTensor{1, 2} end)

   it('are refused with the op, the argument and both devices', function()
      refuses('add: z must be on CUDA device 1 like x, got one on the CPU', torch.add, x, y)
      refuses('add: z must be on the CPU like x, got one on CUDA device 1', torch.add, y, x)
      refuses('cat: element 2 of list must be on the CPU like the first, got one on CUDA device 1', torch.cat, { y, x }, 1)
      refuses('sum: y must be on CUDA device 1 like x, got one on the CPU', torch.sum, y, x, 1)
   end)
   on_two('are refused on two CUDA devices too', function()
      local z = cutorch.withDevice(2, function() return torch.CudaTensor{3, 4} end)
      refuses('cmul: z must be on CUDA device 1 like x, got one on CUDA device 2', torch.cmul, x, z)
   end)
   on_two('may be copied, in any direction, layout and type', function()
      local z = cutorch.withDevice(2, function() return torch.CudaDoubleTensor(2, 3) end)
      z:t():copy(torch.range(1, 6):resize(3, 2):t():clone():t():cuda())
      assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, z:totable())
      assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, torch.IntTensor(3, 2):copy(z:t()):totable())
   end)
   it('leave the result as it was', function()
      local r = torch.CudaTensor{7}
      pcall(torch.add, r, y, y)
      assert.same({ 7 }, r:totable())
      assert.same({ 2, 4 }, x:add(x):totable())
   end)
end)

describe('a CUDA tensor', function()
   it('refuses elements that whole numbers cannot be divided by', function()
      local x = torch.CudaIntTensor{1, 2}
      refuses('cdiv: z must not hold 0 for a IntTensor', x.cdiv, x, torch.CudaIntTensor{1, 0})
      assert.same({ 1, 2 }, x:totable())
   end)
   it('refuses places outside', function()
      local x = torch.CudaTensor{1, 2}
      refuses('index must lie in 1..2', function() return x[3] end)
      assert.equal(2, x[2])
   end)
   it('of classes that are none is refused, but for the one that is passed over', function()
      local x = torch.CudaTensor{ { -1, -2 }, { -3, -4 } }
      device.refuses('nll_loss: target must lie in 1..2, got 3 (sample 2)', torch.nll_loss, x, torch.CudaLongTensor{ 1, 3 })
      device.refuses('nll_loss: target must lie in 1..2, got 0 (sample 1)', torch.nll_loss, x, torch.CudaLongTensor{ 0, -100 })
      local y, total = torch.nll_loss(x, torch.CudaLongTensor{ 2, -100 })
      assert.same({ 2, 1 }, { y[1], total[1] })
      assert.same({ { 0, -1 }, { 0, 0 } }, torch.nll_loss_grad(x, torch.CudaLongTensor{ 2, -100 }, total):totable())
   end)
   it('of places of maxima outside of the image is refused', function()
      local x, g = torch.CudaTensor(1, 2, 2), torch.CudaTensor(1, 1, 1):fill(1)
      device.refuses('maxpool2d_grad: index must lie in 1..4, got 5 at place 1 of index', torch.maxpool2d_grad, x,
         torch.CudaLongTensor(1, 1, 1):fill(5), g)
      assert.same({ { { 0, 0 }, { 0, 0 } } }, torch.maxpool2d_grad(x, torch.CudaLongTensor(1, 1, 1):zero(), g):totable())
   end)
   it('of places of a sequence that name a row twice is refused', function()
      local x, w = torch.CudaTensor(2, 1):fill(1), torch.CudaTensor(1, 1):fill(1)
      device.refuses('rnn: places must hold each of 0..2 at most once, but 0, got 2 at step 2 of sample 1', torch.rnn, x,
         torch.CudaLongTensor{ { 2 }, { 2 } }, w, true, false)
      assert.same({ { 3 }, { 2 } }, torch.rnn(torch.CudaTensor{ { 1 }, { 2 } }, torch.CudaLongTensor{ { 2 }, { 1 } }, w, true,
         false):totable())
   end)
   it('that is too large is an error that says how much was wanted and is free', function()
      refuses('out of memory on CUDA device 1: 4000000000000 bytes wanted', torch.CudaTensor, 1e6, 1e6)
      assert.equal(3, torch.CudaTensor(3):fill(1):sum())
   end)
   it('that is too large is an error that names the largest of those which are there', function()
      collectgarbage()
      local kept = { torch.CudaTensor(60, 1000, 1000), torch.CudaByteTensor(60, 1000, 1000), torch.CudaDoubleTensor(30, 1000, 1000) }
      refuses('; the largest: 2 of 240000000 bytes, 1 of 60000000 bytes', torch.CudaTensor, 1e6, 1e6)
      kept[1]:free()
      refuses('; the largest: 1 of 240000000 bytes, 1 of 60000000 bytes', torch.CudaTensor, 1e6, 1e6)
   end)
   it('has no size that cannot be counted', function()
      refuses('more than can be counted', torch.CudaTensor, 2 ^ 40, 2 ^ 40)
   end)
end)

describe('cutorch', function()
   on_two('takes strings and fractions for devices, as for all whole numbers', function()
      cutorch.setDevice '2'
      assert.equal(2, cutorch.getDevice())
      cutorch.setDevice(1.9)
      assert.equal(1, cutorch.getDevice())
      assert.equal(cutorch.getDeviceProperties(2).name, cutorch.getDeviceProperties('2').name)
      assert.equal(4, torch.CudaTensor.elementSize())
      assert.same({ 3 }, torch.CudaTensor('3'):size():totable())
      assert.same({ { 1, 2 }, { 3, 4 } }, torch.CudaTensor(2, 2):range('1', 4):totable())
   end)
   it('refuses devices that are not there', function()
      local more = device.count + 1
      refuses(('setDevice: %s, got %d'):format(device.range, more), cutorch.setDevice, more)
      refuses('cutorch.setDevice: device must be a whole number', cutorch.setDevice, 0 / 0)
      refuses(('withDevice: %s, got 0'):format(device.range), cutorch.withDevice, 0, print)
      refuses('cutorch.withDevice: f must be a function', cutorch.withDevice, 1, 2)
      local properties = cutorch.getDeviceProperties
      refuses(('getDeviceProperties: %s, got 99'):format(device.range), properties, 99)
      assert.equal(1, cutorch.getDevice())
   end)
   it('refuses streams that are not there', function()
      refuses('cutorch.setStream: stream must lie in 0..', cutorch.setStream, 100)
      refuses('cutorch.reserveStreams: the number of streams must lie in 0..1024', cutorch.reserveStreams, -1)
   end)
   it('goes back to the device of before when a function fails', function()
      assert.is_false((pcall(cutorch.withDevice, device.count, error)))
      assert.equal(1, cutorch.getDevice())
   end)
   it('loads without any device and says so', function()
      local text = output('TH_CUDA=emu TH_CUDA_EMU_DEVICES=0',
         "require 'cutorch'; print(cutorch.getDeviceCount(), pcall(torch.Tensor(2).cuda, torch.Tensor(2)))")
      assert(text:find('0%s+false%s+.*there is no CUDA device: no CUDA%-capable device is detected'), text)
   end)
   it('says so of each requested type, and continues', function()
      local text = output('TH_CUDA=emu TH_CUDA_EMU_DEVICES=0', [[
         require 'cutorch'
         for _, make in ipairs{ torch.CudaTensor, torch.CudaLongTensor, torch.CudaHalfStorage } do print(select(2, pcall(make, 3))) end
         print(select(2, pcall(torch.Tensor(2).type, torch.Tensor(2), 'torch.CudaTensor')), torch.ones(3):sum())]])
      local _, n = text:gsub('there is no CUDA device', '')
      assert.equal(3, n, text)
      assert(text:find 'no torch.CudaTensors here: they come with the package cutorch and a CUDA device%s+3%s*$', text)
   end)
   it('says so of modules and criteria, in their names and at the line of the call', function()
      local text = output('TH_CUDA=emu TH_CUDA_EMU_DEVICES=0', [[
         require 'cunn'
         local net = nn.Sequential():add(nn.Linear(2, 3))
         for _, x in ipairs{ net, nn.MSECriterion() } do print(select(2, pcall(function() return x:cuda() end))) end
         print(net:forward(torch.ones(2)):size(1))]])
      local why = 'there is no CUDA device: no CUDA%-capable device is detected'
      assert(text:find('^[^\n/]*:3: nn.Sequential: ' .. why .. '\n[^\n/]*:3: nn.MSECriterion: ' .. why .. '\n3%s*$'), text)
   end)
   it('says what TH_CUDA may be', function()
      local text = output('TH_CUDA=x', "print(pcall(require, 'cutorch'))")
      assert(text:find("TH_CUDA must be 'emu' or 'gpu', got 'x'", 1, true), text)
   end)
end)
