-- lua/onnx/ops/control.lua - conditions and loops: ops that run graphs.
local torch = require 'torch'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

-- ---- If ------------------------------------------------------------------------------------------------------------

registry.add('If', {
   types = function(n)
      local list = {}
      for i = 1, n.outputs do
         local a, b = n.attr.then_branch.outputs[i], n.attr.else_branch.outputs[i]
         if not a or not b then error('its branches must have as many outputs as the node', 0) end
         list[i] = a.type or b.type
         if b.type and b.type:sub(1, 9) == 'optional(' then list[i] = b.type end
      end
      return list
   end,
   run = function(n, condition)
      local branch = types.number(condition) ~= 0 and n.attr.then_branch or n.attr.else_branch
      return unpack(branch:run {}, 1, n.outputs)
   end,
})

-- ---- Loop ----------------------------------------------------------------------------------------------------------

-- The trip count that torch.onnx gives a `while`, which its condition ends.
local ENDLESS = 2 ^ 63

local TOO_MANY = 'a Loop may take %d turns (onnx.maxTurns), it wants %s'

-- Results of all turns as one tensor, with a new first dimension.
local function stack(list, name, like)
   if #list == 0 then
      local shape = { 0 }
      for d = 2, like and #like + 1 or 1 do shape[d] = type(like[d - 1]) == 'number' and like[d - 1] or 0 end
      return types.empty(name, shape)
   end
   if name == 'string' then
      local y = { shape = { #list } }
      for d, size in ipairs(types.shape(list[1])) do y.shape[d + 1] = size end
      for _, t in ipairs(list) do for _, text in ipairs(t) do y[#y + 1] = text end end
      return y
   end
   local rows = {}
   for i, t in ipairs(list) do
      local shape = types.shape(t)
      table.insert(shape, 1, 1)
      rows[i] = types.view(t, shape)
   end
   if rows[1]:nElement() == 0 then
      local shape = types.shape(rows[1])
      shape[1] = #rows
      return types.empty(name, shape)
   end
   return torch.cat(rows, 1)
end

registry.add('Loop', {
   graph_types = function(n)
      local list = { 'int64', 'bool' }
      for k = 3, n.count do list[k] = n.types[k] end
      return list
   end,
   types = function(n)
      local list = {}
      for i = 1, n.outputs do
         local o = n.attr.body.outputs[i + 1] or error('its body must have an output more than the node', 0)
         list[i] = o.type
      end
      return list
   end,
   run = function(n, limit, condition, ...)
      local body, carried, states = n.attr.body, { ... }, n.count - 2
      local most = limit and types.number(limit) or math.huge
      if most == ENDLESS then most = math.huge end
      local go_on = condition == nil or types.number(condition) ~= 0
      local allowed = registry.most_turns
      if most < math.huge and most > allowed then
         error(TOO_MANY:format(allowed, ('%.0f'):format(most)), 0)
      end
      local rows, turn = {}, 0
      for k = states + 1, n.outputs do rows[k] = {} end
      while go_on and turn < most do
         if turn == allowed then error(TOO_MANY:format(allowed, 'more'), 0) end
         local inputs = { types.scalar('int64', turn), types.scalar('bool', 1) }
         for k = 1, states do inputs[k + 2] = carried[k] end
         local results = body:run(inputs)
         go_on = condition == nil and limit ~= nil or types.number(results[1]) ~= 0
         if condition == nil and limit ~= nil then go_on = types.number(results[1]) ~= 0 end
         for k = 1, states do carried[k] = results[k + 1] end
         for k = states + 1, n.outputs do table.insert(rows[k], results[k + 1]) end
         turn = turn + 1
      end
      for k = states + 1, n.outputs do carried[k] = stack(rows[k], n.out_types[k], body.outputs[k + 1].shape) end
      return unpack(carried, 1, n.outputs)
   end,
})

-- ---- Scan ----------------------------------------------------------------------------------------------------------

local function flag(list, k) return list and list[k] == 1 end

-- One sample: states and sequences to final states and stacked results.
local function scan(n, body, states, sequences, outputs)
   local count, dims = nil, {}
   for k, t in ipairs(sequences) do
      dims[k] = types.dim((n.attr.scan_input_axes or {})[k] or 0, types.rank(t))
      local size = types.size(t, dims[k])
      if count and size ~= count then error(('its sequences have the lengths %d and %d'):format(count, size), 0) end
      count = size
   end
   local rows = {}
   for k = 1, outputs do rows[k] = {} end
   for turn = 1, count do
      local inputs = {}
      for k, t in ipairs(states) do inputs[k] = t end
      for k, t in ipairs(sequences) do
         local at = flag(n.attr.scan_input_directions or n.attr.directions, k) and count + 1 - turn or turn
         local shape = types.shape(t)
         table.remove(shape, dims[k])
         inputs[#states + k] = types.view(t:narrow(dims[k], at, 1), shape)
      end
      local results = body:run(inputs)
      for k = 1, #states do states[k] = results[k] end
      for k = 1, outputs do
         if flag(n.attr.scan_output_directions, k) then table.insert(rows[k], 1, results[#states + k])
         else rows[k][turn] = results[#states + k] end
      end
   end
   local results = { unpack(states) }
   for k = 1, outputs do
      local y = stack(rows[k], body.outputs[#states + k].type, body.outputs[#states + k].shape)
      local dim = types.dim((n.attr.scan_output_axes or {})[k] or 0, types.rank(y))
      if dim ~= 1 then
         local order = {}
         for d = 1, types.rank(y) do order[d] = d < dim and d + 1 or d == dim and 1 or d end
         y = types.permute(y, order):contiguous()
      end
      results[#states + k] = y
   end
   return results
end

local function scan_types(n)
   local list = {}
   for k = 1, n.count do list[k] = n.types[n.version < 9 and k + 1 or k] end
   return list
end

registry.add('Scan', {
   graph_types = scan_types,
   types = function(n)
      local list = {}
      for i = 1, n.outputs do
         local o = n.attr.body.outputs[i] or error('its body must have as many outputs as the node', 0)
         list[i] = o.type
      end
      return list
   end,
   run = function(n, ...)
      local values = { ... }
      if n.version < 9 then table.remove(values, 1) end        -- lengths of the sequences, which are those of the tensors here
      local total = n.version < 9 and n.count - 1 or n.count
      local many = n.attr.num_scan_inputs
      local first = total - many
      if many < 1 or first < 0 then error(('it has %d inputs, %d of them sequences'):format(total, many), 0) end
      local states, sequences = {}, {}
      for k = 1, first do states[k] = values[k] end
      for k = 1, many do sequences[k] = values[first + k] end
      if n.version >= 9 then return unpack(scan(n, n.attr.body, states, sequences, n.outputs - first), 1, n.outputs) end
      local samples, batch = {}, types.size(sequences[1], 1)
      for b = 1, batch do
         local function pick(list)
            local r = {}
            for k, t in ipairs(list) do
               local shape = types.shape(t)
               table.remove(shape, 1)
               r[k] = types.view(t:narrow(1, b, 1), shape)
            end
            return r
         end
         samples[b] = scan(n, n.attr.body, pick(states), pick(sequences), n.outputs - first)
      end
      local results = {}
      for k = 1, n.outputs do
         local list = {}
         for b = 1, batch do list[b] = samples[b][k] end
         results[k] = stack(list, n.out_types[k])
      end
      return unpack(results, 1, n.outputs)
   end,
})
