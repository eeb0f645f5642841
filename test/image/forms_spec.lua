-- test/image/forms_spec.lua - every function of image with every form of picture: 0 to 5 planes, 1x1, empty, views.
-- runs once
local torch = require 'torch'
local image = require 'image'
local refuses = require 'test.support.refuses'

-- A field of zeros for a picture.
local function flow(x)
   local n, kind = x:dim(), x:type() == 'torch.ByteTensor' and 'torch.FloatTensor' or x:type()
   return torch.zeros(2, n > 1 and x:size(n - 1) or 1, n > 0 and x:size(n) or 1):type(kind)
end

local turn = torch.Tensor { { 0.9, 0.3 }, { -0.2, 1.1 } }
local kernel = torch.ones(1, 1)

-- A call of each function that takes a picture.
local calls = {
   affinetransform = function(x) return image.affinetransform(x, turn) end,
   compressJPG = function(x) return image.compressJPG(x) end,
   compressPNG = function(x) return image.compressPNG(x) end,
   convolve = function(x) return image.convolve(x, kernel:typeAs(x)) end,
   crop = function(x) return image.crop(x, 0, 0, 1, 1) end,
   dilate = function(x) return image.dilate(x) end,
   drawRect = function(x) return image.drawRect(x, 1, 1, 2, 2) end,
   drawText = function(x) return image.drawText(x, 'a', 1, 1) end,
   erode = function(x) return image.erode(x) end,
   flip = function(x) return image.flip(x, 1) end,
   gaussianpyramid = function(x) return image.gaussianpyramid(x, { 1, 0.5 }) end,
   hflip = function(x) return image.hflip(x) end,
   hsl2rgb = function(x) return image.hsl2rgb(x) end,
   hsv2rgb = function(x) return image.hsv2rgb(x) end,
   lab2rgb = function(x) return image.lab2rgb(x) end,
   lcn = function(x) return image.lcn(x) end,
   logpolar = function(x) return image.logpolar(x) end,
   minmax = function(x) return image.minmax { tensor = x } end,
   polar = function(x) return image.polar(x) end,
   rgb2hsl = function(x) return image.rgb2hsl(x) end,
   rgb2hsv = function(x) return image.rgb2hsv(x) end,
   rgb2lab = function(x) return image.rgb2lab(x) end,
   rgb2nrgb = function(x) return image.rgb2nrgb(x) end,
   rgb2y = function(x) return image.rgb2y(x) end,
   rgb2yuv = function(x) return image.rgb2yuv(x) end,
   rotate = function(x) return image.rotate(x, 0.5) end,
   scale = function(x) return image.scale(x, 3, 4) end,
   toDisplayTensor = function(x) return image.toDisplayTensor { input = x } end,
   translate = function(x) return image.translate(x, 1, 1) end,
   vflip = function(x) return image.vflip(x) end,
   warp = function(x) return image.warp(x, flow(x), 'bilinear') end,
   y2jet = function(x) return image.y2jet(x) end,
   yuv2rgb = function(x) return image.yuv2rgb(x) end,
}

-- Functions that take no picture, or show it, and those that io_spec.lua and augment_spec.lua call.
local others = {}
for name in ([[
   augment colormap decompress decompressJPG decompressPNG display fabio gaussian gaussian1D getJPGsize getPNGsize getPPMsize getSize
   is_supported jetColormap laplacian lena load loadJPG loadPNG loadPPM save saveJPG savePGM savePNG savePPM test
   window]]):gmatch '%S+' do others[name] = true end

local SIZES = { { 1, 12, 9 }, { 1, 8, 9 }, { 2, 8, 9 }, { 3, 8, 9 }, { 4, 8, 9 }, { 5, 8, 9 }, { 8, 9 }, { 1, 1 },
   { 1, 1, 1 }, { 3, 1, 1 }, { 3, 1, 9 }, { 3, 8, 1 }, { 0 }, { 0, 0 }, { 3, 0, 9 }, { 3, 8, 0 }, { 0, 8, 9 }, { 7 }, { 2, 3, 8, 9 }, { 1, 1, 1, 1, 1, 1 } }
local KINDS = { 'Byte', 'Float', 'Double', 'Half', 'Int', 'Long' }

