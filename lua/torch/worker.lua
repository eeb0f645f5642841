-- torch.worker - runs a Lua state in a thread, which answers requests: tensors are shared, other values are copied.
--
-- A request is the name of a function, in a module that the other state has loaded, and its arguments. Only one of the two
-- states uses shared tensors at a time: the sender leaves them alone until the answer arrives. The thread may read what `share`
-- sent at any time. Shared tensors cannot grow, because that would move their elements: those of `ask` until the answer
-- arrives, those of `share` until the thread has ended.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local parcel = require 'torch.parcel'
local launch = require 'torch.launch'
local C = lib.C

-- Declared under names with a prefix of ours, since other code may declare them too.
ffi.cdef [[
void *th_lua_new(void) __asm__("luaL_newstate");
void th_lua_open(void *L) __asm__("luaL_openlibs");
int th_lua_load(void *L, const char *text, size_t n, const char *name) __asm__("luaL_loadbuffer");
int th_lua_call(void *L, int, int, int) __asm__("lua_pcall");
const char *th_lua_text(void *L, int at, size_t *n) __asm__("lua_tolstring");
void th_lua_close(void *L) __asm__("lua_close");
]]

local M = {}
local Worker = {}
Worker.__index = Worker

local PATIENCE, GRACE = 5, 0.1              -- seconds that threads get to end, normally and at the end of the program

local size = ffi.new 'int64_t[1]'
local clock = ffi.new 'double[3]'
local box_t = ffi.typeof 'th_worker *[1]'
local close_state = ffi.cast('void (*)(void *)', ffi.C.th_lua_close)

-- The C worker of an object. nil after the finalizer, which may run first when a program ends.
local function inside(self)
   local w = self.box[0]
   if w ~= nil then return w end
end

local function key(w) return tonumber(ffi.cast('uintptr_t', ffi.cast('void *', w))) end

-- The code that the new state runs. It gets the paths of this one, and its type of tensors. Under th it gets th's globals too.
local boot = [[
package.path, package.cpath = %q, %q
if %s then require 'torch.launch'.start() end
local torch = require 'torch'
torch.setdefaulttensortype(%q)
require 'torch.worker'.serve(require(%q), %.0f, %d)
]]

-- Ends the thread. Threads whose object the collector found are ended by th_worker_forget, without Lua.
local function finish(self, seconds)
   local w = inside(self)
   self.box[0] = nil
   if w then C.th_worker_finish(w, seconds) end
end

--- Frees the memory of threads that did not end in time.
-- @return  how many have not ended yet
function M.late() return C.th_worker_reap() end

--- Ends threads; `patience` is the time for all of them together, in seconds.
-- @param patience  default 5
function M.close(workers, patience)
   patience = patience or PATIENCE
   C.th_worker_reap()
   for _, it in ipairs(workers) do it:leave() end
   C.th_clock(clock)
   local till = clock[0] + patience
   for _, it in ipairs(workers) do
      C.th_clock(clock)
      finish(it, math.max(0, till - clock[0]))
   end
end

-- A proxy is freed in every cycle of the collector, so late threads are freed even if no function of ours is called. When
-- the state closes, the older proxy is freed after the newer one, and the C library after both.
local closed = false
M.last = newproxy(true)
getmetatable(M.last).__gc = function() closed = true end
getmetatable(newproxy(true)).__gc = function(self)
   if closed then return end
   C.th_worker_reap()
   newproxy(self)
end

local open = setmetatable({}, { __mode = 'k' })

