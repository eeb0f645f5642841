-- test/attack/child.lua - the frame of a campaign: runs cases one after the other and prints what test/attack.lua reads.
--    th test/attack/NAME.lua FIRST SECONDS COUNT FOLDER LAUNCHER [WITHOUT]
-- It prints `at N` before case N and `fault N WHY` after one that went wrong.
local child = {}

local first, seconds, count = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3])
if not first or not seconds or not count then
   error(('usage: th %s FIRST SECONDS COUNT FOLDER LAUNCHER [WITHOUT]'):format(arg[0]), 0)
end
--- A folder for files of the cases, and the program that runs scripts.
child.folder, child.launcher = arg[4] or '/tmp', arg[5] or arg[-1]

-- The parts of a case to leave out, when test/attack.lua looks for the smallest case.
local without = {}
for part in (arg[6] or ''):gmatch '%d+' do without[tonumber(part)] = true end
function child.has(part) return not without[part] end

local state
--- 1..n, from the number of the case (the minimal standard generator of Park and Miller).
function child.draw(n)
   state = state * 48271 % 2147483647
   return state % n + 1
end
function child.pick(list) return list[child.draw(#list)] end

function child.quote(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

--- Calls case(number) for number after number. A case returns nil, or what went wrong. An error is a fault, too.
function child.run(case)
   local write, out, time = io.write, io.stdout, os.time
   local begin = time()
   for number = first, first + count - 1 do
      if number > first and time() - begin >= seconds then break end
      state = number * 7919 % 2147483646 + 1
      for _ = 1, 4 do child.draw(2) end
      out:write('at ', number, '\n')
      out:flush()
      local ok, why = pcall(case, number)
      if not ok or why then
         out:write('fault ', number, ' ', (tostring(why):gsub('%s+', ' ')), '\n')
         out:flush()
      end
   end
   io.write = write
end

return child
