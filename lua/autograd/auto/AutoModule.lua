-- lua/autograd/auto/AutoModule.lua - functions as modules of nn.
local torch = require 'torch'
require 'nn'
local arg = require 'torch.arg'
local tape = require 'autograd.tape'
require 'autograd.engine'
local make_class = require 'autograd.auto.factory'.make

local is_value, is_tensor, plain = tape.is_value, arg.is_tensor, tape.plain

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

-- module -> data for its gradient; stored outside the modules, so that no file and no clone carries it.
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

--- Drops the data for backward, as clearState of all modules does.
function Module:clearState()
   tapes[self] = nil
   return Base.clearState(self)
end

function Module:__tostring__() return self.name end

--- A function as a module: autograd.nn.AutoModule(name)(f, ...) is a module that computes f(input,
--- ...). The further arguments are its parameters: `weight`, `bias`, `parameter3` and so on. A file
--- holds the function too, which torch.load loads for {unsafe = true} only.
-- m = autograd.nn.AutoModule 'Scale' (function(x, w) return torch.cmul(x, w) end, torch.Tensor{2, 3}); m:forward(torch.ones(2)) --> {2, 3}
local function AutoModule(name)
   local class = make_class('autograd.nn.AutoModule', name, 'autograd.Module')
   return function(f, ...)
      if not arg.is_callable(f) then arg.refuse(name, 'argument 1', 'a function', f) end
      for i = 1, select('#', ...) do
         local p = select(i, ...)
         if not tape.is_float(p) then arg.refuse(name, 'parameter ' .. i, 'a tensor of floats', p) end
      end
      return class(name, f, ...)
   end
end


return AutoModule
