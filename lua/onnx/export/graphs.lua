-- lua/onnx/export/graphs.lua - the rule for graphs of nngraph: their nodes in the order of computing.
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'

local function name_of(node, index)
   local annotations = node.data.annotations
   local name = annotations and annotations.name
   return type(name) == 'string' and name:match '^[%w_]+$' or index
end

-- What a node takes: the result of one other, or a table of several.
local function input_of(values, map)
   if #map == 1 then return values[map[1]] end
   local list = {}
   for k = 1, #map do list[k] = values[map[k]] end
   return list
end

rules.container('nn.gModule', function(c, m, x)
   local values, start, index = {}, m.innode.data, 0
   if m.nInputs > 1 and (Value.is(x) or #x ~= m.nInputs) then c:refuse('its input must be a table of %d', m.nInputs) end
   for _, node in ipairs(m.forwardnodes) do
      local data = node.data
      local given = data == start and x or input_of(values, data.mapindex)
      if data.module then
         index = index + 1
         given = c:convert(data.module, given, name_of(node, index))
      elseif data.selectindex then
         given = given[data.selectindex]
         if given == nil then c:refuse('node %d takes element %d of a result that has fewer', index, data.selectindex) end
      end
      values[data] = given
   end
   return values[m.outnode.data]
end)