local function picture(kind, sizes)
   local x = torch.rand(torch.LongStorage(sizes))
   if kind == 'Byte' or kind == 'Int' or kind == 'Long' then x:mul(255) end
   return x:type('torch.' .. kind .. 'Tensor')
end

-- The same elements, each line with a gap, in another order of dimensions.
local function view(x)
   local n = x:dim()
   if n == 0 then return x end
   local order, back = {}, {}
   for i = 1, n do order[i], back[n + 1 - i] = n + 1 - i, i end
   local t = x:permute(unpack(order)):contiguous()
   local sizes = t:size():totable()
   sizes[n] = sizes[n] + 2
   local room = x.new(unpack(sizes)):fill(1)
   return room:narrow(n, 2, sizes[n] - 2):copy(t):permute(unpack(back))
end

local function same(a, b)
   if torch.isTensor(a) then
      if a:type() ~= b:type() or not a:isSameSizeAs(b) then return false end
      if a:nElement() == 0 then return true end
      local x, y = a:double():clone(), b:double():clone()
      local nan = x:ne(x)
      if not nan:equal(y:ne(y)) then return false end
      x[nan], y[nan] = 0, 0
      return torch.equal(x, y)
   end
   if type(a) ~= 'table' then return a == b end
   for k, v in pairs(a) do if not same(v, b[k]) then return false end end
   return true
end

local function each_form(f)
   for name, call in pairs(calls) do
      for _, kind in ipairs(KINDS) do
         for _, sizes in ipairs(SIZES) do
            f(name, call, picture(kind, sizes), ('%s of %s %s'):format(name, kind, table.concat(sizes, 'x')))
         end
      end
   end
end

-- Torch7 refuses these as well.
local function needs_contiguous(name, x) return (name == 'hflip' or name == 'vflip') and x:dim() == 2 end

describe('every function of image', function()
   it('is among those that this file or another one calls', function()
      for name, f in pairs(image) do
         if type(f) == 'function' then assert.is_true(calls[name] ~= nil or others[name] == true, name) end
      end
   end)

   it('gives a picture of any form a result, or an error that begins with its name, and leaves the picture alone', function()
      local results = {}
      each_form(function(name, call, x, what)
         local before = x:clone()
         local ok, y = pcall(call, x)
         if ok then results[name] = (results[name] or 0) + 1
         else
            local why = tostring(y):gsub('^[^:]*forms_spec%.lua:%d+: ', '')
            assert.equal(1, (why:find('image.' .. name .. ': ', 1, true)), what .. ': ' .. why)
         end
         assert.is_true(same(before, x), what)
      end)
      for name in pairs(calls) do assert.is_true((results[name] or 0) >= 6, name) end
   end)

   it('gives a view what it gives a copy', function()
      each_form(function(name, call, x, what)
         local v = view(x)
         local ok, y = pcall(call, x)
         local ok_of_view, z = pcall(call, v)
         if needs_contiguous(name, x) and not v:isContiguous() then refuses('must be contiguous', call, v)
         else
            assert.equal(ok, ok_of_view, what .. ': ' .. tostring(ok and z or y))
            assert.is_true(not ok or same(y, z), what)
         end
         assert.is_true(same(x, v), what)
      end)
   end)

   it('refuses pictures without pixels where it reads some', function()
      local empty = torch.Tensor(3, 0, 4)
      for _, name in ipairs { 'affinetransform', 'gaussianpyramid', 'logpolar', 'polar', 'rotate', 'scale', 'warp' } do
         refuses(('image.%s: the picture must have pixels, got 3x0x4'):format(name), calls[name], empty)
      end
      for _, name in ipairs { 'dilate', 'erode' } do
         refuses(('image.%s: the picture must have pixels, got 4x0'):format(name), calls[name], torch.Tensor(4, 0))
      end
      refuses('image.y2jet: the picture must have pixels, got 3x0x4', image.y2jet, empty)
      refuses('image.toDisplayTensor: there must be pixels, got 0x4x4', image.toDisplayTensor, torch.Tensor(0, 4, 4))
      refuses('image.convolve: the kernel must be no larger than the picture, got 3x3 and 2x4', image.convolve, torch.rand(2, 4),
         torch.rand(3, 3))
      refuses('image.lcn: the picture must be as large as the kernel, got 8x12 and 9x9', image.lcn, torch.rand(8, 12))
   end)
end)
