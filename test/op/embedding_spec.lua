-- test/op/embedding_spec.lua - rows picked by number, and the gradient added back.
local torch, opcheck = require 'torch', require 'test.support.opcheck'

local W = { { 1, 2 }, { 3, 4 }, { 5, 6 } }

opcheck.describe('embedding', function(op)
   op.dtypes 'all'
   op.gives({ { 5, 6 }, { 1, 2 }, { 5, 6 } }, W, opcheck.long { 3, 1, 3 })
   op.gives({ { { 5, 6 }, { 1, 2 } }, { { 3, 4 }, { 3, 4 } } }, W, opcheck.long { { 3, 1 }, { 2, 2 } })
   op.gives({ 7, 9 }, { 9, 7 }, opcheck.long { 2, 1 })
   op.grad(W, opcheck.long { { 3, 1 }, { 3, 3 } })
   op.grad({ 9, 7 }, opcheck.long { 2, 1, 2 })
   op.refuses('index must lie in 1..3, got 4 at place 2 of index', W, opcheck.long { 1, 4 })
   op.refuses('index must lie in 1..3, got 0 at place 1 of index', W, opcheck.long { 0 })
   op.refuses('index must be a LongTensor', W, opcheck.short { 1 })
end)

opcheck.describe('embedding_grad', function(op)
   op.dtypes 'floats'
   op.gives({ { 1.5, 4 }, { 3, 4 }, { 7, 9 } }, W, opcheck.long { 3, 1, 3 }, { { 1, 2 }, { 1, 4 }, { 3, 4 } }, 0.5)
   op.gives({ { 1, 2 }, { 4, 6 }, { 5, 6 } }, W, opcheck.long { 2, 1 }, { { 1, 2 }, { 1, 4 } }, 1, 1)
   op.refuses('index must lie in 1..3, got 4 at place 1', W, opcheck.long { 4 }, { { 1, 2 } })
   op.refuses('g must have a row of gw for each index, got sizes 1x2, 3x2 and 2', W, opcheck.long { 1, 2 }, { { 1, 2 } })
end)

describe('embedding', function()
   it('of no index has no row', function()
      local y = torch.embedding(torch.FloatTensor(3, 2):fill(1), torch.LongTensor())
      assert.same({ 0, 2 }, y:size():totable())
   end)
end)
