-- test/nn/failed_pass_spec.lua - a pass that fails leaves the results of the passes before it, for every module of nn.
-- runs once: what a failed pass leaves does not depend on the CPU level
local torch = require 'torch'
local ffi = require 'ffi'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'
local cases = require 'test.support.nn.cases'
local rollback = require 'nn.support.rollback'
local map = nn.utils.map

-- Everything of a nested table of tensors that a user can see.
local function record(x)
   if torch.isTensor(x) then
      return {tensor = x, type = x:type(), view = x.new():set(x), content = x:clone()}
   elseif type(x) ~= 'table' or torch.typename(x) then
      return {value = x}
   end
   local fields = {}
   for k, v in pairs(x) do fields[k] = record(v) end
   return {table = x, fields = fields}
end

local function same_elements(a, b)
   if a:nElement() == 0 then return true end
   a, b = a:double(), b:double()
   local nans = a:ne(a)
   return nans:equal(b:ne(b)) and a:clone():maskedFill(nans, 0):equal(b:clone():maskedFill(nans, 0))
end

-- What has changed since `old` was recorded, or nil.
local function change(old, x, name)
   if old.tensor then
      if not rawequal(old.tensor, x) then return name .. ' is another object' end
      if x:type() ~= old.type then return name .. ' has another type' end
      if not x:isSetTo(old.view) and not (x:isSameSizeAs(old.view) and x:nElement() == 0) then
         return ('%s has another size or memory: %s, not %s'):format(name, nn.utils.shape(x), nn.utils.shape(old.view))
      end
      return not same_elements(old.content, x) and name .. ' has other elements' or nil
   elseif not old.table then
      return not (old.value == x or x ~= x) and name .. ' is another value' or nil
   end
   if not rawequal(old.table, x) then return name .. ' is another table' end
   for k, v in pairs(old.fields) do
      local what = change(v, x[k], ('%s[%s]'):format(name, tostring(k)))
      if what then return what end
   end
   for k in pairs(x) do
      if old.fields[k] == nil then return ('%s has a new element %s'):format(name, tostring(k)) end
   end
end

local function ones(x) return map(x, function(t) return t.new(t:size()):fill(1) end) end

