-- lua/xlua/init.lua - xlua: progress bars, named arguments, option parsing, profiling, and small helpers.
local sys = require 'sys'
local class = require 'torch.class'
local path = require 'torch.arg'.path
local isatty = require 'torch.package'.isatty


local xlua = {}

local function refuse(who, what, v, level)
   error(('xlua.%s: %s, got %s'):format(who, what, type(v)), (level or 2) + 1)
end

-- Whether output goes to a terminal.
local real_stdout = io.stdout
local function on_terminal()
   return io.stdout == real_stdout and isatty(io.stdout)
end

-- Colors, if output goes to a terminal.
local function paint(color, text)
   if not on_terminal() then return text end
   return sys.COLORS[color] .. text .. sys.COLORS.none
end

---------------------------------------------------------------------------------------------------------
-- text

--- A time in its two largest units: '1m30s', '250ms', '3h'.
-- xlua.formatTime(90) --> 1m30s
function xlua.formatTime(seconds)
   if type(seconds) ~= 'number' then refuse('formatTime', 'seconds must be a number', seconds) end
   if seconds ~= seconds or seconds == math.huge then return '?' end
   local ms = math.floor(seconds * 1000 + 1e-6)
   local parts = { math.floor(ms / 86400000), math.floor(ms / 3600000) % 24, math.floor(ms / 60000) % 60,
                   math.floor(ms / 1000) % 60, ms % 1000 }
   local units = { 'D', 'h', 'm', 's', 'ms' }
   for i = 1, 5 do
      if parts[i] > 0 then
         local text = parts[i] .. units[i]
         if i < 5 and parts[i + 1] > 0 then text = text .. parts[i + 1] .. units[i + 1] end
         return text
      end
   end
   return '0ms'
end

local function quoted(v) return type(v) == 'string' and ('"%s"'):format(v) or tostring(v) end

