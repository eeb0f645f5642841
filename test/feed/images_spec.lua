-- test/feed/images_spec.lua - images in files and folders.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local bounded = shared.bounded

teardown(temporary.remove)

-- A PNG file of these rows of bytes, 8 bits a channel, stored without compression.
local function png(width, height, kind, rows)
   local C = require 'torch.lib'.C
   local function be(v)
      return string.char(math.floor(v / 2 ^ 24) % 256, math.floor(v / 65536) % 256, math.floor(v / 256) % 256, v % 256)
   end
   local function chunk(name, content)
      return be(#content) .. name .. content .. be(tonumber(C.th_zip_crc(0, name .. content, #content + 4)))
   end
   local raw = '\0' .. table.concat(rows, '\0')
   local a, b = 1, 0
   for k = 1, #raw do
      a = (a + raw:byte(k)) % 65521
      b = (b + a) % 65521
   end
   local le = require 'torch.format'.le
   local packed = '\120\1\1' .. le(2, #raw) .. le(2, 65535 - #raw) .. raw .. be(b * 65536 + a)
   return '\137PNG\r\n\26\n' .. chunk('IHDR', be(width) .. be(height) .. '\8' .. string.char(kind) .. '\0\0\0')
      .. chunk('IDAT', packed) .. chunk('IEND', '')
end

describe('feed.folder', function()
   local dir
   setup(function()
      dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir -p '%s/cat' '%s/ape' '%s/.git'"):format(dir, dir, dir)) == 0)
      local function put(name, bytes)
         local f = assert(io.open(dir .. '/' .. name, 'wb'))
         f:write(bytes)
         f:close()
      end
      put('cat/b.PNG', png(2, 1, 2, { '\1\2\3\4\5\6' }))                  -- two pixels with colours
      put('cat/a.png', png(1, 2, 0, { '\7', '\8' }))                        -- two grey ones
      put('cat/notes.txt', 'x')
      put('ape/z.png', png(2, 1, 6, { '\10\20\30\255\10\20\30\0' }))       -- the second is transparent
      put('ape/.hidden.png', 'x')
      put('readme.png', 'x')
   end)
   teardown(function() os.execute(("rm -r '%s'"):format(dir)) end)

   local function no_png() return not pcall(ffi.load, 'libpng16.so.16') end

   it('gives images and the numbers of their folders, sorted by name', function()
      if no_png() then return pending 'libpng is not installed' end
      local d = feed.folder(dir)
      assert.same({ 'ape', 'cat' }, d.classes)
      assert.same({ 'ape/z.png', 'cat/a.png', 'cat/b.PNG' }, d.names)
      assert.same({ { { { 10, 0 } }, { { 20, 0 } }, { { 30, 0 } } }, 1 }, { d:get(1)[1]:totable(), d:get(1)[2] })
      assert.same({ { { { 7 }, { 8 } } }, 2 }, { d:get(2)[1]:totable(), d:get(2)[2] })
      assert.same({ { { 1, 4 } }, { { 2, 5 } }, { { 3, 6 } } }, d:get(3)[1]:totable())
      assert.equal('torch.ByteTensor', d:get(3)[1]:type())
   end)
   it('takes a function that loads files of any kind, also in threads', function()
      local d = feed.folder(dir, function(path) return path:match '[^/]*$' end)
      local seen = {}
      for batch in feed.loader { dataset = d, batch = 3, workers = 2 }:epoch() do
         for k, name in ipairs(batch[1]) do seen[#seen + 1] = name .. batch[2][k] end
      end
      assert.same({ 'z.png1', 'a.png2', 'b.PNG2', 'notes.txt2' }, seen)
   end)
   it('refuses what is no folder, and images that are damaged', function()
      refuses('feed.folder: cannot read /no/such: No such file or directory', feed.folder, '/no/such')
      refuses('feed.folder: file must be the name of a file, got nil', feed.folder)
      refuses('feed.folder: load must be a function, got a number (3)', feed.folder, dir, 3)
      bounded('feed.folder', feed.folder(dir))
      if no_png() then return pending 'libpng is not installed' end
      local good = png(2, 1, 2, { '\1\2\3\4\5\6' })
      local function bad(text, bytes)
         local f = assert(io.open(dir .. '/ape/z.png', 'wb'))
         f:write(bytes)
         f:close()
         local d = feed.folder(dir)
         assert.truthy(refuses(text, d.get, d, 1):find('feed.folder: ' .. dir .. '/ape/z.png: ', 1, true))
      end
      bad('it is no PNG, JPEG or WebP image', '')
      bad('it is no PNG, JPEG or WebP image', 'GIF89a')
      for n = 9, 60 do bad('libpng: ', good:sub(1, n)) end
      bad('libpng: ', good:sub(1, 30) .. '\255' .. good:sub(32))
      bad('100000 x 100000 pixels do not fit into', png(100000, 100000, 2, { '\1' }))
   end)
end)

-- ---- JPEG -------------------------------------------------------------------------------------------------------------------

local found, jpeg = pcall(ffi.load, os.getenv 'TH_JPEG' or 'libturbojpeg.so.0')
local MISSING = 'libturbojpeg is not installed'

ffi.cdef [[
void *tjInitCompress(void);
int tjCompress2(void *handle, const unsigned char *from, int width, int pitch, int height, int format, unsigned char **to,
   unsigned long *n, int sampling, int quality, int flags);
void tjFree(unsigned char *bytes);
]]
local RGB, GREY, CMYK, PROGRESSIVE = 0, 6, 11, 16384

-- The JPEG file that the library makes of pixels, a ByteTensor of height x width x channels.
-- @param sampling  0: as many samples of the colours as pixels; 1: half as many; 2: a fourth; 3: grey
local function compressed(pixels, format, sampling, flags)
   local handle, to, n = jpeg.tjInitCompress(), ffi.new 'unsigned char *[1]', ffi.new 'unsigned long[1]'
   local height, width = pixels:size(1), pixels:size(2)
   assert.equal(0, jpeg.tjCompress2(handle, pixels:data(), width, 0, height, format, to, n, sampling, 95, flags or 0))
   local bytes = ffi.string(to[0], n[0])
   jpeg.tjFree(to[0])
   jpeg.tjDestroy(handle)
   return bytes
end

local function put(bytes) return temporary.put(bytes, '.jpg') end

-- height x width x 3, and changes slowly from place to place.
local function smooth(height, width)
   local x = torch.ByteTensor(height, width, 3)
   for i = 1, height do
      for j = 1, width do
         x[i][j][1], x[i][j][2], x[i][j][3] = 255 * i / height, 255 * j / width, 128
      end
   end
   return x
end

-- A file without any encoder: grey, one block of 8 x 8, which has 8 bits. The first, 0, names the only length that the mean of a
-- block can have, 6 bits; these are 101010, or 42; and the last, 0, says that the block ends. A step of the mean is 8 / 8 grey
-- levels from 128 on, so that all pixels are 170.
local function by_hand(height, width)
   local function section(mark, content) return '\255' .. mark .. string.char(0, #content + 2) .. content end
   local function be(v) return string.char(math.floor(v / 256), v % 256) end
   return '\255\216' .. section('\219', '\0' .. ('\8'):rep(64))
      .. section('\192', '\8' .. be(height) .. be(width) .. '\1\1\17\0')
      .. section('\196', '\0\1' .. ('\0'):rep(15) .. '\6') .. section('\196', '\16\1' .. ('\0'):rep(15) .. '\0')
      .. section('\218', '\1\1\0\0\63\0') .. string.char(0x54) .. '\255\217'
end

-- 10 x 6 pixels, the colours in fewer; by Pillow 13.0, and what that reads.
local foreign = [[
   ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e2931302e292d2c33
   3a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffdb0043010e0e0e131113261515264f352d354f4f4f4f4f4f4f4f4f4f4f4f
   4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc00011080006000a03012200021101031101ffc400
   160001010100000000000000000000000000000405ffc4001a100002030101000000000000000000000000050103321121ffc4001401010000000000
   0000000000000000000004ffc4001b11000104030000000000000000000000000300010432051213ffda000c03010002110311003f009563fbbcd1bf
   0feee4680181860d6ac9b8c8c2e555ffd9]]
local pixels = {
   { { 26, 39, 60, 84, 112, 139, 169, 190, 218, 228 }, { 15, 26, 49, 73, 100, 128, 156, 179, 205, 214 },
      { 9, 20, 43, 67, 94, 122, 151, 173, 200, 208 }, { 8, 20, 42, 68, 95, 123, 151, 174, 200, 209 },
      { 7, 20, 41, 65, 92, 121, 149, 171, 199, 209 }, { 0, 10, 31, 55, 84, 110, 140, 162, 189, 199 } },
   { { 235, 239, 242, 243, 241, 241, 239, 238, 243, 244 }, { 204, 209, 211, 213, 211, 210, 209, 207, 214, 213 },
      { 163, 167, 169, 171, 169, 168, 167, 165, 172, 172 }, { 127, 129, 133, 135, 133, 132, 131, 129, 135, 135 },
      { 87, 91, 94, 96, 94, 93, 92, 90, 96, 97 }, { 59, 63, 66, 68, 65, 65, 63, 62, 68, 67 } },
   { { 20, 29, 46, 62, 79, 97, 115, 128, 149, 155 }, { 22, 31, 47, 64, 81, 99, 117, 130, 149, 156 },
      { 43, 53, 69, 84, 102, 119, 138, 152, 171, 176 }, { 63, 72, 89, 104, 122, 139, 158, 172, 191, 196 },
      { 74, 83, 98, 116, 133, 151, 169, 182, 201, 209 }, { 70, 79, 96, 112, 129, 146, 165, 178, 199, 204 } },
}

describe('feed.image', function()
   it('reads a JPEG file that was written by hand: grey is one channel', function()
      if not found then return pending(MISSING) end
      local x = feed.image(put(by_hand(8, 8)))
      assert.equal('torch.ByteTensor', x:type())
      assert.same({ 1, 8, 8 }, x:size():totable())
      assert.same({ 170, 170 }, { x:min(), x:max() })
      assert.same({ 1, 5, 3 }, feed.image(put(by_hand(5, 3))):size():totable())
   end)
   it('reads the JPEG file of another program as that does: colours are three channels', function()
      if not found then return pending(MISSING) end
      local x = feed.image(put((foreign:gsub('%s', ''):gsub('..', function(h) return string.char(tonumber(h, 16)) end))))
      assert.same({ 3, 6, 10 }, x:size():totable())
      assert(x:isContiguous())
      assert((x:int() - torch.IntTensor(pixels)):abs():max() <= 2)
   end)
   it('reads JPEG files of any sampling and of several passes, the same pixels wherever and whenever', function()
      if not found then return pending(MISSING) end
      for _, size in ipairs { { 1, 1 }, { 7, 3 }, { 33, 17 } } do
         local x = smooth(33, 17):narrow(1, 1, size[1]):narrow(2, 1, size[2]):contiguous()
         for sampling = 0, 2 do
            local plain = feed.image(put(compressed(x, RGB, sampling)))
            assert.same({ 3, unpack(size) }, plain:size():totable())
            assert((plain:int() - x:permute(3, 1, 2):int()):abs():max() <= 16)
            assert(plain:equal(feed.image(put(compressed(x, RGB, sampling, PROGRESSIVE)))))
         end
      end
      local grey = smooth(9, 20):select(3, 2):contiguous():view(9, 20, 1)
      assert((feed.image(put(compressed(grey, GREY, 3))):int() - grey:permute(3, 1, 2):int()):abs():max() <= 4)
   end)
   it('knows an image by its bytes, not by its name', function()
      if not found then return pending(MISSING) end
      assert.same({ 1, 8, 8 }, feed.image(temporary.put(by_hand(8, 8), '.png')):size():totable())
      if not pcall(ffi.load, 'libpng16.so.16') then return pending 'libpng is not installed' end
      assert.same({ { { 7 }, { 8 } } }, feed.image(put(png(1, 2, 0, { '\7', '\8' }))):totable())
   end)
   it('reads a smaller JPEG image where its shorter side still has so many pixels', function()
      if not found then return pending(MISSING) end
      local name = put(compressed(smooth(40, 60), RGB, 2))
      for least, size in pairs { [1] = { 5, 8 }, [5] = { 5, 8 }, [6] = { 10, 15 }, [10] = { 10, 15 }, [11] = { 20, 30 },
         [20] = { 20, 30 }, [21] = { 40, 60 }, [65535] = { 40, 60 } } do
         local x = feed.image(name, { least = least })
         assert.same({ 3, unpack(size) }, x:size():totable())
         local wanted = smooth(unpack(size)):permute(3, 1, 2):int()
         assert((x:int() - wanted):abs():max() <= 40)            -- the same picture
      end
   end)
   it('refuses bad arguments', function()
      for _, v in ipairs { '', 3, {}, 'a\0b' } do refuses('feed.image: file must be the name of a file, got', feed.image, v) end
      refuses('feed.image: cannot open /no/such/file: No such file or directory', feed.image, '/no/such/file')
      refuses('feed.image: cannot open /: Is a directory', feed.image, '/')
      refuses('feed.image: there is no option size; there are least', feed.image, '/tmp', { size = 3 })
      refuses('feed.image: options must be a table, got a number (3)', feed.image, '/tmp', 3)
      refuses('feed.image: least must be a number, got a string', feed.image, '/tmp', { least = '3' })
      for _, v in ipairs { 0, -1, 1.5, 0 / 0, 65536, math.huge } do
         refuses('feed.image: least must be a whole number in 1..65535, got a number', feed.image, '/tmp', { least = v })
      end
   end)
end)

describe('a JPEG file', function()
   local function bad(text, bytes)
      local name = put(bytes)
      assert.truthy(refuses(text, feed.image, name):find('feed.image: ' .. name .. ': ', 1, true))
      os.remove(name)
   end
   it('that is cut off is an error, wherever it ends', function()
      if not found then return pending(MISSING) end
      bad('libjpeg-turbo: Premature end of JPEG file', by_hand(8, 8):sub(1, -3))
      bad('libjpeg-turbo: ', by_hand(16, 8))                    -- has one block of two
      bad('it ends before its image begins', by_hand(8, 8):sub(1, 2 + 69) .. '\255\217')
      for _, bytes in ipairs { by_hand(8, 8), compressed(smooth(9, 9), RGB, 2), compressed(smooth(9, 9), RGB, 0, PROGRESSIVE) } do
         assert.truthy(feed.image(put(bytes)))
         for n = 0, #bytes - 1 do bad(n < 2 and 'it is no PNG, JPEG or WebP image' or '', bytes:sub(1, n)) end
      end
   end)
   it('that is damaged gives an error or an image of what it says, and takes little memory', function()
      if not found then return pending(MISSING) end
      local jpeg_of = require 'feed.jpeg'.read
      local before, g, errors = torch.memory().peak, torch.Generator(), 0
      torch.manualSeed(g, 7)
      for _, bytes in ipairs { compressed(smooth(20, 30), RGB, 2), compressed(smooth(20, 30), RGB, 1, PROGRESSIVE) } do
         for _ = 1, 2000 do
            local s = bytes
            for _ = 1, torch.random(g, 1, 3) do
               local at = torch.random(g, 1, #s)
               s = s:sub(1, at - 1) .. string.char(torch.random(g, 0, 255)) .. s:sub(at + 1)
            end
            local ok, why = pcall(jpeg_of, s)
            if not ok then
               errors = errors + 1
               assert.equal('string', type(why))
            end
         end
      end
      assert(errors > 100, errors)
      assert(torch.memory().peak - before < 2 ^ 26)
   end)
   it('whose pixels cannot be in its bytes is refused before memory is taken', function()
      if not found then return pending(MISSING) end
      local before = torch.memory().peak
      bad('65500 x 65500 pixels do not fit into', by_hand(65500, 65500))
      bad('1000 x 600 pixels do not fit into', by_hand(600, 1000))
      assert(torch.memory().peak - before < 2 ^ 20)
   end)
   it('with colours for print is refused', function()
      if not found then return pending(MISSING) end
      local bytes = compressed(torch.ByteTensor(8, 8, 4):fill(9), CMYK, 0)
      bad('its colours are CMYK, those of print: only grey and RGB images are read', bytes)
   end)
   it('is read by threads as without', function()
      if not found then return pending(MISSING) end
      local dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir -p '%s/a' '%s/b'"):format(dir, dir)) == 0)
      for k = 1, 60 do
         local name = ('%s/%s/%02d.%s'):format(dir, k % 2 == 0 and 'a' or 'b', k, k % 3 == 0 and 'jpeg' or 'JPG')
         local f = assert(io.open(name, 'wb'))
         f:write(compressed(torch.ByteTensor(16, 24, 3):random(0, 255), RGB, 2))
         f:close()
      end
      local d = feed.folder(dir)
      local small = feed.folder(dir, function(path) return feed.image(path, { least = 8 }) end)
      assert.equal(60, d:size())
      local function batches(set, workers)
         local l, list = feed.loader { dataset = set, batch = 7, shuffle = true, workers = workers }, {}
         for batch in l:epoch() do list[#list + 1] = { batch[1]:totable(), batch[2]:totable() } end
         l:close()
         return list
      end
      local wanted = batches(d, 0)
      assert.same({ 16, 24 }, { #wanted[1][1][1][1], #wanted[1][1][1][1][1] })
      for _, workers in ipairs { 1, 3 } do assert.same(wanted, batches(d, workers)) end
      wanted = batches(small, 0)
      assert.same({ 8, 12 }, { #wanted[1][1][1][1], #wanted[1][1][1][1][1] })
      assert.same(wanted, batches(small, 3))
      os.execute(("rm -r '%s'"):format(dir))
   end)
   it('without the library says what to install', function()
      local name = put(by_hand(8, 8))
      local out = shared.without('jpeg', 'image', name)
      local why = 'libturbojpeg is not installed (Debian: libturbojpeg0); TH_JPEG may name it'
      assert.equal(('feed.image: %s: %s'):format(name, why), out)
   end)
end)
