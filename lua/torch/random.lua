-- torch.random - generators of random numbers, single numbers, and random tensors.
--
-- Every function takes a torch.Generator as its first argument, to draw from that instead of the
-- default one. A generator is of kind 'mt19937', whose streams after torch.manualSeed are those of
-- Torch7, or 'philox' (Philox4x32-10), whose words come from a counter: all threads fill a tensor.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local class = require 'torch.class'
local create = require 'torch.create'
local dtype = require 'torch.dtype'
local op = require 'torch.op'
local recording = require 'torch.recording'
local tensor = require 'torch.tensor'
local C, generator_t, is_generator, is_tensor = lib.C, lib.generator_t, arg.is_generator, arg.is_tensor
local log, exp, tan, floor = math.log, math.exp, math.tan, math.floor

local random = {}

-- The generator of this thread; it is never freed.
local default = generator_t { C.th_generator_default() }

-- ---- generators ----------------------------------------

local kinds = { mt19937 = C.TH_MT19937, philox = C.TH_PHILOX }

local function need_kind(who, kind)
   if kinds[kind] then return kinds[kind] end
   if type(kind) ~= 'string' then arg.refuse(who, 'kind', "'mt19937' or 'philox'", kind, 3) end
   error(("%s: kind must be 'mt19937' or 'philox', got '%s'"):format(who, kind), 3)
end

local free_generator = lib.finalizer(function(ref)
   C.th_generator_free(ref.g)
   ref.g = default.g
end)

local function new_generator(_, kind, extra)
   if extra ~= nil then error(('torch.Generator: too many arguments, got %s in the end'):format(arg.describe(extra)), 2) end
   local g = C.th_generator_new(kind == nil and C.TH_MT19937 or need_kind('torch.Generator', kind))
   if g == nil then error('torch.Generator: no memory left', 2) end
   return lib.own(ffi.gc(generator_t { g }, free_generator))
end

local Generator = {}                        -- methods

-- Methods take a pointer to a generator too, and can be called with a dot.
local function need_generator(who, g)
   if not is_generator(g) then arg.refuse(who, 'argument 1', 'a torch.Generator', g, 3) end
end

--- Which kind of generator it is: 'mt19937' or 'philox'.
function Generator:kind()
   need_generator('kind', self)
   return C.th_generator_kind(self.g) == C.TH_PHILOX and 'philox' or 'mt19937'
end

--- A copy of the generator that continues its stream.
function Generator:clone()
   need_generator('clone', self)
   local copy = new_generator(nil, self:kind())
   C.th_generator_copy(copy.g, self.g)
   return copy
end

-- (generator, ...), or (...) with the default generator put in front.
local function with_generator(first, ...)
   if is_generator(first) then return first.g, ... end
   return default.g, first, ...
end

local function need_number(who, name, v)
   if type(v) ~= 'number' then v = arg.number_of(v) or arg.refuse(who, name, 'a number', v, 3) end
   if v ~= v then error(('%s: %s must be a number, got nan'):format(who, name), 3) end
   return v
end

local function none_left(who, extra)
   if extra == nil then return end
   error(('%s: too many arguments, got %s in the end'):format(who, arg.describe(extra)), 3)
end

--- Restarts the stream: torch.manualSeed([generator,] seed [, kind]). The seed is cut to a whole number, of which
-- an 'mt19937' uses the lowest 32 bits and a 'philox' 64. A kind changes the generator to that kind:
-- torch.manualSeed(1, 'philox') makes the default generator a Philox, torch.manualSeed(1, 'mt19937') undoes it.
-- torch.manualSeed(7); a = torch.random(100); torch.manualSeed(7); a == torch.random(100) --> true
local function manual_seed(...)
   local g, seed, kind, extra = with_generator(...)
   recording.refuse('torch.manualSeed: it sets a generator, which', 2)
   seed = need_number('torch.manualSeed', 'seed', seed)
   kind = not arg.absent(kind) and need_kind('torch.manualSeed', kind) or nil
   none_left('torch.manualSeed', extra)
   if seed >= 2 ^ 64 or seed < -2 ^ 63 then
      error(('torch.manualSeed: seed must lie in -2^63..2^64, got %g'):format(seed), 2)
   end
   local whole = seed < 0 and ffi.cast('int64_t', seed) or seed
   C.th_generator_seed(g, kind or C.th_generator_kind(g), ffi.cast('uint64_t', whole))
