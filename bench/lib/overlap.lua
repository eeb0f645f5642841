-- bench/lib/overlap.lua - the part of the gradients' transfer that dist.DataParallel overlaps with backward.
--
-- On one host the all-reduce and backward use the same processors, so little can overlap. A simulated slow link shows the overlap
-- with a network card: an operation ends no earlier than its bytes need on the link, one operation after another, and this wait
-- uses no processor. The all-reduce itself runs as well.
local torch = require 'torch'
local ffi = require 'ffi'

local overlap = {}

local function median(list)
   table.sort(list)
   return list[math.ceil(#list / 2)]
end

-- Replaces dist.allreduce for asynchronous operations. Returns a function that restores it.
local function slow(dist, now, bytes_per_second)
   local real, free = dist.allreduce, 0
   function dist.allreduce(x, op, options)
      local handle = real(x, op, options)
      if not (options and options.async) then return handle end
      local bytes = 0
      for _, t in ipairs(torch.isTensor(x) and { x } or x) do bytes = bytes + t:bytes() end
      free = math.max(free, now()) + bytes / bytes_per_second
      local there = free
      return { wait = function()
         local result = handle:wait()
         local left = there - now()
         if left > 0 then ffi.C.usleep(left * 1e6) end
         return result
      end }
   end
   return function() dist.allreduce = real end
end

--- Runs in each rank: prints 'overlap link backward communication both' in seconds, without a slow link and with one.
-- @param o  layers, width, batch, link (bytes a second; 0: as slow as lets the transfer last as long as backward), seconds
function overlap.measure(o)
   ffi.cdef 'int usleep(unsigned);'
   local dist, nn = require 'dist'.init(), require 'nn'
   local timer, net = torch.Timer(), nn.Sequential()
   local function now() return timer:time().real end
   torch.manualSeed(1)
   for _ = 1, o.layers do net:add(nn.Linear(o.width, o.width)):add(nn.Tanh()) end
   net:float()
   local model = dist.DataParallel(net, { bucket = 4 * o.width * o.width })
   local input, gradOutput = torch.randn(o.batch, o.width):float(), torch.randn(o.batch, o.width):float():div(o.batch)
   model:forward(input)
   local _, gradients = net:parameters()
   local bytes = 0
   for _, g in ipairs(gradients) do bytes = bytes + g:bytes() end

   local ways = {}
   function ways.backward() model:noSync(function() model:backward(input, gradOutput) end) end
   function ways.both() model:backward(input, gradOutput) end
   function ways.communication()
      local handles = {}
      for i = #gradients, 2, -2 do
         handles[#handles + 1] = dist.allreduce({ gradients[i], gradients[i - 1] }, 'mean', { async = true })
      end
      for _, handle in ipairs(handles) do handle:wait() end
   end
   -- Seconds of one call on the slowest rank: a median of turns in which all ways follow each other.
   local function measure()
      local took = { backward = {}, communication = {}, both = {} }
      local most = now() + o.seconds
      repeat
         for _, name in ipairs { 'backward', 'communication', 'both' } do
            dist.barrier()
            local begin = now()
            ways[name]()
            table.insert(took[name], dist.allreduce(torch.DoubleTensor{ now() - begin }, 'max')[1])
         end
      until dist.allreduce(torch.DoubleTensor{ now() > most and 1 or 0 }, 'max')[1] == 1 and #took.both >= 5
      return median(took.backward), median(took.communication), median(took.both)
   end
   local function show(link, backward, communication, both)
      if dist.rank() == 0 then print(('overlap %g %.6f %.6f %.6f %d'):format(link, backward, communication, both, bytes)) end
      return backward
   end
   measure()                                   -- warm
   local backward = show(0, measure())
   local link = dist.broadcast(torch.DoubleTensor{ o.link > 0 and o.link or bytes / backward })[1]
   local restore = slow(dist, now, link)
   show(link, measure())
   restore()
end

--- Prints the table of the lines that rank 0 has written.
function overlap.show(lines, o)
   print(('%d ranks, %d layers of %d x %d, %d samples each'):format(o.ranks, o.layers, o.width, o.width, o.batch))
   print '| link         | backward ms | communication ms | both ms | hidden |'
   print '|--------------|------------:|-----------------:|--------:|-------:|'
   for _, line in ipairs(lines) do
      local link, backward, communication, both = line:match 'overlap (%S+) (%S+) (%S+) (%S+)'
      if link then
         link, backward, communication, both = tonumber(link), 1e3 * backward, 1e3 * communication, 1e3 * both
         local name = link > 0 and ('%.3g MB/s'):format(link / 1e6) or 'as it is'
         print(('| %-12s | %11.1f | %16.1f | %7.1f | %4.0f %% |'):format(name, backward, communication, both,
            100 * math.max(0, 1 - math.max(0, both - backward) / communication)))
      end
   end
end

return overlap
