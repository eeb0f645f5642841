-- nn/parallel/shards.lua - cuts batches into the shards of several replicas, and joins them again: tensors and nested tables of them.
local torch = require 'torch'
local utils = require 'nn.utils'
local devices = require 'nn.parallel.devices'

local shards = {}

-- The fewest rows that a tensor of x has in a dimension; nil where there is none.
local function rows_of(self, what, x, dim)
   if torch.isTensor(x) then
      if x:dim() < dim or x:size(dim) == 0 then self:refuse(what, 'have rows in dimension ' .. dim, x) end
      return x:size(dim)
   end
   local least
   for _, v in pairs(type(x) == 'table' and x or {}) do
      local n = rows_of(self, what, v, dim)
      least = math.min(least or n or math.huge, n or math.huge)
   end
   return least
end

--- How many of n replicas get a shard of x, of at least one row.
function shards.count(self, what, x, dim, n)
   local rows = rows_of(self, what, x, dim)
   if not rows or rows == math.huge then self:refuse(what, 'be a tensor, or a table of tensors', x) end
   return math.min(n, rows)
end

--- Shard i of k of x: rows / k rows, and one more for the first rows % k.
function shards.cut(x, dim, k, i)
   return utils.map(x, function(t)
      local rows = t:size(dim)
      local least, more = math.floor(rows / k), rows % k
      return t:narrow(dim, (i - 1) * least + math.min(i - 1, more) + 1, least + (i <= more and 1 or 0))
   end)
end

-- The type of a CPU tensor on the device of a module of a type: floats take that type.
local function there(x, kind)
   local word = x:type():match '^torch%.(%a+)Tensor$'
   if word == 'Float' or word == 'Double' or word == 'Half' or word == 'BFloat16' then return kind end
   return 'torch.Cuda' .. word .. 'Tensor'
end

--- x (nested tables too) on the device of a replica: itself if it is there, else a copy in own[key].
-- @param kind  the type of the replica
function shards.bring(own, key, x, device, kind)
   if device == 0 then return x end
   if type(x) == 'table' and not torch.typename(x) then
      if type(own[key]) ~= 'table' then own[key] = {} end
      local t = {}
      for k, v in pairs(x) do t[k] = shards.bring(own[key], k, v, device, kind) end
      return t
   end
   if not torch.isTensor(x) or x._device == device then return x end
   local wanted = x._device == 0 and there(x, kind) or x:type()
   local to = own[key]
   if not torch.isTensor(to) or to:type() ~= wanted or to._device ~= device then
      to = devices.on(device, function() return torch.Tensor():type(wanted) end)
      own[key] = to
   end
   return to:resizeAs(x):copy(x)
end

-- Parts that are joined along a dimension must agree in all others.
local function need_alike(self, what, parts, dim)
   local first = parts[1]
   for i, part in ipairs(parts) do
      local same = torch.isTensor(part) and part:dim() == first:dim() and part:dim() >= dim and part:type() == first:type()
      for d = 1, same and part:dim() or 0 do same = same and (d == dim or part:size(d) == first:size(d)) end
      if not same then
         self:refuse(('%s of replica %d'):format(what, i),
            ('have the size %s of that of replica 1 but in dimension %d'):format(utils.shape(first), dim), part)
      end
   end
end

--- The outputs of replicas, joined along a dimension on a device: in own[key], or the part itself if there is only one.
function shards.join(self, own, key, what, parts, dim, device)
   local first = parts[1]
   if torch.isTensor(first) then
      if #parts == 1 and first._device == device then return first end
      if first:nElement() == 0 then return first end
      need_alike(self, what, parts, dim)
      local size, rows = first:size(), 0
      for _, part in ipairs(parts) do rows = rows + part:size(dim) end
      size[dim] = rows
      local to = own[key]
      if not torch.isTensor(to) or to:type() ~= first:type() or to._device ~= device then
         to = devices.empty(first, device)
         own[key] = to
      end
      to:resize(size)
      local at = 1
      for _, part in ipairs(parts) do
         to:narrow(dim, at, part:size(dim)):copy(part)
         at = at + part:size(dim)
      end
      return to
   end
   if type(first) ~= 'table' then
      for i, part in ipairs(parts) do
         if part ~= first then
            self:refuse(('%s of replica %d'):format(what, i), 'be a tensor, a table of tensors, or the same for all', tostring(part))
         end
      end
      return first
   end
   if type(own[key]) ~= 'table' then own[key] = {} end
   local t = {}
   for k in pairs(first) do
      local inner = {}
      for i, part in ipairs(parts) do
         if type(part) ~= 'table' or part[k] == nil then
            self:refuse(('%s of replica %d'):format(what, i), 'be a table like that of replica 1', part)
         end
         inner[i] = part[k]
      end
      t[k] = shards.join(self, own[key], k, what, inner, dim, device)
   end
   return t
end

--- The part of g that belongs to parts[i]; g has the shape of the parts joined along a dimension.
function shards.part(self, what, g, parts, dim, i)
   local mine = parts[i]
   if torch.isTensor(mine) then
      local rows, first = 0, 1
      for k, part in ipairs(parts) do
         if k == i then first = rows + 1 end
         rows = rows + part:size(dim)
      end
      local size = mine:size()
      size[dim] = rows
      if not torch.isTensor(g) or not g:isSize(size) then
         self:refuse(what, 'have the size of the output, ' .. table.concat(size:totable(), 'x'), g == nil and 'nothing' or g)
      end
      return g:narrow(dim, first, mine:size(dim))
   end
   if type(mine) ~= 'table' then return g end
   if type(g) ~= 'table' then self:refuse(what, 'be a table like the output', g == nil and 'nothing' or g) end
   local t = {}
   for k in pairs(mine) do
      local inner = {}
      for j, part in ipairs(parts) do inner[j] = part[k] end
      t[k] = shards.part(self, what, g[k], inner, dim, i)
   end
   return t
end

return shards
