-- lua/jupyter/cell.lua - runs the code of a cell: its results, or the error with the line of the cell.
local repl = require 'torch.repl'
local explain = require 'torch.explain'
local show = require 'torch.show'
local timeit = require 'torch.timeit'
local bundle = require 'jupyter.bundle'
local output = require 'jupyter.output'
local signals = require 'jupyter.signals'

local M = {}

local RED, PLAIN = '\27[31m', '\27[0m'

local function line_of(code, number)
   local n = 0
   for line in (code .. '\n'):gmatch '(.-)\n' do
      n = n + 1
      if n == number then return line end
   end
end

-- An error in the form of a message. `line` is the number of the line of the cell, if that is known.
local function failure(ename, evalue, code, line, trace)
   local traceback = { RED .. evalue .. PLAIN }
   local text = line and line_of(code, line)
   if text then traceback[#traceback + 1] = ('line %d of the cell:  %s'):format(line, text:match '^%s*(.-)%s*$') end
   for entry in (trace or ''):gmatch '[^\n]+' do traceback[#traceback + 1] = entry end
   return { ename = ename, evalue = evalue, traceback = traceback }
end

-- The traceback without the frames of the kernel.
local function calls()
   local trace = debug.traceback('', 5):gsub('\n[^\n]*jupyter/%w+%.lua:.*$', '')
      :gsub("\n%s*%[C%]: in function 'xpcall'.*$", '')
   return (trace:gsub('^%s*stack traceback:', ''))
end

-- The line of the cell that runs, or that called what runs.
local function running_line(name)
   for level = 5, 200 do
      local info = debug.getinfo(level, 'Sl')
      if not info then return nil end
      if info.source == name then return info.currentline end
   end
end

local function describe(e, code, name)
   if type(e) == 'table' and e.ename then return e end       -- made by `compiled`
   local message = type(e) == 'string' and explain.message(e) or show.text(e, show.bounded)
   local first = message:match '^[^\n]*'
   local interrupted = first:match 'interrupted$'
   return failure(interrupted and 'KeyboardInterrupt' or 'Error',
      interrupted and 'interrupted' or message, code, running_line(name), calls())
end

-- The compiler rests meanwhile: after a stack overflow there is too little stack for its events,
-- and LuaJIT would write "VM handler failed" to stderr.
local function handler_for(code, name)
   return function(e)
      pcall(signals.block)
      local compiles = jit.status()
      jit.off()
      local ok, result = pcall(describe, e, code, name)
      if compiles then jit.on() end
      if not ok then error(result, 0) end
      return result
   end
end

-- ---- compiling -----------------------------------------------------------------------------------------------------

local MOST_LINES = 200                      -- of an expression at the end of a cell

local function same(...) return ... end

-- The code with its last lines, from the byte `at` on, as an expression: its values are the results. The call of `same` keeps
-- the line in tracebacks, which a tail call would lose.
local function ending_at(code, at, name)
   local head, tail = code:sub(1, at - 1), code:sub(at)
   local bare = tail:gsub(';%s*$', '')
   if not (loadstring('return ' .. bare, name) and loadstring(head, name)) then return nil end
   local f = loadstring(('%sreturn (...)(%s\n)'):format(head, bare), name)
   return f and function() return f(same) end, bare == tail
end

--- Compiles a cell: an expression, or statements with an expression on the last lines, or statements. Returns what repl.compile
-- does.
function M.compile(code, name)
   local f, how = repl.compile(code, name)
   if f and loadstring('return ' .. code:gsub(';%s*$', ''), name) then return f, how end       -- an expression alone
   local trimmed = code:gsub('%s+$', '')
   local at = #trimmed + 1
   for _ = 1, MOST_LINES do
      at = trimmed:sub(1, at - 1):match '.*\n()[^\n]*$'
      if not at then break end
      -- A line that begins with a bracket, a quote or a minus may belong to the line above: f, a line break, (x).
      if not f or not trimmed:find('^%s*[%({%["\'%-]', at) then
         local whole, shown = ending_at(trimmed, at, name)
         if whole then return whole, shown end
      end
      at = at - 1
   end
   return f, how
end

-- The function of the code and whether its results are shown. Code that is no Lua is an error of the cell.
local function compiled(code, name)
   local f, how = M.compile(code, name)
   if f then return f, how end
   if how == true then how = select(2, loadstring(code, name)) end
   local line = tonumber(how:match '^[^\n]-:(%d+):')
   error(failure('SyntaxError', how, code, line), 0)
end

local function pack(...) return { n = select('#', ...), ... } end

-- ---- measuring ----------------------------------------------------------------------------------

local function results_of(f) return pack(f()) end

local CLOCKS = {
   time = function(f)
      local timer = require 'torch'.Timer()
      local results = results_of(f)
      io.stdout:write(timeit.once(timer), '\n')
      return results
   end,
   timeit = function(f)
      io.stdout:write(timeit.text(timeit.measure(f)), '\n')
      return pack()
   end,
}

--- A cell that begins with %time or %timeit, or with two percent signs as in IPython, is measured
-- as a whole.
-- @return the code with blanks in the place of that word, so that its lines and columns stay; and
--         the function that runs it; or the code alone
function M.measured(code)
   local word, at = code:match '^%s*%%%%?(%l+)()%f[%s%z]'
   local clock = CLOCKS[word]
   if not clock then return code end
   return code:sub(1, at - 1):gsub('%S', ' ') .. code:sub(at), clock
end

--- Runs code, and measures it if it begins with %time or %timeit. SIGINT stops it.
-- @param name  of the cell in messages, such as 'cell 1'
-- @param quiet  whether results are not wanted
-- @return the bundle of its results, or nil; or nil and { ename = , evalue = , traceback = }
function M.run(code, name, quiet)
   local source = '=' .. name
   local clock
   code, clock = M.measured(code)
   local ok, result = xpcall(function()
      if not code:match '%S' then return nil end
      local f, shown = compiled(code, source)
      signals.allow()
      local results = (clock or results_of)(f)
      local made
      if shown and not quiet and results.n > 0 then
         for i = 1, results.n do repl.keep(results[i]) end
         made = bundle.of_results(results.n, results)
      end
      output.flush()
      signals.block()
      return made
   end, handler_for(code, source))
   signals.block()
   if ok then return result end
   if type(result) ~= 'table' then result = failure('Error', tostring(result), code) end
   return nil, result
end

--- The error of an interrupt or a failure that is not the code's.
M.failure = failure

jit.off(M.run, true)

return M
