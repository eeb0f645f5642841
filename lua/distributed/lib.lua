-- lua/distributed/lib.lua - the C side of dist, declared from its header, and calls of operations.
local ffi = require 'ffi'
require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'

local f = assert(io.open(lib.include .. '/th_dist.h'))
local header = f:read '*a'
f:close()
ffi.cdef((assert(header:match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_dist.h has lost its FFI part')))
local C = lib.C

-- `trace`, if set, records operations; `compression` is distributed/compress.lua, which core must not require.
local M = { C = C }

--- The numbers of operations, by name, and of operators.
M.kinds = {}
for kind = 0, C.TH_DIST_KINDS - 1 do M.kinds[ffi.string(C.th_dist_kind(kind))] = kind end
M.operators = { sum = C.TH_DIST_SUM, mean = C.TH_DIST_MEAN, min = C.TH_DIST_MIN, max = C.TH_DIST_MAX, prod = C.TH_DIST_PROD }

local tensors_t, work_t = ffi.typeof 'th_tensor *[?]', ffi.typeof 'th_dist_work *[1]'
local call, in_list, out_list = ffi.new 'th_dist_call', ffi.new 'th_list', ffi.new 'th_list'
local in_room, out_room, room = tensors_t(1), tensors_t(1), 1

local function fill(list, tensors, pointers)
   local n = #tensors
   for i = 1, n do pointers[i - 1] = tensors[i] end
   list.n, list.t = n, pointers
   return list
end

-- The struct that C reads, with lists of contiguous tensors; `outputs` may be `inputs`. Its
-- pointers are valid until the next call.
local function fill_call(kind, op, root, inputs, outputs, seconds)
   local n = math.max(inputs and #inputs or 0, outputs and #outputs or 0)
   if n > room then in_room, out_room, room = tensors_t(2 * n), tensors_t(2 * n), 2 * n end
   call.kind, call.op, call.root, call.seconds = kind, op, root, seconds or 0
   call['in'] = inputs and fill(in_list, inputs, in_room) or nil
   call.out = outputs and fill(out_list, outputs, out_room) or nil
   return call
end

--- Runs an operation, and raises its error. `level` counts calls as error's does, without those that
-- end in a tail call.
function M.run(group, kind, op, root, inputs, outputs, seconds, level)
   local trace = M.trace
   local begin = trace and M.now()
   local status = C.th_dist_run(group, fill_call(kind, op, root, inputs, outputs, seconds))
   if begin then trace:operation(kind, begin, inputs, outputs) end
   if status ~= lib.OK then lib.check(status, level) end
end

--- Runs an operation; returns nil, or the error.
function M.try(group, kind, op, root, inputs, outputs, seconds)
   local trace = M.trace
   local begin = trace and M.now()
   local status = C.th_dist_run(group, fill_call(kind, op, root, inputs, outputs, seconds))
   if begin then trace:operation(kind, begin, inputs, outputs) end
   if status ~= lib.OK then return M.why(status) end
end

--- The same as run with one contiguous tensor in place.
function M.run_one(group, kind, op, root, x, seconds, level)
   in_room[0] = x
   in_list.n, in_list.t = 1, in_room
   call.kind, call.op, call.root, call.seconds, call['in'], call.out = kind, op, root, seconds or 0, in_list, in_list
   local trace = M.trace
   local begin = trace and M.now()
   local status = C.th_dist_run(group, call)
   if begin then trace:operation(kind, begin, { x }) end
   if status ~= lib.OK then lib.check(status, level) end
end

--- Starts an asynchronous operation; returns a handle for M.wait and M.test.
function M.start(group, kind, op, root, inputs, outputs, seconds, level)
   local w = work_t()
   lib.check(C.th_dist_start(w, group, fill_call(kind, op, root, inputs, outputs, seconds)), level)
   return M.started(w[0], kind, group, root)
end

--- The handle of an operation that was started in C.
function M.started(work, kind, group, root)
   if M.trace then M.trace:start(work, kind, group, root) end
   return ffi.gc(work, C.th_dist_work_free)
end

function M.test(work) return C.th_dist_test(work) ~= 0 end

--- The error message of a status that is not OK.
function M.why(status)
   if status == C.TH_EINTR then C.th_interrupt(0) end
   return ffi.string(C.th_error())
end

--- Waits for it; returns nil, or the error.
function M.wait(work)
   local trace = M.trace
   local begin = trace and M.now()
   local status = C.th_dist_wait(work)
   if begin then trace:wait(work, begin) end
   local why = status ~= lib.OK and M.why(status) or nil
   ffi.gc(work, nil)
   C.th_dist_work_free(work)
   return why
end

--- Joins the job; leaves it when the Lua state closes. th sets M.failed when the script failed.
function M.join(job, seconds, level)
   local g = ffi.new 'th_dist *[1]'
   lib.check(C.th_dist_join(g, job.fd, job.name, job.host, job.rank, job.size, job.secret, seconds), level + 1)
   return ffi.gc(g[0], function(world) C.th_dist_leave(world, M.failed and 1 or 0) end)
end

--- A group of ranks of `world`; nil on a rank that is not a member.
function M.group(world, ranks, level)
   local g, list = ffi.new 'th_dist *[1]', ffi.new('int32_t[?]', #ranks)
   for i, r in ipairs(ranks) do list[i - 1] = r end
   lib.check(C.th_dist_group(g, world, list, #ranks), level + 1)
   return g[0] ~= nil and g[0] or nil
end

--- Closes a group.
function M.close(group, level) lib.check(C.th_dist_close(group), level + 1) end

--- A hash of texts, an integer below 2^28.
function M.digest(texts)
   local h = 0
   for c in table.concat(texts, '|'):gmatch '.' do h = (h * 16777619 + c:byte()) % 2 ^ 28 end
   return h
end

--- Seconds since an arbitrary moment.
function M.now() return C.th_dist_now() end

--- A list of tensors, from a tensor or a table of them.
function M.tensors(who, x, level)
   if arg.is_tensor(x) then return { x } end
   if type(x) ~= 'table' then arg.refuse(who, 'argument 1', 'a tensor or a table of tensors', x, level) end
   for i = 1, #x do
      if not arg.is_tensor(x[i]) then arg.refuse(who, ('entry %d of argument 1'):format(i), 'a tensor', x[i], level) end
   end
   if #x == 0 then error(who .. ': the table holds no tensor', level) end
   return x
end

--- A tensor on the CPU: the same, or a copy of one on a CUDA device.
function M.host(t) return t._device == 0 and t or t:type('torch.' .. dtype.words[t._dtype] .. 'Tensor') end

local why_t = ffi.typeof 'const char *[1]'

--- The result of th_dist_takes for an operation on a tensor, and the reason.
function M.takes(group, kind, op, t)
   local why = why_t()
   local n = C.th_dist_takes(group, kind, t._dtype, op, t._device, why)
   return n, ffi.string(why[0])
end

--- Whether an operation on a list runs on the device of all its tensors, without copies on the CPU.
function M.by_device(group, kind, op, list)
   local device = list[1]._device
   if device == 0 then return false end
   for i = 1, #list do
      if list[i]._device ~= device or M.takes(group, kind, op, list[i]) == 0 then return false end
   end
   return true
end

--- The address of the first element of a contiguous tensor.
function M.address(t) return tonumber(ffi.cast('intptr_t', t._storage.data)) + t._offset * dtype.bytes[t._dtype] end

--- Lists of one type each, in the order in which the types first appear, which is the same on all
-- ranks.
function M.by_type(list)
   local groups, of = {}, {}
   for i = 1, #list do
      local d = list[i]._dtype
      if not of[d] then
         of[d] = {}
         groups[#groups + 1] = of[d]
      end
      table.insert(of[d], list[i])
   end
   return groups
end

return M
