-- bench/dist.lua - all-reduce of floats on one host, compared with MPI_Allreduce and Gloo, which PyTorch uses.
--    th bench/dist.lua [-ranks 2] [-seconds 0.3] [-alone]
--    th bench/dist.lua -overlap yes [-layers 12] [-width 512] [-batch 128] [-link MB/s]     the part of the gradients' transfer
--                                                                                          that dist.DataParallel hides
-- Open MPI starts the ranks; each calls ours and MPI's in turns, so that both see the same load. Gloo runs after them. Missing
-- libraries are left out. The last column compares with the limit of memory: all ranks read and write their tensor once.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path
local torch = require 'torch'
local overlap = require 'bench.lib.overlap'

local SIZES = { 1, 256, 2048, 16384, 131072, 1048576, 4194304, 16777216 }          -- floats

-- ---- in a rank -------------------------------------------------------------------------------------------------------------

local function open_mpi()
   local ffi = require 'ffi'
   local ok, C = pcall(ffi.load, 'mpi', true)
   if not ok then ok, C = pcall(ffi.load, 'libmpi.so.40', true) end
   if not ok then return nil end
   ffi.cdef [[
      int MPI_Init(int *, char ***); int MPI_Finalize(void);
      int MPI_Allreduce(const void *, void *, int, void *, void *, void *);
      extern char ompi_mpi_comm_world[], ompi_mpi_float[], ompi_mpi_op_sum[];
   ]]
   C.MPI_Init(nil, nil)
   local in_place = ffi.cast('void *', 1)
   return function(x)
      C.MPI_Allreduce(in_place, x:data(), x:nElement(), C.ompi_mpi_float, C.ompi_mpi_op_sum, C.ompi_mpi_comm_world)
   end, C.MPI_Finalize
end

