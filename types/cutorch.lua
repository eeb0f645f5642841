---@meta cutorch
-- types/cutorch.lua - written by ./dev docs from the sources; do not edit.

---@class cutorch
cutorch = {}

--- A torch.Allocator of pinned memory of the host: torch.FloatStorage(cutorch.CudaHostAllocator, 100).
---@class cutorch.CudaHostAllocator
---@overload fun(...): any
cutorch.CudaHostAllocator = {}

--- A torch.Allocator of managed memory, which the host and all devices access; see cutorch.createFloatUVATensor.
---@class cutorch.CudaUVAAllocator
---@overload fun(...): any
cutorch.CudaUVAAllocator = {}

do
--- A mark in the stream of this thread, reached when the earlier work of the stream is done.
---@class cutorch.Event
---@field event any
local Event = {}

--- Seconds from an earlier event to this one; waits for both.
---@param earlier any
---@return any
function Event:since(earlier) end

--- Waits for the event.
---@return any
function Event:synchronize() end

--- Lets the stream of this thread wait for the event.
---@return any
function Event:waitOn() end

end

--- A mark in the stream of this thread, reached when the earlier work of the stream is done.
---@class cutorch.Event.class: cutorch.Event
---@overload fun(): cutorch.Event
cutorch.Event = {}

do
--- A function that records itself and is replayed; cutorch.graph makes one.
---@class cutorch.Graph
---@field f any
---@field known any
---@field options any
---@field turn any
local Graph = {}

--- The number of graphs, of their nodes (kernels and copies), and of bytes of their memory.
---@return any # graphs, nodes, bytes
---@return any ...
function Graph:count() end

--- Frees all graphs, and their memory except for results that are still in use.
---@return any
function Graph:reset() end

--- Waits for the last replays.
---@return any
function Graph:synchronize() end

--- An error: a graph belongs to this process's device.
---@return any
function Graph:write() end

end

--- A function that records itself and is replayed; cutorch.graph makes one.
---@class cutorch.Graph.class: cutorch.Graph
---@overload fun(f: any, options?: any): cutorch.Graph
cutorch.Graph = {}

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostByteTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostDoubleTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostFloatTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostHalfTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostIntTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostLongTensor(...) end

--- A tensor of zeros on the CPU in pinned memory; floats where no type is named.
---
---     cutorch.createCudaHostTensor(2, 3):type()   --> torch.FloatTensor
---@param ... any
---@return torch.Tensor
function cutorch.createCudaHostTensor(...) end

--- A CudaTensor of zeros in managed memory; cutorch.toFloatUVATensor makes a view of it on the CPU.
---
---     cutorch.createCudaUVATensor(2):type()   --> torch.CudaTensor
---@param ... any
---@return any
---@return any ...
function cutorch.createCudaUVATensor(...) end

--- A FloatTensor of zeros in managed memory; cutorch.toCudaUVATensor makes a view of it on a device.
---
---     cutorch.createFloatUVATensor(2):type()   --> torch.FloatTensor
---@param ... any
---@return any
---@return any ...
function cutorch.createFloatUVATensor(...) end

--- Returns unused memory of the device of this thread to the driver, after the collector has run and all work is done.
---@return any
function cutorch.deviceReset() end

--- The result of cutorch.getDriverVersion().
---@type number
cutorch.driverVersion = nil

--- The cuBLAS that multiplies matrices of floats; nil and the reason where there is none, and our kernels do it.
---@return any # name, or nil and why
---@return any ...
function cutorch.getBlas() end

--- The last argument of cutorch.setBlasHandle, from 1.
---@return any
function cutorch.getBlasHandle() end

--- The device, from 1, on which this thread makes new CUDA tensors.
---@return any
---@return any ...
function cutorch.getDevice() end

--- How many CUDA devices there are; 0 without one.
---
---     cutorch.getDeviceCount() >= 0   --> true
---@return number
function cutorch.getDeviceCount() end

--- CUDA's description of a device, as a table: name, major, minor, totalGlobalMem, freeGlobalMem, multiProcessorCount and others.
---@param device any
---@return any
function cutorch.getDeviceProperties(device) end

--- The version of CUDA that the driver supports; 0 on emulated devices, or without a driver.
---@return any
---@return any ...
function cutorch.getDriverVersion() end

