-- test/torch/timeit_spec.lua - the figures of %timeit.
-- runs once
local timeit = require 'torch.timeit'

local function text(mean, deviation, runs)
   return timeit.text { mean = mean, deviation = deviation, rounds = 7, runs = runs or 1 }
end

describe('torch.timeit', function()
   it('writes three digits, in the unit of the mean', function()
      assert.equal('12.3 µs ± 0.4 µs (7 rounds of 10,000)', text(12.34e-6, 0.44e-6, 10000))
      assert.equal('1.23 ms ± 0.04 ms (7 rounds of 100)', text(1.234e-3, 0.044e-3, 100))
      assert.equal('123 ns ± 4 ns (7 rounds of 1,000,000)', text(123.4e-9, 4.4e-9, 1e6))
      assert.equal('45.7 s ± 1.0 s (7 rounds of 1)', text(45.67, 1))
      assert.equal('0.45 ns ± 0.00 ns (7 rounds of 1)', text(0.45e-9, 1e-15))
   end)
   it('rounds up to the next unit', function()
      assert.equal('1.00 s ± 0.00 s (7 rounds of 1)', text(0.9999, 0))
      assert.equal('999 ms ± 0 ms (7 rounds of 1)', text(0.9994, 0))
      assert.equal('10.0 µs ± 0.0 µs (7 rounds of 1)', text(9.996e-6, 0))
      assert.equal('100 µs ± 0 µs (7 rounds of 1)', text(99.96e-6, 0))
   end)
   it('runs the function as often as it says, after runs that choose the number', function()
      local count, wait = 0, require 'sys'.sleep
      local result = timeit.measure(function()
         count = count + 1
         wait(0.025)
      end)
      local tries = { [1] = 0, [2] = 1, [5] = 3 }               -- runs before the first full round
      assert.truthy(tries[result.runs], result.runs)
      assert.equal(7, result.rounds)
      assert.equal(1 + tries[result.runs] + 7 * result.runs, count)
      assert.is_true(result.mean >= 0.025)
      assert.is_true(result.deviation >= 0 and result.deviation < 7 * result.mean)
   end)
end)
