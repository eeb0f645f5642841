-- lua/image/filter.lua - kernels, convolution, contrast, black and white shapes, and pictures prepared for display.
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local check = require 'image.check'
local named = require 'image.named'

local M = {}

-- ---- convolution ----------------------------------------------------------------------------------

local MODES = { valid = 'V', full = 'F', same = 'F' }

local function need_kernel(who, kernel, least, most)
   if not torch.isTensor(kernel) then
      error(('%s: the kernel must be a tensor, got %s'):format(who, arg.describe(kernel)), 4)
   end
   local n = kernel:dim()
   if n < least or n > most then
      error(('%s: the kernel must have %s dimensions, got %s'):format(who,
         least == most and least or least .. ' to ' .. most, arg.size_text(kernel)), 4)
   end
end

local function convolved(who, result, picture, kernel, mode)
   check.picture(who, picture, 2, 3, 4)
   need_kernel(who, kernel, 2, picture:dim())
   if result ~= nil then check.result(who, result, picture, 4) end
   if not MODES[mode] then
      error(("%s: the mode must be 'valid', 'full' or 'same', got %s"):format(who, tostring(mode)), 4)
   end
   if kernel:dim() == 2 and picture:dim() == 3 then
      kernel = kernel:contiguous():view(1, kernel:size(1), kernel:size(2)):expand(picture:size(1), kernel:size(1), kernel:size(2))
   end
   local n, k = picture:dim(), kernel:dim()
   if mode == 'valid' and (kernel:size(k - 1) > picture:size(n - 1) or kernel:size(k) > picture:size(n)) then
      error(('%s: the kernel must be no larger than the picture, got %s and %s'):format(who, arg.size_text(kernel),
         arg.size_text(picture)), 4)
   end
   local y = torch.conv2(result or picture.new(), picture, kernel:contiguous(), MODES[mode])
   if mode ~= 'same' then return y end
   return y:narrow(n - 1, math.ceil(kernel:size(k - 1) / 2), picture:size(n - 1))
      :narrow(n, math.ceil(kernel:size(k) / 2), picture:size(n))
end

--- Convolves a picture with a kernel, plane by plane.
-- @param result  an optional tensor of the same type
-- @param picture  planes x rows x columns, or rows x columns
-- @param kernel  a tensor of two dimensions, or of three with a kernel for each plane
-- @param mode  'valid' (the default): pixels whose neighbours are all inside. 'full': all that are
--   not 0 if zeros lie around the picture. 'same': the middle of it, of the picture's size;
--   result, if given, then holds all of it
-- @return the result
-- image.convolve(torch.Tensor{{1, 2, 3}}, torch.Tensor{{1, 1}}) --> {{3, 5}}
function M.convolve(result, picture, kernel, mode)
   if not torch.isTensor(kernel) then result, picture, kernel, mode = nil, result, picture, kernel end
   return convolved('image.convolve', result, picture, kernel, mode == nil and 'valid' or mode)
end

-- ---- kernels --------------------------------------------------------------------------------------

local function need_side(who, name, n)
   n = math.floor(n)
   if not (n >= 1 and n < 2^31) then error(('%s: %s must be at least 1, got %s'):format(who, name, tostring(n)), 4) end
   return n
end

-- ((i - middle) / width)^2 / 2 for i in 1..n, where the middle and the width are fractions of `side`.
local function squares(n, side, mean, sigma)
   return torch.range(1, n):double():add(-(mean * side + 0.5)):div(sigma * side):pow(2):div(2)
end

local FIELDS = {
   { 'size', 'number', 3 }, { 'sigma', 'number', 0.25 }, { 'amplitude', 'number', 1 }, { 'normalize', 'boolean', false },
   { 'width', 'number' }, { 'height', 'number' }, { 'sigma_horz', 'number' }, { 'sigma_vert', 'number' },
   { 'mean_horz', 'number', 0.5 }, { 'mean_vert', 'number', 0.5 }, { 'tensor', 'tensor' },
}

local function kernel_arguments(who, ...)
   local a = named(who, FIELDS, ...)
   if a.tensor then
      check.picture(who, a.tensor, 2, 2, 4)
      a.height, a.width = a.tensor:size(1), a.tensor:size(2)
   end
   a.width = need_side(who, 'width', a.width or a.size)
   a.height = need_side(who, 'height', a.height or a.size)
   a.sigma_horz, a.sigma_vert = a.sigma_horz or a.sigma, a.sigma_vert or a.sigma
   return a
end

