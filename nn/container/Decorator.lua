-- nn/container/Decorator.lua - a module that wraps one other.
local torch = require 'torch'

--- Passes all calls on to one module; a base for modules that extend another.
-- nn.Decorator(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local Decorator, Container = torch.class('nn.Decorator', 'nn.Container')
Decorator.__arguments = 'module:module?'

function Decorator:__init(module)
   Container.__init(self)
   self.modules[1] = module
end

function Decorator:updateOutput(input)
   self.output = self.modules[1]:updateOutput(input)
   return self.output
end

function Decorator:updateGradInput(input, gradOutput)
   self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
   return self.gradInput
end

function Decorator:accGradParameters(input, gradOutput, scale)
   self.modules[1]:accGradParameters(input, gradOutput, scale)
end

function Decorator:accUpdateGradParameters(input, gradOutput, lr)
   self.modules[1]:accUpdateGradParameters(input, gradOutput, lr)
end

function Decorator:sharedAccUpdateGradParameters(input, gradOutput, lr)
   self.modules[1]:sharedAccUpdateGradParameters(input, gradOutput, lr)
end

--- nn.Decorator.decorate(class): Gives a class methods that pass all calls on to modules[1].
--- nn.Decorator:decorate(module): Replaces the decorated module.
function Decorator.decorate(target, module)
   if module ~= nil then
      target.modules[1] = module
      return
   end
   for _, name in ipairs{'updateOutput', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters',
      'sharedAccUpdateGradParameters', '__tostring__'} do
      target[name] = Decorator[name]
   end
end

function Decorator:__tostring__()
   return torch.type(self) .. ' @ ' .. tostring(self.modules[1])
end

return Decorator
