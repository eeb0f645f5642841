-- torch.doc - collects the doc comments of all public names: the one source of help and reference pages.
--
-- An op's text is the `doc` of its declaration. A Lua function's is the comment above its definition, which begins with `---`.
-- For definitions in a loop or a table, the comment begins with names:
--    --- torch.rand([result,] [generator,] sizes...): numbers drawn evenly from [0, 1).
--    --- torch.isTensor(x), torch.isStorage(x): whether x is one.
-- In all of them a line that holds `-->` is an example: code, then its result, as doc.show writes it.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local class = require 'torch.class'
local op = require 'torch.op'
local C = lib.C

local doc = {}

--- The packages that are described, in the order of the reference.
doc.packages = { 'torch', 'nn', 'optim', 'paths', 'sys', 'xlua', 'graph', 'nngraph', 'autograd', 'totem', 'fbnn',
   'dist', 'feed', 'tds', 'image', 'hdf5', 'threads', 'gnuplot', 'loadcaffe', 'text', 'onnx', 'jupyter' }

--- Packages that are described once they are loaded: names for GPUs, and packages that need a device.
doc.packages_when_loaded = { 'cutorch', 'cunn', 'cudnn' }

-- ---- comments ---------------------------------------------------------------------------------------------------

local files = {}                            -- path -> list of lines

