-- lua/distributed/trace.lua - traces of all ranks: one file for chrome://tracing and Perfetto.
--
-- While a trace runs, each rank records operations, waits and modules with their times in memory.
-- At the end rank 0 collects the records of all, converts times to its clock, and writes them.
-- Without a trace an operation only reads one variable.
local ffi = require 'ffi'
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local file = require 'torch.file'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'

local Trace = {}
Trace.__index = Trace

local MOST = 1e6                                 -- records of a rank
local notes_t = ffi.typeof 'struct { double begin, seconds, bytes; int32_t name, lane; } [?]'
local SCRIPT, COLLECTIVES = 0, 1                 -- lanes: the records of a lane do not overlap

local function new(path, began)
   return setmetatable({ path = path, began = began, n = 0, room = 4096, notes = notes_t(4096), names = {}, number = {},
                         dropped = 0, started = {}, lanes = {}, groups = 0, last = COLLECTIVES,
                         lane_names = { [SCRIPT] = 'script', [COLLECTIVES] = 'operations' } }, Trace)
end

-- ---- records
-- -------------------------------------------------------------------------------------------------------------

local function number_of(self, name, category)
   local of = self.number[category]
   if not of then
      of = {}
      self.number[category] = of
   end
   if not of[name] then
      self.names[#self.names + 1] = { name, category }
      of[name] = #self.names
   end
   return of[name]
end

function Trace:add(name, category, lane, begin, ended, bytes)
   if self.n == MOST then
      self.dropped = self.dropped + 1
      return
   end
   if self.n == self.room then
      local more = notes_t(2 * self.room)
      ffi.copy(more, self.notes, self.n * ffi.sizeof(notes_t, 1))
      self.notes, self.room = more, 2 * self.room
   end
   local note = self.notes[self.n]
   note.begin, note.seconds, note.bytes = begin, ended - begin, bytes or -1
   note.name, note.lane = number_of(self, name, category), lane
   self.n = self.n + 1
end

local words = {}
for word, number in pairs(comm.kinds) do words[number] = word end

local function bytes_of(list)
   local sum = 0
   for _, t in ipairs(list or {}) do sum = sum + t:bytes() end
   return sum
end

--- A blocking operation.
function Trace:operation(kind, begin, inputs, outputs)
   local bytes = math.max(bytes_of(inputs), outputs ~= inputs and bytes_of(outputs) or 0)
   self:add(words[kind] or 'operation', 'communication', SCRIPT, begin, comm.now(), bytes)
end

local function key_of(work) return tonumber(ffi.cast('intptr_t', work)) end

--- The start of an asynchronous operation.
function Trace:start(work, kind, group, partner)
   self.started[key_of(work)] = { words[kind] or 'operation', kind, tonumber(ffi.cast('intptr_t', group)), partner }
end

-- Messages to or from different ranks, and operations of different groups, may overlap, so each has
-- a lane.
local function lane_of(self, kind, group, partner)
   local message = kind == comm.kinds.send and 'messages to rank %d' or kind == comm.kinds.recv and 'messages from rank %d'
   if not message and group == tonumber(ffi.cast('intptr_t', comm.world.c)) then return COLLECTIVES end
   local key = message and message:format(partner) or group
   if not self.lanes[key] then
      if not message then self.groups = self.groups + 1 end
      self.last = self.last + 1
      self.lanes[key], self.lane_names[self.last] = self.last, message and key or 'operations of group ' .. self.groups
   end
   return self.lanes[key]
end

local times = ffi.new 'double[3]'

--- The end of an asynchronous operation, for which the script has waited since `begin`.
function Trace:wait(work, begin)
   local what = self.started[key_of(work)]
   self.started[key_of(work)] = nil
   if not what then return end
   comm.C.th_dist_times(work, times)
   self:add(what[1], 'communication', lane_of(self, what[2], what[3], what[4]), times[0], times[1], times[2])
   self:add('wait for ' .. what[1], 'waiting', SCRIPT, begin, comm.now())
end

--- A shard's lock, from the request to the release. `what`: "dist.optim, push, step 3 of rank 1".
function Trace:shared(what, begin)
   self:add(what:match '^dist%.optim, (%w+)' or what:match "^(dist%.shared '.*', %w+)$" or what, 'communication', SCRIPT, begin,
      comm.now())
end

-- ---- modules --------------------------------------------------------------------------------------------------------------

local ways = { updateOutput = 'forward', backward = 'backward', updateGradInput = 'gradInput',
               accGradParameters = 'gradParameters' }

local function finish(trace, name, begin, ...)
   if comm.trace == trace then trace:add(name, 'compute', SCRIPT, begin, comm.now()) end
   return ...
end

local plain                                      -- how modules in containers are called without a trace

-- Modules in containers are called through this one function while a trace runs.
local function watched(self, module, index, name, ...)
   local way, trace = ways[name], comm.trace
   if not way or not trace then return plain(self, module, index, name, ...) end
   return finish(trace, torch.type(module) .. ' ' .. way, comm.now(), plain(self, module, index, name, ...))
end

local function watch()
   plain = nn.Container.rethrowErrors
   nn.Container.rethrowErrors = watched
end

-- ---- clocks ---------------------------------------------------------------------------------------------------------------

-- A number that is the same for processes on one host only.
local function host()
   local f = io.open '/proc/sys/kernel/random/boot_id'
   local id = f and f:read '*a' or ''
   if f then f:close() end
   return comm.digest { id }
end

--- How far this rank's clock is ahead of rank 0's, in seconds. On one host there is one clock. Otherwise rank 0 replies with its
-- clock's time, which is taken for the middle of the shortest round trip. All ranks call it.
-- @param far  whether this rank has another clock
function Trace.skew(far, clock)
   local all = dist.allgather(torch.DoubleTensor{ far and 1 or 0 })
   local mine, least, x = 0, math.huge, torch.DoubleTensor(1)
   for r = 1, dist.size() - 1 do
      for _ = 1, all[r + 1][1] == 1 and 20 or 0 do
         if dist.rank() == r then
            local asked = clock()
            dist.send(x:fill(0), 0)
            local theirs = dist.recv(x, 0)[1]
            local now = clock()
            if now - asked < least then mine, least = (asked + now) / 2 - theirs, now - asked end
         elseif dist.rank() == 0 then
            dist.recv(x, r)
            dist.send(x:fill(clock()), r)
         end
      end
   end
   return mine
end

-- ---- the file -------------------------------------------------------------------------------------------------------------

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\' }
local function escape(c) return escapes[c] or ('\\u%04x'):format(c:byte()) end

local function is_utf8(text)
   local next = '[\128-\191]'
   for _, lead in ipairs { '[\194-\223]', '\224[\160-\191]', '[\225-\236\238\239]' .. next, '\237[\128-\159]',
                           '\240[\144-\191]' .. next, '[\241-\243]' .. next .. next, '\244[\128-\143]' .. next } do
      text = text:gsub(lead .. next, 'x')                   -- not '': the bytes on both sides must not become neighbours
   end
   return not text:find '[\128-\255]'
end

-- A text in JSON; bytes that are not UTF-8 are read as Latin-1.
local function quoted(text) return '"' .. text:gsub(is_utf8(text) and '[%c"\\]' or '[%c"\\\127-\255]', escape) .. '"' end

local function text_of(self, skew)
   local rank, list = dist.rank(), {}
   local function put(...) list[#list + 1] = (...):format(select(2, ...)) end
   put('{"ph":"M","name":"process_name","pid":%d,"tid":0,"args":{"name":"rank %d"}}', rank, rank)
   put('{"ph":"M","name":"process_sort_index","pid":%d,"tid":0,"args":{"sort_index":%d}}', rank, rank)
   local used, name = {}, {}
   for i, n in ipairs(self.names) do name[i] = ('"name":%s,"cat":%s'):format(quoted(n[1]), quoted(n[2])) end
   for i = 0, self.n - 1 do
      local note = self.notes[i]
      used[note.lane] = true
      put('{"ph":"X",%s,"pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f%s}', name[note.name], rank, note.lane,
         1e6 * (note.begin - skew - self.began), 1e6 * math.max(0, note.seconds),
         note.bytes >= 0 and (',"args":{"bytes":%.0f}'):format(note.bytes) or '')
   end
   for lane in pairs(used) do
      put('{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%s"}}', rank, lane,
         self.lane_names[lane])
   end
   if self.dropped > 0 then
      put('{"ph":"M","name":"process_labels","pid":%d,"tid":0,"args":{"labels":"%d more were not kept"}}', rank, self.dropped)
   end
   return table.concat(list, ',\n')
end

local function bytes_from(text)
   local x = torch.ByteTensor(#text)
   ffi.copy(x:data(), text, #text)
   return x
end

-- Rank 0 writes the records of the other ranks, one rank after the other.
local function collect(self, text)
   local sizes, ok, why, f = dist.allgather(torch.DoubleTensor{ #text }), true, nil, nil
   local function try(g, ...)
      if ok then ok, why = pcall(g, ...) end
      return why
   end
   if dist.rank() == 0 then
      f = try(file.replacing, self.path)
      if ok then try(f.writeString, f, '[\n' .. text) end
   end
   for r = 1, dist.size() - 1 do
      local part = dist.rank() == r and bytes_from(text) or dist.rank() == 0 and torch.ByteTensor(sizes[r + 1][1])
      if dist.rank() == r then dist.send(part, 0) end
      if dist.rank() == 0 then
         dist.recv(part, r)
         try(function() f:writeString(',\n' .. ffi.string(part:data(), part:nElement())) end)
      end
   end
   if dist.rank() == 0 then
      try(function()
         f:writeString '\n]\n'
         f:close()
      end)
      if not ok and type(f) ~= 'string' then file.abandon(f) end
   end
   agree.well('dist.trace', 0, ok, 'dist.trace: ' .. tostring(why))
end

local function begin(path)
   local ok = type(path) == 'string' and path ~= '' and not path:find('\0', 1, true)
   local text = ok and 'a trace runs already: dist.trace() ends it'
      or 'argument 1 must be the name of a file, got ' .. arg.describe(path)
   agree.well('dist.trace', 0, ok and not comm.trace, 'dist.trace: ' .. text)
   local can, why = true, nil                               -- fail now rather than at the end
   if dist.rank() == 0 then
      can, why = pcall(function() file.abandon(file.replacing(path)) end)
   end
   agree.well('dist.trace', 0, can, 'dist.trace: ' .. tostring(why))
   local zero = dist.broadcast(torch.DoubleTensor{ host() })[1]
   local skew = Trace.skew(zero ~= host(), comm.now)
   dist.barrier()
   local trace = new(path, dist.broadcast(torch.DoubleTensor{ comm.now() })[1])
   trace.skewed = skew
   comm.trace = trace
   watch()
end

local function stop()
   local trace = comm.trace
   comm.trace = nil
   if trace then nn.Container.rethrowErrors = plain end
   agree.well('dist.trace', 0, trace ~= nil, 'dist.trace: no trace runs')
   collect(trace, text_of(trace, trace.skewed))
   return trace.n, trace.dropped
end

--- With the name of a file, begins a trace of all ranks. Without, ends it and writes the file, for
-- chrome://tracing or https://ui.perfetto.dev. The file is an array of events in JSON, with the
-- rank as process and microseconds since the beginning. The events are operations of dist, shards
-- of shared tensors, modules in containers, and what dist.span names. Asynchronous operations have
-- separate lanes; the script's lane shows the waits for them. A rank records at most a million
-- events, of 32 bytes. The file appears when it is complete. All ranks call it. At the end it
-- returns how many events this rank recorded, and how many it dropped.
-- @param file  of rank 0
-- f = os.tmpname(); dist.init().trace(f); dist.barrier(); n = dist.trace(); os.remove(f); n --> 1
function dist.trace(...)
   local file = ...
   if not comm.world then error('dist.trace: call dist.init() first', 2) end
   if select('#', ...) > 0 then
      local ok, why = pcall(begin, file)
      if not ok then error(why, 2) end
      return
   end
   local ok, n, dropped = pcall(stop)
   if not ok then error(n, 2) end
   return n, dropped
end

local function spanned(trace, name, begun, ...)
   if comm.trace == trace then trace:add(name, 'script', SCRIPT, begun, comm.now()) end
   return ...
end

--- Calls f(...), returns its results, and shows it under this name in a trace, if one runs.
-- @param name  any text
-- require 'dist'.span('sum', function(a, b) return a + b end, 1, 2) --> 3
function dist.span(name, f, ...)
   if type(name) ~= 'string' then arg.refuse('dist.span', 'argument 1', 'a string', name) end
   if not arg.is_callable(f) then arg.refuse('dist.span', 'argument 2', 'a function', f) end
   local trace = comm.trace
   if not trace then return f(...) end
   return spanned(trace, name, comm.now(), f(...))
end

return Trace
