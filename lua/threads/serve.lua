-- lua/threads/serve.lua - the code in the threads of a pool and of threads.Thread, called by torch.worker.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local parcel = require 'torch.parcel'
local sync = require 'threads.sync'
local transport = require 'threads.transport'
local C = lib.C

local M = {}

local SLICE = 1                             -- seconds; a closed queue wakes its takers immediately

--- The text of an error with the traceback of its origin.
function M.trail(why)
   why = tostring(why)
   return why:find('\nstack traceback:', 1, true) and why or debug.traceback(why, 2)
end

-- Storages in use by a job cannot grow meanwhile, because their elements would move.
local function hold(tensors)
   local held = {}
   for _, t in ipairs(tensors) do
      local s = lib.C.th_worker_hold(t)
      if s ~= nil then held[#held + 1] = s end
   end
   return held
end

local function let_go(held)
   for _, s in ipairs(held) do C.th_worker_let_go(s) end
end

local function shared_tensors(owned)
   local tensors = {}
   for _, v in ipairs(owned or {}) do
      if ffi.istype(lib.tensor_t, v) then tensors[#tensors + 1] = v end
   end
   return tensors
end

-- Functions that every job calls are small and separate, so that LuaJIT compiles them.

local function begin(message, doing)
   C.th_sync_set(doing, message.tag)
   local text = ffi.string(message.bytes, message.size)
   return C.th_sync_shrink(message), text
end

local function answer_to(results, id, message, answer)
   if C.th_sync_reply(results, id, message, answer, #answer) ~= C.TH_SYNC_DONE then parcel.drop(answer) end
end

--- Runs jobs of a pool until its queue is closed. A job is: whether the thread may keep its arguments, a function, arguments.
function M.serve(id, name, jobs_id, results_id, doing_id)
   local jobs = sync.find('threads', C.TH_SYNC_QUEUE, jobs_id)
   local results = sync.find('threads', C.TH_SYNC_QUEUE, results_id)
   local doing = sync.find('threads', C.TH_SYNC_COUNTER, doing_id)
   rawset(_G, '__threadid', id)
   local text, held
   local function job()
      local values, n, owned = transport.unpack(name, text)
      text = nil
      if owned then
         local tensors = hold(shared_tensors(owned))
         if not values[1] then held = tensors end
      end
      return values[2](unpack(values, 3, n))
   end
   local function reply(message, ...)
      local ok, answer = pcall(transport.pack, name, ...)
      if not ok then answer = transport.pack(name, false, answer) end
      if held then                          -- before the answer is sent, because its receiver may resize these tensors
         let_go(held)
         held = nil
      end
      answer_to(results, id, message, answer)
   end
   while C.th_sync_closed(jobs) == 0 do
      local message = C.th_sync_take(jobs, id, SLICE)
      if message ~= nil then
         message, text = begin(message, doing)
         reply(message, xpcall(job, M.trail))
         C.th_sync_set(doing, 0)
      end
   end
end

--- Runs the code of a threads.Thread.
function M.run(code)
   local f, why = loadstring(code, '=threads.Thread')
   if not f then error(why, 0) end
   f()
end

return M
