-- lua/onnx/export/traced.lua - functions that autograd can trace: what they compute from an example becomes nodes.
--
-- The function runs two or three times: for the example, for other numbers of the same sizes, and for one sample more. Numbers
-- that it takes from elsewhere are constants of the graph. They must be equal in the first two runs, else the function depends
-- on its input by a way that the graph would not have: a branch, a mask, or random numbers.
local torch = require 'torch'
local arg = require 'torch.arg'
local Value = require 'onnx.export.value'
local ops = require 'onnx.export.traced_ops'

-- The values of a result in nested tables, and what f gave.
local function run(f, example)
   local tape = require 'autograd.tape'
   require 'autograd'
   local known = {}
   local function leaves(x)
      if arg.is_tensor(x) then return tape.leaf(x) end
      local y = {}
      for i, v in ipairs(x) do y[i] = leaves(v) end
      return y
   end
   local x = leaves(example)
   local before = tape.trace
   tape.trace = {
      plain = function(y, name, call)
         if y ~= nil then known[y] = { _value = y, _inputs = {}, _name = name, _call = call } end
      end,
      copied = function(from, to) known[to] = known[from] end,
   }
   local ok, y = pcall(tape.run, f, false, x)
   tape.trace = before
   if not ok then error(y, 0) end
   return { x = x, y = y, known = known, is_value = tape.is_value }
end

local function need_floats(c, x)
   Value.map(x, function(v)
      if v.type ~= c.float then c:refuse('a function takes tensors of floats, got %s', v.t:type()) end
      return v
   end)
end

-- Other numbers of the same sizes.
local function other_numbers(x)
   return Value.map(x, function(v)
      local t = v.t:clone()
      return t:mul(-0.7):add(torch.range(0, t:nElement() - 1):mul(0.78 / t:nElement()):add(-0.37):typeAs(t):viewAs(t))
   end)
end

-- ---- the same node of all runs -------------------------------------------------------------------------------------

local Walk = {}
Walk.__index = Walk

-- An entry of a call in run number i: a node, or a plain value.
local function entry(run, call, key)
   local v = call.values and call.values[key]
   if v ~= nil then return v end
   v = call.env[key]
   if arg.is_tensor(v) and run.known[v] then return run.known[v] end
   return v
end

local function is_node(run, v) return run.is_value(v) or type(v) == 'table' and v._call ~= nil and v._inputs ~= nil end

local VARIES = 'it uses a number that depends on its input (a branch, a mask, a loop) or is random'

local function tensor_of(v, like)
   if arg.is_tensor(v) then return v end
   return like.new(1):fill(v)
end

-- A constant that has one row for each sample, all of them equal: that row, repeated as often as the batch has samples.
function Walk:rows(t, u)
   if not arg.is_tensor(u) or u:type() ~= t:type() or u:dim() ~= t:dim() then return nil end
   local one, other = t:host(), u:host()
   for d = 1, t:dim() do
      if t:size(d) ~= u:size(d) then
         one, other = one:narrow(d, 1, 1), other:narrow(d, 1, 1)
         if not torch.eq(one:expandAs(t), t:host()):all() or not torch.eq(other:expandAs(u), u:host()):all() then return nil end
      end
   end
   if not torch.eq(one, other):all() then return nil end
   one = one:clone()
   local row = Value.new(self.c:constant(one, 'constant'), one, one, Value.type_of(one, self.c.float))
   local y = Value.new(nil, t, u, row.type)
   return y:named(ops.expand(self, row, y))
end

--- A constant that is equal in all runs.
function Walk:constant(list)
   local c, first = self.c, list[1]
   if self.runs[3] and arg.is_tensor(first) and arg.is_tensor(list[3]) and not first:isSameSizeAs(list[3]) then
      local key = self.repeated[first]
      if key then return key end
      self:constant { first, list[2], first }
      local y = self:rows(first, list[3])
      if not y then c:need_fixed() end
      self.repeated[first] = y
      return y
   end
   for i = 2, #self.runs do
      local v = list[i]
      local same = type(v) == type(first)
      if same and arg.is_tensor(v) then same = v:isSameSizeAs(first) and v:type() == first:type() and torch.eq(v, first):all()
      elseif same then same = v == first end
      if not same then
         if i == 3 then c:need_fixed() end
         c:refuse(VARIES)
      end
   end
   if not arg.is_tensor(first) then return first end
   local host = first:host():clone()
   return Value.new(c:constant(host, 'constant'), host, c.pairs and host or nil, Value.type_of(host, c.float))
end

--- The value for an entry of a call: a value of the graph, or a number.
function Walk:entry(calls, key)
   local list = {}
   for i, run in ipairs(self.runs) do list[i] = entry(run, calls[i], key) end
   return self:either(list)
end

function Walk:either(list)
   if is_node(self.runs[1], list[1]) then return self:node(list) end
   if list[1] == nil then return nil end
   return self:constant(list)
