-- lua/hdf5/process.lua - a separate process for each existing file. libhdf5 trusts its input, and may crash, loop or
-- allocate without end on a damaged file. That ends the separate process alone, and the caller gets an error.
--
-- Both processes run this file. A message is the length of a text, the text, and the elements of the tensors in it.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local format = require 'torch.format'

ffi.cdef [[
int th_h5_socketpair(int domain, int type, int protocol, int *pair) __asm__("socketpair");
ssize_t th_h5_send(int fd, const void *from, size_t n, int flags) __asm__("send");
ssize_t th_h5_recv(int fd, void *to, size_t n, int flags) __asm__("recv");
int th_h5_close(int fd) __asm__("close");
int th_h5_kill(int pid, int signal) __asm__("kill");
int th_h5_waitpid(int pid, int *status, int options) __asm__("waitpid");
int th_h5_spawnp(int *pid, const char *file, const void *actions, const void *attributes, char *const argv[],
   char *const envp[]) __asm__("posix_spawnp");
int th_h5_attr_init(void *a) __asm__("posix_spawnattr_init");
int th_h5_attr_flags(void *a, short flags) __asm__("posix_spawnattr_setflags");
int th_h5_attr_destroy(void *a) __asm__("posix_spawnattr_destroy");
int th_h5_actions_init(void *a) __asm__("posix_spawn_file_actions_init");
int th_h5_actions_dup2(void *a, int from, int to) __asm__("posix_spawn_file_actions_adddup2");
int th_h5_actions_open(void *a, int fd, const char *path, int flags, int mode) __asm__("posix_spawn_file_actions_addopen");
int th_h5_actions_destroy(void *a) __asm__("posix_spawn_file_actions_destroy");
ssize_t th_h5_readlink(const char *path, char *to, size_t room) __asm__("readlink");
int th_h5_setrlimit(int resource, const uint64_t *limits) __asm__("setrlimit");
int th_h5_getrlimit(int resource, uint64_t *limits) __asm__("getrlimit");
extern char **th_h5_environment __asm__("environ");
]]
local system = ffi.C

local M = {}

--- Processor seconds that a call may take, plus one for each MiB that it reads or returns.
M.patience = 30

local EINTR = 4
local LOCAL, STREAM, CLOSE_ON_EXEC = 1, 1, 0x80000     -- AF_UNIX, SOCK_STREAM, SOCK_CLOEXEC
local NO_SIGNAL, ALL = 0x4000, 0x100                   -- MSG_NOSIGNAL, MSG_WAITALL
local OWN_GROUP = 2                                    -- POSIX_SPAWN_SETPGROUP: Ctrl-C ends the caller's call, not the process
local KILL, TOO_LONG = 9, 24                           -- SIGKILL, SIGXCPU
local CPU, DATA, CORE = 0, 2, 4                        -- resources of setrlimit
local ROOM = 256 * 2 ^ 20                              -- bytes for libhdf5 and Lua besides those of values
local MOST_TEXT = 2 ^ 30

-- ---- values as text ------------------------------------------------------------------------------------------------

local PLAIN, TENSOR, TABLE, OBJECT = 0, 1, 2, 3

