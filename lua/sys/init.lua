-- lua/sys/init.lua - sys: clocks, shell commands, colors of a terminal.
local ffi = require 'ffi'
local C = require 'torch.lib'.C
local paths = require 'paths'
local path = require 'torch.arg'.path

ffi.cdef [[
   struct th_sys_timeval { long s, us; };
   int gettimeofday(struct th_sys_timeval *now, void *zone);
   int usleep(unsigned microseconds);
]]

local sys = {}

-- A number may be given as text, and a text as a number.
local function need(who, what, kind, v)
   if kind == 'number' and type(v) == 'string' then v = tonumber(v) or v end
   if kind == 'string' and type(v) == 'number' then v = tostring(v) end
   if type(v) ~= kind then error(('sys.%s: %s must be a %s, got %s'):format(who, what, kind, type(v)), 3) end
   return v
end

-- A command of the shell, or a folder: C would end it at a byte 0.
local function need_text(who, what, v)
   return path('sys.' .. who, what, type(v) == 'number' and tostring(v) or v, 3)
end

---------------------------------------------------------------------------------------------------------
-- time

local now = ffi.new 'struct th_sys_timeval'
local steady = ffi.new 'double[3]'

--- Seconds since 1970, to the microsecond.
function sys.clock()
   ffi.C.gettimeofday(now, nil)
   return tonumber(now.s) + tonumber(now.us) * 1e-6
end

local started

local function tick()
   C.th_clock(steady)
   return steady[0]
end

--- Starts the stopwatch that sys.toc reads.
function sys.tic() started = tick() end

--- Seconds since sys.tic(), which are printed when `verbose` is true.
function sys.toc(verbose)
   if not started then error('sys.toc: call sys.tic first', 2) end
   local seconds = tick() - started
   if verbose then print(seconds) end
   return seconds
end

--- Sleeps for so many microseconds.
function sys.usleep(microseconds)
   microseconds = need('usleep', 'time', 'number', microseconds)
   local stop = tick() + microseconds * 1e-6
   while C.th_interrupted() == 0 do
      local left = stop - tick()
      if left <= 0 then return end
      ffi.C.usleep(math.min(math.ceil(left * 1e6), 100000))          -- short sleeps, so that Ctrl-C is handled
   end
end

--- Sleeps for so many seconds, which may be a fraction.
function sys.sleep(seconds) sys.usleep(need('sleep', 'time', 'number', seconds) * 1e6) end

---------------------------------------------------------------------------------------------------------
-- the shell

--- Runs a command of the shell.
-- @param readwhat  the part of its output to read, as for f:read (default '*all')
-- @return its output without spaces and ends of lines around it
function sys.fexecute(cmd, readwhat)
   cmd = need_text('fexecute', 'command', cmd)
   readwhat = readwhat or '*all'
   if not (type(readwhat) == 'number' and readwhat >= 0 and readwhat < 2 ^ 31) and not (type(readwhat) == 'string' and readwhat:find '^%*[aln]') then
      error("sys.fexecute: readwhat must be '*all', '*line', '*number' or a number of bytes, got " .. tostring(readwhat), 2)
   end
   local pipe, why = io.popen(cmd)
   if not pipe then error('sys.fexecute: ' .. tostring(why), 2) end
   local text = pipe:read(readwhat)
   pipe:close()
   return type(text) == 'string' and (text:match '^%s*(.*%S)' or '') or text
end

--- The output of a command of the shell with its error messages, and without spaces and ends
-- of lines around it.
function sys.execute(cmd) return sys.fexecute(need_text('execute', 'command', cmd) .. ' 2>&1') end

-- A path is quoted; anything else (patterns, options) is passed to ls unchanged.
local function list(name, options)
   return function(d)
      if d == nil then d = '' end
      d = need_text(name, 'folder', d)
      if paths.filep(d) or paths.dirp(d) then d = "'" .. d:gsub("'", "'\\''") .. "'" end
      return sys.execute('ls ' .. options .. d)
   end
end
--- sys.ls([folder]), sys.ll([folder]), sys.la([folder]), sys.lla([folder]): The output of `ls`, `ls -l`, `ls -a` and `ls -la`.
sys.ls, sys.ll, sys.la, sys.lla = list('ls', ''), list('ll', '-l '), list('la', '-a '), list('lla', '-la ')

--- The system: 'linux', 'macos', 'windows'.
function sys.uname()
   local name = ffi.string(C.th_system_name(0)):lower()
   return name == 'darwin' and 'macos' or name
end
--- sys.OS: The system's name, that of sys.uname().
sys.OS = sys.uname()

---------------------------------------------------------------------------------------------------------
-- text, numbers, paths

--- The parts of a string between matches of the pattern.
-- sys.split('a,b', ',') --> {a, b}
function sys.split(str, pat)
   str, pat = need('split', 'text', 'string', str), need('split', 'pattern', 'string', pat)
   local parts, at, from = {}, 1, 1
   while from <= #str do
      local first, last = str:find(pat, from)
      if not first then break end
      if last >= first then
         parts[#parts + 1] = str:sub(at, first - 1)
         at, from = last + 1, last + 1
      else
         from = first + 1                                      -- an empty match is no separator
      end
   end
   if at <= #str then parts[#parts + 1] = str:sub(at) end
   return parts
end

--- Whether a number is NaN, as 0 / 0.
-- sys.isNaN(0 / 0) --> true
function sys.isNaN(number) return number ~= number end

sys.concat, sys.dirname = paths.concat, paths.dirname

--- The folder and the name of the calling file.
function sys.fpath()
   local info = debug.getinfo(2, 'S')
   local name = info and info.source:match '^@(.*)$'
   if not name then return nil end
   local path = paths.concat(name)
   return paths.dirname(path), paths.basename(path)
end

--- sys.prefix: The tree of this installation.
sys.prefix = paths.dirname(paths.execdir() or '/usr/bin')

--- sys.COLORS: Escape sequences of terminals: black (dark), Black (bright), _black (background), ..., none.
sys.COLORS = { none = '\27[0m' }
for i, name in ipairs { 'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white' } do
   sys.COLORS[name] = ('\27[0;%dm'):format(29 + i)
   sys.COLORS[name:sub(1, 1):upper() .. name:sub(2)] = ('\27[1;%dm'):format(29 + i)
   sys.COLORS['_' .. name] = ('\27[%dm'):format(39 + i)
end

rawset(_G, 'sys', sys)
return sys
