-- test/support/feed_memory.lua - checks that the memory of a process stays flat over many batches.
--    th test/support/feed_memory.lua [-batches 100000] [-workers 2] [-kind tables] [-most 16] [-keep]
-- Batches of packed records, without workers, with one and with four, or with as many as -workers says: of records that are
-- tensors, which are read directly into the batch, and of tables with a tensor, a number and a text, which are made one by one
-- and collated; or of one -kind. Each runs in a separate process, which prints its peak resident memory after every tenth. The
-- first tenth is the warm-up. If memory then grows by more than -most MB, the status is 1. -keep keeps every batch, which must
-- fail. test/feed/memory_growth_spec.lua runs fewer batches of each.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../../?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local feed = require 'feed'

ffi.cdef 'int getpagesize(void);'

local RECORDS, BATCH, LOOKS = 4000, 32, 100          -- records of a file, of a batch; looks at the memory in a tenth

local function resident()
   local f = assert(io.open '/proc/self/statm')
   local pages = tonumber((f:read '*l':match '^%d+ (%d+)'))
   f:close()
   return pages * ffi.C.getpagesize() / 2 ^ 20
end

-- What record k is, and the sum of the numbers k in a batch, to see that it is read as it should be.
local kinds = {
   tensors = {
      make = function(k) return torch.IntTensor(3, 16, 16):fill(k) end,
      sum = function(batch) return batch:select(2, 1):select(2, 1):select(2, 1):sum() end,
   },
   tables = {
      make = function(k) return { image = torch.IntTensor(1, 8, 8):fill(k), label = k, name = 'sample ' .. k } end,
      sum = function(batch) return batch.image:sum() / 128 + batch.label:sum() / 2 end,
   },
}

local function packed(make)
   local name, k = os.tmpname(), 0
   feed.pack(name, function()
      k = k + 1
      return k <= RECORDS and make(k) or nil
   end)
   return name
end

-- Whether memory stayed flat.
local function run(what, set, sum_of, options)
   local loader = feed.loader { dataset = set, batch = BATCH, shuffle = true, workers = options.workers }
   local tenth = math.ceil(options.batches / 10)
   local every, kept = math.max(1, math.floor(tenth / LOOKS)), {}
   local count, most, first, last, sum = 0, 0, nil, 0, 0
   local timer = torch.Timer()
   while count < options.batches do
      for batch in loader:epoch() do
         count, sum = count + 1, sum + sum_of(batch)
         if options.keep then table.insert(kept, batch) end
         if count % every == 0 then most = math.max(most, resident()) end
         if count % tenth == 0 or count == options.batches then
            print(('%s: %d batches, %.1f MB'):format(what, count, most))
            if first then last = math.max(last, most) else first = most end
            most = 0
         end
         if count == options.batches then break end
      end
      if loader:state().place == 0 then
         assert(sum == RECORDS * (RECORDS + 1) / 2, 'an epoch does not have every record once')
         sum = 0
      end
   end
   loader:close()
   local flat = last - first <= options.most
   print(('%s: %d batches in %.1f s, %.1f MB at most in the first tenth, %.1f MB after it: %s'):format(what, count,
      timer:time().real, first, last, flat and 'flat' or ('NOT FLAT, %.0f MB more would be'):format(options.most)))
   return flat
end

local cmd = torch.CmdLine()
cmd:text 'Does the memory of a process stay flat over many batches?'
cmd:option('-batches', 100000, 'batches of each run, 10 at least')
cmd:option('-workers', -1, 'threads that make batches; -1 runs 0, 1 and 4 one after the other')
cmd:option('-kind', '', 'what records are: tensors or tables; both one after the other if this is empty')
cmd:option('-most', 16, 'MB that memory may grow by after the first tenth')
cmd:option('-keep', false, 'keep every batch: memory must be seen to grow')
local options = cmd:parse(arg or {})
assert(options.batches >= 10, 'batches must be 10 at least')
assert(options.kind == '' or kinds[options.kind], 'kind must be tensors or tables')

local flat = true
if options.workers >= 0 and options.kind ~= '' then
   local kind = kinds[options.kind]
   local name = packed(kind.make)
   local ok, result = pcall(run, ('%s, %d workers'):format(options.kind, options.workers), feed.records(name), kind.sum, options)
   os.remove(name)
   if not ok then error(result, 0) end
   flat = result
else
   local function each(v, none, all) if v == none then return ipairs(all) end return ipairs { v } end
   for _, kind in each(options.kind, '', { 'tensors', 'tables' }) do
      for _, workers in each(options.workers, -1, { 0, 1, 4 }) do
         io.stdout:flush()
         flat = os.execute(("'%s' '%s' -batches %d -most %g -kind %s -workers %d%s"):format(arg[-1], arg[0], options.batches,
            options.most, kind, workers, options.keep and ' -keep' or '')) == 0 and flat
      end
   end
   print(flat and 'memory is flat' or 'memory is NOT flat')
end
io.stdout:flush()
os.exit(flat and 0 or 1)
