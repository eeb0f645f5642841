-- test/feed/webp_spec.lua - WebP images, as image.load and feed.image read them.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local feed = require 'feed'
local image = require 'image'
local le = require 'torch.format'.le
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

teardown(temporary.remove)

ffi.cdef [[
size_t WebPEncodeRGB(const uint8_t *rgb, int width, int height, int pitch, float quality, uint8_t **to);
size_t WebPEncodeRGBA(const uint8_t *rgba, int width, int height, int pitch, float quality, uint8_t **to);
size_t WebPEncodeLosslessRGB(const uint8_t *rgb, int width, int height, int pitch, uint8_t **to);
size_t WebPEncodeLosslessRGBA(const uint8_t *rgba, int width, int height, int pitch, uint8_t **to);
void WebPFree(void *bytes);
]]

local found, C = pcall(ffi.load, os.getenv 'TH_WEBP' or 'libwebp.so.7')
local function it_reads(title, f)
   it(title, function()
      if not found then return pending 'libwebp is not installed' end
      return f()
   end)
end

-- The file of a picture, planes x rows x columns of bytes. Without a quality it is lossless.
-- The encoder drops the colours of pixels whose alpha is 0: pictures here have none.
local function packed(x, quality)
   local planes, height, width = x:size(1), x:size(2), x:size(3)
   local p, to = x:permute(2, 3, 1):contiguous(), ffi.new 'uint8_t *[1]'
   local encode = C[('WebPEncode%sRGB%s'):format(quality and '' or 'Lossless', planes == 4 and 'A' or '')]
   local n
   if quality then n = encode(p:data(), width, height, width * planes, quality, to)
   else n = encode(p:data(), width, height, width * planes, to) end
   local bytes = ffi.string(to[0], n)
   C.WebPFree(to[0])
   return bytes
end

