-- torch.require - require and dofile of programs that th runs: require also takes names of files, and finds './x' and '..'
-- beside the file of the call.
local original = require 'torch.original'

local M = {}

-- ---- the caller ------------------------------------------------------------------------------------------------

local function results(...) return ... end

-- Runs the chunk of a file. Meanwhile `path` is on the stack, where folder_of_caller finds it after the chunk itself has
-- left the stack by a tail call: `return require './x'`.
local function run(path, f, ...)             -- luacheck: ignore path
   return results(f(...))
end

--- A function that runs the chunk f of the file `path`.
function M.running(path, f)
   return function(...) return run(path, f, ...) end
end

local function folder_of(path)
   return path:match '^(.*)/[^/]*$' or '.'
end

local here = debug.getinfo(1, 'S').source:match '^(.*/)[^/]*$'

-- The folder of the file whose code called the function at `level`. Code from a prompt or the command line has none. Files of
-- lua/torch, which are between the program and this function, are skipped.
local function folder_of_caller(level)
   while true do
      local info = debug.getinfo(level, 'Sf')
      if not info then break end
      if info.func == run then
         local _, path = debug.getlocal(level, 1)
         return folder_of(path)
      end
      local first = info.source:sub(1, 1)
      if first == '@' and info.source:sub(1, #here) ~= here then return folder_of(info.source:sub(2)) end
      if first == '=' and info.what ~= 'C' then return '.' end
      level = level + 1
   end
   -- The script itself has left the stack by a tail call. Without a script, th is arg[0], and no index below exists.
   local words = type(arg) == 'table' and arg or {}
   return words[-1] and type(words[0]) == 'string' and folder_of(words[0]) or '.'
end

-- ---- files -----------------------------------------------------------------------------------------------------

local function exists(path)
   local paths = require 'torch.paths'
   return paths.filep(path)
end

-- How to load a file, by the end of its name.
local function lua_file(path, name)
   local f, why = loadfile(path)
   if not f then error(("error loading module '%s' from file '%s':\n\t%s"):format(name, path, why), 0) end
   return run(path, f, name)
end
local function saved_file(path) return require 'torch'.load(path) end
local function library(path, name)
   local open = 'luaopen_' .. path:match '([^/]*)%.so$'
   local f, why = package.loadlib(path, open)
   if not f then error(("error loading module '%s' from file '%s':\n\t%s"):format(name, path, why), 0) end
   return f(name)
end
local readers = { lua = lua_file, th = saved_file, t7 = saved_file, so = library }
local endings = { '', '.lua', '/init.lua', '.th', '.t7', '.so' }

-- The file for `path`, with an ending or without; or nil, and the list of files that were tried.
local function file_of(path)
   local tried = {}
   for _, ending in ipairs(endings) do
      local file = path .. ending
      if readers[file:match '%.(%w+)$'] then
         if exists(file) then return file end
         tried[#tried + 1] = ("\n\tno file '%s'"):format(file)
      end
   end
   return nil, table.concat(tried)
end

local loading = newproxy()                   -- the value in package.loaded while a file runs

local function load_once(file, name)
   local known = package.loaded[file]
   if known == loading then
      error(("loop or previous error loading module '%s' from file '%s'"):format(name, file), 3)
   end
   if known ~= nil then return known end
   package.loaded[file] = loading
   local ok, value = pcall(readers[file:match '%.(%w+)$'], file, name)
   if not ok then
      package.loaded[file] = nil
      error(value, 0)
   end
   if value == nil then
      value = package.loaded[file]
      if value == loading then value = true end
   end
   package.loaded[file] = value
   return value
end

local function absolute(folder, name)
   return require 'torch.paths'.concat(folder, name)
end

-- C ends a name at a byte 0, and would take another file.
local function need_name(who, name)
   if name:find('\0', 1, true) then error(('%s: the name must not hold a byte 0'):format(who), 3) end
end

--- require 'name' as in Lua; require './name', '../name', '.' and '..' are relative to the calling file, with or without
-- .lua, and a folder means its init.lua; require 'folder/name.lua' is relative to the current folder, then to that file.
-- A file that ends in .th or .t7 is a saved object.
function M.require(name)
   local is_text = type(name) == 'string'
   if is_text then need_name('require', name) end
   local relative = is_text and (name == '.' or name == '..' or name:find '^%.%.?/')
   if relative then
      local file, tried = file_of(absolute(folder_of_caller(3), name))
      if not file then error(("module '%s' not found:%s"):format(name, tried), 2) end
      return load_once(file, name)
   end
   if is_text and (name:sub(-4) == '.lua' or name:sub(-3) == '.th') and package.loaded[name] == nil then
      for _, folder in ipairs { '.', folder_of_caller(3) } do
         local file = absolute(folder, name)
         if exists(file) then return load_once(file, name) end
      end
   end
   return original.require(name)
end

--- dofile as in Lua; './x' in the file is relative to it even if the file ends with a call of require.
function M.dofile(name)
   if type(name) ~= 'string' then return original.dofile(name) end
   need_name('dofile', name)
   local f, why = loadfile(name)
   if not f then error(why, 0) end
   return run(name, f)
end

return M
