-- lua/torch/package.lua - helpers around packages and the clock: torch.include, packageLuaPath, tic, toc, isatty.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local C = lib.C

ffi.cdef 'int isatty(int fd); int fileno(void *file);'

local M = {}
local seconds = ffi.new 'double[3]'

--- Seconds on a clock that never goes back; give them to torch.toc.
-- start = torch.tic(); torch.toc(start) < 1 --> true
function M.tic()
   C.th_clock(seconds)
   return seconds[0]
end

--- Seconds since torch.tic() gave `start`.
function M.toc(start)
   if type(start) ~= 'number' then arg.refuse('torch.toc', 'start', 'what torch.tic() gave', start) end
   return M.tic() - start
end

local descriptors = { [io.stdin] = 0, [io.stdout] = 1, [io.stderr] = 2 }

--- Whether a Lua file (io.stdout) is a terminal.
function M.isatty(f)
   if io.type(f) ~= 'file' then arg.refuse('torch.isatty', 'file', 'an open file such as io.stdout', f) end
   local fd = descriptors[f]
   if not fd then fd = ffi.C.fileno(f) end
   return ffi.C.isatty(fd) ~= 0
end

--- The folder that holds the init.lua of an installed package, or nil.
function M.packageLuaPath(name)
   arg.path('torch.packageLuaPath', 'name', name)
   local found = package.searchpath(name, package.path)
   if not found then return end
   local folder = found:match '^(.*)[/\\][^/\\]*$' or '.'
   if found:match '[/\\]init%.lua$' then return folder end
   local own = folder .. '/' .. name:gsub('%.', '/')
   local f = io.open(own .. '/init.lua')
   if not f then return folder end
   f:close()
   return own
end

-- The source file of the function at a level, without '@'.
local function source_at(level)
   local info = debug.getinfo(level + 1, 'S')
   return info and info.source:match '^@(.*)$'
end

--- Runs a file of a package: torch.include('pkg', 'Layer.lua') runs Layer.lua beside pkg's init.lua.
-- With one argument the file is beside the file of the caller.
-- @return the results of the file
function M.include(name, file)
   if type(name) ~= 'string' or (type(file) ~= 'nil' and type(file) ~= 'string') then
      arg.refuse('torch.include', 'arguments', 'a package and a file, or a file', file == nil and name or file)
   end
   arg.path('torch.include', 'argument 1', name)
   if file then
      arg.path('torch.include', 'argument 2', file)
      local folder = M.packageLuaPath(name)
      if not folder then error(('torch.include: there is no package %s on package.path'):format(name), 2) end
      return dofile(folder .. '/' .. file)
   end
   local caller = source_at(2)
   local folder = caller and caller:match '^(.*)[/\\][^/\\]*$' or '.'
   return dofile(folder .. '/' .. name)
end

function M.install(torch)
   for name, f in pairs(M) do
      if name ~= 'install' then torch[name] = f end
   end
   if rawget(_G, 'include') == nil then rawset(_G, 'include', M.include) end
   for _, old in ipairs { { table, 'unpack', unpack }, { string, 'gfind', string.gmatch } } do
      if old[1][old[2]] == nil then old[1][old[2]] = old[3] end
   end
   require 'torch.paths'                         -- scripts of Torch7 use it without a require
end

return M
