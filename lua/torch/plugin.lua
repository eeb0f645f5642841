-- torch.plugin - torch.loadlib: ops from a user's shared library, written in C with th_op.h (doc/user-ops.md).
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local op = require 'torch.op'
local C = lib.C

local M = {}
local WHO = 'torch.loadlib'

local function refuse(path, why) error(('%s: %s: %s'):format(WHO, path, why), 3) end

-- The file of a path, or of a name that is searched along package.cpath.
local function find(name)
   if name:find('/', 1, true) or name:match '%.so$' or name:match '%.dylib$' then
      local f = io.open(name)
      if not f then error(('%s: there is no file %s'):format(WHO, name), 3) end
      f:close()
      return name:find('/', 1, true) and name or './' .. name         -- without a slash the loader looks elsewhere
   end
   local found, tried = package.searchpath(name, package.cpath)
   if not found then error(('%s: there is no plug-in %s:%s'):format(WHO, name, tried), 3) end
   return found
end

-- Errors that Lua finds in a declaration that C accepts.
local function complaint(torch, o)
   local name, args = ffi.string(o.name), ffi.string(o.args)
   if torch[name] ~= nil or torch.getmetatable('torch.FloatTensor')[name] ~= nil then
      return ('there is already a function torch.%s or a method Tensor:%s'):format(name, name)
   end
   local why = op.complaint(args)
   if why then return ('op %s: %s'):format(name, why) end
   if o.grad ~= nil then
      local ok, rule = pcall(require 'torch.derivative'.parse, ffi.string(o.grad))
      if not ok then return ('op %s: its gradient cannot be read: %s'):format(name, rule) end
      for _, entry in ipairs(rule) do
         if not (' ' .. args):find(' ' .. entry.name .. ':', 1, true) then
            return ('op %s: its gradient speaks of %s, which is no argument'):format(name, entry.name)
         end
      end
   end
end

local function names_of(p)
   local names, seen, i = {}, {}, 0
   while C.th_plugin_op_at(p, i) ~= nil do
      local name = ffi.string(C.th_plugin_op_at(p, i).name)
      if not seen[name] then names[#names + 1] = name end
      seen[name] = true
      i = i + 1
   end
   return names
end

local loaded = {}                                            -- address of a plug-in -> true, once Lua knows its ops

function M.install(torch)
   --- Loads a library of ops: they become functions of torch and methods of tensors, with help, checks and gradients.
   -- Loading it again has no effect.
   -- @param name  a file (with a slash or ending in .so), or a name to search along package.cpath
   -- @return the names of its ops
   function torch.loadlib(name)
      arg.path(WHO, 'name', name)
      local path = find(name)
      local to = ffi.new 'th_plugin *[1]'
      lib.call(WHO, C.th_plugin_open, to, path)
      local p = to[0]
      local address = tostring(ffi.cast('void *', p))
      if loaded[address] then return names_of(p) end
      local i = 0
      while C.th_plugin_op_at(p, i) ~= nil and C.th_plugin_added(p) == 0 do
         local why = complaint(torch, C.th_plugin_op_at(p, i))
         if why then
            C.th_plugin_close(p)
            refuse(path, why)
         end
         i = i + 1
      end
      lib.call(WHO, C.th_plugin_add, p)
      loaded[address] = true
      op.refresh()
      return names_of(p)
   end
end

return M
