-- lua/hdf5/group.lua - a group of an HDF5 file: a table of data sets and groups.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local DataSet = require 'hdf5.dataset'
local Options = require 'hdf5.options'
local library = require 'hdf5.library'
local object = require 'hdf5.object'
local value = require 'hdf5.value'

local home = {}
--- A group, from file:read(path).
local Group = torch.class('hdf5.HDF5Group', home)

local IS_GROUP, IS_DATASET = 2, 5            -- H5I_GROUP, H5I_DATASET
local MOST_DEPTH = 64
local MEMBER = 256                           -- bytes that a member counts in a budget; no file has shorter ones

function Group:__init(file, path, id)
   self._file, self._path, self._id = file, path, id
end

-- ---- members -------------------------------------------------------------------------------------------------------

-- libhdf5 calls this for each name. A callback must not fail, and compiled code must not call one.
local names, visit
local function each_name(_, name)
   names[#names + 1] = ffi.string(name)
   return 0
end
local function list(id)
   local C = library.open()
   visit = visit or ffi.cast('th_h5_each', each_name)
   names = {}
   local place = ffi.new 'hsize_t[1]'
   local ok, iterate = pcall(function() return C.H5Literate end)
   if not ok then iterate = C.H5Literate2 end
   library.check(iterate(id, 0, 0, place, visit, nil), 'its members')
   return names
end
jit.off(list)
jit.off(each_name)

local function join(path, name)
   if name:sub(1, 1) == '/' then return name end
   return (path == '/' and '' or path) .. '/' .. name
end

local function need_path(path)
   if type(path) ~= 'string' or path == '' or path:find '%z' then
      error(('hdf5: a path must be a string, got %s'):format(arg.describe(path)), 0)
   end
   return path
end

-- The data set or group of this name, or nil for other objects.
local function open_member(self, name)
   local C = library.open()
   local path = join(self._path, name)
   local id = C.H5Oopen(object.id(self), name, 0)
   library.check(id, ("hdf5: %s: cannot open '%s'"):format(self._file._name, path))
   local held, kind = library.hold(id), C.H5Iget_type(id)
   if kind == IS_GROUP then return home.HDF5Group(self._file, path, held) end
   if kind == IS_DATASET then return DataSet(self._file, path, held) end
end

local function read(self, path)
   return open_member(self, path) or error(("'%s' is neither a data set nor a group"):format(path), 0)
end

--- The data set or the group of this path, which is relative to the group unless it begins with '/'. Without a path the group.
function Group:read(path)
   if path == nil then return self end
   return (object.try(self, read, self, path))
end

local function all(self, budget, depth)
   if depth > MOST_DEPTH then error(('groups are nested more than %d deep: does one hold itself?'):format(MOST_DEPTH), 0) end
   local t = {}
   for _, name in ipairs(list(object.id(self))) do
      object.allow(self, MEMBER, false, budget)
      local member = open_member(self, name)
      if member and member.partial then t[name] = member:_all(budget)
      elseif member then t[name] = all(member, budget, depth + 1) end
   end
   return t
end

--- The contents of the group: a table of tensors, strings and such tables, by their names.
function Group:all() return (object.try(self, all, self, {}, 1)) end

-- Calls a method for the caller of the calling method; errors blame that caller.
local function call(self, method, ...)
   local ok, result = pcall(self[method], self, ...)
   if not ok then error(result, 3) end
   return result
end

--- Calls f(name, member) with each data set and group, in the order of their names.
function Group:forEachChild(f)
   if not arg.is_callable(f) then arg.refuse('hdf5: forEachChild', 'f', 'a function', f, 2) end
   for _, name in ipairs(call(self, '_names')) do
      local member = call(self, '_member', name)
      if member then f(name, member) end
   end
end

function Group:_names() return (object.try(self, function() return list(object.id(self)) end)) end
function Group:_member(name) return (object.try(self, open_member, self, name)) end

-- ---- writing -------------------------------------------------------------------------------------------------------

local function need_options(options)
   if options == nil then return Options() end
   if torch.type(options) ~= 'hdf5.DataSetOptions' then
      error(('the options must be hdf5.DataSetOptions, got %s'):format(arg.describe(options)), 0)
   end
   return options
end

-- Whether `name` leads to an object. libhdf5 can test only one part of a path at a time.
local function exists(id, name)
   local C, path = library.open(), name:sub(1, 1) == '/' and '/' or ''
   for part in name:gmatch '[^/]+' do
      path = path .. (path:match '[^/]$' and '/' or '') .. part
      if part ~= '.' and library.check(C.H5Lexists(id, path, 0), path) == 0 then return false end
   end
   return true
end

-- Calls f(properties of a link that makes the groups that lead to it).
local function with_links(f)
   local C = library.open()
   return library.with(C.H5Pcreate(C.H5P_CLS_LINK_CREATE_ID_g), 'hdf5', function(links)
      library.check(C.H5Pset_create_intermediate_group(links, 1), 'hdf5')
      return f(links)
   end)
end

-- Makes a data set. Its first dimension is unlimited if it grows.
local function create(self, name, v, options, grows)
   local C = library.open()
   value.with(v, function(type_id, sizes, p)
      local most
      if grows then
         if #sizes == 0 then error('append: expected a tensor with rows', 0) end
         most = value.array(sizes)
         most[0] = 0xffffffffffffffffULL
      end
      value.with_space(sizes, most, function(space)
         library.with(C.H5Pcreate(C.H5P_CLS_DATASET_CREATE_ID_g), 'hdf5', function(properties)
            options:_apply(properties, sizes, tonumber(C.H5Tget_size(type_id)), grows)
            with_links(function(links)
               library.with(C.H5Dcreate2(object.id(self), name, type_id, space, links, properties, 0), 'a new data set',
                  function(id) library.check(C.H5Dwrite(id, type_id, 0, 0, 0, p), 'its elements') end)
            end)
         end)
      end)
   end)
end

local function write_one(self, name, v, options, replace_in_place)
   if exists(object.id(self), name) then
      local old = open_member(self, name)
      if not old or not old.partial then error(("'%s' is a group already"):format(name), 0) end
      if replace_in_place and old:_replace(v) then return end
      library.check(library.open().H5Ldelete(object.id(self), name, 0), 'replacing')
   end
   create(self, name, v, options)
end

-- The members for a table, with the names as text; refuses other values before anything is written.
local function need_tree(v, path, depth)
   if value.is_one(v) then return end
   if type(v) ~= 'table' or torch.typename(v) then
      error(("'%s': a file holds tensors, numbers, strings and tables of them, got %s"):format(path, arg.describe(v)), 0)
   end
   if depth > MOST_DEPTH then error(("'%s': tables are nested more than %d deep"):format(path:sub(1, 60), MOST_DEPTH), 0) end
   for k, member in pairs(v) do
      if type(k) ~= 'string' and type(k) ~= 'number' or k == '' or k == '.' or tostring(k):find '[/%z]' then
         local shown = type(k) == 'string' and ('%q'):format(k) or arg.describe(k)
         error(("'%s': %s cannot be the name of a member"):format(path, shown), 0)
      end
      need_tree(member, join(path, tostring(k)), depth + 1)
   end
end

local function ensure_group(self, name)
   local C = library.open()
   if not exists(object.id(self), name) then
      with_links(function(links)
         library.with(C.H5Gcreate2(object.id(self), name, links, 0, 0), 'a new group', function() end)
      end)
   end
   local group = open_member(self, name)
   if not group or group.partial then error(("'%s' is a data set already"):format(name), 0) end
   return group
end

local function write_tree(self, name, v, options, in_place)
   if value.is_one(v) then return write_one(self, name, v, options, in_place) end
   local group = name:match '^/*$' and self or ensure_group(self, name)
   local keys = {}
   for k in pairs(v) do keys[#keys + 1] = k end
   table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
   for _, k in ipairs(keys) do write_tree(group, tostring(k), v[k], options, in_place) end
end

local function need_write(path, v, options)
   need_options(options)
   need_path(path)
   need_tree(v, path, 1)
end

local function write(self, path, v, options)
   local in_place = options == nil
   options = need_options(options)
   if path:match '^/*$' and value.is_one(v) then error("'/' is a group: expected a table", 0) end
   write_tree(self, path, v, options, in_place)
end

--- Writes a tensor, a number, a string or a list of strings as a data set, and a table as a group. Missing groups of the path
-- are made. An object with that path is replaced; a table adds to a group.
-- @param options  hdf5.DataSetOptions (optional)
function Group:write(path, v, options) object.try(self, write, self, path, v, options) end

local function need_append(path, v, options)
   need_options(options)
   need_path(path)
   if not arg.is_tensor(v) then error(('append: expected a tensor, got %s'):format(arg.describe(v)), 0) end
end

local function append(self, path, v, options)
   options = need_options(options)
   if not exists(object.id(self), path) then return create(self, path, v, options, true) end
   local old = open_member(self, path)
   if not old or not old.partial then error(("'%s' is a group already"):format(path), 0) end
   old:_append(v)
end

--- Appends the rows of a tensor to a data set, which is made if it is missing.
-- @param options  hdf5.DataSetOptions for a new data set (optional)
function Group:append(path, v, options) object.try(self, append, self, path, v, options) end

object.add_attributes(Group)

local checks = { read = function(path) if path ~= nil then need_path(path) end end, all = true, write = need_write,
   append = need_append, _names = true, _member = true }
for name, check in pairs(object.attribute_checks) do checks[name] = check end
object.dispatch(Group, 'hdf5.HDF5Group', home.HDF5Group, checks)

function Group:__tostring() return ('[HDF5Group: %s]'):format(self._path) end

return home.HDF5Group