local function finished(a, values)
   if a.normalize then values:div(values:sum()) else values:mul(a.amplitude) end
   return (a.tensor or torch.Tensor()):resize(values:size()):copy(values)
end

--- Gives a bell-shaped kernel of two dimensions. The arguments come in this order, or by name in a table.
-- @param size  its width and height (3)
-- @param sigma  the width of the bell as a part of the kernel's width (0.25)
-- @param amplitude  the value at the top (1)
-- @param normalize  whether the sum is 1 (false)
-- @param width  the width, if it is not size
-- @param height  the height, if it is not size
-- @param sigma_horz  the width of the bell across, if it is not sigma
-- @param sigma_vert  the width of the bell downwards, if it is not sigma
-- @param mean_horz  the position of the top, as a part of the width (0.5)
-- @param mean_vert  the position of the top, as a part of the height (0.5)
-- @param tensor  an optional tensor of two dimensions, which determines the width and the height and gets the values
-- @return the kernel
-- image.gaussian{size = 1, amplitude = 2} --> {{2}}
function M.gaussian(...)
   local a = kernel_arguments('image.gaussian', ...)
   local down = squares(a.height, a.height, a.mean_vert, a.sigma_vert):mul(-1):exp()
   return finished(a, torch.ger(down, squares(a.width, a.width, a.mean_horz, a.sigma_horz):mul(-1):exp()))
end

--- Gives a bell-shaped kernel of one dimension. The arguments come in this order, or by name in a table.
-- @param size  its length (3)
-- @param sigma  the width of the bell as a part of the length (0.25)
-- @param amplitude  the value at the top (1)
-- @param normalize  whether the sum is 1 (false)
-- @param mean  the position of the top, as a part of the length (0.5)
-- @param tensor  an optional tensor of one dimension, which determines the length and gets the values
-- @return the kernel
-- image.gaussian1D(1) --> {1}
function M.gaussian1D(...)
   local a = named('image.gaussian1D', { FIELDS[1], FIELDS[2], FIELDS[3], FIELDS[4], { 'mean', 'number', 0.5 },
      { 'tensor', 'tensor' } }, ...)
   if a.tensor then
      check.picture('image.gaussian1D', a.tensor, 1, 1)
      a.size = a.tensor:size(1)
   end
   local n = need_side('image.gaussian1D', 'size', a.size)
   return finished(a, squares(n, n, a.mean, a.sigma):mul(-1):exp())
end

--- Gives the kernel of the Laplacian of a bell: positive in the middle, negative around it. The arguments are those of
-- image.gaussian, with a sigma of 0.1. As in Torch7, the horizontal arguments apply vertically and the reverse, and the
-- height of the kernel scales the horizontal direction.
-- @return the kernel
-- image.laplacian{size = 1, amplitude = 2} --> {{2}}
function M.laplacian(...)
   local fields = { unpack(FIELDS) }
   fields[2] = { 'sigma', 'number', 0.1 }
   local a = named('image.laplacian', fields, ...)
   a = kernel_arguments('image.laplacian', a)
   local down = squares(a.height, a.width, a.mean_horz, a.sigma_horz):view(-1, 1):expand(a.height, a.width)
   local across = squares(a.width, a.height, a.mean_vert, a.sigma_vert):view(1, -1):expand(a.height, a.width)
   local r = torch.add(down, across)
   return finished(a, torch.exp(-r):cmul(-r + 1))
end

--- Normalises the contrast of a grey picture. It subtracts from each pixel the mean of its
-- neighbourhood. It divides it by the deviation, if that is above the deviation of the whole
-- picture.
-- @param im  rows x columns, or 1 x rows x columns, of any type
-- @param ker  the weights of the neighbourhood; a bell of 9 x 9 if absent
-- @return a DoubleTensor, without the pixels whose neighbourhood extends outside
-- image.lcn(torch.rand(12, 12)):size() --> {4, 4}
function M.lcn(im, ker)
   check.picture('image.lcn', im, 2, 3)
   if im:dim() == 3 and im:size(1) ~= 1 then
      error('image.lcn: the picture must be grey, got ' .. arg.size_text(im), 2)
   end
   if not arg.absent(ker) then need_kernel('image.lcn', ker, 2, 2) end
   ker = (ker or M.gaussian { size = 9, sigma = 1.591 / 9, normalize = true }):double()
   local x = (im:dim() == 3 and im[1] or im):double():contiguous()   -- a view gives the same bits
   if x:size(1) < ker:size(1) or x:size(2) < ker:size(2) then
      error(('image.lcn: the picture must be as large as the kernel, got %s and %s'):format(arg.size_text(im), arg.size_text(ker)), 2)
   end
   x = (x - x:mean()):div(x:std())
   local mean = torch.conv2(x, ker)
   local deviation = torch.conv2(torch.cmul(x, x), ker):addcmul(-1, mean, mean):clamp(0, math.huge):sqrt():clamp(1, math.huge)
   local top, left = math.floor(ker:size(1) / 2) + 1, math.floor(ker:size(2) / 2) + 1
   return x:narrow(1, top, mean:size(1)):narrow(2, left, mean:size(2)):clone():add(-1, mean):cdiv(deviation)
