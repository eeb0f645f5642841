-- lua/onnx/export/context.lua - turns modules into nodes: finds the rule of each, runs it on the examples, and keeps its place.
local torch = require 'torch'
local class = require 'torch.class'
local arg = require 'torch.arg'
local Value = require 'onnx.export.value'
local Graph = require 'onnx.export.graph'
local rules = require 'onnx.export.rules'

local Context = setmetatable({}, { __index = Graph })
Context.__index = Context

local MOST_DEPTH = 200

--- @param opset  version of the operators
-- @param float   type of the elements
-- @param pairs   whether the sizes of a batch may vary
function Context.new(opset, float, pairs)
   local self = setmetatable(Graph.new(opset, float), Context)
   self.pairs, self.refused, self.places, self.depth, self.table_rows = pairs, {}, {}, 0, {}
   self.stopped = {}                                           -- raised where a refused module cannot run either
   self.fixed_sizes = setmetatable({}, { __tostring = function() return 'onnx.export: a size must be fixed' end })
   return self
end

-- ---- rules ---------------------------------------------------------------------------------------------------------

--- The rule for a module, and nil; or nil and the reason why there is none. A class without a rule has that of its
-- parent, unless it computes something else.
local function rule_of(module)
   local its = class.class_of(module)
   local first = its
   while its do
      local name = rawget(its, '__typename')
      local rule = rules.of(name)
      if rule then
         local same = rawequal(its, first) or rawequal(module.updateOutput, its.updateOutput)
         if same or rule.reason and not rule.alone then return rule end
         if rule.alone then break end
         return nil, 'no rule for this class, which computes otherwise than its parent ' .. name
      end
      its = getmetatable(its)
      if type(its) ~= 'table' or not rawget(its, '__typename') then break end
   end
   return nil, 'no rule for this class'
end
Context.rule_of = rule_of

--- Notes that a module cannot be written, and continues, so that one error names all.
function Context:note(module, reason)
   table.insert(self.refused, { place = self.where, name = torch.typename(module) or type(module), reason = reason })
end

local Refusal = {}

--- Ends the rule of the present module with the reason why it cannot be written.
function Context.refuse(_, reason, ...) error(setmetatable({ reason = reason:format(...) }, Refusal), 0) end

-- ---- running -------------------------------------------------------------------------------------------------------

local function run(self, module, x, field)
   local tensors = Value.tensors(x, field, module.inplace)
   local ok, y = pcall(module.updateOutput, module, tensors)
   if ok then return y end
   if field == 'u' then self:need_fixed() end
   self.failed = { place = self.where, name = torch.typename(module), why = tostring(y) }
   error(self.failed, 0)
end

--- What a module gives for the examples in the values x: values without names.
function Context:run(module, x)
   local t = run(self, module, x, 't')
   local kept = torch.isTensor(t) and t:clone() or Value.is(t) and t
   if not kept and type(t) == 'table' then
      local function copy(v)
         if torch.isTensor(v) then return v:clone() end
         if type(v) ~= 'table' or torch.typename(v) then return v end
         local list = {}
         for i, e in ipairs(v) do list[i] = copy(e) end
         return list
      end
      kept = copy(t)
   end
   local u = self.pairs and run(self, module, x, 'u') or nil
   local y, why = Value.pair(kept or t, u, self.float)
   if not y and self.pairs then
      self:need_fixed()
   elseif not y then
      self:refuse('it gives %s', why)
   end
   return y
end

--- Gives values without names the names in a table of the same form.
function Context.give(self, names, y)
   if Value.is(names) then return names end
   if Value.is(y) then return y:named(names) end
   local list = {}
   for i, part in ipairs(y) do list[i] = Context.give(self, names[i], part) end
   return list
end

--- Calls f with another element type of the graph, and restores it.
function Context:with_float(float, f)
   local before = self.float
   self.float = float
   local y = f()
   self.float = before
   return y
end

local function first_value(x)
   if Value.is(x) then return x end
   return x[1] and first_value(x[1]) or { name = '' }
end

-- A value that stands for the result of a module that cannot be written.
local function placeholder(self, module, x)
   local ok, y = pcall(self.run, self, module, x)
   if not ok then
      if y == self.fixed_sizes then error(y, 0) end
      error(self.stopped, 0)
   end
   return Value.map(y, function(v) return v:named(first_value(x).name) end)
end

