-- bench/lib/bars.lua - draws groups of numbers as bars.
local bars = {}

local HIGH, LEFT, TOP, BAR, GAP = 220, 60, 60, 18, 26          -- pixels
local COLOURS = { '#9ecae1', '#4292c6', '#08519c', '#fdae6b', '#e6550d' }

--- Writes the picture as SVG.
-- @param file    its name
-- @param title   a line above it
-- @param series  names of the bars of a group
-- @param groups  { name, number of each of the series, ... }
-- @param line    a number at which there is a line across, and its name (optional)
function bars.write(file, title, series, groups, line)
   local most = line and line[1] or 0
   for _, g in ipairs(groups) do for i = 2, #g do most = math.max(most, g[i]) end end
   local step = BAR * #series + GAP
   local width = math.max(LEFT + #groups * step + 40, 8 * #title)
   local out = { ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">')
      :format(width, TOP + HIGH + 40), '<rect width="100%" height="100%" fill="white"/>' }
   local function put(...) out[#out + 1] = (...):format(select(2, ...)) end
   local function text(x, y, anchor, s) put('<text x="%g" y="%g" text-anchor="%s">%s</text>', x, y, anchor, s) end
   local function height(v) return v / most * HIGH end
   text(10, 20, 'start', title)
   for i, name in ipairs(series) do
      put('<rect x="%d" y="32" width="12" height="12" fill="%s"/>', LEFT + (i - 1) * 110, COLOURS[i])
      text(LEFT + (i - 1) * 110 + 18, 43, 'start', name)
   end
   if line then
      local y = TOP + HIGH - height(line[1])
      put('<line x1="%d" x2="%d" y1="%g" y2="%g" stroke="#888" stroke-dasharray="4"/>', LEFT, width - 10, y, y)
      text(LEFT - 6, y + 4, 'end', line[2])
   end
   for k, g in ipairs(groups) do
      local x = LEFT + GAP / 2 + (k - 1) * step
      for i = 2, #g do
         local h = height(g[i])
         local left = x + (i - 2) * BAR
         put('<rect x="%g" y="%g" width="%d" height="%g" fill="%s"/>', left, TOP + HIGH - h, BAR - 2, h, COLOURS[i - 1])
      end
      text(x + BAR * #series / 2, TOP + HIGH + 18, 'middle', g[1])
   end
   put('<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="black"/>', LEFT, width - 10, TOP + HIGH, TOP + HIGH)
   out[#out + 1] = '</svg>\n'
   local f = assert(io.open(file, 'w'))
   f:write(table.concat(out, '\n'))
   f:close()
end

return bars
