-- lua/hdf5/dataset.lua - a data set of an HDF5 file: reads and writes all of it, or a part.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local library = require 'hdf5.library'
local object = require 'hdf5.object'
local types = require 'hdf5.types'
local value = require 'hdf5.value'

local home = {}
--- A data set, from file:read(path). all and partial read its elements.
local DataSet = torch.class('hdf5.HDF5DataSet', home)

local COMPACT, CONTIGUOUS, CHUNKED, VIRTUAL = 0, 1, 2, 3
local SET = 0                                -- H5S_SELECT_SET

function DataSet:__init(file, path, id)
   self._file, self._path, self._id = file, path, id
end

-- ---- properties ----------------------------------------------------------------------------------------------------

-- Calls f(list of creation properties).
local function with_properties(id, f)
   return library.with(library.open().H5Dget_create_plist(id), 'its properties', f)
end

-- All or none of the elements in one block must be stored, because libhdf5 reads past the end of a block that a damaged file
-- cuts short.
local function need_whole(id, type_id, count)
   local stored, want = tonumber(library.open().H5Dget_storage_size(id)), count * tonumber(library.open().H5Tget_size(type_id))
   if stored > 0 and stored < want then
      error(('it has %.0f bytes, but its elements need %.0f'):format(stored, want), 0)
   end
end

-- Whether filters pack the elements. Refuses elements in other files, and chunks that are larger than the file allows.
local function layout(self, type_id, kind, count)
   local C = library.open()
   return with_properties(object.id(self), function(list)
      local way = C.H5Pget_layout(list)
      if way == VIRTUAL or C.H5Pget_external_count(list) > 0 then error('its elements are in other files', 0) end
      if way == COMPACT or way == CONTIGUOUS then need_whole(object.id(self), type_id, count) end
      local packed = C.H5Pget_nfilters(list) > 0
      if way == CHUNKED then
         local size = ffi.new 'hsize_t[33]'
         local n, bytes = library.check(C.H5Pget_chunk(list, 32, size), 'its chunks'), kind.bytes
         for i = 0, n - 1 do bytes = bytes * tonumber(size[i]) end
         object.allow(self, bytes, packed, {})
      end
      return packed
   end)
end

local function sizes_of(self)
   return library.with(library.open().H5Dget_space(object.id(self)), 'its shape', function(space) return value.sizes(space) end)
end

--- The sizes of the data set, a table; empty for a single element.
function DataSet:dataspaceSize()
   return (object.try(self, function() return sizes_of(self) or { 0 } end))
end

-- ---- reading -------------------------------------------------------------------------------------------------------

-- Reads the part of `space` that is selected, which has these sizes. The whole has `count` elements.
local function read_selected(self, type_id, kind, space, sizes, count, budget)
   local C, id = library.open(), object.id(self)
   object.allow(self, value.bytes(kind, sizes), layout(self, type_id, kind, count), budget)
   if kind.text == 'variable' and sizes and #sizes > 0 then   -- for a single string libhdf5 1.10 would crash here
      local size = ffi.new 'hsize_t[1]'
      library.check(C.H5Dvlen_get_buf_size(id, type_id, space, size), 'its strings')
      object.allow(self, tonumber(size[0]), true, budget)
   end
   return value.read(kind, sizes, type_id, function(memory, to)
      value.with_space(sizes, nil, function(shape)
         library.check(C.H5Dread(id, memory, shape, space, 0, to), 'its elements')
      end)
   end)
end

