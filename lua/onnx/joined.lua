-- lua/onnx/joined.lua - products of one value with several constant matrices become one product,
-- whose columns are their results: the queries, keys and values of attention.
--
-- The results are views of one matrix, with gaps between their rows. So each result must have no
-- users but Reshape, which splits the columns into heads without a copy, and Shape.
local layout = require 'onnx.layout'
local node_class = require 'onnx.node'
local optimise = require 'onnx.optimise'
local registry = require 'onnx.registry'
local types = require 'onnx.types'

local M = {}

local reads = { Reshape = true, Shape = true }

local function constant(graph, slot) return slot and not graph.changeable[slot]
   and graph.constants[slot] or nil end

local function has_rank(t, rank)
   return t ~= nil and types.is_tensor(t) and types.rank(t) == rank
end

-- Whether a node is a product that can become columns of another one.
local function can_join(graph, n)
   local is_plain = n.op == 'MatMul' and n.domain == '' and n.definition == registry.find 'MatMul'
      and n.types[1] == 'float' and not n.parts and not n.inputs[4]
      and (not n.fused or n.fused.act == 'none')
   return is_plain and has_rank(constant(graph, n.inputs[2]), 2)
      and not constant(graph, n.inputs[1])
      and (not n.inputs[3] or has_rank(constant(graph, n.inputs[3]), 1))
end

-- The slots that a node other than Reshape, which splits its first input, or Shape reads.
local function read_whole(graph)
   local set = {}
   for _, n in ipairs(graph.nodes) do
      local is_view = reads[n.op] and n.domain == '' and n.definition == registry.find(n.op)
      for k = 1, n.count do
         local slot = n.inputs[k]
         if slot and not (is_view and k == 1) then set[slot] = true end
      end
      for _, entry in ipairs(n.graphs or {}) do
         for _, c in ipairs(entry.graph.captures) do set[c.outer] = true end
      end
   end
   return set
end

-- Lists of nodes with one first input, each in order.
local function groups_of(graph)
   local whole, groups, order = read_whole(graph), {}, {}
   for _, n in ipairs(graph.nodes) do
      if can_join(graph, n) and not whole[n.results[1]]
         and not optimise.is_output(graph, n.results[1]) then
         local key = ('%d %s %d'):format(n.inputs[1], n.inputs[3] and 'bias' or '',
            types.size(graph.constants[n.inputs[2]], 1))
         if not groups[key] then
            groups[key] = {}
            order[#order + 1] = groups[key]
         end
         table.insert(groups[key], n)
      end
   end
   return order
end

-- The node for a list of products.
local function join(graph, list)
   local first = list[1]
   local members, results, names, wanted = {}, {}, {}, {}
   for i, n in ipairs(list) do
      members[i] = { slot = n.inputs[2], weight = graph.constants[n.inputs[2]],
         bias = constant(graph, n.inputs[3]) }
      results[i], names[i], wanted[i] = n.results[1], 'float', true
   end
   return node_class.new { op = 'MatMul', name = first.name, domain = '', attr = {},
      attr_types = {}, attr_kinds = {}, version = first.version, inputs = { first.inputs[1] },
      types = { 'float' }, count = 1, outputs = #list, wanted = wanted, out_types = names,
      results = results, members = members, merged = (' of %d products'):format(#list),
      definition = require('onnx.ops.product').joined }
end

--- Joins the products of a graph in place, where they are computed by packed matrices.
function M.graph(graph)
   if not layout.is_quick() then return end
   local instead, gone = {}, {}
   for _, list in ipairs(groups_of(graph)) do
      if #list > 1 then
         for _, n in ipairs(list) do gone[n] = true end
         instead[list[1]] = join(graph, list)
      end
   end
   node_class.replace(graph, gone, instead)
end

return M
