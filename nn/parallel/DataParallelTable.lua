-- nn/parallel/DataParallelTable.lua - one model on several devices, each with a part of the batch.
local torch = require 'torch'
local nn = require 'nn'
local parallel = require 'nn.parallel.data_parallel'

--- Splits a batch among copies of a module, one on each device, and joins their outputs. Results and gradients equal those of
-- the module with the whole batch, up to rounding. Input, output and gradInput may be nested tables. The first rows %
-- n devices get one row more; with fewer rows than devices the last get none. An input on the CPU is copied to the
-- devices; output and gradInput are on the first. Gradients of the devices are summed (gradientReduction may choose means),
-- in buckets that are sent while backward runs. Code that changes parameters or gradients directly must get them from
-- parameters or getParameters. Then the devices copy the parameters of the first at each forward in training mode, and at the
-- first one after evaluate. Otherwise updateParameters takes the step on all devices, and sends nothing. torch.save writes the
-- module without the container, so files open where there is no GPU. It also runs on the CPU, with copies of the module.
-- The field `bucket` is the size of a gradient bucket in bytes (default 4e6).
-- @param dimension      of the rows in input and output (default 1)
-- @param flattenParams  true joins the parameters and gradients of each copy into vectors, for few large messages
-- @param usenccl        true uses NCCL where it is found; else devices copy from each other
-- nn.DataParallelTable(1):add(nn.Linear(3, 2), {1, 2}):forward(torch.ones(5, 3)):size() --> {5, 2}
local Table, Container = torch.class('nn.DataParallelTable', 'nn.Container')
Table.__arguments = 'dimension:count? flattenParams usenccl'

function Table:__init(dimension, flattenParams, usenccl)
   Container.__init(self)
   self.dimension = dimension or 1
   self.flattenParams, self.usenccl = flattenParams and true or false, usenccl and true or false
   self.gpus, self.reduction, self.handed = {}, 'sum', false
   self.gpuAssignments = self.gpus             -- the name in programs for Torch7
   self.impl = nn.DataParallelTable.Basic(self)
end

local function need_gpus(self, gpus)
   if type(gpus) == 'number' then gpus = { gpus } end
   if gpus == nil then
      gpus = {}
      local cutorch = package.loaded.cutorch
      for device = 1, math.max(1, cutorch and cutorch.getDeviceCount() or 1) do gpus[device] = device end
   end
   if type(gpus) ~= 'table' or #gpus == 0 then self:refuse('gpus', 'be a table of device numbers', gpus) end
   for _, device in ipairs(gpus) do parallel.needDevice(self, device) end
   return { unpack(gpus) }
end

