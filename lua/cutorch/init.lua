-- cutorch - devices, streams, handles and random numbers of CUDA. The types are in cutorch.tensor, memory is in cutorch.memory.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local op = require 'torch.op'

-- After a failed require LuaJIT answers a second one with 'loop or previous error'; this makes it give the reason again.
local ok, why = pcall(require, 'cutorch.backend')
if not ok then
   package.loaded['cutorch.backend'], package.loaded.cutorch = nil, nil
   error(why, 0)
end

local need = require 'cutorch.need'
local G = require 'cutorch.backend'.C

local cutorch = {}
local number, call = need.number, need.call

-- ---- devices ----------------------------------------------------------------------------------------------------------

--- How many CUDA devices there are; 0 without one.
-- @example cutorch.getDeviceCount() >= 0   --> true
function cutorch.getDeviceCount() return G.th_cuda_count() end

--- The device, from 1, on which this thread makes new CUDA tensors.
function cutorch.getDevice() return G.th_cuda_device() end

--- Makes new CUDA tensors on another device, from 1. Ops run where their tensors are, whatever the device of the thread.
function cutorch.setDevice(device)
   call('setDevice', G.th_cuda_set_device, number('setDevice', 'device', device))
end

--- Calls f() with another device, and returns its results. Restores the old device, after an error too.
function cutorch.withDevice(device, f)
   if not arg.is_callable(f) then arg.refuse('cutorch.withDevice', 'f', 'a function', f) end
   local before = cutorch.getDevice()
   call('withDevice', G.th_cuda_set_device, number('withDevice', 'device', device))
   local function back(ok, ...)
      local why = ...
      cutorch.setDevice(before)
      if not ok then error(why, 0) end
      return ...
   end
   return back(pcall(f))
end

--- Waits until the device of this thread has finished all its work.
function cutorch.synchronize() call('synchronize', G.th_cuda_synchronize, cutorch.getDevice()) end
--- Waits for all devices.
function cutorch.synchronizeAll()
   local ok, why = true, nil
   for device = 1, cutorch.getDeviceCount() do
      local good, text = pcall(call, 'synchronizeAll', G.th_cuda_synchronize, device)
      if ok then ok, why = good, text end
   end
   if not ok then error(why, 0) end
end

--- Whether the host waits after every kernel, and reads indices, classes and masks before it.
-- @example cutorch.getSynchronous()   --> false
function cutorch.getSynchronous() return G.th_cuda_synchronous() ~= 0 end
--- Lets the host wait after every kernel, or not; for all devices and threads. Then an error names the call that made it, and a
-- call that refuses indices, classes or masks changes nothing. Otherwise a device checks them while the call runs, and the error
-- is raised by the next call that waits for the device. TH_CUDA_SYNC=1 sets it from the start.
function cutorch.setSynchronous(on)
   if type(on) ~= 'boolean' then arg.refuse('cutorch.setSynchronous', 'on', 'true or false', on) end
   G.th_cuda_set_synchronous(on and 1 or 0)
end

local properties_t = ffi.typeof 'th_cuda_properties'
local numbers = { 'totalGlobalMem', 'freeGlobalMem', 'sharedMemPerBlock', 'major', 'minor', 'multiProcessorCount', 'warpSize',
   'maxThreadsPerBlock', 'maxThreadsPerMultiProcessor', 'regsPerBlock', 'memoryBusWidth', 'l2CacheSize', 'integrated',
   'pciBusID', 'pciDeviceID', 'pciDomainID' }

local function properties(who, device)
   local p = properties_t()
   call(who, G.th_cuda_properties_of, p, number(who, 'device', device))
   return p
end

--- CUDA's description of a device, as a table: name, major, minor, totalGlobalMem, freeGlobalMem,
-- multiProcessorCount and others. For an emulated device `emulated` is true, and its name says so.
function cutorch.getDeviceProperties(device)
   local p = properties('getDeviceProperties', device)
   local t = { name = ffi.string(p.name), emulated = p.emulated ~= 0 }
   for _, name in ipairs(numbers) do t[name] = tonumber(p[name]) end
   return t
