-- dataloader.lua - batches in random order, made ahead by threads; a loop takes them as they come.
local Threads = require 'threads'
Threads.serialization('threads.sharedserialize')

local M = {}
local DataLoader = torch.class('donkey.DataLoader', M)

function DataLoader:__init(dataset, opt)
   local manualSeed = opt.manualSeed
   local function init()
      require('datasets/folder')
   end
   local function main(idx)
      torch.manualSeed(manualSeed + idx)
      torch.setnumthreads(1)
      torch.setdefaulttensortype('torch.FloatTensor')
      _G.dataset = dataset
      _G.preprocess = dataset:preprocess(opt.imageSize)
      return dataset:size()
   end
   local threads, sizes = Threads(opt.nThreads, init, main)
   self.threads = threads
   self.__size = sizes[1][1]
   self.batchSize = opt.batchSize
   self.imageSize = opt.imageSize
   self.manualSeed = manualSeed
end

function DataLoader:size() return math.ceil(self.__size / self.batchSize) end

function DataLoader:run()
   local threads = self.threads
   local size, batchSize = self.__size, self.batchSize
   local perm = torch.randperm(size)
   local idx, sample = 1, nil
   local function enqueue()
      while idx <= size and threads:acceptsjob() do
         local indices = perm:narrow(1, idx, math.min(batchSize, size - idx + 1))
         threads:addjob(
            function(indices, place, side, seed)
               local sz = indices:size(1)
               local batch = torch.FloatTensor(sz, 3, side, side)
               local target = torch.IntTensor(sz)
               torch.manualSeed(seed + place)
               for i, number in ipairs(indices:totable()) do
                  local s = _G.dataset:get(number)
                  batch[i]:copy(_G.preprocess(s.input))
                  target[i] = s.target
               end
               collectgarbage()
               return { input = batch, target = target, place = place }
            end,
            function(made) sample = made end,
            indices, idx, self.imageSize, self.manualSeed
         )
         idx = idx + batchSize
      end
   end
   local n = 0
   local function loop()
      enqueue()
      if not threads:hasjob() then return nil end
      threads:dojob()
      if threads:haserror() then threads:synchronize() end
      enqueue()
      n = n + 1
      return n, sample
   end
   return loop
end

return M.DataLoader
