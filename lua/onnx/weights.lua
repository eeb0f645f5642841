-- lua/onnx/weights.lua - weights that never change: kept once, in the layout that an engine reads.
--
-- Convolutions read weights in another layout than files have. A keeper holds them in that layout
-- from the first run on, and their other pages are freed. They are read from the file again where a
-- run with other sizes, or net(), needs them.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local source = require 'feed.source'
local graph_module = require 'onnx.graph'
local plan = require 'onnx.plan'
local types = require 'onnx.types'
local C = lib.C

local M = {}

local Weights = {}
Weights.__index = Weights

--- The weights of one tensor.
-- @param read  function(t), which writes the numbers to tensor t again; nil: they are never dropped
function M.new(tensor, read)
   return setmetatable({ tensor = tensor, read = read, dropped = false, single = false }, Weights)
end

-- Frees the pages of the numbers.
function Weights:drop()
   C.th_memory_discard(self.tensor)
   self.dropped = true
   if self.keeper then C.th_conv_keeper_gone(self.keeper, 1) end
end

--- Writes the numbers again, if they were dropped. An error if the file has changed.
function Weights:restore()
   if not self.dropped then return end
   self.read(self.tensor)
   self.dropped = false
   if self.keeper then C.th_conv_keeper_gone(self.keeper, 0) end
end

-- Calls run(call) while the keeper of the weights holds what it makes of them.
local function kept(self, run, call)
   if not self.keeper then
      self:restore()
      local keeper = C.th_conv_keeper_new()
      if keeper == nil then error('no memory for weights', 0) end
      self.keeper = ffi.gc(keeper, C.th_conv_keeper_free)
   end
   local before = C.th_conv_keep(self.keeper)
   local ok, y = pcall(run, call)
   C.th_conv_keep(before)
   return ok, y
end

--- run(call), a call of conv2d_fused of node n whose kernels are these weights. Its workspace lies
-- in a buffer of the node's plan. While the plan is recorded, n.workspace becomes the bytes of it.
function Weights:run(run, call, n)
   local room = n.buffers and n.buffers.workspace
   if room then C.th_scratch_lend(room:data(), room:bytes()) else C.th_scratch_lend(nil, 0) end
   local ok, y = kept(self, run, call)
   if not ok and self.dropped and C.th_conv_keeper_missed(self.keeper) ~= 0 then
      self:restore()
      ok, y = kept(self, run, call)
   end
   n.workspace = tonumber(C.th_scratch_lent())
   if not ok then error(y, 0) end
   if self.single and not self.dropped and C.th_conv_keeper_sufficed(self.keeper) ~= 0 then
      self:drop()
   end
   return y
end

-- ---- of a graph ---------------------------------------------------------------------------------

-- A function that reads a tensor from its place in a file.
local function reader(origin)
   return function(t)
      source.unchanged(origin.source)
      source.read(origin.source, t:data(), t:bytes(), origin.place)
   end
end

-- Code that LuaJIT has compiled keeps the functions that it calls. So functions that loops over
-- nodes call get the graph as an argument: as an upvalue it would never be freed.

local function count_use(uses, graph, slot)
   local t = slot and graph.constants[slot]
   local a = t ~= nil and types.is_tensor(t) and plan.address(t)
   if a then uses[a] = (uses[a] or 0) + 1 end
end

-- How often nodes and outputs use each storage.
local function uses_of(graph)
   local uses = {}
   for _, n in ipairs(graph.nodes) do
      for k = 1, n.count do count_use(uses, graph, n.inputs[k]) end
      for _, m in ipairs(n.members or {}) do count_use(uses, graph, m.slot) end
   end
   for _, o in ipairs(graph.outputs) do count_use(uses, graph, o.slot) end
   return uses
end

local function has_subgraphs(graph)
   for _, n in ipairs(graph.nodes) do if n.graphs and #n.graphs > 0 then return true end end
   return false
end

-- The weights of a slot. alone: no subgraph may use them too.
local function weights_of(graph, uses, alone, slot)
   local t = graph.constants[slot]
   local a = types.is_tensor(t) and plan.address(t)
   if not a then return nil end
   local origin, all = graph.origins[a], graph.weights
   local w = all[a] or M.new(t, origin and reader(origin))
   w.single = alone and uses[a] == 1 and w.read ~= nil and t:isContiguous()
   all[a] = w
   return w
end

-- Floats that were left for later are as if they had been dropped, where Weights alone read them.
-- Others are read now.
local function claim_unread(graph)
   for a, origin in pairs(graph.origins) do
      local w = graph.weights[a]
      if origin.pending and w and w.single then
         w.dropped, origin.pending = true, nil
      end
   end
   graph_module.read_all(graph)
end

--- Gives nodes with constant weights n.weights. graph.weights has all of them, by storage.
function M.prepare(graph)
   local uses, alone = uses_of(graph), not has_subgraphs(graph)
   graph.weights = {}
   for _, n in ipairs(graph.nodes) do
      if n.definition.weighs and n.fixed[2] then
         n.weights = weights_of(graph, uses, alone, n.inputs[2])
      end
      for _, m in ipairs(n.members or {}) do
         m.weights = weights_of(graph, uses, alone, m.slot)
      end
   end
   claim_unread(graph)
end

--- The constant of a slot became t, which is the tensor `old` times a factor.
function M.scaled(graph, slot, t, old, factor)
   local before = graph.weights[plan.address(old) or 0]
   if not before then return end
   local w = M.new(t, before.read and function(to)
      before.read(to)
      torch.cmul(to, to, factor)
   end)
   w.single = before.single
   graph.weights[plan.address(t)] = w
   for _, n in ipairs(graph.nodes) do
      if n.weights == before and n.inputs[2] == slot then n.weights = w end
   end
   if before.single then before:drop() end
end

--- The weights of products that became the columns of one matrix.
-- @param members  a list of { weight = tensor, weights = Weights or nil }
function M.joined(matrix, members)
   local all, parts = true, {}
   for i, m in ipairs(members) do
      all, parts[i] = all and m.weights ~= nil and m.weights.single, m.weight
   end
   local w = M.new(matrix, all and function(to)
      for _, m in ipairs(members) do m.weights:restore() end
      torch.cat(to, parts, 2)
      for _, m in ipairs(members) do m.weights:drop() end
   end)
   w.single = all
   for _, m in ipairs(all and members or {}) do m.weights:drop() end
   return w
end

return M
