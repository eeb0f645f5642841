-- examples/lib/trainer.lua - shared code of training programs: options, progress, log, curve, checkpoints, exact resume.
--
--    local run = require 'examples.lib.trainer' { name = 'digits', about = 'Trains a network ...', options = { ... } }
--    local keep = run.kept or { model = newModel(), state = {} }
--    run:train { keep = keep, steps = 45, columns = { 'loss %.4f' }, begin = ..., step = ..., finish = ... }
--
-- A run that was stopped at any step, by Ctrl-C, SIGTERM or -steps, continues with -resume and ends with the same bits as one
-- that was never stopped: a checkpoint holds keep, the random numbers' state, and the position in the epoch.
local torch = require 'torch'
local optim = require 'optim'
local paths = require 'paths'
local xlua = require 'xlua'
local svg = require 'gnuplot.svg'
local draw = require 'examples.lib.draw'
local interrupt = require 'examples.lib.interrupt'
local options = require 'examples.lib.options'

local TYPES = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }
local RATES = { sgd = 0.05, adam = 0.002, adamw = 0.002, rmsprop = 0.001, adagrad = 0.02 }

-- Of all programs, as examples/lib/options.lua describes them.
local SHARED = {
   { 'epochs', 10, 'times that the whole training set is seen', { whole = 1 }, change = true },
   { 'batchSize', 32, 'samples per step', { whole = 1 } },
   { 'optim', 'sgd', 'sgd, adam, adamw, rmsprop or adagrad', { 'sgd', 'adam', 'adamw', 'rmsprop', 'adagrad' } },
   { 'learningRate', 0, 'of the first epoch; 0: what suits the optimizer', { least = 0 } },
   { 'decay', 0.75, 'learning rate of an epoch divided by that of the epoch before', { least = 0 } },
   { 'momentum', 0.9, 'of sgd', { least = 0 } },
   { 'weightDecay', 1e-4, 'pull of the weights towards zero', { least = 0 } },
   { 'type', 'float', 'float or double', { 'float', 'double' } },
   { 'threads', 0, 'threads to use; 0: all processors. The result does not depend on it', { whole = 0 }, fresh = true },
   { 'seed', 1, 'of the random numbers; the same seed gives the same model, bit by bit', { whole = 0 } },
   { 'save', 'out', 'folder for log, model, checkpoint and learning curve; -resume: its folder',
     fresh = true },
   { 'every', 0, 'steps from one checkpoint to the next; 0: one after each epoch', { whole = 0 },
     change = true },
   { 'steps', 0, 'stop after so many steps of this run, as Ctrl-C does; 0: at the end', { whole = 0 }, fresh = true },
   { 'resume', '', 'checkpoint to continue from, with the options that it holds', fresh = true },
   { 'gpu', false, 'train on a CUDA device', change = true },
   { 'graph', false, 'with -gpu: record the work of a step once, and replay it (cutorch.graph)' },
   { 'half', false, 'with -gpu: compute in half precision, with parameters of floats (nn.MixedPrecision)' },
   { 'bfloat16', false, 'with -gpu: the same in bfloat16' },
}

local Run = {}
Run.__index = Run

--- Empties the line of a terminal: an unfinished progress bar, or the ^C of the terminal itself.
function Run:cleanLine()
   if self.terminal then io.stdout:write '\r\27[K' end
   io.stdout:flush()
end

--- Ends the program with a message of one line, and status 1.
function Run:stop(...)
   self:cleanLine()
   io.stderr:write(self.name, ': ', (...):format(select(2, ...)), '\n')
   os.exit(1)
end

-- ---- options ------------------------------------------------------------------------------------

local function is_checkpoint(self, loaded)
   if type(loaded) ~= 'table' or loaded.kind ~= self.name .. ' checkpoint' then return false end
   for _, field in ipairs { 'opt', 'keep', 'at', 'history' } do
      if type(loaded[field]) ~= 'table' then return false end
   end
   return true
end

-- The learning rate that -learningRate 0 stands for.
local function set_rate(opt, rates)
   if opt.learningRate ~= 0 then return end
   opt.learningRate = (rates or RATES)[opt.optim] or RATES[opt.optim]
