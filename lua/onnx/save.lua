-- lua/onnx/save.lua - onnx.save and onnx.exporter: nets of nn as files of ONNX.
local torch = require 'torch'
local arg = require 'torch.arg'
local file = require 'torch.file'
local record = require 'torch.record'
local format = require 'torch.format'
local encode = require 'onnx.encode'
local model = require 'onnx.export.model'
local rules = require 'onnx.export.rules'

local M = {}

local MOST_BYTES = 2 ^ 31 - 2 ^ 20          -- a message of Protocol Buffers has less than 2 GiB
local INLINE = 1024                         -- bytes of a tensor that stays in the file of the graph
local ALIGNED = 64                          -- bytes
local TYPES = { float = 'float', double = 'double', half = 'float16' }
local OPTIONS = { opset = true, type = true, batch = true, inputs = true, outputs = true,
   external = true, name = true, net = true }

-- A number without a fraction, at least `least`.
local function is_whole(v, least) return type(v) == 'number' and v % 1 == 0 and v >= least end

local function need_names(who, name, list)
   if list == nil then return end
   if type(list) ~= 'table' then arg.refuse(who, 'options.' .. name, 'a list of names', list, 4) end
   for i, v in ipairs(list) do
      if type(v) ~= 'string' or v == '' then arg.refuse(who, ('options.%s[%d]'):format(name, i), 'a name', v, 4) end
   end
end

local function batch_option(who, batch)
   if batch == nil or batch == true then return 1 end
   if batch == false then return false end
   for _, d in ipairs(type(batch) == 'table' and batch or { batch }) do
      if d ~= false and not is_whole(d, 1) then
         arg.refuse(who, 'options.batch', 'false, a dimension, or a list of dimensions', d, 4)
      end
   end
   if type(batch) == 'table' and not is_whole(batch[1], 1) then
      arg.refuse(who, 'options.batch', 'false, a dimension, or a list of dimensions', batch, 4)
   end
   return batch
end

local function read_options(who, given)
   if given == nil then given = {} end
   if type(given) ~= 'table' then arg.refuse(who, 'options', 'a table', given, 3) end
   for k in pairs(given) do
      if not OPTIONS[k] then
         error(("%s: options must have the keys batch, external, inputs, name, net, opset, outputs "
            .. "and type, got '%s'"):format(who, tostring(k)), 3)
      end
   end
   local opset = given.opset == nil and 17 or given.opset
   if not (is_whole(opset, 13) and opset <= 20) then arg.refuse(who, 'options.opset', 'a whole number of 13..20', opset, 3) end
   local kind = given.type == nil and 'float' or given.type
   if not TYPES[kind] then arg.refuse(who, 'options.type', "'float', 'double' or 'half'", kind, 3) end
   local external = given.external == nil and MOST_BYTES or given.external
   if not is_whole(external, 0) then
      arg.refuse(who, 'options.external', 'a number of bytes', external, 3)
   end
   if given.name ~= nil and type(given.name) ~= 'string' then arg.refuse(who, 'options.name', 'a string', given.name, 3) end
   if given.net ~= nil and type(given.net) ~= 'boolean' then
      arg.refuse(who, 'options.net', 'true or false', given.net, 3)
   end
   need_names(who, 'inputs', given.inputs)
   need_names(who, 'outputs', given.outputs)
   return { who = who, opset = opset, float = TYPES[kind], batch = batch_option(who, given.batch), inputs = given.inputs,
      outputs = given.outputs, external = math.min(external, MOST_BYTES), name = given.name,
      net = given.net ~= false }
end

-- ---- files ---------------------------------------------------------------------------------------------------------

-- Writes a file with f(put); the file takes the place of an old one when it is complete.
local function replace(who, path, f)
   local ok, to = pcall(file.replacing, path)
   if not ok then error(who .. ': ' .. tostring(to):gsub('^.-torch%.DiskFile: ', ''), 0) end
   to:binary()
   local why
   ok, why = pcall(function()
      local c = record.open(to, 'write')
      f(function(...) format.put(c, ...) end)
      to:close()
   end)
   if ok then return end
   file.abandon(to)
   error(('%s: %s: %s'):format(who, path, tostring(why):gsub('^.-torch%.DiskFile:close: ', '')), 0)
end

local function put_block(put, block)
   if block.bytes == 0 then return end
   local t = model.tensor_of(block.initializer)
   local bytes, n = format.bytes(t)
   put(bytes, n)
end

