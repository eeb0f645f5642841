-- test/support/temporary.lua - temporary files of a spec, removed at its request.
local torch = require 'torch'
local temporary = {}

local made = {}

--- A name for a file with this extension.
function temporary.name(extension)
   local base = os.tmpname()
   made[#made + 1], made[#made + 2] = base, base .. extension
   return base .. extension
end

--- A file of these bytes: its name.
function temporary.put(bytes, extension)
   local name = temporary.name(extension or '.bin')
   local f = assert(io.open(name, 'wb'))
   f:write(bytes)
   f:close()
   return name
end

--- The bytes of a file.
function temporary.get(name)
   local f = assert(io.open(name, 'rb'))
   local s = f:read '*a'
   f:close()
   return s
end

--- What torch.load makes of a file of these bytes.
function temporary.load(bytes, ...) return torch.load(temporary.put(bytes), ...) end

--- The bytes that torch.save writes.
function temporary.saved(object, extension, mode)
   local name = temporary.name(extension)
   torch.save(name, object, mode)
   return temporary.get(name)
end

--- Wants torch.load to refuse these bytes with its name and a message that matches.
function temporary.refused(pattern, bytes, ...)
   local ok, why = pcall(temporary.load, bytes, ...)
   assert(not ok, 'torch.load accepted the file')
   assert(tostring(why):find '^[^\n]*torch%.load: ' and why:find(pattern),
      ('expected torch.load to refuse with "%s", got "%s"'):format(pattern, tostring(why)))
end

--- Loads damaged(seed), seed = 1..n: each time a value comes, or an error that names torch.load, and little memory is taken.
-- Calls `look(x, bytes)` for each value (optional). Returns the numbers of values and of errors.
function temporary.corrupt(n, damaged, look)
   local before, values, errors = torch.memory().peak, 0, 0
   for seed = 1, n do
      local bad = damaged(seed)
      local name = temporary.put(bad)
      local ok, x = pcall(torch.load, name)
      os.remove(name)
      if ok then
         values = values + 1
         if look then look(x, bad) end
      else
         errors = errors + 1
         assert(type(x) == 'string' and x:find 'torch%.load: ', tostring(x))
      end
   end
   assert(torch.memory().peak - before < 2 ^ 26, 'a damaged file took much memory')
   return values, errors
end

--- Removes all files made.
function temporary.remove()
   for _, name in ipairs(made) do os.remove(name) end
   made = {}
end

return temporary
