-- torch.help - what an op, a function or a module does: from the registry, and from the `---` comments of Lua files.
local M = {}

-- ---- ops --------------------------------------------------------------------------------------------------------

local function op_text(name)
   local ffi, op = require 'ffi', require 'torch.op'
   local forms = op.forms(name)
   if not forms then return nil end
   local C = require 'torch.lib'.C
   local lines = {}
   for usage in op.usage(name, false):gmatch '(.-%))[ or]*' do lines[#lines + 1] = usage end
   local as_method = op.usage(name, true):match '^(.-%))'
   if as_method then lines[#lines + 1] = as_method end
   local seen = {}
   for _, form in ipairs(forms) do
      local doc = form.op.doc ~= nil and ffi.string(form.op.doc) or ''
      if doc ~= '' and not seen[doc] then
         seen[doc] = true
         lines[#lines + 1] = '   ' .. doc
      end
   end
   for _, form in ipairs(forms) do
      local defaults = {}
      for _, a in ipairs(form.args) do
         if a.default and a.default ~= 'nil' then defaults[#defaults + 1] = a.name .. ' = ' .. a.default end
      end
      if #defaults > 0 then
         local text = '   Defaults: ' .. table.concat(defaults, ', ')
         if not seen[text] then lines[#lines + 1] = text end
         seen[text] = true
      end
   end
   local types, first = {}, forms[1].op
   for dtype = 1, tonumber(C.TH_NDTYPE) - 1 do
      if C.th_op_supports(first, C.TH_CPU, dtype) ~= 0 then types[#types + 1] = ffi.string(C.th_dtype_name(dtype)) end
   end
   if #types > 0 then lines[#lines + 1] = '   Types: ' .. table.concat(types, ' ') end
   return table.concat(lines, '\n')
end

-- ---- Lua files --------------------------------------------------------------------------------------------------

-- name -> { usage, comment, file }, read from our own folders when help is first asked for.
local entries, aliases

local function lines_of(file)
   local f = io.open(file)
   if not f then return {} end
   local lines = {}
   for line in f:lines() do lines[#lines + 1] = line end
   f:close()
   return lines
end

-- 'local Linear, parent = torch.class("nn.Linear", ...)' gives 'Linear', 'nn.Linear'.
local function class_of(line)
   local names, full = line:match '^%s*local%s+([%w_, ]+)=%s*torch%.class%s*%(?%s*[\'"]([%w_%.]+)[\'"]'
   if names then return names:match '[%w_]+', full end
   local one, name = line:match '^%s*([%w_]+)%s*=%s*torch%.class%s*%(?%s*[\'"]([%w_%.]+)[\'"]'
   return one, name
end

local function read_file(file, package_name)
   local lines, comment, classes = lines_of(file), nil, {}
   local head = (lines[1] or ''):match '^%-%-+%s*(.*)'
   local main
   for _, line in ipairs(lines) do
      local doc, more = line:match '^%s*%-%-%-%s?(.*)', line:match '^%s*%-%-%s?(.*)'
      local name, args = line:match '^%s*function%s+([%w_%.:]+)%s*(%b())'
      local variable, full = class_of(line)
      if doc then
         comment = { doc }
      elseif more and comment then
         comment[#comment + 1] = more
      elseif variable and full:match '%w$' then     -- not one put together as it runs
         classes[variable] = full
         main = main or full
         entries[full] = entries[full] or { usage = full, file = file, comment = comment or { head } }
      elseif name then
         local owner, sep, method = name:match '^([%w_]+)([%.:])([%w_]+)$'
         local class = owner and classes[owner]
         if class and method == '__init' then
            local e = entries[class]
            e.usage = class .. args
            if comment then
               e.comment = e.comment[1] == head and { head, unpack(comment) } or comment
            end
         elseif comment and owner then
            local place = class or owner == 'Tensor' and owner
            if not place and (owner == 'M' or owner == package_name) then
               local package_table = package.loaded[package_name]
               if type(package_table) ~= 'table' or package_table[method] then place = package_name end
            end
            if place then
               local key = place .. sep .. method
               entries[key] = { usage = key .. args, file = file, comment = comment }
            end
         end
         comment = nil
      elseif not more then
         comment = nil
      end
   end
end

-- The folder of the file that `require name` would load.
local function folder_of(name)
   local file = package.searchpath(name, package.path)
   return file and file:match '^(.*)/[^/]*$'
end

local function read_all()
   if entries then return end
   entries, aliases = {}, {}
   local files = require 'torch.complete'.files
   local function folder(dir, package_name)
      for _, file in ipairs(files(dir .. '/')) do
         if file:match '/$' then folder(file:sub(1, -2), package_name)
         elseif file:match '%.lua$' then read_file(file, package_name) end
      end
   end
   for _, name in ipairs { 'torch', 'nn', 'optim', 'graph', 'nngraph', 'paths', 'sys', 'xlua' } do
      local dir = folder_of(name)
      -- A package of one file stands beside the others: read that file only.
      local file = dir and package.searchpath(name, package.path)
      if file and file:match '/init%.lua$' then folder(dir, name) elseif file then read_file(file, name) end
   end
   for key in pairs(entries) do
      local short = key:match '[%w_]+$'
      aliases[short] = aliases[short] or {}
      table.insert(aliases[short], key)
   end
end

local function entry_text(e)
   local lines = { e.usage }
   for _, line in ipairs(e.comment or {}) do lines[#lines + 1] = '   ' .. line end
   return table.concat(lines, '\n')
end

-- ---- the answer ---------------------------------------------------------------------------------------------------

local overview = [[
?  NAME              help for an op (? cumsum), a function (? torch.save), a module (? nn.Linear)
? nn, ? torch, ...   what a package holds
EXPRESSION           is evaluated and shown; ; at its end keeps it quiet
Tab completes names, methods and, inside quotes, files. Ctrl-C stops what runs. Ctrl-D leaves.]]

local function listing(title, names)
   table.sort(names)
   local lines, line = { title }, '  '
   for _, name in ipairs(names) do
      if #line + #name + 1 > 98 then
         lines[#lines + 1] = line
         line = '  '
      end
      line = line .. ' ' .. name
   end
   lines[#lines + 1] = line
   return table.concat(lines, '\n')
end

local function package_text(name)
   local p = package.loaded[name]
   if type(p) ~= 'table' then return nil end
   local names, seen = {}, {}
   local function add(k)
      if type(k) == 'string' and not seen[k] and not k:match '^_' then
         seen[k] = true
         names[#names + 1] = k
      end
   end
   for k in pairs(p) do add(k) end
   if name == 'torch' then for _, k in ipairs(require 'torch.op'.names()) do add(k) end end
   return listing(('%s: %d names; ? %s.NAME tells more'):format(name, #names, name), names)
end

--- The help for a name: an op ('cumsum', 'torch.cumsum'), a function, a class ('nn.Linear') or a package ('nn').
-- '' gives an overview. What is unknown gives the names that contain it, or an error.
function M.text(name)
   if type(name) ~= 'string' then error('torch.help: name must be a string, got ' .. type(name), 2) end
   name = name:match '^%s*(.-)%s*$':gsub('%(.*$', '')
   if name == '' then return overview end
   local short = name:match '[%w_]+$' or name
   local scope = name:sub(1, -#short - 2)
   local found = {}
   if scope == '' or scope == 'torch' or scope:match 'Tensor$' then found[1] = op_text(short) end
   read_all()
   if entries[name] then
      found[#found + 1] = entry_text(entries[name])
   elseif scope == '' or scope:match 'Tensor$' then
      local keys = aliases[short] or {}
      table.sort(keys)
      for _, key in ipairs(keys) do
         if scope == '' or key:match '^Tensor[%.:]' then found[#found + 1] = entry_text(entries[key]) end
      end
   end
   if #found == 0 then                                   -- classes that are made in a loop carry their text
      local class = require 'torch.class'.getmetatable(name)
      if class and type(rawget(class, 'doc')) == 'string' then found[1] = name .. '\n   ' .. class.doc end
   end
   if #found == 0 then found[1] = package_text(name) end
   if #found > 0 then return table.concat(found, '\n') end
   local near, lower = {}, short:lower()
   for key in pairs(entries) do if key:lower():find(lower, 1, true) then near[#near + 1] = key end end
   for _, key in ipairs(require 'torch.op'.names()) do
      if key:lower():find(lower, 1, true) then near[#near + 1] = 'torch.' .. key end
   end
   if #near == 0 then error(('torch.help: nothing is known about %q'):format(name), 2) end
   return listing(('%s: no such name, but there are'):format(name), near)
end

return M
