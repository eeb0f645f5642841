-- test/nn/memory_growth_spec.lua - memory stays flat while networks are trained, without calls of the collector.
-- runs once, on the plain build: AddressSanitizer keeps for a while what was given back

describe('training, without a call of the collector,', function()
   local growth = require 'bench.memory_growth'
   for _, network in ipairs(growth.networks) do
      it('keeps its memory flat: ' .. network[1], function()
         local seen, loss = growth.run(network[3], 20000 * network[2])
         local grown = seen[3][1] - seen[2][1]            -- the compiler and the collector need some thousand steps to be warm
         assert.is_true(loss < 1, loss)
         assert.is_true(grown < 4 * 2 ^ 20, ('%d bytes more than in the middle'):format(grown))
         assert.is_true(seen[3][2] < 16 * 2 ^ 20, ('%d bytes of tensors'):format(seen[3][2]))
      end)
   end
end)