--- The last argument of cutorch.setKernelPeerToPeerAccess; false at first.
---
---     cutorch.getKernelPeerToPeerAccess()   --> false
---@return any
function cutorch.getKernelPeerToPeerAccess() end

--- Free and total bytes of a device, by default that of this thread.
---@param device? any
---@return any # free, total
---@return any ...
function cutorch.getMemoryUsage(device) end

--- The NCCL that sums tensors over devices for nn.DataParallelTable(dim, flat, true); nil and the reason where there is none, and devices copy from each other.
---@return any # name, or nil and why
---@return any ...
function cutorch.getNccl() end

--- The largest n of cutorch.reserveBlasHandles so far, at least 1.
---@return any
function cutorch.getNumBlasHandles() end

--- How many streams each device has, beside the default one.
---@return number
function cutorch.getNumStreams() end

--- Whether device accesses the memory of peer directly: it can, and cutorch.setPeerToPeerAccess has not turned it off.
---
---     cutorch.getPeerToPeerAccess(1, 1)   --> true
---@param device any
---@param peer? any
---@return boolean
function cutorch.getPeerToPeerAccess(device, peer) end

--- The state of the random numbers of the device of this thread, or of another one, as a ByteTensor for setRNGState.
---@param device any
---@return any
---@return any ...
function cutorch.getRNGState(device) end

--- The version of CUDA of this build, 13000 for 13.0; 0 on emulated devices.
---@return any
---@return any ...
function cutorch.getRuntimeVersion() end

--- The number of the stream that this thread uses on all devices; 0 is the default one.
---@return number
function cutorch.getStream() end

--- Whether the host waits after every kernel, and reads indices, classes and masks before it.
---
---     cutorch.getSynchronous()   --> false
---@return boolean
function cutorch.getSynchronous() end

--- Whether products of matrices of floats may use TF32, which keeps 10 bits of each factor.
---
---     cutorch.getTF32()   --> false
---@return boolean
function cutorch.getTF32() end

---@class cutorch.graph.options
---@field warm? any plain calls before a graph is recorded, at least 1 (the default), so that state of the first call exists
---@field most? number graphs to keep, one for each kind of arguments; default 8, the one used least recently is freed
---@field fallback? boolean true: calls that cannot be recorded run plainly, and the object's field `why` has the reason; default: an error
---@field late? boolean true (the default): the graph checks indices, classes and masks, and the next call that waits for the device raises the errors. false: those that the graph does not compute are checked before each ...
---@field [string] any

--- A function that does the same as f.
---
---     step = cutorch.graph(function(x) return x * 2 end); x = torch.CudaTensor{1, 2}; step(x); step(x)   --> {2, 4}
---@param f function a function
---@param options? cutorch.graph.options
---@return function
function cutorch.graph(f, options) end

--- Whether the device of this thread has instructions for halves.
---@return boolean
function cutorch.hasFastHalfInstructions() end

--- True, because there are CudaHalfTensors.
---@type boolean
cutorch.hasHalf = nil

--- Whether the device of this thread has instructions for halves.
---@return boolean
function cutorch.hasHalfInstructions() end

--- Whether torch.pointwise makes kernels on devices.
---@return boolean
function cutorch.hasPointwise() end

--- The last seed of the device of this thread, or of another one.
---
---     cutorch.manualSeed(7); cutorch.initialSeed()   --> 7
---@param device any
---@return any
---@return any ...
function cutorch.initialSeed(device) end

--- Whether freed memory is kept for later tensors: true on GPUs, by CUDA's memory pools, false on emulated devices.
---@return boolean
function cutorch.isCachingAllocatorEnabled() end

--- Whether a tensor, on the CPU or a device, uses managed memory.
---
---     cutorch.isManaged(cutorch.createFloatUVATensor(2))   --> true
---@param x any
---@return boolean
function cutorch.isManaged(x) end

--- Whether an address, a number or the result of x:data(), is in managed memory.
---
---     cutorch.isManagedPtr(torch.FloatTensor(2):data())   --> false
---@param p any
---@return boolean
function cutorch.isManagedPtr(p) end

--- True, because torch.gesv, torch.svd and the others of LAPACK take CUDA tensors.
---@type boolean
cutorch.magma = nil

