-- torch.op - gives every op of the C registry its Lua functions, written from its signature.
--
-- `x:tensor dim:dim=1` becomes `function(x, dim) ... end`. Ops of one name are call forms of one function, which selects one
-- by the number and the kinds of its arguments. The text is generated on first use, which keeps start-up short.
-- The signature language is described in lib/include/th_op.h.
local ffi = require 'ffi'
local original = require 'torch.original'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local C = lib.C

-- noted: set by torch.init; it handles TH_ENOTE (torch.warn).
-- gather_devices: set by cutorch.setKernelPeerToPeerAccess; gather_devices(o, argv, n) copies inputs to one device, and returns
-- whether there were any.
-- taped: set by the package autograd. holds(...) returns whether its values are among arguments that fit no call form,
-- call(name, method, ...) then makes the call, and multiply(a, b) is the operator *.
-- pointwise(f, ...) calls what torch.pointwise has made.
-- symbols: the same, set by torch.symbol, with refuse(name) for symbols in lists.
local op = {}

-- ---- signatures -------------------------------------------------------------------------------------------------

-- For each kind of argument: its test, its conversion, and its name in messages.
local kinds = {
   out    = { test = 'istype(Tensor, %s)',                             fill = 'argv[%d].t = %s',  what = 'a tensor' },
   tensor = { test = 'istype(Tensor, %s)',                             fill = 'argv[%d].t = %s',  what = 'a tensor' },
   number = { test = 'type(%s) == "number"',                           fill = 'argv[%d].d = %s',  what = 'a number' },
   int    = { test = 'type(%s) == "number"', whole = true,             fill = 'argv[%d].i = %s',  what = 'a whole number' },
   bool   = { test = 'type(%s) == "boolean"',                          fill = 'argv[%d].i = %s and 1 or 0', what = 'true or false' },
   string = { test = 'type(%s) == "string"',                           fill = 'argv[%d].s = %s',  what = 'a string' },
   list   = { test = 'type(%s) == "table"',  keep = 'list(%s, name)',  fill = 'argv[%d].list = %s', what = 'a table of tensors' },
   sizes  = { test = 'is_sizes(%s)',         keep = 'sizes(%s, name)', none = 'no_sizes', fill = 'argv[%d].sizes = %s', what = 'sizes' },
   gen    = { test = 'is_generator(%s)',                               fill = 'argv[%d].gen = %s.g', what = 'a generator' },
   ['return'] = {},
}
kinds.self, kinds.inout, kinds.dim = kinds.out, kinds.out, kinds.int

-- The arguments of an op: { name, word, kind, default }.
local function parse(text)
   local args = {}
   for name, word, default in text:gmatch '([%w_]+):(%l+)=?(%S*)' do
      args[#args + 1] = { name = name, word = word, kind = assert(kinds[word], word), slot = #args,
         default = default ~= '' and default or nil }
   end
   return args
end

local by_name, names             -- name -> { { op, args }, ... } in the order of the registry

