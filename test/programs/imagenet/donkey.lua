-- donkey.lua - what each thread runs: a loader with its hooks, and the mean and deviation that a file keeps.
require 'image'
paths.dofile('dataset.lua')
local t = paths.dofile('transforms.lua')

local meanstdCache = paths.concat(opt.cache, 'meanstd.t7')
local meanstd

local function loadImage(path)
   local input = image.load(path, 3, 'float')
   if input:dim() == 2 then
      input = input:view(1, input:size(1), input:size(2)):repeatTensor(3, 1, 1)
   elseif input:dim() == 3 and input:size(1) == 1 then
      input = input:repeatTensor(3, 1, 1)
   elseif input:dim() ~= 3 or input:size(1) ~= 3 then
      error('not a picture of 1 or 3 planes: ' .. path)
   end
   return input
end

local pca = { eigval = torch.Tensor { 0.2, 0.02, 0.005 }, eigvec = torch.eye(3) }
local scale = t.Scale(opt.loadSize)
local jitter = t.ColorJitter { brightness = 0.4, contrast = 0.4, saturation = 0.4 }
local train = t.Compose { t.RandomSizedCrop(opt.sampleSize), t.RandomCrop(opt.sampleSize, 1), jitter,
   t.Lighting(0.1, pca.eigval, pca.eigvec), t.HorizontalFlip(0.5) }
local test = t.Compose { t.Scale(opt.loadSize), t.CenterCrop(opt.sampleSize) }

local function trainHook(self, path)
   collectgarbage()
   local out = train(scale(loadImage(path)))
   return meanstd and t.ColorNormalize(meanstd)(out) or out
end

local function testHook(self, path)
   collectgarbage()
   return t.ColorNormalize(meanstd)(test(loadImage(path)))
end

trainLoader = dataLoader { path = opt.data, sampleSize = { 3, opt.sampleSize, opt.sampleSize }, verbose = tid == 1 }
trainLoader.sampleHookTrain = trainHook
testLoader = dataLoader { path = opt.data, verbose = false }
testLoader.sampleHookTest = testHook

do
   local class = trainLoader.imageClass
   assert(class:max() == #trainLoader.classes and class:min() == 1, 'class logic has error')
end

if paths.filep(meanstdCache) then
   meanstd = torch.load(meanstdCache)
   if tid == 1 then print('mean and std from the cache') end
elseif tid == 1 then
   local tm, n = torch.Timer(), 30
   local meanEstimate, stdEstimate = { 0, 0, 0 }, { 0, 0, 0 }
   for _ = 1, n do
      local img = trainLoader:sample(1)[1]
      for j = 1, 3 do
         meanEstimate[j] = meanEstimate[j] + img[j]:mean() / n
         stdEstimate[j] = stdEstimate[j] + img[j]:std() / n
      end
   end
   meanstd = { mean = meanEstimate, std = stdEstimate }
   torch.save(meanstdCache, meanstd)
   print(('mean and std estimated in %d s'):format(tm:time().real))
end
