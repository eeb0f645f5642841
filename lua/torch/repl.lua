-- torch.repl - the prompt of th, with a terminal (line editing by libedit, where it is installed) and without.
local ffi = require 'ffi'
local show = require 'torch.show'
local glance = require 'torch.glance'
local terminal = require 'torch.terminal'
local timeit = require 'torch.timeit'
local original = require 'torch.original'
local explain = require 'torch.explain'
local environment = require 'torch.environment'
local commands = require 'torch.commands'
local complete = require 'torch.complete'
local near = require 'torch.near'
local habits = require 'torch.habits'
local results = require 'torch.results'

local M = {}

pcall(ffi.cdef, [[
int isatty(int);
void th_free(void *) __asm__("free");
void *th_malloc(size_t) __asm__("malloc");
char *th_readline(const char *prompt) __asm__("readline");
int th_add_history(const char *line) __asm__("add_history");
int th_read_history(const char *file) __asm__("read_history");
int th_write_history(const char *file) __asm__("write_history");
void th_stifle_history(int) __asm__("stifle_history");
extern char **(*rl_attempted_completion_function)(const char *, int, int);
extern char *rl_line_buffer;
extern const char *rl_completer_word_break_characters;
extern int rl_completion_append_character, rl_attempted_completion_over;
]])

-- ---- reading lines ------------------------------------------------------------------------------------------

local function history_file()
   local name = environment.get 'TH_HISTORY'
   if name then return name ~= '' and name or nil end
   local home = os.getenv 'HOME'
   return home and home .. '/.th_history'
end

