-- lua/torch/serialize.lua - torch.save, load, serialize, deserialize and clone: objects as whole .t7 files or strings.
--
-- The format is that of Torch7, for reading and writing; the records are in write.lua and read.lua.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local file = require 'torch.file'
local record = require 'torch.record'
local write = require 'torch.write'
local read = require 'torch.read'
local format = require 'torch.format'
local file_kind = require 'torch.file_kind'
local npy = require 'torch.npy'
local safetensors = require 'torch.safetensors'
local keys = require 'torch.keys'
local C, File, open, BYTE = lib.C, file.File, record.open, dtype.id.Byte

local M = {}

local function modes(who, mode)
   mode = mode == nil and 'binary' or mode
   if mode ~= 'binary' and mode ~= 'ascii' and mode ~= 'b32' and mode ~= 'b64' then
      arg.refuse(who, 'mode', "'binary', 'ascii', 'b32' or 'b64'", mode, 3)
   end
   return mode
end

local function set_mode(f, mode)
   if mode == 'ascii' then return f:ascii() end
   f:binary()
   if mode == 'b32' then f:longSize(4) elseif mode == 'b64' then f:longSize(8) end
end

-- The options of loading: `referenced` as in Torch7, or a table {unsafe =, referenced =}; the table may also be in mode's
-- position.
local function load_options(who, mode, options)
   if type(mode) == 'table' and options == nil then mode, options = nil, mode end
   if type(options) ~= 'nil' and type(options) ~= 'table' and type(options) ~= 'boolean' then
      arg.refuse(who, 'options', 'a table such as {unsafe = true}', options, 3)
   end
   if type(options) ~= 'table' then options = { referenced = options } end
   if options.most ~= nil then arg.whole(who, 'options.most', options.most) end
   return modes(who, mode), options
end

-- A function of a module that is read when it is first called: most programs need no file of PyTorch.
local function later(module, name)
   return function(...) return require(module)[name](...) end
end
local pytorch = { read_zip = later('torch.pytorch', 'read_zip'), read_pickle = later('torch.pytorch', 'read_pickle'),
   read_tar = later('torch.pytorch', 'read_tar'), is_zip = later('torch.pytorch', 'is_zip'),
   plan = later('torch.to_pytorch', 'plan'), write = later('torch.to_pytorch', 'write') }


-- How to read a file of another program, known by its first bytes; nil for other files. Pipes are not tested.
local function foreign(f)
   local c = open(f, 'read')
   local left = format.left(c)
   if left <= 0 then return nil end
   local n = math.min(left, file_kind.BYTES)
   local first = ffi.new('uint8_t[?]', n)
   f:binary()
   format.take(c, first, n)
   format.check(C.th_file_seek(c, 0))
   local text = ffi.string(first, n)
   f._head = text                           -- for the message of an error
   if left < 10 then return nil end
   if text:sub(1, 6) == '\147NUMPY' then return npy.read end
   if text:sub(1, 4) == 'PK\3\4' or text:sub(1, 4) == 'PK\5\6' then return pytorch.is_zip(c) and pytorch.read_zip or npy.read_zip end
   if safetensors.header_size(first, left) then return safetensors.read end
   if text:find '^\128[\2-\5]' then return pytorch.read_pickle end
   if text:sub(258, 262) == 'ustar' then return pytorch.read_tar end
end

-- @param unpack  reads a format of other programs (optional)
local function read_all(f, who, mode, options, unpack)
   local ok, object, more
   if unpack then
      ok, object, more = pcall(unpack, open(f, 'read'), options.most and tonumber(options.most))
   else
      set_mode(f, mode)
      if options.referenced == false then f:referenced(false) end
      f._unsafe, f._nameless = options.unsafe, true          -- errors name the function `who`
      ok, object = pcall(f.readObject, f)
   end
   file.abandon(f)
   if ok then return object, more end
   if type(object) == 'string' then
      if f._name and not object:find(f._name, 1, true) then object = f._name .. ': ' .. object end
      object = who .. ': ' .. object
      local hint = f._head and file_kind.hint(f._head, mode)
      if hint then object = ('%s (%s)'):format(object, hint) end
   end
   error(object, 3)
end

-- Writes an object and calls `finish`; an error names the function `who`.
-- @param put   writes a format of other programs (optional)
-- @param plan  what the check of that format has prepared
local function write_all(f, who, object, mode, referenced, finish, put, plan)
   set_mode(f, mode)
   f._nameless = true                       -- errors name the function `who`
   if referenced == false then f:referenced(false) end
   local ok, why
   if put then ok, why = pcall(put, open(f, 'write'), object, plan) else ok, why = pcall(f.writeObject, f, object) end
   if ok and finish then ok, why = pcall(finish, f) end
   if ok then return end
   file.abandon(f)
   if type(why) == 'string' then
      if f._name and not why:find(f._name, 1, true) then why = f._name .. ': ' .. why end
      why = who .. ': ' .. why:gsub('^.-torch%.DiskFile:close: ', '')
   end
   error(why, 3)
