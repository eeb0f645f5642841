-- test/op/math_spec.lua - how far exp, log and their kin may be off, in units of the last place.
local torch = require 'torch'
local ffi = require 'ffi'
ffi.cdef 'double expm1(double); double log1p(double);'
local libm = ffi.C

-- Points that lie dense near 0 and reach from lo to hi.
local function points(lo, hi, n)
   local x = torch.DoubleTensor(n)
   for i = 1, n do
      local t = (i - 1) / (n - 1)
      local at = lo + (hi - lo) * t
      x[i] = i % 3 == 0 and at * 2 ^ -(i % 40) or at
   end
   return x
end

local function unit(v, mantissa, smallest)
   local _, e = math.frexp(v)
   return 2 ^ math.max(e - mantissa, smallest)
end

local function worst(name, exact, x, mantissa, smallest)
   local y, most = torch[name](x), 0
   for i = 1, x:nElement() do
      local want = exact(x[i])
      if math.abs(want) < (mantissa == 24 and 2 ^ 128 or 2 ^ 1023) then
         most = math.max(most, math.abs(y[i] - want) / unit(want, mantissa, smallest))
      end
   end
   return most
end

local functions = {                          -- name, units, where
   { 'exp', 1.1, math.exp, -90, 88 }, { 'exp', 1.1, math.exp, -1, 1 },
   { 'expm1', 2, libm.expm1, -20, 80 }, { 'expm1', 2, libm.expm1, -1, 1 },
   { 'log', 1, math.log, 1e-30, 10 }, { 'log', 1, math.log, 0.7, 1.4 },
   { 'log1p', 1.5, libm.log1p, -0.9, 5 }, { 'log1p', 1.5, libm.log1p, -0.01, 0.01 },
   { 'tanh', 3, math.tanh, -10, 10 }, { 'tanh', 3, math.tanh, -0.5, 0.5 },
   { 'sigmoid', 3, function(x) return 1 / (1 + math.exp(-x)) end, -80, 30 },
}

describe('the error of', function()
   for _, f in ipairs(functions) do
      it(('%s between %g and %g is at most %g units'):format(f[1], f[4], f[5], f[2]), function()
         local x = points(f[4], f[5], 5000)
         local single = x:float()
         local most = worst(f[1], f[3], single, 24, -149)
         assert.truthy(most <= f[2], ('float: %g'):format(most))
         most = worst(f[1], f[3], x, 53, -1074)                -- the reference itself may be off by one
         assert.truthy(most <= f[2] + 1, ('double: %g'):format(most))
      end)
   end
end)