end

--- Free and total bytes of a device, by default that of this thread.
-- @return free, total
function cutorch.getMemoryUsage(device)
   local p = properties('getMemoryUsage', device == nil and cutorch.getDevice() or device)
   return tonumber(p.freeGlobalMem), tonumber(p.totalGlobalMem)
end

local RESULTS = { out = true, self = true, inout = true }
local refused = {}                          -- device -> peer -> true: setPeerToPeerAccess has turned it off
local kernel_peers = false

--- The version of CUDA of this build, 13000 for 13.0; 0 on emulated devices.
function cutorch.getRuntimeVersion() return G.th_cuda_runtime_version() end
--- The version of CUDA that the driver supports; 0 on emulated devices, or without a driver.
function cutorch.getDriverVersion() return G.th_cuda_driver_version() end
--- cutorch.driverVersion: The result of cutorch.getDriverVersion().
cutorch.driverVersion = cutorch.getDriverVersion()

-- A device; the argument is required.
local function named(who, name, device)
   if device == nil then arg.refuse('cutorch.' .. who, name, 'a whole number', device, 3) end
   return need.device(who, device)
end

--- Whether device accesses the memory of peer directly: it can, and cutorch.setPeerToPeerAccess has not turned it off. Copies
-- between other pairs go through the host.
-- cutorch.getPeerToPeerAccess(1, 1)   --> true
function cutorch.getPeerToPeerAccess(device, peer)
   device, peer = named('getPeerToPeerAccess', 'device', device), named('getPeerToPeerAccess', 'peer', peer)
   return device == peer or G.th_cuda_can_access(device, peer) ~= 0 and not (refused[device] and refused[device][peer])
end

--- Turns direct access of device to the memory of peer on or off; an error where it is impossible. At first it is on where
-- possible.
function cutorch.setPeerToPeerAccess(device, peer, on)
   local who = 'setPeerToPeerAccess'
   device, peer = named(who, 'device', device), named(who, 'peer', peer)
   need.bool(who, 'on', on)
   call(who, G.th_cuda_set_access, device, peer, on and 1 or 0)
   refused[device] = refused[device] or {}
   refused[device][peer] = not on
end

--- The last argument of cutorch.setKernelPeerToPeerAccess; false at first.
-- cutorch.getKernelPeerToPeerAccess()   --> false
function cutorch.getKernelPeerToPeerAccess() return kernel_peers end

-- The device of the first result that has a type, else of the first tensor.
local function chosen_device(form, argv)
   local first
   for _, a in ipairs(form.args) do
      local result, t = RESULTS[a.word], (RESULTS[a.word] or a.word == 'tensor') and argv[a.slot].t or nil
      if t ~= nil and t._dtype ~= lib.C.TH_NONE then
         if result then return t._device end
         first = first or t._device
      end
   end
   return first or 0
end