end

-- Files of other programs by their extension: the function that checks (and may prepare something), and the one that writes.
local by_extension = {
   npy = { npy.check, npy.write },
   npz = { npy.check_zip, npy.write_zip },
   safetensors = { safetensors.check, safetensors.write },
   pt = { pytorch.plan, pytorch.write }, pth = { pytorch.plan, pytorch.write },
}
local deflated = { npy.check_zip, function(f, object) npy.write_zip(f, object, true) end }

--- Writes an object to a file. The new file replaces the old one when it is complete and on disk, not before.
-- A name that ends in .npy takes a tensor, one in .npz or .safetensors a table of tensors by their names. One in .pt or .pth takes
-- tensors, numbers, strings, booleans and tables of these, and PyTorch reads the file. Any other name, and any name with a mode, makes
-- a .t7 file.
-- @param mode        'binary' (default) or 'ascii'; 'deflate' packs the tensors of a .npz file
-- @param referenced  false: tables that occur twice are written twice (default true)
-- name = os.tmpname(); torch.save(name, {1, 2}); t = torch.load(name); os.remove(name); t --> {1, 2}
function M.save(filename, object, mode, referenced)
   arg.path('torch.save', 'filename', filename)
   local extension = filename:match '%.(%w+)$'
   local foreign_format = mode == nil and by_extension[extension] or mode == 'deflate' and extension == 'npz' and deflated
   mode = foreign_format and 'binary' or modes('torch.save', mode)
   local ok, f, plan
   if foreign_format then
      ok, plan = pcall(foreign_format[1], 'torch.save', object)
      if not ok then error(plan, 2) end
   end
   ok, f = pcall(file.replacing, filename)
   if not ok then error('torch.save: ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 2) end
   write_all(f, 'torch.save', object, mode, referenced, f.close, foreign_format and foreign_format[2], plan)
end

--- Reads the object in a file. No code in the file is run: functions that this process has not written become
-- torch.OpaqueFunction.
-- It knows files of NumPy and of safetensors by their first bytes. A .npy file gives a tensor, a
-- .npz file a table of tensors by their names, a .safetensors file such a table and its metadata. A
-- file of PyTorch, in any of its forms, gives its data:
-- dictionaries and lists become tables, whose order torch.keys returns.
-- @param mode     'binary' (default), 'ascii', or for binary files with Longs of 32 or 64 bits 'b32' or 'b64'
-- @param options  {unsafe = true} loads functions: use it for files that you trust like programs.
--                 {most = bytes} allows so many in a zip archive, unpacked (default: 3 times the
--                 file and 48 MiB)
-- name = os.tmpname(); torch.save(name, torch.ones(2), 'ascii'); t = torch.load(name, 'ascii'); os.remove(name); t --> {1, 1}
function M.load(filename, mode, options)
   arg.path('torch.load', 'filename', filename)
   mode, options = load_options('torch.load', mode, options)
   local ok, f = pcall(File.disk, filename, 'r')
   if not ok then error('torch.load: ' .. tostring(f):gsub('^.-torch%.DiskFile: ', ''), 2) end
   local known, unpack = pcall(foreign, f)
   if not known then
      file.abandon(f)
      error('torch.load: ' .. filename .. ': ' .. tostring(unpack), 2)
   end
   local object, metadata = read_all(f, 'torch.load', mode, options, unpack)
   if metadata ~= nil then return object, metadata end
   return object
end

--- The bytes that torch.save would write, as a string.
-- torch.deserialize(torch.serialize{1, x = torch.ones(2)}) --> {1, x = {1, 1}}
function M.serialize(object, mode)
   mode = modes('torch.serialize', mode)
   local f = File.memory()
   write_all(f, 'torch.serialize', object, mode)
   local s = f:storage()
   local text = ffi.string(s.s.data, s.s.size - 1)
   file.abandon(f)
   return text
end

--- The object that a string holds; see torch.load.
function M.deserialize(text, mode, options)
   if type(text) ~= 'string' then arg.refuse('torch.deserialize', 'text', 'a string', text) end
   mode, options = load_options('torch.deserialize', mode, options)
   return (read_all(file.of_string(text), 'torch.deserialize', mode, options))
end

--- The bytes that torch.save would write, as a CharStorage.
function M.serializeToStorage(object, mode)
   mode = modes('torch.serializeToStorage', mode)
   local f = File.memory()
   write_all(f, 'torch.serializeToStorage', object, mode)
   local s = f:storage()
   file.abandon(f)
   return s:resize(#s - 1)
end

--- The object that the bytes of a CharStorage hold; see torch.load.
function M.deserializeFromStorage(s, mode, options)
   if not arg.is_storage(s) then arg.refuse('torch.deserializeFromStorage', 'storage', 'a torch.CharStorage', s) end
   mode, options = load_options('torch.deserializeFromStorage', mode, options)
   return (read_all(file.of_storage(s, 'torch.deserializeFromStorage'), 'torch.deserializeFromStorage', mode, options))
end

M.saveobj, M.loadobj = M.save, M.load
M.keys = keys.keys

local internal = {}

-- Values that a clone shares with the original: the tables of packages.
local function package_set()
   local set = { [_G] = true }
   for _, v in pairs(package.loaded) do set[v] = true end
   return set
end

--- A copy of an object and of everything it refers to, made within this process. Unlike a file it carries all values: functions
-- come with copies of their variables. Packages, classes, functions without variables, and all other values that cannot be
-- copied are shared with the original.
function internal.clone(object)
   local carry = { packages = package_set() }
   local f = File.memory()
   f:binary()
   f._carry = carry
   f:writeObject(object)
   f:seek(1)
   local copy = f:readObject()
   file.abandon(f)
   return copy
end

-- Tensors and storages, within the write and read methods of other objects: no tag, index and class.
local function install_type(torch, ty)
   local name = dtype.words[ty]
   local t = torch.getmetatable('torch.' .. name .. 'Tensor')
   t.write = function(self, f)
      f:writeObject(write.view(open(f, 'write'), self))
   end
   t.read = function(self, f, version)
      local frame = read.view(f, open(f, 'read'), self, version or 1)
      return read.finish(f, frame, f:readObject())
   end

   local s = torch.getmetatable('torch.' .. name .. 'Storage')
   s.write = function(self, f) write.storage(open(f, 'write'), self) end
   s.read = function(self, f)
      local from = read.storage(f, open(f, 'read'), self.s.dtype)
      return self:resize(#from):copy(from)
   end
   for _, f in ipairs { t.write, t.read, s.write, s.read } do record.standard[f] = true end
end
internal.install_type = install_type

-- The state of a generator: of a twister in Torch7's bytes; the head of other states has their length.
local function install_generator(mt)
   local function need(who, g)
      if not arg.is_generator(g) then arg.refuse(who, 'argument 1', 'a torch.Generator', g, 3) end
   end
   function mt.write(self, f)
      need('write', self)
      local n = C.th_generator_state_size(self.g)
      local bytes = ffi.new('uint8_t[?]', n)
      C.th_generator_get_state(self.g, bytes)
      write.put(open(f, 'write'), BYTE, bytes, n)
   end
   function mt.read(self, f)
      need('read', self)
      local from, head = open(f, 'read'), ffi.new('uint8_t[?]', C.TH_RNG_HEAD)
      -- Without spacing: a byte of the state may look like the end of a line, and must not be skipped.
      local spacing = C.th_file_get(from, C.TH_FILE_SPACING)
      C.th_file_set(from, C.TH_FILE_SPACING, 0)
      local ok, why = pcall(read.get, from, BYTE, head, C.TH_RNG_HEAD)
      C.th_file_set(from, C.TH_FILE_SPACING, spacing)
      if not ok then error(why, 0) end
      local n = C.th_generator_state_bytes(head)
      local bytes = ffi.new('uint8_t[?]', n)
      ffi.copy(bytes, head, C.TH_RNG_HEAD)
      read.get(from, BYTE, bytes + C.TH_RNG_HEAD, n - C.TH_RNG_HEAD)
      if C.th_generator_set_state(self.g, bytes, n) ~= lib.OK then error('the state of a torch.Generator is garbage', 0) end
   end
end

--- Adds save, load, serialize, ... to torch; the files must be loaded already.
function internal.install(torch)
   for name, f in pairs(M) do torch[name] = f end
   File.disk, File.memory = torch.DiskFile, torch.MemoryFile
   local mt = class.getmetatable 'torch.File'
   for _, name in ipairs { 'writeObject', 'readObject', 'isWritableObject' } do mt[name] = File[name] end
   --- torch.OpaqueFunction: A function from a file that is kept but not loaded; a call explains why. torch.save writes it
   -- unchanged.

   --- torch.Timer:read(file), torch.Timer:write(file): The seconds measured so far, from or to a torch.File.

   --- Storage:read(file), Storage:write(file), Tensor:read(file), Tensor:write(file): Used by readObject and writeObject of a file.
   local Opaque = class.class('torch.OpaqueFunction', torch)
   function Opaque.__call__()
      error('this function is from a file, and code in files is not run: '
         .. 'torch.load(file, mode, {unsafe = true}) or TH_UNSAFE_LOAD=1 loads functions of files that you trust', 3)
   end
   function Opaque:__tostring__() return ('torch.OpaqueFunction (%d bytes of code, not loaded)'):format(#self.code) end
   for ty in pairs(require 'torch.tensor'.methods) do install_type(torch, ty) end
   local generator = class.getmetatable 'torch.Generator'
   if generator then install_generator(generator) end
end

return setmetatable(M, { __index = internal })
