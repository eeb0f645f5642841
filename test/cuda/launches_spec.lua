-- test/cuda/launches_spec.lua - what a step of training asks of a device: kernels, waits, memory.
-- runs once, on the plain build: sanitizers see each release of memory
local device = require 'test.support.cuda.device'
local cutorch = device.cutorch

if device.missing('steps of training on a CUDA device', describe, pending) then return end
if not cutorch.getDeviceProperties(1).emulated then
   describe('a step of training', function()
      pending 'the emulated device counts: TH_CUDA=emu'
   end)
   return
end
local th = os.getenv 'TH' or 'build/bin/th'

-- The rows of bench/launches.lua by their names: launches, copies, waits, joins, allocations,
-- nodes, calls of a replay and its waits.
local function rows()
   local found = {}
   local f = io.popen(th .. ' bench/launches.lua 2>&1')
   for line in f:lines() do
      local name, rest = line:match '^| (%S.-) +|(.*)'
      local numbers = {}
      for n in (rest or ''):gmatch '[%d.e+]+' do numbers[#numbers + 1] = tonumber(n) end
      if #numbers == 8 then
         local r = {}
         r.launches, r.copies, r.waits, r.joins, r.allocations = unpack(numbers)
         r.nodes, r.replay, r.again = unpack(numbers, 6)
         found[name] = r
      end
   end
   f:close()
   return found
end

describe('a step of training that is repeated', function()
   local all = nil
   setup(function()
      all = rows()
      local n = 0
      for _ in pairs(all) do n = n + 1 end
      assert.equal(14, n)
   end)

   it('waits once, for its loss, and a replay of its graph never', function()
      for name, r in pairs(all) do
         assert(r.waits <= 1 and r.again == 0, ('%s: %g, %g'):format(name, r.waits, r.again))
      end
   end)
   it('allocates nothing', function()
      for name, r in pairs(all) do
         assert(r.allocations == 0, ('%s: %g'):format(name, r.allocations))
      end
   end)
   it('has at most 30 kernels a layer of a transformer, 28 of floats', function()
      for number, most in pairs { float = 28, bfloat16 = 30 } do
         local four, five = 'transformer 4, adamw, ' .. number, 'transformer 5, adamw, ' .. number
         local more = all[five].launches - all[four].launches
         assert(more <= most, ('%s: %g'):format(number, more))
      end
   end)
end)
