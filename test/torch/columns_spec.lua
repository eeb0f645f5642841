-- test/torch/columns_spec.lua - tables of text, bytes with a unit, digits in groups.
-- runs once
local columns = require 'torch.columns'

describe('torch.columns', function()
   it('writes bytes in the largest unit that leaves at least 1', function()
      for text, n in pairs { ['0 B'] = 0, ['1023 B'] = 1023, ['1.0 KB'] = 1024, ['1.5 KB'] = 1536,
                             ['97.7 MB'] = 102445875, ['3.0 GB'] = 3 * 2 ^ 30,
                             ['2048.0 GB'] = 2 ^ 41 } do
         assert.equal(text, columns.bytes(n))
      end
   end)
   it('groups digits by three', function()
      for text, n in pairs { ['0'] = 0, ['999'] = 999, ['1,000'] = 1000, ['123,456'] = 123456,
                             ['1,234,567'] = 1234567, ['-1,000'] = -1000,
                             ['9,007,199,254,740,992'] = 2 ^ 53, ['inf'] = math.huge } do
         assert.equal(text, columns.grouped(n))
      end
   end)
   it('aligns columns, to the right from one on, without blanks at the ends', function()
      assert.same({ 'a       b    c', 'longer  x  100', 'd       y' },
                  columns.lines({ { 'a', 'b', 'c' }, { 'longer', 'x', '100' },
                                  { 'd', 'y', '' } }, 3))
      assert.same({}, columns.lines({}, 1))
   end)
end)
