-- torch.pickle - reads data from pickles of Python, protocols 2 to 5, as Lua values.
--
-- A pickle is a program for a machine with a stack. This machine has the instructions that build data. A name is looked up in
-- the list that the caller gives; no other name is accepted, so no function of a file is ever found or called. The
-- machine does not recurse, and it limits its stack, its memo and the number of tables.
local ffi = require 'ffi'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local keys = require 'torch.keys'
local lib = require 'torch.lib'
local about, C = keys.about, lib.C

ffi.cdef 'void *memmove(void *to, const void *from, size_t n);'

local pickle = {}

--- Stands for Python's None on the stack and in arguments.
local NONE = setmetatable({}, { __tostring = function() return 'None' end })
pickle.NONE = NONE

local ROOM = 65536                          -- bytes of a window
local LONGEST_NAME = 1000
local MOST_STACK, MOST_TABLES, MOST_MEMO = 2 ^ 22, 2 ^ 22, 2 ^ 24

-- ---- bytes --------------------------------------------------------------------------------------------------------

--- The bytes of a file (a th_file) from position `first` up to, not including, `last`.
function pickle.stream(f, first, last)
   return { f = f, first = first, next = first, last = last, p = ffi.new('uint8_t[?]', ROOM), at = 0, have = 0 }
end

--- The position of the next byte in the file.
function pickle.place(s) return s.next - s.have + s.at end

local function bad(vm, fmt, ...)
   local s = vm.s
   error(('the pickle is damaged: %s (before byte %.0f)'):format(fmt:format(...), pickle.place(s) - s.first + 1), 0)
end

-- Makes n bytes, at most ROOM, available at s.p + s.at.
local function need(vm, n)
   local s = vm.s
   local rest = s.have - s.at
   if rest >= n then return end
   if n - rest > s.last - s.next then bad(vm, 'it ends too early') end
   if rest > 0 then ffi.C.memmove(s.p, s.p + s.at, rest) end
   local more = math.min(ROOM - rest, s.last - s.next)
   format.check(C.th_file_seek(s.f, s.next))
   format.take(s.f, s.p + rest, more)
   s.at, s.have, s.next = 0, rest + more, s.next + more
end

local function byte(vm)
   need(vm, 1)
   local s = vm.s
   s.at = s.at + 1
   return s.p[s.at - 1]
end

-- n bytes, lowest first, as a number without sign.
local function unsigned(vm, n)
   need(vm, n)
   local s, v = vm.s, 0
   for i = n - 1, 0, -1 do v = v * 256 + s.p[s.at + i] end
   s.at = s.at + n
   return v
end

local function text(vm, n)
   local s = vm.s
   if n > s.last - pickle.place(s) then bad(vm, 'a string of %.0f bytes, but %.0f are left', n, s.last - pickle.place(s)) end
   if n <= ROOM then
      need(vm, n)
      s.at = s.at + n
      return ffi.string(s.p + s.at - n, n)
   end
   local room, have = ffi.new('uint8_t[?]', n), s.have - s.at
   ffi.copy(room, s.p + s.at, have)
   format.check(C.th_file_seek(s.f, s.next))
   format.take(s.f, room + have, n - have)
   s.at, s.have, s.next = 0, 0, s.next + n - have
   return ffi.string(room, n)
end

-- Up to the end of the line, which is not part of the result.
local function line(vm)
   local parts = {}
   for i = 1, LONGEST_NAME do
      local c = byte(vm)
      if c == 10 then return table.concat(parts) end
      parts[i] = string.char(c)
   end
   bad(vm, 'a name has more than %d bytes', LONGEST_NAME)
end

-- ---- stack --------------------------------------------------------------------------------------------------------

local function push(vm, v)
   local n = vm.n + 1
   if n > MOST_STACK then bad(vm, 'more than %d values wait on its stack', MOST_STACK) end
   vm.stack[n], vm.n = v, n
end

local function pop(vm)
   local n = vm.n
   if n <= vm.floor then bad(vm, 'its stack is empty') end
   local v = vm.stack[n]
   vm.stack[n], vm.n = nil, n - 1
   return v
end

local function top(vm)
   if vm.n <= vm.floor then bad(vm, 'its stack is empty') end
   return vm.stack[vm.n]
end

