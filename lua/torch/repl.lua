-- torch.repl - the prompt of th, with a terminal (line editing by libedit, where it is installed) and without.
local ffi = require 'ffi'
local show = require 'torch.show'
local original = require 'torch.original'
local explain = require 'torch.explain'
local environment = require 'torch.environment'

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
   local last_line
   local function read(prompt)
      io.stdout:flush()
      local p = edit.th_readline(prompt)
      if p == nil then return nil end
      local line = ffi.string(p)
      ffi.C.th_free(p)
      if line:match '%S' and line ~= last_line then
         last_line = line
         edit.th_add_history(line)
         if file then edit.th_write_history(file) end
      end
      return line
   end
   jit.off(read)                                                 -- libedit calls back into Lua
   return read
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
function M.compile(text)
   local source = text:gsub('^%s*=', '', 1)
   local quiet = source:match ';%s*$'
   local expression, unfinished = loadstring('return ' .. source, '=stdin')
   if expression then
      -- Not `return f()`: a tail call would hide the line from error messages.
      if quiet then source = source:gsub(';%s*$', '') end
      local f = loadstring(('return (...)(%s%s)'):format(source, source:find('--', 1, true) and '\n' or ''), '=stdin')
      if f then return function() return f(function(...) return ... end) end, not quiet end
   end
   local f, why = loadstring(source, '=stdin')
   if f then return f, not quiet end
   if why:match "near '<eof>'$" or unfinished:match "near '<eof>'$" then return nil, true end
   return nil, explain.message(why)
end

local red, plain = '', ''

local function complain(message)
   io.stdout:flush()
   io.stderr:write(red, message, plain, '\n')
   io.stderr:flush()
end

local function handler(e)
   local message = type(e) == 'string' and e or show.text(e, show.bounded)
   local text = explain.report(message, 2)
   return text
end

-- trepl's record of results: all of them, and the last one.
local function keep(value)
   if value == nil then return end
   local results = require 'trepl.names'._RESULTS
   results[#results + 1] = value
   rawset(_G, '_RESULTS', results)
   rawset(_G, '_LAST', value)
end

local function show_results(shown, ok, ...)
   if not ok then return complain((...)) end
   local n = select('#', ...)
   if not shown or n == 0 then return end
   local texts, several_lines = {}, false
   for i = 1, n do
      local value = select(i, ...)
      texts[i] = show.text(value, show.bounded)
      keep(value)
      several_lines = several_lines or texts[i]:find('\n', 1, true) ~= nil
   end
   io.stdout:write(table.concat(texts, several_lines and '\n' or '\t'), '\n')
end

--- Runs one complete input: Lua, `? NAME` for help, or `$ COMMAND` for the shell. Returns true when more lines are needed.
function M.evaluate(text)
   local topic = text:match '^%s*%?%s*(.-)%s*$'
   if topic then
      local ok, answer = pcall(function() return require 'torch.help'.text(topic) end)
      if ok then io.stdout:write(answer, '\n') else complain(answer) end
      return false
   end
   local command = text:match '^%s*%$%s*(.-)%s*$'
   if command then
      io.stdout:flush()
      os.execute(command)
      return false
   end
   if not text:match '%S' then return false end
   explain.texts.stdin = text
   local f, how = M.compile(text)
   if not f then
      if how == true then return true end
      complain(how)
      return false
   end
   -- Showing runs __tostring of the user's classes, so it is protected too.
   local ok, why = xpcall(function() show_results(how, xpcall(f, handler)) end, handler)
   if not ok then complain(why) end
   return false
end

local function interrupted(why) return type(why) == 'string' and why:match 'interrupted$' ~= nil end

--- Reads and runs until the end of input. `read(prompt)` may be given, for tests.
function M.run(read)
   if show.colours(2) then red, plain = '\27[31m', '\27[0m' end
   local on_terminal = ffi.C.isatty(0) == 1
   if on_terminal and not read then
      io.stdout:write(('Cresset, Torch for LuaJIT. Type ? for help, ? NAME for an op or a module, Ctrl-D to leave.\n'))
   end
   if not read and print == original.print then rawset(_G, 'print', show.print) end
   read = read or edited_lines() or plain_lines()
   local text = ''
   while true do
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
         break
      else
         text = text == '' and line or text .. '\n' .. line
         local protected, more = pcall(M.evaluate, text)
         if not protected then complain(tostring(more)) end
         if not (protected and more) then text = '' end
      end
   end
   if on_terminal then io.stdout:write '\n' end
   io.stdout:flush()
end

return M
