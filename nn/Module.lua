-- nn/Module.lua - the base class of layers: output, gradInput, and the lists of parameters and buffers.
local torch = require 'torch'
local utils = require 'nn.utils'
local arg = require 'torch.arg'
local devices = require 'nn.parallel.devices'

--- The base class of layers. A derived class needs `__init`, `updateOutput(input)` that fills and returns
-- `self.output`, and `updateGradInput(input, gradOutput)` that fills and returns `self.gradInput`.
-- With parameters it also needs `accGradParameters(input, gradOutput, scale)` that adds to
-- `self.gradWeight` and the like. A class may set these fields.
--   parameterNames   its parameters in order (default weight, bias); gradWeight is that of weight.
--   bufferNames      fields that only save time or memory between calls: clearState empties them.
--   refusesFirst     true: its backward passes check arguments first, which saves a check of forms.
--   readsValues      true: the elements of the input decide too whether a backward pass succeeds.
--   anyGradShape     true: gradOutput may have another shape than the input, with as many elements.
-- torch.isTypeOf(nn.Linear(2, 2), 'nn.Module') --> true
local Module = torch.class('nn.Module')
Module.parameterNames = {'weight', 'bias'}
Module.bufferNames = {}

function Module:__init()
   self.gradInput = torch.Tensor()
   self.output = torch.Tensor()
   self._type = self.output:type()
end

-- 'weight' -> 'gradWeight', remembered
local gradName = setmetatable({}, {__index = function(names, name)
   names[name] = 'grad' .. name:gsub('^%l', string.upper)
   return names[name]
end})

-- Sizes are numbers, or one LongStorage or table of them; torch.Tensor checks them.
local function need_sizes(self, name, ...)
   local first = ...
   if type(first) == 'table' or arg.is_storage(first) then return end
   for i = 1, select('#', ...) do
      local n = select(i, ...)
      if not arg.whole_of(n) or arg.whole_of(n) < 0 then
         arg.refuse(torch.typename(self), ('size %d of %s'):format(i, name), 'a whole number that is not negative', n, 5)
      end
   end
end

--- Creates the parameter self[name] and its gradient, both with the given sizes; the gradient is zero.
function Module:parameter(name, ...)
   need_sizes(self, name, ...)
   self[name] = torch.Tensor(...)
   self[gradName[name]] = torch.Tensor(...):zero()
   return self[name]
end

