-- test/op/diagonal_spec.lua - tril, triu, diag, trace, cross.
local opcheck = require 'test.support.opcheck'

local square = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } }

opcheck.describe('tril', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 0, 0 }, { 4, 5, 0 }, { 7, 8, 9 } }, square)
   op.gives({ { 1, 2, 0 }, { 4, 5, 6 }, { 7, 8, 9 } }, square, 1)
   op.gives({ { 0, 0, 0 }, { 4, 0, 0 }, { 7, 8, 0 } }, square, -1)
   op.gives({ { 0, 0 } }, { { 1, 2 } }, -9)
   op.gives({ { 1, 2 } }, { { 1, 2 } }, 9)
   op.gives({ { 1, 2 } }, { { 1, 2 } }, 2 ^ 53)
   op.refuses('x must have 2 dimensions, got size 3', { 1, 2, 3 })
   op.grad(square, 1)
end)

opcheck.describe('triu', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 2, 3 }, { 0, 5, 6 }, { 0, 0, 9 } }, square)
   op.gives({ { 0, 2, 3 }, { 0, 0, 6 }, { 0, 0, 0 } }, square, 1)
   op.gives({ { 1, 2, 3 }, { 4, 5, 6 }, { 0, 8, 9 } }, square, -1)
   op.refuses('x must have 2 dimensions, got size 1x1x1', { { { 1 } } })
   op.grad(square)
end)

opcheck.describe('diag', function(op)
   op.dtypes 'all'
   op.gives({ { 1, 0 }, { 0, 2 } }, { 1, 2 })
   op.gives({ { 0, 1, 0 }, { 0, 0, 2 }, { 0, 0, 0 } }, { 1, 2 }, 1)
   op.gives({ { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } }, { 1, 2 }, -1)
   op.gives({ 1, 5, 9 }, square)
   op.gives({ 2, 6 }, square, 1)
   op.gives({ 7 }, square, -2)
   op.gives({ 2, 6 }, { { 1, 2, 3 }, { 4, 5, 6 } }, 1)
   op.gives({ 3 }, { { 1, 2, 3 }, { 4, 5, 6 } }, 2)
   op.refuses('k must name a diagonal of x, of size 3x3, got 3', square, 3)
   op.refuses('k must name a diagonal of x, of size 3x3, got -3', square, -3)
   op.refuses('x must have 1 to 2 dimensions, got size 1x1x1', { { { 1 } } })
   op.refuses('k must lie in', { 1, 2 }, 2 ^ 53)
end)

opcheck.describe('trace', function(op)
   op.dtypes 'all'
   op.gives(15, square)
   op.gives(6, { { 1, 2, 3 }, { 4, 5, 6 } })
   op.refuses('x must have 2 dimensions, got size 3', { 1, 2, 3 })
end)

opcheck.describe('cross', function(op)
   op.dtypes 'signed'
   op.gives({ 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 })
   op.gives({ { -3, 6, -3 } }, { { 1, 2, 3 } }, { { 4, 5, 6 } })
   op.gives({ { 0 }, { 0 }, { -1 } }, { { 0 }, { 1 }, { 0 } }, { { 1 }, { 0 }, { 0 } }, 1)
   op.refuses('a must have a dimension of size 3, got size 2x2', { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 } })
   op.refuses('a must have size 3 along dimension 1, got size 1x3', { { 1, 2, 3 } }, { { 1, 2, 3 } }, 1)
   op.refuses('b must have the size of a, 3, got 2', { 1, 2, 3 }, { 1, 2 })
   op.refuses('dim must lie in 1..1, got 2', { 1, 2, 3 }, { 1, 2, 3 }, 2)
   op.grad({ 1, 2, 3 }, { 4, 5, 7 })
end)
