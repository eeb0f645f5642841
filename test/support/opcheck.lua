-- test/support/opcheck.lua - one line of a spec becomes many calls: every dtype, memory layout and call form of an op.
--
--    opcheck.describe('cumsum', function(op)
--       op.dtypes 'float double long'                   -- or 'all', 'floats', 'ints', 'signed', 'wide' (not the halves)
--       op.gives({ 1, 3, 6 }, { 1, 2, 3 })              -- the result, then the arguments
--       op.refuses('dim must lie in 1..1, got 2', { 1 }, 2)
--       op.grad({ 1, 2, 3 })                            -- the op's own rule against central differences
--    end)
--
-- A table is a tensor of the dtype at hand; `opcheck.long{...}` (byte, double, ...) fixes a type, `opcheck.results(a, b)`
-- stands for several results, `opcheck.any` for one that is not compared. `gives` calls the function and the method, with
-- the result absent, empty, of another size, in a window of something larger, of a wrong type (which must be refused), and in
-- place where the op has a `self`; the operands contiguous, transposed, in a window, every second element, expanded where
-- their values allow it; and requires that operands, and the gaps between the elements of results, do not change.
-- `op.forms 'function result'` keeps only the forms named (function method result inplace); `op.tolerance(1e-3)` widens.
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'torch.lib'.C
local values = require 'test.support.values'
local TYPES, Typed, Results, is_tensor_value = values.TYPES, values.Typed, values.Results, values.is_tensor_value
local flatten, place_of, make, shape_of, numbers_of = values.flatten, values.place_of, values.make, values.shape_of, values.numbers_of
local snapshot, changed, near, difference, text, texts = values.snapshot, values.changed, values.near, values.difference,
   values.text, values.texts

local opcheck = { results = values.results, any = values.any }
for word, f in pairs(values.typed) do opcheck[word] = f end

local GROUPS = {
   all = 'byte char short int long half bfloat16 float double', floats = 'half bfloat16 float double',
   ints = 'byte char short int long', signed = 'char short int long half bfloat16 float double',
   wide = 'byte char short int long float double',
}

-- ---- what an op is, read from the registry ---------------------------------------------------------

