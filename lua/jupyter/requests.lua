-- lua/jupyter/requests.lua - what the kernel does for each kind of request: a table of functions (kernel, request).
local complete = require 'torch.complete'
local config = require 'torch.config'
local help = require 'torch.help'
local bundle = require 'jupyter.bundle'
local cell = require 'jupyter.cell'
local json = require 'torch.json'
local message = require 'jupyter.message'
local output = require 'jupyter.output'

local M = {}

local function text_of(request, name)
   local v = request.content[name]
   if type(v) ~= 'string' then error(name .. ' must be a string', 0) end
   return v
end

-- ---- facts ---------------------------------------------------------------------------------------------------------

function M.kernel_info_request(kernel, request)
   local version = config.config().version
   kernel:reply(request, 'kernel_info_reply', { status = 'ok', protocol_version = message.version, implementation = 'cresset',
      implementation_version = version, banner = ('Cresset %s, Torch for LuaJIT. ?NAME shows help.'):format(version),
      language_info = { name = 'lua', version = '5.1', mimetype = 'text/x-lua', file_extension = '.lua', pygments_lexer = 'lua',
         codemirror_mode = 'lua' }, help_links = json.list(), debugger = false, supported_features = json.list() })
end

function M.comm_info_request(kernel, request) kernel:reply(request, 'comm_info_reply', { status = 'ok', comms = {} }) end

-- There are no targets to which a front end could connect.
function M.comm_open(kernel, request)
   kernel:publish('comm_close', { comm_id = request.content.comm_id, data = {} })
end

function M.interrupt_request(kernel, request) kernel:reply(request, 'interrupt_reply', { status = 'ok' }) end

function M.shutdown_request(kernel, request)
   local restart = request.content.restart == true
   kernel.ended = true
   kernel:publish('shutdown_reply', { status = 'ok', restart = restart })
   kernel:reply(request, 'shutdown_reply', { status = 'ok', restart = restart })
end

-- ---- cells ---------------------------------------------------------------------------------------------------------

local function error_content(e)
   return { status = 'error', ename = e.ename, evalue = e.evalue, traceback = json.list(e.traceback) }
end

-- `?NAME` and `NAME?` show help, `$ COMMAND` runs a command of the shell, as at the prompt. Returns whether it was one of them.
local function special(code, result)
   local topic = code:match '^%s*%?%s*([^\n]-)%s*$' or code:match '^%s*([%a_][%w_%.:]*)%s*%?%s*$'
   if topic then
      local ok, text = pcall(help.text, topic)
      if ok then
         result.payload[1] = { source = 'page', start = 0, data = { ['text/plain'] = text } }
      else
         result.failed = cell.failure('Error', tostring(text), code)
      end
      return true
   end
   local command = code:match '^%s*%$%s*([^\n]-)%s*$'
   if not command then return false end
   local _
   _, result.failed = cell.run(('io.stdout:flush() os.execute(%q)'):format(command), 'command', true)
   return true
end

-- The values of expressions that the front end wants with the answer.
local function expressions(wanted)
   local values = {}
   if type(wanted) ~= 'table' then return values end
   for name, code in pairs(wanted) do
      if type(name) == 'string' then
         local made, failed = cell.run('return ' .. tostring(code), 'expression')
         if failed then values[name] = error_content(failed)
         else values[name] = { status = 'ok', data = made and bundle.encoded(made) or {}, metadata = {} } end
      end
   end
   return values
end

