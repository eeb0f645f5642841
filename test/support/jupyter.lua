-- test/support/jupyter.lua - a front end for specs: starts a kernel in a process, and talks to it through libzmq.
local ffi = require 'ffi'
local json = require 'torch.json'
local message = require 'jupyter.message'
local zmq = require 'jupyter.zmq'

pcall(ffi.cdef, 'int th_jupyter_kill(int pid, int sig) __asm__("kill");')

local M = {}
local FrontEnd = {}
FrontEnd.__index = FrontEnd

local PATIENCE = require 'test.support.patience' (20)         -- seconds; the machine may be busy
local SOCKETS = { shell = 'DEALER', control = 'DEALER', stdin = 'DEALER', iopub = 'SUB', hb = 'REQ' }

--- Whether libzmq can be opened.
function M.available() return (pcall(zmq.open)) end

--- Starts a kernel and connects to it. `settings` change the connection file.
function M.start(settings)
   local folder = os.tmpname()
   os.remove(folder)
   assert(os.execute(("mkdir '%s'"):format(folder)) == 0)
   local t = { transport = 'ipc', ip = folder .. '/s', key = message.name(), signature_scheme = 'hmac-sha256', shell_port = 1,
      iopub_port = 2, stdin_port = 3, control_port = 4, hb_port = 5 }
   for k, v in pairs(settings or {}) do t[k] = v end
   local f = assert(io.open(folder .. '/connection.json', 'w'))
   f:write(json.write(t))
   f:close()
   local start = package.searchpath('jupyter.start', package.path)
   local p = io.popen(("'%s' '%s' '%s/connection.json' > '%s/log' 2>&1 < /dev/null & echo $!"):format(os.getenv 'TH'
      or 'build/bin/th', start,
      folder, folder))
   local self = setmetatable({ folder = folder, pid = tonumber(p:read '*l'), context = zmq.context(), key = t.key,
      signer = message.signer(t.key) }, FrontEnd)
   p:close()
   -- One address on all channels: the kernel asks for input by the address of the shell channel.
   self.name = message.name()
   for channel, kind in pairs(SOCKETS) do
      self[channel] = zmq.socket(self.context, kind)
      if kind == 'DEALER' then zmq.open().zmq_setsockopt(self[channel].socket, 5, self.name, #self.name) end
      self[channel]:connect(('ipc://%s/s-%d'):format(folder, t[channel .. '_port']))
   end
   -- What the kernel publishes before the subscription arrives is lost, so ask until something comes.
   local deadline = os.time() + PATIENCE
   repeat
      assert(os.time() < deadline, 'the kernel publishes nothing')
      self.info = self:ask('shell', 'kernel_info_request', {}).content
   until self:receive('iopub', 0.2)
   while self:receive('iopub', 0.2) do end
   return self
end

function FrontEnd:send(channel, kind, content) self[channel]:send(self.signer:frames(kind, content)) end

--- The next message of a channel, or nil after `seconds`.
function FrontEnd:receive(channel, seconds)
   local ready = zmq.poll({ self[channel] }, 1000 * (seconds or PATIENCE))
   local frames = ready and ready[1] and self[channel]:receive()
   return frames and assert(self.signer:parse(frames))
end

--- Sends a request; returns the reply.
function FrontEnd:ask(channel, kind, content)
   self:send(channel, kind, content)
   return assert(self:receive(channel), 'no answer to ' .. kind)
end

--- Messages of iopub until the kernel is idle behind the request `id` (default: any).
function FrontEnd:published(id)
   local list = {}
   repeat
      local m = assert(self:receive 'iopub', 'the kernel is silent')
      local own = not id or m.parent.msg_id == id
      if own then list[#list + 1] = m end
   until own and m.kind == 'status' and m.content.execution_state == 'idle'
   return list
end

--- Runs a cell: the reply, and the messages of iopub.
function FrontEnd:run(code, options)
   local content = { code = code, silent = false, store_history = true, allow_stdin = false }
   for k, v in pairs(options or {}) do content[k] = v end
   local reply = self:ask('shell', 'execute_request', content)
   return reply.content, self:published(reply.parent.msg_id)
end

--- The text that a cell wrote to 'stdout' or 'stderr'.
function M.text(messages, name)
   local parts = {}
   for _, m in ipairs(messages) do
      if m.kind == 'stream' and m.content.name == name then parts[#parts + 1] = m.content.text end
   end
   return table.concat(parts)
end

--- The first message of a kind.
function M.find(messages, kind)
   for _, m in ipairs(messages) do
      if m.kind == kind then return m end
   end
end

function FrontEnd:signal(number) return ffi.C.th_jupyter_kill(self.pid, number) end

--- Whether the process has ended within some seconds.
function FrontEnd:has_ended(seconds)
   for _ = 1, 20 * (seconds or PATIENCE) do
      if self:signal(0) ~= 0 then return true end
      os.execute 'sleep 0.05'
   end
   return false
end

--- Ends the kernel, by force if it does not end itself.
function FrontEnd:stop()
   if self:signal(0) == 0 then
      self:send('control', 'shutdown_request', { restart = false })
      if not self:has_ended(10) then self:signal(9) end
   end
   for channel in pairs(SOCKETS) do self[channel]:close() end
   zmq.free(self.context)
   os.execute(("rm -rf '%s'"):format(self.folder))
end

return M
