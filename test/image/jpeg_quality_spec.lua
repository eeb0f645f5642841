-- test/image/jpeg_quality_spec.lua - JPEG files of low quality, whose quantization tables have values above 255.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'
local jpeg = require 'feed.jpeg'
local extended = require 'feed.jpeg_extended'
local refuses = require 'test.support.refuses'

local has_jpeg = pcall(ffi.load, os.getenv 'TH_JPEG' or 'libturbojpeg.so.0')
local function need_jpeg() return has_jpeg or (pending 'libturbojpeg is not installed' and false) end

local function file(x, quality)
   local t = image.compressJPG(x, quality)
   return ffi.string(t:data(), t:nElement())
end

-- Bytes planes x rows x columns that change from pixel to pixel.
local function rough(planes, rows, columns)
   local g = torch.Generator()
   torch.manualSeed(g, 7)
   return torch.ByteTensor(planes, rows, columns):random(g, 0, 255)
end

-- Bytes that change by a few levels from pixel to pixel.
local function smooth(planes, rows, columns)
   local x = torch.ByteTensor(planes, rows, columns)
   for c = 1, planes do
      for i = 1, rows do
         for j = 1, columns do x[c][i][j] = 100 + c * 20 + 40 * math.sin((i + c) / 20) + 40 * math.cos(j / 25) end
      end
   end
   return x
end

