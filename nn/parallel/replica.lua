-- nn/parallel/replica.lua - one replica of a model on its device, in this Lua state or in that of a thread; and a group of replicas that
-- run the same requests.
local torch = require 'torch'
local links = require 'nn.parallel.links'
local devices = require 'nn.parallel.devices'

local M = {}

-- ---- one replica -------------------------------------------------------------------------------------------------------------

local Replica = {}
Replica.__index = Replica

--- Its tensors that correspond to those of the others: { parameters, gradients as a list for each link of the chain, running
-- estimates }.
-- @param flat  true: joins parameters and gradients into a vector each, if all are of one type
function Replica:meet(flat)
   if flat then pcall(self.module.getParameters, self.module) end
   local _, grads = links.of(self.module)
   local state = {}
   for _, module in ipairs(self.module:listModules()) do
      for _, name in ipairs{'running_mean', 'running_var'} do
         if torch.isTensor(module[name]) then state[#state + 1] = module[name] end
      end
   end
   return { self.module:parameters() or {}, grads, state }
end

function Replica:updateOutput(input) return self.module:updateOutput(input) end
function Replica:updateGradInput(input, gradOutput) return self.module:updateGradInput(input, gradOutput) end
function Replica:accGradParameters(input, gradOutput, scale) self.module:accGradParameters(input, gradOutput, scale) end

--- Runs backward up to the first link in `stops` (a set of numbers); go_on runs up to the next one.
-- @return whether it is finished, and then gradInput
function Replica:backward(input, gradOutput, scale, stops)
   local module = self.module
   self.chain = links.of(module)
   links.watch(self.chain, function(i) if stops[i] then coroutine.yield(false) end end)
   self.walk = coroutine.create(function() return true, module:backward(input, gradOutput, scale) end)
   return self:go_on()
end

function Replica:go_on()
   local function result(ok, done, gradInput)
      if done or not ok then self:leave() end
      if not ok then error(done, 0) end
      return done, gradInput
   end
   return result(coroutine.resume(self.walk))
end

--- Drops an unfinished backward.
function Replica:leave()
   if self.chain then links.leave(self.chain) end
   self.chain, self.walk = nil, nil
end

--- Calls a method of the module, without results.
function Replica:call(name, ...) self.module[name](self.module, ...) end

--- f(module, number of the replica)
function Replica:exec(f, i) return f(self.module, i) end

local function ask(replica, name, ...) return devices.on(replica.device, Replica[name], replica, ...) end

-- ---- in a thread
-- -------------------------------------------------------------------------------------------------------------

local mine                                   -- the replica of this thread

--- The first request: the bytes of torch.serialize(model), its device, the seed of its random numbers, and a function to
-- call before the model is loaded.
function M.begin(model, device, seed, init)
   require 'nn'
   if device > 0 then
      local cutorch = require 'cutorch'
      cutorch.setDevice(device)
      cutorch.manualSeed(seed)
   else
      torch.manualSeed(seed)
   end
   if init then init(device) end
   mine = setmetatable({ module = torch.deserialize(model, nil, { unsafe = true }), device = device }, Replica)
   if device > 0 then devices.move(mine.module, device) end
end

--- All other requests.
function M.run(stream, ...)
   if mine.device > 0 then require 'cutorch'.setStream(stream) end
   return ask(mine, ...)
end

-- ---- a group -----------------------------------------------------------------------------------------------------------------

local Group = {}
Group.__index = Group

--- A group without replicas. `name` is the container's in messages.
function M.group(name) return setmetatable({ name = name, lost = false }, Group) end

--- Adds a replica in this Lua state.
function Group:add(module, device) self[#self + 1] = setmetatable({ module = module, device = device }, Replica) end

--- Adds a replica in a thread, a copy of a module.
function Group:thread(module, device, seed, init)
   local member = { worker = require 'torch.worker'.new 'nn.parallel.replica', device = device }
   self[#self + 1] = member
   member.worker:ask('begin', torch.serialize(module), device, seed, init)
   member.beginning = true
end

local function failed(self, i, why)
   local device = self[i].device
   error(('%s: replica %d%s: %s'):format(self.name, i, device > 0 and ' on device ' .. device or '', tostring(why)), 0)
end

local function pack(...) return { n = select('#', ...), ... } end

-- Waits for the answers of all replicas in `asked`, even if some fail.
local function collect(self, results, asked)
   for i in pairs(asked) do results[i] = pack(pcall(self[i].worker.wait, self[i].worker)) end
end

--- Replicas 1..k run `name` at the same time, each with the arguments that args(i) returns.
-- @return for each the first two results: { a, b }. If any fail, the first failure is raised after all have ended.
function Group:run(name, k, args)
   local arguments, results, asked, stream = {}, {}, {}, 0
   for i = 1, k do arguments[i] = pack(args(i)) end
   for i = 1, k do
      local worker = self[i].worker
      if worker then
         if self[i].device > 0 then stream = require 'cutorch'.getStream() end
         local a = arguments[i]
         local sent = pack(pcall(function()
            if self[i].beginning then worker:wait() end
            worker:ask('run', stream, name, unpack(a, 1, a.n))
         end))
         if sent[1] then asked[i] = true else results[i] = sent end
         if self[i].beginning and not sent[1] then self.lost = true end
         self[i].beginning = nil
      end
   end
   for i = 1, k do
      if not self[i].worker then results[i] = pack(pcall(ask, self[i], name, unpack(arguments[i], 1, arguments[i].n))) end
   end
   collect(self, results, asked)
   for i = 1, k do
      if self[i].worker and not self[i].worker:alive() then self.lost = true end
   end
   for i = 1, k do
      if not results[i][1] then failed(self, i, results[i][2]) end
      results[i] = { results[i][2], results[i][3] }
   end
   return results
end

--- Ends the threads.
function Group:close()
   for _, member in ipairs(self) do
      if member.worker then member.worker:close() end
   end
end

return M
