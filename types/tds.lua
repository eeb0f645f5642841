---@meta tds
-- types/tds.lua - written by ./dev docs from the sources; do not edit.

---@class tds
local tds = {}

--- a counter that begins at 0.
---
---     tds = require 'tds'; tds.AtomicCounter():inc()   --> 0
---@class tds.AtomicCounter
---@overload fun(): tds.AtomicCounter
tds.AtomicCounter = {}

--- Subtracts 1, or n, and returns the old number.
---
---     tds = require 'tds'; c = tds.AtomicCounter(); c:dec(); c:get()   --> -1
---@param n? any
---@return any ...
function tds.AtomicCounter:dec(n) end

--- The number.
---
---     tds = require 'tds'; tds.AtomicCounter():get()   --> 0
---@return any ...
function tds.AtomicCounter:get() end

--- Adds 1, or n, and returns the old number.
---
---     tds = require 'tds'; c = tds.AtomicCounter(); c:inc(); c:get()   --> 1
---@param n? any
---@return any ...
function tds.AtomicCounter:inc(n) end

--- The number, from or to a torch.File.
---@param file any
---@return any ...
function tds.AtomicCounter:read(file) end

--- Sets the number.
---@param n any
---@return any ...
function tds.AtomicCounter:set(n) end

--- The number, from or to a torch.File.
---@param file any
---@return any ...
function tds.AtomicCounter:write(file) end

--- the C library.
---@type any
tds.C = nil

--- a hash table. `h.key = value` and `h[key]` as with tables, nil removes a key, `#h` counts the keys.
---
---     tds = require 'tds'; h = tds.Hash{a = 1, list = {1, 2}}; #h.list   --> 2
---@class tds.Hash
---@overload fun(table?: any): tds.Hash
tds.Hash = {}

--- The content, from or to a torch.File, as Torch7's tds wrote it.
---@param file any
---@return any ...
function tds.Hash:read(file) end

--- The content, from or to a torch.File, as Torch7's tds wrote it.
---@param file any
---@return any ...
function tds.Hash:write(file) end

--- a vector of the elements of a table, or of the arguments.
---
---     tds = require 'tds'; v = tds.Vec('a', 2, true); v[2]   --> 2
---@class tds.Vec
---@overload fun(table?: any): tds.Vec
---@overload fun(...: any): tds.Vec
tds.Vec = {}

--- The elements first..last as one text, with `separator` between them.
---
---     tds = require 'tds'; tds.Vec{'a', 'b', 'c'}:concat(', ', 2)   --> b, c
---@param separator? any
---@param first? any
---@param last? any
---@return any ...
function tds.Vec:concat(separator, first, last) end

--- Inserts a value: v:insert([index,] value).
---
---     tds = require 'tds'; v = tds.Vec{1, 3}; v:insert(2, 'x'); #v   --> 3
---@param ... any
---@return any ...
function tds.Vec:insert(...) end

--- The elements, from or to a torch.File, as Torch7's tds wrote them.
---@param file any
---@return any ...
function tds.Vec:read(file) end

--- Removes an element, by default the last one.
---
---     tds = require 'tds'; v = tds.Vec{1, 2, 3}; v:remove(1); v[1]   --> 2
---@param place? any
---@return any ...
function tds.Vec:remove(place) end

--- Changes the size.
---
---     tds = require 'tds'; v = tds.Vec{1}; v:resize(3); #v   --> 3
---@param size any
---@return any ...
function tds.Vec:resize(size) end

--- Sorts in place. less(a, b) returns whether a comes before b; the default is a < b.
---
---     tds = require 'tds'; v = tds.Vec{3, 1, 2}; v:sort(function(a, b) return a < b end); v[1]   --> 1
---@param less? function
---@return any ...
function tds.Vec:sort(less) end

--- The elements, from or to a torch.File, as Torch7's tds wrote them.
---@param file any
---@return any ...
function tds.Vec:write(file) end

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.atomic_counter
---@overload fun(): any
tds.atomic_counter = {}

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.hash
---@overload fun(...: any): any
tds.hash = {}

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.vec
---@overload fun(...: any): any
tds.vec = {}

return tds
