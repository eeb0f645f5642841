-- bench/compress.lua - speed of packing and unpacking compressed gradients, compared with the speed of memory.
--    th bench/compress.lua [-floats 16777216] [-rounds 7] [-ranks 4] [-net 200]
-- One thread. For each compressor: the compression ratio; the speed of packing, of adding one rank's floats and packing again,
-- and of unpacking, in GB of floats per second; the memory traffic of packing (reads x and the error, writes the new error)
-- relative to a copy. The last two columns are computed, not measured: a whole step of -ranks ranks with these times and a
-- network of -net Mbit/s for each rank, and how many times longer a ring of floats takes on it.
local torch = require 'torch'
local dist = require 'dist'.init()
local compress = require 'distributed.compress'
local wire = require 'distributed.lib'
local measure = require 'bench.lib.measure'

local cmd = torch.CmdLine()
cmd:text 'Packing and unpacking of gradients.'
cmd:option('-floats', 16777216, 'how many')
cmd:option('-rounds', 9, 'of which the first three do not count')
cmd:option('-ranks', 4, 'of the step that is computed')
cmd:option('-net', 200, 'Mbit/s of each rank')
local opt = cmd:parse(arg)
for name, least in pairs { floats = 1, rounds = 4, ranks = 2, net = 1e-6 } do
   if type(opt[name]) ~= 'number' or opt[name] ~= opt[name] or opt[name] < least then
      io.stderr:write(('compress: -%s must be a number from %g, got %s\n'):format(name, least, tostring(opt[name])))
      os.exit(2)
   end
end

torch.setnumthreads(1)
torch.manualSeed(1)
local x = torch.FloatTensor(opt.floats):normal()
local y = x:clone()

-- Medians of the processor seconds of each function, measured in turns. In the first rounds memory is new.
local function medians(functions)
   local took = {}
   for round = 1, opt.rounds do
      for i, f in ipairs(functions) do
         took[i] = took[i] or {}
         local t = measure.work(f)
         if round > 3 then table.insert(took[i], t) end
      end
   end
   for i, list in ipairs(took) do took[i] = measure.median(list) end
   return took
end

print(('%d floats, one thread, medians of %d rounds; %d ranks at %g Mbit/s'):format(opt.floats, opt.rounds - 3, opt.ranks,
   opt.net))
print '| compressor | fewer bytes | pack GB/s | add and pack GB/s | unpack GB/s | packing, of a copy | step s | ring of floats / step |'
print '|------------|------------:|----------:|------------------:|------------:|-------------------:|-------:|----------------------:|'
for _, kind in ipairs { 'half', 'bfloat16', 'int8', 'onebit', 'topk' } do
   local c, job = dist.compressor(kind), nil
   local took = medians {
      function() y:copy(x) end,
      function() job = compress.pack(c, wire.world, { y }) end,
      function() compress.send(c, job) compress.arrive(c, job) end,
      function() compress.take(c, job, 1) end,
   }
   local few, all = c:bytes(x)
   local function speed(i) return 1e-9 * all / took[i] end
   local part = 2 * (opt.ranks - 1) / opt.ranks / (opt.net * 1e6 / 8)            -- seconds per byte on the network
   -- A rank adds its shard of all ranks' parts: about as much as one whole vector.
   local step = took[2] + took[3] + took[4] + few * part
   print(('| %-10s | %11.1f | %9.2f | %17.2f | %11.2f | %16.0f %% | %6.2f | %21.1f |'):format(kind, all / few, speed(2), speed(3),
      speed(4), 100 * (3 / took[2]) / (2 / took[1]), step, all * part / step))
end
