-- lua/distributed/pipeline/Pipeline.lua - pipelines: the layers of a model on several ranks, through which
-- micro-batches pass.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local utils = require 'nn.utils'
local dist = require 'distributed.core'
local recompute = require 'distributed.pipeline.recompute'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local Link = require 'distributed.pipeline.link'
local losses = require 'distributed.pipeline.losses'
local plan = require 'distributed.pipeline.plan'
local scales = require 'distributed.loss_scales'
local stages = require 'distributed.pipeline.stages'
local replicas = require 'distributed.pipeline.replicas'

--- The layers of an nn.Sequential on several ranks, as stages of a pipeline. All ranks call it with the same model and
-- options. Each rank keeps the layers of its stage, as an nn.Sequential: parameters(), getParameters, updateParameters,
-- training, evaluate and the like are those of the stage.
-- `forwardBackward(input, target)` passes a batch through all stages in micro-batches, and accumulates gradients. The bits
-- are those of one process that takes the micro-batches one after the other. They equal those of the whole batch up to
-- rounding, unless layers use the batch as a whole: nn.BatchNormalization sees each micro-batch.
-- The order '1f1b' is that of Narayanan et al., "PipeDream" (2019), flushed after each batch. A
-- stage keeps the activations of as many micro-batches as there are stages from it to the end. The
-- order 'gpipe' is that of Huang et al., "GPipe" (2019): a stage keeps all. A stage has a replica
-- for each micro-batch that it keeps. Replicas share parameters and running estimates; outputs,
-- masks and indices are separate. They follow changes of the stage's numbers, strings and booleans.
-- After a change of its other tensors call clearState(), which drops the replicas.
-- @param options.criterion    the loss, of the last rank; its gradient is weighted with the micro-batch's share of the samples
-- @param options.sizeAverage  whether the loss is the mean over samples; default: as in the criterion and its inner ones, or
--    true. A mean that weights samples differently (class weights, ignoreIndex) is refused if micro is not 1
-- @param options.micro        how many micro-batches, default 4 per stage; a batch with fewer samples has one for each sample
-- @param options.stages       a list: how many layers each stage has. Default: the split whose most expensive stage costs least
-- @param options.costs        a list: the cost of each layer. Default: its number of parameters
-- @param options.sample       an input: costs are the seconds that each layer takes with it, on the first rank
-- @param options.schedule     '1f1b' (default) or 'gpipe'
-- @param options.checkpoint true: recompute. A stage keeps only the input of a micro-batch, and
--    computes forward again before backward, with the same random numbers. That takes less memory
--    and more time, and gives the same bits
-- @param options.group        of ranks, one for each stage in the order of the list
-- @param options.data         a group of ranks that hold the same stage of other pipelines. Layers
--    are placed alike, and all begin with the parameters and running estimates of the first.
--    forwardBackward gives them the mean of their gradients
-- @param options.average      false: their gradients are not averaged, for dist.ShardedOptim, which does it itself
-- dist.init(); dist.Pipeline(nn.Sequential():add(nn.Linear(3, 2))):forward(torch.ones(4, 3)):size() --> {4, 2}
local Pipeline, Container = torch.class('dist.Pipeline', 'nn.Container')

local WHO = 'dist.Pipeline'
local function fail(text, ...) error(WHO .. ': ' .. text:format(...), 0) end

local function names_of(layers)
   local list = {}
   for i, layer in ipairs(layers) do list[i] = tostring(layer) end
   return comm.digest(list)
end

