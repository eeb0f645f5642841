-- lua/distributed/optim/layout.lua - the layout of a parameter vector in shards, and of the gradients that ranks
-- exchange: tables as rows.
--
-- A piece is a part of one shard: either elements, which are sent as they are, or rows of a table
-- (the gradient of an nn.LookupTable), of which only nonzero ones are sent. A source is a received
-- gradient:
-- { g = vector, rows = a LongTensor for each table }.
local torch = require 'torch'

local Layout = {}
Layout.__index = Layout

-- The tables of the model: where their gradients lie in the flat vector g.
local function tables_of(model, g)
   local list = {}
   for _, module in ipairs(model:listModules()) do
      local w = torch.isTypeOf(module, 'nn.LookupTable') and module.gradWeight
      if w then list[#list + 1] = { first = w:storageOffset() - g:storageOffset() + 1, rows = w:size(1), cols = w:size(2) } end
   end
   table.sort(list, function(a, b) return a.first < b.first end)
   for i = #list, 2, -1 do if list[i].first == list[i - 1].first then table.remove(list, i) end end          -- shared ones
   return list
end

-- Shards end between rows.
local function end_at(tables, at)
   for _, t in ipairs(tables) do
      local inside = at - (t.first - 1)
      if inside > 0 and inside < t.rows * t.cols then return at - inside % t.cols end
   end
   return at
end

local function pieces_of(tables, first, last)
   local list, at = {}, first
   local function add(to, t)
      if to < at then return end
      local low = t and (at - t.first) / tables[t.at].cols
      list[#list + 1] = { first = at, n = to - at + 1, table = t and t.at, low = low, cols = t and t.cols }
      at = to + 1
   end
   for i, t in ipairs(tables) do
      t.at = i
      add(math.min(last, t.first - 1))
      if at >= t.first and at < t.first + t.rows * t.cols then add(math.min(last, t.first + t.rows * t.cols - 1), t) end
   end
   add(last)
   return list
end

--- The layout of a vector like g in shards.
-- @param sparse  a model whose tables are sent as rows, or nil
function Layout.of(g, shards, sparse)
   local self = setmetatable({ n = g:nElement(), tables = sparse and tables_of(sparse, g) or {}, ends = {}, pieces = {} }, Layout)
   shards = math.min(shards, self.n)
   for s = 1, shards do
      self.ends[s] = s == shards and self.n or end_at(self.tables, math.floor(self.n * s / shards))
      self.pieces[s] = pieces_of(self.tables, (self.ends[s - 1] or 0) + 1, self.ends[s])
   end
   self.whole = pieces_of(self.tables, 1, self.n)
   return self
end

--- The layout as texts, to compare layouts.
function Layout:texts()
   local list = { table.concat(self.ends, ' ') }
   for _, t in ipairs(self.tables) do list[#list + 1] = ('%d %d %d'):format(t.first, t.rows, t.cols) end
   return list
end

local function as_rows(x, t) return x:narrow(1, t.first, t.rows * t.cols):view(t.rows, t.cols) end

local function places(marks)
   local found = marks:nonzero()
   return found:nElement() > 0 and found:view(-1) or nil
end

--- The gradient g as a source: the nonzero rows of each table.
function Layout:source(g)
   local rows = {}
   for i, t in ipairs(self.tables) do rows[i] = places(torch.abs(as_rows(g, t)):max(2):view(-1):gt(0)) or false end
   return { g = g, rows = rows }
end

--- Copies a source into a vector, where others read it.
function Layout:put(source, vector)
   for _, piece in ipairs(self.whole) do
      if not piece.table then
         vector:narrow(1, piece.first, piece.n):copy(source.g:narrow(1, piece.first, piece.n))
      end
   end
   for i, t in ipairs(self.tables) do
      local rows = source.rows[i]
      if rows then as_rows(vector, t):indexCopy(1, rows, as_rows(source.g, t):index(1, rows)) end
   end
end

--- Copies the numbers of its rows: for each table one more integer than it has rows. Returns which
-- of them are used, as the first and how many, and so on, where `first` is the number of the first
-- one.
function Layout:putLists(source, lists, first)
   local at, used = 1, {}
   for i, t in ipairs(self.tables) do
      local rows = source.rows[i]
      local n = rows and rows:size(1) or 0
      lists[at] = n
      if rows then lists:narrow(1, at + 1, n):copy(rows) end
      used[#used + 1], used[#used + 2] = first + at - 1, n + 1
      at = at + 1 + t.rows
   end
   return used
end

--- The source that put and putLists have written.
function Layout:get(vector, lists)
   local rows, at = {}, 1
   for i, t in ipairs(self.tables) do
      rows[i] = lists[at] > 0 and lists:narrow(1, at + 1, lists[at]) or false
      at = at + 1 + t.rows
   end
   return { g = vector, rows = rows }
end

--- How many integers Layout:putLists needs.
function Layout:listSize()
   local n = 0
   for _, t in ipairs(self.tables) do n = n + 1 + t.rows end
   return n
end

-- ---- sums of sources ----------------------------------------------------------------------------------------------------

local function sum_elements(piece, sources, scale)
   local sum = sources[1].g:narrow(1, piece.first, piece.n)
   if #sources == 1 and scale == 1 then return sum end
   sum = sum:clone()
   for i = 2, #sources do sum:add(sources[i].g:narrow(1, piece.first, piece.n)) end
   return sum:mul(scale)
end

-- The rows of the piece that each source has, by their numbers in the table, or false; and those
-- that any source has, from 1 within the piece, or nil.
local function rows_in(piece, sources)
   local count = piece.n / piece.cols
   local mine, marks = {}, torch.ByteTensor(count):zero()
   for i, source in ipairs(sources) do
      local rows = source.rows[piece.table]
      local of = rows and places(rows:gt(piece.low):cmul(rows:le(piece.low + count)))
      mine[i] = of and rows:index(1, of) or false
      if of then marks:indexFill(1, mine[i] - piece.low, 1) end
   end
   return mine, places(marks)
end

-- The rows that any source has, and their sums.
local function sum_rows(t, piece, sources, scale)
   local mine, all = rows_in(piece, sources)
   if not all then return nil end
   local place = torch.LongTensor(piece.n / piece.cols):zero():indexCopy(1, all, torch.range(1, all:size(1)):long())
   local sum = sources[1].g.new(all:size(1), piece.cols):zero()
   for i, source in ipairs(sources) do
      if mine[i] then sum:indexAdd(1, place:index(1, mine[i] - piece.low), as_rows(source.g, t):index(1, mine[i])) end
   end
   return all, sum:mul(scale)
end

--- Which elements of these pieces the sources have: the first one's number and how many are
-- adjacent, and so on.
function Layout:runs(pieces, sources)
   local list = {}
   local function add(first, n)
      local k = #list
      if k > 0 and list[k - 1] + list[k] == first then list[k] = list[k] + n
      else list[k + 1], list[k + 2] = first, n end
   end
   for _, piece in ipairs(pieces) do
      if not piece.table then
         add(piece.first, piece.n)
      else
         local _, all = rows_in(piece, sources)
         for i = 1, all and all:size(1) or 0 do add(piece.first + (all[i] - 1) * piece.cols, piece.cols) end
      end
   end
   return list
end

--- Calls update(x, g, state, config) for each piece of a shard with `scale` times the sum of the
-- sources: elements as vectors, rows of a table as a matrix. Skips tables without rows in any
-- source.
-- @param copies  the vectors that the update changes: x, then its state
-- @param copies  the vectors that the update changes: x, then its state
function Layout:update(pieces, sources, scale, copies, update, config)
   for _, piece in ipairs(pieces) do
      local parts, state = {}, {}
      for i, c in ipairs(copies) do parts[i] = c:narrow(1, piece.first, piece.n) end
      if not piece.table then
         for i = 2, #parts do state[i - 1] = parts[i] end
         update(parts[1], sum_elements(piece, sources, scale), state, config)
      else
         local rows, sum = sum_rows(self.tables[piece.table], piece, sources, scale)
         if rows then
            local picked = {}
            for i, part in ipairs(parts) do
               parts[i] = part:view(-1, piece.cols)
               picked[i] = parts[i]:index(1, rows)
               if i > 1 then state[i - 1] = picked[i] end
            end
            update(picked[1], sum, state, config)
            for i, part in ipairs(parts) do part:indexCopy(1, rows, picked[i]) end
         end
      end
   end
end

-- ---- all-reduce ---------------------------------------------------------------------------------------------------------

--- Replaces g by the sum of all ranks' gradients; only rows that some rank has are sent. `reduce(x,
-- op)` is dist.allreduce.
-- @param more  a tensor of the same type that is summed with it
function Layout:allreduce(g, more, reduce)
   local list, back, source = {}, {}, self:source(g)
   for _, piece in ipairs(self.whole) do
      if not piece.table then list[#list + 1] = g:narrow(1, piece.first, piece.n) end
   end
   for i, t in ipairs(self.tables) do
      local marks = torch.ByteTensor(t.rows):zero()
      if source.rows[i] then marks:indexFill(1, source.rows[i], 1) end
      local all = places(reduce(marks, 'max'))
      if all then
         list[#list + 1] = as_rows(g, t):index(1, all)
         back[#back + 1] = { as_rows(g, t), all, list[#list] }
      end
      source.rows[i] = all or false
   end
   list[#list + 1] = more
   reduce(list, 'sum')
   for _, b in ipairs(back) do b[1]:indexCopy(1, b[2], b[3]) end
   return source
end

return Layout
