-- torch.keys - the order of a table's keys. Tables of files from Python keep the order of the file.
local arg = require 'torch.arg'

local keys = {}

--- What is known of a table that came from a file of Python: {kind = 'dict', 'list', 'tuple', 'set' or 'object', n = elements,
-- order = the keys of a dict, in the order of the file}. A table that is collected takes its entry along.
keys.about = setmetatable({}, { __mode = 'k' })

local rank = { number = 1, boolean = 2, string = 3 }

-- The text with its numbers in ten digits, so that 'layer.10' follows 'layer.9'.
local function padded(s) return (s:gsub('%d+', function(d) return ('0'):rep(10 - #d) .. d end)) end

--- Whether key a comes before key b: numbers, then booleans, then strings, in which numbers count as numbers.
function keys.before(a, b)
   local x, y = rank[type(a)] or 4, rank[type(b)] or 4
   if x ~= y then return x < y end
   if x == 1 then return a < b end
   if x ~= 3 then return tostring(a) < tostring(b) end
   local p, q = padded(a), padded(b)
   if p ~= q then return p < q end
   return a < b
end

--- The keys of a table: those that the file listed and that are still in the table, then the others, sorted.
function keys.of(t)
   local list, done = {}, {}
   local its = keys.about[t]
   for _, k in ipairs(its and its.order or {}) do
      if t[k] ~= nil and not done[k] then list[#list + 1], done[k] = k, true end
   end
   local first = #list
   local rest = {}
   for k in next, t do
      if not done[k] then rest[#rest + 1] = k end
   end
   table.sort(rest, keys.before)
   for i, k in ipairs(rest) do list[first + i] = k end
   return list
end

--- The keys of a table in a list. A table that torch.load has read from a file of PyTorch keeps the order of that file. Other keys
-- follow sorted; numbers in strings count as numbers, so 'layer.10' follows 'layer.9'.
-- torch.keys { ['layer.10'] = 1, ['layer.9'] = 2 } --> {layer.9, layer.10}
function keys.keys(t)
   if type(t) ~= 'table' then arg.refuse('torch.keys', 'table', 'a table', t) end
   return keys.of(t)
end

return keys
