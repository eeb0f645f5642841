-- lua/onnx/fuse.lua - convolutions and products of matrices compute what follows them: a bias, an
-- addend, an activation.
--
-- A node that has taken others over has the field n.fused = { act = 'none', 'relu', 'clip' or
-- 'gelu', low, high }. Its third input
-- is the bias and its fourth the addend.
local node_class = require 'onnx.node'
local optimise = require 'onnx.optimise'
local registry = require 'onnx.registry'
local types = require 'onnx.types'

local M = {}

local ADDEND = 4

local function constant(graph, slot) return slot and not graph.changeable[slot]
   and graph.constants[slot] or nil end

local function is_matrix(t) return t ~= nil and types.is_tensor(t) and types.rank(t) == 2 end

-- Whether a node can take others over; each family of ops knows the field n.fused.
local takes = {
   Conv = function(graph, n) return constant(graph, n.inputs[2]) ~= nil end,
   MatMul = function(graph, n) return is_matrix(constant(graph, n.inputs[2])) end,
   Gemm = function(graph, n)
      local a, bias = n.attr, n.inputs[3] and constant(graph, n.inputs[3])
      return is_matrix(constant(graph, n.inputs[2])) and (a.alpha or 1) == 1 and (a.beta or 1) == 1
         and (a.transA or 0) == 0
         and (not n.inputs[3] or bias ~= nil and types.rank(bias) == 1)
   end,
   BatchNormalization = function(_, n) return not n.wanted[2] and (n.attr.training_mode or 0) == 0
      and n.version >= 9 end,
}

-- What an activation does: its name and limits; nil of others.
local acts = {
   Relu = function() return 'relu', 0, 0 end,
   Gelu = function(_, n) if n.attr.approximate ~= 'tanh' then return 'gelu', 0, 0 end end,
   Clip = function(graph, n)
      local low, high = n.attr.min, n.attr.max
      if n.version >= 11 then
         low, high = constant(graph, n.inputs[2]), constant(graph, n.inputs[3])
         if n.inputs[2] and low == nil or n.inputs[3] and high == nil then return nil end
         if low and low:nElement() ~= 1 or high and high:nElement() ~= 1 then return nil end
         low, high = low and types.number(low), high and types.number(high)
      end
      low, high = low or -math.huge, high or math.huge
      if low <= high then return 'clip', low, high end
   end,
}

-- The node that makes a slot, if it can take over the only node that uses it.
local function taker(state, slot)
   local n = slot and state.maker[slot]
   if not n or n.domain ~= '' or n.types[1] ~= 'float' or state.uses[slot] ~= 1
      or optimise.is_output(state.graph, slot)
      or n.results[1] ~= slot then return nil end
   local f = takes[n.op]
   if not f or n.definition ~= registry.find(n.op) or n.fused and n.fused.act ~= 'none'
      or not f(state.graph, n) then return nil end
   return n
end

local function absorb(state, n, into)
   into.fused = into.fused or { act = 'none', low = 0, high = 0 }
   into.results[1] = n.results[1]
   state.maker[n.results[1]], state.gone[n] = into, true
   into.merged = (into.merged or '') .. '+' .. n.op
end

local function take_act(state, n)
   local into = taker(state, n.inputs[1])
   if not into then return false end
   local act, low, high = acts[n.op](state.graph, n)
   if not act then return false end
   absorb(state, n, into)
   into.fused.act, into.fused.low, into.fused.high = act, low, high
   return true
end

-- A vector that is added to the columns of a product.
local function take_bias(state, n)
   for k = 1, 2 do
      local into, bias = taker(state, n.inputs[k]), constant(state.graph, n.inputs[3 - k])
      if into and into.op == 'MatMul' and not into.inputs[3] and not into.inputs[ADDEND]
         and types.is_tensor(bias)
         and types.rank(bias) == 1 and types.size(bias, 1)
            == types.size(state.graph.constants[into.inputs[2]], 2) then
         absorb(state, n, into)
         into.inputs[3], into.types[3], into.count = n.inputs[3 - k], 'float', 3
         return
      end
   end
end

-- The sum of a result and another value that is known before it.
local function take_addend(state, n)
   local best, other
   for k = 1, 2 do
      local into, slot = taker(state, n.inputs[k]), n.inputs[3 - k]
      local before = slot and state.maker[slot]
      if into and into.op ~= 'BatchNormalization' and not into.inputs[ADDEND]
         and constant(state.graph, slot) == nil
         and slot ~= n.inputs[k] and (not before or state.at[before] < state.at[into]) then best,
            other = into, slot end
   end
   if not best then return end
   absorb(state, n, best)
   best.inputs[ADDEND], best.types[ADDEND], best.count, best.over = other, 'float', ADDEND, ADDEND
   for k = 1, ADDEND do best.inputs[k] = best.inputs[k] or false end
end

--- Fuses nodes of a graph in place. Constants of the graph are computed before, and its nodes are
-- in order.
function M.graph(graph)
   local uses, maker = optimise.survey(graph)
   local state = { graph = graph, uses = uses, maker = maker, gone = {}, at = {} }
   for i, n in ipairs(graph.nodes) do state.at[n] = i end
   for _, n in ipairs(graph.nodes) do
      local plain = n.domain == '' and n.types[1] == 'float'
      if plain and acts[n.op] then take_act(state, n)
      elseif plain and (n.op == 'Add' and n.version >= 7 or n.op == 'Sum') and n.count == 2
         and n.types[2] == 'float' then
         take_bias(state, n)
         if not state.gone[n] then take_addend(state, n) end
      end
   end
   node_class.replace(graph, state.gone)
end

return M
