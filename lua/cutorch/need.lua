-- cutorch.need - checks of arguments for the functions of cutorch, and calls of libthcuda in their names.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local G = require 'cutorch.backend'.C

local need = {}

--- A whole number that fits into C's int: fractions are cut off. `name` is the function's, without its package.
function need.number(who, name, v)
   local n = arg.whole_of(v)
   if not n or n < -2 ^ 31 or n >= 2 ^ 31 then arg.refuse('cutorch.' .. who, name, 'a whole number', v, 3) end
   return n
end

--- true or false.
function need.bool(who, name, v)
   if type(v) ~= 'boolean' then arg.refuse('cutorch.' .. who, name, 'true or false', v, 3) end
   return v
end

--- A device that exists, from 1; the one of this thread if the argument is nil.
function need.device(who, device)
   local count = G.th_cuda_count()
   local function refuse(text, ...) error(('cutorch.%s: ' .. text):format(who, ...), 4) end
   if count == 0 then refuse('there is no CUDA device: %s', ffi.string(G.th_cuda_why())) end
   if device == nil then return G.th_cuda_device() end
   device = arg.whole_of(device) or arg.refuse('cutorch.' .. who, 'device', 'a whole number', device, 4)
   if device < 1 or device > count then refuse('device must lie in 1..%d, got %d', count, device) end
   return device
end

--- Calls a function of libthcuda in the name of one of cutorch.
function need.call(who, f, ...) return lib.call('cutorch.' .. who, f, ...) end

return need
