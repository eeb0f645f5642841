-- lua/hdf5/object.lua - shared code of data sets and groups: their id, their file, attributes, and limits of memory.
local arg = require 'torch.arg'
local library = require 'hdf5.library'
local types = require 'hdf5.types'
local value = require 'hdf5.value'

local M = {}

--- Called with the number of bytes that a call may take; see hdf5.process.
function M.grant() end

local ROOM = 48 * 2 ^ 20                     -- extra memory for small files: sparse data, fill values
local DEFLATE = 1032                         -- deflate makes at most so many bytes of one

--- The beginning of errors about an object.
function M.what(self) return ("hdf5: %s: '%s'"):format(self._file._name, self._path) end

--- The id of an object, whose file must be open.
function M.id(self)
   if not self._file._id then error(M.what(self) .. ': the file is closed', 0) end
   return self._id[0]
end

--- Calls f(...); its error gets the name of the file and the path, and blames the caller of the method.
function M.try(self, f, ...)
   local ok, a, b = pcall(f, ...)
   if ok then return a, b end
   if type(a) ~= 'string' then error(a, 0) end
   local what = M.what(self)
   error(a:sub(1, 6) == 'hdf5: ' and a or what .. ': ' .. a, 3)
end

--- The most bytes for the results of a call.
-- @param packed  whether the elements may be packed
-- @param bytes   of the file
function M.most(file, packed, bytes) return file._most or ROOM + bytes * (packed and DEFLATE or 1) end

--- Refuses a result that is too large for the size of the file.
-- @param budget  {spent = bytes}, shared by the parts of one call
function M.allow(self, bytes, packed, budget)
   budget.spent = (budget.spent or 0) + bytes
   M.grant(bytes)
   if not self._file._most and budget.spent <= ROOM then return end
   local most = M.most(self._file, packed, self._file:bytes())
   if budget.spent > most then
      error(('it needs %.0f bytes of memory, but the file has %.0f, for which %.0f are allowed: '
         .. 'open it with {most = bytes} if you trust it'):format(budget.spent, self._file:bytes(), most), 0)
   end
end

-- ---- the process of a method ---------------------------------------------------------------------------------------

local classes = {}                           -- name -> constructor

--- Makes methods check their arguments here, and run in the process that has the file open.
-- @param checks  name -> function(...) that refuses bad arguments, or true
function M.dispatch(class, name_of_class, constructor, checks)
   classes[name_of_class] = constructor
   for name, check in pairs(checks) do
      local here = class[name]
      local function method(self, ...)
         if check ~= true then M.try(self, check, ...) end
         local file = self._file
         if not file._process then return here(self, ...) end
         return (M.try(self, function(...)
            return file._process:call(M.id(self), name, function(kind, path, box) return classes[kind](file, path, box) end, ...)
         end, ...))
      end
      class[name], arg.behind[method] = method, here           -- torch.doc shows the lines of `here`
   end
end

-- ---- attributes ----------------------------------------------------------------------------------------------------

local function need_name(name)
   if type(name) ~= 'string' or name == '' or name:find '%z' then
      error(('the name of an attribute must be a string, got %s'):format(arg.describe(name)), 0)
   end
end

local function read_attribute(self, name)
   local C, id = library.open(), M.id(self)
   if library.check(C.H5Aexists(id, name), 'attributes') == 0 then return nil end
   return library.with(C.H5Aopen(id, name, 0), name, function(a)
      return library.with(C.H5Aget_type(a), name, function(type_id)
         local kind = types.describe(type_id)
         local sizes = library.with(C.H5Aget_space(a), name, function(space) return (value.sizes(space)) end)
         M.allow(self, value.bytes(kind, sizes), false, {})
         return value.read(kind, sizes, type_id, function(memory, to)
            library.check(C.H5Aread(a, memory, to), name)
         end)
      end)
   end)
end

local function need_attribute(name, v)
   need_name(name)
   if not value.is_one(v) then
      error(('an attribute holds a tensor, a number, a string or a list of strings, got %s'):format(arg.describe(v)), 0)
   end
end

local function write_attribute(self, name, v)
   local C, id = library.open(), M.id(self)
   value.with(v, function(type_id, sizes, p)
      value.with_space(sizes, nil, function(space)
         if C.H5Aexists(id, name) > 0 then library.check(C.H5Adelete(id, name), name) end
         library.with(C.H5Acreate2(id, name, type_id, space, 0, 0), name, function(a)
            library.check(C.H5Awrite(a, type_id, p), name)
         end)
      end)
   end)
end

M.attribute_checks = { readAttribute = need_name, writeAttribute = need_attribute }

--- Gives a class the methods of attributes.
function M.add_attributes(class)
   --- hdf5.HDF5Group:readAttribute(name), hdf5.HDF5DataSet:readAttribute(name): the value of an attribute,
   -- as read gives one, or nil.
   function class:readAttribute(name) return (M.try(self, read_attribute, self, name)) end

   --- hdf5.HDF5Group:writeAttribute(name, value), hdf5.HDF5DataSet:writeAttribute(name, value): writes an attribute: a tensor, a
   -- number, a string or a list of strings.
   function class:writeAttribute(name, v) M.try(self, write_attribute, self, name, v) end
end

return M
