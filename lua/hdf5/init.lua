-- lua/hdf5/init.lua - the package hdf5: tensors in HDF5 files, through libhdf5.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local library = require 'hdf5.library'
local object = require 'hdf5.object'
local process = require 'hdf5.process'

local hdf5 = rawget(_G, 'hdf5') or {}
_G.hdf5 = hdf5                           -- scripts of Torch7 use the global

hdf5.HDF5DataSet = require 'hdf5.dataset'
hdf5.HDF5Group = require 'hdf5.group'
--- hdf5.DataSetOptions(): options of file:write and file:append.
hdf5.DataSetOptions = require 'hdf5.options'

--- An open file, from hdf5.open. It has the functions of its root group.
local File = torch.class('hdf5.HDF5File', hdf5)

local READ, WRITE, EMPTY, NEW = 0, 1, 2, 4   -- flags of H5Fopen and H5Fcreate
local STRONG = 3                             -- closing the file closes all objects that were opened in it

-- ---- opening -------------------------------------------------------------------------------------------------------

local function exists(name)
   local f = io.open(name, 'rb')
   if f then f:close() end
   return f ~= nil
end

-- How each mode opens a file: a function of libhdf5, and its flags.
local modes = {
   r = function() return 'H5Fopen', READ end,
   ['r+'] = function() return 'H5Fopen', WRITE end,
   w = function() return 'H5Fcreate', EMPTY end,
   ['w-'] = function() return 'H5Fcreate', NEW end,
   a = function(name)
      if exists(name) then return 'H5Fopen', WRITE end
      return 'H5Fcreate', NEW
   end,
}
modes.x = modes['w-']

local function cannot(name) return ("hdf5.open: cannot open '%s'"):format(name) end

local function open_file(name, f, flags)
   local C, what = library.open(), cannot(name)
   return library.with(C.H5Pcreate(C.H5P_CLS_FILE_ACCESS_ID_g), what, function(access)
      library.check(C.H5Pset_fclose_degree(access, STRONG), what)
      local id
      if f == 'H5Fopen' then id = C.H5Fopen(name, flags, access) else id = C.H5Fcreate(name, flags, 0, access) end
      return library.check(id, what)
   end)
end

local function close_box(box)
   if box[0] >= 0 then library.open().H5Fclose(box[0]) end
   box[0] = -1
end

-- Files that this process has open itself, because it made them: name -> set of files.
local made = {}

local function is_ours(name)
   for file in pairs(made[name] or {}) do if file._id then return true end end
   return false
end

-- Opens the file in another process, because libhdf5 may crash on its contents.
local function open_there(self, flags)
   local ok, there, number, root = pcall(process.open, self._name, flags == READ and 'r' or 'r+', self._most)
   if not ok then error(there:sub(1, 5) == 'hdf5.' and there or cannot(self._name) .. ': ' .. there, 0) end
   self._process, self._id = there, number
   self._root = hdf5.HDF5Group(self, '/', root)
end

function File:__init(name, mode, most, here)
   local f, flags = modes[mode](name)
   self._name, self._mode, self._most = name, mode, most
   if f == 'H5Fopen' and not exists(name) then
      error(cannot(name) .. ': ' .. select(2, io.open(name, 'rb')):match '[^:]*$':sub(2), 0)
   end
   if not here and f == 'H5Fopen' and not is_ours(name) then return open_there(self, flags) end
   self._id = ffi.gc(ffi.new('hid_t[1]', open_file(name, f, flags)), close_box)
   made[name] = made[name] or setmetatable({}, { __mode = 'k' })
   made[name][self] = true
   local root = library.open().H5Oopen(self._id[0], '/', 0)
   if root < 0 then
      local ok, why = pcall(library.check, root, ("hdf5.open: cannot open '%s'"):format(name))
      self:close()
      error(not ok and why or name, 0)
   end
   self._root = hdf5.HDF5Group(self, '/', library.hold(root))
end

