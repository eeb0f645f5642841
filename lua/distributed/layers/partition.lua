-- lua/distributed/layers/partition.lua - common functions of layers in parts on several ranks: cutting and joining
-- parts.
local torch = require 'torch'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local agree = require 'distributed.collective_check'
local cut = require 'distributed.pipeline.stages'.cut

local M = {}

--- Options of such a layer: a group, and flags by their names with defaults. Returns the group's number and the flags.
function M.options(who, options, flags, level)
   if type(options) ~= 'nil' and type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, level) end
   local values = {}
   for name, value in pairs(flags) do values[name] = value end
   for name, value in pairs(options or {}) do
      if name ~= 'group' and flags[name] == nil then
         error(('%s: there is no option %s'):format(who, tostring(name)), level)
      end
      if name ~= 'group' and type(value) ~= 'boolean' then arg.refuse(who, name, 'true or false', value, level) end
      values[name] = value
   end
   return agree.number(who, values.group, level + 1), values
end

--- Calls make() and restores the random state: for layers whose parameters are overwritten.
function M.quietly(make)
   local drawn = torch.getRNGState()
   local made = make()
   torch.setRNGState(drawn)
   return made
end

--- The whole layer of the first rank of the group, on all of them. `make` returns the layer of this
-- rank.
function M.whole(who, number, make, names)
   local layer
   local ok, why = pcall(function() layer = make() end)
   agree.well(who, number, ok, why)
   local facts, copies = { { 'the type', layer._type } }, {}
   for _, name in ipairs(names) do
      local p = layer[name]
      facts[#facts + 1] = { 'having a ' .. name, p and 1 or 0 }
      for d = 1, 2 do
         facts[#facts + 1] = { ('size %d of %s'):format(d, name), p and d <= p:dim() and tonumber(p:size(d)) or 0 }
      end
   end
   for _, name in ipairs { 'paddingValue', 'maxNorm', 'normType', 'shouldScaleGradByFreq' } do       -- of tables
      facts[#facts + 1] = { name, tonumber(layer[name]) or layer[name] and 1 or 0 }
   end
   agree.same(who, number, facts)
   for _, name in ipairs(names) do
      if layer[name] then copies[name] = dist.broadcast(layer[name]:clone(), 0, agree.options(number)) end
   end
   return layer, copies
end

--- Divides n rows or columns among the ranks of a group: how many each has, and the first one of
-- this rank.
function M.parts(who, what, n, number)
   local group = agree.group(number)
   if n < group.n then error(('%s: %d %s for %d ranks: each needs at least one'):format(who, n, what, group.n), 0) end
   local sizes, first = cut(n, group.n), 1
   for r = 1, group.at do first = first + sizes[r] end
   return sizes, first
end

--- Starts to gather the ranks' columns side by side in `to`; the function that it returns waits for
-- them and returns `to`.
function M.gather(self, to, x)
   local group, dim = agree.group(self.number), x:dim()
   local sizes, most, n = self.sizes, self.sizes[1], 0
   for _, size in ipairs(sizes) do n = n + size end
   local shape = x:size()
   shape[dim] = most
   local send = x
   if x:size(dim) < most then                       -- all send the same number
      send = x.new(shape):zero()
      send:narrow(dim, 1, x:size(dim)):copy(x)
   end
   local handle = dist.allgather(send, agree.options(self.number, true))
   return function()
      local all, first = handle:wait(), 1
      shape[dim] = n
      to:resize(shape)
      for r = 1, group.n do
         to:narrow(dim, first, sizes[r]):copy(all[r]:narrow(dim, 1, sizes[r]))
         first = first + sizes[r]
      end
      return to
   end
end

--- The parts of all ranks along dimension `dim` as one tensor, on all ranks.
function M.join(self, part, dim)
   local group, n, first = agree.group(self.number), 0, 1
   for _, size in ipairs(self.sizes) do n = n + size end
   local shape = part:size()
   shape[dim] = n
   local whole = part.new(shape)
   for r, size in ipairs(self.sizes) do
      local at = whole:narrow(dim, first, size)
      if r == group.at + 1 then at:copy(part) end
      dist.broadcast(at, r - 1, agree.options(self.number))
      first = first + size
   end
   return whole
end

--- A copy of a model in which layers in parts are whole, plain ones, and without dist.DataParallel:
-- for files, or for use without ranks. All ranks call it.
-- dist.init(); dist.collect(nn.Sequential():add(dist.ColumnLinear(3, 2))):get(1) --> nn.Linear(3 -> 2)
function dist.collect(model)
   if not torch.isTypeOf(model, 'nn.Module') then arg.refuse('dist.collect', 'model', 'a module', model) end
   local function whole(module)
      if torch.isTypeOf(module, 'dist.DataParallel') then return module.modules[1]:replace(whole) end
      return module.collect and module:collect() or module
   end
   return model:clone():replace(whole)
end

return M
