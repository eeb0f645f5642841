-- nn/support/errors.lua - error messages of constructors and passes of layers: the name of the layer, and its arguments.
local torch = require 'torch'
local arg = require 'torch.arg'
local utils = require 'nn.utils'
local rollback = require 'nn.support.rollback'
local words = require 'nn.support.words'

local errors = {}

local passes = {'forward', 'updateOutput', 'backward', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters',
   'backwardUpdate'}

local forwards = {forward = true, updateOutput = true}
local changesGradInput = {backward = true, updateGradInput = true, backwardUpdate = true}

-- Lua's messages about values that a function did not expect.
local ofLua = {'^attempt to ', '^bad argument #', '^cannot convert ', "^'for' ", '^table index is ', '^wrong number of arguments',
   '^invalid value ', "has no member named '", '^size of C type '}

--- Whether a text is a message of Lua about values that a function did not expect.
function errors.of_lua(text)
   for _, pattern in ipairs(ofLua) do
      if text:find(pattern) then return true end
   end
   return false
end

local here = debug.getinfo(1, 'S').source:match '^@?(.*)support/errors%.lua$'

-- Whether the file of an error message is one of this package. LuaJIT writes a name of 60 or more characters as "..." and its end,
-- so that the name may begin inside of the folder's.
local function is_ours(file)
   if file:sub(1, #here) == here or file:find 'torch/class%.lua$' then return true end
   local rest = file:match '^%.%.%.(.*)$'
   for n = 1, rest and math.min(#here, #rest) or 0 do
      local f = here:sub(-n) == rest:sub(1, n) and io.open(here .. rest:sub(n + 1))
      if f then
         f:close()
         return true
      end
   end
   return false
end

--- Describes values for messages: "a tensor 3x4 and a number (2)".
function errors.described(...)
   local words = {}
   for i = 1, select('#', ...) do words[i] = arg.describe((select(i, ...))) end
   return table.concat(words, ' and ')
end

-- Raises an error again in the name of this layer, unless it already names one. Lua's messages about code of users stay
-- unchanged. `pass`: 'forward' or 'backward' (nil: a constructor).
local function retell(self, what, err, pass, ...)
   if type(err) ~= 'string' or err:find '^In %d+ module of ' then error(err, 0) end
   local file, text = err:match '^(.-):%d+: (.*)$'
   local ours = file and is_ours(file)
   local name = torch.typename(self) or arg.describe(self)
   local named = err:find '^[^\n]*nn%.%u'
   local ofOp = not named and (not ours or text:find '^[%w_%.:]+: ' ~= nil)
   if pass then
      local plain = words.explain(self, name, pass, what:match '%w+$', ofOp, named, ours and text or err, ...)
      if plain then utils.fail(plain) end
   end
   if named then
      if ours then utils.fail(text) end
      error(err, 0)
   end
   if ours then
      if errors.of_lua(text) then utils.refuse(name, what, 'have types and sizes that it accepts', errors.described(...)) end
      err = text
   end
   if pass then err = words.rename(err) end
   utils.fail(('%s: %s'):format(name, err))
end

--- init(self, ...), whose errors name the class.
function errors.construct(init, self, ...)
   local ok, err = pcall(init, self, ...)
   if not ok then retell(self, 'arguments', err, nil, ...) end
end

-- A layer with anyGradShape takes a gradOutput of any shape with as many elements as the input, in their order. Shapes are
-- compared only after a pass has failed. `old` is the result of rollback.keep.
local function retry(f, self, what, err, input, other, scale, old)
   if old then rollback.restore(self, old) end
   if self.anyGradShape and torch.isTensor(input) and torch.isTensor(other) and other:nElement() == input:nElement()
      and not other:isSameSizeAs(input) then
      local ok, result = pcall(f, self, input, other:contiguous():viewAs(input), scale)
      if ok then return result end
      if old then rollback.restore(self, old) end
   end
   retell(self, what, err, 'backward', input, other)
end

-- nn.optimizeMemory has let outputs be overwritten that a backward pass needs.
local function shares(self)
   utils.fail(torch.typename(self)
      .. ': backward needs the outputs of all layers, but nn.optimizeMemory lets them share memory; call training() first')
end

local told = setmetatable({}, {__mode = 'k'})

-- A class with parameters gets separate methods of these names, because accGradParameters may refuse what updateGradInput took.
local Module                                                 -- nn.Module, whose file needs this one
local inherited = {
   backward = function(self, input, gradOutput, scale) return Module.backward(self, input, gradOutput, scale) end,
   backwardUpdate = function(self, input, gradOutput, lr) return Module.backwardUpdate(self, input, gradOutput, lr) end,
}

-- The text is compiled once for each function, so that the compiler sees which one is called. Flags of `pass`: back (a backward
-- pass), undo (restore gradInput when it fails), note (record the input when it succeeds), pair (it has two results).
local function source(pass)
   local results = pass.pair and 'result, second' or 'result'
   return table.concat({
      'local f, pcall, retell, what, shares, retry, keep, note = ...',
      'return function(self, input, other, scale)',
      pass.back and 'if self.sharesMemory then shares(self) end' or '',
      pass.undo and 'local old = keep(self, input, other)' or '',
      ('local ok, %s = pcall(f, self, input, other, scale)'):format(results),
      ('if ok then %s return %s end'):format(pass.note and 'note(self, input)' or '', results),
      pass.back and ('return retry(f, self, what, result, input, other, scale%s)'):format(pass.undo and ', old' or '')
         or 'retell(self, what, result, "forward", input, other)',
      'end',
   }, '\n')
end

local function telling(f, second, pass)
   local made = assert(load(source(pass), '@' .. here .. 'support/errors.lua'))(f, pcall, retell, 'input and ' .. second, shares, retry,
      rollback.keep, rollback.note)
   arg.behind[made] = f
   told[made] = true
   return made
end

--- Wraps the passes of a class of this package, so that their errors describe their arguments.
-- @param second  the name of their second argument; a class with results = 2 returns two
function errors.tell(class, second)
   Module = Module or require 'torch.class'.ours 'nn.Module'
   local layer = second == 'gradOutput'
   local careful = layer and not class.refusesFirst
   if careful and rawget(class, 'accGradParameters') then
      for name, f in pairs(inherited) do
         if class[name] == Module[name] then class[name] = f end
      end
   end
   for _, name in ipairs(passes) do
      local f = rawget(class, name)
      if f and not told[f] then
         class[name] = telling(f, second, {
            pair = class.results == 2, back = layer and not forwards[name],
            undo = careful and changesGradInput[name], note = careful and name == 'updateOutput',
         })
         if careful and name == 'updateOutput' then rollback.noting[class[name]] = true end
      end
   end
end

local seconds = { ['nn.Module'] = 'gradOutput', ['nn.Criterion'] = 'target' }

--- The same for a class of this package and its ancestors; the base class determines the name of the second argument.
function errors.guard(class)
   local parent = getmetatable(class)
   local up = parent
   while up and not seconds[up.__typename] do up = getmetatable(up) end
   if not up then return end
   if parent ~= up then errors.guard(parent) end                -- a child needs no copies of its parent's methods
   errors.tell(class, seconds[up.__typename])
end

return errors
