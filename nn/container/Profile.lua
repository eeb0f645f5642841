-- nn/container/Profile.lua - measures a module and prints its time.
local torch = require 'torch'

--- Prints how long a module takes.
-- @param print_interval  number of calls between prints; default 100
-- @param name            default: the module's type
-- nn.Profile(nn.Linear(3, 2), 1000):forward(torch.ones(4, 3)):size() --> {4, 2}
local Profile, Decorator = torch.class('nn.Profile', 'nn.Decorator')
Profile.__arguments = 'module:module print_interval:number? name:string?'

function Profile:__init(module, print_interval, name)
   Decorator.__init(self, module)
   self.print_interval = print_interval or 100
   self.name = name or torch.type(module)
   self.module = module
   self.numFwds, self.numBwds = 0, 0
   self.summedFwdTime, self.summedBwdTime = 0, 0
   self.timer = torch.Timer()
end

local function timed(self, way, start, count, sum)
   self[sum] = self[sum] + self.timer:time().real - start
   self[count] = self[count] + 1
   if self[count] % self.print_interval == 0 then
      print(('%s took %.3f seconds for %d %s passes'):format(self.name, self[sum], self.print_interval, way))
      self[sum] = 0
   end
end

function Profile:updateOutput(input)
   local start = self.timer:time().real
   Decorator.updateOutput(self, input)
   timed(self, 'forward', start, 'numFwds', 'summedFwdTime')
   return self.output
end

function Profile:updateGradInput(input, gradOutput)
   local start = self.timer:time().real
   Decorator.updateGradInput(self, input, gradOutput)
   timed(self, 'backward', start, 'numBwds', 'summedBwdTime')
   return self.gradInput
end

return Profile