-- Values below `floor` wait for the mark above them to be consumed.
local function mark(vm)
   if #vm.marks >= MOST_STACK then bad(vm, 'it has more than %d marks', MOST_STACK) end
   vm.marks[#vm.marks + 1] = vm.floor
   vm.floor = vm.n
end

-- Removes the last mark: its values are at first .. vm.n, and remain to be removed by `drop`.
local function unmark(vm)
   local k = #vm.marks
   if k == 0 then bad(vm, 'a mark is missing') end
   local first = vm.floor + 1
   vm.floor, vm.marks[k] = vm.marks[k], nil
   return first
end

local function drop(vm, first)
   for i = vm.n, first, -1 do vm.stack[i] = nil end
   vm.n = first - 1
end

-- ---- values -------------------------------------------------------------------------------------------------------

--- A new table of this kind: see keys.about.
local function container(vm, kind)
   vm.tables = vm.tables + 1
   if vm.tables > MOST_TABLES then bad(vm, 'it has more than %d tables', MOST_TABLES) end
   local t = {}
   about[t] = { kind = kind, n = 0, order = (kind == 'dict' or kind == 'object') and {} or nil }
   return t
end
pickle.container = container

local Name = {}                             -- metatable of {name = 'module.name'}: a name of Python that is on the list
local function is_name(v) return getmetatable(v) == Name end

--- The name of a class or function of the list, or nil for other values.
function pickle.name_of(v) return type(v) == 'table' and is_name(v) and v.name or nil end

local function describe(v)
   if v == nil or v == NONE then return 'None' end
   if type(v) == 'table' then
      if is_name(v) then return v.name end
      return about[v] and 'a ' .. about[v].kind or 'an object'
   end
   return type(v) == 'cdata' and 'an object' or 'a ' .. type(v)
end
pickle.describe = describe

-- A value that becomes part of a list, a dict or a set, or the result.
local function settled(vm, v)
   if type(v) ~= 'table' then return v end
   if is_name(v) then error(('the file has the class %s as a value; only data can be read'):format(v.name), 0) end
   if vm.settle then return vm.settle(v) end
   return v
end

--- Appends to a list, tuple or set. None leaves a hole; the field n then holds the number of elements.
local function append(t, v)
   local its = about[t]
   local n = its.n + 1
   its.n = n
   if v == NONE then its.holes = true else t[n] = v end
   if its.holes then t.n = n end
end

local function set_item(vm, t, k, v)
   local kind = type(k)
   if kind == 'number' and k ~= k then bad(vm, 'a key of a dictionary is nan') end
   if kind ~= 'string' and kind ~= 'number' and kind ~= 'boolean' then
      error(('a key of a dictionary must be a string, a number or a boolean, the file has %s'):format(describe(k)), 0)
   end
   local its = about[t]
   v = settled(vm, v)
   if v == NONE then
      v = nil
   elseif t[k] == nil then
      its.order[#its.order + 1] = k
   end
   t[k] = v
end
pickle.set_item = set_item

local function need_kind(vm, t, kind, what)
   local its = type(t) == 'table' and about[t]
   if not its or its.kind ~= kind then bad(vm, '%s for %s', what, describe(t)) end
   return t
end

local function tuple(vm, first)
   local t = container(vm, 'tuple')
   for i = first, vm.n do append(t, vm.stack[i]) end
   drop(vm, first)
   push(vm, t)
end

local function signed32(v) return v >= 2 ^ 31 and v - 2 ^ 32 or v end

-- An integer of n bytes, in two's complement. Beyond 2^53 it is an int64_t, or a uint64_t where it needs one.
local function long(vm, n)
   local s = text(vm, n)
   if n == 0 then return 0 end
   if n > 9 or n == 9 and s:byte(9) ~= 0 then
      if vm.huge then return s end
      error(('the file has an integer of %d bytes; Lua has integers of 8'):format(n), 0)
   end
   local v, negative = 0ULL, s:byte(n) >= 128
   for i = 8, 1, -1 do v = v * 256 + (i <= n and s:byte(i) or negative and 255 or 0) end
   if n == 9 and v >= 2 ^ 63 then return v end
   local x = ffi.cast('int64_t', v)
   if x >= -2 ^ 53 and x <= 2 ^ 53 then return tonumber(x) end
   return x
end

local cell = ffi.new 'union { uint8_t byte[8]; double d; }'
local function float(vm)                    -- the highest byte comes first
   need(vm, 8)
   local s = vm.s
   for i = 0, 7 do cell.byte[ffi.abi 'le' and 7 - i or i] = s.p[s.at + i] end
   s.at = s.at + 8
   return dtype.read(dtype.id.Double, cell.byte, 0)
end

-- ---- names --------------------------------------------------------------------------------------------------------

local renamed = { __builtin__ = 'builtins', copy_reg = 'copyreg' }       -- modules of Python 2

local function refuse_name(name)
   local last = name:match '[^.]+$' or name
   local shown = name:sub(1, 200):gsub('[^%w_.]', '?')
   if name:find '^torch%.nn%.' or name:find '^torchvision%.models' or name:find '^timm%.' or name:find '^__main__%.%u' then
      error(('the file holds a whole model of the class %s, which needs its code. Save its numbers in Python instead: '
         .. "torch.save(model.state_dict(), 'model.pt')"):format(shown), 0)
   end
   local hint = last:find '^%u' and " If it is a model, save model.state_dict() in Python instead." or ''
   error(('the file wants %s; a file of data has no functions and no classes, so it is refused.%s'):format(shown, hint), 0)
end

local function find_name(vm, module, name)
   local full = (renamed[module] or module) .. '.' .. name
   local its = vm.names[full]
   if its == nil and vm.other_name then its = vm.other_name(full) end
   if its == nil then refuse_name(full) end
   if type(its) == 'string' then return push(vm, its) end
   local known = vm.known[full]
   if not known then
      known = setmetatable({ name = full, call = its }, Name)
      vm.known[full] = known
   end
   push(vm, known)
end

local function call(vm)
   local args, f = pop(vm), pop(vm)
   if type(f) ~= 'table' or not is_name(f) then bad(vm, 'a call of %s', describe(f)) end
   need_kind(vm, args, 'tuple', 'arguments')
   if type(f.call) ~= 'function' then refuse_name(f.name) end
   local v = f.call(vm, args, about[args].n, f.name)
   push(vm, v)
end

local function build(vm)
   local state, v = pop(vm), top(vm)
   local its = type(v) == 'table' and about[v]
   if its and its.build then return its.build(vm, v, state) end
   if its and its.kind == 'dict' then return end              -- attributes of an OrderedDict
   if its and its.kind == 'object' then
      need_kind(vm, state, 'dict', 'the fields of an object')
      for _, k in ipairs(about[state].order) do set_item(vm, v, k, state[k] == nil and NONE or state[k]) end
      return
   end
   error(('the file sets the state of %s, which needs code; only data can be read'):format(describe(v)), 0)
end

-- ---- instructions -------------------------------------------------------------------------------------------------

local run = {}

local function op(char, f) run[char:byte()] = f end

op('\128', function(vm)
   local version = byte(vm)
   if version < 2 or version > 5 then bad(vm, 'protocol %d is not known; 2 to 5 are', version) end
end)
op('\149', function(vm)                     -- FRAME: only its length is checked
   local n = unsigned(vm, 8)
   if n > vm.s.last - pickle.place(vm.s) then bad(vm, 'a frame of %.0f bytes, but fewer are left', n) end
end)
op('N', function(vm) push(vm, NONE) end)
op('\136', function(vm) push(vm, true) end)
op('\137', function(vm) push(vm, false) end)
op('J', function(vm) push(vm, signed32(unsigned(vm, 4))) end)
op('K', function(vm) push(vm, byte(vm)) end)
op('M', function(vm) push(vm, unsigned(vm, 2)) end)
op('\138', function(vm) push(vm, long(vm, byte(vm))) end)
op('\139', function(vm) push(vm, long(vm, unsigned(vm, 4))) end)
op('G', function(vm) push(vm, float(vm)) end)
for char, n in pairs { X = 4, ['\140'] = 1, ['\141'] = 8, B = 4, C = 1, ['\142'] = 8, ['\150'] = 8, T = 4, U = 1 } do
   op(char, function(vm) push(vm, text(vm, unsigned(vm, n))) end)       -- text, bytes, bytearray, str of Python 2
end
op('(', mark)
op('0', function(vm) if vm.n == vm.floor and #vm.marks > 0 then unmark(vm) else pop(vm) end end)
op('1', function(vm) drop(vm, unmark(vm)) end)
op(')', function(vm) push(vm, container(vm, 'tuple')) end)
op('t', function(vm) tuple(vm, unmark(vm)) end)
for i, char in ipairs { '\133', '\134', '\135' } do
   op(char, function(vm)
      if vm.n - i < vm.floor then bad(vm, 'its stack is empty') end
      tuple(vm, vm.n - i + 1)
   end)
end
op(']', function(vm) push(vm, container(vm, 'list')) end)
op('}', function(vm) push(vm, container(vm, 'dict')) end)
op('\143', function(vm) push(vm, container(vm, 'set')) end)

local function add_all(vm, kind)
   local first = unmark(vm)
   if first - 1 <= vm.floor then bad(vm, 'its stack is empty') end
   local t = need_kind(vm, vm.stack[first - 1], kind, 'elements')
   for i = first, vm.n do append(t, settled(vm, vm.stack[i])) end
   drop(vm, first)
end
op('a', function(vm)
   local v = pop(vm)
   append(need_kind(vm, top(vm), 'list', 'an element'), settled(vm, v))
end)
op('e', function(vm) add_all(vm, 'list') end)
op('\144', function(vm) add_all(vm, 'set') end)
local function all_of(kind)
   return function(vm)
      local first = unmark(vm)
      local t = container(vm, kind)
      for i = first, vm.n do append(t, settled(vm, vm.stack[i])) end
      drop(vm, first)
      push(vm, t)
   end
end
op('l', all_of 'list')
op('\145', all_of 'set')                    -- FROZENSET

local function set_all(vm, t, first)
   if (vm.n - first + 1) % 2 ~= 0 then bad(vm, 'a key has no value') end
   for i = first, vm.n, 2 do set_item(vm, t, vm.stack[i], vm.stack[i + 1]) end
   drop(vm, first)
end
op('d', function(vm)
   local first, t = unmark(vm), container(vm, 'dict')
   set_all(vm, t, first)
   push(vm, t)
end)
op('s', function(vm)
   local v, k = pop(vm), pop(vm)
   set_item(vm, need_kind(vm, top(vm), 'dict', 'an entry'), k, v)
end)
op('u', function(vm)
   local first = unmark(vm)
   if first - 1 <= vm.floor then bad(vm, 'its stack is empty') end
   set_all(vm, need_kind(vm, vm.stack[first - 1], 'dict', 'entries'), first)
end)

local function memoize(vm, i)
   if vm.memo[i] == nil then
      vm.memos = vm.memos + 1
      if vm.memos > MOST_MEMO then bad(vm, 'it remembers more than %d values', MOST_MEMO) end
   end
   vm.memo[i] = top(vm)
end
local function recall(vm, i)
   local v = vm.memo[i]
   if v == nil then bad(vm, 'it recalls value %.0f, which it has not stored', i) end
   push(vm, v)
end
op('q', function(vm) memoize(vm, byte(vm)) end)
op('r', function(vm) memoize(vm, unsigned(vm, 4)) end)
op('\148', function(vm) memoize(vm, vm.memos) end)
op('h', function(vm) recall(vm, byte(vm)) end)
op('j', function(vm) recall(vm, unsigned(vm, 4)) end)

op('c', function(vm)
   local module = line(vm)
   find_name(vm, module, line(vm))
end)
op('\147', function(vm)
   local name, module = pop(vm), pop(vm)
   if type(name) ~= 'string' or type(module) ~= 'string' then bad(vm, 'a name is %s', describe(name)) end
   if #module > LONGEST_NAME or #name > LONGEST_NAME then bad(vm, 'a name has more than %d bytes', LONGEST_NAME) end
   find_name(vm, module, name)
end)
op('R', call)
op('\129', call)                            -- NEWOBJ: a class of the list is called like a function of the list
op('b', build)
op('Q', function(vm)
   local id = pop(vm)
   if not vm.persistent then bad(vm, 'it refers to storages, but this is no file of torch.save') end
   push(vm, vm.persistent(vm, id))
end)

-- Instructions that need code, or that only protocols 0 and 1 have.
local refused = { i = 'INST', o = 'OBJ', ['\146'] = 'NEWOBJ_EX', P = 'PERSID', ['\130'] = 'EXT1', ['\131'] = 'EXT2', ['\132'] = 'EXT4',
   ['2'] = 'DUP', ['\151'] = 'NEXT_BUFFER', ['\152'] = 'READONLY_BUFFER', I = 'INT', L = 'LONG', F = 'FLOAT', S = 'STRING',
   V = 'UNICODE', p = 'PUT', g = 'GET' }
for char, name in pairs(refused) do
   op(char, function(vm)
      if name == 'INST' then
         local module = line(vm)
         refuse_name(module .. '.' .. line(vm))
      end
      error(('the pickle has the instruction %s, which data of protocols 2 to 5 do not need'):format(name), 0)
   end)
end

--- A machine that reads pickles.
-- @param options  {names = the names that the file may use: 'module.name' -> function(vm, arguments, their number, name), or a
--                 string, the value; other_name = function(name) for names that are not listed; persistent = function(vm, id);
--                 settle = function(v) for tables that become values; huge = true: large integers are strings of bytes}
function pickle.machine(options)
   local vm = { tables = 0, known = {} }
   for k, v in pairs(options) do vm[k] = v end
   return vm
end

--- The value of one pickle; NONE for None.
-- @param s  pickle.stream
function pickle.read(vm, s)
   vm.s, vm.stack, vm.n, vm.floor, vm.marks, vm.memo, vm.memos = s, {}, 0, 0, {}, {}, 0
   while true do
      local code = byte(vm)
      if code == 46 then break end          -- '.', STOP
      local f = run[code]
      if not f then bad(vm, 'it has the unknown instruction %d', code) end
      f(vm)
   end
   local v = pop(vm)
   if vm.n > 0 or #vm.marks > 0 then bad(vm, 'values are left on its stack') end
   return settled(vm, v)
end

return pickle
