-- lua/graph/svg.lua - draws a directed graph in layers as SVG, where Graphviz is not installed.
--
-- Sugiyama et al., "Methods for visual understanding of hierarchical system structures" (1981): every node gets a layer below
-- its predecessors, long edges a bend in each layer they cross, and layers are sorted by the means of their neighbours.
local escape = require 'torch.xml'.escape

local LETTER, LINE, PAD, GAP, BETWEEN = 7.3, 16, 10, 24, 44       -- pixels
local SWEEPS = 12

-- ---- text -------------------------------------------------------------------------------------------

local function letters(line) return select(2, line:gsub('[^\128-\191]', '')) end

local function lines_of(label)
   local lines = {}
   for line in (label:gsub('\r\n?', '\n') .. '\n'):gmatch '(.-)\n' do lines[#lines + 1] = line end
   while #lines > 1 and lines[#lines] == '' do lines[#lines] = nil end
   return lines
end

-- ---- layers -----------------------------------------------------------------------------------------

-- For each node, the nodes that its edges lead to; edges that close a cycle are reversed, those to itself left out.
local function acyclic(n, edges)
   local next_of, state, ways = {}, {}, {}
   for i = 1, n do next_of[i], ways[i] = {}, {} end
   for _, e in ipairs(edges) do table.insert(next_of[e[1]], e[2]) end
   for start = 1, n do
      local stack = not state[start] and {{start, 0}} or {}
      state[start] = state[start] or 'open'
      while #stack > 0 do
         local top = stack[#stack]
         local node = top[1]
         top[2] = top[2] + 1
         local to = next_of[node][top[2]]
         if to == nil then
            state[node], stack[#stack] = 'done', nil
         elseif to ~= node then
            local back = state[to] == 'open'
            table.insert(ways[back and to or node], {to = back and node or to, turned = back})
            if not state[to] then
               state[to] = 'open'
               stack[#stack + 1] = {to, 0}
            end
         end
      end
   end
   return ways
end

-- The layer of each node, from 1: one more than its deepest predecessor.
local function layers_of(n, ways)
   local waits, layer, ready, sources = {}, {}, {}, {}
   for i = 1, n do waits[i], layer[i] = 0, 1 end
   for i = 1, n do for _, way in ipairs(ways[i]) do waits[way.to] = waits[way.to] + 1 end end
   for i = 1, n do
      if waits[i] == 0 then ready[#ready + 1], sources[#sources + 1] = i, i end
   end
   for k = 1, n do
      for _, way in ipairs(ways[ready[k]]) do
         local to = way.to
         layer[to], waits[to] = math.max(layer[to], layer[ready[k]] + 1), waits[to] - 1
         if waits[to] == 0 then ready[#ready + 1] = to end
      end
   end
   for _, i in ipairs(sources) do                                   -- just above its users
      local nearest = math.huge
      for _, way in ipairs(ways[i]) do nearest = math.min(nearest, layer[way.to] - 1) end
      if nearest < math.huge then layer[i] = nearest end
   end
   return layer
end

-- Points in layers: the nodes, and bends of long edges; each knows its neighbours above and below. Edges become lists of
-- points.
local function points_of(drawing, ways, layer)
   local rows, points, lines = {}, {}, {}
   local function add(point, at)
      rows[at] = rows[at] or {}
      table.insert(rows[at], point)
      point.up, point.down = {}, {}
      return point
   end
   for i, node in ipairs(drawing.nodes) do
      local text, most = lines_of(node.label), 1
      for _, line in ipairs(text) do most = math.max(most, letters(line)) end
      points[i] = add({text = text, attributes = node.attributes, width = most * LETTER + 2 * PAD, height = #text * LINE + PAD},
         layer[i])
   end
   for i = 1, #drawing.nodes do
      for _, way in ipairs(ways[i]) do
         local line = {points[i]}
         for at = layer[i] + 1, layer[way.to] - 1 do line[#line + 1] = add({width = 0, height = 0}, at) end
         line[#line + 1], line.turned = points[way.to], way.turned
         for k = 1, #line - 1 do
            table.insert(line[k].down, line[k + 1])
            table.insert(line[k + 1].up, line[k])
         end
         lines[#lines + 1] = line
      end
   end
   return rows, lines, points
end

local function mean(list, key)
   local sum = 0
   for _, p in ipairs(list) do sum = sum + p[key] end
   return #list > 0 and sum / #list or nil
end

-- Orders a row by the means of its neighbours on one side; points without neighbours keep their positions.
local function reorder(row, side)
   for k, p in ipairs(row) do
      p.place = k
      p.wish = mean(p[side], 'place') or k
   end
   table.sort(row, function(a, b)
      if a.wish ~= b.wish then return a.wish < b.wish end
      return a.place < b.place
   end)
   for k, p in ipairs(row) do p.place = k end
end

-- The positions nearest to the wanted ones that keep the order and the gaps: least squares by pooling neighbours that are too
-- near.
local function settle(row)
   local pools, offset = {}, 0
   for k, p in ipairs(row) do
      if k > 1 then offset = offset + (row[k - 1].width + p.width) / 2 + GAP end
      p.offset = offset
      pools[#pools + 1] = {sum = p.wish - offset, n = 1}
      while #pools > 1 and pools[#pools].sum / pools[#pools].n < pools[#pools - 1].sum / pools[#pools - 1].n do
         local last = table.remove(pools)
         local pool = pools[#pools]
         pool.sum, pool.n = pool.sum + last.sum, pool.n + last.n
      end
   end
   local k = 0
   for _, pool in ipairs(pools) do
      for _ = 1, pool.n do
         k = k + 1
         row[k].x = pool.sum / pool.n + row[k].offset
      end
   end
end

-- Gives every point x and y; returns the width and height of the whole.
local function place(rows, top)
   for _, row in ipairs(rows) do for k, p in ipairs(row) do p.place = k end end
   for sweep = 1, SWEEPS do
      local down = sweep % 2 == 1
      for r = down and 2 or #rows - 1, down and #rows or 1, down and 1 or -1 do reorder(rows[r], down and 'up' or 'down') end
   end
   for _, row in ipairs(rows) do
      for _, p in ipairs(row) do p.wish = 0 end
      settle(row)
   end
   for sweep = 1, SWEEPS do
      local down = sweep % 2 == 1
      for r = down and 1 or #rows, down and #rows or 1, down and 1 or -1 do
         for _, p in ipairs(rows[r]) do p.wish = mean(p[down and 'up' or 'down'], 'x') or p.x end
         settle(rows[r])
      end
   end
   local low, high, y = math.huge, -math.huge, top
   for _, row in ipairs(rows) do
      local height = 0
      for _, p in ipairs(row) do
         low, high, height = math.min(low, p.x - p.width / 2), math.max(high, p.x + p.width / 2), math.max(height, p.height)
      end
      for _, p in ipairs(row) do
         p.y = y + height / 2
         if not p.text then p.height = height end                   -- a long edge passes straight between the nodes
      end
      y = y + height + BETWEEN
   end
   if low > high then low, high = 0, 0 end
   for _, row in ipairs(rows) do for _, p in ipairs(row) do p.x = p.x - low + GAP end end
   return high - low + 2 * GAP, y - BETWEEN + GAP
end

-- ---- the picture ------------------------------------------------------------------------------------

local function path(line)
   local from, out = line[1], {}
   out[1] = ('M%.1f %.1f'):format(from.x, from.y + from.height / 2)
   for k = 2, #line do
      local a, b = line[k - 1], line[k]
      local y1, y2 = a.y + a.height / 2, b.y - b.height / 2
      local middle = (y1 + y2) / 2
      out[#out + 1] = ('C%.1f %.1f %.1f %.1f %.1f %.1f'):format(a.x, middle, b.x, middle, b.x, y2)
      if not b.text then out[#out + 1] = ('V%.1f'):format(b.y + b.height / 2) end
   end
   return ('<path d="%s" fill="none" stroke="black" marker-%s="url(#head)"/>')
      :format(table.concat(out, ' '), line.turned and 'start' or 'end')
end

local function box(p, add)
   local a = {}
   for name, value in pairs(p.attributes) do a[tostring(name)] = tostring(value) end
   local filled = (a.style or ''):find 'filled'
   local fill = filled and (a.fillcolor or a.color or 'lightgrey') or 'white'
   add('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8" fill="%s" stroke="%s"/>', p.x - p.width / 2, p.y - p.height / 2,
       p.width, p.height, escape(fill), escape(a.color or 'black'))
   local ink = a.fontcolor and (' fill="%s"'):format(escape(a.fontcolor)) or ''
   for k, line in ipairs(p.text) do
      local y = p.y - p.height / 2 + PAD / 2 + k * LINE - 4
      add('<text x="%.1f" y="%.1f"%s xml:space="preserve">%s</text>', p.x, y, ink, escape(line))
   end
end

--- The graph as SVG.
-- @param drawing  {title, nodes = {{label, attributes}, ...}, edges = {{from, to}, ...}}: edges refer to nodes by index
return function(drawing)
   local out = {}
   local function add(format, ...) out[#out + 1] = format:format(...) end
   local ways = acyclic(#drawing.nodes, drawing.edges)
   local rows, lines, points = points_of(drawing, ways, layers_of(#drawing.nodes, ways))
   local width, height = place(rows, GAP + LINE + PAD)
   width = math.max(width, letters(drawing.title) * LETTER + 2 * GAP)
   add('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="monospace" font-size="12" '
       .. 'text-anchor="middle">', width, height)
   add('<defs><marker id="head" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto-start-reverse">'
       .. '<path d="M0 0L9 4L0 8z"/></marker></defs>')
   add '<rect width="100%%" height="100%%" fill="white"/>'
   add('<text x="%.1f" y="%d" font-size="14">%s</text>', width / 2, GAP, escape(drawing.title))
   for _, line in ipairs(lines) do out[#out + 1] = path(line) end
   for _, e in ipairs(drawing.edges) do                             -- of a node to itself: a bow at its right side
      local p = e[1] == e[2] and points[e[1]]
      local x = p and p.x + p.width / 2
      if p then
         add('<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="black" marker-end="url(#head)"/>',
             x, p.y - 6, x + 20, p.y - 16, x + 20, p.y + 16, x, p.y + 6)
      end
   end
   for _, row in ipairs(rows) do
      for _, p in ipairs(row) do if p.text then box(p, add) end end
   end
   add '</svg>'
   return table.concat(out, '\n') .. '\n'
end
