-- torch.explain - adds a hint to an error message: what is missing and how to get it, or the name that was meant.
--
-- The handlers of the prompt and of scripts call M.report while the stack of the error exists. So the object of a misspelt name
-- is looked up in the line of the error, and a program without errors pays nothing.
local launch = require 'torch.launch'
local traceback = require 'torch.traceback'
local complete = require 'torch.complete'
local near = require 'torch.near'
local class = require 'torch.class'
local windows = require 'torch.missing'.windows

local M = {}

local penlight_hint = "%s is %s of Penlight, which is not installed: apt-get install lua-penlight, or luarocks install penlight"

local function of_global(name)
   local module = launch.penlight(name)
   if module and not launch.installed(module) then return penlight_hint:format(name, module) end
   for _, ours in ipairs(launch.packages) do
      if ours == name and rawget(_G, name) == nil then return ("require '%s' loads this package"):format(name) end
   end
   return windows[name]
end

-- Names of nn that need a further require.
local function of_field(name)
   local asked = package.loaded.nn and class.asked_by('nn.' .. name)
   return asked and ("nn.%s of Cresset is defined by require '%s'; packages for Torch7 define others"):format(name, asked)
end

-- ---- the object of a name ---------------------------------------------------------------------------------------

--- The text that the prompt runs: chunk name without its first letter -> text.
M.texts = {}

-- The CODE of the only option -e. With a script, arg has the options before it below 0, else above.
local function code_of_options()
   local words, code = type(arg) == 'table' and arg or {}, nil
   local step = words[-1] and -1 or 1
   for i = step, 100 * step, step do
      if type(words[i]) ~= 'string' then break end
      local attached = words[i]:match '^%-e(.+)$'
      if words[i] == '-e' or attached then
         if code then return nil end
         code = attached or words[i + 1]
      end
   end
   return code
end

local function line_of(info)
   local text, name = nil, info.source:sub(2)
   if info.source:sub(1, 1) == '@' then
      local f = io.open(name)
      if f then
         text = f:read '*a'
         f:close()
      end
   else
      text = M.texts[name] or name == '(command line)' and code_of_options() or nil
   end
   local n = 0
   for line in ((text or '') .. '\n'):gmatch '(.-)\n' do
      n = n + 1
      if n == info.currentline then return line end
   end
end

-- The value of a local, an upvalue or a global as the function of `frame` sees it.
local function variable(frame, name)
   local level, value = traceback.level(frame), nil
   for i = 1, 250 do
      local other, v = debug.getlocal(level, i)
      if not other then break end
      if other == name then value = v end
   end
   if value ~= nil then return value end
   local f = debug.getinfo(level, 'f').func
   for i = 1, 60 do
      local other, v = debug.getupvalue(f, i)
      if not other then break end
      if other == name then return v end
   end
   return complete.field(debug.getfenv(f), name)
end

-- The value of `a.b.c` as the function of `frame` sees it.
local function value_of(frame, path)
   local value
   for name in path:gmatch '[^%.]+' do
      if value == nil then value = variable(frame, name) else value = complete.field(value, name) end
      if value == nil then return nil end
   end
   return value
end

-- 'did you mean torch.ones?' for a field or method of an object that the line names.
local function of_object(frame, line, name, method)
   for path, sep in line:gmatch('([%a_][%w_%.]*)%s*([%.:])%s*' .. name .. '%f[^%w_]') do
      local object = value_of(frame, path)
      if object ~= nil and complete.field(object, name) == nil then
         return near.question(path .. sep, near.fields(object, name, method and 'function'))
      end
   end
end

-- The same where the line does not name the object: `m:get(1):forwrad(x)`.
local function of_any(name, method)
   local torch, nn = package.loaded.torch, package.loaded.nn
   local places = method and { { 'Tensor:', torch and torch.Tensor() }, { 'Module:', nn and nn.Module() } }
      or { { 'torch.', torch }, { 'nn.', nn } }
   for _, place in ipairs(places) do
      local list = place[2] ~= nil and near.fields(place[2], name) or {}
      if #list > 0 then return near.question(place[1], list) end
   end
end

-- ---- messages ---------------------------------------------------------------------------------------------------

