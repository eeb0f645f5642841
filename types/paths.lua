---@meta paths
-- types/paths.lua - written by ./dev docs from the sources; do not edit.

---@class paths
paths = {}

--- The last part of a path; without `suffix` if it ends in it (the dot may be left out).
---
---     paths.basename('/a/b.lua', 'lua')   --> b
---@param path any
---@param suffix? any
---@return any
function paths.basename(path, suffix) end

--- Joins names to an absolute path without '.', '..' and double slashes.
---@param ... any
---@return any
---@return any ...
function paths.concat(...) end

--- The current folder of the program.
---@return any
---@return any ...
function paths.cwd() end

--- The names in a folder, '.' and '..' included; nil when it cannot be read.
---@param path any
---@return any
---@return any ...
function paths.dir(path) end

--- The folder of a path; '.' if it names none.
---
---     paths.dirname('/a/b.lua')   --> /a
---@param path any
---@return any
---@return any ...
function paths.dirname(path) end

--- is it a folder?
---@param path any
---@return any
---@return any ...
function paths.dirp(path) end

--- Runs a Lua file in the folder of the calling file.
---@param name any
---@param depth any
---@return any
---@return any ...
function paths.dofile(name, depth) end

--- The folder of the running program (of th, or of luajit), or nil if the system does not report it.
---@return any
---@return any ...
function paths.execdir() end

--- The part after the last dot, or nil.
---@param path any
---@return any
---@return any ...
function paths.extname(path) end

--- is it a file?
---@param path any
---@return any
---@return any ...
function paths.filep(path) end

--- Iterates over the names in a folder: for name in paths.files('.', '%.lua$') do ... end
---@param path any
---@param filter? function a Lua pattern that a name must contain, or a function of the name (optional)
---@return any
---@return any ...
function paths.files(path, filter) end

--- The path of the first of these programs in PATH, or nil.
---@param ... any
---@return any
---@return any ...
function paths.findprogram(...) end

--- There is a registry on Windows only.
---@return any
function paths.getregistryvalue() end

--- The folder of the user.
---@type string
paths.home = nil

--- Whether the system is macOS.
---@return boolean
function paths.is_mac() end

--- Whether the system is Windows: false.
---@return boolean
function paths.is_win() end

--- Iterates over the folders in a folder.
---@param path any
---@return any
---@return any ...
function paths.iterdirs(path) end

--- Iterates over the files in a folder.
---@param path any
---@return any
---@return any ...
function paths.iterfiles(path) end

--- Makes a folder, and missing ones above it.
---@param path? any
---@return any
---@return any ...
function paths.mkdir(path) end

--- require under another name, for scripts from the time of Lua 5.0.
---@param name any
---@return any
---@return any ...
function paths.require(name) end

--- Removes a file, or a folder with its contents; links are removed, not followed. `sure` must be 'yes'.
---@param path any
---@param sure any
---@return boolean # true, or nil and a message
---@return any ...
function paths.rmall(path, sure) end

--- Removes an empty folder.
---@param path any
---@return any
---@return any ...
function paths.rmdir(path) end

--- The path of the calling file; with `name`, of that file in the same folder. nil at a prompt.
---@param name? any
---@param depth? any 1 (default): the caller; 2: the caller's caller, ...
---@return any
---@return any ...
function paths.thisfile(name, depth) end

--- The name of a new temporary file, which is removed when Lua ends.
---@return string
function paths.tmpname() end

--- Name of the system, of the host and of the processor's kind.
---@return any
---@return any ...
function paths.uname() end

return paths
