-- test/tools/cudnn_plans_spec.lua - bench/cudnn_plans.lua lists plans of a cuDNN that is installed.
-- runs once, on the plain build: the program loads a library of others
local shell = require 'test.support.shell'

local TH = os.getenv 'TH' or 'build/bin/th'
local function run(arguments)
   return shell.run(("'%s' bench/cudnn_plans.lua %s"):format(TH, arguments))
end

describe('bench/cudnn_plans.lua', function()
   it('refuses a library that is missing, unknown GPUs, groups that do not divide 64', function()
      for arguments, text in pairs {
         ['-library libnothing.so'] = 'bench: there is no cuDNN: libnothing.so: cannot open',
         ['-gpu nothing'] = 'bench: nothing is neither a known GPU (h200) nor a file',
         ['-groups 5'] = 'bench: -groups must divide 64, got 5',
         ['-groups 0'] = 'bench: -groups must divide 64, got 0' } do
         local output, status = run(arguments)
         assert.equal(1, status, output)
         assert.truthy(output:find(text, 1, true), output)
      end
   end)

   it('has a row for each pass, type and layout where the loader finds cuDNN 9.8', function()
      local output, status = run ''
      if output:find 'there is no cuDNN' or output:find 'cannot plan without' then
         return pending(output)
      end
      assert.equal(0, status, output)
      assert.truthy(output:find '^cuDNN %d+, NVIDIA H200\n', output)
      local _, rows = output:gsub('\n| %d+x', '')
      assert.equal(6 * 4 * 4 * 2, rows)
      assert.truthy(output:find '| forward, bias | half | NCHW | %d+ | tensor cores | %d+%.%d |')
      for line in output:gmatch '[^\n]+' do assert.falsy(line:find 'nondeterministic') end
   end)
end)
