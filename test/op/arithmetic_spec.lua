-- test/op/arithmetic_spec.lua - arithmetic with a number: csub mul div fmod mod remainder pow cmax cmin clamp, shifts, bits.
local torch = require 'torch'
local opcheck = require 'test.support.opcheck'
local inf, nan = 1 / 0, 0 / 0
local SIGNED = 'char short int long half bfloat16 float double'

opcheck.describe('mul', function(op)
   op.dtypes 'all'
   op.gives({ 2, 4, 6 }, { 1, 2, 3 }, 2)
   op.gives({ { 3, 6 }, { 9, 12 } }, { { 1, 2 }, { 3, 4 } }, 3)
   op.gives({ { 4, 4 }, { 4, 4 } }, { { 2, 2 }, { 2, 2 } }, 2)
   op.grad({ 1, -2 }, 3)
   op.refuses('must be', { 1 }, 'x')
   op.dtypes 'short'
   op.gives({ -25536 }, { 200 }, 200)
end)
opcheck.describe('div', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 3 }, { 2, 4, 6 }, 2)
   op.dtypes 'char short int long'
   op.gives({ -2, -2, 2, 3 }, { -5, -4, 5, 6 }, 2)
   op.refuses('value must not be 0', { 1, 2 }, 0)
   op.refuses('value must not be 0', { 1, 2 }, 0.5)
   op.dtypes 'byte'
   op.refuses('value must not be 0', { 1, 2 }, 256)
   op.dtypes 'char'
   op.gives({ -128, 127 }, { -128, -127 }, -1)
   op.dtypes 'long'
   op.gives({ -2 ^ 63 }, { -2 ^ 63 }, -1)
   op.dtypes 'half float double'
   op.gives({ inf, -inf, nan }, { 1, -1, 0 }, 0)
   op.grad({ 1, -2 }, 3)
end)
opcheck.describe('csub', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 3 }, { 3, 4, 5 }, 2)
   op.gives({ 3, 2 }, { 5, 6 }, { 2, 4 })
   op.gives({ { 1, 1 }, { 2, 2 } }, { { 7, 9 }, { 12, 14 } }, 2, { { 3, 4 }, { 5, 6 } })
   op.grad({ 1, 2 }, 5)
   op.grad({ 1, 2 }, 0.5, { 3, 4 })
   op.dtypes 'byte'
   op.gives({ 255 }, { 1 }, 2)
end)
for _, name in ipairs { 'fmod', 'mod' } do
   opcheck.describe(name, function(op)
      op.dtypes 'all'
      op.gives({ 1, 2, 0 }, { 7, 2, 3 }, 3)
      op.dtypes(SIGNED)
      op.gives({ 2, -2, 1, -1 }, { 5, -5, 7, -7 }, 3)
      op.gives({ 2, -2 }, { 5, -5 }, -3)
      op.dtypes 'ints'
      op.refuses('value must not be 0', { 1, 2 }, 0)
      op.dtypes 'long'
      op.gives({ 0, 0 }, { -2 ^ 63, 5 }, -1)
      op.grad({ 5.5, -4.5 }, 3)
   end)
end
opcheck.describe('remainder', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 0 }, { 7, 2, 3 }, 3)
   op.dtypes(SIGNED)
   op.gives({ 2, 1, 1, 2 }, { 5, -5, 7, -7 }, 3)
   op.gives({ -1, -2 }, { 5, -5 }, -3)
   op.dtypes 'ints'
   op.refuses('value must not be 0', { 1, 2 }, 0)
   op.dtypes 'float double'
   op.gives({ nan }, { 1 }, 0)
   op.grad({ 5.5, -4.5 }, 3)
