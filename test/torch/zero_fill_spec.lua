-- test/torch/zero_fill_spec.lua - memory of freed tensors does not show through in what resize adds.
local torch = require 'torch'

local N = 1000000

-- Leaves a block of sevens in the cache of blocks.
local function junk(n)
   local x = torch.FloatTensor(n or N):fill(7)
   x:free()
   collectgarbage()
   collectgarbage()
end

describe('new elements', function()
   local ways = {
      ['resize'] = function(n) return torch.FloatTensor():resize(n) end,
      ['resize with strides'] = function(n) return torch.FloatTensor():resize(torch.LongStorage { n }, torch.LongStorage { 1 }) end,
      ['resizeAs'] = function(n) return torch.FloatTensor(1):zero():resizeAs(torch.FloatTensor(n)) end,
      ['resize of a storage'] = function(n) return torch.FloatTensor(torch.FloatStorage():resize(n)) end,
      ['torch.Tensor(n)'] = function(n) return torch.FloatTensor(n) end,
      ['torch.Tensor(sizes, strides)'] = function(n) return torch.FloatTensor(torch.LongStorage { n }, torch.LongStorage { 1 }) end,
      ['torch.Storage(n)'] = function(n) return torch.FloatTensor(torch.FloatStorage(n)) end,
      ['x:new(n)'] = function(n) return torch.FloatTensor(1):new(n) end,
   }
   for name, make in pairs(ways) do
      it('are 0: ' .. name, function()
         for _, n in ipairs { 5, 300, N } do
            junk(n)
            local x = make(n)
            assert.same({ n, 0, 0 }, { x:nElement(), x:min(), x:max() })
         end
      end)
   end
   it('stand behind the old ones, which stay', function()
      junk()
      local x = torch.FloatTensor(3):fill(2):resize(N)
      assert.equal(6, x:sum())
      x:fill(1):resize(2):resize(N)
      assert.equal(N, x:sum())                                   -- the tensor's own elements
      local view = torch.FloatTensor(torch.FloatStorage { 1, 2, 3 }, 3, torch.LongStorage { 1 }):resize(4)
      assert.same({ 3, 0, 0, 0 }, view:totable())
      assert.same({ 1, 2, 0 }, torch.IntStorage { 1, 2 }:resize(3):totable())
   end)
end)

describe('torch.setzerofill', function()
   it('leaves new elements as the memory was', function()
      assert.is_true(torch.getzerofill())
      torch.setzerofill(false)
      assert.is_false(torch.getzerofill())
      local shown = false
      for _ = 1, 20 do
         torch.FloatTensor(N):fill(7):free()
         -- AddressSanitizer keeps freed memory and fills new memory with a pattern of its choice.
         shown = shown or torch.FloatTensor():resize(N):ne(0):any()
      end
      torch.setzerofill(true)
      assert.is_true(shown)
   end)
   it('refuses what is no truth value', function()
      for _, bad in ipairs { 1, 'true', {} } do
         local ok, why = pcall(torch.setzerofill, bad)
         assert.is_false(ok)
         assert.matches('torch.setzerofill: flag must be true or false, got a ', why)
      end
      assert.is_false(pcall(torch.setzerofill))
      assert.is_true(torch.getzerofill())
   end)
end)
