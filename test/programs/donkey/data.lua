-- data.lua - a batch at a time from donkeys, which always work on the next ones.
local Threads = require 'threads'
Threads.serialization('threads.sharedserialize')

local data = {}
local result = {}

function data.new(n, opt_)
   local self = {}
   for k, v in pairs(data) do self[k] = v end
   if n > 0 then
      local options = opt_
      self.threads = Threads(n,
         function() require 'torch' require 'paths' end,
         function(idx)
            opt = options
            tid = idx
            local seed = opt.manualSeed + idx
            torch.manualSeed(seed)
            torch.setnumthreads(1)
            print(string.format('Starting donkey with id: %d seed: %d', tid, seed))
            paths.dofile('donkey.lua')
         end)
   else
      opt = opt_
      torch.manualSeed(opt.manualSeed + 1)
      paths.dofile('donkey.lua')
      self.threads = {}
      function self.threads:addjob(f1, f2) f2(f1()) end
      function self.threads:dojob() end
      function self.threads:synchronize() end
   end
   local nSamples = 0
   self.threads:addjob(function() return trainLoader:size() end, function(c) nSamples = c end)
   self.threads:synchronize()
   self._size = nSamples
   for _ = 1, n do self.threads:addjob(self._getFromThreads, self._pushResult) end
   return self
end

function data._getFromThreads()
   assert(opt.batchSize, 'opt.batchSize not found')
   return trainLoader:sample(opt.batchSize)
end

function data._pushResult(...)
   result[#result + 1] = { ... }
end

function data:getBatch()
   self.threads:addjob(self._getFromThreads, self._pushResult)
   self.threads:dojob()
   assert(#result == 1, 'a batch was lost')
   local res = table.remove(result)
   return unpack(res)
end

function data:size() return self._size end

return data
