-- test/cuda/pointwise_text_spec.lua - NVRTC compiles the texts of torch.pointwise, which needs no
-- device.
-- runs once: the device does not depend on the level
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'torch.lib'.C
local pointwise = require 'test.support.pointwise'
local program = require 'torch.program'
local device = require 'test.support.cuda.device'

if device.missing('the text of a program', describe, pending) then return end
local backend = require 'cutorch.backend'.C

local function nvrtc()
   ffi.cdef [[
      int nvrtcCreateProgram(void **p, const char *text, const char *name, int headers,
         const char *const *contents, const char *const *names);
      int nvrtcCompileProgram(void *p, int n, const char *const *options);
      int nvrtcGetProgramLogSize(void *p, size_t *bytes);
      int nvrtcGetProgramLog(void *p, char *to);
      int nvrtcGetCUBINSize(void *p, size_t *bytes);
      int nvrtcDestroyProgram(void **p);
   ]]
   local given = require 'torch.environment'.get 'TH_NVRTC'
   local names = given and { given } or { 'libnvrtc.so.13', 'libnvrtc.so.12' }
   for i = 1, given and 0 or 2 do names[#names + 1] = '/usr/local/cuda/lib64/' .. names[i] end
   for _, name in ipairs(names) do
      local ok, found = pcall(ffi.load, name)
      if ok then return found end
   end
end

-- What NVRTC says of a text, and the bytes of the code.
local function compile(rtc, text, arch)
   local p, bytes = ffi.new 'void *[1]', ffi.new 'size_t[1]'
   local wanted = '--gpu-architecture=' .. arch
   local options = ffi.new('const char *[2]', { wanted, '--std=c++17' })
   assert(rtc.nvrtcCreateProgram(p, text, 'pointwise', 0, nil, nil) == 0)
   local status = rtc.nvrtcCompileProgram(p[0], 2, options)
   rtc.nvrtcGetProgramLogSize(p[0], bytes)
   local log = ffi.new('char[?]', bytes[0] + 1)
   rtc.nvrtcGetProgramLog(p[0], log)
   if status == 0 then rtc.nvrtcGetCUBINSize(p[0], bytes) else bytes[0] = 0 end
   rtc.nvrtcDestroyProgram(p)
   return ffi.string(log), tonumber(bytes[0])
end

describe('the text of a program', function()
   local rtc = nvrtc()
   local halves = { Half = C.TH_F16, BFloat16 = C.TH_BF16 }
   local all = { Byte = C.TH_U8, Long = C.TH_I64, Half = C.TH_F16, BFloat16 = C.TH_BF16,
      Float = C.TH_F32, Double = C.TH_F64 }
   for arch, dtypes in pairs { sm_75 = halves, sm_90 = all } do
      it('is compiled by NVRTC for ' .. arch .. ' without a warning', function()
         if not rtc then return pending 'there is no NVRTC here' end
         for kind, dtype in pairs(dtypes) do
            for _, group in ipairs(pointwise.groups(dtype, 4)) do
               local x = torch.range(1, 5):type(('torch.%sTensor'):format(kind))
               local p = program.new(group.f)
               p.call(x, x, x)
               local _, plan = next(p.plans)
               local log, bytes = compile(rtc,
                  ffi.string(backend.th_cuda_program_text(plan.stages[1].program)), arch)
               assert(bytes > 0 and not log:find '%S', kind .. ', ' .. group.names .. ': ' .. log)
            end
         end
      end)
   end
end)
