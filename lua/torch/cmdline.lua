-- lua/torch/cmdline.lua - torch.CmdLine: options of scripts, the help that lists them, and the log of a run.
--
--    cmd = torch.CmdLine()
--    cmd:text 'Train a network'
--    cmd:argument('-file', 'where the data is')
--    cmd:option('-rate', 0.1, 'learning rate')
--    params = cmd:parse(arg)                     -- {file = ..., rate = 0.1}
--
-- An option is followed by its value, of the type of the default. A boolean one stands alone and negates its default.
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

-- One letter for booleans, so that names of folders stay short.
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

local function convert(text, kind)
   if kind == 'number' then return tonumber(text) end
   if kind == 'boolean' then
      if text == 'true' then return true elseif text == 'false' then return false end
      return nil
   end
   return text
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

--- Puts the time before every line of the log: name[12:30:05]. Needs to be called before log().
function CmdLine:addTime(name, format)
   if format ~= nil then need_string('CmdLine:addTime', 'format', format) end
   self.dateformat = { name = name or '', format = format or '%Y-%m-%d %H:%M:%S' }
end

--- An argument that must be given, in the order of these calls.
function CmdLine:argument(key, help, kind)
   need_string('CmdLine:argument', 'key', key)
   self.arguments[#self.arguments + 1] = { key = key, help = help or '', kind = kind or 'string' }
   self.helplines[#self.helplines + 1] = self.arguments[#self.arguments]
end

--- An option `key value`, with its default and help. A nil default needs the type ('number', 'string', 'boolean'); another
--- one must be of the type, if that is given.
function CmdLine:option(key, default, help, kind)
   need_string('CmdLine:option', 'key', key)
   if default == nil and kind == nil then
      error(('CmdLine:option: %s has no default, so its type must be given'):format(key), 2)
   end
   local option = { key = key, default = default, help = help or '', kind = kind or type(default), option = true }
   if option.kind ~= 'number' and option.kind ~= 'string' and option.kind ~= 'boolean' then
      error(("CmdLine:option: the type of %s must be 'number', 'string' or 'boolean', got '%s'"):format(key,
            tostring(option.kind)), 2)
   end
   if default ~= nil and type(default) ~= option.kind then
      error(('CmdLine:option: the default of %s must be a %s, its type, got a %s'):format(key, option.kind, type(default)), 2)
   end
   self.options[key] = option
   self.helplines[#self.helplines + 1] = option
end

--- A line of text in the help.
function CmdLine:text(text) self.helplines[#self.helplines + 1] = { text = text or '' } end

--- The defaults of all options.
function CmdLine:default()
   local params = {}
   for key, option in pairs(self.options) do params[bare(key)] = option.default end
   return params
end

-- Both return how many words they have used.
function CmdLine:__readArgument__(params, arg, i, n)
   local argument = self.arguments[n]
   if not argument then self:error('invalid argument: ' .. tostring(arg[i])) end
   local value = convert(arg[i], argument.kind)
   if value == nil then self:error(('argument %s must be a %s, got %s'):format(argument.key, argument.kind, arg[i])) end
   params[bare(argument.key)] = value
   return 1
end

function CmdLine:__readOption__(params, arg, i)
   local key = arg[i]
   local option = self.options[key]
   if not option then self:error('unknown option ' .. tostring(key)) end
   if option.kind == 'boolean' then
      if type(option.default) ~= 'boolean' then params[bare(key)] = true
      else params[bare(key)] = not option.default end
      return 1
   end
   if arg[i + 1] == nil then self:error('missing argument for option ' .. key) end
   local value = convert(arg[i + 1], option.kind)
   if value == nil then self:error(('option %s must be a %s, got %s'):format(key, option.kind, arg[i + 1])) end
   params[bare(key)] = value
   return 2
end

--- Reads the words of the command line (the global `arg`); -h, -help and --help print the help and end the script.
function CmdLine:parse(arg)
   if type(arg) ~= 'table' then arg_check.refuse('CmdLine:parse', 'arg', 'a table of strings', arg) end
   for i = 1, #arg do need_string('CmdLine:parse', 'word ' .. i, arg[i]) end
   local params = self:default()
   local i, n = 1, 0
   if not self.options['-h'] and not self.options['-help'] then
      for _, word in ipairs(arg) do
         if word == '-h' or word == '-help' or word == '--help' then
            self:help(arg)
            os.exit(0)
         end
      end
   end
   while i <= #arg do
      if self.options[arg[i]] then
         i = i + self:__readOption__(params, arg, i)
      elseif arg[i]:match '^%-%-?%a' then
         self:error('unknown option ' .. arg[i])
      else
         n = n + 1
         i = i + self:__readArgument__(params, arg, i, n)
      end
   end
   if n < #self.arguments then self:error('not enough arguments: ' .. self.arguments[n + 1].key .. ' is missing') end
   return params
end

--- A name for what differs from the defaults: 'run,rate=0.5,size=7'; arguments first.
-- @param ignore  {key = true}: options that are left out (optional)
function CmdLine:string(prefix, params, ignore)
   need_string('CmdLine:string', 'prefix', prefix)
   need_table('CmdLine:string', 'params', params)
   ignore = need_table('CmdLine:string', 'ignore', ignore or {})
   local default, parts = self:default(), {}
   local function add(key)
      if params[key] ~= nil and not ignore[key] and params[key] ~= default[key] then
         parts[#parts + 1] = key .. self.keyseparator .. shown(params[key])
      end
   end
   local is_argument = {}
   for _, argument in ipairs(self.arguments) do
      is_argument[bare(argument.key)] = true
      add(bare(argument.key))
   end
   for _, key in ipairs(sorted_keys(params)) do
      if not is_argument[key] then add(key) end
   end
   local text = table.concat(parts, self.argseparator)
   if prefix == '' then return text end
   return text == '' and prefix or prefix .. self.argseparator .. text
end

--- From now on print writes to a file as well; the parameters stand at its beginning.
-- @param file  a name, or an open Lua file
function CmdLine:log(file, params)
   params = need_table('CmdLine:log', 'params', params or {})
   local f = file
   if type(file) == 'string' then
      local why
      f, why = io.open(file, 'w')
      if not f then error('CmdLine:log: ' .. why, 2) end
   elseif io.type(file) ~= 'file' then
      arg_check.refuse('CmdLine:log', 'file', 'a name or an open file', file)
   end
   local old_print, silent, date = print, self.silentio, self.dateformat
   local at_begin = true
   local function write(text)
      if date and at_begin then f:write(os.date(date.format) .. '[' .. date.name .. ']: ') end
      f:write(text)
      at_begin = text:sub(-1) == '\n'
   end
   rawset(_G, 'print', function(...)
      if not silent then old_print(...) end
      local words = {}
      for i = 1, select('#', ...) do words[i] = tostring((select(i, ...))) end
      write(table.concat(words, '\t') .. '\n')
      f:flush()
   end)
   write '[program started on '
   f:write(os.date(), ']\n')
   at_begin = true
   f:write '[command line arguments]\n'
   for _, key in ipairs(sorted_keys(params)) do f:write(key, ' ', tostring(params[key]), '\n') end
   f:write '[----------------------]\n'
   f:flush()
end

--- Prints how the script is used.
function CmdLine:help(arg)
   io.write 'Usage: '
   if type(arg) == 'table' and arg[0] then io.write(tostring(arg[0]), ' ') end
   io.write '[options]'
   for _, argument in ipairs(self.arguments) do io.write(' <', bare(argument.key), '>') end
   io.write '\n'
   local width = 0
   for _, line in ipairs(self.helplines) do
      if line.key then width = math.max(width, line.option and #line.key or #bare(line.key) + 2) end
   end
   for _, line in ipairs(self.helplines) do
      if line.text then
         io.write(line.text, '\n')
      else
         local key = line.option and line.key or '<' .. bare(line.key) .. '>'
         io.write('  ', key, (' '):rep(width - #key), ' ', line.help)
         if line.option then io.write(' [', tostring(line.default), ']') end
         io.write '\n'
      end
   end
end

function M.install(torch)
   local mt = class.class('torch.CmdLine', torch)
   for k, f in pairs(CmdLine) do mt[k] = f end
   arg_check.guard_class(mt, 'a torch.CmdLine')
end

return M
