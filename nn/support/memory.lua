-- nn/support/memory.lua - saves memory in models that only compute outputs, and writes small files.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

-- Containers that use the outputs of their modules only as inputs of other modules or as results. In other containers the
-- results of all modules live as long as the call.
local FEEDS = {['nn.Sequential'] = true, ['nn.gModule'] = true}

-- f(storage's address, tensor) for each tensor with memory in a nested table.
local function each(x, f, seen)
   if torch.isTensor(x) then
      local storage = x:storage()
      if storage and #storage > 0 then f(torch.pointer(storage), x) end
   elseif type(x) == 'table' and not torch.isTypeOf(x, 'nn.Module') then
      seen = seen or {}
      if seen[x] then return end
      seen[x] = true
      for _, v in pairs(x) do each(v, f, seen) end
   end
end

-- A new empty tensor or table that replaces one; other code may hold the old one.
local function empty(x)
   if torch.isTensor(x) then return x.new() end
   return type(x) == 'table' and {} or x
end

local function bytes_of(storage) return #storage * storage:elementSize() end

-- Memory that outputs and gradInputs of modules hold, shared memory once.
local function held(modules)
   local seen, bytes = {}, 0
   for _, m in ipairs(modules) do
      each({m.output, m.gradInput}, function(key, t)
         if not seen[key] then
            seen[key] = true
            bytes = bytes + bytes_of(t:storage())
         end
      end)
   end
   return bytes
end

-- Memory that must not be reused: the input, parameters, buffers and everything else that modules hold.
local function foreign(modules, input)
   local keys = {}
   local function note(key) keys[key] = true end
   each(input, note)
   for _, m in ipairs(modules) do
      for name, value in pairs(m) do
         -- the nodes of a graph hold the outputs that pass from one to the next
         if name ~= 'output' and name ~= 'gradInput' and not FEEDS[torch.typename(m)] then each(value, note) end
      end
   end
   return keys
end

-- Runs the model once and records a list of outputs { tensor, first, last }, the ticks between which each is needed.
local function watch(model, modules, input)
   local kept, alive = foreign(modules, input), {}
   local outputs, tick, stack, own = {}, 0, {}, {}
   local function until_(x, last)
      each(x, function(key)
         local o = alive[key]
         if o then o.last = math.max(o.last, last) end
      end)
   end
   for _, m in ipairs(modules) do
      own[m] = rawget(m, 'updateOutput')
      local update = m.updateOutput
      m.updateOutput = function(self, x)
         tick = tick + 1
         local call = {first = tick, read = {}, feeds = FEEDS[torch.typename(self)]}
         if not call.feeds then each(x, function(_, t) call.read[#call.read + 1] = t end) end
         stack[#stack + 1] = call
         local y = update(self, x)
         stack[#stack] = nil
         tick = tick + 1
         if torch.isTensor(y) and rawequal(y, self.output) then
            each(y, function(key)
               if kept[key] or alive[key] then return end
               local storage = y:storage()                      -- held, because its address is the key
               alive[key] = {tensor = y, first = call.first, last = tick, storage = storage}
               outputs[#outputs + 1] = alive[key]
            end)
         end
         each(y, function(key) if not alive[key] then kept[key] = true end end)
         until_(call.read, tick)
         until_(y, tick)
         until_(call.results, tick)
         local around = stack[#stack]
         if around and not around.feeds then
            around.results = around.results or {}
            around.results[#around.results + 1] = y
         end
         return y
      end
   end
   local ok, y = pcall(model.forward, model, input)
   for _, m in ipairs(modules) do m.updateOutput = own[m] end
   if not ok then error(y, 0) end
   until_(y, math.huge)
   return outputs
end

-- Assigns each output a part of a storage, with as few storages as possible. Outputs needed at the same time do not overlap.
local function place(outputs)
   table.sort(outputs, function(a, b) return a.first < b.first end)
   local slots = {}
   for _, o in ipairs(outputs) do
      local kind, n, best = o.tensor:type(), #o.storage, nil
      for _, slot in ipairs(slots) do
         if slot.kind == kind and slot.free < o.first then
            -- the smallest that is large enough, else the largest
            local better = not best or (slot.size >= n and (best.size < n or slot.size < best.size))
               or (slot.size < n and best.size < n and slot.size > best.size)
            if better then best = slot end
         end
      end
      if not best then
         best = {kind = kind, size = 0}
         slots[#slots + 1] = best
      end
      best.size, best.free = math.max(best.size, n), o.last
      best[#best + 1] = o
   end
   return slots
end

-- Moves the tensor into another storage; it keeps its size.
local function move(tensor, storage) tensor:set(storage, 1, tensor:size()) end

local function copied(y) return utils.map(y, function(t) return t:clone() end) end

local function same(a, b)
   if torch.isTensor(a) then
      if not torch.isTensor(b) or not a:isSameSizeAs(b) then return false end
      return a:nElement() == 0 or torch.eq(a, b):all() or a:ne(a):equal(b:ne(b)) and a:clone():maskedFill(a:ne(a), 0):equal(
         b:clone():maskedFill(b:ne(b), 0))
   end
   if type(a) ~= 'table' then return a == b or a ~= a end
   for k, v in pairs(a) do
      if not same(v, b[k]) then return false end
   end
   return true
end

local function refuse(text, ...) utils.fail(('nn.optimizeMemory: ' .. text):format(...)) end

--- Lets layers share the memory of their outputs, for a model that is done with training. An output
-- whose last reader has run makes room for a later one. Results are the same bits, which is checked
-- with `input`; gradInput is emptied. Call model:evaluate() first. The sharing holds for inputs of
-- any size, in copies and in files. backward is an error until model:training() or
-- model:clearState() ends the sharing. Outputs of layers inside (model:get(3).output) are
-- overwritten.
-- @param model  a module; its Sequentials and gModules share most, inside other containers results live as long as the call
-- @param input  an example of the inputs, best of the largest size
-- @return       bytes saved, bytes that outputs and gradInputs held before (of a model that has run with this input), and after
-- m = nn.Sequential():add(nn.Abs()):add(nn.Exp()):add(nn.Tanh()):evaluate(); (nn.optimizeMemory(m, torch.ones(5))) --> 40
function nn.optimizeMemory(model, input)
   if not torch.isTypeOf(model, 'nn.Module') then refuse('model must be a module, got %s', torch.type(model)) end
   local modules = model:listModules()
   for _, m in ipairs(modules) do
      if m.train then refuse('%s is in training mode; call model:evaluate() first', torch.typename(m)) end
   end
   for _, m in ipairs(modules) do m:ownMemory() end
   local drawn = torch.getRNGState()                 -- layers with random numbers draw the same ones in each run
   local want = copied(model:forward(input))
   local before = held(modules)
   torch.setRNGState(drawn)
   local outputs = watch(model, modules, input)
   for _, slot in ipairs(place(outputs)) do
      if #slot > 1 then
         local storage = torch[slot.kind:match '(%w+)Tensor$' .. 'Storage'](slot.size)
         for _, o in ipairs(slot) do move(o.tensor, storage) end
      end
   end
   for _, m in ipairs(modules) do
      m.gradInput = empty(m.gradInput)
      m.sharesMemory = true
   end
   torch.setRNGState(drawn)
   local ok, y = pcall(model.forward, model, input)
   if not ok or not same(want, y) then
      for _, m in ipairs(modules) do m:ownMemory() end
      refuse('a layer of this model reads outputs after others have overwritten them; the model is left as it was')
   end
   local after = held(modules)
   return before - after, before, after
end

-- A copy of tables and of the heads of tensors; the elements of tensors are not copied.
local function light(x, seen)
   if torch.isTensor(x) then
      if not seen[x] then
         seen[x] = x.new()
         local storage = x:storage()
         if storage then seen[x]:set(storage, x:storageOffset(), x:size(), x:stride()) end
      end
      return seen[x]
   elseif type(x) == 'table' then
      if seen[x] then return seen[x] end
      local y = {}
      seen[x] = y
      for k, v in pairs(x) do y[light(k, seen)] = light(v, seen) end
      return setmetatable(y, getmetatable(x))
   end
   return x
end

-- Clears the modules in nested tables.
local function clear(x, seen)
   if type(x) ~= 'table' or seen[x] then return end
   seen[x] = true
   if torch.isTypeOf(x, 'nn.Module') then
      x:clearState()
   else
      for _, v in pairs(x) do clear(v, seen) end
   end
end

--- torch.save for checkpoints. `object` is a model, or a table with models and other values.
-- Modules are written without outputs, gradInputs and buffers, as after clearState. The models in
-- memory do not change. torch.save writes everything, as in Torch7. torch.load reads both.
-- @param mode  as for torch.save: 'binary' (default) or 'ascii'
-- f = os.tmpname(); nn.save(f, {model = nn.Linear(2, 3), step = 7}); torch.load(f).step --> 7
function nn.save(filename, object, mode)
   local copy = light(object, {})
   clear(copy, {})
   torch.save(filename, copy, mode)
end