local function put(bytes) return temporary.put(bytes, '.webp') end
local function tensor(bytes)
   local t = torch.ByteTensor(#bytes)
   if #bytes > 0 then ffi.copy(t:data(), bytes, #bytes) end
   return t
end

-- A picture that changes slowly.
local function smooth(planes, height, width)
   local x = torch.ByteTensor(planes, height, width)
   for c = 1, planes do
      for i = 1, height do
         for j = 1, width do x[c][i][j] = math.floor(255 * (c * i + j) / (planes * height + width)) end
      end
   end
   return x
end

local function chunk(name, content) return name .. le(4, #content) .. content .. ('\0'):rep(#content % 2) end
local function riff(chunks) return 'RIFF' .. le(4, 4 + #chunks) .. 'WEBP' .. chunks end

-- The chunk of pixels of a file that has no others.
local function pixels_of(bytes) return bytes:sub(13) end

-- A header of many pixels: VP8L, 14 bits each for width and height less one.
local function lossless_header(width, height)
   return riff(chunk('VP8L', '\47' .. le(4, (width - 1) + (height - 1) * 16384) .. ('\0'):rep(50)))
end

-- A file with the chunk VP8X and more chunks. Flags: 2 animation, 8 Exif, 16 alpha.
local function extended(flags, width, height, chunks)
   local size = le(4, width - 1):sub(1, 3) .. le(4, height - 1):sub(1, 3)
   return riff(chunk('VP8X', string.char(flags) .. '\0\0\0' .. size) .. chunks)
end

describe('a WebP file', function()
   it_reads('without loss gives the pixels that went in, with alpha and without', function()
      for planes = 3, 4 do
         local x = torch.ByteTensor(planes, 13, 17):random(1, 255)
         local bytes = packed(x)
         assert.is_true(torch.equal(x, image.load(put(bytes), nil, 'byte')))
         assert.is_true(torch.equal(x, image.decompress(tensor(bytes), nil, 'byte')))
         assert.same({ planes, 13, 17 }, image.getSize(put(bytes)):totable())
         local wanted = x:double():div(255)
         assert.is_true((image.load(put(bytes), nil, 'double') - wanted):abs():max() < 1e-12)
      end
   end)
   it_reads('with loss gives nearly the pixels that went in', function()
      for planes = 3, 4 do
         local x = smooth(planes, 24, 31)
         if planes == 4 then x[4]:fill(255)[1][1] = 7 end
         local y = image.load(put(packed(x, 95)), nil, 'byte')
         assert.same({ planes, 24, 31 }, y:size():totable())
         assert.is_true((y:narrow(1, 1, 3):int() - x:narrow(1, 1, 3):int()):abs():max() <= 12)
         if planes == 4 then assert.is_true(torch.equal(x[4], y[4])) end
      end
   end)
   it_reads('that is recorded here gives its pixels', function()
      local hex = [[524946464e000000574542505650384c420000002f024000102f40906d3384654af767ba0641b6cd66307f825b9e40d2666b
         30debfeb09246dc69a3fd9dfec013f974b6ab3ba2514b28d00a7768fc8195d44ff637901]]
      local bytes = hex:gsub('%s', ''):gsub('..', function(h) return string.char(tonumber(h, 16)) end)
      assert.same({ { { 255, 0, 16 }, { 0, 200, 32 } }, { { 0, 255, 17 }, { 0, 100, 33 } }, { { 0, 0, 18 }, { 255, 50, 34 } },
         { { 255, 128, 64 }, { 255, 1, 255 } } }, image.load(put(bytes), nil, 'byte'):totable())
   end)
   it_reads('takes the depths of image.load', function()
      local x = torch.ByteTensor(4, 5, 6):random(1, 255)
      local name = put(packed(x))
      assert.is_true(torch.equal(x:narrow(1, 1, 3), image.load(name, 3, 'byte')))
      assert.same({ 5, 6 }, image.load(name, 1):size():totable())
   end)
   it_reads('is read by feed.image: what is transparent lies on black', function()
      local x = torch.ByteTensor(4, 1, 3):fill(200)
      x[4] = torch.ByteTensor { { 255, 0, 51 } }
      assert.same({ { { 200, 0, 40 } }, { { 200, 0, 40 } }, { { 200, 0, 40 } } }, feed.image(put(packed(x))):totable())
      x = torch.ByteTensor(3, 4, 5):random(1, 255)
      assert.is_true(torch.equal(x, feed.image(put(packed(x)))))
   end)
   it_reads('stands upright in feed.image by the orientation in its Exif data, and as it lies in image.load', function()
      local x = torch.ByteTensor(3, 2, 3):random(1, 255)
      for _, mark in ipairs { '', 'Exif\0\0' } do
         for _, big in ipairs { false, true } do
            local tiff = big and 'MM\0\42\0\0\0\8\0\1\1\18\0\3\0\0\0\1\0\6\0\0\0\0\0\0'
               or 'II\42\0\8\0\0\0\1\0\18\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0'
            local name = put(extended(8, 3, 2, pixels_of(packed(x)) .. chunk('EXIF', mark .. tiff)))
            assert.is_true(torch.equal(x, image.load(name, nil, 'byte')))
            assert.is_true(torch.equal(x:transpose(2, 3):flip(3), feed.image(name)))
         end
      end
   end)
   it_reads('is in feed.folder by its suffix', function()
      local dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir -p '%s/one'"):format(dir)) == 0)
      local f = assert(io.open(dir .. '/one/a.webp', 'wb'))
      f:write(packed(torch.ByteTensor(3, 2, 2):fill(9)))
      f:close()
      local d = feed.folder(dir)
      assert.same({ 'one/a.webp' }, d.names)
      assert.same({ 3, 2, 2 }, d:get(1)[1]:size():totable())
      os.execute(("rm -r '%s'"):format(dir))
   end)
   it_reads('gives threads the same pixels', function()
      local names = {}
      for k = 1, 12 do names[k] = put(packed(torch.ByteTensor(3, 9, 9):random(1, 255), k % 2 == 0 and 80 or nil)) end
      local function run(workers)
         local set = feed.map(feed.list(names), function(name) return require 'feed'.image(name) end)
         local l, list = feed.loader { dataset = set, batch = 5, workers = workers }, {}
         for batch in l:epoch() do list[#list + 1] = batch:totable() end
         l:close()
         return list
      end
      assert.same(run(0), run(3))
   end)
end)

describe('a WebP file that is wrong', function()
   local function bad(why, bytes)
      local name = put(bytes)
      refuses('image.load: ' .. name .. ': ' .. why, image.load, name)
      refuses('feed.image: ' .. name .. ': ' .. why, feed.image, name)
      os.remove(name)
   end
   it_reads('is refused where it is cut off, wherever it ends', function()
      for _, bytes in ipairs { packed(torch.ByteTensor(4, 9, 9):random(1, 255)), packed(smooth(3, 20, 20), 80),
         packed(smooth(4, 20, 20), 80) } do
         for n = 12, #bytes - 1 do bad('', bytes:sub(1, n)) end
         bad(('it is cut off: %d of %d bytes are left'):format(#bytes - 1, #bytes), bytes:sub(1, -2))
         bad('libwebp: it is cut off', bytes:sub(1, 24))
         local name = put(bytes:sub(1, 11))
         refuses(name .. ': it is no JPEG, PNG, WebP, PBM, PGM or PPM image', image.load, name)
      end
   end)
   it_reads('is refused where its pixels are missing or damaged', function()
      local bytes = packed(torch.ByteTensor(3, 64, 64):random(1, 255))
      bad('libwebp: its pixels are damaged', riff(chunk('VP8L', bytes:sub(21, 300))))
      bad('libwebp: ', riff(chunk('VP8L', '\0' .. bytes:sub(22))))
      bad('libwebp: it is damaged', riff '')
      bad('libwebp: ', riff(chunk('VP8 ', ('x'):rep(40))))
   end)
   it_reads('is refused where it is an animation', function()
      bad('it is an animation: only single images are read', extended(2, 3, 2, chunk('ANIM', ('\0'):rep(6))))
   end)
   it_reads('is refused before memory is taken where its size is too large for its bytes', function()
      local before = torch.memory().peak
      bad('16384 x 16384 pixels do not fit into', lossless_header(16384, 16384))
      bad('4096 x 4097 pixels do not fit into', lossless_header(4096, 4097))
      assert.is_true(torch.memory().peak - before < 2 ^ 20)
   end)
   it_reads('gives an error or an image, whichever byte is damaged', function()
      local g, errors = torch.Generator(), 0
      torch.manualSeed(g, 7)
      for _, bytes in ipairs { packed(torch.ByteTensor(4, 9, 9):random(1, 255)), packed(smooth(3, 20, 30), 80),
         packed(smooth(4, 20, 30), 80) } do
         for _ = 1, 700 do
            local at = torch.random(g, 13, #bytes)
            local s = bytes:sub(1, at - 1) .. string.char(torch.random(g, 0, 255)) .. bytes:sub(at + 1)
            local ok, why = pcall(require 'feed.webp'.read, s)
            if not ok then
               errors = errors + 1
               assert.equal('string', type(why))
            end
         end
      end
      assert.is_true(errors > 50, errors)
   end)
   it_reads('is refused by the readers of other kinds', function()
      local name = put(packed(torch.ByteTensor(3, 2, 2):fill(1)))
      refuses(name .. ': it is no PNG image, but a WebP image', image.loadPNG, name)
   end)
   it('of another kind of RIFF is no image', function()
      refuses('it is no JPEG, PNG, WebP, PBM, PGM or PPM image', image.load, put 'RIFF\4\0\0\0WAVEfmt ')
      refuses('it is no PNG, JPEG or WebP image', feed.image, put 'RIFF\4\0\0\0WAVEfmt ')
   end)
end)

describe('without libwebp', function()
   it('an error names the package', function()
      local name = put(lossless_header(2, 2))
      local out = shared.without('webp', 'image', name)
      local why = 'libwebp is not installed (Debian: libwebp7); TH_WEBP may name it'
      assert.equal(('feed.image: %s: %s'):format(name, why), out)
   end)
end)