--- Ends all threads. th calls it at the end of a program, because the collector would wait for one after the other.
function M.end_all()
   local workers = {}
   for it in pairs(open) do workers[#workers + 1] = it end
   M.close(workers, GRACE)
end

--- A new thread with a Lua state, in which the module `handlers` is loaded: a table of functions that requests call.
-- @param depth  requests that may wait for their answers (default 1, at most 16)
-- @param queue  a th_sync on which the thread may wait: the end of the worker closes it (optional)
function M.new(handlers, depth, queue)
   depth = depth or 1
   C.th_worker_reap()
   local L = ffi.C.th_lua_new()
   if L == nil then error('torch.worker: no memory left for a Lua state', 2) end
   ffi.C.th_lua_open(L)
   local box = box_t()
   local status = C.th_worker_new(box, L, close_state)
   if status ~= lib.OK then
      ffi.C.th_lua_close(L)
      lib.check(status, 2)
   end
   local self = setmetatable({ box = ffi.gc(box, C.th_worker_forget), L = L, depth = depth, asked = 0, taken = 0 }, Worker)
   local w = box[0]
   if queue then C.th_worker_wake(w, queue) end
   local text = boot:format(package.path, package.cpath, tostring(launch.preloaded ~= nil), torch.getdefaulttensortype(), handlers,
      key(w), depth)
   local failed = ffi.C.th_lua_load(L, text, #text, '=thread') ~= 0
      or C.th_worker_start(w, ffi.cast('th_worker_run', ffi.C.th_lua_call)) ~= lib.OK
   if failed then
      finish(self, 0)
      error('torch.worker: a thread cannot be started', 2)
   end
   open[self] = true
   return self
end

-- Raises an error with the reason why the thread ended, if it has left one.
function Worker:lost()
   local w, why = inside(self), 'its thread has ended'
   if w and C.th_worker_result(w) > 0 then
      local text = ffi.C.th_lua_text(self.L, -1, nil)
      if text ~= nil then why = why .. ': ' .. ffi.string(text) end
   end
   finish(self, PATIENCE)
   error(why, 0)
end

local function need_open(self) return inside(self) or error('its thread has ended', 0) end

-- Waits for the next answer; an error if the thread has ended. The caller takes the answer: taken counts.
local function listen(self)
   local w, number = need_open(self), self.taken + 1
   repeat
      local state = C.th_worker_wait(w, number, 0.2)
      if state < 0 then self:lost() end
   until state == 1
   C.th_worker_drop(w, number)                                -- first, because Ctrl-C can raise an error anywhere
   self.taken = number
end
jit.off(listen)                             -- compiled code would not see Ctrl-C

local function ask(self, share, name, ...)
   local w = need_open(self)
   if self.asked - self.taken >= self.depth then listen(self) end
   local number = self.asked + 1
   local function refuse(why)                                 -- the thread has not got this request, and answers the next one
      self.asked = number - 1
      if not share then C.th_worker_drop(w, number) end
      error(why, 0)
   end
   local sent = parcel.pack_for(function(t)
      t = C.th_worker_keep(w, share and -1 or number, t)
      return t ~= nil and t or refuse 'no memory left for a tensor that is sent to another thread'
   end, name, ...)
   self.asked = number
   local status = C.th_worker_ask(w, sent, #sent)
   if status == C.TH_ENOMEM then refuse(ffi.string(C.th_error())) end
   if status ~= lib.OK then self:lost() end
end

--- Calls handlers[name](...) in the thread; wait returns the answer. If `depth` answers are outstanding, drops the oldest.
function Worker:ask(name, ...) ask(self, false, name, ...) end

--- Calls handlers[name](...) in the thread, which may keep the arguments.
function Worker:share(name, ...) ask(self, true, name, ...) end

--- Waits for the next answer: the results of the function. An error of the function is raised here.
function Worker:wait()
   local w = need_open(self)
   if self.asked == self.taken then error('no request is outstanding', 2) end
   listen(self)
   local bytes = C.th_worker_answer(w, self.taken, size)
   local function result(ok, ...)
      if not ok then error((...), 0) end
      return ...
   end
   return result(parcel.unpack(ffi.string(bytes, size[0])))
end

-- Signals the thread that requests which it has not begun need no answer, because its end follows.
function Worker:leave()
   local w = inside(self)
   if w then C.th_worker_leave(w) end
end

--- Whether the thread has answered all requests, or has ended.
function Worker:idle()
   local w = inside(self)
   return not w or C.th_worker_wait(w, self.asked, 0) ~= 0
end

--- Whether the thread accepts requests.
function Worker:alive() return inside(self) ~= nil end

--- Ends the thread.
function Worker:close() M.close { self } end

-- ---- in the thread ------------------------------------------------------------------------------------------------------

local function trail(why)
   return type(why) == 'string' and not why:find '\nstack traceback:' and debug.traceback(why, 2) or why
end

--- Answers requests until the end. Runs in the thread. The values of an answer live until the other state has taken them, which
-- is sure when the request `depth` later arrives.
function M.serve(handlers, address, depth)
   local w = ffi.cast('th_worker *', ffi.cast('uintptr_t', address))
   local function answer(name, ...)
      local f = handlers[name]
      if not f then error('the thread has no function ' .. tostring(name), 0) end
      return f(...)
   end
   local sent, kept, number = {}, {}, 0
   local function reply(...)
      local ok, text, tensors = pcall(parcel.pack, ...)
      if not ok then text, tensors = parcel.pack(false, text) end
      sent[number % depth], kept[number % depth] = text, tensors
      C.th_worker_reply(w, text, #text)
   end
   while true do
      local bytes = C.th_worker_next(w, size)
      if bytes == nil then return sent, kept end
      number = number + 1
      sent[number % depth], kept[number % depth] = nil, nil
      reply(xpcall(function() return answer(parcel.unpack(ffi.string(bytes, size[0]))) end, trail))
   end
end

return M