end

-- Whether there is a CUDA device.
local function has_device()
   local ok, cutorch = pcall(require, 'cutorch')
   return ok and cutorch.getDeviceCount() > 0
end

-- The checkpoint's content. Its options apply, except those that may change and are given.
local function load_checkpoint(self, list, given, rates)
   local opt, name = self.opt, self.opt.resume
   local ok, loaded = pcall(torch.load, name)
   if not ok and tostring(loaded):find 'torch%.Cuda' and has_device() then
      ok, loaded = pcall(torch.load, name)   -- the types of a device come with cutorch
   end
   if not ok then self:stop('cannot resume: %s', loaded) end
   if not is_checkpoint(self, loaded) then
      self:stop('cannot resume: %s is no checkpoint of this program', name)
   end
   if not given.optim then opt.optim = loaded.opt.optim or opt.optim end
   set_rate(opt, rates)
   local wrong = options.resume(opt, given, list, loaded.opt)
   if wrong then self:stop('cannot resume %s: %s', name, wrong) end
   if not given.save then opt.save = paths.dirname(name) end
   if opt.gpu and not given.gpu and not has_device() then
      opt.gpu, opt.graph = false, false
      print 'there is no CUDA device here, so the run continues on the CPU'
   end
   -- With cutorch the tensors of a device are loaded onto it.
   if loaded.opt.gpu and opt.gpu and has_device() then loaded = torch.load(name) end
   return loaded
end

-- What -graph, -half and -bfloat16 need.
local function check_device_options(self)
   local opt = self.opt
   for _, name in ipairs { 'graph', 'half', 'bfloat16' } do
      if opt[name] and not opt.gpu then self:stop('-%s needs -gpu', name) end
   end
   if opt.half and opt.bfloat16 then self:stop '-half and -bfloat16 exclude each other' end
   if opt.half and opt.graph then
      self:stop '-graph goes with -bfloat16, not with -half, whose gradients are looked at in every step'
   end
   if opt.graph and opt.optim == 'adagrad' then self:stop '-graph: -optim must be sgd, adam, adamw or rmsprop, got adagrad' end
   if opt.gpu then
      local ok, cutorch = pcall(require, 'cutorch')
      if not ok then self:stop('-gpu: %s', tostring(cutorch):match '^[^\n]*') end
      if cutorch.getDeviceCount() == 0 then self:stop '-gpu: there is no CUDA device here; run without -gpu' end
   end
end

local function is_float(x)
   return torch.isTensor(x) and (x:type() == TYPES.float or x:type() == TYPES.double)
end

-- Models and floating point tensors in tables, moved to a type of tensors.
local function moved(x, kind)
   if torch.isTypeOf(x, 'nn.Module') or is_float(x) then
      return x:type(kind)
   elseif type(x) == 'table' and not torch.typename(x) then
      for k, v in pairs(x) do x[k] = moved(v, kind) end
   end
   return x
end

-- Reads the options, sets threads and seed.
local function start(program)
   local self = setmetatable({ name = program.name, terminal = draw.terminal() }, Run)
   local list = options.join(program.options, SHARED)
   local opt, given = options.read(program.about, list, program.defaults)
   self.opt = opt
   if opt.resume ~= '' then
      self.checkpoint = load_checkpoint(self, list, given, program.rates)
      self.kept = self.checkpoint.keep
   end
   for _, o in ipairs(list) do
      local must = options.wrong(opt[o[1]], o[4])
      if must then self:stop('-%s must be %s, got %s', o[1], must, tostring(opt[o[1]])) end
   end
   set_rate(opt, program.rates)
   check_device_options(self)
   self.graphs = {}
   self.tensorType = opt.gpu and 'torch.CudaTensor' or TYPES[opt.type]
   if self.kept and opt.gpu and not self.checkpoint.opt.gpu then
      moved(self.kept, self.tensorType)
   end
   if opt.threads > 0 then torch.setnumthreads(opt.threads) end
   torch.manualSeed(opt.seed)
   if opt.gpu then require 'cutorch'.manualSeed(opt.seed) end
   return self
