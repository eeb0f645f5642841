-- test/op/add_spec.lua - add, csub, mul, div with a number; add, csub, cmul, cdiv with a tensor.
local opcheck = require 'test.support.opcheck'

opcheck.describe('add', function(op)
   op.dtypes 'all'
   op.gives({ 3, 4, 5 }, { 1, 2, 3 }, 2)
   op.gives({ { 2, 3 }, { 4, 5 }, { 6, 7 } }, { { 1, 2 }, { 3, 4 }, { 5, 6 } }, 1)
   op.gives({ 5, 7, 9 }, { 1, 2, 3 }, { 4, 5, 6 })
   op.gives({ { 9, 12 }, { 15, 18 } }, { { 1, 2 }, { 3, 4 } }, 2, { { 4, 5 }, { 6, 7 } })
   op.gives({ { 2, 3, 4 }, { 5, 6, 7 } }, { { 1, 2, 3 }, { 4, 5, 6 } }, { 1 })
   op.gives({ { 2, 3 }, { 4, 5 } }, { { 1, 2 }, { 3, 4 } }, { { 1, 1 }, { 1, 1 } })
   op.forms 'function result'
   op.gives({ { 11, 21, 31 }, { 12, 22, 32 } }, { { 1 }, { 2 } }, { { 10, 20, 30 } })
   op.gives({ { 2, 4 }, { 6, 8 } }, { { 1, 2 }, { 3, 4 } }, { 1, 2, 3, 4 })
   op.gives({}, {}, 2)
   op.gives({}, {}, {})
   op.refuses('z must have the size of x or one that broadcasts to it, got 3 and 2', { 1, 2, 3 }, { 1, 2 })
   op.dtypes 'double'
   op.grad({ 1, 2, 3 }, 2)
   op.grad({ { 1, 2 }, { 3, 4 } }, 0.5, { 5, 6 })
   op.refuses('z must be a DoubleTensor like x, got a FloatTensor', { 1, 2 }, opcheck.float { 1, 2 })
   op.dtypes 'ints'
   op.gives({ 3 }, { 1 }, 2.9)
   op.refuses('value must be a number of at most 64 bits', { 1 }, 1 / 0)
   op.refuses('value must be a number of at most 64 bits', { 1 }, 0 / 0)
   op.dtypes 'byte'
   op.gives({ 0, 255 }, { 255, 254 }, 1)
   op.gives({ 0, 44 }, { 1, 45 }, -1)
end)
