-- test/image/io_spec.lua - images from files, into files, and as compressed bytes.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'
local feed = require 'feed'
local little_memory = require 'test.support.little_memory'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local C = require 'torch.lib'.C

teardown(temporary.remove)

local has_png = pcall(ffi.load, os.getenv 'TH_PNG' or 'libpng16.so.16')
local has_jpeg = pcall(ffi.load, os.getenv 'TH_JPEG' or 'libturbojpeg.so.0')
local function need_png() return has_png or (pending 'libpng is not installed' and false) end
local function need_jpeg() return has_jpeg or (pending 'libturbojpeg is not installed' and false) end

-- The bytes of a string as a tensor.
local function bytes(s)
   local t = torch.ByteTensor(#s)
   ffi.copy(t:data(), s, #s)
   return t
end
local function text(t) return ffi.string(t:data(), t:nElement()) end
local function read(s, depth, kind) return torch.totable(image.decompress(bytes(s), depth, kind or 'byte')) end

-- A picture that changes slowly: planes x 24 x 32, 0..1.
local function smooth(planes)
   local x = torch.Tensor(planes, 24, 32)
   for c = 1, planes do
      for i = 1, 24 do
         for j = 1, 32 do x[c][i][j] = (c * i + j) / (24 * planes + 32) end
      end
   end
   return x
end

describe('PNM images', function()
   it('are read in all six forms', function()
      assert.same({ { { 255, 0, 255 }, { 0, 0, 255 } } }, read('P1\n3 2\n0 1 0\n110\n'))
      assert.same({ { { 0, 127, 255 } } }, read('P2 3 1 2\n0 1 2'))
      assert.same({ { { 1 } }, { { 2 } }, { { 3 } } }, read('P3\n# one pixel\n1 1 255\n1 2 # blue\n3\n'))
      local row = { 0, 255, 0, 255, 0, 255, 0, 255, 255, 0 }
      assert.same({ { row, row } }, read('P4\n10 2\n\170\64\170\64'))
      assert.same({ { { 10, 32 } } }, read('P5 2 1 255\n\10\32'))
      assert.same({ { { 1, 4 } }, { { 2, 5 } }, { { 3, 6 } } }, read('P6#\n2 1\n255\n\1\2\3\4\5\6'))
   end)
   it('are scaled by their maximum, text and binary', function()
      assert.same({ { { 0, 36, 255 } } }, read('P5 3 1 7 \0\1\7'))
      assert.same({ { { 0, 36, 255 } } }, read('P2 3 1 7 0 1 7'))
   end)
   it('have their high byte first where they have sixteen bits', function()
      local x = image.decompress(bytes 'P5 2 1 65535\n\128\1\0\255')
      assert.same({ { { 32769 / 65535, 255 / 65535 } } }, torch.totable(x:mul(65535):add(0.5):floor():div(65535)))
      assert.same({ { { 128, 0 } } }, read('P5 2 1 65535\n\128\1\0\255'))
      assert.same({ { { 255, 0 } } }, read('P2 2 1 1000 1000 1'))
      assert(math.abs(image.decompress(bytes 'P2 1 1 1000 500')[1][1][1] - 0.5) < 1e-4)
   end)
   it('that are cut off, too large or wrong are refused, and take no memory', function()
      local before = torch.memory().peak
      for s, why in pairs {
         ['P5 2 2 255\nabc'] = '2 x 2 pixels need 4 bytes, but only 3 are left',
         ['P6 999999 999999 255\n'] = 'pixels need 2999994000003 bytes', ['P2 60000 60000 255 1'] = 'pixels need',
         ['P4 65536 65536\n'] = 'pixels need', ['P1 60000 60000\n'] = 'pixels need',
         ['P2 2 1 255 1\n\n'] = 'it ends after 1 of 2 values', ['P5'] = 'it is no', ['P5 '] = 'its header is damaged',
         ['P5 x'] = 'its header is damaged', ['P5 9999999999 1 255 '] = 'its header is damaged',
         ['P5 0 3 255 '] = 'its size is 0 x 3', ['P5 1 1 0 a'] = 'its maximum is 0',
         ['P5 1 1 65536 aa'] = 'its maximum is 65536', ['P5 1 1 7 \8'] = 'above its maximum, 7',
         ['P2 1 1 7 9999999999'] = 'above its maximum, 7', ['P7 1 1 255 a'] = 'it is no', x = 'it is no',
      } do
         refuses('image.decompress: ', image.decompress, bytes(s))
         refuses(why, image.decompress, bytes(s))
      end
      assert(torch.memory().peak - before < 2 ^ 20)
   end)
end)

describe('image.load', function()
   local colour = 'P6 2 1 255\n' .. '\255\0\0\0\255\0'
   it('gives fractions, or bytes, in the type that is named', function()
      local name = temporary.put(colour, '.ppm')
      for kind, full in pairs { byte = 255, float = 1, double = 1 } do
         local x = image.load(name, nil, kind)
         assert.equal('torch.' .. kind:sub(1, 1):upper() .. kind:sub(2) .. 'Tensor', x:type())
         assert.same({ { { full, 0 } }, { { 0, full } }, { { 0, 0 } } }, torch.totable(x))
      end
      assert.equal(torch.getdefaulttensortype(), image.load(name):type())
   end)
   it('makes grey of colours, and colours of grey', function()
      assert.same({ { 76, 150 } }, read(colour, 1))
      assert.same({ { { 9 } }, { { 9 } }, { { 9 } } }, read('P5 1 1 255\n\9', 3))
      assert.same({ { { 9 } } }, read('P5 1 1 255\n\9', 1))
   end)
   it('knows a file by its first bytes', function()
      assert.same({ 3, 1, 2 }, image.load(temporary.put(colour, '.jpg')):size():totable())
      assert.same({ 3, 1, 2 }, image.getSize(temporary.put(colour, '')):totable())
   end)
   it('refuses what is no file, no image, another kind, and unknown types', function()
      local name = temporary.put(colour, '.ppm')
      refuses('image.load: filename must be the name of a file, got nil', image.load)
      refuses('image.load: cannot open /no/such.png: No such file or directory', image.load, '/no/such.png')
      refuses('image.getSize: cannot open /no/such.png', image.getSize, '/no/such.png')
      refuses("image.load: tensortype must be 'byte', 'float' or 'double', got a string", image.load, name, nil, 'int')
      refuses(name .. ': it is no PNG image, but a PNM image', image.loadPNG, name)
      refuses(name .. ': it is no JPEG image, but a PNM image', image.getJPGsize, name)
      refuses('it is no JPEG, PNG, WebP, PBM, PGM or PPM image', image.load, temporary.put('GIF89a', '.png'))
      refuses('image.decompress: tensor must be a torch.ByteTensor', image.decompress, torch.ones(3))
   end)
end)

describe('image.save', function()
   it('writes PGM and PPM files that load as they were', function()
      for suffix, planes in pairs { pgm = 1, PGM = 1, ppm = 3, PPM = 3 } do
         local x, name = torch.ByteTensor(planes, 3, 4):random(0, 255), temporary.name('.' .. suffix)
         image.save(name, x)
         assert.is_true(image.load(name, nil, 'byte'):equal(x))
         assert.same({ planes, 3, 4 }, { image.getPPMsize(name) })
      end
   end)
   it('takes fractions of any type, clamps them, and leaves the picture as it was', function()
      for _, kind in ipairs { 'Float', 'Double', 'Int' } do
         local x, name = torch.Tensor { { -1, 0 }, { 1, 7 } }:type('torch.' .. kind .. 'Tensor'), temporary.name '.pgm'
         local kept = x:clone()
         image.save(name, x)
         assert.same({ { { 0, 0 }, { 255, 255 } } }, torch.totable(image.load(name, nil, 'byte')))
         assert.is_true(x:equal(kept))
      end
   end)
   it('writes 0 for what is not a number', function()
      local name = temporary.name '.pgm'
      image.save(name, torch.Tensor { { 0 / 0, 1 } })
      assert.same({ { { 0, 255 } } }, torch.totable(image.load(name, nil, 'byte')))
   end)
   it('leaves the old file where it fails', function()
      local name = temporary.put('old', '.pgm')
      refuses('image.save: the picture must be planes x rows x columns with 1 plane(s), or rows x columns, got', image.save, name,
         torch.ones(3, 2, 2))
      assert.equal('old', temporary.get(name))
   end)
   it('refuses what it cannot write', function()
      refuses('image.save: x.gif: the suffix must be jpg, jpeg, png, ppm or pgm', image.save, 'x.gif', torch.ones(2, 2))
      refuses('image.save: x: the suffix', image.save, 'x', torch.ones(2, 2))
      refuses('image.save: filename must be the name of a file, got nil', image.save)
      refuses('image.save: tensor must be a tensor, got nil', image.save, 'x.pgm')
      refuses('with 3 plane(s), got', image.save, 'x.ppm', torch.ones(2, 2))
      refuses('with 1, 3, 4 plane(s), or rows x columns, got', image.save, 'x.png', torch.ones(2, 2, 2))
      refuses('with 1, 3 plane(s), or rows x columns, got', image.save, 'x.jpg', torch.ones(4, 2, 2))
      refuses('rows x columns, got', image.save, 'x.png', torch.Tensor())
      refuses('image.save: cannot make a temporary file beside /no/such/folder/x.pgm: No such file or directory', image.save,
         '/no/such/folder/x.pgm', torch.ones(2, 2))
   end)
   it('knows the suffixes of its files', function()
      for _, suffix in ipairs { 'jpg', 'JPEG', 'png', 'PNG', 'ppm', 'PGM' } do
         assert.is_true(image.is_supported(suffix))
         assert.equal('function', type(image.supported_filetypes[suffix].loader))
      end
      for _, suffix in ipairs { 'gif', 'Png', '' } do assert.is_false(image.is_supported(suffix)) end
   end)
end)

-- A PNG file by hand, of a header and other chunks, each a name and its content.
local function be(v)
   return string.char(math.floor(v / 2 ^ 24) % 256, math.floor(v / 65536) % 256, math.floor(v / 256) % 256, v % 256)
end
local function chunk(name, content)
   return be(#content) .. name .. content .. be(tonumber(C.th_zip_crc(0, name .. content, #content + 4)))
end
local function png(width, height, depth, kind, interlace, rest)
   return '\137PNG\r\n\26\n' .. chunk('IHDR', be(width) .. be(height) .. string.char(depth, kind, 0, 0, interlace)) .. rest
end

-- One of sixteen bits: stored rows without a filter.
local function png16(width, kind, row, more)
   local raw, a, b = '\0' .. row, 1, 0
   for k = 1, #raw do
      a = (a + raw:byte(k)) % 65521
      b = (b + a) % 65521
   end
   local le = require 'torch.format'.le
   local packed = '\120\1\1' .. le(2, #raw) .. le(2, 65535 - #raw) .. raw .. be(b * 65536 + a)
   return png(width, 1, 16, kind, 0, (more and chunk(unpack(more)) or '') .. chunk('IDAT', packed) .. chunk('IEND', ''))
end

describe('PNG images', function()
   it('with a chunk that is longer than the file are refused before memory is taken', function()
      if not need_png() then return end
      local before = torch.memory().peak
      local file = png16(1, 6, ('\0'):rep(8), { 'zTXt', 'a\0\0' })
      assert(image.decompress(bytes(file)))
      local at = file:find('zTXt', 1, true)
      refuses('image.decompress: a chunk of it is longer than the file', image.decompress,
         bytes(file:sub(1, at - 5) .. '\127\255\255\240' .. file:sub(at)))
      assert(torch.memory().peak - before < 2 ^ 20)
   end)
   it('of one, three and four planes load as they were saved', function()
      if not need_png() then return end
      for _, planes in ipairs { 1, 3, 4 } do
         local x, name = torch.ByteTensor(planes, 5, 7):random(0, 255), temporary.name '.png'
         image.save(name, x:transpose(2, 3):contiguous():transpose(2, 3))
         assert.is_true(image.loadPNG(name, nil, 'byte'):equal(x))
         assert.same({ planes, 5, 7 }, { image.getPNGsize(name) })
         assert.is_true(image.decompress(image.compressPNG(x), nil, 'byte'):equal(x))
      end
   end)
   it('of sixteen bits keep them beside alpha, and whatever gamma they name', function()
      if not need_png() then return end
      local row = '\18\52\86\120\154\188\0\7'
      for _, more in ipairs { false, { 'gAMA', '\0\0\39\16' } } do
         local x = image.decompressPNG(bytes(png16(1, 6, row, more or nil)))
         assert.same({ 0x1234, 0x5678, 0x9abc, 7 }, torch.totable(x:view(4):mul(65535):add(0.5):floor()))
         assert.same({ { { 0x12 } }, { { 0x56 } }, { { 0x9a } }, { { 0 } } }, read(png16(1, 6, row, more or nil)))
      end
   end)
   it('show black in feed.image where they are transparent', function()
      if not need_png() then return end
      local x = torch.ByteTensor { { { 200, 200 } }, { { 100, 100 } }, { { 50, 50 } }, { { 128, 0 } } }
      local name = temporary.put(text(image.compressPNG(x)), '.png')
      assert.same({ { { 100, 0 } }, { { 50, 0 } }, { { 25, 0 } } }, torch.totable(feed.image(name)))
   end)
   it('that are damaged give an error or an image, and take little memory', function()
      if not need_png() then return end
      local g, before, errors = torch.Generator(), torch.memory().peak, 0
      torch.manualSeed(g, 3)
      local good = text(image.compressPNG(torch.ByteTensor(4, 20, 30):random(g, 0, 255)))
      for _ = 1, 2000 do
         local at = torch.random(g, 9, #good)
         local s = good:sub(1, at - 1) .. string.char(torch.random(g, 0, 255)) .. good:sub(at + 1)
         local ok, why = pcall(image.decompress, bytes(s))
         if not ok then
            errors = errors + 1
            assert.truthy(why:find('image.decompress: ', 1, true), why)
         end
      end
      assert(errors > 1000, errors)
      for n = 1, #good - 20, 7 do refuses('image.decompress: ', image.decompress, bytes(good:sub(1, n))) end
      assert(torch.memory().peak - before < 2 ^ 26)
   end)
end)

-- The same file with Exif data that names an orientation.
local function oriented(file, v, big)
   local tiff = big and 'MM\0\42\0\0\0\8\0\1\1\18\0\3\0\0\0\1\0' .. string.char(v) .. '\0\0\0\0\0\0'
      or 'II\42\0\8\0\0\0\1\0\18\1\3\0\1\0\0\0' .. string.char(v) .. '\0\0\0\0\0\0\0'
   local content = 'Exif\0\0' .. tiff
   return file:sub(1, 2) .. '\255\225' .. string.char(0, #content + 2) .. content .. file:sub(3)
end

describe('JPEG images', function()
   it('load as they were saved, nearly', function()
      if not need_jpeg() then return end
      for _, planes in ipairs { 1, 3 } do
         local x, name = smooth(planes), temporary.name '.jpg'
         image.save(name, x)
         assert((image.load(name) - x):abs():max() < 0.06)
         assert.same({ planes, 24, 32 }, { image.getJPGsize(name) })
         assert.same({ planes, 24, 32 }, image.getSize(name):totable())
         assert.equal(#temporary.get(name), image.compressJPG(x):size(1))
      end
   end)
   it('with colours for print give four planes, the first three for depth 3', function()
      if not need_jpeg() then return end
      local x = torch.ByteTensor(16, 16, 4)
      for c = 1, 4 do x:select(3, c):fill(50 * c) end
      local file = bytes(require 'feed.jpeg'.write(x, 95))
      local y = image.decompressJPG(file, nil, 'byte')
      assert.same({ 4, 16, 16 }, y:size():totable())
      assert((y:permute(2, 3, 1):int() - x:int()):abs():max() < 6)
      assert.is_true(image.decompressJPG(file, 3, 'byte'):equal(y:narrow(1, 1, 3)))
   end)
   it('are larger and nearer with more quality', function()
      if not need_jpeg() then return end
      local x, last, size = smooth(3), 1, 0
      for _, quality in ipairs { 24, 40, 90, 100 } do
         local b = image.compressJPG(x, quality)
         local far = (image.decompressJPG(b) - x):abs():mean()
         assert(b:size(1) > size and far <= last, quality)
         size, last = b:size(1), far
      end
      for _, q in ipairs { -1, 101, 0 / 0, '75' } do
         refuses('image.compressJPG: quality must be a number in 0..100, got', image.compressJPG, x, q)
      end
   end)
   it('are turned as their Exif data says by feed.image, and not by image.load', function()
      if not need_jpeg() then return end
      local x = smooth(1)
      local file = text(image.compressJPG(x, 100))
      local plain = image.decompress(bytes(file), nil, 'byte')
      local turned = {
         plain, plain:flip(3), plain:flip(2):flip(3), plain:flip(2), plain:transpose(2, 3), plain:transpose(2, 3):flip(3),
         plain:transpose(2, 3):flip(2):flip(3), plain:transpose(2, 3):flip(2), plain,
      }
      for v = 1, 9 do
         for _, big in ipairs { true, false } do
            local name = temporary.put(oriented(file, v, big), '.jpg')
            assert.is_true(feed.image(name):equal(turned[v]:contiguous()))
            assert.is_true(image.load(name, nil, 'byte'):equal(plain))
         end
      end
   end)
   it('with damaged Exif data are as stored', function()
      if not need_jpeg() then return end
      local file = oriented(text(image.compressJPG(smooth(1))), 6)
      for at = 13, 37 do
         for _, v in ipairs { 0, 255 } do
            local ok, why = pcall(feed.image, temporary.put(file:sub(1, at - 1) .. string.char(v) .. file:sub(at + 1), '.jpg'))
            assert(ok, why)
         end
      end
   end)
   it('that are cut off are errors', function()
      if not need_jpeg() then return end
      local good = text(image.compressJPG(smooth(3)))
      for n = 2, #good - 3, 5 do refuses('image.decompress: ', image.decompress, bytes(good:sub(1, n))) end
   end)
   it('with bytes that do not belong to them load, with a note, as libjpeg read them for Torch7', function()
      if not need_jpeg() then return end
      local good = text(image.compressJPG(smooth(3)))
      local script = temporary.put([[
         require 'image'
         local x = image.load(arg[1])
         print(x:size(2), x:size(3))
      ]], '.lua')
      local at = good:find('\255\218', 1, true)
      local name = temporary.put(good:sub(1, at - 1) .. '\1\2\3\4' .. good:sub(at), '.jpg')
      local p = io.popen(("timeout 60 '%s' %s %s 2>&1"):format(os.getenv 'TH' or 'build/bin/th', script, name))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find('24\t32', 1, true), out)
      assert.truthy(out:find('image.load: ' .. name .. ': libjpeg-turbo: Corrupt JPEG data', 1, true), out)
      refuses('Corrupt JPEG data', feed.image, name)
   end)
end)

-- The most memory that this process has had, in bytes.
local function most_resident()
   local f = assert(io.open '/proc/self/status')
   local kilobytes = f:read '*a':match 'VmHWM:%s+(%d+)'
   f:close()
   return tonumber(kilobytes) * 1024
end

describe('Files whose header lies', function()
   -- The text of the error that names the function and the file, or the result.
   local function try(f, name, who, ...)
      local ok, x = pcall(f, name, ...)
      if ok then return x end
      assert.truthy(x:find(who .. ': ' .. name .. ': ', 1, true), x)
      assert.falsy(x:find('%.lua:%d+: .*%.lua:%d+: '), x)
      return nil, x
   end

   -- image.load and image.getSize of these bytes fail with these texts; a size in the place of the second is what getSize gives.
   local function lies(file, suffix, text, size_text)
      local name, before, peak = temporary.put(file, suffix), torch.memory().peak, most_resident()
      local x, why = try(image.load, name, 'image.load')
      assert(not x, 'loaded')
      assert.truthy(why:find(text, 1, true), why)
      x, why = try(image.getSize, name, 'image.getSize')
      if type(size_text) == 'table' then assert.same(size_text, x and x:totable(), why)
      else assert.truthy(why and why:find(size_text or text, 1, true), why) end
      assert(torch.memory().peak - before < 2 ^ 21, 'tensors took memory')
      assert(most_resident() - peak < 2 ^ 24, 'a library took memory')
      os.remove(name)
   end

   it('are refused by image.load before memory is taken, in JPEG; image.getSize gives what they claim', function()
      if not need_jpeg() then return end
      local good = text(image.compressJPG(smooth(3)))
      local at = good:find('\255\192', 1, true)              -- FF C0, length, depth, height, width, components
      local function claims(height, width, components)
         return good:sub(1, at + 4) .. be(height):sub(3) .. be(width):sub(3)
            .. (components and string.char(components) or good:sub(at + 9, at + 9)) .. good:sub(at + 10)
      end
      assert(image.decompress(bytes(claims(24, 32))))
      local pixels = ' pixels do not fit into ' .. #good .. ' bytes'
      lies(claims(65500, 65500), '.jpg', '65500 x 65500' .. pixels, { 3, 65500, 65500 })
      lies(claims(2 ^ 15, 2 ^ 15), '.jpg', '32768 x 32768' .. pixels, { 3, 2 ^ 15, 2 ^ 15 })
      lies(claims(65535, 65535), '.jpg', 'Maximum supported image dimension is 65500 pixels')
      for _, sides in ipairs { { 0, 0 }, { 0, 32 }, { 24, 0 } } do
         lies(claims(unpack(sides)), '.jpg', 'Empty JPEG image')
      end
      for _, components in ipairs { 0, 1, 2, 4, 255 } do
         lies(claims(24, 32, components), '.jpg', 'libjpeg-turbo: ')
      end
      for _, length in ipairs { '\0\0', '\0\1', '\0\18', '\255\255' } do
         lies(good:sub(1, at + 1) .. length .. good:sub(at + 4), '.jpg', 'libjpeg-turbo: ')
      end
      lies(good:sub(1, 4) .. '\255\255' .. good:sub(7), '.jpg', 'it ends before its image begins')
   end)

   it('are refused by image.load and image.getSize before memory is taken, in PNG', function()
      if not need_png() then return end
      local good = text(image.compressPNG(smooth(3)))
      local rest = good:sub(34)
      assert(image.decompress(bytes(png(32, 24, 8, 2, 0, rest))))
      local pixels = ' pixels do not fit into ' .. #good .. ' bytes'
      lies(png(2 ^ 31 - 1, 2 ^ 31 - 1, 16, 6, 0, rest), '.png', '2147483647 x 2147483647' .. pixels)
      lies(png(2 ^ 31 - 1, 1, 8, 2, 0, rest), '.png', '2147483647 x 1' .. pixels)
      lies(png(1, 2 ^ 31 - 1, 8, 2, 1, rest), '.png', '1 x 2147483647' .. pixels)
      lies(png(2 ^ 31, 24, 8, 2, 0, rest), '.png', 'PNG unsigned integer out of range')
      for _, sides in ipairs { { 0, 24 }, { 32, 0 } } do
         lies(png(sides[1], sides[2], 8, 2, 0, rest), '.png', 'Invalid IHDR data')
      end
      for _, form in ipairs { { 3, 2 }, { 1, 2 }, { 8, 5 }, { 16, 3 }, { 0, 0 } } do
         lies(png(32, 24, form[1], form[2], 0, rest), '.png', 'Invalid IHDR data')
      end
      lies(png(32, 24, 8, 3, 0, rest), '.png', 'Missing PLTE before IDAT')
      lies(good:sub(1, 20) .. '\9' .. good:sub(22), '.png', 'IHDR: CRC error')
      -- More rows, wider ones, more channels and more bits than its data have.
      for _, form in ipairs { { 32, 25, 8, 2 }, { 33, 24, 8, 2 }, { 32, 24, 8, 6 }, { 32, 24, 16, 2 }, { 320, 240, 8, 2 } } do
         local width, height, depth, kind = unpack(form)
         lies(png(width, height, depth, kind, 0, rest), '.png', 'libpng: ', { kind == 6 and 4 or 3, height, width })
      end
   end)

   it('or that are cut off, never load; image.getSize gives their size or an error', function()
      for _, suffix in ipairs { '.jpg', '.png' } do
         if suffix == '.jpg' and not need_jpeg() or suffix == '.png' and not need_png() then return end
         local name = temporary.name(suffix)
         image.save(name, smooth(3))
         local good, sizes = temporary.get(name), 0
         for n = 2, #good - (suffix == '.png' and 13 or 1) do
            local f = assert(io.open(name, 'wb'))
            f:write(good:sub(1, n))
            f:close()
            assert(not try(image.load, name, 'image.load', nil, 'byte'), n)
            local size = try(image.getSize, name, 'image.getSize')
            if size then
               sizes = sizes + 1
               assert.same({ 3, 24, 32 }, size:totable())
            end
         end
         assert(sizes > 10, sizes)
      end
   end)

   it('and those that memory is too short for, give an error with the name of the function and of the file', function()
      local x, name = torch.ByteTensor(3, 100, 200):fill(7), temporary.name '.ppm'
      image.save(name, x)
      local file = bytes(temporary.get(name))
      for _, room in ipairs { 1000, 70000, 150000 } do        -- too little for pixels, for planes of bytes, for those of doubles
         local ok, why = little_memory(room, image.load, name, nil, 'double')
         local ok2, why2 = little_memory(room, image.decompress, file, nil, 'double')
         assert.is_false(ok or ok2)
         assert.truthy(why:find('image%.load: .*%.ppm: [%w.]+: out of memory: '), why)
         assert.truthy(why2:find('image%.decompress: [%w.]+: out of memory: '), why2)
      end
   end)
end)

describe('Where memory runs out', function()
   -- Each room for tensors that is too small gives an error of f, in this form, whatever step of f takes the memory. At least
   -- `steps` of them do.
   local function runs_out(form, steps, f, ...)
      local seen, n = {}, 0
      for room = 0, 2 ^ 18, 900 do
         local ok, why = little_memory(room, f, ...)
         if ok then break end
         why = why:gsub(' %d+ held.*', '')
         if not seen[why] then seen[why], n = true, n + 1 end
         assert.truthy(why:find('^' .. form:gsub('%.', '%%.') .. ': [%w._]*:? ?out of memory: %d+ bytes wanted,$'), why)
         assert.falsy(why:find('.lua:', 1, true), why)
      end
      assert(n >= steps, ('%s: %d steps'):format(form, n))
      assert((pcall(f, ...)))
   end
   -- So small that no op wakes threads: on a busy machine each of these waits takes milliseconds.
   local x = torch.Tensor(3, 20, 30):fill(0.5)
   local turned = torch.ByteTensor(3, 30, 20):fill(7):transpose(2, 3)

   it('image.save and image.compress give errors in their own names', function()
      local suffixes = { 'ppm', has_png and 'png', has_jpeg and 'jpg' }
      for _, suffix in pairs(suffixes) do
         if suffix then
            runs_out('image.save', 3, image.save, temporary.name('.' .. suffix), x)
            runs_out('image.save', 1, image.save, temporary.name('.' .. suffix), turned)
         end
      end
      if has_png then runs_out('image.compressPNG', 3, image.compressPNG, x) end
      if has_jpeg then
         runs_out('image.compressJPG', 3, image.compressJPG, x)
         runs_out('image.compressJPG', 1, image.compressJPG, torch.ByteTensor(9, 9):fill(7))         -- for the result alone
      end
   end)
   it('image.load, image.getSize and feed.image give errors in their own names, with that of the file', function()
      for suffix, has in pairs { ppm = true, png = has_png, jpg = has_jpeg } do
         if has then
            local name = temporary.name('.' .. suffix)
            image.save(name, x)
            runs_out('image.load: ' .. name, 3, image.load, name, 1, 'double')
            runs_out('image.getSize: ' .. name, 1, image.getSize, name)
            if suffix ~= 'ppm' then runs_out('feed.image: ' .. name, 2, feed.image, name) end
         end
      end
   end)
end)
