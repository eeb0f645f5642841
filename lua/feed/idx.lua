-- feed.idx - the rows of an IDX file, the format of MNIST, read where they are wanted.
local dtype = require 'torch.dtype'
local source = require 'feed.source'
local Rows = require 'feed.rows'
local need = require 'feed.need'

local kinds = { [0x08] = 'Byte', [0x09] = 'Char', [0x0B] = 'Short', [0x0C] = 'Int', [0x0D] = 'Float', [0x0E] = 'Double' }

local function big_endian(text, at)
   local a, b, c, d = text:byte(at, at + 3)
   return ((a * 256 + b) * 256 + c) * 256 + d
end

local function parse(s, bytes, file)
   local magic = source.text(s, math.min(bytes, 4), 0)
   if magic:sub(1, 2) == '\31\139' then
      error('it is gzipped: unpack it with gunzip, since rows are read where they are wanted', 0)
   end
   local kind, ndim = kinds[magic:byte(3)], magic:byte(4)
   if magic:sub(1, 2) ~= '\0\0' or not kind or not ndim or ndim < 1 or ndim > 16 then error('it is no IDX file', 0) end
   local start = 4 + 4 * ndim
   if bytes < start then error(('it ends within its header of %d bytes'):format(start), 0) end
   local sizes, row, total = source.text(s, 4 * ndim, 4), {}, dtype.bytes[dtype.id[kind]]
   for d = 1, ndim do
      local n = big_endian(sizes, 4 * d - 3)
      total = total * n
      if d > 1 then row[d - 1] = n end
   end
   if total == 0 and big_endian(sizes, 1) > 0 then error('its rows have no elements', 0) end
   if total ~= bytes - start then                             -- exact up to 2^53, and larger than any file beyond
      error(('its header promises %.0f bytes of elements, but %.0f follow'):format(total, bytes - start), 0)
   end
   return Rows.new { who = 'feed.idx', file = file, stamp = source.stamp(s), n = big_endian(sizes, 1), start = start,
      dtype = dtype.id[kind], row = row, swapped = require 'ffi'.abi 'le' and 1 or 0, boolean = 0 }
end

--- The rows of an IDX file of any type: tensors, or numbers where it has one dimension. They are read from the file when they are
-- asked for, in each thread. A gzipped file is refused: gunzip it first.
-- require 'feed'.idx('data/digits-labels-idx1-ubyte'):get(2) --> 1
return function(file)
   need.path('feed.idx', file)
   local ok, rows = pcall(source.with, file, parse, file)
   if not ok then source.fail('feed.idx', file, rows) end
   return rows
end
