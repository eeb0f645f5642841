-- lua/onnx/patterns.lua - finds groups of nodes that one kernel computes, and replaces each group
-- by one node.
--
-- A matcher looks at a node and walks back through the nodes that make its inputs. It takes the
-- nodes of its pattern into a list. The group is replaced if no node outside of it uses a value
-- inside of it. Sizes are unknown when a model is loaded, so the new node compares them when it
-- runs; where they do not fit its kernel, it runs the nodes of the group (lua/onnx/fused.lua).
local fused = require 'onnx.fused'
local node_class = require 'onnx.node'
local run = require 'onnx.run'
local types = require 'onnx.types'

local M = {}

local MOST_FACTORS = 8

-- ---- walking back -------------------------------------------------------------------------------

-- The state of one attempt: the graph, how often each slot is used, the nodes that make and use it,
-- and the nodes taken so far.
local Match = {}
Match.__index = Match

function Match:take(n)
   if self.taken[n] then return end
   self.taken[n] = true
   self.order[#self.order + 1] = n
end

-- The result of f(...) if that is not false or nil; else what f has taken is given back.
function Match:try(f, a, b, c)
   local count, rank = #self.order, self.rank
   local x, y = f(self, a, b, c)
   if x then return x, y end
   for i = #self.order, count + 1, -1 do self.taken[self.order[i]], self.order[i] = nil, nil end
   self.rank = rank
end

-- The value of a slot that never changes, or nil.
function Match:constant(slot)
   local graph = self.graph
   return slot and not graph.changeable[slot] and graph.constants[slot] or nil
end

-- A constant with one element as a number, or nil. The largest rank of these is kept: a result has
-- at least that many dimensions.
function Match:number(slot)
   local t = self:constant(slot)
   if t == nil or not types.is_tensor(t) or t:nElement() ~= 1 then return nil end
   self.rank = math.max(self.rank, types.rank(t))
   return types.number(t)
end

-- The node that makes a slot, if its op is one of a list; it is taken.
function Match:made(slot, ops)
   local n = slot and self.maker[slot]
   if not n or n.domain ~= '' or n.graphs or n.parts then return nil end
   for _, op in ipairs(ops) do
      if n.op == op then
         self:take(n)
         return n
      end
   end
end

-- The other input of a node that has one made by a list of ops: that node and the slot of the other
-- input.
function Match:beside(n, ops)
   for k = 1, 2 do
      local maker = self:made(n.inputs[k], ops)
      if maker then return maker, n.inputs[3 - k] end
   end
end

-- The slot beside a number of a node of two inputs, and the number.
function Match:with_number(n)
   for k = 2, 1, -1 do
      local v = self:number(n.inputs[k])
      if v then return n.inputs[3 - k], v end
   end
end

local function near(v, w) return v ~= nil and math.abs(v - w) <= 1e-6 * math.abs(w) end

-- Appends the factors of a product to a list and returns the product of its constants. Products
-- inside of it that have one use belong to it; Pow with exponents 2 and 3 repeats its base.
function Match:factors(slot, list, root)
   local n = self.maker[slot]
   local inner = n and n.domain == '' and not n.parts and (slot == root or self.uses[slot] == 1)
      and #list < MOST_FACTORS
   if inner and n.op == 'Mul' or inner and n.op == 'Div' and self:number(n.inputs[2]) then
      self:take(n)
      local v = self:number(n.inputs[2])
      if v then return self:factors(n.inputs[1], list) * (n.op == 'Mul' and v or 1 / v) end
      v = self:number(n.inputs[1])
      if v then return self:factors(n.inputs[2], list) * v end
      return self:factors(n.inputs[1], list) * self:factors(n.inputs[2], list)
   end
   local power = inner and n.op == 'Pow' and self:number(n.inputs[2])
   if power == 2 or power == 3 then
      self:take(n)
      for _ = 1, power do list[#list + 1] = n.inputs[1] end
      return 1
   end
   list[#list + 1] = slot
   return 1
end

local function same_slots(list, slot, count)
   if #list ~= count then return false end
   for _, v in ipairs(list) do if v ~= slot then return false end end
   return true
end

-- ---- normalization of layers --------------------------------------------------------------------

-- The input and the axes of a mean that keeps its dimensions.
local function mean_of(m, slot)
   local n = m:made(slot, { 'ReduceMean' })
   if not n or (n.attr.keepdims or 1) == 0 then return nil end
   local axes = n.attr.axes
   if n.version >= 18 then
      local t = m:constant(n.inputs[2])
      axes = t and types.numbers(t)
   end
   if not axes or #axes == 0 then return nil end
   axes = { unpack(axes) }
   table.sort(axes)
   for i = 2, #axes do if axes[i] ~= axes[1] + i - 1 then return nil end end
   if axes[1] < 0 and axes[#axes] ~= -1 then return nil end
   return n.inputs[1], axes
end

local function same_axes(a, b) return a and b and #a == #b and a[1] == b[1] end

-- The input and the axes of x - mean(x).
local function deviation_of(m, slot)
   local n = m:made(slot, { 'Sub' })
   if not n then return nil end
   local x, axes = mean_of(m, n.inputs[2])
   if x and x == n.inputs[1] then return x, axes end
end

-- The deviation and the slot of sqrt(var + eps) of a node that divides the one by the other.
local function quotient(m, n)
   if n.op == 'Div' then
      local root = m:made(n.inputs[2], { 'Sqrt' })
      return root and n.inputs[1], root
   end
   local inverse, deviation = m:beside(n, { 'Reciprocal', 'Div' })
   if not inverse or inverse.op == 'Div' and m:number(inverse.inputs[1]) ~= 1 then return nil end
   local root = m:made(inverse.inputs[inverse.op == 'Div' and 2 or 1], { 'Sqrt' })
   return root and deviation, root
end

-- The node behind a node, if it alone uses its result and has one of the ops; with a constant that
-- fits rows of the last `count` dimensions as its other input.
local function scaled_by(m, n, op, count)
   local slot = n.results[1]
   local user = m.uses[slot] == 1 and m.user[slot]
   if not user or user.op ~= op or user.domain ~= '' or user.version < 7 then return nil end
   local other = user.inputs[user.inputs[1] == slot and 2 or 1]
   local t = m:constant(other)
   if t == nil or not types.is_tensor(t) or t:nElement() < 2 then return nil end
   local shape = types.shape(t)
   for d = 1, #shape - count do if shape[d] ~= 1 then return nil end end
   if #shape < count then return nil end
   m:take(user)
   m.rank = math.max(m.rank, #shape)
   return user, other
end

-- (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps), and a scale and a bias behind it.
local function layer_norm(m, n)
   local deviation, root = quotient(m, n)
   if not root then return nil end
   local x, axes = deviation_of(m, deviation)
   local sum = x and m:made(root.inputs[1], { 'Add' })
   if not sum then return nil end
   local variance, eps = m:with_number(sum)
   local square, axes2 = mean_of(m, variance)
   local power = square and same_axes(axes, axes2) and m:made(square, { 'Pow', 'Mul' })
   if not power or eps < 0 then return nil end
   local is_square = power.op == 'Mul' and power.inputs[1] == power.inputs[2]
      or power.op == 'Pow' and m:number(power.inputs[2]) == 2
   local x2, axes3 = deviation_of(m, power.inputs[1])
   if not is_square or x2 ~= x or not same_axes(axes, axes3) then return nil end
   local last, inputs = n, { x }
   local scale, w = scaled_by(m, n, 'Mul', #axes)
   if scale then
      last, inputs[2] = scale, w
      local bias, b = scaled_by(m, scale, 'Add', #axes)
      if bias then last, inputs[3] = bias, b end
   end
   return { op = 'LayerNormalization', root = last, inputs = inputs, definition = fused.layer_norm,
      attr = { count = #axes, rank = axes[1] >= 0 and axes[#axes] + 1 or nil, epsilon = eps } }
end

-- ---- activations --------------------------------------------------------------------------------

-- Whether z, a product, is sqrt(2 / pi) (x + 0.044715 x^3).
local function is_cubic(m, z, x)
   local list = {}
   local c = m:factors(z, list, z)
   if not near(c, math.sqrt(2 / math.pi)) then return false end
   local other
   if #list == 1 then other = list[1]                         -- c (x + 0.044715 x x x)
   elseif #list == 2 and list[1] == x then other = list[2]    -- c x (1 + 0.044715 x x)
   elseif #list == 2 and list[2] == x then other = list[1]
   else return false end
   local sum = m:made(other, { 'Add' })
   if not sum then return false end
   for k = 1, 2 do
      local a, b, parts = sum.inputs[k], sum.inputs[3 - k], {}
      if #list == 1 and a == x or #list == 2 and m:number(a) == 1 then
         return near(m:factors(b, parts, b), 0.044715) and same_slots(parts, x, 4 - #list)
      end
   end
   return false
end

-- What x f(x) c is, f a node, or nil.
local gates = {}

function gates.Sigmoid(_, f, x, c) return c == 1 and f.inputs[1] == x and 'Swish' end

function gates.Tanh(m, f, x, c)
   local soft = c == 1 and m:made(f.inputs[1], { 'Softplus' })
   return soft and soft.inputs[1] == x and 'Mish'
end

function gates.HardSigmoid(_, f, x, c)
   return c == 1 and f.inputs[1] == x and near(f.attr.alpha, 1 / 6) and (f.attr.beta or 0.5) == 0.5
      and 'HardSwish'
end

function gates.Clip(m, f, x, c)
   local low, high = f.attr.min, f.attr.max
   if f.version >= 11 then low, high = m:number(f.inputs[2]), m:number(f.inputs[3]) end
   local sum = near(c, 1 / 6) and low == 0 and high == 6 and m:made(f.inputs[1], { 'Add' })
   if not sum then return nil end
   local from, three = m:with_number(sum)
   return from == x and three == 3 and 'HardSwish'
end

function gates.Add(m, f, x, c)
   local inner, one = m:beside(f, { 'Erf', 'Tanh' })
   if c ~= 0.5 or not inner or m:number(one) ~= 1 then return nil end
   local z = inner.inputs[1]
   if inner.op == 'Tanh' then return is_cubic(m, z, x) and 'GeluTanh' end
   local factors = {}
   return near(m:factors(z, factors, z), math.sqrt(0.5)) and same_slots(factors, x, 1) and 'Gelu'
end

local gate_ops = { 'Add', 'Sigmoid', 'Clip', 'Tanh', 'HardSigmoid' }

local function gate_of(m, slot, x, c)
   local f = m:made(slot, gate_ops)
   return f and gates[f.op](m, f, x, c)
end

-- A product of x and a function of x: GELU by erf and by tanh, SiLU, Mish, Hardswish.
local function gated(m, n)
   local list = {}
   local c = m:factors(n.results[1], list, n.results[1])
   if #list ~= 2 then return nil end
   for k = 2, 1, -1 do
      local x = list[3 - k]
      local op = m:try(gate_of, list[k], x, c)
      if op then return { op = op, root = n, inputs = { x }, definition = fused[op], attr = {} } end
   end
end

-- ---- attention ----------------------------------------------------------------------------------

local keeps_sizes = { Sqrt = true, Div = true, Mul = true, Cast = true, Slice = true, Gather = true,
   Squeeze = true, Unsqueeze = true, Reciprocal = true, Pow = true, Add = true, Sub = true,
   Neg = true, Reshape = true, Concat = true, Identity = true }

-- Whether a value depends on sizes alone, as the scale 1 / sqrt(d) that TorchScript's exporter
-- computes from Shape.
local function is_of_sizes(m, slot, depth)
   if m:constant(slot) ~= nil then return true end
   local n = m.maker[slot]
   if not n or n.domain ~= '' or depth > 8 then return false end
   if n.op == 'Shape' or n.op == 'Size' then return true end
   if not keeps_sizes[n.op] then return false end
   for k = 1, n.count do
      if n.inputs[k] and not is_of_sizes(m, n.inputs[k], depth + 1) then return false end
   end
   return true
end

-- A slot without the scale that it is multiplied with: constants join state.scale, values from
-- sizes state.scales.
local function unscaled(m, slot, state)
   local n = m.maker[slot]
   local is_scaled = n and n.domain == '' and not n.parts and m.uses[slot] == 1
      and (n.op == 'Mul' or n.op == 'Div')
   if not is_scaled then return slot end
   for k = 2, n.op == 'Mul' and 1 or 2, -1 do
      local from, v = n.inputs[k], m:number(n.inputs[k])
      local is_size = not v and m:constant(from) == nil and #state.scales < 2
         and is_of_sizes(m, from, 1)
      if v and v ~= 0 then
         state.scale = state.scale * (n.op == 'Mul' and v or 1 / v)
      elseif is_size then
         state.scales[#state.scales + 1] = from
         state.divides[#state.scales] = n.op == 'Div'
      end
      if v and v ~= 0 or is_size then
         m:take(n)
         return unscaled(m, n.inputs[3 - k], state)
      end
   end
   return slot
end

local function new_state() return { scale = 1, scales = {}, divides = {} } end

-- The product of queries and keys below a slot of scores, a MatMul behind which scales may lie, and
-- the scales.
local function product_of(m, slot)
   local state = new_state()
   local from = unscaled(m, slot, state)
   local product = m.uses[from] == 1 and m:made(from, { 'MatMul' })
   return product, state
end

-- The same below a mask that is added to the scores, or a Where that hides scores.
local function masked_product(m, slot)
   local product, state = m:try(product_of, slot)
   if product then return product, state end
   local n = m.uses[slot] == 1 and m:made(slot, { 'Add', 'Where' })
   if not n then return nil end
   local first = n.op == 'Add' and 1 or 2
   -- Where(condition, fill, scores), or the other way
   for k = first, first + 1 do
      local other = n.inputs[2 * first + 1 - k]
      local fill = n.op == 'Where' and m:number(other)
      if fill or n.op == 'Add' then product, state = m:try(product_of, n.inputs[k]) end
      if product then
         state.mask = other
         if fill then state.mask, state.fill, state.kept = n.inputs[1], fill, k == 2 end
         return product, state
      end
   end
end

-- Softmax along the last dimension, and whether NaN of it becomes 0.
local function softmax_of(m, slot)
   local n = m:made(slot, { 'Softmax', 'Where' })
   local safe = false
   if n and n.op == 'Where' then
      local test = m:made(n.inputs[1], { 'IsNaN' })
      if not test or m:number(n.inputs[2]) ~= 0 or test.inputs[1] ~= n.inputs[3] then return nil end
      n, safe = m:made(n.inputs[3], { 'Softmax' }), true
   end
   local axis = n and (n.attr.axis or n.version >= 13 and -1 or 1)
   if not n or axis ~= -1 and axis ~= 2 and axis ~= 3 then return nil end
   return n, axis, safe
end

-- Whether a Transpose that puts the heads behind the steps is the only user of a value.
local function joins_heads(m, slot)
   local user = m.uses[slot] == 1 and m.user[slot]
   local order = user and user.op == 'Transpose' and user.domain == '' and user.attr.perm
   return order and #order == 4 and order[1] == 0 and order[2] == 2 and order[3] == 1
end

-- softmax(scale q k' + mask) v. The keys are taken as the second input of their product, transposed
-- as it is.
local function attention(m, n)
   local soft, axis, safe = softmax_of(m, n.inputs[1])
   if not soft then return nil end
   local product, state = masked_product(m, soft.inputs[1])
   if not product then return nil end
   local q, k = unscaled(m, product.inputs[1], state), unscaled(m, product.inputs[2], state)
   local mask, causal = state.mask and m:constant(state.mask), nil
   if mask and not state.fill then causal = fused.is_causal(mask) or false end
   local inputs = { q, k, n.inputs[2], state.mask or false, unpack(state.scales) }
   return { op = 'Attention', root = n, inputs = inputs, definition = fused.attention,
      attr = { scale = state.scale, divides = state.divides, safe = safe,
         rank = axis >= 0 and axis + 1 or nil, fill = state.fill, kept = state.kept,
         causal = causal, joins = joins_heads(m, n.results[1]) } }
end

-- ---- replacement --------------------------------------------------------------------------------

-- Whether no node outside of the group uses a value inside of it, and none of the group makes an
-- input of the new node.
local function is_closed(m, root, inputs)
   local inside = {}
   for _, slot in ipairs(inputs) do
      if slot and m.taken[m.maker[slot]] then return false end
   end
   for n in pairs(m.taken) do
      for k = 1, n.count do
         local slot = n.inputs[k]
         if slot then inside[slot] = (inside[slot] or 0) + 1 end
      end
   end
   for n in pairs(m.taken) do
      for _, slot in ipairs(n.results) do
         if n ~= root and slot and (m.uses[slot] or 0) ~= (inside[slot] or 0) then return false end
      end
      if #n.results ~= 1 or not n.results[1] then return false end
   end
   return true
end

-- The nodes of a group, as a graph that runs alone.
local function group_of(m, root)
   local graph = m.graph
   local group = { nodes = {}, constants = {}, changeable = graph.changeable,
      outputs = { { slot = root.results[1] } } }
   for _, n in ipairs(graph.nodes) do
      if m.taken[n] then
         group.nodes[#group.nodes + 1] = n
         for k = 1, n.count do
            local value = n.inputs[k] and m:constant(n.inputs[k])
            if value ~= nil then group.constants[n.inputs[k]] = value end
         end
      end
   end
   return run.prepare(group)
end

-- The node that stands for a group.
local function fuse(m, found)
   local root, graph = found.root, m.graph
   local name = root.out_types[1]
   local group = group_of(m, root)
   local n = node_class.new { op = found.op, name = root.name, domain = '', attr = found.attr,
      attr_types = {}, attr_kinds = {}, version = root.version, definition = found.definition,
      inputs = found.inputs, types = {}, count = #found.inputs, outputs = 1, wanted = { true },
      out_types = { name, name, name }, results = { root.results[1] }, parts = group,
      least_rank = m.rank, merged = (' of %d nodes'):format(#group.nodes) }
   for k, slot in ipairs(found.inputs) do n.types[k] = slot and graph.types[slot] or nil end
   return n
end

-- The node that each slot is an input of; of several, the last one.
local function users(graph)
   local user = {}
   for _, n in ipairs(graph.nodes) do
      for k = 1, n.count do if n.inputs[k] then user[n.inputs[k]] = n end end
   end
   return user
end

-- Replaces what a matcher finds at the nodes with some ops.
local function replace(graph, facts, ops, matcher)
   local uses, maker = facts(graph)
   local user, instead, gone = users(graph), {}, {}
   for _, n in ipairs(graph.nodes) do
      local name = graph.types[n.results[1]]
      if ops[n.op] and n.domain == '' and n.version >= 7 and not n.parts and not gone[n]
         and (name == 'float' or name == 'double') then
         local m = setmetatable({ graph = graph, uses = uses, maker = maker, user = user,
            taken = {}, order = {}, rank = 0 }, Match)
         m:take(n)
         local found = matcher(m, n)
         local fits = found and is_closed(m, found.root, found.inputs)
         for part in pairs(m.taken) do fits = fits and not gone[part] end
         if fits then
            local new = fuse(m, found)
            for part in pairs(m.taken) do gone[part] = true end
            instead[found.root], maker[new.results[1]] = new, new
         end
      end
   end
   node_class.replace(graph, gone, instead)
end

--- Replaces the patterns in a graph: normalization of layers, GELU, SiLU, Mish and Hardswish, and
-- attention.
-- @param facts  function(graph): how often each slot is used, and the node that makes it
function M.apply(graph, facts)
   replace(graph, facts, { Div = true, Mul = true }, layer_norm)
   replace(graph, facts, { Div = true, Mul = true }, gated)
   replace(graph, facts, { MatMul = true }, attention)
end

return M
