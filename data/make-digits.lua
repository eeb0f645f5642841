-- data/make-digits.lua - makes the two IDX files of this folder from scikit-learn's digits.csv.gz.
--    apt-get download python3-sklearn && dpkg -x python3-sklearn_*.deb unpacked
--    luajit data/make-digits.lua unpacked/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz
local gzip = require 'examples.lib.gzip'      -- run from the root of the project

local from = arg[1] or error('usage: luajit data/make-digits.lua digits.csv.gz', 0)

local function bigEndian(n)
   local function byte(shift) return math.floor(n / 2 ^ shift) % 256 end
   return string.char(byte(24), byte(16), byte(8), byte(0))
end

local function write(path, ...)
   local file = assert(io.open(path, 'wb'))
   file:write(...)
   assert(file:close())
   print(('%s: %d bytes'):format(path, #table.concat { ... }))
end

local images, labels = {}, {}
for line in gzip.readAll(from):gmatch '[^\r\n]+' do
   local row = {}
   for number in line:gmatch '[^,]+' do
      row[#row + 1] = tonumber(number) or error(('line %d holds "%s"'):format(#labels + 1, number), 0)
   end
   local label = table.remove(row)
   assert(#row == 64, 'a line must hold 64 pixels and a label')
   assert(label >= 0 and label <= 9, 'labels are 0 to 9')
   for _, pixel in ipairs(row) do assert(pixel >= 0 and pixel <= 16, 'pixels are 0 to 16') end
   images[#images + 1] = string.char(unpack(row))
   labels[#labels + 1] = string.char(label)
end

write('data/digits-images-idx3-ubyte', '\0\0\8\3', bigEndian(#images), bigEndian(8), bigEndian(8),
      table.concat(images))
write('data/digits-labels-idx1-ubyte', '\0\0\8\1', bigEndian(#labels), table.concat(labels))
