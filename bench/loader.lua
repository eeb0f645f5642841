-- bench/loader.lua - JPEG files as batches for training: pictures per second, compared with a PyTorch DataLoader.
--    th bench/loader.lua [-peer torchvision] [-threads 8] [-processes 2] [-files 400] [-folder FOLDER] [-rounds 9] [-only feed]
-- The files are loaded, their shorter side becomes 256 pixels, a random part of 224 x 224 is mirrored, gets other colours and is
-- normalised; batches of 32. -folder names a folder of .jpg files to use instead of generated ones. Ways:
--    threads   a pool of -threads threads, image.load and image.augment: examples/images.lua
--    feed      feed.loader with -processes workers and the option augment
--    tensors   the pool, with the functions that fb.resnet.torch's scripts called, one picture and one change at a time
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local feed = require 'feed'
local image = require 'image'
local paths = require 'paths'
local threads = require 'threads'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local BATCH = 32
local options = measure.options(arg or {}, { threads = 8, processes = 2, files = 400, folder = '', only = '' })
threads.serialization 'threads.sharedserialize'

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

-- Parts of a picture with noise, about 500 x 375 pixels and 70 kB, like photographs of that size.
local function make(folder)
   local whole = image.lena():float()
   assert(paths.mkdir(folder))
   for k = 1, options.files do
      torch.manualSeed(k)
      local w, h, x1, y1 = torch.random(300, 440), torch.random(240, 400), torch.random(0, 70), torch.random(0, 110)
      local x = image.scale(image.crop(whole, x1, y1, x1 + w, y1 + h), 480 + k % 41, 355 + k % 37)
      local noise = torch.FloatTensor(x:size()):normal(0, 0.03)
      local bytes = image.compressJPG(x:add(noise):clamp(0, 1), 90)
      local file = assert(io.open(('%s/%05d.jpg'):format(folder, k), 'wb'))
      file:write(bytes:storage():string())
      file:close()
   end
end

local folder = options.folder
if folder == '' then
   folder = os.tmpname()
   os.remove(folder)
   make(folder)
end
local files, bytes = {}, 0
for name in paths.iterfiles(folder) do if name:find '%.jpg$' then files[#files + 1] = folder .. '/' .. name end end
table.sort(files)
for _, name in ipairs(files) do
   local file = io.open(name)
   bytes = bytes + file:seek 'end'
   file:close()
end

local AUGMENT = { size = 224, shorter = 256, planes = 3, flip = 0.5, brightness = 0.4, contrast = 0.4, saturation = 0.4,
   mean = { 0.485, 0.456, 0.406 }, std = { 0.229, 0.224, 0.225 } }

-- ---- the ways: each returns a function that loads all files, and one that ends it ---------------------------------------------

local function pool_of(load)
   local pool = threads.Threads(options.threads, function() require 'image' end, function()
      torch.setnumthreads(1)
      torch.setdefaulttensortype 'torch.FloatTensor'
      _G.loadBatch = load
   end)
   local epoch = 0
   return function()
      epoch = epoch + 1
      local seen, now = 0, epoch
      for _, numbers in ipairs(torch.randperm(#files):long():split(BATCH)) do
         pool:addjob(function() return _G.loadBatch(numbers, now) end, function(batch) seen = seen + batch:size(1) end)
      end
      pool:synchronize()
      assert(seen == #files)
   end, function() pool:terminate() end
end

local ways = {}

function ways.threads()
   return pool_of(function(numbers, epoch)
      local list, seeds = {}, {}
      for k, i in ipairs(numbers:totable()) do list[k], seeds[k] = image.load(files[i], 3, 'byte'), epoch * 1e6 + i end
      return image.augment(list, AUGMENT, seeds)
   end)
end

function ways.feed()
   local dataset = { size = function() return #files end, get = function(_, i) return feed.image(files[i]) end }
   local loader = feed.loader { dataset = dataset, batch = BATCH, shuffle = true, workers = options.processes, augment = AUGMENT }
   return function()
      local seen = 0
      for batch in loader:epoch() do seen = seen + batch:size(1) end
      assert(seen == #files)
   end, function() loader:close() end
end

function ways.tensors()
   return pool_of(function(numbers, epoch)
      local n = numbers:size(1)
      local out = torch.FloatTensor(n, 3, 224, 224)
      for k = 1, n do
         torch.manualSeed(epoch * 1e6 + numbers[k])
         local x = image.load(files[numbers[k]], 3, 'float')
         local w, h = x:size(3), x:size(2)
         x = image.scale(x, w < h and 256 or math.floor(256 * w / h), w < h and math.floor(256 * h / w) or 256)
         local x1, y1 = torch.random(0, x:size(3) - 224), torch.random(0, x:size(2) - 224)
         x = image.crop(x, x1, y1, x1 + 224, y1 + 224)
         if torch.uniform() < 0.5 then x = image.hflip(x) end
         local changes = torch.randperm(3)
         for c = 1, 3 do
            local by, other = 1 + torch.uniform(-0.4, 0.4), x.new(x:size()):zero()
            if changes[c] > 1 then                             -- contrast, saturation; else brightness
               other[1]:copy(x[1]):mul(0.299):add(0.587, x[2]):add(0.114, x[3])
               if changes[c] == 2 then other[1]:fill(other[1]:mean()) end
               other[2]:copy(other[1])
               other[3]:copy(other[1])
            end
            x:mul(by):add(1 - by, other)
         end
         for p = 1, 3 do x[p]:add(-AUGMENT.mean[p]):div(AUGMENT.std[p]) end
         out[k]:copy(x)
      end
      return out
   end)
end

-- ---- the rows -------------------------------------------------------------------------------------------------------------

local function rows()
   local other, why
   if options.peer ~= '' then
      other, why = peer.pytorch('loader', ('%d %d %s'):format(options.processes, BATCH, quote(folder)))
      if not other then print('note: no comparison with torchvision: ' .. why) end
   end
   for _, name in ipairs { 'threads', 'feed', 'tensors' } do
      if options.only == '' or options.only == name then
         local epoch, finish = ways[name]()
         local work = { {}, {} }                               -- processor seconds, of all threads or processes
         local functions = { function()
            local seconds
            table.insert(work[1], measure.work(function() seconds = measure.wall(epoch) end))
            return seconds
         end }
         if other then
            functions[2] = function()
               local seconds = other.ask 'epoch'
               table.insert(work[2], other.ask 'work')
               return seconds
            end
         end
         local medians, ratio = measure.interleaved(options.rounds, functions)
         finish()
         local count = name == 'feed' and options.processes or options.threads
         local function rate(seconds) return ('%.0f /s'):format(#files / seconds) end
         measure.row(('loader, %s, %d threads'):format(name, count), 'as fast as the peer', rate(medians[1]),
            other and rate(medians[2]), other and 1 / ratio, other and ratio <= 1)
         local ours, theirs = measure.median(work[1]), other and measure.median(work[2])
         local function each(seconds) return ('%.2f ms'):format(1000 * seconds / #files) end
         measure.row('  work of processors a picture', '<= 1.00 of the peer', each(ours), other and each(theirs),
            other and ours / theirs, other and ours <= theirs)
      end
   end
   measure.note('%d files of %.0f kB', #files, bytes / #files / 1000)
   if other then
      measure.note('peer: %s, %d processes', other.version, options.processes)
      other.close()
   end
end

local ok, why = pcall(rows)
if options.folder == '' then paths.rmall(folder, 'yes') end
if not ok then error(why, 0) end
