-- examples/lib/interrupt.lua - defers Ctrl-C and SIGTERM until the program checks for them, so that a training step is not
-- interrupted.
local ffi = require 'ffi'

ffi.cdef [[
typedef struct examples_sigset { unsigned long word[16]; } examples_sigset;
int sigemptyset(examples_sigset *set);
int sigaddset(examples_sigset *set, int signal);
int sigismember(const examples_sigset *set, int signal);
int sigprocmask(int how, const examples_sigset *set, examples_sigset *before);
int sigpending(examples_sigset *set);
int sigaction(int signal, const void *action, void *before);
]]

local C = ffi.C
local SIGINT, SIGTERM, BLOCK, SETMASK, IGNORE = 2, 15, 0, 2, 1
local before, watched

-- A signal that the parent process ignores stays ignored.
local function ignored(signal)
   local action = ffi.new 'uintptr_t[32]'      -- a struct sigaction begins with its handler
   C.sigaction(signal, nil, action)
   return action[0] == IGNORE
end

local interrupt = {}

--- Starts to defer the signals.
function interrupt.hold()
   local set = ffi.new 'examples_sigset'
   before, watched = ffi.new 'examples_sigset', {}
   C.sigemptyset(set)
   for _, signal in ipairs { SIGINT, SIGTERM } do
      if not ignored(signal) then
         watched[#watched + 1] = signal
         C.sigaddset(set, signal)
      end
   end
   C.sigprocmask(BLOCK, set, before)
end

--- The number of a pending signal, or nil.
function interrupt.waiting()
   local set = ffi.new 'examples_sigset'
   C.sigpending(set)
   for _, signal in ipairs(watched) do
      if C.sigismember(set, signal) == 1 then return signal end
   end
end

--- Restores the effect that the signals had before hold, also for a pending one.
function interrupt.release() C.sigprocmask(SETMASK, before, nil) end

return interrupt
