-- lua/distributed/explain.lua - the algorithm that an operation uses between hosts and devices, and its
-- predicted time.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local lib = require 'torch.lib'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local C = lib.C

local text_t, double_t = ffi.typeof 'const char *[1]', ffi.typeof 'double[?]'

--- The algorithm of operations between hosts. 'auto' uses the fastest one whose sums have the bits
-- of one host. For small tensors these are 'gather' (all ranks get the elements of all) and
-- 'doubling' (pairs of hosts exchange their sums). 'doubling' needs 2^k consecutive ranks on each
-- host, and takes no half types. For other tensors it is 'parts' (each rank reduces its part of the
-- elements). 'fastest' may also use 'doubling' on all hosts, 'ring' and 'hosts' (each host reduces
-- first). Their sums have another order, which is the same at each call. A name of an algorithm
-- forces it wherever it is possible. Tensors on CUDA devices, which with 'auto' and 'fastest' may
-- use NCCL and its order, then go through the CPU. With a name, sets it, and all ranks must set the
-- same; returns the name. The environment variable TH_DIST_ALGORITHM gives the initial one.
-- @param name  'auto' (default), 'fastest', 'gather', 'doubling', 'parts', 'ring' or 'hosts'
-- dist.init(); dist.algorithm() --> auto
function dist.algorithm(name)
   if type(name) ~= 'nil' and type(name) ~= 'string' then arg.refuse('dist.algorithm', 'argument 1', 'a string', name) end
   local now = text_t()
   lib.check(C.th_dist_algorithm(name, now), 2)
   return ffi.string(now[0])
end

local function bytes_text(n)
   if n < 1e4 then return ('%d bytes'):format(n) end
   return n < 1e6 and ('%.4g kB'):format(n / 1e3) or ('%.4g MB'):format(n / 1e6)
end

-- What ranks announce beside operations of a group.
local OTHERS = { send = true, recv = true, group = true, init = true, shared = true,
   ['group:close'] = true }

--- The algorithm that an operation uses and its predicted time, as a table. Its fields are
-- algorithm, seconds, latency (of a short message between hosts), rate (bytes per second), hosts,
-- and text, a description in words. The numbers were measured at the handshake. Within a host the
-- algorithm is 'memory', and seconds are 0, because there is no choice. For a tensor on a CUDA
-- device it is 'nccl' if the devices communicate directly, or will try at the group's first such
-- operation. Otherwise text gives the reason. The environment variable TH_DIST_CUDA forces `cpu` or
-- `nccl` (an error if NCCL cannot be used; default `auto`).
-- @param name     'allreduce', 'reduce', 'broadcast', 'allgather', 'reducescatter', 'alltoall' or 'barrier'
-- @param x        a tensor as for the operation
-- @param op       as of dist.allreduce
-- @param options  `group`
-- dist.init(); dist.explain('allreduce', torch.ones(5)).algorithm --> memory
function dist.explain(name, x, op, options)
   if not comm.world then error('dist.explain: call dist.init() first', 2) end
   local kind = type(name) == 'string' and comm.kinds[name]
   if not kind or OTHERS[name] then
      arg.refuse('dist.explain', 'argument 1', 'the name of an operation of a group', name)
   end
   if name == 'barrier' and x == nil then x = torch.ByteTensor() end
   if not arg.is_tensor(x) then arg.refuse('dist.explain', 'argument 2', 'a tensor', x) end
   local operator = comm.operators[op == nil and 'sum' or op]
   if not operator then
      error(('dist.explain: the operator must be sum, mean, min, max or prod, got %s'):format(tostring(op)), 2)
   end
   if type(options) ~= 'nil' and type(options) ~= 'table' then arg.refuse('dist.explain', 'options', 'a table', options) end
   local g = options and options.group or comm.world
   if type(g) == 'table' and g.closed then error('dist.explain: the group is closed', 2) end
   if type(g) ~= 'table' or not g.c then
      error('dist.explain: group must be a group made by dist.group, with this rank in it', 2)
   end
   local algorithm, numbers, speed = text_t(), double_t(1), double_t(2)
   lib.check(C.th_dist_explain(g.c, kind, x._dtype, operator, x:nElement(), algorithm, numbers), 2)
   C.th_dist_speed(g.c, speed)
   local size = bytes_text(x:nElement() * x:elementSize())
   local t = { algorithm = ffi.string(algorithm[0]), seconds = numbers[0], latency = speed[0], rate = speed[1],
      hosts = dist.hosts() }
   if t.algorithm == 'memory' then
      t.text = ('%s of %s: over memory that the %d ranks share'):format(name, size, g.n)
   else
      t.text = ('%s of %s: %s, %.3g ms; messages take %.3g us, and %s a second'):format(name, size, t.algorithm,
         1e3 * t.seconds, 1e6 * t.latency, bytes_text(t.rate))
   end
   if x._device == 0 then return t end
   local takes, why = comm.takes(g.c, kind, operator, x)
   if takes == 0 or takes == 1 and why ~= '' then
      t.text = t.text .. '; as copies on the CPU: ' .. why
   else
      t.algorithm, t.seconds = 'nccl', 0
      t.text = ('%s of %s: NCCL between the devices of %d ranks (%s)'):format(name, size, g.n,
         takes == 2 and why or 'if all can, which the first operation finds out')
   end
   return t
end
