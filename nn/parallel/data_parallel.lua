-- nn/parallel/data_parallel.lua - the methods of nn.DataParallelTable and nn.DataParallel: replicas of one model.
--
-- State of the replicas is no part of the container. It is made when they are first used, and again when the model
-- has changed. So a copy of a container, or one from a file, has none.
local torch = require 'torch'
local nn = require 'nn'
local shards = require 'nn.parallel.shards'
local devices = require 'nn.parallel.devices'
local exchange = require 'nn.parallel.exchange'
local replica = require 'nn.parallel.replica'
local placing = require 'nn.parallel.placing'

local M = {}

M.BUCKET = 4e6                               -- bytes of a gradient bucket

local lives = setmetatable({}, { __mode = 'k' })     -- container -> its replicas; they hold no reference to the container

-- ---- replicas ----------------------------------------------------------------------------------------------------------------

--- Drops the replicas; the next call makes new ones.
function M.forget(self)
   local live = lives[self]
   lives[self] = nil
   if live then live.group:close() end
end

--- Whether the parameters were joined into vectors, through which other code may change them.
function M.isFlat(parameters) return #parameters > 1 and #exchange.spans{ parameters }[1] < #parameters end

local function need_same(self, tensors)
   for r = 2, #tensors do
      local a, b = tensors[1][1], tensors[r][1]
      local same = #a == #b
      for i = 1, same and #a or 0 do same = same and a[i]:isSameSizeAs(b[i]) and a[i]:type() == b[i]:type() end
      if not same then self:refuse('module ' .. r, 'have the parameters of module 1', self.modules[r]) end
   end
end

-- Copies of the first module that only the container knows.
local function add_copy(self, group, device)
   local first = self.modules[1]
   if self.impl and self.impl.threaded then
      local seed = device > 0 and require 'cutorch'.initialSeed(device) or torch.random()
      return group:thread(first, device, seed, self.impl.initFunc)
   end
   local copy = devices.on(device, nn.utils.copy, first)
   group:add(device > 0 and devices.move(copy, device) or copy, device)
end

