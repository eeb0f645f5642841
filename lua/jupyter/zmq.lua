-- lua/jupyter/zmq.lua - libzmq, opened at run time: sockets that send and receive messages of several frames.
local ffi = require 'ffi'
local load_library = require 'feed.library'

ffi.cdef [[
typedef struct th_zmq_msg { uint8_t room[64]; } __attribute__((aligned(8))) th_zmq_msg;
typedef struct th_zmq_item { void *socket; int fd; short events, revents; } th_zmq_item;
void *zmq_ctx_new(void);
int zmq_ctx_term(void *context);
int zmq_ctx_shutdown(void *context);
void *zmq_socket(void *context, int kind);
int zmq_close(void *socket);
int zmq_bind(void *socket, const char *address);
int zmq_connect(void *socket, const char *address);
int zmq_setsockopt(void *socket, int option, const void *value, size_t size);
int zmq_getsockopt(void *socket, int option, void *value, size_t *size);
int zmq_send(void *socket, const void *bytes, size_t size, int flags);
int zmq_msg_init(th_zmq_msg *);
int zmq_msg_recv(th_zmq_msg *, void *socket, int flags);
void *zmq_msg_data(th_zmq_msg *);
size_t zmq_msg_size(const th_zmq_msg *);
int zmq_msg_more(const th_zmq_msg *);
int zmq_msg_close(th_zmq_msg *);
int zmq_poll(th_zmq_item *items, int n, long timeout_ms);
int zmq_errno(void);
const char *zmq_strerror(int);
]]

local M = {}

local KINDS = { PAIR = 0, PUB = 1, SUB = 2, REQ = 3, REP = 4, DEALER = 5, ROUTER = 6 }
local LINGER, SUBSCRIBE, MAX_MESSAGE, SEND_MARK, RECEIVE_MARK, RECEIVE_TIMEOUT, LAST_ENDPOINT = 17, 6, 22, 23, 24, 27, 32
local DONT_WAIT, MORE, POLLIN, EINTR, EAGAIN = 1, 2, 1, 4, 11

--- The most bytes of a frame, and the most frames of a message, that a socket of the network accepts.
M.most_bytes, M.most_frames = 2 ^ 26, 64

local C

--- The library, opened at the first call.
function M.open()
   if not C then
      C = load_library('TH_ZMQ', 'libzmq.so.5', 'zmq',
         'jupyter: libzmq is not installed (Debian: libzmq5); TH_ZMQ may name its file')
   end
   return C
end

local function reason(what) error(('%s: %s'):format(what, ffi.string(C.zmq_strerror(C.zmq_errno()))), 0) end

-- ---- sockets -------------------------------------------------------------------------------------------------------

local Socket = {}
Socket.__index = Socket

--- A new context of the library, or the one whose address another thread gives.
function M.context(address)
   M.open()
   if address then return ffi.cast('void *', ffi.cast('uintptr_t', address)) end
   local context = C.zmq_ctx_new()
   if context == nil then reason 'jupyter: libzmq does not start' end
   return context
end

--- The address of a pointer, a number, for another thread.
function M.address(context) return tonumber(ffi.cast('uintptr_t', context)) end

local function set(self, option, ctype, value)
   if C.zmq_setsockopt(self.socket, option, ffi.new(ctype .. '[1]', value),
      ffi.sizeof(ctype)) ~= 0 then reason 'jupyter: libzmq' end
end

--- A socket of a kind of ZeroMQ. Messages of another process have at most M.most_bytes in a frame.
function M.socket(context, kind)
   local self = setmetatable({ socket = C.zmq_socket(context, KINDS[kind]) }, Socket)
   if self.socket == nil then reason 'jupyter: libzmq gives no socket' end
   set(self, LINGER, 'int', 1000)
   set(self, MAX_MESSAGE, 'int64_t', M.most_bytes)
   if kind == 'SUB' then C.zmq_setsockopt(self.socket, SUBSCRIBE, '', 0) end
   if kind == 'PAIR' then                   -- within the process: a full queue must not block, because both sides would wait
      set(self, SEND_MARK, 'int', 0)
      set(self, RECEIVE_MARK, 'int', 0)
   end
   return self