-- Refuses what a rule gives instead of names.
local function need_names(self, names, y)
   if Value.is(names) then return end
   if not Value.is(y) and type(names) == 'table' then
      for i, part in ipairs(y) do need_names(self, names[i], part) end
   elseif type(names) ~= 'string' then
      error(('it must return the name of a value for each result, got %s'):format(arg.describe(names)), 0)
   elseif not self.defined[names] then
      error(("it names no value of the graph: '%s'"):format(names), 0)
   end
end

local function leaf(self, rule, module, x)
   local y = self:run(module, x)
   local names = rule.write(self, module, x, y)
   need_names(self, names, y)
   return Context.give(self, names, y)
end

local function apply(self, rule, module, x)
   if rule.reason then self:refuse('%s', rule.reason) end
   if rule.container then return rule.container(self, module, x) end
   return leaf(self, rule, module, x)
end

local function sizes_text(x)
   if Value.is(x) then
      local list = {}
      for d = 1, x:dim() do list[d] = x.varies[d] and '?' or ('%d'):format(x.sizes[d]) end
      return #list > 0 and table.concat(list, 'x') or 'number'
   end
   local list = {}
   for i, v in ipairs(x) do list[i] = sizes_text(v) end
   return '{' .. table.concat(list, ', ') .. '}'
end
Context.sizes_text = sizes_text

-- The part of a path for a module: its own name where it has one that can be a name.
local function part_of(module, key)
   local own = rawget(module, 'name')
   if type(own) == 'string' and own:match '^[%w_/:-]+$' then return own end
   return tostring(key)
end

--- The modules of a net that have no rule: a list of { place, name, reason }. The net must be a tree.
function Context.without_rule(net)
   local list = {}
   local function visit(m, where)
      local rule, reason = rule_of(m)
      reason = rule and rule.reason or reason
      if reason then list[#list + 1] = { place = where, name = torch.typename(m), reason = reason } end
      if rule and not rule.container then return end           -- what is inside counts as a part of it
      for i, child in ipairs(type(m.modules) == 'table' and m.modules or {}) do
         if torch.isTypeOf(child, 'nn.Module') then visit(child, (where ~= '' and where .. '.' or '') .. part_of(child, i)) end
      end
   end
   visit(net, '')
   return list
end

--- The values that a module gives for the values x.
-- @param key  the place in its container: a number or a name; nil for the whole net
function Context:convert(module, x, key)
   if type(module) ~= 'table' or type(module.updateOutput) ~= 'function' then
      self:refuse('it holds %s where a module must be', arg.describe(module))
   end
   if self.inside and self.inside[module] then self:refuse 'it contains itself' end
   self.inside = self.inside or {}
   local where, before = self.where, #self.nodes
   if key then self.where = (where ~= '' and where .. '.' or '') .. part_of(module, key) end
   if self.depth == 0 then self.root = torch.typename(module) end
   self.depth, self.inside[module] = self.depth + 1, true
   if self.depth > MOST_DEPTH then error(('onnx.save: net must be nested at most %d deep'):format(MOST_DEPTH), 0) end
   local rule, reason = rule_of(module)
   local shown, text = pcall(tostring, module)                 -- a damaged module may not have a text
   local row = { place = self.where, name = torch.typename(module), text = shown and text or torch.typename(module), input = sizes_text(x) }
   self.table_rows[#self.table_rows + 1] = row
   local ok, y = true, nil
   if rule then ok, y, reason = pcall(apply, self, rule, module, x) end
   if not rule or not ok then
      if rule and getmetatable(y) ~= Refusal then
         if type(y) ~= 'string' or y:find '^onnx%.save: ' then error(y, 0) end
         error(('onnx.save: the rule of %s (%s) fails: %s'):format(torch.typename(module), self.where == '' and 'net' or self.where, y), 0)
      end
      self:note(module, rule and y.reason or reason)
      row.refused = rule and y.reason or reason
      y = placeholder(self, module, x)
   end
   row.output, row.nodes, row.container = sizes_text(y), #self.nodes - before, rule and rule.container ~= nil
   self.depth, self.inside[module], self.where = self.depth - 1, nil, where
   return y
end

--- x as a batch: f gets the name of a tensor with n dimensions, and the result loses the one that was added.
function Context:batched(x, n, f)
   if x:dim() == n then return f(x.name) end
   return self:squeeze(f(self:unsqueeze(x, { 0 })), { 0 })
end

return Context
