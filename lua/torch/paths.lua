-- lua/torch/paths.lua - paths: names of files and folders, and queries of the file system.
local ffi = require 'ffi'
local C = require 'torch.lib'.C

ffi.cdef [[
   int mkdir(const char *path, unsigned mode);
   int rmdir(const char *path);
   int access(const char *path, int mode);
   char *getcwd(char *to, size_t room);
   long readlink(const char *path, char *to, size_t room);
   char *strerror(int e);
]]

local paths = {}

local room = ffi.new 'char[4096]'
local NONE, FILE, DIR = tonumber(C.TH_PATH_NONE), tonumber(C.TH_PATH_FILE), tonumber(C.TH_PATH_DIR)

-- A name; a number becomes its digits, as in paths.concat(folder, epoch).
local function need(who, what, v)
   if type(v) == 'number' then return tostring(v) end
   if type(v) ~= 'string' then error(('paths.%s: %s must be a string, got %s'):format(who, what, type(v)), 3) end
   if v:find('\0', 1, true) then                    -- C would end the name there
      error(('paths.%s: %s must not hold a byte 0, got "%s"'):format(who, what, (v:gsub('%z', '\\0'))), 3)
   end
   return v
end

local function why() return ffi.string(ffi.C.strerror(ffi.errno())) end

---------------------------------------------------------------------------------------------------------
-- names

--- The last part of a path; without `suffix` if it ends in it (the dot may be left out).
-- paths.basename('/a/b.lua', 'lua') --> b
function paths.basename(path, suffix)
   path = need('basename', 'path', path)
   local name = path:gsub('/+$', ''):match '[^/]*$'
   if suffix then
      suffix = '.' .. need('basename', 'suffix', suffix):gsub('^%.', '')
      if #name > #suffix and name:sub(-#suffix) == suffix then name = name:sub(1, -#suffix - 1) end
   end
   return name
end

--- The folder of a path; '.' if it names none.
-- paths.dirname('/a/b.lua') --> /a
function paths.dirname(path)
   path = need('dirname', 'path', path)
   local trimmed = path:gsub('/+$', '')
   if trimmed == '' then return path:sub(1, 1) == '/' and '/' or '.' end
   local folder = trimmed:match '^(.*)/[^/]*$'
   if not folder then return '.' end
   folder = folder:gsub('/+$', '')
   return folder == '' and '/' or folder
end

--- The part after the last dot, or nil.
function paths.extname(path) return need('extname', 'path', path):match '%.([^.]*)$' end

--- The current folder of the program.
function paths.cwd()
   if ffi.C.getcwd(room, 4096) == nil then error('paths.cwd: ' .. why(), 2) end
   return ffi.string(room)
end

