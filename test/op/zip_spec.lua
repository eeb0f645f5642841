-- test/op/zip_spec.lua - two and three tensors, element by element.
local opcheck = require 'test.support.opcheck'
local inf, nan = 1 / 0, 0 / 0
local SIGNED = 'char short int long half bfloat16 float double'

opcheck.describe('cmul', function(op)
   op.dtypes 'all'
   op.gives({ 4, 10, 18 }, { 1, 2, 3 }, { 4, 5, 6 })
   op.gives({ { 2, 6 }, { 6, 12 } }, { { 1, 2 }, { 3, 4 } }, { { 2, 3 }, { 2, 3 } })
   op.gives({ { 2, 6 }, { 6, 12 } }, { { 1, 2 }, { 3, 4 } }, { 2, 3 })
   op.grad({ { 1, 2 }, { 3, 4 } }, { { 5 }, { 6 } })
   op.forms 'function result'
   op.gives({ { 3, 4, 5 }, { 6, 8, 10 } }, { { 1 }, { 2 } }, { 3, 4, 5 })
   op.refuses('z must have the size of x or one that broadcasts to it, got 2x2 and 3', { { 1, 2 }, { 3, 4 } }, { 1, 2, 3 })
   op.dtypes 'long'
   op.refuses('z must be a LongTensor like x, got a IntTensor', { 1 }, opcheck.int { 1 })
end)
opcheck.describe('addrelu', function(op)
   op.dtypes 'floats'
   op.gives({ 4, 0, 0, 2 }, { 1, -2, 3, 2 }, { 3, 1, -3, 0 })
   op.gives({ inf, nan, 0 }, { inf, nan, -inf }, { 1, 1, 1 })
   op.gives({ { 3, 0 }, { 5, 0 } }, { { 1, -3 }, { 3, -4 } }, { 2, 2 })
   op.grad({ 1, -2, 3 }, { 3, 1, -2 })
   op.refuses('z must have the size of x or one that broadcasts to it, got 2 and 3', { 1, 2 },
      { 1, 2, 3 })
end)
opcheck.describe('cdiv', function(op)
   op.dtypes 'all'
   op.gives({ 4, 2, 3 }, { 8, 6, 9 }, { 2, 3, 3 })
   op.dtypes 'ints'
   op.gives({ 3, 1 }, { 7, 5 }, { 2, 3 })
   op.refuses('z must not hold 0 for a', { 7, 5 }, { 2, 0 })
   op.refuses('z must not hold 0 for a', { { 7, 5 }, { 1, 2 } }, { 2, 0 })
   op.dtypes 'long'
   op.gives({ -2 ^ 63, -5 }, { -2 ^ 63, 5 }, { -1, -1 })
   op.dtypes 'half float double'
   op.gives({ inf, -inf, nan }, { 1, -1, 0 }, { 0, 0, 0 })
   op.grad({ 1, 2 }, { 3, -4 })
end)
for _, name in ipairs { 'cfmod', 'cmod' } do
   opcheck.describe(name, function(op)
      op.dtypes 'all'
      op.gives({ 1, 2, 0 }, { 7, 6, 9 }, { 2, 4, 3 })
      op.dtypes(SIGNED)
      op.gives({ 2, -2, 2, -2 }, { 5, -5, 5, -5 }, { 3, 3, -3, -3 })
      op.dtypes 'ints'
      op.refuses('z must not hold 0 for a', { 7, 5 }, { 2, 0 })
      op.grad({ 7.5, -6.5 }, { 2, 4 })
   end)
