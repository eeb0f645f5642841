-- lua/jupyter/service.lua - the thread of a kernel that answers while a cell runs: it returns heartbeats, publishes the output
-- of the cell, and passes messages of the control channel on. Requests to stop interrupt the cell.
--
-- The other thread talks to it through a pair of sockets. It sends { 'publish', frames ... }, { 'control', frames ... },
-- { 'parent', header, muted }, { 'busy', '1' or '0' } and { 'stop' }; it gets { 'control', frames ... },
-- and { 'begun' } for each parent.
local message = require 'jupyter.message'
local json = require 'torch.json'
local output = require 'jupyter.output'
local signals = require 'jupyter.signals'
local zmq = require 'jupyter.zmq'

local NAMES = { 'stdout', 'stderr' }

local Service = {}
Service.__index = Service

-- Publishes what the pipe of a stream holds.
function Service:drain(i)
   local fd = self.pipes[i]
   local text = fd and output.read(fd)
   if text == nil then self.pipes[i] = false end
   if not text or text == '' or self.muted then return end
   text, self.rest[i] = json.repair(self.rest[i] .. text)
   self:stream(i, text)
end

function Service:stream(i, text)
   if text == '' then return end
   self.iopub:send(self.signer:frames('stream', { name = NAMES[i], text = text }, self.parent, { 'stream' }))
end

-- What a cell has written comes before what it publishes afterwards.
function Service:drain_all()
   self:drain(1)
   self:drain(2)
end

local from_main = {}

function from_main.publish(self, frames)
   self:drain_all()
   self.iopub:send(frames)
end

function from_main.control(self, frames) self.control:send(frames) end

function from_main.parent(self, frames)
   self:drain_all()
   for i = 1, 2 do
      if self.rest[i] ~= '' then self:stream(i, json.repair(self.rest[i], true)) end
      self.rest[i] = ''
   end
   self.parent, self.muted = frames[1], frames[2] == '1'
   self.main:send { 'begun' }
end

function from_main.busy(self, frames) self.busy = frames[1] == '1' end

function from_main.stop(self)
   self:drain_all()
   self.stopped = true
end

-- Passes a message of the control channel on; a request to stop first interrupts what runs.
function Service:ask_main(frames)
   local m = self.signer:parse(frames)
   if not m then return end
   if self.busy and (m.kind == 'interrupt_request' or m.kind == 'shutdown_request') then signals.interrupt() end
   table.insert(frames, 1, 'control')
   self.main:send(frames)
end

function Service:step()
   local list = { self.main, self.heartbeat, self.control }
   for _, fd in ipairs { self.pipes[1] or -1, self.pipes[2] or -1 } do
      if fd >= 0 then list[#list + 1] = fd end
   end
   local ready, ended = zmq.poll(list, -1)
   if not ready then
      self.stopped = ended
      return
   end
   while ready[1] do
      local frames = self.main:receive()
      if not frames then break end
      from_main[table.remove(frames, 1)](self, frames)
   end
   if self.stopped then return end
   if ready[2] then
      local frames = self.heartbeat:receive()
      if frames and #frames > 0 then self.heartbeat:send(frames) end
   end
   if ready[3] then
      local frames = self.control:receive()
      if frames then self:ask_main(frames) end
   end
   if ready[4] or ready[5] then self:drain_all() end
end

local M = {}

--- Runs until the other thread sends { 'stop' }. Sockets are those of the other thread, which does not touch them meanwhile.
-- @param sockets  addresses: { heartbeat = , control = , iopub = }
-- @param pipes  the file descriptors of the output
function M.run(context, name, key, session, sockets, pipes)
   zmq.open()
   local self = setmetatable({ signer = message.signer(key, session), pipes = pipes, rest = { '', '' }, parent = '{}',
      main = zmq.socket(zmq.context(context), 'PAIR'):connect(name) }, Service)
   for kind, address in pairs(sockets) do self[kind] = zmq.adopt(address) end
   repeat self:step() until self.stopped
   self.main:close()
end

return M
