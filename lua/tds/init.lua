--- tds: hash tables, vectors and counters in C memory. They hold numbers, texts, booleans, tensors, storages and each other.
-- They need no room in Lua's heap, and the threads of a process share them. LuaJIT has no __pairs, so `require 'tds'` makes the
-- global `pairs` and `ipairs` take these objects as well. Containers that hold each other in a cycle are never freed.
local ffi = require 'ffi'
require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local class = require 'torch.class'
local value = require 'tds.value'
local C, istype, OK = value.C, ffi.istype, lib.OK
local put, base, hash_t, vec_t, counter_t = value.put, value.base, value.hash_t, value.vec_t, value.counter_t

local tds = {}

local key_in, value_in = value.value_t(), value.value_t()
local key_room, value_room = value.room(), value.room()
local SHOWN = 20                            -- elements that tostring shows

local function check(status, who)
   if status ~= OK then lib.raise(tonumber(status), 3, who) end
end

-- Repeats a call that ran out of memory once, after a collection.
local function again(status, who, f, ...)
   if status == lib.ENOMEM then
      lib.collect()
      status = f(...)
   end
   check(status, who)
end

-- ---- text -------------------------------------------------------------------------------------------------------------------

-- A nested text: its further lines are indented under the first.
local function indented(text, width) return (text:gsub('\n([^\n])', '\n' .. (' '):rep(width) .. '%1')) end

