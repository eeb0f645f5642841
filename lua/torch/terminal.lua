-- torch.terminal - the size of the terminal, and the pager for texts that exceed it.
local ffi = require 'ffi'
local environment = require 'torch.environment'

local M = {}

pcall(ffi.cdef, 'int isatty(int);')
ffi.cdef [[
struct th_winsize { unsigned short rows, columns, width, height; };
int th_ioctl(int, unsigned long, ...) __asm__("ioctl");
void *th_signal(int number, void *handler) __asm__("signal");
]]
local SIGPIPE = 13
local TIOCGWINSZ = ffi.os == 'OSX' and 0x40087468 or 0x5413

--- Whether a descriptor is a terminal: 0 input, 1 output, 2 errors.
function M.is_terminal(descriptor) return ffi.C.isatty(descriptor) == 1 end

--- Rows and columns of the terminal of standard output; nil where they are not known.
function M.size()
   local w = ffi.new 'struct th_winsize'
   if ffi.C.th_ioctl(1, TIOCGWINSZ, w) ~= 0 or w.rows == 0 or w.columns == 0 then return nil end
   return w.rows, w.columns
end

local function installed(program)
   for folder in (os.getenv 'PATH' or ''):gmatch '[^:]+' do
      local f = io.open(folder .. '/' .. program)
      if f then
         f:close()
         return true
      end
   end
   return false
end

--- The command of the pager, or nil: TH_PAGER, else PAGER, else less where it is installed. An empty TH_PAGER means none.
function M.pager()
   local own = environment.get 'TH_PAGER'
   if own then return own ~= '' and own or nil end
   local usual = os.getenv 'PAGER'
   if usual and usual ~= '' then return usual end
   return installed 'less' and 'less -FRX' or nil
end

-- The lines of the screen that a text takes, up to `most` + 1.
local function height(text, columns, most)
   local n = 0
   for line in text:gmatch '[^\n]*' do
      n = n + math.max(1, math.ceil(#line / columns))
      if n > most then break end
   end
   return n
end

--- Writes a text to standard output, through the pager where it exceeds the screen.
function M.write(text)
   local rows, columns
   if M.is_terminal(0) and M.is_terminal(1) then rows, columns = M.size() end
   local command = rows and height(text, columns, rows) > rows and M.pager()
   io.stdout:flush()
   local pipe = command and io.popen(command, 'w')
   if not pipe then return io.stdout:write(text) end
   -- A pager that is left early closes the pipe, and SIGPIPE would end this process.
   local before = ffi.C.th_signal(SIGPIPE, ffi.cast('void *', 1))
   pipe:write(text)
   pipe:close()
   ffi.C.th_signal(SIGPIPE, before)
end

return M