-- Selects these ranges in a space of these sizes: returns the sizes of the part.
local function select_part(space, sizes, ranges)
   if #ranges ~= #sizes then
      error(('partial: it has %d dimensions, but %d ranges are given'):format(#sizes, #ranges), 0)
   end
   local start, count, part = ffi.new 'hsize_t[33]', ffi.new 'hsize_t[33]', {}
   for i, range in ipairs(ranges) do
      local first, last = range[1], range[2]
      if first % 1 ~= 0 or last % 1 ~= 0 or first < 1 or last < first or last > sizes[i] then
         error(('partial: range %d must lie in 1..%.0f, got {%s, %s}'):format(i, sizes[i], tostring(first), tostring(last)), 0)
      end
      start[i - 1], count[i - 1], part[i] = first - 1, last - first + 1, last - first + 1
   end
   if #part > 0 then
      library.check(library.open().H5Sselect_hyperslab(space, SET, start, nil, count, nil), 'partial')
   end
   return part
end

local function read(self, ranges, budget)
   local C, id = library.open(), object.id(self)
   return library.with(C.H5Dget_type(id), 'the type of its elements', function(type_id)
      local kind = types.describe(type_id)
      return library.with(C.H5Dget_space(id), 'its shape', function(space)
         local sizes = value.sizes(space)
         local count = value.count(sizes or { 0 })
         if ranges then sizes = select_part(space, sizes or {}, ranges) end
         return read_selected(self, type_id, kind, space, sizes, count, budget or {})
      end)
   end)
end

--- All elements: a tensor of the type that fits those in the file, a string, or a table of strings.
function DataSet:all() return (object.try(self, read, self)) end

-- For groups, whose parts share a budget.
function DataSet:_all(budget) return (object.try(self, read, self, nil, budget)) end

--- The part in a range {first, last} for each dimension, both ends included.
function DataSet:partial(...) return (object.try(self, read, self, { ... })) end

local function need_ranges(...)
   local ranges = { ... }
   for i = 1, select('#', ...) do
      local range = ranges[i]
      if type(range) ~= 'table' or type(range[1]) ~= 'number' or type(range[2]) ~= 'number' then
         error(('hdf5: partial: range %d must be {first, last}, got %s'):format(i, arg.describe(range)), 0)
      end
   end
end

-- ---- writing -------------------------------------------------------------------------------------------------------

--- Writes a value into a data set of the same type and sizes. @return whether it fits
function DataSet:_replace(v)
   local C, id = library.open(), object.id(self)
   if not arg.is_tensor(v) then return false end
   local fits = library.with(C.H5Dget_type(id), 'its type', function(type_id)
      local ok, kind = pcall(types.describe, type_id)
      return ok and not kind.held and not kind.unsigned and kind.dtype == v._dtype
   end)
   if not fits then return false end
   return value.with(v, function(type_id, sizes, p)
      local own = sizes_of(self)
      if not own or table.concat(own, 'x') ~= table.concat(sizes, 'x') then return false end
      library.check(C.H5Dwrite(id, type_id, 0, 0, 0, p), 'writing')
      return true
   end)
end

local function same_rows(own, sizes)
   if #own ~= #sizes then return false end
   for i = 2, #own do if own[i] ~= sizes[i] then return false end end
   return true
end

-- Writes rows of these sizes after row `first`.
local function write_rows(self, first, type_id, sizes, p)
   local C, id = library.open(), object.id(self)
   local start = ffi.new 'hsize_t[33]'
   start[0] = first
   library.with(C.H5Dget_space(id), 'its shape', function(space)
      library.check(C.H5Sselect_hyperslab(space, SET, start, nil, value.array(sizes), nil), 'append')
      value.with_space(sizes, nil, function(shape)
         library.check(C.H5Dwrite(id, type_id, shape, space, 0, p), 'append')
      end)
   end)
end

--- Appends rows. The data set must have been made by append.
function DataSet:_append(v)
   local own, most = sizes_of(self)
   return value.with(v, function(type_id, sizes, p)
      if not own or not same_rows(own, sizes) then
         error(('append: it has the sizes %s, which rows of %s do not fit'):format(table.concat(own or {}, 'x'),
            table.concat(sizes, 'x')), 0)
      end
      local rows = own[1] + sizes[1]
      if most[1] ~= -1 and rows > most[1] then error(('append: it may have %.0f rows at most'):format(most[1]), 0) end
      local C, id, longer = library.open(), object.id(self), { rows, unpack(own, 2) }
      library.check(C.H5Dset_extent(id, value.array(longer)), 'append')
      local ok, why = pcall(write_rows, self, own[1], type_id, sizes, p)
      if not ok then
         C.H5Dset_extent(id, value.array(own))
         error(why, 0)
      end
   end)
end

object.add_attributes(DataSet)

local checks = { dataspaceSize = true, all = true, partial = need_ranges }
for name, check in pairs(object.attribute_checks) do checks[name] = check end
object.dispatch(DataSet, 'hdf5.HDF5DataSet', home.HDF5DataSet, checks)

function DataSet:__tostring()
   return ('[HDF5DataSet: %s %s]'):format(self._path, table.concat(self:dataspaceSize(), 'x'))
end

return home.HDF5DataSet
