-- bench/fft_accuracy.lua - rounding errors of Fourier transforms: relative L2 error / largest error
-- over the root mean square.
--    th bench/fft_accuracy.lua [-old FILE] [-only N]
-- SciPy computes the reference in long double. `-old` names a page of results: the ratio of the L2
-- errors to its columns of pocketfft is printed, and the largest one at the end.
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local torch = require 'torch'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local NUMBERS = 40000                         -- of a row at least
local SIZES = { 15, 16, 17, 31, 32, 60, 61, 64, 100, 101, 127, 128, 251, 256, 360, 509, 512, 1000,
   1021, 1024, 1080, 1155, 1920, 2042, 4093, 4096, 10000, 16384, 65521, 65536, 100000, 262144,
   1000000, 1048573, 1048576, 1594323, 4194304 }
local options = measure.options(arg or {}, { old = '', only = 0 })
torch.manualSeed(1)
local scipy, why = peer.pytorch 'fft_accuracy'
if not scipy then error('no SciPy: ' .. why) end

-- The L2 errors of pocketfft by size, transform and type.
local recorded = {}
if options.old ~= '' then
   for line in io.lines(options.old) do
      local pair = '[^|]+ | (%S+) / [^|]+ | '
      local row = '^| (%d+) | (%a+) | ' .. pair .. pair .. '$'
      local n, name, double, float = (line .. ' '):match(row)
      if n then recorded[n .. name] = { Double = tonumber(double), Float = tonumber(float) } end
   end
end

local path = os.tmpname()
local worst, where = 0, nil
local function write(f, t) f:write(ffi.string(torch.data(t), t:nElement() * t:elementSize())) end

local function errors(kind, name, n)
   local lines = math.ceil(NUMBERS / n)
   local inner = name == 'irfft' and math.floor(n / 2) + 1 or n
   local sizes = name == 'rfft' and { lines, inner } or { lines, inner, 2 }
   local x = torch[kind .. 'Tensor'](unpack(sizes)):uniform(-1, 1)
   if name == 'irfft' then
      x:select(2, 1):select(2, 2):zero()
      if n % 2 == 0 then x:select(2, inner):select(2, 2):zero() end
   end
   local y = torch.fft[name](x, n, 2)
   local f = assert(io.open(path, 'wb'))
   write(f, x)
   write(f, y:contiguous())
   f:close()
   local request = ('%s %s %d %d %s'):format(name, kind == 'Float' and 'f4' or 'f8', n, lines, path)
   return scipy.ask('mean ' .. request), scipy.ask('largest ' .. request)
end

print '| size | transform | double | float | double to pocketfft | float to pocketfft |'
print '|---:|---|---|---|---:|---:|'
for _, n in ipairs(SIZES) do
   for _, name in ipairs { 'fft', 'ifft', 'rfft', 'irfft' } do
      if options.only == 0 or options.only == n then
         local row, ratios = { n, name }, {}
         for _, kind in ipairs { 'Double', 'Float' } do
            local mean, largest = errors(kind, name, n)
            row[#row + 1] = ('%.2e / %.2e'):format(mean, largest)
            local old = recorded[n .. name]
            local ratio = old and mean / old[kind]
            ratios[#ratios + 1] = ratio and ('%.2f'):format(ratio) or '-'
            if ratio and ratio > worst then
               worst, where = ratio, ('%s of %d, %s'):format(name, n, kind)
            end
         end
         print('| ' .. table.concat(row, ' | ') .. ' | ' .. table.concat(ratios, ' | ') .. ' |')
         io.stdout:flush()
      end
   end
   collectgarbage()
end
os.remove(path)
if where then measure.note('the largest ratio: %.2f (%s)', worst, where) end
scipy.close()