-- Moves the data of large initializers to a second file: their messages get the place instead. Returns the blocks.
local function to_external(message, name)
   local blocks, at = {}, 0
   for _, t in ipairs(message.graph.initializer) do
      local block = t.raw_data
      if block.bytes >= INLINE then
         at = math.ceil(at / ALIGNED) * ALIGNED
         t.raw_data, t.data_location = nil, 1
         t.external_data = { { key = 'location', value = name }, { key = 'offset', value = ('%d'):format(at) },
            { key = 'length', value = ('%d'):format(block.bytes) } }
         block.at = at
         blocks[#blocks + 1] = block
         at = at + block.bytes
      end
   end
   return blocks
end

local function write_blocks(who, path, blocks)
   replace(who, path, function(put)
      local at = 0
      for _, block in ipairs(blocks) do
         if block.at > at then put(('\0'):rep(block.at - at)) end
         put_block(put, block)
         at = block.at + block.bytes
      end
   end)
end

local function write(who, path, message, options)
   local parts, size = encode.message('ModelProto', message)
   if size > options.external then
      local name = path:match '[^/]*$' .. '.data'
      local blocks = to_external(message, name)
      if #blocks > 0 then
         parts, size = encode.message('ModelProto', message)
         write_blocks(who, path .. '.data', blocks)
      end
      if size > MOST_BYTES then error(('%s: net must have a graph of at most 2 GiB, got %.0f bytes'):format(who, size), 0) end
   end
   replace(who, path, function(put)
      for _, part in ipairs(parts) do
         if type(part) == 'string' then put(part) else put_block(put, part) end
      end
   end)
   return size
end

-- An error with the name of the function in front; errors from inside have none.
local function named(who, why)
   why = tostring(why)
   return why:find(who .. ': ', 1, true) == 1 and why or ('%s: net cannot be written: %s'):format(who, format.reason(why))
end

-- ---- what users call -----------------------------------------------------------------------------------------------

--- onnx.save(path, net, exampleInput, [options]): Writes a net as a file of ONNX, which onnx.load and other runtimes read.
-- The sizes come from a forward of a copy of the net, in evaluation mode, for the example; the net does not change. A new
-- file takes the place of an old one when it is complete. Equal nets give equal bytes.
--
-- The first dimension of the inputs becomes symbolic ('batch') where the net computes the same for
-- each sample. Else all sizes are those of the example. An error names all modules that ONNX cannot
-- express, with their places in the net.
--
-- The metadata keep the modules of the net, without the weights, so that net of the loaded model
-- returns them. A net with functions in its fields is left out.
-- @param path          of the file, for example 'net.onnx'
-- @param net           an nn.Module, among them graphs of nngraph, or a function of the example that autograd can trace
-- @param exampleInput  a tensor, or a table of tensors as the net takes it; the numbers do not matter
-- @param options       a table, all of it optional. opset: version of the operators, 13..20
--  (default 17). type: of the weights and inputs: 'float' (default), 'double' or 'half'. batch: the
--  dimension of the samples (default 1), false for fixed sizes, or a list with a dimension or false
--  for each input. inputs and outputs: lists of names. external: bytes above which weights are in a
--  second file PATH.data (default: just below 2 GiB). name: of the graph. net: false leaves the net
--  out of the metadata
-- Returns a table: inputs and outputs (names), batch (whether it is symbolic), nodes (their
-- number), opset, rows (of modules), net (whether the metadata have it).
-- name = os.tmpname(); info = onnx.save(name, nn.Linear(3, 2), torch.ones(4, 3)); os.remove(name); info.nodes, info.batch --> 1, true
function M.save(path, net, exampleInput, options)
   local who = 'onnx.save'
   arg.path(who, 'path', path)
   local o = read_options(who, options)
   local is_module = type(net) == 'table' and torch.isTypeOf(net, 'nn.Module')
   if torch.isTypeOf(net, 'nn.Criterion') or not is_module and not arg.is_callable(net) then
      arg.refuse(who, 'net', 'an nn.Module or a function', net)
   end
   if not is_module then o.convert = require 'onnx.export.traced' end
   local ok, message, info = pcall(model.build, net, exampleInput, o)
   if not ok then error(named(who, message), 2) end
   local written, why = pcall(write, who, path, message, o)
   if not written then error(named(who, why), 2) end
   info.bytes = why
   return info
end

--- onnx.exporter(class, rule): Registers how onnx.save writes a class. rule(c, module, x, y) adds
-- nodes and returns the name of the result. c:op(operator, inputs, attributes, outputs) adds a node
-- and returns the names of its outputs. c:weight(module, field) and c:constant(tensor, name) give
-- names of initializers, c:number(v) and c:ints(list) of small ones. x is the input: a value, or
-- nested tables of values, with name, sizes and dim(); y the same without names for the output. nil
-- removes a rule.
-- @param class  name of a class of nn, for example 'my.Scale'
-- @param rule   a function, or nil
-- my = {}; torch.class('my.Twice', 'nn.Module', my); onnx.exporter('my.Twice', function(c, m, x) return c:op('Add', {x, x}) end); onnx.exporter('my.Twice') == nil --> true
function M.exporter(class, rule)
   if type(class) ~= 'string' then arg.refuse('onnx.exporter', 'class', 'the name of a class', class) end
   if type(rule) ~= 'nil' and not arg.is_callable(rule) then arg.refuse('onnx.exporter', 'rule', 'a function', rule) end
   rules.set(class, rule and { write = rule })
end

return M