--- Joins names to an absolute path without '.', '..' and double slashes. It begins in the current folder; an absolute
-- part starts over.
function paths.concat(...)
   local first = ...
   local parts = {}
   local function walk(path)
      if path:sub(1, 1) == '/' then parts = {} end
      for part in path:gmatch '[^/]+' do
         if part == '..' then parts[#parts] = nil
         elseif part ~= '.' then parts[#parts + 1] = part end
      end
   end
   local n = select('#', ...)
   if n == 0 or tostring(first):sub(1, 1) ~= '/' then walk(paths.cwd()) end
   for i = 1, n do walk(need('concat', 'argument ' .. i, (select(i, ...)))) end
   return '/' .. table.concat(parts, '/')
end

-- The file of the function at a level above the caller.
local function source_at(level)
   local info = debug.getinfo(level + 1, 'S')
   local name = info and info.source:match '^@(.*)$'
   return name and paths.concat(name)
end

local function level(who, depth)
   depth = depth or 1
   if type(depth) ~= 'number' or not (depth >= 1 and depth < 2 ^ 30) then
      error(('paths.%s: depth must be a number of at least 1, got %s'):format(who, tostring(depth)), 3)
   end
   return depth
end

--- The path of the calling file; with `name`, of that file in the same folder. nil at a prompt.
-- @param depth  1 (default): the caller; 2: the caller's caller, ...
function paths.thisfile(name, depth)
   if name ~= nil then name = need('thisfile', 'name', name) end
   local own = source_at(level('thisfile', depth) + 1)
   if not own or name == nil then return own end
   return paths.concat(paths.dirname(own), name)
end

--- Runs a Lua file in the folder of the calling file.
function paths.dofile(name, depth)
   name = need('dofile', 'name', name)
   local own = source_at(level('dofile', depth) + 1)
   return dofile(own and paths.concat(paths.dirname(own), name) or paths.concat(name))
end

--- require under another name, for scripts from the time of Lua 5.0.
function paths.require(name) return require(need('require', 'name', name)) end

---------------------------------------------------------------------------------------------------------
-- the file system

function paths.filep(path) return C.th_path_kind(need('filep', 'path', path), 1) == FILE end       --- is it a file?
function paths.dirp(path) return C.th_path_kind(need('dirp', 'path', path), 1) == DIR end          --- is it a folder?

-- The names in a folder, or nil and a message.
local function names_in(path)
   local d = C.th_dir_open(path)
   if d == nil then return nil, ('%s: %s'):format(path, why()) end
   local names = {}
   while true do
      local name = C.th_dir_next(d)
      if name == nil then break end
      names[#names + 1] = ffi.string(name)
   end
   C.th_dir_close(d)
   return names
end

--- The names in a folder, '.' and '..' included; nil when it cannot be read.
function paths.dir(path) return (names_in(need('dir', 'path', path))) end

local function filtered(who, path, keep, level)
   local names, message = names_in(path)
   if not names then error(('paths.%s: cannot read %s'):format(who, message), level + 1) end
   local i = 0
   return function()
      repeat
         i = i + 1
         if names[i] == nil then return nil end
      until keep(names[i])
      return names[i]
   end
end

--- Iterates over the names in a folder: for name in paths.files('.', '%.lua$') do ... end
-- @param filter  a Lua pattern that a name must contain, or a function of the name (optional)
function paths.files(path, filter)
   path = need('files', 'path', path)
   local keep
   if filter == nil then
      keep = function() return true end
   elseif type(filter) == 'string' then
      keep = function(name) return name:find(filter) end
   elseif type(filter) == 'function' then
      keep = filter
   else
      error(('paths.files: filter must be a pattern or a function, got %s'):format(type(filter)), 2)
   end
   return filtered('files', path, keep, 2)
end

--- Iterates over the folders in a folder.
function paths.iterdirs(path)
   path = need('iterdirs', 'path', path)
   return filtered('iterdirs', path, function(name)
      return name ~= '.' and name ~= '..' and paths.dirp(path .. '/' .. name)
   end, 2)
end

--- Iterates over the files in a folder.
function paths.iterfiles(path)
   path = need('iterfiles', 'path', path)
   return filtered('iterfiles', path, function(name) return paths.filep(path .. '/' .. name) end, 2)
end

local function result(r, path)
   if r == 0 then return true end
   return nil, ('%s: %s'):format(path, why()), ffi.errno()
end

--- Makes a folder, and missing ones above it. Returns true, or nil and a message.
function paths.mkdir(path)
   path = need('mkdir', 'path', path)
   local above = paths.dirname(path)
   if above ~= path and above ~= '.' and C.th_path_kind(above, 1) == NONE then
      local ok, message = paths.mkdir(above)
      if not ok then return nil, message end
   end
   return result(ffi.C.mkdir(path, 511), path)              -- rwxrwxrwx, less the umask
end

--- Removes an empty folder. Returns true, or nil and a message.
function paths.rmdir(path)
   path = need('rmdir', 'path', path)
   return result(ffi.C.rmdir(path), path)
end

--- Removes a file, or a folder with its contents; links are removed, not followed. `sure` must be 'yes'.
-- @return true, or nil and a message
function paths.rmall(path, sure)
   path = need('rmall', 'path', path)
   if sure ~= 'yes' then return nil, "paths.rmall: the second argument must be 'yes'" end
   local kind = C.th_path_kind(path, 0)
   if kind == NONE then return nil, path .. ': there is no such file or folder' end
   if kind ~= DIR then
      local ok, message = os.remove(path)
      return ok and true or nil, message
   end
   local names, message = names_in(path)
   if not names then return nil, message end
   for _, name in ipairs(names) do
      if name ~= '.' and name ~= '..' then
         local ok, reason = paths.rmall(path .. '/' .. name, sure)
         if not ok then return nil, reason end
      end
   end
   return paths.rmdir(path)
end

local temporary                              -- removes its files when Lua ends

--- The name of a new temporary file, which is removed when Lua ends.
function paths.tmpname()
   if not temporary then
      temporary = { names = {}, guard = newproxy(true) }
      local names = temporary.names
      getmetatable(temporary.guard).__gc = function()
         for _, name in ipairs(names) do os.remove(name) end
      end
   end
   local name = os.tmpname()
   os.remove(name)                           -- os.tmpname makes an empty file; programs also make folders of the name
   table.insert(temporary.names, name)
   return name
end

---------------------------------------------------------------------------------------------------------
-- the machine

--- paths.home: The folder of the user.
paths.home = os.getenv 'HOME' or '/'

--- Name of the system, of the host and of the processor's kind.
function paths.uname()
   return ffi.string(C.th_system_name(0)), ffi.string(C.th_system_name(1)), ffi.string(C.th_system_name(3))
end
--- Whether the system is Windows: false.
function paths.is_win() return ffi.os == 'Windows' end
--- Whether the system is macOS.
function paths.is_mac() return ffi.os == 'OSX' end

--- The path of the first of these programs in PATH, or nil.
function paths.findprogram(...)
   for i = 1, select('#', ...) do
      local name = need('findprogram', 'argument ' .. i, (select(i, ...)))
      if name:find '/' then
         if paths.filep(name) and ffi.C.access(name, 1) == 0 then return paths.concat(name) end
      else
         for folder in (os.getenv 'PATH' or '/usr/bin:/bin'):gmatch '[^:]+' do
            local path = folder .. '/' .. name
            if paths.filep(path) and ffi.C.access(path, 1) == 0 then return paths.concat(path) end
         end
      end
   end
   return nil
end

--- The folder of the running program (of th, or of luajit), or nil if the system does not report it.
function paths.execdir()
   local n = tonumber(ffi.C.readlink('/proc/self/exe', room, 4096))
   if n <= 0 then return nil end
   return paths.dirname(ffi.string(room, n))
end

--- There is a registry on Windows only.
function paths.getregistryvalue() error('paths.getregistryvalue: this system has no registry', 2) end

rawset(_G, 'paths', paths)
package.loaded.paths = paths
return paths
