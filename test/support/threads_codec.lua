-- test/support/threads_codec.lua - a module for threads.serialization: save and load by way of torch.serialize.
local torch = require 'torch'

return {
   save = function(object) return torch.serializeToStorage(object) end,
   load = function(storage) return torch.deserializeFromStorage(storage, nil, { unsafe = true }) end,
}
