-- nn/parallel/OneBitDataParallel.lua - nn.DataParallel that sends gradients of matrices with one bit per element.
local torch = require 'torch'
local nn = require 'nn'
local links = require 'nn.parallel.links'
local devices = require 'nn.parallel.devices'
local exchange = require 'nn.parallel.exchange'
local parallel = require 'nn.parallel.data_parallel'

--- As nn.DataParallel, but for gradients of matrices only one bit per element and two numbers per row are sent: each device
-- has an nn.OneBitQuantization. The error of the quantization is kept on its device and added to the next gradient,
-- once, so the sum over many steps stays right. Other gradients are summed whole. Seide et al., "1-bit stochastic gradient
-- descent and its application to data-parallel distributed training of speech DNNs" (2014). fbcunn's adds the error twice and
-- diverges, and always steps with Adagrad; this one only if config says so.
-- @param dimension  of the rows in input and output (default 1)
-- @param config     a table. min_elements: the least number of elements of a quantized matrix
--    (default 20). learningRate: the sum is replaced by an Adagrad step of this size before it is
--    sent back. momentum: of these steps (default 0)
-- m = nn.Linear(3, 2); nn.OneBitDataParallel(1):add(m, 1):add(m:clone(), 2):forward(torch.ones(5, 3)):size() --> {5, 2}
local OneBit, Data = torch.class('nn.OneBitDataParallel', 'nn.DataParallel')
OneBit.__arguments = 'dimension:count? config'

local known = { min_elements = true, learningRate = true, momentum = true }

function OneBit:__init(dimension, config)
   Data.__init(self, dimension)
   if type(config) ~= 'nil' and type(config) ~= 'table' then self:refuse('config', 'be a table', config) end
   for name, value in pairs(config or {}) do
      if not known[name] then self:refuse('config', 'hold min_elements, learningRate or momentum', tostring(name)) end
      if type(value) ~= 'number' then self:refuse('config.' .. name, 'be a number', value) end
   end
   self.config = { min_elements = 20 }
   for name, value in pairs(config or {}) do self.config[name] = value end
end

-- container -> state between steps, by the first replica's gradient: its old sum, the quantizers, the steps, the replica
-- that sums it (homes); and the last of these (count)
local memory = setmetatable({}, { __mode = 'k' })
local function memory_of(self)
   if not memory[self] then memory[self] = { before = {}, quantizers = {}, steps = {}, homes = {}, count = 0 } end
   return memory[self]
end

--- Drops the kept errors, and the state of Adagrad. Returns self.
function OneBit:resetErrors()
   memory[self] = nil
   return self
end

--- As nn.Module:clone; the copy has the same kept errors and state of Adagrad. (A file holds the first module alone.)
function OneBit:clone(...)
   local all = memory_of(self)
   local kept = { container = self, count = all.count }
   for g in pairs(all.homes) do
      kept[#kept + 1] = { g = g, quantizers = all.quantizers[g], step = all.steps[g], home = all.homes[g] }
   end
   local copies = nn.utils.copy(kept)
   local theirs = memory_of(copies.container)
   theirs.count = copies.count
   for _, it in ipairs(copies) do
      theirs.quantizers[it.g], theirs.steps[it.g], theirs.homes[it.g] = it.quantizers, it.step, it.home
   end
   if select('#', ...) > 0 then copies.container:share(self, ...) end
   return copies.container
end

local function in_bits(self, g) return g:dim() == 2 and g:nElement() > self.config.min_elements end

-- Calls f(gradient, its old sum) for each quantized gradient of the first replica.
local function each(self, f)
   if #self.modules < 2 then return end
   local before = memory_of(self).before
   local _, grads = links.of(self.modules[1])
   for _, list in ipairs(grads) do
      for _, g in ipairs(list) do
         if in_bits(self, g) then
            before[g] = before[g] or devices.empty(g, g._device)
            f(g, before[g])
         end
      end
   end
end

-- Only new gradients are sent, so the old sum is set aside. It is restored if `pass` fails.
local function apart(self, pass, ...)
   each(self, function(g, before)
      before:resizeAs(g):copy(g)
      g:zero()
   end)
   local ok, result = pcall(pass, self, ...)
   if ok then return result end
   each(self, function(g, before) g:copy(before) end)
   error(result, 0)
end

function OneBit:backward(input, gradOutput, scale) return apart(self, parallel.backward, input, gradOutput, scale) end
function OneBit:accGradParameters(input, gradOutput, scale) apart(self, parallel.accGradParameters, input, gradOutput, scale) end

-- Quantizer `key` of a gradient.
local function quantizer(self, g, key)
   local quantizers = memory_of(self).quantizers
   quantizers[g] = quantizers[g] or {}
   quantizers[g][key] = quantizers[g][key] or nn.OneBitQuantization()
   return quantizers[g][key]
end

-- Quantizes a matrix, and reconstructs it on a device.
local function packed(q, x)
   local bits, _, up, down = q:quantize(x)
   return { bits, up, down, columns = x:size(2) }
end
local function received(q, message, device)
   local own, t = {}, {}
   for i = 1, 3 do t[i] = devices.placed(own, i, message[i], device) end
   return q:dequantize(t[1], t[2], t[3], message.columns)
end

-- Replaces a sum of gradients by an Adagrad step with momentum, on the device of the sum.
local function step(self, g, sum)
   local config, steps = self.config, memory_of(self).steps
   if not config.learningRate then return sum end
   local mine = steps[g] or { squares = sum:clone():zero(), moved = sum:clone():zero() }
   steps[g] = mine
   mine.squares:addcmul(1, sum, sum)
   sum:cdiv(torch.sqrt(mine.squares):add(1e-10)):mul(config.learningRate)
   mine.moved:mul(config.momentum or 0):add(sum)
   return mine.moved:clone()
end

-- Sums one matrix of each replica: all send bits to one replica, which sends their sum to all in bits.
local function combine(self, tensors)
   local all = memory_of(self)
   local g = tensors[1]
   if not all.homes[g] then                           -- all replicas in turn; the error of the sum stays there
      all.count = all.count % #tensors + 1
      all.homes[g] = all.count
   end
   local device, sum = tensors[all.homes[g]]._device, nil
   for r, x in ipairs(tensors) do
      local q = quantizer(self, g, r)
      local part = received(q, packed(q, x), device)
      sum = sum and sum:add(part) or part
   end
   devices.on(device, function() sum = step(self, g, sum) end)
   local q = quantizer(self, g, 'home')
   local message = packed(q, sum)
   for _, x in ipairs(tensors) do
      x:copy(received(q, message, x._device)):add(devices.placed({}, 1, all.before[g], x._device))
   end
end

--- Sums the gradients of all devices, those of matrices in bits.
function OneBit:combineGradients(live, lists)
   local whole = {}
   for r = 1, #lists do whole[r] = {} end
   for j, g in ipairs(lists[1]) do
      local tensors = {}
      for r = 1, #lists do tensors[r] = lists[r][j] end
      if in_bits(self, g) then combine(self, tensors)
      else for r = 1, #lists do table.insert(whole[r], tensors[r]) end end
   end
   if #whole[1] > 0 then exchange.sum(live.sums, whole, not live.handed) end
end

--- 'OneBitDataParallel'
function OneBit:name() return 'OneBitDataParallel' end

return OneBit
