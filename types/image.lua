---@meta image
-- types/image.lua - written by ./dev docs from the sources; do not edit.

---@class image
image = {}

--- Rotates, scales and shears a picture around its centre.
---
---     image.affinetransform(torch.Tensor{{1, 2, 3}}, torch.eye(2), 'bilinear', {0, 1})   --> {{1, 1, 2}}
---@param ... any
---@return any # the result
---@return any ...
function image.affinetransform(...) end

--- A batch for training from pictures of any sides: a random part of each, scaled to one size, mirrored, with changed colours, normalised.
---
---     image.augment({torch.ByteTensor(3, 9, 9):fill(7)}, {size = 2, shorter = 4, flip = 0.5}, {1}):size()   --> {1, 3, 2, 2}
---     image.augment(torch.Tensor(2, 4, 6):fill(1), {size = {4, 2}, centre = true}):sum()   --> 16
---@param ... any
---@return any # pictures x planes x height x width: bytes of bytes, or fractions
---@return any ...
function image.augment(...) end

--- functions for pictures of one type, without optional arguments.
---@class image.byte
image.byte = {}

--- the rows of map (colours x 3) whose numbers, from 0, are in labels, as 3 planes.
---@param result? any
---@param labels? any
---@param map? any
---@return any
---@return any ...
function image.byte.colorize(result, labels, map) end

--- see image.crop.
---@param picture any
---@param result any
---@param x any
---@param y any
---@return any
---@return any ...
function image.byte.cropNoScale(picture, result, x, y) end

--- see image.drawRect.
---@param picture any
---@param x1 any
---@param y1 any
---@param x2 any
---@param y2 any
---@param ... any
---@return any
---@return any ...
function image.byte.drawRect(picture, x1, y1, x2, y2, ...) end

--- see image.flip.
---@param result? any
---@param picture? any
---@param dim? any
---@return any
---@return any ...
function image.byte.flip(result, picture, dim) end

--- see image.gaussian.
---@overload fun(result: any, ...: any): any, any
---@param ... any
---@return any
---@return any ...
function image.byte.gaussian(...) end

--- see image.hflip.
---@param result? any
---@param picture? any
---@return any
---@return any ...
function image.byte.hflip(result, picture) end

--- see image.hsl2rgb.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.hsl2rgb(picture, result) end

--- see image.hsv2rgb.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.hsv2rgb(picture, result) end

--- see image.lab2rgb, which refuses bytes.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.lab2rgb(picture, result) end

--- see image.logpolar.
---@param picture any
---@param result any
---@param full any
---@return any
---@return any ...
function image.byte.logPolar(picture, result, full) end

--- see image.logpolar.
---@param picture any
---@param result any
---@param full any
---@return any
---@return any ...
function image.byte.logPolarBilinear(picture, result, full) end

--- see image.polar.
---@param picture any
---@param result any
---@param full any
---@return any
---@return any ...
function image.byte.polar(picture, result, full) end

--- see image.polar.
---@param picture any
---@param result any
---@param full any
---@return any
---@return any ...
function image.byte.polarBilinear(picture, result, full) end

--- see image.rgb2hsl.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.rgb2hsl(picture, result) end

--- see image.rgb2hsv.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.rgb2hsv(picture, result) end

--- see image.rgb2lab, which refuses bytes.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.rgb2lab(picture, result) end

--- see image.rgb2y.
---@param picture any
---@param result? any
---@return any
---@return any ...
function image.byte.rgb2y(picture, result) end

--- see image.rotate.
---@param picture any
---@param result any
---@param angle any
---@return any
---@return any ...
function image.byte.rotate(picture, result, angle) end

--- see image.rotate.
---@param picture any
---@param result any
---@param angle any
---@return any
---@return any ...
function image.byte.rotateBilinear(picture, result, angle) end

--- limits fractions to 0..1, in place.
---@param picture any
---@return any
---@return any ...
function image.byte.saturate(picture) end

--- see image.scale.
---@param picture any
---@param result any
---@return any
---@return any ...
function image.byte.scaleBicubic(picture, result) end

--- see image.scale.
---@param picture any
---@param result any
---@return any
---@return any ...
function image.byte.scaleBilinear(picture, result) end

--- see image.scale.
---@param picture any
---@param result any
---@return any
---@return any ...
function image.byte.scaleSimple(picture, result) end

