-- doc/site/output.lua - writes generated files into a folder, and removes those that an earlier run wrote and this one does not.
local paths = require 'paths'

local M = {}

local LIST = '.files'                       -- names what the last run wrote, so that only these are ever removed

local function fail(to, what) error(('site: -to must be %s, got %s'):format(what, to), 0) end

local function names_in(folder)
   local n = 0
   for name in paths.files(folder) do if name ~= '.' and name ~= '..' then n = n + 1 end end
   return n
end

local function listed(to)
   local f, names = io.open(to .. '/' .. LIST), {}
   if not f then return names, false end
   for name in f:lines() do
      if not name:find('..', 1, true) and name:sub(1, 1) ~= '/' then names[#names + 1] = name end
   end
   f:close()
   return names, true
end

--- Refuses a folder that cannot be written, or that holds files of others.
function M.check(to)
   if paths.filep(to) then fail(to, 'a folder') end
   if not paths.mkdir(to) and not paths.dirp(to) then fail(to, 'a folder that can be made') end
   local _, ours = listed(to)
   if not ours and names_in(to) > 0 then fail(to, 'empty, or a folder that an earlier run wrote') end
   local f = io.open(to .. '/' .. LIST, 'a')
   if not f then fail(to, 'a folder that can be written') end
   f:close()
end

--- Writes one file, or raises an error in the name of the program.
function M.write_file(program, path, bytes)
   local f, why = io.open(path, 'wb')
   local ok = f
   if f then
      ok, why = f:write(bytes)
      local closed, late = f:close()
      if ok and not closed then ok, why = false, late end
   end
   if not ok then error(('%s: cannot write %s: %s'):format(program, path, tostring(why)), 0) end
end

--- Writes files: a table from their names, which may begin with folders, to their bytes.
-- @return how many files, and their bytes
function M.write(to, files)
   local list, bytes, made = {}, 0, {}
   for name, text in pairs(files) do
      list[#list + 1] = name
      bytes = bytes + #text
   end
   table.sort(list)
   for _, name in ipairs((listed(to))) do if not files[name] then os.remove(to .. '/' .. name) end end
   -- The list is written first, so that an interrupted run can be repeated.
   M.write_file('site', to .. '/' .. LIST, table.concat(list, '\n') .. '\n')
   for _, name in ipairs(list) do
      local folder = name:match '^(.*)/'
      if folder and not made[folder] then
         made[folder] = paths.mkdir(to .. '/' .. folder) or true
      end
      M.write_file('site', to .. '/' .. name, files[name])
   end
   return #list, bytes
end

return M
