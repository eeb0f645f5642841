-- lua/onnx/export/model.lua - a net and an example become the message ModelProto.
local torch = require 'torch'
local class = require 'torch.class'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local Value = require 'onnx.export.value'
local Context = require 'onnx.export.context'
local Graph = require 'onnx.export.graph'
local original = require 'onnx.export.original'
local original_key = require 'onnx.original'.KEY

local M = {}

-- Version of the file format that belongs to a version of the operators.
local IR = { [13] = 7, [14] = 7, [15] = 8, [16] = 8, [17] = 8, [18] = 8, [19] = 9, [20] = 9 }
local TENSORS = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor', float16 = 'torch.HalfTensor', bfloat16 = 'torch.BFloat16Tensor',
   int64 = 'torch.LongTensor', int32 = 'torch.IntTensor', int16 = 'torch.ShortTensor', int8 = 'torch.CharTensor',
   uint8 = 'torch.ByteTensor' }
M.TENSORS = TENSORS

-- ---- the net and its example ---------------------------------------------------------------------------------------

local function is_list(x) return type(x) == 'table' and not torch.typename(x) and not arg.is_tensor(x) end

local function copy_example(who, x, depth)
   if arg.is_tensor(x) then
      if x:nElement() == 0 then error(('%s: exampleInput must have elements, got an empty tensor'):format(who), 0) end
      return x:host():clone()
   end
   if not is_list(x) or #x == 0 or depth > 20 then
      error(('%s: exampleInput must be a tensor or a table of tensors, got %s'):format(who,
         is_list(x) and 'a table without any' or arg.describe(x)), 0)
   end
   local y = {}
   for i, v in ipairs(x) do y[i] = copy_example(who, v, depth + 1) end
   return y
end

local function first_tensor(x) return arg.is_tensor(x) and x or first_tensor(x[1]) end

-- The example with one sample more along dimension d of each tensor that has as many there as the first one. nil where none has.
local function enlarged(x, d, dims)
   local count = first_tensor(x)
   count = count:dim() >= (dims and dims[1] or d) and tonumber(count:size(dims and dims[1] or d))
   if not count then return nil end
   local at = 0
   local function grow(v)
      if not arg.is_tensor(v) then
         local y = {}
         for i, e in ipairs(v) do y[i] = grow(e) end
         return y
      end
      at = at + 1
      local dim = dims and (dims[at] or false) or d
      if not dim or v:dim() < dim or tonumber(v:size(dim)) ~= count then return v end
      return torch.cat({ v, v:narrow(dim, 1, 1) }, dim)
   end
   return grow(x)
end

local MOST_DEPTH = 200

-- Why a net is no tree of modules, or nil.
local function no_tree(net)
   local inside, depth = {}, 0
   local function visit(m)
      if type(m) ~= 'table' then return nil end
      if inside[m] then return 'one that contains itself' end
      if type(m.modules) ~= 'table' then return nil end
      if depth > MOST_DEPTH then return 'a deeper one' end
      inside[m], depth = true, depth + 1
      for _, child in pairs(m.modules) do
         local why = visit(child)
         if why then return why end
      end
      inside[m], depth = nil, depth - 1
      return nil
   end
   return visit(net)
end

-- A copy of the net on the CPU in evaluation mode.
local function prepared(who, net)
   local why = no_tree(net)
   if why then error(('%s: net must be a tree of modules at most %d deep, got %s'):format(who, MOST_DEPTH, why), 0) end
   local ok, copy = pcall(function()
      local copy = net:clone()
      local kind = copy:type()
      if type(kind) == 'string' and kind:find 'Cuda' then copy:type((kind:gsub('CudaTensor', 'FloatTensor'):gsub('Cuda', ''))) end
      copy:evaluate()
      return copy
   end)
   if not ok then error(('%s: net must be one that can be copied and put into evaluation mode: %s'):format(who, format.reason(copy)), 0) end
   return copy
end

-- ---- names ---------------------------------------------------------------------------------------------------------

-- Names for the tensors of nested tables: the given ones, or `base`, base1, base2 ...
local function named(x, base, given, c)
   local single, count = Value.is(x), 0
   return Value.map(x, function(v)
      count = count + 1
      local name = given and given[count] or (single and base or base .. count)
      c.used[name], c.defined[name] = 1, true
      return v:named(name)
   end)
end

