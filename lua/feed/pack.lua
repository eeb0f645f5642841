-- feed.pack - writes a file of records: values one after the other, an index of their positions and checksums, a header.
--
--    header   40 bytes: the magic word, version (4 bytes), 0 (4), number of records (8), position
--             of the index (8), checksum of the index (4), checksum of the header before it (4)
--    records  from byte 40 on, in the encoding of feed.encode
--    index    the position of each record and, after the last one, of the index: 8 bytes each; the
--             checksum of each record: 4 bytes
-- Numbers are little-endian, positions count from 0, checksums are CRC-32C.
local lib = require 'torch.lib'
local torch = require 'torch'
local arg = require 'torch.arg'
local file = require 'torch.file'
local format = require 'torch.format'
local encode = require 'feed.encode'
local header = require 'feed.header'
local need = require 'feed.need'
local C, tobit = lib.C, require 'bit'.tobit

-- Iterates over the values: of a dataset, or those that a function returns until it returns nil.
local function values(from)
   if arg.is_callable(from) then return from end
   local i, n = 0, need.count('feed.pack', from, 3)
   return function()
      i = i + 1
      if i <= n then
         local v = from:get(i)
         if v == nil then error('it is nil', 0) end
         return v
      end
   end
end

local function write(f, next_value)
   local places, sums, count, place = torch.LongTensor(1024), torch.IntTensor(1024), 0, header.SIZE
   format.put(f, ('\0'):rep(header.SIZE))
   while true do
      local ok, bytes = pcall(function()
         local v = next_value()
         return v ~= nil and encode.pack(v) or nil
      end)
      if not ok then error(('sample %d: %s'):format(count + 1, bytes), 0) end
      if not bytes then break end
      count = count + 1
      if count == places:size(1) then
         places:resize(2 * count)
         sums:resize(2 * count)
      end
      places[count], sums:data()[count - 1] = place, tobit(C.th_crc32c(0, bytes, #bytes))
      format.put(f, bytes)
      place = place + #bytes
   end
   places[count + 1] = place
   local p, n = format.bytes(places:narrow(1, 1, count + 1))
   local sum = C.th_crc32c(0, p, n)
   format.put(f, p, n)
   if count > 0 then
      p, n = format.bytes(sums:narrow(1, 1, count))
      sum = C.th_crc32c(sum, p, n)
      format.put(f, p, n)
   end
   format.check(C.th_file_seek(f, 0))
   format.put(f, header.make(count, place, sum))
   return count
end

--- Writes the samples of a dataset, or the values that a function returns until it returns nil, to a file for feed.records.
-- The file gets its name when it is complete and on disk, not before. Values are tensors, numbers, strings, booleans and
-- tables of these. Returns how many there are.
-- name = os.tmpname(); n = require 'feed'.pack(name, require 'feed'.tensors(torch.ones(5, 2))); os.remove(name); n --> 5
return function(path, from)
   need.path('feed.pack', path)
   if not arg.is_callable(from) then
      if type(from) ~= 'table' then arg.refuse('feed.pack', 'argument 2', 'a dataset or a function', from) end
      need.dataset('feed.pack', 'argument 2', from)
   end
   local next_value = values(from)
   local ok, f = pcall(file.replacing, path)
   if not ok then error('feed.pack: ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 2) end
   f:binary()
   local done, count = pcall(write, file.inside(f), next_value)
   local why = count
   if done then done, why = pcall(f.close, f) end
   if done then return count end
   file.abandon(f)
   why = tostring(why):gsub('^.-torch%.DiskFile:close: ', ''):gsub('^file: ', '')
   error(('feed.pack: %s%s'):format(why:find(path, 1, true) and '' or path .. ': ', why), 2)
end
