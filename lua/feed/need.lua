-- feed.need - checks of arguments for the functions of feed.
local torch = require 'torch'
local arg = require 'torch.arg'

local need = {}

--- The name of a file, without a 0 byte, where C would end it.
function need.path(who, v)
   if type(v) ~= 'string' or v == '' or v:find '%z' then arg.refuse(who, 'file', 'the name of a file', v, 3) end
   return v
end

function need.callable(who, what, v, level)
   if not arg.is_callable(v) then arg.refuse(who, what, 'a function', v, (level or 2) + 1) end
   return v
end

--- A dataset: a table with size() and get(i), and optionally batch(numbers) and fingerprint().
function need.dataset(who, what, v)
   if type(v) ~= 'table' or not arg.is_callable(v.size) or not arg.is_callable(v.get) then
      arg.refuse(who, what, 'a dataset, a table with the functions size and get', v, 3)
   end
   for _, name in ipairs { 'batch', 'fingerprint' } do
      if v[name] ~= nil then need.callable(who, what .. '.' .. name, v[name], 3) end
   end
   return v
end

--- Whether a table is a list: its keys are 1..#t, without holes.
function need.is_list(t)
   local count = 0
   for k in pairs(t) do
      if type(k) ~= 'number' or k % 1 ~= 0 or k < 1 or k > #t then return false end
      count = count + 1
   end
   return count == #t
end

--- How many samples a dataset has.
function need.count(who, dataset, level)
   local n = dataset:size()
   if type(n) ~= 'number' or n % 1 ~= 0 or n < 0 or n > 2 ^ 53 then
      arg.refuse(who, 'the size of the dataset', 'a whole number from 0 on', n, (level or 2) + 1)
   end
   return n
end

--- A whole number in lo..hi.
function need.whole(who, what, v, lo, hi, level)
   if type(v) ~= 'number' or v % 1 ~= 0 or v < lo or v > hi then
      arg.refuse(who, what, ('a whole number in %.0f..%.0f'):format(lo, hi), v, (level or 2) + 1)
   end
   return v
end

--- The number of a sample among n.
function need.index(who, i, n)
   if type(i) ~= 'number' or i % 1 ~= 0 or i < 1 or i > n then
      if type(i) ~= 'number' then arg.refuse(who, 'the number of a sample', 'a number', i, 3) end
      error(('%s: samples have the numbers 1..%.0f, got %s'):format(who, n, tostring(i)), 3)
   end
   return i
end

--- The numbers of samples for a batch.
function need.indices(who, numbers, n)
   if not torch.isTensor(numbers) or numbers:type() ~= 'torch.LongTensor' or numbers:dim() ~= 1 then
      arg.refuse(who, 'the numbers of the samples', 'a torch.LongTensor of one dimension', numbers, 3)
   end
   if numbers:min() < 1 or numbers:max() > n then
      error(('%s: samples have the numbers 1..%.0f, got %.0f..%.0f'):format(who, n, numbers:min(), numbers:max()), 3)
   end
   return numbers
end

--- A table of options, whose names are in `known`: name -> a word for its type, or 'any'.
function need.options(who, options, known)
   if options == nil then return {} end
   if type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, 3) end
   for name, v in pairs(options) do
      local kind = known[name]
      if not kind then
         local names = {}
         for k in pairs(known) do names[#names + 1] = k end
         table.sort(names)
         error(('%s: there is no option %s; there are %s'):format(who, tostring(name), table.concat(names, ', ')), 3)
      end
      if kind ~= 'any' and type(v) ~= kind then arg.refuse(who, name, 'a ' .. kind, v, 3) end
   end
   return options
end

return need
