-- test/faults/sweep.lua - runs one step of a tour again and again, each time with another call to the system failing.
--
-- A step is a table: name; make() returns its operands; run(given) returns the results; state(given) lists what a failed run must
-- not change (optional); look(given) returns what is wrong after a run, or nil (optional); moves: the step may stop half way, so
-- the next call may give another result; rounds: a fallback may round otherwise.
-- The library test/faults/faults.c must be preloaded.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local C = lib.C

local sweep = {}

local function declarations()
   local f = assert(io.open 'test/faults/faults.c')
   local text = f:read '*a'
   f:close()
   return (assert(text:match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/'))
end

--- Whether the library is preloaded.
function sweep.is_preloaded()
   ffi.cdef(declarations())
   ffi.cdef 'int64_t th_block_drop(void); void th_storage_end_of_state(void);'
   return (pcall(function() return ffi.C.faults_watch end))
end

--- Counts the calls of the loaded libraries whose path contains a text.
function sweep.watch(name) return ffi.C.faults_watch(name) end

-- Numbers of Linux.
local EIO, EAGAIN, ENOMEM, ENOSPC = 5, 11, 12, 28
local ALL = 2 ^ 53

-- ---- what can be seen of a value -----------------------------------------------------------------------------------

local function add_tensor(t, out, whole)
   out[#out + 1] = t:type()
   for d = 1, t:dim() do out[#out + 1] = (whole and '%d:%d' or '%d'):format(t:size(d), t:stride(d)) end
   if t:nElement() == 0 then return end
   if t.getDevice and t:type():find 'Cuda' then
      out[#out + 1] = table.concat(torch.totable(t:double():view(-1)), ' ')
   elseif whole then
      local s = t:storage()
      out[#out + 1] = t:storageOffset() .. ':' .. ffi.string(s:data(), #s * t:elementSize())
   else
      t = t:contiguous()
      out[#out + 1] = ffi.string(t:data(), t:nElement() * t:elementSize())
   end
end

local function key_text(k) return type(k) == 'number' and ('%020.6f'):format(k) or tostring(k) end

local function add(v, out, whole, seen)
   local kind = type(v)
   if torch.isTensor(v) then add_tensor(v, out, whole)
   elseif torch.isStorage(v) then
      out[#out + 1] = torch.typename(v) .. #v .. ':' .. (#v > 0 and ffi.string(v:data(), #v * v:elementSize()) or '')
   elseif kind == 'table' then
      if seen[v] then
         out[#out + 1] = 'seen'
         return
      end
      seen[v] = true
      local keys = {}
      for k in next, v do if type(k) == 'string' or type(k) == 'number' then keys[#keys + 1] = k end end
      table.sort(keys, function(a, b) return key_text(a) < key_text(b) end)
      out[#out + 1] = '{'
      for _, k in ipairs(keys) do
         out[#out + 1] = key_text(k)
         add(rawget(v, k), out, whole, seen)
      end
      out[#out + 1] = '}'
   elseif kind == 'number' then out[#out + 1] = v ~= v and 'nan' or ('%a'):format(v)
   elseif kind == 'string' or kind == 'boolean' or kind == 'nil' then out[#out + 1] = tostring(v)
   else out[#out + 1] = kind
   end
end

-- Values as a text that differs when a bit of them does. `whole`: memory around the elements of tensors and strides, too.
local function seen_of(values, n, whole)
   local out = {}
   for i = 1, n do add(values[i], out, whole, {}) end
   return table.concat(out, '\1')
end

-- ---- memory ------------------------------------------------------------------------------------------------------

-- The second look at memory after a refusal collects: a full collection for every call that fails would take most of the time.
local real_collect, EVERY = collectgarbage, 25
local asked = 0
local function seldom(what, value)
   if what and what ~= 'collect' then return real_collect(what, value) end
   asked = asked + 1
   return asked % EVERY == 0 and real_collect() or 0
end

-- Blocks that wait for their next use go, so that the next call asks the system.
local function drop_kept()
   C.th_block_drop()
   C.th_storage_end_of_state()
end

local function settle()
   for _ = 1, 2 do
      real_collect()
      lib.sweep()
   end
   drop_kept()
   return tonumber(ffi.C.faults_live_bytes()), tonumber(ffi.C.faults_live_blocks())
end

local function open_descriptors()
   local n = 0
   for _ in require('paths').files '/proc/self/fd' do n = n + 1 end
   return n
end

-- ---- where a call comes from -------------------------------------------------------------------------------------

local places = {}
--- The file and line of a call, as far as the library tells; its function otherwise.
function sweep.place(site)
   local key = tonumber(site)
   if places[key] then return places[key] end
   local name = ffi.new 'char[512]'
   local at = tonumber(ffi.C.faults_place(site, name, 512))
   local path = ffi.string(name)
   local text = ('%s+0x%x'):format(path:match '[^/]*$', at)
   local p = io.popen(("addr2line -f -e '%s' 0x%x 2>/dev/null"):format(path, at - 1))
   if p then
      local f, line = p:read '*l', p:read '*l'
      p:close()
      if f and f ~= '??' then text = text .. ' ' .. f end
      if line and not line:find '^%?' then text = text .. ' ' .. line:match '[^/]*$' end
   end
   places[key] = text
   return text
end

--- The distinct places of calls that have failed so far, without those that are in the table already; they come into it.
function sweep.sites(told)
   local n = tonumber(ffi.C.faults_sites(nil, 0))
   local list = ffi.new('uintptr_t[?]', n + 1)
   ffi.C.faults_sites(list, n)
   local out = {}
   local name = ffi.new 'char[512]'
   for i = 0, n - 1 do
      local at = tonumber(ffi.C.faults_place(list[i], name, 512))
      local text = ('%s+0x%x'):format(ffi.string(name):match '[^/]*$', at)
      if not told[text] then out[#out + 1], told[text] = text, true end
   end
   return out
end

-- ---- one step ----------------------------------------------------------------------------------------------------

local A = 1                                   -- kinds, as in faults.c
--- The ways in which calls fail. text: what an error must say.
sweep.ways = {
   { name = 'one allocation fails', kinds = A, times = 1, error = ENOMEM, text = { 'memory' } },
   { name = 'all allocations fail from one on', kinds = A, times = ALL, error = ENOMEM, text = { 'memory' } },
   { name = 'mmap fails', kinds = 2, times = ALL, error = ENOMEM, text = { 'memory' } },
   { name = 'open fails', kinds = 4, times = ALL, error = EIO, text = { 'Input/output error', 'cannot', 'must be the name' } },
   { name = 'read fails', kinds = 8, times = ALL, error = EIO, text = { 'Input/output error' } },
   { name = 'reads are short', kinds = 8, times = ALL, error = -1, no_error = true, most = 3 },
   { name = 'write fails', kinds = 16, times = ALL, error = ENOSPC, text = { 'No space left on device' } },
   { name = 'writes are short', kinds = 16, times = 3, error = -1, no_error = true, most = 5 },
   { name = 'sync fails', kinds = 32, times = ALL, error = EIO, text = { 'Input/output error' } },
   { name = 'rename fails', kinds = 64, times = ALL, error = EIO, text = { 'Input/output error' } },
   { name = 'ftruncate, fallocate or fstat fails', kinds = 128, times = ALL, error = ENOSPC, text = { 'No space left',
      'cannot', 'memory' } },
   { name = 'pthread_create fails', kinds = 256, times = ALL, error = EAGAIN, text = { 'thread', 'temporarily unavailable' } },
}

local raw = { 'attempt to ', 'bad argument #', 'cannot convert', 'table index', 'stack overflow', 'invalid value',
   'bad callback' }

local function wrong_words(why, way)
   if type(why) ~= 'string' then return 'the error is no text: ' .. tostring(why) end
   for _, pattern in ipairs(raw) do
      if why:find(pattern, 1, true) then return "the error is one of Lua's own: " .. why end
   end
   if way.no_error then return 'an error: ' .. why end
   for _, text in ipairs(way.text) do if why:find(text, 1, true) then return nil end end
   return 'the error does not say what is wrong: ' .. why
end

local function pack(...) return { n = select('#', ...), ... } end

-- Whether results differ by rounding at most: tensors, by a part of their largest element.
local function near(a, b)
   if torch.isTensor(a) and torch.isTensor(b) then
      if a:type() ~= b:type() or not a:isSameSizeAs(b) then return false end
      local part = a:type():find 'Half' and 2e-3 or 1e-5
      a, b = a:double(), b:double()
      return a:nElement() == 0 or torch.abs(a - b):max() <= part * torch.abs(b):max()
   end
   if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
   for k, v in pairs(a) do if not near(v, b[k]) then return false end end
   for k in pairs(b) do if a[k] == nil then return false end end
   return true
end

-- Runs a step, with calls that fail where `way` is given. Returns whether it ended well,
-- what its results look like or the error, how many calls have failed, and the results.
local function results(step, given, way, n)
   torch.manualSeed(29)
   if way then
      drop_kept()
      _G.collectgarbage = seldom
      ffi.C.faults_arm(way.kinds, n, way.times, way.error)
   end
   local got = pack(pcall(step.run, given))
   local fired = way and tonumber(ffi.C.faults_disarm())
   _G.collectgarbage = real_collect
   return got[1], got[1] and seen_of({ unpack(got, 2, got.n) }, got.n - 1, false) or got[2], fired,
      { n = got.n - 1, unpack(got, 2, got.n) }
end

local function state_of(step, given)
   if not step.state then return '' end
   local list = step.state(given)
   return seen_of(list, #list, true)
end

-- Every call of the step fails once. Returns how many did; found(n, text) hears of each fault.
local function each_call(step, way, want, values, found, limit)
   local n, fired = 0, 0
   while n < limit do
      n = n + 1
      if sweep.on_call then sweep.on_call(n, way) end
      local given = step.make()
      local before = state_of(step, given)
      local ok, got, rounded
      ok, got, fired, rounded = results(step, given, way, n)
      if fired > 0 or not ok then
         if not ok then
            local why = fired == 0 and 'an error although nothing failed: ' .. tostring(got) or wrong_words(got, way)
            if why then found(n, why) end
            if state_of(step, given) ~= before then found(n, 'what was given has changed; the error: ' .. tostring(got)) end
         elseif got ~= want and not (step.rounds and near(rounded, values)) then
            found(n, 'another answer')
         end
         local bad = step.look and step.look(given, ok)
         if bad then found(n, bad) end
         if ok then                              -- it may have changed what was given
            if step.close then step.close(given) end
            given = step.make()
         end
         local again, answer = results(step, given)
         if not again then found(n, 'the next call fails: ' .. tostring(answer))
         elseif answer ~= want and not step.moves then found(n, 'the next call gives another answer') end
      end
      if step.close then step.close(given) end
      if fired == 0 then break end
   end
   return n - (fired == 0 and 1 or 0)
end

--- Runs a step in all ways that apply. Returns { calls = how many failed, faults = list of texts }.
function sweep.run(step, ways, limit)
   local report = { calls = 0, faults = {} }
   limit = limit or 400
   local function normal()
      local given = step.make()
      local ok, got, _, values = results(step, given)
      if step.close then step.close(given) end
      return ok, got, step.rounds and values or nil
   end
   local ok, want, values = normal()
   local first = want
   if ok then ok, want, values = normal() end
   if ok and want ~= first then ok, want = false, 'a second run gives another answer' end
   if not ok then
      report.faults[1] = step.name .. ': it does not even run: ' .. tostring(want)
      return report
   end
   local bytes, blocks = settle()
   local files = open_descriptors()
   for _, way in ipairs(ways) do
      local said = {}
      local function found(n, text)
         local kind = text:gsub('%d+', '')
         said.n = (said.n or 0) + 1
         if said[kind] or said.n > 8 then return end
         said[kind] = true
         report.faults[#report.faults + 1] = ('%s: %s, n = %d at %s: %s'):format(step.name, way.name, n,
            sweep.place(ffi.C.faults_last()), text)
      end
      local most = math.min(limit, way.most or limit)
      local calls = each_call(step, way, want, values, found, most)
      report.calls = report.calls + calls
      if calls > 0 then
         local function grown()
            local now, count = settle()
            local open = open_descriptors()
            local more, fds = now > bytes or count > blocks, open > files
            bytes, blocks, files = now, count, open
            return more, fds
         end
         local more, fds = grown()
         -- What is kept for later is kept once, or once for each of the threads that run at the same time, whose number
         -- depends on the load. A leak grows each time.
         for _ = 1, 8 do
            if not more and not fds then break end
            local from = ffi.C.faults_number()
            each_call(step, way, want, values, function() end, most)
            local again, fds_again = grown()
            more, fds = more and again, fds and fds_again
            if more then
               local list = ffi.new 'faults_block[64]'
               local count = tonumber(ffi.C.faults_since(from, list, 64))
               local text = {}
               for i = 0, math.min(count,
                  4) - 1 do text[#text + 1] = sweep.place(list[i].site) .. ' ' .. tonumber(list[i].bytes) end
               report.leak = ('a leak: %d blocks, of %s'):format(count, table.concat(text, ', '))
            end
         end
         if more then report.faults[#report.faults + 1] = ('%s: %s: %s'):format(step.name, way.name, report.leak) end
         if fds then report.faults[#report.faults + 1] = ('%s: %s: descriptors stay open'):format(step.name, way.name) end
      end
   end
   return report
end

return sweep
