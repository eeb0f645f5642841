-- test/support/share.lua - which of many random cases a spec tries: `./dev test` runs it at every CPU level, and names the best one in
-- TH_TEST_BEST. There, and where a spec runs by itself, it tries all; at each other level another third.
local ffi = require 'ffi'
local C = require 'torch.lib'.C

local PARTS, FIRST = 3, { base = 1, avx2 = 2, avx512 = 3 }
local best, level = os.getenv 'TH_TEST_BEST', ffi.string(C.th_cpu_level())
local share = { all = best == nil or best == level }

--- Is case i (1, 2, ...) one of this run?
function share.has(i) return share.all or (i - FIRST[level]) % PARTS == 0 end

--- How many of n cases there are.
function share.of(n)
   local count = 0
   for i = 1, n do if share.has(i) then count = count + 1 end end
   return count
end

--- Those of a list of cases.
function share.among(list)
   local some = {}
   for i, case in ipairs(list) do if share.has(i) then some[#some + 1] = case end end
   return some
end

return share