--- Sets the module to copy to the devices. Only one; Sequential chains several. After
-- add(module, 1) each add(copy, device) adds a device, as in Torch7. Its replica is a copy of the
-- first module, whatever the second one is. The field gpuAssignments lists the devices.
-- @param gpus  a table of device numbers, from 1, that of the module itself first, or one such number; default: all devices
-- nn.DataParallelTable(1):add(nn.Abs(), {1, 2, 3}):size() --> 1
-- nn.DataParallelTable(1):add(nn.Abs(), 1):add(nn.Abs(), 2).gpuAssignments --> {1, 2}
function Table:add(module, gpus)
   local one = tonumber(gpus)
   if #self.modules > 0 and not one then self:refuse('the container', 'hold one module', 'another one') end
   gpus = need_gpus(self, one or gpus)
   if #self.modules > 0 then
      if self._type:find '^torch%.Cuda' then parallel.needDevices(self, gpus) end
      self.gpus[#self.gpus + 1] = gpus[1]
      parallel.forget(self)
      return self
   end
   parallel.adopt(self, Container.add, module, gpus)
   self.gpus, self.gpuAssignments = gpus, gpus
   if self.flattenParams then
      self.handed = parallel.isFlat(module:parameters() or {})
      module:getParameters()
   end
   return self
end

--- nn.DataParallelTable:combineGradients(live, lists), nn.DataParallel:combineGradients(live, lists): Sums the gradients of all
-- devices, in the first or in all; lists has the gradients of each.

--- nn.DataParallelTable:writtenAs(), nn.DataParallel:writtenAs(): The module, which files hold instead of the container.
for _, name in ipairs(parallel.METHODS) do Table[name] = parallel[name] end

--- Sets whether gradients of the devices are summed, 'sum' (the default), or averaged over the devices that had rows,
-- 'average'. Sums of the gradients of a mean over the whole batch are the gradients of that batch. Returns self; without an
-- argument the current setting.
-- nn.DataParallelTable(1):gradientReduction 'average':gradientReduction() --> average
function Table:gradientReduction(how) return parallel.gradientReduction(self, how) end

--- The module for 1; from 2 on the copy on that device, unless it is in a thread. Changes of copies are lost when the copies
-- next follow the first.
function Table:get(index) return parallel.module(self, index) end

--- Copies the parameters of the first device to all others. Call it after changes in evaluation mode, or changes that no method
-- of the container made. Returns self.
function Table:syncParameters()
   parallel.sync(self)
   return self
end

--- Joins parameters and gradients into vectors, as flattenParams does. Returns self.
function Table:flattenParameters()
   if not self.modules[1] then self:refuse('the container', 'hold a module', 'none: call add first') end
   self.flattenParams = true
   self.modules[1]:getParameters()
   parallel.forget(self)
   return self
end

--- For each device the lists of parameters and of gradients of its copy.
function Table:moduleParameters() return parallel.moduleParameters(self) end

--- Runs the copies in threads, one for each device but the first, each with a separate Lua state.
-- The first stays in the state of the caller. An error in a thread is raised here, with the number
-- of its device and with its traceback. A thread that ends is an error, and a new one starts when
-- it is needed.
-- @param initFunc    called in each thread with the number of its device before the copy exists, to require packages
-- @param syncCopies  accepted as in Torch7, without effect: all copies always follow the container
-- nn.DataParallelTable(1):add(nn.Abs(), {1, 2}):threads(function() require 'nn' end):forward(-torch.ones(4)):sum() --> 4
function Table:threads(initFunc, syncCopies)
   if type(initFunc) ~= 'nil' and type(initFunc) ~= 'function' then self:refuse('initFunc', 'be a function', initFunc) end
   parallel.forget(self)
   self.impl = nn.DataParallelTable.Threads(self, initFunc, syncCopies)
   return self
end

--- Reads Torch7's files of a container: the first copy and the numbers of the devices, where there are any.
function Table:read(file)
   local fields = file:readObject()
   Table.__init(self)
   nn.utils.restore(self, fields)
   self.modules, self.output, self.gradInput = { (self.modules or {})[1] }, torch.Tensor(), torch.Tensor()
   self.gpus, self.handed, self.impl = fields.gpus or fields.gpuAssignments or {}, true, nn.DataParallelTable.Basic(self)
   if #self.gpus == 0 then self.gpus = { 1 } end
   self.gpuAssignments = self.gpus
   if self.modules[1] then self._type = self.modules[1]:type() end
end

nn.utils.keepsFields(Table)

function Table:__tostring__()
   return ('%s(%d, {%s}) @ %s'):format(torch.type(self), self.dimension, table.concat(self.gpus, ', '), tostring(self.modules[1]))
end

-- ---- how copies run ----------------------------------------------------------------------------------------------------------

-- Both forms are one class; they differ in whether copies are in threads.
local function form(name, threaded)
   local Form = torch.class('nn.DataParallelTable.' .. name, Table.__constructor)
   function Form:__init(dpt, initFunc, syncCopies)
      self.dpt, self.threaded, self.initFunc, self.syncCopies = dpt, threaded, initFunc, syncCopies
   end
   function Form:exec(closure, maxGpuIdx)
      if type(closure) ~= 'function' then self.dpt:refuse('closure', 'be a function', closure == nil and 'nothing' or closure) end
      if type(maxGpuIdx) ~= 'nil' and (type(maxGpuIdx) ~= 'number' or maxGpuIdx < 0 or maxGpuIdx % 1 ~= 0) then
         self.dpt:refuse('maxGpuIdx', 'be a whole number that is not negative', tostring(maxGpuIdx))
      end
      return parallel.exec(self.dpt, closure, maxGpuIdx)
   end
   function Form:setup() return self end
   function Form:applyChanges() parallel.changed(self.dpt) end
   function Form:close() parallel.forget(self.dpt) end
end

--- nn.DataParallelTable.Basic(dpt): dpt.impl of a container whose copies are all in this Lua state. exec(closure, [n]) calls
-- closure(module, i) for copies 1..n and returns the list of results; close drops the copies.
form('Basic', false)
--- nn.DataParallelTable.Threads(dpt, initFunc, [syncCopies]): The same after threads(): closure is copied to the threads,
-- with the variables that it uses.
form('Threads', true)

return Table
