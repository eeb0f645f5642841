-- lua/jupyter/kernel.lua - a kernel of Jupyter: its sockets, the loop over messages, and what it publishes.
local json = require 'torch.json'
local message = require 'jupyter.message'
local zmq = require 'jupyter.zmq'
local output = require 'jupyter.output'
local signals = require 'jupyter.signals'
local bundle = require 'jupyter.bundle'
local requests = require 'jupyter.requests'
local worker = require 'torch.worker'
local front_end = require 'torch.front_end'

local M = {}
local Kernel = {}
Kernel.__index = Kernel

local NAME = 'inproc://cresset'             -- of the pair of sockets between the threads
local LOOK = 1000                           -- milliseconds between two looks at whether the parent process lives

--- The kernel of this process, or nil.
M.current = nil

-- ---- sending -------------------------------------------------------------------------------------------------------

--- Publishes a message for all front ends.
function Kernel:publish(kind, content, metadata, parent)
   local frames = self.signer:frames(kind, content, parent or self.parent, { kind }, metadata)
   table.insert(frames, 1, 'publish')
   self.service:send(frames)
end

--- Answers a request on the channel on which it came.
function Kernel:reply(request, kind, content)
   local frames = self.signer:frames(kind, content, request.header_text, request.to)
   if request.channel == 'control' then
      table.insert(frames, 1, 'control')
      self.service:send(frames)
   else
      self.shell:send(frames)
   end
end

--- Shows a bundle below the cell that runs. An equal key during one cell changes what the key has shown.
function Kernel:display(shown, key)
   if self.silent then return end
   local id = key and ('%s-%s'):format(self.signer.prefix, self.count .. key)
   local kind = id and self.displayed[id] and 'update_display_data' or 'display_data'
   if id then self.displayed[id] = true end
   output.flush()
   self:publish(kind, { data = bundle.encoded(shown), metadata = {}, transient = { display_id = id } })
end

