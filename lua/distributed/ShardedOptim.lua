-- lua/distributed/ShardedOptim.lua - an optimizer whose state is sharded among the ranks.
local torch = require 'torch'
local optim = require 'optim'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local scales = require 'distributed.loss_scales'
local vectors = require 'distributed.vectors'

--- Trains on all ranks with a method of optim whose state (momentum, moments) is sharded: Rajbhandari et al., "ZeRO" (2019),
-- stage 1. Each rank computes the gradient of its data and gets the mean of one part of it. It updates this part of the
-- parameters, and sends it to the others. A rank needs only 1 / ranks of the state's memory. The parameters have the bits of
-- one process that applies the method to the mean of the gradients. All ranks call it and begin with the parameters of the
-- first.
-- Its methods: `step([f])` takes a step with the gradient of this rank, which f, if given, computes; it returns what f
-- returns. An error on one rank, in f too, is an error on all, and the parameters do not change. `state()` is for dist.commit.
-- @param options.model      or `parameters` and `gradParameters`: vectors of floats or doubles
-- @param options.method     a method of optim that works elementwise with one gradient per step. It
--    is sgd (default), adam, adamw, adagrad, adadelta, adamax, rmsprop, asgd, or a function like
--    them
-- @param options.config     its options; may change between steps. Tensors with one element per parameter are cut likewise
-- @param options.op         'mean' (default) or 'sum' of the gradients
-- @param options.group      of ranks
-- @param options.state      what `state` returned: continues from there, on any number of ranks
-- x = torch.ones(1); dist.init().ShardedOptim{parameters = x, gradParameters = torch.ones(1)}:step(); x --> {0.999}
local ShardedOptim = torch.class('dist.ShardedOptim')

local WHO = 'dist.ShardedOptim'
local known = { model = true, parameters = true, gradParameters = true, method = true, config = true, op = true, group = true,
   state = true }

-- Methods that need several gradients per step, or gradients elsewhere than at the parameters, or
-- all elements together.
local others = { 'lbfgs', 'cg', 'cmaes', 'de', 'fista', 'nag', 'checkgrad' }

local function need_method(o)
   for name in pairs(o) do if not known[name] then error(('%s: there is no option %s'):format(WHO, tostring(name)), 0) end end
   local method = o.method == nil and optim.sgd or o.method
   if not arg.is_callable(method) then arg.refuse(WHO, 'method', 'a function', method, -1) end
   for _, name in ipairs(others) do
      if method == optim[name] then
         error(('%s: optim.%s is not an elementwise method with one gradient per step%s'):format(WHO, name,
            name == 'lbfgs' and ': use dist.lbfgs' or ''), 0)
      end
   end
   if type(o.config) ~= 'nil' and type(o.config) ~= 'table' then arg.refuse(WHO, 'config', 'a table', o.config, -1) end
   if o.op ~= nil and o.op ~= 'mean' and o.op ~= 'sum' then
      error(("%s: op must be 'mean' or 'sum', got %s"):format(WHO, tostring(o.op)), 0)
   end
   if type(o.state) ~= 'nil' and type(o.state) ~= 'table' then arg.refuse(WHO, 'state', 'a table', o.state, -1) end
   return method
end

