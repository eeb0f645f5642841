-- test/cuda/graph_refused_spec.lua - work that no CUDA graph can record is an error that says so, and has no other effect.
-- runs once, on the plain build: the device does not depend on the level
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'

if device.missing('what CUDA graphs cannot record', describe, pending) then return end
local cutorch = device.cutorch

describe('what a CUDA graph cannot record', function()
   local x = torch.CudaTensor{ 1, 2, 3 }
   local other, before = torch.FloatTensor{ 1, 2, 3 }, cutorch.Event()
   local scaled, short = nn.MixedPrecision(nn.Linear(3, 1):cuda(), 'half', 2), torch.CudaTensor{ 1 }
   local CASES = {
      { 'an element', 'elements go to the host', function(y) return y[1] end },
      { 'a sum', 'sum: a CUDA graph cannot record this: the host needs what a device computes', function(y) return y:sum() end },
      { 'a largest element', 'max: a CUDA graph cannot record this', function(y) return y:max() end },
      { 'a copy to the CPU', 'copy: a CUDA graph cannot record this: elements go to the host', function(y) return y:float() end },
      { 'a copy from the CPU', 'copy: a CUDA graph cannot record this: elements come from the host', function(y) y:clone():copy(other) end },
      { 'a tensor of numbers', 'elements come from the host', function() return torch.CudaTensor{ 1, 2 } end },
      { 'an op of the CPU', 'svd: a CUDA graph cannot record this: the CPU computes it',
         function(y) return torch.svd(y:view(3, 1)) end },
      { 'a permutation', 'the CPU computes it', function() return torch.randperm(torch.CudaLongTensor(), 3) end },
      { 'more draws of normal numbers than a graph keeps', 'normal: a CUDA graph cannot record this: there are too many draws of normal',
         function()
            local y = torch.CudaTensor(2)                    -- half a pair that waits, and half of one whose other half waits then
            for _ = 1, 513 do y:normal() end
         end },
      { 'an element of a storage', 'elements go to the host', function(y) return y:storage()[1] end },
      { 'an element written to a storage', 'elements come from the host', function(y) y:storage()[1] = 7 end },
      { 'a storage that is filled', 'elements come from the host', function(y) y:storage():fill(7) end },
      { 'a copy to a storage', 'elements go to the host', function(y) y:storage():copy(x:clone():storage()) end },
      { 'more memory of an argument', 'it gives argument 1 other memory', function(y) y:storage():resize(1000) end },
      { 'a larger argument', 'f changes the sizes, strides or memory of argument 1', function(y) y:resize(1000) end },
      { 'a smaller argument', 'f changes the sizes, strides or memory of argument 1', function(y) y:resize(2) end },
      { 'another view in place of an argument', 'f changes the sizes, strides or memory of argument 1', function(y) y:set(x:clone()) end },
      { "another generator's numbers", 'of another generator than the device', function(y) return y:clone():uniform(torch.Generator()) end },
      { 'places of what is not 0', 'the host needs what a device computes', function(y) return torch.nonzero(y) end },
      { 'waiting for the device', 'synchronize: a CUDA graph cannot record this: it waits for a device',
         function() cutorch.synchronize() end },
      { 'another stream', 'setStream: a CUDA graph cannot record this: it changes the stream', function()
         cutorch.reserveStreams(1)
         cutorch.setStream(1)
      end },
      { 'an event', 'it makes an event', function() cutorch.Event() end },
      { 'waiting for an event', 'it waits for an event', function() before:waitOn() end },
      { 'pinned memory', 'it takes memory of the host', function() cutorch.createCudaHostTensor(3) end },
      { 'another device', 'it changes the device', function() cutorch.setDevice(2) end, devices = 2 },
      { 'an optimizer that counts its steps', 'optim.adagrad: its steps depend on numbers of the host',
         function(y) optim.adagrad(function() return 0, y end, y, {}) end },
      { 'a scale of the loss', 'nn.MixedPrecision: a scale of the loss', function()
         scaled:forward(x)
         scaled:backward(x, short)
      end },
   }
   for _, case in ipairs(CASES) do
      it(('is %s: the error says so, and nothing is left behind'):format(case[1]), function()
         if case.devices and cutorch.getDeviceCount() < case.devices then return end
         local recording = false
         local f = cutorch.graph(function(y)
            if recording then case[3](y) end
            return y * 2
         end)
         f(x)
         recording = true
         refuses(case[2], function() f(x) end)
         recording = false
         assert.same({ 2, 4, 6 }, f(x):totable())               -- recorded now
         assert.same({ 2, 4, 6 }, f(x):totable())
         assert.equal(1, (f:count()))
         cutorch.synchronize()
         assert.equal(6, x:sum())
      end)
   end

   it('does not become part of a graph when the function catches the error', function()
      local f = cutorch.graph(function(y)
         pcall(function() return y:sum() end)
         return y * 2
      end)
      f(x)
      refuses('cutorch.graph: sum: a CUDA graph cannot record this', function() f(x) end)
   end)

   it('runs plainly with fallback, and the object says why', function()
      local f = cutorch.graph(function(y) return y * y:sum() end, { fallback = true })
      for k = 1, 3 do assert.same({ 6 * k * k, 12 * k * k, 18 * k * k }, f(x * k):totable()) end
      assert.truthy(f.why:find('sum: a CUDA graph cannot record this', 1, true))
      assert.equal(0, (f:count()))
   end)

   it('is an error of the function itself: it comes out, and the device works on', function()
      local fail = false
      local f = cutorch.graph(function(y)
         if fail then torch.mm(y, y) end
         return y + 1
      end)
      f(x)
      fail = true
      assert.is_false(pcall(f, x))
      refuses('mm', function() f(x) end)
      fail = false
      for _ = 1, 2 do assert.same({ 2, 3, 4 }, f(x):totable()) end
      local g = cutorch.graph(function() error { code = 7 } end, {})
      local ok, why = pcall(g)
      assert.is_true(not ok and why.code == 7)
   end)

   it('is a change of an argument, whole or a view of it', function()
      local CHANGES = { function(y) y:add(1) end, function(y) y:narrow(1, 2, 1):zero() end, function(y) y:copy(y + 1) end }
      for _, change in ipairs(CHANGES) do
         local f = cutorch.graph(function(t) change(t.y) end)
         f{ y = x:clone() }
         refuses('it changes argument 1[y]; change a copy, or what is no argument', function() f{ y = x } end)
         local g = cutorch.graph(function(y) change(y) end, { fallback = true, late = true })
         local mine, want = x:clone(), x:clone()
         for _ = 1, 4 do
            g(mine)
            change(want)
         end
         assert.same(want:totable(), mine:totable())
      end
      assert.equal(6, x:sum())
   end)

   it('is a seed, and a state of random numbers', function()
      local state = cutorch.getRNGState()
      for name, set in pairs{ manualSeed = function() cutorch.manualSeed(1) end, seed = cutorch.seed,
         setRNGState = function() cutorch.setRNGState(state) end } do
         local f = cutorch.graph(function(y)
            set()
            return y * 2
         end)
         f(x)
         refuses(('torch.%s: it sets a generator, which cannot be recorded'):format(name), function() f(x) end)
      end
   end)

   it('is a table of options made anew for each call', function()
      local y, state, rate, config = torch.CudaTensor{ 0 }, {}, 1, nil
      local function step(g)
         optim.sgd(function() return 0, g end, y, config or { learningRate = rate }, state)
      end
      local g, f = torch.CudaTensor{ 1 }, cutorch.graph(step)
      f(g)
      refuses('optim.sgd: a table of options that no earlier call has used', function() f(g) end)
      local plain = cutorch.graph(step, { fallback = true })
      for k = 2, 4 do
         rate = k
         plain(g)
      end
      assert.equal(-10, y[1])
      config = { learningRate = 1 }
      step(g)
      for k = 1, 3 do
         config.learningRate = k
         f(g)
      end
      assert.equal(-17, y[1])
   end)

   it('is a yield: the thread records no more', function()
      local f = cutorch.graph(function(y)
         coroutine.yield()
         return y * 2
      end)
      local thread = coroutine.wrap(function()
         f(x)
         return pcall(f, x)
      end)
      thread()
      local ok, why = thread()
      assert.is_true(not ok and why:find('cutorch.graph: f yields', 1, true) ~= nil)
      assert.equal(6, x:sum())
   end)

   it("does not hide the function's own errors with fallback", function()
      local fail = false
      local f = cutorch.graph(function(y)
         if fail then
            pcall(function() return y:sum() end)
            error('mine', 0)
         end
         return y * 2
      end, { fallback = true })
      f(x)
      fail = true
      local ok, why = pcall(f, x)
      assert.is_true(not ok and why == 'mine' and f.why == nil)
      fail = false
      for _ = 1, 2 do assert.same({ 2, 4, 6 }, f(x):totable()) end
      assert.equal(1, (f:count()))
   end)

   it('is a first step of an optimizer that makes its state', function()
      local y, state = torch.CudaTensor{ 1, 2 }, nil
      local f = cutorch.graph(function(g)
         if state then optim.adam(function() return 0, g:clone() end, y, nil, state) end
      end)
      local g = torch.CudaTensor{ 1, 1 }
      f(g)
      state = {}
      refuses('optim.adam: its first step, which makes state.m, cannot be recorded in a CUDA graph', function() f(g) end)
   end)
end)
