-- nn/container/Sequential.lua - modules one after the other.
local torch = require 'torch'
local original = require 'torch.arg'.original

--- Feeds each module with the output of the one before.
-- nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):add(nn.Linear(5, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local Sequential, Container = torch.class('nn.Sequential', 'nn.Container')
Sequential.refusesFirst = true

function Sequential:__init() Container.__init(self) end

--- Appends a module; nil appends nothing. Returns self.
function Sequential:add(module)
   Container.add(self, module)
   if module == nil then return self end
   if #self.modules == 1 then self.gradInput = module.gradInput end
   self.output = module.output
   return self
end

--- Inserts a module at index (default: at the end).
function Sequential:insert(module, index)
   index = index or #self.modules + 1
   if index < 1 or index > #self.modules + 1 then
      error(('nn.Sequential:insert: index must lie in 1..%d, got %s'):format(#self.modules + 1, index), 2)
   end
   table.insert(self.modules, index, module)
   self.output = self.modules[#self.modules].output
   self.gradInput = self.modules[1].gradInput
end

--- Removes module number index (default: the last one).
function Sequential:remove(index)
   index = index or #self.modules
   if index < 1 or index > #self.modules then
      error(('nn.Sequential:remove: index must lie in 1..%d, got %s'):format(#self.modules, index), 2)
   end
   table.remove(self.modules, index)
   if #self.modules > 0 then
      self.output = self.modules[#self.modules].output
      self.gradInput = self.modules[1].gradInput
   else
      self.output, self.gradInput = torch.Tensor():type(self._type), torch.Tensor():type(self._type)
   end
end

-- Whether one op computes modules i and i + 1; x is the input of module i.
local function joined(modules, i, x)
   local m, after = modules[i], modules[i + 1]
   return m ~= nil and after ~= nil and m.joins ~= nil and m:joins(after, x)
end

-- The input of module i, after a forward pass with this input.
local function input_of(modules, i, input) return i > 1 and modules[i - 1].output or input end

function Sequential:updateOutput(input)
   local modules, x, i = self.modules, input, 1
   while i <= #modules do
      if joined(modules, i, x) then
         x = self:rethrowErrors(modules[i], i, 'updateOutputWith', modules[i + 1], x)
         i = i + 2
      else
         x = self:rethrowErrors(modules[i], i, 'updateOutput', x)
         i = i + 1
      end
   end
   self.output = x
   return x
end

-- backward of the first module, after which sum is base plus its gradInput.
local function first_onto(self, m, input, g, scale, base, sum)
   local result = self:rethrowErrors(m, 1, 'backwardOnto', input, g, scale, base, sum)
   if result == nil then
      result = self:rethrowErrors(m, 1, 'backward', input, g, scale)
      torch.add(sum, base, result)
   end
   return result
end

-- Goes back through the modules with the input of each and the gradient of its output. With
-- `gradients` it computes these; without, it uses those of the last updateGradInput. With `base`,
-- sum becomes base plus the gradient by the input.
local function walk(self, input, gradOutput, name, arg, gradients, base, sum)
   local modules, g, i = self.modules, gradOutput, #self.modules
   while i > 0 do
      local x = input_of(modules, i, input)
      local before = name == 'backward' and i > 1 and modules[i - 1].backwardWith
         and input_of(modules, i - 1, input)
      local result
      if before and joined(modules, i - 1, before) then
         i = i - 1
         result = self:rethrowErrors(modules[i], i, 'backwardWith', modules[i + 1], before, g, arg)
      elseif base and i == 1 then
         result = first_onto(self, modules[i], x, g, arg, base, sum)
      else
         result = self:rethrowErrors(modules[i], i, name, x, g, arg)
      end
      g = gradients and result or modules[i].gradInput
      if gradients then modules[i].gradInput = g end
      i = i - 1
   end
   return g
end

function Sequential:updateGradInput(input, gradOutput)
   self.gradInput = walk(self, input, gradOutput, 'updateGradInput', nil, true)
   return self.gradInput
end

function Sequential:accGradParameters(input, gradOutput, scale)
   walk(self, input, gradOutput, 'accGradParameters', scale or 1)
end

function Sequential:backward(input, gradOutput, scale)
   self.gradInput = walk(self, input, gradOutput, 'backward', scale or 1, true)
   return self.gradInput
end

local ownBackward = Sequential.backward

--- backward, which also writes base plus gradInput to sum. Returns nil without a change if its
-- first module has no such method, or if the program has replaced backward. For nn.ConcatTable:
-- base is the gradient of another branch. Both have the type and size of the input.
function Sequential:backwardOnto(input, gradOutput, scale, base, sum)
   local first = self.modules[1]
   if not first or not first.backwardOnto or original(self.backward) ~= ownBackward then
      return nil
   end
   self.gradInput = walk(self, input, gradOutput, 'backward', scale or 1, true, base, sum)
   return self.gradInput
end

function Sequential:accUpdateGradParameters(input, gradOutput, lr)
   walk(self, input, gradOutput, 'accUpdateGradParameters', lr)
end

function Sequential:__len() return #self.modules end

function Sequential:__tostring__()
   local arrows, lines = {}, {}
   for i, module in ipairs(self.modules) do
      arrows[i] = '(' .. i .. ') -> '
      lines[i] = ('  (%d): %s'):format(i, (tostring(module):gsub('\n', '\n  ')))
   end
   return ('nn.Sequential {\n  [input -> %soutput]\n%s}'):format(table.concat(arrows),
      #lines > 0 and table.concat(lines, '\n') .. '\n' or '')
end

return Sequential
