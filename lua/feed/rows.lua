-- feed.rows - samples of one size, one after the other in a file: the contents of .npy and IDX files.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local fingerprint = require 'feed.fingerprint'
local batch_memory = require 'feed.batch_memory'
local source = require 'feed.source'
local need = require 'feed.need'
local C = lib.C

local Rows = {}
Rows.__index = Rows

local sizes, h = ffi.new 'int64_t[16]', ffi.new 'th_npy'

--- @param fields  who, file, stamp (source.stamp), n (rows), start (of the first, from 0), dtype, row (a list of the sizes of
--  one), swapped, boolean: as in th_npy
function Rows.new(fields)
   fields.each = dtype.bytes[fields.dtype]
   for _, k in ipairs(fields.row) do fields.each = fields.each * k end
   return setmetatable(fields, Rows)
end

function Rows:size() return self.n end

-- A tensor for `count` rows (nil: one row without a dimension for it), and its memory.
local function tensor_for(self, count, out)
   local d = 0
   if count then sizes[0], d = count, 1 end
   for k, v in ipairs(self.row) do sizes[d + k - 1] = v end
   local t = batch_memory(self.dtype, d + #self.row, sizes, out)
   return t, ffi.cast('uint8_t *', t._storage.data) + t._offset * dtype.bytes[t._dtype]
end

local function native(self, p, bytes)
   h.dtype, h.swapped, h.boolean, h.bytes = self.dtype, self.swapped, self.boolean, bytes
   C.th_npy_native(h, p)
end

function Rows:get(i)
   need.index(self.who, i, self.n)
   local t, p = tensor_for(self)
   if self.each > 0 then source.read(source.of(self), p, self.each, self.start + (i - 1) * self.each) end
   native(self, p, self.each)
   if #self.row == 0 then return dtype.read(self.dtype, p, 0) end
   return t
end

-- Consecutive rows are one read.
function Rows:batch(numbers, out)
   need.indices(self.who, numbers, self.n)
   local count = numbers:size(1)
   local t, p = tensor_for(self, count, out)
   local s, k = source.of(self), 1
   while k <= count and self.each > 0 do
      local first, last = numbers[k], k
      while last < count and numbers[last + 1] == first + last + 1 - k do last = last + 1 end
      source.read(s, p + (k - 1) * self.each, (last + 1 - k) * self.each, self.start + (first - 1) * self.each)
      k = last + 1
   end
   native(self, p, count * self.each)
   return t
end

--- The fingerprint of such a dataset. @param sum  fingerprint.blocks of its elements, as they are in the file
function Rows.fingerprint_of(who, d, swapped, row, sum)
   return fingerprint.new(who:match '%w+$', ('%d %d %s %s'):format(d, swapped, table.concat(row, 'x'), sum))
end

local function look(self)
   local sum = fingerprint.blocks(source.of(self), self.start, self.start + self.n * self.each)
   return Rows.fingerprint_of(self.who, self.dtype, self.swapped, self.row, sum)
end

function Rows:fingerprint() return fingerprint.once(self, look) end

return Rows
