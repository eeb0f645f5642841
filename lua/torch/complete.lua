-- torch.complete - completion at the prompt: globals, fields, methods, and files inside quotes.
local ffi = require 'ffi'

local M = {}

ffi.cdef [[
typedef struct th_glob_t { size_t count; char **path; size_t offs; int flags; void *unused[8]; } th_glob_t;
int th_glob(const char *pattern, int flags, void *on_error, th_glob_t *found) __asm__("glob");
void th_globfree(th_glob_t *found) __asm__("globfree");
]]
local GLOB_MARK, GLOB_TILDE = 2, 4096

-- The part of the line after an opening quote, or nil outside of strings.
local function open_string(line)
   local quote, start
   local i = 1
   while i <= #line do
      local c = line:sub(i, i)
      if quote then
         if c == '\\' then i = i + 1 elseif c == quote then quote = nil end
      elseif c == '"' or c == "'" then
         quote, start = c, i + 1
      elseif line:find('^%-%-', i) then
         return nil
      end
      i = i + 1
   end
   return quote and line:sub(start)
end

--- The files whose names begin with `prefix`; folders end in a slash.
function M.files(prefix)
   local pattern = prefix:gsub('[%*%?%[%]\\]', '\\%0') .. '*'
   local found, names = ffi.new 'th_glob_t', {}
   if ffi.C.th_glob(pattern, GLOB_MARK + GLOB_TILDE, nil, found) == 0 then
      for i = 0, tonumber(found.count) - 1 do names[#names + 1] = ffi.string(found.path[i]) end
   end
   ffi.C.th_globfree(found)
   return names
end

-- Reads a field; an error of a metamethod counts as nil.
local function field(object, key)
   local ok, v = pcall(function() return object[key] end)
   if ok then return v end
end

local function add_keys(names, t)
   for k in next, t do if type(k) == 'string' then names[k] = true end end
end

-- All names of an object's fields: those in itself, its class and its parents.
local function names_of(object)
   local names, torch = {}, package.loaded.torch
   local seen, t = {}, object
   if type(object) == 'string' then t = string end
   if type(object) == 'userdata' then t = getmetatable(object) end
   field(object, '__index')                                   -- reads the file of a class of nn
   local loads = type(object) == 'table' and getmetatable(object)
   if type(loads) == 'table' and rawget(loads, '__functions') then loads.__functions() end
   if type(torch) == 'table' then
      local op = package.loaded['torch.op']
      local class = type(object) ~= 'table' and rawget(torch, 'typename') and torch.typename(object)
      if class then t = torch.getmetatable(class) end
      if op and (object == torch or class and class:match 'Tensor$') then
         for _, name in ipairs(op.names()) do names[name] = true end
         names.shape = class ~= nil and class ~= false or nil
      end
   end
   while type(t) == 'table' and not seen[t] do
      seen[t] = true
      add_keys(names, t)
      local mt = getmetatable(t)
      local parent = type(mt) == 'table' and rawget(mt, '__index')
      if type(parent) ~= 'table' and type(mt) == 'table' and mt ~= t then parent = mt end
      t = parent
   end
   return names
end

--- The names of an object's fields and methods, as a set: its own, its class's and those of the parents.
M.names_of = names_of
--- A field of an object; nil where reading it raises an error.
M.field = field

--- Completes the end of `line`: the length of the text to replace, and a sorted list of replacements.
-- @param globals  the table to look names up in (default: the global one)
function M.complete(line, globals)
   local found = {}
   local path = open_string(line)
   if path then return #path, M.files(path) end
   local word = line:match '[%w_%.:]*$'
   local before, sep, partial = word:match '^(.-)([%.:]?)([%w_]*)$'
   local object = globals or _G
   if sep ~= '' then
      if not before:match '^[%a_]' then return #word, found end
      for name in before:gmatch '[%w_]+' do
         object = field(object, name)
         if object == nil then return #word, found end
      end
   end
   for name in pairs(names_of(object)) do
      local hidden = name:sub(1, 1) == '_' and partial == ''
      if name:sub(1, #partial) == partial and not hidden and name:match '^[%a_][%w_]*$'
         and (sep ~= ':' or type(field(object, name)) == 'function') then
         found[#found + 1] = before .. sep .. name
      end
   end
   if sep == '' then
      for name in ('and break do else elseif end false for function goto if in local nil not or repeat return then true '
         .. 'until while'):gmatch '%a+' do
         if partial ~= '' and name:sub(1, #partial) == partial then found[#found + 1] = name end
      end
   end
   table.sort(found)
   return #word, found
end

return M
