-- test/attack.lua - tries to break Cresset in many ways, each case drawn from a seed, and prints a table of what was found.
--    th test/attack.lua [-minutes 10] [-seed N] [-only calls,lua,files,saves,jobs,callbacks,surroundings] [-th LAUNCHER]
--                      [-folder test/attack]   where the programs of the campaigns are
--    th test/attack.lua -list                   the campaigns, a line each
--
-- Each campaign is a program, test/attack/NAME.lua, which draws every case from the number of the case alone. It runs in a
-- process that may die, for a few seconds at a time. A finding is a case after which the process died, hung, or printed a
-- fault. The attack repeats the case, removes the parts that the failure does not need, and prints the command that shows it.
-- The status is 0 without findings, and 1 with findings.
local ffi = require 'ffi'

ffi.cdef [[
   typedef struct { long seconds, nanoseconds; } attack_time;
   int clock_gettime(int clock, attack_time *t);
   int isatty(int fd);
]]

-- share: of the time; slice: seconds that a process runs before the next begins; parts: how many parts a case may have that the
-- attack can leave out
local campaigns = {
   { name = 'calls', parts = 5, share = 5, slice = 8, what = 'every public function with wrong arguments' },
   { name = 'files', parts = 6, share = 4, slice = 8, what = 'damaged files for every reader' },
   { name = 'lua', share = 2, slice = 8, what = 'random Lua programs, compiled and interpreted' },
   { name = 'callbacks', parts = 2, share = 2, slice = 6, what = 'functions that change or free what calls them' },
   { name = 'saves', share = 1, slice = 8, what = 'processes killed while they save' },
   { name = 'surroundings', parts = 2, share = 2, slice = 8, what = 'little memory, full disks, strange variables' },
   { name = 'jobs', share = 2, slice = 20, what = 'jobs whose ranks are killed or stopped' },
}
local GRACE = 60                                  -- seconds after its slice in which a process must end

local options = { minutes = 10, seed = os.time() % 1000000 + 1, only = '', folder = 'test/attack', th = arg[-1] or 'th' }

local function usage()
   print 'usage: th test/attack.lua [-minutes 10] [-seed N] [-only NAME,NAME] [-folder DIR] [-th LAUNCHER] | -list'
end

local i = 1
while arg[i] do
   local name = arg[i]:match '^%-%-?(%a+)$'
   if name == 'list' then
      for _, c in ipairs(campaigns) do print(('%-14s%s'):format(c.name, c.what)) end
      os.exit(0)
   elseif name == 'help' then
      usage()
      os.exit(0)
   elseif options[name] == nil or arg[i + 1] == nil then
      usage()
      error(('attack: unknown option or missing value: %s'):format(arg[i]), 0)
   end
   local value = arg[i + 1]
   if type(options[name]) == 'number' then
      value = tonumber(value)
      if not value or value ~= value or value <= 0 then error(('attack: %s must be a number above 0'):format(arg[i]), 0) end
   end
   options[name] = value
   i = i + 2
end

local function now()
   local t = ffi.new 'attack_time'
   ffi.C.clock_gettime(1, t)
   return tonumber(t.seconds) + tonumber(t.nanoseconds) * 1e-9
end

local function quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function read(name)
   local f = io.open(name)
   if not f then return '' end
   local text = f:read '*a'
   f:close()
   return text
end

local scratch = os.tmpname()                      -- a folder for files of the cases
os.remove(scratch)
assert(os.execute('mkdir ' .. quote(scratch)) == 0, 'attack: cannot make a temporary folder')

