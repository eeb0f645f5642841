-- feed.jpeg_extended - writes JPEG images of low quality, whose quantization tables have values above 255, where TurboJPEG
-- writes 255. Annexes, figures and tables are those of ITU T.81.
local bit = require 'bit'
local ffi = require 'ffi'

local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local abs, ceil, cos, floor, max, min, sqrt = math.abs, math.ceil, math.cos, math.floor, math.max, math.min, math.sqrt

local extended = {}

local LARGEST = 65500                        -- the longest side that TurboJPEG writes, though the format has 65535

-- ---- tables -----------------------------------------------------------------------------------------------------------------

-- Annex K.1: quantization values of quality 50 by rows.
local LUMA = {
   16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
   18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
   72, 92, 95, 98, 112, 100, 103, 99,
}
local CHROMA = {
   17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
}
for k = 33, 64 do CHROMA[k] = 99 end

-- Annex K.3: the numbers of Huffman codes of 1 to 16 bits, then the symbols in the order of their codes.
local function bytes_of(hex)
   return (hex:gsub('%s', ''):gsub('..', function(digits) return string.char(tonumber(digits, 16)) end))
end
local LUMA_DC = bytes_of '00010501010101010100000000000000 000102030405060708090a0b'
local CHROMA_DC = bytes_of '00030101010101010101010000000000 000102030405060708090a0b'
local LUMA_AC = bytes_of [[
   0002010303020403050504040000017d 01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a
   25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798
   999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa]]
local CHROMA_AC = bytes_of [[
   00020102040403040705040400010277 000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f117
   18191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a9293949596
   9798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa]]

-- Annex C: the code of each symbol and its bits.
local codes_t = ffi.typeof 'struct { uint16_t code[256]; uint8_t bits[256]; }'
local function codes(specification)
   local table, code, at = codes_t(), 0, 16
   for bits = 1, 16 do
      for _ = 1, specification:byte(bits) do
         at = at + 1
         local symbol = specification:byte(at)
         table.code[symbol], table.bits[symbol] = code, bits
         code = code + 1
      end
      code = 2 * code
   end
   return table
end

-- Figure A.6: indices of a block by rows, in the order of a file.
local ZIGZAG = ffi.new 'uint8_t[64]'
do
   local k = 0
   for sum = 0, 14 do
      local first, last = max(0, sum - 7), min(sum, 7)
      for step = 0, last - first do
         local row = sum % 2 == 0 and last - step or first + step
         ZIGZAG[k], k = 8 * row + sum - row, k + 1
      end
   end
end

-- Table F.1: the bits of a magnitude.
local MOST_MAGNITUDE = 2047
local SIZE = ffi.new('uint8_t[?]', MOST_MAGNITUDE + 1)
for v = 1, MOST_MAGNITUDE do SIZE[v] = SIZE[rshift(v, 1)] + 1 end

-- The quantization values of a quality in the order of a file, as the reference library scales them.
local function scaled(base, quality)
   quality = max(floor(quality), 1)
   local scale = quality < 50 and floor(5000 / quality) or 200 - 2 * quality
   local values, largest = ffi.new 'uint16_t[64]', 0
   for k = 0, 63 do
      values[k] = min(max(floor((base[ZIGZAG[k] + 1] * scale + 50) / 100), 1), 32767)
      largest = max(largest, values[k])
   end
   return values, largest > 255
end

-- ---- blocks -----------------------------------------------------------------------------------------------------------------

local C1, C2, C3 = cos(math.pi / 16), cos(math.pi / 8), cos(3 * math.pi / 16)
local C5, C6, C7 = cos(5 * math.pi / 16), cos(3 * math.pi / 8), cos(7 * math.pi / 16)

-- The cosine transform of 8 values, p[0], p[step] ..., in place and without its factors, which are in `factors`.
local function transform_line(p, step)
   local a, b, c, d = p[0], p[step], p[2 * step], p[3 * step]
   local h, g, f, e = p[7 * step], p[6 * step], p[5 * step], p[4 * step]
   a, b, c, d, e, f, g, h = a + h, b + g, c + f, d + e, d - e, c - f, b - g, a - h
   local m, n, outer, inner = a + d, b + c, a - d, b - c
   p[0], p[4 * step] = m + n, m - n
   p[2 * step], p[6 * step] = outer * C2 + inner * C6, outer * C6 - inner * C2
   p[step] = h * C1 + g * C3 + f * C5 + e * C7
   p[3 * step] = h * C3 - g * C7 - f * C1 - e * C5
   p[5 * step] = h * C5 - g * C1 + f * C7 + e * C3
   p[7 * step] = h * C7 - g * C5 + f * C3 - e * C1
