-- lua/threads/serialize.lua - threads.serialize: objects as storages of characters, with copies of their tensors.
local torch = require 'torch'

local M = {}

-- save(object): The object, functions included, as a torch.CharStorage.
function M.save(object) return torch.serializeToStorage(object) end

-- load(storage): The object.
function M.load(storage) return torch.deserializeFromStorage(storage, nil, { unsafe = true }) end

return M
