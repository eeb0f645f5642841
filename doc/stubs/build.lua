-- doc/stubs/build.lua [-to FOLDER] - writes types/: the public names with their types, for language servers of editors (LuaCATS).
--
-- ./dev docs runs it. FOLDER is types by default.
--
-- The names and texts are those of torch.doc, as in the reference. doc/editors.md says how an editor uses the files.
local paths = require 'paths'
local torch = require 'torch'
local arg_of_torch = require 'torch.arg'
local class = require 'torch.class'
local doc = require 'torch.doc'
local op = require 'torch.op'
local reference = require 'doc.reference'         -- loads what the reference describes: cutorch, too, where there is a device
local names = require 'doc.site.names'
local output = require 'doc.site.output'
local guess = require 'doc.stubs.guess'
local signature = require 'doc.stubs.signature'

local M = {}

local WIDTH = 200                                 -- characters of a text; an editor shows it in a small window

-- ---- one text ---------------------------------------------------------------------------------------------------

local function flat(text)
   text = text:gsub('%s+', ' ')
   if #text > WIDTH then text = text:sub(1, WIDTH - 3):gsub('[%w\128-\255]*$', '') .. '...' end
   return text
end

local function comment(out, entry)
   local text = names.sentence(entry)
   if text ~= '' then out[#out + 1] = '--- ' .. text end
   for i, e in ipairs(entry.examples) do
      if i > 2 or #e.code > WIDTH then break end
      if i == 1 then out[#out + 1] = '---' end
      out[#out + 1] = ('---     %s   --> %s'):format(flat(e.code), flat(e.result))
   end
end

-- ---- one function -----------------------------------------------------------------------------------------------

local function fun_of(call, result)
   local params, results = {}, {}
   for i, p in ipairs(call.params) do
      if p.name == '...' then params[i] = '...: any'
      else params[i] = ('%s%s: %s'):format(p.name, p.optional and '?' or '', p.kind) end
   end
   for i, r in ipairs(call.results) do results[i] = r.name == '...' and '...' or r.kind end
   if results[#results] == '...' then results[#results] = 'any' end
   return ('fun(%s): %s'):format(table.concat(params, ', '), result or #results > 0 and table.concat(results, ', ') or 'any')
end

local function options(out, entry, fields)
   local list = {}
   for param in pairs(fields) do list[#list + 1] = param end
   table.sort(list)
   for _, param in ipairs(list) do
      out[#out + 1] = ('---@class %s.%s'):format(entry.key, param)
      local seen = {}
      for _, field in ipairs(fields[param]) do
         if not seen[field.name] then
            seen[field.name] = true
            out[#out + 1] = ('---@field %s? %s %s'):format(field.name, guess.argument(field.text) or 'any', flat(field.text))
         end
      end
      out[#out + 1] = '---@field [string] any'
      out[#out + 1] = ''
   end
end

-- An overload of a method has its object as the first parameter.
local function with_self(call, owner)
   local params = { { name = 'self', kind = owner } }
   for _, p in ipairs(call.params) do params[#params + 1] = p end
   return { params = params, results = call.results }
end

local function write_function(out, entry, name, owner)
   local calls, fields = signature.calls(entry.key, entry)
   options(out, entry, fields)
   comment(out, entry)
   local first = calls[1] or { params = { { name = '...', optional = true } }, results = { { kind = 'any', name = '...' } } }
   for i = 2, #calls do out[#out + 1] = '---@overload ' .. fun_of(owner and with_self(calls[i], owner) or calls[i]) end
   local words = {}
   for i, p in ipairs(first.params) do
      words[i] = p.name
      if p.name == '...' then out[#out + 1] = '---@param ... any'
      else
         local text = p.text and ' ' .. flat(p.text) or ''
         out[#out + 1] = ('---@param %s%s %s%s'):format(p.name, p.optional and '?' or '', p.kind, text)
      end
   end
   for _, r in ipairs(first.results) do
      local more = r.name == '...'
      out[#out + 1] = ('---@return %s%s%s'):format(r.kind, more and ' ...' or '', r.text and ' # ' .. flat(r.text) or '')
   end
   out[#out + 1] = ('function %s(%s) end'):format(name, table.concat(words, ', '))
   out[#out + 1] = ''
end

-- ---- classes ----------------------------------------------------------------------------------------------------

local function type_of_expression(text)
   if text:match '^%-?[%d%.]+[eE%-%d]*%s*$' or text:match ' or %-?[%d%.]+[eE%-%d]*%s*$' then return 'number' end
   if text:match '^true%f[%W]' or text:match '^false%f[%W]' or text:match '^not ' or text:match '[~=]= ' then return 'boolean' end
   if text:match '^torch%.%w*Tensor%f[%W]' or text:match '^torch%.[zor]%w+%(' then return 'torch.Tensor' end
   if text:match '^{' then return 'table' end
   if text:match "^'[^']*'%s*$" or text:match " or '[^']*'%s*$" then return 'string' end
   return 'any'
end

-- The source of a class: its file, where that has its name, or its constructor.
local function source_of_class(key, mt)
   local init = rawget(mt, '__init')
   init = init and (arg_of_torch.behind[init] or init)
   local path = init and debug.getinfo(init, 'S').source:match '^@(.*)$'
   local f = path and path:match('/' .. key:match '[%w_]+$' .. '%.lua$') and io.open(path)
   if not f then return init and signature.source_of(init) or '' end
   local text = f:read '*a'
   f:close()
   return text or ''
end

-- The fields that a class sets in its objects.
local function fields_of(key, mt)
   local list, seen = {}, {}
   local source = source_of_class(key, mt)
   local function add(name, kind)
      if not seen[name] and not name:match '^_' then
         seen[name] = true
         list[#list + 1] = { name = name, kind = kind }
      end
   end
   for name in source:gmatch 'self:parameter%(\'([%a][%w_]*)\'' do
      add(name, 'torch.Tensor')
      add('grad' .. name:sub(1, 1):upper() .. name:sub(2), 'torch.Tensor')
   end
   for words, values in source:gmatch 'self%.([%a_][%w_]*[%w_%s,%.]*)%s=%s([^\n]*)' do
      local first = words:match '^[%a_][%w_]*'
      add(first, words:find ',' and 'any' or type_of_expression(values))
      for name in words:gmatch ',%s*self%.([%a_][%w_]*)' do add(name, 'any') end
   end
   table.sort(list, function(a, b) return a.name < b.name end)
   return list
end

local function is_method(mt, name)
   while mt do
      if rawget(mt, name) ~= nil then return true end
      mt = getmetatable(mt)
      if type(mt) ~= 'table' then return false end
   end
   return false
end

local function is_a(mt, name)
   while type(mt) == 'table' do
      if class.name(mt) == name then return true end
      mt = getmetatable(mt)
   end
   return false
end

local EXTRA = {
   ['nn.Module'] = { 'field output any', 'field gradInput any', 'field train boolean', 'field weight any', 'field bias any',
      'field gradWeight any', 'field gradBias any' },
   ['nn.Criterion'] = { 'field output any', 'field gradInput any' },
   ['nn.Container'] = { 'field modules nn.Module[]' },
   ['tds.Hash'] = { 'field [any] any', 'operator len: number' }, ['tds.Vec'] = { 'field [number] any', 'operator len: number' },
}

local function parent_of(key, mt)
   local parent = mt and getmetatable(mt)
   local name = type(parent) == 'table' and class.name(parent)
   if key:match '^torch%.%w+Tensor$' then return 'torch.Tensor' end
   if key:match '^torch%.%w+Storage$' then return 'torch.Storage' end
   return name and name ~= key and name or nil
end

-- The methods of a class, each with its entry. What it has from an ancestor is left to that, unless it takes other arguments.
local function methods_of(key, keys)
   local list = {}
   for _, name in ipairs(keys[key] or {}) do
      local entry = doc.entry(name)
      if entry and (not entry.inherited or signature.takes_more(name, entry)) then
         entry.key = name
         list[#list + 1] = entry
      end
   end
   return list
end

-- An object and its class are two types, because a call of the class makes an object, and a call of an object does not.
local function write_class(out, entry, key, mt, keys)
   local calls, fields = signature.calls(key, entry)
   local name, parent = key:match '[%w_]+$', parent_of(key, mt)
   options(out, entry, fields)
   if key ~= 'torch.Tensor' then
      out[#out + 1] = 'do'
      comment(out, entry)
      out[#out + 1] = ('---@class %s%s'):format(key, parent and ': ' .. parent or '')
      for _, line in ipairs(EXTRA[key] or {}) do out[#out + 1] = '---@' .. line end
      if is_a(mt, 'nn.Module') or is_a(mt, 'nn.Criterion') then out[#out + 1] = '---@operator call(any): any' end    -- nngraph
      for _, f in ipairs(mt and not EXTRA[key] and fields_of(key, mt) or {}) do
         if not is_method(mt, f.name) then out[#out + 1] = ('---@field %s %s'):format(f.name, f.kind) end
      end
      out[#out + 1] = ('local %s = {}\n'):format(name)
      for _, method in ipairs(methods_of(key, keys)) do
         write_function(out, method, name .. ':' .. method.key:match '[%w_]+$', key)
      end
      out[#out + 1] = 'end\n'
   end
   comment(out, entry)
   out[#out + 1] = ('---@class %s.class: %s'):format(key, key)
   for _, call in ipairs(calls) do out[#out + 1] = '---@overload ' .. fun_of(call, key) end
   if #calls == 0 then out[#out + 1] = '---@overload fun(...): ' .. key end
   out[#out + 1] = key .. ' = {}\n'
end

-- ---- tensors ----------------------------------------------------------------------------------------------------

local HEAD_OF_TENSORS = [[
--- What all types of storages share.
---@class torch.Storage
---@operator len: number
---@field [number] number
local Storage = {}

--- What all types of tensors share.
---@class torch.Tensor
---@operator add(torch.Tensor|number): torch.Tensor
---@operator sub(torch.Tensor|number): torch.Tensor
---@operator mul(number): torch.Tensor
---@operator mul(torch.Tensor): any
---@operator div(torch.Tensor|number): torch.Tensor
---@operator mod(torch.Tensor|number): torch.Tensor
---@operator unm: torch.Tensor
---@operator len: torch.LongStorage
---@field [number] any
---@field [table] any
---@field [torch.Tensor] any
local Tensor = {}
]]

-- The ops that tensors have as methods, and that doc.names lists as functions of torch only.
local function methods_of_ops(out)
   local list, methods = {}, doc.tensor_methods()
   for _, name in ipairs(op.names()) do
      if methods[name] and not name:match '^_' and not name:match '_$' then list[#list + 1] = name end
   end
   table.sort(list)
   for i, name in ipairs(list) do
      local entry = list[i - 1] ~= name and doc.entry('Tensor:' .. name)
      if entry then
         entry.key = 'Tensor:' .. name
         write_function(out, entry, 'Tensor:' .. name, 'torch.Tensor')
      end
   end
end

-- ---- files ------------------------------------------------------------------------------------------------------

local function type_of_value(value)
   local kind = type(value)
   return (kind == 'number' or kind == 'string' or kind == 'boolean' or kind == 'table') and kind or 'any'
end

-- The tables that hold a name must exist before it: nn.utils before nn.utils.f.
local function need_owner(out, made, key)
   local owner = key:match '^(.*)[%.:][%w_]+$'
   if not owner or made[owner] then return end
   need_owner(out, made, owner)
   made[owner] = true
   out[#out + 1] = ('---@class %s\n%s = {}\n'):format(owner, owner)
end

local function is_class(key) return class.find(key) ~= nil or class.getmetatable(key) ~= nil end

-- The class of a method's object; nil for a function.
local function owner_of(key)
   local owner = key:match '^(.*):'
   if owner == 'Tensor' or owner == 'Storage' then return 'torch.' .. owner end
   return owner
end

local function write_name(out, made, key, keys)
   local entry = doc.entry(key)
   if not entry or entry.inherited then return end           -- an editor finds it in the parent
   entry.key = key
   local value, mt = doc.value(key), class.find(key)
   need_owner(out, made, key)
   if is_class(key) then write_class(out, entry, key, mt, keys)
   elseif type(value) == 'function' then write_function(out, entry, key, owner_of(key))
   elseif type(value) == 'table' and type(getmetatable(value)) == 'table' and getmetatable(value).__call then
      local calls = signature.calls(key, entry)
      comment(out, entry)
      out[#out + 1] = '---@class ' .. key
      for _, call in ipairs(calls) do out[#out + 1] = '---@overload ' .. fun_of(call) end
      if #calls == 0 then out[#out + 1] = '---@overload fun(...): any' end
      out[#out + 1] = key .. ' = {}\n'
   elseif type(value) == 'table' then
      comment(out, entry)
      local open = getmetatable(value) and '---@field [string] any\n' or ''            -- its names are made when they are used
      out[#out + 1] = ('---@class %s\n%s%s = {}\n'):format(key, open, key)
   else
      comment(out, entry)
      out[#out + 1] = ('---@type %s\n%s = nil\n'):format(type_of_value(value), key)
   end
   made[key] = true
end

local HEAD = '---@meta %s\n-- types/%s - written by ./dev docs from the sources; do not edit.\n'

local function can_be_called(name)
   local ok, p = pcall(require, name)
   local mt = ok and getmetatable(p)
   return type(mt) == 'table' and mt.__call ~= nil
end

local function head(name, global)
   local out = { HEAD:format(name, name .. '.lua') }
   if name == 'torch' then out[#out + 1] = HEAD_OF_TENSORS end
   out[#out + 1] = '---@class ' .. name
   if name == 'torch' then out[#out + 1] = '---@field _gen torch.Generator' end
   if can_be_called(name) then out[#out + 1] = '---@overload fun(...): any' end
   out[#out + 1] = ('%s%s = {}\n'):format(global and '' or 'local ', name)
   return out
end

-- Modules that put more names into a package: require 'nn.recurrent' returns nn.
local function further_modules(files, keys)
   for _, key in ipairs(keys) do
      local module = class.asked_by(key)
      if module then
         local name, package_name = module:gsub('%.', '/') .. '.lua', module:match '^[^%.]+'
         files[name] = HEAD:format(module, name) .. ("return require '%s'\n"):format(package_name)
      end
   end
end

--- All files: a table from file name to text.
function M.files()
   local files, keys = {}, doc.names()
   local order = {}
   for _, key in ipairs(keys) do
      local name = key:match '^[%w_]+'
      if name == 'Tensor' or name == 'Storage' then name = 'torch' end
      if not order[name] then
         order[name] = {}
         order[#order + 1] = name
      end
      table.insert(order[name], key)
   end
   local methods = {}                                         -- class -> its keys
   for _, key in ipairs(keys) do
      local owner = key:match '^(.*):'
      if owner then
         methods[owner] = methods[owner] or {}
         table.insert(methods[owner], key)
      end
   end
   for _, name in ipairs(order) do
      local out, made = head(name, rawget(_G, name) ~= nil), { [name] = true, Tensor = true, Storage = true }
      for _, key in ipairs(order[name]) do
         local owner = key:match '^(.*):'
         if not (owner and is_class(owner)) then write_name(out, made, key, methods) end
      end
      if name == 'torch' then methods_of_ops(out) end
      out[#out + 1] = 'return ' .. name .. '\n'
      files[name .. '.lua'] = table.concat(out, '\n')
   end
   further_modules(files, keys)
   return files, #keys
end

-- ---- the command line -------------------------------------------------------------------------------------------

local MARK = 'written by ./dev docs'

local function is_ours(path)
   local f = io.open(path)
   local text = f and f:read(400) or ''
   if f then f:close() end
   return text:find(MARK, 1, true) ~= nil
end

local function write(path, text) output.write_file('stubs', path, text) end

--- Writes the files into a folder, and removes generated ones that have no package any more.
function M.write(to, files)
   if paths.filep(to) or not (paths.mkdir(to) or paths.dirp(to)) then
      error(('stubs: -to must be a folder that can be made, got %s'):format(to), 0)
   end
   local list = {}
   for name in paths.files(to) do
      if name:match '%.lua$' and not files[name] and is_ours(to .. '/' .. name) then os.remove(to .. '/' .. name) end
   end
   for name in pairs(files) do list[#list + 1] = name end
   table.sort(list)
   local bytes = 0
   for _, name in ipairs(list) do
      local folder = name:match '^(.*)/'
      if folder then paths.mkdir(to .. '/' .. folder) end
      write(to .. '/' .. name, files[name])
      bytes = bytes + #files[name]
   end
   return #list, bytes
end

--- What the command line does.
-- @param given  its arguments
function M.main(given)
   local to, i = 'types', 1
   while given[i] do
      if given[i] ~= '-to' then error(("stubs: there is no option '%s', only -to FOLDER"):format(given[i]), 0) end
      to = given[i + 1]
      if not to or to == '' then error('stubs: -to must have a folder behind it, got nothing', 0) end
      i = i + 2
   end
   if not reference.devices and to == 'types' then
      io.write 'stubs: types stays as it is: without a device there is no cutorch and cunn\n'
      return
   end
   local files, count = M.files()
   local n, bytes = M.write(to, files)
   io.write(('stubs: %d names in %d files of %.1f MB in %s\n'):format(count, n, bytes / 1e6, to))
   if not reference.devices then io.write 'stubs: without cutorch, cunn and cudnn, because there is no device\n' end
end

if rawget(_G, 'arg') and (arg[0] or ''):match 'doc/stubs/build%.lua$' then
   local ok, why = pcall(M.main, arg)
   if not ok then
      io.stderr:write(tostring(why), '\n')
      os.exit(1)
   end
end

M.torch = torch                                   -- keeps the package that all others need

return M
