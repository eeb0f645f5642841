-- lua/autograd/nn.lua - modules of nn as functions of parameters and input, and functions as modules of nn.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local autograd = require 'autograd'
local tape = require 'autograd.tape'

local is_value, is_tensor, plain, new = tape.is_value, arg.is_tensor, tape.plain, tape.new

-- ---- modules as functions -----------------------------------------------------------------------------------------

local function copied(x)
   if is_tensor(x) then return x:clone() end
   if type(x) ~= 'table' then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = copied(v) end
   return y
end

-- The values in nested tables, and for each a function that finds what lies at its place in another table of that form.
local function values_in(x, inputs, finders, path)
   if is_value(x) then
      inputs[#inputs + 1] = x
      finders[#inputs] = function(y)
         for _, k in ipairs(path) do y = y[k] end
         return y
      end
   elseif type(x) == 'table' and not torch.typename(x) then
      for k, v in pairs(x) do
         local further = { unpack(path) }
         further[#further + 1] = k
         values_in(v, inputs, finders, further)
      end
   end
end

-- Copies of a module that no gradient waits for. A module keeps what its gradient needs until it is called again, so each
-- call within a taped function has a copy for itself.
local function pool_of(module)
   local free = {}
   return {
      take = function()
         local m = table.remove(free) or module:clone('running_mean', 'running_var')
         if m.train ~= module.train and m.training then
            if module.train == false then m:evaluate() else m:training() end
         end
         return m
      end,
      give = function(m) free[#free + 1] = m end,
   }
end

local function load_parameters(module, who, params)
   local own = module:parameters()
   if type(params) ~= 'table' or torch.typename(params) or #params ~= #own then
      tape.refuse('%s: params must be a table of %d tensors, got %s', who, #own,
         type(params) == 'table' and not torch.typename(params) and not is_value(params) and ('a table of %d'):format(#params)
         or arg.describe(plain(params)))
   end
   for i, p in ipairs(params) do
      if not is_tensor(p) or not p:isSameSizeAs(own[i]) then
         tape.refuse('%s: params[%d] must be a tensor of size %s, got %s', who, i, arg.size_text(own[i]), arg.describe(p))
      end
   end
   local kind = params[1]:type()
   if own[1]:type() ~= kind then
      module:type(kind)
      own = module:parameters()
   end
   for i, p in ipairs(params) do own[i]:set(p) end
end

local function first_order_only(g, who)
   if is_value(g) then tape.refuse('autograd: %s declares no second derivative', who) end
end

local function module_function(module)
   local who, pool = torch.typename(module), pool_of(module)
   local own = module:parameters() or {}
   local function run(params, input)
      local inputs, finders = {}, {}
      values_in({ params, input }, inputs, finders, {})
      local plain_params, x = tape.plain_all(params), tape.plain_all(input)
      local m = pool.take()
      if #own > 0 then load_parameters(m, who, plain_params) end
      if #inputs == 0 then
         local y = copied(m:forward(x))
         pool.give(m)
         return y
      end
      if not tape.is_float(x) or not is_value(input) then x = copied(x) end
      local y = m:forward(x)
      if not is_tensor(y) then tape.refuse('autograd: %s gives a table; only modules that give one tensor can be taped', who) end
      return new(y:clone(), inputs, function(g)
         first_order_only(g, who)
         m:zeroGradParameters()
         local gx = copied(m:backward(x, g))
         local _, grads = m:parameters()
         local all, parts = { copied(grads or {}), gx }, {}
         for i, find in ipairs(finders) do parts[i] = find(all) end
         return parts
      end)
   end
   if #own == 0 then return function(input) return run({}, input) end, {} end
   local params = {}
   for i, p in ipairs(own) do params[i] = p:clone() end
   return run, params
end

local function criterion_function(criterion)
   local who, pool = torch.typename(criterion), pool_of(criterion)
   return function(input, target)
      local c, inputs, finders = pool.take(), {}, {}
      values_in(input, inputs, finders, {})
      local x, t = tape.plain_all(input), copied(tape.plain_all(target))
      local first = tape.is_float(x) and x or type(x) == 'table' and x[1]
      if is_tensor(first) and c.type and c:type() ~= first:type() then c:type(first:type()) end
      local loss = c:forward(x, t)
      if is_tensor(loss) and loss:nElement() == 1 then loss = loss:item() end
      if #inputs == 0 then
         pool.give(c)
         return loss
      end
      return new(loss, inputs, function(g)
         first_order_only(g, who)
         local gx, parts = copied(c:backward(x, t)), {}
         for i, find in ipairs(finders) do parts[i] = torch.mul(find(gx), g) end
         return parts
      end)
   end, {}
end

--- A module or criterion of nn as a function: f(params, x) of a module with parameters, f(x) of one without, and
--- f(input, target) of a criterion. It may be called any number of times in a taped function; nothing is kept in `module`
--- but running means. module:evaluate() and module:training() count for f too.
--- @return f, and a list of copies of the module's parameters, {} if it has none
-- f, params = autograd.functionalize(nn.Linear(3, 2)); f(params, torch.ones(4, 3)):size() --> {4, 2}
function autograd.functionalize(module)
   if torch.isTypeOf(module, 'nn.Module') then return module_function(module) end
   if torch.isTypeOf(module, 'nn.Criterion') then return criterion_function(module) end
   arg.refuse('autograd.functionalize', 'module', 'a module or criterion of nn', module)
end

--- autograd.nn: Modules of nn by name as functions: autograd.nn.Linear(3, 2) is autograd.functionalize(nn.Linear(3, 2)).
-- f, params = autograd.nn.Linear(3, 2); params[1]:size(), params[2]:size() --> {2, 3}, {2}
autograd.nn = setmetatable({}, { __index = function(_, name)
   local constructor = nn[name]
   local class = constructor ~= nil and torch.getmetatable('nn.' .. tostring(name))
   if not class then tape.refuse('autograd.nn: nn has no module or criterion %s', tostring(name)) end
   return function(...) return autograd.functionalize(constructor(...)) end
end })

-- ---- functions as modules -----------------------------------------------------------------------------------------

--- A module made of a function; autograd.nn.AutoModule makes them.
-- torch.isTypeOf(autograd.nn.AutoModule 'Twice' (function(x) return x * 2 end), 'autograd.Module') --> true
local Module, Base = torch.class('autograd.Module', 'nn.Module')

--- @param name  what print shows
-- @param f      f(input, parameter 1, ...) gives a tensor
function Module:__init(name, f, ...)
   Base.__init(self)
   self.name, self.f, self.parameterNames = name, f, {}
   for i = 1, select('#', ...) do
      local p = select(i, ...)
      local field = ({ 'weight', 'bias' })[i] or 'parameter' .. i
      self.parameterNames[i] = field
      self:parameter(field, p:size())
      self[field], self['grad' .. field:gsub('^%l', string.upper)] = p:clone(), p:clone():zero()
   end
end

-- module -> what its gradient needs; beside the modules, so that no file and no clone carries it.
local tapes = setmetatable({}, { __mode = 'k' })

-- f with its input and parameters as leaves.
function Module:updateOutput(input)
   local params = {}
   for i, name in ipairs(self.parameterNames) do params[i] = self[name] end
   local x, list = tape.leaves(input)
   local taped, parameters = tape.leaves(params)
   local y = tape.run(self.f, false, x, unpack(taped))
   if not is_tensor(plain(y)) then
      error(('%s: the function must return a tensor, got %s'):format(self.name, arg.describe(plain(y))), 2)
   end
   tapes[self] = { input = x, inputs = list, parameters = parameters, output = y }
   self.output = plain(y)
   return self.output
end

-- The gradients by the leaves of one kind, 'inputs' or 'parameters'.
local function pull(self, kind, gradOutput)
   local kept = tapes[self]
   if not kept then error(self.name .. ': forward must come before backward', 3) end
   if not is_tensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      error(('%s: gradOutput must be a tensor of size %s, got %s'):format(self.name, arg.size_text(self.output),
         arg.describe(gradOutput)), 3)
   end
   if not is_value(kept.output) then return {} end
   return tape.run(tape.backward, false, kept.output, gradOutput:clone(), kept[kind])
end

local function gradients_of(x, gradient)
   if is_value(x) then
      local g = gradient[x]
      return g ~= nil and g or plain(x).new():resizeAs(plain(x)):zero()
   end
   if is_tensor(x) then return x.new():resizeAs(x):zero() end
   local y = {}
   for k, v in pairs(x) do y[k] = gradients_of(v, gradient) end
   return y
end

function Module:updateGradInput(_, gradOutput)
   local gradient = pull(self, 'inputs', gradOutput)
   self.gradInput = gradients_of(tapes[self].input, gradient)
   return self.gradInput
end

function Module:accGradParameters(_, gradOutput, scale)
   local gradient = pull(self, 'parameters', gradOutput)
   local _, grads = self:parameters()
   for i, leaf in ipairs(tapes[self].parameters) do
      if gradient[leaf] then grads[i]:add(scale or 1, gradient[leaf]) end
   end
end

--- Forgets what backward needs, as clearState of all modules does.
function Module:clearState()
   tapes[self] = nil
   return Base.clearState(self)
end

function Module:__tostring__() return self.name end

--- A criterion made of a function; autograd.nn.AutoCriterion makes them.
-- torch.isTypeOf(autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end), 'autograd.Criterion') --> true
local Criterion, CriterionBase = torch.class('autograd.Criterion', 'nn.Criterion')

--- @param name  what print shows
-- @param f      f(input, target) gives a number
function Criterion:__init(name, f)
   CriterionBase.__init(self)
   self.name, self.f = name, f
   self.gradient = autograd(f)
end

function Criterion:updateOutput(input, target)
   self.output = tape.plain_all(self.f(input, target))
   if is_tensor(self.output) and self.output:nElement() == 1 then self.output = self.output:item() end
   if type(self.output) ~= 'number' then
      error(('%s: the function must return a number, got %s'):format(self.name, arg.describe(self.output)), 2)
   end
   return self.output
end

function Criterion:updateGradInput(input, target)
   self.gradInput = self.gradient(input, target)
   return self.gradInput
end

function Criterion:__tostring__() return self.name end

local function need_name(who, name)
   if type(name) ~= 'string' then arg.refuse(who, 'name', 'a string', name, 3) end
end

--- A function as a module: autograd.nn.AutoModule(name)(f, ...) is a module that computes f(input, ...), the further
--- arguments being its parameters: `weight`, `bias`, `parameter3`, ... A file holds the function too,
--- which torch.load brings back for {unsafe = true} only.
-- m = autograd.nn.AutoModule 'Scale' (function(x, w) return torch.cmul(x, w) end, torch.Tensor{2, 3}); m:forward(torch.ones(2)) --> {2, 3}
function autograd.nn.AutoModule(name)
   need_name('autograd.nn.AutoModule', name)
   return function(f, ...)
      if not arg.is_callable(f) then arg.refuse(name, 'argument 1', 'a function', f) end
      for i = 1, select('#', ...) do
         local p = select(i, ...)
         if not tape.is_float(p) then arg.refuse(name, 'parameter ' .. i, 'a tensor of floats', p) end
      end
      return autograd.Module(name, f, ...)
   end
end

--- A function as a criterion: autograd.nn.AutoCriterion(name)(f) is a criterion whose loss is f(input, target), a number.
-- c = autograd.nn.AutoCriterion 'MSE' (function(x, t) return torch.sum(torch.square(x - t)) end); c:forward(torch.ones(2), torch.zeros(2)) --> 2
function autograd.nn.AutoCriterion(name)
   need_name('autograd.nn.AutoCriterion', name)
   return function(f)
      if not arg.is_callable(f) then arg.refuse(name, 'argument 1', 'a function', f) end
      return autograd.Criterion(name, f)
   end
end
