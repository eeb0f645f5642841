-- test/support/nn/torch7_package.lua - a package for Torch7's nn, written as such packages were: it asserts that names are free, gives nn.Module
-- and nn.Container methods, replaces methods of theirs, and defines layers under names that Cresset has layers for.
require 'nn'

for _, name in ipairs { 'LSTM', 'GRU', 'RNN', 'Recurrent', 'Sequencer', 'CTCCriterion' } do
   assert(not nn[name], 'another package has defined nn.' .. name)
   assert(torch.getmetatable('nn.' .. name) == nil, 'there is a class nn.' .. name)
end

local client = { calls = {} }

local function note(name) client.calls[name] = (client.calls[name] or 0) + 1 end

-- ---- new methods of all modules ---------------------------------------------------------------------------------

-- A copy whose parameters and their gradients are those of the original.
function nn.Module:sharedClone()
   local copy = self:clone()
   local mine, my_grads = self:parameters()
   local its, its_grads = copy:parameters()
   for i = 1, mine and #mine or 0 do
      its[i]:set(mine[i])
      its_grads[i]:set(my_grads[i])
   end
   return copy
end

-- Forgets the step that the module is in.
function nn.Module:forget()
   self.step = 1
   return self
end

function nn.Container:forget()
   nn.Module.forget(self)
   for i = 1, #self.modules do self.modules[i]:forget() end
   return self
end

-- ---- methods replaced -------------------------------------------------------------------------------------------

local old_training, old_type, old_forward = nn.Module.training, nn.Module.type, nn.Module.forward

function nn.Module:training()
   note 'training'
   return old_training(self)
end

function nn.Module:type(...)
   if select('#', ...) > 0 then note 'type' end
   return old_type(self, ...)
end

function nn.Module:forward(input)
   note 'forward'
   return old_forward(self, input)
end

-- ---- layers -----------------------------------------------------------------------------------------------------

local Recurrent, recurrent_parent = torch.class('nn.AbstractRecurrent', 'nn.Container')

function Recurrent:__init(size)
   recurrent_parent.__init(self)
   self.size, self.step = size, 1
end

local LSTM, lstm_parent = torch.class('nn.LSTM', 'nn.AbstractRecurrent')

function LSTM:__init(inputSize, outputSize)
   lstm_parent.__init(self, outputSize)
   self.i2g, self.o2g = nn.Linear(inputSize, 4 * outputSize), nn.Linear(outputSize, 4 * outputSize, false)
   self.modules = { self.i2g, self.o2g }
   self.cell, self.hidden = torch.zeros(outputSize), torch.zeros(outputSize)
end

function LSTM:updateOutput(input)
   local n = self.size
   local gates = self.i2g:forward(input) + self.o2g:forward(self.hidden)
   local i, f, o = torch.sigmoid(gates[{ { 1, n } }]), torch.sigmoid(gates[{ { n + 1, 2 * n } }]),
      torch.sigmoid(gates[{ { 2 * n + 1, 3 * n } }])
   self.cell = torch.cmul(f, self.cell) + torch.cmul(i, torch.tanh(gates[{ { 3 * n + 1, 4 * n } }]))
   self.hidden = torch.cmul(o, torch.tanh(self.cell))
   self.step = self.step + 1
   self.output:resizeAs(self.hidden):copy(self.hidden)
   return self.output
end

function LSTM:forget()
   lstm_parent.forget(self)
   self.cell:zero()
   self.hidden:zero()
   return self
end

local GRU, gru_parent = torch.class('nn.GRU', 'nn.Sequential')

function GRU:__init(inputSize, outputSize)
   gru_parent.__init(self)
   self:add(nn.Linear(inputSize, outputSize)):add(nn.Tanh())
end

local CTC = torch.class('nn.CTCCriterion', 'nn.Criterion')

function CTC:updateOutput(input, target)
   self.output = (input - target):sum()
   return self.output
end

return client
