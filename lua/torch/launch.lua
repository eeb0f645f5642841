-- torch.launch - the environment of programs that th runs: type, getmetatable, print and require of Torch7's th, and names that
-- load a package when they are first used. A LuaJIT that requires torch without th keeps its globals.
--
-- `type` returns 'userdata' for tensors, storages, generators, files and timers, which are cdata or tables here. The files of
-- our packages need Lua's `type`, so the searcher below loads them with an extra first line that makes it a local.
-- `getmetatable` returns the class of such an object; Lua's returns the text 'ffi' for all cdata.
local original = require 'torch.original'
local bytecode = require 'torch.bytecode'
local packages = require 'torch.packages'
local ffi = require 'ffi'
local type, getmetatable = original.type, original.getmetatable

local M = {}

-- ---- files of our packages -------------------------------------------------------------------------------------

--- The packages of this tree, and whether a file belongs to one: torch.packages.
M.packages, M.holds = packages.names, packages.holds

-- Precedes the text of each file.
local front = "local type = require 'torch.original'.type local getmetatable = require 'torch.original'.getmetatable "

M.front = front

local function load_own(path, name)
   local chunk = bytecode.chunk(name, path)
   if chunk then return chunk end
   local f, why = io.open(path, 'rb')
   if not f then return nil, why end
   local text = f:read '*a'
   f:close()
   return original.loadstring(front .. text, '@' .. path)
end

-- Takes the place of Lua's searcher on package.path.
local function search(name)
   local path, tried = package.searchpath(name, package.path)
   if not path then return tried end
   local own = M.holds(path) or name:sub(1, 4) == 'jit.'         -- jit.v and jit.dump are handlers of events: doc/internals/launcher.md
   local f, why = (own and load_own or loadfile)(path, own and name or nil)
   if not f then error(("error loading module '%s' from file '%s':\n\t%s"):format(name, path, why), 0) end
   return own and f or require 'torch.require'.running(path, f)
end

-- ---- type ------------------------------------------------------------------------------------------------------

-- The global type of programs. It is short, so that LuaJIT compiles it into the caller.
local function type_of_objects()
   local lib, class, istype = require 'torch.lib', require 'torch.class', ffi.istype
   local tensor, storage, generator = lib.tensor_t, lib.storage_t, lib.generator_t
   local pointer = require 'torch.tensor'.pointer_t           -- what x:cdata() gives stays cdata
   local handles = {}
   for _, name in ipairs { 'DiskFile', 'MemoryFile', 'PipeFile', 'Timer' } do
      handles[class.getmetatable('torch.' .. name)] = true
   end
   return function(x)
      local kind = type(x)
      if kind == 'cdata' then
         if istype(tensor, x) and not istype(pointer, x) or istype(storage, x) or istype(generator, x) then
            return 'userdata'
         end
      elseif kind == 'table' then
         local mt = getmetatable(x)
         if mt ~= nil and handles[mt] then return 'userdata' end
      end
      return kind
   end
end

-- ---- getmetatable ----------------------------------------------------------------------------------------------

-- The global getmetatable of programs: the metatable of a cdata object is its class.
local function metatable_of_objects()
   local class, pointer, istype = require 'torch.class', require 'torch.tensor'.pointer_t, ffi.istype
   local class_of, metatable_of = class.class_of, class.metatable_of
   return function(x)
      if type(x) == 'cdata' and not istype(pointer, x) then return class_of(x) or getmetatable(x) end
      return metatable_of(x)
   end
end

-- ---- names that load a package ---------------------------------------------------------------------------------

-- Global name -> the module whose table has the value. trepl's names need no require, but its print
-- does.
local fields = {}
for name in ([[
   print_new print_old setprintlevel who import monitor_G noColors repl _preloaded_ _RESULTS
   _LAST]]):gmatch '%S+' do
   fields[name] = 'trepl.names'
end

-- Every module of Penlight that require 'pl' loads.
local penlight = {}
for name in ([[
   List Map MultiMap OrderedMap Set Date app array2d class compat comprehension config data dir file func input lapp lexer
   luabalanced operator path permute pretty seq sip stringio stringx tablex template test text types url utils xml]]):gmatch '%S+' do
   penlight[name] = 'pl.' .. name
end

--- The module of Penlight that defines a global name, or nil.
function M.penlight(name) return penlight[name] end

--- Whether package.path or package.cpath leads to a module.
function M.installed(name)
   return package.loaded[name] ~= nil or package.searchpath(name, package.path) ~= nil
end

-- The value of a global that is not set yet.
local function find_global(_, name)
   local value
   if fields[name] then value = require(fields[name])[name]
   elseif penlight[name] and M.installed(penlight[name]) then value = require(penlight[name]) end
   if value ~= nil then rawset(_G, name, value) end
   return value
end

-- ---- all of it -------------------------------------------------------------------------------------------------

--- The names of the globals at the start of a program.
M.preloaded = nil

--- Makes this state one that runs programs as Torch7's th did. A second call does nothing.
function M.start()
   if M.preloaded then return end
   local compiles = jit.status()
   jit.off()                                -- recording traces takes a fifth of the start
   bytecode.open(front)
   package.loaders[2] = search
   package.loaders[#package.loaders + 1] = require 'torch.missing'.search
   rawset(_G, 'torch', require 'torch')
   for _, name in ipairs { 'paths', 'sys', 'xlua' } do
      if package.searchpath(name, package.path) then rawset(_G, name, require(name)) end
   end
   rawset(_G, 'type', type_of_objects())
   rawset(_G, 'getmetatable', metatable_of_objects())
   rawset(_G, 'print', require 'torch.show'.print)
   local files = require 'torch.require'
   rawset(_G, 'require', files.require)
   rawset(_G, 'dofile', files.dofile)
   require 'torch.lua52'.add()
   local mt = getmetatable(_G) or {}
   mt.__index = mt.__index or find_global
   setmetatable(_G, mt)
   M.preloaded = {}
   for name in next, _G do M.preloaded[name] = true end
   for name in next, fields do M.preloaded[name] = true end
   if compiles then jit.on() end
end

return M