-- A value as tables, numbers and strings. Tensors go to a list; number_of gives the number of an object.
local function encoded(v, tensors, number_of)
   local kind = torch.type(v)
   if arg.is_tensor(v) then
      v = v:host():contiguous()
      tensors[#tensors + 1] = v
      local sizes = (v:nElement() > 0 or v:dim() > 0) and format.sizes(v) or false
      return { TENSOR, #tensors, dtype.names[v._dtype], sizes }
   elseif kind == 'hdf5.HDF5Group' or kind == 'hdf5.HDF5DataSet' then
      return { OBJECT, kind, v._path, number_of(v) }
   elseif kind == 'table' then
      local t = {}
      for k, x in pairs(v) do t[k] = encoded(x, tensors, number_of) end
      return { TABLE, t }
   end
   return { PLAIN, v }
end

-- Decodes the value. Elements of tensors follow the text: `waiting` lists those tensors.
local function decoded(e, waiting, object_of)
   if e[1] == TENSOR then
      local number, name, sizes = e[2], e[3], e[4]
      local t = sizes and format.room(dtype.id[name], #sizes, ffi.new('int64_t[?]', math.max(#sizes, 1), sizes))
         or torch[name .. 'Tensor']()
      waiting[number] = t
      return t
   elseif e[1] == OBJECT then
      return object_of(e[2], e[3], e[4])
   elseif e[1] == TABLE then
      local t = {}
      for k, x in pairs(e[2]) do t[k] = decoded(x, waiting, object_of) end
      return t
   end
   return e[2]
end

-- ---- messages ------------------------------------------------------------------------------------------------------

-- Both return false if the other process has ended. Compiled code would not see Ctrl-C.
local function send(fd, from, n)
   from = ffi.cast('const char *', from)
   while n > 0 do
      local done = tonumber(system.th_h5_send(fd, from, n, NO_SIGNAL))
      if done < 0 and ffi.errno() ~= EINTR then return false end
      if done > 0 then from, n = from + done, n - done end
   end
   return true
end
jit.off(send)

local function receive(fd, to, n)
   to = ffi.cast('char *', to)
   while n > 0 do
      local done = tonumber(system.th_h5_recv(fd, to, n, ALL))
      if done == 0 or done < 0 and ffi.errno() ~= EINTR then return false end
      if done > 0 then to, n = to + done, n - done end
   end
   return true
end
jit.off(receive)

local function send_message(fd, list, number_of)
   local tensors = {}
   local text = torch.serialize(encoded(list, tensors, number_of))
   if not (send(fd, ffi.new('uint64_t[1]', #text), 8) and send(fd, text, #text)) then return false end
   for _, t in ipairs(tensors) do
      local p, n = format.bytes(t)
      if not send(fd, p, n) then return false end
   end
   return true
end

-- The next list, or nil if none comes. expect(bytes) is called before memory is allocated.
local function receive_message(fd, object_of, expect)
   local size = ffi.new 'uint64_t[1]'
   if not receive(fd, size, 8) or size[0] > MOST_TEXT then return nil end
   local n = tonumber(size[0])
   expect(3 * n)
   local text = ffi.new('char[?]', math.max(n, 1))
   if not receive(fd, text, n) then return nil end
   local waiting = {}
   local list = decoded(torch.deserialize(ffi.string(text, n)), waiting, object_of)
   for _, t in ipairs(waiting) do
      local p, bytes = format.bytes(t)
      if not receive(fd, p, bytes) then return nil end
   end
   return list
end

-- ---- the caller ----------------------------------------------------------------------------------------------------

local Process = {}
Process.__index = Process

local open = setmetatable({}, { __mode = 'v' })        -- name of a file -> the process that has it open for changes

-- A program that runs Lua files: this one, or one in PATH where LuaJIT is part of another program.
local function programs()
   local room = ffi.new 'char[4096]'
   local n = tonumber(system.th_h5_readlink('/proc/self/exe', room, 4096))
   local own = n > 0 and ffi.string(room, n) or ''
   local name = own:match '[^/]*$'
   if name == 'th' or name:find '^luajit' then return { own } end
   return { 'luajit', 'th' }
end

local boot = 'package.path, package.cpath = %q, %q require "hdf5.process".serve(require "hdf5")'

local function spawn(fd)
   local attributes, actions, pid = ffi.new 'uint64_t[128]', ffi.new 'uint64_t[128]', ffi.new 'int[1]'
   system.th_h5_attr_init(attributes)
   system.th_h5_attr_flags(attributes, OWN_GROUP)
   system.th_h5_actions_init(actions)
   system.th_h5_actions_dup2(actions, fd, 0)
   for i = 1, 2 do system.th_h5_actions_open(actions, i, '/dev/null', 1, 0) end
   local why
   for _, program in ipairs(programs()) do
      local words = { program, '-e', boot:format(package.path, package.cpath) }
      local argv = ffi.new('const char *[4]', words)
      why = system.th_h5_spawnp(pid, program, actions, attributes, ffi.cast('char *const *', argv), system.th_h5_environment)
      if why == 0 then break end
   end
   system.th_h5_attr_destroy(attributes)
   system.th_h5_actions_destroy(actions)
   if why ~= 0 then error(('a process for the file cannot be started: error %d of the system'):format(why), 0) end
   return pid[0]
end

-- Waits for the end of a process, which closes its files when the socket is closed. @return its last signal, its status
local function wait(pid)
   local status = ffi.new 'int[1]'
   while system.th_h5_waitpid(pid, status, 0) < 0 and ffi.errno() == EINTR do end
   return status[0] % 128, math.floor(status[0] / 256) % 256
end

-- For the collector, which must not reach the process from here, or it would never be collected.
local function leave(life)
   system.th_h5_close(life[1])
   wait(life[0])
end

local function start()
   local pair = ffi.new 'int[2]'
   if system.th_h5_socketpair(LOCAL, STREAM + CLOSE_ON_EXEC, 0, pair) < 0 then
      error(('a process for the file cannot be started: error %d of the system'):format(ffi.errno()), 0)
   end
   local ok, pid = pcall(spawn, pair[1])
   system.th_h5_close(pair[1])
   if not ok then
      system.th_h5_close(pair[0])
      error(pid, 0)
   end
   local life = ffi.gc(ffi.new('int[2]', pid, pair[0]), leave)
   return setmetatable({ pid = pid, fd = pair[0], life = life, files = 0, freed = {} }, Process)
end

-- Ends the process, immediately if `signal` is given. @return its last signal, its status
function Process:finish(signal)
   local pid = self.pid
   self.pid = nil
   ffi.gc(self.life, nil)
   if signal then system.th_h5_kill(pid, signal) end
   system.th_h5_close(self.fd)
   return wait(pid)
end

-- Ends the process. @return the text of an error about it
function Process:lost()
   if not self.pid then return 'the process that read the file has ended' end
   local signal, code = self:finish(self.busy and KILL)
   if self.busy then return 'a call was interrupted, which has closed the file' end
   if signal == TOO_LONG then return 'libhdf5 took too much time of the processor: the file is damaged' end
   if signal > 0 then return ('libhdf5 crashed with signal %d: the file is damaged'):format(signal) end
   return ('the process that read the file has ended with status %d'):format(code)
end

local function no_object() error('an object of another file', 0) end

local function nothing() end

-- Sends a request and returns the answer.
function Process:ask(list, object_of)
   if not self.pid or self.busy then error(self:lost(), 0) end
   self.busy = true
   list.freed, self.freed = self.freed, {}
   local answer = send_message(self.fd, list, no_object) and receive_message(self.fd, object_of or no_object, nothing)
   self.busy = nil
   if not answer then error(self:lost(), 0) end
   if not answer[1] then error(answer[2], 0) end
   return answer[2]
end

-- The number of an object in the other process; freeing the box frees the object.
local function box_of(self, number)
   return ffi.gc(ffi.new('double[1]', number), function() self.freed[#self.freed + 1] = number end)
end

--- Opens an existing file.
-- @param mode  'r' or 'r+'
-- @return the process, and boxes with the numbers that the file and its root group have there
function M.open(name, mode, most)
   local self = open[name]
   if not self or not self.pid then self = start() end
   local ok, numbers = pcall(self.ask, self, { 'open', name, mode, most or false, M.patience })
   if not ok then
      if self.files == 0 then self:close() end
      error(numbers, 0)
   end
   self.files = self.files + 1
   if mode ~= 'r' then open[name] = self end
   return self, box_of(self, numbers[1]), box_of(self, numbers[2])
end

--- Calls a method of a file, a group or a data set there.
-- @param make(kind, path, box)  makes an object that the method returns
function Process:call(number, name, make, ...)
   return (self:ask({ 'call', number, name, select('#', ...), ... }, function(kind, path, of)
      return make(kind, path, box_of(self, of))
   end))
end

--- Closes a file, and ends the process that has no other one.
function Process:close(number, mode)
   local ok, why = true, nil
   if number then
      self.files = self.files - 1
      if mode ~= 'r' and self.pid or self.files > 0 then ok, why = pcall(self.ask, self, { 'close', number }) end
   end
   if self.files <= 0 and self.pid then self:finish(KILL) end
   if not ok then error(why, 0) end
end

-- ---- the process ---------------------------------------------------------------------------------------------------

local function page_count()
   local f = assert(io.open '/proc/self/statm')
   local n = f:read '*a':match '(%d+) %d+\n$'
   f:close()
   return tonumber(n)
end

local function limit(resource, value)
   local both = ffi.new 'uint64_t[2]'
   system.th_h5_getrlimit(resource, both)
   both[0] = math.min(value, tonumber(both[1]))
   system.th_h5_setrlimit(resource, both)
end

local served                    -- the package hdf5, in the process that reads
local objects, numbered = {}, 0

local function number_of(object)
   numbered = numbered + 1
   objects[numbered] = object
   return numbered
end

local handlers = {}

function handlers.open(name, mode, most, patience)
   M.patience = patience
   local f = served.HDF5File(name, mode, most or nil, true)
   return { number_of(f), number_of(f._root) }
end

function handlers.call(number, name, n, ...)
   local object = objects[number]
   local ok, result = pcall(object[name], object, unpack({ ... }, 1, n))      -- keeps our lines out of error messages
   if not ok then error(result, 0) end
   return result
end

function handlers.close(number) objects[number]:close() end

-- The bytes that the files' sizes allow for values; see object.allow.
local function allowed()
   local sum = 0
   for _, o in pairs(objects) do
      if torch.type(o) == 'hdf5.HDF5File' and o._id then sum = sum + o:_allowance() end
   end
   return sum
end

--- Answers requests until the other process ends. @param hdf5  the package
function M.serve(hdf5)
   served = hdf5
   local pages, seconds = page_count(), 0
   local page = 4096
   local function grant(bytes)
      seconds = seconds + bytes / 2 ^ 20
      limit(CPU, math.ceil(os.clock() + M.patience + seconds))
   end
   local function expect(bytes)
      limit(DATA, pages * page + ROOM + 3 * allowed() + bytes)
      grant(bytes)
   end
   local function answer(request)
      for _, number in ipairs(request.freed) do objects[number] = nil end
      return handlers[request[1]](unpack(request, 2, table.maxn(request)))
   end
   limit(CORE, 0)
   torch.setnumthreads(1)
   require 'hdf5.object'.grant = grant
   while true do
      seconds = 0
      local request = receive_message(0, no_object, expect)
      if not request then break end
      expect(0)
      local ok, result = pcall(answer, request)
      if not send_message(0, { ok, result }, number_of) then break end
      collectgarbage 'step'
   end
   for _, o in pairs(objects) do
      if torch.type(o) == 'hdf5.HDF5File' then pcall(o.close, o) end
   end
end

return M
