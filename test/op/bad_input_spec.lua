-- test/op/bad_input_spec.lua - every op of the registry, called with valid and invalid arguments.
--
-- The calls are drawn from the signatures with a fixed seed, half of them as good calls of which some arguments were
-- replaced. Whatever happens, the process lives, inputs keep their values, and a refused call names the function and
-- leaves its results as they were. Good calls between them always give the same, and without memory the same or an error.
-- runs once: the core refuses calls before it picks a kernel of a level; specs of test/op try the kernels at every level
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local ffi = require 'ffi'

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 150         -- for each call form

local function snapshot(x)
   return { x = x, type = x:type(), size = x:size():totable(),
      bytes = x:nElement() > 0 and ffi.string(x:clone():data(), x:nElement() * x:elementSize()) or '' }
end

local function unchanged(s)
   local x = s.x
   if x:type() ~= s.type then return false end
   local size = x:size():totable()
   if #size ~= #s.size then return false end
   for d = 1, #size do if size[d] ~= s.size[d] then return false end end
   return s.bytes == (x:nElement() > 0 and ffi.string(x:clone():data(), x:nElement() * x:elementSize()) or '')
end

local function shares(a, b)
   local s, t = a:storage(), b:storage()
   return s ~= nil and t ~= nil and s == t
end

-- Small arguments that the form takes, if it takes this type.
local function sensible(name, form, kind)
   if C.th_op_supports(form.op, C.TH_CPU, dtype.id[kind]) == 0 then return nil end
   return draw.good(name, form, { kind = kind, rows = draw.whole(4), cols = draw.whole(5), dim = draw.whole(2),
      layout = draw.pick { 'contiguous', 'transposed' } })
end

-- ---- what is wrong with a call ----------------------------------------------------------------------

local kinds = {}                             -- kind -> in how many calls; a call may be wrong in several ways

local of_word = { number = 'number', int = 'number', dim = 'number', bool = 'boolean', string = 'string' }
local is_tensor = { tensor = true, out = true, self = true, inout = true }

local function kinds_of_value(word, v, mark)
   if v == nil then return mark 'nil' end
   if of_word[word] and type(v) ~= of_word[word] or is_tensor[word] and not torch.isTensor(v) then mark 'wrong type' end
   if torch.isStorage(v) and #v == 2 and v[1] == 2 ^ 40 then mark 'sizes whose product overflows' end
   if type(v) ~= 'number' then return end
   if v ~= v then mark 'nan' elseif v == 2 ^ 53 then mark '2^53' end
   if word == 'dim' or word == 'int' then
      if v == 0 then mark 'index 0' elseif v < 0 then mark 'index -n' elseif v > 3 then mark 'index n+1' end
   end
end

local function kinds_of_shapes(seen, results, mark)
   for i, x in ipairs(seen) do
      if x:nElement() == 0 then mark 'empty' elseif x:dim() == 0 then mark '0-d' end
      if i > 1 and x:dim() ~= seen[1]:dim() then mark 'other number of dimensions'
      elseif i > 1 and not x:isSameSizeAs(seen[1]) then mark 'size mismatch' end
   end
   for _, r in ipairs(results) do
      for d = 1, r:dim() do if r:size(d) > 1 and r:stride(d) == 0 then mark 'expanded result' end end
      for _, x in ipairs(seen) do if x ~= r and shares(x, r) then mark 'overlapping result' end end
   end
end

local function count_kinds(words, args, n, seen, results, more)
   local found = more
   local function mark(kind) found[kind] = true end
   for i = 1, n do kinds_of_value(words[i], args[i], mark) end
   kinds_of_shapes(seen, results, mark)
   for kind in pairs(found) do kinds[kind] = (kinds[kind] or 0) + 1 end
end

-- ---- good calls -------------------------------------------------------------------------------------

local function text_of(x)
   if torch.isTensor(x) then
      return x:nElement() > 0 and ffi.string(x:clone():data(), x:nElement() * x:elementSize()) or ''
   end
   return type(x) == 'number' and tostring(x) or ''
end

