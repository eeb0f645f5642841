-- cutorch.backend - libthcuda, declared from its header: the one for GPUs, or with TH_CUDA=emu the emulated device.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local environment = require 'torch.environment'

local header = lib.include .. '/thcuda.h'
local f = io.open(header)
if not f then error('cutorch: cannot find ' .. header, 0) end
local text = assert(f:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'thcuda.h has lost its FFI part')
if not pcall(ffi.typeof, 'th_cuda_properties') then ffi.cdef(text) end          -- an earlier require may have failed after this
f:close()

local wanted = environment.get 'TH_CUDA'
if wanted and wanted ~= '' and wanted ~= 'emu' and wanted ~= 'gpu' then
   error(("cutorch: TH_CUDA must be 'emu' or 'gpu', got '%s'"):format(wanted), 0)
end
local name = wanted == 'emu' and 'libthcuda-emu.so' or 'libthcuda.so'
local path = lib.path:gsub('[^/]*$', '') .. name

local function load()
   local file = io.open(path)
   if not file then
      error(('cutorch: there is no %s: %s'):format(path, wanted == 'emu' and 'this build has no emulated device (it needs a C++ compiler)'
         or 'this build has no CUDA backend. TH_CUDA=emu takes an emulated device, for tests'), 0)
   end
   file:close()
   return ffi.load(path)
end

local C = load()
lib.call('cutorch', C.th_cuda_load)
C.th_cuda_program_folder(require('torch.cache').folder())
return { C = C, path = path }