end

--- A LongTensor of indices or classes on the model's device: the GPU with -gpu.
function Run:place(t) return self.opt.gpu and t:cudaLong() or t end

--- A model in the type of the run, and with -half or -bfloat16 computing in that.
function Run:model(net)
   local kind = self.opt.half and 'half' or self.opt.bfloat16 and 'bfloat16'
   net = net:type(self.tensorType)
   return kind and require 'nn'.MixedPrecision(net, kind) or net
end

--- f, the work of a step on tensors of fixed sizes; with -graph a function that replays it.
function Run:graph(f)
   if not self.opt.graph then return f end
   local graph = require 'cutorch'.graph(f)
   self.graphs[#self.graphs + 1] = graph
   return graph
end

--- Discards the recorded steps. Call it after changes of a model's memory, such as clearState and resetStates.
function Run:forgetGraphs() for _, graph in ipairs(self.graphs) do graph:reset() end end

--- A loss as a number: with -graph it is a tensor of one element.
function Run:number(loss) return torch.isTensor(loss) and loss[1] or loss end

--- The name of a file in the folder -save.
function Run:inSave(name) return paths.concat(self.opt.save, name) end

--- The learning rate of an epoch, by -learningRate and -decay.
function Run:rate(epoch) return self.opt.learningRate * self.opt.decay ^ (epoch - 1) end

-- ---- checkpoints --------------------------------------------------------------------------------

-- torch.save renames a finished file over the old one, so a killed program leaves a complete checkpoint.
local function save_checkpoint(self, job, at)
   self:forgetGraphs()
   for _, thing in pairs(job.keep) do
      if torch.isTypeOf(thing, 'nn.Module') then thing:clearState() end
   end
   local ok, why = pcall(torch.save, self:inSave 'checkpoint.t7', {
      kind = self.name .. ' checkpoint', opt = self.opt, keep = job.keep, at = at, history = self.history,
      rng = torch.getRNGState(), deviceRng = self.opt.gpu and require 'cutorch'.getRNGState() or nil })
   if not ok then self:stop('cannot write the checkpoint: %s', why) end
end

local function stop_early(self, job, at, signal)
   self:cleanLine()
   save_checkpoint(self, job, at)
   self:files(job)
   print(('stopped %s after step %d of %d of epoch %d; -resume %s continues')
         :format(signal and 'by a signal' or 'as -steps wants', at.step, job.steps, at.epoch, self:inSave 'checkpoint.t7'))
   os.exit(signal and 128 + signal or 0)
end

-- ---- training -----------------------------------------------------------------------------------

local function name_of(column) return column:match '^(.-)%s+%%' end

local function open_log(self, job)
   pcall(paths.mkdir, self.opt.save)
   if not paths.dirp(self.opt.save) then self:stop('cannot make the folder %s', self.opt.save) end
   local logger, names = optim.Logger(self:inSave 'train.log'), { 'epoch' }
   for _, column in ipairs(job.columns) do names[#names + 1] = name_of(column) end
   logger:setNames(names)
   for _, entry in ipairs(self.history) do logger:add(entry) end
   return logger
end

local function say(self, job, entry, seconds)
   local parts = { ('epoch %2d of %d'):format(entry.epoch, self.opt.epochs) }
   for _, column in ipairs(job.columns) do parts[#parts + 1] = column:format(entry[name_of(column)]) end
   parts[#parts + 1] = ('%.2f s'):format(seconds)
   self:cleanLine()
   print(table.concat(parts, '  '))
   io.stdout:flush()
end

-- A bar with the means of the epoch so far.
local function show_progress(self, job, at)
   if not self.terminal then return end
   local sums, means = at.sums, job.progress
   xlua.progress(at.step, job.steps, means and means(sums, at.step) or
                 sums.loss and ('loss %.4f'):format(sums.loss / at.step) or nil)
end

-- One step, whose sums are added to those of the epoch.
local function step(self, job, at)
   at.step = at.step + 1
   for name, value in pairs(job.step(at.epoch, at.step)) do
      if value ~= value or math.abs(value) == math.huge then
         self:stop('step %d of epoch %d: %s is %s; a lower -learningRate may help', at.step, at.epoch, name, tostring(value))
      end
      at.sums[name] = (at.sums[name] or 0) + value
   end
   show_progress(self, job, at)
end

local function epoch(self, job, at, taken)
   if at.step == 0 and job.begin then job.begin(at.epoch) end
   while at.step < job.steps do
      step(self, job, at)
      taken = taken + 1
      local signal = interrupt.waiting()
      if signal or taken == self.opt.steps then stop_early(self, job, at, signal) end
      if self.opt.every > 0 and taken % self.opt.every == 0 then save_checkpoint(self, job, at) end
   end
   return taken
end

-- Says where a resumed run begins.
local function tell_place(self, job, at)
   if at.epoch > self.opt.epochs then
      print(('all %d epochs are done; a larger -epochs continues the run'):format(self.opt.epochs))
   else
      local after = at.step > 0 and ('after step %d of %d of'):format(at.step, job.steps) or 'with'
      print(('continues %s epoch %d of %d'):format(after, at.epoch, self.opt.epochs))
   end
end

--- Trains until -epochs epochs are done, then draws the learning curve. Everything that determines the rest of the run must be in
--- keep or come from torch's random numbers.
-- @param job.keep     table that a checkpoint holds; nn modules in it are cleared of buffers when it is written
-- @param job.steps    steps of an epoch
-- @param job.begin    function(epoch), before its first step; it may draw the order of the samples into keep
-- @param job.step     function(epoch, step): trains, returns a table of numbers, which are summed over the epoch
-- @param job.finish   function(epoch, sums): tests, returns a table with a number for each column
-- @param job.progress function(sums, step): text of the progress bar, from the sums of the steps so
--                     far; without one: the mean of the loss
-- @param job.columns  of the log, as 'name format', such as 'test loss %.4f'
-- @param job.curve    { title, label of the vertical axis, names of columns... }
-- @return the history: what finish returned, by epoch
function Run:train(job)
   local saved = self.checkpoint
   self.history = saved and saved.history or {}
   local at = saved and saved.at or { epoch = 1, step = 0, sums = {} }
   interrupt.hold()
   local logger = open_log(self, job)
   local total, taken = torch.Timer(), 0
   if saved then torch.setRNGState(saved.rng) end
   if saved and saved.deviceRng and self.opt.gpu then require 'cutorch'.setRNGState(saved.deviceRng) end
   if saved then tell_place(self, job, at) end
   while at.epoch <= self.opt.epochs do
      local timer = torch.Timer()
      taken = epoch(self, job, at, taken)
      local entry = job.finish(at.epoch, at.sums)
      entry.epoch = at.epoch
      self.history[at.epoch] = entry
      logger:add(entry)
      say(self, job, entry, timer:time().real)
      at.epoch, at.step, at.sums = at.epoch + 1, 0, {}
      save_checkpoint(self, job, at)
   end
   interrupt.release()
   print(('trained for %.1f s'):format(total:time().real))
   return self.history
end

--- Draws the learning curve, and prints the names of the files.
function Run:files(job)
   local curves = {}
   for k = 3, #job.curve do
      local x, y = {}, {}
      for i, entry in ipairs(self.history) do x[i], y[i] = i, entry[job.curve[k]] end
      curves[#curves + 1] = { title = job.curve[k], x = x, y = y, with = 'linespoints' }
   end
   print(('log            %s'):format(self:inSave 'train.log'))
   if #self.history > 0 then
      local picture = { title = job.curve[1], xlabel = 'epoch', ylabel = job.curve[2], grid = true,
         key = 'outside', zero = true, whole = true, curves = curves }
      local ok, why = pcall(svg.write, self:inSave 'curve.svg', picture)
      if not ok then self:stop('%s', why) end
      print(('learning curve %s'):format(self:inSave 'curve.svg'))
   end
   print(('checkpoint     %s   continues with -resume and more -epochs'):format(
      self:inSave 'checkpoint.t7'))
end

return start