end

--- A socket by the address that Socket:address gave in another thread, which no longer uses it.
function M.adopt(address) return setmetatable({ socket = M.context(address) }, Socket) end
function Socket:address() return M.address(self.socket) end

--- Binds or connects to an address such as tcp://127.0.0.1:5555.
function Socket:bind(address)
   if C.zmq_bind(self.socket, address) ~= 0 then reason('jupyter: cannot listen on ' .. address) end
   return self
end

function Socket:connect(address)
   if C.zmq_connect(self.socket, address) ~= 0 then reason('jupyter: cannot connect to ' .. address) end
   return self
end

--- The address to which the socket is bound; with port 0 or *, the library chooses one.
function Socket:endpoint()
   local text, size = ffi.new 'char[256]', ffi.new('size_t[1]', 256)
   if C.zmq_getsockopt(self.socket, LAST_ENDPOINT, text, size) ~= 0 then reason 'jupyter: libzmq' end
   return ffi.string(text)
end

--- Sets after how many milliseconds receive gives up.
function Socket:timeout(ms) set(self, RECEIVE_TIMEOUT, 'int', ms) end

--- Sends a list of frames. Signals of the process may interrupt a wait for room; the call then tries again.
function Socket:send(frames)
   for i, frame in ipairs(frames) do
      local flags = i < #frames and MORE or 0
      while C.zmq_send(self.socket, frame, #frame, flags) < 0 do
         if C.zmq_errno() ~= EINTR then reason 'jupyter: cannot send' end
      end
   end
end

--- The frames of the next message, a list; nil if none came in time, or the context has ended. A message of too many frames is
-- dropped: the result is an empty list.
-- @param wait  whether to wait (default: not)
function Socket:receive(wait)
   local message, frames, more, bytes = ffi.new 'th_zmq_msg', {}, true, 0
   while more do
      C.zmq_msg_init(message)
      if C.zmq_msg_recv(message, self.socket, wait and 0 or DONT_WAIT) < 0 then
         local code = C.zmq_errno()
         C.zmq_msg_close(message)
         if code ~= EINTR or #frames == 0 then return nil, code ~= EAGAIN and code ~= EINTR end
      else
         local size = tonumber(C.zmq_msg_size(message))
         bytes = bytes + size
         if #frames < M.most_frames and bytes <= M.most_bytes then
            frames[#frames + 1] = ffi.string(C.zmq_msg_data(message), size)
         else
            bytes = math.huge
         end
         more = C.zmq_msg_more(message) ~= 0
         C.zmq_msg_close(message)
      end
   end
   return bytes == math.huge and {} or frames
end

function Socket:close()
   if self.socket ~= nil then C.zmq_close(self.socket) end
   self.socket = nil
end

-- ---- waiting -------------------------------------------------------------------------------------------------------

--- Waits until a socket or a file descriptor (a number) of the list has something to read.
-- @param timeout_ms  -1: without end
-- @return a table that holds true for each place in the list that is ready; nil if a signal ended the wait, or an error
function M.poll(list, timeout_ms)
   local items = ffi.new('th_zmq_item[?]', #list)
   for i, from in ipairs(list) do
      if type(from) == 'number' then items[i - 1].fd = from else items[i - 1].socket = from.socket end
      items[i - 1].events = POLLIN
   end
   if C.zmq_poll(items, #list, timeout_ms) < 0 then return nil, C.zmq_errno() ~= EINTR end
   local ready = {}
   for i = 1, #list do ready[i] = items[i - 1].revents ~= 0 end
   return ready
end

--- Ends a context: sockets of other threads return from their waits. M.free frees it when all sockets are closed.
function M.shutdown(context) C.zmq_ctx_shutdown(context) end
function M.free(context) C.zmq_ctx_term(context) end

jit.off(Socket.receive)                     -- a signal that arrives during a wait must be noticed after it
jit.off(M.poll)

return M
