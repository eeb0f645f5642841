-- torch.worker - a Lua state in a thread of its own that answers requests of this one: tensors are shared, the rest is copied.
--
-- A request is the name of a function of a module that the other state has loaded, and its arguments. Only one of the two works
-- on what both can see: the one leaves alone what it has sent until the answer is there. What it has shared the thread may read
-- at any time. Tensors of both kinds cannot grow, for then their elements would move: those of `ask` until its answer has come,
-- those of `share` until the thread has ended.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local parcel = require 'torch.parcel'
local launch = require 'torch.launch'
local C = lib.C

-- Under names of our own, since others may declare them too.
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

local PATIENCE, GRACE = 5, 0.1              -- seconds that threads have for their end, and where a program ends

local size = ffi.new 'int64_t[1]'
local clock = ffi.new 'double[3]'
local box_t = ffi.typeof 'th_worker *[1]'
local close_state = ffi.cast('void (*)(void *)', ffi.C.th_lua_close)

-- The C worker of an object, or nil: the finalizer of a program that ends may have come first.
local function inside(self)
   local w = self.box[0]
   if w ~= nil then return w end
end

local function key(w) return tonumber(ffi.cast('uintptr_t', ffi.cast('void *', w))) end

-- What the new state runs. It has the paths of this one, and its type of tensors. Under th it gets what th gives to programs.
local boot = [[
package.path, package.cpath = %q, %q
if %s then require 'torch.launch'.start() end
local torch = require 'torch'
torch.setdefaulttensortype(%q)
require 'torch.worker'.serve(require(%q), %.0f, %d)
]]

-- Ends the thread. No other function of Lua takes part in that: th_worker_forget ends those that the collector finds.
local function finish(self, seconds)
   local w = inside(self)
   self.box[0] = nil
   if w then C.th_worker_finish(w, seconds) end
end

--- Frees what threads have left that did not end in time.
-- @return  how many have not ended yet
function M.late() return C.th_worker_reap() end

--- Ends threads, which have so many seconds for it all together.
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

-- A proxy dies in every cycle of the collector: threads that were late are freed also where no function of ours is called. When
-- the state closes, the older proxy dies behind the newer one, and the library of C behind both.
local closed = false
M.last = newproxy(true)
getmetatable(M.last).__gc = function() closed = true end
getmetatable(newproxy(true)).__gc = function(self)
   if closed then return end
   C.th_worker_reap()
   newproxy(self)
end

local open = setmetatable({}, { __mode = 'k' })

--- Ends all threads. th calls it at the end of a program: the collector would wait for one after the other.
function M.end_all()
   local workers = {}
   for it in pairs(open) do workers[#workers + 1] = it end
   M.close(workers, GRACE)
end

--- A new thread with a Lua state of its own, in which the module `handlers` is loaded: a table of functions to be asked for.
-- @param depth  requests that may wait for their answers (default 1, at most 16)
-- @param queue  a th_sync at which the thread may wait: the end of the worker closes it (optional)
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

-- Raises why the thread is not there, if it got as far as to say so.
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

-- The next answer is there; an error if it will never come. The asker takes it: taken counts.
local function listen(self)
   local w, number = need_open(self), self.taken + 1
   repeat
      local state = C.th_worker_wait(w, number, 0.2)
      if state < 0 then self:lost() end
   until state == 1
   C.th_worker_drop(w, number)                                -- first: Ctrl-C may come anywhere
   self.taken = number
end
jit.off(listen)                             -- compiled code would not see Ctrl-C

local function ask(self, share, name, ...)
   local w = need_open(self)
   if self.asked - self.taken >= self.depth then listen(self) end
   local number = self.asked + 1
   local function refuse(why)                                 -- the thread has not been asked, and answers the next request
      self.asked = number - 1
      if not share then C.th_worker_drop(w, number) end
      error(why, 0)
   end
   local sent = parcel.pack_for(function(t)
      t = C.th_worker_keep(w, share and -1 or number, t)
      return t ~= nil and t or refuse 'no memory left for a tensor on its way to another thread'
   end, name, ...)
   self.asked = number
   local status = C.th_worker_ask(w, sent, #sent)
   if status == C.TH_ENOMEM then refuse(ffi.string(C.th_error())) end
   if status ~= lib.OK then self:lost() end
end

--- Asks for handlers[name](...); wait gets the answer. Where `depth` answers have not been waited for, the first is forgotten.
function Worker:ask(name, ...) ask(self, false, name, ...) end

--- Asks, and what the thread is given it may keep.
function Worker:share(name, ...) ask(self, true, name, ...) end

--- Waits for the next answer: what the function returned. An error of the function is raised here.
function Worker:wait()
   local w = need_open(self)
   if self.asked == self.taken then error('the thread has not been asked for anything', 2) end
   listen(self)
   local bytes = C.th_worker_answer(w, self.taken, size)
   local function result(ok, ...)
      if not ok then error((...), 0) end
      return ...
   end
   return result(parcel.unpack(ffi.string(bytes, size[0])))
end

-- Tells the thread that requests which it has not begun need no answer; its end comes next.
function Worker:leave()
   local w = inside(self)
   if w then C.th_worker_leave(w) end
end

--- Whether the thread has answered everything it was asked, or has ended.
function Worker:idle()
   local w = inside(self)
   return not w or C.th_worker_wait(w, self.asked, 0) ~= 0
end

--- Whether the thread can be asked.
function Worker:alive() return inside(self) ~= nil end

--- Ends the thread.
function Worker:close() M.close { self } end

-- ---- in the thread ------------------------------------------------------------------------------------------------------

local function trail(why)
   return type(why) == 'string' and not why:find '\nstack traceback:' and debug.traceback(why, 2) or why
end

--- Answers requests until no more will come. Runs in the thread. What an answer holds lives until it has been taken, which is
-- sure when the request `depth` further on has come.
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
