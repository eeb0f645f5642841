-- examples/lib/idx.lua - reads IDX files, the format of MNIST, into ByteTensors.
local ffi = require 'ffi'
local torch = require 'torch'
local gzip = require 'examples.lib.gzip'

local TYPES = { [0x08] = 'unsigned byte', [0x09] = 'signed byte', [0x0B] = 'short', [0x0C] = 'int',
                [0x0D] = 'float', [0x0E] = 'double' }

local function count(bytes, i)                -- a big-endian 32-bit number
   local a, b, c, d = bytes:byte(i, i + 3)
   return ((a * 256 + b) * 256 + c) * 256 + d
end

local function readHeader(reader, fail)
   local magic = reader:read(4)
   if #magic < 4 then fail('ends after %d bytes, an IDX file has at least 8', #magic) end
   local zero1, zero2, kind, ndim = magic:byte(1, 4)
   if zero1 ~= 0 or zero2 ~= 0 or not TYPES[kind] then
      fail('is no IDX file: it begins with %02x %02x %02x %02x, wanted 00 00 08', magic:byte(1, 4))
   end
   if kind ~= 0x08 then fail('holds elements of type %s, only unsigned byte is read', TYPES[kind]) end
   if ndim < 1 or ndim > 4 then fail('has %d dimensions, wanted 1 to 4', ndim) end
   local header = reader:read(4 * ndim)
   if #header < 4 * ndim then fail('ends within its header') end
   local sizes, total = {}, 1
   for d = 1, ndim do
      sizes[d] = count(header, 4 * d - 3)
      total = total * sizes[d]
      if sizes[d] == 0 then fail('says that dimension %d has size 0', d) end
   end
   local room = reader.limit - 4 - 4 * ndim
   if total > room then
      fail('promises %.0f elements (%s) but has at most %d bytes for them', total,
           table.concat(sizes, ' x '), room)
   end
   return sizes, total
end

local idx = {}

--- Reads an IDX file of unsigned bytes, gzipped or not. Every length is checked before memory is allocated;
-- an error names the file, the expected and the actual value.
-- @return ByteTensor of the sizes in the header
function idx.read(path)
   local reader = gzip.open(path)
   local function fail(...)
      reader:close()
      error(('%s %s'):format(path, (...):format(select(2, ...))), 0)
   end
   local sizes, total = readHeader(reader, fail)
   local tensor = torch.ByteTensor(torch.LongStorage(sizes))
   local to, done = tensor:data(), 0
   while done < total do
      local bytes = reader:read(math.min(total - done, 1048576))
      if #bytes == 0 then fail('ends after %d of %d elements', done, total) end
      ffi.copy(to + done, bytes, #bytes)
      done = done + #bytes
   end
   if #reader:read(1) > 0 then fail('has bytes after its %d elements', total) end
   reader:close()
   return tensor
end

local function find(dir, name)
   for _, ending in ipairs { '', '.gz' } do
      for _, form in ipairs { name, (name:gsub('%-idx', '.idx')) } do
         local file = io.open(dir .. '/' .. form .. ending, 'rb')
         if file then
            file:close()
            return dir .. '/' .. form .. ending
         end
      end
   end
end

--- Reads a pair of image and label files that belong together.
-- @return ByteTensor N x H x W, ByteTensor N with values 0..9
function idx.readPair(imagePath, labelPath)
   local images, labels = idx.read(imagePath), idx.read(labelPath)
   if images:dim() ~= 3 then
      error(('%s has %d dimensions, images have 3'):format(imagePath, images:dim()), 0)
   end
   if labels:dim() ~= 1 then
      error(('%s has %d dimensions, labels have 1'):format(labelPath, labels:dim()), 0)
   end
   if images:size(1) ~= labels:size(1) then
      error(('%s holds %d images but %s holds %d labels'):format(imagePath, images:size(1), labelPath,
                                                               labels:size(1)), 0)
   end
   if labels:max() > 9 then
      error(('%s holds the label %d, digits are 0 to 9'):format(labelPath, labels:max()), 0)
   end
   return images, labels
end

--- Reads one half of MNIST ('train' or 't10k') from a folder; nil when it has neither of the two files.
function idx.readHalf(dir, half)
   local images = find(dir, half .. '-images-idx3-ubyte')
   local labels = find(dir, half .. '-labels-idx1-ubyte')
   if not images and not labels then return nil end
   if not images or not labels then
      error(('%s has %s but lacks %s-%s-ubyte'):format(dir, images or labels, half,
                                                       images and 'labels-idx1' or 'images-idx3'), 0)
   end
   return idx.readPair(images, labels)
end

return idx
