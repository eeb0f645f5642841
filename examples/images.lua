-- examples/images.lua - threads load JPEG files as batches for training: a random part of each picture, scaled, mirrored, with
-- other colours. A picture's seed depends on epoch and picture alone, so that the bits are the same for any number of threads.
--    th examples/images.lua -data photos -threads 8        the files of a folder and of the folders in it
--    th examples/images.lua                                pictures that it draws, in a temporary folder
local torch = require 'torch'
local image = require 'image'
local paths = require 'paths'
local threads = require 'threads'
local xlua = require 'xlua'
threads.serialization 'threads.sharedserialize'                -- batches are sent without a copy

local cmd = torch.CmdLine()
cmd:text 'Loads the JPEG files of a folder in threads, and says how many a second.'
cmd:option('-data', '', 'the folder; without one some pictures are made')
cmd:option('-threads', 8, 'threads that load')
cmd:option('-batch', 32, 'pictures of a batch')
cmd:option('-size', 224, 'rows and columns of a picture in a batch')
cmd:option('-shorter', 256, 'pixels that the shorter side would be scaled to before the picture is cut')
cmd:option('-epochs', 1, 'times that all pictures are loaded')
cmd:option('-seed', 1, 'of all that is random')
local opt = cmd:parse(arg or {})

local files, folder = {}, opt.data ~= '' and opt.data or paths.tmpname()
if opt.data == '' then
   local picture = image.lena()
   paths.mkdir(folder)
   for k = 1, 40 do image.save(('%s/%02d.jpg'):format(folder, k), image.crop(picture, 3 * k, 2 * k, 3 * k + 340, 2 * k + 300)) end
end
local function collect(dir)
   for name in paths.iterfiles(dir) do if name:lower():find '%.jpe?g$' then table.insert(files, dir .. '/' .. name) end end
   for name in paths.iterdirs(dir) do collect(dir .. '/' .. name) end
end
collect(folder)
table.sort(files)                                              -- folders have no order
print(('%d pictures in %s'):format(#files, folder))
if #files == 0 then os.exit(1) end
local augment = { size = opt.size, shorter = opt.shorter, flip = 0.5, brightness = 0.4, contrast = 0.4, saturation = 0.4,
   mean = { 0.485, 0.456, 0.406 }, std = { 0.229, 0.224, 0.225 } }
local pool = threads.Threads(opt.threads, function() require 'image' end, function()
   torch.setnumthreads(1)                                      -- the threads of the pool are enough
   function _G.loadBatch(numbers, epoch)
      local pictures, seeds = {}, {}
      for k, i in ipairs(numbers) do
         pictures[k], seeds[k] = image.load(files[i], 3, 'byte'), (opt.seed * 1e4 + epoch) * #files + i
      end
      local batch = image.augment(pictures, augment, seeds)
      return batch, ('%08x'):format(require 'torch.lib'.C.th_crc32c(0, batch:data(), 4 * batch:nElement()))
   end
end)
torch.manualSeed(opt.seed)
for epoch = 1, opt.epochs do
   local timer, order, sums, done = torch.Timer(), torch.randperm(#files):long():split(opt.batch), {}, 0
   for k, numbers in ipairs(order) do
      pool:addjob(function() return _G.loadBatch(numbers:totable(), epoch) end, function(batch, sum)
         sums[k], done = sum, done + batch:size(1)             -- here a network would learn from the batch
         xlua.progress(done, #files)
      end)
   end
   pool:synchronize()
   print(('epoch %d: %.0f pictures a second, checksums %s'):format(epoch, #files / timer:time().real, table.concat(sums, ' ')))
end
pool:terminate()
if opt.data == '' then paths.rmall(folder, 'yes') end