-- A hash of the method and its options.
local function digest(method, config)
   local texts = {}
   for name, v in pairs(optim) do if v == method then texts[1] = name end end
   local words = {}
   for name, v in pairs(config) do
      if type(v) == 'number' or type(v) == 'boolean' or type(v) == 'string' then
         words[#words + 1] = ('%s = %s'):format(tostring(name), tostring(v))
      end
   end
   table.sort(words)
   return comm.digest{ texts[1] or 'a function', unpack(words) }
end

-- ---- the method's state as vectors -------------------------------------------------------------------------------------------

-- The tensors of nested tables, with the keys that lead to them, in the same order on all ranks;
-- and the tables without them.
local function tensors_of(t, list, path)
   local keys, rest = {}, {}
   for k in pairs(t) do keys[#keys + 1] = k end
   table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
   for _, k in ipairs(keys) do
      local v, deeper = t[k], { unpack(path) }
      deeper[#deeper + 1] = k
      if torch.isTensor(v) then list[#list + 1] = { path = deeper, x = v, type = v:type() }
      elseif type(v) == 'table' then rest[k] = tensors_of(v, list, deeper)
      else rest[k] = v end
   end
   return rest
end

local function put(t, path, x)
   for i = 1, #path - 1 do t = t[path[i]] end
   t[path[#path]] = x
end

local function text_of(path)
   local words = {}
   for i, k in ipairs(path) do words[i] = tostring(k) end
   return table.concat(words, '.')
end

-- Each must be as long as the part that the rank updates.
local function need_vectors(list, n)
   for _, entry in ipairs(list) do
      if entry.x:nElement() ~= n or not entry.x:isContiguous() then
         error(("%s: the method's state.%s is %s, and not one element for each of %d parameters"):format(WHO, text_of(entry.path),
            arg.describe(entry.x), n), 0)
      end
   end
end

-- ---- construction
-- --------------------------------------------------------------------------------------------------------

local function need_state(self, state)
   if not state.own then error(WHO .. ': state must be what state() returned on the first rank', 0) end
   if state.n ~= self.n or state.type ~= self.x:type() then
      error(('%s: state is of %s elements of a %s, wanted %d of a %s'):format(WHO, tostring(state.n), tostring(state.type),
         self.n, self.x:type()), 0)
   end
   if type(state.own) ~= 'table' or type(state.steps) ~= 'number' then
      error(WHO .. ': state must be what state() returned', 0)
   end
   local list = {}
   local rest = tensors_of(state.own, list, {})
   need_vectors(list, self.n)
   return list, rest
end

-- The first rank sends each rank its part of every vector.
local function share_out(self, state)
   local group, o = agree.group(self.number), agree.options(self.number)
   local list, rest, ok, why = {}, nil, true, nil
   if group.at == 0 then
      ok, why = pcall(function() list, rest = need_state(self, state) end)
   end
   agree.well(WHO, self.number, ok, why)
   local heads = {}
   for i, entry in ipairs(list) do heads[i] = { path = entry.path, type = entry.type } end
   local told = agree.value(self.number, 0, { heads = heads, rest = rest or {}, steps = group.at == 0 and state.steps or 0 })
   self.steps, self.own = told.steps, group.at == 0 and rest or told.rest
   for i, head in ipairs(told.heads) do
      local mine
      for r = 0, group.n - 1 do
         local first, count = self.shard(r)
         if count > 0 and group.at == 0 then
            local part = list[i].x:view(-1):narrow(1, first, count)
            if r == 0 then mine = part:clone() else dist.send(part, group.ranks[r + 1]) end
         elseif count > 0 and r == group.at then
            mine = dist.recv(torch.Tensor():type(head.type):resize(count), group.ranks[1])
         end
      end
      if mine then put(self.own, head.path, mine) end
   end
   dist.barrier(o)
end

function ShardedOptim:__init(options)
   if type(options) ~= 'table' then arg.refuse(WHO, 'options', 'a table', options, 3) end
   self.number = agree.number(WHO, options.group, 4)
   local method
   local ok, why = pcall(function()
      method = need_method(options)
      self.x, self.g = vectors.of(WHO, options, 0, true, self.number)
   end)
   agree.well(WHO, self.number, ok, why)
   local group = agree.group(self.number)
   self.model = options.model
   self.method, self.config, self.op = method, options.config or {}, options.op or 'mean'
   self.n = self.x:nElement()
   self.most, self.shard = vectors.shards(self.n, group.n)
   self.first, self.count = self.shard(group.at)
   self.steps, self.own = 0, {}
   agree.same(WHO, self.number, { { 'the number of parameters', self.n }, { 'the type', self.x:type() },
      { 'the method or its config', digest(method, self.config) }, { 'op', self.op },
      { 'having a state', options.state and 1 or 0 } })
   if self.n > 0 then dist.broadcast(self.x, 0, agree.options(self.number)) end
   if options.state then share_out(self, options.state) end
end

-- ---- steps -------------------------------------------------------------------------------------------------------------------

-- The options for this rank's part.
local function config_of(self)
   local config = {}
   for name, v in pairs(self.config) do
      if torch.isTensor(v) and v:nElement() == self.n then v = v:contiguous():view(-1):narrow(1, self.first, self.count) end
      config[name] = v
   end
   return config
end

-- Applies the method to this rank's part of the parameters, whose gradient is g.
local function update(self, x, g, value)
   local before, asked = x:clone(), 0
   local ok, why = pcall(self.method, function(at)
      asked = asked + 1
      if asked > 1 or not torch.isTensor(at) or at:nElement() ~= self.count or at:ne(before):sum() > 0 then
         error('the method must ask for one gradient in a step, that of the parameters as they are', 0)
      end
      return value, g
   end, x, config_of(self), self.own)
   if ok and asked == 0 then ok, why = false, 'the method has not asked for the gradient' end
   return ok, why, before
end

-- Reduces and scatters the gradients, and gathers the updated parameters.
local function exchange(self, value)
   local group, o = agree.group(self.number), agree.options(self.number)
   local g = dist.reducescatter(vectors.padded(self.g, self.most * group.n), self.op, o)
   local x = self.count > 0 and self.x:narrow(1, self.first, self.count) or self.x.new()
   local ok, why, before = true, nil, nil
   if self.count > 0 then ok, why, before = update(self, x, g:narrow(1, 1, self.count), value) end
   local fine, text = pcall(agree.well, WHO, self.number, ok, why)
   if not fine then
      if before then x:copy(before) end
      self.failed = tostring(text)
      error(text, 0)
   end
   local all = dist.allgather(vectors.padded(x, self.most), o)
   self.x:copy(all:view(-1):narrow(1, 1, self.n))
end

--- Takes a step with the gradient of this rank. `f`, if given, is called first and must compute it.
-- step returns what f returns, and its first value is the loss that the method sees. All ranks call
-- it.
function ShardedOptim:step(f)
   if self.failed then error(('%s: an earlier update failed: %s'):format(WHO, self.failed), 2) end
   if f ~= nil and not arg.is_callable(f) then arg.refuse('step', 'argument 1', 'a function', f) end
   local function results(ok, ...) return ok, select('#', ...), { ... } end
   local ok, n, values = true, 0, {}
   if f then ok, n, values = results(pcall(f)) end
   local why = values[1]
   if ok and not vectors.finite(self.g) then
      ok, why = false, ('%s: the gradient of step %d is not finite'):format(WHO, self.steps + 1)
   end
   agree.well(WHO, self.number, ok, why)
   if self.model then scales.same(self.model, agree.options(self.number)) end
   if self.n > 0 then exchange(self, type(values[1]) == 'number' and values[1] or 0) end
   self.steps = self.steps + 1
   if n > 0 then return unpack(values, 1, n) end
end

--- What dist.commit needs to continue with the option `state` on any number of ranks. The first
-- rank gets the state of all, the others the number of steps. It does not contain the parameters.
-- All ranks call it.
function ShardedOptim:state()
   if self.failed then error(('%s: an earlier update failed: %s'):format(WHO, self.failed), 2) end
   local group, list = agree.group(self.number), {}
   local rest = tensors_of(self.own, list, {})
   local ok, why = pcall(need_vectors, list, self.count)
   local heads = {}
   for i, entry in ipairs(list) do heads[i] = { path = entry.path, type = entry.type } end
   heads = agree.value(self.number, 0, heads)
   if ok and self.count > 0 then
      local same = #heads == #list
      for i, head in ipairs(heads) do
         same = same and text_of(head.path) == text_of(list[i].path) and head.type == list[i].type
      end
      if not same then ok, why = false, WHO .. ': the method keeps other tensors than on the first rank' end
   end
   agree.well(WHO, self.number, ok, why)
   local state = { n = self.n, type = self.x:type(), steps = self.steps }
   for i, head in ipairs(heads) do
      local whole = group.at == 0 and torch.Tensor():type(head.type):resize(self.n)
      for r = 0, group.n - 1 do
         local first, count = self.shard(r)
         if count > 0 and group.at == 0 then
            local part = whole:narrow(1, first, count)
            if r == 0 then part:copy(list[i].x) else dist.recv(part, group.ranks[r + 1]) end
         elseif count > 0 and r == group.at then
            dist.send(list[i].x, group.ranks[1])
         end
      end
      if whole then put(rest, head.path, whole) end
   end
   if group.at == 0 then state.own = rest end
   dist.barrier(agree.options(self.number))
   return state
end

--- Refuses, because a file must hold what state() returns.
function ShardedOptim.write() error(WHO .. ': save what state() returns instead', 0) end

function ShardedOptim:__tostring__()
   return ('dist.ShardedOptim(%d parameters, part %d of %d)'):format(self.n, agree.group(self.number).at + 1,
      agree.group(self.number).n)
end

return ShardedOptim