end

-- ---- black and white shapes -----------------------------------------------------------------------

-- The sums of the neighbours under the kernel, which `sum` may flip; pixels outside the picture count as `pad`.
local function neighbours(who, sum, im, kern, pad)
   check.picture(who, im, 2, 2, 4)
   check.pixels(who, im, 4)
   if not arg.absent(kern) then need_kernel(who, kern, 2, 2) end
   if type(pad) ~= 'number' then error(('%s: pad must be a number, got %s'):format(who, arg.describe(pad)), 4) end
   kern = kern and kern:double() or torch.ones(3, 3):double()
   local h, w, kh, kw = im:size(1), im:size(2), kern:size(1), kern:size(2)
   local padded = torch.DoubleTensor(h + kh - 1, w + kw - 1):fill(pad)
   padded:narrow(1, math.floor(kh / 2) + 1, h):narrow(2, math.floor(kw / 2) + 1, w):copy(im)
   return sum(padded, kern), kern
end

--- Shrinks the shapes of ones in a picture of zeros and ones: a pixel stays 1 if all its neighbours are 1.
-- @param im  rows x columns
-- @param kern  which neighbours count: a tensor of zeros and ones; all of 3 x 3 if absent
-- @param pad  the value outside the picture (1)
-- @return a new picture
-- image.erode(torch.Tensor{{1, 1, 0}}, torch.ones(1, 3)) --> {{1, 0, 0}}
function M.erode(im, kern, pad)
   local sums, weights = neighbours('image.erode', torch.conv2, im, kern, pad == nil and 1 or pad)
   return sums:eq(weights:sum()):type(torch.type(im))
end

--- Grows the shapes of ones in a picture of zeros and ones: a pixel becomes 1 if one of its neighbours is 1.
-- @param im  rows x columns
-- @param kern  which neighbours count: a tensor of zeros and ones; all of 3 x 3 if absent
-- @param pad  the value outside the picture (0)
-- @return a new picture
-- image.dilate(torch.Tensor{{1, 0, 0}}, torch.ones(1, 3)) --> {{1, 1, 0}}
function M.dilate(im, kern, pad)
   local sums = neighbours('image.dilate', torch.xcorr2, im, kern, pad == nil and 0 or pad)
   return sums:gt(0):type(torch.type(im))
end

-- ---- values prepared for display ------------------------------------------------------------------

local LIMITS = { { 'min', 'number' }, { 'max', 'number' }, { 'symm', 'boolean', false }, { 'inplace', 'boolean', false },
   { 'saturate', 'boolean', false }, { 'tensorOut', 'tensor' }, { 'tensor', 'tensor' } }

-- Scales y, a tensor of fractions, from a.min..a.max to 0..1, in place.
local function scale_values(y, a)
   if y:nElement() == 0 then return y end
   local least, most = a.min, a.max
   local limit = a.min == nil and a.symm and math.max(math.abs(y:min()), math.abs(y:max()))
   if least == nil then least = limit and -limit or y:min() end
   y:add(-least)
   local range
   if most ~= nil then range = most - least else range = limit and 2 * limit or y:max() end
   if range ~= 0 then y:div(range) end
   if a.saturate and (a.min ~= nil or a.max ~= nil) then y:clamp(0, 1) end
   return y
end

--- Scales the values of a tensor to 0..1. The arguments come by name in a table.
-- @param args.tensor  the tensor
-- @param args.min  the value that becomes 0; the least one if absent
-- @param args.max  the value that becomes 1; the greatest one if absent
-- @param args.symm  whether 0 becomes 0.5 if min is absent (false)
-- @param args.inplace  whether the values of the tensor itself change (false)
-- @param args.saturate  whether values outside of min and max become 0 and 1 (false)
-- @param args.tensorOut  an optional tensor for the result
-- @return the result
-- image.minmax{tensor = torch.Tensor{1, 2, 5}} --> {0, 0.25, 1}
function M.minmax(args)
   if type(args) ~= 'table' then error('image.minmax: the arguments must be in a table, got ' .. arg.describe(args), 2) end
   local a = named('image.minmax', LIMITS, args)
   check.picture('image.minmax', a.tensor, 0, 8)
   local y = a.tensorOut or a.inplace and a.tensor or torch.Tensor()
   if not dtype.is_float(y._dtype) then
      error(('image.minmax: the result must hold fractions, got a %s'):format(torch.type(y)), 2)
   end
   if not rawequal(y, a.tensor) then y:resize(a.tensor:size()):copy(a.tensor) end
   return scale_values(y, a)
