---@meta sys
-- types/sys.lua - written by ./dev docs from the sources; do not edit.

---@class sys
sys = {}

--- Escape sequences of terminals: black (dark), Black (bright), _black (background), ..., none.
---@class sys.COLORS
sys.COLORS = {}

--- The system's name, that of sys.uname().
---@type string
sys.OS = nil

--- Seconds since 1970, to the microsecond.
---@return any
---@return any ...
function sys.clock() end

--- Joins names to an absolute path without '.', '..' and double slashes.
---@param ... any
---@return any
---@return any ...
function sys.concat(...) end

--- The folder of a path; '.' if it names none.
---
---     paths.dirname('/a/b.lua')   --> /a
---@param path any
---@return any
---@return any ...
function sys.dirname(path) end

--- The output of a command of the shell with its error messages, and without spaces and ends of lines around it.
---@param cmd any
---@return any
---@return any ...
function sys.execute(cmd) end

--- Runs a command of the shell.
---@param cmd any
---@param readwhat? string the part of its output to read, as for f:read (default '*all')
---@return any # its output without spaces and ends of lines around it
---@return any ...
function sys.fexecute(cmd, readwhat) end

--- The folder and the name of the calling file.
---@return any
---@return any ...
function sys.fpath() end

--- Whether a number is NaN, as 0 / 0.
---
---     sys.isNaN(0 / 0)   --> true
---@param number any
---@return boolean
function sys.isNaN(number) end

--- The output of `ls`, `ls -l`, `ls -a` and `ls -la`.
---@param folder? any
---@return any
---@return any ...
function sys.la(folder) end

--- The output of `ls`, `ls -l`, `ls -a` and `ls -la`.
---@param folder? any
---@return any
---@return any ...
function sys.ll(folder) end

--- The output of `ls`, `ls -l`, `ls -a` and `ls -la`.
---@param folder? any
---@return any
---@return any ...
function sys.lla(folder) end

--- The output of `ls`, `ls -l`, `ls -a` and `ls -la`.
---@param folder? any
---@return any
---@return any ...
function sys.ls(folder) end

--- The tree of this installation.
---@type string
sys.prefix = nil

--- Sleeps for so many seconds, which may be a fraction.
---@param seconds any
---@return any
function sys.sleep(seconds) end

--- The parts of a string between matches of the pattern.
---
---     sys.split('a,b', ',')   --> {a, b}
---@param str any
---@param pat any
---@return any
function sys.split(str, pat) end

--- Starts the stopwatch that sys.toc reads.
---@return any
function sys.tic() end

--- Seconds since sys.tic(), which are printed when `verbose` is true.
---@param verbose? any
---@return any
function sys.toc(verbose) end

--- The system: 'linux', 'macos', 'windows'.
---@return any
function sys.uname() end

--- Sleeps for so many microseconds.
---@param microseconds any
---@return any
function sys.usleep(microseconds) end

return sys
