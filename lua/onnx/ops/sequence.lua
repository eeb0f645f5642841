-- lua/onnx/ops/sequence.lua - sequences, which are Lua lists, and optional values.
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local shapes = require 'onnx.ops.shape'

local function inner(name) return name and (types.inner(name) or name) end
local function first_inner(n) return { inner(n.types[1]) } end
local function seq_of_first(n) return { 'seq(' .. (n.types[1] or 'float') .. ')' } end

-- ---- lists ---------------------------------------------------------------------------------------------------------

-- A position from 1 of a scalar that may be negative; `last` is the largest one allowed.
local function position(index, count, last)
   local i = types.number(index)
   if i < -count or i >= last or i ~= math.floor(i) then
      error(('a position must lie in %d..%d, got %s'):format(-count, last - 1, tostring(i)), 0)
   end
   return (i < 0 and i + count or i) + 1
end

local function copy(list)
   local r = {}
   for i = 1, #list do r[i] = list[i] end
   return r
end

registry.add('SequenceConstruct', { types = seq_of_first, run = function(_, ...) return { ... } end })

registry.add('SequenceEmpty', { types = function(n) return { 'seq(' .. (messages.types[n.attr.dtype or 1] or 'float')
   .. ')' } end,
   run = function() return {} end })

registry.add('SequenceInsert', function(_, list, value, index)
   local r = copy(list)
   table.insert(r, index and position(index, #r, #r + 1) or #r + 1, value)
   return r
end)

registry.add('SequenceErase', function(_, list, index)
   if #list == 0 then error('the sequence is empty', 0) end
   local r = copy(list)
   table.remove(r, index and position(index, #r, #r) or #r)
   return r
end)

registry.add('SequenceAt', { types = first_inner, run = function(_, list, index)
   local v = list[position(index, #list, #list)]
   return types.is_tensor(v) and types.alias(v) or v
end })

registry.add('SequenceLength', { types = 'int64', run = function(_, list) return types.scalar('int64', #list) end })

registry.add('ConcatFromSequence', { types = first_inner, run = function(n, list)
   if #list == 0 then error('the sequence is empty', 0) end
   local parts, rank = copy(list), types.rank(list[1])
   local axis = n.attr.axis or error("attribute 'axis' is missing", 0)
   if (n.attr.new_axis or 0) == 0 then return shapes.concat(n.out_types[1], parts, types.dim(axis, rank), n:out()) end
   local dim = types.dim(axis, rank + 1)
   for i, t in ipairs(parts) do
      local shape = types.shape(t)
      table.insert(shape, dim, 1)
      parts[i] = types.view(t, shape)
   end
   return shapes.concat(n.out_types[1], parts, dim, n:out())
end })

registry.add('SplitToSequence', { types = seq_of_first, run = function(n, x, split)
   local dim, list = types.dim(n.attr.axis or 0, types.rank(x)), {}
   local size, sizes, squeeze = types.size(x, dim), {}, false
   if split == nil then
      squeeze = (n.attr.keepdims or 1) == 0
      for i = 1, size do sizes[i] = 1 end
   elseif types.rank(split) == 0 then
      local each = types.number(split)
      if each < 1 then error(('parts must have a positive size, got %s'):format(tostring(each)), 0) end
      for at = 0, size - 1, each do sizes[#sizes + 1] = math.min(each, size - at) end
   else
      sizes = types.numbers(split)
   end
   local at = 1
   for i, count in ipairs(sizes) do
      if count < 0 or at + count - 1 > size then error(('parts of sizes %s do not fit size %d'):format(table.concat(sizes,
         ', '), size), 0) end
      local shape = types.shape(x)
      shape[dim] = count
      if squeeze then table.remove(shape, dim) end
      list[i] = types.count(shape) == 0 and types.empty(n.types[1], shape) or types.view(x:narrow(dim, at, count), shape)
      at = at + count
   end
   if at ~= size + 1 then error(('parts of sizes %s do not fill size %d'):format(table.concat(sizes, ', '), size), 0) end
   return list
end })

registry.add('SequenceMap', {
   graph_types = function(n)
      local list = {}
      for k = 1, n.count do list[k] = n.types[k] and (n.types[k]:match '^seq%((.*)%)$' or n.types[k]) end
      return list
   end,
   types = function(n)
      local list = {}
      for i = 1, n.outputs do
         local o = n.attr.body.outputs[i] or error('its body must have as many outputs as the node', 0)
         list[i] = 'seq(' .. (o.type or 'float') .. ')'
      end
      return list
   end,
   run = function(n, first, ...)
      local others, results = { ... }, {}
      for i = 1, n.outputs do results[i] = {} end
      for at = 1, #first do
         local inputs = { first[at] }
         for k = 2, n.count do
            local v = others[k - 1]
            if n.types[k]:sub(1, 4) == 'seq(' then
               if #v ~= #first then error(('its sequences have %d and %d elements'):format(#first, #v), 0) end
               v = v[at]
            end
            inputs[k] = v
         end
         local y = n.attr.body:run(inputs)
         for i = 1, n.outputs do results[i][at] = y[i] end
      end
      return unpack(results)
   end,
})

-- ---- optional values -----------------------------------------------------------------------------------------------

registry.add('Optional', { types = function(n) return { 'optional(' .. (n.types[1] or n.attr.type or 'float') .. ')' } end,
   run = function(_, value) return value end })

registry.add('OptionalHasElement', { types = 'bool', run = function(_, value)
   return types.scalar('bool', value ~= nil and 1 or 0)
end })

registry.add('OptionalGetElement', { types = function(n)
   local name = n.types[1]
   return { name and name:match '^optional%((.*)%)$' or name }
end, run = function(_, value)
   if value == nil then error('its optional input has no value', 0) end
   return types.is_tensor(value) and types.alias(value) or value
end })
