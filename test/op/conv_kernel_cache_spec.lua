-- test/op/conv_kernel_cache_spec.lua - transforms of kernels are cached while the kernels are unchanged, and never used for others.
local ffi = require 'ffi'
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local resident = require 'test.support.resident'

local KEEP = torch.conv.keep

after_each(function() torch.conv.engine, torch.conv.keep = nil, KEEP end)

local function kept(name) return torch.conv.kept()[name] end

-- f() where nothing is kept.
local function afresh(f)
   local before = torch.conv.keep
   torch.conv.keep = 0
   local y = f()
   torch.conv.keep = before
   return y
end

-- A convolution whose kernels' transforms are worth keeping; `forms` are the ways it is computed in.
local forms = {
   { 'fft', 'forward', 9, 9, dtype = 'Float' }, { 'fft', 'gradInput', 9, 9, dtype = 'Double' },
   { 'winograd', 'forward', 3, 3, dtype = 'Double' }, { 'winograd', 'gradInput', 3, 3, dtype = 'Float' },
   { 'fft1d', 'forward', 1, 40, dtype = 'Float' }, { 'fft1d', 'gradInput', 40, 1, dtype = 'Float' },
   { 'fft', 'forward', 5, 4, dtype = 'Half' }, { 'fft', 'forward', 3, 3, 2, dtype = 'BFloat16' },
}
local function convolution(form, groups, w)
   local engine, pass, kh, kw, dilation = unpack(form, 1, 5)
   groups, dilation = groups or 1, dilation or 1
   torch.conv.engine = nil
   local function uniform(...) return torch.FloatTensor(...):uniform(-1, 1):type(('torch.%sTensor'):format(form.dtype)) end
   local l = { x = uniform(1, 8 * groups, kh + 3, kw + 3), w = w or uniform(20 * groups, 8, kh, kw) }
   local geometry = { 1, 1, 0, 0, dilation, dilation, groups }
   l.g = uniform(unpack(torch.conv2d(l.x, l.w, nil, unpack(geometry)):size():totable()))
   function l.run()
      torch.conv.engine = engine
      if pass == 'forward' then return torch.conv2d(l.x, l.w, nil, unpack(geometry)) end
      return torch.conv2d_grad_input(l.x, l.g, l.w, unpack(geometry))
   end
   return l
end

-- Runs until its transforms are kept.
local function warm(l) l.run() l.run() end

