-- lua/onnx/init.lua - the package onnx: reads ONNX models and runs them.
local arg = require 'torch.arg'
local interpret = require 'torch.interpret'
local protobuf = require 'torch.protobuf'
local source = require 'feed.source'
local external = require 'onnx.external'
local messages = require 'onnx.messages'
local model = require 'onnx.model'
local registry = require 'onnx.registry'

local onnx = rawget(_G, 'onnx') or {}
_G.onnx = onnx

-- The model of a file, which stays open: it may be read again.
local function read(path)
   local s, size = source.open(path)
   local ok, result = pcall(function()
      if size == 0 then error('it is empty', 0) end
      local fetch = source.fetch(s)
      local function message()
         source.unchanged(s)
         return protobuf.read(fetch, size, messages.ModelProto, messages)
      end
      return model.new(message, fetch, external.reader(path:match '^(.*/)[^/]*$' or '.'))
   end)
   if not ok then
      source.close(s)
      error(result, 0)
   end
   return result
end

--- onnx.load(path): A model from a file. Tensors whose data lie in other files must lie in the
-- folder of the model. The files stay open. The first run reads large weights, and a run with other
-- sizes may read them again. net reads the whole model again.
-- @return an object with the lists inputs and outputs ({ name, type, shape }) and the methods
-- forward, explain and net
function onnx.load(path)
   if type(path) ~= 'string' then arg.refuse('onnx.load', 'path', 'the name of a file', path) end
   local ok, result = pcall(interpret.run, read, path)
   if not ok then source.fail('onnx.load', path, result) end
   return result
end

--- onnx.op(name, [domain,] f): Adds an op, or replaces it. f(node, ...) gets the inputs and returns the outputs.
-- @param domain  (default: '', the one of ONNX)
function onnx.op(name, domain, f)
   if f == nil then domain, f = '', domain end
   if type(name) ~= 'string' or name == '' then arg.refuse('onnx.op', 'name', 'the name of an op', name) end
   if type(domain) ~= 'string' then arg.refuse('onnx.op', 'domain', 'the name of a domain', domain) end
   if type(f) ~= 'function' and not (type(f) == 'table' and type(f.run) == 'function') then
      arg.refuse('onnx.op', 'f', 'a function, or a table with a function run', f)
   end
   -- its file would replace f when it is loaded later
   registry.find(name, domain)
   registry.add(name, f, domain)
end

--- onnx.ops(): The names of the ops that are here, sorted. Those outside of the domain of ONNX begin with their domain and a dot.
function onnx.ops() return registry.names() end

--- onnx.maxTurns([n]): Sets how many turns a Loop of a model may take, so that any model ends.
-- A Loop that wants more is an error.
-- @param n  (default: leaves it as it is) a whole number of at least 1
-- @return the number in force before (at first 2^31)
function onnx.maxTurns(n)
   local before = registry.most_turns
   if n ~= nil then
      if type(n) ~= 'number' or n < 1 or n % 1 ~= 0 or n > 2 ^ 53 then
         arg.refuse('onnx.maxTurns', 'n', 'a whole number in 1..2^53', n)
      end
      registry.most_turns = n
   end
   return before
end

-- The files of onnx.save are read when one of its names is first used.
local writers = { save = true, exporter = true }
local function find(_, name)
   if not writers[name] then return nil end
   local save = require 'onnx.save'
   onnx.save, onnx.exporter = save.save, save.exporter
   return rawget(onnx, name)
end
setmetatable(onnx, { __index = find, __functions = function() return onnx.save end })

return onnx
