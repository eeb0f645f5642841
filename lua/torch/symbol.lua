-- torch.symbol - runs a function on symbols in place of tensors and records its pointwise ops,
-- for torch.pointwise.
--
-- A symbol is a variable of the traced function; it holds a value, and work in place gives it
-- another one. A value has a type and a pattern: for each dimension `1` if its size is 1, else
-- `n`. All tensors of a call have equal sizes where they have `n`, counted from the last
-- dimension. What cannot be recorded is an error, or, if f itself may be right or refuse with
-- better words, ends the trace with M.plain.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local op = require 'torch.op'
local arg = require 'torch.arg'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_program.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/',
   'th_program.h has lost its FFI part')))
header:close()
ffi.cdef 'typedef struct th_symbol { int32_t _symbol; } th_symbol;'

local M = {}
M.plain = {}                                 -- raised by a trace: f must run as it is

local Symbol, symbol_t = {}, nil
-- The running trace: its symbols, how many of them were given to f, values and mixed patterns.
local now

--- Whether x is a symbol.
function M.is(x) return ffi.istype(symbol_t, x) end
local is_symbol = M.is
arg.is_symbol = is_symbol

local folder = debug.getinfo(1, 'S').source:match '^(.*/)' or '@'

-- Raises an error at the line of the traced function.
local function refuse(text, ...)
   local level, info = 2, debug.getinfo(2, 'S')
   while info and (info.source:sub(1, #folder) == folder or not info.source:find '^@') do
      level = level + 1
      info = debug.getinfo(level, 'S')
   end
   error('torch.pointwise: ' .. text:format(...), info and level or 2)
end

local function plain() error(M.plain, 0) end

-- ---- values
-- -------------------------------------------------------------------------------------------------

local function record(value)
   value.order = #now.values + 1
   now.values[value.order] = value
   return value
end

--- A new symbol of a value.
function M.of(value)
   now.symbols[#now.symbols + 1] = value
   return symbol_t(#now.symbols)
end

--- The value of a symbol.
function M.value(symbol) return now.symbols[symbol._symbol] end

--- The values so far, in their order.
function M.values() return now.values end

-- The pattern that two patterns broadcast to.
local function broadcast(a, b)
   if a == b then return a end
   if #a < #b then a, b = b, a end
   local out = {}
   for d = 1, #a do
      local e = d - (#a - #b)
      out[d] = a:byte(d) == 110 and 'n' or e > 0 and b:sub(e, e) or '1'
   end
   return table.concat(out)
end

--- The sum of a value over the dimensions that were broadcast, down to a smaller pattern. It is no
--- op of a program.
function M.sum_to(value, pattern)
   if value.pattern == pattern then return value end
   return record { sum = true, operands = { value }, made = value.made, pattern = pattern }
end

-- ---- calls of ops -------------------------------------------------------------------------------

-- Stand in for symbols where op.match looks for tensors.
local some_tensor

local function draws(form)
   for _, a in ipairs(form.args) do if a.word == 'gen' then return true end end
   return false
end

local function refuse_op(name)
   local forms = op.forms(name)
   if draws(forms[1]) then refuse('%s draws random numbers', name) end
   refuse('%s is not computed element by element', name)
end

-- The values and numbers among the arguments of a call form, in its order, and the symbol that
-- receives the result, or nil.
local function operands_of(name, form, given, env, place)
   local operands, numbers, target = {}, {}, nil
   for _, a in ipairs(form.args) do
      local v = place[a.name] and given[place[a.name]]
      if a.word == 'number' then
         numbers[#numbers + 1] = env[a.name]
      elseif a.word == 'tensor' then
         if not is_symbol(v) then
            refuse('%s gets a tensor that is no argument of the function; pass it as an argument',
               name)
         end
         operands[#operands + 1] = M.value(v)
      elseif v ~= nil and v ~= false then
         if not is_symbol(v) then refuse('%s writes to a tensor that the function has not made',
            name) end
         if v._symbol <= now.given then
            refuse('%s writes to an argument; torch.%s without a result makes a new tensor', name,
               name)
         end
         target = v
      end
   end
   return operands, numbers, target
end

local function call(name, method, ...)
   local given, n, tensors = { ... }, select('#', ...), {}
   while n > 0 and arg.absent(given[n]) do n = n - 1 end
   local takes = 0
   for _, form in ipairs(op.forms(name)) do
      takes = math.max(takes, math.abs(C.th_program_takes(form.op, C.TH_F32)))
   end
   if takes == 0 then refuse_op(name) end
   some_tensor = some_tensor or lib.new()
   for i = 1, n do tensors[i] = is_symbol(given[i]) and some_tensor or given[i] end
   local match, env, place = op.match(name, method, n, tensors)
   if not match then plain() end
   local form = match.form
   local operands, numbers, target = operands_of(name, form, given, env, place)
   local is_where = name == 'where'
   local dtype = operands[is_where and 2 or 1].made
   local pattern = operands[1].pattern
   for i, v in ipairs(operands) do
      if v.made ~= (is_where and i == 1 and C.TH_U8 or dtype) then plain() end
      if v.pattern ~= operands[1].pattern then
         if name:find '_grad$' then plain() end
         now.mixed[#now.mixed + 1] = { v.pattern, operands[1].pattern }
      end
      pattern = broadcast(pattern, v.pattern)
   end
   if C.th_program_takes(form.op, dtype) ~= 1 then plain() end
   local made = C.th_program_makes(form.op, dtype)
   local value = record { op = form.op, name = name, form = form, operands = operands,
      numbers = numbers, dtype = dtype,
      made = made, pattern = pattern }
   if not target then return M.of(value) end
   if M.value(target).made ~= made or M.value(target).pattern ~= pattern then plain() end
   now.symbols[target._symbol] = value
   return target
end

-- Whether a symbol is among the arguments or in a list among them.
local function holds(...)
   for i = 1, select('#', ...) do
      local x = select(i, ...)
      if is_symbol(x) or type(x) == 'table' and is_symbol(rawget(x, 1)) then return true end
   end
   return false
end

op.symbols = { holds = holds, call = call, refuse = refuse_op }

-- ---- what else a symbol answers -----------------------------------------------------------------

local UNSEEN = '%s asks for what the function cannot see while it is traced'
local sizes = {}
for name in ([[size stride nElement numel storage storageOffset isContiguous isSize isSameSizeAs
   elementSize data totable]])
   :gmatch '%S+' do sizes[name] = true end

local methods = {}
function methods.dim(s) return #M.value(s).pattern end
methods.nDimension = methods.dim
function methods.clone(s) return M.of(M.value(s)) end
function methods.contiguous(s) return s end

local found = {}                             -- name -> method

function Symbol.__index(_, k)
   if type(k) ~= 'string' then refuse 'the function reads elements of a tensor' end
   if methods[k] then return methods[k] end
   if sizes[k] then refuse(UNSEEN, k) end
   if not op.forms(k) then refuse('%s is not computed element by element', k) end
   found[k] = found[k] or function(...) return call(k, true, ...) end
   return found[k]
end
function Symbol.__newindex() refuse 'the function writes elements of a tensor' end
function Symbol.__len() refuse 'the function asks for the size of a tensor' end
function Symbol.__eq(a, b) return is_symbol(a) and is_symbol(b) and a._symbol == b._symbol end
function Symbol.__tostring() refuse 'the function prints a tensor' end

local operators = require 'torch.operator'
for _, name in ipairs { 'add', 'sub', 'div', 'mod', 'unm', 'lt', 'le', 'pow', 'concat' } do
   Symbol['__' .. name] = operators[name]
end
function Symbol.__mul(a, b)
   if type(a) ~= 'number' and type(b) ~= 'number' then
      refuse('x * y of tensors is a product of matrices or vectors; '
         .. 'torch.cmul multiplies element by element')
   end
   return operators.mul(a, b)
end
symbol_t = ffi.metatype('th_symbol', Symbol)

-- ---- a trace ------------------------------------------------------------------------------------

-- f(...) while functions of torch that ask for types know symbols.
local function with_questions(f, ...)
   local torch = require 'torch'
   local isTensor, kind, typename, where = torch.isTensor, torch.type, torch.typename, torch.where
   function torch.isTensor(x) return is_symbol(x) or isTensor(x) end
   local function without(name, before)
      return function(x)
         if is_symbol(x) then refuse(UNSEEN, 'torch.' .. name) end
         return before(x)
      end
   end
   torch.type, torch.typename = without('type', kind), without('typename', typename)
   function torch.where(a, b, c, ...)
      if not holds(a, b, c) then return where(a, b, c, ...) end
      if type(b) == 'number' or type(c) == 'number' then
         refuse 'where gets a number; it takes three tensors here'
      end
      return call('where', false, a, b, c, ...)
   end
   local function back(...)
      torch.isTensor, torch.type, torch.typename, torch.where = isTensor, kind, typename, where
      return ...
   end
   return back(pcall(f, ...))
end

--- Runs f on symbols.
-- @param arguments  in place of each tensor a table { made = dtype, pattern = pattern,
--  argument = i }; other values as they are
-- @return the trace: values, mixed, results (values for symbols, other values as they are), their
--  variables (the number of each symbol; the first `given` ones belong to f's arguments), n, how
--  many; nil if f must run as it is
function M.trace(f, arguments, n)
   local outer, given = now, {}
   now = { symbols = {}, values = {}, mixed = {} }
   local trace = now
   for i = 1, n do
      local a = arguments[i]
      given[i] = a
      if type(a) == 'table' then given[i] = M.of(record(a)) end
   end
   trace.given = #trace.symbols
   local function keep(ok, ...)
      local results, count = { ... }, select('#', ...)
      if ok then
         trace.n, trace.results, trace.variables = count, results, {}
         for i = 1, trace.n do
            local r = trace.results[i]
            if is_symbol(r) then
               trace.results[i], trace.variables[i] = M.value(r), r._symbol
            elseif arg.is_tensor(r) then ok, trace.why = false,
               'the function returns a tensor that it has not computed'
            elseif type(r) == 'table' then ok, trace.why = false,
               'the function returns a table; it must return tensors' end
         end
         if not ok then trace.why = 'torch.pointwise: ' .. trace.why end
      else
         trace.why = results[1]
      end
      now = outer
      return ok
   end
   if keep(with_questions(f, unpack(given, 1, n))) then return trace end
   if trace.why == M.plain then return nil end
   error(trace.why, 0)
end

return M
