-- test/image/limit_spec.lua - how many pixels a picture in a file may have.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'
local feed = require 'feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local C = require 'torch.lib'.C

teardown(temporary.remove)

local function has(variable, name) return pcall(ffi.load, os.getenv(variable) or name) end
local has_png, has_jpeg = has('TH_PNG', 'libpng16.so.16'), has('TH_JPEG', 'libturbojpeg.so.0')
local has_webp = has('TH_WEBP', 'libwebp.so.7')

-- n bytes of a number, the high one first.
local function be(n, v)
   local s = ''
   for _ = 1, n do s, v = string.char(v % 256) .. s, math.floor(v / 256) end
   return s
end

local function text(t) return ffi.string(t:data(), t:nElement()) end
local function bytes(s)
   local t = torch.ByteTensor(#s)
   ffi.copy(t:data(), s, #s)
   return t
end

-- A JPEG file of an image whose header claims other sides, with `more` bytes behind its end.
local function jpeg(width, height, more)
   local good = text(image.compressJPG(torch.zeros(8, 8)))
   local at = good:find('\255\192', 1, true)                  -- FF C0, length, depth, height, width
   return good:sub(1, at + 4) .. be(2, height) .. be(2, width) .. good:sub(at + 9) .. ('\0'):rep(more or 0)
end

-- A PNG file of one bit a pixel that claims these sides.
local function png(width, height, more)
   local function chunk(name, content)
      return be(4, #content) .. name .. content .. be(4, tonumber(C.th_zip_crc(0, name .. content, #content + 4)))
   end
   return '\137PNG\r\n\26\n' .. chunk('IHDR', be(4, width) .. be(4, height) .. '\1\0\0\0\0')
      .. chunk('IDAT', ('\0'):rep(more or 100)) .. chunk('IEND', '')
end

-- A WebP file without loss that claims these sides: 14 bits each.
local function webp(width, height)
   local le = require 'torch.format'.le
   local content = '\47' .. le(4, (width - 1) + (height - 1) * 16384) .. ('\0'):rep(51)
   return 'RIFF' .. le(4, 12 + #content) .. 'WEBPVP8L' .. le(4, #content) .. content
end

-- The most memory that this process has had, in bytes.
local function most_resident()
   local f = assert(io.open '/proc/self/status')
   local kilobytes = f:read '*a':match 'VmHWM:%s+(%d+)'
   f:close()
   return tonumber(kilobytes) * 1024
end

-- What a script prints, in a process with this TH_IMAGE_PIXELS.
local function printed(limit, script, ...)
   local p = assert(io.popen(("TH_IMAGE_PIXELS='%s' timeout 60 '%s' %s %s 2>&1"):format(limit, os.getenv 'TH',
      temporary.put(script, '.lua'), table.concat({ ... }, ' '))))
   local out = p:read '*a'
   p:close()
   return out
end

describe('a picture of more than 2^30 pixels', function()
   -- Whatever reads the file gives this error, and takes no memory. image.getSize gives the sides.
   local function refused(file, suffix, width, height, readers)
      local name = temporary.put(file, suffix)
      local t = bytes(file)
      local before, peak = torch.memory().peak, most_resident()
      local why = ('%d x %d pixels are more than the limit, 1073741824; TH_IMAGE_PIXELS sets another'):format(width, height)
      refuses(('image.load: %s: %s'):format(name, why), image.load, name, nil, 'byte')
      refuses('image.decompress: ' .. why, image.decompress, t)
      if readers ~= 'image' then
         refuses(('feed.image: %s: %s'):format(name, why), feed.image, name)
         refuses(('feed.image: %s: %s'):format(name, why), feed.image, name, { least = 1 })
      end
      local size = image.getSize(name)
      assert.same({ height, width }, { size[2], size[3] })
      assert(torch.memory().peak - before < 2 * #file + 2 ^ 20, 'tensors took memory')
      assert(most_resident() - peak < 8 * #file + 2 ^ 24, 'a library took memory')
   end

   it('is refused in JPEG, whatever the file has room for', function()
      if not has_jpeg then return pending 'libturbojpeg is not installed' end
      refused(jpeg(60000, 60000, 7.1e6), '.jpg', 60000, 60000)
   end)
   it('is refused in PNG, whatever the file has room for', function()
      if not has_png then return pending 'libpng is not installed' end
      refused(png(32769, 32768, 2 ^ 18), '.png', 32769, 32768)
   end)
   it('is refused in PBM, whatever the file has room for', function()
      refused('P4 32776 32768 ' .. ('\0'):rep(4097 * 32768), '.pbm', 32776, 32768, 'image')
   end)
end)

describe('TH_IMAGE_PIXELS', function()
   local tries = [[
      local image, feed = require 'image', require 'feed'
      for _, name in ipairs(arg) do
         local ok, why = pcall(name:find '%.p[bgp]m$' and image.load or feed.image, name)
         print(ok or why)
      end
   ]]
   local limit = ': %d x %d pixels are more than the limit, 12; TH_IMAGE_PIXELS sets another'

   it('is the largest number of pixels of PGM, JPEG, PNG and WebP files', function()
      local files = { pgm = function(width, height) return ('P5 %d %d 255\n%s'):format(width, height, ('x'):rep(width * height)) end }
      files.jpg, files.png, files.webp = has_jpeg and jpeg, has_png and png, has_webp and webp
      for suffix, make in pairs(files) do
         local allowed, larger = temporary.put(make(4, 3), '.' .. suffix), temporary.put(make(13, 1), '.' .. suffix)
         local out = printed(12, tries, allowed, larger)
         assert.truthy(out:find(larger .. limit:format(13, 1), 1, true), out)
         assert.falsy(out:find(limit:format(4, 3), 1, true), out)
      end
   end)
   it('holds in threads', function()
      local larger = temporary.put('P5 13 1 255\n' .. ('x'):rep(13), '.pgm')
      local out = printed(12, [[
         local threads, name = require 'threads', arg[1]
         local pool = threads.Threads(1)
         pool:addjob(function()
            local _, why = pcall(require 'image'.load, name)
            return why
         end, print)
         pool:synchronize()
      ]], larger)
      assert.truthy(out:find(larger .. limit:format(13, 1), 1, true), out)
   end)
   it('may be larger than 2^30', function()
      if not has_jpeg then return pending 'libturbojpeg is not installed' end
      local name = temporary.put(jpeg(60000, 60000, 7.1e6), '.jpg')
      local out = printed('4e9', [[
         require 'torch.lib'.C.th_memory_of(0).most = 2 ^ 24
         print(pcall(require 'image'.load, arg[1]))
      ]], name)
      assert.truthy(out:find('out of memory', 1, true), out)
   end)
   it('must be a whole number from 1 on', function()
      local name = temporary.put('P5 1 1 255\nx', '.pgm')
      for _, text_of_limit in ipairs { '', '0', '-5', '1.5', 'many', 'inf', 'nan', '1e300' } do
         local out = printed(text_of_limit, tries, name)
         assert.truthy(out:find(("%s: TH_IMAGE_PIXELS must be a whole number in 1..9007199254740992, got '%s'"):format(name,
            text_of_limit), 1, true), out)
      end
   end)
end)
