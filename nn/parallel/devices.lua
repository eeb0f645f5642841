-- nn/parallel/devices.lua - finds the device of tensors, tables of them and modules, and moves them to another CUDA device.
local torch = require 'torch'

local devices = {}

--- The device of a tensor or of the first tensor in a nested table, from 1; 0: on the CPU, or nowhere.
function devices.of(x)
   if torch.isTensor(x) then return x._device end
   if type(x) == 'table' then
      for _, v in pairs(x) do
         local device = devices.of(v)
         if device > 0 then return device end
      end
   end
   return 0
end

--- The results of f(...), with new CUDA tensors made on a device; 0 does not change the device.
function devices.on(device, f, ...)
   if device == 0 then return f(...) end
   local arguments, n = {...}, select('#', ...)
   return require 'cutorch'.withDevice(device, function() return f(unpack(arguments, 1, n)) end)
end
local on = devices.on

--- An empty tensor of the type of x on a device.
function devices.empty(x, device) return on(device, x.new) end

--- The tensors of src (nested tables too) on a device. Tensors there, or on the CPU, are taken as they are; others are copied
-- into own[key], which holds nothing but such copies.
function devices.placed(own, key, src, device)
   if device == 0 then return src end
   local to = own[key]
   if torch.isTensor(src) then
      if src._device == 0 or src._device == device then return src end
      if not torch.isTensor(to) or to:type() ~= src:type() or to._device ~= device then
         to = devices.empty(src, device)
         own[key] = to
      end
      return to:resizeAs(src):copy(src)
   end
   if type(src) ~= 'table' then return src end
   if type(to) ~= 'table' then
      to = {}
      own[key] = to
   end
   local t = {}
   for k, v in pairs(src) do t[k] = devices.placed(to, k, v, device) end
   return t
end

-- `moved` holds storages and tables that were visited.
local function move(x, device, moved)
   if torch.isTensor(x) then
      if x._device == 0 or x._device == device then return end
      if x:nElement() == 0 then
         x:set(devices.empty(x, device))
         return
      end
      local old = x:storage()
      local key = torch.pointer(old)
      if not moved[key] then
         local flat = x.new(old)
         local there = devices.empty(x, device):resize(flat:size()):copy(flat)
         moved[key] = { there:storage(), old }                -- kept, because its address is the key
      end
      local offset, size, stride = x:storageOffset(), x:size(), x:stride()
      x:set(moved[key][1], offset, size, stride)
   elseif type(x) == 'table' and not moved[x] then
      moved[x] = true
      if torch.isTypeOf(x, 'nn.GPU') then device = x.device end
      for _, v in pairs(x) do move(v, device, moved) end
   end
end

--- Moves the CUDA tensors within x to a device, in place; those of an nn.GPU within to the device of that. Returns x.
function devices.move(x, device)
   move(x, device, {})
   return x
end

return devices
