-- nn/support/rollback.lua - restores gradInput after a backward pass that failed.
--
-- Most layers change gradInput step by step, and a gradOutput that does not fit fails somewhere in between. The contents of
-- gradInput are therefore copied before a pass that may fail. Almost no pass may fail: if gradOutput has the shapes and types
-- of the output, and the input those of the last forward, then the forward pass for these arguments succeeded.
local torch = require 'torch'

local rollback = {}

local BASE, PRIME = 2 ^ 32, 1000003

local function mixed(h, n) return (h * PRIME + n) % BASE end

-- One number for the type and sizes of a tensor. A loop over the usual dimensions would not be compiled.
local function form_of_tensor(x)
   local n, size = x._ndim, x._size
   local h = (x._device * 64 + x._dtype) * 64 + n
   if n > 0 then h = mixed(h, tonumber(size[0])) end
   if n > 1 then h = mixed(h, tonumber(size[1])) end
   if n > 2 then h = mixed(h, tonumber(size[2])) end
   if n > 3 then h = mixed(h, tonumber(size[3])) end
   for d = 4, n - 1 do h = mixed(h, tonumber(size[d])) end
   return h
end

-- One number for the types and sizes of a nested list of tensors; nil for other arguments of a layer.
local function form(x)
   if torch.isTensor(x) then return form_of_tensor(x) end
   if type(x) == 'number' then return 1 end
   if type(x) ~= 'table' or #x == 0 then return nil end
   local h = #x
   for i = 1, #x do
      local part = form(x[i])
      if not part then return nil end
      h = mixed(h, part)
   end
   return h
end

local inputs = setmetatable({}, {__mode = 'k'})          -- module -> the form of the input of its last forward

--- Records that self:updateOutput(input) has succeeded.
function rollback.note(self, input) inputs[self] = form(input) end

--- The methods updateOutput that call note. Without one of them, as in a class of a program, nothing is known of the forward
-- pass.
rollback.noting = setmetatable({}, {__mode = 'k'})

-- Whether a forward pass for these arguments has succeeded.
local function proven(self, input, gradOutput)
   if self.readsValues then return false end
   local form_of_input = inputs[self]
   if not form_of_input or form_of_input ~= form(input) then return false end
   local form_of_output = form(self.output)
   return form_of_output ~= nil and form_of_output == form(gradOutput)
end

-- All elements in memory between the first and the last of a tensor, as a vector, so that copies work for all strides.
local function span(t)
   local n = 1
   for d = 1, t:dim() do n = n + (t:size(d) - 1) * t:stride(d) end
   return t.new():set(t:storage(), t:storageOffset(), torch.LongStorage{n}, torch.LongStorage{1})
end

local function kept(x)
   if torch.isTensor(x) then
      return {tensor = x, view = x.new():set(x), content = x:nElement() > 0 and span(x):clone() or nil}
   end
   if type(x) ~= 'table' or torch.typename(x) then return {value = x} end
   local list = {}
   for k, v in pairs(x) do list[k] = kept(v) end
   return {table = x, list = list}
end

local function restored(old)
   local x = old.tensor
   if x then
      if not x:isSetTo(old.view) then x:set(old.view) end
      if old.content then span(x):copy(old.content) end
      return x
   end
   x = old.table
   if not x then return old.value end
   for k in pairs(x) do
      if old.list[k] == nil then x[k] = nil end
   end
   for k, v in pairs(old.list) do x[k] = restored(v) end
   return x
end

--- A copy of self.gradInput before a backward pass, for restore; nil where none is needed.
function rollback.keep(self, input, gradOutput)
   if proven(self, input, gradOutput) or not rollback.noting[self.updateOutput] then return nil end
   local ok, old = pcall(kept, self.gradInput)            -- without memory for a copy, the pass is tried nevertheless
   return ok and old or nil
end

--- Restores self.gradInput from the result of keep.
function rollback.restore(self, old) self.gradInput = restored(old) end

return rollback
