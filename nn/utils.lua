-- nn/utils.lua - helpers of several modules: nested tables of tensors, copies, clearing, shapes in messages.
local torch = require 'torch'
local construct = require 'torch.construct'
local record = require 'torch.record'
local dtype = require 'torch.dtype'
local storage = require 'torch.storage'
local devices = require 'nn.parallel.devices'
local C = require 'torch.lib'.C

--- nn.utils: Helpers for modules: nested tables of tensors, copies, clearing.
local utils = {}

--- The shape of a tensor as messages show it: "4x5", "3", "empty"; the type of anything else.
function utils.shape(x)
   if not torch.isTensor(x) then return type(x) == 'table' and not torch.typename(x) and 'a table' or torch.type(x) end
   if x:dim() == 0 then return x:nElement() == 1 and 'a number' or 'empty' end
   local sizes = {}
   for i = 1, x:dim() do sizes[i] = tostring(tonumber(x:size(i))) end
   return table.concat(sizes, 'x')
end

-- The level of the first function outside of this package, seen from the function that calls this one.
local here = debug.getinfo(1, 'S').source:match '^(.*)utils%.lua$'
local function outside()
   local level = 2
   while true do
      local info = debug.getinfo(level + 1, 'S')
      if not info then return 2 end
      local maker = info.source:find '[/@]torch/class%.lua$'                    -- it is between a constructor and its caller
      if info.what ~= 'C' and not maker and info.source:sub(1, #here) ~= here then return level end
      level = level + 1
   end
end

--- Raises an error at the line that called into the package.
function utils.fail(text) error(text, outside()) end

--- Raises "<module>: <what> must <wish>, got <shape>" at the line that called into the package.
function utils.refuse(module, what, wish, got)
   local shown, text = pcall(tostring, module)                -- fails for a module of a damaged file
   error(('%s: %s must %s, got %s'):format(shown and text or torch.type(module), what, wish,
      type(got) == 'string' and got or utils.shape(got)), outside())
end

--- Whether x is a module or a criterion: of class nn.Module or nn.Criterion, or of another class of a program that has
-- updateOutput.
-- nn.utils.worksAs(nn.Abs(), 'nn.Module') --> true
function utils.worksAs(x, class)
   if torch.isTypeOf(x, class) then return true end
   local other = class == 'nn.Module' and 'nn.Criterion' or 'nn.Module'
   if not torch.typename(x) or torch.isTensor(x) or torch.isTypeOf(x, other) then return false end
   return type(x) == 'table' and x.updateOutput ~= nil
end

--- The tensors of a nested table (or the tensor itself), each through `f`; the result has the same form.
local function map(x, f)
   if torch.isTensor(x) then return f(x) end
   if type(x) ~= 'table' then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = map(v, f) end
   return y
end
utils.map = map

-- Converts one value. `cache` maps values that were converted before, so that shared memory stays shared.
local function convert(x, kind, cache)
   if torch.isTensor(x) then
      if x:type() == kind then return x end
      local known = cache[x]
      if known then return known end
      local y = torch.Tensor():type(kind)
      local whole = x:storage()
      if whole and x:nElement() > 0 then
         local key = torch.pointer(whole)
         if not cache[key] then
            local flat = x.new()
            flat:set(whole, 1, torch.LongStorage{#whole}, torch.LongStorage{1})
            cache[key] = {flat:type(kind):storage(), whole}     -- the old one is kept, because its address is the key
         end
         y:set(cache[key][1], x:storageOffset(), x:size(), x:stride())
      end
      cache[x] = y
      return y
   elseif torch.isTypeOf(x, 'nn.Module') or torch.isTypeOf(x, 'nn.Criterion') then
      return x:type(kind, cache)
   elseif type(x) == 'table' and not torch.typename(x) then            -- objects of other classes keep their types
      if cache[x] then return x end
      cache[x] = true
      for k, v in pairs(x) do x[k] = convert(v, kind, cache) end
   end
   return x
end

--- The full name of a tensor type. Refuses names of no type, CUDA types if there are no CUDA tensors, and those if the
-- devices for parts of the module are missing. `who` is the module or criterion to convert; `part` is true for a part of one
-- that was checked already.
function utils.needTensors(who, kind, part)
   local name = construct.full_name(kind)
   if not name then utils.refuse(torch.type(who), 'type', 'be the name of a tensor type', tostring(kind)) end
   kind = name
   if not kind:find '^torch%.Cuda' then return kind end
   if not torch.getmetatable(kind) then
      utils.fail(('%s: there are no %ss here: they come with the package cutorch and a CUDA device'):format(torch.type(who), kind))
   end
   if C.th_device_count() == 0 then
      local _, why = pcall(torch.CudaTensor)                  -- the error of cutorch says why there is no device
      utils.fail(('%s: %s'):format(torch.type(who), why))
   end
   for _, module in ipairs(not part and who.listModules and who:listModules() or {}) do
      if module.needDevices then module:needDevices() end
   end
   return kind
end

--- Sets the fields of a module or criterion from a file. Names of CUDA types become types of the CPU if there are no
-- CUDA tensors, as the types of its tensors did.
function utils.restore(self, fields)
   if type(fields) ~= 'table' or torch.typename(fields) then
      error(('the fields of %s must be a table, got %s'):format(torch.type(self), utils.shape(fields)), 0)
   end
   for k, v in pairs(fields) do
      local name = type(v) == 'string' and record.cpu_name(v)
      self[k] = name and not torch.getmetatable(v) and name or v
   end
end

--- Gives a class methods of an ancestor, past those of the classes between. They are looked up at each call,
-- so that a method which a program replaces in the ancestor takes effect.
function utils.passOver(class, ancestor, names)
   for _, name in ipairs(names) do
      class[name] = function(self, input, gradOutput, scale) return ancestor[name](self, input, gradOutput, scale) end
   end
end

--- The type of index tensors that belongs to a tensor type: torch.CudaLongTensor for CUDA types.
-- nn.utils.longType 'torch.FloatTensor' --> torch.LongTensor
function utils.longType(kind) return kind and kind:find '^torch%.Cuda' and 'torch.CudaLongTensor' or 'torch.LongTensor' end

--- The tensor t, or a LongTensor of the numbers of a list, on the device of x; the element type stays.
-- nn.utils.beside({3, 1}, torch.Tensor(2)) --> {3, 1}
function utils.beside(t, x)
   t = torch.isTensor(t) and t or torch.LongTensor(t)
   if not torch.isTensor(x) then utils.refuse('nn.utils.beside', 'x', 'be a tensor', x) end
   local device = x._device
   if t._device == device then return t end
   if device == 0 then return t:host() end
   local word = t:host():type():match '^torch%.(%a+)Tensor$'
   local to = t['cuda' .. (word == 'Float' and '' or word)]
   return require 'cutorch'.withDevice(device, function() return to(t:host()) end)
end

--- Converts a tensor, module, criterion or (in place) a nested table of them to a tensor type.
-- @param cache  a table kept between calls that convert objects which share memory
function utils.recursiveType(x, kind, cache)
   return convert(x, kind, cache or {})
end

--- Makes t1 (nil, a tensor or a nested table) like t2; existing tensors are kept and resized.
-- Returns t1 and t2.
function utils.recursiveResizeAs(t1, t2)
   if torch.isTensor(t2) then
      t1 = torch.isTensor(t1) and t1 or t2.new()
      t1:resize(t2:size())
   elseif type(t2) == 'table' then
      t1 = type(t1) == 'table' and not torch.isTensor(t1) and t1 or {t1}
      for k, v in pairs(t2) do t1[k] = utils.recursiveResizeAs(t1[k], v) end
      for k in pairs(t1) do
         if t2[k] == nil then t1[k] = nil end
      end
   else
      error('nn.utils.recursiveResizeAs: expected tensors or tables of tensors, got ' .. torch.type(t2), 2)
   end
   return t1, t2
end

--- Fills every tensor of t with a number.
function utils.recursiveFill(t, value)
   return map(t, function(x) return x:fill(value) end) and t
end

--- Adds value (default 1) times the tensors of t2 to those of t1; utils.recursiveAdd(t1, t2) or (t1, value, t2).
function utils.recursiveAdd(t1, value, t2)
   if t2 == nil then value, t2 = 1, value end
   if torch.isTensor(t1) then
      t1:add(value, t2)
   else
      for k in pairs(t2) do t1[k] = utils.recursiveAdd(t1[k], value, t2[k]) end
   end
   return t1, t2
end

--- Copies t2 into t1, which takes its form; both may be nested tables.
function utils.recursiveCopy(t1, t2)
   if torch.isTensor(t2) then
      t1 = torch.isTensor(t1) and t1 or t2.new()
      t1:resize(t2:size()):copy(t2)
   elseif type(t2) == 'table' then
      t1 = type(t1) == 'table' and not torch.isTensor(t1) and t1 or {t1}
      for k, v in pairs(t2) do t1[k] = utils.recursiveCopy(t1[k], v) end
   else
      error('nn.utils.recursiveCopy: expected tensors or tables of tensors, got ' .. torch.type(t2), 2)
   end
   return t1, t2
end

--- A view of t with a dimension of size 1 at `dim` (default 1); utils.addSingletonDimension([view,] t [, dim]).
function utils.addSingletonDimension(a, b, c)
   local view, t, dim
   if torch.isTensor(b) then view, t, dim = a, b, c or 1 else view, t, dim = a.new(), a, b or 1 end
   assert(torch.isTensor(t), 'nn.utils.addSingletonDimension: expected a tensor')
   local n = t:dim()
   if dim < 1 or dim > n + 1 then
      error(('nn.utils.addSingletonDimension: dim must lie in 1..%d, got %s'):format(n + 1, dim), 2)
   end
   local size, stride = torch.LongStorage(n + 1), torch.LongStorage(n + 1)
   for i = 1, n + 1 do
      local from = i < dim and i or i - 1
      size[i] = i == dim and 1 or t:size(from)
      stride[i] = i == dim and 1 or t:stride(from)
   end
   return view:set(t:storage(), t:storageOffset(), size, stride)
end

--- A view of `input` with the given sizes in `output`; a non-contiguous input is copied first.
function utils.contiguousView(output, input, ...)
   output = output or input.new()
   if input:isContiguous() then
      output:view(input, ...)
   else
      output:resize(input:size()):copy(input)
      output:view(output, ...)
   end
   return output
end

--- Empties fields of an object: tensors lose their memory, tables their contents, other values are removed.
-- m = nn.Identity(); m:forward(torch.ones(2)); nn.utils.clear(m, 'output'); m.output:nElement() --> 0
function utils.clear(self, ...)
   local names = ...
   if type(names) ~= 'table' then names = {...} end
   for i = 1, #names do
      local x = self[names[i]]
      if torch.isTensor(x) then
         x:set()
      elseif type(x) == 'table' then
         self[names[i]] = {}
      else
         self[names[i]] = nil
      end
   end
   return self
end

-- Methods write and read that store the fields of an object unchanged, so that a copy of the fields is equivalent.
local plain = setmetatable({}, {__mode = 'k'})

--- Declares that the methods write and read of a class do not change the fields, so that clone can copy these.
-- Returns the class.
function utils.keepsFields(class)
   for _, name in ipairs{'write', 'read'} do
      if rawget(class, name) then plain[class[name]] = true end
   end
   return class
end

-- The error of copyOf for a class whose file format only its write and read know.
local OWN_FORM = {}

local function needFields(x)
   local name = torch.typename(x)
   if not name or name:find '^torch%.' then return end
   local write, read = x.write, x.read
   if (type(write) == 'function' and not plain[write]) or (type(read) == 'function' and not plain[read]) then
      error(OWN_FORM, 0)
   end
end

local function copyOf(x, seen)
   if torch.isTensor(x) then
      if seen[x] then return seen[x] end
      local y = devices.empty(x, x._device)
      local whole = x:storage()
      if whole then y:set(copyOf(whole, seen), x:storageOffset(), x:size(), x:stride()) end
      seen[x] = y
      return y
   elseif torch.isStorage(x) then
      local key = torch.pointer(x)
      if not seen[key] then
         local y = storage.new(dtype.of_storage(x.s), #x, false, x.s.device):copy(x)
         seen[key] = {y, x}                                      -- x is kept, because its address is the key
      end
      return seen[key][1]
   elseif type(x) == 'table' then
      if seen[x] then return seen[x] end
      needFields(x)
      local y = {}
      seen[x] = y
      for k, v in pairs(x) do y[copyOf(k, seen)] = copyOf(v, seen) end
      return setmetatable(y, getmetatable(x))
   end
   return x
end

--- A copy of an object with everything it reaches; shared parts stay shared. Functions are not copied. If a class
-- among them has methods write and read, the copy is made through a file in memory.
function utils.copy(object)
   local ok, copy = pcall(copyOf, object, {})
   if ok then return copy end
   if copy ~= OWN_FORM then error(copy, 0) end
   return require 'torch.serialize'.clone(object)
end

return utils
