-- test/torch/nan_spec.lua - memory with arbitrary bits is read as numbers.
--
-- LuaJIT marks its strings, tables and nils by the bits of nans that no computation makes. A file can hold those bits.
local torch = require 'torch'
local ffi = require 'ffi'

-- A tensor of n elements whose bytes are all 255.
local function ones(name, n)
   local x = torch[name .. 'Tensor'](n):fill(0)
   ffi.fill(x:storage():data(), n * x:elementSize(), 255)
   return x
end

describe('a nan with any bits', function()
   for _, name in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
      it('is a number when a ' .. name .. ' is read', function()
         local x = ones(name, 4)
         local s, odd = x:storage(), 0
         for _ = 1, 200 do                   -- often enough to be compiled
            for i = 1, 4 do
               if type(x[i]) ~= 'number' or x[i] == x[i] or type(s[i]) ~= 'number' then odd = odd + 1 end
            end
         end
         assert.equal(0, odd)
         for _, v in ipairs(x:totable()) do assert.equal('number', type(v)) end
         assert.truthy(tostring(x):find 'nan')
      end)
   end

   -- Float: 32 bits; Double: the upper 32, and 1 below them. Conversion, addition and negation change bits of these NaNs.
   for _, case in ipairs { { 'Float', 0xff800001 }, { 'Float', 0xffb00000 }, { 'Float', 0xffc00000 }, { 'Float', 0x7fb00000 }, { 'Float', 0x7fffffff },
      { 'Double', 0xfff00000 }, { 'Double', 0xfff40000 }, { 'Double', 0xfffc0000 }, { 'Double', 0x7ff40000 }, { 'Double', 0x7fffffff } } do
      local name, word = case[1], case[2]
      it(('stays a number in arithmetic: %s %08x'):format(name, word), function()
         local x = torch[name .. 'Tensor'](3):fill(0)
         local p = ffi.cast('uint32_t *', x:storage():data())
         for i = 0, 2 do
            if name == 'Float' then p[i] = word else p[2 * i], p[2 * i + 1] = 1, word end
         end
         local function good(v)
            return type(v) == 'number' and v ~= v and type(-v) == 'number' and type(v + 1) == 'number' and type(-(v + 1)) == 'number'
         end
         for _ = 1, 100 do
            assert.is_true(good(x[2]) and good(x:storage()[2]))
            assert.is_true(good(x:sum()) and good(x:mean()) and good(x:dot(x)) and good(x:norm()) and good((x:max())))
         end
         for _, v in ipairs(x:totable()) do assert.is_true(good(v)) end
         x:apply(function(v) assert.is_true(good(v)) end)
         assert.is_true(good(torch.deserialize(torch.serialize(x))[1]))
         assert.truthy(tostring(x):find 'nan')
      end)
   end

   it('leaves infinities and other numbers as they are', function()
      local numbers = { math.huge, -math.huge, 0, 1, -1, 2 ^ 127, -2 ^ -149 }
      for _, name in ipairs { 'Float', 'Double' } do assert.same(numbers, torch[name .. 'Tensor'](numbers):totable()) end
   end)

   it('is a number when an operation or a function meets it', function()
      local x, y = ones('Double', 4), torch.DoubleTensor(4):fill(1)
      assert.equal('number', type(x:sum()))
      assert.equal('number', type(x:dot(y)))
      local odd = 0
      local function look(v)
         if type(v) ~= 'number' then odd = odd + 1 end
      end
      for _ = 1, 100 do
         x:apply(look)
         y:map(x, function(a, b)
            look(a)
            look(b)
         end)
      end
      assert.equal(0, odd)
   end)

   it('is a number when a file holds it', function()
      for _ = 1, 100 do
         local v = torch.deserialize('\1\0\0\0' .. ('\255'):rep(8))
         assert.equal('number', type(v))
         assert.is_true(v ~= v)
      end
      local f = torch.MemoryFile(torch.CharStorage():string(('\255'):rep(12) .. '\0'), 'r'):binary()
      assert.equal('number', type(f:readDouble()))
      assert.equal('number', type(f:readFloat()))
   end)
end)