-- Calls with copies of the arguments: all that comes out as text, or nothing and the error.
local function outcome(call)
   local args = {}
   for i = 1, call.n do args[i] = torch.isTensor(call[i]) and call[i]:clone() or call[i] end
   local r = { pcall(call.f, unpack(args, 1, call.n)) }
   if not r[1] then return nil, tostring(r[2]) end
   local text = {}
   for i = 1, call.n do text[i] = text_of(args[i]) end
   for i = 2, 5 do text[#text + 1] = text_of(r[i]) end
   return table.concat(text, '|')
end

-- A call of this form that gives the same each time, or nil.
local function good_call(name, form)
   local args
   for _, kind in ipairs { 'Double', 'Float', 'Long' } do args = args or sensible(name, form, kind) end
   if not args then return nil end
   local call = { f = op.func(name), n = 0 }
   for _, a in ipairs(form.args) do
      if a.word ~= 'return' and a.word ~= 'out' and a.word ~= 'self' then
         call.n = call.n + 1
         call[call.n] = args[a.name]
      end
   end
   call.text = outcome(call)
   return call.text and outcome(call) == call.text and call or nil
end

-- Without any memory: the right result, or an error that says so. Memory that the collector finds may be enough.
local function starve(name, call)
   local memory = C.th_memory_of(0)
   local most = memory.most
   memory.most = math.max(1, tonumber(memory.bytes))
   local ok, text, why = pcall(outcome, call)
   memory.most = most
   if not ok then return end                                  -- there was none for the copies
   assert(text == call.text or why and why:find 'memory' and why:find(name, 1, true),
      name .. ' without memory: ' .. (why or 'the result is wrong'))
   assert(outcome(call) == call.text, name .. ' gives another result after it had no memory')
end

-- Calls one form once; returns whether it was refused.
local function try(name, form, method)
   local seen, args, results, words, more = {}, {}, {}, {}, {}
   local element = draw.kind()
   local whole = draw.whole
   local good = whole(2) == 1 and sensible(name, form, element) or nil
   local n = 0
   for _, a in ipairs(form.args) do
      if a.word ~= 'return' then
         local leave_out = (a.word == 'out' or a.word == 'self' and not method) and whole(3) > 1
            or a.default and whole(3) == 1
         if not leave_out then
            n = n + 1
            words[n] = a.word
            if good and whole(8) > 1 then
               args[n] = good[a.name]
               if torch.isTensor(args[n]) then seen[#seen + 1] = args[n] end
               for _, x in ipairs(a.word == 'list' and args[n] or {}) do seen[#seen + 1] = x end
            else
               args[n] = draw.wild(a, seen, element)
            end
            if (a.word == 'out' or a.word == 'self' or a.word == 'inout') and torch.isTensor(args[n]) then
               results[#results + 1] = args[n]
            end
         end
      end
   end
   if whole(20) == 1 then
      n = n + 1
      args[n] = draw.junk()
      more['too many arguments'] = true
   elseif whole(20) == 1 and n > 0 then
      n = n - 1
      more['too few arguments'] = true
   end
   if C.th_op_supports(form.op, C.TH_CPU, dtype.id[element]) == 0 then more['unsupported type'] = true end
   count_kinds(words, args, n, seen, results, more)
   local before = {}
   for i, x in ipairs(seen) do before[i] = snapshot(x) end
   local f = method and op.method(name) or op.func(name)
   local ok, err = pcall(f, unpack(args, 1, n))
   local function call()
      local words = {}
      for i = 1, n do
         words[i] = torch.isTensor(args[i]) and args[i]:type() .. '(' .. table.concat(args[i]:size():totable(), 'x') .. ')'
            or tostring(args[i])
      end
      return ('%s(%s): %s'):format(name, table.concat(words, ', '), ok and 'accepted' or tostring(err))
   end
   if not ok then
      assert(tostring(err):find(name, 1, true), 'the message does not name the function: ' .. call())
      for _, s in ipairs(before) do assert(unchanged(s), 'a refused call changed an operand: ' .. call()) end
   else
      -- A call may be read in another form than the one it was drawn from: what shares memory with any tensor that
      -- came first could be a result.
      for _, s in ipairs(before) do
         local may_change = s.x == args[1] or torch.isTensor(args[1]) and shares(s.x, args[1])
         for _, r in ipairs(results) do may_change = may_change or s.x == r or shares(s.x, r) end
         for i = 2, n do
            if torch.isTensor(args[i]) and i <= 4 and s.x == args[i] and #results > 1 then may_change = true end
         end
         assert(may_change or unchanged(s), 'an input was changed: ' .. call())
      end
   end
   return not ok
end

describe('bad input', function()
   local calls, refused, after, starved = 0, 0, 0, 0
   local memory = C.th_memory_of(0)
   setup(function() memory.most = memory.bytes + 2 ^ 28 end)           -- huge sizes meet their limit soon
   teardown(function() memory.most = 0 end)
   for _, name in ipairs(op.names()) do
      it('never harms ' .. name .. ': refused with its name, or computed', function()
         draw.seed(name)
         for _, form in ipairs(op.forms(name)) do
            local good, last = good_call(name, form), refused
            for i = 1, CALLS do
               calls = calls + 1
               if try(name, form, i % 3 == 0) then refused = refused + 1 end
               if good and refused >= last + 10 then
                  assert(outcome(good) == good.text, name .. ' gives another result after a refused call')
                  last, after = refused, after + 1
               end
            end
            if good then
               starve(name, good)
               starved = starved + 1
            end
         end
      end)
   end
   -- Each op with a NULL pointer in the place of each argument in turn, and behind the last.
   local function all_with(null)
      local tried = 0
      for _, name in ipairs(op.names()) do
         draw.seed(name)
         for _, form in ipairs(op.forms(name)) do
            local good = good_call(name, form)
            for i = 1, good and good.n + 1 or 0 do
               local args = {}
               for k = 1, good.n do args[k] = good[k] end
               args[i] = null
               local ok, why = pcall(good.f, unpack(args, 1, math.max(i, good.n)))
               assert(not ok and why:find(name, 1, true) and why:find('got', 1, true),
                  ('%s with NULL as argument %d: %s'):format(name, i, ok and 'accepted' or why))
               tried = tried + 1
            end
         end
      end
      assert.is_true(tried > 800, tried)
   end
   it('is a NULL pointer, in the place of any argument: refused, though it equals nil', function()
      all_with(ffi.cast('void *', 0))
   end)
   it('is a NULL pointer in the place of an optional argument of a function in Lua: refused', function()
      local image, null = require 'image', ffi.cast('void *', 0)
      local x = torch.rand(12, 12)
      for want, f in pairs {
         ['torch.bincount: weights must be a tensor of 2 elements'] = function() torch.bincount(torch.LongTensor { 1, 2 }, null) end,
         ['image.lcn: the kernel must be a tensor'] = function() image.lcn(x, null) end,
         ['image.erode: the kernel must be a tensor'] = function() image.erode(x, null) end,
         ['image.dilate: the kernel must be a tensor'] = function() image.dilate(x, null) end,
         ['image.y2jet: '] = function() image.y2jet(null, torch.ones(2, 3)) end,
      } do
         local ok, why = pcall(f)
         assert.is_false(ok)
         assert.truthy(why:find(want, 1, true), why)
      end
   end)
   it('is a NULL pointer to a tensor: refused, though a pointer to a tensor passes for one', function()
      all_with(ffi.cast('th_tensor *', 0))
   end)
   it('is a NULL pointer to a storage or to a generator: refused', function()
      all_with(ffi.cast('th_storage_ref *', 0))
      all_with(ffi.cast('th_generator_ref *', 0))
   end)
   it('is a method called on a NULL pointer to a tensor, a storage or a generator: refused', function()
      for kind, text in pairs { th_tensor = 'a tensor must not be a NULL pointer', th_storage_ref = 'a storage must not be a NULL pointer',
         th_generator_ref = 'must be a torch.Generator, got a NULL pointer' } do
         local null = ffi.cast(kind .. ' *', 0)
         for _, name in ipairs { 'size', 'fill', 'clone', 'kind', 'new' } do
            local ok, why = pcall(function() return null[name](null) end)
            if kind ~= 'th_generator_ref' or torch.Generator[name] and name ~= 'new' then
               assert.is_false(ok, kind .. ':' .. name)
               assert.truthy(why:find(text, 1, true), why)
            end
         end
         assert.equal('NULL', tostring(null))
         assert.is_nil(torch.typename(null))
         assert.is_false(torch.isTensor(null) or torch.isStorage(null))
      end
   end)
   it('is a NULL pointer for a method that is called with a dot: refused', function()
      local null = ffi.cast('th_tensor *', 0)
      for _, name in ipairs { 'size', 'resize', 'view', 'clone', 'type', 'totable', 'add', 'narrow' } do
         local ok, why = pcall(torch.Tensor[name], null, 1, 1)
         assert.is_false(ok, name)
         assert.truthy(why:find('NULL pointer', 1, true), why)
      end
      assert.has_error(function() torch.Generator.write(torch.ones(2), torch.MemoryFile()) end,
         'write: argument 1 must be a torch.Generator, got a torch.DoubleTensor of size 2')
   end)
   it('is tried in thousands of calls, of which many are refused', function()
      assert.is_true(calls > 3000, calls)
      assert.is_true(refused > calls / 5, refused)
      print(('%d calls drawn from the signatures, %d refused; %d good ones after refusals, %d without memory'):format(calls,
         refused, after, starved))
      local names = {}
      for kind in pairs(kinds) do names[#names + 1] = kind end
      table.sort(names)
      for _, kind in ipairs(names) do print(('   %-30s %6d'):format(kind, kinds[kind])) end
      assert.equal(17, #names)
   end)
end)
