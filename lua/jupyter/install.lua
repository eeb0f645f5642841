-- lua/jupyter/install.lua - writes the kernelspec, by which Jupyter finds the kernel.
local ffi = require 'ffi'
local paths = require 'paths'
local environment = require 'torch.environment'
local json = require 'torch.json'

ffi.cdef 'ssize_t th_jupyter_readlink(const char *, char *, size_t) __asm__("readlink");'

local M = {}

-- The file of the running program.
local function program()
   local room = ffi.new 'char[4096]'
   local n = ffi.C.th_jupyter_readlink('/proc/self/exe', room, 4096)
   if n <= 0 or n == 4096 then error('the path of the running program is not known', 0) end
   return ffi.string(room, n)
end

-- The folder of the user's data of Jupyter.
local function data_folder()
   local folder = environment.get 'JUPYTER_DATA_DIR'
   if folder and folder ~= '' then return folder end
   local data, home = os.getenv 'XDG_DATA_HOME', os.getenv 'HOME'
   if data and data ~= '' then return data .. '/jupyter' end
   if not home or home == '' then error('neither JUPYTER_DATA_DIR nor HOME is set', 0) end
   return home .. '/.local/share/jupyter'
end

local function write(path, text)
   local new = path .. '.new'
   local f, why = io.open(new, 'wb')
   if not f then error(why, 0) end
   local ok
   ok, why = f:write(text)
   local closed, why_not = f:close()
   if ok and closed then ok, why = os.rename(new, path) else ok, why = nil, why or why_not end
   if not ok then
      os.remove(new)
      error(why or 'cannot write ' .. path, 0)
   end
end

--- Writes kernel.json. Returns the folder.
function M.install(name, display_name, folder)
   local start = package.searchpath('jupyter.start', package.path)
   if start:sub(1, 1) ~= '/' then start = paths.cwd() .. '/' .. start:gsub('^%./', '') end
   folder = (folder or data_folder()) .. '/kernels/' .. name
   local ok, why = paths.mkdir(folder)
   if not ok and not paths.dirp(folder) then error(('cannot make %s: %s'):format(folder, tostring(why)), 0) end
   write(folder .. '/kernel.json', json.write { argv = { program(), start, '{connection_file}' }, display_name = display_name,
      language = 'lua', interrupt_mode = 'signal', metadata = { debugger = false } } .. '\n')
   return folder
end

return M
