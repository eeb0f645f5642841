-- test/programs/charrnn/util/model_utils.lua - one vector for all parameters, by storages and pointers; clones that share
-- parameters, through files in memory.
local model_utils = {}

-- Moves tensors into one new vector, each storage once.
local function flatten(tensors)
  local place, size = {}, 0
  for _, t in ipairs(tensors) do
    local key = torch.pointer(t:storage())
    if not place[key] then
      place[key] = size
      size = size + t:storage():size()
    end
  end
  local flat = tensors[1].new(size):zero()
  for _, t in ipairs(tensors) do
    local values = t:clone()
    t:set(flat:storage(), place[torch.pointer(t:storage())] + t:storageOffset(), t:size(), t:stride())
    t:copy(values)
  end
  return flat
end

function model_utils.combine_all_parameters(...)
  local params, grads = {}, {}
  for _, net in ipairs{...} do
    local p, g = net:parameters()
    for _, t in pairs(p or {}) do table.insert(params, t) end
    for _, t in pairs(g or {}) do table.insert(grads, t) end
  end
  return flatten(params), flatten(grads)
end

function model_utils.clone_many_times(net, T)
  local clones = {}
  local params, grads = {}, {}
  if net.parameters then
    params, grads = net:parameters()
  end
  local memory = torch.MemoryFile('w'):binary()
  memory:writeObject(net)
  for t = 1, T do
    local reader = torch.MemoryFile(memory:storage(), 'r'):binary()
    local clone = reader:readObject()
    reader:close()
    if net.parameters then
      local p, g = clone:parameters()
      for i = 1, #params do
        p[i]:set(params[i])
        g[i]:set(grads[i])
      end
    end
    clones[t] = clone
    collectgarbage()
  end
  memory:close()
  return clones
end

return model_utils
