---@meta tds
-- types/tds.lua - written by ./dev docs from the sources; do not edit.

---@class tds
local tds = {}

do
--- a counter that begins at 0.
---
---     tds = require 'tds'; tds.AtomicCounter():inc()   --> 0
---@class tds.AtomicCounter
local AtomicCounter = {}

--- Subtracts 1, or n, and returns the old number.
---
---     tds = require 'tds'; c = tds.AtomicCounter(); c:dec(); c:get()   --> -1
---@param n? any
---@return any
---@return any ...
function AtomicCounter:dec(n) end

--- The number.
---
---     tds = require 'tds'; tds.AtomicCounter():get()   --> 0
---@return any
---@return any ...
function AtomicCounter:get() end

--- Adds 1, or n, and returns the old number.
---
---     tds = require 'tds'; c = tds.AtomicCounter(); c:inc(); c:get()   --> 1
---@param n? any
---@return any
---@return any ...
function AtomicCounter:inc(n) end

--- The number, from or to a torch.File.
---@param file any
---@return any
function AtomicCounter:read(file) end

--- Sets the number.
---@param n any
---@return any
function AtomicCounter:set(n) end

--- The number, from or to a torch.File.
---@param file any
---@return any
function AtomicCounter:write(file) end

end

--- a counter that begins at 0.
---
---     tds = require 'tds'; tds.AtomicCounter():inc()   --> 0
---@class tds.AtomicCounter.class: tds.AtomicCounter
---@overload fun(): tds.AtomicCounter
tds.AtomicCounter = {}

--- the C library.
---@type any
tds.C = nil

do
--- a hash table. `h.key = value` and `h[key]` as with tables, nil removes a key, `#h` counts the keys.
---
---     tds = require 'tds'; h = tds.Hash{a = 1, list = {1, 2}}; #h.list   --> 2
---@class tds.Hash
---@field [any] any
---@operator len: number
local Hash = {}

--- The content, from or to a torch.File, as Torch7's tds wrote it.
---@param file any
---@return any
function Hash:read(file) end

--- The content, from or to a torch.File, as Torch7's tds wrote it.
---@param file any
---@return any
function Hash:write(file) end

end

--- a hash table. `h.key = value` and `h[key]` as with tables, nil removes a key, `#h` counts the keys.
---
---     tds = require 'tds'; h = tds.Hash{a = 1, list = {1, 2}}; #h.list   --> 2
---@class tds.Hash.class: tds.Hash
---@overload fun(table?: any): tds.Hash
tds.Hash = {}

do
--- a vector of the elements of a table, or of the arguments.
---
---     tds = require 'tds'; v = tds.Vec('a', 2, true); v[2]   --> 2
---@class tds.Vec
---@field [number] any
---@operator len: number
local Vec = {}

--- The elements first..last as one text, with `separator` between them.
---
---     tds = require 'tds'; tds.Vec{'a', 'b', 'c'}:concat(', ', 2)   --> b, c
---@param separator? any
---@param first? any
---@param last? any
---@return any
---@return any ...
function Vec:concat(separator, first, last) end

--- Inserts a value: v:insert([index,] value).
---
---     tds = require 'tds'; v = tds.Vec{1, 3}; v:insert(2, 'x'); #v   --> 3
---@param ... any
---@return any
function Vec:insert(...) end

--- The elements, from or to a torch.File, as Torch7's tds wrote them.
---@param file any
---@return any
function Vec:read(file) end

--- Removes an element, by default the last one.
---
---     tds = require 'tds'; v = tds.Vec{1, 2, 3}; v:remove(1); v[1]   --> 2
---@param place? any
---@return any
function Vec:remove(place) end

--- Changes the size.
---
---     tds = require 'tds'; v = tds.Vec{1}; v:resize(3); #v   --> 3
---@param size any
---@return any
function Vec:resize(size) end

--- Sorts in place. less(a, b) returns whether a comes before b; the default is a < b.
---
---     tds = require 'tds'; v = tds.Vec{3, 1, 2}; v:sort(function(a, b) return a < b end); v[1]   --> 1
---@param less? any
---@return any
---@return any ...
function Vec:sort(less) end

--- The elements, from or to a torch.File, as Torch7's tds wrote them.
---@param file any
---@return any
function Vec:write(file) end

end

--- a vector of the elements of a table, or of the arguments.
---
---     tds = require 'tds'; v = tds.Vec('a', 2, true); v[2]   --> 2
---@class tds.Vec.class: tds.Vec
---@overload fun(table?: any): tds.Vec
---@overload fun(...: any): tds.Vec
tds.Vec = {}

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.atomic_counter
---@overload fun(): any, any
tds.atomic_counter = {}

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.hash
---@overload fun(...: any): any, any
tds.hash = {}

--- earlier names of tds.Hash, tds.Vec and tds.AtomicCounter.
---@class tds.vec
---@overload fun(...: any): any, any
tds.vec = {}

return tds