-- `lines` holds { label, value }; labels are padded to the widest.
local function show(name, size, lines, format)
   local out, width = { ('%s[%d]{'):format(name, size) }, 0
   for _, line in ipairs(lines) do width = math.max(width, #line[1]) end
   for _, line in ipairs(lines) do
      out[#out + 1] = format:format(line[1] .. (' '):rep(width - #line[1]), indented(tostring(line[2]), width + 3))
   end
   if size > #lines then out[#out + 1] = '...' end
   out[#out + 1] = '}'
   return table.concat(out, '\n')
end

-- ---- from tables ------------------------------------------------------------------------------------------------------------

-- Whether a table is a list: its keys are 1..n.
local function is_list(t)
   local n = 0
   for _ in next, t do n = n + 1 end
   return n == #t
end

local DEEPEST = 200                         -- nesting of tables
local new_hash, new_vec

-- Converts a table to a Vec or a Hash; other values stay.
local function converted(v, depth)
   if type(v) ~= 'table' or getmetatable(v) then return v end
   if depth > DEEPEST then error(('tds: tables are inside of each other more than %d deep'):format(DEEPEST), 0) end
   return is_list(v) and new_vec(v, #v, depth) or new_hash(v, depth)
end

-- ---- Hash -------------------------------------------------------------------------------------------------------------------

-- The first try of a read is outside the loop, because LuaJIT compiles no loop of a program that calls another loop once.
local Hash = {}

local function hash_get_again(h)
   repeat check(C.th_tds_hash_get(base(h), key_in, value_room.c), 'tds.Hash') until value_room:settled()
   return value_room:get()
end

local function hash_get(h, k)
   put(key_in, k, 'tds.Hash', 'a key', 3)
   local status = C.th_tds_hash_get(base(h), key_in, value_room:open())
   if status ~= OK then check(status, 'tds.Hash') end
   if value_room:settled() then return value_room:get() end
   return hash_get_again(h)
end

local function hash_set(h, k, v, level)
   put(key_in, k, 'tds.Hash', 'a key', level + 1)
   put(value_in, v, 'tds.Hash', 'a value', level + 1)
   local status = C.th_tds_hash_set(base(h), key_in, value_in)
   if status ~= OK then again(status, 'tds.Hash', C.th_tds_hash_set, base(h), key_in, value_in) end
end

function new_hash(t, depth)
   local h = value.new(C.TH_TDS_HASH)
   for k, v in next, t do hash_set(h, converted(k, depth + 1), converted(v, depth + 1), 4) end
   return h
end

local function hash_next_again(h, place)
   while C.th_tds_hash_next(base(h), place, key_room.c, value_room.c) ~= 0 do
      local key_done, value_done = key_room:settled(), value_room:settled()
      if key_done and value_done then return key_room:get(), value_room:get() end
   end
end

-- An iterator of key and value, in the order of insertion.
local function hash_pairs(h)
   local place = ffi.new 'int64_t[1]'
   return function()
      if C.th_tds_hash_next(base(h), place, key_room:open(), value_room:open()) == 0 then return nil end
      local key_done, value_done = key_room:settled(), value_room:settled()
      if key_done and value_done then return key_room:get(), value_room:get() end
      return hash_next_again(h, place)
   end
end

local function hash_text(h)
   local lines = {}
   for k, v in hash_pairs(h) do
      if #lines == SHOWN then break end
      lines[#lines + 1] = { tostring(k), v }
   end
   return show('tds.Hash', #h, lines, '%s : %s')
end

--- tds.Hash:read(file), tds.Hash:write(file): The content, from or to a torch.File, as Torch7's tds wrote it.
function Hash.write(h, file)
   file:writeLong(#h)
   for k, v in hash_pairs(h) do
      file:writeObject(k)
      file:writeObject(v)
   end
end

function Hash.read(h, file)
   for _ = 1, file:readLong() do
      local k = file:readObject()
      hash_set(h, k, file:readObject(), 2)
   end
end

-- ---- Vec --------------------------------------------------------------------------------------------------------------------

--- tds.Vec: elements are read and written as `v[i]`, from 1. `#v` is the size. Setting an element beyond the end fills the gap with
-- nil.
local Vec = {}

-- An index: numbers are truncated, as in Torch7.
local function place_of(i, who, level)
   local n = tonumber(i)
   if type(i) == 'cdata' or not n or n ~= n or math.abs(n) > 2 ^ 53 then arg.refuse(who, 'a place', 'a whole number', i, level + 1) end
   return n < 0 and math.ceil(n) or math.floor(n)
end

local function vec_get_again(v, place)
   repeat check(C.th_tds_vec_get(base(v), place, value_room.c), 'tds.Vec') until value_room:settled()
   return value_room:get()
end

local function vec_get(v, i)
   if type(i) ~= 'number' then
      local method = Vec[i]
      if method then return method end
      error(("tds.Vec: it has places and methods, got '%s'"):format(tostring(i)), 2)
   end
   local place = place_of(i, 'tds.Vec', 2)
   local status = C.th_tds_vec_get(base(v), place, value_room:open())
   if status ~= OK then check(status, 'tds.Vec') end
   if value_room:settled() then return value_room:get() end
   return vec_get_again(v, place)
end

local function vec_set(v, i, x, level)
   local place = place_of(i, 'tds.Vec', level + 1)
   put(value_in, x, 'tds.Vec', 'a value', level + 1)
   local status = C.th_tds_vec_set(base(v), place, value_in)
   if status ~= OK then again(status, 'tds.Vec', C.th_tds_vec_set, base(v), place, value_in) end
end

function new_vec(t, n, depth)
   local v = value.new(C.TH_TDS_VEC)
   if n > 0 then v:resize(n) end
   for i = 1, n do vec_set(v, i, converted(t[i], depth + 1), 4) end
   return v
end

-- The highest index of a table whose keys are all indices.
local function highest(t)
   local n = 0
   for k in next, t do
      if type(k) ~= 'number' or k < 1 or k ~= math.floor(k) then
         error(('tds.Vec: the keys of a table must be places, got %s'):format(tostring(k)), 3)
      end
      n = math.max(n, k)
   end
   return n
end

--- Inserts a value: v:insert([index,] value). Without an index it is appended. Later elements move up by one.
-- tds = require 'tds'; v = tds.Vec{1, 3}; v:insert(2, 'x'); #v --> 3
function Vec:insert(...)
   local first, second = ...
   local n = select('#', ...)
   if n < 1 or n > 2 then error(('tds.Vec:insert: expected [place,] value, got %d arguments'):format(n), 2) end
   local place = n == 2 and place_of(first, 'tds.Vec:insert', 2) or 0
   if n == 2 and place < 1 then error(('tds.Vec:insert: a place must be at least 1, got %d'):format(place), 2) end
   if n == 1 then second = first end
   put(value_in, second, 'tds.Vec:insert', 'a value', 2)
   local status = C.th_tds_vec_insert(base(self), place, value_in)
   if status ~= OK then again(status, 'tds.Vec:insert', C.th_tds_vec_insert, base(self), place, value_in) end
end

--- Removes an element, by default the last one. Later elements move down by one.
-- tds = require 'tds'; v = tds.Vec{1, 2, 3}; v:remove(1); v[1] --> 2
function Vec:remove(place)
   local n = place == nil and 0 or place_of(place, 'tds.Vec:remove', 2)
   if place ~= nil and n < 1 then error(('tds.Vec:remove: a place must be at least 1, got %d'):format(n), 2) end
   check(C.th_tds_vec_remove(base(self), n), 'tds.Vec:remove')
end

--- Changes the size. New elements are nil.
-- tds = require 'tds'; v = tds.Vec{1}; v:resize(3); #v --> 3
function Vec:resize(size)
   local n = place_of(size, 'tds.Vec:resize', 2)
   local status = C.th_tds_vec_resize(base(self), n)
   if status ~= OK then again(status, 'tds.Vec:resize', C.th_tds_vec_resize, base(self), n) end
end

--- The elements first..last as one text, with `separator` between them.
-- tds = require 'tds'; tds.Vec{'a', 'b', 'c'}:concat(', ', 2) --> b, c
function Vec:concat(separator, first, last)
   local parts = {}
   for i = first or 1, last or #self do parts[#parts + 1] = tostring(self[i]) end
   return table.concat(parts, separator or '')
end

--- Sorts in place. less(a, b) returns whether a comes before b; the default is a < b. An error in it leaves the vector
-- unchanged.
-- tds = require 'tds'; v = tds.Vec{3, 1, 2}; v:sort(function(a, b) return a < b end); v[1] --> 1
function Vec:sort(less)
   if type(less) ~= 'nil' and type(less) ~= 'function' then arg.refuse('tds.Vec:sort', 'less', 'a function', less, 2) end
   less = less or function(a, b) return a < b end
   local values, order, n = {}, {}, #self
   for i = 1, n do values[i], order[i] = self[i], i end
   table.sort(order, function(a, b) return less(values[a], values[b]) end)
   check(C.th_tds_vec_permute(base(self), ffi.new('int64_t[?]', math.max(n, 1), order), n), 'tds.Vec:sort')
end

-- Stops at the first nil if `dense`.
local function vec_pairs(v, dense)
   local i = 0
   local function beyond_nil()
      while i < #v do
         i = i + 1
         local x = v[i]
         if x ~= nil then return i, x end
      end
   end
   return function()
      if i >= #v then return nil end
      i = i + 1
      local x = v[i]
      if x ~= nil then return i, x end
      if not dense then return beyond_nil() end
   end
end

local function vec_text(v)
   local lines = {}
   for i = 1, math.min(#v, SHOWN) do lines[i] = { ('%5d'):format(i), v[i] } end
   return show('tds.Vec', #v, lines, '%s : %s')
end

--- tds.Vec:read(file), tds.Vec:write(file): The elements, from or to a torch.File, as Torch7's tds wrote them.
function Vec.write(v, file)
   file:writeLong(#v)
   for i = 1, #v do file:writeObject(v[i]) end
end

function Vec.read(v, file)
   for i = 1, file:readLong() do vec_set(v, i, file:readObject(), 2) end
end

-- ---- AtomicCounter ----------------------------------------------------------------------------------------------------------

--- tds.AtomicCounter: a whole number that several threads may count with.
local Counter = {}

local function whole(n, who)
   if type(n) ~= 'number' or n ~= math.floor(n) or math.abs(n) > 2 ^ 53 then arg.refuse(who, 'n', 'a whole number', n, 3) end
   return n
end

--- Sets the number.
function Counter:set(n) C.th_tds_counter_set(base(self), whole(n, 'tds.AtomicCounter:set')) end

--- The number.
-- tds = require 'tds'; tds.AtomicCounter():get() --> 0
function Counter:get() return tonumber(C.th_tds_counter_add(base(self), 0)) end

--- Adds 1, or n, and returns the old number.
-- tds = require 'tds'; c = tds.AtomicCounter(); c:inc(); c:get() --> 1
function Counter:inc(n) return tonumber(C.th_tds_counter_add(base(self), whole(n or 1, 'tds.AtomicCounter:inc'))) end

--- Subtracts 1, or n, and returns the old number.
-- tds = require 'tds'; c = tds.AtomicCounter(); c:dec(); c:get() --> -1
function Counter:dec(n) return tonumber(C.th_tds_counter_add(base(self), -whole(n or 1, 'tds.AtomicCounter:dec'))) end

--- tds.AtomicCounter:read(file), tds.AtomicCounter:write(file): The number, from or to a torch.File.
function Counter.write(c, file) file:writeLong(c:get()) end
function Counter.read(c, file) c:set(file:readLong()) end

-- ---- classes ----------------------------------------------------------------------------------------------------------------

local function address(o) return tonumber(ffi.cast('intptr_t', base(o))) end
local function same(a, b)
   return value.is_object(a) and value.is_object(b) and base(a) == base(b)
end

-- Another thread gets the address, with a reference for the receiver.
local function send(o)
   C.th_tds_retain(base(o))
   return address(o)
end
local function receive(number) return value.own(ffi.cast('th_tds *', ffi.cast('uintptr_t', number))) end

-- Torch7's files hold version 0 of these classes.
local function define(name, ctype, methods, metamethods, make)
   local read = methods.read
   -- What the file holds is wrong, not the line of ours that found it.
   function methods.read(object, f)
      local ok, why = pcall(read, object, f)
      if not ok then error(type(why) == 'string' and why:gsub('^[^\n:]*/lua/t%l+/%l+%.lua:%d+: ', '') or why, 0) end
   end
   metamethods.__eq = same
   ffi.metatype(ctype, metamethods)
   class.ctype(ctype, function() return name end, address)
   local constructor = setmetatable({}, { __index = methods, __call = make })
   methods.__version, methods.__send, methods.__receive = 0, send, receive
   class.register(name, methods, nil, { constructor = constructor, factory = function() return make() end })
   return constructor
end

--- tds.Hash([table]): a hash table. `h.key = value` and `h[key]` as with tables, nil removes a key, `#h` counts the keys. Tables in
-- the table become tds.Vec or tds.Hash.
-- tds = require 'tds'; h = tds.Hash{a = 1, list = {1, 2}}; #h.list --> 2
tds.Hash = define('tds.Hash', hash_t, Hash, {
   __index = hash_get,
   __newindex = function(h, k, v) hash_set(h, k, v, 2) end,
   __len = function(h) return tonumber(C.th_tds_size(base(h))) end,
   __tostring = hash_text,
   __pairs = hash_pairs,
}, function(_, t, extra)
   if type(t) ~= 'nil' and type(t) ~= 'table' then arg.refuse('tds.Hash', 'its content', 'a table', t, 2) end
   if extra ~= nil then error('tds.Hash: too many arguments', 2) end
   return new_hash(t or {}, 1)
end)

--- tds.Vec([table]), tds.Vec(...): a vector of the elements of a table, or of the arguments.
-- tds = require 'tds'; v = tds.Vec('a', 2, true); v[2] --> 2
tds.Vec = define('tds.Vec', vec_t, Vec, {
   __index = vec_get,
   __newindex = function(v, i, x) vec_set(v, i, x, 2) end,
   __len = function(v) return tonumber(C.th_tds_size(base(v))) end,
   __tostring = vec_text,
   __pairs = vec_pairs,
   __ipairs = function(v) return vec_pairs(v, true) end,
}, function(_, ...)
   local first = ...
   local n = select('#', ...)
   if n == 1 and type(first) == 'table' and not getmetatable(first) then return new_vec(first, highest(first), 1) end
   return new_vec({ ... }, n, 1)
end)

--- tds.AtomicCounter(): a counter that begins at 0.
-- tds = require 'tds'; tds.AtomicCounter():inc() --> 0
tds.AtomicCounter = define('tds.AtomicCounter', counter_t, Counter, {
   __index = Counter,
   __tostring = function(c) return ('tds.AtomicCounter[%d]'):format(c:get()) end,
}, function() return value.new(C.TH_TDS_COUNTER) end)

--- tds.hash(...), tds.vec(...), tds.atomic_counter(): earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
tds.hash, tds.vec, tds.atomic_counter = tds.Hash, tds.Vec, tds.AtomicCounter
--- tds.C: the C library.
tds.C = C

-- ---- pairs and ipairs -------------------------------------------------------------------------------------------------------

local plain_pairs, plain_ipairs = pairs, ipairs

function _G.pairs(t)
   if istype(hash_t, t) then return hash_pairs(t) end
   if istype(vec_t, t) then return vec_pairs(t) end
   return plain_pairs(t)
end

function _G.ipairs(t)
   if istype(vec_t, t) then return vec_pairs(t, true) end
   return plain_ipairs(t)
end

return tds
