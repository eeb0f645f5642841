-- cutorch.test - the tests of cutorch.test and cunn.test: examples of help texts with tensors on the device of this thread.
local torch = require 'torch'
local doc = require 'torch.doc'
local op = require 'torch.op'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local need = require 'cutorch.need'
local C = lib.C

local DOUBLE = dtype.id.Double

-- Whether the op has a kernel for doubles on devices; otherwise the CPU computes it.
local function on_device(name)
   for _, form in ipairs(op.forms(name)) do if C.th_op_supports(form.op, C.TH_CUDA, DOUBLE) == 0 then return false end end
   return true
end

-- The code with CUDA types instead of those of the CPU.
local function moved(code)
   return (code:gsub('torch%.(%u%w+)Tensor%f[%W]', function(word)
      return dtype.id[word] and 'torch.' .. dtype.words[dtype.id[word] + dtype.CUDA] .. 'Tensor'
   end))
end

-- Runs it with torch.Tensor making doubles on the device.
local function run(code)
   local before = torch.getdefaulttensortype()
   torch.setdefaulttensortype 'torch.CudaDoubleTensor'
   local ok, got, why = pcall(doc.run, code)
   torch.setdefaulttensortype(before)
   return ok and got or nil, ok and why or got
end

local M = {}

--- Adds the examples of a name to a tester: with `there`, on the device of this thread.
function M.add(tester, key, there)
   local entry = doc.entry(key)
   if not entry or #entry.examples == 0 then return end
   tester:add(function()
      for _, e in ipairs(entry.examples) do
         if not e.result:find 'Tensor' and not (there and e.code:find 'manualSeed') then      -- the CPU's generator differs
            local got, why
            if there then got, why = run(moved(e.code)) else got, why = doc.run(e.code) end
            tester:assert(got == e.result, ('%s gives %s, not %s'):format(e.code, tostring(got or why), e.result))
         end
      end
   end, key)
end

--- Adds the examples of all ops that CUDA tensors have, and those of cutorch itself.
function M.all()
   need.device 'test'
   local tester = torch.Tester()
   for _, name in ipairs(op.names()) do if on_device(name) then M.add(tester, 'torch.' .. name, true) end end
   for _, key in ipairs(doc.names()) do if key:find '^cutorch%.' then M.add(tester, key) end end
   return tester
end

return M
