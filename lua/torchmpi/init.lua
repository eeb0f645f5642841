-- lua/torchmpi/init.lua - TorchMPI's names over dist: mpi.start, mpi.allreduceTensor and others, mpi.nn, mpi.parameterserver.
--
-- Ranks count from 0. Tensors are on the CPU; the refusals are those of dist, in its words.
local torch = require 'torch'
local arg = require 'torch.arg'
local dist = require 'dist'

local mpi = { async = {}, nn = {}, parameterserver = {} }

--- Joins the job. The arguments of TorchMPI (CUDA, communicators) are accepted without effect.
function mpi.start() dist.init() end

--- Does nothing, because a rank leaves the job when its script ends.
function mpi.stop() end

mpi.rank, mpi.size = dist.rank, dist.size
function mpi.barrier() dist.barrier() end

-- ---- tensors ------------------------------------------------------------------------------------------------------------

local function need(who, name, x) if not arg.is_tensor(x) then arg.refuse(who, name, 'a tensor', x, 4) end end

-- The result goes into `output` if there is one; then the input does not change.
local function into(who, input, output)
   need(who, 'input', input)
   if output == nil then return input end
   need(who, 'output', output)
   if output:type() ~= input:type() or output:nElement() ~= input:nElement() then
      arg.refuse(who, 'output', ('like the input, %s'):format(arg.describe(input)), output, 3)
   end
   return output:copy(input)
end

local operations = {}

function operations.broadcastTensor(options, root, x) return dist.broadcast(x, root, options) end
function operations.allreduceTensor(options, input, output)
   return dist.allreduce(into('allreduceTensor', input, output), 'sum', options)
end
function operations.reduceTensor(options, root, input, output)
   return dist.reduce(into('reduceTensor', input, output), root, 'sum', options)
end

-- Sends x to `to`, and replaces it by the tensor from `from`.
function operations.sendreceiveTensor(options, x, from, to)
   need('sendreceiveTensor', 'argument 1', x)
   if from == dist.rank() and to == dist.rank() then return options and { wait = function() return x end } or x end
   local sent = dist.send(x:clone(), to, { async = true })
   local got = dist.recv(x, from, { async = true })
   local handle = { wait = function() sent:wait() return got:wait() end }
   return options and handle or handle.wait()
end

-- Concatenates all ranks' tensors.
function operations.allgatherTensor(options, input, output)
   need('allgatherTensor', 'input', input)
   need('allgatherTensor', 'output', output)
   if output:nElement() ~= input:nElement() * dist.size() then
      arg.refuse('allgatherTensor', 'output', ('a tensor of %d elements'):format(input:nElement() * dist.size()), output, 3)
   end
   local handle = dist.allgather(input, { async = true })
   local wait = { wait = function() return output:copy(handle:wait()) end }
   return options and wait or wait.wait()
end

-- mpi.allreduceTensor(input [, output]) waits; mpi.async.allreduceTensor returns a handle for mpi.syncHandle.
for name, f in pairs(operations) do
   mpi[name] = function(...) return f(nil, ...) end
   mpi.async[name] = function(...) return f({ async = true }, ...) end
end

--- Waits for a handle of mpi.async; returns its result.
function mpi.syncHandle(handle)
   if type(handle) ~= 'table' or not handle.wait then arg.refuse('syncHandle', 'argument 1', 'a handle', handle) end
   return handle:wait()
end

-- The sum of a number over all ranks: mpi.allreduce_double(x), and the same for float, int, long, short and char.
for name, kind in pairs { double = 'Double', float = 'Float', int = 'Int', long = 'Long', short = 'Short', char = 'Char' } do
   mpi['allreduce_' .. name] = function(x)
      if type(x) ~= 'number' then arg.refuse('allreduce_' .. name, 'argument 1', 'a number', x) end
      return dist.allreduce(torch[kind .. 'Tensor']{ x })[1]
   end
end

-- ---- networks -----------------------------------------------------------------------------------------------------------

local function lists(who, net)
   if not torch.isTypeOf(net, 'nn.Module') then arg.refuse(who, 'argument 1', 'a module', net, 3) end
   local parameters, grads = net:parameters()
   return parameters or {}, grads or {}
end

--- Copies the parameters of rank 0 to all ranks; with `withAllreduce`, their mean over all.
function mpi.nn.synchronizeParameters(net, withAllreduce)
   local parameters = lists('synchronizeParameters', net)
   if #parameters == 0 then return end
   if withAllreduce then dist.allreduce(parameters, 'mean') else dist.broadcast(parameters, 0) end
end

--- Sums the gradients over all ranks.
function mpi.nn.synchronizeGradients(net)
   local _, grads = lists('synchronizeGradients', net)
   if #grads > 0 then dist.allreduce(grads, 'sum') end
end

--- Raises an error, on all ranks, if parameters differ between ranks.
function mpi.nn.checkWithAllreduce(net)
   for i, p in ipairs((lists('checkWithAllreduce', net))) do
      local low, high = dist.allreduce(p:clone(), 'min'), dist.allreduce(p:clone(), 'max')
      if low:ne(high):sum() > 0 then error(('checkWithAllreduce: parameter %d differs between ranks'):format(i), 2) end
   end
end

-- ---- parameter server ---------------------------------------------------------------------------------------------------

local ps, made = mpi.parameterserver, 0

local function server(who, h)
   if type(h) ~= 'table' or not h.shared then arg.refuse(who, 'argument 1', 'the result of init', h, 3) end
   return h.shared
end

--- A tensor on the server, in shards; its first value is x of rank 0. All ranks call it.
function ps.init(x)
   need('init', 'argument 1', x)
   made = made + 1
   local shared = dist.shared('torchmpi ' .. made, x:size(), { type = x:type() })
   if dist.rank() == 0 then shared:copy(x) end
   dist.barrier()
   return { shared = shared }
end

local rules = { copy = function(s, x) s:copy(x) end, add = function(s, x) s:add(x) end,
                zero = function(s) s:apply(function(part) part:zero() end) end }

--- Changes the tensor on the server by x: 'zero', 'copy' or 'add'. Returns a handle of the finished operation.
function ps.send(h, x, rule)
   local shared = server('send', h)
   if not rules[rule] then error(("send: the rule must be zero, copy or add, got %s"):format(tostring(rule)), 2) end
   rules[rule](shared, x)
   return { wait = function() return x end }
end

--- Fills x with the tensor on the server. Returns a handle of the finished operation.
function ps.receive(h, x)
   server('receive', h):fetch(x)
   return { wait = function() return x end }
end

ps.syncHandle = mpi.syncHandle

--- Drops it; its memory stays allocated until the job ends. All ranks call it.
function ps.free(h)
   server('free', h)
   h.shared = nil
   dist.barrier()
end

return mpi