--- see image.drawText.
---@param picture any
---@param text any
---@param x any
---@param y any
---@param size any
---@param ... any
---@return any
---@return any ...
function image.byte.text(picture, text, x, y, size, ...) end

--- see image.translate.
---@param picture any
---@param result any
---@param x any
---@param y any
---@return any
---@return any ...
function image.byte.translate(picture, result, x, y) end

--- see image.vflip.
---@param result? any
---@param picture? any
---@return any
---@return any ...
function image.byte.vflip(result, picture) end

--- see image.warp. mode is 0 (simple), 1 (bilinear), 2 (bicubic) or 3 (lanczos); clamp is 0 (clamp) or 1 (pad).
---@param result? any
---@param picture? any
---@param field? any
---@param mode? any
---@param offset? any
---@param clamp? any
---@param pad? any
---@return any
---@return any ...
function image.byte.warp(result, picture, field, mode, offset, clamp, pad) end

--- Gives n colours that are easy to distinguish, one in each row.
---
---     image.colormap(1)   --> {{0.65, 0.35, 0.35}}
---@param nbColor number how many
---@return torch.Tensor # a tensor of n x 3, red, green and blue in 0..1
---@return any ...
function image.colormap(nbColor) end

--- The bytes of a JPEG file that holds the image, a ByteTensor of one dimension.
---@param tensor torch.Tensor an image as for image.saveJPG
---@param quality? number 0..100 (default 75). Below 24 quantization values are above 255, as in Torch7: readers of baseline files only refuse such a file
---@return any
function image.compressJPG(tensor, quality) end

--- The bytes of a PNG file that holds the image, a ByteTensor of one dimension.
---@param tensor torch.Tensor an image as for image.savePNG
---@return any
function image.compressPNG(tensor) end

--- Convolves a picture with a kernel, plane by plane.
---
---     image.convolve(torch.Tensor{{1, 2, 3}}, torch.Tensor{{1, 1}})   --> {{3, 5}}
---@param result? any an optional tensor of the same type
---@param picture? any planes x rows x columns, or rows x columns
---@param kernel? any a tensor of two dimensions, or of three with a kernel for each plane
---@param mode? any 'valid' (the default): pixels whose neighbours are all inside. 'full': all that are not 0 if zeros lie around the picture. 'same': the middle of it, of the picture's size; result, if given, then ...
---@return any # the result
---@return any ...
function image.convolve(result, picture, kernel, mode) end

--- Cuts a rectangle out of a picture.
---
---     image.crop(torch.range(1, 9):view(3, 3), 1, 0, 3, 2)   --> {{2, 3}, {5, 6}}
---     image.crop(torch.range(1, 9):view(3, 3), 'c', 1, 1)   --> {{5}}
---@param ... any
---@return any # the result
---@return any ...
function image.crop(...) end

--- The image in the bytes of a file, a ByteTensor, as image.load reads a file.
---
---     image.decompress(torch.ByteTensor{80, 50, 10, 50, 32, 49, 10, 57, 10, 48, 32, 57})   --> {{{0, 1}}}
---@param tensor any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.decompress(tensor, depth, tensortype) end

--- The image in the bytes of a JPEG file, a ByteTensor.
---@param tensor any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.decompressJPG(tensor, depth, tensortype) end

--- The image in the bytes of a PNG file, a ByteTensor.
---@param tensor any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.decompressPNG(tensor, depth, tensortype) end

--- Grows the shapes of ones in a picture of zeros and ones: a pixel becomes 1 if one of its neighbours is 1.
---
---     image.dilate(torch.Tensor{{1, 0, 0}}, torch.ones(1, 3))   --> {{1, 1, 0}}
---@param im any rows x columns
---@param kern? any which neighbours count: a tensor of zeros and ones; all of 3 x 3 if absent
---@param pad? number the value outside the picture (0)
---@return any # a new picture
---@return any ...
function image.dilate(im, kern, pad) end

--- Shows a picture, or a list of them side by side, in the terminal by half blocks in 24-bit colour.
---
---     image.display{ image = torch.eye(2), offscreen = true }.image[1]   --> {{255, 0}, {0, 255}}
---@param ... any
---@return table # a table: `image`, a ByteTensor of 3 x rows x columns, and `file`, if one was written. Its methods are show(), png() (the bytes of a PNG file), save(name) and text() (for the terminal)
function image.display(...) end

--- functions for pictures of one type, without optional arguments.
---@class image.double
image.double = {}

