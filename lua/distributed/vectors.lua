-- lua/distributed/vectors.lua - the vectors of parameters and gradients of optimizers on several ranks.
local torch = require 'torch'
local arg = require 'torch.arg'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'

local M = {}

--- Refuses a model whose layers are not the same on the ranks of a group (by its number).
function M.need_whole(who, model, number, level)
   local mine = {}
   for _, rank in ipairs(agree.group(number).ranks) do mine[rank] = true end
   for _, module in ipairs(model:listModules()) do
      local ranks = type(module.number) == 'number' and module.collect and agree.group(module.number).ranks or {}
      for _, rank in ipairs(ranks) do
         if mine[rank] and rank ~= comm.world.at then
            error(('%s: rank %d holds other parts of the %s: give a group of ranks that hold the same'):format(who, rank,
               torch.type(module)), level)
         end
      end
   end
end

--- The option model as two vectors, or the options parameters and gradParameters. `empty`: they may
-- be empty; `number`: of the group whose ranks must hold the same model, default the job.
function M.of(who, o, level, empty, number)
   local x, g = o.parameters, o.gradParameters
   if o.model ~= nil then
      if not torch.isTypeOf(o.model, 'nn.Module') then arg.refuse(who, 'model', 'a module', o.model, level) end
      if x ~= nil or g ~= nil then error(who .. ': give either model, or parameters and gradParameters', level) end
      M.need_whole(who, o.model, number or 0, level)
      x, g = o.model:getParameters()
   end
   for name, t in pairs { parameters = x or false, gradParameters = g or false } do
      local none = empty and arg.is_tensor(t) and t:nElement() == 0
      if not arg.is_tensor(t) or t:dim() ~= 1 and not none or not t:isContiguous()
         or not (t:type() == 'torch.FloatTensor' or t:type() == 'torch.DoubleTensor') then
         arg.refuse(who, name, 'a contiguous vector of floats or doubles on the CPU', t or nil, level)
      end
   end
   if x:type() ~= g:type() or x:nElement() ~= g:nElement() then
      error(('%s: parameters and gradParameters must be of one type and size, got %s and %s'):format(who, arg.describe(x),
         arg.describe(g)), level)
   end
   if x:nElement() > 0 and x:storage():data() == g:storage():data() and x:storageOffset() == g:storageOffset() then
      error(who .. ': parameters and gradParameters must not be the same elements', level)
   end
   return x, g
end

--- Whether all elements are finite.
function M.finite(g)
   return g:nElement() == 0 or torch.abs(g):max() < math.huge and g:eq(g):sum() == g:nElement()
end

--- The parts of n elements for `ranks` ranks: the length of the longest, and a function that returns
-- the first element and the number of elements of a rank (from 0).
function M.shards(n, ranks)
   local most = math.ceil(n / ranks)
   return most, function(r) return r * most + 1, math.max(0, math.min(most, n - r * most)) end
end

--- x padded with zeros to n elements; x itself if it has n.
function M.padded(x, n)
   if x:nElement() == n then return x end
   local y = x.new(n):zero()
   if x:nElement() > 0 then y:narrow(1, 1, x:nElement()):copy(x) end
   return y
end

return M
