-- test/comm/compress_hosts_spec.lua - compressed sums and traces between hosts, which must equal those of
-- one host.
-- runs once
local hosts = require 'test.support.comm.hosts'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

-- Sums of five steps with every compressor, of gradients that no scheme sends exactly. Prints
-- checksums of the results and of each rank's carried error; and checks that nothing is lost or
-- counted twice.
local compressed = [[
   local ffi, C = require 'ffi', require 'torch.lib'.C
   local r, n = dist.rank(), dist.size()
   local function crc(x) return tonumber(C.th_zip_crc(0, ffi.cast('const void *', x:data()), x:nElement() * x:elementSize())) end
   local function made(step, k) return torch.range(1, 5000):mul(2 * k + 3 + step):fmod(101):add(-50):mul(1 / 7):float() end
   for _, options in ipairs { 'half', 'int8', 'onebit', { 'topk', ratio = 0.1 } } do
      local c, sum, given = dist.compressor(options), torch.zeros(5000), torch.zeros(5000)
      local line = {}
      for step = 1, 5 do
         local x = dist.allreduce(made(step, r), 'sum', { compress = c })
         sum:add(x:double())
         for k = 0, n - 1 do given:add(made(step, k):double()) end
         line[#line + 1] = crc(x)
      end
      local owed = dist.allreduce(c:owed():double())
      local most = (sum + owed - given):abs():max()
      assert(most < 2e-2, ('%s: %g is lost or counted twice'):format(c.kind, most))
      line[#line + 1] = crc(c:owed())
      print(('sums %s of rank %d: %s;'):format(c.kind, r, table.concat(line, ' ')))
   end]]

-- Rank 2 is on another host, whose clock is 1000 s ahead.
local traced = [[
   local C, wire, open = require 'torch.lib'.C, require 'distributed.lib', io.open
   local r, now = dist.rank(), wire.now
   local ahead = r == 0 and 0 or 1000
   function wire.now() return now() + ahead end
   wire.C = setmetatable({ th_dist_times = function(work, times)
      C.th_dist_times(work, times)
      times[0], times[1] = times[0] + ahead, times[1] + ahead
   end }, { __index = C })
   function io.open(name, ...)
      if name ~= '/proc/sys/kernel/random/boot_id' then return open(name, ...) end
      return { read = function() return 'host ' .. (r == 0 and 'a' or 'b') end, close = function() end }
   end
   dist.trace '%s'
   for turn = 0, 5 do
      if turn %% 3 == r then dist.span('turn ' .. turn, os.execute, 'sleep 0.05') end
      dist.allreduce(torch.ones(3), 'sum', { async = true }):wait()
   end
   dist.trace()
   io.open, wire.now, wire.C = open, now, C]]

local trace = temporary.name '.json'
local part

local function between(title, f) if hosts.there then it(title, f) else pending(title .. ' (Open MPI is not installed)') end end

setup(function()
   part = hosts.there and hosts.parts('a b b', { { 'compressed', compressed }, { 'traced', traced:format(trace) } })
end)

describe('dist.allreduce with a compressor', function()
   between('gives the bits of one host between hosts, and owes the same', function()
      local function sums_of(out)
         local list = {}
         for line in out:gmatch 'sums [^;]*;' do list[#list + 1] = line end
         table.sort(list)
         return list
      end
      local here, there = sums_of(ranks.ok(3, compressed)), sums_of(part 'compressed')
      assert.equal(12, #here)
      assert.same(here, there)
   end)
end)

describe('dist.trace', function()
   between('puts spans of hosts whose clocks differ into one order', function()
      part 'traced'
      local turns, sums = {}, {}
      for line in temporary.get(trace):gmatch '[^\n]+' do
         local pid, ts, dur = line:match '"pid":(%d+).*"ts":([-%d.]+),"dur":([%d.]+)'
         local e = pid and { rank = tonumber(pid), from = tonumber(ts), to = tonumber(ts) + tonumber(dur) }
         local turn = line:match '"name":"turn (%d)"'
         if turn then turns[tonumber(turn)] = e end
         if line:find '"name":"allreduce"' then
            sums[e.rank] = sums[e.rank] or {}
            table.insert(sums[e.rank], e)
         end
      end
      for turn = 0, 5 do
         assert.equal(turn % 3, turns[turn].rank)
         assert.is_true(turns[turn].from >= -1e3 and turns[turn].to < 60e6)
         if turn > 0 then assert.is_true(turns[turn].from > turns[turn - 1].to - 2e4, 'turn ' .. turn) end
         for r = 0, 2 do                                  -- no rank has the sum before the last one has joined
            assert.equal(6, #sums[r])
            assert.is_true(sums[r][turn + 1].to > turns[turn].to - 2e4)
         end
      end
   end)
end)

teardown(temporary.remove)
