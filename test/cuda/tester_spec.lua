-- test/cuda/tester_spec.lua - torch.Tester compares tensors of a device.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local device = require 'test.support.cuda.device'

if device.missing('torch.Tester', describe, pending) then return end

describe('torch.Tester', function()
   it('compares tensors of a device by their values and types', function()
      local t, results = torch.Tester(), {}
      for _, word in ipairs { '', 'Half', 'Byte', 'Char', 'Short', 'Int', 'Long', 'Double' } do
         local x = torch['Cuda' .. word .. 'Tensor'](3):fill(2)
         t:add(function()
            results[#results + 1] = t:eq({ x }, { x:clone() }) and t:assertTensorEq(x, x:clone(), 0)
               and t:ne(x, x:clone():fill(1)) and t:assertTensorNe(x, x:clone():fill(1), 0.5)
               and t:assertTensorNe(x, torch.ones(3)) and t:assertTensorEq(x, x:clone():resize(1, 3), 0)
         end, 'type ' .. word)
      end
      t:setSummaryOnly(true)
      local write = io.write
      rawset(io, 'write', function() end)
      local ok, why = pcall(t.run, t)
      rawset(io, 'write', write)
      assert.is_true(ok, why)
      assert.same({ true, true, true, true, true, true, true, true }, results)
   end)
end)
