-- lua/distributed/environment.lua - the job that this process was started for, according to its environment.
local ffi = require 'ffi'
local C = require 'distributed.lib'.C
ffi.cdef 'long readlink(const char *, char *, size_t);'

local function number(get, name, lo, hi)
   local text = get(name)
   local v = tonumber(text)
   if not v or (lo % 1 == 0 and v % 1 ~= 0) or not (v >= lo and v <= hi) then     -- tonumber reads 'nan'
      error(('dist.init: %s must be a number in %g..%g, got %s'):format(name, lo, hi, tostring(text)), 5)
   end
   return v
end

local function restarts(get) return get 'TH_DIST_RESTART' and number(get, 'TH_DIST_RESTART', 0, 1e9) or 0 end

local function of_thrun(get)
   return {
      rank = number(get, 'TH_DIST_RANK', 0, 1e6), size = number(get, 'TH_DIST_SIZE', 1, 1e6),
      fd = number(get, 'TH_DIST_FD', 0, 1e6), localRank = number(get, 'TH_DIST_LOCAL_RANK', 0, 1e6),
      secret = get 'TH_DIST_SECRET' or '', restarts = restarts(get),
   }
end

-- A name for the job's shared memory. Only this user can open it.
local function named(kind, id) return ('/cresset-%s-%s'):format(kind, (id:gsub('[^%w]', '-'))) end

-- Ranks in different network namespaces, such as containers, count as on different hosts.
local function this_host(get)
   local told = get 'TH_DIST_HOST'
   if told then
      if #told < 1 or #told > 63 then error('dist.init: TH_DIST_HOST must have 1 to 63 bytes, got ' .. #told, 5) end
      return told
   end
   local f = io.open '/proc/sys/kernel/random/boot_id'
   local boot = f and f:read '*l' or ''
   if f then f:close() end
   local buffer = ffi.new 'char[128]'
   local n = ffi.C.readlink('/proc/self/ns/net', buffer, 127)
   return (boot:sub(1, 36) .. '-' .. (n > 0 and ffi.string(buffer, n):match '%d+' or ''))
end

-- On several hosts, or if TH_DIST_HOST is set, the handshake uses Open MPI.
local function of_hosts(get, job, several)
   if several or get 'TH_DIST_HOST' then job.host = this_host(get) end
   return job
end

local function of_mpirun(get)
   local size = number(get, 'OMPI_COMM_WORLD_SIZE', 1, 1e6)
   local id = get 'PMIX_NAMESPACE' or get 'OMPI_MCA_ess_base_jobid' or get 'PMIX_ID' or ''
   return of_hosts(get, {
      rank = number(get, 'OMPI_COMM_WORLD_RANK', 0, 1e6), size = size,
      localRank = number(get, 'OMPI_COMM_WORLD_LOCAL_RANK', 0, 1e6),
      name = named('mpi', id), secret = get 'TH_DIST_SECRET' or id, fd = -1, restarts = restarts(get),
   }, number(get, 'OMPI_COMM_WORLD_LOCAL_SIZE', 1, 1e6) < size)
end

local function of_slurm(get)
   local id = (get 'SLURM_JOB_ID' or '') .. '-' .. (get 'SLURM_STEP_ID' or '')
   return of_hosts(get, {
      rank = number(get, 'SLURM_PROCID', 0, 1e6), size = number(get, 'SLURM_STEP_NUM_TASKS', 1, 1e6),
      localRank = number(get, 'SLURM_LOCALID', 0, 1e6), name = named('slurm', id), secret = get 'TH_DIST_SECRET' or id, fd = -1,
      restarts = restarts(get),
   }, get 'SLURM_STEP_NUM_NODES' and number(get, 'SLURM_STEP_NUM_NODES', 1, 1e6) > 1)
end

--- The job as a table: rank, size, localRank, fd or name of its memory, secret, restarts, deadline; and host, its name, if the
-- ranks may be on several hosts.
-- @param get  returns the value of an environment variable
return function(get)
   local job
   if get 'TH_DIST_RANK' then job = of_thrun(get)
   elseif get 'OMPI_COMM_WORLD_SIZE' then job = of_mpirun(get)
   elseif get 'SLURM_PROCID' and get 'SLURM_STEP_NUM_TASKS' then job = of_slurm(get)
   else job = { rank = 0, size = 1, localRank = 0, fd = -1, secret = '', restarts = 0 } end
   local told = get 'TH_DIST_DEADLINE'
   job.deadline = told and number(get, 'TH_DIST_DEADLINE', 1e-3, 1e9) or C.TH_DIST_SECONDS
   return job
end