--- The tensor self[name]; a missing one, or one of another type, is replaced by an empty tensor.
-- @param kind  a tensor type (default: the module's); a LongTensor is on the device of the module
function Module:scratch(name, kind)
   local buffer = self[name]
   kind = kind == 'torch.LongTensor' and utils.longType(self._type) or kind or self._type or torch.getdefaulttensortype()
   if not buffer or buffer:type() ~= kind then
      buffer = torch.Tensor():type(kind)
      self[name] = buffer
   end
   return buffer
end

-- The types of modules of floats, and of what mixed precision gives them.
local FLOATS = {['torch.FloatTensor'] = true, ['torch.CudaTensor'] = true}
local HALVES = {['torch.HalfTensor'] = true, ['torch.BFloat16Tensor'] = true,
   ['torch.CudaHalfTensor'] = true, ['torch.CudaBFloat16Tensor'] = true}

--- The tensor self[name] for a result of the type of x. Usually that is the module's type. A module
-- of floats may get halves: then an empty tensor of their type replaces self[name].
-- nn.Module():float():resultFor('output', torch.HalfTensor()):type() --> torch.HalfTensor
function Module:resultFor(name, x)
   local result, kind = self[name], x:type()
   if result ~= nil and result._dtype == x._dtype then return result end
   local mixed = FLOATS[self._type] and (FLOATS[kind] or HALVES[kind])
   return mixed and self:scratch(name, kind) or result
end

--- The tensor x when it is contiguous, otherwise a copy of it in the tensor self[name].
-- nn.Module():packed('_input', torch.ones(2, 3):t()):isContiguous() --> true
function Module:packed(name, x)
   if x:isContiguous() then return x end
   return self:scratch(name, x:type()):resize(x:size()):copy(x)
end

--- A list of parameters and a list of their gradients; nothing for a module without parameters.
function Module:parameters()
   local parameters, grads, names = {}, {}, self.parameterNames
   for i = 1, #names do
      local p = self[names[i]]
      if p then
         parameters[#parameters + 1] = p
         grads[#parameters] = self[gradName[names[i]]]
      end
   end
   if #parameters > 0 then return parameters, grads end
end

--- Computes self.output from the input, and returns it. Each layer defines it; forward calls it.
function Module:updateOutput() return self.output end

--- Computes self.gradInput, the gradient by the input, from updateGradInput(input, gradOutput). Each layer defines it;
-- backward calls it after updateOutput for the same input.
function Module:updateGradInput() return self.gradInput end

--- Adds scale (default 1) times the gradient of the parameters to their gradient tensors.
function Module:accGradParameters() end

--- Computes and returns the output.
function Module:forward(input) return self:updateOutput(input) end

--- Computes gradInput and adds scale (default 1) times the gradient of the parameters. Returns gradInput.
function Module:backward(input, gradOutput, scale)
   scale = scale or 1
   self:updateGradInput(input, gradOutput)
   self:accGradParameters(input, gradOutput, scale)
   return self.gradInput
end

--- Computes gradInput and takes a step of -lr along the gradient in one pass, without gradient tensors where possible.
function Module:backwardUpdate(input, gradOutput, lr)
   self:updateGradInput(input, gradOutput)
   self:accUpdateGradParameters(input, gradOutput, lr)
   return self.gradInput
end

--- parameters -= lr * gradient, through the gradient tensors when parameters are shared.
function Module:accUpdateGradParameters(input, gradOutput, lr)
   if self.shared then
      self:sharedAccUpdateGradParameters(input, gradOutput, lr)
   else
      self:defaultAccUpdateGradParameters(input, gradOutput, lr)
   end
end

--- For one accGradParameters the parameters replace their gradients: a step of gradient descent that
-- stores no gradients.
function Module:defaultAccUpdateGradParameters(input, gradOutput, lr)
   local kept = {}
   for _, name in ipairs(self.parameterNames) do
      kept[name] = self[gradName[name]]
      self[gradName[name]] = self[name]
   end
   self:accGradParameters(input, gradOutput, -lr)
   for _, name in ipairs(self.parameterNames) do self[gradName[name]] = kept[name] end
end

--- The same step for shared parameters, through their gradients.
function Module:sharedAccUpdateGradParameters(input, gradOutput, lr)
   if self:parameters() then
      self:zeroGradParameters()
      self:accGradParameters(input, gradOutput, 1)
      self:updateParameters(lr)
   end
end

--- Sets the gradients of all parameters to 0.
function Module:zeroGradParameters()
   local _, grads = self:parameters()
   for i = 1, grads and #grads or 0 do grads[i]:zero() end
end

--- parameters -= learningRate * gradient
function Module:updateParameters(learningRate)
   local parameters, grads = self:parameters()
   for i = 1, parameters and #parameters or 0 do parameters[i]:add(-learningRate, grads[i]) end
end

--- Training mode, in which layers like Dropout behave differently. Returns self.
function Module:training()
   self.train = true
   return self:ownMemory()
end

--- Evaluation mode. Returns self.
function Module:evaluate()
   self.train = false
   return self
end

--- Replaces the named fields of self by views of those of mlp. Returns self.
function Module:share(mlp, ...)
   for _, name in ipairs{...} do
      if self[name] ~= nil then
         self[name]:set(mlp[name])
         self.shared, mlp.shared = true, true
      end
   end
   return self
end

--- A copy with separate memory, except for the named fields, which it shares with self. A class with methods write and read is
-- copied through them.
function Module:clone(...)
   local copy = utils.copy(self)
   if select('#', ...) > 0 then copy:share(self, ...) end
   return copy
end

--- Without an argument the tensor type; with one, converts all tensors to it. Shared memory stays shared.
-- @param cache  a table kept between the calls that convert several modules which share memory
function Module:type(kind, cache)
   if not kind then return self._type end
   kind = utils.needTensors(self, kind, cache ~= nil)
   cache = cache or {}
   if cache[self] then return self end
   cache[self] = true
   for key, value in pairs(self) do self[key] = utils.recursiveType(value, kind, cache) end
   self._type = kind
   return self
end

--- nn.Module:float(), nn.Module:double(), nn.Module:half(), nn.Module:cuda(), nn.Module:cudaDouble(), nn.Module:cudaHalf(): The
-- module with all its tensors converted to a type. Returns self.
function Module:float(...) return self:type('torch.FloatTensor', ...) end
function Module:double(...) return self:type('torch.DoubleTensor', ...) end
function Module:half(...) return self:type('torch.HalfTensor', ...) end
function Module:cuda(...) return self:type('torch.CudaTensor', ...) end
function Module:cudaDouble(...) return self:type('torch.CudaDoubleTensor', ...) end
function Module:cudaHalf(...) return self:type('torch.CudaHalfTensor', ...) end

--- Draws new random parameters; layers with random initial values override it.
function Module:reset() end

--- nn.Module:write(file), nn.Module:read(file): Used by writeObject and readObject of a file.
function Module:write(file)
   local fields = {}
   for k, v in pairs(self) do fields[k] = v end
   file:writeObject(fields)
end

function Module:read(file) utils.restore(self, file:readObject()) end

utils.keepsFields(Module)

-- The part of a storage that a tensor spans, as positions from 0.
local function span(t)
   local first = t:storageOffset() - 1
   local last = first
   for d = 1, t:dim() do last = last + (t:size(d) - 1) * t:stride(d) end
   return tonumber(first), tonumber(last)
end

-- How many elements in memory a tensor has: dimensions of stride 0 repeat them.
local function distinct(t)
   local n = 1
   for d = 1, t:dim() do
      if t:stride(d) ~= 0 then n = n * tonumber(t:size(d)) end
   end
   return n
end

-- The same text for tensors with the same memory.
local function placeOf(t)
   local words = {tostring(tonumber(t:storageOffset()))}
   for d = 1, t:dim() do words[d + 1] = ('%dx%d'):format(tonumber(t:size(d)), tonumber(t:stride(d))) end
   return table.concat(words, ' ')
end

--- nn.Module._flattenTensorBuffer: Type of tensors -> a function that makes the tensor in which Module.flatten collects them.
-- Tensors of other types are collected in a tensor of their type.
Module._flattenTensorBuffer = {}

--- Moves tensors into one new vector, which it returns; they become views of it. Tensors that share memory still
-- share it, and the vector holds shared elements once. Order: as given, within one storage by
-- position. Tensors that leave gaps in their memory, as a column of a matrix does, are an error.
-- The vector would hold elements that are no parameters.
function Module.flatten(tensors)
   if not tensors or #tensors == 0 then return torch.Tensor() end
   local kind, device = tensors[1]:type(), tensors[1]._device
   local groups, views = {}, {}                     -- groups: one for each storage, with its spans
   for _, t in ipairs(tensors) do
      if t:type() ~= kind then
         error(('Module.flatten: all tensors must be of one type, got %s and %s'):format(kind, t:type()), 2)
      end
      if t._device ~= device then
         error(('Module.flatten: all tensors must be on one device, got CUDA devices %d and %d: getParametersByDevice makes '
            .. 'a vector for each'):format(device, t._device), 2)
      end
      if t:nElement() > 0 then
         local key = torch.pointer(t:storage())
         local group = groups[key]
         if not group then
            group = {storage = t:storage()}
            groups[key] = group
            groups[#groups + 1] = group
         end
         local first, last = span(t)
         group[#group + 1] = {first, last, elements = distinct(t), key = placeOf(t)}
         views[#views + 1] = {t = t, group = group, first = first, size = t:size(), stride = t:stride()}
      end
   end
   local total = 0
   for _, group in ipairs(groups) do
      table.sort(group, function(a, b) return a[1] < b[1] end)
      local merged = {}
      for _, s in ipairs(group) do
         local m = merged[#merged]
         if not m or s[1] > m[2] then
            m = {s[1], s[2], seen = {}, elements = 0}
            merged[#merged + 1] = m
         end
         m[2] = math.max(m[2], s[2])
         if not m.seen[s.key] then m.seen[s.key], m.elements = true, m.elements + s.elements end
      end
      for _, m in ipairs(merged) do
         if m.elements < m[2] - m[1] + 1 then
            error('Module.flatten: tensors must not have gaps in memory, got one with gaps', 2)
         end
         m.at, total = total, total + m[2] - m[1] + 1
      end
      group.merged = merged
   end
   local make = Module._flattenTensorBuffer[kind] or function() return torch.Tensor():type(kind) end
   local flat = devices.on(device, make):resize(total)
   for _, group in ipairs(groups) do
      for _, m in ipairs(group.merged) do
         local n = m[2] - m[1] + 1
         local part = torch.Tensor():type(kind):set(group.storage, m[1] + 1, torch.LongStorage{n}, torch.LongStorage{1})
         flat:narrow(1, m.at + 1, n):copy(part)
      end
   end
   flat = devices.on(device, flat.type, flat, kind)
   local storage = flat:storage()
   for _, v in ipairs(views) do
      for _, m in ipairs(v.group.merged) do
         if v.first >= m[1] and v.first <= m[2] then
            v.t:set(storage, m.at + v.first - m[1] + 1, v.size, v.stride)
         end
      end
   end
   return flat
end

--- Two vectors, all parameters and all gradients; the module's own tensors become views of them. Call it once,
-- after conversions of type: converting or sharing afterwards takes the tensors out of the vectors again.
function Module:getParameters()
   local parameters, grads = self:parameters()
   return Module.flatten(parameters), Module.flatten(grads)
end

--- As getParameters for a module on several devices. It returns two tables with a vector for each
-- device that has parameters, under its number; 0 is the CPU.
-- nn.Linear(3, 2):getParametersByDevice()[0]:nElement() --> 8
function Module:getParametersByDevice()
   local parameters, grads = self:parameters()
   local lists = {}
   for i, p in ipairs(parameters or {}) do
      local list = lists[p._device] or {{}, {}}
      lists[p._device] = list
      table.insert(list[1], p)
      table.insert(list[2], grads[i])
   end
   local flat, flatGrads = {}, {}
   for device, list in pairs(lists) do flat[device], flatGrads[device] = Module.flatten(list[1]), Module.flatten(list[2]) end
   return flat, flatGrads
end

--- Gives a module a separate output again, if nn.optimizeMemory made it share; training() and clearState() call it.
-- Returns self.
function Module:ownMemory()
   if self.sharesMemory then
      self.sharesMemory = nil
      local old = self.output                             -- other code may hold it
      self.output = torch.isTensor(old) and old.new() or type(old) == 'table' and {} or old
   end
   return self
end

--- Empties output, gradInput and the buffers: a cleared module is small in a file and computes as before.
function Module:clearState()
   self:ownMemory()
   utils.clear(self, self.bufferNames)
   return utils.clear(self, 'output', 'gradInput')
end

--- Calls callback(module) for self and every module inside, self first.
function Module:apply(callback)
   callback(self)
   for _, module in ipairs(self.modules or {}) do module:apply(callback) end
end

--- Replaces self and every module inside by callback(module), which may return its argument. Modules inside a
-- replacement are not visited. Returns the new module.
function Module:replace(callback)
   local out = callback(self)
   if out == self then
      for i, module in ipairs(self.modules or {}) do self.modules[i] = module:replace(callback) end
   end
   return out
end

--- All modules with this type name: a list of them, and a list of the containers that hold them.
function Module:findModules(typename, container)
   container = container or self
   local found, holders = {}, {}
   if torch.typename(self) == typename then found[1], holders[1] = self, container end
   for _, module in ipairs(self.modules or {}) do
      local inner, innerHolders = module:findModules(typename, self)
      for i = 1, #inner do
         found[#found + 1], holders[#holders + 1] = inner[i], innerHolders[i]
      end
   end
   return found, holders
end

--- self and every module inside, each once.
function Module:listModules()
   local list, seen = {}, {}
   self:apply(function(module)
      if not seen[module] then
         seen[module] = true
         list[#list + 1] = module
      end
   end)
   return list
end

function Module:__call__(input, gradOutput)
   self:forward(input)
   if gradOutput then
      self:backward(input, gradOutput)
      return self.output, self.gradInput
   end
   return self.output
end

function Module:__tostring__() return torch.type(self) end

-- The checks of layers: they compare a few numbers, and build a message only when something is wrong.

--- Refuses anything but a tensor.
function Module:needTensor(x)
   if not torch.isTensor(x) then utils.refuse(self, 'input', 'be a tensor', x) end
end

--- Refuses anything but a tensor of the module's type.
function Module:needType(x)
   if not torch.isTensor(x) or x:type() ~= self._type then
      utils.refuse(self, 'input', 'be a ' .. tostring(self._type),
         torch.isTensor(x) and 'a ' .. x:type() or utils.shape(x))
   end
end

--- Raises "<self>: <what> must <wish>, got <shape>".
function Module:refuse(what, wish, got) utils.refuse(self, what, wish, got) end

return Module