-- Replaces inputs on other devices than the result by copies. `op` holds them until the next such call.
local function gather_devices(o, shared, n)
   local form
   for _, f in ipairs(op.forms(ffi.string(o.name))) do if f.op == o then form = f end end
   local argv = ffi.new('th_arg[?]', n)                -- the calls below write to the shared one
   ffi.copy(argv, shared, ffi.sizeof(argv))
   local device, copies = chosen_device(form, argv), {}
   for _, a in ipairs(device > 0 and form.args or {}) do
      local t = a.word == 'tensor' and argv[a.slot].t or nil
      if t ~= nil and t._device > 0 and t._device ~= device then
         local alias = lib.new()
         lib.C.th_tensor_alias(alias, t)
         local copy = cutorch.withDevice(device, function() return alias.new(alias:size()):copy(alias) end)
         copies[#copies + 1], argv[a.slot].t = copy, copy
      end
   end
   ffi.copy(shared, argv, ffi.sizeof(argv))
   op.gathered = copies
   return #copies > 0
end

--- Lets an op take inputs of another device than its result's, or not (at first). The inputs are copied for the call.
function cutorch.setKernelPeerToPeerAccess(on)
   kernel_peers = need.bool('setKernelPeerToPeerAccess', 'on', on)
   op.gather_devices = on and gather_devices or nil
end

-- ---- products of matrices ---------------------------------------------------------------------------------------------

--- The cuBLAS that multiplies matrices of floats; nil and the reason where there is none, and our kernels do it.
-- The environment's TH_CUBLAS names a library to open, or `none`. An emulated device has an emulated cuBLAS.
-- @return name, or nil and why
function cutorch.getBlas()
   local name = ffi.string(G.th_cuda_blas())
   if name ~= '' then return name end
   return nil, ffi.string(G.th_cuda_blas_why())
end

--- Whether products of matrices of floats may use TF32, which keeps 10 bits of each factor. It is
-- several times as fast on GPUs that have it, with a thousand times the error. Off at first.
-- @example cutorch.getTF32()   --> false
function cutorch.getTF32() return G.th_cuda_tf32() ~= 0 end
--- Lets products of matrices of floats use TF32, or not; for all devices and threads.
function cutorch.setTF32(on)
   if type(on) ~= 'boolean' then arg.refuse('cutorch.setTF32', 'on', 'true or false', on) end
   G.th_cuda_set_tf32(on and 1 or 0)
end

--- The NCCL that sums tensors over devices for nn.DataParallelTable(dim, flat, true); nil and the reason where there is none,
-- and devices copy from each other. The environment's TH_NCCL names a library to open, or `none`.
-- @return name, or nil and why
function cutorch.getNccl()
   local name = ffi.string(G.th_cuda_nccl())
   if name ~= '' then return name end
   return nil, ffi.string(G.th_cuda_nccl_why())
end

local handles, handle = 1, 1
--- Accepted for old scripts: each stream has a separate handle of cuBLAS, made on first use, so numbers of handles
-- have no effect. cutorch.getNumBlasHandles returns the largest n so far.
function cutorch.reserveBlasHandles(n)
   n = number('reserveBlasHandles', 'n', n)
   if n < 0 then error(('cutorch.reserveBlasHandles: n must not be negative, got %d'):format(n), 2) end
   handles = math.max(handles, n)
end
--- The largest n of cutorch.reserveBlasHandles so far, at least 1.
function cutorch.getNumBlasHandles() return handles end
--- The last argument of cutorch.setBlasHandle, from 1.
function cutorch.getBlasHandle() return handle end
--- Accepted for old scripts; see cutorch.reserveBlasHandles.
function cutorch.setBlasHandle(n)
   n = number('setBlasHandle', 'handle', n)
   if n < 1 or n > handles then error(('cutorch.setBlasHandle: handle must lie in 1..%d, got %d'):format(handles, n), 2) end
   handle = n
end

-- ---- streams ----------------------------------------------------------------------------------------------------------

--- Makes streams until each device has n of them, beside the default one.
function cutorch.reserveStreams(n) call('reserveStreams', G.th_cuda_reserve_streams, number('reserveStreams', 'n', n)) end
--- How many streams each device has, beside the default one.
function cutorch.getNumStreams() return G.th_cuda_streams() end
--- The number of the stream that this thread uses on all devices; 0 is the default one.
function cutorch.getStream() return G.th_cuda_stream_number() end
--- Sends the work of this thread to another stream.
function cutorch.setStream(stream) call('setStream', G.th_cuda_set_stream, number('setStream', 'stream', stream)) end
--- Sends the work of this thread to the default stream again.
function cutorch.setDefaultStream() call('setDefaultStream', G.th_cuda_set_stream, 0) end
--- Waits for one stream of the device of this thread.
function cutorch.streamSynchronize(stream)
   call('streamSynchronize', G.th_cuda_stream_synchronize, cutorch.getDevice(), number('streamSynchronize', 'stream', stream))
end

--- Later work of `stream` starts after all earlier work of the streams of the list.
function cutorch.streamWaitFor(stream, others)
   if type(others) ~= 'table' then arg.refuse('cutorch.streamWaitFor', 'others', 'a table of streams', others) end
   local device = cutorch.getDevice()
   stream = number('streamWaitFor', 'stream', stream)
   for _, other in ipairs(others) do
      call('streamWaitFor', G.th_cuda_stream_wait, device, stream, device, number('streamWaitFor', 'stream', other))
   end
end

--- Keeps the stream of this thread busy for so many cycles of the device's clock (nanoseconds on emulated devices), to test
-- synchronization.
function cutorch._sleep(cycles)
   if type(cycles) ~= 'number' then arg.refuse('cutorch._sleep', 'cycles', 'a number', cycles) end
   call('_sleep', G.th_cuda_sleep, cycles)
end

-- Every pair { device, stream } of the first list waits for every one of the second.
local function wait_pairs(who, waiting, others)
   for _, a in ipairs(waiting) do
      for _, b in ipairs(others) do
         if a[1] ~= b[1] or a[2] ~= b[2] then call(who, G.th_cuda_stream_wait, a[1], a[2], b[1], b[2]) end
      end
   end
end

-- { device = { stream, ... }, ... } as a list of pairs.
local function pairs_of(who, t)
   local list = {}
   if type(t) ~= 'table' then arg.refuse('cutorch.' .. who, 'streams', 'a table of tables', t, 3) end
   for device, streams in pairs(t) do
      if type(streams) ~= 'table' then arg.refuse('cutorch.' .. who, 'streams', 'a table of tables', streams, 3) end
      for _, s in ipairs(streams) do list[#list + 1] = { number(who, 'device', device), number(who, 'stream', s) } end
   end
   return list
end

--- The streams of the list wait for each other: later work of each starts after all earlier work of the others.
function cutorch.streamBarrier(streams)
   local list = pairs_of('streamBarrier', { [cutorch.getDevice()] = streams })
   wait_pairs('streamBarrier', list, list)
end
--- The same for streams of several devices: {[1] = {0, 1}, [2] = {0}}.
function cutorch.streamBarrierMultiDevice(streams)
   local list = pairs_of('streamBarrierMultiDevice', streams)
   wait_pairs('streamBarrierMultiDevice', list, list)
end
--- A stream of a device waits for streams of several devices.
function cutorch.streamWaitForMultiDevice(device, stream, others)
   local who = 'streamWaitForMultiDevice'
   wait_pairs(who, { { number(who, 'device', device), number(who, 'stream', stream) } }, pairs_of(who, others))
end

--- cutorch.Event(): A mark in the stream of this thread, reached when the earlier work of the stream is done.
local Event = torch.class('cutorch.Event', cutorch)
local event_t = ffi.metatype(ffi.typeof 'struct { th_cuda_event *e; }', { __gc = function(self) G.th_cuda_event_free(self.e) end })

function Event:__init()
   local out = ffi.new 'th_cuda_event *[1]'
   call('Event', G.th_cuda_event_new, out)
   self.event = event_t(out[0])
end
--- Lets the stream of this thread wait for the event.
function Event:waitOn() call('Event', G.th_cuda_event_wait, self.event.e) end
--- Waits for the event.
function Event:synchronize() call('Event', G.th_cuda_event_synchronize, self.event.e) end
--- Seconds from an earlier event to this one; waits for both.
function Event:since(earlier)
   if torch.type(earlier) ~= 'cutorch.Event' then arg.refuse('cutorch.Event', 'earlier', 'a cutorch.Event', earlier) end
   local s = ffi.new 'double[1]'
   call('Event', G.th_cuda_event_seconds, s, earlier.event.e, self.event.e)
   return s[0]
end

-- ---- random numbers ----------------------------------------------------------------------------------------------------

-- The default generator for tensors on the device: Philox, one for each device and thread.
local function generator(who, device)
   local g = G.th_cuda_generator(need.device(who, device))
   if g == nil then error(('cutorch.%s: no memory left'):format(who), 3) end
   return lib.generator_t(g)
end

--- Restarts the random numbers of the device of this thread. They are those of a torch.Generator('philox') with this
-- seed on the CPU.
-- cutorch.manualSeed(1); x = torch.CudaTensor(2):uniform(); cutorch.manualSeed(1); torch.CudaTensor(2):uniform():equal(x) --> true
function cutorch.manualSeed(seed) torch.manualSeed(generator('manualSeed'), seed) end
--- The same for all devices.
function cutorch.manualSeedAll(seed)
   for device = 1, cutorch.getDeviceCount() do torch.manualSeed(generator('manualSeedAll', device), seed) end
end
--- Gives the device of this thread a random seed, which is returned.
function cutorch.seed() return torch.seed(generator 'seed') end
--- Gives all devices one random seed, which is returned.
function cutorch.seedAll()
   local seed = torch.seed(generator 'seedAll')
   cutorch.manualSeedAll(seed)
   return seed
end
--- The last seed of the device of this thread, or of another one.
-- @example cutorch.manualSeed(7); cutorch.initialSeed()   --> 7
function cutorch.initialSeed(device) return torch.initialSeed(generator('initialSeed', device)) end
--- The state of the random numbers of the device of this thread, or of another one, as a ByteTensor for setRNGState.
function cutorch.getRNGState(device) return torch.getRNGState(generator('getRNGState', device)) end
--- Continues from a state of getRNGState.
function cutorch.setRNGState(state, device)
   local g = generator('setRNGState', device)
   if torch.isTensor(state) and state:nElement() ~= torch.getRNGState(g):nElement() then
      error('cutorch.setRNGState: the state must be one that cutorch.getRNGState gave, of a Philox generator', 2)
   end
   torch.setRNGState(g, state)
end

-- ---- other functions --------------------------------------------------------------------------------------------------

require 'cutorch.tensor'
require 'cutorch.memory' (cutorch)
require 'cutorch.graph' (cutorch)

--- cutorch.hasHalf: True, because there are CudaHalfTensors.
cutorch.hasHalf = true
--- Whether torch.pointwise makes kernels on devices. If not, its ops run one by one, and the
--- second result says why.
function cutorch.hasPointwise()
   local why = ffi.string(G.th_cuda_program_why())
   if why == '' then return true end
   return false, why
end
--- cutorch.hasHalfInstructions(), cutorch.hasFastHalfInstructions(): Whether the device of this thread has instructions for
-- halves.
function cutorch.hasHalfInstructions() return cutorch.getDeviceProperties(need.device 'hasHalfInstructions').major >= 6 end
cutorch.hasFastHalfInstructions = cutorch.hasHalfInstructions

--- cutorch.magma: True, because torch.gesv, torch.svd and the others of LAPACK take CUDA tensors. The CPU computes them, with
-- copies; MAGMA, which this meant in Torch7, is not used.
cutorch.magma = true

--- Tests the device of this thread: runs the examples of the help texts of ops with torch.Tensor making CudaDoubleTensors, and
-- those of cutorch. Prints a report.
-- @param tests  a name such as 'torch.cumsum', or a Lua pattern in it; a table of them (default: all)
-- @return 0; raises an error when an example does not have the result in its text
function cutorch.test(tests)
   if type(tests) ~= 'nil' and type(tests) ~= 'string' and type(tests) ~= 'table' then
      arg.refuse('cutorch.test', 'tests', 'a name or a table of names', tests)
   end
   return require 'cutorch.test'.all():run(tests)
end

_G.cutorch = cutorch
package.loaded.cutorch = cutorch
return cutorch
