-- test/attack/saves.lua - processes that are killed while they save: the file is the complete old or the complete new one.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local torch = require 'torch'
local paths = require 'paths'

local SUFFIX = { 't7', 'npy', 'npz', 'safetensors', 'pt', 'ascii.t7' }

-- Saves version after version under one name; each element of a version is the version's number.
local WRITER = [[
   local torch = require 'torch'
   local name, suffix, n = ...
   for version = 1, 1e9 do
      local x = torch.FloatTensor(tonumber(n)):fill(version)
      if suffix == 'npy' then torch.save(name, x)
      elseif suffix == 'ascii.t7' then torch.save(name, { x = x, y = x }, 'ascii')
      else torch.save(name, { x = x, y = x }) end
   end]]

local script = child.folder .. '/writer.lua'
local f = assert(io.open(script, 'w'))
f:write(WRITER)
f:close()

local function whole(x, n)
   return torch.isTensor(x) and x:nElement() == n and x:min() == x:max() and x:min() >= 1
end

child.run(function(number)
   local suffix = child.pick(SUFFIX)
   local n = child.pick { 1, 1000, 30000, suffix:find 'ascii' and 3000 or 1000000 }
   local folder = ('%s/save%d'):format(child.folder, number)
   local name = folder .. '/file.' .. suffix
   assert(paths.mkdir(folder))
   os.execute(('timeout -s KILL %.3f %s %s %s %s %d 2>%s'):format(0.05 + child.draw(350) / 1000, child.quote(child.launcher),
      child.quote(script), child.quote(name), suffix, n, child.quote(folder .. '/errors')))
   local why
   if paths.filep(name) then
      local ok, value = pcall(torch.load, name, suffix:find 'ascii' and 'ascii' or nil)
      if not ok then why = 'the file does not load: ' .. tostring(value)
      elseif suffix == 'npy' then why = not whole(value, n) and 'the tensor is no version' or nil
      elseif not whole(value.x, n) or value.x[1] ~= value.y[1] then why = 'the tensors are no version' end
   end
   local errors = assert(io.open(folder .. '/errors')):read '*a':gsub('^Killed%s*$', '')
   if errors ~= '' then why = 'the writer says: ' .. errors end
   paths.rmall(folder, 'yes')
   return why
end)
