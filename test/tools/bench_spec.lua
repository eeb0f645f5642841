-- test/tools/bench_spec.lua - the benchmarks run and print their table; speed itself is not tested.
-- runs once, on the plain build: times say nothing under sanitizers
local measure = require 'bench.lib.measure'
local shell = require 'test.support.shell'

local TH = os.getenv 'TH' or 'build/bin/th'

local function run(arguments)
   local output, status = shell.run(("'%s' bench/run.lua %s"):format(TH, arguments))
   return status, output
end

describe('bench/run.lua', function()
   it('prints processor, date and load, and a row for each figure', function()
      local status, output = run '-only start -rounds 1'
      assert.equal(0, status, output)
      assert.truthy(output:find '^[^\n]+ cores, kernels %a+%d*, %d+%-%d+%-%d+ %d+:%d+ UTC; load %d')
      assert.truthy(output:find '| th %-e "require \'torch\'" +| at most 40 ms +| +[%d.]+ ms |')
      assert.truthy(output:find '| th %-e "require \'torch\'", resident +| at most 30 MB +| +[%d.]+ MB |')
   end)

   it('saves the table to the given file', function()
      local name = os.tmpname()
      local status, output = run('-only call -rounds 1 -save ' .. name)
      local file = assert(io.open(name))
      local kept = file:read '*a'
      file:close()
      os.remove(name)
      assert.equal(0, status, output)
      assert.equal('# Benchmarks\n\n' .. output, kept)
      assert.truthy(kept:find('| x:add(y), 10 floats', 1, true))
   end)

   it('continues without a peer that is not there, and says so', function()
      local status, output = run '-only call -rounds 1 -peer nothing'
      assert.equal(0, status, output)
      assert.truthy(output:find('no comparison with nothing: the only peer is pytorch', 1, true))
   end)

   it('refuses what it does not know', function()
      for _, wrong in ipairs { '-only nothing', '-speed 3', '-rounds' } do
         local status, output = run(wrong)
         assert.equal(2, status, output)
         assert.truthy(output:find '^bench: ', output)
      end
   end)
end)

describe('bench/models.lua', function()
   local function models(arguments)
      local pipe = io.popen(("'%s' bench/models.lua %s 2>&1 </dev/null"):format(TH, arguments))
      local text = pipe:read '*a'
      pipe:close()
      return text
   end

   it('trains every model, a row for each', function()
      local output = models '-rounds 1'
      for _, name in ipairs { 'MLP', 'LeNet', 'AlexNet', 'ResNet%-20', 'LSTM', 'transformer' } do
         assert.truthy(output:find('| ' .. name .. ', [^|]+| <= 1.00 of PyTorch +| +[%d.]+ ms |'), output)
      end
   end)

   it('says with -profile where the time of a step goes', function()
      local output = models '-only MLP -profile 1'
      assert.truthy(output:find '^MLP\n +[%d.]+ ms  a step\n' and output:find 'ms  nn.Linear updateOutput\n', output)
   end)
end)

describe('bench/fuse.lua', function()
   it('times every model with and without nn.fuse, a row for each', function()
      local pipe = io.popen(("'%s' bench/fuse.lua -rounds 1 -only ResNet 2>&1 </dev/null"):format(TH))
      local output = pipe:read '*a'
      pipe:close()
      assert.truthy(output:find '| ResNet%-20, batch 1 +| [^|]+| +[%d.]+ ms | +[%d.]+ ms | +[%d.]+ |', output)
      assert.truthy(output:find '| ResNet%-20, batch 32 +| [^|]+| +[%d.]+ ms | +[%d.]+ ms | +[%d.]+ |', output)
   end)
end)

describe('bench/compress.lua', function()
   it('packs and unpacks by every compressor, a row for each', function()
      local pipe = io.popen(("'%s' bench/compress.lua -floats 3000 -rounds 4 2>&1 </dev/null"):format(TH))
      local output = pipe:read '*a'
      pipe:close()
      for _, kind in ipairs { 'half', 'bfloat16', 'int8', 'onebit', 'topk' } do
         assert.truthy(output:find('| ' .. kind .. ' +| +[%d.]+ | +[%d.]+ | +[%d.]+ | +[%d.]+ | +%d+ %% | +[%d.]+ | +[%d.]+ |'), output)
      end
   end)
end)

describe('bench.lib.measure', function()
   it('takes the middle of the sorted figures', function()
      assert.equal(2, measure.median { 3, 1, 2 })
      assert.equal(2.5, measure.median { 4, 1, 3, 2 })
   end)

   it('runs the functions in turn, drops the first round and pairs the ratios', function()
      local order, ours, theirs = {}, { 9, 1, 2, 6 }, { 1, 2, 4, 2 }
      local medians, ratio = measure.interleaved(3, {
         function() order[#order + 1] = 'a' return table.remove(ours, 1) end,
         function() order[#order + 1] = 'b' return table.remove(theirs, 1) end })
      assert.equal('abababab', table.concat(order))
      assert.same({ 2, 2 }, medians)
      assert.equal(0.5, ratio)
   end)
end)

describe('bench/gpu.lua', function()
   local function gpu(environment, arguments)
      return shell.run(("%s '%s' bench/gpu.lua %s"):format(environment, TH, arguments))
   end

   it('says that there is no device where there is none', function()
      local output, status = gpu('env -u TH_CUDA CUDA_VISIBLE_DEVICES=none', '-only copy')
      assert.equal(1, status)
      assert.truthy(output:find('there is no CUDA device', 1, true) or output:find('this build has no CUDA backend', 1, true), output)
   end)

   it('continues after rows that fail, names them, and says so in its status', function()
      if require('test.support.cuda.device').missing('bench/gpu.lua', function() end, function() end) then return end
      local output, status = gpu('TH_CUDA=emu TH_CUDA_EMU_MEMORY=40000', "-rounds 1 -only '^adam step'")
      assert.equal(1, status, output)
      assert.matches('failed |', output, 1, true)
      assert.matches('out of memory', output, 1, true)
      assert.matches('| adam step ', output, 1, true)
      assert.matches('note: %d+ failed', output)
   end)

   it('tries itself on the emulated device, and says that it is one', function()
      if require('test.support.cuda.device').missing('bench/gpu.lua', function() end, function() end) then return end
      for _, name in ipairs { '^copy$', '^gemm bfloat16', '^L5 2 gradInput', '^adam step' } do
         local output, status = gpu('TH_CUDA=emu', ("-rounds 1 -only '%s'"):format(name))
         assert.equal(0, status, output)
         assert.matches('emulated CUDA device 1', output, 1, true)
         assert.matches('no time below says anything of a GPU', output, 1, true)
         assert.truthy(output:find('\n| ' .. name:sub(2, 5) .. '[^|]*| +[%d.]+ | +%- |'), output)
      end
   end)
end)