-- Pipelines that hold parts of the same layer need the same schedule, and fail together.
local function begin_parts(self, part, group)
   self.parts = plan.parts_of(part, group)
   for _, number in ipairs(self.parts) do
      agree.same(WHO, number, { { 'the stage', self.stage }, { 'the number of stages', self.count }, { 'micro', self.micro },
         { 'schedule', self.schedule }, { 'checkpoint', self.checkpoint and 1 or 0 } })
   end
   self.parted = false
   for _, n in ipairs(agree.well(WHO, self.number, true, nil, #self.parts)) do self.parted = self.parted or n > 0 end
end

-- Data-parallel pipelines begin with the parameters and running estimates of the first.
local function begin_alike(self, part)
   local list = {}
   for _, p in ipairs(part:parameters() or {}) do if p:nElement() > 0 then list[#list + 1] = p end end
   for _, module in ipairs(part:listModules()) do
      for _, name in ipairs(replicas.running) do
         if torch.isTensor(module[name]) and module[name]:nElement() > 0 then list[#list + 1] = module[name] end
      end
   end
   agree.same(WHO, self.across, { { 'the model', names_of(part.modules) }, { 'the number of parameters', #list } })
   if #list > 0 then dist.broadcast(list, 0, agree.options(self.across)) end
end

function Pipeline:__init(model, options)
   if options == nil then options = {} end
   if type(options) ~= 'table' then arg.refuse(WHO, 'options', 'a table', options, 3) end
   Container.__init(self)
   self.number = agree.number(WHO, options.group, 4)
   self.across = options.data ~= nil and agree.number(WHO, options.data, 4, 'data') or false
   local group = agree.group(self.number)
   self.stage, self.count = group.at + 1, group.n
   local counts
   local ok, why = pcall(function()
      plan.need_options(model, options)
      plan.need_forgetful(model)
      if self.across then plan.need_beside(group, agree.group(self.across)) end
      plan.parts_of(model, group)
      local placing = self.stage == 1 or options.stages or #model.modules < group.n
      counts = placing and plan.placed(model.modules, group.n, options) or {}
      if options.criterion and options.sizeAverage ~= false then
         self.sizeAverage = options.sizeAverage or losses.averages(options.criterion)
         if self.sizeAverage and options.micro ~= 1 then losses.need_plain(options.criterion) end
      end
   end)
   agree.well(WHO, self.number, ok, why)
   self.micro, self.schedule, self.criterion = options.micro or 4 * group.n, options.schedule or '1f1b', options.criterion
   self.average, self.checkpoint = options.average ~= false, options.checkpoint or false
   agree.same(WHO, self.number, { { 'the number of layers', #model.modules }, { 'the model', names_of(model.modules) },
      { 'micro', self.micro }, { 'schedule', self.schedule }, { 'criterion', options.criterion and 1 or 0 },
      { 'checkpoint', self.checkpoint and 1 or 0 } })
   self.stages = agree.value(self.number, 0, counts)
   local function need_same(number, list)
      agree.same(WHO, number, { { 'stages', table.concat(list, ' ') } })
   end
   if options.stages then need_same(self.number, counts) end
   if self.across then                              -- measured costs differ between pipelines
      if options.stages then need_same(self.across, counts) end
      self.stages = agree.value(self.across, 0, self.stages)
      need_same(self.number, self.stages)
   end
   ok, why = pcall(plan.need_apart, model.modules, self.stages)
   agree.well(WHO, self.number, ok, why)
   local part, first = nn.Sequential(), 0
   self._type, part._type = model._type, model._type
   for s = 1, self.stage - 1 do first = first + self.stages[s] end
   for i = 1, self.stages[self.stage] do part:add(model.modules[first + i]) end
   self:add(part)
   begin_parts(self, part, group)
   if self.across then begin_alike(self, part) end
end

-- ---- batches ----------------------------------------------------------------------------------------------------------------

-- The state of a pipeline beside its fields: links and replicas are not part of the model.
local runs = setmetatable({}, { __mode = 'k' })

local function run_of(self)
   local run = runs[self]
   if not run then
      local ranks = agree.group(self.number).ranks
      run = { slots = {}, busy = 0, took = 0, before = ranks[self.stage - 1] and Link.with(ranks[self.stage - 1]),
              after = ranks[self.stage + 1] and Link.with(ranks[self.stage + 1]) }
      runs[self] = run
   end
   if run.cut then error(('%s: an earlier batch was cut off: %s'):format(WHO, run.cut), 0) end
   return run
end

-- The number of rows of a tensor, or of the tensors of a table, which must all have the same.
local function rows_of(what, x, n)
   if torch.isTensor(x) then
      local rows = x:dim() > 0 and tonumber(x:size(1)) or 0
      if rows == 0 then fail('%s must have rows, got %s', what, arg.describe(x)) end
      if n and rows ~= n then fail('the tensors of %s must have one number of rows, got %d and %d', what, n, rows) end
      return rows
   end
   if type(x) ~= 'table' or #x == 0 then arg.refuse(WHO, what, 'a tensor or a table of tensors', x, -1) end
   for i = 1, #x do n = rows_of(what, x[i], n) end
   return n
end

local function cut(x, first, n) return utils.map(x, function(t) return t:narrow(1, first, n) end) end

-- agree.well in a group whose ranks hold parts of layers. Skips failures that ranks announced
-- during the batch.
local function well_with_parts(number, ok, why)
   local values, first, text
   repeat values, first, text = agree.hear(number, ok, why) until text ~= agree.told
   if not values then error(ok and agree.named(WHO, number, first, text) or why, 0) end
end

-- agree.well over the pipeline. A failure in it is then also one in the pipelines that hold other
-- parts of its layers.
local function well(self, ok, why, value)
   local fine, said = pcall(agree.well, WHO, self.number, ok, why, value)
   local values = said
   for _, number in ipairs(self.parts) do
      local also, text = pcall(well_with_parts, number, fine, said)
      if fine and not also then fine, said = false, text end
   end
   if self.parted then agree.well(WHO, self.number, fine, said) end
   if not fine then error(said, 0) end
   return values
end

-- From now on this rank computes nothing of the batch. Ranks that hold parts of its layers learn of
-- it at their next agreement, in a layer or at the end of the batch; no rank waits for that. `why`:
-- the error, if it occurred here.
local function spoil(batch, why)
   batch.bad, batch.why = true, batch.why or why
   for number, failures in pairs(batch.failures) do
      if not batch.told[number] and agree.failures(number) == failures then batch.told[number] = agree.tell(number) end
   end
end

-- All ranks learn the number of samples, or which rank's arguments are wrong.
local function begin(self, input, target, learning)
   local n = 0
   local ok, why = pcall(function()
      if learning and not self.criterion then fail 'forwardBackward needs the option criterion' end
      if self.stage == 1 then n = rows_of('input', input) end
      if learning and self.stage == self.count then
         local rows = rows_of('target', target)
         if self.stage == 1 and rows ~= n then fail('input has %d rows, target has %d', n, rows) end
         n = rows
         if self.sizeAverage and self.micro > 1 then losses.need_counted(self.criterion, target) end
      end
   end)
   local all = well(self, ok, why, n)
   ok, why = pcall(function()
      if learning and all[1] ~= all[self.count] then fail('input has %d rows, target has %d', all[1], all[self.count]) end
      for _, number in ipairs(self.parts) do agree.same(WHO, number, { { 'the number of samples', all[1] } }) end
   end)
   if self.parted then well(self, ok, why) elseif not ok then error(why, 0) end
   local sizes, at = stages.cut(all[1], math.min(self.micro, all[1])), { 1 }
   for k, size in ipairs(sizes) do at[k + 1] = at[k] + size end
   local batch = { n = all[1], sizes = sizes, at = at, input = input, target = target, m = #sizes, loss = 0, outputs = {},
                   told = {}, failures = {} }
   for _, number in ipairs(self.parts) do batch.failures[number] = agree.failures(number) end
   return batch
end

-- Runs this rank's work for micro-batch k, which dist.trace shows. An error in it is kept and stops
-- all further work of this batch; messages continue.
local function work(run, batch, name, k, f, ...)
   if batch.bad then return nil end
   local since = comm.now()
   local ok, result = pcall(dist.span, ('%s %d'):format(name, k), f, ...)
   run.busy = run.busy + comm.now() - since
   if ok then return result end
   spoil(batch, result ~= agree.told and (result or agree.silent) or nil)
end

-- A slot holds a micro-batch from its forward to its backward. Before it holds another, its sends
-- must have ended.
local function slot_of(run, k)
   local i = (k - 1) % run.ahead + 1
   local slot = run.slots[i] or {}
   run.slots[i] = slot
   return slot, run.modules[(k - 1) % #run.modules + 1]
end

local function settle(run, slot)
   for _, name in ipairs { 'ahead', 'back' } do
      for _, handle in ipairs(slot[name] or {}) do handle:wait() end
      slot[name] = nil
   end
   if slot.input then run.before:give(slot.input) end
   if slot.grad then run.after:give(slot.grad) end
   slot.input, slot.grad = nil, nil
end

local function send(batch, link, x)
   if not batch.bad then
      local ok, why = pcall(Link.check, x)
      if not ok then spoil(batch, why) end
   end
   return link:send(not batch.bad and x or nil)
end

local function take(batch, link)
   local x = link:take()
   if x == nil and not batch.bad then spoil(batch) end
   return x
end

-- The loss of a micro-batch, and its gradient, both as parts of those of the whole batch.
local function lose(self, batch, k, output)
   local criterion, share = self.criterion, self.sizeAverage and batch.sizes[k] / batch.n or 1
   local target = cut(batch.target, batch.at[k], batch.sizes[k])
   local loss = criterion:forward(output, target)
   if type(loss) ~= 'number' then fail('the loss must be a number, got %s', arg.describe(loss)) end
   batch.loss = batch.loss + share * loss
   local grad = criterion:backward(output, target)
   return share == 1 and grad or utils.map(grad, function(t) return t:mul(share) end)
end

local function join(list)
   if torch.isTensor(list[1]) then return torch.cat(list, 1) end
   local joined = {}
   for i = 1, #list[1] do
      local parts = {}
      for k, x in ipairs(list) do parts[k] = x[i] end
      joined[i] = join(parts)
   end
   return joined
end

-- Forward and backward of a stage with recompute. Their results are copied, because the next
-- micro-batch overwrites them.
local function forward_kept(run, slot, module, x)
   local y = recompute.forward(run, slot, module, x)
   if not run.after then return y end
   Link.check(y)
   slot.output = recompute.copy(slot.output, y)
   return slot.output
end

local function backward_kept(run, slot, module, grad)
   local g = module:backward(run.input, grad)
   run.holds = nil
   if not run.before then return nil end
   Link.check(g)
   slot.gradient = recompute.copy(slot.gradient, g)
   return slot.gradient
end

-- The output of the last micro-batch completes that of the batch.
local function keep(batch, k, y)
   Link.check(y)
   batch.outputs[k] = utils.map(y, function(t) return t:clone() end)
   if k == batch.m then batch.output = k == 1 and batch.outputs[1] or join(batch.outputs) end
end

local function forward(self, run, batch, k, learning)
   local slot, module = slot_of(run, k)
   settle(run, slot)
   local x
   if run.before then
      x = take(batch, run.before)
      slot.input = x
   else
      x = cut(batch.input, batch.at[k], batch.sizes[k])
      slot.x = x
   end
   local y
   if self.checkpoint and learning then y = work(run, batch, 'forward', k, forward_kept, run, slot, module, x)
   else y = work(run, batch, 'forward', k, module.forward, module, x) end
   if run.after then run.after:poll() end
   if run.after then
      slot.ahead = send(batch, run.after, y)
   elseif learning then
      slot.y = y
   else
      work(run, batch, 'output', k, keep, batch, k, y)
   end
end

local function backward(self, run, batch, k)
   local slot, module = slot_of(run, k)
   if run.scales then
      scales.copy(run.scales[module], run.scales.last)
      run.scales.last = run.scales[module]
   end
   local grad
   if self.checkpoint then slot.y = work(run, batch, 'again', k, recompute.again, run, slot, module, slot.input or slot.x) end
   if run.after then
      grad = take(batch, run.after)
      slot.grad = grad
   else
      grad = work(run, batch, 'loss', k, lose, self, batch, k, slot.y)
   end
   local g
   if self.checkpoint then g = work(run, batch, 'backward', k, backward_kept, run, slot, module, grad)
   else g = work(run, batch, 'backward', k, module.backward, module, slot.input or slot.x, grad) end
   if run.before then slot.back = send(batch, run.before, g) end
end

local function flow(self, run, batch, list, learning)
   if run.before then run.before:expect(batch.m) end
   if run.after and learning then run.after:expect(batch.m) end
   for _, k in ipairs(list) do
      if k > 0 then forward(self, run, batch, k, learning) else backward(self, run, batch, -k) end
      if run.before then run.before:poll() end
      if run.after then run.after:poll() end
   end
   for _, slot in ipairs(run.slots) do
      settle(run, slot)
      slot.x, slot.y, slot.drawn = nil, nil, nil
   end
   run.holds = nil
end

-- The loss scales of the replicas of a stage: backward of a micro-batch continues with those that
-- the previous one left.
local function scales_of(modules)
   local list = {}
   for _, module in ipairs(modules) do list[module] = scales.of(module) end
   list.last = list[modules[1]]
   return #list.last > 0 and list or nil
end

-- One batch. An error in the layers of one rank becomes an error on all, after all micro-batches
-- have passed. An error of the job (a rank is dead) is raised immediately.
local function pass(self, input, target, learning)
   local run = run_of(self)
   local batch = begin(self, input, target, learning)
   local list, ahead
   if learning then
      list, ahead = stages.schedule(self.schedule, self.stage, self.count, batch.m)
   else
      list, ahead = {}, 1
      for k = 1, batch.m do list[k] = k end
   end
   run.busy, run.ahead = 0, ahead
   local ok, why = pcall(replicas.of, self.modules[1], not self.checkpoint and ahead or 1, run.modules)
   run.modules = ok and why or { self.modules[1] }
   if not ok then spoil(batch, why) end
   run.scales = learning and scales_of(run.modules)
   for i = ahead + 1, #run.slots do run.slots[i] = nil end
   local since = comm.now()
   ok, why = pcall(flow, self, run, batch, list, learning)
   if not ok then
      run.cut = tostring(why)
      error(why, 0)
   end
   run.took, run.m = comm.now() - since, batch.m
   if run.scales then scales.copy(run.scales[self.modules[1]], run.scales.last) end
   for _, heard in pairs(batch.told) do heard() end
   local sums = well(self, not batch.why, batch.why, batch.loss)
   return batch, sums[self.count]
end

-- ---- the module -----------------------------------------------------------------------------------------------------------

--- Computes the loss of a batch and adds its gradients to those of the stages. All ranks call it;
-- the first needs the input, the last the target: tensors (or tables of them) whose rows are
-- samples. An error in the layers of one rank is an error on all, and gradients are undefined then.
-- @return the loss, on all ranks
-- o, x = {criterion = nn.MSECriterion()}, torch.ones(2); dist.Pipeline(nn.Sequential():add(nn.Abs()), o):forwardBackward(x, x)
function Pipeline:forwardBackward(input, target)
   local ok, batch, loss = pcall(pass, self, input, target, true)
   if self.across then
      agree.well(WHO, self.across, ok, batch)
      scales.same(self.modules[1], agree.options(self.across))
      local _, grads = self.modules[1]:parameters()
      if self.average and grads and #grads > 0 then dist.allreduce(grads, 'mean', agree.options(self.across)) end
   end
   if not ok then error(batch, 0) end
   return loss
end

--- Computes the output for a batch without keeping what backward needs. All ranks call it, the first
-- with the input. Returns the output on the last rank, nothing on the others.
function Pipeline:updateOutput(input)
   local batch = pass(self, input, nil, false)
   if self.stage < self.count then return nil end
   self.output = batch.output
   return self.output
end

function Pipeline.updateGradInput() error('dist.Pipeline: there is no backward: forwardBackward computes both passes', 2) end

function Pipeline:backward() return self:updateGradInput() end

function Pipeline:accGradParameters() return self:updateGradInput() end

--- The idle time of the last batch: the fraction of its time in which this rank did not compute.
-- The second result is the minimum (p - 1) / (m + p - 1) for p equal stages and m micro-batches.
-- The third is how many micro-batches the rank kept at a time. Returns nothing before the first
-- batch.
-- dist.init(); dist.Pipeline(nn.Sequential():add(nn.Abs())):bubble() --> nil
function Pipeline:bubble()
   local run = runs[self]
   if not run or not run.m then return nil end
   local idle = run.took > 0 and math.max(0, 1 - run.busy / run.took) or 0
   return idle, (self.count - 1) / (run.m + self.count - 1), run.ahead
end

--- The whole model on all ranks, a plain nn.Sequential with copies of the layers of all ranks: for
-- files, or for use without the pipeline. Layers in parts (such as dist.ColumnLinear) are whole in
-- it. All ranks call it.
-- dist.init(); dist.Pipeline(nn.Sequential():add(nn.Abs()):add(nn.Tanh())):collect():size() --> 2
function Pipeline:collect()
   local whole, mine = nn.Sequential(), nil
   local ok, why = pcall(function() mine = dist.collect(self.modules[1]):clearState() end)
   if ok then ok, why = pcall(torch.serialize, mine) end
   agree.well(WHO, self.number, ok, why)
   for s = 1, self.count do
      for _, layer in ipairs(agree.value(self.number, s - 1, mine).modules) do whole:add(layer) end
   end
   whole._type, whole.train = self.modules[1]._type, self.modules[1].train
   return whole
end

function Pipeline:write(file)
   if not file._carry then error('dist.Pipeline: a file holds the whole model: save what collect() gives', 0) end
   Container.write(self, file)
end

require 'nn'.utils.keepsFields(Pipeline)

function Pipeline:clearState()
   runs[self] = runs[self] and runs[self].cut and runs[self] or nil
   return Container.clearState(self)
end

function Pipeline:__tostring__()
   return ('dist.Pipeline(stage %d of %d: %s)'):format(self.stage, self.count, tostring(self.modules[1]))
end

return Pipeline
