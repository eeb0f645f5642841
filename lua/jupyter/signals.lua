-- lua/jupyter/signals.lua - lets Ctrl-C (SIGINT) stop the code of a cell, and nothing else of the kernel.
--
-- SIGINT is blocked in the thread that runs Lua except while code of a user runs, so that it never cuts a message in two.
local ffi = require 'ffi'

ffi.cdef [[
typedef struct th_jupyter_sigset { unsigned long room[16]; } th_jupyter_sigset;
int th_jupyter_empty(th_jupyter_sigset *) __asm__("sigemptyset");
int th_jupyter_add(th_jupyter_sigset *, int) __asm__("sigaddset");
int th_jupyter_mask(int how, const th_jupyter_sigset *, th_jupyter_sigset *) __asm__("pthread_sigmask");
int th_jupyter_take(const th_jupyter_sigset *, void *info, const long *timeout) __asm__("sigtimedwait");
int th_jupyter_kill(int pid, int sig) __asm__("kill");
int th_jupyter_getpid(void) __asm__("getpid");
int th_jupyter_getppid(void) __asm__("getppid");
int th_jupyter_getpgrp(void) __asm__("getpgrp");
void th_prompt_begins(void);
void *th_jupyter_signal(int, void *) __asm__("signal");
int th_jupyter_execv(const char *, const char *const *) __asm__("execv");
]]

local M = {}

local C = ffi.C
local SIGINT, BLOCK, UNBLOCK = 2, 0, 1
local set, none = ffi.new 'th_jupyter_sigset', ffi.new 'long[2]'
C.th_jupyter_empty(set)
C.th_jupyter_add(set, SIGINT)

--- Holds SIGINT back.
function M.block() C.th_jupyter_mask(BLOCK, set, nil) end

--- Lets SIGINT stop the code that follows. Signals that arrived before do not count.
function M.allow()
   while C.th_jupyter_take(set, nil, none) == SIGINT do end
   C.th_jupyter_mask(UNBLOCK, set, nil)
end

local function resume(ok, ...)
   local first = ...                        -- before any call: plain LuaJIT compiles later reads wrongly
   C.th_jupyter_mask(UNBLOCK, set, nil)
   if not ok then error(first, 0) end
   return ...
end

--- f(...) with SIGINT blocked, for code of the kernel that a cell calls.
function M.without(f, ...)
   return resume(pcall(function(...)
      M.block()
      return f(...)
   end, ...))
end

--- Sends SIGINT to this process, and to its children if it leads its group, as a terminal does.
function M.interrupt()
   local pid = C.th_jupyter_getpid()
   C.th_jupyter_kill(C.th_jupyter_getpgrp() == pid and -pid or pid, SIGINT)
end

--- Interrupts are as at the prompt: two within a second do not end the process.
function M.start()
   pcall(function() C.th_prompt_begins() end)                  -- only th has it
   M.block()
end

-- Whether the parent left SIGINT ignored, as a shell does for commands behind which & stands.
local function is_ignored()
   local f = io.open '/proc/self/status'
   local mask = f and f:read '*a':match 'SigIgn:%s*%x*(%x)%s'
   if f then f:close() end
   return mask ~= nil and math.floor(tonumber(mask, 16) / 2) % 2 == 1
end

--- Starts this program again if its parent ignores SIGINT, because th then ignores it too, and no cell could be stopped.
-- @param ...  the program's arguments
function M.restart_if_ignored(...)
   if not is_ignored() then return end
   local words, n = { '/proc/self/exe', ... }, 1 + select('#', ...)
   local argv = ffi.new('const char *[?]', n + 1)
   for i = 1, n do argv[i - 1] = words[i] end
   C.th_jupyter_signal(SIGINT, nil)
   C.th_jupyter_execv(words[1], argv)       -- if it fails, the kernel runs without interrupts
end

--- The process that started this one.
function M.parent() return C.th_jupyter_getppid() end

for _, f in pairs(M) do jit.off(f, true) end
jit.off(resume)

return M
