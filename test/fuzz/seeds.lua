-- test/fuzz/seeds.lua TARGET FOLDER - writes the small good files that the fuzzer begins with.
local torch = require 'torch'
local target, folder = arg[1], arg[2]

local tensors = { x = torch.range(1, 3), y = torch.ByteTensor { { 1, 2 }, { 3, 4 } }, z = torch.tensor(2.5) }

if target == 'npy' then
   for name, t in pairs(tensors) do torch.save(('%s/%s.npy'):format(folder, name), t) end
elseif target == 'zip' then
   torch.save(folder .. '/stored.npz', tensors)
   torch.save(folder .. '/deflated.npz', tensors, 'deflate')
elseif target == 'safetensors' then
   -- The target takes the number of bytes behind the header, then the header.
   local f = assert(io.open(folder .. '/header', 'wb'))
   f:write('\5\0{"__metadata__":{"format":"pt","u":"\\u00fc\\ud83d\\ude00"},'
      .. '"a.b":{"shape":[2],"dtype":"I16","data_offsets":[1,5]},'
      .. '"t":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}')
   f:close()
end