end

--- Seeds with a random seed; returns the seed, with which manualSeed starts the same stream.
local function seed(...)
   local g, extra = with_generator(...)
   none_left('torch.seed', extra)
   recording.refuse('torch.seed: it sets a generator, which', 2)
   local fresh = C.th_generator_new(C.th_generator_kind(g))
   if fresh == nil then error('torch.seed: no memory left', 2) end
   C.th_generator_copy(g, fresh)
   C.th_generator_free(fresh)
   return tonumber(C.th_generator_initial_seed(g))
end

--- The seed that the generator was given last.
-- torch.manualSeed(7); torch.initialSeed() --> 7
local function initial_seed(...)
   local g, extra = with_generator(...)
   none_left('torch.initialSeed', extra)
   return tonumber(C.th_generator_initial_seed(g))
end

--- The state of the generator as a ByteTensor, for setRNGState: torch.getRNGState([generator,] [result]).
-- s = torch.getRNGState(); a = torch.random(); torch.setRNGState(s); a == torch.random() --> true
local function get_state(...)
   local g, result, extra = with_generator(...)
   none_left('torch.getRNGState', extra)
   if result == nil then result = tensor.empty(C.TH_U8) end
   if not is_tensor(result) or dtype.of(result) ~= C.TH_U8 then
      arg.refuse('torch.getRNGState', 'result', 'a torch.ByteTensor', result)
   end
   create.resize('getRNGState', result, tonumber(C.th_generator_state_size(g)))
   local packed = result:contiguous()
   C.th_generator_get_state(g, packed:data())
   if packed ~= result then result:copy(packed) end
   return result
end

--- Continues the stream from a state of getRNGState, of either kind: torch.setRNGState([generator,] state).
local function set_state(...)
   local g, state, extra = with_generator(...)
   none_left('torch.setRNGState', extra)
   recording.refuse('torch.setRNGState: it sets a generator, which', 2)
   if not is_tensor(state) or dtype.of(state) ~= C.TH_U8 then
      arg.refuse('torch.setRNGState', 'state', 'a torch.ByteTensor', state)
   end
   local packed = state:contiguous()
   lib.check(C.th_generator_set_state(g, packed:data(), packed:nElement()), 2)
end

-- ---- single numbers ----------------------------------------

local function optional(who, name, v, value)
   if v == nil then return value end
   return need_number(who, name, v)
end

local function unit(g) return C.th_generator_uniform(g, 0, 1) end

local numbers = {}                          -- name -> function(generator, ...)

--- torch.random([generator,] [a], [b]): Without a tensor, a number: of 0..2^32-1, of 1..n with random(n), of a..b with
-- random(a, b).
function numbers.random(g, a, b, extra)
   none_left('torch.random', extra)
   if a == nil then return tonumber(C.th_generator_random(g)) end
   a = need_number('torch.random', b == nil and 'n' or 'a', a)
   if b == nil then a, b = 1, a end
   b = need_number('torch.random', 'b', b)
   a, b = a < 0 and math.ceil(a) or floor(a), b < 0 and math.ceil(b) or floor(b)
   if not (a >= -2 ^ 53 and b <= 2 ^ 53) then
      error(('torch.random: numbers must lie within 2^53 of 0, got %g..%g'):format(a, b), 2)
   end
   if b < a then
      if a == 1 then error(('torch.random: n must be at least 1, got %g'):format(b), 2) end
      error(('torch.random: b must not be less than a, got %g and %g'):format(b, a), 2)
   end
   local count = b - a + 1
   if count <= 2 ^ 32 then return a + tonumber(C.th_generator_random(g)) % count end
   local wide = C.th_generator_random(g) * 2ULL ^ 32ULL + C.th_generator_random(g)
   return a + tonumber(wide % ffi.cast('uint64_t', count))
