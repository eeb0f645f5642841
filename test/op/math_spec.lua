-- test/op/math_spec.lua - error bounds of exp, sin, pow and related functions, in units in the last place.
local torch = require 'torch'
local ffi = require 'ffi'
ffi.cdef 'double expm1(double); double log1p(double); double erf(double); double pow(double, double); double atan2(double, double);'
local libm = ffi.C
local inf, nan = 1 / 0, 0 / 0

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
   { 'sin', 1, math.sin, -100, 100 }, { 'sin', 1, math.sin, -1e6, 1e6 }, { 'sin', 1, math.sin, 1e6, 1e9 },
   { 'cos', 1, math.cos, -100, 100 }, { 'cos', 1, math.cos, -1e6, 1e6 }, { 'cos', 1, math.cos, 1e6, 1e9 },
   { 'tan', 2.4, math.tan, -100, 100 }, { 'tan', 2.4, math.tan, -1e6, 1e7 },
   { 'asin', 2.2, math.asin, -1, 1 }, { 'acos', 1.2, math.acos, -1, 1 },
   { 'atan', 2.2, math.atan, -10, 10 }, { 'atan', 2.2, math.atan, -1e30, 1e30 },
   { 'sinh', 1, math.sinh, -89, 89 }, { 'sinh', 1, math.sinh, -1, 1 }, { 'cosh', 1, math.cosh, -89, 89 },
   { 'erf', 1, libm.erf, -5, 5 }, { 'erf', 1, libm.erf, -0.01, 0.01 },
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

describe('torch.pow', function()
   local special = { 0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 1.5, -1.5, 7, 16777215, 16777216, 1e30, -1e30,
      2 ^ -149, -2 ^ -149, inf, -inf, nan }
   -- The number that `kind` makes of a double.
   local function rounded(kind, v) return torch[kind] { v }[1] end
   local function is_near(want, got, units, mantissa, smallest)
      if want ~= want then return got ~= got end
      if want == got then return want ~= 0 or 1 / want == 1 / got end
      return math.abs(want) < inf and math.abs(got - want) <= units * unit(want, mantissa, smallest)
   end
   for _, kind in ipairs { 'FloatTensor', 'DoubleTensor' } do
      local mantissa, smallest = 24, -149
      if kind == 'DoubleTensor' then mantissa, smallest = 53, -1074 end
      it('of special numbers gives what C does, in a ' .. kind, function()
         local x, z = torch[kind](#special), torch[kind](#special)
         for i, power in ipairs(special) do
            for k, base in ipairs(special) do x[k] = base end
            z:fill(power)
            local y, all = torch.pow(x, power), torch.cpow(x, z)
            for k = 1, #special do
               local want = rounded(kind, libm.pow(x[k], z[k]))
               local what = ('%.9g to the power of %.9g'):format(x[k], z[k])
               assert.truthy(is_near(want, y[k], 1, mantissa, smallest), ('%s: pow gives %.9g'):format(what, y[k]))
               assert.truthy(is_near(want, all[k], 1, mantissa, smallest), ('%s: cpow gives %.9g'):format(what, all[k]))
               assert.truthy(is_near(rounded(kind, libm.pow(special[i], x[k])), torch.pow(z[1], x)[k], 1, mantissa, smallest),
                             'a number to the power of a tensor: ' .. what)
            end
         end
      end)
   end
   it('is off by at most 0.51 units for floats', function()
      for _, power in ipairs { 1.7, -0.3, 37.5, -20.25, 0.001, 3, -2, 0.5 } do
         local x = points(1e-3, 30, 3000):float()
         local y = torch.pow(x, power)
         for i = 1, x:nElement() do
            local want = libm.pow(x[i], torch.FloatTensor { power }[1])
            if want < 2 ^ 128 then
               assert.truthy(math.abs(y[i] - want) <= 0.51 * unit(want, 24, -149), ('%.9g ^ %g: %.9g'):format(x[i], power, y[i]))
            end
         end
      end
   end)
end)

describe('torch.atan2', function()
   it('knows all quadrants, zeros and infinities', function()
      local special = { 0, -0.0, 1, -1, 3, -3, 1e-300, 1e300, inf, -inf, nan }
      for _, kind in ipairs { 'FloatTensor', 'DoubleTensor' } do
         for _, a in ipairs(special) do
            for _, b in ipairs(special) do
               local y, x = torch[kind] { a }, torch[kind] { b }
               local want, got = libm.atan2(y[1], x[1]), torch.atan2(y, x)[1]
               local same = want ~= want and got ~= got or math.abs(want - got) <= 2 ^ (kind == 'FloatTensor' and -22 or -50)
               assert.truthy(same and (want ~= 0 or 1 / want == 1 / got), ('%s: atan2(%g, %g) gives %g'):format(kind, a, b, got))
            end
         end
      end
   end)
end)

describe('the vectorised functions', function()
   it('give an element the same bits wherever it stands', function()
      for _, name in ipairs { 'exp', 'expm1', 'log', 'log1p', 'tanh', 'sigmoid', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan',
         'sinh', 'cosh', 'erf', 'gelu' } do
         for _, kind in ipairs { 'FloatTensor', 'DoubleTensor' } do
            local x = torch[kind](101)
            for i = 1, 101 do x[i] = (i - 51) / 51 end
            if name == 'sin' then x[77] = 1e9 end                        -- sends its neighbours another way
            local y = torch[name](x)
            for i = 1, 101 do
               local alone = torch[name](torch[kind] { x[i] })[1]
               assert.truthy(alone == y[i] or alone ~= alone and y[i] ~= y[i], ('%s of %g'):format(name, x[i]))
            end
         end
      end
   end)
   it('give nan for an infinite angle', function()
      for _, name in ipairs { 'sin', 'cos', 'tan' } do
         for _, v in ipairs { inf, -inf } do
            local y = torch[name](torch.FloatTensor { v, 0 })
            assert.truthy(y[1] ~= y[1] and y[2] == (name == 'cos' and 1 or 0), name)
         end
      end
   end)
end)
