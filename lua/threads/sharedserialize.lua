-- lua/threads/sharedserialize.lua - threads.sharedserialize: objects whose tensors, storages and tds objects all threads of a
-- process share.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local parcel = require 'torch.parcel'
local sync = require 'threads.sync'
local C = lib.C

local M = {}

local PREFIX = 'threads.sharedserialize '

-- save(object): A torch.CharStorage that refers to the object. One call of load, in any thread of this
-- process, returns the object.
function M.save(object)
   local text = parcel.send('share', object)
   local queue = sync.make(C.TH_SYNC_QUEUE)
   if C.th_sync_put(queue, 0, 0, text, #text, 0, 0) ~= C.TH_SYNC_DONE then
      C.th_sync_release(queue)
      parcel.drop(text)
      error('threads.sharedserialize.save: no memory left', 2)
   end
   return torch.CharStorage():string(PREFIX .. ('%.0f'):format(C.th_sync_id(queue)))
end

-- load(storage): The object.
function M.load(storage)
   if not arg.is_storage(storage) or storage:type() ~= 'torch.CharStorage' then
      arg.refuse('threads.sharedserialize.load', 'storage', 'a torch.CharStorage', storage)
   end
   local id = tonumber(storage:string():match('^' .. PREFIX .. '(%d+)$'))
   if not id then error('threads.sharedserialize.load: the storage does not come from save', 2) end
   local found, queue = pcall(sync.find, 'threads.sharedserialize.load', C.TH_SYNC_QUEUE, id)
   local message = found and C.th_sync_take(queue, 0, 0)
   if not message or message == nil then error('threads.sharedserialize.load: the object has been loaded already', 2) end
   local text = ffi.string(message.bytes, message.size)
   C.th_sync_free(message)
   C.th_sync_release(queue)                                   -- the reference that save took
   return (parcel.unpack(text))
end

return M
