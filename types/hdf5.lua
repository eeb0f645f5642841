---@meta hdf5
-- types/hdf5.lua - written by ./dev docs from the sources; do not edit.

---@class hdf5
hdf5 = {}

do
--- options of file:write and file:append.
---@class hdf5.DataSetOptions
local DataSetOptions = {}

--- Stores the data set in chunks of these sizes, one number for each dimension.
---@param ... any
---@return any
function DataSetOptions:setChunked(...) end

--- Compresses the chunks.
---@param level? number 0 to 9, the smallest files (default 6)
---@return any
function DataSetOptions:setDeflate(level) end

end

--- options of file:write and file:append.
---@class hdf5.DataSetOptions.class: hdf5.DataSetOptions
---@overload fun(): hdf5.DataSetOptions
hdf5.DataSetOptions = {}

do
--- A data set, from file:read(path). all and partial read its elements.
---@class hdf5.HDF5DataSet
local HDF5DataSet = {}

--- All elements: a tensor of the type that fits those in the file, a string, or a table of strings.
---@return torch.Tensor
function HDF5DataSet:all() end

--- The sizes of the data set, a table; empty for a single element.
---@return any
---@return any ...
function HDF5DataSet:dataspaceSize() end

--- The part in a range {first, last} for each dimension, both ends included.
---@param ... any
---@return any
---@return any ...
function HDF5DataSet:partial(...) end

--- the value of an attribute, as read gives one, or nil.
---@param name any
---@return any
---@return any ...
function HDF5DataSet:readAttribute(name) end

--- writes an attribute: a tensor, a number, a string or a list of strings.
---@param name any
---@param value any
---@return any
function HDF5DataSet:writeAttribute(name, value) end

end

--- A data set, from file:read(path). all and partial read its elements.
---@class hdf5.HDF5DataSet.class: hdf5.HDF5DataSet
---@overload fun(file: any, path: any, id: any): hdf5.HDF5DataSet
hdf5.HDF5DataSet = {}

do
--- An open file, from hdf5.open.
---@class hdf5.HDF5File
local HDF5File = {}

--- the contents of the file, a table.
---@overload fun(self: hdf5.HDF5File, path: any, ...: any): any, any
---@param ... any
---@return any
---@return any ...
function HDF5File:all(...) end

--- adds rows to a data set, which is made if it is missing.
---@param path any
---@param tensor? any
---@param options? any
---@return any
---@return any ...
function HDF5File:append(path, tensor, options) end

--- The bytes of the file on disk, after writing all changes.
---@return any
function HDF5File:bytes() end

--- Closes the file.
---@return any
---@return any ...
function HDF5File:close() end

--- The name of the file.
---@return string
function HDF5File:filename() end

--- Writes all changes to disk.
---@return any
---@return any ...
function HDF5File:flush() end

--- calls f(name, member) with each member of the root group.
---@param f any
---@return any
---@return any ...
function HDF5File:forEachChild(f) end

--- the data set or group of this path, by default the root group.
---@param path? any
---@return any
---@return any ...
function HDF5File:read(path) end

--- attributes of the root group.
---@param name any
---@return any
---@return any ...
function HDF5File:readAttribute(name) end

--- writes a tensor, a number, a string, a list of strings, or a table of them as a group.
---@param path any
---@param value? any
---@param options? any
---@return table
function HDF5File:write(path, value, options) end

--- attributes of the root group.
---@param name any
---@param value any
---@return any
---@return any ...
function HDF5File:writeAttribute(name, value) end

end

--- An open file, from hdf5.open.
---@class hdf5.HDF5File.class: hdf5.HDF5File
---@overload fun(name: any, mode: any, most: any, here?: any): hdf5.HDF5File
hdf5.HDF5File = {}

do
--- A group, from file:read(path).
---@class hdf5.HDF5Group
local HDF5Group = {}

--- The contents of the group: a table of tensors, strings and such tables, by their names.
---@return any
---@return any ...
function HDF5Group:all() end

--- Appends the rows of a tensor to a data set, which is made if it is missing.
---@param path any
---@param v any
---@param options? table hdf5.DataSetOptions for a new data set (optional)
---@return any
function HDF5Group:append(path, v, options) end

--- Calls f(name, member) with each data set and group, in the order of their names.
---@param f any
---@return any
function HDF5Group:forEachChild(f) end

--- The data set or the group of this path, which is relative to the group unless it begins with '/'.
---@param path? any
---@return any
---@return any ...
function HDF5Group:read(path) end

--- the value of an attribute, as read gives one, or nil.
---@param name any
---@return any
---@return any ...
function HDF5Group:readAttribute(name) end

--- Writes a tensor, a number, a string or a list of strings as a data set, and a table as a group.
---@param path any
---@param v any
---@param options? table hdf5.DataSetOptions (optional)
---@return table
function HDF5Group:write(path, v, options) end

--- writes an attribute: a tensor, a number, a string or a list of strings.
---@param name any
---@param value any
---@return any
function HDF5Group:writeAttribute(name, value) end

end

--- A group, from file:read(path).
---@class hdf5.HDF5Group.class: hdf5.HDF5Group
---@overload fun(file: any, path: any, id: any): hdf5.HDF5Group
hdf5.HDF5Group = {}

--- Opens an HDF5 file.
---@param name any
---@param mode? string 'r' reads. 'r+' changes a file. 'w' makes an empty one; 'w-' and 'x' refuse an existing file. 'a' (default) changes a file or makes it
---@param options? any {most = bytes}: the most memory for one call, instead of a limit by the size of the file (optional)
---@return any # an hdf5.HDF5File
function hdf5.open(name, mode, options) end

return hdf5
