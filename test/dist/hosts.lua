-- test/dist/hosts.lua - runs a script as the ranks of a job on several hosts, which are names only: so all goes over Open MPI.
local ranks = require 'test.dist.ranks'
local temporary = require 'test.temporary'

local hosts = {}

local function has(command) return (ranks.sh('sh -c "command -v ' .. command .. ' >/dev/null"')) == 0 end
--- Whether Open MPI is installed.
hosts.there = has 'mpirun' and pcall(require 'ffi'.load, 'libmpi.so.40')

-- What each process of mpirun does: takes the host of its rank from the list behind it.
local wrapper = [[
set -f
i=$OMPI_COMM_WORLD_RANK
for h in $HOSTS; do [ $i = 0 ] && break; i=$((i - 1)); done
TH_DIST_HOST=$h exec "$@"
]]

--- Runs `code` on hosts 'a a b', a rank on each: status, standard output, standard error.
function hosts.run(layout, code, environment, init, options)
   local _, n = layout:gsub('%S+', '')
   local root = has "id" and ranks.sh 'sh -c "[ $(id -u) = 0 ]"' == 0
   return ranks.sh(("env HOSTS='%s' TH_NUM_THREADS=1 %s %s mpirun --oversubscribe %s -n %d sh '%s' '%s' '%s'"):format(layout,
      root and 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1' or '', environment or '', options or '', n,
      temporary.put(wrapper, '.sh'), ranks.th, ranks.script(code, init)), 120)
end

--- The same; wants it to end well. Returns what it wrote on standard output.
function hosts.ok(layout, code, environment, init)
   local status, out, err = hosts.run(layout, code, environment, init)
   if status ~= 0 then error(('status %s\n%s\n%s'):format(tostring(status), out, err), 2) end
   return out
end

return hosts
