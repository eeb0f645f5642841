-- test/nan_spec.lua - memory with arbitrary bits is read as numbers.
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