local function sorted_keys(t)
   local keys = {}
   for k in pairs(t) do keys[#keys + 1] = k end
   table.sort(keys, function(a, b)
      if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') then return a < b end
      return type(a) < type(b)
   end)
   return keys
end

--- A table on one line: '{1,"a",k=2}'.
-- @param newline  true: every element on a separate line
function xlua.table2string(tbl, newline)
   if type(tbl) ~= 'table' then refuse('table2string', 'argument must be a table', tbl) end
   local open = {}
   local function text(t, depth)
      if open[t] then return '{...}' end
      open[t] = true
      local parts = {}
      for _, k in ipairs(sorted_keys(t)) do
         local v = t[k]
         local value = type(v) == 'table' and getmetatable(v) == nil and text(v, depth + 1) or quoted(v)
         if type(k) == 'number' then parts[#parts + 1] = value
         elseif type(k) == 'string' and k:match '^[%a_][%w_]*$' then parts[#parts + 1] = k .. '=' .. value
         else parts[#parts + 1] = ('[%s]=%s'):format(quoted(k), value) end
      end
      open[t] = nil
      if not newline then return '{' .. table.concat(parts, ',') .. '}' end
      local pad = '\n' .. ('   '):rep(depth)
      return '{' .. pad .. table.concat(parts, ',' .. pad) .. '}'
   end
   return text(tbl, 1)
end

--- Prints values; tables with their keys and values.
function xlua.print(obj, ...)
   local function show(v, indent)
      if type(v) ~= 'table' or getmetatable(v) ~= nil then return tostring(v) end
      local parts = {}
      for _, k in ipairs(sorted_keys(v)) do
         local key = type(k) == 'string' and k or ('[%s]'):format(tostring(k))
         parts[#parts + 1] = ('%s = %s'):format(key, show(v[k], indent .. (' '):rep(#key + 4)))
      end
      return '{' .. table.concat(parts, ',\n' .. indent .. ' ') .. '}'
   end
   local texts = { show(obj, '') }
   for i = 1, select('#', ...) do texts[i + 1] = show((select(i, ...)), '') end
   print(table.concat(texts, '\t'))
end

---------------------------------------------------------------------------------------------------------
-- variables and packages

--- Removes a global variable and its memory. @param var  its name
function xlua.clear(var)
   if type(var) ~= 'string' then refuse('clear', 'the variable must be given by its name', var) end
   rawset(_G, var, nil)
   collectgarbage()
end

local builtin = {}
for k in pairs(_G) do builtin[k] = true end

-- Globals that are neither packages nor older than this package.
local function user_globals()
   local names, packages = {}, {}
   for k, v in pairs(_G) do
      if type(k) == 'string' and not builtin[k] then
         if package.loaded[k] == v then packages[#packages + 1] = k
         elseif type(v) ~= 'function' then names[#names + 1] = k end
      end
   end
   table.sort(names)
   table.sort(packages)
   return names, packages
end

--- Removes all global variables that scripts have made.
function xlua.clearall()
   for _, name in ipairs(user_globals()) do rawset(_G, name, nil) end
   collectgarbage()
end

--- Prints the global variables and the packages that are loaded.
function xlua.who()
   local names, packages = user_globals()
   print('Global Libs:')
   print('{' .. table.concat(packages, ', ') .. '}')
   print ''
   print('Global Vars:')
   for _, name in ipairs(names) do print(('   %s: %s'):format(name, type(rawget(_G, name)))) end
end

--- Also writes later output of print to a file. @param append  true: after the contents of the file
function xlua.log(file, append)
   if type(file) ~= 'string' then refuse('log', 'file must be a name', file) end
   path('xlua.log', 'file', file)
   local f, why = io.open(file, append and 'a' or 'w')
   if not f then error('xlua.log: ' .. why, 2) end
   local old = print
   rawset(_G, 'print', function(...)
      old(...)
      local words = {}
      for i = 1, select('#', ...) do words[i] = tostring((select(i, ...))) end
      f:write(table.concat(words, '\t'), '\n')
      f:flush()
   end)
end

--- Whether a package can be required: true and its path, or false.
function xlua.installed(name)
   if type(name) ~= 'string' then refuse('installed', 'the package must be a name', name) end
   path('xlua.installed', 'the package', name)
   if package.loaded[name] then return true end
   local path = package.searchpath(name, package.path) or package.searchpath(name, package.cpath)
   return path ~= nil, path
end

--- require that prints why a package cannot be loaded, instead of raising an error. Nothing is
-- installed.
-- @return the result of require; false and the reason if it fails
function xlua.require(name)
   if type(name) ~= 'string' then refuse('require', 'the package must be a name', name) end
   local ok, r = pcall(require, name)
   if ok then return r end
   print(r)
   print(('warning: <%s> could not be loaded (is it installed?)'):format(name))
   return false, r
end

--- Parameters from the environment: for every key of `default`, $key when it is set, of the default's type.
function xlua.envparams(default)
   if type(default) ~= 'table' then refuse('envparams', 'defaults must be a table', default) end
   local params = {}
   for k, v in pairs(default) do
      local set = os.getenv(tostring(k))
      if set == nil then params[k] = v
      elseif type(v) == 'number' then
         params[k] = tonumber(set) or error(('xlua.envparams: $%s must be a number, got "%s"'):format(k, set), 2)
      elseif type(v) == 'boolean' then params[k] = set == 'true' or set == '1'
      else params[k] = set end
   end
   return params
end

--- Raises '<domain> message', followed by the usage.
function xlua.error(message, domain, usage)
   local text = domain and ('<%s> %s'):format(domain, tostring(message)) or tostring(message)
   if usage then text = text .. '\n' .. usage end
   error(paint('Red', text), 2)
end

--- Calls try(); when it raises an error, catch(error).
function xlua.trycatch(try, catch)
   if type(catch) ~= 'function' then refuse('trycatch', 'catch must be a function', catch) end
   local ok, err = pcall(try)
   if not ok then catch(err) end
end

---------------------------------------------------------------------------------------------------------
-- progress bars

local LEAST_BAR = 5                           -- columns
local bar                                    -- the bar that was drawn last

local function columns()
   local n = tonumber(os.getenv 'COLUMNS')
   return n and n >= 40 and math.min(n, 200) or 80
end

--- Draws a bar: step `current` of `goal` is done. Call it for every step; it draws at most ten
-- times a second.
-- @param text  shown behind the count, such as 'loss 0.12'; left out where the line is too short
function xlua.progress(current, goal, text)
   if type(current) ~= 'number' then refuse('progress', 'current must be a number', current) end
   if type(goal) ~= 'number' then refuse('progress', 'goal must be a number', goal) end
   -- A NULL pointer equals nil, but is no text.
   if type(text) ~= 'nil' and type(text) ~= 'string' then
      refuse('progress', 'text must be a string', text)
   end
   local now = sys.clock()
   if not bar or bar.goal ~= goal or current <= bar.current or bar.done then
      bar = { goal = goal, start = now, first = current, drawn = 0, lines = 0 }
   end
   bar.current, bar.done = current, current >= goal
   local terminal = on_terminal()
   -- Without a terminal the bar cannot be overwritten, so it prints few lines.
   local share = goal > 0 and math.max(0, math.min(1, current / goal)) or 1
   if not bar.done then
      if terminal and now - bar.drawn < 0.1 then return end
      if not terminal and bar.lines > math.floor(share * 4) then return end
   end
   bar.drawn, bar.lines = now, math.floor(share * 4) + 1
   local gone = now - bar.start
   local steps = current - bar.first + 1
   local step = gone / math.max(1, current - bar.first)
   local times = bar.done and (' Tot: %s | Step: %s'):format(xlua.formatTime(gone), xlua.formatTime(gone / steps))
      or (' ETA: %s | Step: %s'):format(xlua.formatTime(step * (goal - current)), xlua.formatTime(step))
   local count = (' %d/%d '):format(current, goal)
   local width = columns() - #times - #count - 6
   if text and #text > 0 and width - #text - 2 >= LEAST_BAR then
      count, width = count .. ' ' .. text .. ' ', width - #text - 2
   end
   local filled = math.floor(width * share)
   local body = ('='):rep(filled)
   if not bar.done and filled < width then body = body .. '>' .. ('.'):rep(width - filled - 1) end
   local line = (' [%s]%s%s'):format(paint('green', body), count, times)
   if terminal then io.write('\r\27[K', line, bar.done and '\n' or '') else io.write(line, '\n') end
   io.stdout:flush()
end

---------------------------------------------------------------------------------------------------------
-- named arguments

--- The help text of a function.
-- @param ...  its arguments: {arg = 'size', type = 'number', help = 'how many', default = 1 or req = true}
function xlua.usage(funcname, description, example, ...)
   funcname = tostring(funcname)
   local lines = { '', paint('Cyan', funcname), tostring(description) }
   local list = { ... }
   if #list > 0 then
      lines[#lines + 1] = ''
      lines[#lines + 1] = paint('Blue', funcname .. '{')
      for _, a in ipairs(list) do
         if type(a) == 'table' and a.arg ~= nil then
            local kind = ('%s%s = %s'):format(a.req and '' or '[', a.arg, tostring(a.type)) .. (a.req and '' or ']')
            local default = a.default ~= nil and (' [default = %s]'):format(tostring(a.default)) or ''
            lines[#lines + 1] = ('    %-30s -- %s%s'):format(kind, tostring(a.help or ''), default)
         end
      end
      lines[#lines + 1] = paint('Blue', '}')
   end
   if example then
      lines[#lines + 1] = ''
      lines[#lines + 1] = paint('Magenta', tostring(example))
   end
   return table.concat(lines, '\n') .. '\n'
end

--- The text that lists the functions of a package.
function xlua.usage_module(module, name, description)
   if type(module) ~= 'table' then refuse('usage_module', 'module must be a table', module) end
   local lines = { '', paint('Cyan', tostring(name)), tostring(description or ''), '' }
   for _, k in ipairs(sorted_keys(module)) do
      if type(module[k]) == 'function' then lines[#lines + 1] = ('    %s.%s()'):format(name, tostring(k)) end
   end
   return table.concat(lines, '\n') .. '\n'
end

-- Whether the only argument is a table of named ones.
local function is_named(args)
   local t = args[1]
   return #args == 1 and type(t) == 'table' and #t == 0 and class.typename(t) == nil
end

--- Splits the arguments of a function, given in order or by name (f{size = 3}). Types are for
-- the text of the usage: they are not checked, and unknown arguments are
-- left out.
-- @param args  {...} of the function
-- @param ...   its arguments: {arg =, type =, help =, default =, req =}
-- @return a table of the arguments by name and by number, with the text `usage`; then their values in order
function xlua.unpack(args, funcname, description, ...)
   if type(args) ~= 'table' then refuse('unpack', 'arguments must be a table', args) end
   local wanted = {}
   for i = 1, select('#', ...) do
      local a = select(i, ...)
      if type(a) == 'table' and a.arg ~= nil then wanted[#wanted + 1] = a end      -- others are lines of the usage
   end
   local function usage() return xlua.usage(funcname, description, nil, unpack(wanted)) end
   local named = is_named(args) and args[1]
   local values = setmetatable({}, { __index = function(_, k) return k == 'usage' and usage() or nil end })
   for i, a in ipairs(wanted) do
      local v
      if named then v = named[a.arg] else v = args[i] end
      if v == nil then
         v = a.default
         if v == nil and a.defaulta then v = values[a.defaulta] end
         if v == nil and a.defaultf then v = a.defaultf() end
         if v == nil and a.req then
            xlua.error(('the argument %s is required'):format(a.arg), tostring(funcname), usage())
         end
      end
      values[a.arg], values[i] = v, v
   end
   return values, unpack(values, 1, #wanted)
end

--- As xlua.unpack, and stores the arguments as fields of an object.
function xlua.unpack_class(object, args, funcname, description, ...)
   if type(object) ~= 'table' then refuse('unpack_class', 'object must be a table', object) end
   if type(args) ~= 'table' then refuse('unpack_class', 'arguments must be a table', args) end
   for k, v in pairs((xlua.unpack(args, funcname, description, ...))) do
      if type(k) ~= 'number' then object[k] = v end
   end
end

---------------------------------------------------------------------------------------------------------
-- globals that scripts know

string.split = string.split or sys.split                      -- luacheck: ignore

--- The value of a global path: ('torch.Tensor'):tosymbol() is torch.Tensor, or nil.
function string.tosymbol(path)                                -- luacheck: ignore
   local at = _G
   for part in path:gmatch '[^.]+' do
      if type(at) ~= 'table' then return nil end
      at = at[part]
   end
   return at
end

--- A table without `length` elements from `start` on. @return what is left; the table itself is not changed
function table.splice(t, start, length)                       -- luacheck: ignore
   length = length or 1
   local rest = {}
   for i = 1, #t do
      if i < start or i >= start + length then rest[#rest + 1] = t[i] end
   end
   return rest
end

--- A list with one element for each value of hash(element): the last one.
function table.prune(t, hash)                                 -- luacheck: ignore
   local place, out = {}, {}
   for _, v in ipairs(t) do
      local h = hash(v)
      if place[h] == nil then
         out[#out + 1] = v
         place[h] = #out
      else
         out[place[h]] = v
      end
   end
   return out
end

--- xlua.OptionParser(usage): Options of a script in the manner of Unix: option{...} declares them, parse() reads the words.

--- xlua.Profiler(): Named stopwatches: start, lap, pause, printAll.
xlua.OptionParser = require 'xlua.OptionParser'
xlua.Profiler = require 'xlua.Profiler'

rawset(_G, 'xlua', xlua)
rawset(_G, 'xprint', xlua.print)
rawset(_G, 'xerror', xlua.error)
rawset(_G, 'xrequire', xlua.require)
return xlua
