-- test/support/lmdb.lua - writes small databases of LMDB, with pages of any size, for specs and fuzz seeds. Not for use: no transactions.
local format = require 'torch.format'
local le = format.le

local lmdb = { DUPSORT = 0x04, DUPFIXED = 0x10 }

local BRANCH, LEAF, OVERFLOW, META, DIRTY, FIXED, INNER = 1, 2, 4, 8, 16, 32, 64
local BIG, TREE, DUPLICATES = 1, 2, 4
local NO_PAGE = ('\255'):rep(8)

local function even(s) return #s % 2 == 0 and s or s .. '\0' end

local function node(low, flags, key, data) return le(2, low % 65536) .. le(2, math.floor(low / 65536)) .. le(2, flags) .. le(2, #key) .. key .. data end

-- A page of nodes: their places from the front, the nodes from the back.
local function page_of(number, flags, nodes, size)
   local places, bodies, upper = {}, {}, size
   for i, n in ipairs(nodes) do
      local body = even(n)
      upper = upper - #body
      places[i], bodies[#nodes + 1 - i] = le(2, upper), body
   end
   local lower = 16 + 2 * #nodes
   assert(lower <= upper, 'the nodes do not fit into a page')
   return le(8, number) .. le(2, 0) .. le(2, flags) .. le(2, lower) .. le(2, upper) .. table.concat(places)
      .. ('\0'):rep(upper - lower) .. table.concat(bodies)
end

-- Values of one size, one behind the other.
local function fixed_page(number, flags, values, size)
   local n, text = #values[1], table.concat(values)
   local upper = size - #values * (n - 2)
   return le(8, number) .. le(2, n) .. le(2, flags + FIXED) .. le(2, 16 + 2 * #values) .. le(2, upper) .. text
      .. ('\0'):rep(size - 16 - #text)
end

local function record(t, pad)
   return le(4, pad or 0) .. le(2, t.flags or 0) .. le(2, t.depth) .. le(8, t.branches) .. le(8, t.leaves) .. le(8, t.overflows)
      .. le(8, t.entries) .. (t.root and le(8, t.root) or NO_PAGE)
end

-- Lists of nodes, each as long as a page can hold. @param nodes  a list of { key = , bytes = }
local function cut(nodes, size)
   local lists, room = {}, 0
   for _, n in ipairs(nodes) do
      local wanted = 2 + #even(n.bytes)
      if wanted > room then
         lists[#lists + 1], room = {}, size - 16
      end
      table.insert(lists[#lists], n)
      room = room - wanted
   end
   return lists
end

local function bytes_of(nodes)
   local list = {}
   for i, n in ipairs(nodes) do list[i] = n.bytes end
   return list
end

-- Writes a tree above these leaf nodes; `leaf` makes a page of some of them.
local function tree_of(file, nodes, entries, leaf)
   local t = { depth = 0, branches = 0, leaves = 0, overflows = 0, entries = entries }
   while #nodes > 0 do
      local above = {}
      for i, list in ipairs(cut(nodes, file.size)) do
         local number = file:add(function(number)
            return t.depth == 0 and leaf(number, list) or page_of(number, BRANCH, bytes_of(list), file.size)
         end)
         local key = i == 1 and '' or list[1].key                -- the first key of a branch page is not needed
         above[i] = { key = list[1].key, bytes = node(number % 2 ^ 32, math.floor(number / 2 ^ 32), key, '') }
         t[t.depth == 0 and 'leaves' or 'branches'] = t[t.depth == 0 and 'leaves' or 'branches'] + 1
         t.root = number
      end
      t.depth = t.depth + 1
      if #above == 1 then break end
      nodes = above
   end
   return t
end

local function leaf_of(file) return function(number, list) return page_of(number, LEAF, bytes_of(list), file.size) end end

-- The data and flags of a node with several values. Few lie in a page within it, many in a tree.
local function duplicates(file, values, fixed)
   local nodes, flags = {}, LEAF + DIRTY + INNER
   for i, v in ipairs(values) do nodes[i] = node(0, 0, v, '') end
   local function fixed_leaf(number, list)
      local part = {}
      for i, n in ipairs(list) do part[i] = n.key end
      return fixed_page(number, LEAF, part, file.size)
   end
   if #table.concat(nodes) + 2 * #nodes < file.size / 4 then
      local room = 16 + 2 * #nodes
      for _, n in ipairs(nodes) do room = room + #even(n) end
      return fixed and fixed_page(0, flags, values, 16 + #values * #values[1]) or page_of(0, flags, nodes, room), DUPLICATES
   end
   for i, v in ipairs(values) do nodes[i] = { key = v, bytes = nodes[i] } end
   return record(tree_of(file, nodes, #values, fixed and fixed_leaf or leaf_of(file)), fixed and #values[1]), DUPLICATES + TREE
end

-- The number of the first of the pages that hold a long value.
local function overflow(file, value)
   local pages = math.ceil((16 + #value) / file.size)
   local first = #file
   local text = le(8, first) .. le(4, OVERFLOW * 65536) .. le(4, pages) .. value
   text = text .. ('\0'):rep(pages * file.size - #text)
   for k = 1, pages do file[first + k] = text:sub((k - 1) * file.size + 1, k * file.size) end
   return first, pages
end

local function meta(number, file, main, transaction)
   local text = le(8, number) .. le(2, 0) .. le(2, META) .. le(4, 0) .. le(4, 0xBEEFC0DE) .. le(4, 1) .. le(8, 0) .. le(8, 2 ^ 20)
      .. record({ depth = 0, branches = 0, leaves = 0, overflows = 0, entries = 0 }, file.size) .. record(main)
      .. le(8, #file - 1) .. le(8, transaction)
   return text .. ('\0'):rep(file.size - #text)
end

--- The bytes of a database.
-- @param entries  a list of { key, value, value ... }, in the order of keys; several values: in their order, with DUPSORT
-- @param size  bytes of a page (default 4096)
-- @param flags  of the main tree: lmdb.DUPSORT, and + lmdb.DUPFIXED for values of one size (default 0)
-- @return the bytes, and a table: root, depth
function lmdb.file(entries, size, flags)
   local file = { '', '', size = size or 4096 }
   function file:add(make)
      local number = #self
      self[number + 1] = ''
      self[number + 1] = make(number)
      return number
   end
   local nodes, count, overflows = {}, 0, 0
   for i, e in ipairs(entries) do
      local key, value = e[1], e[2]
      local data, kind, low = value, 0, #value
      if #e > 2 then
         data, kind = duplicates(file, { unpack(e, 2) }, flags >= lmdb.DUPFIXED)
         low = #data
      elseif 8 + #key + #value > file.size / 4 then
         local first, pages = overflow(file, value)
         data, kind, overflows = le(8, first), BIG, overflows + pages
      end
      nodes[i], count = { key = key, bytes = node(low, kind, key, data) }, count + #e - 1
   end
   local t = tree_of(file, nodes, count, leaf_of(file))
   t.flags, t.overflows = flags or 0, overflows
   file[1], file[2] = meta(0, file, { depth = 0, branches = 0, leaves = 0, overflows = 0, entries = 0 }, 0), meta(1, file, t, 1)
   return table.concat(file), t
end

return lmdb