local function record(kernel, code, made)
   kernel.history[#kernel.history + 1] = { line = kernel.count, code = code, result = made and made['text/plain'] }
end

function M.execute_request(kernel, request)
   local content = request.content
   local code = text_of(request, 'code')
   if kernel.aborting then return kernel:reply(request, 'execute_reply', { status = 'aborted' }) end
   local silent = content.silent == true
   local stored = not silent and content.store_history ~= false
   if stored then kernel.count = kernel.count + 1 end
   kernel.cell, kernel.silent, kernel.displayed = request, silent, {}
   kernel:begin(request, silent)
   if not silent then kernel:publish('execute_input', { code = code, execution_count = kernel.count }) end

   kernel.service:send { 'busy', '1' }
   local result, made = { payload = json.list() }, nil
   if not special(code, result) then made, result.failed = cell.run(code, ('cell %d'):format(kernel.count), silent) end
   local failed = result.failed
   local values = not failed and expressions(content.user_expressions) or {}
   kernel.service:send { 'busy', '0' }
   kernel.cell = nil
   output.flush()

   if stored then record(kernel, code, made) end
   local reply
   if failed then
      reply = error_content(failed)
      if not silent then kernel:publish('error', error_content(failed)) end
   else
      if made then
         kernel:publish('execute_result', { data = bundle.encoded(made), metadata = {}, execution_count = kernel.count })
      end
      reply = { status = 'ok', user_expressions = values }
   end
   reply.execution_count, reply.payload = kernel.count, result.payload
   if failed and content.stop_on_error ~= false then kernel:hold_waiting() end
   kernel:reply(request, 'execute_reply', reply)
   kernel.silent = false
end

function M.is_complete_request(kernel, request)
   local code = text_of(request, 'code')
   local reply = { status = 'complete' }
   if code:match '%S' and not code:match '^%s*[%?%$]' and not code:match '^%s*[%a_][%w_%.:]*%s*%?%s*$' then
      local f, why = cell.compile((cell.measured(code)), '=cell')
      if not f and why == true then
         local last = code:match '([^\n]*)$'
         local opens = last:match '%f[%w]do%s*$' or last:match '%f[%w]then%s*$' or last:match '%f[%w]else%s*$'
            or last:match '[%({]%s*$' or last:match '%f[%w]function%s*[%w_%.:]*%b()%s*$' or last:match '%f[%w]repeat%s*$'
         reply = { status = 'incomplete', indent = last:match '^%s*' .. (opens and '   ' or '') }
      elseif not f then
         reply.status = 'invalid'
      end
   end
   kernel:reply(request, 'is_complete_reply', reply)
end

-- ---- help for what is typed ----------------------------------------------------------------------------------------

-- The first n characters of a text in UTF-8, and the rest.
local function split(text, n)
   local at = 1
   while n > 0 and at <= #text do
      at = text:find('[%z\1-\127\192-\255]', at + 1) or #text + 1
      n = n - 1
   end
   return text:sub(1, at - 1), text:sub(at)
end

local function characters(text)
   local _, n = text:gsub('[%z\1-\127\192-\255]', '')
   return n
end

-- The text before and behind the cursor.
local function around(request)
   local code, at = text_of(request, 'code'), request.content.cursor_pos
   if at == nil then at = #code end
   if type(at) ~= 'number' or at ~= at then error('cursor_pos must be a number', 0) end
   return split(code, at)
end

function M.complete_request(kernel, request)
   local before = around(request)
   local length, found = complete.complete(before:match '[^\n]*$')
   local stop = characters(before)
   kernel:reply(request, 'complete_reply', { status = 'ok', matches = json.list(found), metadata = {}, cursor_end = stop,
      cursor_start = stop - characters(before:sub(#before - length + 1)) })
end

function M.inspect_request(kernel, request)
   local before, behind = around(request)
   local name = (before:match '[%w_%.:]*$' .. behind:match '^[%w_]*'):gsub('^[%.:]+', ''):gsub('[%.:]+$', '')
   if name == '' then name = before:match '([%a_][%w_%.:]*)%s*%([^%(%)]*$' or '' end     -- within the arguments of a call
   local ok, text = false, nil
   if name ~= '' then ok, text = pcall(help.text, name) end
   ok = ok and not text:find('^[^\n]*: no such name, but there are')
   kernel:reply(request, 'inspect_reply', { status = 'ok', found = ok, data = ok and { ['text/plain'] = text } or {},
      metadata = {} })
end

-- ---- history -------------------------------------------------------------------------------------------------------

-- A pattern of Lua for one of the shell.
local function pattern_of(glob)
   return '^' .. glob:gsub('[%^%$%(%)%%%.%[%]%+%-]', '%%%0'):gsub('%*', '.*'):gsub('%?', '.') .. '$'
end

local select_entries = {}

function select_entries.tail() return function() return true end end

function select_entries.range(content)
   local from, to = tonumber(content.start) or 0, tonumber(content.stop) or math.huge
   return function(entry) return entry.line >= from and entry.line < to end
end

function select_entries.search(content)
   local pattern, seen = pattern_of(type(content.pattern) == 'string' and content.pattern or '*'), {}
   return function(entry)
      if #pattern > 1000 or not entry.code:find(pattern) or content.unique == true and seen[entry.code] then return false end
      seen[entry.code] = true
      return true
   end
end

function M.history_request(kernel, request)
   local content = request.content
   local choose = select_entries[content.hist_access_type]
   if not choose then error('hist_access_type must be tail, range or search', 0) end
   local fits, found = choose(content), {}
   for _, entry in ipairs(kernel.history) do
      if fits(entry) then
         local value = entry.code
         if content.output == true then value = json.list { entry.code, entry.result or json.null } end
         found[#found + 1] = json.list { 1, entry.line, value }
      end
   end
   local most = content.hist_access_type ~= 'range' and tonumber(content.n) or math.huge
   kernel:reply(request, 'history_reply', { status = 'ok',
      history = json.list { unpack(found, math.max(1, #found - most + 1)) } })
end

return M
