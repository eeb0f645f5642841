-- cutorch.memory - memory of devices, and memory of the host that devices access: pinned and managed tensors.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local storage = require 'torch.storage'
local dtype = require 'torch.dtype'
local need = require 'cutorch.need'
local G = require 'cutorch.backend'.C
local C = lib.C

return function(cutorch)

--- Returns unused memory of the device of this thread to the driver, after the collector has run and all
-- work is done. Tensors, streams and random numbers stay. A reset of the device, which CUDA has too, would free the memory of
-- tensors.
function cutorch.deviceReset()
   lib.collect()
   lib.collect()
   need.call('deviceReset', G.th_cuda_trim, cutorch.getDevice())
end

--- Whether freed memory is kept for later tensors: true on GPUs, by CUDA's memory pools, false on emulated devices.
function cutorch.isCachingAllocatorEnabled() return G.th_cuda_is_emulated() == 0 end

--- Accepted for old scripts, without effect. The memory of tensors is always counted, and the
-- collector runs when much has been allocated since its last run.
function cutorch.setHeapTracking(on) need.bool('setHeapTracking', 'on', on) end

-- ---- memory of the host ------------------------------------------------------------------------------------------------

--- cutorch.CudaHostAllocator: A torch.Allocator of pinned memory of the host: torch.FloatStorage(cutorch.CudaHostAllocator,
-- 100). Copies between it and devices are fast, and may be asynchronous: see Tensor:copyAsync.

--- cutorch.CudaUVAAllocator: A torch.Allocator of managed memory, which the host and all devices access; see
-- cutorch.createFloatUVATensor.
local function allocator(name, kind)
   cutorch[name] = torch.Allocator()
   cutorch[name].kind = name
   storage.allocators[name] = function(who, d, n)
      local out = ffi.new 'th_storage *[1]'
      lib.call(who, C.th_storage_host, out, d, n, kind)
      return storage.owned(out[0])
   end
end
allocator('CudaHostAllocator', C.TH_HOST_PINNED)
allocator('CudaUVAAllocator', C.TH_HOST_MANAGED)

-- A tensor on the host of the given type and sizes, with memory of an allocator.
local function host_tensor(who, word, kind, ...)
   local sizes, n = arg.sizes(who, ...)
   local count = 1
   for d = 0, n - 1 do
      if sizes[d] < 0 then error(('%s: size %d must not be negative, got %d'):format(who, d + 1, tonumber(sizes[d])), 3) end
      count = count * tonumber(sizes[d])
   end
   if count > 2 ^ 53 then error(who .. ': too many elements', 3) end
   local list = torch.LongStorage(n)
   for d = 1, n do list[d] = tonumber(sizes[d - 1]) end
   local memory = storage.allocators[kind](who, dtype.id[word], count)
   return torch[word .. 'Tensor'](memory, 1, list)
end

for name, word in pairs { [''] = 'Float', Float = 'Float', Double = 'Double', Half = 'Half', Byte = 'Byte', Int = 'Int', Long = 'Long' } do
   local full = 'createCudaHost' .. name .. 'Tensor'
   --- A tensor of zeros on the CPU in pinned memory; floats where no type is named. Sizes are numbers, a LongStorage or a
   -- table.
   -- cutorch.createCudaHostTensor(2, 3):type() --> torch.FloatTensor
   cutorch[full] = function(...) return host_tensor('cutorch.' .. full, word, 'CudaHostAllocator', ...) end
end

--- A FloatTensor of zeros in managed memory; cutorch.toCudaUVATensor makes a view of it on a device.
-- cutorch.createFloatUVATensor(2):type() --> torch.FloatTensor
function cutorch.createFloatUVATensor(...) return host_tensor('cutorch.createFloatUVATensor', 'Float', 'CudaUVAAllocator', ...) end

-- A view of a managed tensor's memory with its sizes, on another device; 0 is the CPU.
local function twin(who, x, device)
   need.device(who)
   local out = ffi.new 'th_storage *[1]'
   if x:storage() == nil then return torch[device == 0 and 'FloatTensor' or 'CudaTensor']() end
   need.call(who, C.th_storage_twin, out, x._storage, device)
   local s = storage.owned(out[0])
   return torch[device == 0 and 'FloatTensor' or 'CudaTensor'](s, x:storageOffset(), x:size(), x:stride())
end

local function need_tensor(who, name, x)
   if not torch.isTensor(x) or x:type() ~= name then arg.refuse('cutorch.' .. who, 'tensor', 'a ' .. name, x, 3) end
end

--- A CudaTensor of the device of this thread with the memory of a tensor of
-- cutorch.createFloatUVATensor, without a copy. Each sees the writes of the other. Call
-- cutorch.synchronizeAll() before the CPU reads what a device has written. The memory can no longer
-- grow.
-- cutorch.toCudaUVATensor(cutorch.createFloatUVATensor(2)):type() --> torch.CudaTensor
function cutorch.toCudaUVATensor(x)
   need_tensor('toCudaUVATensor', 'torch.FloatTensor', x)
   return twin('toCudaUVATensor', x, cutorch.getDevice())
end

--- The reverse of cutorch.toCudaUVATensor.
-- cutorch.toFloatUVATensor(cutorch.createCudaUVATensor(2)):type() --> torch.FloatTensor
function cutorch.toFloatUVATensor(x)
   need_tensor('toFloatUVATensor', 'torch.CudaTensor', x)
   return twin('toFloatUVATensor', x, 0)
end

--- A CudaTensor of zeros in managed memory; cutorch.toFloatUVATensor makes a view of it on the CPU.
-- cutorch.createCudaUVATensor(2):type() --> torch.CudaTensor
function cutorch.createCudaUVATensor(...)
   return twin('createCudaUVATensor', host_tensor('cutorch.createCudaUVATensor', 'Float', 'CudaUVAAllocator', ...), cutorch.getDevice())
end

--- Whether a tensor, on the CPU or a device, uses managed memory.
-- cutorch.isManaged(cutorch.createFloatUVATensor(2)) --> true
function cutorch.isManaged(x)
   if not torch.isTensor(x) then arg.refuse('cutorch.isManaged', 'tensor', 'a tensor', x) end
   return x._storage ~= nil and x._storage.data ~= nil and cutorch.isManagedPtr(x._storage.data)
end

--- Whether an address, a number or the result of x:data(), is in managed memory.
-- cutorch.isManagedPtr(torch.FloatTensor(2):data()) --> false
function cutorch.isManagedPtr(p)
   local is = type(p)
   local ok, address = pcall(ffi.cast, 'const void *', is == 'number' and ffi.cast('uintptr_t', p) or p)
   if not ok or is ~= 'number' and is ~= 'cdata' then arg.refuse('cutorch.isManagedPtr', 'address', 'a pointer or a number', p) end
   return G.th_cuda_host_kind(address) == C.TH_HOST_MANAGED
end

end
