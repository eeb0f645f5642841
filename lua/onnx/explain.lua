-- lua/onnx/explain.lua - what each node of a model does: its op, engine, time and memory.
local torch = require 'torch'
local ffi = require 'ffi'
local columns = require 'torch.columns'
local dtype = require 'torch.dtype'
local lib = require 'torch.lib'
local layout = require 'onnx.layout'
local plan = require 'onnx.plan'
local types = require 'onnx.types'
local C = lib.C

local M = {}

local clock = ffi.new 'double[3]'
local function now()
   C.th_clock(clock)
   return clock[0]
end

local products = { MatMul = true, Gemm = true, Einsum = true }

-- The engine of a node: that of a convolution, the BLAS of products of matrices, else the op's kernels.
local function engine_of(n, v)
   if n.definition.engine then return n.definition.engine(n) end
   local x, w = n.inputs[1] and v[n.inputs[1]], n.inputs[2] and v[n.inputs[2]]
   local y = n.results[1] and v[n.results[1]]
   if n.op == 'Conv' and types.is_tensor(y) and layout.is_last(y) then return 'channels last' end
   if n.op == 'Conv' and types.rank(x) == 4 then
      local s = n.attr.strides or { 1, 1 }
      local p, d = n.attr.pads or { 0, 0, 0, 0 }, n.attr.dilations or { 1, 1 }
      local ok, name = pcall(torch.conv.choice, 'forward', types.shape(x), types.shape(w), s[1], s[2], p[1], p[2], d[1], d[2],
         n.attr.group or 1)
      return ok and name or 'conv2d'
   elseif products[n.op] then
      local name = C.th_blas_name()
      return name ~= nil and ffi.string(name):match '%S+' or 'own'
   end
   return 'own'
end

-- Bytes of the results of a node that have memory apart from its inputs.
local function new_bytes(n, v)
   local known, bytes = {}, 0
   for k = 1, n.count do
      local x = n.inputs[k] and v[n.inputs[k]]
      if types.is_tensor(x) then known[plan.address(x) or 0] = true end
   end
   for _, slot in ipairs(n.results) do
      local y = slot and v[slot]
      if types.is_tensor(y) and not known[plan.address(y) or 0] then bytes = bytes + y:nElement() * dtype.bytes[y._dtype] end
   end
   return bytes
end

--- A function for run.nodes that fills a list of rows.
function M.watcher(rows)
   local before = now()
   return function(i, n, v)
      local time = now() - before
      rows[i] = { node = n.name ~= '' and n.name or '#' .. i, op = n.op .. (n.merged or ''), engine = engine_of(n, v),
         ms = time * 1000,
         bytes = new_bytes(n, v), shape = M.result_text(n, v) }
      before = now()
   end
end

--- '1x64x56x56' of the first result of a node.
function M.result_text(n, v)
   local y = n.results[1] and v[n.results[1]]
   if y == nil then return '-' end
   return types.is_tensor(y) and types.shape_text(types.shape(y)) or 'a list'
end

local function table_text(t)
   local lines = { { 'node', 'op', 'engine', 'result', 'ms', 'memory' } }
   for i, row in ipairs(t) do
      lines[i + 1] = { row.node, row.op, row.engine, row.shape, ('%.3f'):format(row.ms),
         columns.bytes(row.bytes) }
   end
   local out = columns.lines(lines, 5)
   out[#out + 1] = ('%d nodes, %.3f ms; intermediate results: %s, planned in %s'):format(#t, t.ms,
      columns.bytes(t.unshared), columns.bytes(t.bytes))
   return table.concat(out, '\n')
end

--- The rows of a run as an object that prints as a table.
function M.report(rows, p)
   rows.ms = 0
   for _, row in ipairs(rows) do rows.ms = rows.ms + row.ms end
   rows.bytes, rows.unshared, rows.live = p.bytes or 0, p.unshared or 0, p.live or 0
   return setmetatable(rows, { __tostring = table_text })
end

return M
