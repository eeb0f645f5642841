-- lua/onnx/ops/random.lua - ops that draw random numbers.
--
-- Without a seed they draw from torch's generator. With a seed each run draws the same numbers: those of a Mersenne twister with
-- 53 bits for a double, the stream that NumPy's RandomState has for this seed.
local torch = require 'torch'
local lib = require 'torch.lib'
local messages = require 'onnx.messages'
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local C = lib.C

local function named(number) return messages.types[number] or error(('there is no element type %s'):format(tostring(number)),
   0) end

-- A generator for the attribute seed, or nil.
local function seeded(n)
   if not n.attr.seed then return nil end
   n.generator = n.generator or torch.Generator()
   torch.manualSeed(n.generator, math.floor(math.abs(n.attr.seed)) % 2 ^ 32)
   return n.generator
end

-- A DoubleTensor of numbers from 0 to below 1.
local function uniform(n, shape)
   local y, gen = types.empty('double', shape), seeded(n)
   local count = y:nElement()
   if count == 0 then return y end
   if not gen then return y:uniform(0, 1) end
   local p, g = y:data(), gen.g
   for i = 0, count - 1 do
      local high, low = tonumber(C.th_generator_random(g)), tonumber(C.th_generator_random(g))
      p[i] = (math.floor(high / 32) * 67108864 + math.floor(low / 64)) / 9007199254740992
   end
   return y
end

local function normal(n, shape)
   local y, gen = types.empty('double', shape), seeded(n)
   if y:nElement() == 0 then return y end
   return gen and y:normal(gen, 0, 1) or y:normal(0, 1)
end

local function of_dtype(n) return { named(n.attr.dtype or 1) } end
local function of_dtype_or_input(n) return { n.attr.dtype and named(n.attr.dtype) or n.types[1] } end

local function add(name, draw)
   registry.add('Random' .. name, { pure = false, types = of_dtype, run = function(n)
      return types.convert(draw(n, n.attr.shape or {}), n.out_types[1])
   end })
   registry.add('Random' .. name .. 'Like', { pure = false, types = of_dtype_or_input, run = function(n, x)
      return types.convert(draw(n, types.shape(x)), n.out_types[1])
   end })
end
add('Normal', function(n, shape) return normal(n, shape):mul(n.attr.scale or 1):add(n.attr.mean or 0) end)
add('Uniform', function(n, shape)
   local low, high = n.attr.low or 0, n.attr.high or 1
   return uniform(n, shape):mul(high - low):add(low)
end)

registry.add('Bernoulli', { pure = false, types = of_dtype_or_input, run = function(n, p)
   return types.convert(torch.lt(uniform(n, types.shape(p)), types.convert(p, 'double')), n.out_types[1])
end })

registry.add('Multinomial', { pure = false, types = function(n) return { named(n.attr.dtype or 6) } end, run = function(n, x)
   local p = torch.softmax(types.convert(x, 'double'), 2)
   local gen, count = seeded(n), n.attr.sample_size or 1
   local y = gen and torch.multinomial(gen, p, count, true) or torch.multinomial(p, count, true)
   return types.convert(y:add(-1), n.out_types[1])
end })

registry.add('Dropout', { pure = false, types = { 'first', 'bool' }, run = function(n, x, ratio, training)
   local train = training ~= nil and types.number(training) ~= 0
   local p = ratio ~= nil and types.number(ratio) or n.version >= 12 and 0.5 or n.attr.ratio or 0.5
   if not train or p == 0 then
      return types.alias(x), n.wanted[2] and types.full('bool', types.shape(x), 1) or nil
   end
   local kept = torch.ge(uniform(n, types.shape(x)), p)
   return torch.cmul(x, types.convert(kept, n.types[1])):mul(1 / (1 - p)), kept
end })