-- Values that do not fit where x does.
local function wrong(x)
   local list = {false, 3, 'x', {}, ffi.cast('void *', 0), nn.Identity(), torch.Tensor(), torch.Tensor(0, 3), torch.tensor(2),
      torch.ones(7), torch.ones(2, 7), torch.ones(3, 1, 7), torch.ones(1, 1, 1, 1, 1, 1), {x}, {x, torch.ones(7)}, {x, 'y'}}
   local function all(f) list[#list + 1] = map(x, function(t) return t:dim() == 0 and t or f(t) end) end
   all(function(t) return t:float() end)
   all(function(t) return t:long() end)
   all(function(t) return torch.cat(t, t, t:dim()) end)
   all(function(t) return torch.cat(t, t, 1) end)
   all(function(t) return t:narrow(t:dim(), 1, 1) end)
   all(function(t) return t:narrow(1, 1, 1) end)
   all(function(t) return t:contiguous():view(1, 1, 1, t:nElement()) end)
   all(function(t) return t:transpose(1, t:dim()) end)
   all(function(t) return t:contiguous():view(1, unpack(t:size():totable())) end)
   all(function(t) return t.new(t:size()):fill(t:type() == 'torch.ByteTensor' and 1 or 99) end)
   if type(x) == 'table' then
      for _, last in ipairs{torch.ones(7), 'x', nil} do
         local copy = check.copy(x)
         copy[#copy] = last
         list[#list + 1] = copy
      end
      local copy = check.copy(x)
      copy[1] = torch.ones(7)
      list[#list + 1] = copy
   end
   return list
end

-- A module that has run forward with one form of its input, and that input. Before: 'same' a backward pass, 'other' both
-- passes with another form, 'fresh' nothing.
local function prepared(case, form, before)
   local m, inputs = drawn.make(case)
   local x = inputs[form][1]
   local other = inputs[form % #inputs + 1][1]
   torch.manualSeed(11)
   if before == 'other' then
      m:forward(other)
      m:backward(other, ones(m.output))
   end
   m:forward(x)
   if before == 'same' then m:backward(x, ones(m.output)) end
   return m, x
end

local refused

-- Calls m[name](m, a, b), which may work: then the module is made anew. The fields named must stay when it fails.
local function try(faults, case, make, m, x, name, fields, a, b)
   local before = {}
   for _, field in ipairs(fields) do before[field] = record(m[field]) end
   local ok, why = pcall(m[name], m, a, b)
   if ok then return make() end
   refused = refused + 1
   for _, field in ipairs(fields) do
      local what = change(before[field], m[field], field)
      if what then
         faults[#faults + 1] = ('%s: %s(%s, %s): %s; %s'):format(case.new, name, nn.utils.shape(a), nn.utils.shape(b), what,
            tostring(why):match '^[^\n]*')
         return make()
      end
   end
   return m, x
end

-- f(case, make) for each case, form of input and state before.
local function each(f)
   for _, case in ipairs(cases) do
      for form = 1, #case do
         for _, before in ipairs(#case > 1 and {'same', 'other', 'fresh'} or {'same', 'fresh'}) do
            f(case, function() return prepared(case, form, before) end)
         end
      end
   end
end

local function report(faults)
   if #faults == 0 then return end
   error(('%d faults; the first: %s'):format(#faults, table.concat(faults, '\n', 1, math.min(#faults, 10))), 0)
end

describe('a pass that fails', function()
   local kept
   setup(function()
      kept = {print, io.write}
      _G.print, io.write = function() end, function() return true end
      refused = 0
   end)
   teardown(function() _G.print, io.write = kept[1], kept[2] end)

   it('leaves gradInput and output as they were, where it was backward', function()
      local faults = {}
      each(function(case, make)
         local m, x = make()
         for _, name in ipairs{'updateGradInput', 'backward'} do
            for _, w in ipairs(wrong(m.output)) do
               m, x = try(faults, case, make, m, x, name, {'gradInput', 'output'}, x, w or nil)
            end
            for _, w in ipairs(wrong(x)) do
               m, x = try(faults, case, make, m, x, name, {'gradInput', 'output'}, w or nil, ones(m.output))
            end
         end
      end)
      report(faults)
      assert.is_true(refused > 10000, refused)
   end)

   it('leaves output as it was, where it was forward', function()
      local faults = {}
      each(function(case, make)
         local m, x = make()
         -- The outputs of these are those of the modules inside, the first of which have worked.
         local inner = torch.isTypeOf(m, 'nn.Container') and type(m.output) == 'table'
         for _, w in ipairs(inner and {} or wrong(x)) do
            m, x = try(faults, case, make, m, x, 'forward', {'output', 'gradInput'}, w or nil)
         end
      end)
      report(faults)
   end)

   it('gives back tables, sizes, memory and elements of gradInput', function()
      local m = nn.CAddTable()
      local x = {torch.ones(2, 3), torch.ones(2, 3)}
      m:forward(x)
      m:backward(x, torch.rand(2, 3))
      local before = record(m.gradInput)
      local longer = {torch.ones(5, 3), torch.ones(5, 3), torch.ones(5, 3)}
      m:forward(longer)
      assert.is_false(pcall(m.backward, m, longer, torch.ones(4)))
      assert.is_nil(change(before, m.gradInput, 'gradInput'))
      m:backward(longer, torch.ones(5, 3))
      assert.equal(3, #m.gradInput)
   end)

   it('leaves a gradInput that repeats its elements', function()
      local m = nn.Power(2)
      m:forward(torch.ones(2, 3))
      m.gradInput = torch.Tensor{5}:view(1, 1):expand(2, 3)
      assert.is_false(pcall(m.backward, m, torch.ones(4), torch.ones(7)))
      assert.equal(30, m.gradInput:sum())
      assert.equal(0, m.gradInput:stride(1))
   end)

   it('is retried with another shape where a layer takes any, and its result counts', function()
      local m = nn.PReLU()
      m:forward(torch.ones(2, 3))
      assert.same({2, 3}, m:backward(torch.ones(2, 3), torch.ones(6)):size():totable())
   end)

   it('costs a copy of gradInput only where the arguments are not those of a forward pass', function()
      local m, x = nn.Dropout(0.5), torch.ones(2, 3)
      assert.is_not_nil(rollback.keep(m, x, x))
      m:forward(x)
      assert.is_nil(rollback.keep(m, torch.rand(2, 3), torch.rand(2, 3)))
      assert.is_not_nil(rollback.keep(m, x, torch.ones(3, 2)))
      assert.is_not_nil(rollback.keep(m, x, torch.FloatTensor(2, 3)))
      assert.is_not_nil(rollback.keep(m, torch.ones(1, 3), torch.ones(2, 3)))
      m:forward(torch.ones(1, 2, 3, 1, 1))
      assert.is_nil(rollback.keep(m, torch.ones(1, 2, 3, 1, 1), torch.ones(1, 2, 3, 1, 1)))
      assert.is_not_nil(rollback.keep(m, torch.ones(1, 2, 3, 1, 1), torch.ones(1, 2, 3, 1, 2)))
   end)

   it('changes what it changes where a program has replaced updateOutput: nothing says which inputs it has taken', function()
      local m = nn.Dropout(0.5)
      function m:updateOutput(x) return nn.Dropout.updateOutput(self, x) end
      m:forward(torch.ones(2, 3))
      assert.is_nil(rollback.keep(m, torch.ones(9), torch.ones(8)))
   end)
end)
