-- lua/distributed/collective_check.lua - cross-rank checks: facts that must match on all ranks, and errors of one
-- rank that become errors on all.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'

local M = {}

-- ---- groups as numbers: objects that hold a number can be copied and saved
-- ------------------------------------------------

local groups, numbers = {}, setmetatable({}, { __mode = 'k' })

--- The number of a group; 0 is the whole job, for which nil stands. Refuses a value that is not a
-- group with this rank in it. `name`: the name of the option, default group.
function M.number(who, group, level, name)
   if not comm.world then error(who .. ': call dist.init() first', level) end
   if group == nil or group == comm.world then return 0 end
   if getmetatable(group) ~= getmetatable(comm.world) then
      arg.refuse(who, name or 'group', 'a group made by dist.group', group, level)
   end
   if group.closed then error(who .. ': the group is closed', level) end
   if not group.c then error(('%s: rank %d is not in the group'):format(who, comm.world.at), level) end
   if not numbers[group] then
      groups[#groups + 1] = group
      numbers[group] = #groups
   end
   return numbers[group]
end

--- The group with a number. It has `at` (this rank in it), `n` (its size) and `ranks` (its members'
-- ranks in the job).
function M.group(number) return number == 0 and comm.world or groups[number] end

--- The group as an option of dist's operations.
function M.options(number, async) return { group = groups[number], async = async } end

-- ---- agreement
-- -----------------------------------------------------------------------------------------------------------

local HEAD, TEXT = 2, 125                          -- doubles of a message: its rank's state and value; then the text
local WELL, FAILED, TOLD = 0, 1, 2

--- The message for error() and error(false).
M.silent = 'an error without a message'

--- Raised if a rank has announced during an operation that it failed; that rank gives the reason at
-- the operation's end.
M.told = setmetatable({}, { __tostring = function() return 'another rank has failed' end })

local failures = {}

--- How often the ranks of a group, by its number, have disagreed so far.
function M.failures(number) return failures[number] or 0 end

local function message(state, value, why)
   local m = torch.DoubleTensor(HEAD + TEXT):zero()
   m[1], m[2] = state, value or 0
   if why then
      local text = tostring(why):gsub('\nits traceback:.*', ''):gsub('\nstack traceback:.*', '')
      ffi.copy(m:data() + HEAD, text, math.min(#text, 8 * TEXT - 1))
   end
   return m
end

-- Reads the messages of all ranks: returns a list of their values; or nil, the first rank (from 1)
-- that failed, and the reason.
local function read(number, all)
   local n, first, values = M.group(number).n, nil, {}
   for r = n, 1, -1 do
      values[r] = all[r][2]
      if all[r][1] == TOLD or all[r][1] == FAILED and not (first and all[first][1] == TOLD) then first = r end
   end
   if not first then return values end
   failures[number] = M.failures(number) + 1
   if all[first][1] == TOLD then return nil, first, M.told end
   return nil, first, ffi.string(ffi.cast('const char *', all[first]:data() + HEAD))
end

--- As M.well, but returns instead of raising: nil, the first rank of the group that failed, and the
-- reason (M.told if a rank has announced it).
function M.hear(number, ok, why, value)
   return read(number, dist.allgather(message(ok and WELL or FAILED, value, not ok and why), M.options(number)))
end

--- All ranks of a group call it. If `ok` is false on any of them, it raises an error on all: `why`
-- on that rank itself, and on the others the reason of the first such rank. Otherwise returns the
-- ranks' numbers `value`, as a list.
-- @param number  of the group
function M.well(who, number, ok, why, value)
   if not ok and not why then why = M.silent end
   local values, first, text = M.hear(number, ok, why, value)
   if values then return values end
   error(not ok and why or text == M.told and text or M.named(who, number, first, text), 0)
end

--- The reason given by rank `first` (from 1) of a group, with its name, unless another group has
-- already put one in front.
function M.named(who, number, first, text)
   if text:find '^dist%.%a+: rank %d+: ' then return text end
   return ('%s: rank %d: %s'):format(who, M.group(number).ranks[first], text)
end

--- Announces to the ranks of a group that this rank failed, at whatever agreement comes next: it
-- raises M.told there. Does not wait; the function that it returns does.
function M.tell(number)
   local tries, handle = 4, nil
   local function again() handle = dist.allgather(message(TOLD), M.options(number, true)) end
   again()
   return function()
      for _ = 1, tries do                            -- a rank may have called another operation, which has failed there too
         local ok, all = pcall(handle.wait, handle)
         if ok then return read(number, all) end
         again()
      end
   end
end

--- Returns in which fact the ranks of a group differ, in words, or an error; nil if they do not
-- differ.
-- @param facts  a list of { name, number or text, words that stand for the numbers from 1
--    (optional) }
-- @param group  what M.group returns
-- @param facts  a list of { name, number or text, words that stand for the numbers from 1 (optional) }
-- @param group  what M.group gives
function M.differ(group, facts, seconds)
   local mine, all = torch.DoubleTensor(#facts), torch.DoubleTensor(group.n, #facts)
   for i, fact in ipairs(facts) do mine[i] = type(fact[2]) == 'number' and fact[2] or comm.digest { tostring(fact[2]) } end
   local why = comm.try(group.c, comm.kinds.allgather, 0, 0, { mine }, { all }, seconds)
   if why then return why end
   for i, fact in ipairs(facts) do
      for r = 2, group.n do
         local a, b, words = all[1][i], all[r][i], fact[3] or {}
         if a ~= b and (a == a or b == b) then
            local first, other = group.ranks[1], group.ranks[r]
            if type(fact[2]) ~= 'number' then
               return ('the ranks differ in %s: rank %d has another than rank %d'):format(fact[1], other, first)
            end
            local function word(v) return words[v] or ('%.14g'):format(v) end
            return ('the ranks differ in %s: rank %d has %s, rank %d %s'):format(fact[1], first, word(a), other, word(b))
         end
      end
   end
end

--- Raises an error on all ranks of a group, by its number, if they differ in a fact.
-- @param facts  as of M.differ
function M.same(who, number, facts)
   local why = M.differ(M.group(number), facts)
   if why then error(('%s: %s'):format(who, why), 0) end
end

--- The value of one rank of the group, anything that torch.serialize takes, on all ranks.
function M.value(number, root, value)
   local g, o = M.group(number), M.options(number)
   local ok, text = true, ''
   if g.at == root then ok, text = pcall(torch.serialize, value) end
   M.well('dist', number, ok, text)
   local size = dist.broadcast(torch.DoubleTensor{ #text }, root, o)[1]
   local bytes = torch.ByteTensor(size)
   if g.at == root then
      bytes:storage():string(text)
      dist.broadcast(bytes, root, o)
      return value
   end
   return torch.deserialize(dist.broadcast(bytes, root, o):storage():string())
end

return M
