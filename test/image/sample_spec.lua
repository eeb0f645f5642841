-- test/image/sample_spec.lua - image.lena, image.fabio, image.test.
local image = require 'image'

describe('the pictures to try things with', function()
   it('are the same each time, in 0..1, and neither flat nor empty', function()
      for f, size in pairs { [image.lena] = { 3, 512, 512 }, [image.fabio] = { 1, 271, 257 } } do
         local x = f()
         assert.same(size, x:size():totable())
         assert.is_true(x:equal(f()))
         assert(x:min() >= 0 and x:max() <= 1 and x:std() > 0.1)
      end
   end)
end)

describe('image.test', function()
   it('finds that the package works', function()
      local out, write = {}, io.write
      io.write = function(...) for _, s in ipairs { ... } do out[#out + 1] = tostring(s) end end        -- luacheck: ignore 122
      local ok, why = pcall(image.test, nil, 3)
      io.write = write                                                                                    -- luacheck: ignore 122
      assert(ok, why)
      assert.truthy(table.concat(out):find('Completed', 1, true))
      assert.is_nil(table.concat(out):find('FAIL', 1, true))
   end)
end)
