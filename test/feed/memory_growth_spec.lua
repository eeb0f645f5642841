-- test/feed/memory_growth_spec.lua - memory over many batches: fewer of them than test/support/feed_memory.lua reads by itself.
-- runs once, on the plain build: AddressSanitizer keeps what has been freed
local TH = require 'test.support.feed'.TH

local function run(options)
   local p = io.popen(("timeout 300 '%s' test/support/feed_memory.lua %s 2>&1; echo status $?"):format(TH, options))
   local out = p:read '*a'
   p:close()
   return out
end

describe('the memory of a process', function()
   it('stays flat over batches of packed records, for 0, 1 and 4 workers', function()
      for kind, batches in pairs { tensors = 20000, tables = 5000 } do        -- the first of which warm up for less long
         local out = run(('-kind %s -batches %d -most 40'):format(kind, batches))
         assert.truthy(out:find '\nmemory is flat\nstatus 0\n$', out)
         for _, workers in ipairs { 0, 1, 4 } do
            assert.truthy(out:find(('%s, %d workers: %d batches in '):format(kind, workers, batches), 1, true), out)
         end
      end
   end)
   it('that does not is seen', function()
      local out = run '-kind tensors -workers 1 -batches 3000 -keep'
      assert.truthy(out:find 'MB after it: NOT FLAT, 16 MB more would be\nstatus 1\n$', out)
   end)
   it('is looked at as told, or not at all', function()
      assert.truthy(run '-batches 9':find 'batches must be 10 at least.*status 1\n$')
      assert.truthy(run '-kind x':find 'kind must be tensors or tables.*status 1\n$')
   end)
end)