describe('transforms of kernels', function()
   before_each(function()
      torch.manualSeed(7)
      torch.conv.keep = 0
      torch.conv.keep = KEEP
   end)

   it('are kept from the second call with the same kernels on, and give the same bits', function()
      for _, form in ipairs(forms) do
         local l = convolution(form)
         local expected = afresh(l.run)
         local uses, count = kept 'uses', kept 'count'
         for call = 1, 5 do
            assert.is_true(torch.equal(expected, l.run()))
            assert.equal(uses + math.max(0, call - 2), kept 'uses')
            assert.equal(count + math.min(1, call - 1), kept 'count')
         end
      end
   end)

   it('are used for other images', function()
      local l = convolution(forms[1])
      warm(l)
      local uses = kept 'uses'
      l.x = l.x:clone():uniform(-1, 1)
      local y = l.run()
      assert.equal(uses + 1, kept 'uses')
      assert.is_true(torch.equal(afresh(l.run), y))
   end)

   -- Every way to write one number.
   local writes = {
      ['an op'] = function(w, i) w:view(-1):narrow(1, i, 1):fill(0.5) end,
      ['an index'] = function(w, i) w:view(-1)[i] = 0.5 end,
      ['the storage'] = function(w, i) w:storage()[i] = 0.5 end,
      ['a pointer'] = function(w, i) w:data()[i - 1] = 0.5 end,
      ["the storage's pointer"] = function(w, i) w:storage():data()[i - 1] = 0.5 end,
      ['another tensor of the storage'] = function(w, i) w.new(w:storage(), 1, torch.LongStorage { w:nElement() })[i] = 0.5 end,
      ['a tensor that shares it'] = function(w, i) w.new():set(w):select(1, 1):storage()[i] = 0.5 end,
      ['copy'] = function(w, i)
         local other = w:clone()
         other:view(-1)[i] = 0.5
         w:copy(other)
      end,
      ['an optimizer'] = function(w, i)
         local g = w:clone():zero()
         g:view(-1)[i] = 1
         require 'optim'.sgd(function() return 0, g:view(-1) end, w:view(-1), { learningRate = 0.25 })
      end,
   }
   for name, write in pairs(writes) do
      it('are not used any more when one number was written through ' .. name, function()
         for _, form in ipairs { forms[1], forms[4], forms[5] } do
            local l = convolution(form)
            for _, i in ipairs { 1, l.w:nElement(), torch.random(l.w:nElement()) } do
               warm(l)
               local uses = kept 'uses'
               write(l.w, i)
               local y = l.run()
               assert.is_true(torch.equal(afresh(l.run), y))
               assert.equal(uses, kept 'uses')
            end
         end
      end)
   end

   it('are not used when any bit of the kernels has changed', function()
      local l = convolution { 'fft', 'forward', 5, 5, dtype = 'Float' }
      local bytes = require 'ffi'.cast('uint8_t*', l.w:data())
      local bit = require 'bit'
      for _ = 1, 100 do
         warm(l)
         local uses, at = kept 'uses', torch.random(0, 4 * l.w:nElement() - 1)
         bytes[at] = bit.bxor(bytes[at], bit.lshift(1, at % 4 == 3 and 0 or torch.random(0, 7)))
         local y = l.run()
         assert.equal(uses, kept 'uses')
         assert.is_true(torch.equal(afresh(l.run), y))
      end
   end)

   it('are right again when the kernels become what they were', function()
      local l = convolution(forms[1])
      local first, before = afresh(l.run), l.w:clone()
      for _ = 1, 3 do
         warm(l)
         l.w:mul(-1)
         assert.is_false(torch.equal(first, l.run()))
         l.w:copy(before)
         assert.is_true(torch.equal(first, l.run()))
      end
   end)

   it('are not used for other kernels at the same place', function()
      local l = convolution(forms[1])
      for _ = 1, 20 do
         l.w = l.w:clone():uniform(-1, 1)
         collectgarbage()
         warm(l)
         assert.is_true(torch.equal(afresh(l.run), l.run()))
      end
   end)

   it('are distinguished by pass, dilation, groups and the view of the same numbers', function()
      local w = torch.FloatTensor(16, 16, 5, 5):uniform(-1, 1)
      local x, g = torch.FloatTensor(1, 16, 20, 20):uniform(-1, 1), torch.FloatTensor(1, 16, 16, 16):uniform(-1, 1)
      local calls = {
         function() return torch.conv2d(x, w) end,
         function() return torch.conv2d_grad_input(x, g, w) end,
         function() return torch.conv2d(x, w, nil, 1, 1, 0, 0, 2, 2) end,
         function() return torch.conv2d(x, w, nil, 1, 1, 0, 0, 2, 1) end,
         function() return torch.conv2d(x, w:transpose(1, 2)) end,
         function() return torch.conv2d(x, w:transpose(3, 4)) end,
         function() return torch.conv2d(x, w:view(32, 8, 5, 5), nil, 1, 1, 0, 0, 1, 1, 2) end,
         function() return torch.conv2d(x:narrow(2, 1, 8), w:narrow(2, 1, 8)) end,
         function() return torch.conv2d(x:narrow(2, 1, 8), w:narrow(2, 9, 8)) end,
         function() return torch.conv2d(x, w:narrow(1, 3, 12)) end,
         function() return torch.conv2d(x, w:narrow(3, 2, 3)) end,
         function() return torch.conv2d(x, w:narrow(1, 1, 1):expand(16, 16, 5, 5)) end,
      }
      torch.conv.engine = 'fft'
      for _ = 1, 4 do
         for i, call in ipairs(calls) do assert.is_true(torch.equal(afresh(call), call()), tostring(i)) end
      end
      for _ = 1, 3 do for _, call in ipairs(calls) do call() end end
      local uses = kept 'uses'
      for i, call in ipairs(calls) do
         local y = call()
         assert.is_true(torch.equal(y, afresh(call)), tostring(i))
         torch.conv.keep = KEEP
         call() call() call()
      end
      assert.is_true(kept 'uses' >= uses + #calls - 1)
   end)

   it('give the same bits for 1 to 8 threads, whichever thread made them', function()
      local threads = torch.getnumthreads()
      for _, form in ipairs(forms) do
         for _, groups in ipairs { 1, 3 } do
            local l = convolution(form, groups)
            local expected = afresh(l.run)
            for n = 1, 8 do
               torch.conv.keep = 0
               torch.conv.keep = KEEP
               torch.setnumthreads(n)
               warm(l)
               for other = 1, 8, 3 do
                  torch.setnumthreads(other)
                  assert.is_true(torch.equal(expected, l.run()))
               end
            end
         end
      end
      torch.setnumthreads(threads)
   end)

   it('hold no more bytes than torch.conv.keep, the oldest go first', function()
      local list = {}
      for i = 1, 4 do
         list[i] = convolution(forms[1])
         warm(list[i])
      end
      local all = kept 'bytes'
      assert.equal(4, kept 'count')
      list[1].run()
      torch.conv.keep = math.floor(all * 0.8)
      assert.equal(3, kept 'count')
      assert.is_true(kept 'bytes' <= torch.conv.keep)
      local uses = kept 'uses'
      list[1].run() list[3].run() list[4].run()
      assert.equal(uses + 3, kept 'uses')
      list[2].run()                             -- takes the place of 1
      assert.equal(3, kept 'count')
      list[1].run()
      assert.equal(uses + 3, kept 'uses')
      torch.conv.keep = math.floor(all / 5)
      assert.equal(0, kept 'count')
      warm(list[1])
      assert.equal(0, kept 'bytes')
      torch.conv.keep = 0
      warm(list[1])
      assert.same({ 0, 0 }, { kept 'bytes', kept 'count' })
   end)

   it('are not kept of more kernels than there are places, and then still right', function()
      local w = torch.FloatTensor(700, 4, 3, 3):uniform(-1, 1)
      local x = torch.FloatTensor(1, 4, 5, 5):uniform(-1, 1)
      torch.conv.engine = 'winograd'
      for _ = 1, 3 do
         for i = 1, 693 do
            local function run() return torch.conv2d(x, w:narrow(1, i, 8)) end
            local y = run()
            if i % 50 == 1 then assert.is_true(torch.equal(afresh(run), y)) end
         end
      end
      assert.is_true(kept 'count' <= 512)
   end)

   it('are done without where memory does not suffice, and the bits are the same with and without them', function()
      local C = require 'torch.lib'.C
      local memory = C.th_memory_of(C.TH_CPU)
      local l, room = convolution(forms[1]), 1e3
      local expected, done = afresh(l.run), 0
      local function limited()
         collectgarbage()
         collectgarbage()                       -- frees what finalizers of the first one have released
         memory.most = C.th_memory_of(C.TH_CPU).bytes + room
         local ok, y = pcall(l.run)
         memory.most = 0
         return ok and y
      end
      while room < 1e7 do
         local without = afresh(limited)
         warm(l)
         local with = limited()
         assert.equal(not without, not with, ('with %d bytes'):format(room))
         assert.is_true(not with or torch.equal(without, with), ('with %d bytes'):format(room))
         if with and torch.equal(with, expected) then done = done + 1 end
         room = room * 1.1
      end
      assert.is_true(done > 0 and done < 90)
      assert.is_true(torch.equal(expected, l.run()))
   end)

   it('are not made of kernels that change at every call, nor for gradients of the weights', function()
      local l = convolution(forms[1])
      for _ = 1, 4 do
         l.run()
         l.w:mul(0.9)
      end
      assert.equal(0, kept 'count')
      for _ = 1, 4 do torch.conv2d_grad_weight(l.w:clone():zero(), l.x, l.g) end
      assert.equal(0, kept 'count')
   end)

   it('hold nan and infinity as the kernels do', function()
      local l = convolution(forms[1])
      l.w[3][2][1][1], l.w[4][1][2][2] = 0 / 0, 1 / 0
      local function nans(y) return y:ne(y):sum() end
      local expected = nans(afresh(l.run))
      for _ = 1, 4 do assert.equal(expected, nans(l.run())) end
      assert.equal(1, kept 'count')
   end)
end)

describe('a keeper of kernels that never change', function()
   local C = require 'torch.lib'.C

   before_each(function()
      torch.manualSeed(7)
      torch.conv.keep = 0
      torch.conv.keep = KEEP
   end)
   after_each(function() C.th_conv_keep(nil) end)

   local function keeper() return ffi.gc(C.th_conv_keeper_new(), C.th_conv_keeper_free) end

   -- l.run() with a keeper, then without one.
   local function run_with(k, l)
      C.th_conv_keep(k)
      local ok, y = pcall(l.run)
      C.th_conv_keep(nil)
      if not ok then error(y, 0) end
      return y
   end

   local function bytes(k) return tonumber(C.th_conv_keeper_bytes(k)) end

   -- Tiles of 3 x 3 kernels are made while they are used.
   local kept_forms = { { 'direct', 'forward', 3, 3, dtype = 'Float' } }
   for _, form in ipairs(forms) do
      if form[1] ~= 'winograd' then kept_forms[#kept_forms + 1] = form end
   end

   it('has their transforms from the first call on, and the table gets none', function()
      -- At level base oneDNN takes these kernels as they are, so that there is nothing to keep.
      local missing = torch.conv.missing 'direct' or ffi.string(C.th_cpu_level()) == 'base'
      for i = missing and 2 or 1, #kept_forms do
         local l, k = convolution(kept_forms[i]), keeper()
         local expected = afresh(l.run)
         local count = kept 'count'
         for _ = 1, 3 do
            assert.is_true(torch.equal(expected, run_with(k, l)))
            assert.is_true(bytes(k) > 0)
            assert.equal(count, kept 'count')
         end
         l.w:mul(2)                                           -- calls without it do not use it
         assert.is_true(torch.equal(afresh(l.run), l.run()))
      end
   end)

   it('keeps nothing for tiles of 3 x 3 kernels, with the same bits', function()
      for _, form in ipairs(forms) do
         if form[1] == 'winograd' then
            local l, k = convolution(form), keeper()
            local expected = afresh(l.run)
            for _ = 1, 2 do assert.is_true(torch.equal(expected, run_with(k, l))) end
            assert.equal(0, bytes(k))
         end
      end
   end)

   it('has the transforms of four forms at most', function()
      local k, l = keeper(), convolution(forms[1])
      local one
      for n = 1, 9 do
         l.x = torch.FloatTensor(1, 8, 9 + 9 * n, 9 + 9 * n):uniform(-1, 1)
         assert.is_true(torch.equal(afresh(l.run), run_with(k, l)))
         one = one or bytes(k)
      end
      assert.is_true(bytes(k) < 40 * one)
      local before = bytes(k)
      for _ = 1, 3 do run_with(k, l) end
      assert.equal(before, bytes(k))
   end)

   it('gives the memory for later transforms back on request, and those are right', function()
      local list, large = {}, resident 'AnonHugePages'
      for i = 1, 4 do                                         -- 2 MB or less each
         local l, k = convolution(forms[1], 10), keeper()
         list[i] = { l = l, k = k, y = run_with(k, l) }
      end
      large = resident 'AnonHugePages' > large
      local before = resident()
      C.th_conv_keepers_trim()
      if large then assert.is_true(resident() < before) end
      for _, one in ipairs(list) do assert.is_true(torch.equal(one.y, run_with(one.k, one.l))) end
      local l, k = convolution(forms[1]), keeper()
      assert.is_true(torch.equal(afresh(l.run), run_with(k, l)))
      assert.is_true(bytes(k) > 0)
   end)

   it('lets no call read kernels whose numbers were dropped', function()
      local l, k = convolution(forms[1]), keeper()
      local expected = run_with(k, l)
      assert.equal(0, C.th_conv_keeper_sufficed(k))
      C.th_conv_keeper_gone(k, 1)
      refuses('the kernels of this convolution were dropped, and it needs them again', run_with, k,
         l)
      assert.equal(1, C.th_conv_keeper_missed(k))
      C.th_conv_keeper_gone(k, 0)
      assert.is_true(torch.equal(expected, run_with(k, l)))
      assert.equal(0, C.th_conv_keeper_missed(k))
   end)
end)

describe('torch.conv.keep', function()
   it('is 256 MB from the start, and refuses what is no number of bytes', function()
      assert.equal(2 ^ 28, torch.conv.keep)
      for _, bad in ipairs { -1, 1.5, 0 / 0, 1 / 0, 2 ^ 60, 'much', {}, false } do
         refuses('torch.conv.keep must be a number of bytes, 0 or more, got ', function() torch.conv.keep = bad end)
      end
      refuses('torch.conv.keep must be a number of bytes, 0 or more, got nil', function() torch.conv.keep = nil end)
      assert.equal(2 ^ 28, torch.conv.keep)
   end)
end)
