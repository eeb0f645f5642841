-- cmake/floors.lua [-list] [ROOT] - checks which files use which: nothing uses a higher floor, and files do not use each other
-- in a circle. doc/architecture.md of ROOT has the floors, in its table below "## Floors", and the known circles and upward arrows below "## Known circles".
--
-- A C file uses the headers that it includes and, if it is no header, the files that define the th_ functions and variables it
-- names; X.c and X.h count as one. Names that a macro composes are not seen. A Lua file uses what it requires, at the top or in a function.
-- With -list, prints the circles and upward arrows that exist, in the form of the page, and checks nothing.
local list_only = arg[1] == '-list'
local root = arg[list_only and 2 or 1] or '.'
local PAGE = 'doc/architecture.md'

local function read(name)
   local f = io.open(root .. '/' .. name)
   if not f then return nil end
   local text = f:read '*a'
   f:close()
   return text
end

local function sorted(set)
   local keys = {}
   for key in pairs(set) do keys[#keys + 1] = key end
   table.sort(keys)
   return keys
end

-- ---- the page ----------------------------------------------------------------------------------------------------------

local page = read(PAGE) or error(PAGE .. ' is missing in ' .. root, 0)
local function section(title) return page:match('\n## ' .. title .. '\n(.-)\n## ') or page:match('\n## ' .. title .. '\n(.*)') or '' end

-- { folder = floor }: a row of the table has the number of its floor and the folders on it, as code.
local function read_floors()
   local floors = {}
   for number, folders in section 'Floors':gmatch '\n| *(%d+) *| *([^|]*)|' do
      for folder in folders:gmatch '`([^`]+)`' do floors[folder] = tonumber(number) end
   end
   if not next(floors) then error(PAGE .. ' has no table of floors', 0) end
   return floors
end

-- The exceptions: lines "- circle: `a` `b`" and "- arrow: `a` `b`".
local function read_exceptions(kind)
   local list = {}
   for names in section 'Known circles':gmatch('%- ' .. kind .. ': ([^\n]*)') do
      local row = {}
      for name in names:gmatch '`([^`]+)`' do row[#row + 1] = name end
      list[#list + 1] = row
   end
   return list
end

local floors = read_floors()

-- The folder of the table that holds the file: the longest that fits.
local function folder_of(file)
   local folder = file
   while folder do
      if floors[folder] then return folder end
      folder = folder:match '^(.*)/[^/]*$'
   end
end

-- ---- which file uses which ---------------------------------------------------------------------------------------------

local uses = {}           -- [file][file used] = where: a header, a function or a package
local function add(from, to, why)
   uses[from] = uses[from] or {}
   if from ~= to and not uses[from][to] then uses[from][to] = why end
end

local function files(pattern, folders)
   local p = assert(io.popen(("cd '%s' && find %s -type f 2>/dev/null | LC_ALL=C sort"):format(root, folders)))
   local list = {}
   for name in p:lines() do if name:find(pattern) then list[#list + 1] = name end end
   p:close()
   return list
end

local function normal(path)
   local parts = {}
   for part in path:gmatch '[^/]+' do
      if part == '..' then parts[#parts] = nil elseif part ~= '.' then parts[#parts + 1] = part end
   end
   return table.concat(parts, '/')
end

local function unit(file) return (file:gsub('%.%a+$', '')) end
local C_SUFFIX = { c = true, h = true, cc = true, cu = true, cuh = true }
local STATEMENT = { static = true, typedef = true, ['return'] = true, ['else'] = true, enum = true, ['goto'] = true, case = true }

-- The names that a C text defines: true where other files can use them, false for static ones.
local function definitions(text)
   local found = {}
   for at, line in ('\n' .. text):gmatch '\n()([%a_][^\n]*)' do
      local word = line:match '^[%a_]+'
      local name, behind = line:match '(th_[%w_]+)%s*()[%(%[=;]'
      if name and (word ~= 'extern' or line:find '^extern "') and (word == 'static' or not STATEMENT[word]) then
         local mark = line:sub(behind, behind)
         local from = at + behind - 2
         local brace, stop = text:find('{', from, true), text:find(';', from, true)
         local defined = mark ~= '(' or brace and (not stop or brace < stop)
         if defined and not line:sub(1, behind - 1):find '[=%(]' then found[name] = word ~= 'static' end
      end
   end
   return found
end

local function read_c()
   local names = {}
   local texts, exists = {}, {}
   for _, file in ipairs(files('%.%a+$', 'lib cunn lua/bin')) do
      if C_SUFFIX[file:match '%.(%a+)$'] then
         names[#names + 1] = file
         exists[file] = true
         texts[file] = read(file):gsub('/%*.-%*/', ' '):gsub('//[^\n]*', '')
      end
   end
   local definer, hidden = {}, {}
   for _, file in ipairs(names) do
      for name, public in pairs(definitions(texts[file])) do
         if not public or definer[name] and definer[name] ~= unit(file) then hidden[name] = true end
         definer[name] = unit(file)
      end
   end
   for _, file in ipairs(names) do      -- a type may have the name of a function
      for name in texts[file]:gmatch '[%s}]struct (th_[%w_]+)' do hidden[name] = true end
      for name in texts[file]:gmatch '} *(th_[%w_]+);' do hidden[name] = true end
   end
   for _, file in ipairs(names) do
      for header in texts[file]:gmatch '#%s*include%s+"([^"]+)"' do
         local near, public = normal((file:match '^(.*/)' or '') .. header), 'lib/include/' .. header
         local found = exists[near] and near or exists[public] and public
         if found then add(unit(file), unit(found), header) end
      end
      -- A header names most functions only to declare them.
      if file:find '%.cu?c?$' then
         for name in texts[file]:gsub('"[^"\n]*"', '""'):gmatch '[%a_][%w_]*' do
            if name:find '^th_' and definer[name] and not hidden[name] then add(unit(file), definer[name], name) end
         end
      end
   end
end

local function read_lua()
   local names, exists = files('%.lua$', 'lua nn cunn'), {}
   for _, file in ipairs(names) do exists[file] = true end
   for _, file in ipairs(names) do
      -- A require in a text is advice for the user, or code for another process.
      local text = read(file):gsub('%-%-%[(=*)%[.-%]%1%]', ''):gsub('%-%-[^\n]*', ''):gsub('"[^"\n]*require \'[^"\n]*"', '""')
         :gsub("'[^'\n]*require \"[^'\n]*'", "''")
      for package in text:gmatch 'require%s*%(?%s*[\'"]([%w_.]+)[\'"]' do
         local path = package:gsub('%.', '/')
         for _, candidate in ipairs { 'lua/' .. path .. '.lua', 'lua/' .. path .. '/init.lua', path .. '.lua', path .. '/init.lua' } do
            if exists[candidate] then
               add(file, candidate, package)
               break
            end
         end
      end
   end
end

-- ---- circles: strongly connected components, by Tarjan's algorithm --------------------------------------------------------

local function circles()
   local index, low, stack, on_stack, n, found = {}, {}, {}, {}, 0, {}
   local function visit(file)
      n = n + 1
      index[file], low[file] = n, n
      stack[#stack + 1] = file
      on_stack[file] = true
      for _, used in ipairs(sorted(uses[file] or {})) do
         if not index[used] then
            visit(used)
            low[file] = math.min(low[file], low[used])
         elseif on_stack[used] then
            low[file] = math.min(low[file], index[used])
         end
      end
      if low[file] == index[file] then
         local circle, member = {}
         repeat
            member = table.remove(stack)
            on_stack[member] = nil
            circle[#circle + 1] = member
         until member == file
         table.sort(circle)
         if #circle > 1 then found[#found + 1] = circle end
      end
   end
   for _, file in ipairs(sorted(uses)) do if not index[file] then visit(file) end end
   table.sort(found, function(a, b) return a[1] < b[1] end)
   return found
end

local function code(names) return '`' .. table.concat(names, '` `') .. '`' end

-- ---- the check -----------------------------------------------------------------------------------------------------------

read_c()
read_lua()
local faults = {}
local function fault(...) faults[#faults + 1] = string.format(...) end

-- Arrows to a higher floor, or to another folder of the same floor.
local arrows, without = {}, {}
for _, from in ipairs(sorted(uses)) do
   local home = folder_of(from)
   if not home then without[from:match '^(.*)/' or from] = true end
   for _, to in ipairs(sorted(uses[from])) do
      local there = folder_of(to)
      if home and there and home ~= there and floors[there] >= floors[home] then arrows[#arrows + 1] = { from, to } end
   end
end
local found = circles()

if list_only then
   for _, circle in ipairs(found) do print('- circle: ' .. code(circle)) end
   for _, arrow in ipairs(arrows) do print('- arrow: ' .. code(arrow)) end
   os.exit(0)
end

for _, folder in ipairs(sorted(without)) do fault('%s has no floor in %s', folder, PAGE) end
for folder in pairs(floors) do
   if not read(folder) and #files('%.%a+$', folder) == 0 then fault('%s gives a floor to %s, which holds no files', PAGE, folder) end
end

local known_arrows, known_circles = {}, {}
for _, arrow in ipairs(read_exceptions 'arrow') do known_arrows[arrow[1] .. ' ' .. tostring(arrow[2])] = true end
for _, circle in ipairs(read_exceptions 'circle') do
   local set = {}
   for _, name in ipairs(circle) do set[name] = true end
   known_circles[#known_circles + 1] = set
end

for _, arrow in ipairs(arrows) do
   local from, to = arrow[1], arrow[2]
   local key = from .. ' ' .. to
   if not known_arrows[key] then
      fault('%s uses %s (%s): floor %d must not use floor %d', from, to, uses[from][to], floors[folder_of(from)],
         floors[folder_of(to)])
   end
   known_arrows[key] = nil
end
for _, key in ipairs(sorted(known_arrows)) do fault('%s lists an arrow that is gone: %s', PAGE, key) end

-- How a circle closes: a file and one that it uses, round to the first.
local function way_round(circle)
   local set, way, at = {}, {}, circle[1]
   for _, name in ipairs(circle) do set[name] = true end
   local seen = {}
   while not seen[at] do
      seen[at] = true
      for _, to in ipairs(sorted(uses[at])) do
         if set[to] and (not seen[to] or to == circle[1]) or set[to] and #way > #circle then
            way[#way + 1] = ('%s uses %s (%s)'):format(at, to, uses[at][to])
            at = to
            break
         end
      end
   end
   return table.concat(way, '; ')
end

local still = {}
for _, circle in ipairs(found) do
   local home
   for k, set in ipairs(known_circles) do if set[circle[1]] or set[circle[#circle]] then home = k end end
   local extra = {}
   for _, name in ipairs(circle) do
      if not home or not known_circles[home][name] then extra[#extra + 1] = name end
      still[name] = true
   end
   if not home then fault('a new circle: %s: %s', code(circle), way_round(circle))
   elseif #extra > 0 then fault('a circle grows by %s: %s', code(extra), way_round(circle)) end
end
for _, set in ipairs(known_circles) do
   for _, name in ipairs(sorted(set)) do
      if not still[name] then fault('%s lists %s in a circle, but it is in none', PAGE, name) end
   end
end

for _, text in ipairs(faults) do print(text) end
os.exit(#faults == 0 and 0 or 1)