-- The sections of a file before its pixels: pairs of a mark and a content.
local function sections(bytes)
   local list, at = {}, 3
   repeat
      local mark, high, low = bytes:byte(at + 1, at + 3)
      assert.equal(255, (bytes:byte(at)))
      list[#list + 1] = { mark, bytes:sub(at + 4, at + 1 + 256 * high + low) }
      at = at + 2 + 256 * high + low
   until mark == 0xDA
   return list
end
local function frame(bytes)
   for _, s in ipairs(sections(bytes)) do
      if s[1] >= 0xC0 and s[1] <= 0xC2 then return s[1] end
   end
end
-- The quantization tables: their values in the order of the file, and the bits of each value.
local function tables(bytes)
   local list = {}
   for _, s in ipairs(sections(bytes)) do
      if s[1] == 0xDB then
         local index, wide = s[2]:byte() % 16, s[2]:byte() >= 16
         local values = { bits = wide and 16 or 8 }
         assert.equal(wide and 129 or 65, #s[2])
         for k = 0, 63 do values[k + 1] = wide and 256 * s[2]:byte(2 + 2 * k) + s[2]:byte(3 + 2 * k) or s[2]:byte(2 + k) end
         list[index + 1] = values
      end
   end
   return list
end

describe('JPEG files of low quality', function()
   it('have the quantization values that the quality asks for, above 255 too', function()
      if not need_jpeg() then return end
      local x = rough(3, 8, 8)
      local base = tables(file(x, 50))
      for quality = 1, 49 do
         local found = tables(file(x, quality))
         for index = 1, 2 do
            for k = 1, 64 do
               local wanted = math.floor((base[index][k] * math.floor(5000 / quality) + 50) / 100)
               assert(found[index][k] == wanted, ('quality %d: %d instead of %d'):format(quality, found[index][k], wanted))
            end
         end
      end
   end)
   it('have 16 bits in the tables with a value above 255, and 8 in the others', function()
      if not need_jpeg() then return end
      for quality, bits in pairs { { 16, 16 }, [19] = { 16, 16 }, [20] = { 16, 8 }, [23] = { 16, 8 }, [24] = { 8, 8 } } do
         local found = tables(file(rough(3, 8, 8), quality))
         assert.same(bits, { found[1].bits, found[2].bits })
         assert.same(bits[1], tables(file(rough(1, 8, 8), quality))[1].bits)
      end
   end)
   it('are baseline files unless a table has 16 bits', function()
      if not need_jpeg() then return end
      for planes = 1, 3, 2 do
         for quality, mark in pairs { 0xC1, [23] = 0xC1, [24] = 0xC0, [75] = 0xC0 } do
            assert.equal(mark, frame(file(rough(planes, 8, 8), quality)))
         end
      end
   end)
   it('may be larger than files of more quality, as in Torch7, where tables are most of the file', function()
      if not need_jpeg() then return end
      assert(#file(smooth(3, 16, 16), 5) > #file(smooth(3, 16, 16), 30))
   end)
   it('become smaller with each step from 23 to 1, where pixels are most of the file', function()
      local x, last = rough(3, 64, 64), math.huge
      for _, quality in ipairs { 23, 17, 11, 7, 4, 2, 1 } do
         local n = #file(x, quality)
         assert(n < last, quality)
         last = n
      end
   end)
   it('have the pixels of cjpeg -quality 5', function()
      local x = torch.ByteTensor(3, 17, 23)
      for i = 1, 17 do
         for j = 1, 23 do
            for c = 1, 3 do x[c][i][j] = (i * i * c * 3 + j * j * (4 - c) * 2 + i * j * 7) % 256 end
         end
      end
      local bytes = file(x, 5)                                -- cjpeg of libjpeg-turbo 2.1.5
      assert.equal('071d3a503d68a3a628001e83ff00d5451820f5a2800f4ff3da83da8a2841d444a28a29a133ffd9',
         (bytes:sub(-39):gsub('.', function(c) return ('%02x'):format(c:byte()) end)))
      assert.equal(790, #bytes)
   end)
   it('load as grey with the nearest step of the mean, a half away from 128', function()
      if not need_jpeg() then return end
      for grey = 0, 255 do
         local steps = (grey - 128) / 100                     -- a step at quality 1 is 16 * 50 / 8
         local nearest = steps < 0 and math.ceil(steps - 0.5) or math.floor(steps + 0.5)
         local wanted = math.min(128 + 100 * nearest, 255)
         for _, planes in ipairs { 1, 3 } do
            local y = image.decompressJPG(image.compressJPG(torch.ByteTensor(planes, 9, 9):fill(grey), 1), nil, 'byte')
            assert(y:eq(wanted):all(), grey)
         end
      end
   end)
   it('load as the picture, nearly, whatever its sides are', function()
      if not need_jpeg() then return end
      for _, planes in ipairs { 1, 3 } do
         for _, sides in ipairs { { 1, 1 }, { 1, 40 }, { 40, 1 }, { 8, 8 }, { 9, 17 }, { 16, 16 }, { 17, 33 }, { 25, 24 } } do
            local x = smooth(planes, unpack(sides))
            for quality = 1, 23 do                            -- half a step of the mean is 50 / quality, more for chroma
               local y = image.decompressJPG(image.compressJPG(x, quality), nil, 'byte')
               assert.same(x:size():totable(), y:size():totable())
               local far = (x:double() - y:double()):abs():mean()
               assert(far < 4 + 60 / quality, ('%d x %d x %d, quality %d: %g'):format(planes, sides[1], sides[2], quality, far))
            end
         end
      end
   end)
   it('have the pixels of the tensor where it is not contiguous', function()
      local x = rough(3, 20, 30)
      local turned = x:transpose(2, 3)
      assert.equal(file(turned:contiguous(), 5), file(turned, 5))
      assert.equal(file(x:narrow(2, 3, 11):narrow(3, 5, 13):contiguous(), 5), file(x:narrow(2, 3, 11):narrow(3, 5, 13), 5))
      assert.equal(file(x:select(1, 2):contiguous(), 5), file(x:select(1, 2), 5))
   end)
   it('take quality 0 as 1, and other fractions as the whole number below', function()
      local x = rough(1, 16, 16)
      assert.equal(file(x, 1), file(x, 0))
      assert.equal(file(x, 1), file(x, 0.5))
      assert.equal(file(x, 5), file(x, 5.9))
   end)
   it('refuse sides above 65500 as files of other qualities do', function()
      if not need_jpeg() then return end
      for _, quality in ipairs { 5, 75 } do
         for _, sides in ipairs { { 65501, 1 }, { 1, 65501 } } do
            refuses('image.compressJPG: libjpeg-turbo: Maximum supported image dimension is 65500 pixels', image.compressJPG,
               torch.ByteTensor(sides[1], sides[2]):zero(), quality)
         end
      end
      assert.same({ 1, 65500, 1 }, image.decompressJPG(image.compressJPG(torch.zeros(65500, 1), 5)):size():totable())
   end)
   it('refuse what is no picture as files of other qualities do', function()
      for _, x in ipairs { torch.ones(2, 2, 2), torch.ones(4, 2, 2), torch.ones(3), torch.Tensor() } do
         refuses('image.compressJPG: the picture must be planes x rows x columns with 1, 3 plane(s), or rows x columns, got',
            image.compressJPG, x, 5)
      end
      refuses('image.compressJPG: tensor must be a tensor, got nil', image.compressJPG, nil, 5)
   end)
end)

describe('feed.jpeg_extended.write', function()
   it('gives the pixels of the library at quality 100, in files of more than one buffer too', function()
      if not need_jpeg() then return end
      for _, planes in ipairs { 1, 3 } do
         for _, sides in ipairs { { 1, 1 }, { 17, 33 }, { 200, 203 } } do
            local x = rough(planes, unpack(sides)):permute(2, 3, 1):contiguous()
            local own, other = jpeg.read(extended.write(x, 100)):double(), jpeg.read(jpeg.write(x, 100)):double()
            assert((own - other):abs():max() <= 8)
            assert((own - other):abs():mean() < 0.6)
         end
      end
   end)
   it('keeps each of the 64 frequencies of a block, behind any number of zeros', function()
      if not need_jpeg() then return end
      local function wave(frequency, at) return math.cos((2 * at + 1) * frequency * math.pi / 16) end
      local x = torch.ByteTensor(8, 8, 1)
      for u = 0, 7 do
         for v = 0, 7 do
            for i = 0, 7 do
               for j = 0, 7 do x[i + 1][j + 1][1] = 128 + 100 * wave(u, i) * wave(v, j) end
            end
            local y = jpeg.read(extended.write(x, 50))
            assert((x:double() - y:double()):abs():max() <= 16, u .. ', ' .. v)       -- half a step is at most 121 / 8
         end
      end
   end)
end)