-- Runs cases of a campaign in a process, from number `first` on, for some seconds or `count` cases.
-- @return how many cases it finished, a list of findings, the first number that it did not try, notes about what it tried
local function run(campaign, first, seconds, count, without)
   local command = ('timeout -s KILL %d %s %s/%s.lua %d %g %d %s %s %s </dev/null 2>%s; echo status $?'):format(
      seconds + GRACE, quote(options.th), quote(options.folder), campaign.name, first, seconds, count or 2 ^ 31, quote(scratch),
      quote(options.th), without or '', quote(scratch .. '/errors'))
   local pipe = assert(io.popen(command))
   local cases, at, found, status = 0, first, {}, nil
   for line in pipe:lines() do
      local word, number, rest = line:match '^(%a+) (%d+) ?(.*)$'
      number = tonumber(number)
      if word == 'at' then
         cases, at = cases + 1, number
      elseif word == 'fault' then
         found[#found + 1] = { number = number, why = rest }
      elseif word == 'status' then
         status = number
      end
   end
   pipe:close()
   if status ~= 0 then
      local last = read(scratch .. '/errors'):gsub('%s+$', ''):match '[^\n]*$'
      local why = status == 137 and 'killed: it hung, or the machine had no memory left' or ('status %s'):format(tostring(status))
      found[#found + 1] = { number = at, why = why .. (last ~= '' and ': ' .. last or '') }
   end
   return cases, found, at + 1
end

-- Takes away the parts of a case, one after the other, that the fault does not need. The numbers of the parts that can go.
local function reduce(campaign, number)
   local _, again = run(campaign, number, GRACE, 1)
   if #again == 0 then return nil end
   local gone = {}
   for part = 1, campaign.parts or 0 do
      local try = {}
      for k, p in ipairs(gone) do try[k] = p end
      try[#try + 1] = part
      local _, still = run(campaign, number, GRACE, 1, table.concat(try, ','))
      if #still > 0 then gone = try end
   end
   return gone
end

local chosen = {}
for _, c in ipairs(campaigns) do
   if options.only == '' or (',' .. options.only .. ','):find(',' .. c.name .. ',', 1, true) then
      c.next, c.cases, c.seconds, c.findings, c.seen = options.seed, 0, 0, 0, {}
      chosen[#chosen + 1] = c
   end
end
if #chosen == 0 then error(('attack: no campaign is called %s; -list shows them'):format(options.only), 0) end

local shown = ffi.C.isatty(1) == 1
local began, limit = now(), options.minutes * 60

local function progress(campaign)
   if not shown then return end
   local cases = 0
   for _, c in ipairs(chosen) do cases = cases + c.cases end
   io.write(('\r%3d %%  %d cases, %s ... \27[K'):format(math.min(99, (now() - began) / limit * 100), cases, campaign.name))
   io.flush()
end

local function report(campaign, finding)
   campaign.findings = campaign.findings + 1
   local kind = finding.why:gsub('%d+', '0'):sub(1, 80)
   if campaign.seen[kind] then return end
   campaign.seen[kind] = true
   if shown then io.write '\r\27[K' end
   print(('%s %d: %s'):format(campaign.name, finding.number, finding.why))
   local gone = reduce(campaign, finding.number)
   print(gone and ('   again with: th %s/%s.lua %d 1 1 /tmp th %s'):format(options.folder, campaign.name,
      finding.number, table.concat(gone, ',')) or '   alone it does not happen: another case before it takes part')
   io.flush()
end

print(('attack: %g minutes, seed %d'):format(options.minutes, options.seed))
io.flush()
while now() - began < limit do
   -- next comes the campaign that is furthest behind its share
   local due
   for _, c in ipairs(chosen) do if not due or c.seconds / c.share < due.seconds / due.share then due = c end end
   progress(due)
   local start = now()
   local cases, found, after = run(due, due.next, math.min(due.slice, math.max(1, limit - (start - began))))
   due.next, due.cases = after, due.cases + cases
   due.seconds = due.seconds + (now() - start)
   for _, finding in ipairs(found) do report(due, finding) end
end
if shown then io.write '\r\27[K' end
os.execute('rm -rf ' .. quote(scratch))

local all, wrong = 0, 0
print(('%-14s%12s%10s%10s  %s'):format('campaign', 'cases', 'seconds', 'findings', 'what was tried'))
for _, c in ipairs(chosen) do
   print(('%-14s%12d%10d%10d  %s'):format(c.name, c.cases, c.seconds, c.findings, c.what))
   all, wrong = all + c.cases, wrong + c.findings
end
local sum = ('%d cases, %d findings, %d s'):format(all, wrong, now() - began)
print('attack: ' .. sum)
if #chosen == #campaigns and options.folder == 'test/attack' then require 'test.runs'.note('attack', all, sum) end
os.exit(wrong == 0 and 0 or 1)