--- the rows of map (colours x 3) whose numbers, from 0, are in labels, as 3 planes.
---@param ... any
---@return any ...
function image.double.colorize(...) end

--- see image.crop.
---@param ... any
---@return any ...
function image.double.cropNoScale(...) end

--- see image.drawRect.
---@param ... any
---@return any ...
function image.double.drawRect(...) end

--- see image.flip.
---@param ... any
---@return any ...
function image.double.flip(...) end

--- see image.gaussian.
---@param ... any
---@return any ...
function image.double.gaussian(...) end

--- see image.hflip.
---@param ... any
---@return any ...
function image.double.hflip(...) end

--- see image.hsl2rgb.
---@param ... any
---@return any ...
function image.double.hsl2rgb(...) end

--- see image.hsv2rgb.
---@param ... any
---@return any ...
function image.double.hsv2rgb(...) end

--- see image.lab2rgb, which refuses bytes.
---@param ... any
---@return any ...
function image.double.lab2rgb(...) end

--- see image.logpolar.
---@param ... any
---@return any ...
function image.double.logPolar(...) end

--- see image.logpolar.
---@param ... any
---@return any ...
function image.double.logPolarBilinear(...) end

--- see image.polar.
---@param ... any
---@return any ...
function image.double.polar(...) end

--- see image.polar.
---@param ... any
---@return any ...
function image.double.polarBilinear(...) end

--- see image.rgb2hsl.
---@param ... any
---@return any ...
function image.double.rgb2hsl(...) end

--- see image.rgb2hsv.
---@param ... any
---@return any ...
function image.double.rgb2hsv(...) end

--- see image.rgb2lab, which refuses bytes.
---@param ... any
---@return any ...
function image.double.rgb2lab(...) end

--- see image.rgb2y.
---@param ... any
---@return any ...
function image.double.rgb2y(...) end

--- see image.rotate.
---@param ... any
---@return any ...
function image.double.rotate(...) end

--- see image.rotate.
---@param ... any
---@return any ...
function image.double.rotateBilinear(...) end