local function median(list)
   table.sort(list)
   return list[math.ceil(#list / 2)]
end

local function measure(seconds, largest)
   local dist = require 'dist'.init()
   local mpi, finish
   if os.getenv 'OMPI_COMM_WORLD_SIZE' then mpi, finish = open_mpi() end
   local timer = torch.Timer()
   -- Seconds of one call on the slowest rank.
   local function turn(f, x, times)
      dist.barrier()
      local start = timer:time().real
      for _ = 1, times do f(x) end
      return dist.allreduce(torch.DoubleTensor{ (timer:time().real - start) / times }, 'max')[1]
   end
   for _, n in ipairs(SIZES) do
      if n > largest then break end
      local x = torch.FloatTensor(n):zero()
      local functions = { ours = dist.allreduce, mpi = mpi, pass = function(t) t:mul(1) end }
      local took = { ours = {}, mpi = {}, pass = {} }
      local one = math.max(turn(dist.allreduce, x, 3), 1e-6)
      local times = dist.broadcast(torch.DoubleTensor{ math.max(1, math.floor(seconds / 10 / one)) })[1]
      for _ = 1, 10 do
         for _, name in ipairs { 'ours', 'mpi', 'pass' } do
            if functions[name] then table.insert(took[name], turn(functions[name], x, times)) end
         end
      end
      if dist.rank() == 0 then
         print(('row %d %.9f %.9f %.9f'):format(n, median(took.ours), mpi and median(took.mpi) or 0, median(took.pass)))
      end
   end
   if finish then finish() end
end

-- ---- around the ranks --------------------------------------------------------------------------------------------------------

local GLOO = [[
import os, time, statistics, torch, torch.distributed as d
torch.set_num_threads(1)
d.init_process_group('gloo', init_method='file://' + os.environ['GLOO_FILE'], rank=int(os.environ['TH_DIST_RANK']),
                     world_size=int(os.environ['TH_DIST_SIZE']))
for n in [%s]:
    x = torch.zeros(n)
    def turn(times):
        d.barrier()
        start = time.perf_counter()
        for _ in range(times): d.all_reduce(x)
        t = torch.tensor([(time.perf_counter() - start) / times])
        d.all_reduce(t, op=d.ReduceOp.MAX)
        return t.item()
    times = max(1, int(%g / 10 / max(turn(3), 1e-6)))
    took = [turn(times) for _ in range(10)]
    if d.get_rank() == 0: print('gloo', n, '%%.9f' %% statistics.median(took), flush=True)
]]

local function lines_of(command)
   local p, lines = io.popen(command), {}
   for line in p:lines() do lines[#lines + 1] = line end
   p:close()
   return lines
end

local function has(program) return #lines_of('command -v ' .. program) > 0 end

local function gloo(th, ranks, seconds)
   local took, script, file = {}, os.tmpname(), os.tmpname()
   os.remove(file)
   local f = assert(io.open(script, 'w'))
   f:write(GLOO:format(table.concat(SIZES, ', '), seconds))
   f:close()
   local thrun = th:gsub('th$', 'thrun')
   for _, line in ipairs(lines_of(("GLOO_FILE=%s '%s' -n %d -- python3 %s 2>/dev/null"):format(file, thrun, ranks, script))) do
      local n, t = line:match 'gloo (%d+) (%S+)'
      if n then took[tonumber(n)] = tonumber(t) end
   end
   os.remove(script)
   os.remove(file)
   return took
end

local function main(options)
   local th = os.getenv 'TH' or arg[-1] or 'build/bin/th'
   local start = ("'%s' -n %d"):format(th:gsub('th$', 'thrun'), options.ranks)
   local rank = ("bench/dist.lua -rank -seconds %g -largest %d"):format(options.seconds, options.largest)
   if has 'mpirun' and not options.alone then
      start = ("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TH_NUM_THREADS=1 mpirun --oversubscribe -n %d '%s'")
         :format(options.ranks, th)
   end
   local rows = {}
   for _, line in ipairs(lines_of(start .. ' ' .. rank)) do
      local n, ours, mpi, pass = line:match 'row (%d+) (%S+) (%S+) (%S+)'
      if n then rows[#rows + 1] = { n = tonumber(n), ours = tonumber(ours), mpi = tonumber(mpi), pass = tonumber(pass) } end
   end
   local other = options.alone and {} or gloo(th, options.ranks, options.seconds)
   print(('all-reduce of floats, %d ranks, medians'):format(options.ranks))
   print '|    bytes |   ours us |    MPI us |   Gloo us | MPI/ours | Gloo/ours | ours GB/s | of memory |'
   print '|---------:|----------:|----------:|----------:|---------:|----------:|----------:|----------:|'
   for _, r in ipairs(rows) do
      local g = other[r.n]
      local function us(t) return t and t > 0 and ('%.1f'):format(1e6 * t) or '-' end
      local function ratio(t) return t and t > 0 and ('%.2f'):format(t / r.ours) or '-' end
      print(('| %8d | %9s | %9s | %9s | %8s | %9s | %9.2f | %7.0f %% |'):format(4 * r.n, us(r.ours), us(r.mpi), us(g),
         ratio(r.mpi), ratio(g), 4e-9 * r.n / r.ours, 100 * r.pass / r.ours))
   end
end

local function hide(options)
   local th = os.getenv 'TH' or arg[-1] or 'build/bin/th'
   local command = ("'%s' -n %d --threads 1 '%s/dist.lua' -overlap yes -rank -layers %d -width %d -batch %d -link %g -seconds %g")
      :format(th:gsub('th$', 'thrun'), options.ranks, here, options.layers, options.width, options.batch, options.link,
         options.seconds)
   overlap.show(lines_of(command), options)
end

local cmd = torch.CmdLine()
cmd:text 'All-reduce on one host beside MPI and Gloo.'
cmd:option('-ranks', 2, 'ranks')
cmd:option('-seconds', 0.3, 'for each size and library')
cmd:option('-largest', 16777216, 'floats of the largest tensor')
cmd:option('-alone', false, 'without MPI and Gloo')
cmd:option('-rank', false, 'this process is one of them')
cmd:option('-overlap', 'no', "yes: how much of the gradients' way is hidden behind backward")
cmd:option('-layers', 12, 'of the network')
cmd:option('-width', 512, 'of its layers')
cmd:option('-batch', 128, 'samples of a rank')
cmd:option('-link', 0, 'MB a second of a link made slow; 0: the transfer lasts as long as backward')
local options = cmd:parse(arg)
if options.overlap == 'yes' and options.rank then
   options.link = 1e6 * options.link
   overlap.measure(options)
elseif options.overlap == 'yes' then hide(options)
elseif options.rank then measure(options.seconds, options.largest) else main(options) end
