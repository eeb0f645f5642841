-- torch.glance - what the prompt shows of packages, classes, functions and large tables: at most ten lines.
local show = require 'torch.show'
local class = require 'torch.class'
local packages = require 'torch.packages'

local M = {}

local MOST = 10                             -- lines
local SMALL = 30                            -- a table of so many lines is shown whole
local WIDTH = 96

local function count(t)
   local n = 0
   for _ in next, t do n = n + 1 end
   return n
end

-- Words in lines of WIDTH columns, at most `most` of them; the last ends with '...' where words are left out.
local function wrapped(words, most)
   local lines, line = {}, '  '
   for i, word in ipairs(words) do
      if #line + #word + 1 > WIDTH then
         lines[#lines + 1] = line
         line = '  '
         if #lines == most then
            lines[most] = lines[most] .. ' ...'
            return lines
         end
      end
      line = line .. ' ' .. word .. (i < #words and ',' or '')
   end
   lines[#lines + 1] = line
   return lines
end

local function names_of(t)
   local names = {}
   for k in next, type(t) == 'table' and package.loaded.torch == t and require 'torch.complete'.names_of(t) or t do
      if type(k) == 'string' and k:match '^%a' then names[#names + 1] = k end
   end
   table.sort(names)
   return names
end

local function entry_of(key)
   local ok, entry = pcall(function() return require 'torch.doc'.entry(key) end)
   return ok and entry or nil
end

-- The first sentence of a documented name, in at most two lines.
local function first_sentence(entry)
   local text = table.concat(entry.text, ' ')
   local sentence = text:match '^(.-%.)%s' or text
   if #sentence > 2 * WIDTH then sentence = sentence:sub(1, 2 * WIDTH):match '^(.*)%s' .. ' ...' end
   return sentence
end

-- ---- packages ---------------------------------------------------------------------------------------------------

-- The name under which require has loaded a table; ours come first.
local function package_name(t)
   if t == _G then return nil end
   for _, name in ipairs(packages.names) do
      if rawequal(package.loaded[name], t) then return name, true end
   end
   for name, v in next, package.loaded do
      if rawequal(v, t) then return name, false end
   end
end

local function of_package(t, name, ours)
   local names = names_of(t)
   if not ours and #names <= MOST - 2 then return nil end
   local lines = { ('%s: a package of %d names'):format(name, #names) }
   for _, line in ipairs(wrapped(names, 3)) do lines[#lines + 1] = line end
   local some = names[math.min(2, #names)] or 'NAME'
   lines[#lines + 1] = ours and ('? %s lists all, ? %s.%s explains one, print(%s) shows the table'):format(name, name, some, name)
      or ('print(%s) shows all'):format(name)
   return table.concat(lines, '\n')
end

-- ---- classes ----------------------------------------------------------------------------------------------------

local function of_class(name)
   local mt = class.find(name)
   if not mt then return nil end
   local parent = class.name(class.metatable_of(mt))
   local entry = entry_of(name)
   local usage = entry and entry.usage[1] or name
   local lines = { usage, ('   a class%s'):format(parent and ', derived from ' .. parent or '') }
   if entry and #entry.text > 0 then lines[#lines + 1] = '   ' .. first_sentence(entry) end
   local methods = {}
   for _, k in ipairs(names_of(mt)) do
      if type(rawget(mt, k)) == 'function' and k ~= 'new' then methods[#methods + 1] = k end
   end
   if #methods > 0 then
      lines[#lines + 1] = ('   %d methods:'):format(#methods)
      for _, line in ipairs(wrapped(methods, 2)) do lines[#lines + 1] = '  ' .. line end
   end
   if entry then lines[#lines + 1] = ('   ? %s tells more'):format(name) end
   return table.concat(lines, '\n')
end

-- ---- functions --------------------------------------------------------------------------------------------------

-- 'torch.ones' for a function of a package that is loaded, 'Tensor:sum' for a method.
local function key_of(f)
   for _, name in ipairs(require 'torch.doc'.packages) do
      local t = package.loaded[name]
      if type(t) == 'table' then
         for k, v in next, t do if rawequal(v, f) and type(k) == 'string' then return name .. '.' .. k end end
      end
   end
   local tensor = package.loaded['torch.tensor']
   for k, v in next, tensor and tensor.base or {} do if rawequal(v, f) then return 'Tensor:' .. k end end
end

local function parameters(f)
   local info, names = debug.getinfo(f, 'u'), {}
   for i = 1, info.nparams or 0 do names[i] = debug.getlocal(f, i) or '?' end
   if info.isvararg then names[#names + 1] = '...' end
   return table.concat(names, ', ')
end

local function of_function(f)
   local key = key_of(f)
   local entry = key and entry_of(key)
   if entry and entry.usage[1] then
      return ('%s\n   %s\n   ? %s tells more'):format(entry.usage[1], first_sentence(entry), key)
   end
   if type(f) ~= 'function' then return nil end
   local info = debug.getinfo(f, 'S')
   if info.what == 'C' or packages.holds(info.source:match '^@(.*)$') then return nil end
   return ('function(%s), defined at %s:%d'):format(parameters(f), info.short_src, info.linedefined)
end

-- ---- tables -----------------------------------------------------------------------------------------------------

local function lines_in(text, most)
   local n = 1
   for _ in text:gmatch '\n' do
      n = n + 1
      if n > most then break end
   end
   return n
end

-- One line about a value in a large table.
local function one_line(v)
   if type(v) == 'table' and not class.typename(v) then
      local mt = getmetatable(v)
      if not (type(mt) == 'table' and rawget(mt, '__tostring')) then
         local n = count(v)
         return n == 0 and '{}' or ('{...}, %d %s'):format(n, n == 1 and 'entry' or 'entries')
      end
   end
   local text = show.text({ v }, show.bounded):match '^{\n  1 : ([^\n]*)'
   return text and (#text > WIDTH and text:sub(1, WIDTH) .. ' ...' or text) or tostring(v)
end

local function of_table(t)
   local text = show.text(t, show.bounded)
   if lines_in(text, SMALL) <= SMALL then return text end
   local keys = show.sorted_keys(t)
   local lines = { '{' }
   for i = 1, math.min(#keys, MOST - 4) do
      lines[#lines + 1] = ('  %s : %s'):format(show.key_text(keys[i]), one_line(t[keys[i]]))
   end
   if #keys > MOST - 4 then lines[#lines + 1] = ('  ... %d more'):format(#keys - (MOST - 4)) end
   lines[#lines + 1] = '}'
   lines[#lines + 1] = ('a table of %d %s; print(_) shows all'):format(#keys, #keys == 1 and 'entry' or 'entries')
   return table.concat(lines, '\n')
end

--- What the prompt shows of a value.
function M.text(v)
   local text
   if type(v) == 'function' then
      text = of_function(v)
   elseif type(v) == 'table' then
      local name = class.name(v)
      if name then
         text = of_class(name)
      elseif not show.has_tostring(v) then
         local mt = getmetatable(v)
         local callable = type(mt) == 'table' and rawget(mt, '__call')
         local package_key, ours = package_name(v)
         if callable and not package_key then text = of_function(v) end
         text = text or package_key and of_package(v, package_key, ours) or of_table(v)
      end
   end
   return text or show.text(v, show.bounded)
end

return M
