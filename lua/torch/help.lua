-- torch.help - answers `? NAME` at the prompt and torch.help(...): finds the name that is meant, and prints its doc entry.
local doc = require 'torch.doc'
local class = require 'torch.class'
local op = require 'torch.op'
local near = require 'torch.near'

local M = {}

local overview = [[
?  NAME              help for an op (? cumsum), a function (? torch.save), a module (? nn.Linear), a method (? Tensor:view)
? nn, ? torch, ...   what a package holds
$ COMMAND            runs a command of the shell
%time CODE           runs CODE, and shows how long it took
%timeit CODE         runs CODE many times, and shows the mean of a run
EXPRESSION           is evaluated and shown; ; at its end keeps it quiet; _ is the last value that was shown
Tab completes names, methods and, inside quotes, files. Ctrl-C stops what runs. Ctrl-D, exit or quit leaves.]]

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

-- ---- one entry ------------------------------------------------------------------------------------------------

local function add(lines, text) lines[#lines + 1] = '   ' .. text end

-- The methods that a class adds to those of its parent.
local function methods_of(entry)
   local names = {}
   for k, v in pairs(entry.class or {}) do
      if type(v) == 'function' and type(k) == 'string' and k:match '^%a' and k ~= 'new' then names[#names + 1] = k end
   end
   table.sort(names)
   return names
end

local function write(entry)
   local lines = {}
   for _, usage in ipairs(entry.usage) do lines[#lines + 1] = usage end
   for _, line in ipairs(entry.text) do add(lines, line) end
   for _, p in ipairs(entry.params) do add(lines, ('%s: %s'):format(p.name, p.text)) end
   for _, r in ipairs(entry.returns) do add(lines, 'Returns ' .. r.text) end
   if entry.op then
      if entry.defaults ~= '' then add(lines, 'Defaults: ' .. entry.defaults) end
      if entry.types ~= '' then add(lines, 'Types: ' .. entry.types) end
      if entry.gradients ~= '' then add(lines, 'Gradients: ' .. entry.gradients) end
   end
   for _, e in ipairs(entry.examples) do add(lines, ('%s   --> %s'):format(e.code, e.result)) end
   local methods = methods_of(entry)
   if #methods > 0 then add(lines, 'Methods: ' .. table.concat(methods, ' ')) end
   return table.concat(lines, '\n')
end

-- All public names, and those of classes that need a further require.
local function all_names()
   local names, seen = {}, {}
   for _, list in ipairs { doc.names(), class.free_until() } do
      for _, key in ipairs(list) do
         if not seen[key] then names[#names + 1] = key end
         seen[key] = true
      end
   end
   return names
end

local function package_text(name)
   if not doc.is_package(name) then return nil end
   local names, own = {}, #name + 2
   for _, key in ipairs(doc.names()) do
      if key:sub(1, own - 1) == name .. '.' and not key:find(':', 1, true) then names[#names + 1] = key:sub(own) end
   end
   local text = listing(('%s: %d names; ? %s.NAME tells more'):format(name, #names, name), names)
   for _, key in ipairs(class.free_until()) do
      if key:sub(1, own - 1) == name .. '.' and not class.getmetatable(key) then
         text = ("%s\n%s: after require '%s'"):format(text, key, class.asked_by(key))
      end
   end
   return text
end

-- ---- which name is meant --------------------------------------------------------------------------------------

local function similar(name)
   local short, found, seen = (name:match '[%w_]+$' or name):lower(), {}, {}
   local function try(fits)
      for _, key in ipairs(all_names()) do
         if #found < 60 and not seen[key] and fits(key:match '[%w_]+$':lower(), key) then
            seen[key] = true
            found[#found + 1] = key
         end
      end
   end
   try(function(last) return last:find(short, 1, true) ~= nil end)
   if #found == 0 and #short > 2 then
      try(function(last) return near.distance(short, last) <= near.tolerance(short) end)
   end
   if #found == 0 and #short > 2 then                         -- search the texts
      try(function(_, key)
         local entry = doc.entry(key)
         return entry and table.concat(entry.text, ' '):lower():find('%f[%w]' .. short) ~= nil
      end)
   end
   return found
end

-- The keys that a name may stand for: 'cumsum' for torch.cumsum, 'Linear' for nn.Linear.
local function keys_of(name)
   if doc.entry(name) then return { name } end
   local scope, short = name:match '^(.-)[%.:]?([%w_]+)$'
   if not short then return {} end
   if scope:match '^torch%.%w*Tensor$' or scope == 'Tensor' then return { 'Tensor:' .. short } end
   if scope:match '^torch%.%w*Storage$' then return { 'Storage:' .. short } end
   if scope ~= '' then return {} end
   if op.forms(short) then return { 'torch.' .. short } end
   local keys = {}
   for _, key in ipairs(all_names()) do
      if key:match '[%w_]+$' == short then keys[#keys + 1] = key end
   end
   if #keys > 3 then                                          -- a method of many modules: the text of the base class is enough
      local short_list = {}
      for _, key in ipairs(keys) do
         if not key:match '^nn%..*:' or key:match '^nn%.Module:' or key:match '^nn%.Criterion:' then
            short_list[#short_list + 1] = key
         end
      end
      if #short_list > 0 then keys = short_list end
   end
   return keys
end

-- The key of a value that was passed instead of a name.
local function key_of(value)
   local name = class.name(value) or class.typename(value)
   if name then return name end
   if type(value) == 'table' or type(value) == 'function' then
      for _, package_name in ipairs(doc.packages) do if package.loaded[package_name] == value then return package_name end end
      for _, key in ipairs(doc.names()) do if rawequal(doc.value(key), value) then return key end end
   end
end

--- The help for a name, a function, a class, a package or an object; '' gives an overview. For an unknown name: the names that
-- contain or resemble it, or whose text mentions it, or else an error.
function M.text(topic)
   local name = topic
   if type(topic) ~= 'string' then
      name = key_of(topic)
      if not name then
         error(('torch.help: expected a name or a public function, class or object, got %s'):format(
            require 'torch.arg'.describe(topic)), 3)
      end
   end
   name = name:match '^%s*(.-)%s*$':gsub('%(.*$', '')
   if name == '' then return overview end
   local texts = { package_text(name) }
   for _, key in ipairs(#texts == 0 and keys_of(name) or {}) do
      local entry = doc.entry(key)
      if entry then texts[#texts + 1] = write(entry) end
   end
   if #texts > 0 then return table.concat(texts, '\n') end
   local others = similar(name)
   if #others == 0 then error(('torch.help: nothing is known about %q'):format(name), 3) end
   return listing(('%s: no such name, but there are'):format(name), others)
end

return M