end

local function calls_of(list)
   local calls = {}
   for i, node in ipairs(list) do calls[i] = node._call or {} end
   return calls
end

--- The value, or nested values, of a node.
function Walk:node(list)
   local first, c = list[1], self.c
   local seen = self.others[first]
   for i = 2, seen and #self.runs or 0 do
      if not rawequal(seen[i], list[i]) then
         if i == 3 then c:need_fixed() end
         c:refuse(VARIES)
      end
   end
   if seen then return self.done[first] end
   self.others[first] = { unpack(list, 1, #self.runs) }
   for i = 2, #self.runs do
      local other = list[i]
      if not is_node(self.runs[i], other) or other._name ~= first._name or #other._inputs ~= #first._inputs then
         if i == 3 then c:need_fixed() end
         c:refuse(VARIES)
      end
   end
   local like = self.like
   local y
   local call = first._call or ops.find(first._name) and {}
   if call == nil then
      c:refuse('it calls %s, which has no rule', tostring(first._name or 'a function'))
   elseif call.module then
      y = self:module(list)
   elseif first._name == 'part' then
      local whole = {}
      for i, node in ipairs(list) do whole[i] = node._inputs[1] end
      y = ops.flat(self:node(whole))[call[1]]
   else
      local t = tensor_of(first._value, like)
      local u = self.runs[3] and tensor_of(list[3]._value, like)
      if u and u:dim() ~= t:dim() then c:need_fixed() end
      local template = Value.new(nil, t, u, Value.type_of(t, c.float))
      local write = ops.find(first._name)
      if not write then c:refuse('it calls %s, which has no rule', tostring(first._name)) end
      local name = write(self, calls_of(list), template, list)
      y = Value.is(name) and name or template:named(name)
   end
   self.done[first] = y
   return y
end

-- A module of nn that the function calls.
function Walk:module(list)
   local c, calls = self.c, calls_of(list)
   for _, p in ipairs(calls[1].params or {}) do
      if self.runs[1].is_value(p) then c:refuse 'parameters of a module that depend on its input' end
   end
   local function nested(entries)
      if is_node(self.runs[1], entries[1]) or arg.is_tensor(entries[1]) then return self:either(entries) end
      local y = {}
      for k in ipairs(entries[1]) do
         local parts = {}
         for i, e in ipairs(entries) do parts[i] = e[k] end
         y[k] = nested(parts)
      end
      return y
   end
   local inputs = {}
   for i, call in ipairs(calls) do inputs[i] = call.input end
   local m = calls[1].module
   m:evaluate()
   self.count = (self.count or 0) + 1
   return c:convert(m, nested(inputs), self.count)
end

--- What onnx.save calls in place of Context.convert: the values that the function f gives for the values x.
return function(c, f, x)
   c.depth, c.root = 1, 'function'
   local ok, y = pcall(function()
      need_floats(c, x)
      local inputs = ops.flat(x)
      local walk = setmetatable({ c = c, runs = {}, done = {}, others = {}, repeated = {}, inputs = inputs, like = inputs[1].t }, Walk)
      walk.runs[1] = run(f, Value.tensors(x, 't', true))
      walk.runs[2] = run(f, other_numbers(x))
      if c.pairs then
         local done
         done, walk.runs[3] = pcall(run, f, Value.tensors(x, 'u', true))
         if not done then c:need_fixed() end
      end
      local function bind(v, nodes)
         if Value.is(v) then
            walk.done[nodes[1]], walk.others[nodes[1]] = v, nodes
            return
         end
         for i, e in ipairs(v) do
            local parts = {}
            for k, node in ipairs(nodes) do parts[k] = node[i] end
            bind(e, parts)
         end
      end
      local leaves = {}
      for i, r in ipairs(walk.runs) do leaves[i] = r.x end
      bind(x, leaves)
      local function results(list)
         if is_node(walk.runs[1], list[1]) or type(list[1]) == 'number' or arg.is_tensor(list[1]) then
            local v = walk:either(list)
            if type(v) == 'number' then c:refuse 'its result does not depend on its input' end
            return v
         end
         if type(list[1]) ~= 'table' then c:refuse('it gives %s', arg.describe(list[1])) end
         local all = {}
         for k in ipairs(list[1]) do
            local parts = {}
            for i, e in ipairs(list) do parts[i] = e[k] end
            all[k] = results(parts)
         end
         return all
      end
      local list = {}
      for i, r in ipairs(walk.runs) do list[i] = r.y end
      return results(list)
   end)
   if ok then return y end
   if type(y) == 'table' and y.reason then
      table.insert(c.refused, { place = 'net', name = 'function', reason = y.reason })
      return x
   end
   if type(y) == 'string' then error('onnx.save: net must be a function of exampleInput that autograd can trace: ' .. y, 0) end
   error(y, 0)
end
