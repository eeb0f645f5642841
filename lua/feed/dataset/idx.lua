-- feed.idx - the rows of an IDX file, the format of MNIST, read on demand; gzipped files are unpacked when they are opened.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local fingerprint = require 'feed.fingerprint'
local gzip = require 'feed.gzip'
local source = require 'feed.source'
local Rows = require 'feed.rows'
local Tensors = require 'feed.dataset.tensors'
local need = require 'feed.need'

local kinds = { [0x08] = 'Byte', [0x09] = 'Char', [0x0B] = 'Short', [0x0C] = 'Int', [0x0D] = 'Float', [0x0E] = 'Double' }
local SWAPPED = ffi.abi 'le' and 1 or 0

local function big_endian(text, at)
   local a, b, c, d = text:byte(at, at + 3)
   return ((a * 256 + b) * 256 + c) * 256 + d
end

-- @param next  a function that returns the next n bytes, or fewer at the end
-- @return the dtype, the sizes as a list, the bytes of all elements, the bytes of the header
local function header(next)
   local magic = next(4)
   local kind, ndim = kinds[magic:byte(3)], magic:byte(4)
   if magic:sub(1, 2) ~= '\0\0' or not kind or not ndim or ndim < 1 or ndim > 16 then error('it is no IDX file', 0) end
   local text, sizes, total = next(4 * ndim), {}, dtype.bytes[dtype.id[kind]]
   if #text < 4 * ndim then error(('it ends within its header of %d bytes'):format(4 + 4 * ndim), 0) end
   for d = 1, ndim do
      sizes[d] = big_endian(text, 4 * d - 3)
      total = total * sizes[d]
   end
   if total == 0 and sizes[1] > 0 then error('its rows have no elements', 0) end
   return dtype.id[kind], sizes, total, 4 + 4 * ndim
end

local function check(total, follow)                           -- exact up to 2^53, and larger than any file beyond
   if total ~= follow then
      error(('its header announces %.0f bytes of elements, but %.0f follow'):format(total, follow), 0)
   end
end

local function plain(s, bytes, file)
   local at = 0
   local d, sizes, total, start = header(function(n)
      local text = source.text(s, math.min(n, bytes - at), at)
      at = at + #text
      return text
   end)
   check(total, bytes - start)
   return Rows.new { who = 'feed.idx', file = file, stamp = source.stamp(s), n = sizes[1], start = start, dtype = d,
      row = { unpack(sizes, 2) }, swapped = SWAPPED, boolean = 0 }
end

local function packed(reader, bytes)
   local room = ffi.new 'uint8_t[64]'
   local d, sizes, total = header(function(n) return ffi.string(room, reader:take(room, n)) end)
   if total > bytes * gzip.MOST_RATIO then
      error(('its header announces %.0f bytes of elements, which do not fit into %.0f packed ones'):format(total, bytes), 0)
   end
   local t = format.room(d, #sizes, ffi.new('int64_t[16]', sizes))
   local p = format.bytes(t)
   check(total, reader:take(p, total))
   if reader:goes_on() then error(('its header announces %.0f bytes of elements, but more follow'):format(total), 0) end
   local sum = fingerprint.blocks_at(function(_, place) return p + place end, total)
   local h = ffi.new 'th_npy'
   h.dtype, h.swapped, h.bytes = d, SWAPPED, total
   lib.C.th_npy_native(h, p)
   local print = Rows.fingerprint_of('feed.idx', d, SWAPPED, { unpack(sizes, 2) }, sum)      -- the same whether packed or not
   return Tensors.rows('feed.idx', t, sizes[1], print)
end

local function open(s, bytes, file)
   if source.text(s, math.min(bytes, 2), 0) ~= gzip.MAGIC then return plain(s, bytes, file) end
   return gzip.with(s, bytes, packed, bytes)
end

--- The rows of an IDX file of any type: tensors, or numbers where it has one dimension. Each thread reads them from the file
-- on demand. A gzipped file, whatever its name, is unpacked when it is opened, and is in memory once for all
-- threads. That needs zlib; TH_ZLIB names it if it is in an unusual folder.
-- require 'feed'.idx('data/digits-labels-idx1-ubyte'):get(2) --> 1
return function(file)
   need.path('feed.idx', file)
   local ok, rows = pcall(source.with, file, open, file)
   if not ok then source.fail('feed.idx', file, rows) end
   return rows
end