--- Restarts the random numbers of the device of this thread.
---
---     cutorch.manualSeed(1); x = torch.CudaTensor(2):uniform(); cutorch.manualSeed(1); torch.CudaTensor(2):uniform():equal(x)   --> true
---@param seed any
---@return any
function cutorch.manualSeed(seed) end

--- The same for all devices.
---@param seed any
---@return any
function cutorch.manualSeedAll(seed) end

--- Accepted for old scripts: each stream has a separate handle of cuBLAS, made on first use, so numbers of handles have no effect. cutorch.getNumBlasHandles ...
---@param n any
---@return any
function cutorch.reserveBlasHandles(n) end

--- Makes streams until each device has n of them, beside the default one.
---@param n any
---@return any
function cutorch.reserveStreams(n) end

--- Gives the device of this thread a random seed, which is returned.
---@return any
---@return any ...
function cutorch.seed() end

--- Gives all devices one random seed, which is returned.
---@return any
function cutorch.seedAll() end

--- Accepted for old scripts; see cutorch.reserveBlasHandles.
---@param n any
---@return any
function cutorch.setBlasHandle(n) end

--- Sends the work of this thread to the default stream again.
---@return any
function cutorch.setDefaultStream() end

--- Makes new CUDA tensors on another device, from 1.
---@param device any
---@return any
function cutorch.setDevice(device) end

--- Accepted for old scripts, without effect.
---@param on any
---@return any
function cutorch.setHeapTracking(on) end

--- Lets an op take inputs of another device than its result's, or not (at first).
---@param on? any
---@return any
function cutorch.setKernelPeerToPeerAccess(on) end

--- Turns direct access of device to the memory of peer on or off; an error where it is impossible.
---@param device any
---@param peer any
---@param on? any
---@return any
function cutorch.setPeerToPeerAccess(device, peer, on) end

--- Continues from a state of getRNGState.
---@param state any
---@param device any
---@return any
function cutorch.setRNGState(state, device) end

--- Sends the work of this thread to another stream.
---@param stream any
---@return any
function cutorch.setStream(stream) end

--- Lets the host wait after every kernel, or not; for all devices and threads.
---@param on? any
---@return any
function cutorch.setSynchronous(on) end

--- Lets products of matrices of floats use TF32, or not; for all devices and threads.
---@param on? any
---@return any
function cutorch.setTF32(on) end

--- The streams of the list wait for each other: later work of each starts after all earlier work of the others.
---@param streams any
---@return any
function cutorch.streamBarrier(streams) end

--- The same for streams of several devices: {[1] = {0, 1}, [2] = {0}}.
---@param streams any
---@return any
function cutorch.streamBarrierMultiDevice(streams) end

--- Waits for one stream of the device of this thread.
---@param stream any
---@return any
function cutorch.streamSynchronize(stream) end

--- Later work of `stream` starts after all earlier work of the streams of the list.
---@param stream any
---@param others any
---@return any
function cutorch.streamWaitFor(stream, others) end

--- A stream of a device waits for streams of several devices.
---@param device any
---@param stream any
---@param others any
---@return any
function cutorch.streamWaitForMultiDevice(device, stream, others) end

--- Waits until the device of this thread has finished all its work.
---@return any
function cutorch.synchronize() end

--- Waits for all devices.
---@return any
function cutorch.synchronizeAll() end

--- Tests the device of this thread: runs the examples of the help texts of ops with torch.Tensor making CudaDoubleTensors, and those of cutorch.
---@param tests? string a name such as 'torch.cumsum', or a Lua pattern in it; a table of them (default: all)
---@return any # 0; raises an error when an example does not have the result in its text
function cutorch.test(tests) end

--- A CudaTensor of the device of this thread with the memory of a tensor of cutorch.createFloatUVATensor, without a copy.
---
---     cutorch.toCudaUVATensor(cutorch.createFloatUVATensor(2)):type()   --> torch.CudaTensor
---@param x any
---@return any
---@return any ...
function cutorch.toCudaUVATensor(x) end

--- The reverse of cutorch.toCudaUVATensor.
---
---     cutorch.toFloatUVATensor(cutorch.createCudaUVATensor(2)):type()   --> torch.FloatTensor
---@param x any
---@return any
---@return any ...
function cutorch.toFloatUVATensor(x) end

--- Calls f() with another device, and returns its results.
---@param device any
---@param f any
---@return any
---@return any ...
function cutorch.withDevice(device, f) end

return cutorch
