-- test/op/cat_spec.lua - joining tensors.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

opcheck.describe('cat', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 3 }, { 1, 2 }, { 3 })
   op.gives({ { 1, 2, 5 }, { 3, 4, 6 } }, { { 1, 2 }, { 3, 4 } }, { { 5 }, { 6 } })
   op.gives({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, { { 1, 2 }, { 3, 4 } }, { { 5, 6 } }, 1)
   op.gives({ { 1, 3 }, { 2, 4 } }, { 1, 2 }, { 3, 4 }, 2)
   op.gives({ { { 1, 2 } } }, { { 1 } }, { { 2 } }, 3)
   op.gives({ 1, 2 }, {}, { 1, 2 })
   op.gives({}, {}, {})
   op.refuses('tensor 2 must have the size of the first, 2x2, dimension 1 aside, got 1x3',
      { { 1, 2 }, { 3, 4 } }, { { 5, 6, 7 } }, 1)
   op.refuses('dim must lie in 1..16, got 0', { 1 }, { 2 }, 0)
   op.refuses('dim must lie in 1..16, got 17', { 1 }, { 2 }, 17)
   op.dtypes 'double'
   op.refuses('tensor 2 must be a DoubleTensor like the first, got a FloatTensor', { 1 }, opcheck.float { 2 })
end)

describe('torch.cat of a table', function()
   local function row(...) return torch.DoubleTensor { ... } end
   local function rows(t) return table.concat(t:totable(), ' ') end

   it('joins any number of tensors, skipping empty ones', function()
      assert.equal('1 2 3 4', rows(torch.cat { row(1), row(), row(2, 3), row(4) }))
      assert.equal('1 2', rows(torch.cat({ row(1, 2) }, 1)))
      assert.equal(0, torch.cat({ row(), row() }, 1):nElement())
      local r = torch.DoubleTensor(7, 7)
      assert.is_true(rawequal(r, torch.cat(r, { row(1), row(2) }, 1)))
      assert.equal('1 2', rows(r))
   end)

   it('may have its result among the tensors', function()
      local x = row(1, 2)
      torch.cat(x, { x, x }, 1)
      assert.equal('1 2 1 2', rows(x))
      torch.cat(x, x:narrow(1, 1, 1), x)
      assert.equal('1 1 2 1 2', rows(x))
   end)

   it('refuses an empty table and mixed types', function()
      assert.error_matches(function() torch.cat {} end, 'at least one tensor')
      assert.error_matches(function() torch.cat { row(1), torch.FloatTensor { 1 } } end,
         'tensor 2 must be a DoubleTensor like the first, got a FloatTensor')
   end)
end)