local function values_of(t, u, float)
   if arg.is_tensor(t) then return Value.new(nil, t, u, Value.type_of(t, float)) end
   local y = {}
   for i, v in ipairs(t) do y[i] = values_of(v, u and u[i], float) end
   return y
end

local function listed(x)
   local list = {}
   Value.map(x, function(v)
      list[#list + 1] = v
      return v
   end)
   return list
end

-- ---- the graph -----------------------------------------------------------------------------------------------------

-- Gives the outputs of the net their names: their nodes get them, or a copy where a value has another name already.
local function name_outputs(c, outputs, names)
   local made, taken = {}, {}
   for _, node in ipairs(c.nodes) do
      for _, name in ipairs(node.output) do made[name] = true end
   end
   for i, v in ipairs(outputs) do
      local wanted = names[i]
      if made[v.name] and not taken[v.name] then
         taken[v.name] = wanted
      else
         c.where = ''
         local copy = c:op('Identity', { v })
         taken[copy] = wanted
      end
   end
   for _, node in ipairs(c.nodes) do
      for _, list in ipairs { node.input, node.output } do
         for k, name in ipairs(list) do list[k] = taken[name] or name end
      end
   end
end

-- Without the nodes and initializers that no output needs.
local function needed(c, names)
   local used, nodes, initializers = {}, {}, {}
   for _, name in ipairs(names) do used[name] = true end
   for i = #c.nodes, 1, -1 do
      local node, wanted = c.nodes[i], false
      for _, name in ipairs(node.output) do wanted = wanted or used[name] end
      if wanted then
         for _, name in ipairs(node.input) do used[name] = true end
         table.insert(nodes, 1, node)
      end
   end
   for _, t in ipairs(c.initializers) do
      if used[t.name] then initializers[#initializers + 1] = t end
   end
   return nodes, initializers
end

local function dimension(v, d, batch)
   if v.counted then return { dim_param = 'count' } end
   if not v.varies[d] then return { dim_value = v.sizes[d] } end
   local k = v.sizes[d] / batch.t
   if k % 1 == 0 and tonumber(v.u:size(d)) == k * batch.u then
      return { dim_param = k == 1 and batch.name or ('%d*%s'):format(k, batch.name) }
   end
   return { dim_param = ('size_of_%s'):format(batch.name) }
end

local function value_info(v, name, batch)
   local dims = {}
   for d = 1, v:dim() do dims[d] = dimension(v, d, batch) end
   return { name = name, type = { tensor_type = { elem_type = Graph.type_numbers[v.type], shape = { dim = dims } } } }
end

--- The tensor of an initializer, contiguous and of its type.
function M.tensor_of(initializer)
   local t = initializer.tensor
   local kind = TENSORS[initializer.type]
   if t:type() ~= kind then t = t:host():type(kind) end
   return t:host():contiguous()
end

local function initializer_message(initializer)
   local t, dims = initializer.tensor, initializer.dims
   if not dims then
      dims = {}
      for d = 1, t:dim() do dims[d] = tonumber(t:size(d)) end
   end
   local bytes = tonumber(t:nElement()) * dtype.bytes[dtype.id[TENSORS[initializer.type]:match '%.(.*)Tensor']]
   return { name = initializer.name, dims = dims, data_type = Graph.type_numbers[initializer.type],
      raw_data = { bytes = bytes, initializer = initializer } }
end

local function refusal(who, c, net)
   local lines, seen = {}, {}
   for _, r in ipairs(c.refused) do seen[r.place] = true end
   for _, r in ipairs(torch.isTypeOf(net, 'nn.Module') and Context.without_rule(net) or {}) do
      if not seen[r.place] then table.insert(c.refused, r) end
   end
   for i, r in ipairs(c.refused) do
      lines[i] = ('  %s: %s: %s'):format(r.place == '' and 'net' or r.place, r.name, r.reason)
   end
   return ('%s: net must have modules that ONNX can express, got %d without:\n%s'):format(who, #lines, table.concat(lines, '\n'))
end

-- Converts with the examples t and u; u is nil for fixed sizes. Returns nil where sizes cannot vary.
local function convert(net, t, u, options)
   local c = Context.new(options.opset, options.float, u ~= nil)
   local x = named(values_of(t, u, options.float), 'input', options.inputs, c)
   local names = {}
   local ok, y = pcall(options.convert or c.convert, c, net, x)
   if not ok then
      if y == c.fixed_sizes then return nil end
      if y == c.stopped then
         if u ~= nil then return nil end
         error(refusal(options.who, c, net), 0)
      end
      if type(y) == 'table' and y == c.failed then
         local place = y.place == '' and 'net' or y.place
         error(('%s: exampleInput must be an input of the net, got %s, for which %s (%s) fails: %s'):format(options.who,
            Context.sizes_text(x), place, y.name, format.reason(y.why)), 0)
      end
      error(y, 0)
   end
   if #c.refused > 0 then
      if u ~= nil then return nil end                          -- once more with fixed sizes, where less is refused
      error(refusal(options.who, c, net), 0)
   end
   local outputs = listed(y)
   if #outputs == 0 then error(('%s: net must give a tensor, got none'):format(options.who), 0) end
   for i = 1, #outputs do
      names[i] = options.outputs and options.outputs[i] or (#outputs == 1 and Value.is(y) and 'output' or 'output' .. i)
   end
   return c, listed(x), outputs, names
end

local function need_unique(who, inputs, names)
   local seen = {}
   for _, list in ipairs { inputs, names } do
      for _, name in ipairs(list) do
         if seen[name] then error(('%s: names of inputs and outputs must differ, got %s twice'):format(who, name), 0) end
         seen[name] = true
      end
   end
end

-- Puts the net into the metadata, and returns whether that can be.
local function add_net(model, net, pieces, float)
   local initializers = {}
   for _, t in ipairs(model.graph.initializer) do initializers[t.name] = t.raw_data.initializer end
   local function tensor_of(name) return M.tensor_of(initializers[name]) end
   local function kind_of(name)
      return initializers[name] and TENSORS[initializers[name].type]
   end
   local text = original.text(net, TENSORS[float], pieces, model, tensor_of, kind_of)
   if text then model.metadata_props = { { key = original_key, value = text } } end
   return text ~= nil
end

--- The model for a net: a ModelProto as a table, and a table of what it holds: `rows` (one for each module: place, name,
-- text, input, output, nodes), `inputs` and `outputs` (names), `batch` (whether the sizes of a
-- batch may vary), `nodes`, `net` (whether it holds the net).
-- @param net      an nn.Module
-- @param example  a tensor or nested tables of tensors
-- @param options  opset, float (type of elements), batch (dimension, false, or a list for each input), inputs, outputs,
--                 net (whether the metadata hold it), who (the function that the user called)
function M.build(net, example, options)
   local copy = options.convert and net or prepared(options.who, net)
   local t = copy_example(options.who, example, 0)
   local c, inputs, outputs, names
   local batch = { name = 'batch', t = 0, u = 0 }
   if options.batch then
      local dims = type(options.batch) == 'table' and options.batch
      local d = dims and dims[1] or options.batch
      local u = enlarged(t, d, dims)
      local ok = false
      if u then ok, c, inputs, outputs, names = pcall(convert, copy, t, u, options) end
      if not ok then c = nil end                               -- fixed sizes tell whether this is an error
      batch.t = first_tensor(t):dim() >= d and tonumber(first_tensor(t):size(d)) or 0
      batch.u = batch.t + 1
   end
   local varies = c ~= nil
   if not c then c, inputs, outputs, names = convert(copy, t, nil, options) end
   local input_names = {}
   for i, v in ipairs(inputs) do input_names[i] = v.name end
   need_unique(options.who, input_names, names)
   name_outputs(c, outputs, names)
   local nodes, initializers = needed(c, names)
   local graph = { name = options.name or class.typename(net) or 'net', node = nodes, initializer = {}, input = {}, output = {} }
   for i, v in ipairs(initializers) do graph.initializer[i] = initializer_message(v) end
   for i, v in ipairs(inputs) do graph.input[i] = value_info(v, v.name, batch) end
   for i, v in ipairs(outputs) do graph.output[i] = value_info(v, names[i], batch) end
   local model = { ir_version = IR[options.opset], producer_name = 'Cresset', graph = graph,
      opset_import = { { domain = '', version = options.opset } } }
   local has_net = options.net and not options.convert
      and add_net(model, copy, c.pieces, options.float) or false
   return model, { rows = c.table_rows, inputs = input_names, outputs = names, batch = varies,
      nodes = #nodes, net = has_net, opset = options.opset }
end

return M