-- The tensors that each replica shares with the others, joined into vectors for copies.
local function meet(self, live)
   local results = live.group:run('meet', #self.gpus, function(i) return not self.modules[i] end)
   for i = 1, #results do live.tensors[i] = results[i][1] end
   need_same(self, live.tensors)
   live.handed = self.handed or not self.flattenParams and M.isFlat(live.tensors[1][1])
end

-- The modules of a model with the settings that affect their passes. If they change, new replicas are made.
local function shape_of(module, list)
   list = list or {}
   for _, v in ipairs{ module, module._type or '', module.train == false } do list[#list + 1] = v end
   for _, inner in ipairs(type(module.modules) == 'table' and module.modules or {}) do shape_of(inner, list) end
   return list
end
local function is_as_before(self, live)
   local now = shape_of(self.modules[1])
   local same = #now == #live.shape
   for i = 1, same and #now or 0 do same = same and now[i] == live.shape[i] end
   return same
end

-- State of the replicas. group: the replicas. own[i]: memory on the device of each. sums: memory for gradients. tensors[i]: see
-- meet. handed: other code may change the tensors of the first replica. stale: the others lack its parameters. pending: they
-- may lack them after a backward. shape: the model that the replicas copy. clean: their gradients are 0. fresh: their
-- gradients equal those of the first.
local function live_of(self)
   local live = lives[self]
   if live and not live.group.lost and is_as_before(self, live) then
      if not live.handed and not self.flattenParams then live.handed = M.isFlat(live.tensors[1][1]) end
      return live
   end
   if #self.modules == 0 then self:refuse('the container', 'hold a module', 'none: call add first') end
   M.forget(self)
   live = { group = replica.group(torch.typename(self)), own = {}, sums = {}, devices = {}, tensors = {} }
   live.stale = #self.modules > 1
   for i = 1, #self.gpus do
      live.own[i], live.devices[i] = {}, placing.device(self, i)
      if self.modules[i] then live.group:add(self.modules[i], live.devices[i])
      else add_copy(self, live.group, live.devices[i]) end
   end
   meet(self, live)
   live.shape = shape_of(self.modules[1])
   lives[self] = live
   return live
end

-- From now on other code may change the parameters.
local function hand_out(self)
   self.handed = true
   if lives[self] then lives[self].handed = true end
end

--- Notes that all replicas were changed in the same way.
function M.reshaped(self)
   if lives[self] then lives[self].shape = shape_of(self.modules[1]) end
end

--- Notes that the first replica has changed.
function M.changed(self)
   if lives[self] then lives[self].stale = true end
end

-- Part `what` of the tensors of all replicas.
local function lists_of(live, what)
   local lists = {}
   for r, tensors in ipairs(live.tensors) do lists[r] = tensors[what] end
   return lists
end

-- Copies the parameters of the first replica to all, unless they surely have them. In evaluation mode running estimates are
-- copied too; in training each replica has separate ones.
local function sync(self, live)
   if not live.stale and not live.pending and not live.handed then return end
   if #self.gpus > 1 then
      exchange.broadcast(lists_of(live, 1), self.usenccl)
      if self.train == false then exchange.broadcast(lists_of(live, 3), self.usenccl) end
   end
   live.stale, live.pending = false, false
end
function M.sync(self)
   local live = live_of(self)
   live.stale = true
   sync(self, live)
end

--- Calls f(module, i) for replicas 1..n: values[i] is its first result, nil if it has none. f may change the
-- replicas.
function M.exec(self, f, n)
   local live, values = live_of(self), {}
   sync(self, live)
   live.stale = true
   local ok, results = pcall(live.group.run, live.group, 'exec', math.min(n or #self.gpus, #self.gpus), function(i) return f, i end)
   if not ok then
      M.forget(self)                         -- they may differ now
      error(results, 0)
   end
   for i, result in ipairs(results) do values[i] = result[1] end
   meet(self, live)
   live.shape = shape_of(self.modules[1])
   return values
end

--- The module of replica i; the caller may change it.
function M.module(self, i)
   hand_out(self)
   if self.modules[i] or not self.gpus[i] then return self.modules[i] end
   local live = live_of(self)
   if live.group[i].worker then self:refuse('replica ' .. i, 'lie in this thread', 'one in a thread: impl:exec reaches it') end
   sync(self, live)
   return live.group[i].module
end

--- For each replica its parameters and gradients.
function M.moduleParameters(self)
   local live, all = live_of(self), {}
   hand_out(self)
   sync(self, live)
   for r, tensors in ipairs(live.tensors) do
      local grads = {}
      for _, list in ipairs(tensors[2]) do for _, g in ipairs(list) do grads[#grads + 1] = g end end
      all[r] = { tensors[1], grads }
   end
   return all
end

-- ---- forward ----------------------------------------------------------------------------------------------------------------

function M.updateOutput(self, input)
   local live, dim = live_of(self), self.dimension
   local k = shards.count(self, 'input', input, dim, #self.gpus)
   sync(self, live)
   local inputs = {}
   for i = 1, k do
      inputs[i] = shards.bring(live.own[i], 'input', shards.cut(input, dim, k, i), live.devices[i], self._type)
   end
   live.inputs, live.outputs = nil, nil
   local outputs = {}
   for i, result in ipairs(live.group:run('updateOutput', k, function(i) return inputs[i] end)) do outputs[i] = result[1] end
   self.output = shards.join(self, live.own, 'output', 'output', outputs, dim, live.devices[1])
   live.inputs, live.outputs = inputs, outputs
   return self.output
end

-- ---- backward ----------------------------------------------------------------------------------------------------------------

-- The gradients of the outputs of the last forward, on the devices of the replicas.
local function brought(self, gradOutput)
   local live = lives[self]
   if not live or not live.outputs or live.group.lost then
      self:refuse('backward', 'follow forward of the same input', 'no output of one')
   end
   local gs = {}
   for i = 1, #live.outputs do
      local g = shards.part(self, 'gradOutput', gradOutput, live.outputs, self.dimension, i)
      gs[i] = shards.bring(live.own[i], 'gradOutput', g, live.devices[i], self._type)
   end
   return live, gs
end

local function joined(self, live, parts)
   if parts[1] == nil then return nil end
   return shards.join(self, live.own, 'gradInput', 'gradInput', parts, self.dimension, live.devices[1])
end

function M.updateGradInput(self, _, gradOutput)
   local live, gs = brought(self, gradOutput)
   local parts = {}
   for i, result in ipairs(live.group:run('updateGradInput', #gs, function(i) return live.inputs[i], gs[i] end)) do
      parts[i] = result[1]
   end
   self.gradInput = joined(self, live, parts)
   return self.gradInput
end

-- The gradients of links first..last of all replicas.
local function grads_of(live, first, last)
   local lists = {}
   for r, tensors in ipairs(live.tensors) do
      lists[r] = {}
      for i = first, last do
         for _, g in ipairs(tensors[2][i]) do table.insert(lists[r], g) end
      end
   end
   return lists
end

-- Sets the gradients of all replicas but the first to 0.
local function zero_others(live)
   for r, list in ipairs(exchange.spans(grads_of(live, 1, #live.tensors[1][2]))) do
      for _, g in ipairs(r > 1 and list or {}) do g:zero() end
   end
end

-- The first replica's gradients continue their sums; the others' start at 0.
local function begin(live)
   if not live.clean then zero_others(live) end
   live.clean, live.fresh, live.pending = false, false, true
end

-- The gradients of some links are ready: sums them.
local function reduce(self, live, first, last)
   if #self.gpus == 1 then return end
   local lists = grads_of(live, first, last)
   if #lists[1] == 0 then return end
   exchange.beside(lists, function() self:combineGradients(live, lists) end)
end

local function finish(self, live)
   if #self.gpus > 1 then exchange.settle(grads_of(live, 1, #live.tensors[1][2])) end
   live.fresh = not live.handed
end

local function scaled(self, scale, k) return (scale or 1) / (self.reduction == 'average' and k or 1) end

function M.accGradParameters(self, _, gradOutput, scale)
   local live, gs = brought(self, gradOutput)
   begin(live)
   scale = scaled(self, scale, #gs)
   live.group:run('accGradParameters', #gs, function(i) return live.inputs[i], gs[i], scale end)
   reduce(self, live, 1, #live.tensors[1][2])
   finish(self, live)
end

-- The last links of buckets, from the end: gradients are sent when they have as many bytes as a bucket holds.
-- @return a list of numbers of links, and the set of them
local function stops_of(self, live)
   local list, set, bytes = {}, {}, 0
   local grads = live.tensors[1][2]
   for i = #grads, 2, -1 do
      for _, g in ipairs(grads[i]) do bytes = bytes + g:bytes() end
      if #self.gpus > 1 and bytes >= (self.bucket or M.BUCKET) then
         list[#list + 1], set[i], bytes = i, true, 0
      end
   end
   return list, set
end

-- Backward of all replicas up to the next stop, where gradients are sent while the rest runs.
local function walk(self, live, gs, scale)
   local group, k, last = live.group, #gs, #live.tensors[1][2]
   local stops, set = stops_of(self, live)
   local results = group:run('backward', k, function(i) return live.inputs[i], gs[i], scale, set end)
   for _, stop in ipairs(stops) do
      reduce(self, live, stop, last)
      last = stop - 1
      results = group:run('go_on', k, function() end)
   end
   reduce(self, live, 1, last)
   return results
end

function M.backward(self, _, gradOutput, scale)
   local live, gs = brought(self, gradOutput)
   begin(live)
   local ok, results = pcall(walk, self, live, gs, scaled(self, scale, #gs))
   finish(self, live)
   if not ok then
      live.fresh = false
      pcall(live.group.run, live.group, 'leave', #gs, function() end)
      error(results, 0)
   end
   local parts = {}
   for i, result in ipairs(results) do parts[i] = result[2] end
   self.gradInput = joined(self, live, parts)
   return self.gradInput
end

-- Sums the gradients of all replicas: in the first one, or in all if no other code changes them.
function M:combineGradients(live, lists) exchange.sum(live.sums, lists, not live.handed, self.usenccl) end

-- ---- parameters -------------------------------------------------------------------------------------------------------------

-- A method of the first module, on its device.
local function first(self, name, ...)
   local module = self.modules[1]
   if not module then self:refuse('the container', 'hold a module', 'none: call add first') end
   return devices.on(placing.device(self, 1), module[name], module, ...)
end

-- The replicas, if they exist.
local function present(self)
   local live = lives[self]
   return live and not live.group.lost and live or nil
end

function M:zeroGradParameters()
   first(self, 'zeroGradParameters')
   local live = present(self)
   if live and not live.clean then
      zero_others(live)
      live.clean = true
   end
end

-- All replicas take the step if all have the gradients. Else the first takes it, and the others copy its parameters later.
function M:updateParameters(...)
   local live, arguments, n = present(self), {...}, select('#', ...)
   if live and live.fresh and not live.handed then
      live.group:run('call', #self.gpus, function() return 'updateParameters', unpack(arguments, 1, n) end)
      live.pending = false
   else
      first(self, 'updateParameters', ...)
      M.changed(self)
   end
end

function M:accUpdateGradParameters(input, gradOutput, lr)
   self:zeroGradParameters()
   self:accGradParameters(input, gradOutput, 1)
   self:updateParameters(lr)
end
M.sharedAccUpdateGradParameters = M.accUpdateGradParameters

function M:gradientReduction(how)
   if how == nil then return self.reduction end
   if how ~= 'sum' and how ~= 'average' then self:refuse('how', "be 'sum' or 'average'", tostring(how)) end
   self.reduction = how
   return self
end

function M:parameters()
   hand_out(self)
   if self.modules[1] then return self.modules[1]:parameters() end
end

function M:reset(stdv)
   first(self, 'reset', stdv)
   M.changed(self)
end

function M:share(other, ...)
   if other.gpus and other.modules then other = other.modules[1] end
   first(self, 'share', other, ...)
   M.changed(self)
   return self
end

-- ---- other methods of modules -----------------------------------------------------------------------------------------------

-- Calls a method of all replicas, or of the modules if there are none.
local function each(self, name, ...)
   local live, arguments, n = present(self), {...}, select('#', ...)
   if live then
      live.group:run('call', #self.gpus, function() return name, unpack(arguments, 1, n) end)
   else
      for i, module in ipairs(self.modules) do devices.on(placing.device(self, i), module[name], module, ...) end
   end
end

function M:training()
   each(self, 'training')
   M.changed(self)
   M.reshaped(self)
   return nn.Module.training(self)
end

-- Copies the running estimates of the first replica to all.
function M:evaluate()
   each(self, 'evaluate')
   local live = present(self)
   if live and #self.gpus > 1 then exchange.broadcast(lists_of(live, 3), self.usenccl) end
   M.changed(self)
   M.reshaped(self)
   return nn.Module.evaluate(self)
end

function M:clearState()
   each(self, 'clearState')
   local live = present(self)
   if live then
      live.inputs, live.outputs = nil, nil
      live.sums, live.own = {}, {}
      for i = 1, #self.gpus do live.own[i] = {} end
   end
   self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   return self
end

function M:apply(callback)
   callback(self)
   for _, module in ipairs(self.modules) do module:apply(callback) end
   M.forget(self)
end

function M:replace(callback)
   local out = nn.Module.replace(self, callback)
   M.forget(self)
   for i, module in ipairs(self.modules) do
      if placing.device(self, i) > 0 then devices.move(module, self.gpus[i]) end
   end
   return out
end

function M:listModules()
   hand_out(self)
   local list, seen = {}, {}
   local function take(module)
      if not seen[module] then list[#list + 1], seen[module] = module, true end
   end
   take(self)
   for _, module in ipairs(self.modules) do
      for _, inner in ipairs(module:listModules()) do take(inner) end
   end
   return list
end

function M:findModules(...)
   hand_out(self)
   return nn.Module.findModules(self, ...)
end

-- The object that a file holds instead of the container.
function M:writtenAs() return self.modules[1] or self end

M.needDevice, M.needDevices, M.adopt, M.refuse = placing.needDevice, placing.needDevices, placing.adopt, placing.refuse

-- Tensors that were handed out before a change of type are not those of the module any more.
function M:type(kind, cache)
   if not kind then return self._type end
   M.forget(self)
   local handed, before = self.handed, self._type
   placing.type(self, kind, cache)
   self.handed = handed and self._type == before
   return self
end

--- The methods of this file that both containers get.
M.METHODS = {'updateOutput', 'updateGradInput', 'accGradParameters', 'backward', 'zeroGradParameters', 'updateParameters',
   'accUpdateGradParameters', 'sharedAccUpdateGradParameters', 'parameters', 'reset', 'share', 'training', 'evaluate',
   'clearState', 'apply', 'replace', 'listModules', 'findModules', 'type', 'needDevices', 'refuse', 'writtenAs', 'combineGradients'}

return M