end

local SHOWN = { { 'input', 'any' }, { 'padding', 'number', 0 }, { 'nrow', 'number', 6 }, { 'scaleeach', 'boolean', false },
   { 'min', 'number' }, { 'max', 'number' }, { 'symmetric', 'boolean', false }, { 'saturate', 'boolean', true } }

-- A list of pictures of one size as one tensor.
local function packed(who, list)
   local first = list[1]
   check.picture(who, first, 2, 3, 4)
   local n = first:dim()
   local y = torch.Tensor(#list, n == 3 and first:size(1) or 1, first:size(n - 1), first:size(n))
   for i, picture in ipairs(list) do
      check.picture(who, picture, 2, 3, 4)
      if not picture:isSameSizeAs(first) then
         error(('%s: all pictures must have one size, got %s and %s'):format(who, arg.size_text(first),
            arg.size_text(picture)), 4)
      end
      y[i]:copy(picture)
   end
   return y
end

-- The pictures of x (pictures x planes x rows x columns) side by side.
local function grid_of(x, padding, nrow)
   local count, planes = x:size(1), x:size(2)
   local across = math.min(nrow, count)
   local h, w = x:size(3) + padding, x:size(4) + padding
   local half = math.floor(padding / 2)
   local grid = torch.Tensor(planes, math.ceil(count / across) * h, across * w):fill(x:max())
   for k = 0, count - 1 do
      grid:narrow(2, math.floor(k / across) * h + half + 1, x:size(3)):narrow(3, k % across * w + half + 1, x:size(4))
         :copy(x[k + 1])
   end
   return grid
end

--- Makes one picture of many, with values in 0..1. The arguments come in this order, or by name in a table.
-- @param input  a list of pictures, or a tensor: rows x columns, planes x rows x columns, or
--   pictures x planes x rows x columns. Planes other than 1 or 3 count as pictures
-- @param padding  pixels between two pictures (0)
-- @param nrow  pictures in a row (6)
-- @param scaleeach  whether the values of each picture are scaled alone (false)
-- @param min  the value that becomes 0; the least one if absent
-- @param max  the value that becomes 1; the greatest one if absent
-- @param symmetric  whether 0 becomes 0.5 if min is absent (false)
-- @param saturate  whether values outside of min and max become 0 and 1 (true)
-- @return planes x rows x columns, or rows x columns
-- image.toDisplayTensor{input = torch.range(0, 3):view(2, 1, 1, 2)}:view(4) --> {0, 0.33333, 0.66667, 1}
function M.toDisplayTensor(...)
   local who = 'image.toDisplayTensor'
   local a = named(who, SHOWN, ...)
   local x = a.input
   if type(x) == 'table' and not torch.typename(x) then x = packed(who, x) end
   check.picture(who, x, 2, 4)
   if x:dim() == 4 and x:size(2) ~= 1 and x:size(2) ~= 3 then
      error(('%s: pictures must have 1 or 3 planes, got %s'):format(who, arg.size_text(x)), 2)
   end
   if not (a.padding >= 0 and a.padding < 2^31 and a.nrow >= 1) then
      error(('%s: padding must be at least 0 and nrow at least 1, got %g and %g'):format(who, a.padding, a.nrow), 2)
   end
   if x:nElement() == 0 then error(('%s: there must be pixels, got %s'):format(who, arg.size_text(x)), 2) end
   a.symm = a.symmetric
   local one = x:dim() == 2 or x:dim() == 3 and (x:size(1) == 1 or x:size(1) == 3)
   local y = torch.Tensor(x:size()):copy(x)
   if one then return scale_values(y, a) end
   local planes = x:dim() == 3
   if planes then y = y:view(x:size(1), 1, x:size(2), x:size(3)) end
   if a.scaleeach then
      for i = 1, y:size(1) do scale_values(y[i], a) end
   end
   local grid = grid_of(y, math.floor(a.padding), math.floor(a.nrow))
   if not a.scaleeach then scale_values(grid, a) end
   return planes and grid[1] or grid
end

return M
