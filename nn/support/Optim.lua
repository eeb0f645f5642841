-- nn/support/Optim.lua - updates each parameter of a model by itself, without one flat vector.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

--- Updates the parameters of a model tensor by tensor, each with a separate state; biases never decay. As fbcunn's.
-- @param optState    the options of the optimizer, like {learningRate = 0.1, momentum = 0.9}
-- @param checkpoint  the result of save, to continue from
-- nn.Optim(nn.Linear(2, 1), {learningRate = 0.1}):optimize(function(f, x) return x, {f(x)} end, torch.zeros(2), torch.zeros(1), nn.MSECriterion()) >= 0 --> true
local Optim = torch.class('nn.Optim')

local function need_table(what, v)
   if type(v) ~= 'table' or torch.typename(v) then
      error(('nn.Optim: %s must be a table, got %s'):format(what, torch.type(v)), 4)
   end
   return v
end

-- The parameters of all modules, each once: { parameter, gradient, whether it is a bias, further gradients }.
local function parameters_of(model)
   local list, places = {}, {}
   for _, module in ipairs(model:listModules()) do
      local own, grads = nil, nil
      if not module.modules then own, grads = module:parameters() end
      for i, p in ipairs(own or {}) do
         local place = p:nElement() > 0 and ('%s %d'):format(torch.pointer(p:storage()), tonumber(p:storageOffset())) or {}
         local known = places[place]
         if not known then
            known = {p, grads[i], false, {}}
            list[#list + 1], places[place] = known, known
            for name, v in pairs(module) do
               if type(name) == 'string' and name:lower():find 'bias$' and rawequal(v, p) then known[3] = true end
            end
         elseif torch.pointer(grads[i]:storage()) ~= torch.pointer(known[2]:storage()) then
            known[4][#known[4] + 1] = grads[i]
         end
      end
   end
   return list
end

local function configure(self, options)
   for i, row in ipairs(parameters_of(self.model)) do
      self.states[i] = self.states[i] or {}
      for name, v in pairs(options) do self.states[i][name] = v end
      if row[3] then self.states[i].weightDecay = 0 end
   end
end

function Optim:__init(model, optState, checkpoint)
   if not torch.isTypeOf(model, 'nn.Module') then
      error('nn.Optim: model must be an nn.Module, got ' .. torch.type(model), 3)
   end
   self.model = model
   self.states = {}
   if checkpoint ~= nil then self.states = utils.copy(need_table('checkpoint', checkpoint)) end
   configure(self, need_table('optState', optState == nil and {} or optState))
end

--- One step: forward, backward, and an update of every parameter by optimMethod (like optim.sgd).
-- @return the criterion's value, and the model's output
function Optim:optimize(optimMethod, inputs, targets, criterion)
   if not torch.isTypeOf(criterion, 'nn.Criterion') then
      error('nn.Optim:optimize: criterion must be an nn.Criterion, got ' .. torch.type(criterion), 2)
   end
   local model = self.model
   model:zeroGradParameters()
   local output = model:forward(inputs)
   local err = criterion:forward(output, targets)
   model:backward(inputs, criterion:backward(output, targets))
   self:updateParameters(optimMethod, err)
   return err, output
end

--- Updates every parameter from its gradient; err is the value that the optimizer sees.
function Optim:updateParameters(optimMethod, err)
   if type(optimMethod) ~= 'function' then
      error('nn.Optim:updateParameters: optimMethod must be a function, got ' .. torch.type(optimMethod), 2)
   end
   for i, row in ipairs(parameters_of(self.model)) do
      local p, g = row[1], row[2]
      for _, more in ipairs(row[4]) do g:add(more) end
      if p:isContiguous() and g:isContiguous() then p, g = p:view(-1), g:view(-1) end
      optimMethod(function() return err, g end, p, self.states[i])
   end
end

--- Sets options, like {learningRate = 0.01}, for all parameters; weightDecay not for biases.
function Optim:setParameters(options) configure(self, need_table('options', options)) end

--- A copy of the states of all parameters, for a file and for the third argument of nn.Optim.
function Optim:save() return utils.copy(self.states) end

--- Converts model and states to a tensor type; without an argument the model's. Returns self.
function Optim:type(kind)
   if not kind then return self.model:type() end
   self.model:type(kind)
   utils.recursiveType(self.states, kind)
   return self
end

return nn.Optim