end

local function transform(block)
   for k = 0, 7 do transform_line(block + 8 * k, 1) end
   for k = 0, 7 do transform_line(block + k, 8) end
end

-- The divisors of the sums of `transform`, in the order of a file: quantization values over the factors of the cosine
-- transform. The square root is taken of the product, so that the factor 1/8 of even frequencies is exact.
local function divisors(values)
   local d = ffi.new 'double[64]'
   for k = 0, 63 do
      local u, v = ZIGZAG[k] % 8, floor(ZIGZAG[k] / 8)
      d[k] = values[k] / sqrt((u % 4 == 0 and 1 / 8 or 1 / 4) * (v % 4 == 0 and 1 / 8 or 1 / 4))
   end
   return d
end

-- ---- entropy coding ---------------------------------------------------------------------------------------------------------

local ROOM = 2 ^ 16
local MOST_OF_UNIT = 6 * 64 * 2 * 4          -- six blocks of 64 values of at most 27 bits, each byte followed by a zero

-- `held` has `count` bits, fewer than 8, that do not yet fill a byte.
local writer_t = ffi.typeof('struct { int32_t n, count, held; uint8_t bytes[$]; }', ROOM)

-- Appends `n` bits, at most 16. A byte of 255 is followed by 0, because markers begin with 255.
local function put_bits(w, v, n)
   local held, count = bor(lshift(w.held, n), v), w.count + n
   while count >= 8 do
      count = count - 8
      local byte = band(rshift(held, count), 255)
      w.bytes[w.n] = byte
      w.n = w.n + 1
      if byte == 255 then
         w.bytes[w.n] = 0
         w.n = w.n + 1
      end
   end
   w.held, w.count = band(held, lshift(1, count) - 1), count
end

-- A value behind `run` zeros: the symbol of both, then the bits of the value.
local function put_value(w, table, run, v)
   local size = SIZE[abs(v)]
   local symbol = 16 * run + size
   put_bits(w, table.code[symbol], table.bits[symbol])
   if size > 0 then put_bits(w, v < 0 and v + lshift(1, size) - 1 or v, size) end
end

local END_OF_BLOCK, SIXTEEN_ZEROS = 0, 0xF0

-- Transforms, quantizes and appends the block of a component.
local function put_block(w, block, component)
   transform(block)
   local dc, ac, divisor, run = component.dc, component.ac, component.divisors, 0
   for k = 0, 63 do
      local x = block[ZIGZAG[k]] / divisor[k]
      local v = x < 0 and ceil(x - 0.5) or floor(x + 0.5)
      if k == 0 then
         put_value(w, dc, 0, v - component.last)
         component.last = v
      elseif v == 0 then
         run = run + 1
      else
         while run > 15 do
            put_bits(w, ac.code[SIXTEEN_ZEROS], ac.bits[SIXTEEN_ZEROS])
            run = run - 16
         end
         put_value(w, ac, run, v)
         run = 0
      end
   end
   if run > 0 then put_bits(w, ac.code[END_OF_BLOCK], ac.bits[END_OF_BLOCK]) end
end

-- Appends a block outside of the image, whose mean is that of the block before it.
local function put_filler(w, component)
   put_value(w, component.dc, 0, 0)
   put_bits(w, component.ac.code[END_OF_BLOCK], component.ac.bits[END_OF_BLOCK])
end

-- ---- pixels -----------------------------------------------------------------------------------------------------------------

-- The last row and column are repeated beyond the edges. Samples are less 128.

local function read_grey(from, height, width, top, left, block)
   for i = 0, 7 do
      local row = from + min(top + i, height - 1) * width
      for j = 0, 7 do block[8 * i + j] = row[min(left + j, width - 1)] - 128 end
   end
end

