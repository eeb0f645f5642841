-- test/examples/images_spec.lua - the example that loads JPEG files in threads: the same bits for any number of them.
-- runs once
local ffi = require 'ffi'
local image = require 'image'
local example = require 'test.support.example'
local torch = require 'torch'

if not pcall(ffi.load, os.getenv 'TH_JPEG' or 'libturbojpeg.so.0') then
   return pending 'examples/images.lua: libturbojpeg is not installed'
end

local images
setup(function()
   images = example.new 'images'
   torch.manualSeed(2)
   assert.equal(0, os.execute(("mkdir -p '%s/some/more' '%s/none'"):format(images.dir, images.dir)))
   for k = 1, 11 do
      local x = image.scale(torch.rand(k == 5 and 1 or 3, 5, 6), 60 + 7 * k, 130 - 6 * k)
      image.save(images:path(('some/%s%d.%s'):format(k % 2 == 0 and 'more/' or '', k, k == 3 and 'JPEG' or 'jpg')), x)
   end
end)
teardown(function() images:remove() end)

-- The checksums of the batches, epoch by epoch.
local function sums(...)
   local output, list = images:ok('-batch 4 -size 32 -shorter 40', ...), {}
   for text in output:gmatch 'epoch %d+: %d+ pictures a second, checksums ([%x ]+)\n' do list[#list + 1] = text end
   return list, output
end
local function path(name) return "-data '" .. images:path(name) .. "'" end

describe('examples/images.lua', function()
   it('loads every picture of a folder to the same bits with 1, 2 and 8 threads', function()
      local want, output = sums(path 'some', '-epochs 2 -threads 1')
      assert.equal(2, #want)
      assert.equal(3 * 9 - 1, #want[1])                       -- 11 pictures are 3 batches
      assert.not_equal(want[1], want[2])
      assert.truthy(output:find('11/11', 1, true), output)
      for _, n in ipairs { 2, 8 } do assert.same(want, (sums(path 'some', '-epochs 2 -threads', n))) end
   end)

   it('depends on its seed', function()
      assert.not_same(sums(path 'some', '-seed 1'), sums(path 'some', '-seed 2'))
   end)

   it('makes pictures where it gets no folder, and removes them', function()
      local list, output = sums '-threads 2'
      assert.equal(10 * 9 - 1, #list[1], output)
      local folder = output:match '^40 pictures in (%S+)\n'
      assert.is_nil(io.open(folder .. '/01.jpg'))
      assert.is_nil(io.open(folder))
   end)

   it('says that a folder has no JPEG files', function()
      local status, output = images:run(path 'none')
      assert.equal(1, status)
      assert.equal(('0 pictures in %s\n'):format(images:path 'none'), output)
   end)
end)
