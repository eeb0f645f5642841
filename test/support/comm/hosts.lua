-- test/support/comm/hosts.lua - runs a script as the ranks of a job on several hosts that are only names,
-- so Open MPI carries all messages.
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

local hosts = {}

local function has(command) return (ranks.sh('sh -c "command -v ' .. command .. ' >/dev/null"')) == 0 end
--- Whether Open MPI is installed.
hosts.there = has 'mpirun' and pcall(require 'ffi'.load, 'libmpi.so.40')

-- The command of each process of mpirun: takes its rank's host from the list that follows.
local wrapper = [[
set -f
i=$OMPI_COMM_WORLD_RANK
for h in $HOSTS; do [ $i = 0 ] && break; i=$((i - 1)); done
TH_DIST_HOST=$h exec "$@"
]]

local root                            -- whether this is root; mpirun needs an option then

--- Starts `code` on hosts 'a a b', one rank on each. Returns a function that waits for the end and
-- returns status, standard output and standard error.
function hosts.start(layout, code, environment, init, options)
   local _, n = layout:gsub('%S+', '')
   if root == nil then root = ranks.sh 'sh -c "[ $(id -u) = 0 ]"' == 0 end
   return ranks.start(("env HOSTS='%s' TH_NUM_THREADS=1 %s %s mpirun --oversubscribe %s -n %d sh '%s' '%s' '%s'"):format(layout,
      root and 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1' or '', environment or '', options or '', n,
      temporary.put(wrapper, '.sh'), ranks.th, ranks.script(code, init or 'dist.init{deadline = 60} ')), 120)
end

--- Runs it and returns the same.
function hosts.run(...) return hosts.start(...)() end

--- Runs it, and checks that it succeeds. Returns its standard output.
function hosts.ok(layout, code, environment, init)
   local status, out, err = hosts.run(layout, code, environment, init)
   if status ~= 0 then error(('status %s\n%s\n%s'):format(tostring(status), out, err), 2) end
   return out
end

--- One job for several specs: `parts` is a list of { name, code }. Returns a function of a name,
-- which checks that this part succeeded on all ranks, and returns the job's output. The job starts
-- immediately, and the first caller waits for it.
function hosts.parts(layout, parts, environment)
   local text, _, n = {}, layout:gsub('%S+', '')
   for i, part in ipairs(parts) do
      text[i] = ([[
do
   local ok, why = pcall(function() %s end)
   print(('part %s: %%s'):format(ok and 'well' or why))
   if not ok then os.exit(1) end
end]]):format(part[2], part[1])
   end
   local wait, status, out, err = hosts.start(layout, table.concat(text, '\n'), environment), nil, nil, nil
   return function(name)
      if wait then
         status, out, err = wait()
         wait = nil
      end
      local _, well = out:gsub(('part %s: well\n'):format(name), '')
      if well ~= n then error(('status %s\n%s\n%s'):format(tostring(status), out, err), 2) end
      return out
   end
end

return hosts
