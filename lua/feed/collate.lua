-- feed.collate - makes a batch of samples: tensors are stacked along a new first dimension, numbers become a tensor, strings
-- and booleans a list; tables are collated key by key.
local torch = require 'torch'
local arg = require 'torch.arg'

local function differ(samples, numbers, k, path)
   error(('sample %d has %s%s, sample %d %s: that makes no batch; the option collate takes a function that makes one'):format(
      numbers[k], arg.describe(samples[k]), path == '' and '' or ' at ' .. path, numbers[1], arg.describe(samples[1])), 0)
end

-- Raises an error: of two samples only one has a key.
local function differ_by(numbers, has, lacks, place)
   error(('sample %d has %s, sample %d does not: that makes no batch; the option collate takes a function that makes one'):format(
      numbers[has], place, numbers[lacks]), 0)
end

local function stacked(samples, numbers, path)
   local first, n = samples[1], #samples
   local sizes = { n }
   for d = 1, first:dim() do sizes[d + 1] = first:size(d) end
   local out = first.new(torch.LongStorage(sizes))
   for k = 1, n do
      local t = samples[k]
      if not torch.isTensor(t) or t:type() ~= first:type() or not t:isSameSizeAs(first) then differ(samples, numbers, k, path) end
      if #sizes == 1 then out[k] = t:sum() elseif out:nElement() > 0 then out[k]:copy(t) end
   end
   return out
end

local collate

local function by_key(samples, numbers, path)
   local out = {}
   local function place(key) return path .. '.' .. tostring(key) end
   for k, sample in ipairs(samples) do
      for key in pairs(sample) do if samples[1][key] == nil then differ_by(numbers, k, 1, place(key)) end end
   end
   for key in pairs(samples[1]) do
      local column = {}
      for k, sample in ipairs(samples) do
         if sample[key] == nil then differ_by(numbers, 1, k, place(key)) end
         column[k] = sample[key]
      end
      out[key] = collate(column, numbers, place(key))
   end
   return out
end

--- @param samples  a list  @param numbers  their numbers, for messages  @param path  the position in a sample
function collate(samples, numbers, path)
   local first = samples[1]
   if torch.isTensor(first) then return stacked(samples, numbers, path) end
   local kind = type(first)
   for k, v in ipairs(samples) do if type(v) ~= kind then differ(samples, numbers, k, path) end end
   if kind == 'number' then return torch.Tensor(samples) end
   if kind == 'table' and not getmetatable(first) then return by_key(samples, numbers, path) end
   return samples
end

return function(samples, numbers) return collate(samples, numbers, '') end
