-- test/support/onnx_node.lua - a loaded model of one node, and its inputs, from lists { type, sizes, numbers or strings }.
local bytes = require 'test.support.onnx_bytes'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'
local onnx = require 'onnx'

local function value(t)
   if t[1] ~= 'string' then return types.of_numbers(t[1], t[3], t[2]) end
   local r = { shape = t[2] }
   for i, text in ipairs(t[3]) do r[i] = text end
   return r
end

-- The inputs are x1, x2 ..., the outputs y1, y2 .... An input may be false: the node has none there.
-- @param outputs  their number
-- @param domain   (default: that of ONNX itself)
-- @param version  of ONNX's own ops (default: 20)
return function(op, attributes, inputs, outputs, domain, version)
   local x, infos, names, results = {}, {}, {}, {}
   for k, t in ipairs(inputs) do
      names[k] = ''
      if t then
         names[k] = 'x' .. k
         x[names[k]] = value(t)
         infos[#infos + 1] = bytes.info(names[k], t[1], t[2])
      end
   end
   local outs = {}
   for k = 1, outputs do outs[k], results[k] = 'y' .. k, bytes.info('y' .. k) end
   local node = bytes.node(op, names, outs, attributes)
   node.domain = domain or ''
   local imports = { { version = version or 20 }, { domain = 'ai.onnx.ml', version = 3 },
      { domain = 'ai.onnx.preview.training', version = 1 } }
   local m = bytes.model({ node }, infos, results, nil, { opset_import = imports })
   return onnx.load(bytes.write(temporary.name '.onnx', m)), x
end