end

--- torch.uniform([generator,] [a], [b]): Without a tensor, a number of [a, b): 0 and 1 unless given.
function numbers.uniform(g, a, b, extra)
   none_left('torch.uniform', extra)
   a, b = optional('torch.uniform', 'a', a, 0), optional('torch.uniform', 'b', b, 1)
   return C.th_generator_uniform(g, a, b)
end

--- torch.normal([generator,] [mean], [std]): Without a tensor, a normal number: mean 0 and standard deviation 1 unless given.
function numbers.normal(g, mean, std, extra)
   none_left('torch.normal', extra)
   mean, std = optional('torch.normal', 'mean', mean, 0), optional('torch.normal', 'std', std, 1)
   if std < 0 then error(('torch.normal: std must not be negative, got %g'):format(std), 2) end
   return C.th_generator_normal(g, mean, std)
end

--- torch.logNormal([generator,] [mean], [std]): Without a tensor, exp(z) of a normal number z: mean 1 and standard deviation 2
-- unless given.
function numbers.logNormal(g, mean, std, extra)
   none_left('torch.logNormal', extra)
   mean, std = optional('torch.logNormal', 'mean', mean, 1), optional('torch.logNormal', 'std', std, 2)
   if std <= 0 then error(('torch.logNormal: std must be greater than 0, got %g'):format(std), 2) end
   return exp(C.th_generator_normal(g, mean, std))
end

--- torch.exponential([generator,] [lambda]): Without a tensor, an exponential number of rate lambda (1).
function numbers.exponential(g, lambda, extra)
   none_left('torch.exponential', extra)
   lambda = optional('torch.exponential', 'lambda', lambda, 1)
   if lambda <= 0 then
      error(('torch.exponential: lambda must be greater than 0, got %g'):format(lambda), 2)
   end
   return -1 / lambda * log(1 - unit(g))
end

--- torch.cauchy([generator,] [median], [sigma]): Without a tensor, a number of the Cauchy distribution: median 0 and half width 1
-- unless given.
function numbers.cauchy(g, median, sigma, extra)
   none_left('torch.cauchy', extra)
   median, sigma = optional('torch.cauchy', 'median', median, 0), optional('torch.cauchy', 'sigma', sigma, 1)
   return median + sigma * tan(math.pi * (unit(g) - 0.5))
end

--- torch.geometric([generator,] p): Without a tensor, the number of trials up to the first failure; each succeeds with
-- probability p.
function numbers.geometric(g, p, extra)
   none_left('torch.geometric', extra)
   p = need_number('torch.geometric', 'p', p)
   if p <= 0 or p >= 1 then error(('torch.geometric: p must lie between 0 and 1, got %g'):format(p), 2) end
   return floor(log(1 - unit(g)) / log(p)) + 1
end

--- torch.bernoulli([generator,] [p]): Without a tensor, 1 with probability p (0.5), else 0.
function numbers.bernoulli(g, p, extra)
   none_left('torch.bernoulli', extra)
   p = optional('torch.bernoulli', 'p', p, 0.5)
   if p < 0 or p > 1 then error(('torch.bernoulli: p must lie in 0..1, got %g'):format(p), 2) end
   local u = unit(g)
   return p > 0 and u <= p and 1 or 0
end

-- torch.<name>: a number, or, when the first argument is a tensor, the op that fills it.
local function number_or_tensor(name, draw)
   local fill
   return function(first, ...)
      if is_generator(first) then return draw(first.g, ...) end
      if is_tensor(first) then
         fill = fill or op.func(name)
         return fill(first, ...)
      end
      return draw(default.g, first, ...)
   end
end

-- ---- tensors ----------------------------------------

