-- test/tools/steady_spec.lua - how a series of measurements is judged.
-- runs once
local steady = require 'test.support.steady'

local function series(n, f)
   local list = {}
   for i = 1, n do list[i] = f(i) end
   return list
end

describe('steady.growth', function()
   it('is the rise of a line from its first value to its last', function()
      assert.near(99, steady.growth(series(100, function(i) return 5 + i end)), 1e-9)
      assert.near(-49.5, steady.growth(series(100, function(i) return -i / 2 end)), 1e-9)
   end)
   it('is not moved by outliers', function()
      assert.near(99, steady.growth(series(100, function(i) return i % 7 == 0 and 1e6 or i end)), 1)
   end)
   it('is about 0 for values that go up and down', function()
      assert.near(0, steady.growth(series(99, function(i) return (i * 7919) % 101 end)), 10)
   end)
   it('is the same for a long series, of which it takes medians', function()
      assert.near(1e4, steady.growth(series(10000, function(i) return i end)), 60)
   end)
   it('is 0 where there is nothing to compare', function()
      assert.equal(0, steady.growth {})
      assert.equal(0, steady.growth { 7 })
   end)
end)

describe('steady.climbs', function()
   it('sees a count that rises', function()
      assert.is_true(steady.climbs(series(9, function(i) return i end)))
      assert.is_true(steady.climbs { 4, 5 })
   end)
   it('allows peaks that pass, and counts that fall', function()
      assert.is_false(steady.climbs { 4, 4, 4, 9, 9, 9, 9, 9, 4 })
      assert.is_false(steady.climbs { 5, 4, 4, 3 })
      assert.is_false(steady.climbs { 4 })
   end)
end)