end)
opcheck.describe('pow', function(op)
   op.dtypes 'floats'
   op.gives({ 1, 4, 9 }, { 1, -2, 3 }, 2)
   op.gives({ 1, -8, 27 }, { 1, -2, 3 }, 3)
   op.gives({ 1, -0.5, 2 }, { 1, -2, 0.5 }, -1)
   op.gives({ 1, 2, 3 }, { 1, 4, 9 }, 0.5)
   op.gives({ 1, 1, 1 }, { 0, -2, 5 }, 0)
   op.grad({ 1.5, 2 }, 2.5)
   op.grad({ 1.5, -2 }, 3)
   op.forms 'function result'
   op.gives({ 0.5, 1, 8 }, 2, { -1, 0, 3 })
   op.grad(2, { -1, 3 })
end)
opcheck.describe('cmax', function(op)
   op.dtypes 'all'
   op.gives({ 2, 2, 3 }, { 1, 2, 3 }, 2)
   op.gives({ 4, 5 }, { 4, 2 }, { 3, 5 })
   op.gives({ { 2, 3 }, { 4, 4 } }, { { 1, 2 }, { 4, 4 } }, { { 2, 3 }, { 1, 1 } })
   op.grad({ 1, 3 }, 2)
   op.grad({ 1, 3 }, { 2, 2 })
   op.dtypes 'ints'
   op.gives({ 5 }, { 5 }, -inf)
   op.dtypes 'byte'
   op.gives({ 255, 255 }, { 5, 255 }, 1000)
   op.gives({ 5, 0 }, { 5, 0 }, -1000)
   op.refuses('value must be a number, got nan', { 5 }, nan)
   op.dtypes 'float double'
   op.gives({ nan, 2 }, { nan, 1 }, 2)
   op.gives({ nan, nan }, { nan, 1 }, { 1, nan })
end)
opcheck.describe('cmin', function(op)
   op.dtypes 'all'
   op.gives({ 1, 2, 2 }, { 1, 2, 3 }, 2)
   op.gives({ 3, 2 }, { 4, 2 }, { 3, 5 })
   op.grad({ 1, 3 }, 2)
   op.grad({ 1, 3 }, { 2, 2 })
   op.dtypes 'char'
   op.gives({ 100, -128 }, { 100, -128 }, 1000)
   op.gives({ -128 }, { 5 }, -1000)
   op.dtypes 'long'
   op.gives({ 5 }, { 5 }, inf)
   op.dtypes 'float double'
   op.gives({ nan, 1 }, { nan, 1 }, 2)
end)
opcheck.describe('clamp', function(op)
   op.dtypes 'all'
   op.gives({ 2, 2, 3, 4, 4 }, { 1, 2, 3, 4, 5 }, 2, 4)
   op.gives({ { 2, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 6 } }, 2, 4)
   op.gives({ 1, 5 }, { 1, 5 }, 0, inf)
   op.grad({ 1, 3, 5 }, 2, 4)
   op.refuses('clamp', { 1 }, 1)
end)
opcheck.describe('lshift', function(op)
   op.dtypes 'all'
   op.gives({ 4, 8, 12 }, { 1, 2, 3 }, 2)
   op.dtypes 'char'
   op.gives({ -128, 0, -2 }, { 64, -128, -1 }, 1)
   op.dtypes 'ints'
   op.gives({ 0, 0 }, { 1, 3 }, 64)
   op.refuses('value must not be negative', { 1 }, -1)
   op.dtypes 'float double'
   op.gives({ 0.5 }, { 2 }, -2)
end)
opcheck.describe('rshift', function(op)
   op.dtypes 'ints'
   op.gives({ 1, 2, 3 }, { 4, 8, 15 }, 2)
   op.gives({ 0 }, { 100 }, 70)
   op.refuses('value must not be negative', { 1 }, -1)
   op.dtypes 'short'
   op.gives({ 32760 }, { -16 }, 1)
   op.dtypes 'floats'
   op.gives({ 1, 2, 3.75 }, { 4, 8, 15 }, 2)
end)
opcheck.describe('bitand', function(op)
   op.dtypes 'ints'
   op.gives({ 4, 1, 5 }, { 6, 9, 5 }, 5)
   op.dtypes 'float'
   op.refuses('must be a tensor of type Byte, Char, Short, Int, Long, got a FloatTensor', { 1 }, 1)
end)
opcheck.describe('bitor', function(op)
   op.dtypes 'ints'
   op.gives({ 7, 13, 5 }, { 6, 9, 5 }, 5)
   op.gives({ { 3, 3 }, { 7, 7 } }, { { 1, 2 }, { 5, 6 } }, 3)
end)
opcheck.describe('bitxor', function(op)
   op.dtypes 'ints'
   op.gives({ 3, 12, 0 }, { 6, 9, 5 }, 5)
end)

describe('whole numbers', function()
   it('keep 64 bits', function()
      local x = torch.LongTensor { 2 ^ 53 }
      x:add(1):csub(2 ^ 53)
      assert.equal(1, x[1])
   end)
   it('wrap on division of the smallest by -1, where the machine would trap', function()
      local x = torch.IntTensor { -2 ^ 31 }
      assert.equal(-2 ^ 31, torch.div(x, -1)[1])
      assert.equal(-2 ^ 31, torch.cdiv(x, torch.IntTensor { -1 })[1])
   end)
end)