local function of_member(name, is_method, frame)
   local info = frame and debug.getinfo(traceback.level(frame), 'Sl')
   local line = info and line_of(info)
   local other = near.elsewhere(name)
   if other then return ("'%s' has another name here: %s"):format(name, other) end
   local hint
   if line then
      hint = of_object(frame, line, name, is_method)
      if not hint and line:find('[%)%]]%s*[%.:]%s*' .. name .. '%f[^%w_]') then hint = of_any(name, is_method) end
   else
      hint = of_any(name, is_method)
   end
   return hint
end

-- The hint of a name that has no value. `kind`: 'global', 'field', 'method', ...
local function of_name(kind, name, frame)
   local known = kind == 'global' and of_global(name) or kind == 'field' and of_field(name)
   if known then return known end
   local info = frame and debug.getinfo(traceback.level(frame), 'S')
   if info and traceback.is_ours(info.source) then return nil end
   if kind == 'global' then return near.question('', near.globals(name)) end
   if kind == 'field' or kind == 'method' then return of_member(name, kind == 'method', frame) end
end

-- A name in the line that has no value, where an argument of the call was nil: torch.mm(m.wieght, x).
local function of_argument(frame)
   local line = line_of(debug.getinfo(traceback.level(frame), 'Sl'))
   for path, name in (line or ''):gmatch '([%a_][%w_%.]*)%.([%a_][%w_]*)%f[^%w_]' do
      local object = value_of(frame, path)
      if object ~= nil and complete.field(object, name) == nil then
         local hint = near.question(path .. '.', near.fields(object, name))
         if hint then return hint end
      end
   end
end

-- `frame`: the function that failed; nil where its stack is gone.
local function hint_of(line, frame)
   local kind, name = line:match "attempt to [%w ]+ (%l+) '([%w_]+)' %(a nil value%)"
   if name then return of_name(kind, name, frame and traceback.first(frame)) end
   local user = frame and line:find(', got n[io]%l') and traceback.first(frame, true)
   if user then return of_argument(user) end
   local at, n = line:match '^([^\n]-):(%d+): '
   if at and (line:find(' near ', 1, true) or line:find('expected', 1, true)) then
      local source = ((M.texts[at] or at == '(command line)') and '=' or '@') .. at
      return require 'torch.habits'.hint(line_of { source = source, currentline = tonumber(n) } or '')
   end
end

local function with_hint(message, frame)
   local first, rest = message:match '^([^\n]*)(.*)$'
   if rest:find '^\n   %(' then return message end
   local ok, hint = pcall(hint_of, first, frame)
   return ok and hint and ('%s\n   (%s)%s'):format(first, hint, rest) or message
end

--- The message with its hint. @param frame  the function that failed, as traceback.frame counts it
M.hinted = with_hint

--- The message, with a line of explanation behind the first one where we know more than Lua.
function M.message(message)
   if type(message) ~= 'string' then return message end
   return with_hint(message, nil)
end

-- The header lines of nested containers as one line: 'In 2 module of nn.Sequential, 1 module of nn.Concat:'.
local function one_header(message)
   local headers, at = {}, 1
   while true do
      local header, behind = message:match('^In (%d+ module of [^\n]-):\n()', at)
      if not header then break end
      headers[#headers + 1], at = header, behind
   end
   if #headers < 2 then return message end
   return ('In %s:\n%s'):format(table.concat(headers, ', '), message:sub(at))
end

local function report(message, frame)
   message = with_hint(one_header(traceback.place(message, frame)), frame)
   -- One line of the prompt says what the message says already.
   local text, alone = message:gsub('\nits traceback:\n\tstdin:%d+: in main chunk$', '')
   if alone > 0 then return text end
   if message:find('\nits traceback:\n', 1, true) then return message end
   local lines, n, first = traceback.lines(frame)
   local repeats = n == 1 and first.info.what == 'main' and first.info.source == '=stdin'
   return n > 0 and not repeats and message .. '\nstack traceback:' .. lines or message
end

--- The text for an error that ends a program or an input of the prompt: the message with the user's position, a hint, and the
-- traceback without our frames. A handler of xpcall calls it.
-- @param level  as for debug.getinfo, from the caller: the function that failed
function M.report(message, level)
   if message:find('stack overflow', 1, true) then return (debug.traceback(message, level + 1)) end   -- little stack is left
   local frame = traceback.frame(level + 1)
   if not traceback.is_full() then
      local ok, text = pcall(report, message, frame)
      if ok then return text end
   end
   return (debug.traceback(with_hint(message, frame), level + 1))
end

return M
