-- cutorch.tensor - the types of CUDA tensors and storages, and their additional methods.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local construct = require 'torch.construct'
local storage = require 'torch.storage'
local tensor = require 'torch.tensor'
local G = require 'cutorch.backend'.C

local function here()
   local device = G.th_cuda_device()
   if device == 0 then error('there is no CUDA device: ' .. ffi.string(G.th_cuda_why()), 0) end       -- 0: callers vary
   return device
end
construct.set_device(here)
storage.set_device(here)

local Tensor = tensor.base

--- torch.CudaTensor(...), torch.CudaDoubleTensor(...), torch.CudaHalfTensor(...), torch.CudaBFloat16Tensor(...): A tensor of
-- floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor. It has all
-- methods of tensors, and ops give the same results as on the CPU. The help of an op says if the CPU computes it, with copies.
-- All tensors of one call must be on one device.
-- torch.CudaTensor{1, 2}:cumsum() --> {1, 3}

--- torch.CudaByteTensor(...), torch.CudaCharTensor(...), torch.CudaShortTensor(...): A tensor of small whole numbers on the device of
-- this thread; see torch.CudaTensor.
-- torch.CudaByteTensor{1, 2}:sum() --> 3

--- torch.CudaIntTensor(...), torch.CudaLongTensor(...): A tensor of whole numbers on the device of this thread; see torch.CudaTensor.
-- Indices and classes are CudaLongTensors.
-- torch.CudaTensor{1, 3, 5}:index(1, torch.CudaLongTensor{3, 1}) --> {5, 1}

--- torch.CudaStorage(...), torch.CudaDoubleStorage(...), torch.CudaHalfStorage(...), torch.CudaBFloat16Storage(...): A block of floats on
-- the device of this thread: a number of them, a table of numbers, or a part of another such storage.
-- torch.CudaStorage{1, 2}:size() --> 2

--- torch.CudaByteStorage(...), torch.CudaCharStorage(...), torch.CudaShortStorage(...): A block of small whole numbers on the device of
-- this thread; see torch.CudaStorage.
-- torch.CudaByteStorage{1, 2}:size() --> 2

--- torch.CudaIntStorage(...), torch.CudaLongStorage(...): A block of whole numbers on the device of this thread; see torch.CudaStorage.
-- torch.CudaLongStorage{1, 2}:size() --> 2
for d, name in ipairs(dtype.names) do
   local ty = d + dtype.CUDA
   storage.add_type(torch, ty)
   tensor.add_type(torch, ty)
   -- Without a device, files with CUDA tensors are loaded as tensors of the CPU.
   if G.th_cuda_count() > 0 then require 'torch.serialize'.install_type(torch, ty) end
   local method = name == 'Float' and 'cuda' or 'cuda' .. name
   --- x in a type of the device of this thread, cuda() in floats. x itself if it has that type
   -- already, on whatever device, else a copy.
   -- torch.Tensor{1.5}:cudaInt() --> {1}
   Tensor[method] = function(self)
      arg.tensor(method, 'argument 1', self)
      here()
      return tensor.convert(self, ty)
   end
end

--- The device that x is on, from 1; 0 on the CPU, and for a tensor that has no memory.
-- torch.Tensor(2):getDevice() --> 0
function Tensor:getDevice()
   return arg.tensor('getDevice', 'argument 1', self)._storage ~= nil and self._device or 0
end

--- Storage:getDevice(): The device that a storage is on, from 1; 0 on the CPU.
-- torch.FloatStorage(2):getDevice() --> 0
function storage.base:getDevice()
   if not arg.is_storage(self) then arg.refuse('getDevice', 'argument 1', 'a storage', self) end
   return self.s.device
end

--- Copies as copy does, but where memory of the host is pinned (cutorch.createCudaHostTensor) it returns
-- before the copy is done. The stream of this thread on the CUDA tensor's device copies after its earlier work.
-- Do not use the host's tensor until cutorch.synchronizeAll(), or with that device cutorch.synchronize(),
-- cutorch.streamSynchronize or an event, shows that the copy is done. A tensor of
-- another type, or one that is not contiguous, is copied as copy does. Returns x.
-- x = torch.CudaTensor(2); x:copyAsync(cutorch.createCudaHostTensor(2):fill(3)) --> {3, 3}
function Tensor:copyAsync(y)
   lib.call(nil, G.th_cuda_copy_async, arg.tensor('copyAsync', 'argument 1', self), arg.tensor('copyAsync', 'source', y))
   return self
end
