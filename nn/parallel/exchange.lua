-- nn/parallel/exchange.lua - exchange between replicas of one model: sums of gradients, and copies of parameters. Between CUDA devices
-- it uses a separate stream, concurrent with the work of the devices.
local torch = require 'torch'
local devices = require 'nn.parallel.devices'

local exchange = {}

exchange.SHARED = 2 ^ 16                     -- from so many elements on, each device sums a part

-- ---- tensors that lie one after the other -----------------------------------------------------------------------------------

local function follows(a, b)
   return a._storage ~= nil and a._storage == b._storage and b:storageOffset() == a:storageOffset() + a:nElement()
      and a:isContiguous() and b:isContiguous()
end

--- lists[r] are the same tensors of each replica r. Returns the same memory as fewer tensors: tensors that lie one after the
-- other on all replicas become one.
function exchange.spans(lists)
   local spans, n = {}, #lists[1]
   for r = 1, #lists do spans[r] = {} end
   local i = 1
   while i <= n do
      local last, total = i, lists[1][i]:nElement()
      local function goes_on()
         for r = 1, #lists do
            if not follows(lists[r][last], lists[r][last + 1]) then return false end
         end
         return true
      end
      while last < n and goes_on() do
         last = last + 1
         total = total + lists[1][last]:nElement()
      end
      if total > 0 then
         for r = 1, #lists do
            local t = lists[r][i]
            if last > i or t:isContiguous() then
               t = t.new():set(t:storage(), t:storageOffset(), torch.LongStorage{total}, torch.LongStorage{1})
            end
            table.insert(spans[r], t)
         end
      end
      i = last + 1
   end
   return spans
end

-- ---- the stream -------------------------------------------------------------------------------------------------------------

local beside                                 -- its number

-- The devices of lists, each once; none on the CPU.
local function devices_of(lists)
   local list, seen = {}, {}
   for _, tensors in ipairs(lists) do
      local device = tensors[1] and tensors[1]._device or 0
      if device > 0 and not seen[device] then
         seen[device] = true
         list[#list + 1] = device
      end
   end
   return list
end

-- Each stream `waiting` of the devices waits for the work already given to `other`.
local function wait(list, waiting, other)
   for _, device in ipairs(list) do
      require 'cutorch'.streamWaitForMultiDevice(device, waiting, { [device] = { other } })
   end
end

--- Runs f() concurrently with later work of the devices of lists, after their earlier work; exchange.settle waits for it.
function exchange.beside(lists, f)
   local list = devices_of(lists)
   if #list == 0 then return f() end
   local cutorch = require 'cutorch'
   local own = cutorch.getStream()
   if not beside then
      beside = cutorch.getNumStreams() + 1
      cutorch.reserveStreams(beside)
   end
   wait(list, beside, own)
   cutorch.setStream(beside)
   local ok, why = pcall(f)
   cutorch.setStream(own)
   if not ok then error(why, 0) end
end

--- The devices of lists wait for all such concurrent work.
function exchange.settle(lists)
   local list = devices_of(lists)
   if #list > 0 and beside then wait(list, require 'cutorch'.getStream(), beside) end
end

-- ---- sums and copies ---------------------------------------------------------------------------------------------------------

-- One tensor of each replica.
local function across(spans, j)
   local tensors = {}
   for r = 1, #spans do tensors[r] = spans[r][j] end
   return tensors
end

-- NCCL, if it is wanted and takes these tensors.
local function nccl_for(wanted, tensors)
   if not wanted or tensors[1]._device == 0 then return nil end
   local nccl = require 'cutorch.nccl'
   return nccl.takes(tensors) and nccl or nil
end

--- Copies the tensors of the first replica to all: replica r copies from replica r / 2, or NCCL does it.
function exchange.broadcast(lists, wanted)
   local spans = exchange.spans(lists)
   for j = 1, #spans[1] do
      local tensors = across(spans, j)
      local nccl = nccl_for(wanted, tensors)
      if nccl then nccl.broadcast(tensors)
      else for r = 2, #tensors do tensors[r]:copy(tensors[math.floor(r / 2)]) end end
   end
end

-- target = target + x, on the device of target; own[key] holds copies from other devices.
local function add(own, key, target, x)
   target:add(devices.placed(own, key, x, target._device))
end

-- The sum of one tensor of each replica, in the tensor of replica `home`: that one and the others in order. `all` get a copy.
local function sum(own, tensors, home, all)
   local target = tensors[home]
   for r, x in ipairs(tensors) do
      if r ~= home then add(own, home * #tensors + r, target, x) end
   end
   for r, x in ipairs(all and tensors or {}) do
      if r ~= home then x:copy(target) end
   end
end

-- The same with a part summed on each device.
local function sum_parts(own, tensors)
   local n, elements, first = #tensors, tensors[1]:nElement(), 1
   for home = 1, n do
      local last = math.floor(elements * home / n)
      local parts = {}
      for r = 1, n do parts[r] = tensors[r]:narrow(1, first, last - first + 1) end
      sum(own, parts, home, true)
      first = last + 1
   end
end

--- Sums the tensors of all replicas, in those of the first, or in those of all; then each device sums a part of large ones.
-- @param own     a table for memory that is kept between calls
-- @param wanted  true: by NCCL where it is found
function exchange.sum(own, lists, all, wanted)
   local spans = exchange.spans(lists)
   for j = 1, #spans[1] do
      local tensors = across(spans, j)
      local nccl = nccl_for(wanted, tensors)
      if nccl then nccl.sum(tensors, all)
      elseif all and tensors[1]:nElement() >= exchange.SHARED and tensors[1]:dim() == 1 then sum_parts(own, tensors)
      else sum(own, tensors, 1, all) end
   end
end

return exchange
