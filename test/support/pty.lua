-- test/support/pty.lua - runs a program on a separate terminal, for specs of the prompt and of Ctrl-C.
local ffi = require 'ffi'
local patience = require 'test.support.patience'

ffi.cdef [[
int posix_openpt(int flags);
int forkpty(int *master, char *name, const void *termios, const void *winsize);
int execvp(const char *file, char *const argv[]);
int setenv(const char *name, const char *value, int overwrite);
void *signal(int number, void *handler);
void _exit(int status);
int kill(int pid, int sig);
int waitpid(int pid, int *status, int options);
int close(int fd);
int usleep(unsigned us);
long read(int fd, void *to, size_t n);
long write(int fd, const void *from, size_t n);
struct th_pollfd { int fd; short events, revents; };
int poll(struct th_pollfd *fds, unsigned long n, int ms);
typedef struct th_timespec { long s, ns; } th_timespec;
int clock_gettime(int clock, th_timespec *now);
]]

local C = ffi.C
local M = {}
M.__index = M

--- Milliseconds of a clock that never goes back.
function M.now()
   local t = ffi.new 'th_timespec'
   C.clock_gettime(1, t)
   return tonumber(t.s) * 1000 + tonumber(t.ns) / 1e6
end

--- Whether this machine gives terminals: a bare chroot without /dev/pts does not.
function M.there()
   local fd = C.posix_openpt(2)                 -- O_RDWR
   if fd >= 0 then C.close(fd) end
   return fd >= 0
end

--- Starts argv[1] with its arguments. `env` is added to the environment. The terminal has `rows` and `columns`; without them
-- its size is not known.
function M.start(argv, env, rows, columns)
   local cargv = ffi.new('const char *[?]', #argv + 1)
   for i, a in ipairs(argv) do cargv[i - 1] = a end
   local master = ffi.new 'int[1]'
   local size = rows and ffi.new('unsigned short[4]', rows, columns)
   local pid = C.forkpty(master, nil, nil, size)
   assert(pid >= 0, 'forkpty failed')
   if pid == 0 then
      C.setenv('TERM', 'xterm', 1)
      C.signal(2, nil)                       -- who runs the specs in the background ignores SIGINT
      for k, v in pairs(env or {}) do C.setenv(k, v, 1) end
      C.execvp(argv[1], ffi.cast('char *const *', cargv))
      C._exit(127)
   end
   return setmetatable({ pid = pid, fd = master[0], text = '', from = 1 }, M)
end

-- Reads what there is within `ms`; false at the end of the output.
function M:drain(ms)
   local p = ffi.new('struct th_pollfd[1]')
   p[0].fd, p[0].events = self.fd, 1
   if C.poll(p, 1, ms) <= 0 then return true end
   local buf = ffi.new 'char[65536]'
   local n = tonumber(C.read(self.fd, buf, 65536))
   if n <= 0 then return false end
   self.text = self.text .. ffi.string(buf, n):gsub('\r\n', '\n')
   return true
end

--- Collects output for some milliseconds.
function M:pause(ms)
   local t0 = M.now()
   while M.now() - t0 < ms and self:drain(20) do end
end

--- The same for milliseconds of a usual machine.
function M:wait(ms) self:pause(patience(ms)) end

function M:send(s) C.write(self.fd, s, #s) end

--- Waits until `s` (plain text) appears after what was found last; returns the
--- milliseconds it took. It waits for `ms` of a usual machine, 20 s by default.
function M:expect(s, ms)
   local t0, open = M.now(), true
   while true do
      local first, last = self.text:find(s, self.from, true)
      if first then
         self.from = last + 1
         return M.now() - t0
      end
      if not open or M.now() - t0 > patience(ms or 20000) then
         error(('expected %q, got %q'):format(s, self.text:sub(self.from)), 2)
      end
      open = self:drain(20)
   end
end

--- Ctrl-D until it is heard, on an emptied line: a terminal that is just changing its mode garbles keys. Then like
-- finish.
function M:leave()
   for _ = 1, 100 do
      self:send '\21\4'
      local ok, status = pcall(self.finish, self, 200, true)
      if ok then return status end
   end
   return self:finish(0)
end

--- Waits for the end, for `ms` of a usual machine, 20 s by default; returns the exit status, or
--- minus the signal that ended it.
function M:finish(ms, patient)
   local status, t0 = ffi.new 'int[1]', M.now()
   local open = true
   while C.waitpid(self.pid, status, 1) == 0 do
      if open then open = self:drain(10) else C.usleep(5000) end
      if M.now() - t0 > patience(ms or 20000) then
         if patient then error 'still running' end
         C.kill(self.pid, 9)
         C.waitpid(self.pid, status, 0)
         C.close(self.fd)
         error(('still running; it wrote %q'):format(self.text), 2)
      end
   end
   while open do
      local before = #self.text
      open = self:drain(50) and #self.text > before
   end
   C.close(self.fd)
   local s = status[0]
   return s % 128 == 0 and math.floor(s / 256) or -(s % 128)
end

return M
