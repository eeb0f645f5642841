---@meta xlua
-- types/xlua.lua - written by ./dev docs from the sources; do not edit.

---@class xlua
xlua = {}

--- Options of a script in the manner of Unix: option{...} declares them, parse() reads the words.
---@param usage? any
---@return any
---@return any ...
function xlua.OptionParser(usage) end

--- Named stopwatches: start, lap, pause, printAll.
---@param mode? any
---@param verbose? any
---@return any
---@return any ...
function xlua.Profiler(mode, verbose) end

--- Removes a global variable and its memory.
---@param var any its name
---@return any
function xlua.clear(var) end

--- Removes all global variables that scripts have made.
---@return any
function xlua.clearall() end

--- Parameters from the environment: for every key of `default`, $key when it is set, of the default's type.
---@param default any
---@return any
function xlua.envparams(default) end

--- Raises '<domain> message', followed by the usage.
---@param message any
---@param domain? any
---@param usage? any
---@return any
function xlua.error(message, domain, usage) end

--- A time in its two largest units: '1m30s', '250ms', '3h'.
---
---     xlua.formatTime(90)   --> 1m30s
---@param seconds? any
---@return any
function xlua.formatTime(seconds) end

--- Whether a package can be required: true and its path, or false.
---@param name any
---@return boolean
function xlua.installed(name) end

--- Also writes later output of print to a file.
---@param file any
---@param append? boolean true: after the contents of the file
---@return any
function xlua.log(file, append) end

--- Prints values; tables with their keys and values.
---@param obj any
---@param ... any
---@return any
---@return any ...
function xlua.print(obj, ...) end

--- Draws a bar: step `current` of `goal` is done.
---@param current any
---@param goal? any
---@param text? any shown behind the count, such as 'loss 0.12'; left out where the line is too short
---@return any
function xlua.progress(current, goal, text) end

--- require that prints why a package cannot be loaded, instead of raising an error.
---@param name any
---@return any # the result of require; false and the reason if it fails
---@return any ...
function xlua.require(name) end

--- A table on one line: '{1,"a",k=2}'.
---@param tbl any
---@param newline? boolean true: every element on a separate line
---@return table
function xlua.table2string(tbl, newline) end

--- Calls try(); when it raises an error, catch(error).
---@param try any
---@param catch any
---@return any
function xlua.trycatch(try, catch) end

--- Splits the arguments of a function, given in order or by name (f{size = 3}).
---@param args any {...} of the function
---@param funcname any
---@param description any
---@param ... any
---@return table # a table of the arguments by name and by number, with the text `usage`; then their values in order
---@return any ...
function xlua.unpack(args, funcname, description, ...) end

--- As xlua.unpack, and stores the arguments as fields of an object.
---@param object any
---@param args any
---@param funcname any
---@param description any
---@param ... any
---@return any
function xlua.unpack_class(object, args, funcname, description, ...) end

--- The help text of a function.
---@overload fun(funcname: any, description: any, example: any, ...: any): any, any
---@param funcname any
---@param description any
---@param ... any
---@return any
---@return any ...
function xlua.usage(funcname, description, ...) end

--- The text that lists the functions of a package.
---@param module any
---@param name any
---@param description? any
---@return string
function xlua.usage_module(module, name, description) end

--- Prints the global variables and the packages that are loaded.
---@return any
function xlua.who() end

return xlua
