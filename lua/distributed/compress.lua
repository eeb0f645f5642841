-- lua/distributed/compress.lua - compressed sums over all ranks. The compression error is kept and added
-- to the next step once (error feedback).
--
-- A rank packs x plus its carried error, shard by shard, and sends each shard to the rank that owns
-- it. The owner unpacks the parts in the order of the ranks and adds its carried error of the sum.
-- It packs the result and sends it to all. The carried errors change only after all ranks know that
-- all succeeded.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local tlib = require 'torch.lib'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local C = comm.C

local f = assert(io.open(tlib.include .. '/th_compress.h'))
local header = f:read '*a'
f:close()
ffi.cdef((assert(header:match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_compress.h has lost its FFI part')))

local M = {}
comm.compression = M                        -- dist.allreduce calls it

local kinds = { half = C.TH_COMPRESS_HALF, bfloat16 = C.TH_COMPRESS_BFLOAT16, int8 = C.TH_COMPRESS_INT8,
   onebit = C.TH_COMPRESS_ONEBIT, topk = C.TH_COMPRESS_TOPK }
local kind_names = 'half, bfloat16, int8, onebit or topk'
local wide = { ['torch.HalfTensor'] = 'torch.FloatTensor', ['torch.BFloat16Tensor'] = 'torch.FloatTensor',
   ['torch.FloatTensor'] = 'torch.FloatTensor', ['torch.DoubleTensor'] = 'torch.DoubleTensor' }

-- ---- construction
-- ---------------------------------------------------------------------------------------------------------

--- The class of what dist.compressor returns.
-- @param options  as of dist.compressor
-- dist.Compressor 'half' --> dist.Compressor(half, rows of 1024)
local Compressor = torch.class('dist.Compressor')

local known = { [1] = 'kind', kind = 'kind', rows = 'rows', ratio = 'ratio', seed = 'seed' }

local function whole(v, least, most) return type(v) == 'number' and v % 1 == 0 and v >= least and v <= most end

-- The options as fields { kind, rows, ratio, seed }, or nil and what is wrong with them.
local function fields_of(options)
   if type(options) == 'string' then options = { options } end
   if type(options) ~= 'table' or arg.is_tensor(options) then
      return nil, ('it must be %s, or a table, got %s'):format(kind_names, arg.describe(options))
   end
   local o = {}
   for name, v in pairs(options) do
      if not known[name] then return nil, ('there is no option %s; there are rows, ratio and seed'):format(tostring(name)) end
      o[known[name]] = v
   end
   if not kinds[o.kind] then return nil, ('it must be %s, got %s'):format(kind_names, tostring(o.kind)) end
   for name, kind in pairs { ratio = 'topk', seed = 'int8' } do
      if o[name] ~= nil and o.kind ~= kind then return nil, ('%s is an option of %s, not of %s'):format(name, kind, o.kind) end
   end
   o.rows = o.rows or (o.kind == 'topk' and C.TH_COMPRESS_ROW or o.kind == 'onebit' and 64 or 1024)
   o.ratio, o.seed = o.ratio or 0.03, o.seed or 1
   if not whole(o.rows, 1, C.TH_COMPRESS_ROW) then
      return nil, ('rows must be a whole number in 1..%d, got %s'):format(C.TH_COMPRESS_ROW, tostring(o.rows))
   end
   if type(o.ratio) ~= 'number' or not (o.ratio > 0 and o.ratio <= 1) then
      return nil, ('ratio must be a number above 0 and at most 1, got %s'):format(tostring(o.ratio))
   end
   if not whole(o.seed, 0, 2 ^ 53) then
      return nil, ('seed must be a whole number in 0..2^53, got %s'):format(tostring(o.seed))
   end
   return o
end

function Compressor:__init(options)
   local o, why = fields_of(options)
   if not o then error('dist.compressor: ' .. why, 3) end
   self.kind, self.rows, self.ratio, self.seed, self.steps = o.kind, o.rows, o.ratio, o.seed, 0
end

--- Compression of gradients with error feedback: pass it to dist.allreduce as the option `compress`. Each rank makes one for
-- each tensor or table of tensors that it reduces repeatedly, with the same options. The error of a
-- call is carried and added to the next call, once. So the sum of all results and of all ranks'
-- carried errors is the sum of all inputs. 'half' and 'bfloat16' send 16 bits per element. 'int8'
-- sends 8 bits, rounded up or down at random with the right mean. 'onebit' sends one bit (Seide et
-- al. 2014). For each row it sends the mean of the elements that are at least 0 and of the others.
-- 'topk' sends the elements of each row with the largest magnitude (Strom 2015; Lin et al. 2018).
-- Lines of matrices are rows if they have at least 64 elements, and long ones are cut. Other
-- tensors are cut into rows from end to end. A row that would not become smaller is sent unpacked.
-- A compressor can be saved: it is part of the state that dist.commit saves.
-- @param options  one of these names, or a table of it and of these. `rows`: the elements of a row
--    at most (1024; for onebit 64; for topk 4096, which is the maximum). `ratio`, of topk: the
--    fraction of a row that is sent (0.03, rounded up). `seed`, of int8: of the random numbers (1)
-- dist.init(); dist.allreduce(torch.Tensor{1, 2, 3}, 'sum', {compress = dist.compressor{'topk', ratio = 0.3}}) --> {0, 0, 3}
function dist.compressor(options)
   local o, why = fields_of(options)
   if not o then error('dist.compressor: ' .. why, 2) end
   return dist.Compressor(options)
end

--- Sets the carried error to zero. Returns self.
function Compressor:reset()
   self.error, self.sumError, self.first, self.ranks, self.rank = nil, nil, nil, nil, nil
   return self
end

function Compressor:__tostring__()
   local more = self.kind == 'topk' and (', ratio %g'):format(self.ratio)
      or self.kind == 'int8' and (', seed %g'):format(self.seed) or ''
   return ('dist.Compressor(%s, rows of %d%s)'):format(self.kind, self.rows, more)
end

--- The options of a compressor, as dist.compressor takes them.
function M.options_of(c)
   return { c.kind, rows = c.rows, ratio = c.kind == 'topk' and c.ratio or nil, seed = c.kind == 'int8' and c.seed or nil }
end

--- Options in words, the same for equal options; or nil and what is wrong.
function M.text(options)
   local o, why = fields_of(options)
   return o and ('%s %d %.17g %.17g'):format(o.kind, o.rows, o.ratio, o.seed), why
end

-- ---- plans and buffers for sizes
-- -----------------------------------------------------------------------------------------

local plan_t, form_t, numbers_t = ffi.typeof 'th_compress *[1]', ffi.typeof 'th_compress_form', ffi.typeof 'int64_t[?]'
local work_t, n_t = ffi.typeof 'th_dist_work *[1]', ffi.typeof 'int64_t[1]'
local list_t, pointers_t = ffi.typeof 'th_list', ffi.typeof 'th_tensor *[?]'

local function line_of(t) return t:dim() >= 2 and t:nElement() / t:size(1) or 0 end

local function plan_of(self, list, ranks)
   local numel, line, out = numbers_t(#list), numbers_t(#list), plan_t()
   for i, t in ipairs(list) do numel[i - 1], line[i - 1] = t:nElement(), line_of(t) end
   local form = form_t(kinds[self.kind] or -1, list[1]._dtype, ranks, self.rows, #list, numel, line, self.ratio, self.seed)
   local status = C.th_compress_new(out, form)
   if status ~= tlib.OK then return nil, comm.why(status) end
   return ffi.gc(out[0], C.th_compress_free)
end

-- compressor -> its plan and buffers for tensors of these sizes; not saved
local rooms = setmetatable({}, { __mode = 'k' })
local options = { 'kind', 'rows', 'ratio', 'seed' }

local function is_for(room, self, list, ranks, rank)
   if room.ranks ~= ranks or room.rank ~= rank or room.dtype ~= list[1]._dtype or #room.numel ~= #list then return false end
   for _, name in ipairs(options) do if room[name] ~= self[name] then return false end end
   for i, t in ipairs(list) do if room.numel[i] ~= t:nElement() or room.line[i] ~= line_of(t) then return false end end
   return true
end

local function room_of(self, list, ranks, rank)
   local room = rooms[self]
   if room and is_for(room, self, list, ranks, rank) then return room end
   local plan, why = plan_of(self, list, ranks)
   if not plan then return nil, why end
   room = { plan = plan, type = wide[list[1]:type()], dtype = list[1]._dtype, ranks = ranks, rank = rank }
   room.n, room.numel, room.line = 0, {}, {}
   for _, name in ipairs(options) do room[name] = self[name] end
   for i, t in ipairs(list) do
      room.numel[i], room.line[i] = t:nElement(), line_of(t)
      room.n = room.n + room.numel[i]
   end
   local n, count = room.n, n_t()
   room.first = tonumber(C.th_compress_shard(plan, rank, count)) + 1
   room.count = tonumber(count[0])
   local part = tonumber(C.th_compress_part(plan))
   local function bytes(m) return torch.ByteTensor(m):zero() end
   room.parts, room.back, room.mine = bytes(part * ranks), bytes(part * ranks), bytes(part)
   function room.floats(m) return torch.Tensor():type(room.type):resize(m) end
   room.lost, room.sumLost = room.floats(n), room.floats(room.count)
   rooms[self] = room
   return room
end

-- What is wrong with the carried error for tensors of this room; nil if it fits.
local function misfit(self, room, ranks, rank)
   if not whole(self.steps, 0, 2 ^ 47) then return 'the compressor is damaged: its steps are ' .. tostring(self.steps) end
   if self.error == nil and self.sumError == nil then return nil end
   if not (arg.is_tensor(self.error) and arg.is_tensor(self.sumError)) or self.first ~= room.first and self.rank == rank
      and self.ranks == ranks and self.error:nElement() == room.n then
      return 'the compressor is damaged: part of its state is missing'
   end
   if self.error:nElement() ~= room.n then
      return ('the compressor carries the error of %d elements, got tensors of %d: reset() drops it'):format(
         self.error:nElement(), room.n)
   end
   if self.ranks ~= ranks or self.rank ~= rank or self.sumError:nElement() ~= room.count then
      return ('the compressor carries the error of rank %s of %s, this is rank %d of %d: reset() drops it'):format(
         tostring(self.rank), tostring(self.ranks), rank, ranks)
   end
   for _, name in ipairs { 'error', 'sumError' } do                -- the conversion of a model converts these, too
      self[name] = self[name]:type(room.type):contiguous()
   end
end

-- ---- one reduction ----------------------------------------------------------------------------------------------------------

local function c_list(tensors)
   local pointers = pointers_t(#tensors)
   for i = 1, #tensors do pointers[i - 1] = tensors[i] end
   return list_t(#tensors, pointers), pointers
end

local function fail(self, why, ...)
   rooms[self].busy = nil
   error(why:format(...), 0)
end

local function need(self, status) if status ~= tlib.OK then fail(self, '%s', comm.why(status)) end end

local function error_of(tensor, n) return tensor and n > 0 and tensor or nil end

--- Packs contiguous tensors of one type, to be summed over the ranks of a group. Raises errors
-- without a position.
function M.pack(self, group, list)
   if rooms[self] and rooms[self].busy then error('the compressor is in use: wait for the earlier operation', 0) end
   local room, why = room_of(self, list, group.n, group.at)
   why = why or misfit(self, room, group.n, group.at)
   if why then error(why, 0) end
   if not self.error then room.spare, room.sumSpare = room.floats(room.n), room.floats(room.count) end
   room.busy = true
   local x, _keep = c_list(list)                                                           -- luacheck: ignore
   need(self, C.th_compress_encode(room.plan, group.at, self.steps, x, error_of(self.error, room.n), room.lost, room.parts))
   return { room = room, group = group, list = list }
end

--- Sends the packed parts. The operation sums the arriving ones and sends the sums on; it may run in
-- a thread. `seconds` and `async` as of operations.
function M.send(self, job, seconds, async)
   local room, group, trace, work = job.room, job.group.c, comm.trace, async and work_t() or nil
   local begin = trace and comm.now()
   need(self, C.th_compress_allreduce(work, group, room.plan, self.steps, room.parts, room.back,
      error_of(self.sumError, room.count), room.sumLost, room.mine, seconds or 0))
   if async then job.work = comm.started(work[0], comm.kinds.allreduce, group, 0)
   elseif trace then trace:operation(comm.kinds.allreduce, begin, { room.parts }) end
end

--- Waits for the sums of all shards. Nothing has changed yet, and M.take cannot fail on one rank
-- alone.
function M.arrive(self, job)
   if job.work then
      local why = comm.wait(job.work)
      job.work = nil
      if why then fail(self, '%s', why) end
   end
   local bad = C.th_compress_bad(job.room.plan, job.room.parts)
   if bad >= 0 then fail(self, 'the sum that rank %d computes is not finite: nothing has changed', job.group.ranks[bad + 1]) end
end

--- Replaces the tensors by `scale` times the sum, and the carried error by the new one.
function M.take(self, job, scale)
   local room = job.room
   local x, _keep = c_list(job.list)                                                       -- luacheck: ignore
   need(self, C.th_compress_decode(room.plan, room.parts, scale, x))
   self.error, room.lost = room.lost, self.error or room.spare
   self.sumError, room.sumLost = room.sumLost, self.sumError or room.sumSpare
   self.first, self.ranks, self.rank, self.steps = room.first, job.group.n, job.group.at, self.steps + 1
   room.busy = nil
end

--- All steps together: replaces the tensors by `scale` times the sum over all ranks.
function M.sum(self, group, list, scale)
   local job = M.pack(self, group, list)
   M.send(self, job)
   M.arrive(self, job)
   M.take(self, job, scale)
end

--- Cancels a job, after its transfer has ended.
function M.drop(self, job)
   if job.work then comm.wait(job.work) end
   job.work, job.room.busy = nil, nil
end

-- ---- checks that all ranks have the same
-- --------------------------------------------------------------------------------

local kind_words = { 'half', 'bfloat16', 'int8', 'onebit', 'topk', [0] = 'none' }

--- The facts of a compressor's options, or of none.
function M.facts(o)
   local function number(name) return o and tonumber(o[name]) or 0 end
   return { { 'compress', o and (kinds[o.kind] or -2) + 1 or 0, kind_words }, { 'rows', number 'rows' },
      { 'ratio', number 'ratio' }, { 'seed', number 'seed' } }
end

local type_words = { 'torch.HalfTensor', 'torch.BFloat16Tensor', 'torch.FloatTensor', 'torch.DoubleTensor' }
local op_words = { 'sum', 'mean' }

local function place(words, v) for i, w in ipairs(words) do if w == v then return i end end end

-- Checked on all ranks before anything is packed: a rank that finds an error tells the others.
local function need_alike(self, group, list, op, seconds)
   local well, room, trouble = pcall(room_of, self, list, group.n, group.at)
   if not well then trouble = room end
   trouble = trouble or misfit(self, room, group.n, group.at)
   local facts, n, sizes = M.facts(self), 0, {}
   for i, t in ipairs(list) do
      n = n + t:nElement()
      sizes[i] = arg.size_text(t)
   end
   local function add(...) facts[#facts + 1] = { ... } end
   add('the operator', place(op_words, op), op_words)
   add('the type of their tensors', place(type_words, list[1]:type()), type_words)
   add('the number of elements', n)
   add('the sizes of their tensors', comm.digest(sizes))
   add('whether the compressor fits the tensors', trouble and 1 or 2, { 'one that does not', 'one that does' })
   add('how often the compressor was used', self.steps)
   add('whether the compressor carries an error', self.error and 2 or 1, { 'nothing', 'something' })
   local why = agree.differ(group, facts, seconds)
   if trouble or why then error(trouble or why, 0) end
end

--- All tensors for a compressor must have one floating type and be on the CPU.
function M.need_list(who, list, level)
   for i, t in ipairs(list) do
      if t._device ~= 0 or not wide[t:type()] then
         error(('%s: tensors must be floats, doubles or halves on the CPU, got %s'):format(who, arg.describe(t)), level + 1)
      end
      if i > 1 and t:type() ~= list[1]:type() then
         error(('%s: a compressor takes tensors of one type, got %s and %s'):format(who, arg.describe(list[1]), arg.describe(t)),
            level + 1)
      end
   end
end

--- dist.allreduce with the option compress, of contiguous tensors. With `async` it returns a
-- function that ends it, which only has to unpack, and one that returns whether the other would not
-- wait. Raises errors without a position.
function M.allreduce(self, group, list, op, seconds, async)
   if rooms[self] and rooms[self].busy then error('the compressor is in use: wait for the earlier operation', 0) end
   need_alike(self, group, list, op, seconds)
   local job = M.pack(self, group, list)
   M.send(self, job, seconds, async)
   local function finish()
      M.arrive(self, job)
      M.take(self, job, op == 'mean' and 1 / group.n or 1)
   end
   if not async then return finish() end
   return finish, function() return not job.work or comm.test(job.work) end
end

--- The carried error of this rank: a vector of all elements, in their order. Its sum over all ranks
-- plus the sum of all results (for 'sum') is the sum of all inputs. nil before the first call.
-- c = dist.init().compressor 'half'; dist.allreduce(torch.ones(2), 'sum', {compress = c}); c:owed() --> {0, 0}
function Compressor:owed()
   if not self.error then return nil end
   local owed = self.error:clone()
   if self.sumError:nElement() > 0 then owed:narrow(1, self.first, self.sumError:nElement()):add(self.sumError) end
   return owed
end

--- How many bytes are sent for a tensor, or a table of tensors, and how many it has.
-- dist.compressor('onebit'):bytes(torch.FloatTensor(2048)) --> 512, 8192
function Compressor:bytes(x)
   local list, all = comm.tensors('bytes', x, 3), 0
   M.need_list('bytes', list, 2)
   for _, t in ipairs(list) do all = all + t:bytes() end
   local plan, why = plan_of(self, list, 1)
   if not plan then error(why, 2) end
   return tonumber(C.th_compress_payload(plan)), all
end

return M
