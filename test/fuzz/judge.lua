-- test/fuzz/judge.lua - the checks of the fuzz targets in Lua: a result is an error for users, or a usable value.
local torch = require 'torch'

local judge = {}

-- Messages of Lua and the FFI for arguments that were not checked.
local internal = { 'attempt to ', 'bad argument #', 'cannot convert', 'out of memory', 'not enough memory', 'stack overflow',
   'bad callback', 'table index', 'wrong number of', 'lua/torch/%w+%.lua:%d+:' }

--- Raises an error if `why` is not an error that `who` may raise about a file.
function judge.refusal(who, why)
   if type(why) ~= 'string' then error('the error is ' .. tostring(why)) end
   if why:sub(1, #who + 2) ~= who .. ': ' then error('a strange error: ' .. why) end
   local ours = why:gsub('".*"', ''):gsub("'.*'", '')        -- quotes hold what is in the file
   for _, pattern in ipairs(internal) do
      if ours:find(pattern) then error('an internal error: ' .. why) end
   end
end

-- Elements of a storage that Lua reads one by one. A damaged JPEG file of some hundred bytes may hold 512 pixels for each of them,
-- and a step of Lua for each element takes as long as a reader that never ends.
local MANY = 10000

-- Reads every element.
local function touch_storage(x)
   if #x > MANY then return #tostring(torch[torch.typename(x):match '^torch%.(%w+)Storage$' .. 'Tensor'](x):sum()) end
   local sum = 0
   for i = 1, #x do sum = sum + (x[i] == 1 and 1 or 0) end
   return sum
end

--- Reads all that is in a value: every element of tensors and storages, every key.
function judge.touch(v)
   local seen, waiting, n = {}, { v }, 1
   local sum = 0
   while n > 0 do
      local x = waiting[n]
      waiting[n], n = nil, n - 1
      if torch.isTensor(x) then
         if x:nElement() < MANY then sum = sum + #tostring(x:sum()) + #tostring(x) end
         x = x:storage()
      end
      if torch.isStorage(x) then
         sum = sum + touch_storage(x)
      elseif type(x) == 'table' and not seen[x] then
         seen[x] = true
         for k, e in next, x do
            n = n + 2
            waiting[n - 1], waiting[n] = k, e
         end
      end
   end
   return sum
end

--- Reads a file as one of numbers and lines, binary and as text, and closes it.
function judge.read_numbers(f)
   f:quiet():binary()
   local sum = f:readInt() + #f:readShort(2) + #f:longSize(4):readLong(3) + #f:readString '*l'
   f:clearError():ascii()
   sum = sum + #f:readDouble(3) + f:readInt() + f:readHalf() + #f:readString '*l' + #f:readString '*a'
   f:close()
   return sum
end

return judge
