-- lua/torch/cmdline.lua - torch.CmdLine: options of scripts, the help that lists them, and the log of a run.
--
--    cmd = torch.CmdLine()
--    cmd:text 'Train a network'
--    cmd:argument('-file', 'where the data is')
--    cmd:option('-rate', 0.1, 'learning rate')
--    params = cmd:parse(arg)                     -- {file = ..., rate = 0.1}
--
-- The value follows the option and has the type of the default. A boolean option has no value and negates its default.
local class = require 'torch.class'
local arg_check = require 'torch.arg'

local M = {}

local function bare(key) return (key:gsub('^%-*', '')) end

local function need_string(who, what, v)
   if type(v) ~= 'string' then arg_check.refuse(who, what, 'a string', v, 3) end
   return v
end

local function need_table(who, what, v)
   if type(v) ~= 'table' then arg_check.refuse(who, what, 'a table', v, 3) end
   return v
end

-- Booleans get one letter, so that names of folders stay short.
local function shown(v)
   if type(v) == 'boolean' then return v and 't' or 'f' end
   return tostring(v)
end

local function sorted_keys(t)
   local keys = {}
   for k in pairs(t) do keys[#keys + 1] = k end
   table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
   return keys
end

-- A word of the command line converted to the type; nil where that is impossible.
local function convert(word, kind)
   if kind == 'number' then return tonumber(word) end
   if kind == 'boolean' then
      if word == 'true' then return true elseif word == 'false' then return false end
      return nil
   end
   return word
end

local CmdLine = {}

--- Reads the options of a script: declare them, then parse the words.
-- @param separator      between options in the names that string makes, default ','
-- @param key_separator  between an option and its value there, default '='
-- cmd = torch.CmdLine(); cmd:option('-rate', 0.1, 'step'); cmd:parse{'-rate', '0.5'}.rate --> 0.5
function CmdLine:__init(separator, key_separator)
   self.argseparator = separator or ','
   self.keyseparator = key_separator or '='
   self.options, self.arguments, self.helplines = {}, {}, {}
   self.dateformat, self.silentio = nil, false
end

--- Ends the script with the help and a message.
function CmdLine:error(msg)
   print ''
   io.stderr:write(tostring(msg))
   print ''
   self:help()
   os.exit(1)
end

--- Makes log() write to the file only.
function CmdLine:silent() self.silentio = true end

--- Puts the time before every line of the log: 12:30:05[name]: with the format of os.date.
function CmdLine:addTime(name, format)
   if not arg_check.absent(format) then need_string('CmdLine:addTime', 'format', format) end
   local label = arg_check.absent(name) and ': ' or ('[%s]: '):format(tostring(name):gsub('%%', '%%%%'))
   self.dateformat = (format or '%Y-%m-%d %H:%M:%S') .. label
end

--- An argument that must be given, in the order of these calls. The field `arguments` holds {key =,
-- help =, type =} of each.
function CmdLine:argument(key, help, kind)
   need_string('CmdLine:argument', 'key', key)
   local argument = { key = key, help = help, type = kind }
   self.arguments[#self.arguments + 1] = argument
   self.helplines[#self.helplines + 1] = argument
end

--- An option `key value`, with its default and help. A nil default needs the type; another one must
-- be of the type, if that is given. The command line sets numbers, strings and booleans; an option
-- of any other type keeps its default, or a derived class reads it. `options[key]` holds {key =,
-- default =, help =, type =}.
function CmdLine:option(key, default, help, kind)
   need_string('CmdLine:option', 'key', key)
   if kind ~= nil then need_string('CmdLine:option', 'type', kind) end
   if default == nil and kind == nil then
      error(('CmdLine:option: %s has no default, so its type must be given'):format(key), 2)
   end
   kind = kind or type(default)
   if type(default) ~= 'nil' and type(default) ~= kind then
      error(('CmdLine:option: the default of %s must be a %s, its type, got a %s'):format(key, kind,
            type(default)), 2)
   end
   local option = { key = key, default = default, help = help, type = kind }
   self.options[key] = option
   self.helplines[#self.helplines + 1] = option
end

--- A line of text in the help.
function CmdLine:text(text)
   if text ~= nil then need_string('CmdLine:text', 'text', text) end
   self.helplines[#self.helplines + 1] = text or ''
end

--- The defaults of all options.
function CmdLine:default()
   local params = {}
   for key, option in pairs(self.options) do params[bare(key)] = option.default end
   return params
end

--- Reads argument n, which is word i, into params. Returns how many words it used; a derived class
-- may replace it.
function CmdLine:__readArgument__(params, arg, i, n)
   local argument, word = self.arguments[n], arg[i]
   if not argument then
      word = tostring(word)
      self:error((word:match '^%-%-?%a' and 'unknown option ' or 'invalid argument: ') .. word)
   end
   local value = convert(word, argument.type)
   if value == nil then
      self:error(('argument %s must be a %s, got %s'):format(argument.key, argument.type,
                                                            tostring(word)))
   end
   params[bare(argument.key)] = value
   return 1
end

local readable = { number = true, string = true, boolean = true }

--- Reads the option that is word i into params. Returns how many words it used; a derived class may
-- replace it.
function CmdLine:__readOption__(params, arg, i)
   local key = arg[i]
   local option = self.options[key]
   if not option then self:error('unknown option ' .. tostring(key)) end
   if option.type == 'boolean' then
      params[bare(key)] = not option.default
      return 1
   end
   local word = arg[i + 1]
   if word == nil then self:error('missing argument for option ' .. key) end
   if option.type and not readable[option.type] then
      self:error(('option %s is a %s, which the command line cannot set'):format(key,
                                                                                tostring(option.type)))
   end
   local value = convert(word, option.type)
   if value == nil then
      self:error(('option %s must be a %s, got %s'):format(key, option.type, tostring(word)))
   end
   params[bare(key)] = value
   return 2
end

local asks_for_help = { ['-h'] = true, ['-help'] = true, ['--help'] = true }

--- Reads the words of the command line (the global `arg`); -h, -help and --help print the help and end the script.
function CmdLine:parse(arg)
   if type(arg) ~= 'table' then arg_check.refuse('CmdLine:parse', 'arg', 'a table of strings', arg) end
   local params = self:default()
   local i, n = 1, 0
   while i <= #arg do
      local word = arg[i]
      if self.options[word] then
         i = i + self:__readOption__(params, arg, i)
      elseif asks_for_help[word] then
         self:help(arg)
         os.exit(0)
      else
         n = n + 1
         i = i + self:__readArgument__(params, arg, i, n)
      end
   end
   if n < #self.arguments then self:error('not enough arguments: ' .. self.arguments[n + 1].key .. ' is missing') end
   return params
end

--- A name for the values that differ from the defaults: 'run,rate=0.5,size=7'; arguments first. Keys that are neither an
-- option nor an argument do not appear.
-- @param ignore  {key = true}: options that are left out (optional)
function CmdLine:string(prefix, params, ignore)
   prefix = need_string('CmdLine:string', 'prefix', prefix == nil and '' or prefix)
   need_table('CmdLine:string', 'params', params)
   ignore = need_table('CmdLine:string', 'ignore', ignore or {})
   local parts, options = {}, {}
   local function add(list, key)
      if ignore[key] then return end
      list[#list + 1] = key .. self.keyseparator .. shown(params[key])
   end
   for _, argument in ipairs(self.arguments) do
      local key = bare(argument.key)
      if params[key] ~= nil then add(parts, key) end
   end
   for key, option in pairs(self.options) do
      key = bare(key)
      if params[key] ~= nil and params[key] ~= option.default then add(options, key) end
   end
   table.sort(options)
   for _, text in ipairs(options) do parts[#parts + 1] = text end
   local text = table.concat(parts, self.argseparator)
   if prefix == '' then return text end
   return text == '' and prefix or prefix .. self.argseparator .. text
end

local printed_by = setmetatable({}, { __mode = 'k' })       -- print of a log -> the print that it replaced

--- From now on print also writes to a file, which begins with the parameters. A later log replaces this one.
-- @param file  a name, or an open Lua file
function CmdLine:log(file, params)
   params = need_table('CmdLine:log', 'params', params or {})
   local f = file
   if type(file) == 'string' then
      local why
      arg_check.path('CmdLine:log', 'file', file)
      f, why = io.open(file, 'w')
      if not f then error('CmdLine:log: ' .. why, 2) end
   elseif io.type(file) ~= 'file' then
      arg_check.refuse('CmdLine:log', 'file', 'a name or an open file', file)
   end
   local to_screen = printed_by[print] or print
   local function log_print(...)
      local words = { self.dateformat and os.date(self.dateformat) }
      for i = 1, select('#', ...) do words[#words + 1] = tostring((select(i, ...))) end
      words[#words + 1] = '\n'
      f:write(table.concat(words, ' '))
      f:flush()
      if not self.silentio then to_screen(...) end
   end
   printed_by[log_print] = to_screen
   rawset(_G, 'print', log_print)
   log_print('[program started on ' .. os.date() .. ']')
   log_print '[command line arguments]'
   for _, key in ipairs(sorted_keys(params)) do log_print(key, params[key]) end
   log_print '[----------------------]'
end

--- Prints how the script is used. The field `helplines` holds its lines: texts, arguments and
-- options.
function CmdLine:help(arg)
   io.write 'Usage: '
   if type(arg) == 'table' and arg[0] then io.write(tostring(arg[0]), ' ') end
   io.write '[options]'
   for _, argument in ipairs(self.arguments) do io.write(' <', bare(argument.key), '>') end
   io.write '\n'
   local is_argument, width = {}, 0
   for _, argument in ipairs(self.arguments) do is_argument[argument] = true end
   local function title(line) return is_argument[line] and '<' .. bare(line.key) .. '>' or line.key end
   for _, line in ipairs(self.helplines) do
      if type(line) == 'table' then width = math.max(width, #title(line)) end
   end
   for _, line in ipairs(self.helplines) do
      if type(line) == 'table' then
         io.write('  ', title(line), (' '):rep(width - #title(line)), ' ', tostring(line.help or ''))
         if not is_argument[line] then io.write(' [', tostring(line.default), ']') end
      else
         io.write(tostring(line))
      end
      io.write '\n'
   end
end

function M.install(torch)
   local mt = class.class('torch.CmdLine', torch)
   for k, f in pairs(CmdLine) do mt[k] = f end
   arg_check.guard_class(mt, 'a torch.CmdLine')
end

return M
