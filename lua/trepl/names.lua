-- trepl.names - the globals of trepl: its print, who, import, monitor_G, and the record of the prompt's results.
local original = require 'torch.original'
local show = require 'torch.show'
local launch = require 'torch.launch'

local names = {}

-- ---- print -----------------------------------------------------------------------------------------------------

--- Lua's print.
names.print_old = original.print

--- trepl's print: tables show their contents; a tab ends each other value, the last one too; no values, no line.
function names.print_new(...)
   io.stdout:write(show.printed('\t\n', ...))
end

--- The depth of nested tables that print shows; 0 restores Lua's print.
function names.setprintlevel(n)
   if type(n) ~= 'number' or n % 1 ~= 0 or n < 0 then
      error(('setprintlevel: expected a whole number of at least 0, got %s'):format(tostring(n)), 2)
   end
   rawset(_G, 'print', n == 0 and names.print_old or names.print_new)
   if n > 0 then show.level = n end
end

--- Makes the texts of trepl.colors empty.
function names.noColors()
   local colors = require 'trepl.colors'
   for name in pairs(colors) do colors[name] = '' end
end

-- ---- globals ---------------------------------------------------------------------------------------------------

--- The names of the globals that existed before the program.
names._preloaded_ = {}
for name in next, launch.preloaded or _G do names._preloaded_[name] = true end
names._preloaded_._ = true                   -- the last value that the prompt has shown

--- Prints the global variables of the program. @param system  true: those of Lua and of th, too
function names.who(system)
   local own, width = {}, 0
   for name, value in next, _G do
      if type(name) == 'string' and (system or not names._preloaded_[name]) then
         own[#own + 1] = { name = name, value = value }
         width = math.max(width, #name)
      end
   end
   table.sort(own, function(a, b) return a.name < b.name end)
   local lines = { system and '== All globals ==' or '== User globals ==' }
   for _, it in ipairs(own) do
      lines[#lines + 1] = ('%-' .. math.min(width + 2, 40) .. 's = %s'):format('[' .. it.name .. ']', show.brief(it.value))
   end
   lines[#lines + 1] = '=='
   io.stdout:write(table.concat(lines, '\n'), '\n')
end

--- Makes the fields of a package globals; existing ones stay unless `forced` is true. _torchimport[name] lists them.
-- @return the package
function names.import(name, forced)
   local package_table = require(name)
   if type(package_table) ~= 'table' then package_table = rawget(_G, name) end
   if type(package_table) ~= 'table' then
      error(('import: %s must return a table, got %s'):format(tostring(name), type(package_table)), 2)
   end
   local imported = rawget(_G, '_torchimport') or {}
   rawset(_G, '_torchimport', imported)
   imported[name] = imported[name] or {}
   for k, v in pairs(package_table) do
      if forced or rawget(_G, k) == nil then
         rawset(_G, k, v)
         imported[name][k] = v
      end
   end
   return package_table
end

-- The position in the program that set or read a global; nil for code of our packages.
local function place()
   local level = 4                          -- above position, report and the metamethod
   local info = debug.getinfo(level, 'Sl')
   while info and info.what == 'C' do
      level = level + 1
      info = debug.getinfo(level, 'Sl')
   end
   if not info then return '?' end
   if launch.holds(info.source:match '^@(.*)$') then return nil end
   return ('%s:%d'):format(info.short_src, info.currentline)
end

--- Reports each global variable that is new, or read without a value, with its position.
-- @param how  true: it is an error; a function: it is called with the name and 'newindex' or 'index'
function names.monitor_G(how)
   local mt = getmetatable(_G) or {}
   local find = mt.__index
   local function report(name, event, text)
      if type(how) == 'function' then return how(name, event) end
      local where = place()
      if not where then return end
      text = ('%s: the global variable %s %s'):format(where, tostring(name), text)
      if how then error(text, 0) end
      print(text)
   end
   setmetatable(_G, {
      __newindex = function(t, name, value)
         report(name, 'newindex', 'is made')
         rawset(t, name, value)
      end,
      __index = function(t, name)
         local value
         if type(find) == 'function' then value = find(t, name) elseif find then value = find[name] end
         if value == nil then report(name, 'index', 'is read, and has no value') end
         return value
      end,
   })
end

-- ---- the prompt ------------------------------------------------------------------------------------------------

--- The values that the prompt has shown, and the last of them.
names._RESULTS, names._LAST = require 'torch.results', ''

--- Starts the prompt of th here; it ends with Ctrl-D.
function names.repl() return require 'torch.repl'.run() end

return names