--- Makes a request the one to which output belongs. Waits until the other thread knows it, because the pipes of the output tell
-- no borders of cells.
-- @param muted  whether the output is dropped
function Kernel:begin(request, muted)
   self.service:send { 'parent', request.header_text, muted and '1' or '0' }
   while true do
      local frames = self.service:receive(true)
      if frames and frames[1] == 'begun' then return end
      if frames then self.held[#self.held + 1] = frames end
   end
end

--- Removes what the running cell has shown.
function Kernel:clear(wait)
   output.flush()
   signals.without(function() if not self.silent then self:publish('clear_output', { wait = wait }) end end)
end

-- ---- input ---------------------------------------------------------------------------------------------------------

--- Asks the front end of the running cell for a line.
-- @param password  whether the line is hidden
function Kernel:input(prompt, password)
   local cell = self.cell
   if not (cell and cell.content.allow_stdin == true) then error('io.read: this front end sends no input', 0) end
   output.flush()
   signals.without(function()
      while self.stdin:receive() do end                        -- late answers of an input that was interrupted
      self.stdin:send(self.signer:frames('input_request', { prompt = prompt or '', password = password == true },
         cell.header_text, cell.to))
   end)
   while true do
      zmq.poll({ self.stdin }, -1)                             -- an interrupt is raised behind it
      local frames = signals.without(self.stdin.receive, self.stdin)
      local m = frames and self.signer:parse(frames)
      if m and m.kind == 'input_reply' and type(m.content.value) == 'string' then return m.content.value end
   end
end
jit.off(Kernel.input)

-- ---- requests ------------------------------------------------------------------------------------------------------

local function handle(self, request)
   local f = requests[request.kind]
   local before = self.parent
   self.parent = request.header_text
   self:publish('status', { execution_state = 'busy' })
   if f then
      local ok, why = pcall(f, self, request)
      if not ok then
         io.stderr:write(('jupyter: %s: %s\n'):format(request.kind, tostring(why)))
         local kind = request.kind:gsub('_request$', '_reply')
         if kind ~= request.kind then
            pcall(self.reply, self, request, kind, { status = 'error', ename = 'Error', evalue = tostring(why),
               traceback = json.list() })
         end
      end
   end
   self:publish('status', { execution_state = 'idle' })
   if before and request.channel == 'control' then self.parent = before end
end

-- Reads one message of a channel, if there is one. Returns whether there was.
local function take(self, channel)
   local frames
   if channel == 'control' then
      frames = table.remove(self.held, 1) or self.service:receive()
      if frames and table.remove(frames, 1) ~= 'control' then return true end
   else
      frames = table.remove(self.waiting, 1) or self.shell:receive()
   end
   if not frames then return false end
   local request, why = self.signer:parse(frames)
   if request then
      request.channel = channel
      handle(self, request)
   elseif #frames > 0 then
      self.dropped, self.why_dropped = self.dropped + 1, why
   end
   return true
end

--- Keeps the requests that wait now, before the answer to a cell with an error: those for cells get the answer 'aborted'.
function Kernel:hold_waiting()
   while true do
      local frames = self.shell:receive()
      if not frames then return end
      self.waiting[#self.waiting + 1] = frames
   end
end

-- Waits for messages and answers them until a request ends the kernel.
function Kernel:run()
   local parent = os.getenv 'JPY_PARENT_PID' and signals.parent()
   while not self.ended do
      local ready = zmq.poll({ self.service, self.shell }, #self.held > 0 and 0 or LOOK)
      if ready then
         if ready[1] or #self.held > 0 then take(self, 'control') end
         if ready[2] and not self.ended then take(self, 'shell') end
         self.aborting = #self.waiting > 0
         while #self.waiting > 0 and not self.ended do take(self, 'shell') end
         self.aborting = false
      end
      if parent and signals.parent() ~= parent then self.ended = true end
   end
end
jit.off(Kernel.run)

-- ---- start and end -------------------------------------------------------------------------------------------------

local function bound(self, kind, address)
   local socket = zmq.socket(self.context, kind)
   self.sockets[#self.sockets + 1] = socket
   return socket:bind(address)
end

-- Starts the thread that answers while a cell runs.
local function start_service(self, connection, pipes)
   local a = connection.address
   local heartbeat, control, iopub = bound(self, 'ROUTER', a.hb), bound(self, 'ROUTER', a.control), bound(self, 'PUB', a.iopub)
   self.shell, self.stdin = bound(self, 'ROUTER', a.shell), bound(self, 'ROUTER', a.stdin)
   self.service = bound(self, 'PAIR', NAME)
   self.thread = worker.new 'jupyter.service'
   self.thread:ask('run', zmq.address(self.context), NAME, connection.key, self.signer.session,
      { heartbeat = heartbeat:address(), control = control:address(), iopub = iopub:address() }, pipes)
end

-- Programs read lines from the front end instead of from standard input, which is empty.
local function redirect_input(self)
   local rest
   local function line()
      if not rest then rest = self:input() .. '\n' end
      return rest
   end
   local function read(format)
      format = type(format) == 'string' and format:gsub('^%*', ''):sub(1, 1) or format or 'l'
      local text = line()
      if format == 'n' then
         rest = nil
         return tonumber(text:match '^%s*(.-)%s*$')
      elseif type(format) == 'number' then
         rest = #text > format and text:sub(format + 1) or nil
         return text:sub(1, format)
      end
      rest = nil
      return format == 'l' and text:sub(1, -2) or text
   end
   local read_file, lines_of_file = io.read, io.lines
   io.read = function(...)                  -- luacheck: ignore 122
      if io.input() ~= io.stdin then return read_file(...) end
      local results, n = {}, math.max(select('#', ...), 1)
      for i = 1, n do results[i] = read((select(i, ...))) end
      return unpack(results, 1, n)
   end
   io.lines = function(name, ...)           -- luacheck: ignore 122
      if name ~= nil or io.input() ~= io.stdin then return lines_of_file(name, ...) end
      return function() return read 'l' end
   end
end

local function finish(self, release)
   front_end.show, M.current = nil, nil
   release()
   if self.thread then
      self.service:send { 'stop' }
      pcall(self.thread.wait, self.thread)
      self.thread:close()
   end
   for _, socket in ipairs(self.sockets) do socket:close() end
   zmq.free(self.context)
end

--- Runs a kernel until a front end ends it.
-- @param connection  of jupyter.connection
function M.run(connection)
   zmq.open()
   local self = setmetatable({ signer = message.signer(connection.key), sockets = {}, count = 0, displayed = {}, history = {},
      waiting = {}, held = {}, dropped = 0, context = zmq.context() }, Kernel)
   signals.start()
   local pipes, release = output.capture()
   local ok, why = xpcall(function()
      start_service(self, connection, pipes)
      redirect_input(self)
      M.current = self
      front_end.show = function(shown, key) signals.without(self.display, self, shown, key) end
      self:publish('status', { execution_state = 'starting' }, nil, '{}')
      self:run()
   end, debug.traceback)
   finish(self, release)
   if not ok then error(why, 0) end
end

return M
