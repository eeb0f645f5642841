-- bench/bytes.lua - the bytes that the ops of a training step read and write, by a model.
--    th bench/bytes.lua [-net resnet50] [-batch 256] [-types float,bfloat16] [-size 224] [-rows 12]
--
-- The model: each op reads each of its inputs once and writes each result once; an element that
-- repeats (stride 0) counts once, and so does a tensor that is two inputs. So it is what a kernel
-- for each op moves at least. It does not know of caches, several passes of a kernel, or layouts
-- that a library converts. The step runs on the CPU with two and three samples; what grows with
-- samples is extended to the batch.
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local op = require 'torch.op'

-- ---- counting -----------------------------------------------------------------------------------

local counts = nil                                   -- while it counts: op -> { calls, bytes }

local KINDS = { tensor = { reads = true }, out = { writes = true }, self = { writes = true },
   inout = { reads = true, writes = true }, list = { reads = true, list = true } }
local places = {}                                    -- op -> arguments that are tensors

local function places_of(name, text)
   if places[name .. text] then return places[name .. text] end
   local found, i = {}, 0
   for word in text:gmatch '[%w_]+:(%l+)' do
      local kind = KINDS[word]
      if kind then found[#found + 1] = { at = i, kind = kind } end
      i = i + 1
   end
   places[name .. text] = found
   return found
end

local WIDTH = {}
local function bytes_of(t)
   if t == nil then return 0 end
   local n = 1
   for d = 0, t._ndim - 1 do
      if t._stride[d] ~= 0 then n = n * tonumber(t._size[d]) end
   end
   if not WIDTH[t._dtype] then WIDTH[t._dtype] = tonumber(lib.C.th_dtype_size(t._dtype)) end
   return n * WIDTH[t._dtype]
end

local function count(o, argv)
   local name = ffi.string(o.name)
   local c = counts[name] or { calls = 0, bytes = 0 }
   counts[name] = c
   c.calls = c.calls + 1
   local read = {}                                   -- addresses of inputs
   for _, place in ipairs(places_of(name, ffi.string(o.args))) do
      local kind = place.kind
      local l = kind.list and argv[place.at].list
      for k = 0, l and tonumber(l.n) - 1 or 0 do
         local t = argv[place.at].t
         if l then t = l.t[k] end
         local address = t ~= nil and tonumber(ffi.cast('intptr_t', t))
         local bytes = bytes_of(t)
         if kind.reads and address and not read[address] then
            read[address] = true
            c.bytes = c.bytes + bytes
         end
         if kind.writes then c.bytes = c.bytes + bytes end
      end
   end
end

-- The upvalue `name` of f: its index and value.
local function upvalue(f, name)
   for i = 1, math.huge do
      local n, v = debug.getupvalue(f, i)
      if n == name then return i, v end
      if not n then error('bench: torch.op has no ' .. name) end
   end
end

-- Functions of ops are generated at their first call. Those from now on count.
local function watch()
   local _, write = upvalue(op.func, 'write')
   local at, C = upvalue(write, 'C')
   local function run(o, argv, n)
      local status = C.th_run(o, argv, n)
      if counts and status == 0 then count(o, argv) end
      return status
   end
   debug.setupvalue(write, at, setmetatable({ th_run = run }, { __index = C }))
   local _, functions = upvalue(op.func, 'functions')
   local _, methods = upvalue(op.method, 'methods')
   for _, t in ipairs { functions, methods } do
      for name in pairs(t) do t[name] = nil end
   end
end
watch()

-- ---- the step -----------------------------------------------------------------------------------

local nn = require 'nn'
local optim = require 'optim'
local measure = require 'bench.lib.measure'
local nets = require 'bench.lib.nets'
local options = measure.options(arg or {}, { net = 'resnet50', batch = 256, size = 224, rows = 12,
   types = 'float,bfloat16' })

local CHANNELS, CLASSES = { lenet = 1 }, { resnet50 = 1000, alexnet = 1000 }

-- op -> { calls, bytes } of the second step with so many samples.
local function counted(number, samples)
   torch.manualSeed(1)
   local net = nets[options.net]():float()
   if number ~= 'float' then net = nn.MixedPrecision(net, number) end
   local criterion = nn.ClassNLLCriterion():float()
   local parameters, gradients = net:getParameters()
   local state = { learningRate = 1e-3, momentum = 0.9, weightDecay = 1e-4 }
   local channels = CHANNELS[options.net] or 3
   local x = torch.FloatTensor(samples, channels, options.size, options.size):uniform()
   local target = torch.LongTensor(samples):random(CLASSES[options.net] or 10)
   local function step()
      optim.sgd(function()
         gradients:zero()
         local loss = criterion:forward(net:forward(x), target)
         net:backward(x, criterion:backward(net.output, target))
         return loss, gradients
      end, parameters, state)
   end
   for _ = 1, 2 do step() end                       -- the second one has a momentum
   counts = {}
   step()
   local found = counts
   counts = nil
   return found
end

for number in options.types:gmatch '[^,]+' do
   local two, three = counted(number, 2), counted(number, 3)
   local rows, total = {}, 0
   for name, c in pairs(three) do
      local first = two[name] and two[name].bytes or 0
      local bytes = first + (options.batch - 2) * (c.bytes - first)
      rows[#rows + 1] = { name = name, calls = c.calls, bytes = bytes }
      total = total + bytes
   end
   table.sort(rows, function(a, b) return a.bytes > b.bytes end)
   print(('%s, %s, batch %d, %d x %d: %.1f GB'):format(options.net, number, options.batch,
      options.size, options.size, total / 1e9))
   print('| op                       |  calls |       GB |')
   print('|---|---:|---:|')
   for i = 1, math.min(options.rows, #rows) do
      local r = rows[i]
      print(('| %-24s | %6d | %8.2f |'):format(r.name, r.calls, r.bytes / 1e9))
   end
   print('')
   io.stdout:flush()
end