-- 16 x 16 pixels as four blocks of luma, one behind the other, and a block of each chroma, means of 2 x 2 pixels. Luma is the
-- quotient of whole numbers, because a sum with 0.299, 0.587 and 0.114 has rounding errors.
local function read_colours(from, height, width, top, left, luma, blue, red)
   ffi.fill(blue, 64 * 8)
   ffi.fill(red, 64 * 8)
   for i = 0, 15 do
      local row = from + min(top + i, height - 1) * width * 3
      local to = floor(i / 8) * 128 + i % 8 * 8
      local mean = floor(i / 2) * 8
      for j = 0, 15 do
         local pixel = row + min(left + j, width - 1) * 3
         local r, g, b = pixel[0], pixel[1], pixel[2]
         luma[to + floor(j / 8) * 64 + j % 8] = floor((299 * r + 587 * g + 114 * b + 500) / 1000) - 128
         local at = mean + floor(j / 2)
         blue[at] = blue[at] + ceil(-0.168736 * r - 0.331264 * g + 0.5 * b - 0.5) / 4
         red[at] = red[at] + ceil(0.5 * r - 0.418688 * g - 0.081312 * b - 0.5) / 4
      end
   end
end

-- ---- files ------------------------------------------------------------------------------------------------------------------

local function be(v) return string.char(floor(v / 256), v % 256) end
local function section(mark, content) return '\255' .. string.char(mark) .. be(#content + 2) .. content end
local SOF1, DHT, SOI, EOI, SOS, DQT, APP0 = 0xC1, 0xC4, '\255\216', '\255\217', 0xDA, 0xDB, 0xE0

-- Table `index` of quantization values: of 8 bits each where they fit, else of 16.
local function quantization(index, values, wide)
   local list = { string.char((wide and 16 or 0) + index) }
   for k = 0, 63 do list[k + 2] = wide and be(values[k]) or string.char(values[k]) end
   return section(DQT, table.concat(list))
end

local function component(dc, ac, values) return { dc = codes(dc), ac = codes(ac), divisors = divisors(values), last = 0 } end

--- Whether an image of this quality needs a quantization value above 255, and extended.write accepts it.
-- @param x  as for extended.write  @param quality  0..100
function extended.takes(x, quality)
   local _, wide = scaled(LUMA, quality)                      -- at each quality it has the largest value of both
   return wide and x:size(3) ~= 4 and x:size(1) <= LARGEST and x:size(2) <= LARGEST
end

--- The bytes of a JPEG file in the extended sequential mode, a string. Chroma has one sample of 2 x 2 pixels.
-- @param x  a contiguous ByteTensor, height x width x channels (1 or 3), with sides of at most 65500
-- @param quality  0..100
function extended.write(x, quality)
   local height, width, channels = x:size(1), x:size(2), x:size(3)
   local colours = channels == 3
   local values, wide = scaled(LUMA, quality)
   local y, cb, cr = component(LUMA_DC, LUMA_AC, values)
   local parts = { SOI, section(APP0, 'JFIF\0\1\1\0\0\1\0\1\0\0'), quantization(0, values, wide) }
   local function add(part) parts[#parts + 1] = part end
   if colours then
      values, wide = scaled(CHROMA, quality)
      cb, cr = component(CHROMA_DC, CHROMA_AC, values), component(CHROMA_DC, CHROMA_AC, values)
      add(quantization(1, values, wide))
   end
   add(section(SOF1, '\8' .. be(height) .. be(width) .. (colours and '\3\1\34\0\2\17\1\3\17\1' or '\1\1\17\0')))
   add(section(DHT, '\0' .. LUMA_DC))
   add(section(DHT, '\16' .. LUMA_AC))
   if colours then
      add(section(DHT, '\1' .. CHROMA_DC))
      add(section(DHT, '\17' .. CHROMA_AC))
   end
   add(section(SOS, colours and '\3\1\0\2\17\3\17\0\63\0' or '\1\1\0\0\63\0'))

   local w, from = writer_t(), x:data()
   local luma, blue, red = ffi.new 'double[256]', ffi.new 'double[64]', ffi.new 'double[64]'
   local side = colours and 16 or 8
   for top = 0, height - 1, side do
      for left = 0, width - 1, side do
         if w.n > ROOM - MOST_OF_UNIT then
            add(ffi.string(w.bytes, w.n))
            w.n = 0
         end
         if colours then
            read_colours(from, height, width, top, left, luma, blue, red)
            for k = 0, 3 do
               if top + floor(k / 2) * 8 < height and left + k % 2 * 8 < width then put_block(w, luma + 64 * k, y)
               else put_filler(w, y) end
            end
            put_block(w, blue, cb)
            put_block(w, red, cr)
         else
            read_grey(from, height, width, top, left, luma)
            put_block(w, luma, y)
         end
      end
   end
   if w.count > 0 then put_bits(w, lshift(1, 8 - w.count) - 1, 8 - w.count) end        -- ones up to a whole byte
   add(ffi.string(w.bytes, w.n))
   add(EOI)
   return table.concat(parts)
end

return extended
