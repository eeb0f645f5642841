-- lua/onnx/unsigned.lua - uint64 in a LongTensor, where numbers from 2^63 on are negative: order,
-- division, conversion.
local ffi = require 'ffi'
local torch = require 'torch'
local registry = require 'onnx.registry'
local types = require 'onnx.types'

local M = {}

local u64, u64_pointer = ffi.typeof 'uint64_t', ffi.typeof 'uint64_t *'

local function elements(t) return ffi.cast(u64_pointer, t:data()) end

-- ---- order --------------------------------------------------------------------------------------

local top = torch.LongTensor { 1 }:lshift(63)

--- A new tensor with the sign bits flipped: signed numbers in the order of the unsigned ones. A
-- second flip undoes the first.
function M.flip(t) return torch.cbitxor(t, top) end

local function run_flipped(n, run, list)
   for k = 1, n.count do
      if n.types[k] == 'uint64' and list[k] ~= nil then list[k] = M.flip(list[k]) end
   end
   local results = { run(n, unpack(list, 1, n.count)) }
   for i, name in ipairs(n.out_types) do
      if name == 'uint64' and results[i] ~= nil then results[i] = M.flip(results[i]) end
   end
   return unpack(results, 1, n.outputs)
end

--- Lets ops that compare numbers take uint64: their inputs and results are flipped.
-- @param ...  names of ops in the registry
function M.ordered(...)
   for _, name in ipairs { ... } do
      local definition = registry.find(name)
      local run = definition.run
      definition.run = function(n, ...)
         if n.types[1] ~= 'uint64' then return run(n, ...) end
         return run_flipped(n, run, { ... })
      end
   end
end

-- ---- division -----------------------------------------------------------------------------------

local function quotient(y, a, b, count)
   for i = 0, count - 1 do y[i] = a[i] / b[i] end
end
local function remainder(y, a, b, count)
   for i = 0, count - 1 do y[i] = a[i] % b[i] end
end

--- a / b, or the remainder, of tensors that broadcast. Refuses 0 in b.
-- @param rest  whether the remainder is wanted
function M.divide(a, b, rest)
   local shape = types.broadcast(types.shape(a), types.shape(b))
      or error('the shapes do not broadcast', 0)
   local y = types.empty('uint64', shape)
   if y:nElement() == 0 then return y end
   if torch.eq(b, 0):sum() > 0 then error('the divisor must not hold 0', 0) end
   a, b = types.expand(a, shape):contiguous(), types.expand(b, shape):contiguous()
   local compute = rest and remainder or quotient
   compute(elements(y), elements(a), elements(b), y:nElement())
   return y
end

-- ---- conversion ---------------------------------------------------------------------------------

--- The numbers as doubles.
function M.to_double(t)
   local y = types.empty('double', types.shape(t))
   local from, to, count = t:contiguous(), y, y:nElement()
   if count == 0 then return y end
   local a, b = elements(from), to:data()
   for i = 0, count - 1 do b[i] = tonumber(a[i]) end
   return y
end

--- Numbers as uint64. Those below 2^63 follow the rules of types.convert; those from 2^64 on become
-- the largest number.
function M.from(t)
   local y = types.convert(t, 'uint64')
   local large = types.readable(types.convert(t, 'double'))
   local p, q = large:nElement() > 0 and large:data(), y:nElement() > 0 and elements(y)
   for i = 0, y:nElement() - 1 do
      if p[i] >= 2 ^ 64 then q[i] = -1LL
      elseif p[i] >= 2 ^ 63 then q[i] = ffi.cast(u64, p[i]) end
   end
   return y
end

--- The elements as a list of cdata, which are exact and compare as numbers, of a tensor of int64 or
-- uint64.
function M.exact(t, name)
   t = t:contiguous()
   local list, count = {}, t:nElement()
   if count == 0 then return list end
   local p = name == 'uint64' and elements(t) or t:data()
   for i = 1, count do list[i] = p[i - 1] end
   return list
end

return M
