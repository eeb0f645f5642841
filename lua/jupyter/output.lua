-- lua/jupyter/output.lua - pipes in the place of standard output and standard error, so that whatever a cell writes is read:
-- by print, by C libraries and by other processes.
local ffi = require 'ffi'

ffi.cdef [[
int th_jupyter_pipe(int *ends, int flags) __asm__("pipe2");
int th_jupyter_dup(int) __asm__("dup");
int th_jupyter_dup2(int, int) __asm__("dup2");
int th_jupyter_close(int) __asm__("close");
ssize_t th_jupyter_read(int, void *, size_t) __asm__("read");
int th_jupyter_flush(void *) __asm__("fflush");
int th_jupyter_fcntl(int, int, ...) __asm__("fcntl");
]]

local M = {}

local C = ffi.C
local CLOSE_ON_EXEC, NON_BLOCKING, SET_FLAGS = 0x80000, 0x800, 4

--- The most bytes that a pipe holds, and that one read returns.
M.room = 65536
local buffer = ffi.new('char[?]', M.room)

--- Writes what Lua and C libraries hold back. A cell may have closed or replaced io.stdout.
function M.flush() C.th_jupyter_flush(nil) end

--- Redirects standard output and standard error. Returns the file descriptors to read from, and a function that undoes it.
function M.capture()
   local ends, saved = ffi.new 'int[2]', {}
   local from = {}
   M.flush()
   for fd = 1, 2 do
      if C.th_jupyter_pipe(ends, CLOSE_ON_EXEC) ~= 0 then error('jupyter: no pipe for the output', 0) end
      saved[fd] = C.th_jupyter_dup(fd)
      C.th_jupyter_dup2(ends[1], fd)
      C.th_jupyter_close(ends[1])
      C.th_jupyter_fcntl(ends[0], SET_FLAGS, ffi.cast('int', NON_BLOCKING))
      from[fd] = ends[0]
   end
   io.stdout:setvbuf 'line'
   return from, function()
      M.flush()
      for fd = 1, 2 do
         if saved[fd] >= 0 then
            C.th_jupyter_dup2(saved[fd], fd)
            C.th_jupyter_close(saved[fd])
         else
            C.th_jupyter_close(fd)
         end
      end
   end
end

--- What a pipe holds, at most M.room bytes; '' if it is empty, nil at its end.
function M.read(fd)
   local n = C.th_jupyter_read(fd, buffer, M.room)
   if n == 0 then return nil end
   return n > 0 and ffi.string(buffer, n) or ''
end

return M