local function read_registry()
   by_name, names = {}, {}
   local i, o = 0, C.th_op_at(0)
   while o ~= nil do
      local name = ffi.string(o.name)
      if not by_name[name] then
         by_name[name] = {}
         names[#names + 1] = name
      end
      table.insert(by_name[name], { op = o, text = ffi.string(o.args) })
      i = i + 1
      o = C.th_op_at(i)
   end
end

--- All op names, in the order of the registry.
function op.names()
   if not by_name then read_registry() end
   return names
end

--- The call forms of an op: a list of { op = const th_op *, text = signature, args = parsed }, or nil.
function op.forms(name)
   if not by_name then read_registry() end
   local forms = by_name[name]
   for _, f in ipairs(forms or {}) do f.args = f.args or parse(f.text) end
   return forms
end

-- ---- patterns: which arguments a call may leave out ---------------------------------------------------------------

local function is_optional(a, method)
   if a.word == 'out' or a.word == 'gen' then return true end
   if a.word == 'self' then return not method end
   if not a.default then return false end
   if a.kind == kinds.tensor and a.default ~= 'nil' then return method end
   return true
end

-- Lists of arguments that a caller may give. Results are left out from the right. Optional arguments before the last
-- required one, or before a generator, may be left out one by one; those after it may only be cut off, and nil there
-- means the default. An argument whose default is nil may be nil in its position anywhere.
local function patterns_of(form, method)
   local args, last, together = {}, 0, false
   for _, a in ipairs(form.args) do
      -- An absent input would be taken for an absent result, so such an op gets all of its results or none.
      together = together or a.kind == kinds.tensor and a.default == 'nil'
      if a.word ~= 'return' then
         args[#args + 1] = a
         local stands_for = method and a.kind == kinds.tensor and a.default and a.default ~= 'nil'   -- x:elu(0.5)
         if stands_for or a.word == 'gen' or not is_optional(a, method) then last = #args end
      end
   end
   local found = {}
   local function go(i, taken, out_left_out, out_given)
      if i > last then
         local p = { form = form, required = #taken }
         for _, a in ipairs(taken) do p[#p + 1] = a end
         for k = last + 1, #args do p[#p + 1] = args[k] end
         found[#found + 1] = p
         return
      end
      local a = args[i]
      local is_out = a.word == 'out' or a.word == 'self'
      local optional = is_optional(a, method)
      -- If two arguments could take a number, the later one gets it: m:addmm(2, a, b) scales the product, not m.
      local later_first = optional and a.kind == kinds.number
      if is_out and together then
         if out_given then optional = false else later_first = optional end
      end
      if later_first then go(i + 1, taken, out_left_out or is_out, out_given) end
      if not (is_out and out_left_out) then
         taken[#taken + 1] = a
         go(i + 1, taken, out_left_out, out_given or is_out)
         taken[#taken] = nil
      end
      if optional and not later_first then go(i + 1, taken, out_left_out or is_out, out_given) end
   end
   go(1, {}, false, false)
   return found
end

-- ---- the text of a function -----------------------------------------------------------------------------------------

local function add(lines, fmt, ...) lines[#lines + 1] = fmt:format(...) end

local function quoted_default(a)
   if a.kind == kinds.gen then return 'default_generator' end
   if a.kind == kinds.sizes then return a.kind.none end
   return a.default
end

local ABSENT = '(not a%d and a%d == nil)'                   -- arg.absent, in the text of a function
local absent = arg.absent
local OPTIONAL = { ['istype(Tensor, %s)'] = 'is_tensor(%s)' }   -- C takes NULL for an absent one

-- One branch: the test of a pattern, then the code that fills argv and calls.
local function branch(lines, p, index, most)
   local tests = {}
   for i, a in ipairs(p) do
      local t = (a.default == 'nil' and OPTIONAL[a.kind.test] or a.kind.test):format('a' .. i)
      tests[i] = (i > p.required or a.default == 'nil') and ('(%s or %s)'):format(ABSENT:format(i, i), t) or t
   end
   for i = #p + 1, math.min(#p + 1, most + 1) do tests[#tests + 1] = ABSENT:format(i, i) end
   add(lines, '   if %s then', #tests > 0 and table.concat(tests, ' and ') or 'true')
   local given, results, numbers, alive = {}, {}, {}, {}
   for i, a in ipairs(p) do
      given[a] = 'a' .. i
      if not (a.kind.test:find '^type' and a.kind.fill:find '%]%.[di]') then alive[#alive + 1] = ', a' .. i end
   end
   for _, a in ipairs(p.form.args) do                       -- everything that allocates comes before argv is filled
      local v = given[a]
      if (a.word == 'out' or a.word == 'self') and not v then
         add(lines, '      local r%d = new()', a.slot)
         given[a] = 'r' .. a.slot
      elseif v and a.kind.keep then
         local value = a.kind.keep:format(v)
         alive[#alive + 1] = (', k%d, keep%d'):format(a.slot, a.slot)
         if a.default then value = ('%s ~= nil and %s or %s'):format(v, value, a.kind.none) end
         add(lines, '      local k%d, keep%d = %s', a.slot, a.slot, value)
      elseif v and a.kind.whole then                          -- C cuts fractions off
         local nilable = a.default and ('%s ~= nil and '):format(v) or ''
         add(lines, '      if %snot (%s >= -2^53 and %s <= 2^53) then not_whole(name, %q, %s) end', nilable, v, v, a.name, v)
      end
   end
   for _, a in ipairs(p.form.args) do
      local v = given[a]
      if a.word == 'return' then
         numbers[#numbers + 1] = ('argv[%d].d'):format(a.slot)
      else
         local trailing = v and a.default and v:sub(1, 1) == 'a' and tonumber(v:sub(2)) > p.required
         local default = quoted_default(a)
         if v and a.kind.keep then
            v = 'k' .. a.slot
         elseif not v or trailing then
            local alias
            if a.kind == kinds.tensor and default ~= 'nil' then
               for _, b in ipairs(p.form.args) do if b.name == default then alias = given[b] end end
               default = assert(alias, 'no argument ' .. tostring(default))
            end
            if trailing then
               if a.kind == kinds.bool then
                  add(lines, '      if %s == nil then %s = %s end', v, v, default)
               elseif default ~= 'nil' then
                  v = ('(%s or %s)'):format(v, default)
               end
            else
               v = default
            end
         end
         if a.kind == kinds.bool then v = '(' .. v .. ')' end
         add(lines, '      ' .. a.kind.fill, a.slot, v)
         if (a.word == 'out' or a.word == 'self' or a.word == 'inout') and v ~= 'nil' then
            results[#results + 1] = v
         end
      end
   end
   local n = #p.form.args
   add(lines, '      local status = C.th_run(op%d, argv, %d)', index, n)
   add(lines, '      if status ~= 0 then failed(status, op%d, argv, %d%s) end', index, n, table.concat(alive))
   for _, e in ipairs(numbers) do results[#results + 1] = e end
   add(lines, '      return %s', table.concat(results, ', '))
   add(lines, '   end')
end

local function all_patterns(forms, method)
   local all, most = {}, 0
   for _, f in ipairs(forms) do
      for _, p in ipairs(patterns_of(f, method)) do
         all[#all + 1] = p
         p.order = #all
         most = math.max(most, #p)
      end
   end
   table.sort(all, function(p, q)                              -- short calls first: they are the common ones
      if p.required ~= q.required then return p.required < q.required end
      return p.order < q.order
   end)
   return all, most
end

local function source(forms, method)
   local all, most = all_patterns(forms, method)
   local lines, params, op_names, index = {}, {}, {}, {}
   for i = 1, most + 1 do params[i] = 'a' .. i end
   for i, f in ipairs(forms) do op_names[i], index[f] = 'op' .. i, i end
   add(lines, 'local name, bad, failed, not_whole, list, sizes, no_sizes, is_sizes, C, argv, istype, Tensor, is_generator, is_tensor,')
   add(lines, '   default_generator, new, type, call, %s = ...', table.concat(op_names, ', '))
   add(lines, 'return function(%s)', table.concat(params, ', '))
   for _, p in ipairs(all) do branch(lines, p, index[p.form], most) end
   add(lines, '   return call(bad(name, %s, %s))', tostring(method), table.concat(params, ', '))
   add(lines, 'end')
   return table.concat(lines, '\n'), all
end

-- ---- messages of refused calls ------------------------------------------------------------------------------------

local describe                                              -- set by torch.init: 'a torch.FloatTensor', 'nil', ...

local function matches(a, v)
   local k = a.kind
   if k == kinds.tensor or k == kinds.out then return arg.is_tensor(v) end
   if k == kinds.gen then return arg.is_generator(v) end
   if k == kinds.list then return type(v) == 'table' end
   if k == kinds.sizes then return op.is_sizes(v) end
   if k == kinds.bool then return type(v) == 'boolean' end
   if k == kinds.string then return type(v) == 'string' end
   return type(v) == 'number'
end

local matched = { [true] = {}, [false] = {} }               -- method -> name -> patterns

local function default_value(a)
   if a.kind == kinds.bool then return a.default == 'true' end
   if a.kind == kinds.string then return a.default:match '^"(.*)"$' or a.default:match "^'(.*)'$" end
   if a.kind == kinds.sizes then return {} end
   return tonumber(a.default)
end

local function patterns_for(name, method)
   method = method and true or false
   matched[method][name] = matched[method][name] or all_patterns(op.forms(name), method)
   return matched[method][name]
end

--- The lists of arguments that calls of an op may give, short ones first: each has the arguments, { name, word, default }, then
-- `required`, how many of them must be given, and `form`, the call form.
function op.patterns(name, method) return patterns_for(name, method) end

-- The pattern that n arguments fit without conversion.
local function pattern_for(name, method, n, given)
   for _, p in ipairs(patterns_for(name, method)) do
      local fits = n <= #p
      for i = 1, fits and #p or 0 do
         local v = given[i]
         if absent(v) then fits = fits and (i > p.required or p[i].default == 'nil') else fits = fits and matches(p[i], v) end
      end
      if fits then return p end
   end
end

-- The n arguments as p takes them where Torch7 took more: a string in place of a number, and x:topk(2, true), which leaves out
-- numbers with defaults before an argument that is none. Also returns how many were left out. nil when they do not fit.
local function adapted(p, n, given)
   local out, i, left_out = {}, 1, 0
   for k, a in ipairs(p) do
      local v = given[i]
      local number = (a.kind == kinds.number or a.kind == kinds.int) and type(v) == 'string' and tonumber(v)
      if number or v ~= nil and matches(a, v) then
         out[k], i = number or v, i + 1
      elseif absent(v) and (k > p.required or a.default == 'nil') then
         i = i + 1
      elseif k > p.required and (type(v) == 'boolean' or type(v) == 'string') then
         left_out = left_out + 1
      else
         return nil
      end
   end
   if i > n then return out, left_out end
end

-- adapted() by the first pattern that takes the arguments.
local function adapt(name, method, n, given)
   for _, p in ipairs(patterns_for(name, method)) do
      local out, left_out = adapted(p, n, given)
      if out then return out, left_out, p end
   end
end

--- The call form for n arguments: its pattern, a table from names of arguments to values, defaults included, and one from names
--- to positions among the arguments; nil when none fits. Strings that stand for numbers are converted.
function op.match(name, method, n, given)
   local p = pattern_for(name, method, n, given)
   if not p then
      local out, left_out, loose = adapt(name, method, n, given)
      if not out or left_out > 0 then return nil end
      for i = 1, n do given[i] = out[i] end
      p = loose
   end
   local env, place = {}, {}
   for i = 1, n do env[p[i].name], place[p[i].name] = given[i], i end
   for _, a in ipairs(p.form.args) do
      if env[a.name] == nil and a.default and a.default ~= 'nil' then
         if a.kind == kinds.tensor then
            env[a.name], place[a.name] = env[a.default], place[a.default]
         else
            env[a.name] = default_value(a)
         end
      end
   end
   return p, env, place
end

--- The call forms in readable notation: torch.add([y,] x, value).
function op.usage(name, method)
   local out = {}
   for _, f in ipairs(op.forms(name)) do
      local words, first = {}, nil
      for _, a in ipairs(f.args) do
         if a.word ~= 'return' then
            local optional = is_optional(a, method)
            if method and not first and not optional then
               first = a.name
            else
               words[#words + 1] = optional and ('[%s]'):format(a.name) or a.name
            end
         end
      end
      local call = method and ('%s:%s'):format(first or 'x', name) or 'torch.' .. name
      out[#out + 1] = ('%s(%s)'):format(call, table.concat(words, ', '))
   end
   return table.concat(out, ' or ')
end

-- For arguments that fit no call form: the function to call and converted arguments, or else an error.
local function bad(name, method, ...)
   if op.symbols and op.symbols.holds(...) then return op.symbols.call, name, method, ... end
   if op.taped and op.taped.holds(...) then return op.taped.call, name, method, ... end
   local n = select('#', ...)
   local given = { ... }
   while n > 0 and absent(given[n]) do n = n - 1 end
   local out, _, taken = adapt(name, method, n, given)
   if out then return op[method and 'method' or 'func'](name), unpack(out, 1, #taken) end
   local reached, wanted, too_many, seen = 0, {}, true, {}
   for _, f in ipairs(op.forms(name)) do
      for _, p in ipairs(patterns_of(f, method)) do
         local i = 0
         while i < #p and (matches(p[i + 1], given[i + 1])
            or (absent(given[i + 1]) and (i >= p.required or (i < n and p[i + 1].default == 'nil')))) do i = i + 1 end
         if i > reached then reached, wanted, too_many, seen = i, {}, true, {} end
         if i == reached and i < #p then
            local what = ('%s (%s)'):format(p[i + 1].name, p[i + 1].kind.what)
            too_many = false
            if not seen[what] then
               seen[what] = true
               wanted[#wanted + 1] = what
            end
         end
      end
   end
   local full = (method and 'Tensor:' or 'torch.') .. name
   local usage = '; use ' .. op.usage(name, method)
   if too_many then
      error(('%s: too many arguments, expected at most %d, got %d%s'):format(full, reached, n, usage), 3)
   end
   error(('%s: argument %d must be %s, got %s%s'):format(full, reached + 1, table.concat(wanted, ' or '),
      reached + 1 > n and 'nothing' or describe(given[reached + 1]), usage), 3)
end

-- A tail call of this replaces the function that makes it, so that errors blame its caller.
local function call(f, ...) return f(...) end

local function not_whole(name, arg, v)
   error(('%s: %s must be a whole number, got %s'):format(name, arg, tostring(v)), 3)
end

-- Handles a failed run: when memory is short, the collector runs first. The values that argv points to are passed on as further
-- arguments, which keeps them alive: a compiled caller no longer holds them.
local function failed(status, o, argv, n, ...)                -- luacheck: ignore 212
   if status == C.TH_ENOMEM then
      collectgarbage()
      collectgarbage()
      status = C.th_run(o, argv, n)
      if status == C.TH_OK then return end
   elseif status == C.TH_ENOTE then
      local given = ffi.new('th_arg[?]', n)                 -- a function of torch.warn may call ops
      ffi.copy(given, argv, n * ffi.sizeof 'th_arg')
      local again, finish = op.noted()
      if not again then error(finish, 3) end
      ffi.copy(argv, given, n * ffi.sizeof 'th_arg')
      status = C.th_run(o, argv, n)
      if finish then finish() end
      if status == C.TH_OK then return end
   elseif status == C.TH_EDEVICE and op.gather_devices and op.gather_devices(o, argv, n) then
      status = C.th_run(o, argv, n)
      if status == C.TH_OK then return end
   end
   lib.raise(tonumber(status), 3)
end

local list_t, pointers_t, sizes_t = ffi.typeof 'th_list', ffi.typeof 'th_tensor *[?]', ffi.typeof 'th_sizes'

local function list(t, name)
   local n = #t
   local pointers = pointers_t(math.max(n, 1))
   for i = 1, n do
      if not arg.is_tensor(t[i]) then
         if op.symbols and op.symbols.holds(t[i]) then op.symbols.refuse(name) end
         error(('%s: element %d of the table must be a tensor, got %s'):format(name, i, describe(t[i])), 3)
      end
      pointers[i - 1] = t[i]
   end
   local l = list_t()
   l.n, l.t = n, pointers
   return l, pointers
end

local no_sizes = sizes_t()                                   -- the default `={}`

function op.is_sizes(v) return arg.is_storage(v) or type(v) == 'table' end

local function sizes(v, name)
   local s, n = sizes_t(), #v
   if n > C.TH_MAXDIM then error(('%s: at most %d sizes, got %d'):format(name, C.TH_MAXDIM, n), 3) end
   s.n = n
   for i = 1, n do
      s.size[i - 1] = arg.whole_of(tonumber(v[i])) or not_whole(name, 'size ' .. i, v[i])
   end
   return s
end

-- ---- writing functions ------------------------------------------------------------------------------------------------

local argv = ffi.new('th_arg[?]', C.TH_MAXARG)              -- C never calls back, so one is enough

-- The default generator, for the ops that draw; it is seeded on first use.
local generator
local function default_generator(forms)
   for _, f in ipairs(forms) do
      if f.text:find ':gen' then
         generator = generator or ffi.new('th_generator_ref', { C.th_generator_default() })
         return generator
      end
   end
end

-- Code that makes a result which the caller did not give: of the op's type, or, for an op that has no input to take a type
-- from, a torch.Tensor.
local default_tensor                                        -- set by torch.tensor

local function maker(forms)
   for _, f in ipairs(forms) do
      for _, a in ipairs(f.args) do
         if a.word == 'tensor' or a.word == 'list' or a.word == 'inout' then return lib.new end
      end
   end
   return default_tensor
end

local function write(name, method)
   local forms = op.forms(name)
   if not forms then return nil end
   local text = source(forms, method)
   local ops = {}
   for i, f in ipairs(forms) do ops[i] = f.op end
   local chunk = assert(original.loadstring(text, '=torch.' .. name))
   return chunk(name, bad, failed, not_whole, list, sizes, no_sizes, op.is_sizes, C, argv, ffi.istype, lib.tensor_t,
      arg.is_generator, arg.is_tensor, default_generator(forms), maker(forms), type, call, unpack(ops))
end

local function has_self(name)
   for _, f in ipairs(op.forms(name)) do
      for _, a in ipairs(f.args) do if a.word == 'self' then return true end end
   end
   return false
end

local functions, methods = {}, {}

--- torch.<name>, or nil when the registry has no such op.
function op.func(name)
   if functions[name] == nil then functions[name] = write(name, false) or false end
   return functions[name] or nil
end

--- Tensor:<name>. Differs from the function only for ops with a `self` result.
function op.method(name)
   if methods[name] == nil then
      if not op.forms(name) then methods[name] = false
      elseif has_self(name) then methods[name] = write(name, true)
      else methods[name] = op.func(name) end
   end
   return methods[name] or nil
end

--- The error in the signature of an op that is not in the registry yet; nil when functions can be generated from it.
function op.complaint(text)
   local words = 0
   for word in text:gmatch '%S+' do
      words = words + 1
      local kind, default = word:match '^[%a_][%w_]*:(%l+)=?(.*)$'
      local k = kind and kinds[kind]
      if not k then return ('its signature cannot be read at %q'):format(word) end
      local fits = default == '' or default == 'nil'
      if kind == 'number' then fits = fits or tonumber(default)
      elseif k.whole then fits = fits or (tonumber(default) or 0.5) % 1 == 0
      elseif kind == 'bool' then fits = fits or default == 'true' or default == 'false'
      elseif kind == 'string' then fits = fits or default:match '^"[^"\\]*"$'
      elseif kind == 'tensor' then fits = fits or (' ' .. text):find(' ' .. default .. ':', 1, true) end
      if not fits then return ('its signature has a default that does not fit at %q'):format(word) end
   end
   local form = { text = text, args = parse(text) }
   if #form.args ~= words then return 'its signature cannot be read: ' .. text end
   local result = false
   for _, a in ipairs(form.args) do result = result or a.kind == kinds.out or a.word == 'return' end
   if not result then return 'its signature has no result: ' .. text end
   for _, method in ipairs { false, true } do
      local ok, why = pcall(function() return assert(original.loadstring((source({ form },
         method)))) end)
      if not ok then return ('no function can be written from its signature %s: %s'):format(text, why) end
   end
end

--- Reads the registry again after ops were added, and forgets the names that were not found.
function op.refresh()
   by_name = nil
   matched = { [true] = {}, [false] = {} }
   for _, written in ipairs { functions, methods } do
      for name, f in pairs(written) do if not f then written[name] = nil end end
   end
end

--- The generated text of the binding.
function op.source(name, method) return (source(op.forms(name), method or false)) end

function op.set_describe(f) describe = f end
function op.set_default_tensor(f) default_tensor = f end

return op
