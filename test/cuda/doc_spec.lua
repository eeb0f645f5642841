-- test/cuda/doc_spec.lua - help of cutorch and cunn: every name has a text, examples give what they say; cutorch.test, cunn.test.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local doc = require 'torch.doc'
local refuses = require 'test.support.refuses'
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('help of cutorch', describe, pending) then return end
local cunn = require 'cunn'

-- Names that the packages bring, also those that they add to torch, to tensors and to storages.
local function ours()
   local list = {}
   for _, key in ipairs(doc.names()) do
      local entry = doc.entry(key)
      local file = entry and entry.file or ''
      if key:find '^cutorch' or key:find '^cunn' or key:find '^torch%.Cuda' or file:find 'lua/cutorch/' or file:find 'lua/cunn/' then
         list[#list + 1] = key
      end
   end
   for _, key in ipairs { 'Tensor:cuda', 'Tensor:cudaLong', 'Tensor:copyAsync', 'Tensor:getDevice', 'Storage:getDevice' } do list[#list + 1] = key end
   return list
end

describe('every name of cutorch and cunn', function()
   it('has a text', function()
      local silent, count = {}, 0
      for _, key in ipairs(ours()) do
         local entry = doc.entry(key)
         count = count + 1
         if not entry or not table.concat(entry.text):match '%a' or not entry.usage[1] then silent[#silent + 1] = key end
      end
      assert.equal('', table.concat(silent, ' '))
      assert.is_true(count > 80, count)
   end)
   it('has examples that give what they say', function()
      local wrong, count = {}, 0
      for _, key in ipairs(ours()) do
         for _, e in ipairs(doc.entry(key).examples) do
            count = count + 1
            local got, why = doc.run(e.code)
            if got ~= e.result then wrong[#wrong + 1] = ('%s: %s gives %s, not %s'):format(key, e.code, tostring(got or why), e.result) end
         end
      end
      assert.equal('', table.concat(wrong, '\n'))
      assert.is_true(count > 20, count)
   end)
   it('is found by ? at the prompt', function()
      assert.truthy(torch.help 'cutorch':find('setDevice', 1, true))
      assert.truthy(torch.help 'cutorch.withDevice':find('cutorch.withDevice(device, f)', 1, true))
   end)
end)

describe('the packages of a script of Torch7', function()
   it('are there', function()
      assert.equal('table', type(require 'fbcunn'))
      assert.is_true(rawequal(cunn, require 'cunn'))
      assert.is_true(rawequal(_G.cutorch, require 'cutorch'))
   end)
end)

describe('tests of the installation', function()
   local write
   setup(function()
      write = io.write
      io.write = function() end
   end)
   teardown(function() io.write = write end)

   it('run the examples of all ops on the device', function()
      assert.equal(0, cutorch.test())
      assert.equal('torch.DoubleTensor', torch.getdefaulttensortype())
   end)
   it('run the examples of nn on the device', function()
      assert.equal(0, cunn.test())
      assert.equal(0, nn.testcuda { 'nn.Spatial' })
      assert.equal(0, nn.testcuda({ 'nn.Linear' }, true, 1, 5))
   end)
   it('refuse what names nothing', function()
      refuses('cutorch.test: tests must be a name or a table of names, got a number (3)', cutorch.test, 3)
      refuses('cunn.test: tests must be a name or a table of names, got a boolean (true)', cunn.test, true)
   end)
end)
