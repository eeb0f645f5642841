-- feed.concat - concatenates datasets.
local ffi = require 'ffi'
local torch = require 'torch'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local batch_memory = require 'feed.batch_memory'

local Concat = {}
Concat.__index = Concat

--- The samples of several datasets, one after the other.
-- d = require 'feed'; d.concat(d.tensors(torch.ones(2)), d.tensors(torch.zeros(3))):size() --> 5
function Concat.new(...)
   local parts, first = { ... }, { 0 }
   if select('#', ...) == 0 then error('feed.concat: expected a dataset, got none', 2) end
   for k = 1, select('#', ...) do
      need.dataset('feed.concat', 'argument ' .. k, parts[k])
      first[k + 1] = first[k] + need.count('feed.concat', parts[k])
   end
   if first[#first] > 2 ^ 53 then error(('feed.concat: %.0f samples are too many'):format(first[#first]), 2) end
   return setmetatable({ parts = parts, first = first }, Concat)
end

function Concat:size() return self.first[#self.first] end

-- The part of sample i: first[k] < i <= first[k + 1].
local function part_of(self, i)
   local lo, hi = 1, #self.parts
   while lo < hi do
      local k = math.floor((lo + hi) / 2)
      if i > self.first[k + 1] then lo = k + 1 else hi = k end
   end
   return lo
end

function Concat:get(i, random)
   need.index('feed.concat', i, self:size())
   local k = part_of(self, i)
   return self.parts[k]:get(i - self.first[k], random)
end

-- ---- batches ------------------------------------------------------------------------------------------------------------

-- The types of a batch: of a tensor its type, of a table those of its fields; nil for other values.
local function kind_of(v)
   if torch.isTensor(v) then return v:type() end
   if type(v) ~= 'table' or getmetatable(v) then return nil end
   local fields = {}
   for key, x in pairs(v) do
      local kind = kind_of(x)
      if not kind then return nil end
      fields[#fields + 1] = ('%s %s = %s'):format(type(key), tostring(key), kind)
   end
   table.sort(fields)
   return '{' .. table.concat(fields, ', ') .. '}'
end

-- The common types of all parts' batches, or false where these differ. The types of a batch must not depend on the part that
-- its samples come from. It tests the first sample of each part, once.
local function kind_of_parts(self)
   local kind
   for k, part in ipairs(self.parts) do
      if self.first[k + 1] > self.first[k] then
         if not part.batch then return false end
         local ok, made = pcall(part.batch, part, torch.LongTensor { 1 })
         if not ok and type(made) == 'string' and made:find 'interrupted$' then error(made, 0) end
         local its = ok and kind_of(made)
         if not its or kind and its ~= kind then return false end
         kind = its
      end
   end
   return kind
end

-- Joins batches of one kind to one of n samples, those of list[k] at places[k]; nil where their samples differ in size.
local function joined(list, places, n, out)
   local first = list[1]
   if not torch.isTensor(first) then
      local t = {}
      for key in pairs(first) do
         local column = {}
         for k, v in ipairs(list) do column[k] = v[key] end
         t[key] = joined(column, places, n, out and out[key])
         if t[key] == nil then return nil end
      end
      return t
   end
   local sizes = ffi.new('int64_t[16]', n)
   for d = 1, first._ndim - 1 do sizes[d] = first._size[d] end
   for _, v in ipairs(list) do
      if v._ndim ~= first._ndim then return nil end
      for d = 1, first._ndim - 1 do if v._size[d] ~= sizes[d] then return nil end end
   end
   local t = batch_memory(first._dtype, first._ndim, sizes, out)
   if t:nElement() > 0 then
      for k, v in ipairs(list) do t:indexCopy(1, places[k], v) end
   end
   return t
end

-- Where all parts make whole batches of the same types, each makes its part of the batch, and these are joined.
function Concat:batch(numbers, out)
   need.indices('feed.concat', numbers, self:size())
   if self.kind == nil then self.kind = kind_of_parts(self) end
   if not self.kind then return nil end
   local k = part_of(self, numbers:min())
   if k == part_of(self, numbers:max()) then
      local made = self.parts[k]:batch(numbers:clone():add(-self.first[k]), out)
      return kind_of(made) == self.kind and made or nil
   end
   local order, own, places = {}, {}, {}
   for at = 1, numbers:size(1) do
      local i = numbers[at]
      k = part_of(self, i)
      if not own[k] then
         order[#order + 1] = k
         own[k], places[k] = {}, {}
      end
      table.insert(own[k], i - self.first[k])
      table.insert(places[k], at)
   end
   local list, at = {}, {}
   for j, part in ipairs(order) do
      list[j], at[j] = self.parts[part]:batch(torch.LongTensor(own[part])), torch.LongTensor(places[part])
      if kind_of(list[j]) ~= self.kind then return nil end
   end
   return joined(list, at, numbers:size(1), out)
end

function Concat:fingerprint() return fingerprint.of_parts('concat', self.parts) end

return Concat
