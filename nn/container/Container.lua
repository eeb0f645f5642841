-- nn/container/Container.lua - a module made of modules; its errors name the module inside that failed.
local torch = require 'torch'
local explain = require 'torch.explain'
local traceback = require 'torch.traceback'
local utils = require 'nn.utils'

--- The base class of modules that hold others in `self.modules`.
-- nn.Sequential():add(nn.Abs()):add(nn.Tanh()):size() --> 2
local Container, Module = torch.class('nn.Container', 'nn.Module')

function Container:__init()
   Module.__init(self)
   self.modules = {}
end

--- Appends a module; nil appends nothing. Returns self.
function Container:add(module)
   if module ~= nil and not utils.worksAs(module, 'nn.Module') then
      error(('%s:add: expected a module, got %s'):format(torch.type(self), utils.shape(module)), 3)
   end
   self.modules[#self.modules + 1] = module
   return self
end

--- Module number `index`.
function Container:get(index) return self.modules[index] end

--- How many modules it holds.
function Container:size() return #self.modules end

-- The traceback belongs to the first error, so only the innermost container adds it.
local function trail(err)
   if type(err) ~= 'string' or err:find '^In %d+ module of ' then return err end
   err = explain.hinted(err, traceback.frame(2))
   if traceback.is_full() then return err .. '\n' .. debug.traceback('its traceback:', 2):gsub('\nstack traceback:', '', 1) end
   local lines, n = traceback.lines(traceback.frame(2))
   return n > 0 and err .. '\nits traceback:' .. lines or err
end

local function finish(self, index, ok, ...)
   if ok then return ... end
   local err = ...
   if type(err) == 'string' then
      err = ('In %d module of %s:\n%s'):format(index, torch.type(self), err)
   end
   error(err, 0)
end

--- module[name](module, ...), or name(module, ...) for a function `name`. An error is raised again behind a line with the
-- position of the module, as in Torch7: "In 3 module of nn.Sequential:".
function Container:rethrowErrors(module, index, name, ...)
   return finish(self, index, xpcall(type(name) == 'string' and module[name] or name, trail, module, ...))
end

--- Calls func(module) for each module it holds, not for those inside them.
function Container:applyToModules(func)
   for i = 1, #self.modules do func(self.modules[i]) end
end

function Container:zeroGradParameters()
   for i = 1, #self.modules do self.modules[i]:zeroGradParameters() end
end

function Container:updateParameters(learningRate)
   for i = 1, #self.modules do self.modules[i]:updateParameters(learningRate) end
end

function Container:training()
   self:applyToModules(function(module) module:training() end)
   return Module.training(self)
end

function Container:evaluate()
   self:applyToModules(function(module) module:evaluate() end)
   return Module.evaluate(self)
end

function Container:share(mlp, ...)
   for i = 1, #self.modules do self.modules[i]:share(mlp.modules[i], ...) end
   return self
end

function Container:reset(stdv)
   self:applyToModules(function(module) module:reset(stdv) end)
end

function Container:parameters()
   local parameters, grads = {}, {}
   for i = 1, #self.modules do
      local p, g = self.modules[i]:parameters()
      for k = 1, p and #p or 0 do
         parameters[#parameters + 1] = p[k]
         grads[#parameters] = g[k]
      end
   end
   return parameters, grads
end

function Container:clearState()
   for i = 1, #self.modules do self.modules[i]:clearState() end
   self:ownMemory()
   utils.clear(self, self.bufferNames)
   -- Output and gradInput may be tensors of the caller, so they stay as they are.
   for _, name in ipairs{'output', 'gradInput'} do
      local x = self[name]
      if torch.isTensor(x) then self[name] = x.new() elseif x ~= nil then self[name] = {} end
   end
   return self
end

--- gradInput with the part g (a tensor or nested table) of one more module; `first`: it is the first one.
function Container:gather(gradInput, g, first)
   if first then
      if not torch.isTensor(g) then gradInput = (utils.recursiveResizeAs(gradInput, g)) end     -- removes old keys
      return (utils.recursiveCopy(gradInput, g))
   end
   utils.recursiveAdd(gradInput, 1, g)
   return gradInput
end

--- The text of Concat, ConcatTable, ParallelTable and similar containers: branches from input to output.
function Container:branches(head)
   local lines = {head .. ' {', '  input'}
   local n = #self.modules
   for i = 1, n do
      local mark, pad = '    |`-> ', '    |    '
      if i == n then mark, pad = '     `-> ', '         ' end
      local text = tostring(self.modules[i]):gsub('\n', '\n' .. pad)
      lines[#lines + 1] = ('%s(%d): %s'):format(mark, i, text)
   end
   lines[#lines + 1] = '     ... -> output'
   lines[#lines + 1] = '}'
   return table.concat(lines, '\n')
end

function Container:__tostring__() return torch.type(self) end

return Container
