-- lua/optim/need.lua - checks of the arguments of optimizers, and of the function that they minimise.
local torch = require 'torch'
local arg = require 'torch.arg'
local recording = require 'torch.recording'

local need = {}

--- The options of optimizers with a learning rate, for need.declare.
need.RATE = 'learningRate learningRateDecay weightDecay'

local reads, replayed = {}, {}

--- Says which options of a function are numbers, as words of a text. Programs pass tables that hold other values under other names.
-- @param o  { replayed = true } for an optimizer whose steps a CUDA graph can replay: they use no
--   numbers that change from step to step, or read them from memory
function need.declare(who, names, o)
   reads[who], replayed[who] = {}, o and o.replayed
   for name in names:gmatch '%S+' do reads[who][name] = true end
end

function need.func(who, what, f)
   if not arg.is_callable(f) then arg.refuse(who, what, 'a function', f, 4) end
end

function need.tensor(who, what, x)
   if not torch.isTensor(x) then arg.refuse(who, what, 'a tensor', x, 4) end
end

function need.number(who, what, v)
   if type(v) ~= 'number' then arg.refuse(who, what, 'a number', v, 4) end
end

-- The options, with strings such as '0.1' converted to numbers. Changes of `config` show
-- here, too.
local function as_numbers(config, known)
   return setmetatable({}, { __index = function(_, name)
      local v = config[name]
      if known[name] and type(v) == 'string' then return tonumber(v) end
      return v
   end })
end

--- A table of options, empty when there is none. false means the default.
function need.options(who, what, config)
   if config == nil then return {} end
   if type(config) ~= 'table' then arg.refuse(who, what, 'a table', config, 4) end
   local known, texts = reads[who] or {}, false
   for name, v in pairs(config) do
      if known[name] and type(v) ~= 'number' and v then
         if not tonumber(v) then arg.refuse(who, ('%s.%s'):format(what, name), 'a number', v, 4) end
         texts = texts or type(v) == 'string'
      end
   end
   return texts and as_numbers(config, known) or config
end

--- The value state[name] that an optimizer keeps between steps. The first step makes it, so it cannot be part of a CUDA graph.
function need.kept(who, state, name, make)
   if state[name] == nil then
      recording.refuse(('%s: its first step, which makes state.%s,'):format(who, name), 4)
      state[name] = make()
   end
   return state[name]
end

-- Tables of options that were used outside a CUDA graph. A graph reads such a table at each replay. It would not read a table
-- that f makes at each call, so the numbers of that one would never change.
local outside = setmetatable({}, { __mode = 'k' })
local function need_lasting(who, config)
   if not recording.recorder then outside[config] = true
   elseif not outside[config] then
      recording.refuse(who .. ': a table of options that no earlier call has used (make it once, outside the function)', 5)
   end
end

--- A vector of factors, one for each parameter, of the type and the size of x.
function need.factors(who, what, factors, x)
   if not torch.isTensor(factors) or factors:nElement() ~= x:nElement() then
      arg.refuse(who, what, ('a tensor of %d elements'):format(x:nElement()), factors, 4)
   end
   if factors:type() == x:type() and factors:isSameSizeAs(x) then return factors end
   return x.new(x:size()):copy(factors)
end

--- The arguments of an optimizer. @return config and state
function need.all(who, opfunc, x, config, state)
   if not replayed[who] then
      recording.refuse(who .. ': its steps depend on numbers of the host; use optim.sgd, adam, adamw or rmsprop; it', 4)
   end
   need.func(who, 'opfunc', opfunc)
   need.tensor(who, 'x', x)
   if type(config) == 'table' then need_lasting(who, config) end
   local options = need.options(who, 'config', config)
   if type(state) ~= 'nil' and type(state) ~= 'table' then arg.refuse(who, 'state', 'a table', state, 3) end
   return options, state or config or options
end

--- The value and the gradient of opfunc at x.
function need.evaluate(who, opfunc, x)
   local f, g = opfunc(x)
   if not torch.isTensor(g) or g:nElement() ~= x:nElement() then
      error(('%s: opfunc must return the value and the gradient, a tensor of size %s; got %s as gradient'):format(who,
         arg.size_text(x), arg.describe(g)), 3)
   end
   return f, g
end

--- The value of a function as a number, from a number or a tensor of one element: for optimizers that compare values.
-- @param what  the name of the function, default 'opfunc'
function need.value(who, value, what)
   if torch.isTensor(value) and value:nElement() == 1 then value = value:sum() end
   if type(value) ~= 'number' then arg.refuse(who, 'the value of ' .. (what or 'opfunc'), 'a number', value, 3) end
   return value
end

--- Like need.evaluate; the value is a number.
function need.evaluate_number(who, opfunc, x)
   local f, g = need.evaluate(who, opfunc, x)
   return need.value(who, f), g
end

return need