-- rand and randn: `fill` is the op, a and b are its parameters.
local function filled(name, fill, a, b)
   local function make(g, result, ...)
      if not dtype.is_float(result._dtype) then
         arg.refuse(name, 'result', 'a Float, Double, Half or BFloat16 tensor', result, 3)
      end
      return op.func(fill)(create.resize(name, result, ...), g, a, b)
   end
   return function(result, first, ...)
      if is_generator(first) then return make(first, result, ...) end
      return make(default, result, first, ...)
   end
end

-- The result and a generator may come first, in either order: torch.rand(g, 3), torch.rand(x, g, 3).
local function generator_first(torch, name)
   local f = torch[name]
   torch[name] = function(first, ...)
      local second = ...
      if not is_generator(first) then return f(first, ...) end
      if is_tensor(second) then return f(second, first, select(2, ...)) end
      return f(tensor.empty(tensor.default()), first, ...)
   end
end

--- The tables for drawing positions of p in constant time, { J, q }; or fills given ones.
local function alias_setup(p, tables)
   arg.tensor('torch.multinomialAliasSetup', 'probs', p)
   local setup = op.func 'multinomialAliasSetup_'
   if type(tables) ~= 'table' then
      local J, q = setup(p)
      return { J, q }
   end
   tables[1], tables[2] = setup(tables[1] or tensor.empty(C.TH_I64), tables[2] or tensor.empty(p._dtype), p)
   return tables
end

--- Fills a LongTensor with positions drawn by the tables of multinomialAliasSetup.
local function alias_draw(result, tables)
   arg.tensor('torch.multinomialAlias', 'result', result)
   if type(tables) ~= 'table' or not arg.is_tensor(tables[1]) or not arg.is_tensor(tables[2]) then
      arg.refuse('torch.multinomialAlias', 'state', 'the table of torch.multinomialAliasSetup', tables)
   end
   return op.func 'multinomialAlias_' (result, tables[1], tables[2])
end

function random.install(torch)
   torch.manualSeed, torch.seed, torch.initialSeed = manual_seed, seed, initial_seed
   torch.getRNGState, torch.setRNGState = get_state, set_state
   torch._gen = default
   for name, draw in pairs(numbers) do torch[name] = number_or_tensor(name, draw) end

   --- torch.rand([result,] [generator,] sizes..., [type]), Tensor:rand(sizes...): Numbers of [0, 1), all equally likely. The type must be one of
   -- floats.
   -- torch.rand(2, 3):size() --> {2, 3}

   --- torch.randn([result,] [generator,] sizes..., [type]), Tensor:randn(sizes...): Numbers of the normal distribution with mean 0 and
   -- standard deviation 1.
   -- torch.randn(2, 3):size() --> {2, 3}

   --- torch.Generator([kind]): A generator with a separate stream and a random seed. It can be the first argument of every
   -- random function. Kind 'mt19937' is Torch7's Mersenne twister; 'philox' is Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
   -- All threads fill tensors with Philox; the numbers do not depend on how many threads there are.
   -- g = torch.Generator(); torch.manualSeed(g, 7); torch.random(g, 10) --> 6

   --- torch.Generator:read(file), torch.Generator:write(file): The state, from or to a torch.File.
   create.define(torch, 'rand', filled('rand', 'uniform', 0, 1))
   create.define(torch, 'randn', filled('randn', 'normal', 0, 1))
   generator_first(torch, 'rand')
   generator_first(torch, 'randn')
   torch.multinomialAliasSetup, torch.multinomialAlias = alias_setup, alias_draw

   Generator.__index = Generator
   ffi.metatype(generator_t, {
      __index = function(_, k) return Generator[k] end,       -- a table would raise an error for a missing field
      __tostring = function(g)
         if not is_generator(g) then return 'NULL' end
         return g:kind() == 'philox' and 'torch.Generator (philox)' or 'torch.Generator'
      end,
   })
   local constructor = setmetatable({}, { __index = Generator, __call = new_generator })
   class.ctype(generator_t, function() return 'torch.Generator' end,
      function(ref) return tonumber(ffi.cast('intptr_t', ref.g)) end)
   class.register('torch.Generator', Generator, nil, { constructor = constructor, factory = new_generator })
   torch.Generator = constructor
end

return random