local function signature(op)
   local args = {}
   for name, kind, default in ffi.string(op.args):gmatch '([%w_]+):(%a+)(=?[^ ]*)' do
      args[#args + 1] = { name = name, kind = kind, default = default ~= '' and default:sub(2) or nil }
   end
   return args
end

-- All call forms of a name: { op, args } each.
local function forms_of(name)
   local found, i = {}, 0
   while C.th_op_at(i) ~= nil do
      local op = C.th_op_at(i)
      if ffi.string(op.name) == name then found[#found + 1] = { op = op, args = signature(op) } end
      i = i + 1
   end
   return found
end

local RESULT = { out = true, self = true }

-- ---- calling ---------------------------------------------------------------------------------------

-- The arguments of a case as Lua values; nil when the layout changes none of the tensors.
-- `layout` is for the tensor arguments that `pick` chooses.
local function materialise(args, kind, layout, pick)
   local values, used, k = { n = args.n }, layout == 'contiguous', 0
   for i = 1, args.n do
      local v = args[i]
      if is_tensor_value(v) then
         k = k + 1
         local t, data = kind, v
         if getmetatable(v) == Typed then t, data = v.type, v.data end
         local made = (not pick or pick(k)) and make(t, data, layout) or nil
         used = used or made ~= nil
         values[i] = made or make(t, data, 'contiguous')
      else
         values[i] = v
      end
   end
   return used and values or nil
end

local function pack(...) return { n = select('#', ...), ... } end

-- One running case: knows its op, dtype and what to say when it fails.
local Case = {}
Case.__index = Case

function Case:fail(how, why) error(('%s(%s), %s, %s: %s'):format(self.name, texts(self.args), self.kind, how, why), 0) end

function Case:expected(i)
   if getmetatable(self.result) == Results then return self.result[i] end
   return self.result
end

function Case:nresults() return getmetatable(self.result) == Results and self.result.n or 1 end

function Case:call(how, f, args, first)
   local got = pack(pcall(f, unpack(args, first or 1, args.n)))
   if not got[1] then self:fail(how, tostring(got[2])) end
   if got.n - 1 < self:nresults() then self:fail(how, ('returned %d values'):format(got.n - 1)) end
   for i = 1, self:nresults() do
      local why = difference(self:expected(i), got[i + 1], self.kind, self.tolerance)
      if why then self:fail(how, (self:nresults() > 1 and 'result ' .. i .. ': ' or '') .. why) end
   end
   return got
end

-- Calls and wants the arguments from `first` on to stay as they were.
function Case:call_and_look(how, f, args, first, watch)
   local before = {}
   for i = watch or first or 1, args.n do if torch.isTensor(args[i]) then before[i] = snapshot(args[i]) end end
   local got = self:call(how, f, args, first)
   for i, s in pairs(before) do
      local why = changed(args[i], s)
      if why then self:fail(how, ('argument %d was changed: %s'):format(i, why)) end
   end
   return got
end

-- The type and data that result i shall have; nil when it is no tensor.
function Case:result_data(i)
   local e = self:expected(i)
   if e == opcheck.any or type(e) ~= 'table' then return nil end
   if getmetatable(e) == Typed then return e.type, e.data end
   return self.kind, e
end

-- Calls with the results given: `prepare(kind, data)` makes each.
function Case:call_with_results(how, values, prepare, by_method)
   local with = { n = values.n + self:nresults() }
   local before = {}
   for i = 1, self:nresults() do
      with[i] = prepare(self:result_data(i))
      before[i] = snapshot(with[i])
   end
   for i = 1, values.n do with[self:nresults() + i] = values[i] end
   local f = by_method and with[1][self.name] or torch[self.name]
   local got = self:call_and_look(how, f, with, 1, self:nresults() + 1)
   for i = 1, self:nresults() do
      if not rawequal(got[i + 1], with[i]) then self:fail(how, 'the result given is not the result returned') end
   end
   return with, before
end

local function other_kind(a, b)
   for _, k in ipairs { 'Short', 'Int', 'Char' } do if k ~= a and k ~= b then return k end end
end

local FILLER = {}                            -- "some other size"
for i = 1, 3 do FILLER[i] = { 5, 5 } end

function Case:results_given(values)
   for i = 1, self:nresults() do if not self:result_data(i) then return end end
   self:call_with_results('into an empty result', values, function(kind) return make(kind, {}) end)
   self:call_with_results('into a result of another size', values, function(kind) return make(kind, FILLER) end)
   local function windowed(kind, data)
      local sizes, numbers = flatten(data)
      local t = make(kind, data, 'window')
      for i = 1, #numbers do
         local strides = {}
         for d = 1, #sizes do strides[d] = t:stride(d) end
         t:storage()[place_of(i - 1, sizes, strides, t:storageOffset() - 1)] = 5
      end
      return t
   end
   for _, how in ipairs { 'into a window', 'into a window, by method' } do
      local by_method = how:find 'method' ~= nil
      if not by_method or self.allows.method then
         local with, before = self:call_with_results(how, values, windowed, by_method)
         for i = 1, self:nresults() do
            local why = changed(with[i], before[i], true)
            if why then self:fail(how, ('result %d: %s'):format(i, why)) end
         end
      end
   end
   local with = { n = values.n + self:nresults() }
   for i = 1, self:nresults() do with[i] = make(other_kind(self:result_data(i), self.kind), FILLER) end
   for i = 1, values.n do with[self:nresults() + i] = values[i] end
   local before = snapshot(with[1])
   if pcall(torch[self.name], unpack(with, 1, with.n)) then
      self:fail('into a result of a wrong type', ('a %s was accepted'):format(torch.typename(with[1])))
   end
   local why = changed(with[1], before)
   if why then self:fail('into a result of a wrong type', why) end
end

-- May result 1 take the place of argument 1? Only when both have the same type and size.
function Case:fits_in_place()
   local kind, data = self:result_data(1)
   local first = self.args[1]
   if not kind or self:nresults() > 1 or not is_tensor_value(first) then return false end
   local first_kind, first_data = self.kind, first
   if getmetatable(first) == Typed then first_kind, first_data = first.type, first.data end
   return kind == first_kind and table.concat(flatten(data), 'x') == table.concat(flatten(first_data), 'x')
end

function Case:in_place(how, values)
   local x = values[1]
   local before = snapshot(x)
   local f = x[self.name]
   local got = self:call_and_look(how, f, values, 1, math.max(self.changes, 1) + 1)
   if not rawequal(got[2], x) then self:fail(how, 'the object itself is not what came back') end
   local why = changed(x, before, true)
   if why then self:fail(how, why) end
end

local PICKS = { { 'all', nil }, { 'the first', function(k) return k == 1 end }, { 'all but the first', function(k) return k > 1 end } }

function Case:run_layout(layout, pick)
   local inout = self.first == 'inout'
   local wanted = pick[2]
   if inout and layout == 'expanded' then           -- what is written to cannot be
      wanted = function(k) return k > self.changes and (not pick[2] or pick[2](k)) end
   end
   local function fresh() return materialise(self.args, self.kind, layout, wanted) end
   local values = fresh()
   if not values then return end
   local how = layout == 'contiguous' and 'contiguous' or ('%s operands %s'):format(pick[1], layout)
   if self.allows['function'] and torch[self.name] then
      self:call_and_look('function, ' .. how, torch[self.name], values, 1, self.changes + 1)
   end
   local x = values[1]
   if inout then
      if torch.isTensor(x) and self.allows.method then self:in_place('method, ' .. how, fresh()) end
   elseif self.first == 'self' then
      if layout ~= 'expanded' and self.allows.inplace and self:fits_in_place() then self:in_place('in place, ' .. how, fresh()) end
   elseif self.allows.method and torch.isTensor(x) then
      self:call_and_look('method, ' .. how, x[self.name], fresh())
   end
   if layout == 'contiguous' and RESULT[self.first] and self.allows.result then self:results_given(fresh()) end
end

function Case:run()
   for _, layout in ipairs { 'contiguous', 'transposed', 'window', 'second', 'expanded' } do
      for i, pick in ipairs(PICKS) do
         if layout ~= 'contiguous' or i == 1 then self:run_layout(layout, pick) end
      end
   end
end

function Case:run_refusal(message, good)
   local values = materialise(self.args, self.kind, 'contiguous')
   local function attempt(how, args, f)
      local before = {}
      for i = 1, args.n do if torch.isTensor(args[i]) then before[i] = snapshot(args[i]) end end
      local ok, why = pcall(f, unpack(args, 1, args.n))
      if ok then self:fail(how, 'was accepted; expected the error "' .. message .. '"') end
      if not tostring(why):find(message, 1, true) then
         self:fail(how, ('expected the error "%s", got "%s"'):format(message, tostring(why)))
      end
      for i, s in pairs(before) do
         local what = changed(args[i], s)
         if what then self:fail(how, ('the refused call changed argument %d: %s'):format(i, what)) end
      end
   end
   if torch[self.name] then attempt('function', values, torch[self.name]) end
   if torch.isTensor(values[1]) and self.allows.method and self.first ~= 'none' then
      attempt('method', values, values[1][self.name])
   end
   if RESULT[self.first] and self.allows.result then
      local with = { n = values.n + 1, make(self.kind, FILLER, 'window') }
      for i = 1, values.n do with[i + 1] = values[i] end
      attempt('into a result', with, torch[self.name])
   end
   if good then
      local case = setmetatable({ name = self.name, kind = self.kind, args = good.args, result = good.result, tolerance = good.tolerance,
                                  allows = self.allows, first = self.first, changes = self.changes }, Case)
      case:run_layout('contiguous', PICKS[1])
   end
end

-- ---- gradients -------------------------------------------------------------------------------------

local function accepts(kind, v)
   if kind == 'tensor' or kind == 'inout' then return torch.isTensor(v) end
   if kind == 'number' or kind == 'int' or kind == 'dim' then return type(v) == 'number' end
   if kind == 'bool' then return type(v) == 'boolean' end
   if kind == 'string' then return type(v) == 'string' end
   if kind == 'list' then return type(v) == 'table' end
   if kind == 'sizes' then return torch.isStorage(v) end
   return false
end

-- The call form that takes these values, and its arguments by name (defaults filled in).
local function bind(forms, values)
   local function match(args, i, k, env)
      local a = args[i]
      if not a then return k > values.n and env or nil end
      if RESULT[a.kind] or a.kind == 'return' or a.kind == 'gen' then return match(args, i + 1, k, env) end
      if k <= values.n and accepts(a.kind, values[k]) then
         env[a.name] = values[k]
         local found = match(args, i + 1, k + 1, env)
         if found then return found end
         env[a.name] = nil
      end
      if a.default then
         env[a.name] = tonumber(a.default)
         if a.default == 'true' or a.default == 'false' then env[a.name] = a.default == 'true' end
         if a.kind == 'string' then env[a.name] = a.default:match "^'(.*)'$" end
         if a.kind == 'sizes' then env[a.name] = {} end
         return match(args, i + 1, k, env)
      end
   end
   for _, form in ipairs(forms) do
      local env = match(form.args, 1, 1, {})
      if env then return form, env end
   end
end

local STEP = 1e-5

-- sum(g * y) as a number, for a fixed g: what the central differences are taken of.
local function weigh(y, g)
   if type(y) == 'number' then return y * g end
   local _, a = numbers_of(y)
   local _, b = numbers_of(g)
   local sum = 0
   for i = 1, #a do sum = sum + a[i] * b[i] end
   return sum
end

function Case:run_gradient(forms)
   local derivative = require 'torch.derivative'
   local values = materialise(self.args, 'Double', 'contiguous')
   local form, env = bind(forms, values)
   if not form then self:fail('gradient', 'no call form takes these arguments') end
   if form.op.grad == nil then self:fail('gradient', 'the op has no rule') end
   local f = torch[self.name]
   local results = { f(unpack(values, 1, values.n)) }
   local y = results[1]
   local g = 0.75
   if torch.isTensor(y) then
      g = y:clone()
      for i = 1, g:nElement() do g:storage()[i] = math.sin(3 * i) + 0.25 end
   end
   local rule, result = ffi.string(form.op.grad), form.args[1].name
   env[RESULT[form.args[1].kind] and result or 'y'] = y
   for k = 2, #results do
      if form.args[k] and RESULT[form.args[k].kind] then env[form.args[k].name] = results[k] end
   end
   env.g = g
   local gradients = derivative.gradients(rule, env)
   local seen = 0
   for name, grad in pairs(gradients) do
      local x = env[name]
      if not torch.isTensor(x) then self:fail('gradient', name .. ' is not a tensor argument') end
      local why = grad and table.concat(shape_of(grad), 'x') ~= table.concat(shape_of(x), 'x')
      if why then self:fail('gradient of ' .. name, 'has another size than ' .. name) end
      local _, got = numbers_of(grad)
      local storage = x:storage()
      for i = 1, x:nElement() do
         local kept = storage[i]
         storage[i] = kept + STEP
         local up = weigh(f(unpack(values, 1, values.n)), g)
         storage[i] = kept - STEP
         local down = weigh(f(unpack(values, 1, values.n)), g)
         storage[i] = kept
         local slope = (up - down) / (2 * STEP)
         if not near(slope, got[i], 1e-6) then
            self:fail('gradient of ' .. name, ('element %d: differences say %.9g, the rule says %.9g'):format(i, slope, got[i]))
         end
      end
      seen = seen + 1
   end
   if seen == 0 then self:fail('gradient', 'the rule names no argument') end
end

-- ---- what a spec sees ------------------------------------------------------------------------------

local function kinds_of(list)
   local kinds = {}
   for word in list:gmatch '%S+' do
      for each in (GROUPS[word] or word):gmatch '%S+' do
         kinds[#kinds + 1] = assert(TYPES[each], 'opcheck: unknown dtype ' .. each)
      end
   end
   return kinds
end

function opcheck.describe(name, body)
   local describe, it = assert(_G.describe or getfenv(body).describe), assert(_G.it or getfenv(body).it)
   describe('torch.' .. name, function()
      local forms = forms_of(name)
      local kinds, allows, tolerance, good = kinds_of 'double', {}, nil, nil
      for _, form in ipairs { 'function', 'method', 'result', 'inplace' } do allows[form] = true end
      local first = #forms > 0 and forms[1].args[1].kind or 'none'
      local changes = 0                        -- so many arguments, the first ones, change
      for i, a in ipairs(#forms > 0 and forms[1].args or {}) do
         if a.kind == 'inout' and changes == i - 1 then changes = i end
      end
      if first ~= 'inout' and not RESULT[first] then first = 'none' end
      if #forms == 0 then it('is an op of the registry', function() error('no op is named ' .. name, 0) end) end
      local function case(kind, result, ...)
         return setmetatable({ name = name, kind = kind, result = result, args = pack(...), allows = allows, first = first,
                               changes = changes, tolerance = tolerance }, Case)
      end
      local op = {}
      function op.dtypes(list) kinds, good = kinds_of(list), nil end
      function op.forms(list)
         allows = {}
         for form in list:gmatch '%S+' do allows[form] = true end
      end
      function op.tolerance(t) tolerance = t end
      function op.gives(result, ...)
         local args = pack(...)
         good = { result = result, args = args, tolerance = tolerance }
         for _, kind in ipairs(kinds) do
            local c = case(kind, result, ...)
            it(('gives %s for (%s), %s'):format(text(result), texts(args), kind), function() c:run() end)
         end
      end
      function op.refuses(message, ...)
         local args, after = pack(...), good
         for _, kind in ipairs(kinds) do
            local c = case(kind, nil, ...)
            it(('refuses (%s), %s: %s'):format(texts(args), kind, message), function() c:run_refusal(message, after) end)
         end
      end
      function op.grad(...)
         local args, c = pack(...), case('Double', nil, ...)
         it(('has the right gradient at (%s)'):format(texts(args)), function() c:run_gradient(forms) end)
      end
      body(op)
   end)
end

return opcheck
