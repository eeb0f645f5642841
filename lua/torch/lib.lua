-- torch.lib - the C library, declared from its header; the one place where a status becomes an error.
local ffi = require 'ffi'
local environment = require 'torch.environment'

if not ffi.abi 'gc64' and ffi.abi '64bit' then
   error('Cresset needs a LuaJIT in GC64 mode: this one can hold 2 GB at most. Debian 12 and LuaJIT 2.1 have it', 0)
end

local here = debug.getinfo(1, 'S').source:match '^@(.*)[/\\][^/\\]*$' or '.'

-- The text of a header, and the folder that it is in.
local function read_header(name)
   local tried = { here, here .. '/../../lib/include' }
   for _, folder in ipairs(tried) do
      local f = io.open(folder .. '/' .. name)
      if f then
         local text = f:read '*a'
         f:close()
         return text, folder
      end
   end
   error(('cannot find %s in %s'):format(name, table.concat(tried, ' and ')), 0)
end

-- Searches TH_LIB, the folders beside a checkout, the prefix of this file, and package.cpath.
local function load_library()
   local tried = { environment.get 'TH_LIB' or here .. '/../../build/libth.so', here .. '/../../../../lib/libth.so',
      here .. '/../../../../lib/lua/5.1/libth.so' }
   local found = package.searchpath and package.searchpath('libth', package.cpath)
   if found then tried[#tried + 1] = found end
   local why
   for _, name in ipairs(tried) do
      local f = io.open(name)
      if f then
         f:close()
         local ok, lib = pcall(ffi.load, name)
         if ok then return lib, name end
         why = why or lib
      end
   end
   error('cannot load libth: ' .. (why or 'tried ' .. table.concat(tried, ', ') .. '. In a checkout, run ./dev build'), 0)
end

-- A tensor's fields are private: they get an underscore, since x:size() and x:storage() are methods.
local function declarations(header)
   local text = assert(header:match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'a header has lost its FFI part')
   return (text:gsub('struct th_tensor {.-}', function(struct)
      return (struct:gsub('([%w_]+)(%f[;,%[])', '_%1'))
   end))
end

local header, include = read_header 'th.h'
ffi.cdef((declarations(header)))
ffi.cdef((declarations(read_header 'th_conv.h')))
local C, path = load_library()
assert(C.th_abi() == C.TH_ABI, 'libth and th.h come from different builds: ' .. path)

local OK, ENOMEM, EINTR = 0, tonumber(C.TH_ENOMEM), tonumber(C.TH_EINTR)

-- Raises the kept message, in the name of `who` if given; `level` counts as in error(), from the caller of raise.
local function raise(status, level, who)
   if status == EINTR then C.th_interrupt(0) end
   local why = ffi.string(C.th_error())
   error(who and who .. ': ' .. why or why, (level or 1) + 1)
end

--- Turns a status into an error at the caller of the function that called check.
local function check(status, level, who)
   if status ~= OK then raise(tonumber(status), (level or 2) + 1, who) end
end

-- ---- memory the collector cannot see ----------------------------------------------------------------------

local memory = C.th_memory_of(C.TH_CPU)
local least = 128 * 2 ^ 20

-- Tensors live in C, and Lua holds references to them, because cdata with finalizers cost ten times as much. held[i] is
-- the reference to tensor i - 1, false while the tensor is free, and nil once the collector found it unreachable.
local pool = C.th_pool_new()
if pool == nil then error('torch: no memory left', 0) end
local held, places, closed = setmetatable({}, { __mode = 'v' }), 0, false
local due = false                           -- a cycle of the collector has ended since the last sweep

local function widen()
   for i = places + 1, pool.count do held[i] = false end
   places = pool.count
end
widen()

-- Returns tensors to the pool that the collector found unreachable.
local function sweep()
   due = false
   if closed then return end
   for i = places, 1, -1 do
      if held[i] == nil then
         held[i] = false
         C.th_pool_give(pool, i - 1)
      end
   end
end

-- Runs the collector, and raises the limit to 1.5 times the memory in use, or by what is to spare.
local function collect()
   collectgarbage()
   sweep()
   for device = 0, C.th_device_count() do
      local m = C.th_memory_of(device)
      local bytes = tonumber(m.bytes)
      m.limit = math.max(least, bytes * 1.5, bytes + tonumber(m.spare))
   end
end

--- Frees the memory of tensors that are not in use.
local function trim()
   if closed then return end
   sweep()
   C.th_pool_trim(pool)
end

-- The number of a free tensor, when the pool had none.
local function more()
   sweep()
   local i = C.th_pool_take(pool)
   if i >= 0 then return i end
   if C.th_pool_grow(pool) ~= 0 then widen() else collect() end
   i = C.th_pool_take(pool)
   if i < 0 then error('torch: no memory left', 2) end
   return i
end

--- A tensor that has no shape yet.
local function new()
   if memory.bytes > memory.limit then collect() end
   if due then sweep() end
   local i = C.th_pool_take(pool)
   if i < 0 then i = more() end
   local t = pool.tensor[i][0]
   held[i + 1] = t
   return t
end

-- The collector frees one of these in every cycle. LuaJIT compiles no loop inside of a finalizer, so the next new tensor
-- sweeps; the finalizer itself does so only if no tensor was made since the last cycle.
local function each_cycle(self)
   if due then sweep() else due = true end
   newproxy(self)
end
-- When a state closes, LuaJIT calls the finalizers of all cdata first, even of reachable ones, and those of userdata later.
-- Finalizers of a program are userdata. Objects that they may use are freed after them.
local late = {}

-- LuaJIT 2.1 has its table of finalizers as the environment of ffi.gc, and takes its metatable away when the state closes.
-- Elsewhere a weak table shows the same: the collector removes an object from it before it calls the finalizer.
local finalizers, getmetatable = debug.getfenv(ffi.gc), debug.getmetatable
local reachable
if type(finalizers) ~= 'table' or rawget(finalizers, '__mode') ~= 'k' or getmetatable(finalizers) ~= finalizers then
   reachable = setmetatable({}, { __mode = 'k' })
   finalizers = reachable
end

--- An object of C with a finalizer that lib.finalizer made.
local function own(o)
   if reachable then reachable[o] = true end
   return o
end

--- A finalizer that calls free(object). Only finalizers of userdata older than this module run later.
local function finalizer(free)
   return function(o)
      if getmetatable(finalizers) and not (reachable and reachable[o]) then return free(o) end
      local n = #late
      late[n + 1], late[n + 2] = o, free
   end
end

-- The first of all proxies is freed last, with the state.
local function at_close()
   for i = 1, #late, 2 do late[i + 1](late[i]) end
   closed = true
   C.th_pool_free(pool)
end
local last, cycle = newproxy(true), newproxy(true)
getmetatable(last).__gc, getmetatable(cycle).__gc = at_close, each_cycle

--- Calls f(...), a C function, in the name of `who`; when memory is short, collects garbage and calls once more. Raises the
-- error of the second call.
local function call(who, f, ...)
   C.th_enter(who)
   local status = f(...)
   if status == C.TH_ENOMEM then
      collectgarbage()
      collectgarbage()
      C.th_enter(who)
      status = f(...)
   end
   C.th_enter(nil)                          -- C keeps the pointer, and `who` may be collected
   if status ~= OK then raise(tonumber(status), 3) end
end

return {
   C = C, path = path, include = include, check = check, raise = raise, call = call, new = new, collect = collect,
   sweep = sweep, trim = trim, own = own, finalizer = finalizer, OK = OK, ENOMEM = ENOMEM,
   tensor_t = ffi.typeof 'th_tensor', last = last,
   storage_t = ffi.typeof 'th_storage_ref', generator_t = ffi.typeof 'th_generator_ref',
}
