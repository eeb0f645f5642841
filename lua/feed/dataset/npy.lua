-- feed.npy - the rows of a .npy file of NumPy, read on demand: the file may be larger than memory.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local format = require 'torch.format'
local source = require 'feed.source'
local Rows = require 'feed.rows'
local need = require 'feed.need'

local h = ffi.new 'th_npy'
local MOST_HEADER = 10012

local function parse(s, bytes, file)
   local n = math.min(bytes, MOST_HEADER)
   format.check(lib.C.th_npy_parse(h, source.bytes(s, n, 0), n, bytes))
   if h.ndim == 0 then error('it holds a single number, and no rows', 0) end
   if h.fortran ~= 0 and h.ndim > 1 then
      error('its columns lie together (fortran_order), so it has no rows to read: '
         .. 'feed.tensors(torch.load(file)) takes it whole', 0)
   end
   local row = {}
   for d = 1, h.ndim - 1 do row[d] = tonumber(h.size[d]) end
   return Rows.new { who = 'feed.npy', file = file, stamp = source.stamp(s), n = tonumber(h.size[0]), start = tonumber(h.start),
      dtype = h.dtype, row = row, swapped = h.swapped, boolean = h.boolean }
end

--- The rows of a .npy file, along the first dimension: tensors, or numbers where it has one dimension. Each thread reads them
-- from the file on demand. A file in column-major order is refused.
-- f = os.tmpname() .. '.npy'; torch.save(f, torch.range(5, 7)); x = require 'feed'.npy(f):get(3); os.remove(f); x --> 7
return function(file)
   need.path('feed.npy', file)
   local ok, rows = pcall(source.with, file, parse, file)
   if not ok then source.fail('feed.npy', file, rows) end
   return rows
end
