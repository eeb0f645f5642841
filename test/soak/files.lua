-- test/soak/files.lua - opens files of every kind. Some are closed, some are left to the collector.
local torch = require 'torch'
local paths = require 'paths'
local image = require 'image'

local optional = {}
for _, name in ipairs { 'hdf5' } do
   local ok, package = pcall(require, name)
   optional[name] = ok and package or nil
end

local function pictures(soak)
   local x = torch.ByteTensor(3, 20, 30 + soak.round % 9):random(0, 255)
   for _, suffix in ipairs { 'ppm', 'png', 'jpg' } do
      local name = soak:file('picture.' .. suffix)
      local saved, why = pcall(image.save, name, x)
      if saved then
         assert(image.load(name, 3, 'byte'):size(3) == x:size(3))
         os.remove(name)
      elseif not why:find 'not installed' then
         error(why, 0)
      end
   end
end

local function sets(soak)
   local hdf5 = optional.hdf5
   if not hdf5 or soak.round % 5 ~= 1 then return end
   local name, x = soak:file 'data.h5', torch.rand(10, 4)
   local ok, f = pcall(hdf5.open, name, 'w')
   if not ok then return assert(tostring(f):find 'not installed', f) end
   f:write('/x', x)
   f:close()
   f = hdf5.open(name, 'r')
   assert(torch.equal(f:read '/x':all(), x))
   f:close()
   os.remove(name)
end

return function(soak)
   for k = 1, 20 do
      local name = soak:file('numbers' .. k)
      local f = torch.DiskFile(name, 'w'):binary()
      f:writeDouble(torch.DoubleStorage { k, k + 1 })
      f:close()
      f = torch.DiskFile(name, 'r'):binary()
      assert(f:readDouble() == k)
      if k % 2 == 0 then f:close() end                            -- else the collector closes it
      local s = torch.DoubleStorage(name, k % 3 == 0)
      assert(#s == 2 and s[2] == k + 1)
      local m = torch.MemoryFile()
      m:writeObject { k, torch.rand(k) }
      m:seek(1)
      assert(m:readObject()[1] == k)
   end
   local pipe = torch.PipeFile('echo 17', 'r')
   assert(pipe:readInt() == 17)
   if soak.round % 2 == 0 then pipe:close() end
   pictures(soak)
   sets(soak)
   collectgarbage()
   collectgarbage()
   for name in paths.iterfiles(soak.scratch) do os.remove(soak:file(name)) end
end
