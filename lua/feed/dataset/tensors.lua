-- feed.tensors - slices of tensors along their first dimension as samples.
local torch = require 'torch'
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'

local Tensors = { who = 'feed.tensors' }
Tensors.__index = Tensors

--- The dataset whose sample i is x[i]; of several tensors, {x[i], y[i], ...}; of a table of tensors, a table with the same keys.
-- Tensors are on the CPU. Worker threads share the elements, without a copy; samples are copies. Batches have the types of
-- the tensors.
-- require 'feed'.tensors(torch.ones(3, 2), torch.range(1, 3)):get(2)[2] --> 2
function Tensors.new(x, ...)
   local parts, single = x, false
   if type(x) ~= 'table' then
      arg.tensor('feed.tensors', 'argument 1', x)
      parts, single = { x, ... }, select('#', ...) == 0
      for i = 2, select('#', ...) + 1 do arg.tensor('feed.tensors', 'argument ' .. i, parts[i]) end
   end
   local n
   for key, t in pairs(parts) do
      if not torch.isTensor(t) then arg.refuse('feed.tensors', 'argument ' .. tostring(key), 'a tensor', t) end
      if t:dim() == 0 or t._device ~= 0 then
         arg.refuse('feed.tensors', 'argument ' .. tostring(key), 'a tensor on the CPU with samples along its first dimension', t)
      end
      n = n or t:size(1)
      if t:size(1) ~= n then
         error(('feed.tensors: all tensors must have as many samples, got %d and %d'):format(n, t:size(1)), 2)
      end
   end
   if not n then error('feed.tensors: expected a tensor, got none', 2) end
   return setmetatable({ parts = parts, single = single, n = n }, Tensors)
end

--- The n rows of a tensor as the dataset of another reader. @param who  its name, for messages  @param print  its fingerprint
function Tensors.rows(who, t, n, print)
   return setmetatable({ parts = { t }, single = true, n = n, who = who, print = print }, Tensors)
end

function Tensors:size() return self.n end

local function each(self, f, out)
   if self.single then return f(self.parts[1], out) end
   local sample = {}
   for key, t in pairs(self.parts) do sample[key] = f(t, out and out[key]) end
   return sample
end

function Tensors:get(i)
   need.index(self.who, i, self.n)
   return each(self, function(t)
      local v = t[i]
      return torch.isTensor(v) and v:clone() or v             -- a copy, so that changes of a sample do not change the dataset
   end)
end

-- A whole batch of samples.
function Tensors:batch(numbers, out)
   need.indices(self.who, numbers, self.n)
   return each(self, function(t, again)
      if again == nil then return t:index(1, numbers) end
      return t.index(again, t, 1, numbers)
   end, out)
end

-- Computed at each call, because the tensors may be written.
function Tensors:fingerprint() return self.print or fingerprint.new('tensors', fingerprint.text(self.parts)) end

return Tensors
