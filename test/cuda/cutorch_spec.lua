-- test/cuda/cutorch_spec.lua - CUDA tensors as values: types, elements, printing, files, devices, streams, memory.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch
local on_two = device.on_two(it, pending)

if device.missing('cutorch', describe, pending) then return end
local C = require 'torch.lib'.C

describe('a CUDA tensor', function()
   local x
   before_each(function() x = torch.CudaTensor{ { 1, 2, 3 }, { 4, 5, 6 } } end)

   it('has a separate type for each dtype', function()
      assert.equal('torch.CudaTensor', x:type())
      for method, name in pairs{ cudaByte = 'Byte', cudaChar = 'Char', cudaShort = 'Short', cudaInt = 'Int', cudaLong = 'Long',
         cudaHalf = 'Half', cudaBFloat16 = 'BFloat16', cudaDouble = 'Double' } do
         assert.equal('torch.Cuda' .. name .. 'Tensor', x[method](x):type())
         assert.equal(21, x[method](x):sum())
      end
      assert.equal('torch.FloatTensor', x:float():type())
      assert.equal('torch.DoubleTensor', x:double():type())
      assert(rawequal(x, x:cuda()))
   end)
   it('reads and writes single elements and slices', function()
      x[1][2] = 20
      x[{ 2, { 2, 3 } }] = 0
      assert.same({ { 1, 20, 3 }, { 4, 0, 0 } }, x:totable())
      assert.equal(20, x[{ 1, 2 }])
      assert.equal(20, x:storage()[2])
      assert.equal('torch.CudaStorage', torch.type(x:storage()))
   end)
   it('is printed with its type', function()
      assert.equal(' 1  2  3\n 4  5  6\n[torch.CudaTensor of size 2x3]\n', tostring(x))
   end)
   it('is resized, viewed and cloned where it is', function()
      local y = x:t():clone():resize(2, 5):zero()
      assert.equal(1, y:getDevice())
      assert.equal(0, y:sum())
      assert.same({ 3, 2 }, x:t():size():totable())
   end)
   it('takes functions of Lua', function()
      assert.same({ 1, 4, 9 }, torch.CudaTensor{1, 2, 3}:apply(function(v) return v * v end):totable())
   end)
   it('goes through files, and opens as a CPU tensor where there is no device', function()
      local t = { x, x[2] }
      local back = torch.deserialize(torch.serialize(t))
      back[1][2][1] = 9
      assert.equal('torch.CudaTensor', back[1]:type())
      assert.equal(9, back[2][1])
      local name = os.tmpname()
      torch.save(name, t)
      local f = io.popen(('TH_CUDA= %s -e "local t = torch.load(\'%s\'); print(t[1]:type(), t[1]:sum())" 2>&1')
         :format(os.getenv 'TH' or 'build/bin/th', name))
      local text = f:read '*a'
      f:close()
      os.remove(name)
      assert(text:find 'torch.FloatTensor%s+21', text)
   end)
   it('counts its memory, and gives it back', function()
      local m = C.th_memory_of(1)
      collectgarbage()
      torch.memory()                                          -- frees what was collected
      collectgarbage 'stop'                                   -- nor may it free others while these are counted
      local before = tonumber(m.bytes)
      local y = torch.CudaTensor(1000)
      local between = tonumber(m.bytes)
      y:free()
      local after = tonumber(m.bytes)
      collectgarbage 'restart'
      assert.equal(before + 4000, between)
      assert.equal(before, after)
   end)
   it('is collected before memory runs out', function()
      local m = C.th_memory_of(1)
      m.most = tonumber(m.bytes) + 2 ^ 20
      local ok, why = pcall(function() for _ = 1, 100 do torch.CudaTensor(1e5) end end)
      m.most = 0
      assert(ok, why)
   end)
end)

describe('devices', function()
   it('have properties, which say that they are emulated where they are', function()
      local p = cutorch.getDeviceProperties(device.count)
      local emulated = os.getenv 'TH_CUDA' == 'emu'
      assert.equal(emulated, p.emulated)
      assert.equal(emulated, p.name:find 'emulated' ~= nil)
      assert.equal(32, p.warpSize)
      if emulated then assert.equal(tonumber(os.getenv 'TH_CUDA_EMU_DEVICES'), device.count) end
   end)
   on_two('hold the tensors made on them, whatever the device of the thread is', function()
      local a, b = torch.CudaTensor{1, 2}, nil
      cutorch.withDevice(2, function()
         b = torch.CudaTensor{3, 4}
         assert.same({ 2, 4 }, torch.add(a, a):totable())
         assert.equal(1, torch.add(a, a):getDevice())
      end)
      assert.equal(2, b:getDevice())
      assert.equal(2, (b * 2):getDevice())
      assert.same({ 3, 4 }, a:copy(b):totable())
   end)
   on_two('have numbers that may be strings or have fractions, which are cut off', function()
      cutorch.setDevice '2'
      assert.equal(2, cutorch.getDevice())
      cutorch.setDevice(1.9)
      assert.equal(1, cutorch.getDevice())
      assert.equal(2, cutorch.withDevice('2', cutorch.getDevice))
   end)
   it('are 0 for a tensor without memory', function()
      for _, kind in ipairs { 'Cuda', 'CudaByte', 'CudaLong', 'CudaHalf', 'CudaDouble' } do
         local x = torch[kind .. 'Tensor']()
         assert.equal(0, x:getDevice())
         assert.equal(1, x:resize(3):getDevice())
      end
   end)
   on_two('return what the function returns', function()
      local function three() return 1, nil, 3 end
      assert.same({ 1, nil, 3 }, { cutorch.withDevice(2, three) })
   end)
end)

describe('streams', function()
   it('do their work in order, and wait for each other where told', function()
      cutorch.reserveStreams(2)
      assert(cutorch.getNumStreams() >= 2)
      local x = torch.CudaTensor(1000):fill(1)
      cutorch.streamWaitFor(1, { 0 })
      cutorch.setStream(1)
      for _ = 1, 10 do x:mul(2) end
      local done = cutorch.Event()
      cutorch.setStream(2)
      done:waitOn()
      x:add(1)
      cutorch.streamBarrier{ 0, 2 }
      cutorch.setDefaultStream()
      assert.equal(1025000, x:sum())
   end)
   it('tell how long work took', function()
      local timer, before = torch.Timer(), cutorch.Event()
      torch.CudaTensor(1000):fill(1):exp()
      local s = cutorch.Event():since(before)
      assert(s >= 0 and s <= timer:time().real)
   end)
   it('keep memory until all of them are done with it', function()
      cutorch.reserveStreams(1)
      local x = torch.CudaTensor(1000):fill(1)
      cutorch.synchronize()
      cutorch.setStream(1)
      for _ = 1, 10 do x:mul(2) end
      cutorch.setDefaultStream()
      x:free()
      local y = torch.CudaTensor(1000):fill(7)
      assert.equal(7000, y:sum())
      local z = torch.CudaTensor(1000):fill(3)                -- perhaps where x was
      assert.equal(3000, z:sum())
      cutorch.synchronizeAll()
      assert.equal(3000, z:sum())
      assert.equal(7000, y:sum())
   end)
end)
