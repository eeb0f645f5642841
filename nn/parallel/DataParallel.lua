-- nn/parallel/DataParallel.lua - copies of one model on several devices, each with a part of the batch, as fbcunn has them.
local torch = require 'torch'
local parallel = require 'nn.parallel.data_parallel'

--- Splits a batch among modules that are copies of one model, one for each device, and joins their outputs. Results and
-- gradients equal those of one copy with the whole batch. The caller makes the copies and adds them; otherwise it is
-- nn.DataParallelTable without threads. At the first forward all copies get the parameters of the first. Batches need not be
-- divisible by the number of modules.
-- @param dimension  of the rows in input and output (default 1)
-- m = nn.Linear(3, 2); nn.DataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size() --> {5, 2}
local Data, Parallel = torch.class('nn.DataParallel', 'nn.AbstractParallel')
Data.__arguments = 'dimension:count?'

function Data:__init(dimension)
   Parallel.__init(self, dimension)
   self.reduction, self.handed = 'sum', false
end

--- Appends a copy of the model. Returns self.
-- @param gpuid  number of the device, from 1; default: the next one, see nextGPU
function Data:add(module, gpuid)
   parallel.forget(self)
   return Parallel.add(self, module, gpuid)
end

for _, name in ipairs(parallel.METHODS) do Data[name] = parallel[name] end

--- Sets whether gradients of the devices are summed, 'sum' (the default), or averaged over the devices that had rows,
-- 'average'. Returns self; without an argument the current setting.
function Data:gradientReduction(how) return parallel.gradientReduction(self, how) end

--- Module number `index`. The caller may change it: the others follow the first after each backward.
function Data:get(index) return parallel.module(self, index) end

--- Copies the parameters of the first module to all others. Returns self.
function Data:syncParameters()
   parallel.sync(self)
   return self
end

--- 'DataParallel'
function Data:name() return 'DataParallel' end

return Data
