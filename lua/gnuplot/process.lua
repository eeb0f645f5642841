-- lua/gnuplot/process.lua - the program gnuplot: its path, its terminals, its input, and quoting of text.
local torch = require 'torch'
local paths = require 'paths'

local process = {}

-- ---- text -------------------------------------------------------------------------------------------

local SAFE = { ['\n'] = '\\n', ['\t'] = '\\t', ['\0'] = ' ', ['"'] = '\\"' }
local ANY = '[%z\1-\255]'

-- A backtick starts a command and @ a macro, also between double quotes; as octal escapes they are plain characters.
local function letter(c)
   return SAFE[c] or c:find '[`@%c]' and ('\\%03o'):format(c:byte()) or nil
end

--- A label between double quotes. Its own backslash sequences keep their meaning (`\n`, `\\`); nothing in it
--- can end the quotes or start a command.
function process.label(text)
   return '"' .. tostring(text):gsub('\\?' .. ANY, function(pair)
      if pair == '\\' then return '\\\\' end                   -- the last byte
      if #pair == 1 then return letter(pair) end
      local c = pair:sub(2)
      return c ~= '"' and letter(c) or nil
   end) .. '"'
end

-- Text between quotes that keeps every character. Between ' nothing is expanded; a text with ' or control characters
-- is put between ", because gnuplot 5.4 misreads a doubled ' at the beginning.
local function exact(text, quote)
   if quote == "'" and not text:find "[`@'%c]" then return "'" .. text .. "'" end
   return '"' .. text:gsub(ANY, function(c) return c == '\\' and '\\\\' or letter(c) end) .. '"'
end

--- The title of a curve; gnuplot shows every character as it is.
function process.title(text) return exact(tostring(text), "'") end

--- A file name between `quote`, " or '. gnuplot would write to a command if a name began with |, and replace
--- a first ~.
function process.file_name(name, quote) return exact(name:find '^[|~]' and './' .. name or name, quote) end

local function shell(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- ---- the program ------------------------------------------------------------------------------------

local chosen                                -- the argument of setgnuplotexe
local known = {}                            -- path -> set of terminals

-- The path of a program; a name without a slash is looked up in PATH.
local function look_up(name)
   if name:find '/' then return paths.filep(name) and name or nil end
   for folder in (os.getenv 'PATH' or ''):gmatch '[^:]+' do
      local path = folder .. '/' .. name
      if paths.filep(path) then return path end
   end
end

--- The path of gnuplot; nil where it is not installed.
function process.find() return look_up(chosen or 'gnuplot') end

--- Sets the program to start. Returns its path, or nil if there is no such program.
function process.choose(exe)
   local path = look_up(exe)
   if path then chosen = exe end
   return path
end

--- The set of terminals that the program has.
function process.terminals(exe)
   if not known[exe] then
      local set = {}
      -- The list waits for a Return at each page.
      local pipe = io.popen(("printf 'set term\\n%s\\nquit\\n' | %s 2>&1"):format(('\\n'):rep(8), shell(exe)))
      for line in pipe:lines() do
         local name = line:gsub('^Press return for more:', ''):match '^%s+([%w_]+)%s'
         if name then set[name] = true end
      end
      pipe:close()
      if not next(set) then
         error(('gnuplot: %s lists no terminals: it does not start, or it is another program'):format(exe), 0)
      end
      known[exe] = set
   end
   return known[exe]
end

--- Starts the program; its input is a torch.PipeFile, whose writes are errors when the program has ended.
-- @param quiet  true: its standard output is dropped
function process.start(exe, quiet)
   return torch.PipeFile('exec ' .. shell(exe) .. ' -persist' .. (quiet and ' >/dev/null' or ''), 'w')
end

return process
