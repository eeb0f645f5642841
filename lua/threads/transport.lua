-- lua/threads/transport.lua - how values pass through a queue, by the name of a module: 'threads.serialize' (copies),
-- 'threads.sharedserialize' (tensors, storages and tds objects are shared), or one with functions save and load.
local parcel = require 'torch.parcel'
local arg = require 'torch.arg'

local M = {}

local modes = { ['threads.serialize'] = 'copy', ['threads.sharedserialize'] = 'share' }

--- Refuses a name of no module with save and load.
function M.check(who, name)
   if type(name) ~= 'string' then arg.refuse(who, 'name', 'the name of a module', name, 3) end
   if modes[name] then return name end
   local module = require(name)
   if type(module) ~= 'table' or type(module.save) ~= 'function' or type(module.load) ~= 'function' then
      error(('%s: the module %s must have functions save and load'):format(who, name), 3)
   end
   return name
end

--- The arguments as a text for M.unpack or parcel.drop.
function M.pack(name, ...)
   if modes[name] then return parcel.send(modes[name], ...) end
   return parcel.send('share', require(name).save { n = select('#', ...), ... })
end

--- The values, their number, and the tensors among them that both sides may use.
function M.unpack(name, s)
   local values, n, owned = parcel.open(s)
   if modes[name] then return values, n, owned end
   values = require(name).load(values[1])
   return values, values.n, owned
end

return M
