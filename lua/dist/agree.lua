-- lua/dist/agree.lua - what the ranks of a group must have alike, and an error of one rank that becomes an error of all.
local torch = require 'torch'
local arg = require 'torch.arg'
local wire = require 'dist.lib'

local M = {}

-- ---- groups as numbers: objects that hold a number can be copied and saved ---------------------------------------------------

local groups, numbers = {}, setmetatable({}, { __mode = 'k' })

--- The number of a group; 0 is the whole job, which nil stands for. Refuses what is no group with this rank in it; `name` is
-- that of the option, default group.
function M.number(who, group, level, name)
   if not wire.world then error(who .. ': call dist.init() first', level) end
   if group == nil or group == wire.world then return 0 end
   if getmetatable(group) ~= getmetatable(wire.world) then
      arg.refuse(who, name or 'group', 'a group made by dist.group', group, level)
   end
   if group.closed then error(who .. ': the group is closed', level) end
   if not group.c then error(('%s: rank %d is not in the group'):format(who, wire.world.at), level) end
   if not numbers[group] then
      groups[#groups + 1] = group
      numbers[group] = #groups
   end
   return numbers[group]
end

--- The group of a number, with `at` (this rank in it), `n` (how many there are) and `ranks` (their numbers in the job).
function M.group(number) return number == 0 and wire.world or groups[number] end

--- The same as options of dist's operations.
function M.options(number, async) return { group = groups[number], async = async } end

-- ---- agreeing ----------------------------------------------------------------------------------------------------------------

local TEXT = 1000

local function bytes_of(text)
   local bytes = torch.ByteTensor(TEXT):zero()
   for i = 1, math.min(#text, TEXT) do bytes[i] = text:byte(i) end
   return bytes
end

local function text_of(bytes)
   local list = {}
   for i = 1, TEXT do
      if bytes[i] == 0 then break end
      list[i] = string.char(bytes[i])
   end
   return table.concat(list)
end

--- What error() and error(false) say.
M.silent = 'an error without a message'

--- All ranks of a group call it. Where `ok` is false on any of them, it raises on all: `why` on the rank itself, on the others
-- what the first of those ranks says. Otherwise returns the numbers that the ranks give, as a list.
-- @param number  of the group
function M.well(who, number, ok, why, value)
   local dist, g, o = require 'dist', M.group(number), M.options(number)
   why = why or M.silent
   local all = dist.allgather(torch.DoubleTensor{ ok and 0 or 1, value or 0 }, o)
   local first
   for r = g.n, 1, -1 do if all[r][1] ~= 0 then first = r end end
   if not first then
      local values = {}
      for r = 1, g.n do values[r] = all[r][2] end
      return values
   end
   local said = first == g.at + 1 and tostring(why):gsub('\nits traceback:.*', ''):gsub('\nstack traceback:.*', '') or ''
   local text = dist.broadcast(bytes_of(said), first - 1, o)
   if not ok then error(why, 0) end
   local told = text_of(text)
   if told:find(who .. ': rank %d+: ') == 1 then error(told, 0) end           -- of another group
   error(('%s: rank %d: %s'):format(who, g.ranks[first], told), 0)
end

--- Raises on all ranks of a group where they differ in a fact.
-- @param facts  a list of { name, number or text }
function M.same(who, number, facts)
   local dist, g, mine = require 'dist', M.group(number), torch.DoubleTensor(#facts)
   for i, fact in ipairs(facts) do mine[i] = type(fact[2]) == 'number' and fact[2] or wire.digest{ tostring(fact[2]) } end
   local all = dist.allgather(mine, M.options(number))
   for r = 2, g.n do
      for i, fact in ipairs(facts) do
         local a, b = all[1][i], all[r][i]
         if a ~= b and (a == a or b == b) then
            local values = type(fact[2]) == 'number' and (': rank %d has %g, rank %d %g'):format(g.ranks[1], a, g.ranks[r], b)
               or (': rank %d has another than rank %d'):format(g.ranks[r], g.ranks[1])
            error(('%s: the ranks differ in %s%s'):format(who, fact[1], values), 0)
         end
      end
   end
end

--- The value of a rank of the group, anything that torch.serialize takes, on all ranks.
function M.value(number, root, value)
   local dist, g, o = require 'dist', M.group(number), M.options(number)
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
