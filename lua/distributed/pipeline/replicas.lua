-- lua/distributed/pipeline/replicas.lua - replicas of a pipeline stage, one per micro-batch. Parameters, gradients and
-- running estimates are shared; outputs, masks and indices are not, so they stay valid while the
-- next micro-batch goes forward.
local torch = require 'torch'

local M = {}

--- Estimates that continue from one forward to the next.
M.running = { 'running_mean', 'running_var' }

-- Makes the replica's tensors views of the module's, unless they already are.
local function share(to, from)
   local same = to:nElement() > 0 and from:nElement() > 0 and torch.pointer(to:storage()) == torch.pointer(from:storage())
   if not same or to:storageOffset() ~= from:storageOffset() or not to:isSameSizeAs(from) then to:set(from) end
end

local function plain(v) return type(v) ~= 'table' and type(v) ~= 'cdata' and type(v) ~= 'userdata' end

-- Copies what changed in the module since the replica was made: training mode, probabilities and
-- the like.
local function follow(copy, module)
   local mine, its = copy:listModules(), module:listModules()
   if #mine ~= #its then return false end
   for i, to in ipairs(mine) do
      local from = its[i]
      if torch.type(to) ~= torch.type(from) or to._type ~= from._type then return false end
      for k, v in pairs(from) do if plain(v) and plain(to[k]) and to[k] ~= v then to[k] = v end end
      for k, v in pairs(to) do if plain(v) and from[k] == nil then to[k] = nil end end
      for _, name in ipairs(M.running) do
         if torch.isTensor(from[name]) then share(to[name], from[name]) end
      end
   end
   local p, g = module:parameters()
   local q, h = copy:parameters()
   if #(p or {}) ~= #(q or {}) then return false end
   for i = 1, p and #p or 0 do
      share(q[i], p[i])
      share(h[i], g[i])
   end
   return true
end

--- n modules, each of which can be between forward and backward of a micro-batch: the module itself, and its replicas.
-- @param list  the result of an earlier call, or nil
function M.of(module, n, list)
   if not list or list[1] ~= module then list = { module } end
   for i = 2, math.max(n, #list) do
      if i > n then
         list[i] = nil
      elseif not list[i] or not follow(list[i], module) then
         list[i] = module:clone()
         assert(follow(list[i], module), 'a copy of the module has other parts than the module')
      end
   end
   return list
end

return M
