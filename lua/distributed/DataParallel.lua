-- lua/distributed/DataParallel.lua - one model on all ranks, with the mean of all gradients.
local torch = require 'torch'
require 'nn'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local ffi = require 'ffi'
local links = require 'nn.parallel.links'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local compress = require 'distributed.compress'
local scales = require 'distributed.loss_scales'

--- The same model on every rank: backward gives all ranks the mean of their gradients, so all take
-- the same step. After k steps with a batch of b on each of n ranks the parameters are those of one
-- process with batches of n*b. In a Sequential the gradients of later layers are sent while
-- backward of the earlier layers runs.
-- @param model    the ranks' models must have the same parameters; an error names the first that
--    differs
-- @param options  a table. `broadcast = true` copies the parameters of rank 0 instead of comparing.
--    `bucket`: the bytes of gradients that are reduced together (1e6). `uneven = true`: see
--    dist.DataParallel:finish. `group`: of ranks. `compress`, as dist.compressor takes it:
--    gradients are sent compressed, and their carried error is part of the model when it is saved
-- dist.init(); dist.DataParallel(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local DataParallel, Container = torch.class('dist.DataParallel', 'nn.Container')

local known = { broadcast = 'boolean', bucket = 'number', uneven = 'boolean', group = 'table', compress = true }

local function need_options(options)
   if options == nil then return {} end
   if type(options) ~= 'table' then arg.refuse('dist.DataParallel', 'options', 'a table', options, 4) end
   for name, value in pairs(options) do
      local kind = known[name]
      if not kind then
         error(('dist.DataParallel: there is no option %s; there are broadcast, bucket, uneven, group and compress')
            :format(tostring(name)), 4)
      end
      if kind ~= true and type(value) ~= kind then arg.refuse('dist.DataParallel', tostring(name), 'a ' .. kind, value, 4) end
   end
   return options
end

-- ---- checks that all ranks begin with the same model
-- ---------------------------------------------------------------------

-- A name of parameter p: 'weight of nn.Linear(3 -> 2), 2x3'.
local function name_of(model, p)
   for _, module in ipairs(model:listModules()) do
      for _, name in ipairs(module.parameterNames or {}) do
         if rawequal(module[name], p) then
            return ('%s of %s, %s'):format(name, tostring(module):match '[^\n]*', arg.size_text(p))
         end
      end
   end
   return arg.describe(p)
end

-- Fingerprints of tensors: checksum, elements, type.
local function marks_of(parameters)
   local marks = torch.DoubleTensor(#parameters, 3)
   for i, p in ipairs(parameters) do
      local packed = comm.host(p):contiguous()
      local crc = lib.C.th_zip_crc(0, ffi.cast('const void *', packed:data()), packed:bytes())
      marks[i][1], marks[i][2], marks[i][3] = crc, p:nElement(), p._dtype
   end
   return marks
end

local function need_same(model, parameters, options)
   local counts = dist.allgather(torch.DoubleTensor{#parameters}, options)
   local n = counts:size(1)
   for r = 2, n do
      if counts[r][1] ~= counts[1][1] then
         error(('dist.DataParallel: the models differ: rank 0 has %d parameters, rank %d has %d'):format(counts[1][1], r - 1,
            counts[r][1]), 4)
      end
   end
   if #parameters == 0 then return end
   local all = dist.allgather(marks_of(parameters), options)
   for i, p in ipairs(parameters) do
      for r = 2, n do
         if all[r][i]:ne(all[1][i]):sum() > 0 then
            error(('dist.DataParallel: the models differ: parameter %d (%s) is not the same on ranks 0 and %d')
               :format(i, name_of(model, p), r - 1), 4)
         end
      end
   end
end

-- Raises an error if ranks differ in whether or how they compress.
local function need_alike(self)
   local why = agree.differ(self.options.group or comm.world,
      compress.facts(self.compress and dist.compressor(self.compress)))
   if why then error('dist.DataParallel: ' .. why, 4) end
end

--- Refuses to write a model with a group, which has no meaning in a file.
function DataParallel:write(file)
   if self.options.group and not file._carry then
      error('dist.DataParallel: a group cannot be saved: save the model, or what dist.collect returns', 0)
   end
   Container.write(self, file)
end

require 'nn'.utils.keepsFields(DataParallel)

function DataParallel:__init(model, options)
   if not torch.isTypeOf(model, 'nn.Module') then arg.refuse('dist.DataParallel', 'model', 'a module', model, 3) end
   options = need_options(options)
   if options.bucket and options.bucket <= 0 then
      arg.refuse('dist.DataParallel', 'bucket', 'a positive number of bytes', options.bucket, 3)
   end
   Container.__init(self)
   self:add(model)
   self.bucket, self.uneven, self.sync, self.count = options.bucket or 1e6, options.uneven or false, true, 1
   self.options = { group = options.group }
   if options.compress ~= nil then
      local ok, why = pcall(dist.compressor, options.compress)
      if not ok then error('dist.DataParallel: compress: ' .. why:match 'dist.compressor: (.*)', 3) end
      self.compress, self.compressors = options.compress, {}
   end
   need_alike(self)
   local parameters = model:parameters() or {}
   if options.broadcast and #parameters > 0 then dist.broadcast(parameters, 0, self.options)
   else need_same(model, parameters, self.options) end
end

-- ---- gradient buckets, in the order in which gradients become ready
-- -----------------------------------------------------

-- Uncompressed buckets: a function that sends one, and one that waits for all.
local function whole_buckets(self, op)
   local handles = {}
   return function(bucket) handles[#handles + 1] = dist.allreduce(bucket, op, { group = self.options.group, async = true }) end,
      function() for _, handle in ipairs(handles) do handle:wait() end end
end

-- Compressed buckets: each has a compressor. Gradients and carried errors change only when all
-- buckets have arrived.
local function packed_buckets(self, op)
   local group, jobs = self.options.group or comm.world, {}
   local function send(bucket)
      local i, packed = #jobs + 1, {}
      compress.need_list('dist.DataParallel', bucket, 0)
      for k, g in ipairs(bucket) do packed[k] = g:contiguous() end
      local c = self.compressors[i] or dist.compressor(self.compress)
      jobs[i] = { c, compress.pack(c, group, packed), bucket, packed }
      compress.send(c, jobs[i][2], nil, true)
      self.compressors[i] = c
   end
   local function finish()
      for _, j in ipairs(jobs) do compress.arrive(j[1], j[2]) end
      for _, j in ipairs(jobs) do
         compress.take(j[1], j[2], op == 'mean' and 1 / group.n or 1)
         for k, g in ipairs(j[3]) do if not g:isContiguous() then g:copy(j[4][k]) end end
      end
   end
   local function drop() for _, j in ipairs(jobs) do compress.drop(j[1], j[2]) end end
   return send, function()
      local ok, why = pcall(finish)
      drop()
      if not ok then error('dist.DataParallel: ' .. why, 0) end
   end, drop
end

-- Starts a reduction. Gradients arrive link by link, the last link first, and leave in buckets.
-- Weighted gradients are copies, which replace the gradients only if all succeeded.
local function begin(self, weight)
   local run, bucket, bytes, weighed = {}, {}, 0, {}
   local send, finish, drop = (self.compress and packed_buckets or whole_buckets)(self, weight and 'sum' or 'mean')
   local function leave()
      if #bucket > 0 then send(bucket) end
      bucket, bytes = {}, 0
   end
   function run.ready(grads)
      for i = #grads, 1, -1 do
         local g = grads[i]
         if self.compress and bucket[1] and bucket[1]:type() ~= g:type() then leave() end
         if weight then
            g = g * weight
            weighed[#weighed + 1] = { grads[i], g }
         end
         bucket[#bucket + 1] = g
         bytes = bytes + g:bytes()
         if bytes >= self.bucket then leave() end
      end
   end
   function run.finish()
      leave()
      finish()
      for _, w in ipairs(weighed) do w[1]:copy(w[2]) end
      scales.same(self.modules[1], self.options)
   end
   run.drop = drop or function() end
   return run
end

-- Exchanges how many samples each rank has; returns this rank's share of the step, or nil if all
-- have finished.
local function share(self, samples)
   local all = dist.allgather(torch.DoubleTensor{samples}, self.options)
   local total, first = all:sum(), nil
   for r = all:size(1), 1, -1 do if all[r][1] > 0 then first = r - 1 end end
   if total == 0 then return nil end
   self.last = first
   return samples / total
end

-- ---- the module ----------------------------------------------------------------------------------------------------------

function DataParallel:updateOutput(input)
   self.output = self:rethrowErrors(self.modules[1], 1, 'updateOutput', input)
   return self.output
end

function DataParallel:updateGradInput(input, gradOutput)
   self.gradInput = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input, gradOutput)
   return self.gradInput
end

local function reduce_all(self, weight)
   local _, grads = links.of(self.modules[1])
   local run = begin(self, weight)
   for i = #grads, 1, -1 do run.ready(grads[i]) end
   run.finish()
end

function DataParallel:accGradParameters(input, gradOutput, scale)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input, gradOutput, scale)
   if self.sync then reduce_all(self, self.uneven and share(self, self.count) or nil) end
end

function DataParallel:backward(input, gradOutput, scale)
   local model = self.modules[1]
   if not self.sync then
      self.gradInput = self:rethrowErrors(model, 1, 'backward', input, gradOutput, scale)
      return self.gradInput
   end
   local weight = self.uneven and share(self, self.count) or nil
   local chain, grads = links.of(model)
   local run = begin(self, weight)
   links.watch(chain, function(i) run.ready(grads[i]) end)
   local ok, result = pcall(self.rethrowErrors, self, model, 1, 'backward', input, gradOutput, scale)
   links.leave(chain)
   if not ok then
      run.drop()
      error(result, 0)
   end
   run.finish()
   self.gradInput = result
   return result
end

--- Calls f() without reducing this rank's gradients, so that they add up over several backward
-- calls. The first backward afterwards gives all ranks the mean of the sums.
function DataParallel:noSync(f)
   if not arg.is_callable(f) then arg.refuse('noSync', 'argument 1', 'a function', f) end
   local before = self.sync
   self.sync = false
   local ok, why = pcall(f)
   self.sync = before
   if not ok then error(why, 0) end
   return self
end

--- Sets how many samples the next steps of this rank have, for `uneven = true`, which weights
-- gradients with it. Returns self.
function DataParallel:samples(n)
   if type(n) ~= 'number' or n % 1 ~= 0 or n < 1 then arg.refuse('samples', 'argument 1', 'a whole number from 1', n) end
   self.count = n
   return self
end

--- With `uneven = true` ranks may take different numbers of steps. A rank without more data calls
-- finish, which takes part in the steps of the others until all ranks have called it. Then it
-- copies the parameters of a rank that took the last step. Returns self.
function DataParallel:finish()
   if not self.uneven then error('finish: the model was made without uneven = true', 2) end
   while true do
      local weight = share(self, 0)
      if not weight then break end
      self:zeroGradParameters()
      reduce_all(self, weight)
   end
   local parameters = self.modules[1]:parameters()
   if parameters and self.last then dist.broadcast(parameters, self.last, self.options) end
   return self
end

--- Whether `ok` is true on all ranks; all call it. A surrounding nn.MixedPrecision does, to repeat a
-- pass on all ranks or on none.
function DataParallel:everywhere(ok)
   if not self.sync then return ok end
   return dist.allreduce(torch.DoubleTensor { ok and 1 or 0 }, 'min', self.options)[1] == 1
end

function DataParallel:__tostring__() return 'dist.DataParallel(' .. tostring(self.modules[1]) .. ')' end

return DataParallel
