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

local PATIENCE, GRACE = 5, 0.1              -- seconds that a thread has for its end, and where the collector cannot wait

-- What a thread may be working on, by the address of its th_worker and the place of the request, or `shared`: it lives on when
-- the worker does not.
M.underway = {}
M.late = {}                                 -- threads that have not ended in time: address -> th_worker and its state
local function key(w) return tonumber(ffi.cast('uintptr_t', ffi.cast('void *', w))) end
local size = ffi.new 'int64_t[1]'

-- What the new state runs. It has the paths of this one, and its type of tensors. Under th it gets what th gives to programs.
local boot = [[
package.path, package.cpath = %q, %q
if %s then require 'torch.launch'.start() end
local torch = require 'torch'
torch.setdefaulttensortype(%q)
require 'torch.worker'.serve(require(%q), %.0f, %d)
]]

-- Adds tensors and their storages, which cannot grow from now on, to what is held.
local function hold(tensors, held)
   held = held or { storages = {} }
   for _, t in ipairs(tensors) do
      held[#held + 1] = t
      local s = C.th_worker_hold(t)
      if s ~= nil then held.storages[#held.storages + 1] = s end
   end
   return held
end

local function let_go(held)
   for _, s in ipairs(held and held.storages or {}) do C.th_worker_let_go(s) end
end

-- Ends the thread and closes its state. That stays if the thread does not listen and may still use it, or was ended from
-- outside and has left it in the middle of something.
local function finish(w, L, patience)
   local address = key(w)
   local state = C.th_worker_end(w, patience)
   M.late[address] = state == 0 and { w = w, L = L } or nil
   if state == 0 then return end
   local underway = M.underway[address] or {}
   M.underway[address] = nil
   for _, held in pairs(underway) do let_go(held) end
   if state == 1 then ffi.C.th_lua_close(L) end
end

-- Threads that were late may have ended since.
local function reap()
   for _, it in pairs(M.late) do finish(it.w, it.L, 0) end
end

--- Ends threads, which have so many seconds for it all together.
-- @param patience  default 5
function M.close(workers, patience)
   patience = patience or PATIENCE
   reap()
   local timer = torch.Timer()
   for _, it in ipairs(workers) do it:leave() end
   for _, it in ipairs(workers) do
      local w = not it.life.over and it.w
      it.w = nil
      if w then finish(ffi.gc(w, nil), it.L, math.max(0, patience - timer:time().real)) end
   end
end

local open = setmetatable({}, { __mode = 'k' })

--- Functions that end the threads of a package, for end_all.
M.enders = {}

--- Ends all threads. th calls it at the end of a program, since the collector finalizes objects in no useful order then.
function M.end_all()
   for _, f in ipairs(M.enders) do pcall(f) end
   local workers = {}
   for it in pairs(open) do workers[#workers + 1] = it end
   M.close(workers, GRACE)
end

--- A new thread with a Lua state of its own, in which the module `handlers` is loaded: a table of functions to be asked for.
-- @param depth  requests that may wait for their answers (default 1, at most 16)
-- @param wake   what the collector calls first, where a request ends on another signal than the end of the worker (optional)
function M.new(handlers, depth, wake)
   depth = depth or 1
   reap()
   local out = ffi.new 'th_worker *[1]'
   lib.call('torch.worker', C.th_worker_new, out)
   local w, L = out[0], ffi.C.th_lua_new()
   if L == nil then
      C.th_worker_end(w, 0)
      error('torch.worker: no memory left for a Lua state', 2)
   end
   ffi.C.th_lua_open(L)
   local text = boot:format(package.path, package.cpath, tostring(launch.preloaded ~= nil), torch.getdefaulttensortype(), handlers,
      key(w), depth)
   local status = ffi.C.th_lua_load(L, text, #text, '=thread')
   if status == 0 then status = C.th_worker_start(w, ffi.cast('th_worker_run', ffi.C.th_lua_call), L) end
   if status ~= 0 then
      finish(w, L, PATIENCE)
      error('torch.worker: a thread cannot be started', 2)
   end
   M.underway[key(w)] = {}
   local self = setmetatable({ L = L, depth = depth, asked = 0, taken = 0 }, Worker)
   local life = {}
   self.life = life
   open[self] = true
   self.w = ffi.gc(w, function(it)
      life.over = true
      if wake then wake() end
      finish(it, L, GRACE)
   end)
   return self
end

-- Raises why the thread is not there, if it got as far as to say so.
function Worker:lost()
   local w = ffi.gc(self.w, nil)
   local why = 'its thread has ended'
   self.w = nil
   if C.th_worker_result(w) > 0 then
      local text = ffi.C.th_lua_text(self.L, -1, nil)
      if text ~= nil then why = why .. ': ' .. ffi.string(text) end
   end
   finish(w, self.L, PATIENCE)
   error(why, 0)
end

local function need_open(self)
   if not self.w then error('its thread has ended', 0) end
end

-- The next answer is there; an error if it will never come. The asker takes it: taken counts.
local function listen(self)
   local number = self.taken + 1
   repeat
      local state = C.th_worker_wait(self.w, number, 0.2)
      if state < 0 then self:lost() end
   until state == 1
   local underway = M.underway[key(self.w)]
   local held = underway[number % self.depth]
   underway[number % self.depth] = nil                        -- first: Ctrl-C may come anywhere
   let_go(held)
   self.taken = number
end
jit.off(listen)                             -- compiled code would not see Ctrl-C

local function ask(self, share, name, ...)
   need_open(self)
   if self.asked - self.taken >= self.depth then listen(self) end
   local sent, tensors = parcel.pack(name, ...)
   local number = self.asked + 1
   local underway, place = M.underway[key(self.w)], share and 'shared' or number % self.depth
   underway[place] = hold(tensors, underway[place])
   self.asked = number
   if C.th_worker_ask(self.w, sent, #sent) ~= lib.OK then self:lost() end
end

--- Asks for handlers[name](...); wait gets the answer. Where `depth` answers have not been waited for, the first is forgotten.
function Worker:ask(name, ...) ask(self, false, name, ...) end

--- Asks, and what the thread is given it may keep.
function Worker:share(name, ...) ask(self, true, name, ...) end

--- Waits for the next answer: what the function returned. An error of the function is raised here.
function Worker:wait()
   need_open(self)
   if self.asked == self.taken then error('the thread has not been asked for anything', 2) end
   listen(self)
   local bytes = C.th_worker_answer(self.w, self.taken, size)
   local function result(ok, ...)
      if not ok then error((...), 0) end
      return ...
   end
   return result(parcel.unpack(ffi.string(bytes, size[0])))
end

-- Tells the thread that requests which it has not begun need no answer; its end comes next.
function Worker:leave()
   if self.w and not self.life.over then C.th_worker_leave(self.w) end
end

--- Whether the thread has answered everything it was asked, or has ended.
function Worker:idle()
   return not self.w or C.th_worker_wait(self.w, self.asked, 0) ~= 0
end

--- Whether the thread can be asked.
function Worker:alive() return self.w ~= nil end

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
