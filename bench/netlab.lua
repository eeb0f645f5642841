-- bench/netlab.lua - all-reduce of floats between hosts, compared with Open MPI's MPI_Allreduce and Gloo, which PyTorch uses.
--    bench/netlab.sh 4 200mbit build/bin/th bench/netlab.lua [-times 5] [-largest 2500000] [-peers no]
-- Each library runs in a separate job, by mpirun, with its default choices. Ours also runs with TH_DIST_ALGORITHM=fastest,
-- which like the others need not sum in pairs of ranks, and with one bit for each float of a gradient. MPI's ranks yield when
-- they wait, because hosts share the processors here. Seconds are medians of the slowest rank's. The bound is 2(N-1)/N S/B with
-- the nominal rate B: frames of 1514 bytes carry 1448, which costs 4.6 %. Before a turn the links are idle until their token
-- buckets are full, as after a computation: the first 128 kB of each link pass immediately, which saves 0.9 % for 10 MB.
local torch = require 'torch'
local sys = require 'sys'

local SIZES = { 256, 2500, 25000, 250000, 2500000 }          -- floats: 1 kB to 10 MB

local function median(list)
   table.sort(list)
   return list[math.ceil(#list / 2)]
end

local QUIET = 0.02                                           -- seconds

-- ---- in a rank -------------------------------------------------------------------------------------------------------------

local function report(rank, who, n, times, turn, more)
   local took = {}
   for i = 1, times do took[i] = turn() end
   if rank == 0 then print(('row %s %d %.9f %s'):format(who, n, median(took), more or '-')) end
end

-- How often a call is repeated in a turn, because single short calls would measure the clock. Also before the first turn, so that
-- LuaJIT has compiled the loops around short calls, which takes longer than the calls.
local function repeats(n) return n < 10000 and 20 or n < 100000 and 5 or 1 end
local function warm_up(n, f) for _ = 1, n < 10000 and 400 or 1 do f() end end

local function ours(options)
   local dist = require 'dist'.init { deadline = 60 }
   local timer, compressed = torch.Timer(), options.rank == 'onebit'
   for _, n in ipairs(SIZES) do
      if n > options.largest then break end
      local x, k = torch.FloatTensor(n):zero(), repeats(n)
      if compressed then x = torch.randn(math.ceil(n / 1000), math.min(n, 1000)):float() end
      local op, how = compressed and 'mean' or 'sum', compressed and { compress = dist.compressor 'onebit' } or nil
      warm_up(n, function() dist.allreduce(x, op, how) end)
      report(dist.rank(), 'ours', n, options.times, function()
         sys.sleep(QUIET)
         dist.barrier()
         local start = timer:time().real
         for _ = 1, k do dist.allreduce(x, op, how) end
         return dist.allreduce(torch.DoubleTensor{ (timer:time().real - start) / k }, 'max')[1]
      end, dist.explain('allreduce', x).algorithm)
   end
end

local function mpi(options)
   local ffi = require 'ffi'
   local C = ffi.load('libmpi.so.40', true)
   ffi.cdef [[
      int MPI_Init(int *, char ***); int MPI_Finalize(void); int MPI_Barrier(void *); int MPI_Comm_rank(void *, int *);
      int MPI_Allreduce(const void *, void *, int, void *, void *, void *);
      extern char ompi_mpi_comm_world[], ompi_mpi_float[], ompi_mpi_double[], ompi_mpi_op_sum[], ompi_mpi_op_max[];
   ]]
   C.MPI_Init(nil, nil)
   local rank, world, in_place, timer = ffi.new 'int[1]', C.ompi_mpi_comm_world, ffi.cast('void *', 1), torch.Timer()
   C.MPI_Comm_rank(world, rank)
   for _, n in ipairs(SIZES) do
      if n > options.largest then break end
      local x, t, k = torch.FloatTensor(n):zero(), ffi.new 'double[1]', repeats(n)
      local function reduce() C.MPI_Allreduce(in_place, x:data(), n, C.ompi_mpi_float, C.ompi_mpi_op_sum, world) end
      warm_up(n, reduce)
      report(rank[0], 'mpi', n, options.times, function()
         sys.sleep(QUIET)
         C.MPI_Barrier(world)
         local start = timer:time().real
         for _ = 1, k do reduce() end
         t[0] = (timer:time().real - start) / k
         C.MPI_Allreduce(in_place, t, 1, C.ompi_mpi_double, C.ompi_mpi_op_max, world)
         return t[0]
      end)
   end
   C.MPI_Finalize()
end

local GLOO = [[
import os, time, statistics, torch, torch.distributed as d
torch.set_num_threads(1)
rank, size = int(os.environ['OMPI_COMM_WORLD_RANK']), int(os.environ['OMPI_COMM_WORLD_SIZE'])
d.init_process_group('gloo', init_method='tcp://10.77.0.1:29511', rank=rank, world_size=size)
for n in [%s]:
    x = torch.zeros(n)
    k = 20 if n < 10000 else 5 if n < 100000 else 1
    for _ in range(40 if n < 10000 else 1): d.all_reduce(x)
    took = []
    for _ in range(%d):
        time.sleep(%g)
        d.barrier()
        start = time.perf_counter()
        for _ in range(k): d.all_reduce(x)
        t = torch.tensor([(time.perf_counter() - start) / k], dtype=torch.float64)
        d.all_reduce(t, op=d.ReduceOp.MAX)
        took.append(t.item())
    if rank == 0: print('row gloo', n, '%%.9f' %% statistics.median(took), '-', flush=True)
]]

-- ---- around the ranks --------------------------------------------------------------------------------------------------------

local function rows_of(command)
   local p, rows = io.popen(command .. ' 2>/dev/null'), {}
   for line in p:lines() do
      local n, t, more = line:match 'row %w+ (%d+) (%S+) (%S+)'
      if n then rows[tonumber(n)] = { t = tonumber(t), more = more } end
   end
   p:close()
   return rows
end

-- '200mbit' in bytes per second.
local function rate_of(text)
   local number, unit = text:match '^(%d+)(%a+)$'
   return tonumber(number) * ({ mbit = 1e6, gbit = 1e9, kbit = 1e3 })[unit] / 8
end

local function main(options)
   local hosts = os.getenv 'NETLAB_HOSTS' or error('bench/netlab.lua runs in bench/netlab.sh')
   local th, ranks = os.getenv 'TH' or arg[-1] or 'build/bin/th', tonumber(os.getenv 'NETLAB_N')
   local rate = rate_of(os.getenv 'NETLAB_RATE')
   local mpirun = 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 TH_NUM_THREADS=1 '
      .. ('mpirun -H %s --bind-to none -x TH_NUM_THREADS '):format(hosts)
   local rank = ("'%s' bench/netlab.lua -times %d -largest %d -rank "):format(th, options.times, options.largest)
   local list, script = {}, os.tmpname()
   for _, n in ipairs(SIZES) do if n <= options.largest then list[#list + 1] = n end end
   local f = assert(io.open(script, 'w'))
   f:write(GLOO:format(table.concat(list, ', '), options.times, QUIET))
   f:close()
   local peers = options.peers ~= 'no'
   local ordered = rows_of('TH_DIST_ALGORITHM=auto ' .. mpirun .. '-x TH_DIST_ALGORITHM ' .. rank .. 'ours')
   local fastest = rows_of('TH_DIST_ALGORITHM=fastest ' .. mpirun .. '-x TH_DIST_ALGORITHM ' .. rank .. 'ours')
   local onebit = rows_of('TH_DIST_ALGORITHM=auto ' .. mpirun .. '-x TH_DIST_ALGORITHM ' .. rank .. 'onebit')
   local mpi = peers and rows_of(mpirun .. rank .. 'mpi') or {}
   -- Gloo uses the address of the host's name, which all hosts share here; the interface has another name on each host.
   local gloo = peers and rows_of(mpirun
      .. ([[sh -c 'GLOO_SOCKET_IFNAME=e$((OMPI_COMM_WORLD_RANK + 1)) exec timeout 60 python3 %s']]):format(script)) or {}
   os.remove(script)
   print(('all-reduce of floats, %d hosts with links of %s, medians of %d'):format(ranks, os.getenv 'NETLAB_RATE', options.times))
   print('|    bytes | bound ms | in order ms | algorithm | fastest ms | algorithm | 1-bit ms |   MPI ms |  Gloo ms |'
      .. ' in order/bound | fastest/bound | fastest/1-bit | MPI/fastest | Gloo/fastest |')
   print('|---------:|---------:|------------:|:----------|-----------:|:----------|---------:|---------:|---------:|'
      .. '---------------:|--------------:|--------------:|------------:|-------------:|')
   for _, n in ipairs(list) do
      local o, quick = ordered[n], fastest[n]
      if not (o and quick) then error(('no result for %d floats: does mpirun start ranks here?'):format(n)) end
      local bound = 2 * (ranks - 1) / ranks * 4 * n / rate
      local function ms(r) return r and ('%.3f'):format(1e3 * r.t) or '-' end
      local function ratio(r) return r and ('%.2f'):format(r.t / quick.t) or '-' end
      print(('| %8d | %8.3f | %11s | %-9s | %10s | %-9s | %8s | %8s | %8s | %14.3f | %13.3f | %13s | %11s | %12s |'):format(4 * n,
         1e3 * bound, ms(o), o.more, ms(quick), quick.more, ms(onebit[n]), ms(mpi[n]), ms(gloo[n]), o.t / bound, quick.t / bound,
         onebit[n] and ('%.1f'):format(quick.t / onebit[n].t) or '-', ratio(mpi[n]), ratio(gloo[n])))
   end
end

local cmd = torch.CmdLine()
cmd:text 'All-reduce between hosts beside MPI and Gloo.'
cmd:option('-times', 5, 'turns, of which the median counts')
cmd:option('-largest', 2500000, 'floats of the largest tensor')
cmd:option('-peers', 'yes', 'no: without MPI and Gloo')
cmd:option('-rank', '', 'this process is one: ours, onebit or mpi')
local options = cmd:parse(arg)
if options.rank == '' then main(options) elseif options.rank == 'mpi' then mpi(options) else ours(options) end