-- The C array that libedit expects: the common beginning, the candidates, NULL. libedit frees all of it.
local function c_strings(list)
   local function copy(s)
      local p = ffi.cast('char *', ffi.C.th_malloc(#s + 1))
      ffi.copy(p, s)
      return p
   end
   local common = list[1]
   for _, s in ipairs(list) do
      while s:sub(1, #common) ~= common do common = common:sub(1, -2) end
   end
   local a = ffi.cast('char **', ffi.C.th_malloc((#list + 2) * ffi.sizeof 'char *'))
   a[0] = copy(common)
   for i, s in ipairs(list) do a[i] = copy(s) end
   a[#list + 1] = nil
   return a
end

-- Lines through libedit, or nil when there is no terminal or no libedit.
local function edited_lines()
   if ffi.C.isatty(0) == 0 or ffi.C.isatty(1) == 0 or os.getenv 'TERM' == 'dumb' then return nil end
   local edit
   for _, name in ipairs { 'libedit.so.2', 'libedit.so.0', 'edit' } do
      local ok, lib = pcall(ffi.load, name)
      if ok then
         edit = lib
         break
      end
   end
   if not edit then return nil end

   local breaks = ' \t\n"\'()[]{}<>=+-*/%^#~,;'
   edit.rl_completer_word_break_characters = breaks
   edit.rl_completion_append_character = 0
   edit.rl_attempted_completion_function = function(_, first, last)
      edit.rl_attempted_completion_over = 1                      -- turn off libedit's completion of file names
      local ok, array = pcall(function()
         local line = ffi.string(edit.rl_line_buffer):sub(1, last)
         local n, found = require 'torch.complete'.complete(line)
         if #found == 0 then return nil end
         local kept = n - (last - first)                         -- libedit replaces its word, which may be shorter
         for i, s in ipairs(found) do found[i] = kept >= 0 and s:sub(kept + 1) or line:sub(first + 1, last - n) .. s end
         return c_strings(found)
      end)
      return ok and array or nil
   end

   local file = history_file()
   edit.th_stifle_history(2000)
   if file then edit.th_read_history(file) end
   local function read(prompt)
      io.stdout:flush()
      local p = edit.th_readline(prompt)
      if p == nil then return nil end
      local line = ffi.string(p)
      ffi.C.th_free(p)
      return line
   end
   jit.off(read)                                                 -- libedit calls back into Lua
   local last
   local function remember(text)
      if not text:match '%S' or text == last then return end
      last = text
      edit.th_add_history(text)
      if file then edit.th_write_history(file) end
   end
   return read, remember
end

-- Lines from a stream. The prompt is written only on a terminal.
local function plain_lines()
   local prompts = ffi.C.isatty(0) == 1
   return function(prompt)
      if prompts then io.stdout:write(prompt) end
      io.stdout:flush()
      return io.stdin:read '*l'
   end
end

-- ---- evaluating ---------------------------------------------------------------------------------------------

--- Compiles the input, first as expressions, then as statements. Returns the function and whether to show its results;
-- or nil and the message; or nil and true when more lines are needed.
-- @param name  of the input in messages (default '=stdin')
function M.compile(text, name)
   name = name or '=stdin'
   local source = text:gsub('^%s*=', '', 1)
   local quiet = source:match ';%s*$'
   local expression, unfinished = loadstring('return ' .. source, name)
   if expression then
      -- Not `return f()`: a tail call would hide the line from error messages.
      if quiet then source = source:gsub(';%s*$', '') end
      local f = loadstring(('return (...)(%s%s)'):format(source, source:find('--', 1, true) and '\n' or ''), name)
      if f then return function() return f(function(...) return ... end) end, not quiet end
   end
   local f, why = loadstring(source, name)
   if f then return f, not quiet end
   if why:match "near '<eof>'$" or unfinished:match "near '<eof>'$" then return nil, true end
   return nil, explain.message(why)
end

local red, yellow, plain = '', '', ''

local function complain(message)
   io.stdout:flush()
   io.stderr:write(red, message, plain, '\n')
   io.stderr:flush()
end

-- A remark about an input that worked.
local function note(message)
   io.stdout:flush()
   io.stderr:write(yellow, '   (', message, ')', plain, '\n')
   io.stderr:flush()
end

local function handler(e)
   local message = type(e) == 'string' and e or show.text(e, show.bounded)
   local text = explain.report(message, 2)
   return text
end

-- trepl's record of results: all of them, and the last one. `_` is the last one too, unless the program has given it a value.
local last_shown
local function keep(value)
   if value == nil then return end
   results[#results + 1] = value
   rawset(_G, '_RESULTS', results)
   rawset(_G, '_LAST', value)
   local own = rawget(_G, '_')
   if own == nil or rawequal(own, last_shown) then
      rawset(_G, '_', value)
      last_shown = value
   end
end
M.keep = keep

local type_colour, no_colour = '', ''

-- The types of tensors and storages in colour.
local function coloured(text)
   if type_colour == '' then return text end
   local function paint(s) return type_colour .. s .. no_colour end
   text = text:gsub('%[torch%.%w+ [^%]\n]*%]', paint)
   return (text:gsub('%f[%w]%u%w*Tensor %- [^\n]*', paint):gsub('%f[%w]%u%w*Storage %- [^\n]*', paint))
end

-- Returns whether there was an error, and whether all results are nil.
local function show_results(shown, ok, ...)
   if not ok then
      local message = ...
      complain(message == 'error in error handling' and 'stack overflow, and no stack is left for a traceback' or message)
      return true
   end
   local n = select('#', ...)
   if not shown or n == 0 then return end
   local all_nil = true
   local texts, several_lines = {}, false
   for i = 1, n do
      local value = select(i, ...)
      texts[i] = coloured(glance.text(value))
      keep(value)
      all_nil = all_nil and value == nil
      several_lines = several_lines or texts[i]:find('\n', 1, true) ~= nil
   end
   terminal.write(table.concat(texts, several_lines and '\n' or '\t') .. '\n')
   return false, all_nil
end

-- Names of `local` at the start of an input that nothing in it uses: they are gone when it ends.
local function unused_locals(text)
   local code = text:gsub('%-%-[^\n]*', ''):gsub('"[^"\n]*"', '""'):gsub("'[^'\n]*'", "''")
   local names = code:match '^%s*local%s+function%s+([%a_][%w_]*)' or code:match '^%s*local%s+([%a_][%w_%s,]*)'
   if not names then return {} end
   names = names:match '^(.-)%s*$'
   local unused = {}
   for name in names:gmatch '[%a_][%w_]*' do
      local _, n = code:gsub('%f[%w_]' .. name .. '%f[^%w_]', '')
      if n == 1 then unused[#unused + 1] = name end
   end
   return unused
end

local function warn_of_locals(text)
   local names = unused_locals(text)
   if #names == 0 then return end
   local is = #names == 1 and 'is' or 'are'
   note(('%s %s local to this line and gone now: leave out `local`'):format(table.concat(names, ', '), is))
end

-- A field that has no value, where another has nearly its name: torch.onse.
local function warn_of_name(text)
   local path, name = text:match '^%s*=?%s*([%a_][%w_%.]*)%.([%a_][%w_]*)%s*$'
   local object = path and complete.field(_G, path:match '^[^%.]+')
   for field in (path and path:match '%.(.*)$' or ''):gmatch '[^%.]+' do object = complete.field(object, field) end
   if path and object == nil then return end
   local question
   if path then
      local other = near.elsewhere(name)
      question = other and ("'%s' has another name here: %s"):format(name, other)
         or near.question(path .. '.', near.fields(object, name))
   else
      name = text:match '^%s*=?%s*([%a_][%w_]*)%s*$'
      question = name and near.question('', near.globals(name))
   end
   if question then note(question) end
end

-- Compiles and runs one input. Returns true when more lines are needed.
local function run(text)
   explain.texts.stdin = text
   local f, how = M.compile(text)
   if not f then
      local foreign = how == true and habits.of_block(text)
      if how == true and not foreign then return true end
      complain(foreign or how)
      return false
   end
   -- Showing runs __tostring of the user's classes, so it is protected too.
   local failed, all_nil
   local ok, why = xpcall(function()
      failed, all_nil = show_results(how, xpcall(f, handler))
   end, handler)
   if not ok then complain(why) end
   if ok and not failed then
      if all_nil then warn_of_name(text) end
      warn_of_locals(text)
   end
   return false
end

local function time(code)
   local timer = require 'torch'.Timer()
   if run(code) then
      complain('%time: the code must be complete in one line')
      return
   end
   io.stdout:write(timeit.once(timer), '\n')
end

-- The code as a function without results, for measurements; or nil and the message.
local function silent(code)
   local expression = loadstring('local _ = ' .. code, '=stdin')
   if expression then return expression end
   local f, why = loadstring(code, '=stdin')
   if f or not why:match "near '<eof>'$" then return f, why and explain.message(why) end
   return nil, '%timeit: the code must be complete in one line'
end

local function time_often(code)
   explain.texts.stdin = code
   local f, why = silent(code)
   if not f then return complain(why) end
   local ok, result = xpcall(function() return timeit.measure(f) end, handler)
   if not ok then return complain(result) end
   io.stdout:write(timeit.text(result), '\n')
end

local state = { complain = complain, time = time, time_often = time_often }

--- Runs one complete input: Lua, or a command of torch.commands. Returns true when more lines are needed, 'leave' at exit
-- and quit.
function M.evaluate(text)
   if not text:match '%S' then return false end
   local done = commands.run(text, state)
   if done then return done == 'leave' and 'leave' end
   return run(text)
end

local function interrupted(why) return type(why) == 'string' and why:match 'interrupted$' ~= nil end

-- Sets the plain style of tensors. Returns a function that sets linewidth to the terminal's, unless the program has set it.
local function plain_printing()
   local set = require 'torch'.setprintoptions
   local width = set { style = 'plain' }.linewidth
   return function()
      local _, columns = terminal.size()
      if not columns or set({}).linewidth ~= width then return end
      width = columns
      set { linewidth = columns }
   end
end

--- Reads and runs until the end of input. `read(prompt)` may be given, for tests.
function M.run(read)
   if show.colours(2) then red, yellow, plain = '\27[31m', '\27[33m', '\27[0m' end
   local on_terminal = ffi.C.isatty(0) == 1
   if show.colours(1) then type_colour, no_colour = '\27[36m', '\27[0m' end
   local follow_width = function() end
   if on_terminal and not read then
      follow_width = plain_printing()
      io.stdout:write(('Cresset, Torch for LuaJIT. Type ? for help, ? NAME for an op or a module, Ctrl-D to leave.\n'))
   end
   if not read and print == original.print then rawset(_G, 'print', show.print) end
   local remember = function() end
   if not read then
      local edited, add = edited_lines()
      read, remember = edited or plain_lines(), add or remember
   end
   local text, left = '', false
   while not left do
      local ok, line = pcall(function()
         local got = read(text == '' and 'th> ' or '..> ')
         return got                                              -- an interrupt is raised before we leave
      end)
      if not ok then
         text = ''
         if not interrupted(line) then error(line, 0) end
         io.stdout:write '\n'
      elseif not line then
         if text ~= '' then complain((select(2, loadstring(text, '=stdin')))) end
         left = true
      else
         text = text == '' and line or text .. '\n' .. line
         follow_width()
         local protected, more = pcall(M.evaluate, text)
         if not protected then complain(tostring(more)) end
         left = protected and more == 'leave'
         if not (protected and more == true) then
            remember(text)                   -- a block of several lines is one entry
            text = ''
         end
      end
   end
   if on_terminal then io.stdout:write '\n' end
   io.stdout:flush()
end

return M