--- limits fractions to 0..1, in place.
---@param ... any
---@return any ...
function image.double.saturate(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.double.scaleBicubic(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.double.scaleBilinear(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.double.scaleSimple(...) end

--- see image.drawText.
---@param ... any
---@return any ...
function image.double.text(...) end

--- see image.translate.
---@param ... any
---@return any ...
function image.double.translate(...) end

--- see image.vflip.
---@param ... any
---@return any ...
function image.double.vflip(...) end

--- see image.warp. mode is 0 (simple), 1 (bilinear), 2 (bicubic) or 3 (lanczos); clamp is 0 (clamp) or 1 (pad).
---@param ... any
---@return any ...
function image.double.warp(...) end

--- Draws the outline of a rectangle.
---
---     image.drawRect(torch.zeros(3, 1, 3), 1, 1, 2, 1)[1]   --> {{1, 1, 0}}
---@param src? any 3 planes x rows x columns
---@param x1? any the first column
---@param y1? any the first row
---@param x2? any the last column
---@param y2? any the last row; if one of the four is absent nothing is drawn
---@param opts? table options by name: color {red, green, blue} in 0..255 ({255, 0, 0}), lineWidth (1), inplace (false)
---@return any # a new picture, or src if inplace is true
---@return any ...
function image.drawRect(src, x1, y1, x2, y2, opts) end

--- Draws text in letters of 5 x 7 pixels, one every 6 pixels, a line every 8.
---
---     image.drawText(torch.zeros(3, 8, 6), '-', 0, 0)[{1, 4, {}}]   --> {1, 1, 1, 1, 1, 0}
---@param src? any 3 planes x rows x columns
---@param text? any a string; a newline begins a line below the first letter
---@param x? any columns before the text (1)
---@param y? any rows above the text (1)
---@param opts? any options by name. `color`: {red, green, blue} in 0..255 ({255, 0, 0}). `bg`: a color behind the letters (none). `size`: of a dot of the letters (1). `wrap`: whether a full line continues at the ...
---@return any # a new picture, or src if inplace is true
---@return any ...
function image.drawText(src, text, x, y, opts) end

--- Shrinks the shapes of ones in a picture of zeros and ones: a pixel stays 1 if all its neighbours are 1.
---
---     image.erode(torch.Tensor{{1, 1, 0}}, torch.ones(1, 3))   --> {{1, 0, 0}}
---@param im any rows x columns
---@param kern? any which neighbours count: a tensor of zeros and ones; all of 3 x 3 if absent
---@param pad? number the value outside the picture (1)
---@return any # a new picture
---@return any ...
function image.erode(im, kern, pad) end

--- A sample picture: a grey face, of 1 x 271 x 257 values in 0..1.
---
---     image.fabio():size()   --> {1, 271, 257}
---@return any
function image.fabio() end

--- Gives the elements of a tensor in reverse order along one dimension.
---
---     image.flip(torch.Tensor{{1, 2}, {3, 4}}, 1)   --> {{3, 4}, {1, 2}}
---@param result? any an optional tensor of the same type, not the picture itself
---@param picture? any a tensor of 1 to 5 dimensions
---@param dim? any a dimension, from 1
---@return any # the result
---@return any ...
function image.flip(result, picture, dim) end

--- functions for pictures of one type, without optional arguments.
---@class image.float
image.float = {}

--- the rows of map (colours x 3) whose numbers, from 0, are in labels, as 3 planes.
---@param ... any
---@return any ...
function image.float.colorize(...) end

--- see image.crop.
---@param ... any
---@return any ...
function image.float.cropNoScale(...) end

--- see image.drawRect.
---@param ... any
---@return any ...
function image.float.drawRect(...) end

--- see image.flip.
---@param ... any
---@return any ...
function image.float.flip(...) end

--- see image.gaussian.
---@param ... any
---@return any ...
function image.float.gaussian(...) end

--- see image.hflip.
---@param ... any
---@return any ...
function image.float.hflip(...) end

--- see image.hsl2rgb.
---@param ... any
---@return any ...
function image.float.hsl2rgb(...) end

--- see image.hsv2rgb.
---@param ... any
---@return any ...
function image.float.hsv2rgb(...) end

--- see image.lab2rgb, which refuses bytes.
---@param ... any
---@return any ...
function image.float.lab2rgb(...) end

--- see image.logpolar.
---@param ... any
---@return any ...
function image.float.logPolar(...) end

--- see image.logpolar.
---@param ... any
---@return any ...
function image.float.logPolarBilinear(...) end

--- see image.polar.
---@param ... any
---@return any ...
function image.float.polar(...) end

--- see image.polar.
---@param ... any
---@return any ...
function image.float.polarBilinear(...) end

--- see image.rgb2hsl.
---@param ... any
---@return any ...
function image.float.rgb2hsl(...) end

--- see image.rgb2hsv.
---@param ... any
---@return any ...
function image.float.rgb2hsv(...) end

--- see image.rgb2lab, which refuses bytes.
---@param ... any
---@return any ...
function image.float.rgb2lab(...) end

--- see image.rgb2y.
---@param ... any
---@return any ...
function image.float.rgb2y(...) end

--- see image.rotate.
---@param ... any
---@return any ...
function image.float.rotate(...) end

--- see image.rotate.
---@param ... any
---@return any ...
function image.float.rotateBilinear(...) end

--- limits fractions to 0..1, in place.
---@param ... any
---@return any ...
function image.float.saturate(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.float.scaleBicubic(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.float.scaleBilinear(...) end

--- see image.scale.
---@param ... any
---@return any ...
function image.float.scaleSimple(...) end

--- see image.drawText.
---@param ... any
---@return any ...
function image.float.text(...) end

--- see image.translate.
---@param ... any
---@return any ...
function image.float.translate(...) end

--- see image.vflip.
---@param ... any
---@return any ...
function image.float.vflip(...) end

--- see image.warp. mode is 0 (simple), 1 (bilinear), 2 (bicubic) or 3 (lanczos); clamp is 0 (clamp) or 1 (pad).
---@param ... any
---@return any ...
function image.float.warp(...) end

--- Gives a bell-shaped kernel of two dimensions.
---
---     image.gaussian{size = 1, amplitude = 2}   --> {{2}}
---@param ... any
---@return any # the kernel
---@return any ...
function image.gaussian(...) end

--- Gives a bell-shaped kernel of one dimension.
---
---     image.gaussian1D(1)   --> {1}
---@param ... any
---@return any # the kernel
---@return any ...
function image.gaussian1D(...) end

--- Makes smaller copies of a picture.
---
---     #image.gaussianpyramid(torch.rand(3, 8, 8), {1, 0.5})   --> 2
---@param ... any
---@return table # a list of pictures
function image.gaussianpyramid(...) end

--- Planes, rows and columns of the image in a JPEG file: three numbers.
---@param filename any
---@return any
---@return any ...
function image.getJPGsize(filename) end

--- Planes, rows and columns of the image in a PNG file: three numbers.
---@param filename any
---@return any
---@return any ...
function image.getPNGsize(filename) end

--- Planes, rows and columns of the image in a PBM, PGM or PPM file: three numbers.
---
---     name = os.tmpname(); image.savePGM(name, torch.ones(4, 5)); s = { image.getPPMsize(name) }; os.remove(name); s   --> {1, 4, 5}
---@param filename any
---@return any
---@return any ...
function image.getPPMsize(filename) end

--- The size of the image in a file: a LongTensor of planes, rows and columns.
---
---     name = os.tmpname(); image.savePPM(name, torch.ones(3, 4, 5)); s = image.getSize(name); os.remove(name); s   --> {3, 4, 5}
---@param filename any
---@return any
---@return any ...
function image.getSize(filename) end

--- Mirrors a picture: the first column becomes the last.
---
---     image.hflip(torch.Tensor{{1, 2, 3}, {4, 5, 6}})   --> {{3, 2, 1}, {6, 5, 4}}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any planes x rows x columns, rows x columns, or a batch of pictures
---@return any # the result
---@return any ...
function image.hflip(result, picture) end

--- Changes hue, saturation and lightness back to red, green and blue.
---
---     image.hsl2rgb(torch.Tensor{0.5, 1, 0.5}:view(3, 1, 1)):view(3)   --> {0, 1, 1}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any hue, saturation and lightness x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.hsl2rgb(result, picture) end

--- Changes hue, saturation and value back to red, green and blue.
---
---     image.hsv2rgb(torch.Tensor{0.5, 1, 1}:view(3, 1, 1)):view(3)   --> {0, 1, 1}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any hue, saturation and value x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.hsv2rgb(result, picture) end

--- Whether image.save writes files with this suffix.
---
---     image.is_supported 'png'   --> true
---     image.is_supported 'gif'   --> false
---@param suffix any
---@return boolean
function image.is_supported(suffix) end

--- Gives the n colours of the map "jet", from blue over green and yellow to dark red, one in each row.
---
---     image.jetColormap(2)   --> {{0.5, 1, 0.5}, {0.5, 0, 0}}
---@param nbColor number how many
---@return torch.Tensor # a tensor of n x 3, red, green and blue in 0..1
function image.jetColormap(nbColor) end

--- Changes L*a*b* back to sRGB.
---
---     image.lab2rgb(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3)   --> {0, 0, 0}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any L, a and b x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.lab2rgb(result, picture) end

--- Gives the kernel of the Laplacian of a bell: positive in the middle, negative around it.
---
---     image.laplacian{size = 1, amplitude = 2}   --> {{2}}
---@param ... any
---@return any # the kernel
---@return any ...
function image.laplacian(...) end

--- Normalises the contrast of a grey picture.
---
---     image.lcn(torch.rand(12, 12)):size()   --> {4, 4}
---@param im any rows x columns, or 1 x rows x columns, of any type
---@param ker? any the weights of the neighbourhood; a bell of 9 x 9 if absent
---@return any # a DoubleTensor, without the pixels whose neighbourhood extends outside
---@return any ...
function image.lcn(im, ker) end

--- A sample picture: hills in the evening, of 3 x 512 x 512 values in 0..1.
---
---     image.lena():size()   --> {3, 512, 512}
---@return any
---@return any ...
function image.lena() end

--- The image in a JPEG, PNG, WebP, PBM, PGM or PPM file, which is known by its first bytes: planes x rows x columns.
---
---     name = os.tmpname(); image.savePPM(name, torch.ones(3, 1, 2)); x = image.load(name); os.remove(name); x:size()   --> {3, 1, 2}
---@param filename any the name of the file
---@param depth? any 1: colours become grey, a tensor of rows x columns; 3: grey becomes three planes, alpha is dropped; nil: all
---@param tensortype? string 'byte', 'float' or 'double' (nil: the default type of tensors)
---@return any
---@return any ...
function image.load(filename, depth, tensortype) end

--- The image in a JPEG file, as image.load gives it.
---@param filename any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.loadJPG(filename, depth, tensortype) end

--- The image in a PNG file, as image.load gives it; palettes become colours.
---@param filename any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.loadPNG(filename, depth, tensortype) end

--- The image in a PBM, PGM or PPM file (P1 to P6), as image.load gives it.
---
---     name = os.tmpname(); image.savePGM(name, torch.ones(4, 5)); x = image.loadPPM(name); os.remove(name); x:size()   --> {1, 4, 5}
---@param filename any
---@param depth any
---@param tensortype any
---@return any
---@return any ...
function image.loadPPM(filename, depth, tensortype) end

--- Gives a picture in polar coordinates whose columns are logarithms of distances from the centre.
---
---     image.logpolar(torch.ones(9, 9)):sum()   --> 81
---@param ... any
---@return any # the result
---@return any ...
function image.logpolar(...) end

---@class image.minmax.args
---@field tensor? torch.Tensor the tensor
---@field min? any the value that becomes 0; the least one if absent
---@field max? any the value that becomes 1; the greatest one if absent
---@field symm? boolean whether 0 becomes 0.5 if min is absent (false)
---@field inplace? boolean whether the values of the tensor itself change (false)
---@field saturate? boolean whether values outside of min and max become 0 and 1 (false)
---@field tensorOut? any an optional tensor for the result
---@field [string] any

--- Scales the values of a tensor to 0..1.
---
---     image.minmax{tensor = torch.Tensor{1, 2, 5}}   --> {0, 0.25, 1}
---@param args? image.minmax.args
---@return any # the result
---@return any ...
function image.minmax(args) end

--- Gives a picture in polar coordinates: rows are angles, columns distances from the centre.
---
---     image.polar(torch.ones(2, 2))   --> {{1, 1}, {1, 1}}
---@param ... any
---@return any # the result
---@return any ...
function image.polar(...) end

--- Changes colours to hue, saturation and lightness, each in 0..1, or in 0..255 if the picture holds whole numbers.
---
---     image.rgb2hsl(torch.Tensor{0, 1, 1}:view(3, 1, 1)):view(3)   --> {0.5, 1, 0.5}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any red, green and blue x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.rgb2hsl(result, picture) end

--- Changes colours to hue, saturation and value, each in 0..1, or in 0..255 if the picture holds whole numbers.
---
---     image.rgb2hsv(torch.Tensor{0, 1, 1}:view(3, 1, 1)):view(3)   --> {0.5, 1, 1}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any red, green and blue x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.rgb2hsv(result, picture) end

--- Changes sRGB colours to CIE L*a*b* under the white of D65: lightness in 0..100, and two differences of colour.
---
---     image.rgb2lab(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3)   --> {0, 0, 0}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any red, green and blue x rows x columns, or a batch of them, in 0..1
---@return any # the result
---@return any ...
function image.rgb2lab(result, picture) end

--- Divides red, green and blue by their sum, so that what remains does not depend on brightness.
---
---     image.rgb2nrgb(torch.Tensor{0, 0, 0}:view(3, 1, 1)):view(3)   --> {0, 0, 0}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any red, green and blue x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.rgb2nrgb(result, picture) end

--- Gives the brightness of a picture as one plane: 0.299 red + 0.587 green + 0.114 blue.
---
---     image.rgb2y(torch.Tensor{1, 1, 0}:view(3, 1, 1)):view(1)   --> {0.886}
---@param result? any an optional tensor of the same type
---@param picture? any red, green and blue x rows x columns, or a batch of them; more planes do not count
---@return any # the result
---@return any ...
function image.rgb2y(result, picture) end

--- Changes colours to YUV: brightness in 0..1, and two differences of colour that may be negative.
---
---     image.rgb2yuv(torch.Tensor{1, 1, 0}:view(3, 1, 1)):view(3)   --> {0.886, -0.43599, 0.10001}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any red, green and blue x rows x columns, or a batch of them, in 0..1
---@return any # the result
---@return any ...
function image.rgb2yuv(result, picture) end

--- Rotates a picture counterclockwise around its centre.
---
---     image.rotate(torch.Tensor{{1, 2}, {3, 4}}, math.pi)   --> {{4, 3}, {2, 1}}
---@param ... any
---@return any # the result
---@return any ...
function image.rotate(...) end

--- Writes an image into a file; the suffix of its name (jpg, jpeg, png, ppm or pgm) selects the kind.
---
---     name = os.tmpname() .. '.ppm'; image.save(name, torch.ones(3, 1, 2)); x = image.load(name); os.remove(name); x:sum()   --> 6
---@param filename any
---@param tensor any planes x rows x columns, or rows x columns
---@return any
function image.save(filename, tensor) end

--- Writes an image into a JPEG file of quality 75.
---@param filename any
---@param tensor any rows x columns, or planes x rows x columns with one plane or three
---@return any
function image.saveJPG(filename, tensor) end

--- Writes an image of one plane, or of rows x columns, into a PGM file.
---
---     name = os.tmpname(); image.savePGM(name, torch.eye(2)); x = image.load(name); os.remove(name); x   --> {{{1, 0}, {0, 1}}}
---@param filename any
---@param tensor any
---@return any
function image.savePGM(filename, tensor) end

--- Writes an image into a PNG file of 8 bits.
---@param filename any
---@param tensor any rows x columns, or planes x rows x columns with one, three or four planes (the fourth is alpha)
---@return any
function image.savePNG(filename, tensor) end

--- Writes an image of three planes into a PPM file.
---
---     name = os.tmpname(); image.savePPM(name, torch.ones(3, 1, 2)); x = image.load(name, 1); os.remove(name); x   --> {{1, 1}}
---@param filename any
---@param tensor any
---@return any
function image.savePPM(filename, tensor) end

--- Scales a picture.
---
---     image.scale(torch.Tensor{{0, 2}, {4, 6}}, 3, 3)   --> {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}
---     image.scale(torch.Tensor{{1, 2}, {3, 4}}, '*2', 'simple')   --> {{1, 1, 2, 2}, {1, 1, 2, 2}, {3, 3, 4, 4}, {3, 3, 4, 4}}
---@param ... any
---@return any # the result
---@return any ...
function image.scale(...) end

--- A table of the suffixes of files.
---@class image.supported_filetypes
image.supported_filetypes = {}

--- Tests the package on this machine with a torch.Tester, and prints a report.
---@param tests? any the name of a test, a list of names, or nil for all
---@param seed? any of the random numbers (nil: unchanged)
---@return any
function image.test(tests, seed) end

--- Makes one picture of many, with values in 0..1.
---
---     image.toDisplayTensor{input = torch.range(0, 3):view(2, 1, 1, 2)}:view(4)   --> {0, 0.33333, 0.66667, 1}
---@param ... any
---@return any # planes x rows x columns, or rows x columns
---@return any ...
function image.toDisplayTensor(...) end

--- Moves a picture by whole pixels.
---
---     image.translate(torch.Tensor{{1, 2}, {3, 4}}, 1, 0)   --> {{0, 1}, {0, 3}}
---@param ... any
---@return any # the result
function image.translate(...) end

--- Mirrors a picture: the first row becomes the last.
---
---     image.vflip(torch.Tensor{{1, 2, 3}, {4, 5, 6}})   --> {{4, 5, 6}, {1, 2, 3}}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any planes x rows x columns, rows x columns, or a batch of pictures
---@return any # the result
---@return any ...
function image.vflip(result, picture) end

--- Warps a picture: each pixel of the result is read from the picture at the position in a field.
---
---     image.warp(torch.Tensor{{1, 2, 3}}, torch.Tensor{{{0, 0, 0}}, {{0.5, 0.5, 0.5}}})   --> {{1.5, 2.5, 3}}
---@param ... any
---@return any # the result
---@return any ...
function image.warp(...) end

--- An error: windows of Qt are not part of this package.
---@return any
function image.window() end

--- Shows whole numbers from 1 on as the colours of the map "jet"; the largest one becomes dark red.
---
---     image.y2jet(torch.Tensor{1, 2}):view(3, 2)   --> {{0.5, 0.5}, {1, 0}, {0.5, 0}}
---@param result? any an optional tensor of the same type
---@param picture? any one plane: rows x columns, 1 x rows x columns, or one row
---@return any # the result: 3 x rows x columns
---@return any ...
function image.y2jet(result, picture) end

--- Changes YUV back to red, green and blue.
---
---     image.yuv2rgb(torch.Tensor{0.5, 0, 0}:view(3, 1, 1)):view(3)   --> {0.5, 0.5, 0.5}
---@param result? any an optional tensor of the same type; it may be the picture itself
---@param picture? any Y, U and V x rows x columns, or a batch of them
---@return any # the result
---@return any ...
function image.yuv2rgb(result, picture) end

return image
