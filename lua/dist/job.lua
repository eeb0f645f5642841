-- lua/dist/job.lua - which job this process was started for, as its environment tells.

local function number(get, name, lo, hi)
   local text = get(name)
   local v = tonumber(text)
   if not v or (lo % 1 == 0 and v % 1 ~= 0) or v < lo or v > hi then
      error(('dist.init: %s must be a number in %g..%g, got %s'):format(name, lo, hi, tostring(text)), 5)
   end
   return v
end

local function of_thrun(get)
   return {
      rank = number(get, 'TH_DIST_RANK', 0, 1e6), size = number(get, 'TH_DIST_SIZE', 1, 1e6),
      fd = number(get, 'TH_DIST_FD', 0, 1e6), localRank = number(get, 'TH_DIST_LOCAL_RANK', 0, 1e6),
      secret = get 'TH_DIST_SECRET' or '', restarts = get 'TH_DIST_RESTART' and number(get, 'TH_DIST_RESTART', 0, 1e9) or 0,
   }
end

-- A name for the job's memory. Only this user can open it.
local function named(kind, id) return ('/cresset-%s-%s'):format(kind, (id:gsub('[^%w]', '-'))) end

local function one_host(what, here, all)
   if here ~= all then
      error(('dist.init: %s has started %d ranks, %d of them on this host: a job of this version has one host')
         :format(what, all, here), 5)
   end
end

local function of_mpirun(get)
   local size = number(get, 'OMPI_COMM_WORLD_SIZE', 1, 1e6)
   one_host('mpirun', number(get, 'OMPI_COMM_WORLD_LOCAL_SIZE', 1, 1e6), size)
   local id = get 'PMIX_NAMESPACE' or get 'OMPI_MCA_ess_base_jobid' or get 'PMIX_ID' or ''
   return {
      rank = number(get, 'OMPI_COMM_WORLD_RANK', 0, 1e6), size = size,
      localRank = number(get, 'OMPI_COMM_WORLD_LOCAL_RANK', 0, 1e6),
      name = named('mpi', id), secret = id, fd = -1, restarts = 0,
   }
end

local function of_slurm(get)
   local size = number(get, 'SLURM_STEP_NUM_TASKS', 1, 1e6)
   if get 'SLURM_STEP_NUM_NODES' and number(get, 'SLURM_STEP_NUM_NODES', 1, 1e6) > 1 then one_host('Slurm', 1, size) end
   local id = (get 'SLURM_JOB_ID' or '') .. '-' .. (get 'SLURM_STEP_ID' or '')
   return {
      rank = number(get, 'SLURM_PROCID', 0, 1e6), size = size, localRank = number(get, 'SLURM_LOCALID', 0, 1e6),
      name = named('slurm', id), secret = id, fd = -1, restarts = 0,
   }
end

--- The job as a table: rank, size, localRank, fd or name of its memory, secret, restarts, deadline.
-- @param get  gives the value of an environment variable
return function(get)
   local job
   if get 'TH_DIST_RANK' then job = of_thrun(get)
   elseif get 'OMPI_COMM_WORLD_SIZE' then job = of_mpirun(get)
   elseif get 'SLURM_PROCID' and get 'SLURM_STEP_NUM_TASKS' then job = of_slurm(get)
   else job = { rank = 0, size = 1, localRank = 0, fd = -1, secret = '', restarts = 0 } end
   job.deadline = get 'TH_DIST_DEADLINE' and number(get, 'TH_DIST_DEADLINE', 1e-3, 1e9) or 300
   return job
end