--- Opens an HDF5 file. Needs libhdf5 (Debian: libhdf5-103-1), which TH_HDF5 names if it is in an unusual folder.
-- An existing file is opened in a separate process, because libhdf5 may crash on a damaged file: that is an error here.
-- @param mode  'r' reads. 'r+' changes a file. 'w' makes an empty one; 'w-' and 'x' refuse an
--  existing file. 'a' (default) changes a file or makes it
-- @param options  {most = bytes}: the most memory for one call, instead of a limit by the size of the file (optional)
-- @return an hdf5.HDF5File
function hdf5.open(name, mode, options)
   if type(name) ~= 'string' or name == '' or name:find '%z' then
      arg.refuse('hdf5.open', 'name', 'the name of a file', name, 2)
   end
   mode = mode or 'a'
   if not modes[mode] then
      error(("hdf5.open: there is no mode %s; there are 'r', 'r+', 'w', 'w-', 'x' and 'a'"):format(
         type(mode) == 'string' and ("'%s'"):format(mode) or arg.describe(mode)), 2)
   end
   local most = type(options) == 'table' and options.most or nil
   if type(options) ~= 'nil' and type(options) ~= 'table' or type(most) ~= 'nil' and type(most) ~= 'number' then
      arg.refuse('hdf5.open', 'options', 'a table {most = bytes}', options, 2)
   end
   local ok, file = pcall(hdf5.HDF5File, name, mode, most)
   if not ok then error(file, 2) end
   return file
end

-- ---- an open file --------------------------------------------------------------------------------------------------

local function root_of(self)
   if not self._id then error(('hdf5: %s: the file is closed'):format(self._name), 3) end
   return self._root
end

-- Calls a method of the root group. An error blames the caller of the file's method.
local function of_root(name)
   return function(self, path, ...)
      local root = root_of(self)
      local ok, result = pcall(root[name], root, path, ...)
      if not ok then error(type(result) == 'string' and result:gsub('^[^\n]-%.lua:%d+: ', '') or result, 2) end
      return result
   end
end

--- hdf5.HDF5File:read([path]): the data set or group of this path, by default the root group.
File.read = of_root 'read'
--- hdf5.HDF5File:all(): the contents of the file, a table.
File.all = of_root 'all'
--- hdf5.HDF5File:write(path, value [, options]): writes a tensor, a number, a string, a list of strings, or a
-- table of them as a group. An object with that path is replaced; a table adds to a group.
File.write = of_root 'write'
--- hdf5.HDF5File:append(path, tensor [, options]): adds rows to a data set, which is made if it is missing.
File.append = of_root 'append'
--- hdf5.HDF5File:forEachChild(f): calls f(name, member) with each member of the root group.
File.forEachChild = of_root 'forEachChild'
--- hdf5.HDF5File:readAttribute(name), hdf5.HDF5File:writeAttribute(name, value): attributes of the root group.
File.readAttribute, File.writeAttribute = of_root 'readAttribute', of_root 'writeAttribute'

--- The name of the file.
function File:filename() return self._name end

-- 0 if the file has been removed since.
local function size_of(name)
   local f = io.open(name, 'rb')
   local n = f and f:seek 'end' or 0
   if f then f:close() end
   return n
end

--- The bytes of the file on disk, after writing all changes.
function File:bytes()
   root_of(self)
   if self._mode ~= 'r' and self._process then self:flush()
   elseif self._mode ~= 'r' then library.check(library.open().H5Fflush(self._id[0], 1), self._name) end
   return size_of(self._name)
end

-- The most bytes for the values of a call.
function File:_allowance() return object.most(self, true, size_of(self._name)) end

-- Calls a method of the process that has the file.
local function there(self, what, method, ...)
   local ok, why = pcall(method, self._process, ...)
   if not ok then error(why:sub(1, 5) == 'hdf5:' and why or ('hdf5: %s: %s: %s'):format(self._name, what, why), 2) end
end

--- Writes all changes to disk.
function File:flush()
   root_of(self)
   if self._process then return there(self, 'flush', self._process.call, self._id[0], 'flush') end
   library.check(library.open().H5Fflush(self._id[0], 1), ('hdf5: %s: flush'):format(self._name))
end

--- Closes the file. Its data sets and groups cannot be used afterwards. A second call does nothing.
function File:close()
   local id = self._id
   if not id then return end
   self._id = nil
   if self._process then return there(self, 'close', self._process.close, id[0], self._mode) end
   ffi.gc(id, nil)
   local status = library.open().H5Fclose(id[0])
   if status < 0 then library.check(status, ('hdf5: %s: close'):format(self._name)) end
end

function File:__tostring() return ('[HDF5File: %s%s]'):format(self._name, self._id and '' or ', closed') end

return hdf5
