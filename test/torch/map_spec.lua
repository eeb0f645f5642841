-- test/torch/map_spec.lua - apply, map and map2: a Lua function for every element.
local torch = require 'torch'

local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

describe('apply', function()
   it('sees every element in row-major order and stores what comes back', function()
      for _, kind in ipairs(kinds) do
         local x, seen = torch[kind .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } }, {}
         local r = x:apply(function(v) seen[#seen + 1] = v return v * 2 end)
         assert.equal(x, r)
         assert.same({ 1, 2, 3, 4, 5, 6 }, seen)
         assert.same({ { 2, 4, 6 }, { 8, 10, 12 } }, x:totable())
      end
   end)
   it('follows strides', function()
      local base, seen = torch.DoubleTensor { { 1, 2, 3 }, { 4, 5, 6 } }, {}
      base:t():narrow(1, 2, 2):apply(function(v) seen[#seen + 1] = v return -v end)
      assert.same({ 2, 5, 3, 6 }, seen)
      assert.same({ { 1, -2, -3 }, { 4, -5, -6 } }, base:totable())
   end)
   it('leaves an element when nothing comes back', function()
      local x = torch.DoubleTensor { 1, 2, 3 }
      x:apply(function(v) if v > 1 then return 0 end end)
      assert.same({ 1, 0, 0 }, x:totable())
   end)
   it('truncates and wraps in whole-number tensors', function()
      assert.same({ 2, 255 }, torch.ByteTensor { 1, 2 }:apply(function(v) return v == 1 and 2.9 or -1 end):totable())
   end)
   it('does nothing for an empty tensor', function()
      assert.equal(0, torch.Tensor():apply(error):nElement())
   end)
   it('survives a function that resizes the tensor', function()
      local x = torch.DoubleTensor { 1, 2, 3 }
      x:apply(function(v) x:resize(100000):fill(7) return v end)
      assert.equal(100000, x:nElement())
   end)
   it('refuses what is no function, and results that are no numbers', function()
      local x = torch.DoubleTensor { 1, 2 }
      local ok, why = pcall(x.apply, x, 3)
      assert.is_false(ok)
      assert.truthy(tostring(why):find('apply: the last argument must be a function', 1, true), tostring(why))
      ok, why = pcall(x.apply, x, function() return 'x' end)
      assert.is_false(ok)
      assert.truthy(tostring(why):find('apply: the function must return a number or nothing, got a string', 1, true), tostring(why))
      assert.same({ 1, 2 }, x:totable())
   end)
end)

describe('map', function()
   it('sees pairs', function()
      local x, y = torch.DoubleTensor { { 1, 2 }, { 3, 4 } }, torch.DoubleTensor { { 5, 6 }, { 7, 8 } }
      assert.same({ { 6, 9 }, { 9, 12 } }, x:map(y:t(), function(a, b) return a + b end):totable())
   end)
   it('may be given the tensor itself', function()
      assert.same({ 1, 4 }, (function(x) return x:map(x, function(a, b) return a * b end) end)(torch.DoubleTensor { 1, 2 }):totable())
   end)
   it('refuses another type and another number of elements', function()
      local x = torch.DoubleTensor { 1, 2 }
      local ok, why = pcall(x.map, x, torch.FloatTensor { 1, 2 }, function() end)
      assert.is_false(ok)
      assert.truthy(tostring(why):find('map: argument 2 must be a DoubleTensor', 1, true), tostring(why))
      ok, why = pcall(x.map, x, torch.DoubleTensor { 1 }, function() end)
      assert.is_false(ok)
      assert.truthy(tostring(why):find('map: argument 2 must have as many elements', 1, true), tostring(why))
   end)
end)

describe('map2', function()
   it('sees triples', function()
      local x, y, z = torch.LongTensor { 1, 2 }, torch.LongTensor { 3, 4 }, torch.LongTensor { 5, 6 }
      assert.same({ -1, 0 }, x:map2(y, z, function(a, b, c) return a + b - c end):totable())
   end)
end)
