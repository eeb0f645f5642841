-- test/cuda/conv_engines_spec.lua - the engines of convolution on a device give what the CPU gives in double, and one chooser
-- serves both.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local refuses = require 'test.refuses'
local temporary = require 'test.temporary'
local device = require 'test.cuda.device'

if device.missing('engines of convolution on a CUDA device', describe, pending) then return end

local TH = os.getenv 'TH' or 'build/bin/th'

-- What a script prints in a process of its own, with its errors.
local function child(script, environment)
   local name = temporary.put("require 'cutorch'\n" .. script, '.lua')
   local p = io.popen(("TH_CACHE_DIR= %s '%s' '%s' 2>&1 </dev/null; echo \"status $?\""):format(environment or '', TH, name))
   local text = p:read '*a'
   p:close()
   return (text:gsub('status 0\n$', ''))
end

after_each(function()
   torch.conv.engine, torch.conv.prefer = nil, nil
   temporary.remove()
end)

local function forced(engine, f, ...)
   torch.conv.engine = engine
   local ok, y = pcall(f, ...)
   torch.conv.engine = nil
   return (assert(ok and y, y))
end

describe('torch.conv on a CUDA device', function()
   local x, w
   before_each(function()
      torch.manualSeed(3)
      x, w = torch.CudaTensor(2, 4, 14, 14):uniform(-1, 1), torch.CudaTensor(8, 4, 5, 5):uniform(-1, 1)
   end)

   it('knows the engines of both, and what the other one has not', function()
      local list = table.concat(torch.conv.engines(), ' ')
      assert.truthy(list:find 'gemm .*winograd')
      assert.is_nil(torch.conv.missing('gemm', 1))
      assert.is_nil(torch.conv.missing('gemm', 0))
      assert.equal('CUDA devices have no such engine', torch.conv.missing('winograd', 1))
      assert.is_nil(torch.conv.missing 'winograd')
   end)

   it('leaves the choice to the model where an engine is only of the other', function()
      local usual = torch.conv.choice('forward', x, w)
      assert.equal(usual, forced('winograd', torch.conv.choice, 'forward', x, w))
      assert.is_true(torch.equal(torch.conv2d(x, w), forced('winograd', torch.conv2d, x, w)))
      assert.equal(usual, torch.conv.with('winograd', torch.conv.choice, 'forward', x, w))
   end)

   it('refuses names that no engine has', function()
      refuses('torch.conv.engine must be nil or one of gemm, ', function() torch.conv.engine = 'cuda' end)
      refuses(', got cuda', function() torch.conv.engine = 'cuda' end)
      refuses('torch.conv.missing: engine must be one of gemm, ', torch.conv.missing, 'cuda')
      for _, d in ipairs { 3, 0.5, -1, 'one', 0 / 0 } do
         refuses('torch.conv.missing: device must be a whole number from 0 to 2, got ', torch.conv.missing, 'gemm', d)
      end
   end)

   it('explains for tensors there, and for sizes with a device', function()
      local text = torch.conv.explain(x, w)
      assert.truthy(text:find(require 'cutorch'.getDeviceProperties(1).name, 1, true), text)
      assert.truthy(text:find '\n   gemm +[%d%.]+ ms predicted', text)
      assert.is_nil(text:find 'winograd')
      assert.equal(text, torch.conv.explain({ 2, 4, 14, 14, device = 1 }, { 8, 4, 5, 5 }))
      assert.truthy(torch.conv.explain({ 2, 4, 14, 14, device = 0 }, { 8, 4, 5, 5 }):find 'threads\n')
      assert.truthy(forced('gemm', torch.conv.explain, x, w):find 'forward: gemm, forced\n')
      for _, d in ipairs { 3, -1, 0.5, 'one', 0 / 0 } do
         refuses('torch.conv.explain: x.device must be a whole number from 0 to 2, got ', torch.conv.explain,
            { 2, 4, 14, 14, device = d }, { 8, 4, 5, 5 })
      end
   end)

   it('predicts every engine for huge and for empty images', function()
      for _, s in ipairs { { { 1, 1, 1, 2 ^ 30, device = 1 }, { 1, 1, 1, 5 } },
         { { 0, 4, 9, 9, device = 1 }, { 8, 4, 5, 5 } },
         { { 64, 512, 512, 512, device = 1 }, { 512, 512, 9, 9 } } } do
         assert.truthy(torch.conv.explain(unpack(s)):find 'forward: %w+')
      end
   end)

   it('measures each model of device by itself, keeps that in the file, and has the fastest compute', function()
      local cache = temporary.name ''
      os.remove(cache)
      local script = [[
         torch.manualSeed(5)
         local x, w = torch.CudaTensor(1, 8, 20, 20):uniform(-1, 1), torch.CudaTensor(16, 8, 5, 5):uniform(-1, 1)
         local before = { x:clone(), w:clone() }
         torch.conv.benchmark = true
         local g = torch.CudaTensor(1, 16, 16, 16):uniform(-1, 1)
         local y, gx, gw = torch.conv2d(x, w), torch.conv2d_grad_input(x, g, w), w:clone():zero()
         torch.conv2d_grad_weight(gw, nil, x, g)
         assert(torch.equal(x, before[1]) and torch.equal(w, before[2]))
         local text, n = torch.conv.explain(x, w), 0
         for _ in text:gmatch 'ms measured' do n = n + 1 end
         local chosen = torch.conv.choice('forward', x, w)
         assert(text:find('forward: ' .. chosen .. ', measured', 1, true), text)
         torch.conv.benchmark = false
         torch.conv.engine = chosen
         assert(torch.equal(y, torch.conv2d(x, w)))
         print(n, chosen)
      ]]
      local first = child(script, ("TH_CACHE_DIR='%s'"):format(cache))
      local n = tonumber(first:match '^%d+')
      assert(n and n >= 3 and not first:find 'status', first)
      local p = io.popen(("cat '%s'/*.txt"):format(cache))
      local text = p:read '*a'
      p:close()
      assert.truthy(text:find '\n"[^"\n]+" 0 %d+ ', text)
      -- Without a device the file stays as it is but for what is added, with it nothing is measured again.
      local other = temporary.put([[
         torch.conv.benchmark = true
         torch.conv2d(torch.FloatTensor(1, 8, 20, 20):zero(), torch.FloatTensor(16, 8, 5, 5):zero())
      ]], '.lua')
      assert.equal(0, os.execute(("TH_CACHE_DIR='%s' '%s' '%s'"):format(cache, TH, other)))
      local second = io.popen(("cat '%s'/*.txt"):format(cache))
      local now = second:read '*a'
      second:close()
      for line in text:gmatch '"[^\n]+' do assert(now:find(line, 1, true), now) end
      assert.equal(first, child(script, ("TH_CACHE_DIR='%s'"):format(cache)))
      os.execute(("rm -r '%s'"):format(cache))
   end)
end)