local function lines_of(path)
   if not files[path] then
      local lines, f = {}, io.open(path)
      if f then
         for line in f:lines() do lines[#lines + 1] = line end
         f:close()
      end
      files[path] = lines
   end
   return files[path]
end

-- 'torch.rand(...), torch.randn(...): text' gives the list of { key, usage } and 'text'; nil for other lines.
local function named(line)
   local found, at = {}, 1
   while true do
      local key, after = line:match('^([%a][%w_]*[%.:][%w_%.:]*[%w_])()', at)
      if not key then return nil end
      local args, behind = line:match('^(%b())()', after)
      found[#found + 1] = { key = key, usage = key .. (args or '') }
      at = behind or after
      local text = line:match('^:%s+(.*)$', at)
      if text then return found, text end
      at = line:match('^,%s+()', at)
      if not at then return nil end
   end
end

-- The text of line i when it is a comment, and whether it begins with three dashes.
local function comment_text(line)
   if not line then return nil end
   local text = line:match '^%s*%-%-%-%s+(.*)$'
   if text then return text, true end
   return line:match '^%s*%-%-%s?(.*)$', false
end

-- The comment that ends above line n, from its first `---` that no names follow; or the comment at the end of line n.
local function comment_at(lines, n)
   local behind = lines[n] and lines[n]:match '%S%s+%-%-%-%s+(.*)$'
   if behind then return { behind } end
   local first, start = n - 1, nil
   while first >= 1 and comment_text(lines[first]) do
      local text, begins = comment_text(lines[first])
      if begins and named(text) then break end
      if begins then start = first end
      first = first - 1
   end
   if not start then return nil end
   local comment = {}
   for i = start, n - 1 do comment[#comment + 1] = comment_text(lines[i]) end
   return comment
end

-- Reads lines into an entry: paragraphs, parameters, what is returned, examples.
local function parse(entry, lines)
   local tag
   for line in (table.concat(lines, '\n'):gsub('([^\n])%s+(@%a+ )', '%1\n%2') .. '\n'):gmatch '(.-)\n' do
      local kind, rest = line:match '^%s*@(%a+)%s+(.*)$'
      local code, result = (kind == 'example' and rest or line):match '^%s*(.-)%s*%-%->%s*(.*)$'
      if code then
         entry.examples[#entry.examples + 1] = { code = code, result = result }
         tag = nil
      elseif kind == 'param' then
         local name, text = rest:match '^(%S+)%s*(.*)$'
         tag = { name = name, text = text }
         entry.params[#entry.params + 1] = tag
      elseif kind == 'return' then
         tag = { text = rest }
         entry.returns[#entry.returns + 1] = tag
      elseif tag and line:match '^%s' then
         tag.text = tag.text .. ' ' .. line:match '^%s*(.-)%s*$'
      else
         tag = nil
         entry.text[#entry.text + 1] = line
      end
   end
end

local function new_entry(key, usage)
   return { key = key, usage = usage or {}, text = {}, params = {}, returns = {}, examples = {} }
end

-- ---- all files, read once --------------------------------------------------------------------------------------

local by_name, class_places                 -- key -> entry of a comment with names; class -> { file, line }

local function read_file(path)
   local lines = lines_of(path)
   for n, line in ipairs(lines) do
      local text, begins = comment_text(line)
      local names, rest
      if begins then names, rest = named(text) end
      if names then
         local comment, i = { rest }, n + 1
         local more, again = comment_text(lines[i])
         while more and not again do
            comment[#comment + 1], i = more, i + 1
            more, again = comment_text(lines[i])
         end
         local fresh = {}
         for _, name in ipairs(names) do
            local entry = fresh[name.key]
            if entry then
               table.insert(entry.usage, name.usage)
            else
               entry = new_entry(name.key, { name.usage })
               parse(entry, comment)
               entry.file = path
               fresh[name.key], by_name[name.key] = entry, entry
            end
         end
      end
      local full = line:match '[%s%.]class%s*%(?%s*[\'"]([%w_%.]+)[\'"]'
      if full and line:match '=.*class' then class_places[full] = { file = path, line = n } end
      if full and line:match '^%s*torch%.class' then class_places[full] = { file = path, line = n - 1 } end
   end
end

-- Packages whose files are in a folder of another name.
local folders = { dist = 'distributed' }

local function folder_of(name)
   name = folders[name] or name
   local file = package.searchpath(name, package.path)
   return file and file:match '^(.*)/init%.lua$', file
end

local function read_package(name)
   local list = require 'torch.complete'.files
   local function folder(dir)
      for _, file in ipairs(list(dir .. '/')) do
         if file:match '/$' then folder(file:sub(1, -2)) elseif file:match '%.lua$' then read_file(file) end
      end
   end
   local dir, file = folder_of(name)
   if dir then folder(dir) elseif file then read_file(file) end
end

local function read_all()
   if not by_name then
      by_name, class_places = {}, {}
      for _, name in ipairs(doc.packages) do read_package(name) end
   end
   for i = #doc.packages_when_loaded, 1, -1 do
      local name = doc.packages_when_loaded[i]
      if package.loaded[name] then
         table.remove(doc.packages_when_loaded, i)
         table.insert(doc.packages, name)
         read_package(name)
      end
   end
end

--- Is it the name of a package that is described?
function doc.is_package(name)
   read_all()
   for _, p in ipairs(doc.packages) do if p == name then return true end end
   return false
end

-- ---- values -----------------------------------------------------------------------------------------------------

--- The methods that all types of tensors share.
function doc.tensor_methods() return getmetatable(torch.getmetatable 'torch.FloatTensor').__index end

local function package_of(name)
   local ok, p = pcall(require, name)
   return ok and type(p) == 'table' and p or nil
end

-- The value that a key names: torch.save, Tensor:add, nn.Linear, nn.Linear:reset, nn.utils.recursiveType.
local function value_of(key)
   local owner, method = key:match '^(.*):([%w_]+)$'
   if not owner then owner, method = key:match '^(Tensor)%.([%w_]+)$' end
   if not owner then owner, method = key:match '^(Storage)%.([%w_]+)$' end
   if owner == 'Tensor' then return doc.tensor_methods()[method] or torch.getmetatable 'torch.FloatTensor'[method] end
   if owner == 'Storage' then return torch.getmetatable 'torch.FloatStorage'[method] end
   if owner then
      local mt = package_of(owner:match '^[^%.]+') and class.find(owner)
      if mt then return mt[method] end
      local v = value_of(owner)
      return type(v) == 'table' and v[method] or nil
   end
   local first, rest = key:match '^([%w_]+)%.?(.*)$'
   local v = first and package_of(first)
   for field in (rest or ''):gmatch '[^%.]+' do
      if type(v) ~= 'table' then return nil end
      v = v[field]
   end
   if v == nil and class.find(key) then return class.find(key).__constructor end
   return v
end
doc.value = value_of

-- ---- entries ------------------------------------------------------------------------------------------------------

local function op_entry(key, name)
   local forms = op.forms(name)
   if not forms then return nil end
   local method = key:match '^Tensor' ~= nil
   local entry, seen = new_entry(key), {}
   for usage in op.usage(name, method):gmatch '(.-%))[ or]*' do entry.usage[#entry.usage + 1] = usage end
   if not method then
      local as_method = op.usage(name, true):match '^(.-%))'
      if as_method and op.forms(name)[1].args[1].word ~= 'return' then entry.usage[#entry.usage + 1] = as_method end
   end
   for _, form in ipairs(forms) do
      local text = form.op.doc ~= nil and ffi.string(form.op.doc) or ''
      if text ~= '' and not seen[text] then parse(entry, { text }) end
      seen[text] = true
   end
   local defaults, gradients, types = {}, {}, {}
   if C.th_op_is_by_cpu(forms[1].op) ~= 0 then
      table.insert(entry.text, 'Of CUDA tensors the CPU computes it: they are copied there, and its results back.')
   end
   for _, form in ipairs(forms) do
      for _, a in ipairs(form.args) do
         local text = a.default and a.default ~= 'nil' and a.word ~= 'tensor' and a.name .. ' = ' .. a.default
         if text and not seen[text] then
            seen[text] = true
            defaults[#defaults + 1] = text
         end
      end
      for x in (form.op.grad ~= nil and ffi.string(form.op.grad) or ''):gmatch '([%a_][%w_]*):' do
         if not seen[x .. ':'] then
            seen[x .. ':'] = true
            gradients[#gradients + 1] = x
         end
      end
   end
   for dtype = 1, tonumber(C.TH_NDTYPE) - 1 do
      for _, form in ipairs(forms) do
         local name_of = ffi.string(C.th_dtype_name(dtype))
         if C.th_op_supports(form.op, C.TH_CPU, dtype) ~= 0 and not seen[dtype] then
            seen[dtype] = true
            types[#types + 1] = name_of
         end
      end
   end
   entry.defaults, entry.gradients, entry.types = table.concat(defaults, ', '), table.concat(gradients, ', '), table.concat(types, ' ')
   entry.op = name
   return entry
end

-- The arguments in the line of a definition.
local function arguments(line)
   return line and (line:match 'function%s+[%w_%.:]+%s*(%b())' or line:match 'function%s*(%b())')
end

local function function_entry(key, f)
   local info = type(f) == 'function' and debug.getinfo(arg.behind[f] or f, 'S')
   local path = info and info.source:match '^@(.*)$'
   if not path then return nil end
   local lines = lines_of(path)
   local comment = comment_at(lines, info.linedefined)
   if not comment then return nil end
   local args = arguments(lines[info.linedefined]) or '(...)'
   if key:find ':' then args = args:gsub('^%(self%f[^%w_],?%s*', '(') end                -- of a method that is a plain function
   local entry = new_entry(key, { key .. args })
   parse(entry, comment)
   entry.file = path
   return entry
end

-- The head of a file: 'nn/linear/Linear.lua - y = x W' + b.' gives 'y = x W' + b.'
local function head_of(path) return (lines_of(path)[1] or ''):match '^%-%-+%s*%S+%s+%-%s+(.*)$' end

local function class_entry(key, mt)
   local entry, init = new_entry(key, { key }), rawget(mt, '__init')
   local info = init and debug.getinfo(arg.behind[init] or init, 'S')
   local path = info and info.source:match '^@(.*)$' or class_places[key] and class_places[key].file
   local place, lines = class_places[key], {}
   if path and path:match('/' .. key:match '[%w_]+$' .. '%.lua$') then
      lines[1] = head_of(path)
      lines[1] = lines[1] and lines[1]:gsub('^(%l)(%l+%f[^%w%.])', function(a, b) return a:upper() .. b end)
   end
   local function add(comment)
      for _, line in ipairs(comment or {}) do lines[#lines + 1] = line end
   end
   if place then add(comment_at(lines_of(place.file), place.line)) end
   if info and path then
      local own = lines_of(path)
      add(comment_at(own, info.linedefined))
      entry.usage = { key .. (arguments(own[info.linedefined]) or '()') }
   end
   if #lines == 0 then return nil end
   parse(entry, lines)
   entry.file, entry.class = path, mt
   return entry
end

-- The method of that name in the nearest ancestor that documents it.
local function inherited(key)
   local owner, method = key:match '^(.*):([%w_]+)$'
   local mt = owner and owner ~= 'Tensor' and owner ~= 'Storage' and class.find(owner)
   local own = mt
   while mt do
      local f = rawget(mt, method)
      local entry = f and function_entry(key, f)
      local name = class.name(mt)
      if not entry and name then
         local other = by_name[name .. ':' .. method]
         if other then
            entry = new_entry(key, other.usage)
            for _, part in ipairs { 'text', 'params', 'returns', 'examples' } do entry[part] = other[part] end
         end
      end
      if entry then
         entry.inherited = mt ~= own
         return entry
      end
      mt = getmetatable(mt)
   end
end

--- The entry of a key such as 'torch.save', 'Tensor:add', 'nn.Linear' or 'nn.Linear:reset', or nil.
-- @return a table: key; usage, a list of calls; text, lines; params, {name, text}; returns, {text}; examples, {code,
--  result}; of an op also defaults, types and gradients, the inputs that have one
function doc.entry(key)
   read_all()
   local scope, name = key:match '^(%a+)[%.:]([%w_]+)$'
   local of_op
   if scope == 'torch' or scope == 'Tensor' then of_op = op_entry(key, name) end
   local entry = by_name[key] or (scope == 'Tensor' or scope == 'Storage') and (by_name[scope .. '.' .. name] or by_name[scope .. ':' .. name])
   if not entry then
      local value = value_of(key)
      local mt = class.find(key)
      if mt and type(value) ~= 'function' then entry = class_entry(key, mt) end
      entry = entry or not of_op and function_entry(key, value) or inherited(key)
      if not entry and not of_op and scope == 'torch' and type(value) == 'function' then
         local method = doc.tensor_methods()[name]            -- torch.narrow is Tensor.narrow
         if method and not op.forms(name) then entry = doc.entry('Tensor:' .. name) end
      elseif not entry and not of_op and scope == 'Tensor' and value ~= nil then
         entry = by_name['torch.' .. name]
      end
   end
   if of_op and entry then                                    -- an op that has another side, such as torch.random()
      for _, line in ipairs(entry.text) do table.insert(of_op.text, line) end
      for _, part in ipairs { 'params', 'returns', 'examples' } do
         for _, item in ipairs(entry[part]) do table.insert(of_op[part], item) end
      end
      for i, usage in ipairs(entry.usage) do table.insert(of_op.usage, i, usage) end
   end
   local asked = class.asked_by(key)
   if asked and entry and not entry.asked then
      entry.asked = asked
      entry.text[#entry.text + 1] = ("`require '%s'` puts it into nn."):format(asked)
   end
   return of_op or entry
end

-- ---- the public names -------------------------------------------------------------------------------------------

local function is_public(k) return type(k) == 'string' and k:match '^%a[%w_]*$' and not k:match '_$' end

-- Methods that a class defines itself. Those whose text is the same as in a parent are left out.
local function add_methods(add, owner, mt)
   for k, v in pairs(mt) do
      if is_public(k) and type(v) == 'function' and k ~= 'new' then add(owner .. ':' .. k) end
   end
end

-- A table of functions that may load more by name, but is no class and cannot be called. One that can be called, such as
-- torch.fft, has `__functions` in its metatable, which reads the files of all its functions.
local function is_plain(v)
   local mt = getmetatable(v)
   if type(mt) == 'table' and mt.__functions then
      mt.__functions()
      return true
   end
   return mt == nil or type(mt) == 'table' and type(mt.__index) == 'function' and mt.__call == nil
end

local function add_package(add, name, p, depth)
   for k, v in pairs(p) do
      local key = name .. '.' .. tostring(k)
      if is_public(k) then
         add(key)
         local mt = class.getmetatable(key)
         if mt and class.name(mt) == key and not key:match '^torch%.%w+Tensor$' and not key:match '^torch%.%w+Storage$' then
            add_methods(add, key, mt)
         elseif type(v) == 'table' and not mt and depth == 0 and is_plain(v) then
            local functions = false
            for _, f in pairs(v) do functions = functions or type(f) == 'function' end
            if functions then add_package(add, key, v, 1) end
         end
      end
   end
end

--- Every public name, sorted: functions, values, classes and methods of all packages, ops, methods of tensors and storages.
function doc.names()
   read_all()
   local list, seen = {}, {}
   local function add(key)
      if not seen[key] then
         seen[key] = true
         list[#list + 1] = key
      end
   end
   for _, name in ipairs(op.names()) do if is_public(name) then add('torch.' .. name) end end
   for _, name in ipairs(doc.packages) do package_of(name) end        -- first, because a package may add names to another one
   for _, name in ipairs(doc.packages) do
      local p = package_of(name)
      if p then add_package(add, name, p, 0) end
   end
   for _, name in ipairs { 'torch.File', 'torch.DiskFile', 'torch.MemoryFile', 'torch.PipeFile' } do
      add_methods(add, name, torch.getmetatable(name))
   end
   local forms = {}
   for _, name in ipairs(op.names()) do forms[name] = true end
   for k, v in pairs(doc.tensor_methods()) do
      if is_public(k) and type(v) == 'function' and not forms[k] then add('Tensor:' .. k) end
   end
   add_methods(add, 'Storage', torch.getmetatable 'torch.FloatStorage')
   for _, name in ipairs { 'Storage' } do
      local shared = getmetatable(torch.getmetatable 'torch.FloatStorage')
      shared = shared and shared.__index
      if type(shared) == 'table' then add_methods(add, name, shared) end
   end
   table.sort(list)
   return list
end

--- The keys that comments name; all of them must exist.
function doc.described()
   read_all()
   local list = {}
   for key in pairs(by_name) do list[#list + 1] = key end
   table.sort(list)
   return list
end

-- ---- examples -----------------------------------------------------------------------------------------------------

local show

local function show_tensor(x, at)
   if x:nElement() == 0 then return '{}' end
   if x._ndim == 0 then return show(x:sum()) end
   local parts = {}
   for i = 1, x:size(1) do parts[i] = x:dim() == 1 and show(x[i]) or show_tensor(x[i], at) end
   return '{' .. table.concat(parts, ', ') .. '}'
end

function show(v)
   if type(v) == 'number' then
      if v ~= v then return 'nan' end
      return (('%.5g'):format(v):gsub('^%-0$', '0'))
   elseif ffi.istype(lib.tensor_t, v) then return show_tensor(v)
   elseif ffi.istype(lib.storage_t, v) then
      local parts = {}
      for i = 1, #v do parts[i] = show(v[i]) end
      return '{' .. table.concat(parts, ', ') .. '}'
   elseif type(v) == 'table' and not class.typename(v) and getmetatable(v) == nil then
      local parts, keys = {}, {}
      for i = 1, #v do parts[i] = show(v[i]) end
      for k in pairs(v) do if type(k) ~= 'number' then keys[#keys + 1] = k end end
      table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
      for _, k in ipairs(keys) do parts[#parts + 1] = tostring(k) .. ' = ' .. show(v[k]) end
      return '{' .. table.concat(parts, ', ') .. '}'
   end
   return (tostring(v):gsub('%s*\n%s*', ' '))
end

--- How examples write values: numbers with five digits, tensors, storages and tables in braces; several with commas.
function doc.show(...)
   local parts = {}
   for i = 1, select('#', ...) do parts[i] = show((select(i, ...))) end
   return table.concat(parts, ', ')
end

--- Runs an example: statements, the last of them an expression.
-- @return what it gives, written by doc.show; or nil and the error
function doc.run(code)
   local environment = setmetatable({}, { __index = _G })
   local f = loadstring('return ' .. code, '=example')
   if not f then
      local before, last = code:match '^(.*;)%s*(.-)$'
      local why
      f, why = loadstring((before or '') .. ' return ' .. (last or code), '=example')
      if not f then return nil, why end
   end
   setfenv(f, environment)
   local function results(ok, ...)
      if not ok then return nil, tostring((...)) end
      return doc.show(...)
   end
   return results(pcall(f))
end

return doc