end
opcheck.describe('cremainder', function(op)
   op.dtypes(SIGNED)
   op.gives({ 2, 1, -1, -2 }, { 5, -5, 5, -5 }, { 3, 3, -3, -3 })
   op.dtypes 'ints'
   op.refuses('z must not hold 0 for a', { 7, 5 }, { 2, 0 })
   op.grad({ 7.5, -6.5 }, { 2, 4 })
end)
opcheck.describe('cpow', function(op)
   op.dtypes 'all'
   op.gives({ 1, 8, 9, 1 }, { 1, 2, 3, 0 }, { 5, 3, 2, 0 })
   op.dtypes 'char short int long'
   op.gives({ 1, -1, 0 }, { 1, -1, 5 }, { -2, -3, -1 })
   op.refuses('z must not be negative where x is 0 for a', { 0, 1 }, { -1, 1 })
   op.dtypes 'byte'
   op.gives({ 0 }, { 2 }, { 8 })
   op.grad({ 1.5, 2 }, { 2.5, -1 })
end)
opcheck.describe('atan2', function(op)
   op.dtypes 'floats'
   op.gives({ math.atan2(1, -3), math.atan2(-2, 1), 0 }, { 1, -2, 0 }, { -3, 1, 2 })
   op.grad({ 1, -2 }, { -3, 1 })
end)
opcheck.describe('lerp', function(op)
   op.dtypes 'floats'
   op.gives({ 1.5, 3 }, { 1, 2 }, { 3, 6 }, 0.25)
   op.grad({ 1, 2 }, { 3, 6 }, 0.25)
   op.refuses('lerp', { 1, 2 }, { 3, 6 })
end)
opcheck.describe('clshift', function(op)
   op.dtypes 'all'
   op.gives({ 2, 8, 0 }, { 1, 2, 0 }, { 1, 2, 3 })
   op.dtypes 'char short int long'
   op.refuses('z must not be negative for a', { 1, 2 }, { 1, -1 })
   op.dtypes 'byte'
   op.gives({ 0, 0, 254 }, { 1, 255, 255 }, { 8, 200, 1 })
end)
opcheck.describe('crshift', function(op)
   op.dtypes 'ints'
   op.gives({ 2, 1, 0 }, { 4, 7, 9 }, { 1, 2, 100 })
   op.dtypes 'char short int long'
   op.refuses('z must not be negative for a', { 1, 2 }, { 1, -1 })
   op.dtypes 'int'
   op.gives({ 2147483647 }, { -1 }, { 1 })
   op.dtypes 'floats'
   op.gives({ 2, 1.75 }, { 4, 7 }, { 1, 2 })
end)
opcheck.describe('cbitand', function(op)
   op.dtypes 'ints'
   op.gives({ 4, 1 }, { 6, 9 }, { 5, 3 })
end)
opcheck.describe('cbitor', function(op)
   op.dtypes 'ints'
   op.gives({ 7, 11 }, { 6, 9 }, { 5, 3 })
end)
opcheck.describe('cbitxor', function(op)
   op.dtypes 'ints'
   op.gives({ 3, 10 }, { 6, 9 }, { 5, 3 })
end)
opcheck.describe('addcmul', function(op)
   op.dtypes 'all'
   op.gives({ 9, 14 }, { 1, 2 }, { 2, 3 }, { 4, 4 })
   op.gives({ 17, 26 }, { 1, 2 }, 2, { 2, 3 }, { 4, 4 })
   op.gives({ { 7, 8 }, { 9, 10 } }, { { 1, 2 }, { 3, 4 } }, { { 2, 2 }, { 2, 2 } }, { { 3, 3 }, { 3, 3 } })
   op.grad({ 1, 2 }, 2, { 2, 3 }, { 4, 5 })
   op.refuses('z1 must have the size of x or one that broadcasts to it', { 1, 2 }, 1, { 1, 2, 3 }, { 1, 2, 3 })
end)
opcheck.describe('addcdiv', function(op)
   op.dtypes 'all'
   op.gives({ 3, 3 }, { 1, 2 }, { 8, 5 }, { 4, 5 })
   op.gives({ 5, 4 }, { 1, 2 }, 2, { 8, 5 }, { 4, 5 })
   op.grad({ 1, 2 }, 2, { 2, 3 }, { 4, 5 })
   op.dtypes 'ints'
   op.gives({ 4 }, { 1 }, 2, { 5 }, { 3 })               -- (2 * 5) / 3 is truncated last
   op.refuses('z2 must not hold 0 for a', { 1, 2 }, { 2, 3 }, { 4, 0 })
end)
