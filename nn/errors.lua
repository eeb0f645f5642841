-- nn/errors.lua - how constructors and passes of layers fail: in the name of the layer, with what it was given.
local torch = require 'torch'
local arg = require 'torch.arg'
local utils = require 'nn.utils'

local errors = {}

local passes = {'forward', 'updateOutput', 'backward', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters',
   'backwardUpdate'}

local forwards = {forward = true, updateOutput = true}

-- What Lua says of values that a function did not expect.
local ofLua = {'^attempt to ', '^bad argument #', '^cannot convert ', "^'for' ", '^table index is ', '^wrong number of arguments',
   '^invalid value ', "has no member named '", '^size of C type '}

--- Whether a text is what Lua says of values that a function did not expect.
function errors.of_lua(text)
   for _, pattern in ipairs(ofLua) do
      if text:find(pattern) then return true end
   end
   return false
end

local here = debug.getinfo(1, 'S').source:match '^@?(.*)errors%.lua$'

--- What values are, for messages: "a tensor 3x4 and a number (2)".
function errors.described(...)
   local words = {}
   for i = 1, select('#', ...) do words[i] = arg.describe((select(i, ...))) end
   return table.concat(words, ' and ')
end

-- An error that names no layer yet is raised again in the name of this one. What Lua says of the code of users is left to them.
local function retell(self, what, err, ...)
   if type(err) ~= 'string' or err:find '^In %d+ module of ' then error(err, 0) end
   local file, text = err:match '^(.-):%d+: (.*)$'
   local ours = file and (file:sub(1, #here) == here or file:find 'torch/class%.lua$')
   if err:find '^[^\n]*nn%.%u' then
      if ours then utils.fail(text) end
      error(err, 0)
   end
   local name = torch.typename(self) or arg.describe(self)
   if ours then
      if errors.of_lua(text) then utils.refuse(name, what, 'be such as it takes', errors.described(...)) end
      err = text
   end
   utils.fail(('%s: %s'):format(name, err))
end

--- init(self, ...), whose errors name the class.
function errors.construct(init, self, ...)
   local ok, err = pcall(init, self, ...)
   if not ok then retell(self, 'arguments', err, ...) end
end

-- A layer with anyGradShape takes a gradOutput of any shape with as many elements as the input, in their order. Only after
-- a pass has failed does it look at shapes.
local function retry(f, self, what, err, input, other, scale)
   if self.anyGradShape and torch.isTensor(input) and torch.isTensor(other) and other:nElement() == input:nElement()
      and not other:isSameSizeAs(input) then
      local ok, result = pcall(f, self, input, other:contiguous():viewAs(input), scale)
      if ok then return result end
   end
   retell(self, what, err, input, other)
end

-- Its own text for each function, so that the compiler sees which one is called.
local guarded = [[
local f, pcall, retell, what = ...
return function(self, input, other, scale)
   local ok, result = pcall(f, self, input, other, scale)
   if ok then return result end
   retell(self, what, result, input, other)
end]]
local guardedBack = guarded:gsub('   local ok', [[
   if self.sharesMemory then shares(self) end
%0]], 1):gsub('retell, what =', 'retell, what, shares, retry ='):gsub('   retell%(.-%)', [[
   return retry(f, self, what, result, input, other, scale)]])
local guardedPair = guarded:gsub('ok, result =', 'ok, result, second ='):gsub('return result', 'return result, second')

-- nn.optimizeMemory has let outputs be overwritten that a backward pass needs.
local function shares(self)
   utils.fail(torch.typename(self)
      .. ': backward needs the outputs of all layers, but nn.optimizeMemory lets them share memory; call training() first')
end

local told = setmetatable({}, {__mode = 'k'})

local function telling(f, second, results, back)
   local text = results == 2 and guardedPair or back and guardedBack or guarded
   local pass = load(text, '@' .. here .. 'errors.lua')(f, pcall, retell, 'input and ' .. second, shares, retry)
   arg.behind[pass] = f
   told[pass] = true
   return pass
end

--- Makes the passes of a class that this package has tell what they were given.
-- @param second  what their second argument is called; a class with results = 2 gives two
function errors.tell(class, second)
   for _, name in ipairs(passes) do
      local f = rawget(class, name)
      if f and not told[f] then class[name] = telling(f, second, class.results, second == 'gradOutput' and not forwards[name]) end
   end
end

local seconds = { [torch.getmetatable 'nn.Module'] = 'gradOutput', [torch.getmetatable 'nn.Criterion'] = 'target' }

--- The same for a class of this package, whose base class says what the second argument is.
function errors.guard(class)
   local up = getmetatable(class)
   while up do
      if seconds[up] then errors.tell(class, seconds[up]) end
      up = getmetatable(up)
   end
end

for name in pairs(require 'nn') do
   local class = torch.getmetatable('nn.' .. name)
   if class then errors.guard(class) end
end

return errors
