-- bench/data.lua - random reads of 4 kB records, compared with pread at the same positions; memory over many batches.
--    th bench/data.lua [-records 50000] [-batches 100000] [-workers 2] [-folder /tmp]
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local feed = require 'feed'
local measure = require 'bench.lib.measure'

ffi.cdef [[
   int open(const char *path, int flags);
   int close(int fd);
   ssize_t pread(int fd, void *to, size_t n, int64_t place);
   int posix_fadvise(int fd, int64_t from, int64_t n, int advice);
   int getpagesize(void);
]]

local options = measure.options(arg or {}, { records = 50000, batches = 100000, workers = 2, folder = '/tmp' })
local SIZE, BATCH, COLD, DONTNEED = 4096, 128, 4000, 4
local name = ('%s/bench-feed-%s.pack'):format(options.folder, tostring(os.time()))

local function write()
   local x, k = torch.ByteTensor(SIZE):random(0, 255), 0
   feed.pack(name, function()
      k = k + 1
      if k > options.records then return nil end
      x[1], x[2] = k % 256, math.floor(k / 256) % 256
      return x
   end)
   return feed.records(name)
end

-- Seconds of f(n), n random reads; with `cold`, of a file that has been evicted from memory.
local function timed(f, n, fd, cold)
   return function()
      if cold then ffi.C.posix_fadvise(fd, 0, 0, DONTNEED) end
      return measure.wall(function() f(n) end)
   end
end

local function rows(set)
   local fd = ffi.C.open(name, 0)
   local numbers = torch.randperm(torch.LongTensor(), options.records)
   local places, to = set.places, ffi.new('uint8_t[?]', SIZE)
   local function raw(n)
      for k = 1, n do
         if ffi.C.pread(fd, to, SIZE, places[numbers[k]]) ~= SIZE then error 'pread' end
      end
   end
   local function batches(n)
      for k = 1, n - BATCH + 1, BATCH do set:batch(numbers:narrow(1, k, BATCH)) end
   end
   local function singly(n) for k = 1, n do set:get(numbers[k]) end end
   local function loaded(workers, reuse)
      return function(n)
         local part = feed.subset(set, numbers:narrow(1, 1, n))
         for _ in feed.loader { dataset = part, batch = BATCH, workers = workers, reuse = reuse }:epoch() do end
      end
   end
   for _, how in ipairs { { 'the disk', math.min(COLD, options.records), true }, { 'memory', options.records, false } } do
      local from, n, cold = unpack(how)
      n = n - n % BATCH
      for _, case in ipairs { { 'one by one', singly }, { 'batches of 128', batches }, { 'loader', loaded(0) },
         { 'loader, reuse', loaded(0, true) } } do
         local medians, ratio = measure.interleaved(options.rounds,
            { timed(case[2], n, fd, cold), timed(raw, n, fd, cold) }, 0)
         local function rate(seconds) return ('%.0f /s'):format(n / seconds) end
         measure.row(('4 kB from %s, %s'):format(from, case[1]), '>= 0.80 of pread', rate(medians[1]), rate(medians[2]), 1 / ratio,
            1 / ratio >= 0.8)
      end
   end
   ffi.C.close(fd)
end

local function resident()
   local f = io.open '/proc/self/statm'
   local pages = tonumber((f:read '*l':match '^%d+ (%d+)'))
   f:close()
   return pages * ffi.C.getpagesize() / 2 ^ 20
end

-- Samples of a tensor, a number and a text, made one by one and collated: this leaves the most garbage.
local function memory()
   local set = feed.map(feed.tensors(torch.range(1, 16 * 1000)), function(x, random)
      return { image = torch.FloatTensor(8, 8):uniform(random), label = x, name = 'sample ' .. x }
   end)
   local loader = feed.loader { dataset = set, batch = 16, shuffle = true, workers = options.workers }
   local count, tenth, least, most = 0, math.ceil(options.batches / 10), math.huge, 0
   local seconds = measure.wall(function()
      while count < options.batches do
         for _ in loader:epoch() do
            count = count + 1
            if count % tenth == 0 then
               local now = resident()
               least, most = math.min(least, now), math.max(most, now)
            end
            if count == options.batches then break end
         end
      end
   end)
   loader:close()
   measure.row(('%d batches, %d workers'):format(count, options.workers), 'resident, 1st to last', ('%.0f MB'):format(most),
      ('%.0f MB'):format(least), most / least, most / least < 1.25)
   measure.note('%.0f batches of 16 samples a second', count / seconds)
end

local set = write()
local ok, why = pcall(rows, set)
os.remove(name)
if not ok then error(why, 0) end
memory()
