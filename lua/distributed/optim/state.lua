-- lua/distributed/optim/state.lua - the state of dist.optim for dist.commit.
local torch = require 'torch'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local options = require 'distributed.optim.options'
local compress = require 'distributed.compress'
local clone = require 'torch.serialize'.clone

local M = {}

local function is_count(v) return type(v) == 'number' and v % 1 == 0 and v >= 0 and v < 2 ^ 31 end

-- Whether a state's tables are as Optim:state writes them: everything that is read later.
local function is_whole(self, state)
   local function like_x(list, n)
      if type(list) ~= 'table' or #list ~= n then return false end
      for _, t in ipairs(list) do
         if not arg.is_tensor(t) or t:type() ~= self.x:type() or t:nElement() ~= self.x:nElement() then return false end
      end
      return true
   end
   local own, had, c = state.own, state.shared, self.config
   local function is_compressor(v)
      return torch.isTypeOf(v, 'dist.Compressor') and compress.text(compress.options_of(v)) == c.compress
   end
   if not (like_x({ state.x }, 1) and is_count(state.steps) and is_count(state.dropped) and type(own) == 'table') then
      return false
   end
   for name, v in pairs(own) do
      if not (name == 'states' and like_x(v, c.states) or name == 'updates' and is_count(v)
         or name == 'compressor' and is_compressor(v) or like_x({ v }, 1)) then
         return false
      end
   end
   if had == nil then return self.scheme.alone or self.rank > 0 end
   return type(had) == 'table' and is_count(had.epoch) and like_x(had.copies, 1 + (self.elastic and 0 or c.states))
end

--- Refuses a state of another kind of trainer.
function M.need(self, state, level)
   if state == nil then return end
   for _, name in ipairs { 'scheme', 'update', 'states', 'sparse', 'compress' } do
      local had = state[name]
      if name == 'compress' and had == nil then had = 'none' end          -- of a version without this option
      if had ~= self.config[name] then
         options.fail(level + 1, 'state is of %s %s, wanted %s', name, tostring(had), tostring(self.config[name]))
      end
   end
   if state.n ~= self.x:nElement() or state.type ~= self.x:type() then
      options.fail(level + 1, 'state is of %s elements of a %s, wanted %d of a %s', tostring(state.n), tostring(state.type),
         self.x:nElement(), self.x:type())
   end
   if not is_whole(self, state) then options.fail(level + 1, 'state must be what Optim:state returned') end
end

--- The shared parameters and their state, which rank 0 saves.
function M.shared(self)
   local had, shared = { copies = {}, epoch = self.shared:epoch() }, self.shared
   for i, x in ipairs(shared.copy_of) do had.copies[i] = x.new(x:size()) end
   for s = 1, #shared.ends do
      local first, n = shared:part(s)
      shared:with(s, self:what 'state', 'look', shared:whole(s), function()
         for i, x in ipairs(n > 0 and shared.copy_of or {}) do had.copies[i]:narrow(1, first, n):copy(x:narrow(1, first, n)) end
      end)
   end
   return had
end

function M.of(self)
   local c = self.config
   local state = { scheme = c.scheme, update = c.update, states = c.states, sparse = c.sparse, compress = c.compress,
                   n = self.x:nElement(), type = self.x:type(), x = self.x:clone(), steps = self.steps, dropped = self.dropped,
                   own = clone(self.own) }
   dist.barrier()
   if not self.scheme.alone and self.rank == 0 then state.shared = self.last and clone(self.last) or M.shared(self) end
   dist.barrier()
   return state
end

return M
